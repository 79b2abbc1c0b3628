//! The page of runs: one, those of a comparison, or several side by side. Runs of one scene share their charts.

use super::captured::CapturedCurves;
use super::facts;
use super::figures::{Shown, histogram, over_time, profile, residuals, trade_off};
use super::html::{escape, folded};
use super::methods_table;
use super::metrics_table;
use super::page::Page;
use super::replay_section::{Recording, Replay};
use super::run_data::RunData;
use crate::error::Error;
use crate::plot::Chart;
use crate::quantity::quantity;
use crate::run_directory::file_name;
use crate::summary::Statistics;

/// What the page is made of.
#[derive(Debug)]
pub struct Runs<'a> {
    /// In words.
    pub kind: &'a str,
    /// The runs.
    pub runs: &'a [RunData],
    /// Curves of captured problems.
    pub captured: Option<CapturedCurves>,
    /// Whether trajectories are embedded whatever their size.
    pub all_trajectories: bool,
}

impl Runs<'_> {
    /// The page.
    pub fn page(&self) -> Result<Page, Error> {
        let scenes = self.scenes();
        let mut page = Page::new(self.kind, self.title(&scenes), self.lead());
        let warnings = facts::warnings(&self.warnings());
        page.section("warnings", "What went wrong", warnings);
        page.section("results", "Results", self.results(&scenes));
        self.replay(&mut page, &scenes)?;
        for scene in &scenes {
            self.charts(&mut page, scene, scenes.len() > 1);
        }
        if scenes.len() > 1 {
            let figures = page.figures(profile::over_steps(&scenes));
            page.section("profile", "All scenes", figures);
        }
        page.section("run", "What was run", self.what_was_run());
        Ok(page)
    }

    /// The runs by scene, with names and looks.
    fn scenes(&self) -> Vec<Vec<Shown<'_>>> {
        let mut names: Vec<&str> = Vec::new();
        for run in self.runs {
            if !names.contains(&run.scene()) {
                names.push(run.scene());
            }
        }
        let mut styles: Vec<String> = Vec::new();
        let mut of_scene = |scene: &str| {
            let runs: Vec<&RunData> = self.runs.iter().filter(|run| run.scene() == scene).collect();
            let label = |run: &RunData| {
                let alike = runs.iter().filter(|other| other.method() == run.method()).count();
                match alike {
                    1 => run.method().to_owned(),
                    _ => format!("{} ({})", run.method(), directory_name(run)),
                }
            };
            let labels: Vec<String> = runs.iter().map(|run| label(run)).collect();
            let shown = runs.iter().zip(labels).map(|(run, label)| {
                let style = styles.iter().position(|known| *known == label).unwrap_or_else(|| {
                    styles.push(label.clone());
                    styles.len() - 1
                });
                Shown { run, label, style }
            });
            shown.collect::<Vec<_>>()
        };
        names.into_iter().map(&mut of_scene).collect()
    }

    fn title(&self, scenes: &[Vec<Shown<'_>>]) -> String {
        let names: Vec<&str> = scenes
            .iter()
            .filter_map(|scene| Some(scene.first()?.run.scene()))
            .collect();
        match (self.runs, names.as_slice()) {
            ([run], _) => format!("{} with {}", run.scene(), run.method()),
            (_, names) if names.len() <= 3 => format!("{}: {} methods", names.join(", "), methods(scenes)),
            (_, names) => format!("{} scenes: {} methods", names.len(), methods(scenes)),
        }
    }

    fn lead(&self) -> String {
        let finished = self.runs.iter().filter(|run| run.is_finished()).count();
        let steps: u64 = self.runs.iter().map(|run| run.outcome.summary.steps).sum();
        let seconds: f64 = self.runs.iter().map(|run| run.outcome.summary.seconds).sum();
        let state = match self.runs {
            [run] => format!(
                "{} {} simulated",
                facts::badge(run.outcome.summary.status.name()),
                escape(&quantity(run.outcome.summary.time, "s"))
            ),
            runs if finished == runs.len() => format!("{} {finished} runs", facts::badge("finished")),
            runs => format!("{} {finished} of {} runs", facts::badge("failed"), runs.len()),
        };
        let steps = if steps == 1 {
            "1 step".to_owned()
        } else {
            format!("{steps} steps")
        };
        format!(
            "<p class=\"state\">{state} · {steps} · {}</p>\n",
            escape(&quantity(seconds, "s"))
        )
    }

    fn warnings(&self) -> Vec<String> {
        let unfinished = self.runs.iter().filter(|run| !run.is_finished());
        let mut lines: Vec<String> = unfinished
            .map(|run| {
                let summary = &run.outcome.summary;
                let reason = summary.message.as_deref().unwrap_or("no reason was written down");
                format!(
                    "{} with {} {}: {reason}",
                    run.scene(),
                    run.method(),
                    summary.status.name()
                )
            })
            .collect();
        for run in self.runs {
            for broken in run.summary["broken_joints"].as_array().into_iter().flatten() {
                let text = |key: &str| facts::text(&broken[key]).unwrap_or_default();
                lines.push(format!(
                    "{} with {}: joint '{}' broke at {} s of its {}",
                    run.scene(),
                    run.method(),
                    text("joint"),
                    text("time"),
                    text("cause")
                ));
            }
        }
        lines
    }

    fn results(&self, scenes: &[Vec<Shown<'_>>]) -> String {
        let mut content = methods_table::table(scenes).render();
        if self.runs.len() > 1 {
            content.push_str(
                "<p class=\"note\">★ marks the smallest value among the methods that finished the same scene. The energy drift is \
                 not ranked: friction and impacts ought to lose energy.</p>\n",
            );
        }
        for (k, scene) in scenes.iter().enumerate() {
            let table = metrics_table::table(scene, k).render();
            let words = match scenes.len() {
                1 => "All metrics".to_owned(),
                _ => format!("All metrics of {}", scene[0].run.scene()),
            };
            content.push_str(&folded(&words, &table));
        }
        content
    }

    fn charts(&self, page: &mut Page, scene: &[Shown<'_>], several: bool) {
        let name = scene[0].run.scene();
        let (prefix, heading) = match several {
            true => (format!("{}-", file_name(name)), format!("{name}: ")),
            false => (String::new(), String::new()),
        };
        let mut put = |id: &str, title: &str, charts: Vec<Chart>, more: Vec<Chart>, note: &str| {
            let renamed = |charts: Vec<Chart>| {
                charts.into_iter().map(|mut chart| {
                    chart.name = format!("{prefix}{}", chart.name);
                    chart
                })
            };
            let mut content = page.figures(renamed(charts));
            let more = page.figures(renamed(more));
            if !more.is_empty() {
                content.push_str(&folded("More plots over the run", &more));
            }
            if !note.is_empty() {
                content.push_str(&format!("<p class=\"note\">{}</p>\n", escape(note)));
            }
            page.section(&format!("{prefix}{id}"), &format!("{heading}{title}"), content);
        };
        let mut curves = residuals::over_steps(scene);
        let mut note = match curves.is_empty() {
            true => "No residuals were measured, so there are no curves of them; run with --record every.",
            false => "",
        };
        if let Some(captured) = self.captured.as_ref().map(|captured| captured.charts(scene)) {
            note = "";
            curves.splice(0..0, captured);
        }
        put("convergence", "Convergence", curves, Vec::new(), note);
        let mut trade_offs = trade_offs(scene);
        if !several {
            trade_offs.extend(profile::over_steps(std::slice::from_ref(&scene.to_vec())));
        }
        put("trade-off", "Work and precision", trade_offs, Vec::new(), "");
        let (headline, rest): (Vec<_>, Vec<_>) = over_time::charts(scene).into_iter().partition(|found| found.headline);
        let plain = |found: Vec<over_time::OverTime>| found.into_iter().map(|found| found.chart).collect::<Vec<_>>();
        let note = match scene.iter().all(|shown| shown.run.steps.is_empty()) {
            true => "No step was taken, so there is nothing to plot.",
            false => "",
        };
        put("over-time", "Over the run", plain(headline), plain(rest), note);
        let note = match scene.iter().all(|shown| shown.run.group_sizes.is_none()) {
            true => "The sizes of groups were not written down (group_sizes.csv is missing).",
            false => "",
        };
        put(
            "distributions",
            "Distributions",
            histogram::charts(scene),
            Vec::new(),
            note,
        );
    }

    fn replay(&self, page: &mut Page, scenes: &[Vec<Shown<'_>>]) -> Result<(), Error> {
        let several = scenes.len() > 1;
        let recordings = scenes.iter().flatten().filter_map(|shown| {
            let label = match several {
                true => format!("{}, {}", shown.run.scene(), shown.label),
                false => shown.label.clone(),
            };
            Some(Recording {
                label,
                path: shown.run.trajectory.clone()?,
            })
        });
        let replay = Replay::embed(recordings.collect(), self.all_trajectories)?;
        page.section("replay-section", "Replay", replay.content());
        page.set_replay(replay);
        Ok(())
    }

    fn what_was_run(&self) -> String {
        let Some(first) = self.runs.first() else {
            return String::new();
        };
        let mut content = facts::command(&first.manifest);
        let seconds = match self.runs {
            [run] => Some(run.outcome.summary.seconds),
            _ => None,
        };
        let mut pairs = facts::extent(&first.manifest, seconds);
        pairs.extend(facts::circumstances(&first.manifest));
        if let [run] = self.runs {
            let events = facts::pairs_of(&run.summary["events"]).into_iter();
            pairs.extend(events.map(|(kind, count)| (format!("Events of kind {kind}"), count)));
        }
        content.push_str(&super::html::facts(&pairs));
        let mut told: Vec<String> = Vec::new();
        for run in self.runs {
            let part = facts::scene_and_method(&run.manifest);
            for part in part.split_inclusive("</details>\n").map(str::to_owned) {
                if !told.contains(&part) {
                    told.push(part);
                }
            }
        }
        content.push_str(&told.concat());
        if self.runs.iter().all(|run| run.trajectory.is_none()) {
            content.push_str("<p class=\"note\">No trajectory was recorded, so there is no replay.</p>\n");
        }
        content
    }
}

fn methods(scenes: &[Vec<Shown<'_>>]) -> usize {
    scenes.iter().map(Vec::len).max().unwrap_or(0)
}

fn directory_name(run: &RunData) -> String {
    let name = run.outcome.directory.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Time per step against what is left: residual, and penetration.
fn trade_offs(scene: &[Shown<'_>]) -> Vec<Chart> {
    let places = |error: &str, statistic: fn(&Statistics) -> Option<f64>| {
        let place = |shown: &Shown<'_>| {
            let summary = &shown.run.outcome.summary;
            let cost = summary.metric("step_us").and_then(Statistics::mean)?;
            Some(trade_off::Place {
                label: shown.label.clone(),
                style: shown.style,
                at: (cost, summary.metric(error).and_then(statistic)?),
            })
        };
        scene
            .iter()
            .filter(|shown| shown.run.is_finished())
            .filter_map(place)
            .collect::<Vec<_>>()
    };
    let residual = trade_off::Words {
        name: "work-precision",
        title: "Time per step and residual",
        points: "A point a method that finished: its mean time per step and mean residual",
        cost: "mean time per step, µs",
        error: "mean residual, m/s",
    };
    let penetration = trade_off::Words {
        name: "work-penetration",
        title: "Time per step and penetration",
        points: "A point a method that finished: its mean time per step and deepest penetration",
        cost: "mean time per step, µs",
        error: "deepest penetration, m",
    };
    let charts = [
        trade_off::chart(residual, places("residual", Statistics::mean)),
        trade_off::chart(penetration, places("penetration_max", Statistics::max)),
    ];
    charts.into_iter().flatten().collect()
}
