//! FCLIB's HDF5 files: frictional contact problems in local and global form, with or without rolling friction.
//!
//! ```text
//! fclib_local[_rolling]/   spacedim, W/, vectors/{q, mu, (mu_r)}, info/{title, description, math_info}
//! fclib_global[_rolling]/  spacedim, M/, H/, (G/), vectors/{f, w, mu, (b), (mu_r)}, info/…
//! solution/{r, u, (v), (l)}, guesses/number_of_guesses, guesses/1/…            both optional
//! ```
//!
//! A matrix is `m, n, nz, nzmax, i, p, x`; `nz` tells its storage: −2 compressed rows (p their starts, i the columns),
//! −1 compressed columns, 0 or more triplets with i the row and p the column. Room beyond the entries in use is not kept.
//! Layout after Acary, Bremond, Koziara and Perignon (INRIA RT-0444, 2014).

mod write;

use hdf5_pure::{DType, Dataset, File, Group};

pub use write::format;

use super::error::Mismatch;
use super::*;

/// Deflate, the only compression these files have, makes at best this much of a byte: what claims to be more is no data.
const MOST_FROM_A_BYTE: u64 = 1032;

/// The top groups, and whether they are global and rolling.
const GROUPS: [(&str, bool, bool); 4] = [
    ("fclib_local", false, false),
    ("fclib_global", true, false),
    ("fclib_local_rolling", false, true),
    ("fclib_global_rolling", true, true),
];

/// Reads a file's bytes.
pub fn parse(bytes: Vec<u8>, name: &str) -> Result<StoredProblem, Mismatch> {
    let length = bytes.len() as u64;
    let file = File::from_bytes(bytes).map_err(|error| Mismatch::file("an HDF5 file", one_line(&error)))?;
    let root = Reader {
        group: file.root(),
        path: String::new(),
        length,
    };
    let names = root.groups()?;
    let top = GROUPS.iter().find(|(group, ..)| names.iter().any(|name| name == group));
    let Some(&(group, is_global, rolling)) = top else {
        let found = if names.is_empty() {
            "no group".into()
        } else {
            names.join(", ")
        };
        return Err(Mismatch::file(
            "a group fclib_local or fclib_global, with or without _rolling",
            found,
        ));
    };
    let content = root.group(group)?;
    let info = match content.optional("info")? {
        Some(info) => Info {
            title: info.text("title")?,
            description: info.text("description")?,
            math_info: info.text("math_info")?,
        },
        None => Info::default(),
    };
    let problem = StoredProblem {
        info,
        solution: root.optional("solution")?.map(|group| group.state()).transpose()?,
        guesses: match root.optional("guesses")? {
            Some(guesses) => guesses.guesses()?,
            None => Vec::new(),
        },
        ..StoredProblem::new(
            name,
            if is_global {
                Content::Global(content.global(rolling)?)
            } else {
                Content::Local(content.local(rolling)?)
            },
        )
    };
    problem.check()?;
    Ok(problem)
}

/// A group of the file, with what is needed to say where something is wrong.
struct Reader {
    group: Group,
    path: String,
    /// Of the whole file, bytes.
    length: u64,
}

impl Reader {
    fn groups(&self) -> Result<Vec<String>, Mismatch> {
        let error = |error| Mismatch::entry(&self.path, "a readable group", one_line(&error));
        self.group.groups().map_err(error)
    }

