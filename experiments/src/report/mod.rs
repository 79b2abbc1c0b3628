//! `drystone report`: one HTML file that needs nothing else, made from the files of a directory with results.
//!
//! [`kind`] tells what a directory holds; [`run_data`], [`convergence`], [`captured`], [`combinations`] and [`csv_table`] read it back;
//! [`figures`] makes charts, [`methods_table`], [`metrics_table`] and [`html_table`] tables; [`runs_page`], [`sweep_page`] and
//! [`solve_page`] put them on a [`page`]. Everything is read before anything is written, and the same files give the same
//! bytes. `run`, `compare`, `sweep` and `solve` end with [`write()`].

mod assets;
pub mod captured;
mod claims_section;
pub mod combinations;
pub mod convergence;
pub mod csv_table;
pub mod facts;
pub mod figures;
pub mod html;
pub mod html_table;
pub mod kind;
pub mod methods_table;
pub mod metrics_table;
pub mod page;
pub mod replay_section;
pub mod run_data;
pub mod runs_page;
mod solve_data;
pub mod solve_page;
mod solve_tables;
pub mod sweep_page;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::Environment;
use crate::cli::ReportArguments;
use crate::comparison::COMPARISON_CSV;
use crate::error::{Error, Exit};
use crate::solve::{checked_page, parent};
use crate::whole_file::write_text;
use captured::CapturedCurves;
use csv_table::CsvTable;
use kind::{Kind, sweeps_in};
use page::Page;
use run_data::RunData;
use runs_page::Runs;

/// The file's name.
pub const REPORT_HTML: &str = "report.html";
/// The folder of the plots beside it.
pub const PLOTS: &str = "plots";

/// A report that was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Written {
    /// Where it is.
    pub path: PathBuf,
    /// What it is made of.
    pub kind: Kind,
    /// The plots, each a file of its own.
    pub plots: Vec<PathBuf>,
}

/// Runs the command.
pub fn report(arguments: &ReportArguments, environment: &Environment) -> Result<Exit, Error> {
    let written = match arguments.directories.as_slice() {
        [directory] => {
            let (kind, page) = page_of(directory, arguments.all_trajectories)?;
            let target = arguments.out.clone().unwrap_or_else(|| directory.join(REPORT_HTML));
            write_page(&page, kind, &target)?
        }
        directories => {
            let Some(target) = &arguments.out else {
                return Err(Error::Input(
                    "several directories are shown side by side in a file of their own; name it with --out FILE".into(),
                ));
            };
            let page = side_by_side(directories, arguments.all_trajectories)?;
            write_page(&page, Kind::Runs, target)?
        }
    };
    environment.output.machine_readable(&written);
    let plots = written.plots.len();
    environment.output.show(&format!(
        "report in {} ({plots} plot{})\n",
        written.path.display(),
        if plots == 1 { "" } else { "s" }
    ));
    Ok(Exit::Done)
}

/// Writes the report of a directory that results have just been written to.
pub fn write(directory: &Path) -> Result<Written, Error> {
    let (kind, page) = page_of(directory, false)?;
    write_page(&page, kind, &directory.join(REPORT_HTML))
}

/// The page of a directory.
fn page_of(directory: &Path, all_trajectories: bool) -> Result<(Kind, Page), Error> {
    let kind = Kind::of(directory)?;
    let of_runs = |kind: &str, runs: &[RunData], captured: Option<CapturedCurves>| {
        Runs {
            kind,
            runs,
            captured,
            all_trajectories,
        }
        .page()
    };
    let page = match kind {
        Kind::Run => of_runs("Run", &[RunData::read(directory)?], None)?,
        Kind::Comparison | Kind::Runs => {
            of_runs("Comparison", &compared(directory)?, CapturedCurves::read(directory)?)?
        }
        Kind::Sweep => sweep_page::page(&[directory.to_owned()], directory, all_trajectories)?,
        Kind::Sweeps => sweep_page::page(&sweeps_in(directory)?, directory, all_trajectories)?,
        Kind::Solve => solve_page::page(directory)?,
    };
    Ok((kind, page))
}

/// The runs of a comparison, in the order of its table.
fn compared(directory: &Path) -> Result<Vec<RunData>, Error> {
    let table = CsvTable::read(&directory.join(COMPARISON_CSV))?;
    let column = table.required("directory")?;
    (0..table.len())
        .map(|row| RunData::read(&directory.join(table.text(row, column))))
        .collect()
}

/// Run directories, and those of comparisons, that were named one by one.
fn side_by_side(directories: &[PathBuf], all_trajectories: bool) -> Result<Page, Error> {
    let mut runs = Vec::new();
    for directory in directories {
        match Kind::of(directory)? {
            Kind::Run => runs.push(RunData::read(directory)?),
            Kind::Comparison => runs.extend(compared(directory)?),
            _ => {
                let shown = directory.display();
                return Err(Error::Input(format!(
                    "'{shown}' is no run; only runs and comparisons can be shown side by side"
                )));
            }
        }
    }
    Runs {
        kind: "Side by side",
        runs: &runs,
        captured: None,
        all_trajectories,
    }
    .page()
}

/// Writes a page and its plots, the page last.
fn write_page(page: &Page, kind: Kind, target: &Path) -> Result<Written, Error> {
    checked_page(target)?;
    if target.is_dir() {
        return Err(Error::Input(format!(
            "'{}' is a directory; name a file",
            target.display()
        )));
    }
    let folder = parent(target);
    let plots = folder.join(PLOTS);
    let mut files = Vec::new();
    if !page.charts().is_empty() {
        fs::create_dir_all(&plots).map_err(Error::writing(&plots))?;
    }
    for chart in page.charts() {
        let name = format!("{}.svg", chart.name);
        write_text(&plots, &name, &chart.picture())?;
        files.push(plots.join(name));
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    write_text(folder, &name, &page.render())?;
    Ok(Written {
        path: target.to_owned(),
        kind,
        plots: files,
    })
}

/// Removes the plots of an older report.
pub(crate) fn clear(directory: &Path) -> std::io::Result<()> {
    let plots = directory.join(PLOTS);
    if !plots.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(&plots)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "svg") {
            fs::remove_file(path)?;
        }
    }
    // A folder with something else in it stays.
    let _ = fs::remove_dir(&plots);
    Ok(())
}
