//! Equations that are equivalent to complementarity, with their generalised derivatives.
//!
//! A block with impulses λ, velocities w and scale s (its mean diagonal entry of A) gives as many equations `F(λ, w) = 0`
//! as it has rows, in units of velocity, and the two matrices `C = ∂F/∂λ`, `E = ∂F/∂w`. Where F has a kink any limit of
//! derivatives will do (Clarke). With `w = Aλ + b` Newton's matrix is `C + E A`.
//!
//! - **Minimum map**: `F = s (λ − P(λ − w/s))`, row by row; `min(sλ, w)` for λ ≥ 0 (Erleben 2013).
//! - **Fischer–Burmeister**: `F = sλ + w − √((sλ)² + w²)`, smooth but at the origin, and
//!   for two bounds Billups' composition; *penalised* it also counts the product of positive parts (Chen, Chen and Kanzow
//!   2000).
//! - **Alart–Curnier** for friction: with `a = λ_n − w_n/s` and `z = λ_t − w_t/s`,
//!   `F_n = s (λ_n − a₊)` and `F_t = s (λ_t − P_disc(μ a₊)(z))` (Alart and Curnier 1991). No De Saxcé term is needed.
//! - **Natural map** for the convex relaxation: `F = s (λ − P_K(λ − w/s))`.

use crate::choices;
use crate::cone::{Cone, at_least, between};
use crate::problem::Block;

choices! {
    /// The equation for rows with bounds.
    pub enum RowFunction {
        /// The minimum map: piecewise linear.
        MinimumMap = "minimum-map",
        /// Fischer–Burmeister: differentiable merit function.
        Fischer = "fischer",
        /// Fischer–Burmeister with a penalty on products of positive parts.
        PenalisedFischer = "penalised-fischer",
    }
}

/// Weight of the Fischer–Burmeister function in the penalised one.
const PENALISED_WEIGHT: f64 = 0.95;

/// F of one block.
pub(super) fn value(rows: RowFunction, block: &Block, s: f64, impulse: &[f64], velocity: &[f64], f: &mut [f64]) {
    match block.cone {
        Cone::Free => f.copy_from_slice(velocity),
        Cone::NonNegative | Cone::Interval { .. } => {
            let (lower, upper) = bounds(block.cone);
            for k in 0..f.len() {
                f[k] = row(rows, lower, upper, s, impulse[k], velocity[k]).0;
            }
        }
        Cone::Friction { .. } | Cone::Rolling { .. } => {
            let normal = at_least(0.0, impulse[0] - velocity[0] / s);
            f[0] = s * (impulse[0] - normal);
            for (mu, tangents) in block.cone.discs(f.len()) {
                let radius = mu * normal;
                let z = |k: usize| impulse[k] - velocity[k] / s;
                let size = tangents.clone().map(|k| z(k) * z(k)).sum::<f64>().sqrt();
                for k in tangents {
                    let target = if size <= radius { z(k) } else { z(k) * (radius / size) };
                    f[k] = s * (impulse[k] - target);
                }
            }
        }
        Cone::SecondOrder { .. } => {
            for k in 0..f.len() {
                f[k] = impulse[k] - velocity[k] / s;
            }
            block.cone.project(f);
            for k in 0..f.len() {
                f[k] = s * (impulse[k] - f[k]);
            }
        }
    }
}

/// C and E of one block, row-major.
pub(super) fn derivatives(
    rows: RowFunction,
    block: &Block,
    s: f64,
    impulse: &[f64],
    velocity: &[f64],
    c: &mut [f64],
    e: &mut [f64],
) {
    let n = impulse.len();
    c.fill(0.0);
    e.fill(0.0);
    match block.cone {
        Cone::Free => (0..n).for_each(|k| e[(n + 1) * k] = 1.0),
        Cone::NonNegative | Cone::Interval { .. } => {
            let (lower, upper) = bounds(block.cone);
            for k in 0..n {
                let (_, by_impulse, by_velocity) = row(rows, lower, upper, s, impulse[k], velocity[k]);
                c[(n + 1) * k] = by_impulse;
                e[(n + 1) * k] = by_velocity;
            }
        }
        Cone::Friction { .. } | Cone::Rolling { .. } => alart_curnier(block, s, impulse, velocity, c, e),
        Cone::SecondOrder { coefficient } => natural(coefficient, s, impulse, velocity, c, e),
    }
}