    fn name_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.path)
        }
    }

    fn group(&self, name: &str) -> Result<Self, Mismatch> {
        let path = self.name_of(name);
        match self.group.group(name) {
            Ok(group) => Ok(Self {
                group,
                path,
                length: self.length,
            }),
            Err(error) => Err(Mismatch::entry(&path, "a group", one_line(&error))),
        }
    }

    fn optional(&self, name: &str) -> Result<Option<Self>, Mismatch> {
        if self.groups()?.iter().any(|group| group == name) {
            self.group(name).map(Some)
        } else {
            Ok(None)
        }
    }

    fn has(&self, name: &str) -> bool {
        self.group
            .datasets()
            .is_ok_and(|names| names.iter().any(|dataset| dataset == name))
    }

    /// A dataset that is no larger than the file can hold.
    fn dataset(&self, name: &str) -> Result<(Dataset, u64, String), Mismatch> {
        let path = self.name_of(name);
        let wrong = |error| Mismatch::entry(&path, "a dataset", one_line(&error));
        let dataset = self.group.dataset(name).map_err(wrong)?;
        let shape = dataset.shape().map_err(wrong)?;
        let count = shape.iter().try_fold(1_u64, |count, &size| count.checked_mul(size));
        let bytes = count.and_then(|count| count.checked_mul(dataset.element_size().ok()?));
        match (count, bytes) {
            (Some(count), Some(bytes)) if bytes <= self.length.saturating_mul(MOST_FROM_A_BYTE) => {
                Ok((dataset, count, path))
            }
            _ => {
                let expected = format!("no more than a file of {} bytes can hold", self.length);
                Err(Mismatch::entry(
                    &path,
                    expected,
                    format!("a dataset of shape {shape:?}"),
                ))
            }
        }
    }

    fn integers(&self, name: &str) -> Result<Vec<i64>, Mismatch> {
        let (dataset, _, path) = self.dataset(name)?;
        let wrong = |found: String| Mismatch::entry(&path, "whole numbers", found);
        match dataset.dtype() {
            Ok(DType::F64 | DType::F32 | DType::String) => Err(wrong("another type".into())),
            Ok(_) => dataset.read_i64().map_err(|error| wrong(one_line(&error))),
            Err(error) => Err(wrong(one_line(&error))),
        }
    }

    /// A single whole number that is not too small.
    fn integer(&self, name: &str, least: i64) -> Result<i64, Mismatch> {
        match self.integers(name)?[..] {
            [value] if value >= least && value <= i64::from(i32::MAX) => Ok(value),
            [value] => Err(Mismatch::entry(
                &self.name_of(name),
                format!("{least} or more"),
                value.to_string(),
            )),
            ref several => Err(Mismatch::entry(
                &self.name_of(name),
                "one number",
                several.len().to_string(),
            )),
        }
    }

    fn indices(&self, name: &str, count: Option<usize>) -> Result<Vec<usize>, Mismatch> {
        let mut values = self.integers(name)?;
        if let Some(count) = count {
            if values.len() < count {
                let found = values.len().to_string();
                return Err(Mismatch::entry(&self.name_of(name), format!("{count} indices"), found));
            }
            values.truncate(count);
        }
        let index = |value: i64| {
            usize::try_from(value)
                .map_err(|_| Mismatch::entry(&self.name_of(name), "indices of 0 or more", value.to_string()))
        };
        values.into_iter().map(index).collect()
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>, Mismatch> {
        let (dataset, _, path) = self.dataset(name)?;
        let values = dataset
            .read_f64()
            .map_err(|error| Mismatch::entry(&path, "numbers", one_line(&error)))?;
        match values.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(Mismatch::entry(&path, "finite numbers", value.to_string())),
            None => Ok(values),
        }
    }

    fn optional_numbers(&self, name: &str) -> Result<Option<Vec<f64>>, Mismatch> {
        if self.has(name) {
            self.numbers(name).map(Some)
        } else {
            Ok(None)
        }
    }

    fn text(&self, name: &str) -> Result<String, Mismatch> {
        if !self.has(name) {
            return Ok(String::new());
        }
        let (dataset, _, path) = self.dataset(name)?;
        let mut texts = dataset
            .read_string()
            .map_err(|error| Mismatch::entry(&path, "a text", one_line(&error)))?;
        Ok(if texts.is_empty() {
            String::new()
        } else {
            texts.swap_remove(0)
        })
    }

    fn matrix(&self, name: &str) -> Result<Matrix, Mismatch> {
        let group = self.group(name)?;
        let rows = group.integer("m", 0)? as usize;
        let columns = group.integer("n", 0)? as usize;
        let nz = group.integer("nz", i64::MIN)?;
        let mut values = group.numbers("x")?;
        let mut take = |count: usize| {
            if values.len() < count {
                let found = values.len().to_string();
                return Err(Mismatch::entry(&group.name_of("x"), format!("{count} numbers"), found));
            }
            values.truncate(count);
            Ok(std::mem::take(&mut values))
        };
        let storage = match nz {
            -2 | -1 => {
                let starts = group.indices("p", Some(if nz == -2 { rows } else { columns } + 1))?;
                let count = starts.last().copied().unwrap_or(0);
                let others = group.indices("i", Some(count))?;
                let values = take(count)?;
                if nz == -2 {
                    Storage::CompressedRows {
                        starts,
                        columns: others,
                        values,
                    }
                } else {
                    Storage::CompressedColumns {
                        starts,
                        rows: others,
                        values,
                    }
                }
            }
            0.. => Storage::Triplets {
                rows: group.indices("i", Some(nz as usize))?,
                columns: group.indices("p", Some(nz as usize))?,
                values: take(nz as usize)?,
            },
            _ => {
                let expected = "-2 (compressed rows), -1 (compressed columns), or the number of triplets";
                return Err(Mismatch::entry(&group.name_of("nz"), expected, nz.to_string()));
            }
        };
        let matrix = Matrix { rows, columns, storage };
        matrix
            .check()
            .map_err(|found| Mismatch::entry(&group.path, "a consistent matrix", found))?;
        Ok(matrix)
    }

    fn dimension(&self, rolling: bool) -> Result<usize, Mismatch> {
        let value = self.integer("spacedim", i64::MIN)?;
        let (expected, fits) = if rolling {
            ("5", value == 5)
        } else {
            ("2 or 3", value == 2 || value == 3)
        };
        if fits {
            return Ok(value as usize);
        }
        Err(Mismatch::entry(&self.name_of("spacedim"), expected, value.to_string()))
    }

    fn local(&self, rolling: bool) -> Result<Local, Mismatch> {
        let vectors = self.group("vectors")?;
        Ok(Local {
            dimension: self.dimension(rolling)?,
            w: self.matrix("W")?,
            q: vectors.numbers("q")?,
            mu: vectors.numbers("mu")?,
            mu_r: if rolling { Some(vectors.numbers("mu_r")?) } else { None },
        })
    }

    fn global(&self, rolling: bool) -> Result<Global, Mismatch> {
        let vectors = self.group("vectors")?;
        let equality = match self.optional("G")? {
            Some(_) => Some(Equality {
                g: self.matrix("G")?,
                b: vectors.numbers("b")?,
            }),
            None => None,
        };
        Ok(Global {
            dimension: self.dimension(rolling)?,
            m: self.matrix("M")?,
            h: self.matrix("H")?,
            equality,
            f: vectors.numbers("f")?,
            w: vectors.numbers("w")?,
            mu: vectors.numbers("mu")?,
            mu_r: if rolling { Some(vectors.numbers("mu_r")?) } else { None },
        })
    }

    fn state(&self) -> Result<State, Mismatch> {
        Ok(State {
            r: self.numbers("r")?,
            u: self.optional_numbers("u")?,
            v: self.optional_numbers("v")?,
            l: self.optional_numbers("l")?,
        })
    }

    fn guesses(&self) -> Result<Vec<State>, Mismatch> {
        let count = self.integer("number_of_guesses", 0)?;
        (1..=count).map(|k| self.group(&k.to_string())?.state()).collect()
    }
}

fn one_line(error: &hdf5_pure::Error) -> String {
    error.to_string().replace('\n', " ")
}
