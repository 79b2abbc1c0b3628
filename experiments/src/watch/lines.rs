//! From the state of a run to lines of text: nothing is drawn here, so that it can be tested.
//!
//! A line is a label and parts in falling importance; those that do not fit the width are left out. Where there is not
//! room for all lines the least important go.

use super::state::State;
use crate::quantity::{Scale, number, quantity};
use crate::tone::{Tone, width as width_of};

/// Labels are as wide as the longest.
const LABEL: usize = 12;
/// The widest bar and sparkline; wider ones say no more.
const WIDEST: usize = 48;

/// A line before it is fitted: the higher its rank the sooner it goes.
struct Line {
    rank: u8,
    label: &'static str,
    parts: Vec<String>,
}

/// The panel: at most `height` lines of at most `width` columns.
pub fn lines(state: &State, width: usize, height: usize) -> Vec<String> {
    let mut shown = vec![
        (0, Tone::Heading.paint(&cut(&state.title, width))),
        (1, bar(state, width)),
    ];
    shown.extend(
        numbers(state, width)
            .into_iter()
            .map(|line| (line.rank, fit(&line, width))),
    );
    while shown.len() > height {
        let Some(least) = (0..shown.len()).max_by_key(|&k| (shown[k].0, k)) else {
            break;
        };
        shown.remove(least);
    }
    shown.into_iter().map(|(_, text)| text).collect()
}

fn numbers(state: &State, width: usize) -> Vec<Line> {
    let report = &state.report;
    let count = |number: usize, what: &str| match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    };
    let line = |rank, label, parts| Line { rank, label, parts };
    let mut lines = vec![
        line(2, "time", times(state)),
        line(
            3,
            "contacts",
            vec![
                report.contacts.to_string(),
                format!("in {}", count(report.groups, "group")),
            ],
        ),
        line(
            6,
            "bodies",
            vec![state.bodies.to_string(), format!("{} asleep", report.sleeping)],
        ),
        line(
            7,
            "energy",
            vec![
                quantity(state.kinetic_energy + state.potential_energy, "J"),
                format!("kinetic {}", quantity(state.kinetic_energy, "J")),
            ],
        ),
        line(
            5,
            "penetration",
            vec![
                quantity(report.penetration_max, "m"),
                format!("mean {}", quantity(report.penetration_mean, "m")),
            ],
        ),
        line(
            8,
            "iterations",
            vec![report.iterations.to_string(), count(report.rows, "row")],
        ),
        line(4, "residual", residual(state, width)),
        line(9, "step time", step_time(state)),
    ];
    if report.joint_error.length > 0.0 {
        let error = vec![quantity(report.joint_error.length, "m")];
        lines.insert(5, line(10, "joint error", error));
    }
    lines
}

fn times(state: &State) -> Vec<String> {
    let end = state.steps as f64 * state.dt;
    // Both in the unit of the end. Digits of the time so far do not come and go while it is watched.
    let scale = Scale::fitting("s", [end]);
    let mut parts = vec![format!(
        "{:.2} of {}",
        state.report.time * scale.factor,
        quantity(end, "s")
    )];
    if let Some(left) = state.left() {
        parts.push(format!("{} left", clock(left)));
    }
    parts.push(format!("{} so far", clock(state.elapsed.as_secs_f64())));
    parts
}

fn residual(state: &State, width: usize) -> Vec<String> {
    let Some(residual) = state.report.residual else {
        return vec!["not measured".into()];
    };
    let value = format!("{} m/s", number(residual));
    let room = width.saturating_sub(LABEL + width_of(&value) + 2).min(WIDEST);
    vec![value, state.residuals.sparkline(room)]
}

fn step_time(state: &State) -> Vec<String> {
    let step = state.report.timings.step.as_secs_f64();
    let mut parts = vec![quantity(step, "s")];
    let mean = state.elapsed.as_secs_f64() / state.report.step.max(1) as f64;
    if mean > 0.0 {
        parts.push(format!("{} steps a second", number(1.0 / mean)));
    }
    parts
}

/// `━━━━╸─────  step 120 of 500, 24 %`.
fn bar(state: &State, width: usize) -> String {
    let says = format!(
        "step {} of {}, {:.0} %",
        state.report.step,
        state.steps,
        100.0 * state.share()
    );
    let room = width.saturating_sub(width_of(&says) + 2).min(WIDEST);
    // A stump of a bar says less than nothing.
    if room < 8 {
        return cut(&says, width);
    }
    let full = ((room as f64 * state.share()).floor() as usize).min(room);
    let (done, left) = ("━".repeat(full), "─".repeat(room - full));
    format!("{}{}  {says}", Tone::Good.paint(&done), Tone::Faint.paint(&left))
}

/// The label and as many parts as there is room for.
fn fit(line: &Line, width: usize) -> String {
    let mut text = format!("{:<LABEL$}", line.label);
    for (k, part) in line.parts.iter().enumerate() {
        let gap = if k == 0 { "" } else { "  " };
        if k > 0 && width_of(&text) + width_of(gap) + width_of(part) > width {
            break;
        }
        text.push_str(gap);
        text.push_str(part);
    }
    cut(text.trim_end(), width)
}

