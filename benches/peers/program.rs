//! What `benches/peers/run.py` calls: scenes for other engines, one run of Drystone or Rapier, and the judge of them all.
//!
//! ```text
//! peers scenes                                   the scenes, as JSON
//! peers versions                                 of the engines in this program
//! peers export SCENE                             a scene for drivers in other languages
//! peers run SCENE STATES LIMIT drystone THREADS METHOD
//! peers run SCENE STATES LIMIT rapier same|defaults|reduced
//!                                                one run of at most LIMIT seconds; final states go to the file STATES
//! peers judge SCENE STATES                       what final states are worth
//! ```

#![allow(clippy::print_stdout, reason = "its results are its output")]

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

use drystone_benches::peers::measure::{Measurement, Status, measure};
use drystone_benches::peers::rapier_engine::{Rapier, Work};
use drystone_benches::peers::scenes::{PeerScene, SCENES, Setting, Since, find};
use drystone_benches::peers::{cores, drystone_engine, exchange, quality};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match answer(&arguments) {
        Ok(text) => {
            println!("{}", text.trim_end());
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("{}", json!({ "error": message }));
            ExitCode::from(2)
        }
    }
}

fn answer(arguments: &[&str]) -> Result<String, String> {
    match arguments {
        ["scenes"] => scenes().map(|scenes| scenes.to_string()),
        ["versions"] => Ok(json!({
            "drystone": env!("CARGO_PKG_VERSION"),
            "rapier3d-f64": rapier3d_f64::VERSION,
        })
        .to_string()),
        ["export", name] => {
            let (scene, setting) = prepared(name)?;
            exchange::scene_text(scene, &setting)
        }
        ["run", name, states, limit, engine @ ..] => run(name, states, limit, engine),
        ["judge", name, states] => judge(name, states),
        _ => Err("expected scenes, versions, export, run or judge; see the head of this program".into()),
    }
}

fn prepared(name: &str) -> Result<(&'static PeerScene, Setting), String> {
    let names = || SCENES.map(|scene| scene.name).join(", ");
    let scene = find(name).ok_or_else(|| format!("no scene '{name}'; there are {}", names()))?;
    let setting = scene.setting().map_err(|error| error.to_string())?;
    Ok((scene, setting))
}

fn scenes() -> Result<Value, String> {
    let describe = |scene: &PeerScene| {
        let setting = scene.setting().map_err(|error| error.to_string())?;
        let bodies = setting.world.bodies();
        Ok(json!({
            "name": scene.name,
            "spec": scene.spec,
            "bodies": bodies.iter().filter(|body| body.is_dynamic()).count(),
            "joints": setting.world.joints().len(),
            "dt": setting.dt,
            "friction": setting.friction,
            "warm_up": scene.warm_up,
            "steps": scene.steps,
            "since": match scene.since { Since::Beginning => "beginning", Since::WarmUp => "warm-up" },
        }))
    };
    SCENES
        .iter()
        .map(describe)
        .collect::<Result<Vec<_>, String>>()
        .map(Value::from)
}

fn run(name: &str, file: &str, limit: &str, engine: &[&str]) -> Result<String, String> {
    let (scene, setting) = prepared(name)?;
    let limit = limit.parse::<f64>().map_err(|error| format!("LIMIT: {error}"))?;
    let limit = Duration::try_from_secs_f64(limit).map_err(|error| format!("LIMIT: {error}"))?;
    let (measurement, near) = match engine {
        ["drystone", threads, method] => {
            let threads: NonZeroUsize = threads.parse().map_err(|error| format!("THREADS: {error}"))?;
            cores::occupy(threads.get()).map_err(|error| error.to_string())?;
            // On one of these threads from the first step to the last, as in the program `drystone`.
            rayon::scope(|_| {
                let mut engine = drystone_engine::simulation(setting, method)?;
                let before = cores::are_near();
                let measurement = measure(&mut engine, scene, limit);
                Ok::<_, String>((measurement, before && cores::are_near()))
            })?
        }
        ["rapier", work] => {
            let work = match *work {
                "same" => Work::Same,
                "defaults" => Work::Defaults,
                "reduced" => Work::ReducedCoordinates,
                other => return Err(format!("same, defaults or reduced, not '{other}'")),
            };
            (measure(&mut Rapier::new(&setting, work), scene, limit), true)
        }
        _ => return Err("expected 'drystone THREADS METHOD' or 'rapier same|defaults|reduced'".into()),
    };
    std::fs::write(file, exchange::states_text(&measurement.states)).map_err(|error| format!("{file}: {error}"))?;
    Ok(report(&measurement, near).to_string())
}

/// The same fields as the drivers in other languages print.
fn report(measurement: &Measurement, near: bool) -> Value {
    let (status, message) = match &measurement.status {
        Status::Done => ("done", None),
        Status::TimeLimit => ("time-limit", None),
        Status::Failed(message) => ("failed", Some(message)),
    };
    let timed = measurement.times.len();
    let mean = |sum: f64| (timed > 0).then(|| 1e3 * sum / timed as f64);
    json!({
        "status": status,
        "message": message,
        "taken": measurement.taken,
        "timed": timed,
        "step_ms": mean(measurement.times.iter().sum()),
        "cpu_ms": measurement.processor.and_then(mean),
        "collision_ms": mean(measurement.split[0]),
        "solve_ms": mean(measurement.split[1]),
        "contacts": measurement.contacts,
        "near": near,
    })
}

fn judge(name: &str, file: &str) -> Result<String, String> {
    let (scene, setting) = prepared(name)?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let states = exchange::read_states(&text).map_err(|error| format!("{file}: {error}"))?;
    if states.is_empty() {
        return Err(format!("{file}: no state"));
    }
    let quality = quality::judge(scene, &setting.world, &states);
    Ok(quality.map_or(Value::Null, |quality| quality.json()).to_string())
}
