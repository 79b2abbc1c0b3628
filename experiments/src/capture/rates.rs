//! How fast solvers converged on captured problems: a rate for each, and over scenes of one kind and several sizes the
//! power of N that the iterations grow with.

use std::fmt::Write;
use std::path::Path;

use crate::curves::{Curve, iterations_per_digit};
use crate::error::Error;
use crate::quantity::{count, number, quantity};
use crate::solve::trial::Status;
use crate::steps_csv::{csv_error, finish_csv};
use crate::table::{Align, Table};
use crate::whole_file::{WholeFile, write_text};

/// The rates as a table of numbers.
pub const RATES_CSV: &str = "rates.csv";
/// The rates for a page of documentation.
pub const RATES_MD: &str = "rates.md";

/// The solvers on the captured step of one scene.
#[derive(Debug)]
pub(super) struct OfScene {
    /// As it was typed.
    given: String,
    /// Its name, without parameters.
    name: String,
    step: u64,
    /// Rows of all groups: the variables N.
    rows: usize,
    pub(super) outcomes: Vec<Outcome>,
}

/// A solver on a captured step.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) curve: Curve,
    pub(super) status: Status,
    pub(super) message: String,
}

impl Outcome {
    fn per_digit(&self) -> Option<f64> {
        self.curve.rate().and_then(iterations_per_digit)
    }

    fn ending(&self) -> String {
        match self.message.as_str() {
            "" => self.status.name().to_owned(),
            reason => format!("{}: {reason}", self.status.name()),
        }
    }
}

impl OfScene {
    pub(super) fn new(given: &str, name: &str, step: u64, rows: usize) -> Self {
        Self {
            given: given.to_owned(),
            name: name.to_owned(),
            step,
            rows,
            outcomes: Vec::new(),
        }
    }

    pub(super) fn curves(&self) -> Vec<Curve> {
        self.outcomes.iter().map(|outcome| outcome.curve.clone()).collect()
    }
}

/// The columns of the tables, for a terminal and for a page.
const HEADINGS: [&str; 9] = [
    "scene",
    "step",
    "rows",
    "solver",
    "iterations",
    "last residual, m/s",
    "rate",
    "iterations per digit",
    "time",
];

fn cells(scene: &OfScene, outcome: &Outcome) -> [String; 9] {
    let curve = &outcome.curve;
    let dash = || "-".to_owned();
    [
        scene.given.clone(),
        scene.step.to_string(),
        scene.rows.to_string(),
        curve.solver.clone(),
        count(curve.iterations() as f64),
        curve.residuals.last().copied().map_or_else(dash, number),
        curve.rate().map_or_else(dash, |rate| format!("{rate:.6}")),
        outcome.per_digit().map_or_else(dash, number),
        quantity(curve.seconds, "s"),
    ]
}

fn every(all: &[OfScene]) -> impl Iterator<Item = (&OfScene, &Outcome)> {
    all.iter()
        .flat_map(|scene| scene.outcomes.iter().map(move |outcome| (scene, outcome)))
}

/// For a terminal.
pub(super) fn table(all: &[OfScene]) -> String {
    let mut aligns = vec![Align::Left, Align::Right, Align::Right, Align::Left];
    aligns.extend([Align::Right; 5]);
    aligns.push(Align::Left);
    let mut table = Table::new(aligns);
    table.heading(HEADINGS.into_iter().chain(["status"]));
    for (scene, outcome) in every(all) {
        table.row(cells(scene, outcome).into_iter().chain([outcome.ending()]));
    }
    format!("captured problems\n\n{}", table.render())
}

/// Writes both files.
pub(super) fn write(directory: &Path, all: &[OfScene]) -> Result<(), Error> {
    let mut writer = csv::Writer::from_writer(WholeFile::create(directory, RATES_CSV)?);
    let result = (|| {
        let headings = "scene step rows solver status iterations residual rate iterations_per_digit seconds message";
        writer.write_record(headings.split(' '))?;
        for (scene, outcome) in every(all) {
            let curve = &outcome.curve;
            writer.serialize((
                (&scene.given, scene.step, scene.rows, &curve.solver),
                (outcome.status.name(), curve.iterations(), curve.residuals.last()),
                (curve.rate(), outcome.per_digit(), curve.seconds, &outcome.message),
            ))?;
        }
        Ok(())
    })();
    result.map_err(csv_error(directory, RATES_CSV))?;
    finish_csv(writer)?;
    write_text(directory, RATES_MD, &page(all))
}

