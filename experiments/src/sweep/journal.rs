//! `runs.jsonl`: what came of every run, one line a run, written the moment it ends. It is what a killed sweep is resumed
//! from; `results.csv` and the rest can be made from it at any time.
//!
//! A line is with the system before the next run begins, so that the end of the program, even by SIGKILL, loses none. For the
//! end of the machine lines are synchronised to the disk, unless that would take more than a twentieth of the time: of runs
//! that take a millisecond, those of some hundred milliseconds may be lost when the power fails.
//!
//! Lines are only ever appended. A program that is killed in the middle of one leaves a torn last line, which counts for
//! nothing. One that could not be written whole, because the disk was full, is cut off again, so that nothing follows it. A run may have several lines, of which the last counts. Lines of launches say who wrote what follows.
//!
//! The file is locked while a sweep writes to it, so that two programs never work in one directory. The system lets go of
//! the lock when the program ends, however it ends; a killed one blocks nobody.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rarely::Rarely;
use super::work::Finished;
use crate::error::Error;
use crate::run_directory::cannot_write;

/// The file's name.
pub const RUNS_JSONL: &str = "runs.jsonl";

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line<F> {
    Launch(Value),
    Run(F),
}

/// What a journal says.
#[derive(Debug, Default)]
pub struct Contents {
    /// The programs that wrote it, in order.
    pub launches: Vec<Value>,
    /// Every run that has a line, in the order of runs.
    pub finished: Vec<Finished>,
    /// The bytes up to the end of the last whole line.
    whole: u64,
}

impl Contents {
    /// Reads the journal of a directory; nothing if there is none.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(RUNS_JSONL);
        let cannot = |error| Error::Input(format!("cannot read '{}': {error}", path.display()));
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(cannot(error)),
        };
        let mut contents = Self::default();
        let mut number = 0;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            number += 1;
            let is_last = contents.whole + line.len() as u64 == bytes.len() as u64;
            match serde_json::from_slice(line) {
                Ok(Line::Launch(launch)) if line.ends_with(b"\n") => contents.launches.push(launch),
                Ok(Line::Run(finished)) if line.ends_with(b"\n") => contents.finished.push(finished),
                // Torn: the program was killed while it wrote.
                _ if is_last => break,
                Err(error) => {
                    let shown = path.display();
                    let message = format!(
                        "{shown}:{number}: this is no line of a sweep's journal: {error}; take the line out, and its run is made \
                         again with --resume"
                    );
                    return Err(Error::Input(message));
                }
                Ok(_) => {}
            }
            contents.whole += line.len() as u64;
        }
        // The last line of a run counts: the sort is stable, and the reverse is thinned out from its front.
        contents.finished.reverse();
        contents.finished.sort_by_key(|finished| finished.row.run.run);
        contents.finished.dedup_by_key(|finished| finished.row.run.run);
        Ok(contents)
    }

    /// Who wrote last, if it is known.
    fn process(&self) -> Option<u64> {
        self.launches.last()?.get("process")?.as_u64()
    }
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    synchronised: Rarely,
    /// Whether part of a line is in the file that could not be cut off.
    torn: bool,
}

impl Journal {
    /// Opens the journal of a directory, a new one if there is none, and locks it.
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(RUNS_JSONL);
        let cannot = |error: io::Error| cannot_write(directory, &error);
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(directory)),
            // Some file systems have no locks; there it is up to the user.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(cannot(error)),
        }
        Ok(Self {
            file,
            path,
            synchronised: Rarely::default(),
            torn: false,
        })
    }

    /// Refuses a directory that another program works in. Nothing is written.
    pub fn check(directory: &Path) -> Result<(), Error> {
        let Ok(file) = File::open(directory.join(RUNS_JSONL)) else {
            return Ok(());
        };
        // The lock is given back at once.
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Err(in_use(directory)),
            _ => Ok(()),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) -> Result<(), Error> {
        self.file.set_len(0).map_err(Error::writing(&self.path))
    }

    /// Cuts off a torn last line, so that the next begins a line.
    pub fn mend(&mut self, contents: &Contents) -> Result<(), Error> {
        self.file.set_len(contents.whole).map_err(Error::writing(&self.path))
    }

    /// Says who writes what follows.
    pub fn launch(&mut self, launch: &impl Serialize) -> Result<(), Error> {
        let value = serde_json::to_value(launch).map_err(|error| self.unwritable(error))?;
        self.line(&Line::<Finished>::Launch(value))
    }

    /// Enters a run that has ended. When this returns, the end of the program can't lose it any more.
    pub fn run(&mut self, finished: &Finished) -> Result<(), Error> {
        self.line(&Line::Run(finished))
    }

    /// Enters what other journals say, all at once.
    pub fn copy(&mut self, launches: &[Value], finished: &[Finished]) -> Result<(), Error> {
        let mut text = Vec::new();
        for launch in launches {
            self.append(&mut text, &Line::<Finished>::Launch(launch.clone()))?;
        }
        for finished in finished {
            self.append(&mut text, &Line::Run(finished))?;
        }
        self.write(&text)
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), Error> {
        let mut text = Vec::new();
        self.append(&mut text, line)?;
        self.write(&text)
    }

    fn append(&self, text: &mut Vec<u8>, line: &impl Serialize) -> Result<(), Error> {
        serde_json::to_writer(&mut *text, line).map_err(|error| self.unwritable(error))?;
        text.push(b'\n');
        Ok(())
    }

    fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        if self.torn {
            let message = "an earlier line is there in part, and could not be cut off; resume the sweep";
            return Err(Error::writing(&self.path)(io::Error::other(message)));
        }
        let written = whole_or_nothing(&self.file, |mut file| file.write_all(text));
        if let Err((error, torn)) = written {
            self.torn = torn;
            return Err(Error::writing(&self.path)(error));
        }
        match self.synchronised.is_due() {
            true => self.synchronise(),
            false => Ok(()),
        }
    }

    /// Sees to it that all lines are on the disk.
    pub fn synchronise(&mut self) -> Result<(), Error> {
        let begun = Instant::now();
        self.file.sync_data().map_err(Error::writing(&self.path))?;
        self.synchronised.done(begun);
        Ok(())
    }

    fn unwritable(&self, error: serde_json::Error) -> Error {
        Error::writing(&self.path)(error.into())
    }
}

