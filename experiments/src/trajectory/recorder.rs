//! The trajectory of a run under way: first and last state, and the frames between, into `trajectory.bin` of its directory.

use std::path::{Path, PathBuf};

use drystone_dynamics::Simulation;

use super::TRAJECTORY_BIN;
use super::header::Header;
use super::schedule::Schedule;
use super::writer::TrajectoryWriter;
use crate::error::Error;
use crate::plan::Plan;
use crate::whole_file::WholeFile;

/// The file under way.
#[derive(Debug)]
pub struct TrajectoryRecorder {
    writer: TrajectoryWriter<WholeFile>,
    schedule: Schedule,
    path: PathBuf,
}

impl TrajectoryRecorder {
    /// Begins the file with the state before the first step; `None` if the plan wants no trajectory.
    pub fn create(directory: &Path, plan: &Plan, simulation: &Simulation) -> Result<Option<Self>, Error> {
        let Some(rate) = plan.trajectory.per_second() else {
            return Ok(None);
        };
        let header = Header::new(
            simulation.world(),
            &plan.scene.given,
            &plan.method.given,
            simulation.dt(),
            rate,
        );
        let path = directory.join(TRAJECTORY_BIN);
        let file = WholeFile::create(directory, TRAJECTORY_BIN)?;
        let mut writer = TrajectoryWriter::new(file, header).map_err(Error::writing(&path))?;
        writer.frame(simulation).map_err(Error::writing(&path))?;
        Ok(Some(Self {
            writer,
            schedule: Schedule::new(rate, simulation.dt()),
            path,
        }))
    }

    /// Looks at the state after a step, and keeps it if it is a frame.
    pub fn step(&mut self, simulation: &Simulation) -> Result<(), Error> {
        if self.schedule.is_frame(simulation.report().step) {
            self.writer.frame(simulation).map_err(Error::writing(&self.path))
        } else {
            Ok(())
        }
    }

    /// Keeps the last state, unless it is kept already.
    pub fn last(&mut self, simulation: &Simulation) -> Result<(), Error> {
        if self.writer.last_step() == Some(simulation.report().step) {
            return Ok(());
        }
        self.writer.frame(simulation).map_err(Error::writing(&self.path))
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), Error> {
        self.writer.finish().map_err(Error::writing(&self.path))?.finish()
    }
}
