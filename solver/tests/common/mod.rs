//! Random problems on rigid bodies, from a seed, with the geometry they were made of kept beside them so that tests can
//! work out the same matrices by other formulas.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test file compiles its own copy and uses a part of it"
)]

pub mod mechanisms;

use drystone_solver::{Cone, Context, InverseMass, Problem, RigidBodies, Row, Solver, registry};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A constraint between two points of two bodies, along the directions of an orthonormal frame; a hinge also has two
/// rows on the angular velocities.
#[derive(Debug, Clone)]
pub struct Constraint {
    /// Indices into the bodies; 0 is the immovable one.
    pub pair: [u32; 2],
    /// From each body's centre to the point.
    pub arms: [Vector3<f64>; 2],
    /// World directions of the rows; those from `angular_from` on are axes, not directions of motion.
    pub directions: Vec<Vector3<f64>>,
    /// Index of the first angular row.
    pub angular_from: usize,
    /// Where the impulses may lie.
    pub cone: Cone,
    /// The rows as the solver gets them.
    pub rows: Vec<Row>,
}

/// Bodies and constraints.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Inverse masses, the immovable body first.
    pub bodies: Vec<InverseMass>,
    /// In the order of the problem's blocks.
    pub constraints: Vec<Constraint>,
}

/// A solver with its options, from text.
pub fn solver(spec: &str) -> Box<dyn Solver> {
    let parsed = spec.parse().unwrap_or_else(|error| panic!("{spec}: {error}"));
    registry::solver(&parsed).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// The result of a solve that starts from zero with a fresh context.
pub fn solved(spec: &str, problem: &Problem) -> Vec<f64> {
    let mut impulses = vec![0.0; problem.rows()];
    solver(spec)
        .solve(problem, &mut impulses, &mut Context::default())
        .unwrap_or_else(|error| panic!("{spec}: {error}"));
    impulses
}

/// Numbers of size one.
pub fn random_vector(rng: &mut Pcg64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0))
}

pub fn random_rotation(rng: &mut Pcg64) -> Rotation3<f64> {
    Rotation3::new(random_vector(rng) * std::f64::consts::PI)
}

/// 1 to 5 kg, with principal moments of inertia that obey no symmetry.
pub fn random_body(rng: &mut Pcg64) -> InverseMass {
    let moments = Vector3::from_fn(|_, _| rng.random_range(0.5..2.0_f64));
    let turn = random_rotation(rng).into_inner();
    let inertia = turn * Matrix3::from_diagonal(&moments.map(|moment| 1.0 / moment)) * turn.transpose();
    InverseMass {
        mass: 1.0 / rng.random_range(1.0..5.0),
        inertia: 0.5 * (inertia + inertia.transpose()),
    }
}

/// The 12 numbers of a row along `d` at the given arms: the velocity of B's point minus that of A's.
pub fn point_row(d: &Vector3<f64>, arms: &[Vector3<f64>; 2]) -> [f64; 12] {
    twelve(&[-d, -arms[0].cross(d), *d, arms[1].cross(d)])
}

pub fn twelve(parts: &[Vector3<f64>; 4]) -> [f64; 12] {
    std::array::from_fn(|k| parts[k / 3][k % 3])
}

impl Sample {
    /// A tangle of `bodies` bodies and `constraints` constraints of every kind; `hinges` says whether some of them have
    /// angular rows. Every third row has compliance.
    pub fn random(seed: u64, bodies: usize, constraints: usize, hinges: bool) -> Self {
        let mut rng = Pcg64::seed_from_u64(seed);
        let mut sample = Self {
            bodies: vec![InverseMass::ZERO],
            constraints: Vec::new(),
        };
        sample.bodies.extend((0..bodies).map(|_| random_body(&mut rng)));
        for index in 0..constraints {
            let constraint = sample.random_constraint(&mut rng, index, hinges);
            sample.constraints.push(constraint);
        }
        sample
    }

