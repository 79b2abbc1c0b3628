//! Matrices as files store them. The storage is kept, so that what is written back is what was read; everything else
//! works on [`Matrix::entries`].

use nalgebra::DMatrix;
use nalgebra_sparse::{CooMatrix, CsrMatrix};

/// A matrix in the storage its file has it in.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The numbers.
    pub storage: Storage,
}

/// How the numbers are stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Storage {
    /// All of them, column after column.
    Dense(Vec<f64>),
    /// Dense blocks in compressed block rows.
    Blocks(Blocks),
    /// Row, column and value of each entry; entries that occur twice add up.
    Triplets {
        /// Row of every entry.
        rows: Vec<usize>,
        /// Column of every entry.
        columns: Vec<usize>,
        /// The entries.
        values: Vec<f64>,
    },
    /// Column after column, each with the rows of its entries.
    CompressedColumns {
        /// Where each column begins, and the number of entries at the end.
        starts: Vec<usize>,
        /// Row of every entry.
        rows: Vec<usize>,
        /// The entries.
        values: Vec<f64>,
    },
    /// Row after row, each with the columns of its entries.
    CompressedRows {
        /// Where each row begins, and the number of entries at the end.
        starts: Vec<usize>,
        /// Column of every entry.
        columns: Vec<usize>,
        /// The entries.
        values: Vec<f64>,
    },
}

/// Blocks in compressed block rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks {
    /// Cumulative row counts: where each block row ends.
    pub row_ends: Vec<usize>,
    /// Cumulative column counts: where each block column ends.
    pub column_ends: Vec<usize>,
    /// Where each block row begins among the blocks, and their number at the end. Rows without blocks at the end may be
    /// left out.
    pub row_starts: Vec<usize>,
    /// Block column of every block.
    pub block_columns: Vec<usize>,
    /// The numbers of every block, column after column.
    pub values: Vec<Vec<f64>>,
}

impl Blocks {
    /// Where block row or column `k` begins and ends.
    pub(super) fn span(ends: &[usize], k: usize) -> (usize, usize) {
        (if k == 0 { 0 } else { ends[k - 1] }, ends[k])
    }

    /// The block row that a block is in.
    pub(super) fn row_of(&self, block: usize) -> usize {
        self.row_starts.partition_point(|&start| start <= block) - 1
    }

    fn check(&self, rows: usize, columns: usize) -> Result<(), String> {
        for (what, ends, total) in [("row", &self.row_ends, rows), ("column", &self.column_ends, columns)] {
            if ends.last().copied().unwrap_or(0) != total {
                return Err(format!("the block {what}s end at {:?}, not at {total}", ends.last()));
            }
            if ends.windows(2).any(|pair| pair[0] > pair[1]) {
                return Err(format!("the ends of the block {what}s are not ascending"));
            }
        }
        let count = self.values.len();
        if self.block_columns.len() != count {
            return Err(format!("{count} blocks but {} block columns", self.block_columns.len()));
        }
        if self.row_starts.is_empty() || self.row_starts.len() > self.row_ends.len() + 1 {
            return Err(format!(
                "{} row starts for {} block rows",
                self.row_starts.len(),
                self.row_ends.len()
            ));
        }
        check_starts(&self.row_starts, count, "block rows")?;
        for (block, values) in self.values.iter().enumerate() {
            let column = self.block_columns[block];
            if column >= self.column_ends.len() {
                return Err(format!(
                    "block {block} is in block column {column} of {}",
                    self.column_ends.len()
                ));
            }
            let (top, bottom) = Self::span(&self.row_ends, self.row_of(block));
            let (left, right) = Self::span(&self.column_ends, column);
            if values.len() != (bottom - top) * (right - left) {
                return Err(format!(
                    "block {block} has {} numbers, not {}×{}",
                    values.len(),
                    bottom - top,
                    right - left
                ));
            }
        }
        Ok(())
    }
}

/// Starts of compressed rows or columns: from 0 up to the number of entries, never down.
fn check_starts(starts: &[usize], count: usize, what: &str) -> Result<(), String> {
    if starts.first() != Some(&0) || starts.last() != Some(&count) {
        return Err(format!("the starts of the {what} do not go from 0 to {count}"));
    }
    if starts.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(format!("the starts of the {what} are not ascending"));
    }
    Ok(())
}

impl Matrix {
    /// From entries given one by one.
    pub fn from_triplets(rows: usize, columns: usize, entries: impl IntoIterator<Item = (usize, usize, f64)>) -> Self {
        let (mut i, mut j, mut x) = (Vec::new(), Vec::new(), Vec::new());
        for (row, column, value) in entries {
            i.push(row);
            j.push(column);
            x.push(value);
        }
        Self {
            rows,
            columns,
            storage: Storage::Triplets {
                rows: i,
                columns: j,
                values: x,
            },
        }
    }

    /// Whether lengths fit together, indices are in range and all numbers are finite.
    pub fn check(&self) -> Result<(), String> {
        let Self { rows, columns, .. } = *self;
        let compressed = |starts: &[usize], others: &[usize], values: &[f64], major: usize, minor: usize, what| {
            if starts.len() != major + 1 {
                return Err(format!("{} starts for {major} {what}", starts.len()));
            }
            if others.len() != values.len() {
                return Err(format!("{} indices for {} values", others.len(), values.len()));
            }
            check_starts(starts, values.len(), what)?;
            in_range(others, minor)
        };
        match &self.storage {
            Storage::Dense(values) => {
                if rows.checked_mul(columns) != Some(values.len()) {
                    return Err(format!("{} numbers for {rows}×{columns}", values.len()));
                }
            }
            Storage::Blocks(blocks) => blocks.check(rows, columns)?,
            Storage::Triplets {
                rows: i,
                columns: j,
                values,
            } => {
                if i.len() != values.len() || j.len() != values.len() {
                    return Err(format!(
                        "{} rows, {} columns, {} values",
                        i.len(),
                        j.len(),
                        values.len()
                    ));
                }
                in_range(i, rows)?;
                in_range(j, columns)?;
            }
            Storage::CompressedColumns {
                starts,
                rows: i,
                values,
            } => compressed(starts, i, values, columns, rows, "columns")?,
            Storage::CompressedRows {
                starts,
                columns: j,
                values,
            } => compressed(starts, j, values, rows, columns, "rows")?,
        }
        match self.values().find(|value| !value.is_finite()) {
            Some(value) => Err(format!("the number {value}")),
            None => Ok(()),
        }
    }

