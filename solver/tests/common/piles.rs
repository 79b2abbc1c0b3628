//! Piles of rigid bodies in the moment after gravity has acted for a step: the contact problems that solvers meet.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test file compiles its own copy and uses a part of it"
)]

use drystone_solver::{Cone, InverseMass, Problem, RigidBodies, Row, Touch};
use nalgebra::{Matrix3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::common::{point_row, random_vector};

/// Gravity times the time step, m/s.
pub const FALL: f64 = 9.81 * 0.01;

/// Bodies with velocities, and the contacts between them.
pub struct Pile {
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
}

struct Body {
    inverse: InverseMass,
    centre: Vector3<f64>,
    velocity: Vector3<f64>,
    spin: Vector3<f64>,
}

struct Contact {
    /// 0 is the ground.
    pair: [usize; 2],
    point: Vector3<f64>,
    normal: Vector3<f64>,
}

impl Pile {
    /// No bodies yet, but the ground.
    pub fn new() -> Self {
        Self {
            bodies: vec![Body {
                inverse: InverseMass::ZERO,
                centre: Vector3::zeros(),
                velocity: Vector3::zeros(),
                spin: Vector3::zeros(),
            }],
            contacts: Vec::new(),
        }
    }

    /// Adds a cube of side 1 m.
    pub fn add_cube(&mut self, mass: f64, centre: Vector3<f64>, velocity: Vector3<f64>) -> usize {
        self.add(mass, mass / 6.0, centre, velocity)
    }

    fn add(&mut self, mass: f64, moment: f64, centre: Vector3<f64>, velocity: Vector3<f64>) -> usize {
        self.bodies.push(Body {
            inverse: InverseMass {
                mass: 1.0 / mass,
                inertia: Matrix3::identity() / moment,
            },
            centre,
            velocity,
            spin: Vector3::zeros(),
        });
        self.bodies.len() - 1
    }

    /// Adds the four corners of the face of cube `upper` that rests on `lower`.
    pub fn rest_on(&mut self, lower: usize, upper: usize) {
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            self.contacts.push(Contact {
                pair: [lower, upper],
                point: self.bodies[upper].centre + Vector3::new(x, y, -0.5),
                normal: Vector3::z(),
            });
        }
    }

    /// Cubes on each other, the first one on the ground, all falling together.
    pub fn stack(masses: &[f64]) -> Self {
        let mut pile = Self::new();
        for (k, &mass) in masses.iter().enumerate() {
            let upper = pile.add_cube(mass, Vector3::z() * (0.5 + k as f64), -Vector3::z() * FALL);
            pile.rest_on(k, upper);
        }
        pile
    }

    /// Balls of random size in a jittered lattice of `side`² by `height`, each touching its neighbours and the lowest ones the
    /// ground, falling and with some speed and spin of their own.
    pub fn heap(seed: u64, side: usize, height: usize) -> Self {
        let mut rng = Pcg64::seed_from_u64(seed);
        let mut pile = Self::new();
        let index = |x: usize, y: usize, z: usize| 1 + x + side * (y + side * z);
        for z in 0..height {
            for y in 0..side {
                for x in 0..side {
                    let mass = rng.random_range(0.5..5.0);
                    let centre = Vector3::new(x as f64, y as f64, 0.5 + z as f64) + 0.2 * random_vector(&mut rng);
                    let velocity = 0.1 * random_vector(&mut rng) - Vector3::z() * FALL;
                    let body = pile.add(mass, 0.1 * mass, centre, velocity);
                    pile.bodies[body].spin = 0.2 * random_vector(&mut rng);
                    let below = [
                        (z > 0).then(|| index(x, y, z - 1)),
                        (z > 0 && x > 0).then(|| index(x - 1, y, z - 1)),
                        (x > 0).then(|| index(x - 1, y, z)),
                        (y > 0).then(|| index(x, y - 1, z)),
                    ];
                    for other in below.into_iter().flatten() {
                        let normal = (centre - pile.bodies[other].centre).normalize();
                        let point = 0.5 * (centre + pile.bodies[other].centre);
                        pile.contacts.push(Contact {
                            pair: [other, body],
                            point,
                            normal,
                        });
                    }
                    if z == 0 {
                        pile.contacts.push(Contact {
                            pair: [0, body],
                            point: centre - Vector3::z() * 0.5,
                            normal: Vector3::z(),
                        });
                    }
                }
            }
        }
        pile
    }

    /// The frame of a contact as a touch, and the velocity there along its directions.
    fn touch(&self, contact: &Contact) -> (Touch, [f64; 3]) {
        let [a, b] = contact.pair.map(|body| &self.bodies[body]);
        let [arm_a, arm_b] = [contact.point - a.centre, contact.point - b.centre];
        let velocity = b.velocity + b.spin.cross(&arm_b) - a.velocity - a.spin.cross(&arm_a);
        let aside = if contact.normal.x.abs() < 0.5 {
            Vector3::x()
        } else {
            Vector3::y()
        };
        let touch = Touch {
            normal: contact.normal,
            tangent: contact.normal.cross(&aside).normalize(),
            arm_a,
            arm_b,
        };
        (touch, touch.directions().map(|direction| direction.dot(&velocity)))
    }

    /// The contacts as points instead of rows, with a cone that may depend on the contact.
    pub fn touches(&self, cone: impl Fn(usize) -> Cone) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        for body in &self.bodies[1..] {
            assembler.add_body(body.inverse);
        }
        let count = |cone: Cone| if cone == Cone::NonNegative { 1 } else { 3 };
        let rows = (0..self.contacts.len()).map(|contact| count(cone(contact))).sum();
        let mut slots = assembler.add_touches(self.contacts.len(), rows);
        for (index, contact) in self.contacts.iter().enumerate() {
            let (touch, bias) = self.touch(contact);
            let (pair, cone) = (contact.pair.map(|body| body as u32), cone(index));
            match count(cone) {
                1 => slots.push(pair, cone, &touch, [bias[0]]),
                _ => slots.push(pair, cone, &touch, bias),
            }
        }
        problem
    }

    /// The contacts as rows (normal, tangent 1, tangent 2), all with one cone.
    pub fn problem(&self, cone: Cone) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        for body in &self.bodies[1..] {
            assembler.add_body(body.inverse);
        }
        for contact in &self.contacts {
            let (touch, bias) = self.touch(contact);
            let arms = [touch.arm_a, touch.arm_b];
            let frame = touch.directions();
            let count = match cone {
                Cone::NonNegative => 1,
                _ => 3,
            };
            let rows: [Row; 3] = std::array::from_fn(|k| Row {
                jacobian: point_row(&frame[k], &arms),
                bias: bias[k],
                compliance: 0.0,
            });
            let pair = contact.pair.map(|body| body as u32);
            debug_assert_eq!(RigidBodies::IMMOVABLE, 0);
            assembler.add_block(pair, cone, &rows[..count]);
        }
        problem
    }

    /// Gives every body another velocity on top of its own.
    pub fn push(mut self, velocity: Vector3<f64>) -> Self {
        self.bodies[1..].iter_mut().for_each(|body| body.velocity += velocity);
        self
    }
}
