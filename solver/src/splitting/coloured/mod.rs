//! Projected Gauss–Seidel over contact points, colour by colour, eight contacts at a time and on several threads.
//!
//! Contacts that share no body don't hear of each other within a sweep, so they may be updated at once. Manifolds are
//! divided into *colours* of which this holds (`colouring`), the manifolds of a colour lie side by side (`layout`), and one
//! instruction updates up to eight contacts (`contact`, `lanes`). Threads go through domains of their own and meet at the seam between
//! them (`team`); what no cache holds they sweep many times in one passage over memory (`wave`); in small problems they share a colour
//! and meet between colours. A sweep is then projected Gauss–Seidel in the order of the colours, whatever the processor and the number
//! of threads, to the last bit; `gauss_seidel.rs` with `kernel=scalar` does the same row by row, and differs by rounding alone.
//! (Colouring for parallel Gauss–Seidel: Adams and Ortega 1982. Contacts of a colour in the lanes of a register: Catto, Box2D 3.)
//!
//! It takes problems of nothing but contact points with the disc of Coulomb's friction, or without friction; for all
//! others the scalar sweep in the same order stands in.
//!
//! The contacts stay where they lie when a solve is over, so that another problem on their normals alone, such as that of a
//! projection, has nothing to prepare but its biases.
//!
//! **What bounds it.** A contact streams 184 bytes a sweep, and its update is a chain of some 25 dependent operations with a
//! root and a quotient among them; the chains of the packets of a colour overlap. `benches/machine/` measures both against what
//! the machine can do.

mod ahead;
mod bodies;
mod colouring;
mod contact;
mod kernels;
mod lanes;
mod layout;
mod packing;
mod team;
mod wave;
mod work;

pub(super) use colouring::Colouring;
pub use work::{SweepWork, bytes_per_contact};

use std::sync::atomic::{AtomicBool, Ordering};

use pulp::Arch;
use rayon::prelude::*;

use self::bodies::Bodies;
use self::contact::{Contacts, Rough, Smooth};
use self::kernels::{Relax, Start};
use self::lanes::WIDTH;
use self::layout::{Layout, NONE, Packet};
use self::packing::{IRREGULAR, Packing, WARM};
use super::local::{Friction, Granularity};
use super::order::Order;
use super::{Kernel, Pass, ProjectionOptions};
use crate::delassus::{Delassus, RigidBodies};
use crate::error::SolveError;
use crate::problem::{Operator, Problem};
use crate::solve::{Context, Convergence, Measure};

/// Fewer contacts than this, of all lanes, are not worth a second thread.
const PIECE: usize = 256;

/// Blocks that one thread reads impulses of at a time.
const BLOCKS: usize = 1024;

/// Blocks between the one whose impulse is read and the one whose is asked for.
const AHEAD: usize = 16;

/// The bodies of a problem that this kind of sweep takes.
fn suited<'a>(options: &ProjectionOptions, problem: &'a Problem) -> Option<&'a RigidBodies> {
    let Operator::RigidBodies(bodies) = &problem.operator else {
        return None;
    };
    let is_asked_for = options.sweeps.order == Order::Coloured
        && options.kernel == Kernel::Wide
        && options.friction == Friction::Cone
        && options.granularity == Granularity::Rows;
    // Whether each block is what it should be is seen when it is packed.
    (is_asked_for
        && !problem.blocks.is_empty()
        && bodies.touches().len() == problem.blocks.len()
        && bodies.rows() == problem.bias.len()
        && !bodies.is_compliant())
    .then_some(bodies)
}