fn alart_curnier(block: &Block, s: f64, impulse: &[f64], velocity: &[f64], c: &mut [f64], e: &mut [f64]) {
    let n = impulse.len();
    let normal = impulse[0] - velocity[0] / s;
    if normal <= 0.0 {
        // Parted: F = s λ.
        (0..n).for_each(|k| c[(n + 1) * k] = s);
        return;
    }
    e[0] = 1.0;
    for (mu, tangents) in block.cone.discs(n) {
        let radius = mu * normal;
        let mut z = [0.0; 5];
        for k in tangents.clone() {
            z[k] = impulse[k] - velocity[k] / s;
        }
        let size = z[tangents.clone()].iter().map(|z| z * z).sum::<f64>().sqrt();
        if size <= radius {
            // Sticking: F = w.
            tangents.for_each(|k| e[(n + 1) * k] = 1.0);
            continue;
        }
        // Slipping: the target is `radius · z/‖z‖`; it turns with z and grows with the normal.
        for i in tangents.clone() {
            let direction = z[i] / size;
            c[n * i] = -s * mu * direction;
            e[n * i] = mu * direction;
            for j in tangents.clone() {
                let identity = if i == j { 1.0 } else { 0.0 };
                let turn = radius / size * (identity - direction * z[j] / size);
                c[n * i + j] = s * (identity - turn);
                e[n * i + j] = turn;
            }
        }
    }
}

/// `F = s (λ − P_K(z))`, `z = λ − w/s`: C = s (1 − P′), E = P′.
fn natural(mu: f64, s: f64, impulse: &[f64], velocity: &[f64], c: &mut [f64], e: &mut [f64]) {
    let n = impulse.len();
    let mut z = [0.0; 3];
    for k in 0..n {
        z[k] = impulse[k] - velocity[k] / s;
    }
    let size = z[1..n].iter().map(|z| z * z).sum::<f64>().sqrt();
    if z[0] >= 0.0 && size <= mu * z[0] {
        (0..n).for_each(|k| e[(n + 1) * k] = 1.0);
    } else if mu * size > -z[0] {
        // On the mantle: n' = (n + μ‖t‖)/(1 + μ²), t' = μ n' t/‖t‖.
        let share = 1.0 / (1.0 + mu * mu);
        let normal = (z[0] + mu * size) * share;
        e[0] = share;
        for i in 1..n {
            let direction = z[i] / size;
            e[i] = mu * share * direction;
            e[n * i] = mu * share * direction;
            for j in 1..n {
                let other = z[j] / size;
                let identity = if i == j { 1.0 } else { 0.0 };
                e[n * i + j] =
                    mu * mu * share * direction * other + mu * normal / size * (identity - direction * other);
            }
        }
    }
    for i in 0..n {
        for j in 0..n {
            let identity = if i == j { 1.0 } else { 0.0 };
            c[n * i + j] = s * (identity - e[n * i + j]);
        }
    }
}

fn bounds(cone: Cone) -> (f64, f64) {
    match cone {
        Cone::Interval { lower, upper } => (lower, upper),
        _ => (0.0, f64::INFINITY),
    }
}

/// F of one row between bounds, with its derivatives by impulse and by velocity.
fn row(function: RowFunction, lower: f64, upper: f64, s: f64, impulse: f64, velocity: f64) -> (f64, f64, f64) {
    match function {
        RowFunction::MinimumMap => {
            let target = impulse - velocity / s;
            let value = s * (impulse - between(lower, upper, target));
            if target <= lower || target >= upper {
                (value, s, 0.0)
            } else {
                (value, 0.0, 1.0)
            }
        }
        RowFunction::Fischer => billups(lower, upper, s, impulse, velocity, phi),
        RowFunction::PenalisedFischer => billups(lower, upper, s, impulse, velocity, penalised_phi),
    }
}

/// `ψ(s(λ − l), −ψ(s(u − λ), −w))` for a function ψ of complementarity that comes with its two derivatives.
fn billups(
    lower: f64,
    upper: f64,
    s: f64,
    impulse: f64,
    velocity: f64,
    psi: fn(f64, f64) -> (f64, f64, f64),
) -> (f64, f64, f64) {
    // What lies above: the velocity itself, or its complementarity with the upper bound.
    let (above, by_impulse, by_velocity) = if upper < f64::INFINITY {
        let (value, by_distance, by_velocity) = psi(s * (upper - impulse), -velocity);
        (-value, s * by_distance, by_velocity)
    } else {
        (velocity, 0.0, 1.0)
    };
    if lower > f64::NEG_INFINITY {
        let (value, by_distance, by_above) = psi(s * (impulse - lower), above);
        (value, s * by_distance + by_above * by_impulse, by_above * by_velocity)
    } else {
        (above, by_impulse, by_velocity)
    }
}

/// `a + b − √(a² + b²)` and its derivatives; at the origin those along the diagonal.
fn phi(a: f64, b: f64) -> (f64, f64, f64) {
    let length = a.hypot(b);
    if length == 0.0 {
        let slope = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        return (0.0, slope, slope);
    }
    let sum = a + b;
    // The same number either way; the first does not cancel near solutions.
    let value = if sum > 0.0 {
        2.0 * a * b / (sum + length)
    } else {
        sum - length
    };
    (value, 1.0 - a / length, 1.0 - b / length)
}

