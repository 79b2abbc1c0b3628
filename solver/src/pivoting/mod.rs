//! Pivoting methods: they search for the right set of active rows, and are exact once they have found it.
//!
//! `lemke` follows one complementary path, `dantzig` adds row after row to a solved set, `murty` and `block_pivoting` move
//! rows from one side to the other, one or many at a time.
//!
//! All work on rows between bounds; friction becomes a pyramid first ([`crate::formulation::Pyramid`]), or for
//! Dantzig's method a box. An iteration is a pivot. Each method's file says for which matrices it must end; outside of
//! those it hands over to Lemke's method, whose theorems cover contact, up to rounding.

mod active_set;
mod basis;
mod block_pivoting;
mod dantzig;
mod drive;
mod lemke;
mod murty;
mod path;
mod scaled;

pub use block_pivoting::BlockPivoting;
pub use dantzig::{Dantzig, DantzigFriction};
pub use lemke::{Covering, Lemke};
pub use murty::Murty;

use crate::monitor::{Limits, Monitor};
use crate::registry::{Accuracy, Class, Entry, FrictionLaw, MatrixKind, SolverEntry};
use crate::solve::{Context, Measure};

const CLASS: Class = Class {
    family: "pivoting",
    friction: FrictionLaw::Pyramid,
    matrix: MatrixKind::Any,
    accuracy: Accuracy::Exact,
};

/// The pivoting methods, in the order they are listed.
pub(crate) static ENTRIES: &[SolverEntry] = &[
    Entry {
        name: "lemke",
        summary: "Lemke's method with lexicographic ratio test",
        takes: CLASS,
        reference: "Lemke 1965; Cottle, Pang and Stone 1992, §4.4",
        make: || Box::new(Lemke::default()),
    },
    Entry {
        name: "dantzig",
        summary: "Dantzig's incremental pivoting with friction limits that follow the normal impulse",
        takes: Class {
            friction: FrictionLaw::Box,
            ..CLASS
        },
        reference: "Cottle and Dantzig 1968; Baraff 1994",
        make: || Box::new(Dantzig::default()),
    },
    Entry {
        name: "murty",
        summary: "Murty's least-index principal pivoting",
        takes: CLASS,
        reference: "Murty 1974; Júdice and Pires 1992",
        make: || Box::new(Murty::default()),
    },
    Entry {
        name: "block-pivoting",
        summary: "block principal pivoting, many rows at once",
        takes: CLASS,
        reference: "Kostreva 1978; Júdice and Pires 1994",
        make: || Box::new(BlockPivoting::default()),
    },
];

/// So many pivots are enough for any problem that is not made to defeat the method.
fn pivot_limits() -> Limits {
    Limits::of(10_000)
}

/// To be called after every pivot: whether there is to be one more. `write` puts the present impulses down; they are asked
/// for only if every iteration is measured, and nothing else is made of them: a record must not change the result.
fn after_pivot(monitor: &mut Monitor<'_>, impulses: &[f64], context: &Context, write: impl FnOnce(&mut [f64])) -> bool {
    if context.measure == Measure::EveryIteration {
        let mut present = impulses.to_vec();
        write(&mut present);
        monitor.record(&present);
    }
    monitor.goes_on_unmeasured(context)
}
