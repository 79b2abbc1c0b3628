//! Describing joints in a program: constructors, and methods that change one thing and can be chained.

use super::{
    BreakingDescription, DriveDescription, EllipticConeDescription, Frame, JointDescription, JointType,
    LimitDescription, MotorDescription, Pair, RangeDescription, Triple,
};

impl JointDescription {
    /// A joint at a point of the world, with its axis along z.
    pub fn new(name: impl Into<String>, kind: JointType, bodies: [&str; 2], anchor: impl Into<[f64; 3]>) -> Self {
        Self {
            name: Some(name.into()),
            bodies: bodies.map(str::to_owned),
            kind,
            frame: Frame::World,
            anchor: Some(Triple(anchor.into())),
            anchors: None,
            axis: None,
            axes: None,
            second: None,
            seconds: None,
            erp: None,
            cfm: None,
            collide: false,
            breaking: BreakingDescription::default(),
            limits: Vec::new(),
            motors: Vec::new(),
        }
    }

    /// A joint between two points of the world, one on each body.
    pub fn between(
        name: impl Into<String>,
        kind: JointType,
        bodies: [&str; 2],
        anchors: [impl Into<[f64; 3]>; 2],
    ) -> Self {
        Self {
            anchor: None,
            anchors: Some(Pair(anchors.map(|anchor| Triple(anchor.into())))),
            ..Self::new(name, kind, bodies, [0.0; 3])
        }
    }

    /// A joint at a point of each body, given in its own frame.
    pub fn in_bodies(
        name: impl Into<String>,
        kind: JointType,
        bodies: [&str; 2],
        anchors: [impl Into<[f64; 3]>; 2],
    ) -> Self {
        Self {
            frame: Frame::Bodies,
            ..Self::between(name, kind, bodies, anchors)
        }
    }

    /// The same with an axis for both bodies.
    #[must_use]
    pub fn axis(self, axis: impl Into<[f64; 3]>) -> Self {
        Self {
            axis: Some(Triple(axis.into())),
            axes: None,
            ..self
        }
    }

    /// The same with an axis for each body.
    #[must_use]
    pub fn axes(self, axes: [impl Into<[f64; 3]>; 2]) -> Self {
        Self {
            axis: None,
            axes: Some(Pair(axes.map(|axis| Triple(axis.into())))),
            ..self
        }
    }

    /// The same with a second direction for both bodies.
    #[must_use]
    pub fn second(self, direction: impl Into<[f64; 3]>) -> Self {
        Self {
            second: Some(Triple(direction.into())),
            seconds: None,
            ..self
        }
    }

    /// The same with a second direction for each body.
    #[must_use]
    pub fn seconds(self, directions: [impl Into<[f64; 3]>; 2]) -> Self {
        Self {
            second: None,
            seconds: Some(Pair(directions.map(|direction| Triple(direction.into())))),
            ..self
        }
    }

    /// The same with one more range for a coordinate.
    #[must_use]
    pub fn range(self, coordinate: &str, lower: Option<f64>, upper: Option<f64>) -> Self {
        self.limit(LimitDescription {
            range: Some(RangeDescription {
                coordinate: coordinate.into(),
                lower,
                upper,
            }),
            ..LimitDescription::nothing()
        })
    }

    /// The same with an elliptic reach cone, by its half angles.
    #[must_use]
    pub fn elliptic_cone(self, angles: [f64; 2]) -> Self {
        self.limit(LimitDescription {
            elliptic_cone: Some(EllipticConeDescription { angles }),
            ..LimitDescription::nothing()
        })
    }

    /// The same with one more limit.
    #[must_use]
    pub fn limit(mut self, limit: LimitDescription) -> Self {
        self.limits.push(limit);
        self
    }

    /// The same with one more motor.
    #[must_use]
    pub fn motor(mut self, coordinate: &str, drive: DriveDescription) -> Self {
        self.motors.push(MotorDescription {
            coordinate: coordinate.into(),
            drive,
        });
        self
    }

    /// The same with its own error reduction.
    #[must_use]
    pub fn erp(self, erp: f64) -> Self {
        Self { erp: Some(erp), ..self }
    }

    /// The same with its own constraint force mixing.
    #[must_use]
    pub fn cfm(self, cfm: f64) -> Self {
        Self { cfm: Some(cfm), ..self }
    }

    /// The same with bodies that can touch each other.
    #[must_use]
    pub fn colliding(self) -> Self {
        Self { collide: true, ..self }
    }

    /// The same, breakable.
    #[must_use]
    pub fn breaking(self, breaking: BreakingDescription) -> Self {
        Self { breaking, ..self }
    }
}

impl LimitDescription {
    fn nothing() -> Self {
        Self {
            range: None,
            elliptic_cone: None,
            restitution: 0.0,
            erp: None,
            cfm: None,
        }
    }
}
