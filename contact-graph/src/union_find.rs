//! Disjoint sets of bodies (union–find) for the groups. The smaller root always wins, so a set's root is its smallest
//! body: groups come out in that order without sorting, whatever the order of the unions. Path halving keeps the trees
//! flat. petgraph's own union–find chooses roots by rank and can't be emptied for reuse.

/// Bodies in sets; insulators are in none.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisjointBodies {
    parent: Vec<u32>,
}

/// The parent of an insulator. No body has this index: petgraph reserves it.
const INSULATOR: u32 = u32::MAX;

impl DisjointBodies {
    /// Each body alone, given for each body whether it is an insulator.
    pub(crate) fn reset(&mut self, insulators: impl Iterator<Item = bool>) {
        self.parent.clear();
        let bodies = insulators.zip(0..);
        self.parent
            .extend(bodies.map(|(insulator, body)| if insulator { INSULATOR } else { body }));
    }

    pub(crate) fn is_insulator(&self, body: u32) -> bool {
        self.parent[body as usize] == INSULATOR
    }

    /// The smallest body in the set of a body, which must not be an insulator.
    pub(crate) fn smallest(&mut self, mut body: u32) -> u32 {
        loop {
            let parent = self.parent[body as usize];
            if parent == body {
                return body;
            }
            let grandparent = self.parent[parent as usize];
            self.parent[body as usize] = grandparent;
            body = grandparent;
        }
    }

    /// Puts the ends of an edge in one set; with an insulator at one end there is nothing to join.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        if !self.is_insulator(a) && !self.is_insulator(b) {
            let (a, b) = (self.smallest(a), self.smallest(b));
            self.parent[a.max(b) as usize] = a.min(b);
        }
    }
}
