//! Pendulums: period, amplitude, the double pendulum against its Lagrange equations, rods and ropes without mass.
//!
//! Steps are of first order: velocities of the new step on poses of the old. So errors at a fixed time fall as h.

mod common;

use common::*;
use drystone::dynamics::{Attachment, Body, Distance, Hinge, Simulation, World};
use nalgebra::{Point3, UnitQuaternion, Vector3};

const LENGTH: f64 = 0.8;
const THICKNESS: f64 = 0.1;
const MASS: f64 = 1.3;

/// A rod of the pendulum with its upper end at `from`, at an angle from hanging in the plane of x and z, and its lower end.
fn rod(name: &str, from: Vector3<f64>, angle: f64) -> (Body, Vector3<f64>) {
    let half = 0.5 * THICKNESS;
    let along = LENGTH * Vector3::new(angle.sin(), 0.0, -angle.cos());
    let mut rod = cuboid(name, [half, half, 0.5 * LENGTH], MASS).at(from + 0.5 * along);
    rod.pose.rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -angle);
    (rod, from + along)
}

/// What pendulums hang from, too far up to be touched.
fn far_ceiling() -> Body {
    plane("ceiling", -Vector3::z()).at(Vector3::z() * 10.0)
}

/// Rods on hinges below the origin. The angle of a hinge grows with that of its rod.
fn pendulum(angles: &[f64]) -> World {
    let mut world = world(0.0, 0.0, [far_ceiling()]);
    let mut from = Vector3::zeros();
    let mut above = "ceiling".to_owned();
    for (k, &angle) in angles.iter().enumerate() {
        let name = format!("rod-{k}");
        let (body, end) = rod(&name, from, angle);
        world.add(body).expect("a rod");
        let attachment = Attachment::at(Point3::from(from)).axis(-Vector3::y());
        join(&mut world, &format!("hinge-{k}"), Hinge, [&above, &name], attachment);
        (from, above) = (end, name);
    }
    world
}

/// The inertia of a rod about its end, and its period for small angles, `2π √(I/(m g l/2))`.
fn small_period() -> f64 {
    let inertia = MASS * ((LENGTH * LENGTH + THICKNESS * THICKNESS) / 12.0 + 0.25 * LENGTH * LENGTH);
    std::f64::consts::TAU * (inertia / (MASS * G * 0.5 * LENGTH)).sqrt()
}

/// The time between the first and the third passage through the vertical.
fn period(simulation: &mut Simulation, angle: impl Fn(&Simulation) -> f64) -> f64 {
    let mut passages = Vec::new();
    let mut before = angle(simulation);
    while passages.len() < 3 {
        let time = simulation.world().time;
        run(simulation, 1);
        let after = angle(simulation);
        if before * after < 0.0 {
            passages.push(time + simulation.dt() * before / (before - after));
        }
        before = after;
        assert!(simulation.world().time < 20.0, "it does not swing");
    }
    passages[2] - passages[0]
}

fn rod_angle(simulation: &Simulation) -> f64 {
    let down = body(simulation, "rod-0").pose.rotation * -Vector3::z();
    down.x.atan2(-down.z)
}

/// The measured period over the exact one, `T₀ / agm(1, cos θ₀/2)`, less 1.
fn period_error(amplitude: f64, h: f64) -> f64 {
    let expected = small_period() / agm(1.0, (0.5 * amplitude).cos());
    let mut simulation = simulation(pendulum(&[amplitude]), DIRECT, h);
    period(&mut simulation, rod_angle) / expected - 1.0
}

/// Small swings are isochronous. There the method is the symplectic Euler rule of a harmonic oscillator, whose frequency
/// is `cos ωh = 1 − ω₀²h²/2`: the period is too short by ω₀²h²/24, and by nothing else; 1 % of that is for the amplitude.
#[test]
fn a_rod_swings_with_the_period_of_the_physical_pendulum() {
    let frequency = std::f64::consts::TAU / small_period();
    for h in [0.01, 0.004] {
        let expected = -(frequency * h).powi(2) / 24.0;
        assert_close(period_error(0.005, h), expected, 0.01);
    }
}

