//! `drystone sweep --shard` and `--collect`: a sweep split over machines, and put together again.

mod common;

use common::{ROCKET, Workshop, files_in, physics, read_csv};
use serde_json::Value;

const EXPERIMENT: &str = r#"title = "Split"
steps = 10
repetitions = 2

[[scene]]
name = "stack"
spec = "box-stack"
parameters = { count = { from = 1, to = 3, step = 1 } }

[[scene]]
spec = "./rocket.toml"

[[method]]
spec = "pgs"
solver = { iterations = [5, 10] }

[[fit]]
name = "time is linear"
x = "step"
y = "time"
"#;

fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.write("rocket.toml", ROCKET);
    workshop.write("split.toml", EXPERIMENT);
    workshop
}

fn numbers(workshop: &Workshop, directory: &str) -> Vec<usize> {
    let (_, rows) = read_csv(&workshop.path(directory).join("results.csv"));
    rows.iter().map(|row| row[0].parse().unwrap()).collect()
}

#[test]
fn shards_joined_are_the_sweep_that_was_not_split() {
    let workshop = workshop();
    workshop.run("sweep split.toml --out whole --keep-runs --quiet", 0);
    let mut all = Vec::new();
    for shard in 1..=3 {
        let line = format!("sweep split.toml --shard {shard}/3 --out part-{shard} --keep-runs --quiet");
        workshop.run(&line, 0);
        let part = numbers(&workshop, &format!("part-{shard}"));
        // 16 runs on three: 6, 5 and 5.
        assert!((5..=6).contains(&part.len()), "{part:?}");
        all.extend(part);
        let manifest = workshop.json(&format!("part-{shard}/manifest.json"));
        assert_eq!(manifest["shard"], format!("{shard}/3"));
        assert_eq!(
            (&manifest["runs_of_sweep"], &manifest["status"]),
            (&16.into(), &"finished".into())
        );
    }
    all.sort_unstable();
    assert_eq!(all, (1..=16).collect::<Vec<_>>());

    // The scene is not needed for joining; nor does the order of the parts matter.
    std::fs::remove_file(workshop.path("rocket.toml")).unwrap();
    let (stdout, stderr) = workshop.run(
        "sweep --collect part-3 part-1 part-2 --out joined --markdown page.md",
        0,
    );
    assert_eq!(stderr, "");
    assert!(
        stdout.contains("Split: 16 runs of 2 scenes, 1 method, 2 repetitions"),
        "{stdout}"
    );
    assert_eq!(physics(&workshop, "joined"), physics(&workshop, "whole"));
    assert_eq!(files_in(&workshop.path("joined")), files_in(&workshop.path("whole")));
    let picture = "report-time-is-linear.svg";
    assert_eq!(
        workshop.read(&format!("joined/{picture}")),
        workshop.read(&format!("whole/{picture}"))
    );
    assert_eq!(workshop.read("joined/experiment.toml"), EXPERIMENT);
    assert!(workshop.read("page.md").contains("from 3 parts made on "));
    let run = "run-03-stack-count=1-pgs-iterations=10/steps.csv";
    assert_eq!(workshop.read(&format!("joined/{run}")).lines().count(), 11);

    let manifest = workshop.json("joined/manifest.json");
    assert_eq!(manifest["status"], "finished");
    let parts = manifest["parts"].as_array().unwrap();
    let shards: Vec<&Value> = parts.iter().map(|part| &part["shard"]).collect();
    assert_eq!(shards, ["3/3", "1/3", "2/3"]);
    for part in parts {
        assert!(part["launches"][0]["machine"]["cores"].is_u64(), "{part}");
        assert_eq!(
            part["runs"],
            numbers(&workshop, part["directory"].as_str().unwrap()).len()
        );
    }
}

