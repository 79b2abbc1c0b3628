//! Sparse `L D Lᵀ` of a symmetric positive semidefinite matrix in blocks, by dense fronts (Duff and Reid 1983), made for the
//! matrices of joints: many small fronts along a tree, factorised anew in every step of a simulation.
//!
//! The matrix is scaled to ones on its diagonal, `S A S` with `S = diag(A)^(-½)`, so that a pivot is the share of its row
//! that the rows before it have left over, whatever the units; a ridge ε may be added. Blocks are asked for where they are
//! needed, so the matrix itself is never stored. On a chain or a tree nothing fills in and time and memory are linear.
//!
//! All memory is kept from one factorisation to the next, and several right-hand sides are solved at once.

use std::ops::Range;

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef, Par};

use super::symbolic::Elimination;
use crate::error::SolveError;

/// Fronts larger than this are eliminated so many columns at a time, the rest brought up to date by matrix products.
const PANEL: usize = 48;

/// A sparse factorisation, empty until [`factor`](Self::factor).
#[derive(Debug, Default)]
pub(crate) struct SparseLdl {
    /// The row of the matrix at every place in the order of elimination.
    order: Vec<u32>,
    fronts: Vec<Front>,
    /// Places of the rows that the fronts reach, front after front.
    reached: Vec<u32>,
    entries: Vec<Entry>,
    /// Where children's complements go: their size, and how many runs.
    children: Vec<(u32, Range<u32>)>,
    runs: Vec<Run>,
    /// By row of the matrix.
    scale: Vec<f64>,
    /// Of every front its own columns, column-major; one over the pivots on the diagonal.
    factors: Vec<f64>,
    front: Vec<f64>,
    /// Complements that wait for their parents.
    left: Vec<f64>,
    block: Vec<f64>,
    panel: Vec<f64>,
}

/// Where things are that concern a front.
#[derive(Debug)]
struct Front {
    /// Its own rows, as places.
    own: Range<usize>,
    reached: Range<usize>,
    entries: Range<usize>,
    children: Range<usize>,
    factors: usize,
}

/// A block of the matrix, and where it goes in its front. Its row is eliminated after its column, or is the same.
#[derive(Debug)]
struct Entry {
    nodes: (u32, u32),
    rows: Range<u32>,
    columns: Range<u32>,
    row: u32,
    column: u32,
}

/// Rows that are neighbours in a child's complement and in its parent's front.
#[derive(Debug)]
struct Run {
    from: u32,
    to: u32,
    len: u32,
}

