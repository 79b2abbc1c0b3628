//! Joint limits (dissertation §4.10): one-sided rows on what a joint leaves free, there only while the limit is near.
//!
//! - A **range** keeps one coordinate between two values: `J u ≥ 0` at the lower, `−J u ≥ 0` at the upper one, with
//!   `b = k_cor (lower − θ)` and `k_cor (θ − upper)` (printed with the opposite sign in (4.188)). An angle is counted from
//!   the middle of its range, so that 170° to 190° is a range of 20° across the seam at 180°. It needs both bounds: with
//!   one only, it would come to it from the wrong side after a turn.
//! - A **reach function** C of all coordinates, positive inside, keeps them where C ≥ 0: `J_C = (dC/dq)(dq/ds) S`,
//!   (4.199)–(4.204). A cone is one row that pushes back along the shortest way; unlike Gravitas' three pinned rows it
//!   does not stick.

use std::fmt;
use std::sync::Arc;

use super::frames::{Coordinate, Frames};
use super::model::JointModel;
use crate::constraint::{ConstraintRow, Law, Placement, Softness, Unit};

/// The most coordinates a joint has.
pub const MAX_COORDINATES: usize = 4;

/// A region that a joint's coordinates stay in.
pub trait Reach: fmt::Debug + Send + Sync {
    /// C at the coordinates q (in the order of [`JointModel::coordinates`]): positive inside, zero on the boundary,
    /// negative outside; and its gradient.
    fn value(&self, q: &[f64], gradient: &mut [f64]) -> f64;

    /// How many coordinates the joint must have for it.
    fn needs(&self) -> usize {
        1
    }

    /// What is wrong with its parameters.
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Where a limit lets the joint go.
#[derive(Debug, Clone)]
pub enum Region {
    /// One coordinate between two values.
    Range {
        /// Index of the coordinate.
        coordinate: usize,
        /// m or rad; −∞ for none, but not for an angle.
        lower: f64,
        /// m or rad; ∞ for none, but not for an angle.
        upper: f64,
    },
    /// Where a function of all coordinates is zero or more.
    Reach(Arc<dyn Reach>),
}

/// A limit of a joint.
#[derive(Debug, Clone)]
pub struct Limit {
    /// Where the joint may go.
    pub region: Region,
    /// Newton's coefficient for reaching the limit at speed.
    pub restitution: f64,
    /// How hard it is.
    pub softness: Softness,
}

impl Limit {
    /// A range of one coordinate, without bounce.
    pub fn range(coordinate: usize, lower: f64, upper: f64) -> Self {
        Self::of(Region::Range {
            coordinate,
            lower,
            upper,
        })
    }

    /// A circular reach cone of a ball joint, by its half angle, rad.
    pub fn cone(angle: f64) -> Self {
        Self::range(0, f64::NEG_INFINITY, angle)
    }

    /// A reach function, without bounce.
    pub fn reach(reach: impl Reach + 'static) -> Self {
        Self::of(Region::Reach(Arc::new(reach)))
    }

    fn of(region: Region) -> Self {
        Self {
            region,
            restitution: 0.0,
            softness: Softness::default(),
        }
    }

    /// The same with a coefficient of restitution.
    #[must_use]
    pub fn bouncing(self, restitution: f64) -> Self {
        Self { restitution, ..self }
    }

    /// How many rows it can have.
    pub(super) fn rows(&self) -> usize {
        match self.region {
            Region::Range { .. } => 2,
            Region::Reach(_) => 1,
        }
    }

    /// Writes those of its rows that are near.
    pub(super) fn write(
        &self,
        model: &dyn JointModel,
        frames: &Frames,
        at: &Placement<'_>,
        slot: usize,
        block: &mut dyn FnMut(usize, Law, &[ConstraintRow]),
    ) {
        let law = Law::AtLeast {
            restitution: self.restitution,
        };
        self.each(model, frames, |side, row| {
            let Some(value) = row.position else { return };
            if at.is_near(value, &row.jacobian) && row.acts() {
                block(slot + side, law, &[row.softened(self.softness)]);
            }
        });
    }

    /// How far the joint is beyond the limit, m or rad (for a reach function, in its own measure).
    pub fn violation(&self, model: &dyn JointModel, frames: &Frames) -> f64 {
        let mut worst = 0.0_f64;
        self.each(model, frames, |_, row| {
            worst = worst.max(-row.position.unwrap_or(0.0));
        });
        worst
    }

