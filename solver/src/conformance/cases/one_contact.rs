//! One contact against its closed form, in all of its three ways out.
//!
//! A has eigenvalues of about one, so errors are not much larger than residuals; [`MAGNIFIED`] is generous.

use nalgebra::{DMatrix, DVector};

use super::super::findings::{Findings, Refusal, distance};
use super::super::problems::OneContact;
use super::super::subject::{Law, Subject};
use super::super::{Demand, Trial};
use super::needs_friction;

const MAGNIFIED: f64 = 100.0;

pub(super) static TRIALS: &[Trial] = &[
    Trial {
        name: "contact-parts",
        claim: "a contact that parts has no impulse",
        demand: Demand::Everyone,
        run: parts,
    },
    Trial {
        name: "contact-sticks",
        claim: "a contact that sticks has no velocity, by every law",
        demand: Demand::Everyone,
        run: sticks,
    },
    Trial {
        name: "contact-slips",
        claim: "slip in all directions, tangents alike: the nearest point of the disc, polygon or box",
        demand: Demand::Everyone,
        run: slips,
    },
    Trial {
        name: "contact-slips-coupled",
        claim: "slip with normal and tangents coupled: the root of an equation in the angle",
        demand: Demand::Everyone,
        run: slips_coupled,
    },
    Trial {
        name: "contact-no-friction",
        claim: "μ = 0: no tangential impulse",
        demand: Demand::Everyone,
        run: no_friction,
    },
    Trial {
        name: "contact-plane",
        claim: "contacts in the plane, all ways out: the closed form",
        demand: Demand::Everyone,
        run: plane,
    },
];

/// A with coupling between all rows; definite, and far from the coupling that makes friction ambiguous.
fn coupled() -> DMatrix<f64> {
    DMatrix::from_row_slice(3, 3, &[1.0, 0.25, -0.15, 0.25, 1.4, 0.2, -0.15, 0.2, 0.8])
}

fn alike() -> DMatrix<f64> {
    DMatrix::from_diagonal(&DVector::from_column_slice(&[0.7, 1.3, 1.3]))
}

/// Directions all around, on the axes, between them and at odd angles.
fn around() -> impl Iterator<Item = [f64; 2]> {
    (0..16).map(|k| {
        let angle = std::f64::consts::TAU * f64::from(k) / 16.0 + if k % 2 == 0 { 0.0 } else { 0.05 };
        [angle.cos(), angle.sin()]
    })
}

/// Solves a contact and compares with the closed form; without one there is only the residual. Returns what was found.
fn compare(
    subject: &Subject,
    findings: &mut Findings,
    contact: &OneContact,
    what: &str,
) -> Result<Option<Vec<f64>>, Refusal> {
    let Some(found) = findings.solve(subject, &contact.problem()?, what)? else {
        return Ok(None);
    };
    if let Some(impulses) = contact.solution(&subject.law) {
        let error = distance(&found.impulses, &impulses);
        findings.bound(&format!("{what}: error of λ"), error, MAGNIFIED * subject.tolerance());
    }
    Ok(Some(found.impulses))
}

fn parts(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    for (matrix, [x, y]) in [alike(), coupled()].iter().flat_map(|a| around().map(move |d| (a, d))) {
        // Also fast enough along the normal for the relaxation: w_n ≥ μ‖w_t‖.
        let contact = OneContact {
            matrix: matrix.clone(),
            bias: vec![0.6, x, y],
            coefficient: 0.5,
        };
        if let Some(found) = compare(subject, findings, &contact, "parting")? {
            findings.bound("impulse", distance(&found, &[0.0; 3]), MAGNIFIED * subject.tolerance());
        }
    }
    Ok(())
}

fn sticks(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    for (matrix, [x, y]) in [alike(), coupled()].iter().flat_map(|a| around().map(move |d| (a, d))) {
        // Within the inner box too: 0.3 < 0.5/√2, and within every polygon: 0.3 < 0.5 cos(π/4).
        let impulses = DVector::from_column_slice(&[1.0, 0.3 * x, 0.3 * y]);
        let contact = OneContact {
            bias: (-(matrix * &impulses)).as_slice().to_vec(),
            matrix: matrix.clone(),
            coefficient: 0.5,
        };
        if let Some(found) = compare(subject, findings, &contact, "sticking")? {
            let error = distance(&found, impulses.as_slice());
            findings.bound("error of λ", error, MAGNIFIED * subject.tolerance());
        }
    }
    Ok(())
}

fn slips(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    for [x, y] in around() {
        for coefficient in [0.2, 0.8] {
            let contact = OneContact {
                matrix: alike(),
                bias: vec![-1.0, 3.0 * x, 3.0 * y],
                coefficient,
            };
            findings.expect(contact.solution(&subject.law).is_some(), || "no closed form".into());
            compare(
                subject,
                findings,
                &contact,
                &format!("μ = {coefficient}, along ({x:.2}, {y:.2})"),
            )?;
        }
    }
    Ok(())
}

fn slips_coupled(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    for [x, y] in around() {
        for coefficient in [0.2, 0.8] {
            let contact = OneContact {
                matrix: coupled(),
                bias: vec![-1.0, 3.0 * x, 3.0 * y],
                coefficient,
            };
            let known = contact.solution(&subject.law).is_some();
            let has_root = matches!(subject.law, Law::Coulomb | Law::Relaxed);
            findings.expect(known || !has_root, || "no closed form".into());
            compare(
                subject,
                findings,
                &contact,
                &format!("μ = {coefficient}, along ({x:.2}, {y:.2})"),
            )?;
        }
    }
    Ok(())
}

fn no_friction(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    for rows in [2, 3] {
        for normal in [-1.0, 0.5] {
            let bias = [normal, 0.7, -0.3];
            let contact = OneContact {
                matrix: coupled().view((0, 0), (rows, rows)).into_owned(),
                bias: bias[..rows].to_vec(),
                coefficient: 0.0,
            };
            compare(subject, findings, &contact, &format!("{rows} rows, b_n = {normal}"))?;
        }
    }
    Ok(())
}

fn plane(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    needs_friction(subject)?;
    for coupling in [-0.4, 0.0, 0.4] {
        for k in 0..24 {
            let angle = std::f64::consts::TAU * (f64::from(k) + 0.3) / 24.0;
            let contact = OneContact {
                matrix: DMatrix::from_row_slice(2, 2, &[1.0, coupling, coupling, 1.5]),
                bias: vec![angle.sin(), angle.cos()],
                coefficient: 0.5,
            };
            let what = format!("b at {:.0}°, coupling {coupling}", angle.to_degrees());
            findings.expect(contact.solution(&subject.law).is_some(), || {
                format!("{what}: no closed form")
            });
            compare(subject, findings, &contact, &what)?;
        }
    }
    Ok(())
}
