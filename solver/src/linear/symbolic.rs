//! The symbolic part of a sparse factorisation: which blocks fill in, and which of them are eliminated together.
//!
//! The graph has a node for every block of rows (a body, a contact). Approximate minimum degree gives the order of
//! elimination (Amestoy, Davis and Duff 1996, from faer); the elimination tree and the fill follow from it (Liu 1990).
//! Nodes that are eliminated one after the other and reach the same nodes form a front, dense from then on; a few zeros
//! are accepted for the sake of larger fronts.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::amd;

use crate::error::SolveError;

/// A set of nodes eliminated together, and the later ones that this concerns.
#[derive(Debug, Clone)]
pub(super) struct Front {
    /// Positions of the nodes it eliminates.
    pub(super) own: std::ops::Range<usize>,
    /// Positions of the later nodes it reaches, ascending.
    pub(super) rest: Vec<u32>,
    /// The front that takes in what this one leaves, none at a root.
    pub(super) parent: Option<usize>,
}

/// The order of elimination and the fronts, children before their parents.
#[derive(Debug, Clone)]
pub(super) struct Elimination {
    /// Node at every position.
    pub(super) node_at: Vec<u32>,
    /// Position of every node.
    pub(super) position_of: Vec<u32>,
    pub(super) fronts: Vec<Front>,
}

impl Elimination {
    /// Analyses a graph given by its edges, in any direction, with duplicates and loops allowed. Fronts of up to `tight` rows take in
    /// no zeros.
    pub(super) fn new(sizes: &[usize], edges: &[(u32, u32)], tight: usize) -> Result<Self, SolveError> {
        let neighbours = Neighbours::new(sizes.len(), edges);
        let order = minimum_degree(&neighbours)?;
        let (order, reach, parent) = in_postorder(&neighbours, order);
        let mut position_of = vec![0; order.len()];
        for (position, &node) in order.iter().enumerate() {
            position_of[node as usize] = position as u32;
        }
        let size_at: Vec<usize> = order.iter().map(|&node| sizes[node as usize]).collect();
        let fronts = fronts(&size_at, reach, &parent, tight);
        Ok(Self {
            node_at: order,
            position_of,
            fronts,
        })
    }
}

/// Adjacency lists, both ways, sorted, without loops or duplicates.
struct Neighbours {
    starts: Vec<usize>,
    lists: Vec<usize>,
}

impl Neighbours {
    fn new(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let mut both: Vec<(u32, u32)> = edges
            .iter()
            .filter(|(a, b)| a != b)
            .flat_map(|&(a, b)| [(a, b), (b, a)])
            .collect();
        both.sort_unstable();
        both.dedup();
        let mut starts = vec![0; nodes + 1];
        for &(a, _) in &both {
            starts[a as usize + 1] += 1;
        }
        for k in 0..nodes {
            starts[k + 1] += starts[k];
        }
        Self {
            starts,
            lists: both.into_iter().map(|(_, b)| b as usize).collect(),
        }
    }

    fn of(&self, node: usize) -> &[usize] {
        &self.lists[self.starts[node]..self.starts[node + 1]]
    }
}

/// The nodes in an order that keeps the fill low.
fn minimum_degree(neighbours: &Neighbours) -> Result<Vec<u32>, SolveError> {
    let nodes = neighbours.starts.len() - 1;
    let pattern =
        SymbolicSparseColMat::new_checked(nodes, nodes, neighbours.starts.clone(), None, neighbours.lists.clone());
    let (mut order, mut inverse) = (vec![0usize; nodes], vec![0usize; nodes]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(nodes, neighbours.lists.len()));
    amd::order(
        &mut order,
        &mut inverse,
        pattern.as_ref(),
        amd::Control::default(),
        MemStack::new(&mut memory),
    )
    .map_err(|error| SolveError::Malformed(format!("the ordering failed: {error:?}")))?;
    Ok(order.into_iter().map(|node| node as u32).collect())
}

