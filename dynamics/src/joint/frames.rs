//! Where a joint sits: a frame fixed in each of its two bodies (dissertation §4.8.2, with the axes completed to frames
//! as in Featherstone's pairs).
//!
//! The frames coincide where the joint is satisfied and not moved: their origins are the anchors, z is the joint's axis.
//! With ρ the anchors' arms and c = p_B − p_A their distance, three exact rates are all that joints need:
//!
//! ```text
//! (e_A · c)'   = e_A · (v_B + ω_B × ρ_B − v_A − ω_A × (ρ_A + c))     for a direction e_A fixed in A
//! (e_A · g_B)' = (ω_B − ω_A) · (g_B × e_A)                           for directions fixed in A and in B
//! q'           = ½ [0, ω] q,  ω = R_Aᵀ (ω_B − ω_A)                   for the frame of B in that of A
//! ```
//!
//! The first lets its force act at the anchor of B on both bodies. So it is the exact derivative, and conserves angular
//! momentum, even where the joint is not satisfied; the dissertation's rows (4.117), with an arm of its own for each
//! body, do so only where c = 0, and its slider (4.132) only to first order.

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

use crate::constraint::{ConstraintRow, Unit, point_jacobian, turn_jacobian};
use crate::contact::contact_frame;
use crate::integrate::Velocity;

/// Whether a joint's anchors and axes are given in the world, or each in its own body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reference {
    /// World coordinates, as the bodies are when the joint is added.
    #[default]
    World,
    /// The coordinates of body A for its own, of body B for its own.
    Bodies,
}

/// Where a joint is to sit, as a user says it.
///
/// ```
/// use drystone_dynamics::Attachment;
/// use nalgebra::{Point3, Vector3};
/// // One point and one axis of the world, for both bodies:
/// let hinge = Attachment::at(Point3::new(0.0, 0.0, 1.0)).axis(Vector3::y());
/// // A point of each body, in its own frame; wherever the bodies are now, the joint draws them together:
/// let socket = Attachment::in_bodies(Point3::new(0.5, 0.0, 0.0), Point3::new(-0.5, 0.0, 0.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attachment {
    /// What the following are given in.
    pub reference: Reference,
    /// The anchors on A and on B.
    pub anchors: [Point3<f64>; 2],
    /// The joint's axis on A and on B, of any length but zero.
    pub axes: [Vector3<f64>; 2],
    /// A second direction on A and on B: the second axis of universal and wheel joints, where angles are measured from
    /// for others. Without it, the bodies are taken to be turned rightly as they are.
    pub seconds: Option<[Vector3<f64>; 2]>,
}

impl Attachment {
    /// At a point of the world, with its axis along z.
    pub fn at(anchor: Point3<f64>) -> Self {
        Self {
            reference: Reference::World,
            anchors: [anchor; 2],
            axes: [Vector3::z(); 2],
            seconds: None,
        }
    }

    /// At a point of each body, given in its own frame, with the axes along z of each body.
    pub fn in_bodies(a: Point3<f64>, b: Point3<f64>) -> Self {
        Self {
            reference: Reference::Bodies,
            anchors: [a, b],
            ..Self::at(a)
        }
    }

    /// Between two points of the world, one on each body.
    pub fn between(a: Point3<f64>, b: Point3<f64>) -> Self {
        Self {
            anchors: [a, b],
            ..Self::at(a)
        }
    }

    /// The same with an axis for both bodies.
    #[must_use]
    pub fn axis(self, axis: Vector3<f64>) -> Self {
        Self {
            axes: [axis; 2],
            ..self
        }
    }

    /// The same with an axis for each body.
    #[must_use]
    pub fn axes(self, a: Vector3<f64>, b: Vector3<f64>) -> Self {
        Self { axes: [a, b], ..self }
    }

    /// The same with a second direction for both bodies.
    #[must_use]
    pub fn second(self, direction: Vector3<f64>) -> Self {
        Self {
            seconds: Some([direction; 2]),
            ..self
        }
    }

    /// The same with a second direction for each body.
    #[must_use]
    pub fn seconds(self, a: Vector3<f64>, b: Vector3<f64>) -> Self {
        Self {
            seconds: Some([a, b]),
            ..self
        }
    }

