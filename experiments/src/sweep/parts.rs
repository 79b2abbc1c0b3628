//! The directories that `--collect` is given: shards of one sweep, or folders of several sweeps, as they are made of several
//! experiment files. Whatever does not belong together is refused here.

use std::fs;
use std::path::{Path, PathBuf};

use super::identity::{Identity, SWEEP_JSON};
use super::journal::Contents;
use super::manifest::EXPERIMENT_TOML;
use crate::error::Error;

/// The directory of one shard, or of a sweep that was not split.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) directory: PathBuf,
    pub(super) identity: Identity,
    /// The experiment file.
    pub(super) text: String,
    pub(super) contents: Contents,
    /// How many runs it has.
    pub(super) runs: usize,
    /// The run directories in it that belong to the whole.
    pub(super) kept: Vec<String>,
}

impl Part {
    /// Reads a directory; none if it holds no sweep.
    fn read(directory: &Path) -> Result<Option<Self>, Error> {
        let Some(identity) = Identity::read(directory)? else {
            return Ok(None);
        };
        let path = directory.join(EXPERIMENT_TOML);
        let text = fs::read_to_string(&path)
            .map_err(|error| Error::Input(format!("cannot read experiment '{}': {error}", path.display())))?;
        if blake3::hash(text.as_bytes()).to_hex().as_str() != identity.experiment_blake3 {
            let message = format!("'{}' was changed since its sweep began", path.display());
            return Err(Error::Input(message));
        }
        let contents = Contents::read(directory)?;
        Ok(Some(Self {
            directory: directory.to_owned(),
            runs: contents.finished.len(),
            identity,
            text,
            contents,
            kept: Vec::new(),
        }))
    }
}

/// Parts of the same sweep.
#[derive(Debug)]
pub(super) struct Group {
    /// The folder they are in within those that were named; none if they were named themselves.
    folder: Option<String>,
    /// At least one.
    pub(super) parts: Vec<Part>,
}

impl Group {
    /// What the joined directory is called among several.
    pub(super) fn stem(&self) -> String {
        let given = Path::new(&self.parts[0].identity.given);
        let stem = || given.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.folder.clone().unwrap_or_else(stem)
    }

    /// Whether its parts are in folders that may hold those of other sweeps.
    pub(super) fn is_in_folder(&self) -> bool {
        self.folder.is_some()
    }

    fn check(&self) -> Result<(), Error> {
        let first = &self.parts[0];
        for part in &self.parts[1..] {
            let both = || format!("'{}' and '{}'", first.directory.display(), part.directory.display());
            if let Some(what) = first.identity.difference(&part.identity) {
                let message = format!("{} are not parts of the same sweep: {what} differs", both());
                return Err(Error::Input(message));
            }
            let counts = first.identity.shard.zip(part.identity.shard);
            if let Some((one, other)) = counts.filter(|(one, other)| one.count != other.count) {
                return Err(Error::Input(format!(
                    "{} are not parts of the same split: one is shard {one}, the other {other}",
                    both()
                )));
            }
        }
        Ok(())
    }
}

/// The parts in these directories, those of one sweep together.
pub(super) fn groups(given: &[PathBuf]) -> Result<Vec<Group>, Error> {
    let mut groups: Vec<Group> = Vec::new();
    let mut add = |folder: Option<String>, part: Part| match groups.iter_mut().find(|group| group.folder == folder) {
        Some(group) => group.parts.push(part),
        None => groups.push(Group {
            folder,
            parts: vec![part],
        }),
    };
    for directory in given {
        if let Some(part) = Part::read(directory)? {
            add(None, part);
            continue;
        }
        let inside = parts_inside(directory)?;
        if inside.is_empty() {
            return Err(Error::Input(format!(
                "'{}' is no directory of a sweep ({SWEEP_JSON} is missing), nor are there any in it",
                directory.display()
            )));
        }
        for (name, part) in inside {
            add(Some(name), part);
        }
    }
    groups.iter().try_for_each(Group::check)?;
    groups.sort_by(|one, other| one.folder.cmp(&other.folder));
    if groups.len() > 1 && groups[0].folder.is_none() {
        return Err(Error::Input(format!(
            "'{}' is the directory of one sweep, '{}' is in a folder of several; collect them apart",
            groups[0].parts[0].directory.display(),
            groups[1].parts[0].directory.display()
        )));
    }
    Ok(groups)
}

/// The sweeps directly inside a folder, with the names of theirs.
fn parts_inside(folder: &Path) -> Result<Vec<(String, Part)>, Error> {
    let cannot = |error| {
        let shown = folder.display();
        Error::Input(format!(
            "cannot read '{shown}': {error}; name the directories of a sweep's shards"
        ))
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir()
            && let Some(part) = Part::read(&entry.path())?
        {
            found.push((name, part));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}
