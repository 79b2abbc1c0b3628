//! Direct joints: they hold to rounding, redundant or not, whatever the contacts' solver leaves undone.

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::mechanisms::{AXES, Mechanism, Shape, angular, joint_error, rod};
use common::{Sample, distance, largest, point_row, solved, solver};
use drystone_solver::{Cone, Context, Measure, Problem, Residuals, RigidBodies, Row, Status, registry};
use nalgebra::Vector3;

fn velocities(problem: &Problem, impulses: &[f64]) -> Vec<f64> {
    let mut velocities = vec![0.0; problem.rows()];
    problem.velocities(impulses, &mut velocities);
    velocities
}

/// Links of length 1 joined by ball joints, the first to the world, along `direction`, after falling for a step from
/// rest. With `floor`, every fourth link touches a floor at its far end.
fn chain(links: usize, direction: Vector3<f64>, fall: f64, floor: bool) -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let half = 0.5 * direction;
    let speed = Vector3::new(0.0, 0.0, -fall);
    for link in 0..links {
        let body = assembler.add_body(rod(1.0));
        let above = if link == 0 { RigidBodies::IMMOVABLE } else { body - 1 };
        let rows = |arms: [Vector3<f64>; 2], speed: Vector3<f64>| {
            AXES.map(|d| Row {
                jacobian: point_row(&d, &arms),
                bias: d.dot(&speed),
                compliance: 0.0,
            })
        };
        // All links fall alike, so only the first joint sees a velocity.
        let relative = if link == 0 { speed } else { Vector3::zeros() };
        assembler.add_block([above, body], Cone::Free, &rows([half, -half], relative));
        if floor && link % 4 == 3 {
            let arms = [Vector3::zeros(), half - 0.05 * Vector3::z()];
            let sliding = speed + Vector3::new(0.0, 0.02, 0.0);
            let cone = Cone::Friction { coefficient: 0.4 };
            assembler.add_block([RigidBodies::IMMOVABLE, body], cone, &rows(arms, sliding));
        }
    }
    problem
}

/// A hanging chain: joint i carries what hangs below it, `m g h` a link. One solve is enough; Gauss–Seidel, whose error
/// shrinks by about 1 − π²/(2·100²) a sweep, has not got far after a thousand.
#[test]
fn a_hanging_chain_of_a_hundred_links_is_solved_at_once() {
    let problem = chain(100, -Vector3::z(), 0.1, false);
    let impulses = solved("hybrid", &problem);
    for joint in 0..100 {
        let carried = impulses[3 * joint];
        let expected = 0.1 * (100 - joint) as f64;
        assert!(
            (carried - expected).abs() < 1e-9,
            "joint {joint}: {carried} for {expected}"
        );
    }
    assert!(joint_error(&problem, &impulses) < 1e-12);
    let sweeps = solved("pgs:iterations=1000", &problem);
    assert!(joint_error(&problem, &sweeps) > 1e-4);
}

/// The same lying on a floor: joints to rounding even when the contacts get a single sweep, and with enough of them the
/// law of both.
#[test]
fn joints_hold_to_rounding_whatever_the_contacts_solver_does() {
    let problem = chain(100, Vector3::x(), 0.1, true);
    for spec in [
        "hybrid:contacts=pgs(iterations=1)",
        "hybrid:contacts=jacobi(iterations=3)",
    ] {
        assert!(joint_error(&problem, &solved(spec, &problem)) < 1e-12, "{spec}");
    }
    let impulses = solved("hybrid:contacts=pgs(iterations=20000,tolerance=1e-13)", &problem);
    let found = Residuals::of(&problem, &impulses);
    assert!(found.natural < 1e-10, "{found:?}");
}

#[test]
fn any_solver_of_the_contacts_gives_what_long_gauss_seidel_gives_on_the_whole() {
    let problem = chain(6, Vector3::x(), 0.1, true);
    let reference = solved("pgs:iterations=200000", &problem);
    assert!(Residuals::of(&problem, &reference).natural < 1e-12);
    for contacts in [
        "pgs(iterations=5000)",
        "psor(iterations=5000)",
        "admm(tolerance=1e-13)",
        "staggered(tolerance=1e-13)",
        "hybrid(contacts=pgs(iterations=5000))",
    ] {
        for problem in [problem.clone(), problem.explicit().unwrap()] {
            let impulses = solved(&format!("hybrid:contacts={contacts}"), &problem);
            // No redundant row: impulses are unique. Two residuals of 1e-12 times the condition number.
            assert!(distance(&impulses, &reference) < 1e-9, "{contacts}");
        }
    }
}

