//! The one interface of everything that holds bodies together or apart: contacts, joints, limits and motors
//! (dissertation §4.13, figures 4.26–4.28).
//!
//! A constraint sees two bodies where they are and writes blocks of rows. A row is a position-level value Φ (a gap, an
//! angle, a distance between anchors), its rate `Φ' = J u`, and a law says what is asked of it:
//!
//! | law | asked of u⁺ | impulse | who |
//! |---|---|---|---|
//! | [`Law::Equality`] | `J u⁺ = v − erp Φ/h` | any | joints |
//! | [`Law::AtLeast`] | `J u⁺ ≥ −Φ/h` or `erp (−Φ)/h`, `−e J u` | ≥ 0 | limits, ropes |
//! | [`Law::Contact`] | the same for the first row, Coulomb's law for the others | cone | contacts |
//! | [`Law::Bounded`] | `J u⁺ = v` | within ±h·force | motors, joint friction |
//! | [`Law::Spring`] | `λ = −h (k Φ⁺ + c J u⁺)` | any | springs, suspensions |
//!
//! A constraint knows neither the time step nor the solver: [`RowSettings`] makes rows of the velocity problem from
//! these, and the projection makes rows of the position problem from the same ones. So a new kind of joint is one file.

use drystone_solver::{Cone, Touch};
use nalgebra::{Isometry3, Vector3};

use crate::integrate::Velocity;

/// A body as constraints see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Body to world.
    pub pose: Isometry3<f64>,
    /// Velocity at the beginning of the step.
    pub before: Velocity,
    /// Velocity at its end if there were no constraints; that of the script for scripted bodies.
    pub free: Velocity,
}

/// The two bodies of a constraint, and how far ahead it should look.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    /// Body A.
    pub a: &'a Side,
    /// Body B.
    pub b: &'a Side,
    /// Time at the beginning of the step, s, for what follows a clock.
    pub time: f64,
    /// One-sided constraints that could be reached within this time, s, are active before they are.
    pub horizon: f64,
    /// So are those that are nearer than this, m or rad.
    pub envelope: f64,
}

impl Placement<'_> {
    /// Whether a value that should stay zero or more is near enough to zero to be watched. Twice its speed, because
    /// other impulses of the same step may speed it up.
    #[inline]
    pub fn is_near(&self, value: f64, jacobian: &[f64; 12]) -> bool {
        if value <= self.envelope {
            return true;
        }
        let before = rate(jacobian, &self.a.before, &self.b.before);
        let free = rate(jacobian, &self.a.free, &self.b.free);
        value <= 2.0 * self.horizon * before.abs().max(free.abs())
    }
}

/// What the position-level value of a row is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Metres; the multiplier is an impulse, N·s.
    Length,
    /// Radians; the multiplier is an angular impulse, N·m·s.
    Angle,
}

/// How hard a row is; what is `None` comes from the stepper.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Softness {
    /// Error reduction parameter: which part of the error one step corrects by velocity, 0 to 1 (4.113).
    pub erp: Option<f64>,
    /// Constraint force mixing K of (4.235), 0 or more, m/(N·s) or rad/(N·m·s).
    pub cfm: Option<f64>,
}

/// One row of a constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintRow {
    /// `[J_lin a, J_ang a, J_lin b, J_ang b]`.
    pub jacobian: [f64; 12],
    /// Φ, whose rate is `J u`: the error of an equality, the gap of an inequality. `None` for rows that only speak of
    /// velocities (friction, motors), which have no error to correct.
    pub position: Option<f64>,
    /// v, the wanted rate.
    pub velocity: f64,
    /// What Φ is measured in.
    pub unit: Unit,
    /// How hard it is.
    pub softness: Softness,
}

impl ConstraintRow {
    /// A row for a value and its rate.
    pub fn of(position: f64, jacobian: [f64; 12], unit: Unit) -> Self {
        Self {
            jacobian,
            position: Some(position),
            velocity: 0.0,
            unit,
            softness: Softness::default(),
        }
    }

    /// A row that wants a rate and has no error.
    pub fn rate(velocity: f64, jacobian: [f64; 12], unit: Unit) -> Self {
        Self {
            jacobian,
            position: None,
            velocity,
            unit,
            softness: Softness::default(),
        }
    }