/// `τ φ(a, b) + (1 − τ) a₊ b₊`, the product made a velocity by dividing by the length.
fn penalised_phi(a: f64, b: f64) -> (f64, f64, f64) {
    let (value, by_a, by_b) = phi(a, b);
    let tau = PENALISED_WEIGHT;
    if a <= 0.0 || b <= 0.0 {
        return (tau * value, tau * by_a, tau * by_b);
    }
    let length = a.hypot(b);
    let cube = length * length * length;
    (
        tau * value + (1.0 - tau) * a * b / length,
        tau * by_a + (1.0 - tau) * b * b * b / cube,
        tau * by_b + (1.0 - tau) * a * a * a / cube,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn cones() -> [(Cone, u32); 9] {
        let infinity = f64::INFINITY;
        [
            (Cone::Free, 3),
            (Cone::NonNegative, 2),
            (
                Cone::Interval {
                    lower: -0.4,
                    upper: 0.3,
                },
                2,
            ),
            (
                Cone::Interval {
                    lower: -infinity,
                    upper: 0.3,
                },
                1,
            ),
            (Cone::Friction { coefficient: 0.6 }, 3),
            (Cone::Friction { coefficient: 0.6 }, 2),
            (
                Cone::Rolling {
                    friction: 0.5,
                    rolling: 0.2,
                },
                5,
            ),
            (Cone::SecondOrder { coefficient: 0.7 }, 3),
            (Cone::SecondOrder { coefficient: 0.7 }, 2),
        ]
    }

    const FUNCTIONS: [RowFunction; 3] = [
        RowFunction::MinimumMap,
        RowFunction::Fischer,
        RowFunction::PenalisedFischer,
    ];

    /// C and E are the derivatives of F, by central differences, away from kinks (where both one-sided ones agree).
    #[test]
    fn derivatives_agree_with_finite_differences() {
        let mut rng = Pcg64::seed_from_u64(9);
        let (mut checked, step) = (0, 1e-6);
        for round in 0..6000 {
            let (cone, len) = cones()[round % 9];
            let block = Block { first: 0, len, cone };
            let function = FUNCTIONS[round / 9 % 3];
            let n = len as usize;
            let s = rng.random_range(0.3..3.0);
            let x: Vec<f64> = (0..2 * n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let value_at = |x: &[f64]| {
                let mut f = vec![0.0; n];
                value(function, &block, s, &x[..n], &x[n..], &mut f);
                f
            };
            let (mut c, mut e) = (vec![0.0; n * n], vec![0.0; n * n]);
            derivatives(function, &block, s, &x[..n], &x[n..], &mut c, &mut e);
            for column in 0..2 * n {
                let shifted = |by: f64| {
                    let mut x = x.clone();
                    x[column] += by;
                    value_at(&x)
                };
                let (ahead, here, behind) = (shifted(step), value_at(&x), shifted(-step));
                for i in 0..n {
                    let one_sided = [(ahead[i] - here[i]) / step, (here[i] - behind[i]) / step];
                    if (one_sided[0] - one_sided[1]).abs() > 1e-3 {
                        continue;
                    }
                    let exact = if column < n {
                        c[n * i + column]
                    } else {
                        e[n * i + column - n]
                    };
                    let difference = (ahead[i] - behind[i]) / (2.0 * step);
                    // Second-order differences of functions with third derivatives of size up to 1/‖z‖².
                    assert!(
                        (exact - difference).abs() < 1e-4,
                        "{cone:?} {function:?} {exact} {difference}"
                    );
                    checked += 1;
                }
            }
        }
        assert!(checked > 50_000);
    }

    /// F vanishes exactly where the common residual does: at random solutions of each law, and nowhere near others.
    #[test]
    fn the_zeros_are_the_solutions_of_the_law() {
        let mut rng = Pcg64::seed_from_u64(10);
        for round in 0..4000 {
            let (cone, len) = cones()[round % 9];
            let n = len as usize;
            let block = Block { first: 0, len, cone };
            let s = rng.random_range(0.3..3.0);
            // Any point splits into its projection and the rest: λ = P(z), w = s (λ − z) is a solution of the
            // associated law; De Saxcé's shift is taken off the normal for the others.
            let z: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let mut impulse = z.clone();
            cone.project(&mut impulse);
            let mut velocity: Vec<f64> = impulse.iter().zip(&z).map(|(x, z)| s * (x - z)).collect();
            velocity[0] -= cone.de_saxce(&velocity);
            for function in FUNCTIONS {
                let mut f = vec![0.0; n];
                value(function, &block, s, &impulse, &velocity, &mut f);
                assert!(f.iter().all(|f| f.abs() < 1e-13), "{cone:?} {function:?} {f:?}");
                // Parting where it pushes, approaching where it does not; no solution has a velocity of 3.
                let mut wrong = velocity.clone();
                wrong[0] += if impulse[0] > 0.01 { 3.0 } else { -3.0 };
                value(function, &block, s, &impulse, &wrong, &mut f);
                assert!(
                    f.iter().any(|f| f.abs() > 1e-3),
                    "{cone:?} {function:?} {impulse:?} {wrong:?}"
                );
            }
        }
    }
}
