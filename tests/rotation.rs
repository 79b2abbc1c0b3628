//! The torque-free top, and how orientations follow angular velocities.

mod common;

use common::*;
use drystone::dynamics::{Body, OrientationUpdate, Simulation};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// Principal moments of the top, kg·m².
const MOMENTS: [f64; 3] = [1.0, 2.0, 2.5];

/// A top in free space, turned out of the axes so that no zero hides a mistake; its spin is given in its own frame.
fn top(spin: [f64; 3], method: &str, h: f64) -> Simulation {
    let mut top = ball("top", 0.5, 1.0);
    top.inertia = Matrix3::from_diagonal(&MOMENTS.into());
    top.pose.rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -0.7, 0.2));
    top.angular_velocity = top.pose.rotation * Vector3::from(spin);
    simulation(weightless(0.0, 0.0, [top]), method, h)
}

/// The angular velocity in the body's frame.
fn own_spin(simulation: &Simulation) -> Vector3<f64> {
    let top = body(simulation, "top");
    top.pose.rotation.inverse_transform_vector(&top.angular_velocity)
}

const MIDPOINT: &str = "semi-implicit:gyroscopic=midpoint/pgs";
const EXPLICIT: &str = "semi-implicit:gyroscopic=explicit/pgs";

/// Energy and the length of the angular momentum are quadratic invariants of Euler's equations, which the midpoint
/// rule keeps.
#[test]
fn the_midpoint_rule_keeps_energy_and_the_length_of_the_angular_momentum() {
    let mut simulation = top([0.5, 3.0, -0.4], MIDPOINT, 0.01);
    let measure = |top: &Body| (top.kinetic_energy(), top.spin().norm());
    let (energy, momentum) = measure(body(&simulation, "top"));
    for _ in 0..10_000 {
        run(&mut simulation, 1);
        let (now, length) = measure(body(&simulation, "top"));
        // Newton's method stops at 1e-15; ten thousand steps add that up at worst linearly.
        assert_close(now, energy, 1e-11);
        assert_close(length, momentum, 1e-11);
    }
}

/// Explicit Euler drifts with the first power of h.
#[test]
fn the_explicit_gyroscopic_term_drifts_to_first_order() {
    let drift = |h: f64| {
        let mut simulation = top([0.5, 3.0, -0.4], EXPLICIT, h);
        let (energy, momentum) = (
            simulation.world().kinetic_energy(),
            body(&simulation, "top").spin().norm(),
        );
        run(&mut simulation, (2.0 / h).round() as usize);
        (
            simulation.world().kinetic_energy() / energy - 1.0,
            body(&simulation, "top").spin().norm() / momentum - 1.0,
        )
    };
    let (coarse, fine) = (drift(0.001), drift(0.0005));
    // It gains.
    assert!(coarse.0 > 1e-4 && coarse.1 > 1e-4, "{coarse:?}");
    // The term of second order is h times larger or smaller by some rates of the top, here below 10/s.
    assert_close(coarse.0 / fine.0, 2.0, 0.01);
    assert_close(coarse.1 / fine.1, 2.0, 0.01);
}

/// The angular momentum, a vector of the world, is kept to first order: orientations follow the new angular velocity.
#[test]
fn the_direction_of_the_angular_momentum_is_kept_to_first_order() {
    let error = |h: f64| {
        let mut simulation = top([0.5, 3.0, -0.4], MIDPOINT, h);
        let before = body(&simulation, "top").spin();
        run(&mut simulation, (2.0 / h).round() as usize);
        (body(&simulation, "top").spin() - before).norm() / before.norm()
    };
    let errors = [0.004, 0.002, 0.001].map(error);
    // The angle per step is off by h²/2 I⁻¹(Iω × ω), some 3 rad/s² here; part of it comes back as the top turns.
    assert!(errors[0] < 0.004 * 3.0, "{errors:?}");
    for pair in errors.windows(2) {
        // Second-order terms are h times a rate of the top.
        assert_close(pair[0] / pair[1], 2.0, 0.03);
    }
}

