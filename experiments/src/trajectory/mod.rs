//! Trajectories: where every body was, who slept, which groups and layers there were, and which contacts pushed how hard, at
//! so many frames a simulated second. `trajectory.bin` of a run directory holds one; the replay in a report shows it.
//!
//! A file is a row of [`record`]s: a [`header`] with the precision of every number, a [`population`] with bodies, shapes and
//! joints, and then [`chunk`]s of some frames each, which can be decoded one by one. Numbers are rounded to integers
//! ([`quantise`]), foretold from the frames before ([`poses`], [`contacts`]), and what is left is written byte by byte in
//! [`mod@column`]s and deflated. `docs/trajectory.md` has the format byte by byte.
//!
//! [`schedule`] says which steps are frames, [`writer`] streams them, [`recorder`] into the directory of a run, and [`reader`]
//! gives them back.

pub mod chunk;
pub mod column;
pub mod contacts;
pub mod error;
pub mod header;
pub mod population;
pub mod poses;
pub mod quantise;
pub mod reader;
pub mod record;
pub mod recorder;
pub mod schedule;
pub mod writer;

pub use error::TrajectoryError;
pub use reader::Trajectory;
pub use writer::TrajectoryWriter;

/// The file's name in a run directory.
pub const TRAJECTORY_BIN: &str = "trajectory.bin";
