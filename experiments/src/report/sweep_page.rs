//! The page of a sweep: a row a combination, as `report.md` has them, and the plane of work and precision. Kept run directories
//! add the charts of their runs. A folder of sweeps is one page with a part for each.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;

use super::claims_section;
use super::combinations::Sweep;
use super::csv_table::CsvTable;
use super::facts;
use super::figures::dependence::{self, Measured};
use super::figures::{Shown, histogram, over_time, residuals, trade_off};
use super::html::{escape, folded};
use super::page::Page;
use super::replay_section::{Recording, Replay};
use super::run_data::{RunData, read_json};
use crate::error::Error;
use crate::manifest::MANIFEST_JSON;
use crate::plot::Chart;
use crate::run_directory::file_name;
use crate::sweep::manifest::{EXPERIMENT_TOML, of_unfinished};
use crate::sweep::page::REPORT;
use crate::sweep::results::RESULTS_CSV;

/// Charts of a scene show at most so many runs; more can't be told apart.
const MOST_RUNS: usize = 12;

/// What is drawn over the numbers that were varied: columns of `results.csv`, and their words.
const DEPENDENT: [(&str, Measured<'static>); 3] = [
    (
        "residual_mean",
        Measured {
            name: "residual",
            title: "Residual",
            label: "mean residual, m/s",
        },
    ),
    (
        "penetration_max",
        Measured {
            name: "penetration",
            title: "Penetration",
            label: "deepest penetration, m",
        },
    ),
    (
        "step_us_mean",
        Measured {
            name: "time",
            title: "Time per step",
            label: "mean time per step, µs",
        },
    ),
];

/// A sweep, read back.
#[derive(Debug)]
struct Part {
    directory: PathBuf,
    manifest: Json,
    experiment: Option<String>,
    sweep: Sweep,
    /// The kept run of a combination, and its number.
    kept: Vec<(usize, RunData)>,
}

impl Part {
    fn read(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(MANIFEST_JSON);
        let manifest = match path.exists() {
            true => read_json(&path)?,
            false => of_unfinished(directory),
        };
        let sweep = Sweep::new(&CsvTable::read(&directory.join(RESULTS_CSV))?, &manifest)?;
        let mut kept = Vec::new();
        for (k, combination) in sweep.combinations.iter().enumerate() {
            let runs = combination.runs.iter().map(|run| run.directory.as_str());
            let first = runs
                .filter(|name| !name.is_empty())
                .map(|name| directory.join(name))
                .find(|path| path.is_dir());
            if let Some(path) = first {
                kept.push((k, RunData::read(&path)?));
            }
        }
        Ok(Self {
            directory: directory.to_owned(),
            experiment: std::fs::read_to_string(directory.join(EXPERIMENT_TOML)).ok(),
            manifest,
            sweep,
            kept,
        })
    }

    fn title(&self) -> String {
        facts::text(&self.manifest["title"]).unwrap_or_else(|| "Sweep".to_owned())
    }
}

/// The page of some sweeps; one in a directory of its own, several in a folder.
pub fn page(directories: &[PathBuf], folder: &Path, all_trajectories: bool) -> Result<Page, Error> {
    let parts: Vec<Part> = directories
        .iter()
        .map(|directory| Part::read(directory))
        .collect::<Result<_, _>>()?;
    let claims = claims_section::read(folder)?;
    let mut page = match (&claims, parts.as_slice()) {
        (Some(claims), _) => Page::new("Paper", claims.paper.replace('*', ""), ""),
        (None, [part]) => Page::new("Sweep", part.title(), state(part)),
        (None, parts) => {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
            let title = name.unwrap_or_else(|| "Sweeps".to_owned());
            Page::new(format!("{} sweeps", parts.len()), title, "")
        }
    };
    if let Some(claims) = &claims {
        page.section("claims", "Claims", claims_section::content(claims));
    }
    let mut recordings = Vec::new();
    for part in &parts {
        let several = (parts.len() > 1).then(|| part.title());
        add(&mut page, part, several.as_deref())?;
        recordings.extend(part.kept.iter().filter_map(|(k, run)| {
            Some(Recording {
                label: part.sweep.combinations[*k].label(),
                path: run.trajectory.clone()?,
            })
        }));
    }
    let replay = Replay::embed(recordings, all_trajectories)?;
    page.section("replay-section", "Replay", replay.content());
    page.set_replay(replay);
    Ok(page)
}

fn state(part: &Part) -> String {
    let number = |key: &str| part.manifest[key].as_u64().unwrap_or(0);
    let failed = match number("failed_runs") {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    format!(
        "<p class=\"state\">{} {} of {} runs{failed}</p>\n",
        facts::badge(part.manifest["status"].as_str().unwrap_or("failed")),
        number("finished_runs"),
        number("planned_runs"),
    )
}

fn add(page: &mut Page, part: &Part, heading: Option<&str>) -> Result<(), Error> {
    let (prefix, words) = match heading {
        Some(title) => {
            let stem = part.directory.file_name().unwrap_or_default().to_string_lossy();
            (format!("{}-", file_name(&stem)), format!("{title}: "))
        }
        None => (String::new(), String::new()),
    };
    let id = |name: &str| format!("{prefix}{name}");
    let titled = |name: &str| match heading {
        Some(_) => format!("{words}{name}"),
        None => over_time::capitalised(name),
    };
    let warnings = facts::warnings(&part.sweep.unfinished());
    page.section(&id("warnings"), &titled("what went wrong"), warnings);
    let mut content = if heading.is_some() { state(part) } else { String::new() };
    let table = if heading.is_some() {
        id("methods")
    } else {
        "methods".to_owned()
    };
    content.push_str(&part.sweep.table(&table).render());
    content.push_str(
        "<p class=\"note\">Where runs of a row differ, its cells are the median and, in brackets, the smallest and the largest \
         value. ★ marks the smallest median of the same scene and parameters, in the columns for which less is better.</p>\n",
    );
    page.section(&id("results"), &titled("results"), content);

    let mut charts = Vec::new();
    for (scene, members) in part.sweep.scenes() {
        charts.extend(trade_offs(&part.sweep, &members, &scene, part.sweep.scenes().len() > 1));
    }
    let figures = page.figures(renamed(charts, &prefix));
    page.section(&id("trade-off"), &titled("work and precision"), figures);
    let (columns, measures): (Vec<&str>, Vec<Measured<'_>>) = DEPENDENT.into_iter().unzip();
    let charts = dependence::charts(&part.sweep.varied(&columns), &measures);
    let figures = page.figures(renamed(charts, &prefix));
    page.section(&id("dependence"), &titled("what was varied"), figures);
    let fits = fit_pictures(&part.directory)?;
    page.section(&id("fits"), &titled("fits"), fits);
    kept_charts(page, part, &prefix, &words);

    let mut content = facts::command(&part.manifest);
    content.push_str(&super::html::facts(&facts::circumstances(&part.manifest)));
    if let Some(experiment) = &part.experiment {
        content.push_str(&folded(
            "The experiment file",
            &format!("<pre><code>{}</code></pre>\n", escape(experiment)),
        ));
    }
    let note = if part.kept.is_empty() {
        "The runs were not kept, so there are no plots over their steps and no replay; sweep with --keep-runs."
    } else if part.kept.iter().all(|(_, run)| run.trajectory.is_none()) {
        "No trajectories were recorded, so there is no replay."
    } else {
        ""
    };
    if !note.is_empty() {
        content.push_str(&format!("<p class=\"note\">{note}</p>\n"));
    }
    page.section(&id("run"), &titled("what was run"), content);
    Ok(())
}

fn renamed(charts: Vec<Chart>, prefix: &str) -> impl Iterator<Item = Chart> {
    charts.into_iter().map(move |mut chart| {
        chart.name = format!("{prefix}{}", chart.name);
        chart
    })
}

fn trade_offs(sweep: &Sweep, members: &[usize], scene: &str, several: bool) -> Vec<Chart> {
    let (prefix, suffix) = match several {
        true => (format!("{}-", file_name(scene)), format!(", {scene}")),
        false => (String::new(), String::new()),
    };
    let chart = |name: &str, title: &str, column: &str, error: &str| {
        let place = |&k: &usize| {
            let combination = &sweep.combinations[k];
            Some(trade_off::Place {
                label: combination.method_label(),
                style: sweep.style(k),
                at: (sweep.median(k, "step_us_mean")?, sweep.median(k, column)?),
            })
        };
        let words = trade_off::Words {
            name: &format!("{prefix}{name}"),
            title: &format!("{title}{suffix}"),
            points: "A point a combination, medians over seeds and repetitions",
            cost: "mean time per step, µs",
            error,
        };
        trade_off::chart(words, members.iter().filter_map(place).collect())
    };
    let charts = [
        chart(
            "work-precision",
            "Time per step and residual",
            "residual_mean",
            "mean residual, m/s",
        ),
        chart(
            "work-penetration",
            "Time per step and penetration",
            "penetration_max",
            "deepest penetration, m",
        ),
    ];
    charts.into_iter().flatten().collect()
}

/// The pictures of fits that the sweep drew, as they are.
fn fit_pictures(directory: &Path) -> Result<String, Error> {
    let cannot = |error| Error::Input(format!("cannot read '{}': {error}", directory.display()));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(cannot)? {
        let name = entry.map_err(cannot)?.file_name().to_string_lossy().into_owned();
        if name.starts_with(&format!("{REPORT}-")) && name.ends_with(".svg") {
            names.push(name);
        }
    }
    names.sort();
    let mut content = String::new();
    for name in names {
        let bytes = std::fs::read(directory.join(&name)).map_err(cannot)?;
        let fit = name
            .trim_start_matches(REPORT)
            .trim_matches('-')
            .trim_end_matches(".svg");
        content.push_str(&format!(
            "<figure class=\"picture\"><img alt=\"The steps of the first run of each combination, and the line of least squares: \
             {}\" src=\"data:image/svg+xml;base64,{}\"></figure>\n",
            escape(fit),
            STANDARD.encode(&bytes)
        ));
    }
    Ok(content)
}

/// The charts of kept runs, by scene and parameters.
fn kept_charts(page: &mut Page, part: &Part, prefix: &str, words: &str) {
    for (scene, members) in part.sweep.scenes() {
        let kept = part.kept.iter().filter(|(k, _)| members.contains(k));
        let shown: Vec<Shown<'_>> = kept
            .map(|(k, run)| Shown {
                run,
                label: part.sweep.combinations[*k].method_label(),
                style: part.sweep.style(*k),
            })
            .collect();
        if shown.is_empty() {
            continue;
        }
        let first = &shown[..shown.len().min(MOST_RUNS)];
        let mut charts = residuals::over_steps(first);
        let (headline, rest): (Vec<_>, Vec<_>) = over_time::charts(first).into_iter().partition(|found| found.headline);
        charts.extend(headline.into_iter().map(|found| found.chart));
        charts.extend(histogram::charts(first));
        let name = format!("{prefix}{}-", file_name(&scene));
        let mut content = page.figures(renamed(charts, &name));
        let rest = page.figures(renamed(rest.into_iter().map(|found| found.chart).collect(), &name));
        if !rest.is_empty() {
            content.push_str(&folded("More plots over the run", &rest));
        }
        if shown.len() > first.len() {
            content.push_str(&format!(
                "<p class=\"note\">The first {MOST_RUNS} of {} kept combinations are drawn.</p>\n",
                shown.len()
            ));
        }
        page.section(&format!("{name}runs"), &format!("{words}{scene}, first runs"), content);
    }
}