impl SparseLdl {
    /// Analyses a matrix whose diagonal blocks have the given sizes, with non-zero blocks at the given pairs, each pair once
    /// and in any order of the two. Diagonal blocks need not be named.
    pub(crate) fn new(sizes: &[usize], pairs: &[(u32, u32)]) -> Result<Self, SolveError> {
        let elimination = Elimination::new(sizes, pairs)?;
        let mut starts = vec![0];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + *size as u32);
        }
        let mut ldl = Self::default();
        // The first place of every position.
        let mut places = vec![0];
        for &node in &elimination.node_at {
            ldl.order.extend(starts[node as usize]..starts[node as usize + 1]);
            places.push(ldl.order.len() as u32);
        }
        let mut entries = entries_by_front(&elimination, sizes.len(), pairs);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); elimination.fronts.len()];
        for (index, front) in elimination.fronts.iter().enumerate() {
            let own = places[front.own.start] as usize..places[front.own.end] as usize;
            let reached = ldl.reached.len();
            for &position in &front.rest {
                ldl.reached
                    .extend(places[position as usize]..places[position as usize + 1]);
            }
            let reached = reached..ldl.reached.len();
            let offset = |place: u32, reaches: &[u32]| match (place as usize).checked_sub(own.start) {
                Some(offset) if offset < own.len() => offset as u32,
                _ => (own.len() + reaches.partition_point(|&other| other < place)) as u32,
            };
            let first_entry = ldl.entries.len();
            for (row, column) in entries[index].drain(..) {
                let span = |node: u32| starts[node as usize]..starts[node as usize + 1];
                let place = |node: u32| places[elimination.position_of[node as usize] as usize];
                ldl.entries.push(Entry {
                    nodes: (row, column),
                    rows: span(row),
                    columns: span(column),
                    row: offset(place(row), &ldl.reached[reached.clone()]),
                    column: offset(place(column), &ldl.reached[reached.clone()]),
                });
            }
            let first_child = ldl.children.len();
            for child in std::mem::take(&mut children[index]) {
                let first_run = ldl.runs.len() as u32;
                let rest = ldl.fronts[child].reached.clone();
                for (from, at) in rest.clone().enumerate() {
                    let to = offset(ldl.reached[at], &ldl.reached[reached.clone()]);
                    match ldl.runs[first_run as usize..].last_mut() {
                        Some(run) if run.to + run.len == to => run.len += 1,
                        _ => ldl.runs.push(Run {
                            from: from as u32,
                            to,
                            len: 1,
                        }),
                    }
                }
                ldl.children.push((rest.len() as u32, first_run..ldl.runs.len() as u32));
            }
            if let Some(parent) = front.parent {
                children[parent].push(index);
            }
            let factors = ldl.fronts.last().map_or(0, |last| last.factors + last.factor_len());
            ldl.fronts.push(Front {
                own,
                reached,
                entries: first_entry..ldl.entries.len(),
                children: first_child..ldl.children.len(),
                factors,
            });
        }
        let factors = ldl.fronts.last().map_or(0, |last| last.factors + last.factor_len());
        ldl.factors.resize(factors, 0.0);
        ldl.scale.resize(ldl.order.len(), 1.0);
        Ok(ldl)
    }

    /// Numbers the factors hold.
    #[cfg(test)]
    fn factor_len(&self) -> usize {
        self.factors.len()
    }

    /// Factorises `S A S + ε`. `diagonal` gives A's diagonal by row, from the first on, `block` writes the block of a pair of nodes, row-major.
    /// A pivot that is not above `least` is put to 1, which takes its row out. Returns the smallest pivot.
    pub(crate) fn factor(
        &mut self,
        ridge: f64,
        least: f64,
        mut diagonal: impl FnMut(usize) -> f64,
        mut block: impl FnMut((u32, u32), &mut [f64]),
    ) -> f64 {
        for (row, scale) in self.scale.iter_mut().enumerate() {
            let diagonal = diagonal(row);
            // A row that moves nothing is zero all over.
            *scale = if diagonal > 0.0 { diagonal.sqrt().recip() } else { 1.0 };
        }
        self.left.clear();
        let mut smallest = f64::INFINITY;
        for index in 0..self.fronts.len() {
            self.assemble(index, ridge, &mut block);
            smallest = smallest.min(self.eliminate(index, least));
        }
        smallest
    }

    /// Fills the lower triangle of a front with the matrix's entries and what the children left.
    fn assemble(&mut self, index: usize, ridge: f64, block: &mut impl FnMut((u32, u32), &mut [f64])) {
        let plan = &self.fronts[index];
        let n = plan.own.len() + plan.reached.len();
        self.front.clear();
        self.front.resize(n * n, 0.0);
        for entry in &self.entries[plan.entries.clone()] {
            let (height, width) = (entry.rows.len(), entry.columns.len());
            self.block.clear();
            self.block.resize(height * width, 0.0);
            block(entry.nodes, &mut self.block);
            let row_scale = &self.scale[entry.rows.start as usize..entry.rows.end as usize];
            let column_scale = &self.scale[entry.columns.start as usize..entry.columns.end as usize];
            let same = entry.row == entry.column;
            for (j, scale) in column_scale.iter().enumerate() {
                let at = (entry.column as usize + j) * n + entry.row as usize;
                let target = &mut self.front[at..at + height];
                // Of a diagonal block the lower triangle.
                for i in if same { j } else { 0 }..height {
                    target[i] = self.block[i * width + j] * row_scale[i] * scale;
                }
                if same {
                    target[j] += ridge;
                }
            }
        }
        // The last child's complement lies on top.
        for (size, runs) in self.children[plan.children.clone()].iter().rev() {
            let m = *size as usize;
            let runs = &self.runs[runs.start as usize..runs.end as usize];
            let base = self.left.len() - m * m;
            let complement = &self.left[base..];
            for (k, column) in runs.iter().enumerate() {
                for j in 0..column.len as usize {
                    let source = &complement[(column.from as usize + j) * m..][..m];
                    let target = &mut self.front[(column.to as usize + j) * n..][..n];
                    for (index, run) in runs[k..].iter().enumerate() {
                        let skip = if index == 0 { j } else { 0 };
                        let (from, to) = (run.from as usize + skip, run.to as usize + skip);
                        let len = run.len as usize - skip;
                        let target = &mut target[to..to + len];
                        target.iter_mut().zip(&source[from..]).for_each(|(t, s)| *t += s);
                    }
                }
            }
            self.left.truncate(base);
        }
    }

    /// Factorises a front's own columns and leaves the complement. Returns the smallest pivot.
    fn eliminate(&mut self, index: usize, least: f64) -> f64 {
        let plan = &self.fronts[index];
        let (p, n, at) = (plan.own.len(), plan.own.len() + plan.reached.len(), plan.factors);
        let mut smallest = f64::INFINITY;
        let mut done = 0;
        while done < p {
            let end = if n > 2 * PANEL { (done + PANEL).min(p) } else { p };
            // Columns up to here are brought up to date one by one.
            let near = if n > 2 * PANEL { end } else { n };
            for k in done..end {
                let (before, behind) = self.front.split_at_mut((k + 1) * n);
                let column = &mut before[k * n..];
                let pivot = column[k];
                // A NaN is as small as can be.
                smallest = if pivot < smallest || pivot.is_nan() {
                    pivot
                } else {
                    smallest
                };
                let inverse = if pivot > least { pivot.recip() } else { 1.0 };
                for (j, target) in behind.chunks_exact_mut(n).take(near - k - 1).enumerate() {
                    let j = k + 1 + j;
                    let factor = column[j] * inverse;
                    if factor != 0.0 {
                        target[j..]
                            .iter_mut()
                            .zip(&column[j..])
                            .for_each(|(t, c)| *t -= factor * c);
                    }
                }
                column[k + 1..].iter_mut().for_each(|entry| *entry *= inverse);
                column[k] = inverse;
            }
            if near < n {
                self.update_far(n, done..end);
            }
            done = end;
        }
        let factors = &mut self.factors[at..at + n * p];
        factors.copy_from_slice(&self.front[..n * p]);
        for column in self.front[n * p..].chunks_exact(n) {
            self.left.extend_from_slice(&column[p..]);
        }
        if smallest.is_nan() { f64::NEG_INFINITY } else { smallest }
    }

    /// Takes the columns of a panel off all that are behind it: `F ← F − L D Lᵀ`, the lower triangle.
    fn update_far(&mut self, n: usize, panel: Range<usize>) {
        let (width, rest) = (panel.len(), n - panel.end);
        // L D, row after row of its transpose.
        self.panel.clear();
        self.panel.resize(width * rest, 0.0);
        for (k, target) in panel.clone().zip(self.panel.chunks_exact_mut(rest)) {
            let column = &self.front[k * n..(k + 1) * n];
            let pivot = column[k].recip();
            target
                .iter_mut()
                .zip(&column[panel.end..])
                .for_each(|(t, l)| *t = l * pivot);
        }
        let (before, behind) = self.front.split_at_mut(panel.end * n);
        let lower = MatRef::from_column_major_slice(&before[panel.start * n..], n, width).subrows(panel.end, rest);
        let scaled = MatRef::from_column_major_slice(&self.panel, rest, width);
        let target = MatMut::from_column_major_slice_mut(behind, n, rest).subrows_mut(panel.end, rest);
        matmul(
            target,
            BlockStructure::TriangularLower,
            Accum::Add,
            lower,
            BlockStructure::Rectangular,
            scaled.transpose(),
            BlockStructure::Rectangular,
            -1.0,
            Par::Seq,
        );
    }

    /// Solves with the factors for K right-hand sides, one after the other in x. `memory` is worked in.
    pub(crate) fn solve<const K: usize>(&self, x: &mut [f64], memory: &mut Vec<f64>) {
        let rows = self.order.len();
        let deepest = self.fronts.iter().map(|front| front.reached.len()).max().unwrap_or(0);
        memory.clear();
        memory.resize(K * (rows + deepest), 0.0);
        let (memory, _) = memory.as_chunks_mut::<K>();
        let (y, rest) = memory.split_at_mut(rows);
        for (y, &row) in y.iter_mut().zip(&self.order) {
            let scale = self.scale[row as usize];
            *y = std::array::from_fn(|k| x[k * rows + row as usize] * scale);
        }
        for front in &self.fronts {
            let (p, n) = (front.own.len(), front.own.len() + front.reached.len());
            // What no right-hand side has reached yet stays zero: they are sparse.
            if y[front.own.clone()].iter().flatten().all(|&y| y == 0.0) {
                continue;
            }
            let reached = &self.reached[front.reached.clone()];
            let rest = &mut rest[..n - p];
            rest.fill([0.0; K]);
            let own = &mut y[front.own.clone()];
            for (k, column) in self.columns(front).enumerate() {
                let value = own[k];
                for (own, l) in own[k + 1..].iter_mut().zip(&column[k + 1..p]) {
                    subtract(own, *l, &value);
                }
                for (rest, l) in rest.iter_mut().zip(&column[p..]) {
                    subtract(rest, *l, &value);
                }
            }
            for (rest, &place) in rest.iter().zip(reached) {
                subtract(&mut y[place as usize], -1.0, rest);
            }
        }
        for front in self.fronts.iter().rev() {
            let (p, n) = (front.own.len(), front.own.len() + front.reached.len());
            let rest = &mut rest[..n - p];
            for (rest, &place) in rest.iter_mut().zip(&self.reached[front.reached.clone()]) {
                *rest = y[place as usize];
            }
            let own = &mut y[front.own.clone()];
            for (k, column) in self.columns(front).enumerate().rev() {
                let mut value = own[k].map(|y| y * column[k]);
                for (own, l) in own[k + 1..].iter().zip(&column[k + 1..p]) {
                    subtract(&mut value, *l, own);
                }
                for (rest, l) in rest.iter().zip(&column[p..]) {
                    subtract(&mut value, *l, rest);
                }
                own[k] = value;
            }
        }
        for (y, &row) in y.iter().zip(&self.order) {
            let scale = self.scale[row as usize];
            for (k, y) in y.iter().enumerate() {
                x[k * rows + row as usize] = y * scale;
            }
        }
    }

    fn columns(&self, front: &Front) -> std::slice::ChunksExact<'_, f64> {
        let n = front.own.len() + front.reached.len();
        self.factors[front.factors..front.factors + front.factor_len()].chunks_exact(n.max(1))
    }
}

