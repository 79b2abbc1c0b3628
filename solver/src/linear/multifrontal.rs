//! Sparse LU of a matrix in blocks, by dense fronts (multifrontal: Duff and Reid 1983).
//!
//! The matrix need not be symmetric; its pattern of blocks is treated as if it were. Going up the elimination
//! tree, every front is filled with the matrix's own entries and what its children left, its own rows are factorised with
//! partial pivoting among themselves, and the Schur complement is left to its parent. All flops are in dense products, so
//! it runs at the machine's speed where fill is large, and memory is the factors plus one branch of the tree.
//!
//! The analysis is done once; the numbers can be factorised again and again in the same memory.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, MatMut, MatRef, Par};

use super::symbolic::Elimination;
use crate::error::SolveError;

/// A sparse LU factorisation, empty until [`factor`](Self::factor).
#[derive(Debug)]
pub struct SparseLu {
    rows: usize,
    /// For every position in the order of elimination, its first row in the matrix and its size.
    nodes: Vec<(u32, u32)>,
    fronts: Vec<FrontPlan>,
    factors: Vec<FrontFactor>,
    /// The entries, by the front that takes them in.
    entries: Vec<EntryPlan>,
    front: Vec<f64>,
    left: Vec<f64>,
}

/// Where things go in a front.
#[derive(Debug)]
struct FrontPlan {
    /// Positions of the nodes eliminated here, and of those reached, with the first row of each of these in the front.
    own: std::ops::Range<usize>,
    rest: Vec<u32>,
    rest_starts: Vec<u32>,
    own_rows: usize,
    rest_rows: usize,
    /// Its entries within the list of all.
    entries: std::ops::Range<usize>,
    children: Vec<Child>,
}

/// How a child's Schur complement is added: (offset in the child's, offset here, size) for each run of rows that stay
/// neighbours.
#[derive(Debug)]
struct Child {
    rest_rows: usize,
    spans: Vec<(u32, u32, u32)>,
}

#[derive(Debug)]
struct EntryPlan {
    values_at: usize,
    row: u32,
    column: u32,
    height: u32,
    width: u32,
}

#[derive(Debug, Default)]
struct FrontFactor {
    /// L₁₁\U₁₁ and U₁₂ side by side, column-major.
    upper: Vec<f64>,
    /// L₂₁.
    lower: Vec<f64>,
    /// Which of its rows is taken as the k-th.
    pivots: Vec<usize>,
}

impl SparseLu {
    /// Analyses a matrix whose diagonal blocks have the given sizes, with non-zero blocks at the given (row, column)
    /// pairs. Pairs may repeat; what is given for them is added up. Diagonal blocks have to be among them.
    pub fn new(sizes: &[usize], entries: &[(u32, u32)]) -> Result<Self, SolveError> {
        let elimination = Elimination::new(sizes, entries, 0)?;
        let mut starts = vec![0; sizes.len()];
        let mut rows = 0;
        for (start, &size) in starts.iter_mut().zip(sizes) {
            *start = rows as u32;
            rows += size;
        }
        let nodes: Vec<(u32, u32)> = elimination
            .node_at
            .iter()
            .map(|&node| (starts[node as usize], sizes[node as usize] as u32))
            .collect();
        let mut plans = plan_fronts(&elimination, &nodes);
        let plan_entries = plan_entries(&elimination, &nodes, sizes, entries, &mut plans);
        Ok(Self {
            rows,
            nodes,
            factors: plans.iter().map(|_| FrontFactor::default()).collect(),
            fronts: plans,
            entries: plan_entries,
            front: Vec::new(),
            left: Vec::new(),
        })
    }

    /// Numbers the factors will hold: their memory in units of eight bytes.
    pub fn factor_len(&self) -> usize {
        self.fronts
            .iter()
            .map(|front| front.own_rows * (front.own_rows + 2 * front.rest_rows))
            .sum()
    }

