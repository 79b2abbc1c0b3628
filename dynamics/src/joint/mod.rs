//! Joints: what connects two bodies (dissertation §4.7–4.11), with their limits and motors.
//!
//! A [`Joint`] is a [`JointModel`] (which motions it forbids: one file a kind) placed by an [`Attachment`], with any number
//! of [`Limit`]s and [`Motor`]s on the motions it leaves. It writes rows like every other [`Constraint`].
//!
//! | model | rows | coordinates for limits and motors |
//! |---|---|---|
//! | [`Ball`] | 3 | swing, twist, swing-x, swing-y |
//! | [`Hinge`] | 5 | angle |
//! | [`Slider`] | 5 | displacement |
//! | [`Cylindrical`] | 4 | displacement, angle |
//! | [`Planar`] | 3 | x, y, angle |
//! | [`Universal`] | 4 | angle-1, angle-2 |
//! | [`Wheel`] (hinge-2) | 4 | steering, spin, suspension |
//! | [`Fixed`] | 6 | |
//! | [`Distance`] | 1 | length |
//! | [`Spring`] | 1 | length |
//! | [`Gear`] | 1 | |
//! | [`Points`] | 3, 6 or 9 | angle, for a hinge |
//! | [`PointMotor`] | 18 | angle |

mod ball;
mod breaking;
mod cylindrical;
mod distance;
mod fixed;
mod frames;
mod gear;
mod hinge;
mod kinds;
mod limit;
mod model;
mod motor;
mod planar;
mod points;
mod slider;
mod spring;
mod universal;
mod wheel;

use std::sync::Arc;

use nalgebra::Isometry3;

use crate::constraint::{Constraint, ConstraintRow, Law, MAX_BLOCK, Placement, Softness, Unit};

pub use ball::Ball;
pub use breaking::{BreakCause, Breaking};
pub use cylindrical::Cylindrical;
pub use distance::Distance;
pub use fixed::Fixed;
pub use frames::{Attachment, Coordinate, Frames, JointFrames, Reference};
pub use gear::Gear;
pub use hinge::Hinge;
pub use kinds::{JointKind, joint_kinds};
pub use limit::{EllipticCone, Limit, MAX_COORDINATES, Reach, Region};
pub use model::{JointError, JointModel};
pub use motor::{Drive, Motor, Swing};
pub use planar::Planar;
pub use points::{PointJoint, PointMotor, Points};
pub use slider::Slider;
pub use spring::Spring;
pub use universal::Universal;
pub use wheel::{Suspension, Wheel};

/// A joint between two bodies.
///
/// ```
/// use drystone_collision::{Cuboid, Shape};
/// use drystone_dynamics::{Attachment, Body, Hinge, Joint, Limit, World};
/// use nalgebra::{Point3, Vector3};
///
/// let plank = Shape::Cuboid(Cuboid { half_extents: Vector3::new(1.0, 0.1, 0.05) });
/// let mut world = World::new();
/// let wall = world.add(Body::fixed("wall", plank.clone()))?;
/// let door = world.add(Body::dynamic("door", plank, 500.0)?.at(Vector3::new(2.0, 0.0, 0.0)))?;
/// let hinge = Joint::new("hinge", Hinge, [wall, door], Attachment::at(Point3::new(1.0, 0.0, 0.0)).axis(Vector3::z()))
///     .with_limit(Limit::range(0, 0.0, 1.5));
/// world.add_joint(hinge)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Joint {
    /// A name, unique among the joints of its world.
    pub name: String,
    /// Indices of body A and body B.
    pub bodies: [usize; 2],
    /// What it does.
    pub model: Arc<dyn JointModel>,
    /// Where it sits, as it was said. It takes effect when the joint is added.
    pub attachment: Attachment,
    /// Its limits.
    pub limits: Vec<Limit>,
    /// Its motors.
    pub motors: Vec<Motor>,
    /// How hard its rows are.
    pub softness: Softness,
    /// How hard single rows are, by their place among the rows of the model; what is `None` there, and rows beyond its end,
    /// have `softness`.
    pub row_softness: Vec<Softness>,
    /// What it breaks of.
    pub breaking: Breaking,
    /// Whether its two bodies can touch each other.
    pub collide: bool,
    /// Whether it holds. A joint that broke doesn't; it can be switched on again.
    pub enabled: bool,
    /// Where it sits in the bodies.
    pub(crate) frames: JointFrames,
}

