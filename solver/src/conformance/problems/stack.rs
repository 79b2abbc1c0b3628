//! A tower of unit cubes on the ground, each on four contacts at its lower corners: three would do, so that impulses are
//! not unique while everything that moves is.
//!
//! Gravity may lean, which makes the ground a slope: the frame stays that of the ground, z along its normal.

use nalgebra::{Matrix3, Vector3};

use crate::cone::Cone;
use crate::delassus::{InverseMass, RigidBodies};
use crate::problem::{Operator, Problem, Row};

/// Half the side of a cube, m.
const HALF: f64 = 0.5;

/// One step of a tower of cubes that start at rest.
#[derive(Debug, Clone)]
pub struct Stack {
    /// The problem: four blocks of three rows a cube, from the ground up.
    pub problem: Problem,
    /// Masses from the ground up, kg.
    pub masses: Vec<f64>,
    /// What gravity would make of the velocity of every cube in the step, m/s.
    pub fall: Vector3<f64>,
}

impl Stack {
    /// Cubes of the given masses, in a step in which gravity changes velocities by `fall` (g h, downwards along −z).
    pub fn new(masses: &[f64], fall: Vector3<f64>, friction: f64) -> Self {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        let cubes: Vec<u32> = masses
            .iter()
            .map(|&mass| {
                let moment = mass * (2.0 * HALF).powi(2) / 6.0;
                assembler.add_body(InverseMass {
                    mass: 1.0 / mass,
                    inertia: Matrix3::identity() / moment,
                })
            })
            .collect();
        for (level, &cube) in cubes.iter().enumerate() {
            let below = match level {
                0 => RigidBodies::IMMOVABLE,
                _ => cubes[level - 1],
            };
            // What lies below falls as fast, unless it is the ground.
            let closing = if level == 0 { fall } else { Vector3::zeros() };
            for (x, y) in [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)] {
                let arms = [Vector3::new(x, y, HALF), Vector3::new(x, y, -HALF)];
                let rows = [Vector3::z(), Vector3::x(), Vector3::y()].map(|d| Row {
                    jacobian: point_row(&d, &arms),
                    bias: d.dot(&closing),
                    compliance: 0.0,
                });
                let cone = Cone::Friction { coefficient: friction };
                assembler.add_block([below, cube], cone, &rows);
            }
        }
        Self {
            problem,
            masses: masses.to_vec(),
            fall,
        }
    }

    /// The velocity of every cube after the step, its angular velocity behind it.
    pub fn velocities(&self, impulses: &[f64]) -> Vec<[Vector3<f64>; 2]> {
        let Operator::RigidBodies(bodies) = &self.problem.operator else {
            return Vec::new();
        };
        let mut change = vec![0.0; 6 * bodies.body_count()];
        bodies.velocity_change(impulses, &mut change);
        let vector = |at: usize| Vector3::new(change[at], change[at + 1], change[at + 2]);
        // Body 0 is the immovable one.
        (1..=self.masses.len())
            .map(|body| [self.fall + vector(6 * body), vector(6 * body + 3)])
            .collect()
    }

    /// The sum of the normal impulses under a cube, N·s.
    pub fn load(&self, level: usize, impulses: &[f64]) -> f64 {
        (0..4).map(|corner| impulses[12 * level + 3 * corner]).sum()
    }

    /// What it has to be for a tower that does not move along the normal: the weight of all that is above.
    pub fn weight(&self, level: usize) -> f64 {
        -self.masses[level..].iter().sum::<f64>() * self.fall.z
    }
}

/// The 12 numbers of a row along `d` at the given arms: the velocity of B's point minus that of A's.
pub(super) fn point_row(d: &Vector3<f64>, arms: &[Vector3<f64>; 2]) -> [f64; 12] {
    let parts = [-d, -arms[0].cross(d), *d, arms[1].cross(d)];
    std::array::from_fn(|k| parts[k / 3][k % 3])
}
