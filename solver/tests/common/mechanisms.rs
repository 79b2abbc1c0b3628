//! Mechanisms of rods: chains, trees and rings of any length, doors on too many hinges.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test file compiles its own copy and uses a part of it"
)]

use drystone_solver::{Cone, InverseMass, Problem, RigidBodies, Row};
use nalgebra::{Matrix3, Vector3};

use super::{point_row, twelve};

/// The directions of a ball joint's rows: along gravity first.
pub const AXES: [Vector3<f64>; 3] = [
    Vector3::new(0.0, 0.0, 1.0),
    Vector3::new(1.0, 0.0, 0.0),
    Vector3::new(0.0, 1.0, 0.0),
];

/// A body of so many kg and a size of about one metre.
pub fn rod(mass: f64) -> InverseMass {
    InverseMass {
        mass: 1.0 / mass,
        inertia: Matrix3::identity() * (12.0 / mass),
    }
}

/// How the links hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Straight down from the world.
    Hanging,
    /// From the world, bent in all directions.
    Chain,
    /// The same with the last link held by the world too.
    Bridge,
    /// Every link carries two.
    Tree,
    /// Bent, with the last link joined to the first.
    Ring,
}

/// Links of length 1 after they have all fallen for a step.
#[derive(Debug, Clone, Copy)]
pub struct Mechanism {
    shape: Shape,
    links: usize,
    hinges: bool,
    last_mass: f64,
    fall: f64,
}

impl Mechanism {
    /// Links of 1 kg on ball joints that have gained 0.1 m/s.
    pub fn new(shape: Shape, links: usize) -> Self {
        Self {
            shape,
            links,
            hinges: false,
            last_mass: 1.0,
            fall: 0.1,
        }
    }

    /// With hinges about changing axes instead of ball joints.
    pub fn hinges(mut self) -> Self {
        self.hinges = true;
        self
    }

    /// With a last link of another mass.
    pub fn with_last(mut self, mass: f64) -> Self {
        self.last_mass = mass;
        self
    }

    /// As a solver gets it: the joints in the order of the links, and the one that closes the loop.
    pub fn problem(&self) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        let fall = Vector3::new(0.0, 0.0, -self.fall);
        let bodies: Vec<u32> = (1..=self.links)
            .map(|link| assembler.add_body(rod(if link == self.links { self.last_mass } else { 1.0 })))
            .collect();
        let direction = |link: f64| match self.shape {
            Shape::Hanging => -Vector3::z(),
            _ => {
                let turn = 0.37 * link;
                Vector3::new(turn.cos(), 0.8 * turn.sin(), 0.6 * turn.sin())
            }
        };
        for link in 0..self.links {
            // All links fall alike, so only joints on the world see a velocity.
            let (parent, speed) = match (link, self.shape) {
                (0, _) => (RigidBodies::IMMOVABLE, fall),
                (_, Shape::Tree) => (bodies[(link - 1) / 2], Vector3::zeros()),
                _ => (bodies[link - 1], Vector3::zeros()),
            };
            let arms = [0.5 * direction(link as f64 - 1.0), -0.5 * direction(link as f64)];
            assembler.add_block([parent, bodies[link]], Cone::Free, &self.joint(link, arms, speed));
        }
        let (a, b) = (Vector3::new(0.1, 0.2, 0.4), Vector3::new(0.3, 0.2, 0.4));
        let last = bodies[self.links - 1];
        match self.shape {
            Shape::Bridge => {
                assembler.add_block([RigidBodies::IMMOVABLE, last], Cone::Free, &self.joint(1, [a, b], fall))
            }
            Shape::Ring => assembler.add_block([bodies[0], last], Cone::Free, &self.joint(1, [a, b], Vector3::zeros())),
            _ => {}
        }
        problem
    }

    fn joint(&self, index: usize, arms: [Vector3<f64>; 2], speed: Vector3<f64>) -> Vec<Row> {
        let mut rows = ball(arms, speed).to_vec();
        if self.hinges {
            rows.extend((0..3).filter(|k| *k != index % 3).map(|k| angular(&AXES[k], 0.0)));
        }
        rows
    }

    /// A door of 10 kg on hinges at the given heights, each of which holds three directions and two axes: five rows more
    /// than it needs with every hinge after the first. The second's first row asks for another velocity.
    pub fn door(hinges: &[f64], bias_of_second: f64) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        let body = assembler.add_body(rod(10.0));
        for (index, &height) in hinges.iter().enumerate() {
            let arms = [Vector3::zeros(), Vector3::new(-0.5, 0.0, height)];
            let mut rows = ball(arms, Vector3::new(0.0, 0.0, -0.1)).to_vec();
            rows.extend([angular(&AXES[1], 0.0), angular(&AXES[2], 0.0)]);
            if index == 1 {
                rows[0].bias += bias_of_second;
            }
            assembler.add_block([RigidBodies::IMMOVABLE, body], Cone::Free, &rows);
        }
        problem
    }
}

/// Three rows that hold a point.
pub fn ball(arms: [Vector3<f64>; 2], speed: Vector3<f64>) -> [Row; 3] {
    AXES.map(|d| Row {
        jacobian: point_row(&d, &arms),
        bias: d.dot(&speed),
        compliance: 0.0,
    })
}

/// A row on the angular velocity about an axis.
pub fn angular(axis: &Vector3<f64>, speed: f64) -> Row {
    Row {
        jacobian: twelve(&[Vector3::zeros(), -axis, Vector3::zeros(), *axis]),
        bias: speed,
        compliance: 0.0,
    }
}

/// The largest velocity of a joint's row, which should have none.
pub fn joint_error(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut velocities = vec![0.0; problem.rows()];
    problem.velocities(impulses, &mut velocities);
    let joints = problem.blocks.iter().filter(|block| block.cone == Cone::Free);
    super::largest(joints.flat_map(|block| velocities[block.rows()].to_vec()))
}
