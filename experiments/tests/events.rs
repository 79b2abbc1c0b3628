//! `--events`: what happened, in order, at the times that free fall says, and the same for any number of threads.

mod common;

use common::{Workshop, files_in, read_csv};

/// A ball falls from rest through the gate at 1.5 m to 2 m, lands without a bounce, and lies still.
const FALL: &str = r#"
dt = 0.005
duration = 2.5

[[material]]
name = "default"
restitution = 0

[[body]]
name = "ground"
kind = "fixed"
shape.half-space = {}

[[body]]
name = "ball"
mass = 1
shape.sphere.radius = 0.25
position = [0, 0, 3]

[[body]]
name = "gate"
kind = "trigger"
shape.box.size = [2, 2, 0.5]
position = [0, 0, 1.75]

[[timer]]
name = "clock"
first = 0.103
period = 0.5
"#;

const SLEEPY: &str = "--solver semi-implicit:sleep=true/pgs --quiet";

/// Step, time, and the other five columns in one.
fn events(workshop: &Workshop, run: &str) -> Vec<(u64, f64, String)> {
    let (header, rows) = read_csv(&workshop.path(run).join("events.csv"));
    assert_eq!(header.join(","), "step,time,event,change,body,other,detail");
    let event = |row: &Vec<String>| (row[0].parse().unwrap(), row[1].parse().unwrap(), row[2..].join(","));
    rows.iter().map(event).collect()
}

fn fall(options: &str) -> Workshop {
    let workshop = Workshop::new();
    workshop.write("fall.toml", FALL);
    workshop.run(&format!("run fall.toml {SLEEPY} --out out {options}"), 0);
    workshop
}

#[test]
fn a_falling_ball_passes_the_gate_lands_and_falls_asleep() {
    let workshop = fall("--events");
    let events = events(&workshop, "out");
    let told: Vec<&(u64, f64, String)> = events
        .iter()
        .filter(|(_, _, event)| !event.starts_with("proximity") && !event.starts_with("tick"))
        .collect();
    let names: Vec<&str> = told.iter().map(|(_, _, event)| event.as_str()).collect();
    assert_eq!(
        names,
        [
            "trigger,in,ball,gate,",
            "trigger,out,ball,gate,",
            "touch,new,ground,ball,",
            "asleep,,ball,,"
        ]
    );
    // The bottom of the ball comes to the gate's top after 0.75 m, its top leaves the gate's bottom after 1.75 m, and it
    // lands after 2.75 m: t = √(2 d / g). Events are told at the ends of steps, and contact may be made one step ahead.
    for ((step, time, event), distance) in told.iter().zip([0.75, 1.75, 2.75]) {
        let expected = f64::sqrt(2.0 * distance / 9.81);
        assert!(
            (time - expected).abs() < 2.0 * 0.005,
            "{event}: {time} and not {expected}"
        );
        assert!((time - *step as f64 * 0.005).abs() < 1e-9);
    }
    let summary = workshop.json("out/summary.json");
    assert_eq!(summary["events"]["trigger"], 2);
    assert_eq!(summary["events"]["touch"], 1);
    assert_eq!(summary["events"]["asleep"], 1);
    assert_eq!(summary["events"].get("awake"), None);
    assert_eq!(workshop.json("out/manifest.json")["events"], "changes");
}

#[test]
fn a_timer_ticks_at_its_times_whatever_the_steps() {
    let workshop = fall("--events");
    let ticks: Vec<_> = events(&workshop, "out")
        .into_iter()
        .filter(|(_, _, event)| event.starts_with("tick"))
        .collect();
    let expected = [0.103, 0.603, 1.103, 1.603, 2.103];
    assert_eq!(ticks.len(), expected.len());
    for ((step, time, event), expected) in ticks.iter().zip(expected) {
        assert_eq!(event, "tick,,,,timer=clock");
        assert!((time - expected).abs() < 1e-12, "{time}");
        // Within the step it is told in.
        assert_eq!(*step, (expected / 0.005).ceil() as u64);
    }
}

