//! Random graphs, and their heights by brute force.

use drystone_contact_graph::petgraph::algo::kosaraju_scc;
use drystone_contact_graph::petgraph::graph::DiGraph;
use drystone_contact_graph::{Cycles, Heights, LayerRule, StackLayers, Support};
use rand::RngExt;
use rand_pcg::Pcg64;

pub(crate) const FLOATING: u32 = StackLayers::FLOATING;
pub(crate) const RULES: [(Heights, Cycles); 4] = [
    (Heights::Distance, Cycles::Ignore),
    (Heights::Distance, Cycles::Condense),
    (Heights::Gravity, Cycles::Ignore),
    (Heights::Gravity, Cycles::Condense),
];

pub(crate) fn rule((heights, cycles): (Heights, Cycles)) -> LayerRule {
    LayerRule {
        heights,
        cycles,
        level: 0.2,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) is_ground: Vec<bool>,
    pub(crate) supports: Vec<Support>,
    pub(crate) links: Vec<(u32, u32)>,
    pub(crate) floors: Vec<u32>,
}

impl Case {
    /// From sparse to dense. A third have bodies at random heights, and no joints: they have no rings.
    pub(crate) fn random(random: &mut Pcg64, number: usize) -> Case {
        let count = random.random_range(1..30u32);
        let ground = random.random_range(0.02..0.3);
        let density = random.random_range(0.3..3.0) / f64::from(count);
        let is_ground: Vec<bool> = (0..count).map(|_| random.random_bool(ground)).collect();
        let altitude: Vec<f64> = (0..count).map(|_| random.random_range(0.0..1.0)).collect();
        let mut supports = Vec::new();
        for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
            if random.random_bool(density.min(1.0)) {
                let rise = match number % 3 {
                    0 => altitude[b as usize] - altitude[a as usize],
                    _ => random.random_range(-1.0..1.0),
                };
                supports.push(Support { a, b, rise });
            }
        }
        let mut links = Vec::new();
        for _ in 0..random.random_range(0..3) {
            links.push((random.random_range(0..count), random.random_range(0..count)));
        }
        if number.is_multiple_of(3) {
            links.clear();
        }
        let mut floors = Vec::new();
        if number.is_multiple_of(2) {
            let floored = |random: &mut Pcg64| match random.random_range(0..6) {
                0 => random.random_range(0..12),
                1 => FLOATING,
                _ => 0,
            };
            floors = (0..random.random_range(0..=count)).map(|_| floored(random)).collect();
        }
        Case {
            is_ground,
            supports,
            links,
            floors,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.is_ground.len()
    }

    pub(crate) fn floor(&self, body: usize) -> u32 {
        self.floors
            .get(body)
            .map_or(0, |&floor| if floor == FLOATING { 0 } else { floor })
    }

    pub(crate) fn build(&self, kind: (Heights, Cycles)) -> StackLayers {
        let mut layers = StackLayers::default();
        layers.build(&rule(kind), &self.is_ground, &self.supports, &self.links, &self.floors);
        layers
    }

    pub(crate) fn touching(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let supports = self.supports.iter().map(|s| (s.a as usize, s.b as usize, s.rise));
        supports.filter(|&(a, b, _)| !(self.is_ground[a] && self.is_ground[b]))
    }

    pub(crate) fn joined(&self) -> impl Iterator<Item = (usize, usize)> {
        let links = self.links.iter().map(|&(a, b)| (a as usize, b as usize));
        links.filter(|&(a, b)| !(self.is_ground[a] && self.is_ground[b]) && a != b)
    }

    /// Bellman and Ford's relaxation from above, with the floors.
    pub(crate) fn distances(&self) -> Vec<u32> {
        let mut height: Vec<u32> = self.is_ground.iter().map(|&g| if g { 0 } else { FLOATING }).collect();
        loop {
            let before = height.clone();
            for (a, b) in self.touching().map(|(a, b, _)| (a, b)).chain(self.joined()) {
                for (from, to) in [(a, b), (b, a)] {
                    if height[from] != FLOATING && !self.is_ground[to] {
                        height[to] = height[to].min((height[from] + 1).max(self.floor(to)));
                    }
                }
            }
            if height == before {
                return height;
            }
        }
    }