/// Solves a problem this way if it is one that can be; `change` gets what the impulses do to the bodies.
///
/// None leaves the impulses as they were: the scalar sweep does it, or says what is wrong.
pub(super) fn solve(
    options: &ProjectionOptions,
    relaxation: f64,
    problem: &Problem,
    impulses: &mut [f64],
    change: Option<&mut Vec<f64>>,
    context: &mut Context,
) -> Option<Result<Convergence, SolveError>> {
    let bodies = suited(options, problem)?;
    if impulses.len() != problem.rows() {
        return None;
    }
    let mut memory = context.recall::<Memory>();
    let Memory {
        layout,
        rough,
        smooth,
        bodies: moved,
        held,
    } = &mut *memory;
    *held = None;
    if bodies.touches().len() < ahead::FAR {
        layout.find(bodies, options.sweeps.stretch);
        moved.fill(bodies);
    } else {
        rayon::join(|| layout.find(bodies, options.sweeps.stretch), || moved.fill(bodies));
    }
    if layout.pairs() < options.sweeps.forward_below {
        context.keep(memory);
        return None;
    }
    let is_rough = problem.rows() > problem.blocks.len();
    let report = if is_rough {
        run(
            rough, layout, moved, options, relaxation, problem, bodies, impulses, context,
        )
    } else {
        run(
            smooth, layout, moved, options, relaxation, problem, bodies, impulses, context,
        )
    };
    if report.is_some() {
        *held = Some(Held::new(options, relaxation, bodies));
        if let Some(change) = change {
            change.clear();
            change.extend(moved.velocities());
        }
    }
    context.keep(memory);
    report.map(Ok)
}

/// Whether the contacts of a problem lie ready from its last solve, and can be swept as the options say.
pub(super) fn holds(options: &ProjectionOptions, relaxation: f64, problem: &Problem, context: &Context) -> bool {
    let (Some(bodies), Some(memory)) = (suited(options, problem), context.kept::<Memory>()) else {
        return false;
    };
    memory.held == Some(Held::new(options, relaxation, bodies))
        && memory.layout.pairs() >= options.sweeps.forward_below
        && options.sweeps.is_undisturbed()
        && context.cancel.is_none()
}

/// Solves for the normals of the contacts that [`holds`] says are there, from nothing and with other biases, one a block; `change`
/// gets what the impulses do to the bodies.
pub(super) fn solve_normals(
    options: &ProjectionOptions,
    problem: &Problem,
    bias: &[f64],
    change: &mut Vec<f64>,
    context: &mut Context,
) -> Convergence {
    let mut memory = context.recall::<Memory>();
    let Memory {
        layout,
        rough,
        smooth,
        bodies,
        held,
    } = &mut *memory;
    bodies.rest();
    let count = options.sweeps.iterations;
    if problem.rows() > problem.blocks.len() {
        Team::new(layout, bodies).sweep_normals(rough, bias, count);
    } else {
        Team::new(layout, bodies).sweep_normals(smooth, bias, count);
    }
    // Step lengths are the same as before, but not the impulses of a problem that has no others.
    *held = None;
    change.clear();
    change.extend(bodies.velocities());
    context.keep(memory);
    Convergence {
        iterations: count,
        row_updates: (count * problem.blocks.len()) as u64,
        ..Convergence::default()
    }
}

/// What is kept from solve to solve.
#[derive(Debug, Default)]
struct Memory {
    layout: Layout,
    rough: Vec<Rough>,
    smooth: Vec<Smooth>,
    bodies: Bodies,
    /// Which problem the contacts are those of.
    held: Option<Held>,
}

/// A problem whose contacts lie ready.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    revision: u64,
    stretch: usize,
    relaxation: f64,
}