/// The period of the angular velocity in the body's frame after Landau and Lifshitz, Mechanics §37: Jacobi's functions
/// with modulus k, and K(k) = π / (2 agm(1, √(1 − k²))).
fn exact_period(spin: [f64; 3]) -> f64 {
    let [mut i1, i2, mut i3] = MOMENTS;
    let twice_energy: f64 = (0..3).map(|k| MOMENTS[k] * spin[k] * spin[k]).sum();
    let momentum: f64 = (0..3).map(|k| (MOMENTS[k] * spin[k]).powi(2)).sum();
    if momentum < twice_energy * i2 {
        std::mem::swap(&mut i1, &mut i3);
    }
    let rate = ((i3 - i2) * (momentum - twice_energy * i1) / (i1 * i2 * i3)).sqrt();
    let modulus = (i2 - i1) * (twice_energy * i3 - momentum) / ((i3 - i2) * (momentum - twice_energy * i1));
    let (mut a, mut b) = (1.0, (1.0 - modulus).sqrt());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    4.0 * std::f64::consts::PI / (2.0 * a) / rate
}

/// The mean time between sign changes of the spin about the middle axis.
fn flip_time(spin: [f64; 3], h: f64, flips: usize) -> f64 {
    let mut simulation = top(spin, MIDPOINT, h);
    let (mut before, mut first, mut last, mut count) = (spin[1], 0.0, 0.0, 0);
    while count <= flips {
        run(&mut simulation, 1);
        let now = own_spin(&simulation).y;
        if now * before < 0.0 {
            // The spin crosses zero on a straight line: its second derivative is zero there.
            last = simulation.world().time - h * now / (now - before);
            if count == 0 {
                first = last;
            }
            count += 1;
        }
        before = now;
    }
    (last - first) / flips as f64
}

/// Dzhanibekov: spin about the middle axis is unstable and turns over and over, with a period in closed form.
#[test]
fn a_top_flips_about_its_middle_axis_with_the_exact_period() {
    let spin = [0.05, 3.0, 0.02];
    let exact = 0.5 * exact_period(spin);
    // Independent of the closed form's transcription: a flip takes some e-foldings of ω₂√((I₃−I₂)(I₂−I₁)/(I₁I₃)).
    let growth = 3.0 * (0.5 * 1.0 / 2.5_f64).sqrt();
    assert!((6.0..12.0).contains(&(exact * growth)), "{exact} s, {growth} 1/s");
    let error = |h: f64| flip_time(spin, h, 6) / exact - 1.0;
    let (coarse, fine) = (error(0.01), error(0.005));
    // The midpoint rule is of second order: (ωh)²/12 is 7.5e-5 of a period, and halving h quarters it.
    assert!(fine.abs() < 1e-4, "{coarse:e} {fine:e}");
    assert_close(coarse / fine, 4.0, 0.02);
}

/// About the axes of least and greatest inertia the top is steady: the other components stay below their amplitude in
/// the exact solution, √((2E I₃ − L²)/(I₂(I₃ − I₂))) and so on.
#[test]
fn a_top_is_steady_about_the_outer_axes() {
    for axis in [0, 2] {
        let mut spin = [0.02; 3];
        spin[axis] = 3.0;
        let other = 2 - axis;
        let twice_energy: f64 = (0..3).map(|k| MOMENTS[k] * spin[k] * spin[k]).sum();
        let momentum: f64 = (0..3).map(|k| (MOMENTS[k] * spin[k]).powi(2)).sum();
        let i = MOMENTS;
        let amplitude = |k: usize| ((twice_energy * i[axis] - momentum) / (i[k] * (i[axis] - i[k]))).sqrt();
        let mut simulation = top(spin, MIDPOINT, 0.01);
        let mut largest = [0.0_f64; 3];
        for _ in 0..5000 {
            run(&mut simulation, 1);
            let now = own_spin(&simulation);
            for k in [1, other] {
                largest[k] = largest[k].max(now[k].abs());
            }
            assert!(now[axis] > 2.9);
        }
        for k in [1, other] {
            // The scheme keeps both invariants, so it stays on the exact curve; its maximum is met to (ωh)².
            assert_close(largest[k], amplitude(k), 1e-3);
        }
    }
}