    /// Factorises the matrix whose entries are given in the order of [`new`](Self::new), each row-major.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), SolveError> {
        self.left.clear();
        let deepest = self.fronts.iter().map(|front| front.own_rows).max().unwrap_or(0);
        let need = lu_in_place_scratch::<usize, f64>(deepest, deepest, Par::Seq, Default::default());
        let mut scratch = MemBuffer::new(need);
        for index in 0..self.fronts.len() {
            self.assemble(index, values);
            self.eliminate(index, &mut scratch)?;
        }
        Ok(())
    }

    /// Fills a front with the matrix's entries and what the children left.
    fn assemble(&mut self, index: usize, values: &[f64]) {
        let plan = &self.fronts[index];
        let n = plan.own_rows + plan.rest_rows;
        self.front.clear();
        self.front.resize(n * n, 0.0);
        for entry in &self.entries[plan.entries.clone()] {
            let (height, width) = (entry.height as usize, entry.width as usize);
            let block = &values[entry.values_at..entry.values_at + height * width];
            for (i, row) in block.chunks_exact(width).enumerate() {
                for (j, value) in row.iter().enumerate() {
                    self.front[(entry.column as usize + j) * n + entry.row as usize + i] += value;
                }
            }
        }
        // The last child's complement lies on top.
        for child in plan.children.iter().rev() {
            let m = child.rest_rows;
            let base = self.left.len() - m * m;
            let complement = &self.left[base..];
            for &(from_column, to_column, width) in &child.spans {
                for k in 0..width as usize {
                    let source = &complement[(from_column as usize + k) * m..][..m];
                    let target = &mut self.front[(to_column as usize + k) * n..][..n];
                    for &(from, to, height) in &child.spans {
                        let target = &mut target[to as usize..(to + height) as usize];
                        for (t, s) in target.iter_mut().zip(&source[from as usize..]) {
                            *t += s;
                        }
                    }
                }
            }
            self.left.truncate(base);
        }
    }

    /// Factorises a front's own rows and leaves the Schur complement.
    fn eliminate(&mut self, index: usize, scratch: &mut MemBuffer) -> Result<(), SolveError> {
        let plan = &self.fronts[index];
        let (p, r) = (plan.own_rows, plan.rest_rows);
        let n = p + r;
        let factor = &mut self.factors[index];
        factor.pivots.resize(p, 0);
        let mut inverse = [0; 64];
        let mut long_inverse = Vec::new();
        let inverse = if p <= inverse.len() {
            &mut inverse[..p]
        } else {
            long_inverse.resize(p, 0);
            &mut long_inverse[..]
        };
        let matrix = MatMut::from_column_major_slice_mut(&mut self.front, n, n);
        let (mut upper, lower) = matrix.split_at_row_mut(p);
        lu_in_place(
            upper.as_mut(),
            &mut factor.pivots,
            inverse,
            Par::Seq,
            MemStack::new(scratch),
            Default::default(),
        );
        let (own, reached) = upper.as_ref().split_at_col(p);
        let (mut lower, mut complement) = lower.split_at_col_mut(p);
        solve_lower_triangular_in_place(own.transpose(), lower.as_mut().transpose_mut(), Par::Seq);
        matmul(complement.as_mut(), Accum::Add, lower.as_ref(), reached, -1.0, Par::Seq);
        factor.upper.resize(p * n, 0.0);
        factor.lower.resize(r * p, 0.0);
        for (j, column) in self.front.chunks_exact(n).enumerate() {
            factor.upper[j * p..(j + 1) * p].copy_from_slice(&column[..p]);
            if j < p {
                factor.lower[j * r..(j + 1) * r].copy_from_slice(&column[p..]);
            } else {
                self.left.extend_from_slice(&column[p..]);
            }
        }
        // A pivot of zero has made something infinite.
        if all_finite(&factor.upper) && all_finite(&factor.lower) && (0..p).all(|k| factor.upper[k * p + k] != 0.0) {
            Ok(())
        } else {
            Err(SolveError::Factorisation)
        }
    }

    /// Solves with the factors: `x` holds the right-hand side and then the solution.
    pub fn solve(&self, x: &mut [f64]) {
        debug_assert_eq!(x.len(), self.rows);
        let mut own = Vec::new();
        let mut rest = Vec::new();
        let mut permuted = Vec::new();
        for (plan, factor) in self.fronts.iter().zip(&self.factors) {
            let (p, r) = (plan.own_rows, plan.rest_rows);
            self.gather(plan, x, &mut own, &mut rest);
            permuted.clear();
            permuted.extend(factor.pivots.iter().map(|&row| own[row]));
            let upper = MatRef::from_column_major_slice(&factor.upper[..p * p], p, p);
            let mut part = MatMut::from_column_major_slice_mut(&mut permuted, p, 1);
            solve_unit_lower_triangular_in_place(upper, part.as_mut(), Par::Seq);
            let lower = MatRef::from_column_major_slice(&factor.lower, r, p);
            let target = MatMut::from_column_major_slice_mut(&mut rest, r, 1);
            matmul(target, Accum::Add, lower, part.as_ref(), -1.0, Par::Seq);
            self.scatter(plan, x, &permuted, Some(&rest));
        }
        for (plan, factor) in self.fronts.iter().zip(&self.factors).rev() {
            let (p, r) = (plan.own_rows, plan.rest_rows);
            self.gather(plan, x, &mut own, &mut rest);
            let (triangle, reached) = factor.upper.split_at(p * p);
            let mut part = MatMut::from_column_major_slice_mut(&mut own, p, 1);
            let reached = MatRef::from_column_major_slice(reached, p, r);
            let known = MatRef::from_column_major_slice(&rest, r, 1);
            matmul(part.as_mut(), Accum::Add, reached, known, -1.0, Par::Seq);
            let upper = MatRef::from_column_major_slice(triangle, p, p);
            solve_upper_triangular_in_place(upper, part, Par::Seq);
            self.scatter(plan, x, &own, None);
        }
    }

    fn gather(&self, plan: &FrontPlan, x: &[f64], own: &mut Vec<f64>, rest: &mut Vec<f64>) {
        own.clear();
        rest.clear();
        for &(start, size) in &self.nodes[plan.own.clone()] {
            own.extend_from_slice(&x[start as usize..(start + size) as usize]);
        }
        for &position in &plan.rest {
            let (start, size) = self.nodes[position as usize];
            rest.extend_from_slice(&x[start as usize..(start + size) as usize]);
        }
    }

    fn scatter(&self, plan: &FrontPlan, x: &mut [f64], own: &[f64], rest: Option<&[f64]>) {
        let mut at = 0;
        for &(start, size) in &self.nodes[plan.own.clone()] {
            x[start as usize..(start + size) as usize].copy_from_slice(&own[at..at + size as usize]);
            at += size as usize;
        }
        let Some(rest) = rest else { return };
        let mut at = 0;
        for &position in &plan.rest {
            let (start, size) = self.nodes[position as usize];
            x[start as usize..(start + size) as usize].copy_from_slice(&rest[at..at + size as usize]);
            at += size as usize;
        }
    }
}