impl Held {
    fn new(options: &ProjectionOptions, relaxation: f64, bodies: &RigidBodies) -> Self {
        Self {
            revision: bodies.revision(),
            stretch: options.sweeps.stretch,
            relaxation,
        }
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "the parts of the memory, and what a solve is given"
)]
fn run<C: Contacts>(
    contacts: &mut Vec<C>,
    layout: &Layout,
    bodies: &Bodies,
    options: &ProjectionOptions,
    relaxation: f64,
    problem: &Problem,
    operator: &RigidBodies,
    impulses: &mut [f64],
    context: &mut Context,
) -> Option<Convergence> {
    let count = layout.blocks.len();
    if contacts.capacity() < count {
        // All of them are written anew, so the old memory may go first.
        *contacts = Vec::new();
        contacts.reserve_exact(count + count / 16);
    }
    contacts.resize(count, C::default());
    let team = Team::new(layout, bodies);
    let packing = Packing {
        team,
        problem,
        operator,
        relaxation,
        factor: options.sweeps.warm_start,
    };
    let mut pass = ColourPass {
        packing,
        contacts,
        packed: Packed::NotYet,
    };
    // Where all is done in one passage over memory, packing is a part of it.
    let is_passage = options.sweeps.is_undisturbed()
        && context.measure != Measure::EveryIteration
        && context.cancel.is_none()
        && team.band::<C>(UNPACKED + options.sweeps.iterations).is_some();
    if !is_passage {
        pass.pack(impulses);
        if pass.packed == Packed::Irregular {
            return None;
        }
    }
    let report = options
        .sweeps
        .iterate_pass(problem, operator, impulses, context, &mut pass);
    (pass.packed != Packed::Irregular).then_some(report)
}

/// How contacts came to their places.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Packed {
    /// They have not.
    NotYet,
    /// All impulses are zero, so that bodies are at rest to begin with.
    Cold,
    /// Bodies are at rest, and have to be given the velocities of the impulses.
    Warm,
    /// They have them.
    Started,
    /// Something is not a number, not a contact, or can't move.
    Irregular,
}

/// Rounds before the sweeps over contacts that have not been packed: packing, in which bodies are given their velocities too.
const UNPACKED: usize = 1;

/// Who goes through the contacts of a layout, and how.
#[derive(Clone, Copy)]
struct Team<'a> {
    arch: Arch,
    threads: usize,
    layout: &'a Layout,
    bodies: &'a Bodies,
}

impl<'a> Team<'a> {
    fn new(layout: &'a Layout, bodies: &'a Bodies) -> Self {
        Self {
            arch: Arch::new(),
            threads: rayon::current_num_threads(),
            layout,
            bodies,
        }
    }

    /// Sweeps over the normals alone, from nothing and with other biases.
    fn sweep_normals<C: Contacts>(&self, contacts: &mut [C], bias: &[f64], count: usize) {
        let layout = self.layout;
        let restart = |packets: &[Packet], contacts: &mut [C]| {
            let sources = &layout.blocks[contact_of(packets)..];
            for (contact, blocks) in contacts.iter_mut().zip(sources) {
                for (lane, &block) in blocks.iter().enumerate().filter(|(_, block)| **block != NONE) {
                    contact.normal().restart(lane, bias[block as usize]);
                }
            }
        };
        self.rounds(contacts, count, &|round, packets, contacts| {
            if round == 0 {
                restart(packets, contacts);
            }
            self.relax::<C, true>(packets, contacts);
        });
    }

    fn start<C: Contacts>(&self, packets: &[Packet], contacts: &[C]) {
        self.arch.dispatch(Start {
            packets,
            contacts,
            bodies: self.bodies,
            is_far: self.layout.is_far,
        });
    }

    fn relax<C: Contacts, const NORMALS: bool>(&self, packets: &[Packet], contacts: &mut [C]) -> f64 {
        self.arch.dispatch(Relax::<_, NORMALS> {
            packets,
            contacts,
            bodies: self.bodies,
            is_far: self.layout.is_far,
        })
    }

    /// How many of so many rounds go through memory together, if it is more than one.
    fn band<C>(&self, count: usize) -> Option<usize> {
        self.layout.tiles.band::<C>(count, self.threads)
    }

    /// Does something to all contacts in their order, so many times.
    fn rounds<C: Contacts>(
        &self,
        contacts: &mut [C],
        count: usize,
        work: &(impl Fn(usize, &[Packet], &mut [C]) + Sync),
    ) {
        let layout = self.layout;
        if let Some(band) = self.band::<C>(count) {
            return wave::run(
                &layout.tiles,
                layout.packets(),
                contacts,
                self.threads,
                (count, band),
                work,
            );
        }
        if self.threads > 1 && layout.domains().nth(1).is_some() {
            return team::run(layout, contacts, self.threads, count, work);
        }
        for round in 0..count {
            self.for_each_colour(contacts, &|packets, contacts| {
                work(round, packets, contacts);
                0.0
            });
        }
    }

