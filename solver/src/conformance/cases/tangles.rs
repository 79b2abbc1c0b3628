//! Random rigid bodies with constraints of every kind, matrix-free and with an explicit matrix.

use super::super::findings::{Findings, Refusal, distance, not_applicable};
use super::super::problems::{Kinds, Tangle};
use super::super::subject::{Law, Subject};
use super::super::{Demand, Trial};
use super::{kinds_for, needs_friction};
use crate::registry::FrictionLaw;

/// The sizes: bodies and constraints.
const SIZES: [(usize, usize); 4] = [(1, 1), (2, 4), (5, 12), (12, 30)];

/// How much further than their residuals the results of two solves of a dominant problem may be apart.
const MAGNIFIED: f64 = 100.0;

pub(super) static TRIALS: &[Trial] = &[
    Trial {
        name: "tangle",
        claim: "joints, limits, motors and contacts; w is the same with bodies and with an explicit matrix",
        demand: Demand::Everyone,
        run: dominant,
    },
    Trial {
        name: "tangle-stiff",
        claim: "the same without the compliance that makes it easy",
        demand: Demand::ExactMethods,
        run: stiff,
    },
    Trial {
        name: "tangle-relaxed",
        claim: "relaxed friction blocks among them",
        demand: Demand::Everyone,
        run: relaxed,
    },
    Trial {
        name: "tangle-rolling",
        claim: "contacts with rolling friction among them",
        demand: Demand::Everyone,
        run: rolling,
    },
];

fn dominant(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    both_operators(subject, findings, kinds_for(subject))
}

fn both_operators(subject: &Subject, findings: &mut Findings, kinds: Kinds) -> Result<(), Refusal> {
    for (seed, (bodies, constraints)) in (0..3).flat_map(|seed| SIZES.map(|size| (seed, size))) {
        let problem = Tangle::random(seed, bodies, constraints, kinds).dominant()?.problem();
        let what = format!("{constraints} constraints, seed {seed}");
        let free = findings.solve_if_taken(subject, &problem, &what)?;
        let explicit = findings.solve_if_taken(subject, &problem.explicit()?, &format!("{what}, explicit"))?;
        if let (Some(free), Some(explicit)) = (free, explicit) {
            let apart = distance(&free.velocities, &explicit.velocities);
            findings.bound(
                &format!("{what}: w of the two operators apart"),
                apart,
                MAGNIFIED * subject.tolerance(),
            );
        }
    }
    Ok(())
}

fn stiff(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    for (seed, (bodies, constraints)) in (10..14).flat_map(|seed| SIZES.map(|size| (seed, size))) {
        let problem = Tangle::random(seed, bodies, constraints, kinds_for(subject)).problem();
        findings.solve(subject, &problem, &format!("{constraints} constraints, seed {seed}"))?;
    }
    Ok(())
}

/// Must be taken by solvers of the relaxation; others may refuse.
fn relaxed(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    let end = both_operators(subject, findings, Kinds::Relaxed);
    match end {
        Err(Refusal::NotApplicable(why)) if subject.class.friction == FrictionLaw::Relaxed => {
            findings.expect(false, || why);
            Ok(())
        }
        end => end,
    }
}

fn rolling(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    if subject.law == Law::Relaxed {
        return Err(not_applicable("rolling cones have no relaxed kind"));
    }
    both_operators(subject, findings, Kinds::Rolling)
}