/// The order rearranged so that every subtree of the elimination tree is contiguous, which changes no fill; with it for
/// every position what it reaches, and its parent.
fn in_postorder(neighbours: &Neighbours, order: Vec<u32>) -> (Vec<u32>, Vec<Vec<u32>>, Vec<Option<u32>>) {
    let nodes = order.len();
    let mut position_of = vec![0; nodes];
    for (position, &node) in order.iter().enumerate() {
        position_of[node as usize] = position as u32;
    }
    // What a position reaches: its later neighbours, and what its children in the tree reach.
    let mut reach: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    let mut roots = Vec::new();
    let mut seen_by = vec![u32::MAX; nodes];
    for k in 0..nodes {
        let mut list = Vec::new();
        let mut see = |position: u32| {
            if position as usize > k && seen_by[position as usize] != k as u32 {
                seen_by[position as usize] = k as u32;
                list.push(position);
            }
        };
        for &other in neighbours.of(order[k] as usize) {
            see(position_of[other]);
        }
        for &child in &children[k] {
            reach[child as usize].iter().for_each(|&position| see(position));
        }
        list.sort_unstable();
        match list.first() {
            Some(&parent) => children[parent as usize].push(k as u32),
            None => roots.push(k as u32),
        }
        reach[k] = list;
    }
    // Depth first, without recursion.
    let mut sequence = Vec::with_capacity(nodes);
    let mut stack: Vec<(u32, usize)> = roots.into_iter().rev().map(|root| (root, 0)).collect();
    while let Some((position, next)) = stack.pop() {
        match children[position as usize].get(next) {
            Some(&child) => {
                stack.push((position, next + 1));
                stack.push((child, 0));
            }
            None => sequence.push(position),
        }
    }
    let mut renamed = vec![0; nodes];
    for (new, &old) in sequence.iter().enumerate() {
        renamed[old as usize] = new as u32;
    }
    let reach: Vec<Vec<u32>> = sequence
        .iter()
        .map(|&old| {
            let mut list: Vec<u32> = reach[old as usize].iter().map(|&p| renamed[p as usize]).collect();
            list.sort_unstable();
            list
        })
        .collect();
    let parent = reach.iter().map(|list| list.first().copied()).collect();
    let order = sequence.iter().map(|&old| order[old as usize]).collect();
    (order, reach, parent)
}

/// Of the numbers in a front, this share may be zeros taken in for the sake of its size.
const ACCEPTED_ZEROS: f64 = 0.2;

/// Gathers the positions into fronts.
fn fronts(size_at: &[usize], mut reach: Vec<Vec<u32>>, parent: &[Option<u32>], tight: usize) -> Vec<Front> {
    let size_of = |list: &[u32]| list.iter().map(|&p| size_at[p as usize]).sum::<usize>();
    // (first position, own size, size of the rest, zeros so far); the rest is the reach of the last position.
    let mut groups: Vec<(usize, usize, usize, usize)> = Vec::new();
    for k in 0..size_at.len() {
        let (mut first, mut own, rest, mut zeros) = (k, size_at[k], size_of(&reach[k]), 0);
        // The group before ends at k − 1; it can be taken in if k is where it goes on.
        while let Some(&(child_first, child_own, child_rest, child_zeros)) = groups.last() {
            if parent[first - 1].is_none_or(|p| p as usize > k) {
                break;
            }
            let added = zeros + child_zeros + child_own * (own + rest - child_rest);
            let total = (own + child_own) * (own + child_own + rest);
            let accepted = if own + child_own + rest <= tight {
                0.0
            } else {
                ACCEPTED_ZEROS
            };
            if added as f64 > accepted * total as f64 {
                break;
            }
            groups.pop();
            (first, own, zeros) = (child_first, own + child_own, added);
        }
        groups.push((first, own, rest, zeros));
    }
    let mut group_of = vec![0; size_at.len()];
    let ends: Vec<usize> = groups.iter().skip(1).map(|g| g.0).chain([size_at.len()]).collect();
    for (index, (group, &end)) in groups.iter().zip(&ends).enumerate() {
        group_of[group.0..end].fill(index);
    }
    groups
        .iter()
        .zip(ends)
        .map(|(group, end)| {
            let rest = std::mem::take(&mut reach[end - 1]);
            Front {
                own: group.0..end,
                parent: rest.first().map(|&p| group_of[p as usize]),
                rest,
            }
        })
        .collect()
}
