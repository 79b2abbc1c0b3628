//! Every registered solver against the suite that all must pass. A method that is entered in a family's list is tested
//! here without another line.

use drystone_solver::conformance;
use drystone_solver::registry;

#[test]
fn every_registered_solver_conforms() {
    let mut failures = String::new();
    for entry in registry::solvers() {
        let report = conformance::check(entry);
        for case in report.failures() {
            failures.push_str(&format!("{}: {case}\n", report.solver));
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
