//! Stored complementarity problems, in and out.
//!
//! Four formats: FCLIB's HDF5 files ([`fclib`]), the text files of Siconos ([`siconos_text`]), Matrix Market files
//! ([`matrix_market`]), and our own JSON ([`json`]), the only one that holds every problem as the solvers see it.
//! [`read`] recognises them by name and content; what it returns is what the file holds, in the storage it holds it in,
//! so that [`write()`] gives an equal file back. [`StoredProblem::to_problem`] makes a solver's problem of it.
//!
//! ```text
//! local     u = W r + q                        one friction cone a contact, rows (n, t1, t2)
//! global    M v = H r + G l + f,  u = Hᵀ v + w,  Gᵀ v + b = 0
//! LCP       w = M z + q,  0 ≤ z ⊥ w ≥ 0
//! mixed     the same with rows where z is free and w = 0
//! relay     −(M z + q) ∈ N_[l, u](z)
//! ```
//!
//! The local and the global form are those of Acary, Bremond, Koziara and Perignon (INRIA RT-0444, 2014).

mod check;
mod content;
mod convert;
pub mod dump;
mod error;
pub mod fclib;
mod global;
pub mod json;
mod mass;
mod matrix;
pub mod matrix_market;
mod native;
pub mod siconos_text;

use std::fs;
use std::path::Path;

pub use content::{Content, Equality, Global, Joined, Kind, Law, Lcp, Local, Mechanical, MixedLcp, Relay, Split};
pub use error::{ConvertError, Mismatch, Place, ReadError, WriteError};
pub use matrix::{Blocks, Matrix, Storage};
pub use native::{NativeBlock, NativeBody, NativeCone, NativeEntry, NativeOperator, NativeProblem, NativeRow};

/// A problem as a file holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredProblem {
    /// The file's name without its extension.
    pub name: String,
    /// The problem itself.
    pub content: Content,
    /// What the file says of it.
    pub info: Info,
    /// The file's `solution`. In many FCLIB files it is all zeros and no solution of anything.
    pub solution: Option<State>,
    /// Where a solver may start.
    pub guesses: Vec<State>,
    /// What follows the problem in a text file: a flag, a remark, a solution.
    pub remarks: String,
}

/// Texts about a problem.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Info {
    /// In a few words.
    pub title: String,
    /// Where it comes from.
    pub description: String,
    /// What is known of its mathematics.
    pub math_info: String,
}

/// Impulses and velocities, a solution or a guess of one.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Impulses of the contacts, or z.
    pub r: Vec<f64>,
    /// Relative velocities of the contacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub u: Option<Vec<f64>>,
    /// Velocities of the degrees of freedom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub v: Option<Vec<f64>>,
    /// Impulses of the equality rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l: Option<Vec<f64>>,
}

impl StoredProblem {
    /// A problem without anything about it.
    pub fn new(name: impl Into<String>, content: Content) -> Self {
        Self {
            name: name.into(),
            content,
            info: Info::default(),
            solution: None,
            guesses: Vec::new(),
            remarks: String::new(),
        }
    }

    /// The impulses of the first guess.
    pub fn guess(&self) -> Option<&[f64]> {
        self.guesses.first().map(|state| state.r.as_slice())
    }
}

/// Reads a file of any of the formats.
pub fn read(path: impl AsRef<Path>) -> Result<StoredProblem, ReadError> {
    read_as(path, None)
}

/// Reads a file that must hold a problem of a certain kind. For texts, which do not say what they are, that also decides
/// what is ambiguous.
pub fn read_as(path: impl AsRef<Path>, kind: Option<Kind>) -> Result<StoredProblem, ReadError> {
    let path = path.as_ref();
    let bytes = fs::read(path).map_err(ReadError::io(path))?;
    let name = stem(path);
    let read = if hdf5_pure::is_hdf5_bytes(&bytes) {
        fclib::parse(bytes, &name).map_err(|mismatch| mismatch.of(path))?
    } else {
        let text = String::from_utf8(bytes).map_err(|error| {
            let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
                .iter()
                .filter(|&&b| b == b'\n')
                .count();
            Mismatch {
                place: Place::Line(line),
                expected: "HDF5 or text".into(),
                found: "bytes that are neither".into(),
            }
            .of(path)
        })?;
        let start = text.trim_start();
        if start.starts_with('{') {
            json::parse(&text, &name).map_err(|mismatch| mismatch.of(path))?
        } else if start.get(..2).is_some_and(|prefix| prefix == "%%") {
            matrix_market::parse(path, &text)?
        } else {
            let hint = kind.or_else(|| siconos_text::hint(path));
            siconos_text::parse(&text, &name, kind, hint).map_err(|mismatch| mismatch.of(path))?
        }
    };
    match kind {
        Some(kind) if kind != read.content.kind() => {
            let found = format!("a {}", read.content.kind().name());
            Err(Mismatch::file(format!("a {}", kind.name()), found).of(path))
        }
        _ => Ok(read),
    }
}

/// Writes a problem in the format of the path's extension: `.hdf5` or `.h5`, `.dat` or `.txt`, `.mtx`, `.json`. The
/// file appears whole or not at all; a Matrix Market problem is several files.
pub fn write(problem: &StoredProblem, path: impl AsRef<Path>) -> Result<(), WriteError> {
    let path = path.as_ref();
    let unsupported = |reason: String| WriteError::Unsupported {
        path: path.to_owned(),
        reason,
    };
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    problem.check().map_err(|mismatch| unsupported(mismatch.to_string()))?;
    let bytes = match extension.to_ascii_lowercase().as_str() {
        "hdf5" | "h5" => fclib::format(problem).map_err(unsupported)?,
        "dat" | "txt" => siconos_text::format(problem).map_err(unsupported)?.into_bytes(),
        "json" => json::format(problem).map_err(unsupported)?.into_bytes(),
        "mtx" => return matrix_market::write(problem, path),
        other => return Err(unsupported(format!("no problem format has the extension '{other}'"))),
    };
    write_bytes(path, &bytes)
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    use std::io::Write;
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let mut file = crate::whole_file::WholeFile::create(directory, &name)?;
    file.write_all(bytes).map_err(crate::Error::writing(path))?;
    file.finish()?;
    Ok(())
}

/// The file's name without its extension.
fn stem(path: &Path) -> String {
    path.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}
