//! Tables read back from CSV files: columns by name, numbers where there are any, and errors that name the file and line.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A file in memory.
#[derive(Debug, Clone, Default)]
pub struct CsvTable {
    path: PathBuf,
    headings: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

impl CsvTable {
    /// Reads a file. Every row must be as long as the first.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let mut reader = csv::Reader::from_reader(open(path)?);
        let wrong = |error: csv::Error| unreadable(path, &error);
        let headings = reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
        let rows = reader.into_records().collect::<Result<_, _>>().map_err(wrong)?;
        Ok(Self {
            path: path.to_owned(),
            headings,
            rows,
        })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The place of a column, if it is there.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.headings.iter().position(|heading| heading == name)
    }

    /// The place of a column that must be there.
    pub fn required(&self, name: &str) -> Result<usize, Error> {
        self.column(name).ok_or_else(|| {
            let near = drystone_solver::spec::nearest(name, self.headings.iter().map(String::as_str));
            let hint = near.map_or_else(String::new, |near| format!("; the nearest is '{near}'"));
            Error::Input(format!(
                "{}: line 1: there is no column '{name}'{hint}",
                self.path.display()
            ))
        })
    }

    /// The text in a cell.
    pub fn text(&self, row: usize, column: usize) -> &str {
        self.rows.get(row).and_then(|row| row.get(column)).unwrap_or_default()
    }

    /// The number in a cell: NaN for an empty one.
    pub fn number(&self, row: usize, column: usize) -> Result<f64, Error> {
        let text = self.text(row, column);
        if text.is_empty() {
            return Ok(f64::NAN);
        }
        text.parse().map_err(|_| {
            let heading = self.headings.get(column).map_or("", String::as_str);
            let line = self
                .rows
                .get(row)
                .and_then(csv::StringRecord::position)
                .map_or(0, csv::Position::line);
            let path = self.path.display();
            Error::Input(format!(
                "{path}: line {line}: '{text}' in column '{heading}' is no number"
            ))
        })
    }

    /// A whole column as numbers.
    pub fn numbers(&self, column: usize) -> Result<Vec<f64>, Error> {
        (0..self.len()).map(|row| self.number(row, column)).collect()
    }
}

/// Opens a file that a report needs.
pub(super) fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|error| Error::Input(format!("cannot read '{}': {error}", path.display())))
}

/// A file that is no table, in one line.
pub(super) fn unreadable(path: &Path, error: &csv::Error) -> Error {
    // The parser's own words have the line already.
    Error::Input(format!("{}: {}", path.display(), error.to_string().replace('\n', " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Result<CsvTable, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("steps.csv");
        std::fs::write(&path, text).unwrap();
        CsvTable::read(&path)
    }

    #[test]
    fn numbers_are_read_and_gaps_are_no_numbers() {
        let table = table("step,residual\n1,\n2,inf\n3,NaN\n4,1e-3\n").unwrap();
        let residuals = table.numbers(table.required("residual").unwrap()).unwrap();
        assert!(residuals[0].is_nan() && residuals[1].is_infinite() && residuals[2].is_nan());
        assert_eq!(residuals[3], 1e-3);
    }

    #[test]
    fn mistakes_name_file_line_and_column() {
        let rows = table("step,residual\n1,2\n2,much\n").unwrap();
        let message = rows.numbers(1).unwrap_err().to_string();
        assert!(
            message.contains("steps.csv: line 3: 'much' in column 'residual'"),
            "{message}"
        );
        let message = rows.required("residal").unwrap_err().to_string();
        assert!(message.contains("'residal'; the nearest is 'residual'"), "{message}");
        let message = table("a,b\n1\n").unwrap_err().to_string();
        assert!(message.contains("line: 2"), "{message}");
    }
}