#[test]
fn what_is_missing_is_listed_and_can_be_made_up_for() {
    let workshop = workshop();
    workshop.run("sweep split.toml --out whole --quiet", 0);
    for shard in [1, 3] {
        workshop.run(
            &format!("sweep split.toml --shard {shard}/3 --out part-{shard} --quiet"),
            0,
        );
    }
    // The third machine was killed in its second run.
    let text = workshop.read("part-3/runs.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    workshop.write(
        "part-3/runs.jsonl",
        &format!("{}{}", lines[..2].concat(), &lines[2][..40]),
    );
    let here = numbers(&workshop, "part-3");
    let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let (stdout, stderr) = workshop.run("sweep --collect part-1 part-3 --out joined --json", 1);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let missing = report["experiments"][0]["missing_runs"].as_array().unwrap();
    assert_eq!(missing.len(), 16 - numbers(&workshop, "part-1").len() - 1);
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
    assert!(
        stderr.contains("Split: shard 2/3 is missing, with its 5 runs: 2, 4, 9"),
        "{stderr}"
    );
    let of_three = format!("of shard 3/3 4 runs are missing: {}", list(&here[1..]));
    assert!(stderr.contains(&of_three), "{of_three}: {stderr}");
    let manifest = workshop.json("joined/manifest.json");
    assert_eq!(manifest["status"], "incomplete");
    assert_eq!(manifest["missing_runs"].as_array(), Some(missing));
    assert!(workshop.read("joined/report.md").contains("9 of 16 runs are missing"));

    // The joined directory is that of a sweep like any other.
    workshop.run("sweep split.toml --out joined --resume --quiet", 0);
    assert_eq!(physics(&workshop, "joined"), physics(&workshop, "whole"));
    // And so is the part.
    workshop.run("sweep split.toml --out part-3 --shard 3/3 --resume --quiet", 0);
    assert_eq!(numbers(&workshop, "part-3"), here);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let workshop = workshop();
    workshop.write("other.toml", &EXPERIMENT.replace("steps = 10", "steps = 11"));
    for (name, line) in [
        ("one", "sweep split.toml --shard 1/2"),
        ("again", "sweep split.toml --shard 1/2"),
        ("third", "sweep split.toml --shard 1/3"),
        ("other", "sweep other.toml --shard 2/2"),
        ("seeded", "sweep split.toml --shard 2/2 --seed 3"),
    ] {
        workshop.run(&format!("{line} --out {name} --quiet"), 0);
    }
    std::fs::create_dir(workshop.path("nothing")).unwrap();
    let before = workshop.listing();
    for (line, fragment) in [
        ("--collect one again", "run 1 is both in 'one' and in 'again'"),
        ("--collect one one", "run 1 is both in 'one' and in 'one'"),
        ("--collect one other", "the experiment file differs"),
        ("--collect one seeded", "--seed (none and 3) differs"),
        ("--collect one third", "one is shard 1/2, the other 1/3"),
        ("--collect one nothing", "'nothing' is no directory of a sweep"),
        ("--collect one missing", "cannot read 'missing'"),
        ("--collect one .", "collect them apart"),
        ("--collect", "--collect"),
        ("split.toml --collect one", "cannot be used with"),
        ("--collect one --shard 1/2", "cannot be used with"),
        ("split.toml --shard 3/2", "K from 1 to N"),
    ] {
        let (stdout, stderr) = workshop.run(&format!("sweep {line} --out joined"), 2);
        assert_eq!((stdout.as_str(), stderr.lines().count()), ("", 1), "{line}: {stderr}");
        assert!(stderr.contains(fragment), "{line}: {stderr}");
    }
    let (_, stderr) = workshop.run("sweep --collect one --out one --force", 2);
    assert!(stderr.contains("'one' is one of the parts"), "{stderr}");
    assert_eq!(workshop.listing(), before, "a refused collection wrote something");
    assert_eq!(numbers(&workshop, "one").len(), 8);
    workshop.write("one/experiment.toml", "title = \"x\"\n");
    let (_, stderr) = workshop.run("sweep --collect one --out joined", 2);
    assert!(stderr.contains("was changed since its sweep began"), "{stderr}");
}

