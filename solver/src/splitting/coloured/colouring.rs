//! Which contacts can be updated at the same time: those that share no body.
//!
//! The contacts of one pair of bodies are a *manifold*. Manifolds get the first colour that neither of their bodies has
//! yet, in the order of the problem; manifolds of one colour then have no body in common, and a sweep, colour by colour,
//! is a Gauss–Seidel sweep in another order, whoever does the work of a colour and in whatever order. What can't move
//! has no colour: everybody may lean on it.
//!
//! Colours destroy what is good about the order of a problem. Where bodies are numbered from the ground up, a forward sweep carries
//! what lifts the lowest one up to the highest, while a sweep of c colours carries it c bodies far. So the manifolds may be
//! divided into consecutive *stretches* that are coloured each by itself: many are nearly the forward order, and leave next to nothing
//! for threads to share.
//!
//! For these there are *domains*. Bodies are divided into a few by their numbers; manifolds between two domains are the *seam*. A sweep
//! goes through the domains, which have nothing to do with each other and so may be done at once, and then through the seam. Threads meet
//! twice a sweep instead of twice a colour, and each finds what it wrote in its own cache. How many domains there are
//! depends on the problem alone, and the largest have one: they have another way to be shared out (`wave`). If bodies are numbered without regard to who touches whom, most manifolds would be in the
//! seam; then there is only one domain. (Domain decomposition of contact problems: Visseq et al. 2013.)
//!
//! Bodies with more neighbours than there are colours are rare (a plank under a heap); what is left of their manifolds
//! comes last, one after the other.

use rayon::prelude::*;

use super::wave;
use crate::delassus::{Placed, RigidBodies};
use crate::hint::{FAR, fetch};

/// Fewer manifolds than this are not worth a second thread.
const ENOUGH: usize = 4096;

/// Touches between the one that is looked at and the one that is asked for.
const AHEAD: usize = 16;

/// Colours that are kept apart, one for each bit of a mask.
const COLOURS: usize = 64;

/// Consecutive blocks on the same pair of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Manifold {
    pub(super) pair: [u32; 2],
    /// Its first block.
    pub(super) first: u32,
    /// How many blocks it has.
    pub(super) len: u32,
}

/// Manifolds, sorted by colour.
#[derive(Debug, Default)]
pub(in crate::splitting) struct Colouring {
    /// Colour by colour; in each those with the most blocks first, otherwise in the order of the problem.
    pub(super) manifolds: Vec<Manifold>,
    /// Where each colour begins, and where the last one ends.
    pub(super) starts: Vec<u32>,
    /// The first colour of each domain, then that of the seam, and where it ends.
    pub(super) sections: Vec<u32>,
    /// Those of the last manifolds that have no colour.
    late: Vec<Manifold>,
    /// How many manifolds a stretch has.
    stretch: usize,
    /// Manifolds in the order of the problem.
    found: Vec<Manifold>,
    /// The same domain by domain, then the seam; empty if there is one domain, which has them as they are found.
    sorted: Vec<Manifold>,
    /// Where stretches of these begin and end, and the first stretch of each section.
    stretches: Vec<[u32; 2]>,
    firsts: Vec<u32>,
    /// One for each thread.
    painters: Vec<Painter>,
}

/// Domains at most.
pub(super) const MOST_DOMAINS: usize = 4;

/// The seam is to be no more than one in so many manifolds.
const SEAM: usize = 8;

/// How many domains so many manifolds are divided into. What a sweep carries from the ground upwards it carries from one domain to the
/// next, so they are few, and large.
fn domains(manifolds: usize) -> usize {
    match manifolds {
        0..2048 => 1,
        2048..32768 => 2,
        _ => MOST_DOMAINS,
    }
}

/// Manifolds of this many blocks or more are not told apart by size.
const SIZES: usize = 9;

impl Colouring {
    /// How many pairs of bodies there are.
    pub(in crate::splitting) fn pairs(&self) -> usize {
        self.found.len()
    }