/// Large swings take longer, by 1.6 % at 0.5 rad and 16 % at 1.5. As the swing decays with the step, the period comes out
/// short in proportion to it.
#[test]
fn large_swings_take_longer() {
    for (amplitude, tolerance) in [(0.5, 2e-4), (1.5, 1e-2)] {
        let (coarse, fine) = (period_error(amplitude, 0.004), period_error(amplitude, 0.002));
        assert!(coarse.abs() < tolerance, "{amplitude} rad: {coarse:e}");
        assert_within(coarse / fine, 2.0, 0.2);
    }
}

/// A pendulum loses energy in proportion to the step, and never gains any over a swing.
#[test]
fn the_energy_of_a_pendulum_drifts_with_the_step() {
    let drift = |h: f64| {
        let mut simulation = simulation(pendulum(&[1.0]), DIRECT, h);
        let before = energy(&simulation);
        run(&mut simulation, (2.0 / h) as usize);
        (energy(&simulation) - before) / (MASS * G * LENGTH)
    };
    let (coarse, fine) = (drift(0.004), drift(0.002));
    assert!(coarse < 0.0 && coarse > -0.01, "{coarse:e}");
    assert_within(coarse / fine, 2.0, 0.1);
}

/// The physical double pendulum by Lagrange's equations, by Runge–Kutta with a step that makes its error invisible:
///
/// ```text
/// (I + m a² + m l²) θ₁'' + m l a cos(θ₁ − θ₂) θ₂'' + m l a sin(θ₁ − θ₂) θ₂'² + (m a + m l) g sin θ₁ = 0
/// (I + m a²) θ₂'' + m l a cos(θ₁ − θ₂) θ₁'' − m l a sin(θ₁ − θ₂) θ₁'² + m a g sin θ₂ = 0
/// ```
///
/// with a = l/2 and I about the centre of mass. Returns the centre of the lower rod.
fn lagrange(angles: [f64; 2], time: f64) -> Vector3<f64> {
    let (m, l, a) = (MASS, LENGTH, 0.5 * LENGTH);
    let inertia = m * (l * l + THICKNESS * THICKNESS) / 12.0;
    let slope = |&[p, q, dp, dq]: &[f64; 4]| {
        let (sin, cos) = (p - q).sin_cos();
        let matrix = [inertia + m * a * a + m * l * l, m * l * a * cos, inertia + m * a * a];
        let right = [
            -m * l * a * sin * dq * dq - (m * a + m * l) * G * p.sin(),
            m * l * a * sin * dp * dp - m * a * G * q.sin(),
        ];
        let determinant = matrix[0] * matrix[2] - matrix[1] * matrix[1];
        [
            dp,
            dq,
            (matrix[2] * right[0] - matrix[1] * right[1]) / determinant,
            (matrix[0] * right[1] - matrix[1] * right[0]) / determinant,
        ]
    };
    let steps = 20_000;
    let mut y = [angles[0], angles[1], 0.0, 0.0];
    for _ in 0..steps {
        y = runge_kutta(y, time / f64::from(steps), slope);
    }
    let hang = |angle: f64| Vector3::new(angle.sin(), 0.0, -angle.cos());
    l * hang(y[0]) + a * hang(y[1])
}

#[test]
fn a_double_pendulum_follows_its_lagrange_equations() {
    for (angles, bound) in [([0.3, -0.2], 5e-4), ([2.0, 1.0], 1e-2)] {
        for time in [0.5, 1.0] {
            let expected = lagrange(angles, time);
            let error = |h: f64| {
                let mut simulation = simulation(pendulum(&angles), DIRECT, h);
                run(&mut simulation, (time / h).round() as usize);
                (position(&simulation, "rod-1") - expected).norm()
            };
            let errors = [0.002, 0.001, 0.0005].map(error);
            assert!(errors[2] < bound, "{angles:?} after {time} s: {:e} m", errors[2]);
            // Of first order; what is left of the second order is a few hundredths.
            assert_within(errors[0] / errors[1], 2.0, 0.2);
            assert_within(errors[1] / errors[2], 2.0, 0.1);
        }
    }
}