    /// The frames in the bodies, for bodies at these poses. `exact_second`: in B it is the second direction that is kept
    /// exactly, and the axis is turned to be perpendicular to it, instead of the other way round.
    pub(crate) fn resolve(&self, poses: [&Isometry3<f64>; 2], exact_second: bool) -> Result<JointFrames, String> {
        let mut anchors = self.anchors;
        let mut axes = self.axes;
        let mut seconds = self.seconds;
        if self.reference == Reference::World {
            for side in 0..2 {
                anchors[side] = poses[side].inverse_transform_point(&anchors[side]);
                axes[side] = poses[side].inverse_transform_vector(&axes[side]);
                if let Some(seconds) = &mut seconds {
                    seconds[side] = poses[side].inverse_transform_vector(&seconds[side]);
                }
            }
        }
        let names = ["A", "B"];
        for side in 0..2 {
            if !anchors[side].coords.iter().all(|x| x.is_finite()) {
                return Err(format!("the anchor on body {} is not finite", names[side]));
            }
            axes[side] = unit(&axes[side]).ok_or("the axis must be finite and not zero")?;
        }
        let angle;
        let seconds = match seconds {
            Some([a, b]) => {
                let bad = "the second direction must be finite and not zero";
                let seconds = [unit(&a).ok_or(bad)?, unit(&b).ok_or(bad)?];
                angle = seconds[0].cross(&axes[0]).norm().atan2(seconds[0].dot(&axes[0]));
                if angle.sin() < 1e-6 || seconds[1].cross(&axes[1]).norm() < 1e-6 {
                    return Err("the second direction must not lie along the axis".into());
                }
                seconds
            }
            None => {
                angle = std::f64::consts::FRAC_PI_2;
                // Any direction across the axis in A, and the same one, as the bodies are now, in B.
                let [_, x, _] = contact_frame(&axes[0]);
                let world = poses[0].transform_vector(&x);
                let mut same = poses[1].inverse_transform_vector(&world);
                if same.cross(&axes[1]).norm() < 1e-6 {
                    same = contact_frame(&axes[1])[1];
                }
                [x, same]
            }
        };
        let frame = |side: usize, exact_second: bool| {
            let (z, x) = if exact_second {
                let x = seconds[side];
                ((axes[side] - x * x.dot(&axes[side])).normalize(), x)
            } else {
                let z = axes[side];
                (z, (seconds[side] - z * z.dot(&seconds[side])).normalize())
            };
            let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, z.cross(&x), z]));
            let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
            Isometry3::from_parts(Translation3::from(anchors[side].coords), rotation)
        };
        Ok(JointFrames {
            a: frame(0, false),
            b: frame(1, exact_second),
            angle,
            rest: 0.0,
        })
    }
}

fn unit(vector: &Vector3<f64>) -> Option<Vector3<f64>> {
    let length = vector.norm();
    (length.is_finite() && length > 0.0)
        .then(|| vector / length)
        .filter(|unit| unit.iter().all(|x| x.is_finite()))
}

/// A joint's frames in its two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFrames {
    /// Joint frame to body A.
    pub a: Isometry3<f64>,
    /// Joint frame to body B.
    pub b: Isometry3<f64>,
    /// The angle between the axis and the second direction, rad; π/2 where none was given.
    pub angle: f64,
    /// What [`JointModel::rest`](super::JointModel::rest) found when the joint was added.
    pub rest: f64,
}

impl JointFrames {
    /// Both frames in the world, for bodies at these poses.
    pub fn at(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> Frames {
        let (a, b) = (pose_a * self.a, pose_b * self.b);
        let Anchors { arm_a, arm_b, gap } = self.anchors(pose_a, pose_b);
        let mut relative = a.rotation.inverse() * b.rotation;
        if relative.w < 0.0 {
            // The shorter way round.
            relative = UnitQuaternion::new_unchecked(-relative.into_inner());
        }
        Frames {
            arm_a,
            arm_b,
            gap,
            a: a.rotation.to_rotation_matrix().into_inner(),
            b: b.rotation.to_rotation_matrix().into_inner(),
            relative,
            angle: self.angle,
            rest: self.rest,
        }
    }
}

impl JointFrames {
    /// The anchors alone.
    #[inline]
    pub(super) fn anchors(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> Anchors {
        let arm_a = pose_a.rotation * self.a.translation.vector;
        let arm_b = pose_b.rotation * self.b.translation.vector;
        Anchors {
            arm_a,
            arm_b,
            gap: (arm_b + pose_b.translation.vector) - (arm_a + pose_a.translation.vector),
        }
    }

    /// The rows of a point joint between bodies at these poses.
    #[inline]
    pub(crate) fn point_rows(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> PointRows {
        let Anchors { arm_a, arm_b, gap } = self.anchors(pose_a, pose_b);
        let axes = self.axes_of_a(pose_a);
        PointRows {
            errors: axes.tr_mul(&gap),
            axes,
            reach: arm_a + gap,
            arm_b,
        }
    }

    /// The axes of the frame in A, as columns.
    #[inline]
    pub(super) fn axes_of_a(&self, pose_a: &Isometry3<f64>) -> Matrix3<f64> {
        (pose_a.rotation * self.a.rotation).to_rotation_matrix().into_inner()
    }
}

/// The three rows of a point joint: what [`Anchors::shifts`] gives, without all that other rows may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PointRows {
    /// Φ of every row.
    pub(crate) errors: Vector3<f64>,
    /// Their directions, as columns.
    axes: Matrix3<f64>,
    /// From the centre of A, and from that of B, to where their force acts.
    reach: Vector3<f64>,
    arm_b: Vector3<f64>,
}

impl PointRows {
    /// The Jacobian of a row, as in [`ConstraintRow`].
    #[inline(always)]
    pub(crate) fn jacobian(&self, k: usize) -> [f64; 12] {
        point_jacobian(&self.axes.column(k).into_owned(), &self.reach, &self.arm_b)
    }