/// Looks at all of them, since looking at many at once is faster than stopping early.
fn all_finite(numbers: &[f64]) -> bool {
    numbers.iter().fold(true, |finite, x| finite & x.is_finite())
}

/// Sizes of the fronts, and how children fit into their parents.
fn plan_fronts(elimination: &Elimination, nodes: &[(u32, u32)]) -> Vec<FrontPlan> {
    let starts = first_rows(nodes);
    let mut plans: Vec<FrontPlan> = elimination
        .fronts
        .iter()
        .map(|front| {
            let own_rows = starts[front.own.end] - starts[front.own.start];
            let mut end = own_rows;
            let mut rest_starts = Vec::with_capacity(front.rest.len());
            for &position in &front.rest {
                rest_starts.push(end);
                end += nodes[position as usize].1;
            }
            FrontPlan {
                own: front.own.clone(),
                rest: front.rest.clone(),
                rest_starts,
                own_rows: own_rows as usize,
                rest_rows: (end - own_rows) as usize,
                entries: 0..0,
                children: Vec::new(),
            }
        })
        .collect();
    for (index, front) in elimination.fronts.iter().enumerate() {
        let Some(parent) = front.parent else { continue };
        let mut spans: Vec<(u32, u32, u32)> = Vec::new();
        let mut from = 0;
        for &position in &front.rest {
            let to = plans[parent].offset_of(position as usize, &starts);
            let size = nodes[position as usize].1;
            match spans.last_mut() {
                Some((_, start, length)) if *start + *length == to => *length += size,
                _ => spans.push((from, to, size)),
            }
            from += size;
        }
        let rest_rows = plans[index].rest_rows;
        plans[parent].children.push(Child { rest_rows, spans });
    }
    plans
}

/// The first row of every position if the nodes lay in the order of elimination, and the number of rows at the end.
fn first_rows(nodes: &[(u32, u32)]) -> Vec<u32> {
    let mut end = 0;
    let mut starts = vec![0];
    starts.extend(nodes.iter().map(|&(_, size)| {
        end += size;
        end
    }));
    starts
}

impl FrontPlan {
    /// The first row within the front of a node it holds; `starts` are the nodes' first rows in order of elimination.
    fn offset_of(&self, position: usize, starts: &[u32]) -> u32 {
        if position < self.own.end {
            return starts[position] - starts[self.own.start];
        }
        let index = self.rest.partition_point(|&p| (p as usize) < position);
        self.rest_starts[index]
    }
}