#[test]
fn folders_of_several_experiments_are_split_resumed_and_joined() {
    let workshop = workshop();
    std::fs::create_dir(workshop.path("all")).unwrap();
    for name in ["a", "b"] {
        let text = EXPERIMENT.replace("Split", name).replace("./rocket", "../rocket");
        workshop.write(&format!("all/{name}.toml"), &text);
    }
    workshop.run("sweep all --out whole --quiet", 0);
    for shard in 1..=2 {
        let line = format!("sweep all --shard {shard}/2 --out part-{shard} --quiet");
        workshop.run(&line, 0);
        // Resumed, it has nothing to do.
        let (stdout, _) = workshop.run(&format!("{line} --resume --json"), 0);
        let report: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(report["experiments"][1]["resumed_runs"], 8);
        assert_eq!(report["experiments"][1]["shard"], format!("{shard}/2"));
    }
    let (stdout, _) = workshop.run("sweep --collect part-1 part-2 --out joined --json", 0);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["experiments"][0]["directory"], "joined/a");
    assert_eq!(report["experiments"][1]["rows"].as_array().unwrap().len(), 16);
    for name in ["a", "b"] {
        assert_eq!(
            physics(&workshop, &format!("joined/{name}")),
            physics(&workshop, &format!("whole/{name}"))
        );
    }
}

/// The same cells as in results.csv, with their types: read back by the reader of the library that wrote them.
#[test]
fn parquet_has_the_rows_of_the_csv_file() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let workshop = workshop();
    workshop.run("sweep split.toml --out part --shard 1/1 --seed 7 --parquet --quiet", 0);
    workshop.run("sweep --collect part --out joined --parquet --quiet", 0);
    for directory in ["part", "joined"] {
        let (header, rows) = read_csv(&workshop.path(directory).join("results.csv"));
        let file = std::fs::File::open(workshop.path(directory).join("results.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let mut seen = 0;
        for (row, expected) in reader.get_row_iter(None).unwrap().zip(&rows) {
            let row = row.unwrap();
            let found: Vec<(&String, &Field)> = row.get_column_iter().collect();
            assert_eq!(found.len(), header.len());
            for (((name, field), column), cell) in found.into_iter().zip(&header).zip(expected) {
                assert_eq!(name, column);
                match field {
                    Field::Null => assert_eq!(cell, "", "{name}"),
                    Field::Str(text) => assert_eq!(text, cell, "{name}"),
                    Field::Long(count) => assert_eq!(count.to_string(), *cell, "{name}"),
                    Field::Double(number) => assert_eq!(*number, cell.parse::<f64>().unwrap(), "{name}"),
                    other => panic!("{name}: {other:?}"),
                }
            }
            seen += 1;
        }
        assert_eq!((seen, rows.len()), (16, 16));
    }
    // Resumed without it, no stale file stays behind.
    workshop.run("sweep split.toml --out part --shard 1/1 --seed 7 --resume --quiet", 0);
    assert!(!workshop.path("part/results.parquet").exists());
}

/// There may be more machines than runs.
#[test]
fn an_empty_shard_is_no_failure() {
    let workshop = Workshop::new();
    workshop.write(
        "one.toml",
        "title = \"One\"\nsteps = 2\n[[scene]]\nspec = \"two-balls\"\n[[method]]\nspec = \"pgs\"\n",
    );
    let (stdout, _) = workshop.run("sweep one.toml --shard 2/2 --list", 0);
    assert!(
        stdout.contains("One: 1 run of 1 scene, 1 method; shard 2/2 has 0"),
        "{stdout}"
    );
    workshop.run("sweep one.toml --shard 1/2 --quiet", 0);
    workshop.run("sweep one.toml --shard 2/2 --quiet", 0);
    let parts = "runs/sweep-One-shard-1-of-2-1 runs/sweep-One-shard-2-of-2-1";
    workshop.run(&format!("sweep --collect {parts} --out joined --quiet"), 0);
    assert_eq!(numbers(&workshop, "joined"), [1]);
}
