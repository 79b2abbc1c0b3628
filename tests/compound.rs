//! Bodies of several shapes: they rest, balance, slide and fly as the one rigid body they are.

mod common;

use common::*;
use drystone::collision::{Part, Shape, Sphere};
use drystone::dynamics::{Body, BodyKind, Simulation, WorldError};
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

const H: f64 = 0.01;

/// A box of 1 m and 10 kg/m³, cut in two along x, the parts with the frame's origin at a bottom corner.
fn cut_cube(name: &str) -> Body {
    let half = |x: f64| (Part::at(box_shape([0.25, 0.5, 0.5]), Vector3::new(x, 0.5, 0.5)), 10.0);
    Body::dynamic_compound(name, [half(0.25), half(0.75)]).expect("two good parts")
}

/// A ball at the end of a rod, with another across it: no axis of symmetry, a heavy end.
fn asymmetric(name: &str) -> Body {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.8, -0.2));
    let across = Part {
        shape: box_shape([0.02, 0.2, 0.05]),
        pose: Isometry3::from_parts(Vector3::new(-0.3, 0.1, 0.05).into(), turn),
    };
    let parts = [
        (Part::at(box_shape([0.4, 0.03, 0.03]), Vector3::zeros()), 500.0),
        (
            Part::at(Shape::Sphere(Sphere { radius: 0.1 }), Vector3::new(0.4, 0.0, 0.0)),
            2000.0,
        ),
        (across, 900.0),
    ];
    Body::dynamic_compound(name, parts).expect("three good parts")
}

#[test]
fn parts_stay_where_they_are_written() {
    let body = cut_cube("cube");
    assert_vector(body.pose.translation.vector, Vector3::repeat(0.5), 1e-15);
    assert_close(body.mass, 10.0, 1e-15);
    // m/6 a² about every axis.
    let expected = Matrix3::from_diagonal_element(10.0 / 6.0);
    assert!((body.inertia - expected).norm() < 1e-14, "{}", body.inertia);
    let Shape::Compound(compound) = &body.shape else {
        panic!("{:?}", body.shape)
    };
    let places: Vec<_> = compound
        .parts()
        .iter()
        .map(|part| (body.pose * part.pose).translation.vector)
        .collect();
    assert_vector(places[0], Vector3::new(0.25, 0.5, 0.5), 1e-15);
    assert_vector(places[1], Vector3::new(0.75, 0.5, 0.5), 1e-15);
}

/// Law: a body at rest stays, and its contacts carry its weight: whole or cut, on the ground and on each other.
#[test]
fn a_cut_cube_rests() {
    let lower = cut_cube("lower").at(Vector3::new(0.0, 0.0, 0.5));
    let upper = cut_cube("upper").at(Vector3::new(0.1, 0.0, 1.5));
    let whole = cuboid("whole", [0.5; 3], 10.0).at(Vector3::new(0.0, 0.1, 2.5));
    let mut simulation = simulation(world(0.5, 0.25, [ground(), lower, upper, whole]), CONVERGED, H);
    let names = ["ground", "lower", "upper", "whole"];
    let start: Vec<_> = names.iter().map(|name| body(&simulation, name).pose).collect();
    for _ in 0..50 {
        run(&mut simulation, 1);
        for level in 1..4 {
            let weight = 10.0 * (4 - level) as f64 * G * H;
            let carried = impulse_between(&simulation, names[level - 1], names[level]);
            assert_vector(carried, Vector3::z() * weight, 1e-9 * weight);
        }
    }
    for (name, start) in names.iter().zip(&start) {
        let pose = body(&simulation, name).pose;
        let moved = (pose.translation.vector - start.translation.vector).norm();
        assert!(
            moved < 1e-9 && pose.rotation.angle_to(&start.rotation) < 1e-9,
            "{name}: {moved:e}"
        );
    }
}