/// The tables as Markdown.
fn page(all: &[OfScene]) -> String {
    let mut text = format!(
        "| {} |\n|---|---:|---:|---|---:|---:|---:|---:|---:|\n",
        HEADINGS.join(" | ")
    );
    for (scene, outcome) in every(all) {
        let mut cells = cells(scene, outcome);
        for index in [0, 3] {
            cells[index] = format!("`{}`", cells[index]);
        }
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    let orders = orders(all);
    if !orders.is_empty() {
        text.push_str("\n| scenes | rows N | solver | iterations per digit grow as |\n|---|---|---|---|\n");
    }
    for order in &orders {
        let sizes: Vec<String> = order.sizes.iter().map(usize::to_string).collect();
        let _ = writeln!(
            text,
            "| `{}` | {} | `{}` | N^{:.2} |",
            order.scene,
            sizes.join(", "),
            order.solver,
            order.exponent
        );
    }
    text
}

/// How the iterations of a solver grow with the size of a scene.
#[derive(Debug, PartialEq)]
struct Order {
    scene: String,
    solver: String,
    sizes: Vec<usize>,
    exponent: f64,
}

/// For every kind of scene that is there in at least three sizes, and every solver with a rate in all of them: the slope
/// of log(iterations per digit) over log(N).
fn orders(all: &[OfScene]) -> Vec<Order> {
    let mut found: Vec<Order> = Vec::new();
    for (scene, outcome) in every(all) {
        let solver = &outcome.curve.solver;
        if found
            .iter()
            .any(|order| order.scene == scene.name && &order.solver == solver)
        {
            continue;
        }
        let alike = every(all).filter(|(other, outcome)| other.name == scene.name && &outcome.curve.solver == solver);
        let points: Vec<(usize, f64)> = alike
            .filter_map(|(other, outcome)| Some((other.rows, outcome.per_digit()?)))
            .collect();
        let (count, mut sizes) = (
            points.len() as f64,
            points.iter().map(|point| point.0).collect::<Vec<_>>(),
        );
        sizes.sort_unstable();
        sizes.dedup();
        if sizes.len() < 3 {
            continue;
        }
        let logs: Vec<(f64, f64)> = points
            .iter()
            .map(|point| ((point.0 as f64).ln(), point.1.ln()))
            .collect();
        let mean = logs
            .iter()
            .fold((0.0, 0.0), |sum, log| (sum.0 + log.0 / count, sum.1 + log.1 / count));
        let covariance: f64 = logs.iter().map(|log| (log.0 - mean.0) * (log.1 - mean.1)).sum();
        let variance: f64 = logs.iter().map(|log| (log.0 - mean.0).powi(2)).sum();
        found.push(Order {
            scene: scene.name.clone(),
            solver: solver.clone(),
            sizes,
            exponent: covariance / variance,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A solver whose rate is exp(−c/N²): its iterations grow with the square of N.
    fn scene(rows: usize) -> OfScene {
        let rate = (-2.0 / (rows * rows) as f64).exp();
        let mut scene = OfScene::new(&format!("stack:count={rows}"), "stack", 5, rows);
        scene.outcomes.push(Outcome {
            curve: Curve {
                problem: scene.given.clone(),
                solver: "sweeps".into(),
                residuals: (0..50).map(|k| rate.powi(k)).collect(),
                seconds: 1e-3,
            },
            status: Status::IterationLimit,
            message: String::new(),
        });
        scene
    }

    #[test]
    fn the_power_of_the_size_is_found() {
        let all = [scene(10), scene(20), scene(40)];
        let found = orders(&all);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].sizes, [10, 20, 40]);
        assert!((found[0].exponent - 2.0).abs() < 1e-6, "{found:?}");
        assert!(page(&all).contains("| `stack` | 10, 20, 40 | `sweeps` | N^2.00 |"));
    }

    #[test]
    fn two_sizes_are_no_order() {
        assert!(orders(&[scene(10), scene(20)]).is_empty());
    }
}
