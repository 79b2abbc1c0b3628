//! Matrix Market files: `NAME.mtx` holds M, and beside it `NAME_q.mtx` (or `NAME.q.mtx`) the vector q.
//!
//! Alone they are an LCP. With `NAME_lower.mtx` and `NAME_upper.mtx` they are a problem with bounds (one that is missing
//! is unbounded), with `NAME_mu.mtx` a friction problem whose rows are shared evenly by the contacts, and with
//! `NAME_mu_r.mtx` as well one with rolling friction. A symmetric file is read as the whole matrix and written as one.
//! The format is that of Boisvert, Pozo and Remington (NISTIR 5935, 1996): real or integer, dense or by coordinates.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::error::{Mismatch, Place, ReadError, WriteError};
use super::*;

/// Reads the matrix in `text`, which is the file at `path`, and the vectors beside it.
pub fn parse(path: &Path, text: &str) -> Result<StoredProblem, ReadError> {
    let m = parse_matrix(text).map_err(|mismatch| mismatch.of(path))?;
    let vector = |what: &str| read_vector(path, what);
    let Some(q) = vector("q")? else {
        let expected = format!("a vector q in '{}'", companion(path, '_', "q").display());
        return Err(Mismatch::file(expected, "no such file").of(path));
    };
    let n = q.len();
    let content = if let Some(mu) = vector("mu")? {
        let mu_r = vector("mu_r")?;
        let dimension = if mu.is_empty() { 3 } else { n / mu.len() };
        Content::Local(Local {
            dimension,
            w: m,
            q,
            mu,
            mu_r,
        })
    } else {
        let (lower, upper) = (vector("lower")?, vector("upper")?);
        if lower.is_none() && upper.is_none() {
            Content::Lcp(Lcp { m, q })
        } else {
            let lower = lower.unwrap_or_else(|| vec![f64::NEG_INFINITY; n]);
            let upper = upper.unwrap_or_else(|| vec![f64::INFINITY; n]);
            Content::Relay(Relay { m, q, lower, upper })
        }
    };
    let problem = StoredProblem {
        guesses: vector("r")?
            .map(|r| State { r, ..State::default() })
            .into_iter()
            .collect(),
        ..StoredProblem::new(stem(path), content)
    };
    problem.check().map_err(|mismatch| mismatch.of(path))?;
    Ok(problem)
}

/// Writes the matrix to `path` and the vectors beside it, the matrix last.
pub fn write(problem: &StoredProblem, path: &Path) -> Result<(), WriteError> {
    let (m, q) = match &problem.content {
        Content::Local(Local { w, q, .. }) => (w, q),
        Content::Lcp(Lcp { m, q }) | Content::Relay(Relay { m, q, .. }) => (m, q),
        other => {
            return Err(WriteError::Unsupported {
                path: path.to_owned(),
                reason: format!("a matrix and a vector do not hold a {}", other.kind().name()),
            });
        }
    };
    let mut vectors = vec![("q", q.as_slice())];
    match &problem.content {
        Content::Local(local) => {
            vectors.push(("mu", &local.mu));
            vectors.extend(local.mu_r.iter().map(|mu_r| ("mu_r", mu_r.as_slice())));
        }
        Content::Relay(relay) => vectors.extend([("lower", relay.lower.as_slice()), ("upper", relay.upper.as_slice())]),
        _ => {}
    }
    vectors.extend(problem.guess().map(|r| ("r", r)));
    for (what, values) in vectors {
        let matrix = Matrix {
            rows: values.len(),
            columns: 1,
            storage: Storage::Dense(values.to_vec()),
        };
        write_bytes(&companion(path, '_', what), format(&matrix).as_bytes())?;
    }
    write_bytes(path, format(m).as_bytes())
}

/// `NAME_what.mtx` beside `NAME.mtx`.
fn companion(path: &Path, separator: char, what: &str) -> PathBuf {
    path.with_file_name(format!("{}{separator}{what}.mtx", stem(path)))
}

