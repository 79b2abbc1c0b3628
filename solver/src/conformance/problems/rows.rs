//! Rows with bounds, built backwards: first the solution, then the problem that has it.
//!
//! Impulses λ* and velocities w* are drawn so that they obey every row's law, then A, and `b = w* − Aλ*`. If A is positive
//! definite, symmetric or not, λ* is the only solution. If A is symmetric and only semidefinite, the impulses are not
//! unique but the velocities are.

use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::cone::Cone;
use crate::delassus::BlockMatrix;
use crate::error::SolveError;
use crate::problem::Problem;

/// A problem with a solution known in advance.
#[derive(Debug, Clone)]
pub struct Known {
    /// The problem.
    pub problem: Problem,
    /// λ*.
    pub impulses: Vec<f64>,
    /// w*.
    pub velocities: Vec<f64>,
}

/// What kind of A is drawn. All have a diagonal of about one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// Symmetric with eigenvalues between 0.5 and about 5.
    Definite,
    /// Symmetric, of half the rank.
    Semidefinite,
    /// Without symmetry, rows and columns dominated by their diagonal entry.
    Dominant,
    /// A definite one with as large a skew part: positive definite without symmetry or dominance.
    Skewed,
}

impl Matrix {
    fn draw(self, rng: &mut Pcg64, n: usize) -> DMatrix<f64> {
        match self {
            Self::Definite => gram(rng, n, n) + 0.5 * DMatrix::identity(n, n),
            Self::Semidefinite => gram(rng, n, (n / 2).max(1)),
            Self::Dominant => {
                let mut a = DMatrix::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0) / n as f64);
                for k in 0..n {
                    a[(k, k)] = 0.0;
                    let (row, column) = (a.row(k).abs().sum(), a.column(k).abs().sum());
                    a[(k, k)] = 0.2 + row.max(column);
                }
                a
            }
            Self::Skewed => {
                let square = DMatrix::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0) / (n as f64).sqrt());
                Self::Definite.draw(rng, n) + (&square - square.transpose())
            }
        }
    }
}

/// `G Gᵀ` with G of so many columns, and about ones on the diagonal: no entry of G is near zero.
fn gram(rng: &mut Pcg64, n: usize, rank: usize) -> DMatrix<f64> {
    let g = DMatrix::from_fn(n, rank, |_, _| {
        let size = rng.random_range(0.3..1.0);
        if rng.random_bool(0.5) { size } else { -size }
    });
    // The mean square of such an entry is 0.46.
    (&g * g.transpose()) / (0.46 * rank as f64)
}

/// Where a row's impulse lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Lower,
    Inside,
    Upper,
}

impl Known {
    /// `n` rows in blocks of up to three: joints, limits, motors with one bound, two, none, or no room between them.
    /// `degenerate` puts half of the rows at a bound where their velocity is zero too.
    pub fn rows(seed: u64, n: usize, matrix: Matrix, degenerate: bool) -> Result<Self, SolveError> {
        Self::with_cones(seed, n, matrix, degenerate, |rng| match rng.random_range(0..8) {
            0 => Cone::Free,
            1..4 => Cone::NonNegative,
            4 => interval(-0.5, 0.7),
            5 => interval(-0.3, f64::INFINITY),
            6 => interval(f64::NEG_INFINITY, 0.4),
            _ => [interval(f64::NEG_INFINITY, f64::INFINITY), interval(0.2, 0.2)][rng.random_range(0..2)],
        })
    }

    /// `n` free rows: a linear system.
    pub fn joints(seed: u64, n: usize, matrix: Matrix) -> Result<Self, SolveError> {
        Self::with_cones(seed, n, matrix, false, |_| Cone::Free)
    }

    /// `n` rows with `λ ≥ 0`: a linear complementarity problem in its plainest form.
    pub fn signs(seed: u64, n: usize, matrix: Matrix) -> Result<Self, SolveError> {
        Self::with_cones(seed, n, matrix, false, |_| Cone::NonNegative)
    }

    fn with_cones(
        seed: u64,
        n: usize,
        matrix: Matrix,
        degenerate: bool,
        mut cone: impl FnMut(&mut Pcg64) -> Cone,
    ) -> Result<Self, SolveError> {
        let mut rng = Pcg64::seed_from_u64(seed);
        let a = matrix.draw(&mut rng, n);
        let (mut sizes, mut cones) = (Vec::new(), Vec::new());
        let (mut impulses, mut velocities) = (Vec::new(), Vec::new());
        while impulses.len() < n {
            let size = rng.random_range(1..=3.min(n - impulses.len()));
            let cone = cone(&mut rng);
            for _ in 0..size {
                let (impulse, velocity) = obedient(&mut rng, &cone, degenerate);
                impulses.push(impulse);
                velocities.push(velocity);
            }
            sizes.push(size);
            cones.push(cone);
        }
        let bias = (0..n).map(|row| {
            let product: f64 = (0..n).map(|column| a[(row, column)] * impulses[column]).sum();
            velocities[row] - product
        });
        let bias = bias.collect();
        Ok(Self {
            problem: Problem::from_matrix(BlockMatrix::from_dense(&a, &sizes)?, bias, &cones)?,
            impulses,
            velocities,
        })
    }
}

fn interval(lower: f64, upper: f64) -> Cone {
    Cone::Interval { lower, upper }
}

/// An impulse and a velocity that obey a row's law.
fn obedient(rng: &mut Pcg64, cone: &Cone, degenerate: bool) -> (f64, f64) {
    let (lower, upper) = match *cone {
        Cone::NonNegative => (0.0, f64::INFINITY),
        Cone::Interval { lower, upper } => (lower, upper),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    };
    let mut places = vec![Place::Inside];
    if lower.is_finite() {
        places.push(Place::Lower);
    }
    if upper.is_finite() {
        places.push(Place::Upper);
    }
    let place = places[rng.random_range(0..places.len())];
    let speed = if degenerate && rng.random_bool(0.5) {
        0.0
    } else {
        rng.random_range(0.1..1.0)
    };
    let depth = rng.random_range(0.1..0.9);
    match place {
        Place::Lower => (lower, speed),
        Place::Upper => (upper, -speed),
        Place::Inside => {
            let impulse = match (lower.is_finite(), upper.is_finite()) {
                (true, true) => lower + depth * (upper - lower),
                (true, false) => lower + depth,
                (false, true) => upper - depth,
                (false, false) => 2.0 * depth - 1.0,
            };
            (impulse, 0.0)
        }
    }
}
