//! What decides the claims of papers, without any results: how many have experiments, tests, a reason why not, or are open.

use std::path::Path;

use serde::Serialize;

use super::file::{Basis, Claims};
use crate::Environment;
use crate::table::{Align, Table};

/// The claims of one paper by what decides them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// The folder's name.
    pub folder: String,
    /// All claims.
    pub claims: usize,
    /// Those decided by experiments.
    pub by_experiments: usize,
    /// Those decided by tests alone.
    pub by_tests: usize,
    /// Those that can't be reproduced.
    pub not_reproducible: usize,
    /// Those that wait for something.
    pub open: usize,
}

impl Overview {
    /// Counts.
    pub fn of(claims: &Claims) -> Self {
        let count = |is: fn(&Basis) -> bool| claims.claims.iter().filter(|claim| is(&claim.basis)).count();
        Self {
            folder: name(&claims.folder),
            claims: claims.claims.len(),
            by_experiments: count(|basis| matches!(basis, Basis::Checks(_))),
            by_tests: count(|basis| matches!(basis, Basis::Tests)),
            not_reproducible: count(|basis| matches!(basis, Basis::NotReproducible { .. })),
            open: count(|basis| matches!(basis, Basis::Open { .. })),
        }
    }

    /// The numbers, in the order of the headings.
    pub fn numbers(&self) -> [usize; 5] {
        let decided = [self.by_experiments, self.by_tests, self.not_reproducible, self.open];
        let [experiments, tests, not, open] = decided;
        [self.claims, experiments, tests, not, open]
    }
}

/// `.` and `..` have names too.
fn name(folder: &Path) -> String {
    let full = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    full.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Shows the numbers of several papers.
pub fn show(all: &[Claims], environment: &Environment) {
    let overviews: Vec<Overview> = all.iter().map(Overview::of).collect();
    environment.output.machine_readable(&overviews);
    let mut aligns = vec![Align::Left];
    aligns.extend([Align::Right; 5]);
    let mut table = Table::new(aligns);
    table.row([
        "paper",
        "claims",
        "by experiments",
        "by tests",
        "not reproducible",
        "open",
    ]);
    for overview in &overviews {
        let numbers = overview.numbers().map(|number| number.to_string());
        table.row(std::iter::once(overview.folder.clone()).chain(numbers));
    }
    environment.output.show(&table.render());
}
