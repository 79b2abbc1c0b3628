//! One size of a scene: what a step takes, and the most memory that the program ever had.
//!
//! ```text
//! growth SCENE METHOD WARM_UP STEPS LIMIT       prints JSON; benches/performance/measure.py growth calls it
//! ```
//!
//! It runs on one thread. Memory is that of the whole process, the scene's description and the program itself
//! included, so that every size needs a process of its own. After LIMIT seconds no further step is begun.

#![allow(clippy::print_stdout, reason = "its results are its output")]

use std::process::ExitCode;
use std::time::Instant;

use drystone::dynamics::{Method, Simulation};
use drystone_benches::{use_one_thread, world};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(result) => {
            println!("{result}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("{}", json!({ "error": message }));
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<Value, String> {
    let [scene, method, warm_up, steps, limit] = arguments else {
        return Err("expected SCENE METHOD WARM_UP STEPS LIMIT".into());
    };
    let count = |text: &String| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    let (warm_up, steps) = (count(warm_up)?, count(steps)?);
    let limit: f64 = limit.parse().map_err(|error| format!("{limit}: {error}"))?;
    use_one_thread();

    let clock = Instant::now();
    let method = Method::parse(method).map_err(|error| error.to_string())?;
    let mut simulation = Simulation::new(world(scene), method, 0.01).map_err(|error| error.to_string())?;
    let built = clock.elapsed().as_secs_f64();
    let built_memory = memory("VmRSS:");
    let mut rows = Vec::new();
    for step in 0..warm_up + steps {
        if clock.elapsed().as_secs_f64() > limit {
            break;
        }
        let report = simulation.step().map_err(|error| error.to_string())?;
        if step >= warm_up {
            let seconds = |duration: std::time::Duration| duration.as_secs_f64();
            let timings = report.timings;
            rows.push(json!({
                "contacts": report.contacts,
                "step": seconds(timings.step),
                "collision": seconds(timings.collision),
                "assembly": seconds(timings.assembly),
                "solve": seconds(timings.solve),
            }));
        }
    }
    let bodies = simulation.world().bodies().iter().filter(|body| body.is_dynamic());
    Ok(json!({
        "bodies": bodies.count(),
        "built_seconds": built,
        "built_bytes": built_memory,
        "peak_bytes": memory("VmHWM:"),
        "steps": rows,
    }))
}

/// A line of what Linux says of this process, in bytes; `None` elsewhere.
fn memory(line: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let found = text.lines().find_map(|known| known.strip_prefix(line))?;
    let kibibytes: u64 = found.split_whitespace().next()?.parse().ok()?;
    Some(1024 * kibibytes)
}
