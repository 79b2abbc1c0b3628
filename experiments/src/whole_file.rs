//! Files that appear whole or not at all: written aside as `.<name>.partial`, then renamed.
//!
//! A reader of a run directory never sees half a file under its real name; after a crash the aside file is still there
//! for whoever wants what is in it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::logs::target::PROGRAM;

/// A file under way. Dropped without [`finish`](Self::finish) it stays aside.
#[derive(Debug)]
pub struct WholeFile {
    writer: BufWriter<File>,
    aside: PathBuf,
    path: PathBuf,
}

impl WholeFile {
    /// Begins the file `name` in `directory`.
    pub fn create(directory: &Path, name: &str) -> Result<Self, Error> {
        let (path, aside) = (directory.join(name), directory.join(partial_name(name)));
        let file = File::create(&aside).map_err(Error::writing(&aside))?;
        Ok(Self {
            writer: BufWriter::new(file),
            aside,
            path,
        })
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Flushes it and gives it its name.
    pub fn finish(mut self) -> Result<(), Error> {
        self.writer
            .flush()
            .and_then(|()| self.writer.get_ref().sync_data())
            .and_then(|()| fs::rename(&self.aside, &self.path))
            .map_err(Error::writing(&self.path))?;
        tracing::debug!(target: PROGRAM, file = %self.path.display(), "file written");
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// What the file `name` is called until it is whole.
pub fn partial_name(name: &str) -> String {
    format!(".{name}.partial")
}

/// Writes a whole text at once.
pub fn write_text(directory: &Path, name: &str, text: &str) -> Result<(), Error> {
    let mut file = WholeFile::create(directory, name)?;
    let path = file.path().to_owned();
    file.write_all(text.as_bytes()).map_err(Error::writing(&path))?;
    file.finish()
}

/// Writes a value as JSON for people and programs alike.
pub fn write_json(directory: &Path, name: &str, value: &impl serde::Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::writing(&directory.join(name))(io::Error::other(error)))?;
    write_text(directory, name, &(text + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_name_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("numbers.csv");
        let mut file = WholeFile::create(folder.path(), "numbers.csv").unwrap();
        file.write_all(b"1,2\n").unwrap();
        assert!(!real.exists());
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "1,2\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_older_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        write_text(folder.path(), "a.txt", "old").unwrap();
        let mut file = WholeFile::create(folder.path(), "a.txt").unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(folder.path().join("a.txt")).unwrap(), "old");
    }
}
