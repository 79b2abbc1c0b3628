//! Random bodies tied together by constraints of every kind: nothing about them is special but that they come from rigid
//! bodies, so that A is symmetric and semidefinite, and the same problem exists with and without an explicit matrix.

use nalgebra::{Matrix3, Rotation3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::stack::point_row;
use crate::cone::Cone;
use crate::delassus::{InverseMass, RigidBodies};
use crate::error::SolveError;
use crate::problem::{Problem, Row};

/// Which contacts there are between joints, limits and motors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// None.
    NoContacts,
    /// Friction, in space and in the plane, some of it with μ = 0.
    Friction,
    /// The relaxed cone.
    Relaxed,
    /// Friction and rolling friction.
    Rolling,
}

/// Bodies and constraints.
#[derive(Debug, Clone)]
pub struct Tangle {
    bodies: Vec<InverseMass>,
    constraints: Vec<([u32; 2], Cone, Vec<Row>)>,
}

impl Tangle {
    /// So many bodies of 1 to 5 kg and so many constraints on them, every fourth of these to the world. Every third row
    /// has compliance.
    pub fn random(seed: u64, bodies: usize, constraints: usize, kinds: Kinds) -> Self {
        let mut rng = Pcg64::seed_from_u64(seed);
        let mut tangle = Self {
            bodies: (0..bodies).map(|_| body(&mut rng)).collect(),
            constraints: Vec::new(),
        };
        for index in 0..constraints {
            let constraint = tangle.constraint(&mut rng, index, kinds);
            tangle.constraints.push(constraint);
        }
        tangle
    }

    fn constraint(&self, rng: &mut Pcg64, index: usize, kinds: Kinds) -> ([u32; 2], Cone, Vec<Row>) {
        let count = self.bodies.len() as u32;
        let b = rng.random_range(1..=count);
        let a = if index.is_multiple_of(4) || count == 1 {
            RigidBodies::IMMOVABLE
        } else {
            (b + rng.random_range(1..count) - 1) % count + 1
        };
        let (cone, len) = cone(rng, index, kinds);
        let frame = turn(rng);
        let arms = [vector(rng), vector(rng)];
        let rows = (0..len).map(|k| {
            let d = frame.column(k % 3).into_owned();
            Row {
                // A fourth and fifth row are on the angular velocities.
                jacobian: if k < 3 { point_row(&d, &arms) } else { angular_row(&d) },
                bias: rng.random_range(-1.0..1.0),
                compliance: match rng.random_range(0..3) {
                    0 => rng.random_range(0.01..0.2),
                    _ => 0.0,
                },
            }
        });
        ([a, b], cone, rows.collect())
    }

    /// The same with so much compliance that no row feels the others more than itself: every method converges, and the
    /// solution is unique.
    pub fn dominant(mut self) -> Result<Self, SolveError> {
        let a = self.problem().assembled()?.to_dense();
        let rows = self.constraints.iter_mut().flat_map(|(_, _, rows)| rows);
        for (index, row) in rows.enumerate() {
            row.compliance += a.row(index).abs().sum() - a[(index, index)];
        }
        Ok(self)
    }

    /// As a solver gets it.
    pub fn problem(&self) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        for body in &self.bodies {
            assembler.add_body(*body);
        }
        for (pair, cone, rows) in &self.constraints {
            assembler.add_block(*pair, *cone, rows);
        }
        problem
    }
}

fn cone(rng: &mut Pcg64, index: usize, kinds: Kinds) -> (Cone, usize) {
    let coefficient = [0.0, 0.2, 0.5, 0.9][rng.random_range(0..4)];
    let rows = rng.random_range(2..=3);
    match (index % 5, kinds) {
        (0 | 3, Kinds::Friction) => (Cone::Friction { coefficient }, rows),
        (0 | 3, Kinds::Relaxed) => (Cone::SecondOrder { coefficient }, rows),
        (0, Kinds::Rolling) => (Cone::Friction { coefficient }, rows),
        (3, Kinds::Rolling) => {
            let friction = coefficient;
            (Cone::Rolling { friction, rolling: 0.1 }, 5)
        }
        (1, _) => (Cone::Free, [3, 5][rng.random_range(0..2)]),
        (4, _) => {
            let lower = [f64::NEG_INFINITY, -0.05, 0.0][rng.random_range(0..3)];
            let upper = [f64::INFINITY, 0.05][rng.random_range(0..2)];
            (Cone::Interval { lower, upper }, rng.random_range(1..=2))
        }
        _ => (Cone::NonNegative, rng.random_range(1..=2)),
    }
}

fn vector(rng: &mut Pcg64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0))
}

fn turn(rng: &mut Pcg64) -> Matrix3<f64> {
    Rotation3::new(vector(rng) * std::f64::consts::PI).into_inner()
}

fn body(rng: &mut Pcg64) -> InverseMass {
    let moments = Vector3::from_fn(|_, _| rng.random_range(0.5..2.0_f64));
    let axes = turn(rng);
    let inertia = axes * Matrix3::from_diagonal(&moments.map(|moment| 1.0 / moment)) * axes.transpose();
    InverseMass {
        mass: 1.0 / rng.random_range(1.0..5.0),
        inertia: 0.5 * (inertia + inertia.transpose()),
    }
}

fn angular_row(d: &Vector3<f64>) -> [f64; 12] {
    let parts = [Vector3::zeros(), -d, Vector3::zeros(), *d];
    std::array::from_fn(|k| parts[k / 3][k % 3])
}