    /// All its rows: lower and upper bound of a range, or the one of a reach function.
    fn each(&self, model: &dyn JointModel, frames: &Frames, mut visit: impl FnMut(usize, ConstraintRow)) {
        match &self.region {
            Region::Range {
                coordinate,
                lower,
                upper,
            } => {
                let coordinate = model.coordinate(*coordinate, frames);
                let value = from_the_middle(&coordinate, *lower, *upper);
                if lower.is_finite() {
                    visit(
                        0,
                        ConstraintRow::of(value - lower, coordinate.jacobian, coordinate.unit),
                    );
                }
                if upper.is_finite() {
                    let jacobian = coordinate.jacobian.map(|j| -j);
                    visit(1, ConstraintRow::of(upper - value, jacobian, coordinate.unit));
                }
            }
            Region::Reach(reach) => {
                let count = model.coordinates().len();
                let mut q = [0.0; MAX_COORDINATES];
                let mut gradient = [0.0; MAX_COORDINATES];
                let mut rates = [[0.0; 12]; MAX_COORDINATES];
                for k in 0..count {
                    let coordinate = model.coordinate(k, frames);
                    (q[k], rates[k]) = (coordinate.value, coordinate.jacobian);
                }
                let value = reach.value(&q[..count], &mut gradient[..count]);
                let jacobian = std::array::from_fn(|i| (0..count).map(|k| gradient[k] * rates[k][i]).sum());
                visit(0, ConstraintRow::of(value, jacobian, Unit::Angle));
            }
        }
    }

    pub(super) fn validate(&self, model: &dyn JointModel) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(format!("restitution must be from 0 to 1, not {}", self.restitution));
        }
        super::check_softness(&self.softness)?;
        let count = model.coordinates().len();
        match &self.region {
            Region::Reach(reach) if count < reach.needs() => Err(super::no_coordinate(model, reach.needs() - 1)),
            Region::Reach(reach) => reach.validate(),
            Region::Range { coordinate, .. } if *coordinate >= count => Err(super::no_coordinate(model, *coordinate)),
            Region::Range { lower, upper, .. } => {
                if lower.is_nan() || upper.is_nan() {
                    return Err("limits must be numbers".into());
                }
                if lower > upper {
                    return Err(format!(
                        "the lower limit ({lower}) must not be above the upper one ({upper})"
                    ));
                }
                Ok(())
            }
        }
    }

    /// Whether an angle's range is a whole turn or more, or open, so that it can't be told which side a value is on.
    pub(super) fn is_too_wide(&self, model: &dyn JointModel, frames: &Frames) -> bool {
        match self.region {
            Region::Range {
                coordinate,
                lower,
                upper,
            } => {
                let inside = upper - lower < std::f64::consts::TAU;
                model.coordinate(coordinate, frames).periodic && !inside
            }
            Region::Reach(_) => false,
        }
    }
}

/// The value of a coordinate; an angle, by the way round that is nearest to the middle of the range.
fn from_the_middle(coordinate: &Coordinate, lower: f64, upper: f64) -> f64 {
    if coordinate.periodic {
        let middle = 0.5 * (lower + upper);
        middle + coordinate.difference(middle)
    } else {
        coordinate.value
    }
}

/// An elliptic cone for a ball joint's swing: `C = 1 − √((q_x/a)² + (q_y/b)²)` on its components (coordinates 2 and 3),
/// scaled by the smaller half angle so that it is near to an angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EllipticCone {
    /// Half angles along x and y of A's frame, rad.
    pub angles: [f64; 2],
}

impl Reach for EllipticCone {
    fn needs(&self) -> usize {
        4
    }

    fn validate(&self) -> Result<(), String> {
        match self.angles.iter().find(|angle| !(angle.is_finite() && **angle > 0.0)) {
            Some(angle) => Err(format!("a half angle must be positive and finite, not {angle}")),
            None => Ok(()),
        }
    }

    fn value(&self, q: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let scale = self.angles[0].min(self.angles[1]);
        let (x, y) = (q[2] / self.angles[0], q[3] / self.angles[1]);
        let radius = x.hypot(y);
        if radius > 0.0 {
            gradient[2] = -scale * x / (radius * self.angles[0]);
            gradient[3] = -scale * y / (radius * self.angles[1]);
        }
        scale * (1.0 - radius)
    }
}