    /// Once, with threads that meet after every colour; the largest of what it returns.
    fn for_each_colour<C: Contacts>(
        &self,
        contacts: &mut [C],
        work: &(impl Fn(&[Packet], &mut [C]) -> f64 + Sync),
    ) -> f64 {
        if self.threads < 2 {
            return work(self.layout.packets(), contacts);
        }
        let mut rest = contacts;
        let mut largest = 0.0;
        for packets in self.layout.colours() {
            let own;
            (own, rest) = rest.split_at_mut(contacts_of(packets));
            largest = larger(largest, spread(packets, own, self.threads, work));
        }
        largest
    }
}

/// A problem laid out.
struct ColourPass<'a, C> {
    packing: Packing<'a>,
    contacts: &'a mut [C],
    packed: Packed,
}

impl<C: Contacts> ColourPass<'_, C> {
    /// Packs all contacts.
    fn pack(&mut self, impulses: &[f64]) {
        let packing = self.packing;
        let Team { layout, threads, .. } = packing.team;
        let pack = |packets: &[Packet], contacts: &mut [C]| packing.pack(impulses, packets, contacts);
        let found = spread(layout.packets(), self.contacts, threads, &pack);
        self.packed = if found == IRREGULAR {
            Packed::Irregular
        } else if found == WARM {
            Packed::Warm
        } else {
            Packed::Cold
        };
    }

    /// Gives bodies the velocities of the impulses, if they have not been given them.
    fn start(&mut self) {
        let team = self.packing.team;
        if self.packed == Packed::Warm {
            team.rounds(self.contacts, 1, &|_, packets, contacts| team.start(packets, contacts));
            self.packed = Packed::Started;
        }
    }
}

impl<C: Contacts> Pass for ColourPass<'_, C> {
    fn begin(&mut self, _: &mut [f64], _: &mut [f64]) {}

    fn sweep(&mut self, _: usize, _: &mut [f64], _: &mut [f64]) -> f64 {
        self.start();
        let team = self.packing.team;
        team.for_each_colour(self.contacts, &|packets, contacts| {
            team.relax::<C, false>(packets, contacts)
        })
    }

    fn sweeps(&mut self, count: usize, impulses: &mut [f64], _: &mut [f64]) {
        let packing = self.packing;
        let team = packing.team;
        let before = match self.packed {
            Packed::NotYet => UNPACKED,
            Packed::Warm => 1,
            _ => 0,
        };
        let is_unpacked = self.packed == Packed::NotYet;
        let irregular = AtomicBool::new(false);
        let source = &*impulses;
        team.rounds(self.contacts, before + count, &|round, packets, contacts| {
            if round >= before {
                team.relax::<C, false>(packets, contacts);
                return;
            }
            if is_unpacked && packing.pack(source, packets, contacts) == IRREGULAR {
                irregular.store(true, Ordering::Relaxed);
            }
            team.start(packets, contacts);
        });
        self.packed = if irregular.into_inner() {
            Packed::Irregular
        } else {
            Packed::Started
        };
    }

    fn settle(&mut self, impulses: &mut [f64], state: Option<&mut [f64]>) {
        if self.packed == Packed::Irregular {
            // They stay what they were, for somebody else.
            return;
        }
        let Packing {
            team,
            problem,
            operator,
            ..
        } = self.packing;
        let (contacts, places, blocks) = (&*self.contacts, &team.layout.places, &problem.blocks);
        let read = |block: usize, impulse: &mut [f64]| {
            if team.layout.is_far
                && let Some(&(later, _)) = places.get(block + AHEAD)
            {
                contacts[later as usize].ask_for_impulses();
            }
            let (contact, lane) = places[block];
            contacts[contact as usize].impulse(lane as usize, impulse);
        };
        if impulses.len() == C::ROWS * blocks.len() && team.threads > 1 {
            let stretches = impulses.par_chunks_mut(C::ROWS * BLOCKS).enumerate();
            stretches.for_each(|(stretch, impulses)| {
                let blocks = stretch * BLOCKS..;
                blocks
                    .zip(impulses.chunks_exact_mut(C::ROWS))
                    .for_each(|(block, impulse)| read(block, impulse));
            });
        } else {
            for (index, block) in blocks.iter().enumerate() {
                read(index, &mut impulses[block.rows()]);
            }
        }
        if let Some(state) = state {
            operator.load(impulses, state);
        }
    }
}