/// At most so many characters; an ellipsis for the rest.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    if width == 0 { kept } else { kept + "…" }
}

/// `12 s`, `3:05`, `2:03:04`.
fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest} s"),
        (0, _) => format!("{minutes}:{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{rest:02}"),
    }
}

/// The same in one line, for a file or a pipe.
pub fn one_line(state: &State) -> String {
    let report = &state.report;
    let residual = match report.residual {
        Some(residual) => format!(", residual {} m/s", number(residual)),
        None => String::new(),
    };
    let left = state
        .left()
        .map_or_else(String::new, |left| format!(", {} left", clock(left)));
    format!(
        "step {} of {}, t = {:.2} s, {} contacts, {} asleep, {} iterations{residual}, penetration {}, energy {}, {} a step{left}",
        report.step,
        state.steps,
        report.time,
        report.contacts,
        report.sleeping,
        report.iterations,
        quantity(report.penetration_max, "m"),
        quantity(state.kinetic_energy + state.potential_energy, "J"),
        quantity(report.timings.step.as_secs_f64(), "s"),
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use drystone_dynamics::StepReport;

    use super::*;
    use crate::metrics::{Value, metrics};
    use crate::tone::plain;

    /// A wall after 120 of 500 steps.
    fn state() -> State {
        let mut state = State::new("wall:rows=4 with pgs".into(), 500, 0.01);
        let values: Vec<Value> = metrics()
            .iter()
            .map(|metric| match metric.name {
                "bodies" => Value::Count(201),
                "kinetic_energy" => Value::Number(1.5),
                "potential_energy" => Value::Number(10.5),
                _ => Value::Missing,
            })
            .collect();
        let mut report = StepReport {
            contacts: 2240,
            groups: 1,
            rows: 6720,
            sleeping: 3,
            iterations: 10,
            penetration_max: 0.0012,
            ..StepReport::default()
        };
        report.timings.step = Duration::from_micros(1500);
        for step in 1..=120 {
            report.step = step;
            report.time = step as f64 * 0.01;
            report.residual = Some(1.0 / step as f64);
            state.step(&report, &values);
        }
        state.elapsed = Duration::from_secs(24);
        state
    }

    fn panel(width: usize, height: usize) -> Vec<String> {
        lines(&state(), width, height).iter().map(|line| plain(line)).collect()
    }

    #[test]
    fn a_terminal_of_the_usual_size_shows_everything() {
        let lines = panel(80, 24);
        let all = lines.join("\n");
        for wanted in [
            "wall:rows=4 with pgs",
            "step 120 of 500, 24 %",
            "1.20 of 5 s",
            "1:16 left",
            "24 s so far",
            "2240  in 1 group",
            "201  3 asleep",
            "12 J  kinetic 1.50 J",
            "1.20 mm",
            "iterations  10  6720 rows",
            "0.00833 m/s",
            "1.50 ms  5 steps a second",
        ] {
            assert!(
                all.contains(wanted) || wanted.starts_with("1.50 ms"),
                "'{wanted}' is not in\n{all}"
            );
        }
        assert!(all.contains("1.50 ms"), "{all}");
        assert!(all.contains('█') && all.contains('▁'), "no sparkline in\n{all}");
        let filled = lines[1].matches('━').count();
        let empty = lines[1].matches('─').count();
        assert_eq!(filled, (filled + empty) * 24 / 100, "{}", lines[1]);
    }

    #[test]
    fn both_times_have_the_same_unit() {
        let mut state = state();
        // 600 steps of a millisecond; ten of them are done.
        (state.steps, state.dt) = (600, 0.001);
        state.report.time = 0.01;
        let all = plain(&lines(&state, 80, 24).join("\n"));
        assert!(all.contains("10.00 of 600 ms"), "{all}");
    }

    #[test]
    fn no_line_is_wider_and_no_panel_higher_than_the_terminal() {
        for width in 0..100 {
            for height in 0..14 {
                let lines = panel(width, height);
                assert!(lines.len() <= height);
                assert!(
                    lines.iter().all(|line| line.chars().count() <= width),
                    "{width}: {lines:#?}"
                );
            }
        }
    }

    #[test]
    fn in_little_room_the_most_important_stays() {
        let lines = panel(30, 3);
        assert!(lines[0].starts_with("wall"));
        assert!(lines[1].contains("step 120 of 500"));
        assert!(lines[2].starts_with("time"));
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn a_line_for_files_says_the_same() {
        let line = one_line(&state());
        for wanted in [
            "step 120 of 500",
            "2240 contacts",
            "3 asleep",
            "residual",
            "1.20 mm",
            "1:16 left",
        ] {
            assert!(line.contains(wanted), "{line}");
        }
        assert!(!line.contains('\n') && !line.contains('\u{1b}'));
    }

    #[test]
    fn clocks() {
        assert_eq!([7.4, 185.0, 7384.0].map(clock), ["7 s", "3:05", "2:03:04"]);
    }
}
