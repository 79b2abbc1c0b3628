//! A tree of boxes that follows the bodies (dynamic bounding volume hierarchy).
//!
//! Leaves are the fat boxes of bodies, an inner node is the box of its two children. A body whose box escapes its fat box
//! is taken out and put in again where that makes the tree grow least, by the surface of boxes: the chance that a query
//! has to look inside (Goldsmith and Salmon 1987; Omohundro 1989; the incremental form after Catto, GDC 2019). After as
//! many insertions as there are bodies the tree is built anew from the top, halving the centres along their longest
//! spread. Which pairs are candidates, and when boxes escape, is in `candidates`.

use super::candidates::{Candidates, Index, overlaps};
use super::sorting::PairSorter;
use super::{BroadPhase, is_movable};
use crate::aabb::Aabb;

/// The broad phase for bodies of very different sizes of which few move.
///
/// Infinite boxes are kept apart; one costs a test against each other body. The number of bodies may change between calls.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    candidates: Candidates<Boxes>,
}

impl BroadPhase for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        self.candidates.pairs(aabbs, movable, out);
    }
}

/// No node, no body.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    aabb: Aabb,
    parent: u32,
    /// Both `NONE` for a leaf.
    children: [u32; 2],
    /// Whose fat box a leaf is; a free node's next.
    body: u32,
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

#[derive(Clone, Debug)]
struct Boxes {
    nodes: Vec<Node>,
    root: u32,
    /// The first of the nodes that are not used.
    free: u32,
    /// The leaf of each body, or `NONE`.
    leaf: Vec<u32>,
    /// Bodies whose boxes are not finite.
    apart: Vec<u32>,
    /// Since the tree was built.
    insertions: usize,
    /// For building: bodies, twice their centres.
    order: Vec<(u32, [f64; 3])>,
    stack: Vec<(u32, u32)>,
    sorter: PairSorter,
}

impl Default for Boxes {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            root: NONE,
            free: NONE,
            leaf: Vec::new(),
            apart: Vec::new(),
            insertions: 0,
            order: Vec::new(),
            stack: Vec::new(),
            sorter: PairSorter::default(),
        }
    }
}

impl Index for Boxes {
    fn all_pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        self.build_from(aabbs);
        out.clear();
        self.overlapping_leaves(movable, out);
        for (place, &body) in self.apart.iter().enumerate() {
            let finite = self.order.iter().map(|(body, _)| *body);
            for other in finite.chain(self.apart[place + 1..].iter().copied()) {
                let moves = is_movable(movable, body as usize) || is_movable(movable, other as usize);
                if moves && aabbs[body as usize].overlaps(&aabbs[other as usize]) {
                    out.push((body.min(other), body.max(other)));
                }
            }
        }
        self.sorter.sort(aabbs.len(), out);
    }

    fn replace(&mut self, body: u32, fat: &[Aabb]) {
        if self.insertions > fat.len() {
            self.build_from(fat);
            return;
        }
        let leaf = self.leaf[body as usize];
        if leaf == NONE {
            self.apart.retain(|&other| other != body);
        } else {
            self.take_out(leaf);
        }
        let aabb = &fat[body as usize];
        self.leaf[body as usize] = if is_finite(aabb) { self.put_in(body, aabb) } else { NONE };
        if !is_finite(aabb) && !is_nan(aabb) {
            self.apart.push(body);
        }
    }

    fn visit(&self, aabb: &Aabb, _: &[Aabb], each: &mut dyn FnMut(u32)) {
        self.apart.iter().for_each(|&body| each(body));
        if self.root != NONE {
            self.visit_below(self.root, aabb, each);
        }
    }
}

impl Boxes {
    fn visit_below(&self, node: u32, aabb: &Aabb, each: &mut dyn FnMut(u32)) {
        let node = &self.nodes[node as usize];
        if !overlaps(&node.aabb, aabb) {
            return;
        }
        if node.is_leaf() {
            each(node.body);
        } else {
            node.children
                .iter()
                .for_each(|&child| self.visit_below(child, aabb, each));
        }
    }

    fn build_from(&mut self, aabbs: &[Aabb]) {
        self.nodes.clear();
        self.nodes.reserve(2 * aabbs.len());
        self.free = NONE;
        self.insertions = 0;
        self.leaf.clear();
        self.leaf.resize(aabbs.len(), NONE);
        self.apart.clear();
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.reserve(aabbs.len());
        for (body, aabb) in (0..).zip(aabbs) {
            if is_finite(aabb) {
                order.push((body, (aabb.min + aabb.max).into()));
            } else if !is_nan(aabb) {
                self.apart.push(body);
            }
        }
        self.root = self.build_below(&mut order, aabbs, NONE);
        self.order = order;
    }

    /// Halves the bodies until one is left.
    fn build_below(&mut self, order: &mut [(u32, [f64; 3])], aabbs: &[Aabb], parent: u32) -> u32 {
        let node = self.nodes.len() as u32;
        match order {
            [] => NONE,
            [(body, _)] => {
                self.leaf[*body as usize] = node;
                self.nodes.push(Node {
                    aabb: aabbs[*body as usize],
                    parent,
                    children: [NONE; 2],
                    body: *body,
                });
                node
            }
            _ => {
                let axis = widest(order);
                let middle = order.len() / 2;
                // Equal centres are told apart by body, so that the tree is unique.
                order.select_nth_unstable_by(middle, |a, b| a.1[axis].total_cmp(&b.1[axis]).then(a.0.cmp(&b.0)));
                self.nodes.push(Node {
                    aabb: aabbs[order[0].0 as usize],
                    parent,
                    children: [NONE; 2],
                    body: NONE,
                });
                let (lower, upper) = order.split_at_mut(middle);
                let children = [
                    self.build_below(lower, aabbs, node),
                    self.build_below(upper, aabbs, node),
                ];
                let [a, b] = children.map(|child| self.nodes[child as usize].aabb);
                let made = &mut self.nodes[node as usize];
                (made.children, made.aabb) = (children, a.joined(&b));
                node
            }
        }
    }

