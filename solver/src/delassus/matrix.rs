//! An explicit sparse block matrix: for stored problems, and for solvers that want A itself.
//!
//! Block-compressed rows: for each block row the sorted list of its non-zero block columns, each with a dense row-major
//! block. It need not be symmetric. It converts to `nalgebra-sparse`, to `faer` and to a dense matrix.

use std::ops::Range;

use nalgebra::DMatrix;
use nalgebra_sparse::{CooMatrix, CsrMatrix};

use super::Delassus;
use crate::error::SolveError;
use crate::problem::Block;

/// A square sparse matrix in blocks of rows and columns of varying size.
#[derive(Debug, Clone, Default)]
pub struct BlockMatrix {
    /// First row of every block, and the number of rows at the end.
    pub(super) starts: Vec<u32>,
    /// For every block row, where its entries begin; one more at the end.
    pub(super) entries: Vec<u32>,
    /// Block column of every entry, ascending within a block row.
    pub(super) columns: Vec<u32>,
    /// Where the numbers of every entry begin.
    pub(super) offsets: Vec<u32>,
    /// The numbers, block after block, row-major.
    pub(super) values: Vec<f64>,
    /// Diagonal of the whole matrix.
    pub(super) diagonal: Vec<f64>,
}

impl BlockMatrix {
    /// Cuts a sparse matrix into blocks. `sizes` are the numbers of rows of the blocks, in order. Takes time in
    /// proportion to the stored numbers (and, within a block row, to sorting its block columns).
    pub fn from_csr(matrix: &CsrMatrix<f64>, sizes: &[usize]) -> Result<Self, SolveError> {
        let n = matrix.nrows();
        if matrix.ncols() != n || sizes.iter().sum::<usize>() != n || sizes.contains(&0) {
            return Err(SolveError::Malformed(format!(
                "a {}×{} matrix can't be cut into blocks of {} rows in all",
                n,
                matrix.ncols(),
                sizes.iter().sum::<usize>()
            )));
        }
        let starts = prefix_sums(sizes);
        let block_of: Vec<u32> = sizes
            .iter()
            .enumerate()
            .flat_map(|(block, &size)| std::iter::repeat_n(block as u32, size))
            .collect();
        let mut builder = Builder::new(starts.clone());
        let mut columns = Vec::new();
        let mut offset_of = vec![0; sizes.len()];
        for block in 0..sizes.len() {
            let rows = builder.block_rows(block);
            columns.clear();
            for row in rows.clone() {
                columns.extend(matrix.row(row).col_indices().iter().map(|&column| block_of[column]));
            }
            columns.sort_unstable();
            columns.dedup();
            // Where each of the block columns met here begins within the block row's numbers.
            let mut at = 0;
            for &column in &columns {
                let size = rows.len() * sizes[column as usize];
                offset_of[column as usize] = at;
                at += size;
                builder.push(column, |values| values.resize(values.len() + size, 0.0));
            }
            let values = builder.last_values(at);
            for (k, row) in rows.enumerate() {
                let sparse = matrix.row(row);
                for (&column, &value) in sparse.col_indices().iter().zip(sparse.values()) {
                    let other = block_of[column] as usize;
                    values[offset_of[other] + k * sizes[other] + column - starts[other] as usize] = value;
                }
            }
            builder.finish_row();
        }
        builder.finish()
    }

    /// Cuts a dense matrix into blocks, leaving out those that are zero.
    pub fn from_dense(matrix: &DMatrix<f64>, sizes: &[usize]) -> Result<Self, SolveError> {
        Self::from_csr(&CsrMatrix::from(matrix), sizes)
    }

    /// Number of blocks along the diagonal.
    pub fn block_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The rows of a block.
    pub fn block_rows(&self, block: usize) -> Range<usize> {
        self.starts[block] as usize..self.starts[block + 1] as usize
    }

    /// Number of stored blocks.
    pub fn stored_blocks(&self) -> usize {
        self.columns.len()
    }

    /// Number of blocks stored in a block row: those that act on it, itself among them.
    pub fn coupled_blocks(&self, block: usize) -> usize {
        (self.entries[block + 1] - self.entries[block]) as usize
    }

