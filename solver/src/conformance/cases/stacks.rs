//! Boxes on four corners: loads, slopes, towers, and a heavy box on a light one.
//!
//! Velocities of the boxes are sums of the rows' velocities and follow the residual; what a tower's impulses miss is the
//! residual times its compliance against being pushed as a whole, which grows with the square of its height.

use nalgebra::Vector3;

use super::super::findings::{Findings, Refusal};
use super::super::problems::Stack;
use super::super::subject::{Judgement, Law, Subject};
use super::super::{Demand, Trial};
use super::needs_friction;

/// How much larger than the residual errors of velocities may be, and those of loads relative to the weight.
const MAGNIFIED: f64 = 100.0;

/// What gravity does to velocities in a step of a hundredth of a second, m/s.
const FALL: f64 = 0.0981;

pub(super) static TRIALS: &[Trial] = &[
    Trial {
        name: "box-at-rest",
        claim: "a box on four corners stays, and they carry m g h together",
        demand: Demand::Everyone,
        run: |subject, findings| at_rest(subject, findings, &[2.0]),
    },
    Trial {
        name: "slope-sticks",
        claim: "tan α < μ: the box stays on the slope",
        demand: Demand::Everyone,
        run: slope_sticks,
    },
    Trial {
        name: "slope-slides",
        claim: "tan α > μ: the box gains h g (sin α − μ cos α)",
        demand: Demand::Everyone,
        run: slope_slides,
    },
    Trial {
        name: "stack-3",
        claim: "three boxes stay, every level carries what is above",
        demand: Demand::Everyone,
        run: |subject, findings| at_rest(subject, findings, &[1.0; 3]),
    },
    Trial {
        name: "stack-10",
        claim: "ten boxes do",
        demand: Demand::ExactMethods,
        run: |subject, findings| at_rest(subject, findings, &[1.0; 10]),
    },
    Trial {
        name: "stack-leaning",
        claim: "five boxes stay on a slope below the angle of friction",
        demand: Demand::ExactMethods,
        run: leaning,
    },
    Trial {
        name: "mass-ratio",
        claim: "a light box holds one of a million times its mass",
        demand: Demand::ExactMethods,
        run: |subject, findings| at_rest(subject, findings, &[1.0, 1e6]),
    },
];

fn slope(angle: f64) -> Vector3<f64> {
    FALL * Vector3::new(angle.sin(), 0.0, -angle.cos())
}

/// Every cube must move as given, without turning.
fn all_move(subject: &Subject, findings: &mut Findings, stack: &Stack, found: &Judgement, at: Vector3<f64>) {
    for (level, [v, omega]) in stack.velocities(&found.impulses).into_iter().enumerate() {
        let error = (v - at).norm().max(omega.norm());
        let what = format!("error of the velocity of box {level}");
        findings.bound(&what, error, MAGNIFIED * subject.tolerance());
    }
}

fn at_rest(subject: &Subject, findings: &mut Findings, masses: &[f64]) -> Result<(), Refusal> {
    needs_friction(subject)?;
    let stack = Stack::new(masses, Vector3::z() * -FALL, 0.5);
    let Some(found) = findings.solve(subject, &stack.problem, "boxes at rest")? else {
        return Ok(());
    };
    all_move(subject, findings, &stack, &found, Vector3::zeros());
    for level in 0..masses.len() {
        let (load, weight) = (stack.load(level, &found.impulses), stack.weight(level));
        // Relative to what falls in a step: an error of velocities again.
        let error = FALL * (load / weight - 1.0).abs();
        findings.bound(
            &format!("missing load under box {level}"),
            error,
            MAGNIFIED * subject.tolerance(),
        );
    }
    Ok(())
}

fn slope_sticks(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    // tan 15° = 0.27 is within the inner box too: 0.5/√2 = 0.35.
    for angle in [5.0_f64, 15.0] {
        let stack = Stack::new(&[2.0], slope(angle.to_radians()), 0.5);
        if let Some(found) = findings.solve(subject, &stack.problem, &format!("at {angle}°"))? {
            all_move(subject, findings, &stack, &found, Vector3::zeros());
        }
    }
    Ok(())
}

fn slope_slides(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    for (angle, mu) in [(20.0_f64, 0.2), (35.0, 0.5)] {
        let fall = slope(angle.to_radians());
        let stack = Stack::new(&[2.0], fall, mu);
        let what = format!("at {angle}°, μ = {mu}");
        let Some(found) = findings.solve(subject, &stack.problem, &what)? else {
            continue;
        };
        // The fall line is a direction of every pyramid and a side of every box.
        let velocity = match subject.law {
            // The nearest velocity to `fall` of all with v_z ≥ μ v_x.
            Law::Relaxed => Vector3::new(1.0, 0.0, mu) * (fall.x + mu * fall.z) / (1.0 + mu * mu),
            Law::Box { share } => Vector3::x() * (fall.x + share * mu * fall.z),
            _ => Vector3::x() * (fall.x + mu * fall.z),
        };
        all_move(subject, findings, &stack, &found, velocity);
    }
    Ok(())
}

fn leaning(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    // The weight of all five still passes through the lowest face: 2.5 m · tan 8° = 0.35 m < 0.5 m.
    let stack = Stack::new(&[1.0; 5], slope(8.0_f64.to_radians()), 0.5);
    if let Some(found) = findings.solve(subject, &stack.problem, "five boxes")? {
        all_move(subject, findings, &stack, &found, Vector3::zeros());
    }
    Ok(())
}
