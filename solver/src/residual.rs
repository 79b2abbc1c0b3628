//! What "solved" means, once for all solvers.
//!
//! Every measure works on impulses λ and velocities `w = Aλ + b`, block by block. For friction the velocity is first
//! made De Saxcé's `w̃ = w + μ‖w_t‖ e_n`, so that each block asks for `λ ∈ K`, `w̃ ∈ K*`, `λ·w̃ = 0`.
//!
//! The **natural map** `λ − P_K(λ − w̃/s)` is zero exactly at solutions. Impulses and velocities have different units
//! and sizes; with s the mean diagonal entry of the block, and the result multiplied by s, the residual is a velocity
//! in m/s that does not change when all masses are scaled: it says by how much the worst block misses its law.

use crate::cone::{Cone, at_least, length};
use crate::problem::{Block, Problem};
use crate::vector::larger;

/// The measures of one pair (λ, w). All are zero at a solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Residuals {
    /// Largest natural map of a block, m/s. This is "the residual" of tables and files.
    pub natural: f64,
    /// FCLIB's relative error, see [`relative`].
    pub relative: f64,
    /// Half the sum of squared Fischer–Burmeister functions, (m/s)².
    pub fischer_burmeister: f64,
    /// Sum of |λ·w̃|, J.
    pub gap: f64,
    /// Largest distance of a block's impulse from its cone, N·s.
    pub cone_violation: f64,
    /// Largest excess of ‖λ_t‖ over μ λ_n, N·s.
    pub friction_violation: f64,
}

impl Residuals {
    /// Every measure of the given impulses. Allocates; for reports and tests.
    pub fn of(problem: &Problem, impulses: &[f64]) -> Self {
        let mut velocities = vec![0.0; problem.rows()];
        problem.velocities(impulses, &mut velocities);
        Self::at(problem, impulses, &velocities)
    }

    /// Every measure, with the velocities `w = Aλ + b` at hand.
    pub fn at(problem: &Problem, impulses: &[f64], velocities: &[f64]) -> Self {
        let mut worst = Self {
            relative: relative(problem, impulses, velocities),
            ..Self::default()
        };
        for block in &problem.blocks {
            let rows = block.rows();
            let here = Self::of_block(
                block,
                block.scale(problem.operator.as_delassus()),
                &impulses[rows.clone()],
                &velocities[rows],
            );
            worst.natural = larger(worst.natural, here.natural);
            worst.fischer_burmeister += here.fischer_burmeister;
            worst.gap += here.gap;
            worst.cone_violation = larger(worst.cone_violation, here.cone_violation);
            worst.friction_violation = larger(worst.friction_violation, here.friction_violation);
        }
        worst
    }

    fn of_block(block: &Block, scale: f64, impulse: &[f64], velocity: &[f64]) -> Self {
        Self {
            natural: natural_map(block, scale, impulse, velocity),
            relative: map_square(block, 1.0, impulse, velocity).sqrt(),
            fischer_burmeister: fischer_burmeister(block, scale, impulse, velocity),
            gap: gap(block, impulse, velocity),
            cone_violation: cone_violation(block, impulse),
            friction_violation: friction_violation(block, impulse),
        }
    }
}

/// The natural residual alone, m/s: what solvers record after every iteration.
pub fn natural(problem: &Problem, impulses: &[f64], velocities: &[f64]) -> f64 {
    problem.blocks.iter().fold(0.0, |worst, block| {
        let rows = block.rows();
        let scale = block.scale(problem.operator.as_delassus());
        larger(
            worst,
            natural_map(block, scale, &impulses[rows.clone()], &velocities[rows]),
        )
    })
}

/// The error measure of the FCLIB collection, so that figures compare: `e = ‖λ − P_K(λ − w̃)‖₂ / ‖b‖₂` over all rows
/// (Acary, Bremond and Huber 2018, ρ = 1). It depends on units. Where b is zero to rounding it is not divided by.
pub fn relative(problem: &Problem, impulses: &[f64], velocities: &[f64]) -> f64 {
    let square: f64 = problem
        .blocks
        .iter()
        .map(|block| map_square(block, 1.0, &impulses[block.rows()], &velocities[block.rows()]))
        .sum();
    let size = problem.bias.iter().map(|b| b * b).sum::<f64>().sqrt();
    square.sqrt() / if size > f64::EPSILON { size } else { 1.0 }
}

