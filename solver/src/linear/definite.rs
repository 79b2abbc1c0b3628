//! Sparse `L D Lᵀ` of a symmetric positive semidefinite matrix in blocks, by dense fronts (Duff and Reid 1983), made for the
//! matrices of joints: many small fronts along a tree, factorised anew in every step of a simulation.
//!
//! Pivots are measured by the diagonal of A, `d_k / A_kk`: the share of its row that the rows before it have left over, whatever the
//! units. (They are the pivots of `S A S` with `S = diag(A)^(-½)`; the factors of A are those of `S A S` scaled, to rounding, so that
//! nothing need be.) A ridge `ε diag(A)` may be added, and then it is `S A S + ε` that is factorised: what a ridge makes of rows that
//! are the same is rounding over ε, which is least where numbers are one. Blocks are asked for where they are needed, so the matrix itself is never
//! stored. On a chain or a tree nothing fills in and time and memory are linear.
//!
//! All memory is kept from one factorisation to the next, and several right-hand sides are solved at once.

use std::ops::Range;

use super::fronts::{SMALL, add, backward, eliminate, for_size, forward};
use super::symbolic::Elimination;
use crate::error::SolveError;

/// A sparse factorisation, empty until [`factor`](Self::factor).
#[derive(Debug, Default)]
pub(crate) struct SparseLdl {
    /// The row of the matrix at every place in the order of elimination.
    order: Vec<u32>,
    fronts: Vec<Front>,
    /// Places of the rows that the fronts reach, front after front.
    reached: Vec<u32>,
    entries: Vec<Entry>,
    children: Vec<Child>,
    runs: Vec<Run>,
    /// What pivots are measured by, by place: the diagonal of what is factorised, or 1 where that is zero.
    scale: Vec<f64>,
    /// S by place if it is `S A S` that is factorised, or else empty.
    roots: Vec<f64>,
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
    /// Where its complement goes.
    left: usize,
}

/// A block of the matrix, and where its transpose goes in its front: a column there is a row of the block.
#[derive(Debug)]
struct Entry {
    /// The node eliminated first, and the other one, or the same.
    nodes: (u32, u32),
    width: u32,
    height: u32,
    row: u32,
    column: u32,
}

