//! `group_sizes.csv`: how many contact groups of each size there were, over all steps of a run; sizes in dynamic bodies.
//! Groups that sleep count, and so do bodies that are in no group, as groups of one.

use std::path::Path;

use drystone_contact_graph::Groups;

use crate::error::Error;
use crate::steps_csv::{csv_error, finish_csv};
use crate::whole_file::WholeFile;

/// The file's name.
pub const GROUP_SIZES_CSV: &str = "group_sizes.csv";

/// The histogram of a run under way.
#[derive(Debug)]
pub struct GroupSizesCsv {
    writer: csv::Writer<WholeFile>,
    /// How many groups had so many bodies, over all steps.
    counts: Vec<u64>,
}

impl GroupSizesCsv {
    /// Begins the file with its header.
    pub fn create(directory: &Path) -> Result<Self, Error> {
        let mut writer = csv::Writer::from_writer(WholeFile::create(directory, GROUP_SIZES_CSV)?);
        let header = writer.write_record(["size", "count"]);
        header.map_err(csv_error(directory, GROUP_SIZES_CSV))?;
        Ok(Self {
            writer,
            counts: vec![0; 2],
        })
    }

    /// Counts the groups of a step.
    pub fn step(&mut self, groups: &Groups) {
        if self.counts.len() <= groups.largest() {
            self.counts.resize(groups.largest() + 1, 0);
        }
        for group in groups.iter() {
            self.counts[group.bodies.len()] += 1;
        }
        self.counts[1] += groups.free.len() as u64;
    }

    /// Writes a row for every size there was, and gives the file its name.
    pub fn finish(mut self) -> Result<(), Error> {
        for (size, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let row = self.writer.write_record([size.to_string(), count.to_string()]);
            row.map_err(|error| csv_error(self.writer.get_ref().path(), "")(error))?;
        }
        finish_csv(self.writer)
    }
}