    /// Whether an impulse does anything. Some coordinates have no direction at one place (the swing of a ball joint that
    /// has not swung); there is nothing to push along then, and a row would only make the problem singular.
    pub fn acts(&self) -> bool {
        self.jacobian.iter().any(|&j| j != 0.0)
    }

    /// The same row with another softness.
    #[must_use]
    pub fn softened(self, softness: Softness) -> Self {
        Self { softness, ..self }
    }
}

/// What is asked of a block of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Every value stays zero.
    Equality,
    /// Every value stays zero or more.
    AtLeast {
        /// Newton's coefficient for reaching the bound at speed.
        restitution: f64,
    },
    /// The first value, a gap, stays zero or more; the other two rows feel friction.
    Contact {
        /// Coulomb's μ.
        friction: f64,
        /// Newton's e.
        restitution: f64,
    },
    /// The rows get their wanted velocities as far as forces up to this bound can give them.
    Bounded {
        /// N or N·m, 0 or more; may be infinite.
        force: f64,
    },
    /// A damped spring on every value, implicit in both, so stable for every stiffness and step.
    Spring {
        /// k, N/m or N·m/rad.
        stiffness: f64,
        /// c, N·s/m or N·m·s/rad.
        damping: f64,
    },
}

/// Anything that writes rows.
pub trait Constraint {
    /// How many rows it can have, active or not: each has a place of its own, its *slot*, where its impulse is
    /// remembered from step to step.
    fn rows(&self) -> usize;

    /// Calls `block` for every active block of rows with the slot of the first one. Blocks have at most
    /// [`MAX_BLOCK`] rows.
    fn write(&self, at: &Placement<'_>, block: &mut dyn FnMut(usize, Law, &[ConstraintRow]));
}

/// The most rows a block of a constraint has.
pub const MAX_BLOCK: usize = 6;

/// The Jacobian of the velocity of B against A along a direction, at a point of both that is `arm_a` and `arm_b` away
/// from their centres: an impulse λ there pushes B along the direction and A against it, so it conserves both momenta.
#[inline]
pub fn point_jacobian(direction: &Vector3<f64>, arm_a: &Vector3<f64>, arm_b: &Vector3<f64>) -> [f64; 12] {
    let (a, b) = (arm_a.cross(direction), arm_b.cross(direction));
    let d = direction;
    [
        -d.x, -d.y, -d.z, -a.x, -a.y, -a.z, //
        d.x, d.y, d.z, b.x, b.y, b.z,
    ]
}

/// The Jacobian of the angular velocity of B against A along a direction.
#[inline]
pub fn turn_jacobian(direction: &Vector3<f64>) -> [f64; 12] {
    let d = direction;
    [
        0.0, 0.0, 0.0, -d.x, -d.y, -d.z, //
        0.0, 0.0, 0.0, d.x, d.y, d.z,
    ]
}

/// `J u` for the velocities of two bodies.
#[inline]
pub fn rate(jacobian: &[f64; 12], a: &Velocity, b: &Velocity) -> f64 {
    let dot = |j: &[f64], v: &Vector3<f64>| j[0] * v.x + j[1] * v.y + j[2] * v.z;
    (dot(&jacobian[0..3], &a.linear) + dot(&jacobian[3..6], &a.angular))
        + (dot(&jacobian[6..9], &b.linear) + dot(&jacobian[9..12], &b.angular))
}

/// How constraints become rows of the velocity problem: `b = J u_free − target`, and Σ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowSettings {
    /// The time over which forces act: the time step, or a part of it; may be zero.
    pub(crate) h: f64,
    /// The time over which the new velocities will act, within which gaps may close and errors are corrected: the time
    /// step.
    pub(crate) step: f64,
    /// Error reduction where a row has none of its own.
    pub(crate) erp: f64,
    /// Constraint force mixing K where a row has none of its own; K/h goes on the diagonal, (4.239).
    pub(crate) cfm: f64,
    /// Speeds of approach below this don't bounce.
    pub(crate) restitution_threshold: f64,
    /// Whether bodies have moved since contacts were found.
    pub(crate) moved: bool,
}