/// A ball on a massless rod to its centre is the pendulum of a point, `θ'' = −g/l sin θ`, whatever its radius.
#[test]
fn a_ball_on_a_massless_rod_is_the_pendulum_of_a_point() {
    let (length, amplitude) = (0.7, 1.2_f64);
    let hang = |angle: f64| length * Vector3::new(angle.sin(), 0.0, -angle.cos());
    let hung = || {
        let ball = ball("ball", 0.2, 3.0).at(hang(amplitude));
        let mut world = world(0.0, 0.0, [far_ceiling(), ball]);
        let ends = Attachment::between(Point3::origin(), Point3::from(hang(amplitude)));
        join(&mut world, "rod", Distance::rod(), ["ceiling", "ball"], ends);
        world
    };
    let slope = |&[angle, rate]: &[f64; 2]| [rate, -G / length * angle.sin()];
    let exact = (0..10_000).fold([amplitude, 0.0], |y, _| runge_kutta(y, 1e-4, slope));
    let error = |h: f64| {
        let mut simulation = simulation(hung(), DIRECT, h);
        run(&mut simulation, (1.0 / h).round() as usize);
        assert_within(position(&simulation, "ball").norm(), length, 1e-9);
        (position(&simulation, "ball") - hang(exact[0])).norm()
    };
    let (coarse, fine) = (error(0.002), error(0.001));
    assert!(coarse < 0.01, "{coarse:e}");
    assert_within(coarse / fine, 2.0, 0.05);
}

/// A weightless ball on a slack rope flies straight; where the rope goes taut, the part of its velocity along the rope
/// is lost, or thrown back by Newton's law, and that across is kept.
#[test]
fn a_rope_is_slack_and_then_taut() {
    for restitution in [0.0, 0.5, 1.0] {
        let rope = Distance {
            restitution,
            ..Distance::rope(1.0)
        };
        let ball = moving(ball("ball", 0.05, 2.0).at(Vector3::x() * 0.6), [0.0, 2.0, 0.0]);
        let mut world = weightless(0.0, 0.0, [plane("wall", -Vector3::x()), ball]);
        let ends = Attachment::between(Point3::origin(), Point3::new(0.6, 0.0, 0.0));
        join(&mut world, "rope", rope, ["wall", "ball"], ends);
        let h = 1e-4;
        let mut simulation = simulation(world, DIRECT, h);
        // Taut at (0.6, 0.8), after 0.4 s.
        run(&mut simulation, 3990);
        assert_vector(velocity(&simulation, "ball"), Vector3::y() * 2.0, 1e-12);
        run(&mut simulation, 12);
        let (along, across) = (Vector3::new(0.6, 0.8, 0.0), Vector3::new(-0.8, 0.6, 0.0));
        let found = velocity(&simulation, "ball");
        // A taut ball goes on around: in the two steps since, it has turned by 2.4e-4 rad.
        assert_within(found.dot(&across), 1.2, 1e-6);
        assert_within(found.dot(&along), -restitution * 1.6, 5e-4);
    }
}

/// A rope between two free bodies jerks both: they end with a common velocity, or part again by Newton's law, and
/// momentum is kept to rounding.
#[test]
fn the_jerk_of_a_rope_keeps_momentum() {
    for restitution in [0.0, 0.5, 1.0] {
        let rope = Distance {
            restitution,
            ..Distance::rope(1.0)
        };
        let still = ball("still", 0.1, 1.0);
        let fast = moving(ball("fast", 0.1, 3.0).at(Vector3::x() * 0.5), [2.0, 0.0, 0.0]);
        let mut world = weightless(0.0, 0.0, [still, fast]);
        let ends = Attachment::between(Point3::origin(), Point3::new(0.5, 0.0, 0.0));
        join(&mut world, "rope", rope, ["still", "fast"], ends);
        let mut simulation = simulation(world, DIRECT, 0.001);
        run(&mut simulation, 260);
        let (slow, fast) = (velocity(&simulation, "still").x, velocity(&simulation, "fast").x);
        assert_within(slow + 3.0 * fast, 6.0, 1e-12);
        assert_within(fast - slow, -2.0 * restitution, 1e-11);
    }
}