    /// Arcs (lower, upper), with ground.
    pub(crate) fn carries(&self) -> Vec<(usize, usize)> {
        let level = rule(RULES[0]).level;
        let mut arcs = Vec::new();
        for (a, b, rise) in self.touching() {
            match (self.is_ground[a], self.is_ground[b]) {
                (true, _) => arcs.push((a, b)),
                (_, true) => arcs.push((b, a)),
                _ if rise > level => arcs.push((a, b)),
                _ if rise < -level => arcs.push((b, a)),
                _ => {}
            }
        }
        for (a, b) in self.joined() {
            for (from, to) in [(a, b), (b, a)] {
                if !self.is_ground[to] {
                    arcs.push((from, to));
                }
            }
        }
        arcs
    }

    /// The same with the arcs of a sweep by distance.
    pub(crate) fn carries_and_sweeps(&self) -> Vec<(usize, usize)> {
        let height = self.distances();
        let mut arcs = self.carries();
        for (a, b, _) in self.touching() {
            if height[a] < height[b] {
                arcs.push((a, b));
            } else if height[b] < height[a] {
                arcs.push((b, a));
            }
        }
        arcs
    }

    pub(crate) fn components(&self, arcs: &[(usize, usize)]) -> Vec<usize> {
        let edges = arcs.iter().map(|&(from, to)| (from as u32, to as u32));
        let mut graph = DiGraph::<(), ()>::from_edges(edges);
        while graph.node_count() < self.len() {
            graph.add_node(());
        }
        let mut component = vec![0; self.len()];
        for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
            for member in members {
                component[member.index()] = number;
            }
        }
        component
    }

    /// Longest paths over the components, by relaxation until nothing changes.
    pub(crate) fn longest(&self, arcs: &[(usize, usize)], component: &[usize]) -> Vec<u32> {
        let connected = self.distances();
        let mut of = vec![0; self.len()];
        for body in (0..self.len()).filter(|&body| !self.is_ground[body]) {
            of[component[body]] = of[component[body]].max(self.floor(body)).max(1);
        }
        loop {
            let before = of.clone();
            for (from, to) in arcs.iter().map(|&(from, to)| (component[from], component[to])) {
                if from != to {
                    of[to] = of[to].max(of[from] + 1);
                }
            }
            if of == before {
                break;
            }
        }
        let height = |body: usize| {
            if connected[body] == FLOATING {
                FLOATING
            } else {
                of[component[body]]
            }
        };
        (0..self.len()).map(height).collect()
    }

    /// The arcs that remain when a recursive depth-first search, from bodies to those below, drops what leads back.
    pub(crate) fn cut(&self) -> Vec<(usize, usize)> {
        let mut carries = self.carries();
        carries.sort_unstable();
        carries.dedup();
        let mut state = vec![' '; self.len()];
        let mut kept = Vec::new();
        fn visit(body: usize, carries: &[(usize, usize)], state: &mut [char], kept: &mut Vec<(usize, usize)>) {
            state[body] = 'o';
            for &(lower, _) in carries.iter().filter(|&&(_, upper)| upper == body) {
                if state[lower] != 'o' {
                    kept.push((lower, body));
                }
                if state[lower] == ' ' {
                    visit(lower, carries, state, kept);
                }
            }
            state[body] = 'x';
        }
        for body in 0..self.len() {
            if state[body] == ' ' {
                visit(body, &carries, &mut state, &mut kept);
            }
        }
        kept
    }

    pub(crate) fn expected(&self, kind: (Heights, Cycles)) -> Vec<u32> {
        match kind {
            (Heights::Distance, Cycles::Ignore) => self.distances(),
            (Heights::Gravity, Cycles::Ignore) => {
                let alone: Vec<usize> = (0..self.len()).collect();
                self.longest(&self.cut(), &alone)
            }
            (heights, Cycles::Condense) => {
                let arcs = match heights {
                    Heights::Gravity => self.carries(),
                    Heights::Distance => self.carries_and_sweeps(),
                };
                self.longest(&arcs, &self.components(&arcs))
            }
        }
    }

    pub(crate) fn has_ring(&self) -> bool {
        let mut component = self.components(&self.carries());
        component.sort_unstable();
        component.dedup();
        component.len() < self.len()
    }
}
