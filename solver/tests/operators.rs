//! The methods are written once for every operator: on the same problem, matrix-free and with an explicit matrix, they
//! give the same impulses after every sweep.

mod common;

use common::{Sample, distance, largest, solved};

/// Both do the same operations on `(Aλ)`, which they sum up in different ways. On a diagonally dominant problem a sweep
/// does not enlarge errors, so what is left after 30 of them is the rounding of 30 sums of numbers of size one.
const ROUNDING: f64 = 1e-13;

#[test]
fn explicit_and_matrix_free_operators_give_the_same_iterates() {
    for seed in 0..4 {
        let problem = Sample::random(seed, 8, 20, true).dominant().problem();
        let explicit = problem.explicit().unwrap();
        // Mass splitting is not among them: where there are no bodies it splits otherwise.
        for solver in ["pgs", "psor", "jacobi", "nsgs"] {
            for granularity in ["rows", "blocks"] {
                for friction in ["box", "scaled-box", "cone"] {
                    if solver == "nsgs" && (granularity, friction) != ("blocks", "cone") {
                        continue;
                    }
                    let mut last = vec![0.0; problem.rows()];
                    for iterations in 1..=30 {
                        let kind = if solver == "nsgs" {
                            String::new()
                        } else {
                            format!(",granularity={granularity},friction={friction}")
                        };
                        let spec = format!("{solver}:iterations={iterations},order=random{kind}");
                        let free = solved(&spec, &problem);
                        let matrix = solved(&spec, &explicit);
                        assert!(
                            distance(&free, &matrix) < ROUNDING,
                            "{spec}: {}",
                            distance(&free, &matrix)
                        );
                        // The iterates of a first few sweeps are not yet the solution, so they are worth comparing.
                        assert!(iterations > 3 || distance(&free, &last) > 1e-4, "{spec} stands still");
                        last = free;
                    }
                    assert!(largest(last) > 0.1);
                }
            }
        }
    }
}
