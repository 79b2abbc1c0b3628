//! `docs/metrics.md`: everything that is measured, with formulas and the code that computes it, from the declarations. Made by
//! `drystone list metrics --markdown` and never by hand; a test compares the two.

use std::fmt::Write;

use super::{Code, Metric, Role, Subject, metrics};
use crate::comparison::{Place, measures};
use crate::solve::markdown::cell;
use crate::solve::measured::MEASURED;

const INTRODUCTION: &str = "\
# Metrics

What Drystone measures, how, and where in the code. This page is made by `drystone list metrics --markdown` from the
declarations in `experiments/src/metrics/declared.rs`: a metric that is added there appears here, in `steps.csv`, in
summaries, tables, plots and comparisons, and can be named in experiment files.

λ are impulses (N·s), w = Aλ + b the velocities of the rows (m/s), K the cone that a block's impulses must lie in and P_K
the projection onto it; h is the time step. SI units, z up.

## `steps.csv`

One row a step, one column a metric, in the order of the numbers below. A value that was not measured is empty. Those that
measure the machine (unit µs) differ between equal runs; all others are the same to the last bit.
";

const SUMMARIES: &str = "
`summary.json` has the mean, the largest and the last value of each over the steps of a run; steps without a value do not
count, and a NaN is not hidden (`experiments/src/summary.rs`). *Table* says whether the table of a run shows it.

";

const COMPARISONS: &str = "
## `comparison.csv` and `results.csv`

`drystone compare` has a row a run with these measures; those marked *table* are also in its table and standard columns of
every sweep, those marked *ranked* have their smallest value marked. E is the kinetic and potential energy.

| column | unit | formula | place |
|---|---|---|---|
";

const SWEEPS: &str = "
Sweeps add `peak_memory_bytes`, the most memory the program had by the end of the run, and `memory_per_contact_bytes`, how far the
run raised that peak above what the program needs for itself, over its largest number of contacts (Linux, one run at a
time; `growth` in `experiments/src/memory.rs`). Further columns are those an experiment file asks for (`drystone sweep --help`):

| table | formula | code |
|---|---|---|
| `[[measure]]` | mean, median, max, min, first, last or sum of a metric in a window of time, step by step divided by another (`per`); `slope` is that of the least-squares line against a second metric | `experiments/src/sweep/measures.rs` |
| `[[fit]]` | least squares y = slope · x + intercept through the steps, and R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)² | `experiments/src/sweep/fit.rs` |
| `[[event-time]]` | the time from which a metric stays at or beyond a bound, or first reaches it | `experiments/src/sweep/measures.rs` |

Tables show the median over seeds and repetitions and, where they differ, the smallest and the largest value.
";

const SOLVES: &str = "
## `problems.csv`

`drystone solve` computes these from the problem and the impulses that a solver returns, whatever the solver says of itself. All
residuals are zero at a solution; the first three only there.

| column | unit | meaning | formula | code |
|---|---|---|---|---|
";

/// The page.
pub fn page() -> String {
    let mut text = INTRODUCTION.to_owned();
    for subject in Subject::ALL {
        section(&mut text, subject);
    }
    text.push_str(SUMMARIES);
    text.truncate(text.trim_end().len() + 1);
    text.push_str(COMPARISONS);
    for measure in measures() {
        let place = match measure.place {
            Place::File => "",
            Place::Table => "table",
            Place::Ranked => "table, ranked",
            Place::RankedIfAny => "table unless all are zero, ranked",
        };
        row(
            &mut text,
            &[&code(&measure.name), measure.unit, &measure.formula, place],
        );
    }
    text.push_str(SWEEPS);
    text.push_str(SOLVES);
    for measured in MEASURED {
        row(
            &mut text,
            &[
                &code(measured.name),
                measured.unit,
                measured.meaning,
                measured.formula,
                &place_in_code(measured.code),
            ],
        );
    }
    text
}

fn section(text: &mut String, subject: Subject) {
    let _ = write!(
        text,
        "\n### {}\n\n| nr. | column | unit | meaning | formula | measured | plot | table | code |\n|---:|---|---|---|---|---|---|---|---|\n",
        subject.title()
    );
    let of_subject = metrics()
        .iter()
        .enumerate()
        .filter(|(_, metric)| metric.subject == subject);
    for (k, metric) in of_subject {
        let number = (k + 1).to_string();
        row(
            text,
            &[
                &number,
                &code(metric.name),
                metric.unit,
                metric.meaning,
                metric.formula,
                metric.moment.name(),
                metric.chart,
                in_table(metric),
                &place_in_code(metric.code),
            ],
        );
    }
}

fn in_table(metric: &Metric) -> &'static str {
    match metric.role {
        Role::Index | Role::Recorded => "",
        Role::Headline => "yes",
        Role::HeadlineIfAny => "unless zero",
    }
}

fn row(text: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

fn code(name: &str) -> String {
    format!("`{name}`")
}

/// A link to the file, as seen from `docs/`.
fn place_in_code(code: Code) -> String {
    let Code { file, function } = code;
    format!("[`{function}`](../{file})")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
    }

    #[test]
    fn the_page_in_docs_is_the_one_that_is_made() {
        let committed = fs::read_to_string(root().join("docs/metrics.md")).unwrap();
        assert!(
            committed == page(),
            "make it anew: drystone list metrics --markdown > docs/metrics.md"
        );
    }

    #[test]
    fn the_code_is_where_the_page_says() {
        let metrics = metrics().iter().map(|metric| (metric.name, metric.code));
        let measured = MEASURED.iter().map(|measured| (measured.name, measured.code));
        for (name, Code { file, function }) in metrics.chain(measured) {
            let text = fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            let defined = text.contains(&format!("fn {function}(")) || text.contains(&format!("fn {function}<"));
            assert!(defined, "{name}: there is no {function} in {file}");
        }
    }

    #[test]
    fn every_metric_is_on_the_page_once() {
        let page = page();
        for metric in metrics() {
            let rows = page
                .lines()
                .filter(|line| line.contains(&format!(" | `{}` | ", metric.name)));
            assert_eq!(rows.count(), 1, "{}", metric.name);
        }
    }
}
