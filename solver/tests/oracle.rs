//! Convex problems against Clarabel, a conic solver that shares nothing with ours: `min ½ λᵀAλ + bᵀλ, λ ∈ K`. Every solver of
//! the registry that takes such problems is compared with it: rows with bounds by all, second-order cones by those for
//! Coulomb's law, and friction by those that relax it.
//!
//! Where A is singular the impulses are not unique, but the velocities `w = Aλ + b` and the objective are.

mod common;
#[path = "common/piles.rs"]
mod piles;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use common::{Sample, largest, solver};
use drystone_solver::formulation::relaxed;
use drystone_solver::registry::{Accuracy, FrictionLaw, SolverEntry};
use drystone_solver::{BlockMatrix, Cone, Context, Problem, SolveError, registry};
use nalgebra::{DMatrix, DVector};
use piles::Pile;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What the two are compared by.
struct Answer {
    velocities: DVector<f64>,
    objective: f64,
}

impl Answer {
    fn of(problem: &Problem, impulses: &[f64]) -> Self {
        let (a, b) = (dense(problem), DVector::from_column_slice(&problem.bias));
        let x = DVector::from_column_slice(impulses);
        Self {
            velocities: &a * &x + &b,
            objective: 0.5 * x.dot(&(&a * &x)) + b.dot(&x),
        }
    }
}

fn dense(problem: &Problem) -> DMatrix<f64> {
    problem.assembled().unwrap().to_dense()
}

