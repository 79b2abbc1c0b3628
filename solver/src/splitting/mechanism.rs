//! Sweeps over a mechanism: a problem of nothing but hard joints with equally many rows, on rigid bodies.
//!
//! Every update is that of `equality`, to the same bits, and so is the result. But along a chain each update waits for the one before,
//! and a processor that could do several at a time does one. So sweeps go through the joints one behind the other: if joints that share
//! a body are less than L places apart, a sweep may be at joint k as soon as the one before it is through with joint k + L − 1.
//! All updates that follow are then L joints apart, share no body, and wait for nobody:
//!
//! ```text
//! joint       1    2    3    4    5    6    7
//! sweep 1     1    2    3    4    6    8   10        a chain, L = 2: updates in the order that they are done in
//! sweep 2     3'   5    7    9   11
//! sweep 3     7'   ...
//! ```
//!
//! Where L is as large as their number, as in a closed ring, sweeps follow each other.

use pulp::{Arch, Simd, WithSimd};
use wide::f64x2;

use super::local::Granularity;
use super::order::Order;
use super::{ProjectionOptions, check};
use crate::cone::Cone;
use crate::delassus::{Delassus, RigidBodies, product};
use crate::error::SolveError;
use crate::problem::{Operator, Problem};
use crate::solve::{Context, Convergence, Measure};

/// What is kept from solve to solve.
#[derive(Debug, Default)]
struct Memory {
    /// Of every row its part of `G = E⁻¹ H` and of `c = E⁻¹ b`.
    products: Vec<f64>,
    /// Of every body the first joint that it has.
    first: Vec<u32>,
    state: Vec<f64>,
}

/// Numbers a row of G and c.
const WIDTH: usize = 13;

/// The bodies of a problem that this kind of sweep takes.
fn suited<'a>(options: &ProjectionOptions, problem: &'a Problem, context: &Context) -> Option<&'a RigidBodies> {
    let Operator::RigidBodies(bodies) = &problem.operator else {
        return None;
    };
    let is_forward = matches!(options.sweeps.order, Order::Forward | Order::Coloured);
    let is_undisturbed =
        options.sweeps.is_undisturbed() && context.measure == Measure::Nothing && context.cancel.is_none();
    let len = problem.blocks.first()?.len;
    (is_forward
        && is_undisturbed
        && options.granularity == Granularity::Rows
        && matches!(len, 3 | 5 | 6)
        && bodies.touches().is_empty()
        && problem
            .blocks
            .iter()
            .all(|block| block.cone == Cone::Free && block.len == len)
        && !bodies.is_compliant())
    .then_some(bodies)
}

/// Solves a problem this way if it is one that can be; `change` gets what the impulses do to the bodies.
pub(super) fn solve(
    options: &ProjectionOptions,
    relaxation: f64,
    problem: &Problem,
    impulses: &mut [f64],
    change: Option<&mut Vec<f64>>,
    context: &mut Context,
) -> Option<Result<Convergence, SolveError>> {
    let bodies = suited(options, problem, context)?;
    if let Err(error) = check(problem, impulses) {
        return Some(Err(error));
    }
    let mut memory = context.recall::<Memory>();
    let Memory { products, first, state } = &mut *memory;
    let state = change.unwrap_or(state);
    let sweeps = options.sweeps.iterations;
    impulses
        .iter_mut()
        .for_each(|impulse| *impulse *= options.sweeps.warm_start);
    run(
        Arch::new(),
        bodies,
        problem,
        relaxation,
        sweeps,
        (products, first),
        impulses,
        state,
    );
    bodies.make_velocities(state);
    context.keep(memory);
    Some(Ok(Convergence {
        iterations: sweeps,
        row_updates: (sweeps * problem.rows()) as u64,
        ..Convergence::default()
    }))
}