impl Joint {
    /// A joint without limits and motors, unbreakable, whose bodies don't collide.
    pub fn new(
        name: impl Into<String>,
        model: impl JointModel + 'static,
        bodies: [usize; 2],
        attachment: Attachment,
    ) -> Self {
        Self::with_model(name, Arc::new(model), bodies, attachment)
    }

    /// The same for a model that is not known when the program is written.
    pub fn with_model(
        name: impl Into<String>,
        model: Arc<dyn JointModel>,
        bodies: [usize; 2],
        attachment: Attachment,
    ) -> Self {
        Self {
            name: name.into(),
            bodies,
            model,
            attachment,
            limits: Vec::new(),
            motors: Vec::new(),
            softness: Softness::default(),
            row_softness: Vec::new(),
            breaking: Breaking::default(),
            collide: false,
            enabled: true,
            frames: JointFrames {
                a: Isometry3::identity(),
                b: Isometry3::identity(),
                angle: std::f64::consts::FRAC_PI_2,
                rest: 0.0,
            },
        }
    }

    /// The same with one more limit.
    #[must_use]
    pub fn with_limit(mut self, limit: Limit) -> Self {
        self.limits.push(limit);
        self
    }

    /// The same with one more motor.
    #[must_use]
    pub fn with_motor(mut self, motor: Motor) -> Self {
        self.motors.push(motor);
        self
    }

    /// The same with another softness.
    #[must_use]
    pub fn softened(self, softness: Softness) -> Self {
        Self { softness, ..self }
    }

    /// The same, breakable.
    #[must_use]
    pub fn breaking(self, breaking: Breaking) -> Self {
        Self { breaking, ..self }
    }

    /// The same with bodies that can touch each other.
    #[must_use]
    pub fn colliding(self) -> Self {
        Self { collide: true, ..self }
    }

    /// Where it sits in the bodies; known once it was added to a world.
    pub fn frames(&self) -> &JointFrames {
        &self.frames
    }

    /// The index of a coordinate by name.
    pub fn coordinate(&self, name: &str) -> Option<usize> {
        self.model.coordinates().iter().position(|known| *known == name)
    }

    /// Finds its frames for bodies at these poses and checks everything a simulation relies on.
    pub(crate) fn attach(&mut self, poses: [&Isometry3<f64>; 2]) -> Result<(), String> {
        self.model.validate()?;
        if self.model.coordinates().len() > MAX_COORDINATES {
            return Err(format!("a joint has at most {MAX_COORDINATES} coordinates"));
        }
        check_softness(&self.softness)?;
        self.row_softness.iter().try_for_each(check_softness)?;
        self.breaking.validate()?;
        if self.model.exact_second() && self.attachment.seconds.is_none() {
            return Err(format!(
                "a {} joint needs a second direction, its other axis",
                self.model.name()
            ));
        }
        self.frames = self.attachment.resolve(poses, self.model.exact_second())?;
        self.frames.rest = self.model.rest(&self.frames.at(poses[0], poses[1]));
        let frames = self.frames.at(poses[0], poses[1]);
        self.model.check_place(&frames)?;
        for limit in &self.limits {
            limit.validate(self.model.as_ref())?;
            if limit.is_too_wide(self.model.as_ref(), &frames) {
                return Err("a range of angles needs both bounds and must be less than a whole turn".into());
            }
        }
        self.motors
            .iter()
            .try_for_each(|motor| motor.validate(self.model.as_ref()))
    }

    /// The middle of the range that a motor's coordinate has.
    fn middle(&self, motor: &Motor) -> Option<f64> {
        self.limits.iter().find_map(|limit| match limit.region {
            Region::Range {
                coordinate,
                lower,
                upper,
            } if coordinate == motor.coordinate => Some(0.5 * (lower + upper)).filter(|middle| middle.is_finite()),
            _ => None,
        })
    }

    /// Whether it moves its bodies by itself at a time, or will later: a motor that has a speed to keep or a target that
    /// swings, or a servo that is not yet where it should be.
    pub fn is_driving(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>, time: f64) -> bool {
        let frames = self.frames.at(pose_a, pose_b);
        let wants = |motor: &Motor| {
            let coordinate = self.model.coordinate(motor.coordinate, &frames);
            motor.wanted_speed(&coordinate, time, self.middle(motor)).abs() > DONE
        };
        self.model.is_driving() || self.motors.iter().any(|motor| motor.is_driving() || wants(motor))
    }

