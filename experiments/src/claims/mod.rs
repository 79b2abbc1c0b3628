//! Claims of papers, published against measured. A folder with a `claims.toml` beside its experiments is a paper; sweeping it
//! runs the experiments and judges every claim by their results, and `drystone claims` judges results that are there.
//!
//! [`mod@file`] reads the claims, [`check`], [`selection`] and [`relation`] are the small language of their checks,
//! [`results`] reads rows back, [`mod@evaluate`] makes verdicts of them, [`report`] holds these as plain values and [`page`]
//! shows them; [`regression`] looks up tests that hold a claim, [`overview`] counts what decides the claims of papers.

pub mod check;
pub mod evaluate;
pub mod file;
pub mod overview;
pub mod page;
pub mod regression;
pub mod relation;
pub mod report;
pub mod results;
pub mod selection;

use std::path::{Path, PathBuf};

use crate::Environment;
use crate::cli::ClaimsArguments;
use crate::error::{Error, Exit};
use crate::solve::{checked_page, parent};
use crate::whole_file::{write_json, write_text};
pub use evaluate::evaluate;
pub use file::{CLAIMS_TOML, Claims};
pub use report::ClaimsReport;
use results::Results;

/// The page.
pub const CLAIMS_MD: &str = "claims.md";
/// The same for programs.
pub const CLAIMS_JSON: &str = "claims.json";

/// Runs `drystone claims`.
pub fn claims(arguments: &ClaimsArguments, environment: &Environment) -> Result<Exit, Error> {
    let all = arguments.folders.iter().map(|folder| Claims::read(folder));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let (Some(directory), [claims]) = (&arguments.results, all.as_slice()) else {
        if arguments.results.is_some() {
            let message = "--results holds the results of one folder; name one folder";
            return Err(Error::Input(message.to_owned()));
        }
        overview::show(&all, environment);
        return Ok(Exit::Done);
    };
    if !directory.is_dir() {
        let message = format!("there is no directory '{}' with results", directory.display());
        return Err(Error::Input(message));
    }
    if let Some(page) = &arguments.markdown {
        checked_page(page)?;
    }
    let report = evaluate(claims, &Results::read(directory, &claims.experiments)?);
    write(&report, directory, environment)?;
    if let Some(page) = &arguments.markdown {
        write_page(&report, page, environment)?;
    }
    environment.output.machine_readable(&report);
    Ok(show(&report, arguments.check, environment))
}

/// Judges the results in the directory of a sweep and writes `claims.md` and `claims.json` into it.
pub fn judge(claims: &Claims, directory: &Path, environment: &Environment) -> Result<ClaimsReport, Error> {
    let report = evaluate(claims, &Results::read(directory, &claims.experiments)?);
    write(&report, directory, environment)?;
    Ok(report)
}

fn write(report: &ClaimsReport, directory: &Path, environment: &Environment) -> Result<(), Error> {
    write_text(directory, CLAIMS_MD, &page::markdown(report, &environment.command_line))?;
    write_json(directory, CLAIMS_JSON, report)
}

/// Writes the page elsewhere.
pub fn write_page(report: &ClaimsReport, path: &Path, environment: &Environment) -> Result<(), Error> {
    let name = PathBuf::from(path.file_name().unwrap_or_default());
    let text = page::markdown(report, &environment.command_line);
    write_text(parent(path), &name.to_string_lossy(), &text)
}

/// Shows the table. With `check`, a claim that fails without an explanation is a failure of the program.
pub fn show(report: &ClaimsReport, check: bool, environment: &Environment) -> Exit {
    environment.output.show(&page::text(report));
    let unexplained: Vec<&str> = report.unexplained().map(|claim| claim.id.as_str()).collect();
    if !check || unexplained.is_empty() {
        return Exit::Done;
    }
    let line = format!("claims that fail without an explanation: {}", unexplained.join(", "));
    environment.output.complain(&line);
    Exit::Failed
}
