//! `drystone view`: opens a report in the browser, and makes it first if it is missing or older than the results.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde::Serialize;

use crate::Environment;
use crate::cli::ViewArguments;
use crate::error::{Error, Exit};
use crate::report::kind::Kind;
use crate::report::{self, PLOTS, REPORT_HTML};

/// What was done, for programs.
#[derive(Debug, Serialize)]
struct Viewed {
    path: PathBuf,
    kind: Option<Kind>,
    /// Whether it was made anew.
    built: bool,
    plots: Vec<PathBuf>,
    /// Whether a browser was started.
    opened: bool,
}

/// Runs the command.
pub fn view(arguments: &ViewArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut viewed = prepare(&arguments.path)?;
    // The path comes first: whoever has no browser here can take it elsewhere.
    environment.output.show(&format!("{}\n", viewed.path.display()));
    let opened = match arguments.no_open {
        true => Ok(()),
        false => open(&viewed.path),
    };
    viewed.opened = opened.is_ok() && !arguments.no_open;
    environment.output.machine_readable(&viewed);
    opened.map(|()| Exit::Done)
}

/// The report to open, made if need be.
fn prepare(given: &Path) -> Result<Viewed, Error> {
    if given.is_file() {
        if given.extension().is_none_or(|extension| extension != "html") {
            return Err(Error::Input(format!(
                "'{}' is no report; name one that ends in .html, or a directory with results",
                given.display()
            )));
        }
        return Ok(Viewed {
            path: given.to_owned(),
            kind: None,
            built: false,
            plots: Vec::new(),
            opened: false,
        });
    }
    let kind = Kind::of(given)?;
    let path = given.join(REPORT_HTML);
    if is_current(&path, given) {
        return Ok(Viewed {
            plots: plots_in(given),
            path,
            kind: Some(kind),
            built: false,
            opened: false,
        });
    }
    let written = report::write(given)?;
    Ok(Viewed {
        path: written.path,
        kind: Some(written.kind),
        built: true,
        plots: written.plots,
        opened: false,
    })
}

/// Whether a report is at least as new as every result below its directory.
fn is_current(report: &Path, directory: &Path) -> bool {
    let Some(made) = modified(report) else { return false };
    newest(directory, report).is_none_or(|newest| newest <= made)
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// When the newest result was written; reports and their plots are none.
fn newest(directory: &Path, report: &Path) -> Option<SystemTime> {
    let entries = directory.read_dir().ok()?.flatten().map(|entry| entry.path());
    let of_entry = |path: PathBuf| {
        if path == report
            || path
                .file_name()
                .is_some_and(|name| name == REPORT_HTML || name == PLOTS)
        {
            None
        } else if path.is_dir() {
            newest(&path, report)
        } else {
            modified(&path)
        }
    };
    entries.filter_map(of_entry).max()
}

/// The plots beside a report, by name.
fn plots_in(directory: &Path) -> Vec<PathBuf> {
    let entries = directory.join(PLOTS).read_dir().into_iter().flatten().flatten();
    let mut plots: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "svg"))
        .collect();
    plots.sort();
    plots
}

/// The commands that may open a page, the first that can be started is taken.
fn openers() -> Vec<Vec<String>> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // As elsewhere, $BROWSER may be a list.
    let asked = std::env::var("BROWSER").unwrap_or_default();
    let mut openers: Vec<Vec<String>> = asked.split(':').map(words).filter(|words| !words.is_empty()).collect();
    openers.push(words(match std::env::consts::OS {
        "macos" => "open",
        "windows" => "cmd /C start",
        _ => "xdg-open",
    }));
    openers
}

fn open(path: &Path) -> Result<(), Error> {
    // A browser may have another idea of the working directory.
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut tried = Vec::new();
    for opener in openers() {
        let Some((program, arguments)) = opener.split_first() else {
            continue;
        };
        let mut command = Command::new(program);
        let has_place = arguments.iter().any(|argument| argument.contains("%s"));
        for argument in arguments {
            command.arg(argument.replace("%s", &absolute.to_string_lossy()));
        }
        if !has_place {
            if program == "cmd" {
                // `start` takes the first quoted word for a title.
                command.arg("");
            }
            command.arg(&absolute);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match start(&mut command) {
            Ok(()) => return Ok(()),
            Err(reason) => tried.push(format!("{program}: {reason}")),
        }
    }
    Err(Error::Input(format!(
        "cannot open '{}' in a browser ({}); open it by hand, or set BROWSER",
        path.display(),
        tried.join("; ")
    )))
}

/// Starts a program. One that ends at once with a failure could not open the page; one that goes on is the browser itself.
fn start(command: &mut Command) -> Result<(), String> {
    const PATIENCE: u32 = 20;
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    for _ in 0..PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) => std::thread::sleep(std::time::Duration::from_millis(50)),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}
