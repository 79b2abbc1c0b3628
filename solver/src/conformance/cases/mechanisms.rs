//! Joints with more rows than they need, matrix-free and with an explicit matrix.

use super::super::FEWER_ITERATIONS;
use super::super::findings::{Findings, Refusal};
use super::super::problems::Redundant;
use super::super::subject::Subject;
use super::super::{Demand, Trial};
use crate::solve::Status;
use crate::vector::largest;

/// The smallest impulses that hold any of these mechanisms are below 3 N·s. Which are taken is free, but wild ones are no
/// solution for a simulation.
const WILD: f64 = 100.0;

/// By how much a row contradicts the others, m/s, and what velocities may be left by any compromise. Over-relaxation makes
/// the worst, about half more than the contradiction.
const CONTRADICTION: f64 = 0.2;
const COMPROMISE: f64 = 0.4;

/// The worst conditioned of the mechanisms.
const NARROW: Redundant = Redundant::Points {
    count: 3,
    together: false,
};

pub(super) static TRIALS: &[Trial] = &[
    Trial {
        name: "redundant-joints",
        claim: "w of over-constrained mechanisms, with impulses that are not wild",
        demand: Demand::Everyone,
        run: |subject, findings| redundant(subject, findings, |kind| kind != NARROW),
    },
    Trial {
        name: "redundant-joints-narrow",
        claim: "the same with points that lie near a line, which takes simultaneous methods very many iterations",
        demand: Demand::ExactMethods,
        run: |subject, findings| redundant(subject, findings, |kind| kind == NARROW),
    },
    Trial {
        name: "contradicting-joints",
        claim: "joints that can't all be met: finite impulses, a compromise in w, and no claim to have converged",
        demand: Demand::Everyone,
        run: contradicting,
    },
];

fn redundant(subject: &Subject, findings: &mut Findings, of: fn(Redundant) -> bool) -> Result<(), Refusal> {
    for kind in Redundant::ALL.into_iter().filter(|&kind| of(kind)) {
        let problem = kind.problem();
        for problem in [problem.explicit()?, problem] {
            // All rows are free: the residual is the velocity.
            let what = format!("{kind:?}");
            if let Some(found) = findings.solve(subject, &problem, &what)? {
                findings.bound(&format!("{what}: impulses"), largest(&found.impulses), WILD);
            }
        }
    }
    Ok(())
}

fn contradicting(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    for kind in [
        Redundant::Bar,
        Redundant::Points {
            count: 2,
            together: false,
        },
        Redundant::Points {
            count: 2,
            together: true,
        },
    ] {
        let problem = kind.contradictory(CONTRADICTION);
        for problem in [problem.explicit()?, problem] {
            // To refuse is honest too.
            let Ok(found) = subject.judge_within(FEWER_ITERATIONS, &problem, &vec![0.0; problem.rows()]) else {
                continue;
            };
            let what = format!("{kind:?}");
            findings.expect(found.report.status != Status::Converged, || {
                format!("{what}: it says it has converged to what has no solution")
            });
            findings.bound(&format!("{what}: w"), largest(&found.velocities), COMPROMISE);
            findings.expect(found.impulses.iter().all(|x| x.is_finite()), || {
                format!("{what}: impulses that are not finite")
            });
        }
    }
    Ok(())
}