    /// `J u` of all rows.
    #[inline]
    pub(crate) fn rates(&self, a: &Velocity, b: &Velocity) -> Vector3<f64> {
        self.axes.tr_mul(&(b.at(&self.arm_b) - a.at(&self.reach)))
    }
}

/// Where a joint's anchors are in the world: all that rows of point joints are made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Anchors {
    /// As those of [`Frames`].
    pub(super) arm_a: Vector3<f64>,
    pub(super) arm_b: Vector3<f64>,
    pub(super) gap: Vector3<f64>,
}

impl Anchors {
    /// The distance of B's anchor from A's along a direction fixed in A.
    #[inline]
    fn shift(&self, e: &Vector3<f64>) -> ConstraintRow {
        let jacobian = point_jacobian(e, &(self.arm_a + self.gap), &self.arm_b);
        ConstraintRow::of(e.dot(&self.gap), jacobian, Unit::Length)
    }

    /// The same along three.
    #[inline]
    pub(super) fn shifts(&self, axes: &Matrix3<f64>) -> [ConstraintRow; 3] {
        let shift = |k: usize| self.shift(&axes.column(k).into_owned());
        // Spelled out: made by a function they would be copied from place to place.
        [shift(0), shift(1), shift(2)]
    }
}

/// A joint's frames in the world: everything its equations are made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frames {
    /// ρ_A: from the centre of A to its anchor.
    pub arm_a: Vector3<f64>,
    /// ρ_B: from the centre of B to its anchor.
    pub arm_b: Vector3<f64>,
    /// c: from the anchor on A to the anchor on B.
    pub gap: Vector3<f64>,
    /// The axes of the frame in A, as columns.
    pub a: Matrix3<f64>,
    /// The axes of the frame in B.
    pub b: Matrix3<f64>,
    /// The orientation of the frame in B against that in A, with a scalar part of zero or more.
    pub relative: UnitQuaternion<f64>,
    /// The angle between the axis and the second direction at rest, rad.
    pub angle: f64,
    /// What the model found at rest.
    pub rest: f64,
}

impl Frames {
    /// The k-th axis of the frame in A.
    #[inline]
    pub fn axis_a(&self, k: usize) -> Vector3<f64> {
        self.a.column(k).into_owned()
    }

    /// The k-th axis of the frame in B.
    #[inline]
    pub fn axis_b(&self, k: usize) -> Vector3<f64> {
        self.b.column(k).into_owned()
    }

    /// The distance of B's anchor from A's along the k-th axis of A.
    #[inline]
    pub fn shift(&self, k: usize) -> ConstraintRow {
        self.anchors().shift(&self.axis_a(k))
    }

    /// All three of them: a ball joint's.
    #[inline]
    pub fn shifts(&self) -> [ConstraintRow; 3] {
        self.anchors().shifts(&self.a)
    }

    #[inline]
    fn anchors(&self) -> Anchors {
        Anchors {
            arm_a: self.arm_a,
            arm_b: self.arm_b,
            gap: self.gap,
        }
    }

    /// The cosine of the angle between the i-th axis of A and the k-th axis of B.
    #[inline]
    pub fn cosine(&self, i: usize, k: usize) -> ConstraintRow {
        let (e, g) = (self.axis_a(i), self.axis_b(k));
        ConstraintRow::of(e.dot(&g), turn_jacobian(&g.cross(&e)), Unit::Angle)
    }

