//! How near the coloured sweep comes to what the machine can do, on one thread.
//!
//! ```text
//! machine [quick]         prints JSON; benches/performance/measure.py machine calls it
//! ```
//!
//! A sweep's time is the difference of two solves, one with twice the sweeps of the other, so that checking, packing and
//! reading impulses are not in it. What it reads, writes and computes is counted by `drystone_solver`'s `SweepWork`. The
//! machine's own numbers are measured in the same run, for every problem over as much memory as its sweep goes through.

#![allow(clippy::print_stdout, reason = "its results are its output")]

mod lattice;
mod limits;

use std::time::Instant;

use drystone::solver::splitting::{SweepWork, bytes_per_contact};
use drystone::solver::{Context, Problem, registry};
use drystone_benches::use_one_thread;
use lattice::{Kind, Lattice};
use limits::{Arithmetic, Bandwidth};
use serde_json::{Value, json};

/// What is timed, and whether it is the wide sweep, whose work is counted.
const SWEEPS: [(&str, &str, bool); 3] = [
    ("wide", "pgs:order=coloured", true),
    ("scalar", "pgs:order=coloured,kernel=scalar", false),
    ("forward", "pgs", false),
];

/// Balls and bricks: some hundred kilobytes, some megabytes, and more than caches hold.
const LATTICES: [Lattice; 6] = [
    Lattice { side: 8, points: 1 },
    Lattice { side: 24, points: 1 },
    Lattice { side: 64, points: 1 },
    Lattice { side: 6, points: 4 },
    Lattice { side: 18, points: 4 },
    Lattice { side: 44, points: 4 },
];

struct Effort {
    rounds: usize,
    /// Contacts that a timed solve sweeps over, about.
    updates: usize,
}

fn main() {
    use_one_thread();
    let quick = std::env::args().any(|argument| argument == "quick");
    let effort = if quick {
        Effort {
            rounds: 3,
            updates: 1_000_000,
        }
    } else {
        Effort {
            rounds: 15,
            updates: 10_000_000,
        }
    };
    let arithmetic = limits::arithmetic(effort.rounds);
    let results: Vec<Value> = LATTICES
        .iter()
        .flat_map(|lattice| [Kind::Rough, Kind::Smooth].map(|kind| (lattice, kind)))
        .map(|(lattice, kind)| measured(lattice, kind, &effort))
        .collect();
    let Arithmetic {
        lanes,
        separate,
        contracted,
        latency,
    } = arithmetic;
    let whole = json!({
        "lanes": lanes,
        "bytes_per_contact": { "rough": bytes_per_contact(3), "smooth": bytes_per_contact(1) },
        "arithmetic": { "separate": separate, "contracted": contracted, "latency": latency },
        "rounds": effort.rounds,
        "problems": results,
    });
    println!("{whole}");
}

fn measured(lattice: &Lattice, kind: Kind, effort: &Effort) -> Value {
    let problem = lattice.problem(kind);
    let work = SweepWork::of(&problem).expect("contacts of one kind on rigid bodies");
    let Bandwidth { read, copy, triad } = limits::bandwidth(work.footprint, effort.rounds);
    let sweeps: serde_json::Map<String, Value> = SWEEPS
        .iter()
        .map(|(name, spec, wide)| {
            let nanoseconds = sweep_time(&problem, spec, effort, *wide);
            ((*name).to_owned(), json!(nanoseconds))
        })
        .collect();
    json!({
        "bodies": lattice.side.pow(3),
        "points": lattice.points,
        "kind": if kind == Kind::Rough { "rough" } else { "smooth" },
        "contacts": work.contacts,
        "places": work.places,
        "colours": work.colours,
        "footprint": work.footprint,
        "streamed": work.streamed,
        "gathered": work.gathered,
        "written": work.written,
        "operations": work.operations,
        "bandwidth": { "read": read, "copy": copy, "triad": triad },
        // Nanoseconds for a contact and sweep.
        "sweeps": sweeps,
    })
}

/// Nanoseconds for a contact and sweep. The references need not be as precise, and take longer.
fn sweep_time(problem: &Problem, spec: &str, effort: &Effort, wide: bool) -> f64 {
    let contacts = problem.blocks.len();
    let share = if wide { 1 } else { 5 };
    let few = (effort.updates / contacts / share).max(2);
    let rounds = if wide { effort.rounds } else { effort.rounds.div_ceil(3) };
    let mut solves = [few, 2 * few].map(|iterations| {
        let separator = if spec.contains(':') { ',' } else { ':' };
        let spec = format!("{spec}{separator}iterations={iterations}")
            .parse()
            .expect("a spec");
        (
            registry::solver(&spec).expect("a solver of the registry"),
            f64::INFINITY,
        )
    });
    let mut context = Context::default();
    let mut impulses = vec![0.0; problem.rows()];
    // The first round is not counted: memory grows.
    for round in 0..=rounds {
        for (solver, best) in &mut solves {
            impulses.fill(0.0);
            let clock = Instant::now();
            solver
                .solve(problem, &mut impulses, &mut context)
                .expect("a regular problem");
            if round > 0 {
                *best = best.min(clock.elapsed().as_secs_f64());
            }
        }
    }
    1e9 * (solves[1].1 - solves[0].1) / (few * contacts) as f64
}