/// A complement that a front takes in.
#[derive(Debug)]
struct Child {
    size: u32,
    left: usize,
    /// Where its rows go.
    runs: Range<u32>,
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
        // Zeros would cost more in small fronts than loops around them do.
        let elimination = Elimination::new(sizes, pairs, SMALL)?;
        let mut ldl = Self::default();
        let mut starts = vec![0];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + *size as u32);
        }
        // The first place of every position.
        let mut places = vec![0];
        for &node in &elimination.node_at {
            ldl.order.extend(starts[node as usize]..starts[node as usize + 1]);
            places.push(ldl.order.len() as u32);
        }
        let mut entries = entries_by_front(&elimination, sizes.len(), pairs);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); elimination.fronts.len()];
        let (mut factors, mut left, mut most_left) = (0, 0, 0);
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
            for (later, earlier) in entries[index].drain(..) {
                let place = |node: u32| places[elimination.position_of[node as usize] as usize];
                ldl.entries.push(Entry {
                    nodes: (earlier, later),
                    width: sizes[earlier as usize] as u32,
                    height: sizes[later as usize] as u32,
                    row: offset(place(later), &ldl.reached[reached.clone()]),
                    column: offset(place(earlier), &ldl.reached[reached.clone()]),
                });
            }
            let first_child = ldl.children.len();
            let own_children = std::mem::take(&mut children[index]);
            // They lie on top of all that waits.
            left = own_children.first().map_or(left, |&child| ldl.fronts[child].left);
            for child in own_children {
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
                ldl.children.push(Child {
                    size: rest.len() as u32,
                    left: ldl.fronts[child].left,
                    runs: first_run..ldl.runs.len() as u32,
                });
            }
            if let Some(parent) = front.parent {
                children[parent].push(index);
            }
            let (p, r) = (own.len(), reached.len());
            ldl.fronts.push(Front {
                own,
                reached,
                entries: first_entry..ldl.entries.len(),
                children: first_child..ldl.children.len(),
                factors,
                left,
            });
            factors += p * (p + r);
            left += r * r;
            most_left = most_left.max(left);
        }
        ldl.factors.resize(factors, 0.0);
        ldl.left.resize(most_left, 0.0);
        ldl.scale.resize(ldl.order.len(), 1.0);
        Ok(ldl)
    }

    /// Numbers the factors hold.
    #[cfg(test)]
    fn factor_len(&self) -> usize {
        self.factors.len()
    }

    /// The largest `|A_rr x_r|`.
    pub(crate) fn largest_term(&self, x: &[f64]) -> f64 {
        let terms = self.order.iter().zip(&self.scale);
        terms.fold(0.0, |largest, (&row, scale)| {
            f64::max(largest, (x[row as usize] * scale).abs())
        })
    }

    /// Factorises `A + ε diag(A)`; `block` writes the block of a pair of nodes, row-major. A pivot that is not above `least`, relative to
    /// the diagonal of A, is put to the diagonal, which takes its row out. Returns the smallest pivot, so measured.
    pub(crate) fn factor(&mut self, ridge: f64, least: f64, mut block: impl FnMut((u32, u32), &mut [f64])) -> f64 {
        self.roots.clear();
        if ridge > 0.0 {
            self.find_roots(&mut block);
        }
        let mut smallest = f64::INFINITY;
        for index in 0..self.fronts.len() {
            let front = &self.fronts[index];
            let found = for_size!((front.own.len(), front.reached.len()), p, r => {
                self.assemble(index, p + r, ridge, &mut block);
                let scale = &self.scale[self.fronts[index].own.clone()];
                let found = eliminate(&mut self.front, (p, r), scale, least, &mut self.panel);
                self.store(index, (p, r));
                found
            });
            smallest = if found < smallest { found } else { smallest };
        }
        smallest
    }

    /// Makes it `S A S` that is factorised.
    #[cold]
    fn find_roots(&mut self, block: &mut impl FnMut((u32, u32), &mut [f64])) {
        self.roots.resize(self.order.len(), 1.0);
        for front in &self.fronts {
            let diagonal = self.entries[front.entries.clone()].iter();
            for entry in diagonal.filter(|entry| entry.row == entry.column) {
                let n = entry.width as usize;
                self.block.clear();
                self.block.resize(n * n, 0.0);
                block(entry.nodes, &mut self.block);
                for k in 0..n {
                    let diagonal = self.block[k * n + k];
                    let root = &mut self.roots[front.own.start + entry.column as usize + k];
                    // A row that moves nothing is zero all over.
                    *root = if diagonal > 0.0 { diagonal.sqrt().recip() } else { 1.0 };
                }
            }
        }
    }

    /// Fills the lower triangle of a front of size n with the matrix's entries and what the children left.
    #[inline(always)]
    fn assemble(&mut self, index: usize, n: usize, ridge: f64, block: &mut impl FnMut((u32, u32), &mut [f64])) {
        let plan = &self.fronts[index];
        if self.front.len() < n * n {
            self.front.resize(n * n, 0.0);
        }
        let front = &mut self.front[..n * n];
        front.fill(0.0);
        for entry in &self.entries[plan.entries.clone()] {
            let (height, width) = (entry.height as usize, entry.width as usize);
            if self.block.len() < height * width {
                self.block.resize(height * width, 0.0);
            }
            let numbers = &mut self.block[..height * width];
            block(entry.nodes, numbers);
            let (row, column) = (entry.row as usize, entry.column as usize);
            if ridge > 0.0 {
                let place = |offset: usize| match offset.checked_sub(plan.own.len()) {
                    Some(beyond) => self.reached[plan.reached.start + beyond] as usize,
                    None => plan.own.start + offset,
                };
                for (at, number) in numbers.iter_mut().enumerate() {
                    let (i, j) = (at % height, at / height);
                    *number = *number * self.roots[place(row + i)] * self.roots[place(column + j)];
                }
            }
            let target = &mut front[column * n + row..];
            match (height, width) {
                (3, 3) => place(target, n, numbers, 3, 3),
                (5, 5) => place(target, n, numbers, 5, 5),
                (6, 6) => place(target, n, numbers, 6, 6),
                _ => place(target, n, numbers, height, width),
            }
            if row == column {
                for j in column..column + width {
                    let diagonal = &mut front[j * n + j];
                    // A row that moves nothing is zero all over.
                    let scale = if *diagonal > 0.0 { *diagonal } else { 1.0 };
                    self.scale[plan.own.start + j] = scale;
                    *diagonal += ridge * scale;
                }
            }
        }
        for child in &self.children[plan.children.clone()] {
            let m = child.size as usize;
            let runs = &self.runs[child.runs.start as usize..child.runs.end as usize];
            let complement = &self.left[child.left..];
            match (m, runs) {
                (3, [run]) => take_in_run(front, n, complement, 3, run.to as usize),
                (5, [run]) => take_in_run(front, n, complement, 5, run.to as usize),
                (6, [run]) => take_in_run(front, n, complement, 6, run.to as usize),
                _ => take_in(front, n, &complement[..m * m], m, runs),
            }
        }
    }

    /// Keeps what elimination has made of a front.
    #[inline(always)]
    fn store(&mut self, index: usize, (p, r): (usize, usize)) {
        let plan = &self.fronts[index];
        let n = p + r;
        self.factors[plan.factors..][..n * p].copy_from_slice(&self.front[..n * p]);
        let left = &mut self.left[plan.left..][..r * r];
        for j in 0..r {
            left[j * r..(j + 1) * r].copy_from_slice(&self.front[(p + j) * n + p..][..r]);
        }
    }

    /// Multiplies by S, if there is one.
    fn scale_by_roots<const K: usize>(&self, y: &mut [[f64; K]]) {
        for (y, root) in y.iter_mut().zip(&self.roots) {
            y.iter_mut().for_each(|y| *y *= root);
        }
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
            *y = std::array::from_fn(|k| x[k * rows + row as usize]);
        }
        self.scale_by_roots(y);
        for front in &self.fronts {
            // What no right-hand side has reached yet stays zero: they are sparse.
            if y[front.own.clone()].iter().flatten().all(|&y| y == 0.0) {
                continue;
            }
            let reached = &self.reached[front.reached.clone()];
            let factors = &self.factors[front.factors..];
            for_size!((front.own.len(), front.reached.len()), p, r => {
                let rest = &mut rest[..r];
                rest.fill([0.0; K]);
                forward(&factors[..p * (p + r)], &mut y[front.own.start..][..p], rest);
                for k in 0..r {
                    add(&mut y[reached[k] as usize], &rest[k]);
                }
            });
        }
        for front in self.fronts.iter().rev() {
            let reached = &self.reached[front.reached.clone()];
            let factors = &self.factors[front.factors..];
            for_size!((front.own.len(), front.reached.len()), p, r => {
                let rest = &mut rest[..r];
                for k in 0..r {
                    rest[k] = y[reached[k] as usize];
                }
                backward(&factors[..p * (p + r)], &mut y[front.own.start..][..p], rest);
            });
        }
        self.scale_by_roots(y);
        for (y, &row) in y.iter().zip(&self.order) {
            for (k, y) in y.iter().enumerate() {
                x[k * rows + row as usize] = *y;
            }
        }
    }
}

