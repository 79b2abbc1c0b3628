//! `drystone sweep --list`: the runs of experiments, without running them.

use serde::Serialize;

use super::Prepared;
use super::product::Run;
use super::tables::counted;
use crate::Environment;
use crate::quantity::quantity;
use crate::table::{Align, Table};

#[derive(Debug, Serialize)]
struct Listed<'a> {
    title: &'a str,
    runs: &'a [Run],
}

/// Shows the runs of all experiments.
pub fn list(all: &[Prepared], environment: &Environment) {
    let listed = all.iter().map(|prepared| Listed {
        title: &prepared.experiment.title,
        runs: &prepared.runs,
    });
    environment.output.machine_readable(&listed.collect::<Vec<_>>());
    for Prepared { experiment, runs, .. } in all {
        let mut aligns = vec![Align::Right, Align::Left, Align::Left];
        aligns.extend([Align::Right; 4]);
        let mut table = Table::new(aligns);
        table.row(["run", "scene", "method", "seed", "repetition", "steps", "time step"]);
        for run in runs {
            table.row([
                run.run.to_string(),
                run.scene_spec.clone(),
                run.method_spec.clone(),
                run.seed.map_or_else(|| "-".to_owned(), |seed| seed.to_string()),
                run.repetition.to_string(),
                run.steps.to_string(),
                quantity(run.dt, "s"),
            ]);
        }
        let counted = counted(experiment, runs.len());
        let text = format!("{}: {counted}\n\n{}", experiment.title, table.render());
        environment.output.show(&text);
    }
}
