//! Rows with bounds whose solutions were chosen before the problems.
//!
//! With r the natural residual and A definite, α its least eigenvalue, ‖λ − λ*‖ ≤ (1 + ‖A‖)/α · ‖r‖: for our matrices a
//! dozen times the residual, and √n more from the worst row to all of them. [`MAGNIFIED`] has room for that. Semidefinite
//! matrices have no such α; velocities still follow the residual, by a factor that depends on the active rows.

use super::super::findings::{Findings, Refusal, distance, not_applicable};
use super::super::problems::{Known, Matrix};
use super::super::subject::Subject;
use super::super::{Demand, Trial};
use crate::conformance::problems::Stack;
use crate::formulation::Pyramid;
use crate::problem::Problem;
use crate::registry::MatrixKind;

/// How much larger than the residual errors of impulses and velocities may be.
const MAGNIFIED: f64 = 300.0;

const SMALL: &[usize] = &[1, 2, 3, 5, 10, 20];
const LARGE: &[usize] = &[50, 100, 200];
const ALL: &[usize] = &[1, 2, 3, 5, 10, 20, 50, 100, 200];

pub(super) static TRIALS: &[Trial] = &[
    Trial {
        name: "no-rows",
        claim: "a problem without rows is solved",
        demand: Demand::Everyone,
        run: no_rows,
    },
    Trial {
        name: "one-row",
        claim: "a joint, a limit and a motor at either bound and between",
        demand: Demand::Everyone,
        run: one_row,
    },
    Trial {
        name: "joints",
        claim: "free rows: the solution of a linear system, also of a singular one",
        demand: Demand::Everyone,
        run: joints,
    },
    Trial {
        name: "definite",
        claim: "λ and w of up to 200 rows with all kinds of bounds, A definite",
        demand: Demand::Everyone,
        run: |subject, findings| known(subject, findings, ALL, Matrix::Definite, false),
    },
    Trial {
        name: "semidefinite",
        claim: "w of up to 20 rows, A of half the rank",
        demand: Demand::Everyone,
        run: |subject, findings| known(subject, findings, SMALL, Matrix::Semidefinite, false),
    },
    Trial {
        name: "semidefinite-large",
        claim: "from 50 rows on: the least eigenvalue on the active rows is near zero",
        demand: Demand::ExactMethods,
        run: |subject, findings| known(subject, findings, LARGE, Matrix::Semidefinite, false),
    },
    Trial {
        name: "degenerate",
        claim: "λ and w where rows at their bounds have no velocity",
        demand: Demand::Everyone,
        run: |subject, findings| known(subject, findings, ALL, Matrix::Definite, true),
    },
    Trial {
        name: "degenerate-semidefinite",
        claim: "w of up to 20 of them, A of half the rank",
        demand: Demand::Everyone,
        run: |subject, findings| known(subject, findings, SMALL, Matrix::Semidefinite, true),
    },
    Trial {
        name: "degenerate-semidefinite-large",
        claim: "from 50 rows on",
        demand: Demand::ExactMethods,
        run: |subject, findings| known(subject, findings, &[50, 100], Matrix::Semidefinite, true),
    },
    Trial {
        name: "dominant",
        claim: "λ and w with a dominant diagonal and no symmetry",
        demand: Demand::Everyone,
        run: |subject, findings| known(subject, findings, ALL, Matrix::Dominant, false),
    },
    Trial {
        name: "skewed",
        claim: "λ and w, A definite with a large skew part",
        demand: Demand::ExactMethods,
        run: |subject, findings| known(subject, findings, ALL, Matrix::Skewed, false),
    },
    Trial {
        name: "no-diagonal",
        claim: "the pyramids of a stack of two as rows: no symmetry, zeros on the diagonal",
        demand: Demand::ExactMethods,
        run: no_diagonal,
    },
];

fn no_rows(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    let empty = Problem::default();
    for problem in [empty.explicit()?, empty] {
        findings.solve(subject, &problem, "no rows")?;
    }
    Ok(())
}

fn one_row(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    for seed in 0..40 {
        let known = Known::rows(seed, 1, Matrix::Definite, false)?;
        compare(subject, findings, &known, true, &format!("seed {seed}"))?;
    }
    Ok(())
}

fn joints(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    for &n in ALL {
        for matrix in [Matrix::Definite, Matrix::Semidefinite] {
            let known = Known::joints(n as u64, n, matrix)?;
            compare(
                subject,
                findings,
                &known,
                matrix == Matrix::Definite,
                &format!("{n} rows, {matrix:?}"),
            )?;
        }
    }
    Ok(())
}

fn known(
    subject: &Subject,
    findings: &mut Findings,
    sizes: &[usize],
    matrix: Matrix,
    degenerate: bool,
) -> Result<(), Refusal> {
    let symmetric = matches!(matrix, Matrix::Definite | Matrix::Semidefinite);
    if !symmetric && subject.class.matrix == MatrixKind::Symmetric {
        return Err(not_applicable("it is for symmetric matrices"));
    }
    let unique = matrix != Matrix::Semidefinite;
    for &n in sizes {
        // Small problems come in many patterns of active rows, and cost nothing.
        for seed in 0..(30 / n).max(1) as u64 {
            let seed = 1000 * n as u64 + seed;
            let what = format!("{n} rows, seed {seed}");
            compare(
                subject,
                findings,
                &Known::rows(seed, n, matrix, degenerate)?,
                unique,
                &what,
            )?;
            if n <= 50 {
                compare(
                    subject,
                    findings,
                    &Known::signs(seed, n, matrix)?,
                    unique,
                    &format!("{what}, signs"),
                )?;
            }
        }
    }
    Ok(())
}

fn compare(subject: &Subject, findings: &mut Findings, known: &Known, unique: bool, what: &str) -> Result<(), Refusal> {
    if let Some(found) = findings.solve(subject, &known.problem, what)? {
        let allowed = MAGNIFIED * subject.tolerance();
        let error = distance(&found.velocities, &known.velocities);
        findings.bound(&format!("{what}: error of w"), error, allowed);
        if unique {
            let error = distance(&found.impulses, &known.impulses);
            findings.bound(&format!("{what}: error of λ"), error, allowed);
        }
    }
    Ok(())
}

fn no_diagonal(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    if subject.class.matrix != MatrixKind::Any {
        return Err(not_applicable("it needs a positive diagonal"));
    }
    for facets in [4, 8] {
        for lean in [0.0, 0.3] {
            let stack = Stack::new(&[1.0, 2.0], nalgebra::Vector3::new(lean, 0.1, -1.0), 0.5);
            let pyramid = Pyramid::new(&stack.problem, facets)?;
            let Some(found) = findings.solve(
                subject,
                &pyramid.problem,
                &format!("{facets} facets, leaning by {lean}"),
            )?
            else {
                continue;
            };
            // The slope is not steep enough to slide, whatever the shape of the pyramid.
            let mut impulses = vec![0.0; stack.problem.rows()];
            pyramid.impulses(&found.impulses, &mut impulses);
            for [v, omega] in stack.velocities(&impulses) {
                let speed = v.norm().max(omega.norm());
                findings.bound("speed of a cube at rest", speed, MAGNIFIED * subject.tolerance());
            }
        }
    }
    Ok(())
}