/// Appends to a file, or leaves it as long as it was. An error comes with whether part of it stayed.
fn whole_or_nothing(file: &File, append: impl FnOnce(&File) -> io::Result<()>) -> Result<(), (io::Error, bool)> {
    let before = file.metadata().map_err(|error| (error, false))?.len();
    append(file).map_err(|error| (error, file.set_len(before).is_err()))
}

fn in_use(directory: &Path) -> Error {
    let process = Contents::read(directory).ok().and_then(|contents| contents.process());
    let by = process.map_or_else(|| "another program".to_owned(), |id| format!("process {id}"));
    Error::Directory(format!(
        "directory '{}' is in use by {by}; wait for it to end, or name another directory",
        directory.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::super::work::tests::finished;
    use super::*;
    use crate::summary::Status;

    fn numbers(contents: &Contents) -> Vec<usize> {
        contents.finished.iter().map(|finished| finished.row.run.run).collect()
    }

    #[test]
    fn a_journal_torn_anywhere_in_its_last_line_keeps_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(RUNS_JSONL);
        let mut journal = Journal::open(folder.path()).unwrap();
        journal.launch(&serde_json::json!({ "process": 7 })).unwrap();
        journal.run(&finished(2, Status::Finished)).unwrap();
        journal.run(&finished(1, Status::Failed)).unwrap();
        let before = fs::metadata(&path).unwrap().len() as usize;
        journal.run(&finished(3, Status::Finished)).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        for length in before..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let contents = Contents::read(folder.path()).unwrap();
            assert_eq!(numbers(&contents), [1, 2], "torn at {length}");
            // What is written next is read again.
            let mut journal = Journal::open(folder.path()).unwrap();
            journal.mend(&contents).unwrap();
            journal.run(&finished(4, Status::Finished)).unwrap();
            drop(journal);
            assert_eq!(
                numbers(&Contents::read(folder.path()).unwrap()),
                [1, 2, 4],
                "torn at {length}"
            );
        }
        fs::write(&path, &whole).unwrap();
        let contents = Contents::read(folder.path()).unwrap();
        assert_eq!(numbers(&contents), [1, 2, 3]);
        assert_eq!(contents.process(), Some(7));
        assert_eq!(contents.finished[1], finished(2, Status::Finished));
    }

    /// As if the disk had been full after half a line.
    #[test]
    fn a_line_that_fails_halfway_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(RUNS_JSONL);
        let mut journal = Journal::open(folder.path()).unwrap();
        journal.run(&finished(1, Status::Finished)).unwrap();
        let before = fs::read(&path).unwrap();
        let half = |mut file: &File| {
            file.write_all(b"{\"run\":{\"row")?;
            Err(ErrorKind::StorageFull.into())
        };
        let (error, torn) = whole_or_nothing(&journal.file, half).unwrap_err();
        assert_eq!((error.kind(), torn), (ErrorKind::StorageFull, false));
        assert_eq!(fs::read(&path).unwrap(), before);
        journal.run(&finished(2, Status::Finished)).unwrap();
        assert_eq!(numbers(&Contents::read(folder.path()).unwrap()), [1, 2]);
        // Nothing follows what could not be cut off.
        journal.torn = true;
        assert!(journal.run(&finished(3, Status::Finished)).is_err());
        assert_eq!(numbers(&Contents::read(folder.path()).unwrap()), [1, 2]);
    }

    #[test]
    fn the_last_line_of_a_run_counts_and_nonsense_in_between_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(RUNS_JSONL);
        let mut journal = Journal::open(folder.path()).unwrap();
        for status in [Status::Interrupted, Status::Failed, Status::Finished] {
            journal.run(&finished(1, status)).unwrap();
        }
        drop(journal);
        let contents = Contents::read(folder.path()).unwrap();
        assert_eq!(contents.finished, [finished(1, Status::Finished)]);

        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen('\n', "\nnonsense\n", 1)).unwrap();
        let told = Contents::read(folder.path()).unwrap_err().to_string();
        assert!(told.contains("runs.jsonl:2: "), "{told}");
    }

    #[test]
    fn a_locked_journal_is_left_alone_until_it_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path()).unwrap();
        journal.launch(&serde_json::json!({ "process": 7 })).unwrap();
        for refused in [Journal::open(folder.path()).err(), Journal::check(folder.path()).err()] {
            let told = refused.unwrap().to_string();
            assert!(told.contains("in use by process 7"), "{told}");
        }
        drop(journal);
        assert!(Journal::check(folder.path()).is_ok());
        assert!(Journal::open(folder.path()).is_ok());
    }
}