    /// Every stored number as (row, column, value).
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        (0..self.block_count()).flat_map(move |block| {
            let rows = self.block_rows(block);
            self.row_entries(block).flat_map(move |(span, values)| {
                let rows = rows.clone();
                let width = span.len();
                values
                    .iter()
                    .enumerate()
                    .map(move |(k, &value)| (rows.start + k / width, span.start + k % width, value))
            })
        })
    }

    /// As a compressed sparse row matrix of `nalgebra-sparse`.
    pub fn to_csr(&self) -> CsrMatrix<f64> {
        let n = self.rows();
        let mut triplets = CooMatrix::new(n, n);
        for (row, column, value) in self.triplets() {
            triplets.push(row, column, value);
        }
        CsrMatrix::from(&triplets)
    }

    /// As a compressed sparse column matrix of `faer`, for factorisations.
    pub fn to_faer(&self) -> Result<faer::sparse::SparseColMat<usize, f64>, SolveError> {
        let n = self.rows();
        let triplets: Vec<_> = self
            .triplets()
            .map(|(row, col, val)| faer::sparse::Triplet { row, col, val })
            .collect();
        faer::sparse::SparseColMat::try_new_from_triplets(n, n, &triplets)
            .map_err(|error| SolveError::Malformed(format!("{error:?}")))
    }

    /// As a dense matrix.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let n = self.rows();
        let mut dense = DMatrix::zeros(n, n);
        for (row, column, value) in self.triplets() {
            dense[(row, column)] = value;
        }
        dense
    }

    /// The entries of a block row: the columns they span and their numbers.
    fn row_entries(&self, block: usize) -> impl Iterator<Item = (Range<usize>, &[f64])> {
        let height = self.block_rows(block).len();
        (self.entries[block] as usize..self.entries[block + 1] as usize).map(move |entry| {
            let span = self.block_rows(self.columns[entry] as usize);
            let at = self.offsets[entry] as usize;
            (span.clone(), &self.values[at..at + height * span.len()])
        })
    }

    /// Which entry a block row has in a block column, if it is stored.
    fn entry(&self, row: usize, column: usize) -> Option<usize> {
        let first = self.entries[row] as usize;
        let columns = &self.columns[first..self.entries[row + 1] as usize];
        columns.binary_search(&(column as u32)).ok().map(|entry| first + entry)
    }

    /// The numbers of a stored block, row-major.
    pub(crate) fn stored_mut(&mut self, row: usize, column: usize) -> Option<&mut [f64]> {
        let at = self.offsets[self.entry(row, column)?] as usize;
        let len = self.block_rows(row).len() * self.block_rows(column).len();
        Some(&mut self.values[at..at + len])
    }

    /// The block columns stored in a block row.
    pub(crate) fn stored_columns(&self, row: usize) -> &[u32] {
        &self.columns[self.entries[row] as usize..self.entries[row + 1] as usize]
    }

    /// Adds to the diagonal entries of a block, if that block is stored.
    pub(crate) fn add_to_diagonal(&mut self, block: usize, value: f64) {
        let Some(entry) = self.entry(block, block) else {
            return;
        };
        let rows = self.block_rows(block);
        let at = self.offsets[entry] as usize;
        for (k, row) in rows.clone().enumerate() {
            self.values[at + k * (rows.len() + 1)] += value;
            self.diagonal[row] += value;
        }
    }

    /// The stored blocks of a block row: their block columns and numbers, row-major.
    pub(crate) fn stored_row(&self, block: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let columns = &self.columns[self.entries[block] as usize..self.entries[block + 1] as usize];
        columns
            .iter()
            .map(|&column| column as usize)
            .zip(self.row_entries(block).map(|(_, values)| values))
    }

    /// Refuses numbers that are not finite, and takes the diagonal from the blocks.
    pub(crate) fn checked(mut self) -> Result<Self, SolveError> {
        if u32::try_from(self.values.len()).is_err() {
            return Err(SolveError::Malformed("the matrix has more than 2³² numbers".into()));
        }
        for block in 0..self.block_count() {
            let finite = |(_, values): (_, &[f64])| values.iter().all(|value| value.is_finite());
            if !self.row_entries(block).all(finite) {
                return Err(SolveError::NotFinite { block, what: "rows" });
            }
            let rows = self.block_rows(block);
            let n = rows.len();
            let entry = self.entry(block, block);
            for (k, row) in rows.enumerate() {
                self.diagonal[row] = entry.map_or(0.0, |entry| self.values[self.offsets[entry] as usize + k * (n + 1)]);
            }
        }
        Ok(self)
    }

    /// Whether block `index` of a problem has the rows of this matrix's.
    pub(crate) fn has_block(&self, index: usize, block: &Block) -> bool {
        self.block_rows(index) == block.rows()
    }

    /// The block that a row belongs to, by bisection.
    fn block_of(&self, row: usize) -> usize {
        // Where all blocks are of one size there is nothing to search for.
        let guess = row * self.block_count() / self.diagonal.len();
        if self.starts[guess] as usize == row {
            return guess;
        }
        self.starts.partition_point(|&start| start as usize <= row) - 1
    }
}