/// Every kind of block at once, joints with compliance among them.
#[test]
fn samples_agree_with_gauss_seidel() {
    for seed in 0..8 {
        let problem = Sample::random(seed, 8, 20, seed % 2 == 0).dominant().problem();
        let reference = solved("pgs:iterations=20000", &problem);
        let impulses = solved("hybrid:contacts=pgs(iterations=5000)", &problem);
        assert!(distance(&impulses, &reference) < 1e-10, "seed {seed}");
        assert!(joint_error(&problem, &impulses) < 1e-12, "seed {seed}");
    }
}

/// Which hinge carries the door is not determined; the documented rule makes them share it evenly.
#[test]
fn redundant_hinges_hold_and_share_the_load() {
    let hinges = [-0.8, 0.0, 0.8];
    let problem = Mechanism::door(&hinges, 0.0);
    let impulses = solved("hybrid", &problem);
    assert!(joint_error(&problem, &impulses) < 1e-12);
    // m g h = 10 · 0.1 on three hinges.
    for hinge in 0..3 {
        assert!((impulses[5 * hinge] - 1.0 / 3.0).abs() < 1e-6, "{impulses:?}");
    }
    // A free choice, but no wild one: nothing is larger than what there is to carry.
    assert!(largest(impulses) < 1.0);
}

#[test]
fn joints_that_contradict_each_other_are_told_and_stay_finite() {
    let problem = Mechanism::door(&[-0.8, 0.8], 0.05);
    let mut impulses = vec![0.0; problem.rows()];
    let mut context = Context::default();
    context.measure = Measure::Final;
    let report = solver("hybrid").solve(&problem, &mut impulses, &mut context).unwrap();
    assert_eq!(report.status, Status::Stalled);
    // Of the size of what there is to carry, 10 · 0.1, and of what the contradiction takes, not as large as one over the
    // regularisation.
    assert!(largest(impulses) < 10.0);
    // Half the contradiction each is the best there is.
    let left = report.residual.unwrap();
    assert!(left > 0.01 && left < 0.1, "{left}");
}

/// A body fixed to the world has nothing that a contact could move.
#[test]
fn a_contact_on_a_fixed_body_does_no_harm() {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let body = assembler.add_body(rod(1.0));
    let rows = |speed: f64| {
        AXES.map(|d| Row {
            jacobian: point_row(&d, &[Vector3::zeros(); 2]),
            bias: speed * d.z,
            compliance: 0.0,
        })
    };
    assembler.add_block([RigidBodies::IMMOVABLE, body], Cone::Free, &rows(-0.1));
    assembler.add_block(
        [RigidBodies::IMMOVABLE, body],
        Cone::Friction { coefficient: 0.5 },
        &rows(-0.1),
    );
    let impulses = solved("hybrid", &problem);
    assert!(impulses.iter().all(|x| x.is_finite()), "{impulses:?}");
    // Whoever carries it, together they carry m g h and nothing moves.
    assert!((impulses[0] + impulses[3] - 0.1).abs() < 1e-9, "{impulses:?}");
    assert!(largest(velocities(&problem, &impulses)) < 1e-9);
}

#[test]
fn without_joints_it_is_the_other_solver() {
    let mut sample = Sample::random(4, 6, 15, false).dominant();
    sample.constraints.retain(|constraint| constraint.cone != Cone::Free);
    let problem = sample.problem();
    assert_eq!(
        solved("hybrid:contacts=pgs(iterations=7)", &problem),
        solved("pgs:iterations=7", &problem)
    );
}

#[test]
fn the_contacts_start_from_the_given_impulses_and_the_same_input_gives_the_same_bits() {
    let problem = chain(12, Vector3::x(), 0.1, true);
    let spec = "hybrid:contacts=pgs(iterations=500,tolerance=1e-12)";
    let mut impulses = vec![0.0; problem.rows()];
    let mut context = Context::default();
    let cold = solver(spec).solve(&problem, &mut impulses, &mut context).unwrap();
    assert_eq!(solved(spec, &problem), impulses);
    let warm = solver(spec).solve(&problem, &mut impulses, &mut context).unwrap();
    assert!(
        warm.iterations < cold.iterations,
        "{} {}",
        warm.iterations,
        cold.iterations
    );
    context.cancel = Some(Arc::new(AtomicBool::new(true)));
    let before = impulses.clone();
    let report = solver(spec).solve(&problem, &mut impulses, &mut context).unwrap();
    assert_eq!((report.status, report.iterations), (Status::Cancelled, 0));
    assert_eq!(before, impulses);
}