/// Goes through all sweeps; the state becomes that of the impulses.
#[expect(clippy::too_many_arguments, reason = "called once, and by the test")]
fn run(
    arch: Arch,
    bodies: &RigidBodies,
    problem: &Problem,
    relaxation: f64,
    sweeps: usize,
    (products, first): (&mut Vec<f64>, &mut Vec<u32>),
    impulses: &mut [f64],
    state: &mut Vec<f64>,
) {
    let Some(block) = problem.blocks.first() else { return };
    state.clear();
    state.resize(bodies.state_len(), 0.0);
    // What is there is overwritten.
    products.resize(WIDTH * problem.rows(), 0.0);
    macro_rules! go {
        ($rows:literal) => {
            arch.dispatch(Passage::<$rows> {
                bodies,
                bias: &problem.bias,
                relaxation,
                sweeps,
                lag: lag::<$rows>(bodies, first),
                products,
                impulses,
                state,
            })
        };
    }
    match block.len {
        3 => go!(3),
        5 => go!(5),
        _ => go!(6),
    }
}

/// L: one more than how many places joints with a body in common are apart.
fn lag<const N: usize>(bodies: &RigidBodies, first: &mut Vec<u32>) -> usize {
    first.clear();
    first.resize(bodies.body_count(), u32::MAX);
    let mut widest = 0;
    for (joint, pair) in (0..).zip(bodies.all_rows().pairs().iter().step_by(N)) {
        for &body in pair.iter().filter(|&&body| body != RigidBodies::IMMOVABLE) {
            let first = &mut first[body as usize];
            *first = joint.min(*first);
            widest = widest.max(joint - *first);
        }
    }
    widest as usize + 1
}

/// Some sweeps over joints of N rows.
struct Passage<'a, const N: usize> {
    bodies: &'a RigidBodies,
    bias: &'a [f64],
    relaxation: f64,
    sweeps: usize,
    lag: usize,
    products: &'a mut [f64],
    impulses: &'a mut [f64],
    state: &'a mut [f64],
}

/// It is compiled for every instruction set, but always takes numbers two at a time: products and sums are the same everywhere.
impl<const N: usize> WithSimd for Passage<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let all = self.bodies.all_rows();
        let (rows, _) = all.all_numbers().as_chunks::<N>();
        let (pairs, _) = all.pairs().as_chunks::<N>();
        let (diagonal, _) = all.diagonals().as_chunks::<N>();
        let (bias, _) = self.bias.as_chunks::<N>();
        let (products, _) = self.products.as_chunks_mut::<WIDTH>();
        let (products, _) = products.as_chunks_mut::<N>();
        let (impulses, _) = self.impulses.as_chunks_mut::<N>();
        let (state, _) = self.state.as_chunks_mut::<6>();
        let joints = rows.len();
        let given = rows.iter().zip(diagonal).zip(bias);
        for (((rows, diagonal), bias), products) in given.zip(products.iter_mut()) {
            prepare(rows, diagonal, bias, self.relaxation, products);
        }
        for ((rows, pairs), impulses) in rows.iter().zip(pairs).zip(impulses.iter()) {
            if impulses.iter().any(|&impulse| impulse != 0.0) {
                let mut v = gather(pairs[0], state);
                for k in 0..N {
                    let impulse = f64x2::splat(impulses[k]);
                    for (at, v) in v.iter_mut().enumerate() {
                        *v += impulse * two(&rows[k], at);
                    }
                }
                put_back(pairs[0], &v, state);
            }
        }
        // As long as each other, which spares the question whether a joint is in them.
        let (products, pairs, impulses) = (&products[..joints], &pairs[..joints], &mut impulses[..joints]);
        // Not a function: it would be compiled for the least of processors.
        macro_rules! update {
            ($joint:expr) => {{
                let joint = $joint;
                relax(
                    &rows[joint],
                    &products[joint],
                    pairs[joint][0],
                    &mut impulses[joint],
                    state,
                );
            }};
        }
        if self.lag >= joints {
            for _ in 0..self.sweeps {
                for joint in 0..joints {
                    update!(joint);
                }
            }
            return;
        }
        for time in 0..joints + self.lag * self.sweeps.saturating_sub(1) {
            let mut joint = time;
            for _ in 0..self.sweeps {
                if joint < joints {
                    update!(joint);
                }
                match joint.checked_sub(self.lag) {
                    Some(behind) => joint = behind,
                    None => break,
                }
            }
        }
    }
}