    fn random_constraint(&self, rng: &mut Pcg64, index: usize, hinges: bool) -> Constraint {
        let last = self.bodies.len() as u32;
        let b = rng.random_range(1..last);
        // Every fourth one hangs on the world.
        let a = if index.is_multiple_of(4) || last == 2 {
            RigidBodies::IMMOVABLE
        } else {
            (b + rng.random_range(1..last - 1) - 1) % (last - 1) + 1
        };
        let (cone, len) = match index % 5 {
            0 | 3 => {
                let coefficient = [0.0, 0.2, 0.5, 0.9][rng.random_range(0..4)];
                (Cone::Friction { coefficient }, 3)
            }
            1 => (Cone::Free, if hinges { 5 } else { 3 }),
            2 => (Cone::NonNegative, rng.random_range(1..=2)),
            _ => {
                let lower = [f64::NEG_INFINITY, -0.05, 0.0][rng.random_range(0..3)];
                let upper = [f64::INFINITY, 0.05][rng.random_range(0..2)];
                (Cone::Interval { lower, upper }, rng.random_range(1..=2))
            }
        };
        let frame = random_rotation(rng).into_inner();
        let directions: Vec<Vector3<f64>> = (0..len).map(|k| frame.column(k % 3).into_owned()).collect();
        let arms = [random_vector(rng), random_vector(rng)];
        let angular_from = 3;
        let rows = directions
            .iter()
            .enumerate()
            .map(|(k, d)| Row {
                jacobian: if k < angular_from {
                    point_row(d, &arms)
                } else {
                    twelve(&[Vector3::zeros(), -d, Vector3::zeros(), *d])
                },
                bias: rng.random_range(-1.0..1.0),
                compliance: if rng.random_range(0..3) == 0 {
                    rng.random_range(0.01..0.2)
                } else {
                    0.0
                },
            })
            .collect();
        Constraint {
            pair: [a, b],
            arms,
            directions,
            angular_from,
            cone,
            rows,
        }
    }

    /// The same sample with so much compliance that A is diagonally dominant: every splitting method converges on it,
    /// quickly.
    pub fn dominant(mut self) -> Self {
        let a = self.dense();
        let rows = self.constraints.iter_mut().flat_map(|constraint| &mut constraint.rows);
        for (index, row) in rows.enumerate() {
            row.compliance += a.row(index).iter().map(|x| x.abs()).sum::<f64>() - a[(index, index)];
        }
        self
    }

    /// As a solver gets it.
    pub fn problem(&self) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        for body in &self.bodies[1..] {
            assembler.add_body(*body);
        }
        for constraint in &self.constraints {
            assembler.add_block(constraint.pair, constraint.cone, &constraint.rows);
        }
        problem
    }

    /// `J M⁻¹ Jᵀ + Σ` by dense products of whole matrices.
    pub fn dense(&self) -> DMatrix<f64> {
        let rows: Vec<([u32; 2], Row)> = self
            .constraints
            .iter()
            .flat_map(|constraint| constraint.rows.iter().map(|row| (constraint.pair, *row)))
            .collect();
        let mut j = DMatrix::zeros(rows.len(), 6 * self.bodies.len());
        for (index, (pair, row)) in rows.iter().enumerate() {
            for (side, &body) in pair.iter().enumerate() {
                for k in 0..6 {
                    j[(index, 6 * body as usize + k)] = row.jacobian[6 * side + k];
                }
            }
        }
        let mut inverse_mass = DMatrix::zeros(6 * self.bodies.len(), 6 * self.bodies.len());
        for (index, body) in self.bodies.iter().enumerate() {
            let at = 6 * index;
            inverse_mass.view_mut((at, at), (3, 3)).fill_diagonal(body.mass);
            inverse_mass.view_mut((at + 3, at + 3), (3, 3)).copy_from(&body.inertia);
        }
        let compliance = DVector::from_iterator(rows.len(), rows.iter().map(|(_, row)| row.compliance));
        &j * inverse_mass * j.transpose() + DMatrix::from_diagonal(&compliance)
    }
}

/// A stack of unit cubes of the given masses, four contacts under each, after a step of free fall of 0.01 s; the top one
/// also moves sideways at `push`.
pub fn stack(masses: &[f64], coefficient: f64, push: f64) -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let bodies: Vec<u32> = masses
        .iter()
        .map(|&mass| {
            assembler.add_body(InverseMass {
                mass: 1.0 / mass,
                inertia: Matrix3::identity() * (6.0 / mass),
            })
        })
        .collect();
    let fall = Vector3::new(0.0, 0.0, -0.0981);
    for (index, &body) in bodies.iter().enumerate() {
        let below = if index == 0 {
            RigidBodies::IMMOVABLE
        } else {
            bodies[index - 1]
        };
        let side = if index + 1 == masses.len() { push } else { 0.0 };
        let relative = if index == 0 { fall } else { Vector3::zeros() } + Vector3::new(side, 0.3 * side, 0.0);
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            let arms = [Vector3::new(x, y, 0.5), Vector3::new(x, y, -0.5)];
            let rows = [Vector3::z(), Vector3::x(), Vector3::y()].map(|d| Row {
                jacobian: point_row(&d, &arms),
                bias: d.dot(&relative),
                compliance: 0.0,
            });
            assembler.add_block([below, body], Cone::Friction { coefficient }, &rows);
        }
    }
    problem
}

/// The largest absolute entry.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |largest, x| largest.max(x.abs()))
}

/// The largest absolute difference.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(a.iter().zip(b).map(|(a, b)| a - b))
}