    /// How many of the last manifolds have no colour.
    pub(super) fn uncoloured(&self) -> usize {
        self.late.len()
    }

    /// Finds the colours of the contact points of a problem that has no other rows, in stretches of so many pairs. False if they
    /// are those of the last call.
    pub(in crate::splitting) fn find(&mut self, bodies: &RigidBodies, stretch: usize) -> bool {
        let is_new = self.find_manifolds(bodies);
        if !is_new && self.stretch == stretch {
            return false;
        }
        self.stretch = stretch;
        let len = if stretch == 0 { self.found.len().max(1) } else { stretch };
        let ends = self.sort_by_domain(stretch > 0);
        self.stretches.clear();
        self.firsts.clear();
        let mut first = 0;
        for end in ends.into_iter().flatten() {
            self.firsts.push(self.stretches.len() as u32);
            let starts = (first..end).step_by(len);
            self.stretches
                .extend(starts.map(|start| [start, end.min(start + len)].map(|place| place as u32)));
            first = end;
        }
        self.colour(bodies.body_count());
        true
    }

    /// Colours all stretches, which threads share: none knows of another.
    fn colour(&mut self, bodies: usize) {
        let sorted = if self.sorted.is_empty() {
            &self.found
        } else {
            &self.sorted
        };
        let stretches = &self.stretches;
        let threads = rayon::current_num_threads();
        let shares = if sorted.len() < ENOUGH {
            1
        } else {
            threads.min(stretches.len())
        };
        if self.painters.len() < shares {
            self.painters.resize_with(shares, Painter::default);
        }
        let painters = &mut self.painters[..shares];
        std::mem::swap(&mut painters[0].manifolds, &mut self.manifolds);
        if let [painter] = &mut *painters {
            painter.paint(sorted, stretches, bodies);
        } else {
            let work = painters
                .par_iter_mut()
                .zip(stretches.par_chunks(stretches.len().div_ceil(shares)));
            work.for_each(|(painter, stretches)| painter.paint(sorted, stretches, bodies));
        }
        // The last may have had nothing to do.
        let painted = stretches.len().div_ceil(stretches.len().div_ceil(shares).max(1)).max(1);
        let painters = &mut painters[..painted];
        std::mem::swap(&mut painters[0].manifolds, &mut self.manifolds);
        self.starts.clear();
        self.sections.clear();
        self.late.clear();
        let mut firsts = self.firsts.iter().copied().peekable();
        let (mut stretch, mut from) = (0, 0);
        for (number, painter) in painters.iter().enumerate() {
            for &colours in &painter.begins {
                while firsts.next_if_eq(&stretch).is_some() {
                    self.sections.push(self.starts.len() as u32 + colours);
                }
                stretch += 1;
            }
            self.starts.extend(painter.starts.iter().map(|start| from + start));
            self.late.extend_from_slice(&painter.late);
            if number > 0 {
                self.manifolds.extend_from_slice(&painter.manifolds);
            }
            from = self.manifolds.len() as u32;
        }
        // Sections without a stretch, and the end of the last one.
        self.sections.resize(self.firsts.len() + 1, self.starts.len() as u32);
        self.starts.push(from);
        self.manifolds.extend_from_slice(&self.late);
    }