/// `s ‖λ − P_K(λ − w̃/s)‖` of one block.
pub(crate) fn natural_map(block: &Block, scale: f64, impulse: &[f64], velocity: &[f64]) -> f64 {
    scale * map_square(block, scale, impulse, velocity).sqrt()
}

/// `‖λ − P_K(λ − w̃/s)‖²` of one block.
fn map_square(block: &Block, scale: f64, impulse: &[f64], velocity: &[f64]) -> f64 {
    if block.cone.is_contact() {
        let mut target = [0.0; 5];
        let target = &mut target[..impulse.len()];
        for k in 0..target.len() {
            target[k] = impulse[k] - velocity[k] / scale;
        }
        target[0] -= block.cone.de_saxce(velocity) / scale;
        block.cone.project(target);
        impulse.iter().zip(&*target).map(|(x, p)| (x - p).powi(2)).sum()
    } else {
        impulse
            .iter()
            .zip(velocity)
            .map(|(&x, &w)| {
                let mut target = [x - w / scale];
                block.cone.project(&mut target);
                (x - target[0]).powi(2)
            })
            .sum()
    }
}

/// `φ(a, b) = a + b − √(a² + b²)`: zero iff a ≥ 0, b ≥ 0, ab = 0.
fn phi(a: f64, b: f64) -> f64 {
    // For an infinite bound the other condition alone is left.
    if a == f64::INFINITY {
        return b;
    }
    let (sum, length) = (a + b, a.hypot(b));
    if sum > 0.0 {
        // The same number; near a solution the difference would cancel down to the rounding of the larger one.
        2.0 * a * b / (sum + length)
    } else {
        sum - length
    }
}

fn fischer_burmeister(block: &Block, scale: f64, impulse: &[f64], velocity: &[f64]) -> f64 {
    let square: f64 = match block.cone {
        Cone::Free => velocity.iter().map(|w| w * w).sum(),
        Cone::NonNegative => rows(impulse, velocity).map(|(x, w)| phi(scale * x, w).powi(2)).sum(),
        // Billups' function for boxes: φ(λ − l, −φ(u − λ, −w)).
        Cone::Interval { lower, upper } => rows(impulse, velocity)
            .map(|(x, w)| phi(scale * (x - lower), -phi(scale * (upper - x), -w)).powi(2))
            .sum(),
        Cone::Friction { coefficient: 0.0 } | Cone::SecondOrder { coefficient: 0.0 } => {
            let tangents: f64 = impulse[1..].iter().map(|t| t * t).sum();
            phi(scale * impulse[0], velocity[0]).powi(2) + scale * scale * tangents
        }
        Cone::Friction { coefficient } | Cone::SecondOrder { coefficient } => {
            let normal = velocity[0] + block.cone.de_saxce(velocity);
            cone_phi_square(coefficient, scale, impulse, normal, &velocity[1..])
        }
        // Two cones that share a normal have no such function in closed form; the natural map stands in for it.
        Cone::Rolling { .. } => natural_map(block, scale, impulse, velocity).powi(2),
    };
    0.5 * square
}

/// The squared Fischer–Burmeister function of the second-order cone: in the coordinates (μ λ_n, λ_t) and (w̃_n, μ w̃_t)
/// both cones are that one.
fn cone_phi_square(mu: f64, scale: f64, impulse: &[f64], normal: f64, slip: &[f64]) -> f64 {
    let (mut x, mut y) = ([scale * mu * impulse[0], 0.0, 0.0], [normal, 0.0, 0.0]);
    for (k, (t, w)) in impulse[1..].iter().zip(slip).enumerate() {
        x[k + 1] = scale * t;
        y[k + 1] = mu * w;
    }
    let root = jordan_root_of_squares(x, y);
    (0..3).map(|k| (x[k] + y[k] - root[k]).powi(2)).sum()
}