impl RowSettings {
    /// The cone of a block.
    #[inline]
    pub(crate) fn cone(&self, law: Law) -> Cone {
        match law {
            // In no time a spring does nothing.
            Law::Spring { .. } if self.h == 0.0 => Cone::Interval { lower: 0.0, upper: 0.0 },
            Law::Equality | Law::Spring { .. } => Cone::Free,
            Law::AtLeast { .. } => Cone::NonNegative,
            Law::Contact { friction, .. } => Cone::Friction { coefficient: friction },
            Law::Bounded { force } if force.is_infinite() => Cone::Free,
            Law::Bounded { force } => Cone::Interval {
                lower: -self.h * force,
                upper: self.h * force,
            },
        }
    }

    /// The entries of b and Σ of the `index`-th row of a block.
    #[inline(always)]
    pub(crate) fn terms(&self, law: Law, index: usize, row: &ConstraintRow, at: &Placement<'_>) -> (f64, f64) {
        let free = rate(&row.jacobian, &at.a.free, &at.b.free);
        let erp = row.softness.erp.unwrap_or(self.erp);
        let cfm = row.softness.cfm.unwrap_or(self.cfm);
        let position = row.position.unwrap_or(0.0);
        let (target, compliance) = match law {
            Law::Equality => (row.velocity - erp * position / self.step, cfm / self.step),
            Law::AtLeast { restitution } => (self.one_sided(restitution, erp, free, row, at), cfm / self.step),
            Law::Contact { restitution, .. } if index == 0 => {
                (self.one_sided(restitution, erp, free, row, at), cfm / self.step)
            }
            // Soft tangents would let a block creep down its slope, soft motors would never reach their speed.
            Law::Contact { .. } | Law::Bounded { .. } => (row.velocity, 0.0),
            Law::Spring { .. } if self.h == 0.0 => (0.0, 0.0),
            Law::Spring { stiffness, damping } => {
                // λ = −h (k (Φ + h w) + c w) for the new rate w = J u⁺.
                let give = 1.0 / (self.h * stiffness + damping);
                (-stiffness * position * give, give / self.h)
            }
        };
        (free - target, compliance)
    }

    /// b of equality rows that want no rate and are as hard as the settings say, given their rates without constraints and their
    /// errors, and the entry of Σ that they share: what [`terms`](Self::terms) gives for [`Law::Equality`].
    #[inline]
    pub(crate) fn equality_terms(&self, free: &Vector3<f64>, errors: &Vector3<f64>) -> ([f64; 3], f64) {
        let bias = free + errors * (self.erp / self.step);
        (bias.into(), self.cfm / self.step)
    }

    /// b of the three rows of a hard contact point: what [`terms`](Self::terms) gives for [`Law::Contact`], without the rows.
    #[inline]
    pub(crate) fn contact_bias(&self, restitution: f64, gap: f64, touch: &Touch, at: &Placement<'_>) -> [f64; 3] {
        let Touch { arm_a, arm_b, .. } = touch;
        let [normal, tangent, other] = touch.directions();
        let free = at.b.free.at(arm_b) - at.a.free.at(arm_a);
        let approach = normal.dot(&free);
        let before = if restitution > 0.0 {
            normal.dot(&(at.b.before.at(arm_b) - at.a.before.at(arm_a)))
        } else {
            0.0
        };
        let target = self.one_sided_target(gap, self.erp, restitution, before, approach);
        [approach - target, tangent.dot(&free), other.dot(&free)]
    }

    /// The smallest rate allowed at the end of the step: a gap may close and no further, (4.23) and (4.45); what is
    /// beyond the bound is corrected, (4.113)–(4.115); an impact bounces.
    #[inline]
    fn one_sided(&self, restitution: f64, erp: f64, free: f64, row: &ConstraintRow, at: &Placement<'_>) -> f64 {
        let gap = row.position.unwrap_or(0.0);
        if restitution > 0.0 {
            let before = rate(&row.jacobian, &at.a.before, &at.b.before);
            self.one_sided_target(gap, erp, restitution, before, free)
        } else {
            self.one_sided_target(gap, erp, 0.0, 0.0, free)
        }
    }