/// Clarabel's constraints: `G λ + s = h`, s in a product of cones, given row by row as (column, factor) and h.
#[derive(Default)]
struct Constraints {
    rows: Vec<Vec<(usize, f64)>>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Constraints {
    fn add(&mut self, cone: SupportedConeT<f64>, rows: &[(usize, f64, f64)]) {
        self.cones.push(cone);
        for &(column, factor, right) in rows {
            self.rows.push(vec![(column, factor)]);
            self.right.push(right);
        }
    }

    fn of(problem: &Problem) -> Self {
        let mut all = Self::default();
        for block in &problem.blocks {
            match block.cone {
                Cone::Free => {}
                Cone::NonNegative => {
                    for row in block.rows() {
                        all.add(SupportedConeT::NonnegativeConeT(1), &[(row, -1.0, 0.0)]);
                    }
                }
                Cone::Interval { lower, upper } => {
                    for row in block.rows() {
                        if lower.is_finite() {
                            all.add(SupportedConeT::NonnegativeConeT(1), &[(row, -1.0, -lower)]);
                        }
                        if upper.is_finite() {
                            all.add(SupportedConeT::NonnegativeConeT(1), &[(row, 1.0, upper)]);
                        }
                    }
                }
                Cone::SecondOrder { coefficient: 0.0 } => {
                    let first = block.rows().start;
                    all.add(SupportedConeT::NonnegativeConeT(1), &[(first, -1.0, 0.0)]);
                    for row in block.rows().skip(1) {
                        all.add(SupportedConeT::ZeroConeT(1), &[(row, 1.0, 0.0)]);
                    }
                }
                Cone::SecondOrder { coefficient } => {
                    let first = block.rows().start;
                    let factor = |row: usize| if row == first { -coefficient } else { -1.0 };
                    let rows: Vec<_> = block.rows().map(|row| (row, factor(row), 0.0)).collect();
                    all.add(SupportedConeT::SecondOrderConeT(rows.len()), &rows);
                }
                other => panic!("{other:?} is not convex"),
            }
        }
        all
    }
}

fn clarabel(problem: &Problem) -> Answer {
    let (n, a) = (problem.rows(), dense(problem));
    let constraints = Constraints::of(problem);
    let upper = DMatrix::from_fn(n, n, |i, j| if i <= j { 0.5 * (a[(i, j)] + a[(j, i)]) } else { 0.0 });
    let mut g = DMatrix::zeros(constraints.rows.len(), n);
    for (i, row) in constraints.rows.iter().enumerate() {
        for &(j, factor) in row {
            g[(i, j)] = factor;
        }
    }
    let tight = 1e-12;
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: tight,
        tol_gap_rel: tight,
        tol_feas: tight,
        max_iter: 200,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(
        &compressed(&upper),
        &problem.bias,
        &compressed(&g),
        &constraints.right,
        &constraints.cones,
        settings,
    )
    .unwrap();
    solver.solve();
    let status = solver.solution.status;
    assert!(
        matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "Clarabel: {status:?}"
    );
    Answer::of(problem, &solver.solution.x)
}

fn compressed(matrix: &DMatrix<f64>) -> CscMatrix<f64> {
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in matrix.column_iter() {
        for (row, &value) in column.iter().enumerate() {
            if value != 0.0 {
                rows.push(row);
                values.push(value);
            }
        }
        starts.push(rows.len());
    }
    CscMatrix::new(matrix.nrows(), matrix.ncols(), starts, rows, values)
}

/// Exact solvers are asked for everything, iterative ones for what they are certain to converge on.
#[derive(Clone, Copy, PartialEq)]
enum Difficulty {
    Dominant,
    Any,
}

/// Compares one solver on one problem (as it is given to the solver, and as it is convex). Returns whether the solver takes it.
fn compare(entry: &SolverEntry, given: &Problem, convex: &Problem, difficulty: Difficulty, name: &str) -> bool {
    let iterative = entry.takes.accuracy == Accuracy::Iterative;
    if iterative && difficulty == Difficulty::Any {
        return false;
    }
    let has = |key: &str| entry.options().iter().any(|option| option.key == key);
    let spec = match iterative && has("iterations") {
        true => format!("{}:iterations=3000", entry.name),
        false => entry.name.to_owned(),
    };
    let mut impulses = vec![0.0; given.rows()];
    match solver(&spec).solve(given, &mut impulses, &mut Context::default()) {
        Err(SolveError::Unsupported { .. }) => return false,
        Err(error) => panic!("{spec} on {name}: {error}"),
        Ok(_) => {}
    }
    let (found, expected) = (Answer::of(convex, &impulses), clarabel(convex));
    let size = largest(expected.velocities.iter().chain(&convex.bias).copied());
    let apart = (&found.velocities - &expected.velocities).amax() / size;
    // Clarabel's objective is right to 1e-12 of its size. The objective is quadratic about the solution, so its velocities
    // are right to about the root of that, 1e-6; ten times as much for constants. Sweeps stop somewhat earlier.
    let tolerance = if iterative { 1e-4 } else { 1e-5 };
    assert!(apart < tolerance, "{spec} on {name}: velocities are {apart:.1e} apart");
    let scale = expected.objective.abs().max(size * size);
    let better = (expected.objective - found.objective).abs() / scale;
    assert!(
        better < tolerance * 1e-2,
        "{spec} on {name}: objectives are {better:.1e} apart"
    );
    true
}

/// Compares all solvers that `takes` lets pass; every one of them must have taken one of the problems at least.
fn compare_all(
    takes: impl Fn(FrictionLaw) -> bool,
    problems: &[(String, Problem, Problem, Difficulty)],
    at_least: &[&str],
) {
    let mut compared = Vec::new();
    for entry in registry::solvers()
        .into_iter()
        .filter(|entry| takes(entry.takes.friction))
    {
        let taken = problems
            .iter()
            .filter(|(name, given, convex, difficulty)| compare(entry, given, convex, *difficulty, name))
            .count();
        if taken > 0 {
            compared.push(entry.name);
        }
    }
    for name in at_least {
        assert!(compared.contains(name), "{name} was not compared: {compared:?}");
    }
}

/// `B Bᵀ` of the given rank, plus `shift` on the diagonal; rows of every kind with bounds. With a velocity from the range
/// of B there is a solution also where A is singular.
fn boxes(seed: u64, n: usize, rank: usize, shift: f64) -> Problem {
    let mut rng = Pcg64::seed_from_u64(seed);
    let b = DMatrix::from_fn(n, rank, |_, _| rng.random_range(-1.0..1.0));
    let a = &b * b.transpose() + DMatrix::identity(n, n) * shift;
    let velocity = &b * DVector::from_fn(rank, |_, _| rng.random_range(-1.0..1.0));
    let cones: Vec<Cone> = (0..n)
        .map(|row| match row % 6 {
            0..=2 => Cone::NonNegative,
            3 => Cone::Interval {
                lower: -0.2,
                upper: 0.3,
            },
            4 => Cone::Interval {
                lower: f64::NEG_INFINITY,
                upper: 0.1,
            },
            _ => Cone::Free,
        })
        .collect();
    let matrix = BlockMatrix::from_dense(&a, &vec![1; n]).unwrap();
    Problem::from_matrix(matrix, velocity.as_slice().to_vec(), &cones).unwrap()
}

#[test]
fn rows_with_bounds_agree_with_clarabel() {
    let problem = |name: &str, problem: Problem, difficulty| (name.to_owned(), problem.clone(), problem, difficulty);
    let mut problems = Vec::new();
    for seed in 0..3 {
        let dominant = boxes(seed, 12, 12, 40.0);
        problems.push(problem("dominant", dominant, Difficulty::Dominant));
        problems.push(problem("definite", boxes(10 + seed, 40, 40, 0.1), Difficulty::Any));
        problems.push(problem("semidefinite", boxes(20 + seed, 40, 25, 0.0), Difficulty::Any));
    }
    problems.push(problem(
        "stack",
        Pile::stack(&[1.0; 6]).problem(Cone::NonNegative),
        Difficulty::Any,
    ));
    compare_all(|_| true, &problems, &["interior-box", "interior-cone", "sap", "pgs"]);
}

/// Random contacts with joints and motors, heaps and a stack with four contacts a face.
fn frictional() -> Vec<(String, Problem, Difficulty)> {
    let mut problems = Vec::new();
    for seed in 0..2 {
        let sample = Sample::random(seed, 8, 16, true);
        problems.push((
            "dominant".into(),
            sample.clone().dominant().problem(),
            Difficulty::Dominant,
        ));
        problems.push(("sample".into(), sample.problem(), Difficulty::Any));
    }
    let friction = Cone::Friction { coefficient: 0.5 };
    let push = nalgebra::Vector3::new(0.2, 0.1, 0.0);
    problems.push((
        "stack".into(),
        Pile::stack(&[1.0; 5]).push(push).problem(friction),
        Difficulty::Any,
    ));
    problems.push(("heap".into(), Pile::heap(3, 3, 2).problem(friction), Difficulty::Any));
    problems
}

#[test]
fn second_order_cones_agree_with_clarabel() {
    let problems: Vec<_> = frictional()
        .into_iter()
        .map(|(name, problem, difficulty)| {
            let convex = relaxed(&problem).unwrap();
            (name, convex.clone(), convex, difficulty)
        })
        .collect();
    let cones = |law| matches!(law, FrictionLaw::Coulomb | FrictionLaw::Relaxed);
    compare_all(cones, &problems, &["interior-cone", "sap"]);
}

#[test]
fn relaxed_friction_agrees_with_clarabel() {
    let problems: Vec<_> = frictional()
        .into_iter()
        .map(|(name, problem, difficulty)| {
            let convex = relaxed(&problem).unwrap();
            (name, problem, convex, difficulty)
        })
        .collect();
    compare_all(|law| law == FrictionLaw::Relaxed, &problems, &["sap"]);
}
