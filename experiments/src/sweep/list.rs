//! `drystone sweep --list`: the runs of experiments, without running them.

use serde::Serialize;

use super::Prepared;
use super::product::Run;
use super::shard::Shard;
use super::tables::counted;
use crate::Environment;
use crate::quantity::quantity;
use crate::table::{Align, Table};

#[derive(Debug, Serialize)]
struct Listed<'a> {
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<Shard>,
    runs: &'a [Run],
}

/// Shows the runs of all experiments.
pub fn list(all: &[Prepared], environment: &Environment) {
    let listed = all.iter().map(|prepared| Listed {
        title: &prepared.experiment.title,
        shard: prepared.shard,
        runs: &prepared.runs,
    });
    environment.output.machine_readable(&listed.collect::<Vec<_>>());
    for Prepared {
        experiment,
        runs,
        whole,
        shard,
        ..
    } in all
    {
        let mut aligns = vec![Align::Right, Align::Left, Align::Left];
        aligns.extend([Align::Right; 4]);
        let mut table = Table::new(aligns);
        table.heading(["run", "scene", "method", "seed", "repetition", "steps", "time step"]);
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
        let mut counted = counted(experiment, *whole);
        if let Some(shard) = shard {
            counted.push_str(&format!("; shard {shard} has {}", runs.len()));
        }
        let text = format!("{}: {counted}\n\n{}", experiment.title, table.render());
        environment.output.show(&text);
    }
}