    /// Sorts manifolds by domain, the seam last; where each of these ends.
    fn sort_by_domain(&mut self, divided: bool) -> [Option<usize>; MOST_DOMAINS + 1] {
        let contacts = self.found.last().map_or(0, |last| last.first + last.len) as usize;
        let count = if divided && contacts < wave::ENOUGH {
            domains(self.found.len())
        } else {
            1
        };
        let starts = self.starts_of_domains(count);
        let domain = |body: u32| starts[1..count].iter().filter(|start| body >= **start).count();
        let section = |manifold: &Manifold| {
            let [a, b] = manifold.pair;
            let immovable = RigidBodies::IMMOVABLE;
            match (domain(a), domain(b)) {
                (_, of_b) if a == immovable => of_b,
                (of_a, _) if b == immovable => of_a,
                (of_a, of_b) if of_a == of_b => of_a,
                _ => count,
            }
        };
        let mut places = [0; MOST_DOMAINS + 1];
        self.found.iter().for_each(|manifold| places[section(manifold)] += 1);
        let mut ends = [None; MOST_DOMAINS + 1];
        self.sorted.clear();
        if count == 1 || places[count] * SEAM > self.found.len() {
            ends[..2].fill(Some(self.found.len()));
            return ends;
        }
        let mut next = 0;
        for (place, end) in places.iter_mut().zip(&mut ends).take(count + 1) {
            next += std::mem::replace(place, next);
            *end = Some(next);
        }
        self.sorted.resize(next, Manifold::default());
        for manifold in &self.found {
            let place = &mut places[section(manifold)];
            self.sorted[*place] = *manifold;
            *place += 1;
        }
        ends
    }

    /// The first body of each domain, chosen so that where manifolds are in the order of their first bodies domains have as many each:
    /// those at the bottom of a heap have more neighbours than those on top.
    fn starts_of_domains(&self, count: usize) -> [u32; MOST_DOMAINS] {
        // What stands on something immovable is listed before all others.
        let grounded = self
            .found
            .partition_point(|manifold| manifold.pair[0] == RigidBodies::IMMOVABLE);
        let free = &self.found[grounded..];
        let mut starts = [0; MOST_DOMAINS];
        for domain in 1..count {
            let there = free.get(domain * free.len() / count);
            starts[domain] = there.map_or(0, |manifold| manifold.pair[0]).max(starts[domain - 1]);
        }
        starts
    }

    /// Finds the manifolds; false if they are the same as before.
    fn find_manifolds(&mut self, bodies: &RigidBodies) -> bool {
        let touches = bodies.touches();
        let shares = rayon::current_num_threads().min(touches.len() / ENOUGH);
        if shares < 2 {
            return find(touches, 0, &mut self.found);
        }
        if self.painters.len() < shares {
            self.painters.resize_with(shares, Painter::default);
        }
        let painters = &mut self.painters[..shares];
        // Where a manifold begins, at a share's end or behind it.
        let bound = |share: usize| {
            let place = share * touches.len() / shares;
            let same = |place: &usize| *place > 0 && touches[*place].pair == touches[*place - 1].pair;
            let begins = (place..touches.len()).find(|place| !same(place));
            begins.unwrap_or(touches.len())
        };
        painters.par_iter_mut().enumerate().for_each(|(share, painter)| {
            let first = bound(share);
            find(&touches[first..bound(share + 1)], first as u32, &mut painter.manifolds);
        });
        let mut known = self.found.as_slice();
        let same = |painter: &Painter| {
            let count = painter.manifolds.len().min(known.len());
            let own;
            (own, known) = known.split_at(count);
            own == painter.manifolds
        };
        if painters.iter().all(same) && known.is_empty() {
            return false;
        }
        self.found.clear();
        for painter in painters {
            self.found.extend_from_slice(&painter.manifolds);
        }
        true
    }

    /// The blocks in the order of a sweep.
    pub(in crate::splitting) fn order(&self) -> impl Iterator<Item = u32> {
        self.manifolds
            .iter()
            .flat_map(|manifold| manifold.first..manifold.first + manifold.len)
    }
}

/// Colours stretches, one after the other.
#[derive(Debug, Default)]
struct Painter {
    /// The manifolds that got a colour, sorted by that, stretch by stretch.
    manifolds: Vec<Manifold>,
    /// Where colours begin among them.
    starts: Vec<u32>,
    /// How many colours there were when each stretch began.
    begins: Vec<u32>,
    /// Manifolds without a colour.
    late: Vec<Manifold>,
    /// The colours of the manifolds of a stretch.
    colours: Vec<u8>,
    /// The colours of each body in it.
    masks: Vec<u64>,
    /// Where manifolds of a colour and a size go next.
    places: Vec<u32>,
}

