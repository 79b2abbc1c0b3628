//! One contact by itself, where Coulomb's law has a closed form.
//!
//! A ball of mass m and radius r touches the ground at its lowest point, coming down at v_n and sliding at v_t. The arm
//! is along the normal, so the normal and the tangents do not act on each other: `A = diag(1/m, k, k)`,
//! `k = 1/m + r²/I`. The normal impulse is `m v_n`. To stop the sliding takes `v_t/k`; that is what friction gives if it
//! is no more than `μ m v_n`, and else it gives exactly `μ m v_n`, against the sliding.

mod common;

use common::{Sample, point_row, random_rotation, random_vector, solved};
use drystone_solver::{Cone, InverseMass, Problem, Residuals, RigidBodies, Row};
use nalgebra::{Matrix3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A dozen operations on numbers of size one.
const ROUNDING: f64 = 1e-12;

struct Ball {
    mass: f64,
    radius: f64,
    velocity: Vector3<f64>,
    friction: f64,
}

impl Ball {
    /// Solid: I = 2/5 m r².
    fn inertia(&self) -> f64 {
        0.4 * self.mass * self.radius * self.radius
    }

    /// The contact in a frame whose tangents are turned by `angle` about the normal, z.
    fn problem(&self, angle: f64) -> Problem {
        let body = InverseMass {
            mass: 1.0 / self.mass,
            inertia: Matrix3::identity() / self.inertia(),
        };
        contact(
            body,
            Vector3::new(0.0, 0.0, -self.radius),
            self.velocity,
            self.friction,
            &frame(angle),
        )
    }
}

fn frame(angle: f64) -> [Vector3<f64>; 3] {
    let (sin, cos) = angle.sin_cos();
    [Vector3::z(), Vector3::new(cos, sin, 0.0), Vector3::new(-sin, cos, 0.0)]
}

fn contact(
    body: InverseMass,
    arm: Vector3<f64>,
    velocity: Vector3<f64>,
    coefficient: f64,
    frame: &[Vector3<f64>; 3],
) -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let body = assembler.add_body(body);
    let rows = frame.map(|d| Row {
        jacobian: point_row(&d, &[Vector3::zeros(), arm]),
        bias: d.dot(&velocity),
        compliance: 0.0,
    });
    assembler.add_block([RigidBodies::IMMOVABLE, body], Cone::Friction { coefficient }, &rows);
    problem
}

/// The impulse in the world.
fn world(frame: &[Vector3<f64>; 3], impulses: &[f64]) -> Vector3<f64> {
    frame.iter().zip(impulses).map(|(d, x)| d * *x).sum()
}

fn random_ball(rng: &mut Pcg64) -> Ball {
    let mut velocity = random_vector(rng);
    velocity.z = rng.random_range(-1.0..-0.1);
    Ball {
        mass: rng.random_range(0.5..3.0),
        radius: rng.random_range(0.2..1.0),
        velocity,
        friction: rng.random_range(0.0..0.8),
    }
}

#[test]
fn a_ball_sticks_if_friction_suffices_and_else_slides_at_full_friction() {
    let mut rng = Pcg64::seed_from_u64(7);
    let (mut stuck, mut slid) = (0, 0);
    for _ in 0..200 {
        let ball = random_ball(&mut rng);
        let angle = rng.random_range(0.0..std::f64::consts::TAU);
        let normal = -ball.mass * ball.velocity.z;
        let sliding = Vector3::new(ball.velocity.x, ball.velocity.y, 0.0);
        let needed = -sliding / (1.0 / ball.mass + ball.radius * ball.radius / ball.inertia());
        let available = ball.friction * normal;
        let tangential = if needed.norm() <= available {
            stuck += 1;
            needed
        } else {
            slid += 1;
            -available * sliding.normalize()
        };
        let expected = tangential + Vector3::z() * normal;
        for solver in ["pgs", "psor", "jacobi", "mass-splitting", "nsgs"] {
            for granularity in ["rows", "blocks"] {
                let spec = match solver {
                    // Exact, so one visit is enough.
                    "nsgs" => "nsgs:iterations=1".to_owned(),
                    _ => format!("{solver}:friction=cone,granularity={granularity},iterations=300"),
                };
                let problem = ball.problem(angle);
                let impulses = solved(&spec, &problem);
                let found = world(&frame(angle), &impulses);
                assert!((found - expected).norm() < ROUNDING, "{spec}: {found} for {expected}");
                assert!(Residuals::of(&problem, &impulses).natural < ROUNDING);
            }
        }
    }
    assert!(stuck > 20 && slid > 20, "{stuck} {slid}");
}

