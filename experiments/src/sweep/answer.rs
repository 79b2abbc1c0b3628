//! What a sweep answers to programs (`--json`), and the few things that this and the joining of shards say alike.

use serde::Serialize;
use serde_json::Value;

use super::columns::Column;
use super::product::Run;
use super::results::Named;
use super::shard::Shard;
use super::work::Finished;
use crate::claims::ClaimsReport;
use crate::summary::Status;

/// Whether there are runs, and none came to anything.
pub(super) fn every_one_failed(results: &[Finished]) -> bool {
    let failed = |finished: &Finished| finished.row.status == Status::Failed;
    !results.is_empty() && results.iter().all(failed)
}

pub(super) fn numbers(runs: &[Run]) -> Vec<usize> {
    runs.iter().map(|run| run.run).collect()
}

pub(super) fn named<'a>(results: &'a [Finished], columns: &'a [Column]) -> Vec<Named<'a>> {
    let rows = results.iter().map(|finished| &finished.row);
    rows.map(|row| Named::of(row, columns)).collect()
}

/// The experiments of a sweep, for programs.
#[derive(Debug, Serialize)]
pub(super) struct Reports<'a> {
    pub(super) experiments: Vec<Report<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) claims: Option<ClaimsReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    pub(super) title: &'a str,
    pub(super) directory: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<Shard>,
    pub(super) planned_runs: usize,
    pub(super) resumed_runs: usize,
    pub(super) missing_runs: Vec<usize>,
    pub(super) rows: Vec<Named<'a>>,
}

/// The processors that programs say they ran on, each once.
pub(super) fn processors(launches: &[Value]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for launch in launches {
        let machine = &launch["machine"];
        let text = |key: &str| machine[key].as_str().map(str::to_owned);
        let name = text("processor").or_else(|| text("architecture"));
        let name = name.unwrap_or_else(|| "an unknown machine".to_owned());
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