/// Where every entry of the matrix goes, sorted by front.
fn plan_entries(
    elimination: &Elimination,
    nodes: &[(u32, u32)],
    sizes: &[usize],
    entries: &[(u32, u32)],
    plans: &mut [FrontPlan],
) -> Vec<EntryPlan> {
    let starts = first_rows(nodes);
    let mut front_of = vec![0; nodes.len()];
    for (index, plan) in plans.iter().enumerate() {
        front_of[plan.own.clone()].fill(index);
    }
    let mut planned = Vec::with_capacity(entries.len());
    let mut values_at = 0;
    for &(i, j) in entries {
        let row = elimination.position_of[i as usize] as usize;
        let column = elimination.position_of[j as usize] as usize;
        let front = front_of[row.min(column)];
        let (height, width) = (sizes[i as usize], sizes[j as usize]);
        planned.push((
            front,
            EntryPlan {
                values_at,
                row: plans[front].offset_of(row, &starts),
                column: plans[front].offset_of(column, &starts),
                height: height as u32,
                width: width as u32,
            },
        ));
        values_at += height * width;
    }
    planned.sort_by_key(|(front, entry)| (*front, entry.values_at));
    let mut at = 0;
    for (front, plan) in plans.iter_mut().enumerate() {
        let start = at;
        while at < planned.len() && planned[at].0 == front {
            at += 1;
        }
        plan.entries = start..at;
    }
    planned.into_iter().map(|(_, entry)| entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// Random blocks of random sizes, a band, an arrow and long-range couplings; against a dense LU.
    #[test]
    fn solutions_agree_with_a_dense_factorisation_and_memory_is_reused() {
        let mut rng = Pcg64::seed_from_u64(5);
        for nodes in [1, 2, 7, 40, 120] {
            let sizes: Vec<usize> = (0..nodes).map(|_| rng.random_range(1..=6)).collect();
            let starts: Vec<usize> = sizes
                .iter()
                .scan(0, |at, size| {
                    *at += size;
                    Some(*at - size)
                })
                .collect();
            let mut entries: Vec<(u32, u32)> = (0..nodes as u32).map(|k| (k, k)).collect();
            for k in 1..nodes as u32 {
                entries.push((k, rng.random_range(0..k)));
                // Only one of the two directions: the pattern need not be symmetric. And some entries twice.
                entries.push((rng.random_range(0..k), k));
                entries.push((k - 1, k));
            }
            let mut lu = SparseLu::new(&sizes, &entries).unwrap();
            for _ in 0..2 {
                let rows: usize = sizes.iter().sum();
                let mut dense = DMatrix::<f64>::zeros(rows, rows);
                let mut values = Vec::new();
                for &(i, j) in &entries {
                    let (i, j) = (i as usize, j as usize);
                    for a in 0..sizes[i] {
                        for b in 0..sizes[j] {
                            // Diagonal blocks have zeros on their own diagonals, so that pivoting is needed.
                            let strong = i == j && (a + 1) % sizes[i] == b;
                            let value = rng.random_range(-1.0..1.0) + if strong { 20.0 } else { 0.0 };
                            values.push(value);
                            dense[(starts[i] + a, starts[j] + b)] += value;
                        }
                    }
                }
                lu.factor(&values).unwrap();
                let b = DVector::from_fn(rows, |_, _| rng.random_range(-1.0..1.0));
                let mut x = b.as_slice().to_vec();
                lu.solve(&mut x);
                let expected = dense.lu().solve(&b).unwrap();
                let error = (DVector::from_vec(x) - &expected).amax() / expected.amax();
                // Condition numbers are below a hundred.
                assert!(error < 1e-12, "{nodes}: {error}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let mut lu = SparseLu::new(&[2, 1], &[(0, 0), (1, 1), (0, 1)]).unwrap();
        assert_eq!(
            lu.factor(&[1.0, 2.0, 2.0, 4.0, 1.0, 0.0, 0.0]),
            Err(SolveError::Factorisation)
        );
    }

    /// A grid of k × k nodes: fill and work stay near those of nested dissection, far below a band's.
    #[test]
    fn fill_grows_like_that_of_a_good_ordering() {
        let factors = |k: u32| {
            let entries: Vec<(u32, u32)> = (0..k * k)
                .flat_map(|node| {
                    let right = (node % k + 1 < k).then_some((node, node + 1));
                    let below = (node / k + 1 < k).then_some((node, node + k));
                    [Some((node, node)), right, below]
                })
                .flatten()
                .collect();
            SparseLu::new(&vec![1; (k * k) as usize], &entries)
                .unwrap()
                .factor_len() as f64
        };
        // A band has 2 k³ numbers: a factor of eight for twice the side. n log n would be 4.6.
        assert!(factors(120) / factors(60) < 5.6);
        assert!(factors(120) < 0.25 * 2.0 * 120_f64.powi(3));
    }
}