    #[inline]
    fn one_sided_target(&self, gap: f64, erp: f64, restitution: f64, before: f64, free: f64) -> f64 {
        let correction = if gap < 0.0 {
            -erp * gap / self.step
        } else {
            -gap / self.step
        };
        // What has a gap bounces only in the step in which it would close. The bounce is then early by less than one
        // step, but has its full speed; letting the gap close first would leave only the rest of it.
        let closes = free < -gap / self.step || gap <= 0.0;
        if restitution > 0.0 && before < -self.restitution_threshold && closes {
            correction.max(-restitution * before)
        } else {
            correction
        }
    }
}

/// The cone of a block of the position problem in a first-order world, (6.78); `None` for laws that speak of velocities alone.
#[inline]
pub(crate) fn position_cone(law: Law) -> Option<Cone> {
    match law {
        Law::Equality => Some(Cone::Free),
        Law::AtLeast { .. } | Law::Contact { .. } => Some(Cone::NonNegative),
        Law::Bounded { .. } | Law::Spring { .. } => None,
    }
}

/// The entry of b of a row of such a block: bodies are moved until Φ is zero, or at least zero. `None` for rows without an error, and
/// for soft ones: these are meant to give way.
#[inline]
pub(crate) fn position_bias(law: Law, index: usize, row: &ConstraintRow) -> Option<f64> {
    let is_asked = match law {
        Law::Equality | Law::AtLeast { .. } => row.softness.cfm.unwrap_or(0.0) <= 0.0,
        Law::Contact { .. } => index == 0,
        Law::Bounded { .. } | Law::Spring { .. } => false,
    };
    row.position.filter(|_| is_asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: RowSettings = RowSettings {
        h: 0.01,
        step: 0.01,
        erp: 0.5,
        cfm: 0.0,
        restitution_threshold: 0.1,
        moved: false,
    };

    #[test]
    fn one_sided_targets_follow_gap_error_and_impact() {
        let target = |gap, e, before, free| SETTINGS.one_sided_target(gap, 0.5, e, before, free);
        // 1 cm of gap may close in one step, and not bounce when it will not.
        assert!((target(0.01, 1.0, -0.5, -0.5) + 1.0).abs() < 1e-15);
        // It bounces when it will.
        assert_eq!(target(0.01, 0.5, -2.0, -2.1), 1.0);
        // Half of 1 mm in one step.
        assert!((target(-0.001, 0.0, -1.0, -1.0) - 0.05).abs() < 1e-15);
        // The stronger of bounce and correction.
        assert_eq!(target(-0.001, 0.5, -2.0, -2.1), 1.0);
        assert_eq!(target(-0.01, 0.5, -0.2, -0.3), 0.5);
        // What is slow rests.
        assert_eq!(target(0.0, 0.5, -0.05, -0.1), 0.0);
    }

    /// One mass on a spring, `m v⁺ = m v + λ`: implicit Euler in closed form.
    #[test]
    fn a_spring_row_is_implicit_euler() {
        let (m, k, c, x, v) = (2.0, 300.0, 7.0, 0.1, -0.4);
        let side = |linear: f64| Side {
            pose: Isometry3::identity(),
            before: Velocity::default(),
            free: Velocity {
                linear: Vector3::x() * linear,
                ..Velocity::default()
            },
        };
        let (a, b) = (side(0.0), side(v));
        let at = Placement {
            a: &a,
            b: &b,
            time: 0.0,
            horizon: 0.0,
            envelope: 0.0,
        };
        let jacobian = point_jacobian(&Vector3::x(), &Vector3::zeros(), &Vector3::zeros());
        let spring = Law::Spring {
            stiffness: k,
            damping: c,
        };
        let (bias, compliance) = SETTINGS.terms(spring, 0, &ConstraintRow::of(x, jacobian, Unit::Length), &at);
        let impulse = -bias / (1.0 / m + compliance);
        let h = SETTINGS.h;
        let expected = (v - h * k * x / m) / (1.0 + h * c / m + h * h * k / m);
        assert!((v + impulse / m - expected).abs() < 1e-15);
    }
}