/// The number of the first contact of some packets.
fn contact_of(packets: &[Packet]) -> usize {
    packets.first().map_or(0, Packet::first_contact)
}

/// How many contacts consecutive packets have.
fn contacts_of(packets: &[Packet]) -> usize {
    match packets {
        [] => 0,
        [first, .., last] => last.contacts(first).end,
        [only] => only.contacts(only).end,
    }
}

/// The larger of two numbers, a NaN being larger than all.
fn larger(x: f64, y: f64) -> f64 {
    if y <= x { x } else { y }
}

/// Shares the packets of a colour out to threads; the largest of what the work on them returns.
fn spread<C: Contacts>(
    packets: &[Packet],
    contacts: &mut [C],
    threads: usize,
    work: &(impl Fn(&[Packet], &mut [C]) -> f64 + Sync),
) -> f64 {
    if packets.is_empty() {
        return 0.0;
    }
    if threads < 2 || packets.len() < 2 || contacts.len() * WIDTH < 2 * PIECE {
        return work(packets, contacts);
    }
    let half = contacts.len() / 2;
    let middle = packets.partition_point(|packet| packet.contacts(&packets[0]).end <= half);
    let (left, right) = packets.split_at(middle.clamp(1, packets.len() - 1));
    let (of_left, of_right) = contacts.split_at_mut(contacts_of(left));
    let (x, y) = rayon::join(
        || spread(left, of_left, threads / 2, work),
        || spread(right, of_right, threads - threads / 2, work),
    );
    larger(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::delassus::{InverseMass, Touch};
    use nalgebra::{Matrix3, Vector3};
    use std::sync::Mutex;

    /// Balls in a row, each on the ground and against the next, in some disorder.
    fn row_of_balls(count: u32) -> Problem {
        row_in_order(count, |ball| ball)
    }

    /// The same with the contacts of the balls in another order.
    fn row_in_order(count: u32, order: impl Fn(u32) -> u32) -> Problem {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        for k in 0..count {
            let mass = 1.0 + 0.1 * f64::from(k % 7);
            assembler.add_body(InverseMass {
                mass: 1.0 / mass,
                inertia: Matrix3::identity() * (2.5 / mass) + Matrix3::repeat(0.01 * f64::from(k % 3)),
            });
        }
        let contacts = 2 * count as usize - 1;
        let mut slots = assembler.add_touches(contacts, 3 * contacts);
        let cone = Cone::Friction { coefficient: 0.3 };
        for k in (1..=count).map(order) {
            let tilt = 0.1 * f64::from(k % 5);
            for (pair, normal) in [
                ([0, k], Vector3::new(tilt, 0.1, 1.0)),
                ([k, k + 1], Vector3::new(1.0, tilt, 0.2)),
            ] {
                if pair[1] > count {
                    continue;
                }
                let normal = normal.normalize();
                let tangent = normal.cross(&Vector3::y()).normalize();
                let touch = Touch {
                    normal,
                    tangent,
                    arm_a: 0.5 * normal,
                    arm_b: -0.5 * normal,
                };
                slots.push(pair, cone, &touch, [-0.1 * tilt - 0.05, 0.02, 0.3 * tilt]);
            }
        }
        problem
    }

    /// However wide the registers, every lane computes the same.
    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let problem = row_of_balls(61);
        let Operator::RigidBodies(operator) = &problem.operator else {
            unreachable!("made of bodies")
        };
        let mut machines = vec![Arch::Scalar, Arch::new()];
        #[cfg(target_arch = "x86_64")]
        machines.extend(pulp::x86::V3::try_new().map(Arch::V3));
        let mut layout = Layout::default();
        layout.find(operator, 0);
        let results = machines.into_iter().map(|arch| {
            let mut bodies = Bodies::default();
            bodies.fill(operator);
            let team = Team {
                arch,
                threads: 1,
                layout: &layout,
                bodies: &bodies,
            };
            let packing = Packing {
                team,
                problem: &problem,
                operator,
                relaxation: 1.0,
                factor: 1.0,
            };
            let mut pass = ColourPass {
                packing,
                contacts: &mut vec![Rough::default(); layout.blocks.len()],
                packed: Packed::NotYet,
            };
            let mut impulses = vec![0.01; problem.rows()];
            pass.pack(&impulses);
            assert_eq!(pass.packed, Packed::Warm);
            pass.begin(&mut [], &mut []);
            let changes: Vec<f64> = (0..5).map(|sweep| pass.sweep(sweep, &mut [], &mut [])).collect();
            assert!(changes[4] < changes[0] && changes[4] > 0.0);
            pass.settle(&mut impulses, None);
            let numbers = impulses.into_iter().chain(changes).chain(bodies.velocities());
            numbers.map(f64::to_bits).collect::<Vec<_>>()
        });
        let results: Vec<Vec<u64>> = results.collect();
        assert!(results.windows(2).all(|two| two[0] == two[1]));
    }

    /// Every contact has its rounds in their order, and a round waits for the one before on all contacts with a body in common.
    #[test]
    fn a_passage_keeps_neighbours_in_step() {
        let problem = row_of_balls(wave::ENOUGH as u32);
        let Operator::RigidBodies(operator) = &problem.operator else {
            unreachable!("made of bodies")
        };
        let mut layout = Layout::default();
        layout.find(operator, 256);
        assert_eq!(layout.tiles.band::<Rough>(10, 1), Some(10), "a row is narrow");
        assert_eq!(layout.tiles.band::<Rough>(10, 3), Some(4));
        assert_eq!(layout.tiles.band::<Rough>(1, 1), None);
        for (threads, rounds, band) in [(1, 7, 7), (1, 7, 3), (3, 7, 2), (2, 9, 4)] {
            // By body: the packets that have touched it, and in which round.
            let met: Vec<_> = (0..operator.body_count()).map(|_| Mutex::new(Vec::new())).collect();
            let work = |round: usize, packets: &[Packet], contacts: &mut [Rough]| {
                assert_eq!(contacts.len(), contacts_of(packets));
                for packet in packets {
                    for &body in packet.bodies.as_flattened().iter().filter(|&&body| body > 0) {
                        met[body as usize].lock().unwrap().push((round, packet.first_contact()));
                    }
                }
            };
            let mut contacts = vec![Rough::default(); layout.blocks.len()];
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (tiles, packets) = (&layout.tiles, layout.packets());
            pool.install(|| wave::run(tiles, packets, &mut contacts, threads, (rounds, band), &work));
            for met in met.into_iter().skip(1) {
                let met = met.into_inner().unwrap();
                assert_eq!(met.len() % rounds, 0);
                assert!(met.is_sorted(), "{met:?}");
            }
        }
    }

    /// Nobody can go ahead where neighbours come at any time.
    #[test]
    fn contacts_in_disorder_have_no_passage() {
        let count = wave::ENOUGH as u32;
        let problem = row_in_order(count, |ball| 1 + ball * 7919 % count);
        let Operator::RigidBodies(operator) = &problem.operator else {
            unreachable!("made of bodies")
        };
        let mut layout = Layout::default();
        layout.find(operator, 256);
        assert_eq!(layout.tiles.band::<Rough>(10, 1), None);
    }
}