impl Delassus for BlockMatrix {
    fn rows(&self) -> usize {
        self.diagonal.len()
    }

    fn state_len(&self) -> usize {
        0
    }

    fn load(&self, _impulses: &[f64], _state: &mut [f64]) {}

    fn block_product(&self, rows: Range<usize>, impulses: &[f64], _state: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (span, values) in self.row_entries(self.block_of(rows.start)) {
            let x = &impulses[span];
            // Contact on contact, the common case: sizes that the compiler knows.
            if let (Some(a), Ok([x, y, z]), Ok(out)) = (
                values.as_chunks::<3>().0.first_chunk::<3>(),
                <&[f64; 3]>::try_from(x),
                <&mut [f64; 3]>::try_from(&mut *out),
            ) {
                for (out, a) in out.iter_mut().zip(a) {
                    *out += a[0] * x + a[1] * y + a[2] * z;
                }
                continue;
            }
            for (out, row) in out.iter_mut().zip(values.chunks_exact(x.len())) {
                *out += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
            }
        }
    }

    fn block_changed(&self, _rows: Range<usize>, _delta: &[f64], _state: &mut [f64]) {}

    fn diagonal(&self, row: usize) -> f64 {
        self.diagonal[row]
    }

    fn diagonal_block(&self, rows: Range<usize>, out: &mut [f64]) {
        self.block(rows.clone(), rows, out);
    }

    fn block(&self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        match self.entry(self.block_of(rows.start), self.block_of(columns.start)) {
            Some(entry) => {
                let at = self.offsets[entry] as usize;
                out.copy_from_slice(&self.values[at..at + rows.len() * columns.len()]);
            }
            None => out.fill(0.0),
        }
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        for block in 0..self.block_count() {
            let rows = self.block_rows(block);
            self.block_product(rows.clone(), x, &[], &mut y[rows]);
        }
    }
}

/// Collects a block matrix row by row.
pub(crate) struct Builder {
    matrix: BlockMatrix,
}

impl Builder {
    /// Begins anew in the memory of a matrix that is not needed any more, with blocks of the given sizes.
    pub(crate) fn reusing(mut matrix: BlockMatrix, sizes: impl Iterator<Item = usize>) -> Self {
        matrix.starts.clear();
        matrix.starts.push(0);
        let mut rows = 0;
        for size in sizes {
            rows += size;
            matrix.starts.push(rows as u32);
        }
        matrix.entries.clear();
        matrix.entries.push(0);
        matrix.columns.clear();
        matrix.offsets.clear();
        matrix.values.clear();
        matrix.diagonal.clear();
        matrix.diagonal.resize(rows, 0.0);
        Self { matrix }
    }

    pub(super) fn new(starts: Vec<u32>) -> Self {
        let rows = starts.last().copied().unwrap_or(0) as usize;
        Self {
            matrix: BlockMatrix {
                starts,
                entries: vec![0],
                columns: Vec::new(),
                offsets: Vec::new(),
                values: Vec::new(),
                diagonal: vec![0.0; rows],
            },
        }
    }

    pub(super) fn block_rows(&self, block: usize) -> Range<usize> {
        self.matrix.block_rows(block)
    }

    /// Adds an entry to the present block row; `write` appends its numbers.
    pub(crate) fn push(&mut self, column: u32, write: impl FnOnce(&mut Vec<f64>)) {
        self.matrix.columns.push(column);
        self.matrix.offsets.push(self.matrix.values.len() as u32);
        write(&mut self.matrix.values);
    }

    /// The numbers of the last entries, `count` of them.
    fn last_values(&mut self, count: usize) -> &mut [f64] {
        let start = self.matrix.values.len() - count;
        &mut self.matrix.values[start..]
    }

    pub(crate) fn finish_row(&mut self) {
        self.matrix.entries.push(self.matrix.columns.len() as u32);
    }

    /// The matrix with its pattern as collected and its numbers as they are, to be written by block before
    /// [`checked`](BlockMatrix::checked).
    pub(crate) fn pattern(self) -> BlockMatrix {
        self.matrix
    }

    pub(super) fn finish(self) -> Result<BlockMatrix, SolveError> {
        self.matrix.checked()
    }
}

/// 0, s₀, s₀+s₁, …
pub(super) fn prefix_sums(sizes: &[usize]) -> Vec<u32> {
    let mut starts = Vec::with_capacity(sizes.len() + 1);
    let mut next = 0;
    starts.push(0);
    for size in sizes {
        next += *size as u32;
        starts.push(next);
    }
    starts
}
