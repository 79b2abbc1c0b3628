//! The sets that impulses live in, one a block, and the projections onto them.
//!
//! A solution has `λ ∈ K`, `w ∈ K*` and `λ·w = 0` block by block, `w = Aλ + b`. For friction the complementary
//! velocity is De Saxcé's `w̃ = w + μ‖w_t‖ e_n`, which makes Coulomb's law (stick, slip against the velocity, or
//! separation) a cone complementarity condition (De Saxcé and Feng, 1998).

use std::ops::Range;

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
    /// Coulomb contact, rows (normal, tangent 1, tangent 2), or (normal, tangent) in the plane: `‖λ_t‖ ≤ μ λ_n`.
    Friction {
        /// Coulomb's μ, 0 or more.
        coefficient: f64,
    },
    /// Coulomb contact that also resists rolling, rows (normal, tangent 1, tangent 2, roll 1, roll 2): `‖λ_t‖ ≤ μ λ_n`
    /// and `‖λ_r‖ ≤ μ_r λ_n`.
    Rolling {
        /// Coulomb's μ, 0 or more.
        friction: f64,
        /// μ_r, 0 or more; a length if the rolling rows are angular velocities.
        rolling: f64,
    },
    /// The same set as [`Friction`](Self::Friction), but complementary to the velocity itself instead of De Saxcé's:
    /// the convex relaxation (Anitescu 2006), in which what slips also parts, with `w_n = μ‖w_t‖`.
    SecondOrder {
        /// μ, 0 or more.
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
            Self::Friction { coefficient } | Self::SecondOrder { coefficient } => {
                project_friction(coefficient, impulse);
            }
            Self::Rolling { friction, rolling } => project_rolling(friction, rolling, impulse),
        }
    }

    /// What De Saxcé adds to the normal velocity so that the block's law is complementarity on a cone: `μ‖w_t‖` for
    /// friction, `μ‖w_t‖ + μ_r‖w_r‖` for rolling, nothing for all others.
    #[inline(always)]
    pub fn de_saxce(&self, velocity: &[f64]) -> f64 {
        match *self {
            Self::Friction { coefficient } => coefficient * length(&velocity[1..]),
            Self::Rolling { friction, rolling } => {
                friction * length(&velocity[1..3]) + rolling * length(&velocity[3..5])
            }
            _ => 0.0,
        }
    }

    /// The coefficients of a contact's discs `‖λ_t‖ ≤ μ λ_n`, each with the rows it holds, counted from the normal as 0;
    /// none for what is not a contact.
    #[inline(always)]
    pub(crate) fn discs(self, rows: usize) -> impl Iterator<Item = (f64, Range<usize>)> {
        match self {
            Self::Friction { coefficient } | Self::SecondOrder { coefficient } => [Some((coefficient, 1..rows)), None],
            Self::Rolling { friction, rolling } => [Some((friction, 1..3)), Some((rolling, 3..5))],
            Self::Free | Self::NonNegative | Self::Interval { .. } => [None, None],
        }
        .into_iter()
        .flatten()
    }

    /// Whether the rows are (normal, tangents…) of a contact, rather than rows each with a law of its own.
    pub fn is_contact(&self) -> bool {
        matches!(
            self,
            Self::Friction { .. } | Self::Rolling { .. } | Self::SecondOrder { .. }
        )
    }

    /// Whether the number of rows and the parameters make sense.
    pub fn check(&self, rows: usize) -> Result<(), String> {
        match *self {
            Self::Friction { .. } | Self::SecondOrder { .. } if !(2..=3).contains(&rows) => {
                Err(format!("a friction block has 3 rows, or 2 in the plane, not {rows}"))
            }
            Self::Rolling { .. } if rows != 5 => Err(format!("a rolling block has 5 rows, not {rows}")),
            Self::Friction { coefficient } | Self::SecondOrder { coefficient } if !is_coefficient(coefficient) => {
                Err(format!("the friction coefficient is {coefficient}"))
            }
            Self::Rolling { friction, rolling } if !(is_coefficient(friction) && is_coefficient(rolling)) => {
                Err(format!("the friction coefficients are {friction} and {rolling}"))
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

fn is_coefficient(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

/// Euclidean length of one or two tangential components.
#[inline(always)]
pub(crate) fn length(tangents: &[f64]) -> f64 {
    match tangents {
        [t] => t.abs(),
        [t1, t2] => t1.hypot(*t2),
        _ => tangents.iter().map(|t| t * t).sum::<f64>().sqrt(),
    }
}

/// Projection onto the second-order cone `‖t‖ ≤ μ n`: inside, in the polar cone, or onto the boundary, where
/// `n' = (n + μ‖t‖) / (1 + μ²)` and `t' = μ n' t/‖t‖`.
fn project_friction(mu: f64, impulse: &mut [f64]) {
    let Some((normal, tangents)) = impulse.split_first_mut() else {
        return;
    };
    let tangential = length(tangents);
    // Without friction μ n is zero on either side of the apex, so the sign of n is asked for by itself.
    if *normal >= 0.0 && tangential <= mu * *normal {
        return;
    }
    if mu * tangential <= -*normal {
        impulse.fill(0.0);
        return;
    }
    *normal = (*normal + mu * tangential) / (1.0 + mu * mu);
    let scale = mu * *normal / tangential;
    tangents.iter_mut().for_each(|t| *t *= scale);
}

/// Projection onto `‖t‖ ≤ μ n, ‖r‖ ≤ μ_r n`. For a given n' the tangents go to the nearest points of their discs, so n'
/// minimises `(n' − n)² + (‖t‖ − μ n')₊² + (‖r‖ − μ_r n')₊²` over n' ≥ 0: convex, and quadratic wherever it is known
/// which of the discs are too small.
fn project_rolling(mu: f64, mu_r: f64, impulse: &mut [f64]) {
    if impulse.len() != 5 || impulse.iter().any(|x| x.is_nan()) {
        return;
    }
    let parts = [(mu, length(&impulse[1..3])), (mu_r, length(&impulse[3..5]))];
    // Half the derivative by n' rises with n' and is linear between the points where a disc becomes large enough.
    let slope = |n: f64| {
        let pull: f64 = parts.iter().map(|&(mu, t)| mu * at_least(0.0, t - mu * n)).sum();
        n - impulse[0] - pull
    };
    let normal = if slope(0.0) >= 0.0 {
        0.0
    } else {
        let active = |of: &dyn Fn(usize) -> bool| {
            let (mut sum, mut weight) = (impulse[0], 1.0);
            for (k, &(mu, t)) in parts.iter().enumerate() {
                if of(k) {
                    sum += mu * t;
                    weight += mu * mu;
                }
            }
            sum / weight
        };
        // A disc is too small at the minimiser iff the slope at the point where it becomes large enough is positive.
        let too_small = parts.map(|(mu, t)| t > 0.0 && (mu == 0.0 || slope(t / mu) > 0.0));
        active(&|k| too_small[k])
    };
    impulse[0] = normal;
    for (k, &(mu, t)) in parts.iter().enumerate() {
        if t > mu * normal {
            let scale = mu * normal / t;
            impulse[1 + 2 * k..3 + 2 * k].iter_mut().for_each(|x| *x *= scale);
        }
    }
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

    /// `p ∈ K` is the nearest point iff `(x − p)·(y − p) ≤ 0` for all y ∈ K; for a cone it is enough to ask that
    /// `(x − p)·p = 0` and `(x − p)·y ≤ 0` for points y that span K: unit normal with full tangents in all directions.
    #[test]
    fn rolling_and_planar_projections_are_the_nearest_points() {
        let mut rng = Pcg64::seed_from_u64(7);
        for round in 0..4000 {
            let (mu, mu_r): (f64, f64) = (rng.random_range(0.0..1.5), rng.random_range(0.0..1.5));
            let planar = round % 2 == 0;
            let cone = if planar {
                Cone::Friction { coefficient: mu }
            } else {
                Cone::Rolling {
                    friction: mu,
                    rolling: mu_r,
                }
            };
            let x: Vec<f64> = (0..if planar { 2 } else { 5 })
                .map(|_| rng.random_range(-1.0..1.0))
                .collect();
            let mut p = x.clone();
            cone.project(&mut p);
            let rest: Vec<f64> = x.iter().zip(&p).map(|(x, p)| x - p).collect();
            let dot = |y: &[f64]| rest.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
            assert!(dot(&p).abs() < 1e-14, "{cone:?} {x:?}");
            assert!(p[0] >= 0.0 && length(&p[1..p.len().min(3)]) <= mu * p[0] + 1e-14);
            assert!(planar || length(&p[3..]) <= mu_r * p[0] + 1e-14);
            for k in 0..64 {
                let (s, c) = (f64::from(k) * 0.1).sin_cos();
                let (s2, c2) = (f64::from(k) * 0.7).sin_cos();
                let y = [1.0, mu * c, mu * s, mu_r * c2, mu_r * s2];
                let y = if planar { vec![1.0, mu * c.signum()] } else { y.to_vec() };
                assert!(dot(&y) <= 1e-14, "{cone:?} {x:?}");
            }
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