fn read_vector(path: &Path, what: &str) -> Result<Option<Vec<f64>>, ReadError> {
    for separator in ['_', '.'] {
        let path = companion(path, separator, what);
        if !path.exists() {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(ReadError::io(&path))?;
        let matrix = parse_numbers(&text, !matches!(what, "lower" | "upper")).map_err(|mismatch| mismatch.of(&path))?;
        if matrix.columns != 1 && matrix.rows != 1 {
            let found = format!("{}×{}", matrix.rows, matrix.columns);
            return Err(Mismatch::file("a vector", found).of(&path));
        }
        let mut values = vec![0.0; matrix.rows * matrix.columns];
        for (row, column, value) in matrix.entries() {
            values[row + column] += value;
        }
        return Ok(Some(values));
    }
    Ok(None)
}

/// Reads a matrix.
pub fn parse_matrix(text: &str) -> Result<Matrix, Mismatch> {
    parse_numbers(text, true)
}

fn parse_numbers(text: &str, finite: bool) -> Result<Matrix, Mismatch> {
    let mut lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
    let mismatch = |line: usize, expected: &str, found: &str| Mismatch {
        place: Place::Line(line),
        expected: expected.into(),
        found: if found.is_empty() {
            "nothing".into()
        } else {
            format!("'{found}'")
        },
    };
    let banner = "'%%MatrixMarket matrix array|coordinate real|integer general|symmetric|skew-symmetric'";
    let (_, first) = lines.next().unwrap_or((1, ""));
    let header = first.to_ascii_lowercase();
    let words: Vec<&str> = header.split_whitespace().collect();
    let (sparse, sign) = match words[..] {
        [
            "%%matrixmarket",
            "matrix",
            form @ ("array" | "coordinate"),
            "real" | "integer" | "double",
            symmetry,
        ] => {
            let sign = match symmetry {
                "general" => None,
                "symmetric" => Some(1.0),
                "skew-symmetric" => Some(-1.0),
                _ => return Err(mismatch(1, banner, first)),
            };
            (form == "coordinate", sign)
        }
        _ => return Err(mismatch(1, banner, first)),
    };
    let last = text.lines().count();
    let mut tokens = lines
        .filter(|(_, line)| !line.starts_with('%'))
        .flat_map(|(k, line)| line.split_whitespace().map(move |word| (k, word)));
    let mut count = |what: &str| {
        let (line, word) = tokens.next().unwrap_or((last, ""));
        word.parse::<u32>()
            .map(|count| count as usize)
            .map_err(|_| mismatch(line, what, word))
    };
    let (rows, columns) = (count("the number of rows")?, count("the number of columns")?);
    let stored = match (sparse, sign) {
        (true, _) => count("the number of entries")?,
        (false, None) => rows * columns,
        // The lower triangle, for skew-symmetric matrices without the diagonal.
        (false, Some(sign)) => columns * (columns.max(1) - 1) / 2 + if sign > 0.0 { columns } else { 0 },
    };
    if sign.is_some() && rows != columns {
        return Err(mismatch(
            1,
            "as many rows as columns of a symmetric matrix",
            &format!("{rows}×{columns}"),
        ));
    }
    // Every entry takes two characters or more; what claims to be more is not there.
    if stored > text.len() / 2 + 1 {
        let found = format!("a file of {} bytes", text.len());
        return Err(Mismatch::file(format!("{stored} entries"), found));
    }
    let (mut i, mut j, mut x) = (Vec::new(), Vec::new(), Vec::new());
    let mut dense_place = (if sign.is_some_and(|sign| sign < 0.0) { 1 } else { 0 }, 0);
    for entry in 0..stored {
        let mut word = |what: &str| {
            tokens
                .next()
                .ok_or_else(|| mismatch(last, &format!("{what} of entry {entry}"), ""))
        };
        let (row, column) = if sparse {
            let mut index = |what: &str, size: usize| {
                let (line, word) = word(what)?;
                let index = word.parse::<usize>().ok().filter(|index| (1..=size).contains(index));
                index
                    .map(|index| index - 1)
                    .ok_or_else(|| mismatch(line, &format!("a {what} from 1 to {size}"), word))
            };
            (index("row", rows)?, index("column", columns)?)
        } else {
            let place = dense_place;
            dense_place.0 += 1;
            if dense_place.0 == rows {
                let below = place.1 + 1;
                dense_place = (sign.map_or(0, |sign| if sign > 0.0 { below } else { below + 1 }), below);
            }
            place
        };
        let (line, word) = word("value")?;
        let allowed = |value: &f64| if finite { value.is_finite() } else { !value.is_nan() };
        let value: f64 = word
            .parse()
            .ok()
            .filter(allowed)
            .ok_or_else(|| mismatch(line, "a number", word))?;
        i.push(row);
        j.push(column);
        x.push(value);
        if let Some(sign) = sign
            && row != column
        {
            i.push(column);
            j.push(row);
            x.push(sign * value);
        }
    }
    if let Some((line, word)) = tokens.next() {
        return Err(mismatch(line, &format!("the end after {stored} entries"), word));
    }
    let storage = match (sparse, sign) {
        (false, None) => Storage::Dense(x),
        _ => Storage::Triplets {
            rows: i,
            columns: j,
            values: x,
        },
    };
    Ok(Matrix { rows, columns, storage })
}

/// The text of a matrix: dense ones as arrays, all others by coordinates.
fn format(matrix: &Matrix) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = match &matrix.storage {
        Storage::Dense(values) => {
            let _ = writeln!(
                text,
                "%%MatrixMarket matrix array real general\n{} {}",
                matrix.rows, matrix.columns
            );
            values.iter().try_for_each(|value| writeln!(text, "{value:e}"))
        }
        _ => {
            let _ = writeln!(text, "%%MatrixMarket matrix coordinate real general");
            let _ = writeln!(text, "{} {} {}", matrix.rows, matrix.columns, matrix.entries().count());
            matrix
                .entries()
                .try_for_each(|(i, j, x)| writeln!(text, "{} {} {x:e}", i + 1, j + 1))
        }
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    #[test]
    fn forms_and_symmetries_mean_what_they_should() {
        let header = "%%MatrixMarket matrix";
        for (text, expected) in [
            (
                format!("{header} array real general\n% c\n2 2\n1\n2\n3\n4\n"),
                [1.0, 3.0, 2.0, 4.0],
            ),
            (
                format!("{header} array real symmetric\n2 2\n1\n2\n4\n"),
                [1.0, 2.0, 2.0, 4.0],
            ),
            (
                format!("{header} array real skew-symmetric\n2 2\n7\n"),
                [0.0, -7.0, 7.0, 0.0],
            ),
            (
                format!("{header} coordinate integer general\n2 2 1\n2 1 5\n"),
                [0.0, 0.0, 5.0, 0.0],
            ),
            (
                format!("{header} coordinate real symmetric\n2 2 2\n1 1 3\n2 1 5\n"),
                [3.0, 5.0, 5.0, 0.0],
            ),
        ] {
            let matrix = parse_matrix(&text).unwrap();
            assert_eq!(matrix.to_dense(), DMatrix::from_row_slice(2, 2, &expected), "{text}");
        }
        let three = parse_matrix(&format!("{header} array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")).unwrap();
        let expected = [1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0];
        assert_eq!(three.to_dense(), DMatrix::from_row_slice(3, 3, &expected));
        let skew = parse_matrix(&format!("{header} array real skew-symmetric\n3 3\n1\n2\n3\n")).unwrap();
        let expected = [0.0, -1.0, -2.0, 1.0, 0.0, -3.0, 2.0, 3.0, 0.0];
        assert_eq!(skew.to_dense(), DMatrix::from_row_slice(3, 3, &expected));
    }
}