/// Works out G and c of a joint, as `local` and `equality` do: row after row, each without what those before it do to it.
#[inline(always)]
fn prepare<const N: usize>(
    rows: &[[f64; 12]; N],
    diagonal: &[f64; N],
    bias: &[f64; N],
    relaxation: f64,
    products: &mut [[f64; WIDTH]; N],
) {
    for r in 0..N {
        let step = relaxation / diagonal[r];
        let mut row = [bias[r] * step; WIDTH];
        for k in 0..12 {
            row[k] = rows[r][k] * step;
        }
        for s in 0..r {
            let factor = product(&rows[r], &rows[s]) * step;
            for k in 0..WIDTH {
                row[k] -= factor * products[s][k];
            }
        }
        products[r] = row;
    }
}

/// Updates a joint with all others held still.
#[inline(always)]
fn relax<const N: usize>(
    rows: &[[f64; 12]; N],
    products: &[[f64; WIDTH]; N],
    pair: [u32; 2],
    impulses: &mut [f64; N],
    state: &mut [[f64; 6]],
) {
    let mut v = gather(pair, state);
    let mut change = [0.0; N];
    for k in 0..N {
        let row = &products[k];
        // Of the two bodies it is mostly the first whose state has just been written; what is known of the second is summed meanwhile.
        let second = (two(row, 3) * v[3] + f64x2::new([row[12], 0.0])) + (two(row, 4) * v[4] + two(row, 5) * v[5]);
        let first = (two(row, 0) * v[0] + two(row, 1) * v[1]) + two(row, 2) * v[2];
        let [even, odd] = (first + second).to_array();
        change[k] = -(even + odd);
        impulses[k] += change[k];
    }
    for (at, v) in v.iter_mut().enumerate() {
        let mut sum = f64x2::splat(change[0]) * two(&rows[0], at);
        for k in 1..N {
            sum += f64x2::splat(change[k]) * two(&rows[k], at);
        }
        *v += sum;
    }
    put_back(pair, &v, state);
}

/// A pair of numbers that are neighbours.
#[inline(always)]
fn two<const M: usize>(numbers: &[f64; M], at: usize) -> f64x2 {
    f64x2::new([numbers[2 * at], numbers[2 * at + 1]])
}

/// v on two bodies.
#[inline(always)]
fn gather([a, b]: [u32; 2], state: &[[f64; 6]]) -> [f64x2; 6] {
    let (a, b) = (&state[a as usize], &state[b as usize]);
    [two(a, 0), two(a, 1), two(a, 2), two(b, 0), two(b, 1), two(b, 2)]
}