/// A wheel of 40 rad/s in steps of 0.01 s, after a number of steps.
fn wheel(update: OrientationUpdate, steps: usize) -> UnitQuaternion<f64> {
    let mut wheel = cuboid("wheel", [0.3, 0.1, 0.3], 5.0);
    wheel.angular_velocity = Vector3::y() * 40.0;
    wheel.orientation_update = update;
    let mut simulation = simulation(weightless(0.0, 0.0, [wheel]), "pgs", 0.01);
    run(&mut simulation, steps);
    body(&simulation, "wheel").pose.rotation
}

/// Figure 4.29: a finite update turns a fast wheel by exactly ωt about its axle, an infinitesimal one by
/// 2 atan(ωh/2) a step.
#[test]
fn a_fast_wheel_turns_as_its_orientation_update_says() {
    let steps = 100;
    let about_the_axle = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    let exact = about_the_axle(40.0 * 0.01 * steps as f64);
    let lagging = about_the_axle(2.0 * (0.5_f64 * 40.0 * 0.01).atan() * steps as f64);
    // A hundred products of unit quaternions.
    let tolerance = 1e-13;
    let finite = wheel(OrientationUpdate::Finite, steps);
    let partial = wheel(OrientationUpdate::PartialFinite(Vector3::y_axis()), steps);
    let infinitesimal = wheel(OrientationUpdate::Infinitesimal, steps);
    // A partial update about another axis treats this rotation as infinitesimal.
    let wrong_axis = wheel(OrientationUpdate::PartialFinite(Vector3::x_axis()), steps);
    assert!(finite.angle_to(&exact) < tolerance, "{:e}", finite.angle_to(&exact));
    assert!(partial.angle_to(&exact) < tolerance, "{:e}", partial.angle_to(&exact));
    assert!(
        infinitesimal.angle_to(&lagging) < tolerance,
        "{:e}",
        infinitesimal.angle_to(&lagging)
    );
    assert!(
        wrong_axis.angle_to(&lagging) < tolerance,
        "{:e}",
        wrong_axis.angle_to(&lagging)
    );
    // (ωh)²/12 of 40 rad: half a radian behind.
    assert!(infinitesimal.angle_to(&exact) > 0.4);
}

/// The three updates agree in the limit, for a rotation that is neither along nor across the special axis.
#[test]
fn all_orientation_updates_have_the_same_limit() {
    let turned = |update: OrientationUpdate, h: f64| {
        let mut body = ball("body", 0.5, 1.0);
        body.angular_velocity = Vector3::new(1.0, 2.0, -1.5);
        body.orientation_update = update;
        let mut simulation = simulation(weightless(0.0, 0.0, [body]), "pgs", h);
        run(&mut simulation, (1.0 / h).round() as usize);
        common::body(&simulation, "body").pose.rotation
    };
    let exact = UnitQuaternion::from_scaled_axis(Vector3::new(1.0, 2.0, -1.5));
    let error = |update, h| turned(update, h).angle_to(&exact);
    assert!(error(OrientationUpdate::Finite, 0.01) < 1e-13);
    // 2 atan(θ/2) − θ = −θ³/12 a step: second order.
    let infinitesimal = |h| error(OrientationUpdate::Infinitesimal, h);
    assert_close(infinitesimal(0.01), 7.25_f64.powf(1.5) * 1e-4 / 12.0, 1e-2);
    assert_close(infinitesimal(0.01) / infinitesimal(0.005), 4.0, 1e-2);
    // The partial update turns about one part of ω after the other; their commutator, h²/2 a step, makes it of first
    // order.
    let partial = |h| error(OrientationUpdate::PartialFinite(Vector3::y_axis()), h);
    assert_close(partial(0.01) / partial(0.005), 2.0, 2e-2);
}