/// `(x∘x + y∘y)^½` in the Jordan algebra of the second-order cone (Fukushima, Luo and Tseng, 2002).
fn jordan_root_of_squares(x: [f64; 3], y: [f64; 3]) -> [f64; 3] {
    let axis = x.iter().chain(&y).map(|v| v * v).sum::<f64>();
    let side = [2.0 * (x[0] * x[1] + y[0] * y[1]), 2.0 * (x[0] * x[2] + y[0] * y[2])];
    let length = side[0].hypot(side[1]);
    // Eigenvalues axis ± length; the smaller one can round below zero.
    let (low, high) = ((axis - length).max(0.0).sqrt(), (axis + length).sqrt());
    let factor = if length > 0.0 { 0.5 * (high - low) / length } else { 0.0 };
    [0.5 * (high + low), factor * side[0], factor * side[1]]
}

fn gap(block: &Block, impulse: &[f64], velocity: &[f64]) -> f64 {
    // An infinite bound is never reached, so a velocity that pushes towards it counts by itself.
    let product = |distance: f64, w: f64| {
        if distance.is_finite() { distance * w } else { w }
    };
    match block.cone {
        Cone::Interval { lower, upper } => rows(impulse, velocity)
            .map(|(x, w)| {
                if w > 0.0 {
                    product(x - lower, w).abs()
                } else {
                    product(upper - x, -w).abs()
                }
            })
            .sum(),
        Cone::Friction { .. } | Cone::Rolling { .. } | Cone::SecondOrder { .. } => {
            let power: f64 = rows(impulse, velocity).map(|(x, w)| x * w).sum();
            (power + impulse[0] * block.cone.de_saxce(velocity)).abs()
        }
        Cone::Free | Cone::NonNegative => rows(impulse, velocity).map(|(x, w)| (x * w).abs()).sum(),
    }
}

fn cone_violation(block: &Block, impulse: &[f64]) -> f64 {
    if block.cone.is_contact() {
        let mut nearest = [0.0; 5];
        let nearest = &mut nearest[..impulse.len()];
        nearest.copy_from_slice(impulse);
        block.cone.project(nearest);
        let square: f64 = impulse.iter().zip(&*nearest).map(|(x, p)| (x - p).powi(2)).sum();
        square.sqrt()
    } else {
        impulse.iter().fold(0.0, |worst, &x| {
            let mut nearest = [x];
            block.cone.project(&mut nearest);
            larger(worst, (x - nearest[0]).abs())
        })
    }
}

fn friction_violation(block: &Block, impulse: &[f64]) -> f64 {
    match block.cone {
        Cone::Friction { coefficient } | Cone::SecondOrder { coefficient } => {
            at_least(0.0, length(&impulse[1..]) - coefficient * impulse[0])
        }
        Cone::Rolling { friction, rolling } => at_least(
            at_least(0.0, length(&impulse[1..3]) - friction * impulse[0]),
            length(&impulse[3..]) - rolling * impulse[0],
        ),
        _ => 0.0,
    }
}