#[inline(always)]
fn put_back([a, b]: [u32; 2], v: &[f64x2; 6], state: &mut [[f64; 6]]) {
    let (of_a, of_b) = v.split_at(3);
    for (body, v) in [(a, of_a), (b, of_b)] {
        let body = &mut state[body as usize];
        for (at, v) in v.iter().enumerate() {
            let [even, odd] = v.to_array();
            body[2 * at] = even;
            body[2 * at + 1] = odd;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gauss_seidel::relax_rows;
    use super::*;
    use crate::delassus::InverseMass;
    use nalgebra::Matrix3;

    /// Joints of N rows between such pairs of bodies, with numbers of no meaning.
    fn problem(pairs: &[[u32; 2]], rows: usize) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        let bodies = pairs.as_flattened().iter().max().copied().unwrap_or(0);
        for body in 0..bodies {
            assembler.add_body(InverseMass {
                mass: 1.0 + 0.1 * f64::from(body),
                inertia: Matrix3::from_diagonal_element(2.0),
            });
        }
        let mut number = 0.3_f64;
        let mut next = || {
            number = (97.0 * number + 0.1).fract();
            number - 0.5
        };
        for &pair in pairs {
            let mut block = assembler.begin_block(pair);
            for _ in 0..rows {
                block.push(&std::array::from_fn(|_| next()), next(), 0.0);
            }
            block.finish(Cone::Free);
        }
        problem
    }

    /// A chain, one from its end to its beginning, a ring, a tree, a chain that hangs on a body in its middle, and a single joint: each as
    /// it comes out of the sweeps row by row, by every instruction set.
    #[test]
    fn sweeps_under_way_together_give_the_bits_of_sweeps_in_turn() {
        let chain: Vec<_> = (0..20).map(|k| [k, k + 1]).collect();
        let backward = chain.iter().rev().copied().collect();
        let ring = chain.iter().copied().chain([[20, 1]]).collect();
        let tree = (1..20).map(|k| [k / 2, k]).collect();
        let spread = (1..20).map(|k| [k, if k % 4 == 0 { k + 3 } else { k + 1 }]).collect();
        let lags: [(Vec<[u32; 2]>, usize); 6] = [
            (chain, 2),
            (backward, 2),
            (ring, 21),
            (tree, 11),
            (spread, 4),
            (vec![[0, 1]], 1),
        ];
        for (pairs, expected) in lags {
            for rows in [3, 5, 6] {
                let problem = problem(&pairs, rows);
                let Operator::RigidBodies(bodies) = &problem.operator else {
                    unreachable!("made of bodies")
                };
                let found = match rows {
                    3 => lag::<3>(bodies, &mut Vec::new()),
                    5 => lag::<5>(bodies, &mut Vec::new()),
                    _ => lag::<6>(bodies, &mut Vec::new()),
                };
                assert_eq!(found, expected, "{pairs:?}");
                let mut options = ProjectionOptions::default();
                options.sweeps.iterations = 7;
                options.sweeps.warm_start = 0.75;
                for relaxation in [1.0, 1.3] {
                    let start: Vec<f64> = (0..problem.rows()).map(|row| 0.01 * row as f64 - 0.2).collect();
                    let mut expected = start.clone();
                    let context = &mut Context::default();
                    relax_rows(&options, relaxation, &problem, bodies, &mut expected, context).unwrap();
                    let mut change = Vec::new();
                    problem.velocity_change(&expected, &mut change);
                    let mut machines = vec![Arch::Scalar, Arch::new()];
                    #[cfg(target_arch = "x86_64")]
                    machines.extend(pulp::x86::V3::try_new().map(Arch::V3));
                    for arch in machines {
                        let mut impulses: Vec<f64> = start.iter().map(|impulse| 0.75 * impulse).collect();
                        let (mut products, mut first, mut state) = (vec![f64::NAN; 7], Vec::new(), vec![1.0]);
                        let memory = (&mut products, &mut first);
                        run(arch, bodies, &problem, relaxation, 7, memory, &mut impulses, &mut state);
                        assert_eq!(impulses, expected, "{pairs:?} {rows}");
                    }
                    let (mut impulses, mut state) = (start.clone(), Vec::new());
                    let report = solve(&options, relaxation, &problem, &mut impulses, Some(&mut state), context);
                    let report = report.expect("it is suited").unwrap();
                    assert_eq!(impulses, expected);
                    assert_eq!((report.iterations, report.row_updates), (7, 7 * problem.rows() as u64));
                    // Rounding of seven sweeps.
                    let size = change.iter().fold(1.0, |size, x| f64::max(size, x.abs()));
                    let apart = state.iter().zip(&change).map(|(a, b)| (a - b).abs());
                    assert!(apart.fold(0.0, f64::max) < 1e-13 * size);
                }
            }
        }
    }
}
