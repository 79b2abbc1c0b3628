//! The sets that impulses live in, one a block, and the projections onto them.
//!
//! A solution has `λ ∈ K`, `w ∈ K*` and `λ·w = 0` block by block, `w = Aλ + b`. For friction the complementary
//! velocity is De Saxcé's `w̃ = w + μ‖w_t‖ e_n`, which makes Coulomb's law (stick, slip against the velocity, or
//! separation) a cone complementarity condition (De Saxcé and Feng, 1998).

/// Where a block's impulses may lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cone {
    /// Any impulse; the rows' velocities are zero in a solution (joints).
    Free,
    /// `λ ≥ 0`, `w ≥ 0`, `λ w = 0` for every row (limits, contacts without friction).
    NonNegative,
    /// `lower ≤ λ ≤ upper` for every row; the velocity is zero inside, ≥ 0 at the lower, ≤ 0 at the upper bound
    /// (motors).
    Interval {
        /// Smallest impulse, N·s; may be −∞.
        lower: f64,
        /// Largest impulse, N·s; may be ∞.
        upper: f64,
    },
    /// Coulomb contact, rows (normal, tangent 1, tangent 2): `‖λ_t‖ ≤ μ λ_n`.
    Friction {
        /// Coulomb's μ, 0 or more.
        coefficient: f64,
    },
}

impl Cone {
    /// The nearest point of the set, in place. `impulse` holds the rows of one block.
    pub fn project(&self, impulse: &mut [f64]) {
        match *self {
            Self::Free => {}
            Self::NonNegative => impulse.iter_mut().for_each(|x| *x = at_least(0.0, *x)),
            Self::Interval { lower, upper } => impulse.iter_mut().for_each(|x| *x = between(lower, upper, *x)),
            Self::Friction { coefficient } => project_friction(coefficient, impulse),
        }
    }

    /// Whether the number of rows and the parameters make sense.
    pub(crate) fn check(&self, rows: usize) -> Result<(), String> {
        match *self {
            Self::Friction { .. } if rows != 3 => Err(format!("a friction block has 3 rows, not {rows}")),
            Self::Friction { coefficient } if !(coefficient.is_finite() && coefficient >= 0.0) => {
                Err(format!("the friction coefficient is {coefficient}"))
            }
            // A single infinite point holds no impulse either.
            Self::Interval { lower, upper }
                if !(lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY) =>
            {
                Err(format!("the interval [{lower}, {upper}] is empty"))
            }
            _ => Ok(()),
        }
    }
}

/// Projection onto the second-order cone `‖t‖ ≤ μ n`: inside, in the polar cone, or onto the boundary, where
/// `n' = (n + μ‖t‖) / (1 + μ²)` and `t' = μ n' t/‖t‖`.
fn project_friction(mu: f64, impulse: &mut [f64]) {
    let &mut [normal, t1, t2] = impulse else {
        return;
    };
    let tangential = t1.hypot(t2);
    // Without friction μ n is zero on either side of the apex, so the sign of n is asked for by itself.
    if normal >= 0.0 && tangential <= mu * normal {
        return;
    }
    if mu * tangential <= -normal {
        impulse.fill(0.0);
        return;
    }
    let on_axis = (normal + mu * tangential) / (1.0 + mu * mu);
    let scale = mu * on_axis / tangential;
    impulse.copy_from_slice(&[on_axis, scale * t1, scale * t2]);
}

/// The larger of a bound and `x`; a NaN in `x` stays one (`f64::max` would hide it, and takes longer).
#[inline(always)]
pub(crate) fn at_least(lower: f64, x: f64) -> f64 {
    if x < lower { lower } else { x }
}

/// The nearest point of an interval; a NaN in `x` stays one.
#[inline(always)]
pub(crate) fn between(lower: f64, upper: f64, x: f64) -> f64 {
    let x = at_least(lower, x);
    if x > upper { upper } else { x }
}

/// The nearest point of a disc about the origin.
#[inline(always)]
pub(crate) fn project_disc(radius: f64, x: f64, y: f64) -> (f64, f64) {
    let square = x * x + y * y;
    if square <= radius * radius {
        return (x, y);
    }
    let scale = radius / square.sqrt();
    (scale * x, scale * y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// Moreau: `p = P(x)` is the projection onto a closed convex cone iff `p ∈ K`, `x − p ∈ −K*`, `p·(x − p) = 0`.
    #[test]
    fn friction_projection_satisfies_moreaus_conditions() {
        let mut rng = Pcg64::seed_from_u64(1);
        for _ in 0..10_000 {
            let mu: f64 = rng.random_range(0.0..2.0);
            let x: [f64; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
            let mut p = x;
            Cone::Friction { coefficient: mu }.project(&mut p);
            let rest: [f64; 3] = std::array::from_fn(|i| x[i] - p[i]);
            let dot: f64 = (0..3).map(|i| p[i] * rest[i]).sum();
            // Rounding: a handful of operations on numbers of size one.
            let tolerance = 1e-14;
            assert!(p[1].hypot(p[2]) <= mu * p[0] + tolerance);
            assert!(mu * rest[1].hypot(rest[2]) <= -rest[0] + tolerance);
            assert!(dot.abs() < tolerance);
        }
    }

    /// The cone of a contact without friction is a ray; its axis and its apex are where signs of zero matter.
    #[test]
    fn without_friction_only_a_pushing_normal_is_left() {
        for (x, expected) in [
            ([-1.0, 0.0, 0.0], [0.0; 3]),
            ([-1.0, 0.5, 0.0], [0.0; 3]),
            ([2.0, 0.5, -1.0], [2.0, 0.0, 0.0]),
            ([2.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
        ] {
            let mut p = x;
            Cone::Friction { coefficient: 0.0 }.project(&mut p);
            assert_eq!(p, expected, "{x:?}");
        }
    }

    #[test]
    fn a_nan_is_not_projected_away() {
        for cone in [
            Cone::Free,
            Cone::NonNegative,
            Cone::Interval {
                lower: -1.0,
                upper: 1.0,
            },
            Cone::Friction { coefficient: 0.5 },
        ] {
            let mut x = [f64::NAN; 3];
            cone.project(&mut x);
            assert!(x.iter().all(|x| x.is_nan()), "{cone:?}");
        }
    }

    #[test]
    fn intervals_without_a_finite_point_are_refused() {
        let check = |lower, upper| Cone::Interval { lower, upper }.check(1).is_ok();
        let infinity = f64::INFINITY;
        assert!(check(-1.0, 1.0) && check(1.0, 1.0) && check(-infinity, infinity) && check(0.0, infinity));
        assert!(!check(1.0, -1.0) && !check(infinity, infinity) && !check(-infinity, -infinity));
        assert!(!check(f64::NAN, 1.0) && !check(0.0, f64::NAN));
    }

    #[test]
    fn bounds_are_projected_row_by_row() {
        let mut x = [-1.0, 0.5, 3.0];
        Cone::Interval { lower: 0.0, upper: 2.0 }.project(&mut x);
        assert_eq!(x, [0.0, 0.5, 2.0]);
        let mut x = [-1.0, 2.0];
        Cone::NonNegative.project(&mut x);
        assert_eq!(x, [0.0, 2.0]);
        let mut x = [-1.0, 2.0];
        Cone::Free.project(&mut x);
        assert_eq!(x, [-1.0, 2.0]);
    }
}