impl Front {
    fn factor_len(&self) -> usize {
        self.own.len() * (self.own.len() + self.reached.len())
    }
}

/// `x −= factor · y`, all columns.
#[inline(always)]
fn subtract<const K: usize>(x: &mut [f64; K], factor: f64, y: &[f64; K]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x -= factor * y;
    }
}

/// The blocks that every front takes in, each as (later node, earlier node).
fn entries_by_front(elimination: &Elimination, nodes: usize, pairs: &[(u32, u32)]) -> Vec<Vec<(u32, u32)>> {
    let mut front_of = vec![0; nodes];
    for (index, front) in elimination.fronts.iter().enumerate() {
        front_of[front.own.clone()].fill(index);
    }
    let mut entries = vec![Vec::new(); elimination.fronts.len()];
    let diagonal = (0..nodes as u32).map(|node| (node, node));
    for (a, b) in diagonal.chain(pairs.iter().copied().filter(|(a, b)| a != b)) {
        let position = |node: u32| elimination.position_of[node as usize];
        let (earlier, later) = if position(a) < position(b) { (a, b) } else { (b, a) };
        entries[front_of[position(earlier) as usize]].push((later, earlier));
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// `G Gᵀ` of a sparse G in blocks: the pattern, the sizes, and the dense matrix.
    struct Sample {
        sizes: Vec<usize>,
        starts: Vec<usize>,
        pairs: Vec<(u32, u32)>,
        dense: DMatrix<f64>,
    }

    impl Sample {
        /// Blocks that share one of some columns, `rank` of which are drawn for every group.
        fn new(rng: &mut Pcg64, nodes: usize, links: usize) -> Self {
            let sizes: Vec<usize> = (0..nodes).map(|_| rng.random_range(1..=6)).collect();
            let mut starts = vec![0];
            sizes
                .iter()
                .for_each(|size| starts.push(starts[starts.len() - 1] + size));
            let rows = starts[nodes];
            let mut dense = DMatrix::<f64>::zeros(rows, rows);
            let mut pairs = Vec::new();
            for link in 0..links + nodes {
                let (a, b) = if link < nodes {
                    (link, (link + 1) % nodes)
                } else {
                    (rng.random_range(0..nodes), rng.random_range(0..nodes))
                };
                let mut g = DMatrix::<f64>::zeros(rows, 12);
                for node in [a, b] {
                    for row in starts[node]..starts[node + 1] {
                        (0..12).for_each(|k| g[(row, k)] = rng.random_range(-1.0..1.0));
                    }
                }
                dense += &g * g.transpose();
                pairs.push((a.max(b) as u32, a.min(b) as u32));
            }
            pairs.sort_unstable();
            pairs.dedup();
            Self {
                sizes,
                starts,
                pairs,
                dense,
            }
        }

        fn factor(&self, ldl: &mut SparseLdl, ridge: f64) -> f64 {
            ldl.factor(
                ridge,
                0.0,
                |row| self.dense[(row, row)],
                |(i, j), out| {
                    let (i, j) = (i as usize, j as usize);
                    for a in 0..self.sizes[i] {
                        for b in 0..self.sizes[j] {
                            out[a * self.sizes[j] + b] = self.dense[(self.starts[i] + a, self.starts[j] + b)];
                        }
                    }
                },
            )
        }
    }

    /// From single blocks to fronts that are eliminated in panels, one right-hand side and eight, zeros among them.
    #[test]
    fn solutions_agree_with_a_dense_factorisation() {
        let mut rng = Pcg64::seed_from_u64(7);
        for (nodes, links) in [(1, 0), (2, 1), (30, 0), (40, 30), (150, 400)] {
            let sample = Sample::new(&mut rng, nodes, links);
            let mut ldl = SparseLdl::new(&sample.sizes, &sample.pairs).unwrap();
            if nodes == 150 {
                assert!(ldl.fronts.iter().any(|front| front.own.len() > 2 * PANEL));
            }
            for round in 0..2 {
                let smallest = sample.factor(&mut ldl, 0.0);
                assert!(smallest > 1e-6, "{smallest}");
                let rows = sample.dense.nrows();
                let mut right = vec![0.0; 8 * rows];
                right[3 * rows..4 * rows].fill_with(|| rng.random_range(-1.0..1.0));
                right[5 * rows + rows / 2] = 1.0;
                let mut x = right.clone();
                let mut memory = Vec::new();
                ldl.solve::<8>(&mut x, &mut memory);
                let cholesky = sample.dense.clone().cholesky().unwrap();
                for (right, x) in right.chunks_exact(rows).zip(x.chunks_exact(rows)) {
                    let expected = cholesky.solve(&DVector::from_column_slice(right));
                    let found = DVector::from_column_slice(x);
                    // Condition numbers are below a million.
                    assert!((&found - &expected).amax() <= 1e-9 * expected.amax(), "{nodes} {round}");
                    let mut single = right.to_vec();
                    ldl.solve::<1>(&mut single, &mut memory);
                    assert_eq!(single, x, "the same bits alone");
                }
            }
        }
    }

    #[test]
    fn the_smallest_pivot_tells_of_redundant_rows_and_a_ridge_lifts_it() {
        let mut sample = Sample::new(&mut Pcg64::seed_from_u64(8), 20, 0);
        // The first block twice.
        let size = sample.sizes[0];
        let rows = sample.dense.nrows();
        let copy = |k: usize| if k < rows { k } else { k - rows };
        sample.dense = DMatrix::from_fn(rows + size, rows + size, |i, j| sample.dense[(copy(i), copy(j))]);
        sample.sizes.push(size);
        sample.starts.push(rows + size);
        let twin = 20;
        let partners: Vec<(u32, u32)> = sample
            .pairs
            .iter()
            .filter_map(|&(a, b)| match (a, b) {
                (0, b) => Some((twin, b)),
                (a, 0) => Some((twin, a)),
                _ => None,
            })
            .collect();
        sample.pairs.extend(partners);
        sample.pairs.push((twin, 0));
        let mut ldl = SparseLdl::new(&sample.sizes, &sample.pairs).unwrap();
        assert!(sample.factor(&mut ldl, 0.0).abs() < 1e-13);
        let lifted = sample.factor(&mut ldl, 1e-9);
        assert!(lifted > 0.9e-9 && lifted < 1e-8, "{lifted}");
    }

    /// Nothing fills in along a chain: as many numbers a block at both ends of this range.
    #[test]
    fn factors_of_a_chain_are_linear() {
        let numbers = |nodes: usize| {
            let pairs: Vec<(u32, u32)> = (1..nodes as u32).map(|k| (k, k - 1)).collect();
            let ldl = SparseLdl::new(&vec![5; nodes], &pairs).unwrap();
            ldl.factor_len() as f64 / nodes as f64
        };
        assert!(numbers(10_000) < 1.05 * numbers(100));
        assert!(numbers(10_000) <= 100.0, "{}", numbers(10_000));
    }
}
