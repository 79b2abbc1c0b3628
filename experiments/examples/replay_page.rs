//! Writes a page that replays trajectories: `cargo run -p drystone-experiments --example replay_page -- OUT.html TRAJECTORY…`.

use std::path::Path;
use std::process::ExitCode;

use drystone_experiments::output::Output;
use drystone_experiments::{replay, whole_file};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match write(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            Output::default().complain(&message);
            ExitCode::from(2)
        }
    }
}

fn write(arguments: &[String]) -> Result<(), String> {
    let [out, trajectories @ ..] = arguments else {
        return Err("give a file for the page, and the trajectories to put into it".into());
    };
    let read = |path: &String| std::fs::read(path).map_err(|error| format!("cannot read '{path}': {error}"));
    let contents = trajectories.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let runs = trajectories.iter().zip(&contents);
    let runs: Vec<(&str, &[u8])> = runs.map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let out = Path::new(out);
    let (folder, name) = (
        out.parent().unwrap_or(Path::new("")),
        out.file_name().unwrap_or_default(),
    );
    whole_file::write_text(folder, &name.to_string_lossy(), &replay::page("Replay", &runs))
        .map_err(|error| error.to_string())
}