impl Painter {
    fn paint(&mut self, sorted: &[Manifold], stretches: &[[u32; 2]], bodies: usize) {
        self.manifolds.clear();
        self.starts.clear();
        self.begins.clear();
        self.late.clear();
        self.masks.resize(bodies, 0);
        for &[first, end] in stretches {
            self.begins.push(self.starts.len() as u32);
            self.colour(&sorted[first as usize..end as usize]);
        }
    }

    /// Colours a stretch of manifolds and appends them, sorted.
    fn colour(&mut self, stretch: &[Manifold]) {
        for manifold in stretch {
            for body in manifold.pair {
                self.masks[body as usize] = 0;
            }
        }
        self.places.clear();
        self.places.resize(COLOURS * SIZES, 0);
        self.colours.clear();
        let mut used = 0;
        for manifold in stretch {
            let [a, b] = manifold.pair.map(|body| body as usize);
            let free = !(self.masks[a] | self.masks[b]);
            let colour = free.trailing_zeros() as usize;
            self.colours.push(colour as u8);
            if colour == COLOURS {
                self.late.push(*manifold);
                continue;
            }
            for body in [a, b] {
                if body != RigidBodies::IMMOVABLE as usize {
                    self.masks[body] |= 1 << colour;
                }
            }
            used = used.max(colour + 1);
            self.places[place(colour, manifold)] += 1;
        }
        // Sorted by counting: the order inside a colour and size stays that of the problem.
        let mut next = self.manifolds.len() as u32;
        for colour in 0..used {
            self.starts.push(next);
            for place in &mut self.places[colour * SIZES..(colour + 1) * SIZES] {
                next += std::mem::replace(place, next);
            }
        }
        self.manifolds.resize(next as usize, Manifold::default());
        for (manifold, &colour) in stretch.iter().zip(&self.colours) {
            if usize::from(colour) < COLOURS {
                let place = &mut self.places[place(usize::from(colour), manifold)];
                self.manifolds[*place as usize] = *manifold;
                *place += 1;
            }
        }
    }
}

/// Finds the manifolds of contact points, of which the first has a number; false if they are what `found` has already.
fn find(touches: &[Placed], first: u32, found: &mut Vec<Manifold>) -> bool {
    let mut finder = Finder {
        found,
        count: 0,
        is_new: false,
        current: Manifold {
            first,
            ..Manifold::default()
        },
    };
    let is_far = touches.len() >= FAR;
    for (place, placed) in touches.iter().enumerate() {
        if is_far && let Some(later) = touches.get(place + AHEAD) {
            fetch(&later.pair);
        }
        finder.add(placed.pair);
    }
    finder.close()
}

/// Puts blocks together and compares with what was found before.
struct Finder<'a> {
    found: &'a mut Vec<Manifold>,
    /// How many have been found by now.
    count: usize,
    is_new: bool,
    current: Manifold,
}

impl Finder<'_> {
    #[inline]
    fn add(&mut self, pair: [u32; 2]) {
        if self.current.pair != pair && self.current.len > 0 {
            self.finish();
        }
        self.current.pair = pair;
        self.current.len += 1;
    }

    fn finish(&mut self) {
        let next = self.current.first + self.current.len;
        match self.found.get_mut(self.count) {
            Some(known) if *known == self.current => {}
            Some(known) => {
                *known = self.current;
                self.is_new = true;
            }
            None => {
                self.found.push(self.current);
                self.is_new = true;
            }
        }
        self.count += 1;
        self.current = Manifold {
            first: next,
            ..Manifold::default()
        };
    }

    fn close(mut self) -> bool {
        if self.current.len > 0 {
            self.finish();
        }
        self.is_new |= self.count != self.found.len();
        self.found.truncate(self.count);
        self.is_new
    }
}

