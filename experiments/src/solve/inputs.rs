//! Which problems: files as they are named, and of folders everything in them that looks like one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use drystone_solver::Problem;

use crate::error::Error;
use crate::problems;

/// The extensions that problems have. A file that is named itself may have any: its content tells what it is.
pub const EXTENSIONS: [&str; 5] = ["hdf5", "h5", "dat", "json", "mtx"];

/// A stored problem, ready for solvers.
#[derive(Debug)]
pub struct Loaded {
    /// Its name.
    pub name: String,
    /// What the file holds.
    pub kind: &'static str,
    /// As solvers take it.
    pub problem: Problem,
    /// Where the file says a solver may start.
    pub guess: Option<Vec<f64>>,
    /// The BLAKE3 hash of the file.
    pub blake3: String,
}

/// Reads a problem; what is wrong with it comes back as one line.
pub fn load(path: &Path) -> Result<Loaded, String> {
    let bytes = fs::read(path).map_err(|error| format!("cannot read '{}': {error}", path.display()))?;
    let stored = problems::read(path).map_err(|error| error.to_string())?;
    let problem = stored
        .to_problem()
        .map_err(|error| format!("'{}': {error}", path.display()))?;
    let guess = stored.guess().map(<[f64]>::to_vec);
    if let Some(guess) = &guess
        && guess.len() != problem.rows()
    {
        let (has, rows) = (guess.len(), problem.rows());
        return Err(format!(
            "'{}': its guess has {has} numbers for {rows} rows",
            path.display()
        ));
    }
    Ok(Loaded {
        kind: stored.content.kind().name(),
        name: stored.name,
        problem,
        guess,
        blake3: blake3::hash(&bytes).to_hex().to_string(),
    })
}

/// What a problem is called among others: by its own name, by its file where another file has the same stem (a dumped problem is
/// written in two formats), by its path where another folder has the same file.
pub fn name_among(files: &[PathBuf], file: &Path, name: &str) -> String {
    let others = || files.iter().filter(|other| *other != file);
    if others().all(|other| other.file_stem() != file.file_stem()) {
        return name.to_owned();
    }
    match file.file_name() {
        Some(file_name) if others().all(|other| other.file_name() != Some(file_name)) => {
            file_name.to_string_lossy().into_owned()
        }
        _ => file.display().to_string(),
    }
}

/// All problem files of the arguments, each once, folders in the order of their names. That a path does not exist, or
/// that there is no problem at all, is a mistake in the call.
pub fn find(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut found: Vec<PathBuf> = Vec::new();
    for argument in arguments {
        let cannot = |error: io::Error| Error::Input(format!("cannot read '{}': {error}", argument.display()));
        let mut here = Vec::new();
        if fs::metadata(argument).map_err(cannot)?.is_dir() {
            walk(argument, &mut here).map_err(cannot)?;
        } else {
            here.push(argument.clone());
        }
        for path in here {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        let folders: Vec<String> = arguments.iter().map(|path| format!("'{}'", path.display())).collect();
        return Err(Error::Input(format!(
            "there is no problem ({}) in {}",
            EXTENSIONS.map(|extension| format!(".{extension}")).join(" "),
            folders.join(", ")
        )));
    }
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, found)?;
        } else if is_problem(&path) {
            found.push(path);
        }
    }
    Ok(())
}

/// By its name: hidden files are none, and of Matrix Market files the matrix stands for the vectors beside it.
fn is_problem(path: &Path) -> bool {
    let text =
        |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
    let (stem, extension) = (text(path.file_stem()), text(path.extension()).to_ascii_lowercase());
    let has_vector = || {
        ["_q", ".q"]
            .iter()
            .any(|tail| path.with_file_name(format!("{stem}{tail}.mtx")).is_file())
    };
    EXTENSIONS.contains(&extension.as_str()) && !stem.starts_with('.') && (extension != "mtx" || has_vector())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_problems_have_the_same_name() {
        let files = ["a/x.json", "a/x.hdf5", "a/y.dat", "b/z.dat", "c/z.dat"].map(PathBuf::from);
        let names = files.each_ref().map(|file| name_among(&files, file, "its own"));
        assert_eq!(names, ["x.json", "x.hdf5", "its own", "b/z.dat", "c/z.dat"]);
    }

    #[test]
    fn folders_are_searched_and_files_taken_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("b")).unwrap();
        for name in [
            "b/two.hdf5",
            "a.dat",
            "notes.txt",
            ".hidden.json",
            "m.mtx",
            "m_q.mtx",
            "lone.mtx",
        ] {
            fs::write(at(name), "").unwrap();
        }
        let found = find(&[folder.path().to_owned(), at("notes.txt"), at("a.dat")]).unwrap();
        assert_eq!(found, [at("a.dat"), at("b/two.hdf5"), at("m.mtx"), at("notes.txt")]);
        assert!(find(&[at("missing")]).is_err());
        fs::create_dir(at("empty")).unwrap();
        assert!(
            find(&[at("empty")])
                .unwrap_err()
                .to_string()
                .contains("there is no problem")
        );
    }
}
