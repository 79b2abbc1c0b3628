//! What every stored problem must satisfy, whatever its format: sizes that fit together, finite numbers, no negative
//! friction. Readers run it on what they read, writers on what they are given.

use super::*;

impl StoredProblem {
    /// Checks sizes and numbers.
    pub fn check(&self) -> Result<(), Mismatch> {
        let unknowns = match &self.content {
            Content::Local(local) => local.check()?,
            Content::Global(global) => global.check()?,
            Content::Lcp(lcp) => {
                square("M", &lcp.m, None)?;
                vector("q", &lcp.q, lcp.m.rows)?
            }
            Content::MixedLcp(mixed) => mixed.check()?,
            Content::Relay(relay) => relay.check()?,
            Content::Mechanical(mechanical) => mechanical.check()?,
            Content::Native(native) => native.check()?,
        };
        let (freedoms, equalities) = match &self.content {
            Content::Global(global) => (Some(global.m.rows), global.equality.as_ref().map(|e| e.b.len())),
            _ => (None, None),
        };
        for (what, state) in self
            .solution
            .iter()
            .map(|s| ("solution", s))
            .chain(self.guesses.iter().map(|g| ("guesses", g)))
        {
            vector(&format!("{what}/r"), &state.r, unknowns)?;
            for (part, values, size) in [
                ("u", &state.u, Some(unknowns)),
                ("v", &state.v, freedoms),
                ("l", &state.l, equalities),
            ] {
                if let Some(values) = values {
                    vector(&format!("{what}/{part}"), values, size.unwrap_or(values.len()))?;
                }
            }
        }
        Ok(())
    }
}

impl Local {
    fn check(&self) -> Result<usize, Mismatch> {
        square("W", &self.w, None)?;
        vector("q", &self.q, self.w.rows)?;
        contacts(self.dimension, self.w.rows, &self.mu, self.mu_r.as_deref())
    }
}

impl Global {
    fn check(&self) -> Result<usize, Mismatch> {
        let freedoms = square("M", &self.m, None)?;
        sized("H", &self.h, Some(freedoms))?;
        vector("f", &self.f, freedoms)?;
        vector("w", &self.w, self.h.columns)?;
        if let Some(Equality { g, b }) = &self.equality {
            sized("G", g, Some(freedoms))?;
            vector("b", b, g.columns)?;
        }
        contacts(self.dimension, self.h.columns, &self.mu, self.mu_r.as_deref())
    }
}

impl MixedLcp {
    fn check(&self) -> Result<usize, Mismatch> {
        let (n, m) = (self.equalities, self.inequalities);
        if self.joined.is_none() && self.split.is_none() {
            return Err(Mismatch::file("a matrix, in one piece or in four", "neither"));
        }
        if let Some(joined) = &self.joined {
            sized("M", &joined.m, None)?;
            if joined.m.columns != n + m || joined.m.rows < n + m {
                return Err(wrong_size(
                    "M",
                    format!("{} columns and as many rows or more", n + m),
                    &joined.m,
                ));
            }
            vector("q", &joined.q, joined.m.columns)?;
            let starts = &joined.starts;
            let ascending = starts.windows(2).all(|pair| pair[0] <= pair[1]);
            if starts.first() != Some(&0) || starts.last() != Some(&(n + m)) || !ascending {
                return Err(Mismatch::entry(
                    "block starts",
                    format!("from 0 up to {}", n + m),
                    format!("{starts:?}"),
                ));
            }
            if joined.complementary.len() + 1 != starts.len() {
                let found = joined.complementary.len().to_string();
                return Err(Mismatch::entry("block kinds", (starts.len() - 1).to_string(), found));
            }
        }
        if let Some(split) = &self.split {
            for (name, values, size) in [
                ("A", &split.a_matrix, n * n),
                ("B", &split.b_matrix, m * m),
                ("C", &split.c_matrix, n * m),
                ("D", &split.d_matrix, m * n),
                ("a", &split.a, n),
                ("b", &split.b, m),
            ] {
                vector(name, values, size)?;
            }
        }
        Ok(n + m)
    }
}

