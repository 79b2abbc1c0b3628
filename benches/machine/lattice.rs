//! Contact problems of any size without a simulation: bodies on a cubic lattice, each touching its neighbours and the
//! lowest ones the ground.
//!
//! With one point a pair it is a packing of balls, with four a pile of bricks. All fall for a step of 0.01 s, and small
//! velocities, different at every point, make some contacts stick, some slide and some part.

use drystone::solver::{Cone, InverseMass, Problem, RigidBodies, Touch};
use nalgebra::{Matrix3, Vector3};

/// Contact points with friction, or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Three rows each.
    Rough,
    /// One row each, as the projection of positions has.
    Smooth,
}

/// A lattice with so many bodies on each side and so many points between neighbours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lattice {
    pub(crate) side: usize,
    pub(crate) points: usize,
}

/// Numbers between -1 and 1, always the same.
fn jitter(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

impl Lattice {
    /// The pairs of touching bodies and the axis between them, in the order of their bodies; 0 is the ground.
    fn pairs(&self) -> Vec<([u32; 2], usize)> {
        let side = self.side;
        let body = |[x, y, z]: [usize; 3]| (1 + x + side * (y + side * z)) as u32;
        let mut pairs = Vec::with_capacity(3 * side * side * side);
        for z in 0..side {
            for y in 0..side {
                for x in 0..side {
                    let own = [x, y, z];
                    if z == 0 {
                        pairs.push(([RigidBodies::IMMOVABLE, body(own)], 2));
                    }
                    for axis in 0..3 {
                        let mut next = own;
                        next[axis] += 1;
                        if next[axis] < side {
                            pairs.push(([body(own), body(next)], axis));
                        }
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// The problem.
    pub(crate) fn problem(&self, kind: Kind) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        for _ in 0..self.side.pow(3) {
            assembler.add_body(InverseMass {
                mass: 0.1,
                inertia: Matrix3::from_diagonal(&Vector3::new(0.6, 0.7, 0.8)),
            });
        }
        let pairs = self.pairs();
        let rows = if kind == Kind::Rough { 3 } else { 1 };
        let touches = pairs.len() * self.points;
        let mut slots = assembler.add_touches(touches, rows * touches);
        let mut state = 1;
        for (pair, axis) in pairs {
            for point in 0..self.points {
                let touch = self.touch(axis, point);
                let fall = if pair[0] == RigidBodies::IMMOVABLE {
                    -0.0981
                } else {
                    0.0
                };
                let mut speed = |mean: f64| mean + 0.01 * jitter(&mut state);
                match kind {
                    Kind::Rough => {
                        let bias = [speed(fall), speed(0.0), speed(0.0)];
                        slots.push(pair, Cone::Friction { coefficient: 0.25 }, &touch, bias);
                    }
                    Kind::Smooth => slots.push(pair, Cone::NonNegative, &touch, [speed(fall)]),
                }
            }
        }
        problem
    }

    fn touch(&self, axis: usize, point: usize) -> Touch {
        let unit = |axis: usize| Vector3::ith(axis % 3, 1.0);
        let (normal, tangent) = (unit(axis), unit(axis + 1));
        // Corners of a face, or its middle.
        let corner = if self.points == 1 {
            Vector3::zeros()
        } else {
            let sign = |bit: usize| if point >> bit & 1 == 0 { -0.5 } else { 0.5 };
            tangent * sign(0) + unit(axis + 2) * sign(1)
        };
        Touch {
            normal,
            tangent,
            arm_a: corner + 0.5 * normal,
            arm_b: corner - 0.5 * normal,
        }
    }
}
