//! Mechanisms with more joint rows than they need: what holds them is not determined, how they move is.
//!
//! All have fallen for a step, b = J u, so the joints do not contradict each other: velocities w = 0 on all rows are possible,
//! and they are unique. Which impulses bring them about is up to the solver.

use nalgebra::{Matrix3, Vector3};

use crate::cone::Cone;
use crate::delassus::{InverseMass, RigidBodies};
use crate::problem::{Problem, Row};

/// How a mechanism is over-constrained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redundant {
    /// A plate on four legs that are fixed to it and stand on ball joints: 36 rows of rank 30.
    Table,
    /// A bar with a hinge at either end, between two walls: 10 rows of rank 6.
    Bar,
    /// A planar four-bar linkage with hinges in space: 20 rows of rank 17.
    FourBar,
    /// Two links, each held at so many points, with three rows a point: of rank 5 a link for two points, of rank 6 for
    /// more.
    Points {
        /// How many.
        count: usize,
        /// Whether all rows of a link are one block, which is singular by itself.
        together: bool,
    },
}

type Vector = Vector3<f64>;

/// The velocity that all bodies have gained, m/s.
const FALL: Vector = Vector3::new(0.1, 0.05, -0.3);

impl Redundant {
    /// One of every kind.
    pub const ALL: [Self; 9] = [
        Self::Table,
        Self::Bar,
        Self::FourBar,
        Self::points(2, false),
        Self::points(3, false),
        Self::points(6, false),
        Self::points(2, true),
        Self::points(3, true),
        Self::points(6, true),
    ];

    const fn points(count: usize, together: bool) -> Self {
        Self::Points { count, together }
    }

    /// The problem: free rows only.
    pub fn problem(self) -> Problem {
        match self {
            Self::Table => table(),
            Self::Bar => bar(),
            Self::FourBar => four_bar(),
            Self::Points { count, together } => points(count, together),
        }
    }

    /// The same with its last row, which follows from others, asked for a velocity that is larger by so much: no impulses
    /// can meet all rows.
    pub fn contradictory(self, by: f64) -> Problem {
        let mut problem = self.problem();
        if let Some(last) = problem.bias.last_mut() {
            *last += by;
        }
        problem
    }
}

fn table() -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let plate = assembler.add_body(body(10.0));
    for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
        let leg = assembler.add_body(body(1.0));
        let foot = ball(Vector::zeros(), Vector::new(0.0, 0.0, -0.4), FALL);
        assembler.add_block([RigidBodies::IMMOVABLE, leg], Cone::Free, &foot);
        let mut top = ball(Vector::new(x, y, 0.0), Vector::new(0.0, 0.0, 0.4), Vector::zeros());
        top.extend(axes().map(angular));
        assembler.add_block([plate, leg], Cone::Free, &top);
    }
    problem
}

fn bar() -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let bar = assembler.add_body(body(2.0));
    for end in [-0.5, 0.5] {
        let hinge = hinge(Vector::zeros(), Vector::new(end, 0.0, 0.0), FALL);
        assembler.add_block([RigidBodies::IMMOVABLE, bar], Cone::Free, &hinge);
    }
    problem
}

fn four_bar() -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let [a, b, c] = [(); 3].map(|()| assembler.add_body(body(1.0)));
    let world = RigidBodies::IMMOVABLE;
    let at = |x: f64, z: f64| Vector::new(x, 0.0, z);
    for (pair, arms, speed) in [
        ([world, a], [at(0.0, 0.0), at(0.0, -0.5)], FALL),
        ([a, b], [at(0.1, 0.5), at(-0.5, 0.1)], Vector::zeros()),
        ([b, c], [at(0.5, 0.0), at(0.0, 0.4)], Vector::zeros()),
        ([world, c], [at(0.0, 0.0), at(0.2, -0.5)], FALL),
    ] {
        assembler.add_block(pair, Cone::Free, &hinge(arms[0], arms[1], speed));
    }
    problem
}

fn points(count: usize, together: bool) -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let mut last = RigidBodies::IMMOVABLE;
    for link in 0..2 {
        let next = assembler.add_body(body(1.0));
        let speed = if link == 0 { FALL } else { Vector::zeros() };
        let mut all = Vec::new();
        for point in 0..count {
            let t = point as f64;
            let offset = Vector::new(0.3 * (1.3 * t).cos(), 0.3 * (2.1 * t).sin(), 0.2 * t.sin());
            let half = Vector::new(0.5, 0.0, 0.0);
            let rows = ball(half + offset, offset - half, speed);
            if together {
                all.extend(rows);
            } else {
                assembler.add_block([last, next], Cone::Free, &rows);
            }
        }
        if together {
            assembler.add_block([last, next], Cone::Free, &all);
        }
        last = next;
    }
    problem
}

fn body(mass: f64) -> InverseMass {
    InverseMass {
        mass: 1.0 / mass,
        inertia: Matrix3::from_diagonal(&Vector::new(12.0, 9.0, 6.0)) / mass,
    }
}

fn axes() -> [Vector; 3] {
    [Vector::z(), Vector::x(), Vector::y()]
}

/// Three rows that hold a point.
fn ball(arm_a: Vector, arm_b: Vector, speed: Vector) -> Vec<Row> {
    let row = |d: Vector| row([-d, -arm_a.cross(&d), d, arm_b.cross(&d)], d.dot(&speed));
    axes().map(row).to_vec()
}

/// A point, and the axes across y.
fn hinge(arm_a: Vector, arm_b: Vector, speed: Vector) -> Vec<Row> {
    let mut rows = ball(arm_a, arm_b, speed);
    rows.extend([Vector::z(), Vector::x()].map(angular));
    rows
}

fn angular(axis: Vector) -> Row {
    row([Vector::zeros(), -axis, Vector::zeros(), axis], 0.0)
}

fn row(parts: [Vector; 4], bias: f64) -> Row {
    Row {
        jacobian: std::array::from_fn(|k| parts[k / 3][k % 3]),
        bias,
        compliance: 0.0,
    }
}