    /// The same as an error, for axes that should stay apart. Where they meet it has no rate; a turn about another axis of
    /// A is taken for it then, so that they can leave each other.
    #[inline]
    pub fn crossing(&self, i: usize, k: usize) -> ConstraintRow {
        let row = self.cosine(i, k);
        if row.jacobian[9..].iter().all(|j| j.abs() < 1e-12) {
            let jacobian = turn_jacobian(&self.axis_a(usize::from(i == 0)));
            return ConstraintRow { jacobian, ..row };
        }
        row
    }

    /// The rotation of B's frame against A's as `2 vec q`, about the axes of A: twice the sine of half the angle.
    #[inline]
    pub fn turns(&self) -> [ConstraintRow; 3] {
        let (s, v) = (self.relative.w, self.relative.imag());
        // (2 vec q)' = (s − [v]×) R_Aᵀ (ω_B − ω_A); its k-th row as a direction of the world.
        let rows = (Matrix3::identity() * s - v.cross_matrix()) * self.a.transpose();
        std::array::from_fn(|k| ConstraintRow::of(2.0 * v[k], turn_jacobian(&rows.row(k).transpose()), Unit::Angle))
    }

    /// How far B's frame is turned about the z axis of A, −π to π, by swing and twist: exact where B's z axis is A's, and
    /// the twist of the shortest rotation where it is not.
    pub fn twist(&self) -> Coordinate {
        let (s, v) = (self.relative.w, self.relative.imag());
        let square = s * s + v.z * v.z;
        if square < 1e-24 {
            // Turned right over: which way the twist goes cannot be said.
            return Coordinate::angle(0.0, turn_jacobian(&self.axis_a(2)));
        }
        let local = Vector3::new((s * v.y + v.z * v.x) / square, (v.z * v.y - s * v.x) / square, 1.0);
        let angle = 2.0 * v.z.atan2(s);
        Coordinate::angle(wrapped(angle), turn_jacobian(&(self.a * local)))
    }

    /// The angle of the vector (x·g, y·g) for an axis g of B and the axes x and y of A, or with A and B exchanged.
    pub fn heading(&self, cosine: ConstraintRow, sine: ConstraintRow) -> Coordinate {
        let (p, q) = (cosine.position.unwrap_or(1.0), sine.position.unwrap_or(0.0));
        let square = p * p + q * q;
        let jacobian = if square < 1e-24 {
            [0.0; 12]
        } else {
            std::array::from_fn(|k| (p * sine.jacobian[k] - q * cosine.jacobian[k]) / square)
        };
        Coordinate::angle(q.atan2(p), jacobian)
    }

    /// The distance between the anchors. Where they coincide, A's z axis is taken for the direction.
    pub fn distance(&self) -> Coordinate {
        let length = self.gap.norm();
        let direction = if length > 0.0 {
            self.gap / length
        } else {
            self.axis_a(2)
        };
        Coordinate {
            value: length,
            jacobian: point_jacobian(&direction, &self.arm_a, &self.arm_b),
            unit: Unit::Length,
            periodic: false,
        }
    }
}

/// One of the ways in which a joint can still move: its value, and its rate `J u`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coordinate {
    /// m or rad.
    pub value: f64,
    /// `[J_lin a, J_ang a, J_lin b, J_ang b]`.
    pub jacobian: [f64; 12],
    /// Length or angle.
    pub unit: Unit,
    /// Whether a whole turn changes nothing.
    pub periodic: bool,
}

impl Coordinate {
    /// An angle that is the same after a whole turn.
    pub fn angle(value: f64, jacobian: [f64; 12]) -> Self {
        Self {
            value,
            jacobian,
            unit: Unit::Angle,
            periodic: true,
        }
    }

    /// The value of a row as a coordinate that does not wrap around.
    pub fn of(row: ConstraintRow) -> Self {
        Self {
            value: row.position.unwrap_or(0.0),
            jacobian: row.jacobian,
            unit: row.unit,
            periodic: false,
        }
    }

    /// The value less another, by the shorter way round if it wraps.
    pub fn difference(&self, other: f64) -> f64 {
        if self.periodic {
            wrapped(self.value - other)
        } else {
            self.value - other
        }
    }

    /// The same by the way that stays within half a turn of a middle: where a range closes the shorter way round.
    pub fn difference_about(&self, middle: Option<f64>, other: f64) -> f64 {
        match middle {
            Some(middle) if self.periodic => self.difference(middle) - wrapped(other - middle),
            _ => self.difference(other),
        }
    }
}

/// The same angle, above −π and up to π.
pub(crate) fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    let turned = angle - TAU * (angle / TAU).round();
    if turned <= -PI { turned + TAU } else { turned }
}