#[test]
fn what_goes_on_is_only_told_of_all() {
    let goes_on = |event: &str| event.contains(",persistent,") || event.contains(",inside,");
    let changes = events(&fall("--events=changes"), "out");
    let all = fall("--events=all");
    let counted = all.json("out/summary.json")["events"]["trigger"].as_u64().unwrap();
    let all = events(&all, "out");
    assert!(changes.iter().all(|(_, _, event)| !goes_on(event)));
    let left: Vec<_> = all.iter().filter(|(_, _, event)| !goes_on(event)).cloned().collect();
    assert_eq!(left, changes);
    // It is inside in every step between going in and out.
    let step = |name: &str| all.iter().find(|(_, _, event)| event == name).unwrap().0;
    let inside = all
        .iter()
        .filter(|(_, _, event)| event == "trigger,inside,ball,gate,")
        .count() as u64;
    assert_eq!(
        inside,
        step("trigger,out,ball,gate,") - step("trigger,in,ball,gate,") - 1
    );
    assert!(all.iter().any(|(_, _, event)| event == "touch,persistent,ground,ball,"));
    assert_eq!(counted, inside + 2);
}

#[test]
fn waking_and_breaking_are_told_with_their_cause() {
    let workshop = Workshop::new();
    // A second ball lands on the first when that is long asleep; a load of 98.1 N hangs on a thread that bears 50 N.
    let second = "[[body]]\nname = \"second\"\nmass = 1\nshape.sphere.radius = 0.25\nposition = [0, 0, 12]\n";
    let load = "[[body]]\nname = \"load\"\nmass = 10\nshape.sphere.radius = 0.25\nposition = [5, 0, 3]\n";
    let thread = "[[joint]]\nname = \"thread\"\nbodies = [\"ground\", \"load\"]\ntype = \"ball\"\nanchor = [5, 0, 3]\n\
                  break = { force = 50 }\n";
    workshop.write("fall.toml", &format!("{FALL}{second}{load}{thread}"));
    workshop.run(&format!("run fall.toml {SLEEPY} --events --out out"), 0);
    let events = events(&workshop, "out");
    let at = |start: &str| {
        let found = events.iter().position(|(_, _, event)| event.starts_with(start));
        found.unwrap_or_else(|| panic!("{start}: {events:?}"))
    };
    let (step, _, broke) = &events[at("joint-broke,,ground,load,joint=thread; force=")];
    let force: f64 = broke.rsplit('=').next().unwrap().parse().unwrap();
    assert_eq!(*step, 1);
    // The sweeps of one step come close to m g.
    assert!((force - 98.1).abs() < 1.0, "{force}");
    assert!(at("asleep,,ball,,") < at("awake,,ball,,cause=contact"));
}

#[test]
fn the_file_is_the_same_for_any_number_of_threads() {
    let workshop = Workshop::new();
    for threads in [1, 2] {
        let solver = "--solver semi-implicit:sleep=true/pgs";
        let run =
            format!("run avalanche --steps 250 {solver} --events=all --threads {threads} --out {threads} --quiet");
        workshop.run(&run, 0);
    }
    let one = workshop.read("1/events.csv");
    assert!(one == workshop.read("2/events.csv"));
    for kind in ["proximity", "touch", "trigger", "tick"] {
        assert!(one.contains(&format!(",{kind},")), "{kind}");
    }
}

#[test]
fn there_is_a_file_only_if_asked_for_and_force_clears_it() {
    let workshop = fall("--events");
    assert!(files_in(&workshop.path("out")).contains(&"events.csv".to_owned()));
    workshop.run(&format!("run fall.toml {SLEEPY} --out out --steps 3 --force"), 0);
    assert!(!files_in(&workshop.path("out")).contains(&"events.csv".to_owned()));
    assert_eq!(workshop.json("out/summary.json").get("events"), None);
    assert_eq!(workshop.json("out/manifest.json").get("events"), None);
}

#[test]
fn every_run_of_a_comparison_has_its_own() {
    let workshop = Workshop::new();
    workshop.write("fall.toml", FALL);
    let run = "compare fall.toml --solver pgs --solver psor --steps 90 --events --out both --quiet";
    workshop.run(run, 0);
    for method in ["pgs", "psor"] {
        let told = events(&workshop, &format!("both/fall.toml-{method}"));
        assert!(
            told.iter().any(|(_, _, event)| event == "trigger,in,ball,gate,"),
            "{told:?}"
        );
    }
}

#[test]
fn the_table_counts_them_and_the_list_explains_them() {
    let workshop = Workshop::new();
    workshop.write("fall.toml", FALL);
    let (table, _) = workshop.run("run fall.toml --events --steps 120 --out out", 0);
    assert!(table.contains("events: proximity"), "{table}");
    assert!(table.contains("trigger 2, tick 1"), "{table}");
    let (list, _) = workshop.run("list events", 0);
    for text in ["in inside out", "new persistent vanishing", "joint-broke", "timer=NAME"] {
        assert!(list.contains(text), "{text}:\n{list}");
    }
}
