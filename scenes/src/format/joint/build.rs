//! From a joint of a scene to one of a world.

use std::sync::Arc;

use drystone_dynamics::{
    Attachment, Ball, Breaking, Cylindrical, Distance, Drive, EllipticCone, Fixed, Gear, Hinge, Joint, JointModel,
    Limit, Motor, Planar, PointJoint, PointMotor, Points, Reference, Slider, Softness, Spring, Suspension, Universal,
    Wheel,
};
use nalgebra::{Point3, Vector3};

use super::{
    DriveDescription, Frame, JointDescription, JointType, LimitDescription, MotorDescription, Pair,
    SuspensionDescription, Triple,
};

impl JointDescription {
    /// Its name, or the one made from its place among the scene's joints.
    pub fn name_or_index(&self, index: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("joint-{index}"))
    }

    /// The joint between two bodies of a world. What was checked is taken for granted.
    pub(in crate::format) fn joint(&self, index: usize, bodies: [usize; 2]) -> Joint {
        let model = self.kind.model();
        let mut joint = Joint::with_model(self.name_or_index(index), model, bodies, self.attachment());
        joint.limits = self.limits.iter().map(|limit| limit.limit(&joint)).collect();
        joint.motors = self.motors.iter().map(|motor| motor.motor(&joint)).collect();
        joint.softness = Softness {
            erp: self.erp,
            cfm: self.cfm,
        };
        joint.breaking = Breaking {
            force: self.breaking.force,
            torque: self.breaking.torque,
            distance: self.breaking.distance,
        };
        joint.collide = self.collide;
        joint
    }

    fn attachment(&self) -> Attachment {
        let both = |one: Option<Triple>, two: Option<Pair>| match (one, two) {
            (Some(Triple(value)), _) => Some([value; 2]),
            (None, Some(Pair([a, b]))) => Some([a.0, b.0]),
            (None, None) => None,
        };
        let anchors = both(self.anchor, self.anchors).unwrap_or_default();
        let mut attachment = Attachment::between(Point3::from(anchors[0]), Point3::from(anchors[1]));
        if let Some([a, b]) = both(self.axis, self.axes) {
            attachment = attachment.axes(Vector3::from(a), Vector3::from(b));
        }
        if let Some([a, b]) = both(self.second, self.seconds) {
            attachment = attachment.seconds(Vector3::from(a), Vector3::from(b));
        }
        attachment.reference = match self.frame {
            Frame::World => Reference::World,
            Frame::Bodies => Reference::Bodies,
        };
        attachment
    }
}

impl JointType {
    pub(super) fn model(&self) -> Arc<dyn JointModel> {
        let points = |kind, reach| Arc::new(Points { kind, reach });
        match *self {
            Self::Ball => Arc::new(Ball),
            Self::Hinge => Arc::new(Hinge),
            Self::Slider => Arc::new(Slider),
            Self::Cylindrical => Arc::new(Cylindrical),
            Self::Planar => Arc::new(Planar),
            Self::Universal => Arc::new(Universal),
            Self::Wheel { suspension } => Arc::new(Wheel {
                suspension: suspension
                    .map(|SuspensionDescription { stiffness, damping }| Suspension { stiffness, damping }),
            }),
            Self::Fixed => Arc::new(Fixed),
            Self::Distance {
                lower,
                upper,
                restitution,
            } => Arc::new(Distance {
                lower,
                upper,
                restitution,
            }),
            Self::Spring {
                stiffness,
                damping,
                length,
            } => Arc::new(Spring {
                stiffness,
                damping,
                length,
            }),
            Self::Gear { teeth, internal } => Arc::new(Gear { teeth, internal }),
            // A single point needs no reach.
            Self::PointBall => points(PointJoint::Ball, 1.0),
            Self::PointHinge { reach } => points(PointJoint::Hinge, reach),
            Self::PointFixed { reach } => points(PointJoint::Fixed, reach),
            Self::PointMotor { speed, reach } => Arc::new(PointMotor { speed, reach }),
        }
    }
}

impl LimitDescription {
    fn limit(&self, joint: &Joint) -> Limit {
        let mut limit = match (&self.range, &self.elliptic_cone) {
            (Some(range), _) => Limit::range(
                joint.coordinate(&range.coordinate).unwrap_or(usize::MAX),
                range.lower.unwrap_or(f64::NEG_INFINITY),
                range.upper.unwrap_or(f64::INFINITY),
            ),
            (None, cone) => Limit::reach(EllipticCone {
                angles: cone.map_or([1.0; 2], |cone| cone.angles),
            }),
        };
        limit.restitution = self.restitution;
        limit.softness = Softness {
            erp: self.erp,
            cfm: self.cfm,
        };
        limit
    }
}

impl MotorDescription {
    fn motor(&self, joint: &Joint) -> Motor {
        let bound = |value: Option<f64>| value.unwrap_or(f64::INFINITY);
        Motor {
            coordinate: joint.coordinate(&self.coordinate).unwrap_or(usize::MAX),
            drive: match self.drive {
                DriveDescription::Velocity { speed, force } => Drive::Velocity {
                    speed,
                    force: bound(force),
                },
                DriveDescription::Servo {
                    target,
                    rate,
                    speed,
                    force,
                } => Drive::Servo {
                    target,
                    rate,
                    speed: bound(speed),
                    force: bound(force),
                },
                DriveDescription::Friction { force } => Drive::Friction { force },
                DriveDescription::Spring {
                    rest,
                    stiffness,
                    damping,
                } => Drive::Spring {
                    rest,
                    stiffness,
                    damping,
                },
            },
        }
    }
}