impl Relay {
    fn check(&self) -> Result<usize, Mismatch> {
        let n = square("M", &self.m, None)?;
        vector("q", &self.q, n)?;
        for (name, bounds) in [("lower", &self.lower), ("upper", &self.upper)] {
            if bounds.len() != n {
                return Err(Mismatch::entry(name, format!("{n} numbers"), bounds.len().to_string()));
            }
        }
        // Also false if one of them is not a number.
        let holds_a_point =
            |(&lower, &upper): (&f64, &f64)| lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
        match self.lower.iter().zip(&self.upper).position(|pair| !holds_a_point(pair)) {
            Some(row) => Err(Mismatch::entry(
                "bounds",
                "a lower bound no greater than the upper",
                format!("[{}, {}] in row {row}", self.lower[row], self.upper[row]),
            )),
            None => Ok(n),
        }
    }
}

impl Mechanical {
    fn check(&self) -> Result<usize, Mismatch> {
        let n = square("M", &self.m, None)?;
        vector("q", &self.q, n)?;
        let Storage::Blocks(blocks) = &self.m.storage else {
            return Err(Mismatch::entry("M", "a matrix in blocks", "another storage"));
        };
        if blocks.row_ends != blocks.column_ends {
            return Err(Mismatch::entry(
                "M",
                "the same blocks in rows and columns",
                "different ones",
            ));
        }
        if self.laws.len() != blocks.row_ends.len() {
            let expected = format!("{} laws", blocks.row_ends.len());
            return Err(Mismatch::entry("laws", expected, self.laws.len().to_string()));
        }
        for (block, law) in self.laws.iter().enumerate() {
            let Law::Friction(mu) = *law else { continue };
            let (first, end) = Blocks::span(&blocks.row_ends, block);
            if end - first != 3 {
                return Err(Mismatch::entry(
                    "laws",
                    "3 rows for a contact",
                    format!("{} in block {block}", end - first),
                ));
            }
            coefficient("mu", mu)?;
        }
        Ok(n)
    }
}

/// A square matrix that is whole; returns its size.
fn square(name: &str, matrix: &Matrix, size: Option<usize>) -> Result<usize, Mismatch> {
    if matrix.rows != matrix.columns {
        return Err(wrong_size(name, "as many rows as columns".into(), matrix));
    }
    sized(name, matrix, size)?;
    Ok(matrix.rows)
}

/// A matrix that is whole and has so many rows.
fn sized(name: &str, matrix: &Matrix, rows: Option<usize>) -> Result<(), Mismatch> {
    match rows {
        Some(rows) if matrix.rows != rows => Err(wrong_size(name, format!("{rows} rows"), matrix)),
        _ => matrix
            .check()
            .map_err(|found| Mismatch::entry(name, "a consistent matrix of finite numbers", found)),
    }
}

fn wrong_size(name: &str, expected: String, matrix: &Matrix) -> Mismatch {
    Mismatch::entry(name, expected, format!("{}×{}", matrix.rows, matrix.columns))
}

/// A vector of finite numbers; returns its length.
pub(super) fn vector(name: &str, values: &[f64], size: usize) -> Result<usize, Mismatch> {
    if values.len() != size {
        return Err(Mismatch::entry(
            name,
            format!("{size} numbers"),
            values.len().to_string(),
        ));
    }
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(Mismatch::entry(name, "finite numbers", value.to_string())),
        None => Ok(size),
    }
}

fn coefficient(name: &str, value: f64) -> Result<(), Mismatch> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(Mismatch::entry(name, "a coefficient of 0 or more", value.to_string()))
}

/// Contacts of so many rows each, with their coefficients; returns the number of rows.
fn contacts(dimension: usize, rows: usize, mu: &[f64], mu_r: Option<&[f64]>) -> Result<usize, Mismatch> {
    if ![2, 3, 5].contains(&dimension) {
        return Err(Mismatch::entry("dimension", "2, 3 or 5", dimension.to_string()));
    }
    if rows != dimension * mu.len() {
        let expected = format!(
            "{rows} rows / {dimension} a contact = {} numbers",
            rows as f64 / dimension as f64
        );
        return Err(Mismatch::entry("mu", expected, mu.len().to_string()));
    }
    if mu_r.is_some() != (dimension == 5) {
        let expected = if dimension == 5 {
            "rolling friction with dimension 5"
        } else {
            "no rolling friction below dimension 5"
        };
        let found = if mu_r.is_some() { "some" } else { "none" };
        return Err(Mismatch::entry("mu_r", expected, found));
    }
    mu.iter().try_for_each(|&mu| coefficient("mu", mu))?;
    if let Some(mu_r) = mu_r {
        vector("mu_r", mu_r, mu.len())?;
        mu_r.iter().try_for_each(|&mu| coefficient("mu_r", mu))?;
    }
    Ok(rows)
}