/// A ball that leaves the ground gets nothing from it.
#[test]
fn a_parting_ball_is_left_alone() {
    let ball = Ball {
        mass: 1.0,
        radius: 0.5,
        velocity: Vector3::new(1.0, 0.3, 0.2),
        friction: 0.5,
    };
    for friction in ["box", "scaled-box", "cone"] {
        for granularity in ["rows", "blocks"] {
            let spec = format!("pgs:friction={friction},granularity={granularity}");
            assert_eq!(solved(&spec, &ball.problem(0.3)), [0.0; 3], "{spec}");
        }
    }
}

/// Without friction and without sliding the whole-block step has nothing to reject it but the sign of the normal.
#[test]
fn the_ground_does_not_pull_a_ball_without_friction() {
    let ball = Ball {
        mass: 1.0,
        radius: 0.5,
        velocity: Vector3::new(0.0, 0.0, 0.2),
        friction: 0.0,
    };
    for friction in ["box", "scaled-box", "cone"] {
        let spec = format!("pgs:granularity=blocks,friction={friction}");
        let problem = ball.problem(0.0);
        let impulses = solved(&spec, &problem);
        assert_eq!(impulses, [0.0; 3], "{spec}");
        assert_eq!(Residuals::of(&problem, &impulses).natural, 0.0);
    }
}

/// The disc looks the same from every direction. The box is ±μ λ_n along its own axes and √2 times that along its
/// diagonal; the scaled box is 1/√2 and 1.
#[test]
fn only_the_cone_does_not_mind_how_the_tangents_are_turned() {
    let ball = Ball {
        mass: 2.0,
        radius: 0.5,
        velocity: Vector3::new(3.0, 0.0, -1.0),
        friction: 0.3,
    };
    let coulomb = 0.3 * 2.0;
    let strength = |friction: &str, angle: f64| {
        let impulses = solved(&format!("pgs:friction={friction},iterations=100"), &ball.problem(angle));
        world(&frame(angle), &impulses).xy().norm()
    };
    let diagonal = std::f64::consts::FRAC_PI_4;
    let root = std::f64::consts::SQRT_2;
    for (friction, along_axis, along_diagonal) in [
        ("cone", coulomb, coulomb),
        ("box", coulomb, root * coulomb),
        ("scaled-box", coulomb / root, coulomb),
    ] {
        assert!((strength(friction, 0.0) - along_axis).abs() < ROUNDING, "{friction}");
        assert!(
            (strength(friction, diagonal) - along_diagonal).abs() < ROUNDING,
            "{friction}"
        );
    }
}

/// The same for a body of no symmetry with the contact anywhere: normal and tangents act on each other, the impulse is
/// found by iteration, and still does not depend on the frame.
#[test]
fn the_cone_is_isotropic_for_any_body_and_arm() {
    let mut rng = Pcg64::seed_from_u64(23);
    for seed in 0..40 {
        let body = Sample::random(seed, 1, 0, false).bodies[1];
        let arm = 0.5 * random_vector(&mut rng);
        let velocity = random_vector(&mut rng) - Vector3::z();
        let turn = random_rotation(&mut rng);
        let solve = |granularity: &str, angle: f64| {
            let frame = frame(angle).map(|d| turn * d);
            let problem = contact(body, arm, turn * velocity, 0.3, &frame);
            let spec = format!("pgs:friction=cone,granularity={granularity},iterations=3000");
            let impulses = solved(&spec, &problem);
            // Coulomb's law itself, by its residual.
            assert!(
                Residuals::of(&problem, &impulses).natural < ROUNDING,
                "seed {seed} {granularity}"
            );
            world(&frame, &impulses)
        };
        let reference = solve("rows", 0.0);
        for granularity in ["rows", "blocks"] {
            for angle in [0.4, 1.3, 2.9] {
                let difference = (solve(granularity, angle) - reference).norm();
                // The residual's rounding times the condition of a contact, some tens.
                assert!(difference < 1e-11, "seed {seed} {granularity}: {difference}");
            }
        }
    }
}
