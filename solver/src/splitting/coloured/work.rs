//! What a sweep has to do, counted: bytes from the layout, operations from the formulas of `contact`.
//!
//! Sums, differences, products, quotients and roots count as one operation each; comparisons and choices are not counted.
//! With 9 for a cross product, 5 for a scalar product and 15 for a symmetric matrix times a vector a contact takes
//!
//! ```text
//!                                              with friction   without
//! t = n × s                                          9
//! u, the velocity of B against A                    27            27
//! the normal: n·u, bias, step, change                9             9
//! the tangents: s·u, t·u, bias, step, coupling      20
//! their disc: square, radius, root, quotient        11
//! p = n δ₀ + s δ₁ + t δ₂                            15             3
//! both bodies: p/m, I⁻¹ (r × p)                     66            66
//! ```
//!
//! Bytes are those that the code reads and writes, as if nothing stayed in a cache from packet to packet.

use super::bodies::Bodies;
use super::contact::{Contacts, Rough, Smooth};
use super::lanes::WIDTH;
use super::layout::Layout;
use super::suited;
use crate::problem::Problem;
use crate::splitting::{Friction, Granularity, Kernel, Order, ProjectionOptions, SweepOptions};

/// What one sweep of `pgs:order=coloured` over a problem reads, writes and computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepWork {
    /// Contacts.
    pub contacts: usize,
    /// Places for contacts; those without one are swept too.
    pub places: usize,
    /// Colours, which come one after the other.
    pub colours: usize,
    /// Bytes that contacts, packets and bodies take up.
    pub footprint: usize,
    /// Bytes read of contacts and packets, one after the other.
    pub streamed: usize,
    /// Bytes read of bodies, here and there.
    pub gathered: usize,
    /// Bytes written: impulses, and velocities of bodies.
    pub written: usize,
    /// Floating-point operations on contacts, not counting places without one.
    pub operations: usize,
}

impl SweepWork {
    /// Counts for a problem; none if it is not one for the wide sweep.
    pub fn of(problem: &Problem) -> Option<Self> {
        let options = ProjectionOptions {
            granularity: Granularity::Rows,
            friction: Friction::Cone,
            kernel: Kernel::Wide,
            sweeps: SweepOptions {
                order: Order::Coloured,
                ..SweepOptions::default()
            },
        };
        let bodies = suited(&options, problem)?;
        let mut layout = Layout::default();
        layout.find(bodies, options.sweeps.stretch);
        let rough = problem.blocks.iter().any(|block| block.len > 1);
        let (size, rows, operations) = if rough {
            (size_of::<Rough>(), Rough::ROWS, Rough::OPERATIONS)
        } else {
            (size_of::<Smooth>(), Smooth::ROWS, Smooth::OPERATIONS)
        };
        let packets = layout.packets();
        let sides = 2 * packets.iter().map(|packet| packet.present as usize).sum::<usize>();
        let streamed = size * layout.blocks.len() + size_of_val(packets);
        Some(Self {
            contacts: problem.blocks.len(),
            places: WIDTH * layout.blocks.len(),
            colours: layout.colours().count(),
            footprint: streamed + Bodies::FOOTPRINT * bodies.body_count(),
            streamed,
            gathered: Bodies::READ * sides,
            written: rows * size_of::<f64>() * WIDTH * layout.blocks.len() + Bodies::WRITTEN * sides,
            operations: operations * problem.blocks.len(),
        })
    }
}

/// Bytes that a sweep streams for a contact of so many rows: 184 with friction, 96 without.
pub const fn bytes_per_contact(rows: usize) -> usize {
    if rows > 1 {
        size_of::<Rough>() / WIDTH
    } else {
        size_of::<Smooth>() / WIDTH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use crate::delassus::{InverseMass, RigidBodies, Touch};
    use nalgebra::{Matrix3, Vector3};

    /// So many balls, each on the ground.
    fn balls(count: usize) -> SweepWork {
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        let touch = Touch {
            normal: Vector3::z(),
            tangent: Vector3::x(),
            arm_a: Vector3::zeros(),
            arm_b: -Vector3::z(),
        };
        for _ in 0..count {
            assembler.add_body(InverseMass {
                mass: 1.0,
                inertia: Matrix3::identity(),
            });
        }
        let mut slots = assembler.add_touches(count, 3 * count);
        for ball in 1..=count {
            let pair = [RigidBodies::IMMOVABLE, ball as u32];
            let cone = Cone::Friction { coefficient: 0.5 };
            slots.push(pair, cone, &touch, [-1.0, 0.0, 0.0]);
        }
        SweepWork::of(&problem).unwrap()
    }

    #[test]
    fn one_contact_takes_the_room_of_a_packet() {
        let work = balls(1);
        assert_eq!((work.contacts, work.places, work.colours), (1, WIDTH, 1));
        assert_eq!(
            work.streamed,
            WIDTH * bytes_per_contact(3) + size_of::<super::super::Packet>()
        );
        assert_eq!(work.gathered, 2 * 13 * 8);
        assert_eq!(work.written, WIDTH * 3 * 8 + 2 * 6 * 8);
        assert_eq!(work.operations, 157);
    }

    #[test]
    fn contacts_without_a_common_body_share_packets() {
        let work = balls(5 * WIDTH);
        assert_eq!((work.places, work.colours), (5 * WIDTH, 1));
        let packets = 5 * size_of::<super::super::Packet>();
        assert_eq!(work.streamed, 5 * WIDTH * bytes_per_contact(3) + packets);
    }

    #[test]
    fn a_contact_is_as_large_as_documented() {
        assert_eq!((bytes_per_contact(3), bytes_per_contact(1)), (23 * 8, 12 * 8));
    }
}