fn rows<'a>(impulse: &'a [f64], velocity: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
    impulse.iter().copied().zip(velocity.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn block(cone: Cone, len: u32) -> Block {
        Block { first: 0, len, cone }
    }

    /// All measures of one block, largest first.
    fn worst(block: &Block, impulse: &[f64], velocity: &[f64]) -> f64 {
        let r = Residuals::of_block(block, 0.7, impulse, velocity);
        r.natural
            .max(r.fischer_burmeister.sqrt())
            .max(r.gap.sqrt())
            .max(r.cone_violation)
    }

    /// Coulomb's law has three cases; each is a zero of every measure.
    #[test]
    fn stick_slip_and_separation_have_no_residual() {
        let mut rng = Pcg64::seed_from_u64(2);
        // Rounding; the Fischer–Burmeister difference a + b − √(a² + b²) and the square root taken above of the gap
        // turn 1e-16 into 1e-8.
        let tolerance = 1e-7;
        for _ in 0..2000 {
            let mu: f64 = rng.random_range(0.1..1.5);
            let friction = block(Cone::Friction { coefficient: mu }, 3);
            let angle: f64 = rng.random_range(0.0..std::f64::consts::TAU);
            let normal: f64 = rng.random_range(0.1..2.0);
            let share: f64 = rng.random_range(0.0..1.0);
            let speed: f64 = rng.random_range(0.1..2.0);
            let (c, s) = (angle.cos(), angle.sin());
            let inside = mu * normal * share;
            let stick = [normal, inside * c, inside * s];
            assert!(worst(&friction, &stick, &[0.0; 3]) < tolerance);
            let slip = [normal, -mu * normal * c, -mu * normal * s];
            assert!(worst(&friction, &slip, &[0.0, speed * c, speed * s]) < tolerance);
            assert!(worst(&friction, &[0.0; 3], &[speed, speed * s, c]) < tolerance);
            // Slip along the force, not against it, is wrong, and so is a normal impulse on a parting contact.
            assert!(worst(&friction, &slip, &[0.0, -speed * c, -speed * s]) > 1e-3);
            assert!(worst(&friction, &stick, &[speed, 0.0, 0.0]) > 1e-3);
        }
    }

    #[test]
    fn bounded_rows_have_no_residual_exactly_at_their_three_cases() {
        let motor = block(
            Cone::Interval {
                lower: -1.0,
                upper: 2.0,
            },
            1,
        );
        for (x, w) in [(0.3, 0.0), (-1.0, 0.5), (2.0, -0.5)] {
            assert!(worst(&motor, &[x], &[w]) < 1e-7, "{x} {w}");
        }
        for (x, w) in [(0.3, 0.1), (-1.0, -0.5), (2.0, 0.5), (2.5, 0.0)] {
            assert!(worst(&motor, &[x], &[w]) > 1e-3, "{x} {w}");
        }
        let unbounded = Cone::Interval {
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
        };
        assert!(worst(&block(unbounded, 1), &[5.0], &[0.0]) < 1e-7);
        assert!(worst(&block(unbounded, 1), &[5.0], &[0.1]) > 1e-3);
    }

    /// λ_n = 0, w_n > 0, no slip: the commonest solution of a contact without friction.
    #[test]
    fn a_parting_contact_without_friction_has_no_residual() {
        let smooth = block(Cone::Friction { coefficient: 0.0 }, 3);
        assert_eq!(worst(&smooth, &[0.0; 3], &[0.5, 0.0, 0.0]), 0.0);
        assert_eq!(worst(&smooth, &[0.0; 3], &[0.5, 0.3, -0.1]), 0.0);
        assert!(worst(&smooth, &[0.0; 3], &[-0.5, 0.0, 0.0]) > 0.1);
    }

    /// A tiny velocity beside a large impulse is seen with all its digits: φ(a, b) → b as b/a → 0.
    #[test]
    fn the_fischer_burmeister_function_does_not_cancel() {
        for b in [1e-9, -1e-9, 1e-13] {
            assert!((phi(1e4, b) / b - 1.0).abs() < 1e-12, "{b}");
        }
        // Against the defining difference where that is exact enough.
        for (a, b) in [
            (3.0, 4.0),
            (-3.0, 4.0),
            (3.0, -4.0),
            (-3.0, -4.0),
            (0.0, 0.0),
            (0.0, -2.0),
        ] {
            let defined = a + b - f64::hypot(a, b);
            assert!((phi(a, b) - defined).abs() < 1e-15, "{a} {b}");
        }
    }

    #[test]
    fn a_nan_in_any_block_is_seen() {
        for bad in 0..3 {
            let mut problem = crate::Problem::default();
            let mut assembler = problem.assemble();
            let body = assembler.add_body(crate::InverseMass {
                mass: 1.0,
                ..crate::InverseMass::ZERO
            });
            for axis in 0..3 {
                let mut jacobian = [0.0; 12];
                jacobian[6 + axis] = 1.0;
                let row = crate::Row {
                    jacobian,
                    bias: 0.0,
                    compliance: 0.0,
                };
                assembler.add_block([0, body], Cone::NonNegative, &[row]);
            }
            let mut velocities = [1.0; 3];
            velocities[bad] = f64::NAN;
            let found = Residuals::at(&problem, &[0.0; 3], &velocities);
            assert!(found.natural.is_nan() && natural(&problem, &[0.0; 3], &velocities).is_nan());
            assert!(found.gap.is_nan() && found.fischer_burmeister.is_nan());
        }
    }

    #[test]
    fn the_natural_map_of_a_free_block_is_its_velocity() {
        let joint = block(Cone::Free, 2);
        let r = Residuals::of_block(&joint, 3.0, &[7.0, -2.0], &[0.3, 0.4]);
        assert!((r.natural - 0.5).abs() < 1e-15);
    }
}