    /// Pairs of leaves by descending into pairs of nodes that overlap; (n, n) stands for the pairs inside n.
    fn overlapping_leaves(&mut self, movable: &[bool], out: &mut Vec<(u32, u32)>) {
        let Self { nodes, stack, root, .. } = self;
        stack.clear();
        if *root != NONE {
            stack.push((*root, *root));
        }
        while let Some((a, b)) = stack.pop() {
            let (m, n) = (&nodes[a as usize], &nodes[b as usize]);
            if a == b {
                if !m.is_leaf() {
                    let [left, right] = m.children;
                    stack.extend([(left, left), (right, right), (left, right)]);
                }
            } else if !overlaps(&m.aabb, &n.aabb) {
            } else if m.is_leaf() && n.is_leaf() {
                if is_movable(movable, m.body as usize) || is_movable(movable, n.body as usize) {
                    out.push((m.body.min(n.body), m.body.max(n.body)));
                }
            } else if n.is_leaf() || (!m.is_leaf() && surface(&m.aabb) >= surface(&n.aabb)) {
                stack.extend(m.children.map(|child| (child, b)));
            } else {
                stack.extend(n.children.map(|child| (a, child)));
            }
        }
    }

    /// Takes a leaf and its parent out of the tree.
    fn take_out(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        self.release(leaf);
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let Node {
            children,
            parent: above,
            ..
        } = self.nodes[parent as usize];
        let sibling = if children[0] == leaf { children[1] } else { children[0] };
        self.release(parent);
        self.nodes[sibling as usize].parent = above;
        if above == NONE {
            self.root = sibling;
        } else {
            let children = &mut self.nodes[above as usize].children;
            children[usize::from(children[1] == parent)] = sibling;
            self.refit(above);
        }
    }

    /// Puts a leaf beside the node where the surfaces of all boxes grow least, as far as a single descent sees.
    fn put_in(&mut self, body: u32, aabb: &Aabb) -> u32 {
        self.insertions += 1;
        let leaf = self.acquire(Node {
            aabb: *aabb,
            parent: NONE,
            children: [NONE; 2],
            body,
        });
        if self.root == NONE {
            self.root = leaf;
            return leaf;
        }
        let sibling = self.best_sibling(aabb);
        let Node {
            aabb: beside,
            parent: above,
            ..
        } = self.nodes[sibling as usize];
        let parent = self.acquire(Node {
            aabb: beside.joined(aabb),
            parent: above,
            children: [sibling, leaf],
            body: NONE,
        });
        self.nodes[sibling as usize].parent = parent;
        self.nodes[leaf as usize].parent = parent;
        if above == NONE {
            self.root = parent;
        } else {
            let children = &mut self.nodes[above as usize].children;
            children[usize::from(children[1] == sibling)] = parent;
            self.refit(above);
        }
        leaf
    }

    fn best_sibling(&self, aabb: &Aabb) -> u32 {
        let mut node = self.root;
        loop {
            let it = &self.nodes[node as usize];
            if it.is_leaf() {
                return node;
            }
            let joined = surface(&it.aabb.joined(aabb));
            // A new parent here, against what this node grows by on the way further down.
            let here = 2.0 * joined;
            let inherited = 2.0 * (joined - surface(&it.aabb));
            let below = it.children.map(|child| {
                let child = &self.nodes[child as usize];
                let grown = surface(&child.aabb.joined(aabb));
                let cost = if child.is_leaf() {
                    grown
                } else {
                    grown - surface(&child.aabb)
                };
                cost + inherited
            });
            if here < below[0] && here < below[1] {
                return node;
            }
            node = it.children[usize::from(below[1] < below[0])];
        }
    }

    /// Makes boxes right from a node up to the root.
    fn refit(&mut self, mut node: u32) {
        while node != NONE {
            let [a, b] = self.nodes[node as usize]
                .children
                .map(|child| self.nodes[child as usize].aabb);
            let it = &mut self.nodes[node as usize];
            it.aabb = a.joined(&b);
            node = it.parent;
        }
    }

    fn acquire(&mut self, node: Node) -> u32 {
        if self.free == NONE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let place = self.free;
        self.free = std::mem::replace(&mut self.nodes[place as usize], node).body;
        place
    }

    fn release(&mut self, node: u32) {
        self.nodes[node as usize].body = std::mem::replace(&mut self.free, node);
    }
}

/// The axis along which centres spread most.
fn widest(order: &[(u32, [f64; 3])]) -> usize {
    let spread = |axis: usize| {
        let ends = order
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, centre)| {
                (low.min(centre[axis]), high.max(centre[axis]))
            });
        ends.1 - ends.0
    };
    let spreads = [0, 1, 2].map(spread);
    (1..3).fold(0, |best, axis| if spreads[axis] > spreads[best] { axis } else { best })
}

/// Half the surface of a box.
fn surface(aabb: &Aabb) -> f64 {
    let sides = aabb.max - aabb.min;
    sides.x * sides.y + sides.y * sides.z + sides.z * sides.x
}

fn is_finite(aabb: &Aabb) -> bool {
    (aabb.max - aabb.min).iter().all(|side| side.is_finite())
}

fn is_nan(aabb: &Aabb) -> bool {
    aabb.min.iter().chain(aabb.max.iter()).any(|side| side.is_nan())
}