/// Writes a block, column after column, where a front's columns have n rows.
#[inline(always)]
fn place(front: &mut [f64], n: usize, block: &[f64], height: usize, width: usize) {
    let block = &block[..height * width];
    for j in 0..width {
        let column = &mut front[j * n..][..height];
        for i in 0..height {
            column[i] = block[j * height + i];
        }
    }
}

/// Adds a child's complement of size m to a front of size n, the lower triangle, where all of its rows are neighbours there too.
#[inline(always)]
fn take_in_run(front: &mut [f64], n: usize, complement: &[f64], m: usize, to: usize) {
    let complement = &complement[..m * m];
    for j in 0..m {
        let column = &mut front[(to + j) * n + to..][..m];
        for i in j..m {
            column[i] += complement[j * m + i];
        }
    }
}

/// The same wherever its rows go.
fn take_in(front: &mut [f64], n: usize, complement: &[f64], m: usize, runs: &[Run]) {
    for (k, column) in runs.iter().enumerate() {
        for j in 0..column.len as usize {
            let source = &complement[(column.from as usize + j) * m..][..m];
            let target = &mut front[(column.to as usize + j) * n..][..n];
            for (index, run) in runs[k..].iter().enumerate() {
                let skip = if index == 0 { j } else { 0 };
                let (from, to) = (run.from as usize + skip, run.to as usize + skip);
                let len = run.len as usize - skip;
                let target = &mut target[to..to + len];
                target.iter_mut().zip(&source[from..]).for_each(|(t, s)| *t += s);
            }
        }
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
    use super::super::fronts::PANEL;
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
            ldl.factor(ridge, 0.0, |(i, j), out| {
                let (i, j) = (i as usize, j as usize);
                for a in 0..self.sizes[i] {
                    for b in 0..self.sizes[j] {
                        out[a * self.sizes[j] + b] = self.dense[(self.starts[i] + a, self.starts[j] + b)];
                    }
                }
            })
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