    /// Whether it has the rows of its model, as hard as the stepper says, and no others.
    fn is_bare(&self) -> bool {
        self.is_plain() && self.limits.is_empty() && self.motors.is_empty()
    }

    /// Whether the rows of its model are as hard as the stepper says.
    fn is_plain(&self) -> bool {
        self.softness == Softness::default() && self.row_softness.is_empty()
    }

    /// Where it sits in its bodies, if all it does is to hold two points together.
    #[inline]
    pub(crate) fn as_point(&self) -> Option<&JointFrames> {
        (self.is_bare() && self.model.is_point()).then_some(&self.frames)
    }

    /// How far it is from being satisfied.
    pub fn error(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> JointError {
        self.model.error_at(&self.frames, [pose_a, pose_b])
    }

    /// How far it is beyond its limits, m or rad.
    pub fn limit_violation(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> f64 {
        if self.limits.is_empty() {
            return 0.0;
        }
        let frames = self.frames.at(pose_a, pose_b);
        let violations = self
            .limits
            .iter()
            .map(|limit| limit.violation(self.model.as_ref(), &frames));
        violations.fold(0.0, f64::max)
    }

    /// The value of a coordinate.
    pub fn value(&self, coordinate: usize, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> f64 {
        self.model.coordinate(coordinate, &self.frames.at(pose_a, pose_b)).value
    }

    /// Energy stored in its springs, J.
    pub fn energy(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> f64 {
        let frames = self.frames.at(pose_a, pose_b);
        let springs = self
            .motors
            .iter()
            .map(|motor| motor.energy(self.model.as_ref(), &frames, self.middle(motor)));
        self.model.energy(&frames) + springs.sum::<f64>()
    }
}

impl Constraint for Joint {
    fn rows(&self) -> usize {
        self.model.rows() + self.limits.iter().map(Limit::rows).sum::<usize>() + self.motors.len()
    }

    fn write(&self, at: &Placement<'_>, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let model = self.model.as_ref();
        if self.is_bare() {
            return model.write_at(&self.frames, [&at.a.pose, &at.b.pose], block);
        }
        let frames = self.frames.at(&at.a.pose, &at.b.pose);
        if self.is_plain() {
            model.write(&frames, block);
        } else {
            model.write(&frames, &mut |slot, law, rows| {
                let mut softened = [UNUSED; MAX_BLOCK];
                for (k, (to, row)) in softened.iter_mut().zip(rows).enumerate() {
                    let own = self.row_softness.get(slot + k).copied().unwrap_or_default();
                    *to = row.softened(Softness {
                        erp: row.softness.erp.or(own.erp).or(self.softness.erp),
                        cfm: row.softness.cfm.or(own.cfm).or(self.softness.cfm),
                    });
                }
                block(slot, law, &softened[..rows.len()]);
            });
        }
        let mut slot = model.rows();
        for limit in &self.limits {
            limit.write(model, &frames, at, slot, block);
            slot += limit.rows();
        }
        for motor in &self.motors {
            motor.write(model, &frames, at.time, self.middle(motor), slot, block);
            slot += 1;
        }
    }
}

/// A servo that wants to go no faster than this has arrived, m/s or rad/s.
const DONE: f64 = 1e-3;

const UNUSED: ConstraintRow = ConstraintRow {
    jacobian: [0.0; 12],
    position: None,
    velocity: 0.0,
    unit: Unit::Length,
    softness: Softness { erp: None, cfm: None },
};

fn no_coordinate(model: &dyn JointModel, index: usize) -> String {
    match model.coordinates() {
        [] => format!("a {} joint has no coordinate for a limit or motor", model.name()),
        known => format!(
            "a {} joint has no coordinate {index}; it has {}",
            model.name(),
            known.join(", ")
        ),
    }
}

fn check_softness(softness: &Softness) -> Result<(), String> {
    match *softness {
        Softness { erp: Some(erp), .. } if !(0.0..=1.0).contains(&erp) => {
            Err(format!("erp must be from 0 to 1, not {erp}"))
        }
        Softness { cfm: Some(cfm), .. } if !(cfm.is_finite() && cfm >= 0.0) => {
            Err(format!("cfm must be 0 or more and finite, not {cfm}"))
        }
        _ => Ok(()),
    }
}
