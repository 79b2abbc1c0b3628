//! `events.csv`: what happened in each step, one row an event; [`crate::events`] has the words.
//!
//! Rows of a step are in the order the simulation tells them, which does not depend on threads: first bodies, joints and
//! timers, then triggers, touches and proximity by pair.

use std::fmt::Write;
use std::path::Path;

use drystone_dynamics::Simulation;

use crate::cli::EventRows;
use crate::error::Error;
use crate::events::{COLUMNS, Detail, EVENT_KINDS, Told, break_cause};
use crate::metrics::Value;
use crate::steps_csv::{csv_error, finish_csv};
use crate::whole_file::WholeFile;

/// The file's name.
pub const EVENTS_CSV: &str = "events.csv";

/// How many rows there are of each kind, in the order of [`EVENT_KINDS`].
pub type EventCounts = [u64; EVENT_KINDS.len()];

/// The file under way.
#[derive(Debug)]
pub struct EventsCsv {
    writer: csv::Writer<WholeFile>,
    rows: EventRows,
    cell: String,
}

impl EventsCsv {
    /// Begins the file with its header.
    pub fn create(directory: &Path, rows: EventRows) -> Result<Self, Error> {
        let mut writer = csv::Writer::from_writer(WholeFile::create(directory, EVENTS_CSV)?);
        let header = writer.write_record(COLUMNS);
        header.map_err(csv_error(directory, EVENTS_CSV))?;
        Ok(Self {
            writer,
            rows,
            cell: String::new(),
        })
    }

    /// Adds the events of the last step, and counts its rows.
    pub fn step(&mut self, simulation: &Simulation, counts: &mut EventCounts) -> Result<(), Error> {
        let (world, report) = (simulation.world(), simulation.report());
        for event in simulation.events() {
            let Some(told) = Told::of(&event, world) else { continue };
            if self.rows == EventRows::Changes && !told.is_change() {
                continue;
            }
            let row = self.row(report.step, report.time, &told);
            row.map_err(|error| csv_error(self.writer.get_ref().path(), "")(error))?;
            counts[told.kind] += 1;
        }
        Ok(())
    }

    fn row(&mut self, step: u64, time: f64, told: &Told<'_>) -> Result<(), csv::Error> {
        // Numbers as in steps.csv.
        for number in [Value::Count(step), Value::Number(told.time.unwrap_or(time))] {
            self.cell.clear();
            // Writing to a string can't fail.
            let _ = write!(self.cell, "{number}");
            self.writer.write_field(&self.cell)?;
        }
        self.writer.write_field(EVENT_KINDS[told.kind].name)?;
        self.writer.write_field(told.change_name())?;
        self.writer.write_field(told.body.unwrap_or_default())?;
        self.writer.write_field(told.other.unwrap_or_default())?;
        self.cell.clear();
        let _ = match told.detail {
            Detail::Nothing => Ok(()),
            Detail::Timer(name) => write!(self.cell, "timer={name}"),
            Detail::Cause(cause) => write!(self.cell, "cause={cause}"),
            Detail::Broke(joint, cause) => {
                let (cause, value) = break_cause(cause);
                write!(self.cell, "joint={joint}; {cause}={}", Value::Number(value))
            }
        };
        self.writer.write_field(&self.cell)?;
        self.writer.write_record(None::<&[u8]>)
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), Error> {
        finish_csv(self.writer)
    }
}