#[test]
fn the_contacts_solver_is_named_in_brackets_and_mistakes_in_it_are_explained() {
    let options = solver("hybrid:contacts=pgs(iterations=50,order=symmetric)").options();
    assert_eq!(options[0].key, "contacts");
    assert_eq!(options[0].default, "pgs(iterations=50,order=symmetric)");
    let message = |spec: &str| match registry::solver(&spec.parse().unwrap()) {
        Ok(_) => panic!("{spec} was accepted"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        message("hybrid:contacts=pgz"),
        "'hybrid': contacts: unknown solver 'pgz'; did you mean 'pgs'?"
    );
    assert_eq!(
        message("hybrid:contacts=pgs(iteration=5)"),
        "'hybrid': contacts: 'pgs' has no option 'iteration'; did you mean 'iterations'?"
    );
    assert!(message("hybrid:contacts=pgs:iterations=5").contains("with its options in brackets"));
    assert!(message("hybrid:regularisation=0").contains("between 0 and 1"));
}

/// Tension in a hanging chain is the weight below, whatever its length and however heavy its end (1:1000, the classic that
/// sweeps can't do).
#[test]
fn long_chains_with_a_heavy_end_are_held_to_rounding() {
    for (links, hinges) in [(10, false), (100, true), (1000, false), (1000, true), (10_000, false)] {
        let mut mechanism = Mechanism::new(Shape::Hanging, links).with_last(1000.0);
        if hinges {
            mechanism = mechanism.hinges();
        }
        let problem = mechanism.problem();
        let impulses = solved("hybrid", &problem);
        // Impulses of up to 1100 N·s on masses of 1 kg: rounding of their differences.
        let error = joint_error(&problem, &impulses);
        assert!(error < 1e-12, "{links} links: {error}");
        for (joint, block) in problem.blocks.iter().enumerate() {
            let below = 0.1 * ((links - 1 - joint) as f64 + 1000.0);
            let carried = impulses[block.first as usize];
            assert!(
                (carried - below).abs() < 1e-9 * below,
                "joint {joint}: {carried} for {below}"
            );
        }
    }
}

/// Every shape, ball joints and hinges: joints hold, matrix-free and with an explicit matrix.
#[test]
fn trees_rings_and_bridges_are_held_to_rounding() {
    for shape in [Shape::Chain, Shape::Bridge, Shape::Tree, Shape::Ring] {
        for mechanism in [Mechanism::new(shape, 300), Mechanism::new(shape, 300).hinges()] {
            let problem = mechanism.problem();
            for problem in [problem.explicit().unwrap(), problem] {
                let error = joint_error(&problem, &solved("hybrid", &problem));
                assert!(error < 1e-13, "{shape:?}: {error}");
            }
        }
    }
}

/// A context that has seen other mechanisms, with more joints, fewer, redundant ones and contacts, gives the same bits as a
/// fresh one.
#[test]
fn the_history_of_a_context_leaves_no_trace() {
    let problems = [
        // As many joints each, but of other sizes, then in another pattern.
        Mechanism::new(Shape::Ring, 20).problem(),
        Mechanism::new(Shape::Ring, 20).hinges().problem(),
        Mechanism::new(Shape::Chain, 21).hinges().problem(),
        Mechanism::new(Shape::Tree, 21).hinges().problem(),
        chain(12, Vector3::x(), 0.1, true),
        Mechanism::new(Shape::Ring, 20).problem(),
        Mechanism::door(&[-0.8, 0.8], 0.05),
        chain(12, Vector3::x(), 0.2, true),
        Mechanism::new(Shape::Ring, 20).hinges().with_last(3.0).problem(),
        chain(12, Vector3::x(), 0.1, true).explicit().unwrap(),
    ];
    let solver = solver("hybrid");
    let mut context = Context::default();
    for round in 0..2 {
        for (index, problem) in problems.iter().enumerate() {
            let mut impulses = vec![0.0; problem.rows()];
            solver.solve(problem, &mut impulses, &mut context).unwrap();
            assert_eq!(impulses, solved("hybrid", problem), "round {round}, problem {index}");
        }
    }
}

/// Limits reach the solver inside, but for those it names itself.
#[test]
fn limits_are_given_on_to_the_contacts_solver() {
    let problem = chain(40, Vector3::x(), 0.1, true);
    let run = |spec: &str| {
        let mut impulses = vec![0.0; problem.rows()];
        solver(spec)
            .solve(&problem, &mut impulses, &mut Context::default())
            .unwrap()
    };
    let report = run("hybrid:contacts=pgs,iterations=3,tolerance=0");
    assert_eq!((report.iterations, report.status), (3, Status::IterationLimit));
    assert_eq!(
        run("hybrid:contacts=pgs(iterations=2),iterations=3,tolerance=0").iterations,
        2
    );
    let loose = run("hybrid:tolerance=1e-3");
    let tight = run("hybrid:tolerance=1e-9");
    assert_eq!((loose.status, tight.status), (Status::Converged, Status::Converged));
    assert!(loose.iterations < tight.iterations);
    assert_eq!(
        run("hybrid:contacts=pgs,iterations=1000000,tolerance=1e-300,time-limit=1e-3").status,
        Status::TimeLimit
    );
}

/// A motor between bounds on a hinge that another joint has blocked moves nothing: its impulse ends at a bound or its
/// velocity is zero, judged by the whole problem and not by what is left after elimination.
#[test]
fn rows_that_joints_have_blocked_obey_their_bounds() {
    for speed in [-0.3, 0.0, 0.3] {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        let body = assembler.add_body(rod(1.0));
        let pair = [RigidBodies::IMMOVABLE, body];
        let blocked = [angular(&AXES[0], 0.0), angular(&AXES[1], 0.0), angular(&AXES[2], 0.0)];
        assembler.add_block(pair, Cone::Free, &blocked);
        let motor = Cone::Interval {
            lower: -0.2,
            upper: 0.5,
        };
        assembler.add_block(pair, motor, &[angular(&AXES[0], speed)]);
        let impulses = solved("hybrid", &problem);
        let found = Residuals::of(&problem, &impulses);
        assert!(found.natural < 1e-9, "{speed}: {impulses:?} {found:?}");
    }
}

/// The elimination knows what the impulses do to the bodies; it is what anybody would work out from them.
#[test]
fn the_change_of_velocities_is_that_of_the_impulses() {
    let redundant = Mechanism::door(&[-0.8, 0.0, 0.8], 0.0);
    let contradictory = Mechanism::door(&[-0.8, 0.8], 0.05);
    let mut context = Context::default();
    let mut change = vec![7.0];
    for problem in [
        chain(20, Vector3::x(), 0.1, false),
        chain(20, Vector3::x(), 0.1, true),
        Mechanism::new(Shape::Ring, 9).hinges().problem(),
        redundant,
        contradictory,
    ] {
        let mut impulses = vec![0.0; problem.rows()];
        solver("hybrid")
            .solve_with_change(&problem, &mut impulses, &mut change, &mut context)
            .unwrap();
        assert_eq!(impulses, solved("hybrid", &problem), "the same with a fresh context");
        let mut expected = Vec::new();
        problem.velocity_change(&impulses, &mut expected);
        assert!(distance(&change, &expected) <= 1e-14 * largest(expected));
    }
    // Nothing is found, and nothing of what was found before is left.
    context.cancel = Some(Arc::new(AtomicBool::new(true)));
    let problem = chain(20, Vector3::x(), 0.1, false);
    let mut impulses = vec![0.0; problem.rows()];
    solver("hybrid")
        .solve_with_change(&problem, &mut impulses, &mut change, &mut context)
        .unwrap();
    assert_eq!(change, vec![0.0; 6 * 21]);
}

/// What is kept of a pattern is used for the same pattern alone: the same blocks on other bodies, or joints that have become
/// something else, are analysed anew.
#[test]
fn a_context_that_has_seen_another_mechanism_gives_the_same_bits() {
    let hung_up_otherwise = {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        for _ in 0..12 {
            assembler.add_body(rod(1.0));
        }
        for body in 1..=12_u32 {
            let above = if body < 3 { RigidBodies::IMMOVABLE } else { body - 2 };
            let rows = AXES.map(|d| Row {
                jacobian: point_row(&d, &[0.5 * Vector3::x(), -0.5 * Vector3::x()]),
                bias: 0.1 * d.z,
                compliance: 0.0,
            });
            assembler.add_block([above, body], Cone::Free, &rows);
        }
        problem
    };
    let mut loosened = chain(12, Vector3::x(), 0.1, false);
    loosened.blocks[5].cone = Cone::Friction { coefficient: 0.5 };
    let explicit = chain(12, Vector3::x(), 0.1, false).explicit().unwrap();
    let problems = [
        chain(12, Vector3::x(), 0.1, false),
        hung_up_otherwise,
        loosened,
        explicit,
    ];
    let mut context = Context::default();
    for first in &problems {
        for second in &problems {
            for problem in [first, second] {
                let mut impulses = vec![0.0; problem.rows()];
                solver("hybrid").solve(problem, &mut impulses, &mut context).unwrap();
                assert_eq!(impulses, solved("hybrid", problem));
            }
        }
    }
}