/// Law: an L of two arms stands on its foot while its centre of mass is over it, and falls otherwise.
#[test]
fn a_bracket_stands_or_falls_by_its_centre_of_mass() {
    let bracket = |arm_density: f64| {
        let parts = [
            (
                Part::at(box_shape([0.1, 0.2, 0.1]), Vector3::new(0.1, 0.0, 0.1)),
                1000.0,
            ),
            (
                Part::at(box_shape([0.1, 0.2, 0.3]), Vector3::new(0.1, 0.0, 0.5)),
                1000.0,
            ),
            (
                Part::at(box_shape([0.4, 0.2, 0.05]), Vector3::new(0.4, 0.0, 0.85)),
                arm_density,
            ),
        ];
        Body::dynamic_compound("bracket", parts).expect("three good parts")
    };
    // The foot ends at x = 0.2. Column 0.064 m³ at 0.1, arm 0.032 m³ at 0.4: the limit is an arm of the same density.
    for (density, stands) in [(960.0, true), (1040.0, false)] {
        let body = bracket(density);
        assert_eq!(body.pose.translation.vector.x < 0.2, stands);
        let mut simulation = simulation(world(0.8, 0.0, [ground(), body]), "pgs:iterations=200", H);
        run(&mut simulation, 200);
        let tilt = common::body(&simulation, "bracket").pose.rotation.angle();
        assert_eq!(tilt < 1e-3, stands, "{density}: {tilt}");
    }
}

/// Law: a table on four legs pushes each leg with the share of the weight that the lever rule gives.
#[test]
fn a_table_stands_on_four_legs() {
    let leg = |x: f64, y: f64| (Part::at(box_shape([0.03, 0.03, 0.35]), Vector3::new(x, y, 0.35)), 600.0);
    let top = (
        Part::at(box_shape([0.6, 0.4, 0.02]), Vector3::new(0.0, 0.0, 0.72)),
        600.0,
    );
    let parts = [top, leg(-0.5, -0.3), leg(0.5, -0.3), leg(-0.5, 0.3), leg(0.5, 0.3)];
    let table = Body::dynamic_compound("table", parts).expect("five good parts");
    let weight = table.mass * G * H;
    // A ball on the table at x = 0.25: the legs at +x carry (0.5 + 0.25)/1 of it.
    let load = ball("load", 0.1, 5.0).at(Vector3::new(0.25, 0.0, 0.84));
    let mut simulation = simulation(world(0.5, 0.0, [ground(), table, load]), CONVERGED, H);
    run(&mut simulation, 20);
    let mut right = 0.0;
    for (a, b, point, impulse) in simulation.pipeline().contacts() {
        if (a, b) == (0, 1) {
            assert!(point.feature.parts().1 >= 1, "a leg stands on the ground, not the top");
            // Moment about y through x = −0.5.
            right += impulse.z * (point.position.x + 0.5);
        }
    }
    let expected = 0.5 * weight + 0.75 * 5.0 * G * H;
    assert_within(right, expected, 1e-8 * expected);
}

/// Law: Euler's free top. Energy and the length of the spin stay to rounding, though the inertia is a full matrix and the
/// body tumbles; the direction of the spin stays to first order in h, as orientations follow the new angular velocity.
#[test]
fn an_asymmetric_compound_flies_free() {
    let drift = |h: f64| {
        let mut thing = moving(asymmetric("thing"), [0.5, -1.0, 2.0]);
        let smallest = thing.inertia.abs().min();
        assert!(smallest > 1e-3 * thing.inertia.norm(), "{}", thing.inertia);
        thing.angular_velocity = Vector3::new(1.0, 6.0, -2.0);
        let (energy, spin) = (thing.kinetic_energy(), thing.spin());
        let momentum = thing.mass * thing.linear_velocity;
        let mut simulation = simulation(weightless(0.0, 0.0, [thing]), "pgs", h);
        run(&mut simulation, (2.0 / h).round() as usize);
        let thing = body(&simulation, "thing");
        // Newton's method stops at 1e-15 relative; some thousand steps add that up at worst linearly.
        assert_close(thing.kinetic_energy(), energy, 1e-11);
        assert_close(thing.spin().norm(), spin.norm(), 1e-11);
        assert_vector(simulation.world().momentum(), momentum, 1e-12);
        (thing.spin() - spin).norm() / spin.norm()
    };
    let (coarse, fine) = (drift(1e-3), drift(5e-4));
    assert!(fine < 2e-3, "{fine}");
    assert_within(coarse / fine, 2.0, 0.05);
}