    /// Every stored number, in the order of the file.
    fn values(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match &self.storage {
            Storage::Dense(values)
            | Storage::Triplets { values, .. }
            | Storage::CompressedColumns { values, .. }
            | Storage::CompressedRows { values, .. } => Box::new(values.iter().copied()),
            Storage::Blocks(blocks) => Box::new(blocks.values.iter().flatten().copied()),
        }
    }

    /// Every stored number as (row, column, value), in the order of the file. The matrix must be a checked one.
    pub fn entries(&self) -> Box<dyn Iterator<Item = (usize, usize, f64)> + '_> {
        match &self.storage {
            Storage::Dense(values) => {
                let height = self.rows.max(1);
                let entry = move |(k, &value): (usize, &f64)| (k % height, k / height, value);
                Box::new(values.iter().enumerate().map(entry))
            }
            Storage::Blocks(blocks) => Box::new(blocks.values.iter().enumerate().flat_map(|(block, values)| {
                let (top, bottom) = Blocks::span(&blocks.row_ends, blocks.row_of(block));
                let (left, _) = Blocks::span(&blocks.column_ends, blocks.block_columns[block]);
                let height = (bottom - top).max(1);
                let entry = move |(k, &value): (usize, &f64)| (top + k % height, left + k / height, value);
                values.iter().enumerate().map(entry)
            })),
            Storage::Triplets { rows, columns, values } => {
                Box::new(rows.iter().zip(columns).zip(values).map(|((&i, &j), &x)| (i, j, x)))
            }
            Storage::CompressedColumns { starts, rows, values } => {
                let entry = |(column, k): (usize, usize)| (rows[k], column, values[k]);
                Box::new(spread(starts).map(entry))
            }
            Storage::CompressedRows {
                starts,
                columns,
                values,
            } => {
                let entry = |(row, k): (usize, usize)| (row, columns[k], values[k]);
                Box::new(spread(starts).map(entry))
            }
        }
    }

    /// As compressed rows, entries that occur twice added up.
    pub fn to_csr(&self) -> CsrMatrix<f64> {
        let mut triplets = CooMatrix::new(self.rows, self.columns);
        for (row, column, value) in self.entries() {
            triplets.push(row, column, value);
        }
        CsrMatrix::from(&triplets)
    }

    /// As a dense matrix.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(self.rows, self.columns);
        for (row, column, value) in self.entries() {
            dense[(row, column)] += value;
        }
        dense
    }

    /// The same matrix in compressed rows.
    pub fn compressed_rows(&self) -> Self {
        let (starts, columns, values) = self.to_csr().disassemble();
        Self {
            rows: self.rows,
            columns: self.columns,
            storage: Storage::CompressedRows {
                starts,
                columns,
                values,
            },
        }
    }
}

/// (row or column, entry) for every entry of a compressed matrix.
fn spread(starts: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    starts
        .windows(2)
        .enumerate()
        .flat_map(|(major, pair)| (pair[0]..pair[1]).map(move |entry| (major, entry)))
}

fn in_range(indices: &[usize], size: usize) -> Result<(), String> {
    match indices.iter().find(|&&index| index >= size) {
        Some(index) => Err(format!("index {index} where there are {size}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same 3×2 matrix in all storages.
    #[test]
    fn every_storage_means_the_same_matrix() {
        let expected = DMatrix::from_row_slice(3, 2, &[1.0, 4.0, 0.0, 5.0, 3.0, 0.0]);
        let storages = [
            Storage::Dense(vec![1.0, 0.0, 3.0, 4.0, 5.0, 0.0]),
            Storage::Blocks(Blocks {
                row_ends: vec![2, 3],
                column_ends: vec![1, 2],
                row_starts: vec![0, 2, 3],
                block_columns: vec![0, 1, 0],
                values: vec![vec![1.0, 0.0], vec![4.0, 5.0], vec![3.0]],
            }),
            Storage::Triplets {
                rows: vec![2, 0, 0, 1, 1],
                columns: vec![0, 1, 0, 1, 1],
                values: vec![3.0, 4.0, 1.0, 2.0, 3.0],
            },
            Storage::CompressedColumns {
                starts: vec![0, 2, 4],
                rows: vec![0, 2, 0, 1],
                values: vec![1.0, 3.0, 4.0, 5.0],
            },
            Storage::CompressedRows {
                starts: vec![0, 2, 3, 4],
                columns: vec![0, 1, 1, 0],
                values: vec![1.0, 4.0, 5.0, 3.0],
            },
        ];
        for storage in storages {
            let matrix = Matrix {
                rows: 3,
                columns: 2,
                storage,
            };
            assert_eq!(matrix.check(), Ok(()));
            assert_eq!(matrix.to_dense(), expected, "{matrix:?}");
            assert_eq!(matrix.compressed_rows().to_dense(), expected);
        }
    }
}
