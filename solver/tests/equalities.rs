//! Sweeps over joints: on rigid bodies the update of an equality block is prepared as a product, on explicit matrices it goes row by
//! row. Both are the same method.

mod common;

use common::mechanisms::{Mechanism, Shape};
use common::{Sample, distance, largest, solved};
use drystone_solver::{Cone, Problem};

const SPECS: [&str; 5] = [
    "pgs:iterations=6",
    "pgs:iterations=6,order=backward,granularity=blocks",
    "psor:iterations=6,relaxation=1.4",
    "psor:iterations=6,relaxation=0.7,granularity=blocks,order=symmetric",
    "nncg:iterations=6",
];

/// The largest difference between the impulses on bodies and on the matrix written out, beside the largest of them.
fn difference(spec: &str, problem: &Problem) -> f64 {
    let by_products = solved(spec, problem);
    let by_rows = solved(spec, &problem.explicit().unwrap());
    assert!(by_products.iter().any(|&x| x != 0.0), "{spec}");
    distance(&by_products, &by_rows) / largest(by_rows)
}

#[test]
fn sweeps_over_joints_are_those_by_rows_to_rounding() {
    for shape in [Shape::Chain, Shape::Bridge, Shape::Tree, Shape::Ring] {
        for mechanism in [Mechanism::new(shape, 12), Mechanism::new(shape, 12).hinges()] {
            let problem = mechanism.problem();
            for spec in SPECS {
                let apart = difference(spec, &problem);
                // Rounding of six sweeps.
                assert!(apart < 1e-12, "{mechanism:?} {spec}: {apart}");
            }
        }
    }
}

/// Joints with rows that follow from each other: whole blocks take the pseudo-inverse.
#[test]
fn doors_on_too_many_hinges_are_swept_as_by_rows() {
    let problem = Mechanism::door(&[-0.8, 0.1, 0.8], 0.0);
    for spec in &SPECS[..4] {
        let apart = difference(spec, &problem);
        assert!(apart < 1e-12, "{spec}: {apart}");
    }
}

/// Contacts, limits and soft joints between hard ones: every block is updated by what is its own.
#[test]
fn joints_among_other_constraints_are_swept_as_by_rows() {
    for seed in 0..6 {
        for hinges in [false, true] {
            let mut sample = Sample::random(seed, 8, 24, hinges).dominant();
            for (index, constraint) in sample.constraints.iter_mut().enumerate() {
                if constraint.cone == Cone::Free && index % 2 == 0 {
                    constraint.rows.iter_mut().for_each(|row| row.compliance = 0.0);
                }
            }
            let problem = sample.problem();
            for spec in &SPECS[..4] {
                let apart = difference(spec, &problem);
                assert!(apart < 1e-12, "{spec}, seed {seed}: {apart}");
            }
        }
    }
}