/// The place of a manifold's kind: by colour, the largest first.
fn place(colour: usize, manifold: &Manifold) -> usize {
    colour * SIZES + SIZES - SIZES.min(manifold.len as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::delassus::{InverseMass, Touch};
    use crate::problem::{Operator, Problem};
    use nalgebra::{Matrix3, Vector3};

    /// A problem with one contact without friction on each pair.
    fn problem(bodies: u32, pairs: impl IntoIterator<Item = [u32; 2]>) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        for _ in 0..bodies {
            assembler.add_body(InverseMass {
                mass: 1.0,
                inertia: Matrix3::identity(),
            });
        }
        let touch = Touch {
            normal: Vector3::z(),
            tangent: Vector3::x(),
            arm_a: Vector3::z(),
            arm_b: -Vector3::z(),
        };
        let pairs: Vec<[u32; 2]> = pairs.into_iter().collect();
        let mut slots = assembler.add_touches(pairs.len(), pairs.len());
        for pair in pairs {
            slots.push(pair, Cone::NonNegative, &touch, [0.0]);
        }
        problem
    }

    fn colour(problem: &Problem) -> Colouring {
        let Operator::RigidBodies(bodies) = &problem.operator else {
            unreachable!()
        };
        let mut colouring = Colouring::default();
        assert!(colouring.find(bodies, 0));
        assert!(!colouring.find(bodies, 0));
        colouring
    }

    #[test]
    fn no_colour_has_a_body_twice_and_every_block_has_its_turn() {
        // A wheel: body 1 touches all others, these their neighbours, everybody the ground; some pairs have two blocks.
        let rim = 2..40_u32;
        let pairs = rim.flat_map(|k| [[0, k], [1, k], [1, k], [k, if k == 39 { 2 } else { k + 1 }]]);
        let problem = problem(40, pairs);
        let colouring = colour(&problem);
        for bounds in colouring.starts.windows(2) {
            let manifolds = &colouring.manifolds[bounds[0] as usize..bounds[1] as usize];
            assert!(!manifolds.is_empty() && manifolds.is_sorted_by_key(|manifold| std::cmp::Reverse(manifold.len)));
            let mut bodies: Vec<u32> = manifolds
                .iter()
                .flat_map(|manifold| manifold.pair)
                .filter(|&b| b != 0)
                .collect();
            let count = bodies.len();
            bodies.sort_unstable();
            bodies.dedup();
            assert_eq!(bodies.len(), count);
        }
        let mut order: Vec<u32> = colouring.order().collect();
        order.sort_unstable();
        assert_eq!(order, (0..problem.blocks.len() as u32).collect::<Vec<_>>());
        assert_eq!(colouring.uncoloured(), 0);
    }

    /// However many threads look for them, manifolds are those that one finds, and changes are seen wherever they are.
    #[test]
    fn threads_find_the_same_manifolds() {
        let count = 2 * ENOUGH as u32;
        // From none to three contacts a pair, so that shares begin within manifolds.
        let pairs = |without: u32| {
            let of = move |k: u32| (0..if k == without { 0 } else { k % 4 }).map(move |_| [k, k + 1]);
            (1..count).flat_map(of)
        };
        let problems = [0, 2, count / 2 + 1, count - 1].map(|without| problem(count, pairs(without)));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let mut shared = Colouring::default();
        for problem in &problems {
            let Operator::RigidBodies(bodies) = &problem.operator else {
                unreachable!()
            };
            assert!(bodies.touches().len() > 2 * ENOUGH);
            assert!(pool.install(|| shared.find(bodies, 0)));
            assert!(!pool.install(|| shared.find(bodies, 0)));
            let mut alone = Vec::new();
            find(bodies.touches(), 0, &mut alone);
            assert_eq!(shared.found, alone);
        }
    }

    #[test]
    fn what_a_body_has_beyond_all_colours_comes_last() {
        let problem = problem(101, (2..102).map(|k| [1, k]));
        let colouring = colour(&problem);
        assert_eq!(colouring.uncoloured(), 100 - COLOURS);
        assert_eq!(colouring.starts.len(), COLOURS + 1);
        let rest: Vec<u32> = colouring.order().skip(COLOURS).collect();
        assert_eq!(rest, (COLOURS as u32..100).collect::<Vec<_>>());
    }
}