/// Law: for a rolling jack, momentum and energy come from outside only: it is dropped, tumbles on its tips and comes to
/// rest on three of them, its energy never rising.
#[test]
fn a_jack_comes_to_rest_on_three_tips() {
    let mut parts = Vec::new();
    for axis in 0..3 {
        let mut half = [0.04; 3];
        half[axis] = 0.5;
        parts.push((Part::at(box_shape(half), Vector3::zeros()), 500.0));
        for side in [-0.5, 0.5] {
            let tip = Shape::Sphere(Sphere { radius: 0.12 });
            parts.push((Part::at(tip, Vector3::ith(axis, side)), 500.0));
        }
    }
    let mut jack = Body::dynamic_compound("jack", parts)
        .expect("nine good parts")
        .at(Vector3::new(0.0, 0.0, 1.0));
    jack.pose.rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 0.2, 0.1));
    jack.angular_velocity = Vector3::new(2.0, -1.0, 0.5);
    let mut simulation = simulation(
        world(0.6, 0.0, [ground(), jack]),
        "pgs:iterations=200,friction=cone",
        2e-3,
    );
    let energy = |simulation: &Simulation| simulation.world().kinetic_energy() + simulation.world().potential_energy();
    let mut least = energy(&simulation);
    for _ in 0..4000 {
        run(&mut simulation, 1);
        let now = energy(&simulation);
        // Position correction may lift it by micrometres.
        assert!(now < least + 0.02, "{now} after {least}");
        least = least.min(now);
    }
    assert!(simulation.world().kinetic_energy() < 1e-6);
    let mut tips: Vec<_> = simulation
        .pipeline()
        .contacts()
        .filter(|(_, _, _, impulse)| impulse.z > 1e-6)
        .map(|(_, _, point, _)| point.feature.parts().1)
        .collect();
    tips.dedup();
    assert_eq!(tips.len(), 3, "{tips:?}");
    // Resting on three tips, its middle is a third of a cube's diagonal above their plane: 0.5/√3 + r.
    assert_within(position(&simulation, "jack").z, 0.5 / 3.0_f64.sqrt() + 0.12, 1e-3);
}

/// The tips of a spinning bar move 0.2 m in a step: a peg between two of their places is met all the same.
///
/// Law: the bar is free, so an inelastic hit at the tip, a distance r from its centre, leaves `ω = ω₀ I/(I + m r²)`.
#[test]
fn a_spinning_bar_does_not_pass_through_a_peg() {
    let tip = |x: f64| {
        (
            Part::at(Shape::Sphere(Sphere { radius: 0.05 }), Vector3::x() * x),
            500.0,
        )
    };
    let bar = (Part::at(box_shape([1.0, 0.01, 0.01]), Vector3::zeros()), 500.0);
    let mut bar = Body::dynamic_compound("bar", [tip(-1.0), tip(1.0), bar]).expect("three good parts");
    bar.angular_velocity = Vector3::z() * 20.0;
    // Between the second place of the tip and the third.
    let (sine, cosine) = 0.5_f64.sin_cos();
    let mut peg = ball("peg", 0.02, 1.0).at(Vector3::new(cosine, sine, 0.0));
    peg.kind = BodyKind::Fixed;
    let mut simulation = simulation(weightless(0.0, 0.0, [bar, peg]), CONVERGED, H);
    let (mass, inertia) = {
        let bar = body(&simulation, "bar");
        (bar.mass, bar.inertia[(2, 2)])
    };
    run(&mut simulation, 6);
    let spin = body(&simulation, "bar").angular_velocity.z;
    // The balls meet along a line that is not quite that of the tip's motion, some 4° off.
    assert_close(spin, 20.0 * inertia / (inertia + mass), 0.02);
}

/// A compound that is not about its centre of mass is refused as a shape, with the way out.
#[test]
fn off_centre_shapes_are_refused() {
    use drystone::collision::Compound;
    let off = Compound::new([Part::at(box_shape([0.5; 3]), Vector3::x())]).expect("a good part");
    let error = Body::dynamic("off", Shape::Compound(off.clone()), 1.0).unwrap_err();
    assert!(
        matches!(&error, WorldError::OffCentre { centroid, .. } if *centroid == [1.0, 0.0, 0.0]),
        "{error}"
    );
    assert!(Body::dynamic_with_mass("off", Shape::Compound(off.clone()), 1.0).is_err());
    assert!(Body::dynamic_compound("nothing", []).is_err());
    // What does not move may have its origin anywhere.
    let mut simulation = simulation(
        world(
            0.5,
            0.0,
            [Body::fixed("shelf", Shape::Compound(off)), {
                ball("ball", 0.1, 1.0).at(Vector3::new(1.2, 0.0, 0.6))
            }],
        ),
        "pgs",
        H,
    );
    run(&mut simulation, 50);
    assert_within(position(&simulation, "ball").z, 0.6, 1e-6);
}
