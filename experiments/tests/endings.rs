//! Runs that do not reach their end keep what they have.

mod common;

use common::{ROCKET, Workshop, column, files_in, read_csv};
use drystone_experiments::trajectory::Trajectory;

#[test]
fn a_run_that_diverges_says_where_and_keeps_its_steps() {
    let workshop = Workshop::new();
    workshop.write("rocket.toml", ROCKET);
    let (stdout, stderr) = workshop.run("run rocket.toml --out out", 1);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(
        stderr.starts_with("error: the simulation diverged at step 3"),
        "{stderr}"
    );
    assert!(stderr.contains("body 'rocket'"), "{stderr}");
    assert!(stdout.contains("failed, 2 of 10 steps"), "{stdout}");

    assert_eq!(column(&workshop.path("out/steps.csv"), "step"), [1.0, 2.0]);
    // 3 · 10³⁰⁷ kg m/s: large, but a number; its energy no longer is.
    assert_eq!(column(&workshop.path("out/steps.csv"), "momentum_x")[0], 3e307);
    let manifest = workshop.json("out/manifest.json");
    assert_eq!((&manifest["status"], &manifest["steps"]), (&"failed".into(), &2.into()));
    assert!(manifest["message"].as_str().unwrap().contains("'rocket'"));
    assert_eq!(workshop.json("out/summary.json")["status"], "failed");
    // Its trajectory has the steps that it took.
    let trajectory = Trajectory::read(&workshop.path("out/trajectory.bin")).unwrap();
    assert_eq!((trajectory.frames(), trajectory.frame(2).unwrap().step), (3, 2));
    assert!(
        files_in(&workshop.path("out"))
            .iter()
            .all(|name| !name.ends_with(".partial"))
    );
}

#[cfg(unix)]
mod signals {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    const PATIENCE: Duration = Duration::from_secs(60);

    fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < PATIENCE, "waited too long for {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts the program, waits until the steps of a run are being written aside, and sends it a signal.
    fn interrupted(workshop: &Workshop, line: &str, aside: &str, signal: &str) -> (Option<i32>, String) {
        let mut child: Child = Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args(line.split_whitespace())
            .current_dir(workshop.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let aside = workshop.path(aside);
        wait_until("the first steps", || aside.metadata().is_ok_and(|file| file.len() > 0));
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        wait_until("the end", || child.try_wait().unwrap().is_some());
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }

    fn check_interrupted_run(workshop: &Workshop, run: &str) {
        let manifest = workshop.json(&format!("{run}/manifest.json"));
        assert_eq!(manifest["status"], "interrupted");
        let (_, rows) = read_csv(&workshop.path(run).join("steps.csv"));
        assert_eq!(manifest["steps"], rows.len());
        assert!(!rows.is_empty() && rows.len() < 1_000_000);
        assert!(workshop.read(&format!("{run}/steps.csv")).ends_with('\n'));
        let convergence = column(&workshop.path(run).join("convergence.csv"), "step");
        assert_eq!(convergence.last(), Some(&(rows.len() as f64)));
        assert_eq!(workshop.json(&format!("{run}/summary.json"))["steps"], rows.len());
        // Sweeps keep no trajectory unless they say so; of the others, the last state is in it.
        if workshop.path(run).join("trajectory.bin").exists() {
            let trajectory = Trajectory::read(&workshop.path(run).join("trajectory.bin")).unwrap();
            let last = trajectory.frame(trajectory.frames() - 1).unwrap();
            assert_eq!(last.step, rows.len() as u64);
        } else {
            assert!(run.contains("run-1-"));
        }
        assert!(
            files_in(&workshop.path(run))
                .iter()
                .all(|name| !name.ends_with(".partial"))
        );
    }

    /// Files may have no bytes at all, as if the disk were full.
    #[test]
    fn a_run_that_cannot_write_says_so_and_nothing_else() {
        let workshop = Workshop::new();
        let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" run box-stack --steps 3 --out out";
        let output = Command::new("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_drystone")])
            .current_dir(workshop.path(""))
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.starts_with("error: cannot write 'out/"), "{stderr}");
    }

    #[test]
    fn ctrl_c_and_termination_end_a_run_cleanly() {
        for signal in ["-INT", "-TERM"] {
            let workshop = Workshop::new();
            let line = "run box-stack:count=3 --steps 1000000 --out out";
            let (code, stdout) = interrupted(&workshop, line, "out/.steps.csv.partial", signal);
            assert_eq!(code, Some(130), "{signal}");
            assert!(
                stdout.contains("interrupted,") && stdout.contains("of 1000000 steps"),
                "{stdout}"
            );
            check_interrupted_run(&workshop, "out");
        }
    }

    #[test]
    fn an_interrupted_comparison_keeps_the_runs_it_has() {
        let workshop = Workshop::new();
        let line = "compare box-stack:count=3 --solver pgs --solver jacobi --steps 1000000 --out out";
        let run = "out/box-stack-count=3-pgs";
        let (code, stdout) = interrupted(&workshop, line, &format!("{run}/.steps.csv.partial"), "-INT");
        assert_eq!(code, Some(130));
        assert!(stdout.contains("interrupted after"), "{stdout}");
        check_interrupted_run(&workshop, run);
        let (_, rows) = read_csv(&workshop.path("out/comparison.csv"));
        assert_eq!(rows.len(), 1);
        assert!(!workshop.path("out/box-stack-count=3-jacobi").exists());
    }

    #[test]
    fn an_interrupted_sweep_keeps_the_runs_it_has() {
        let workshop = Workshop::new();
        workshop.write(
            "x.toml",
            "title = \"x\"\nsteps = 1000000\n[[scene]]\nspec = \"box-stack:count=3\"\n\
             [[method]]\nspec = \"pgs\"\n[[method]]\nspec = \"jacobi\"\n",
        );
        let run = "out/run-1-box-stack-count=3-pgs";
        let aside = format!("{run}/.steps.csv.partial");
        let (code, stdout) = interrupted(&workshop, "sweep x.toml --keep-runs --out out", &aside, "-INT");
        assert_eq!(code, Some(130));
        assert!(stdout.contains("interrupted with 1 of 2 runs left"), "{stdout}");
        check_interrupted_run(&workshop, run);
        let (_, rows) = read_csv(&workshop.path("out/results.csv"));
        assert_eq!((rows.len(), rows[0][7].as_str()), (1, "interrupted"));
        assert_eq!(workshop.json("out/manifest.json")["status"], "interrupted");
    }

    /// A hundred problems of a second each would take minutes.
    #[test]
    fn an_interrupted_solve_keeps_the_problems_it_has() {
        let workshop = Workshop::new();
        std::fs::create_dir(workshop.path("problems")).unwrap();
        // M = [1 2; 2 1] and q = (−1, −1): from (0, 0) Jacobi goes to (1, 1), and from there back.
        let cycle = "2 0 2 2 2 2 1 2 2 1 -1 -1";
        for number in 0..100 {
            let text = if number == 0 { "1 0 1 1 1 1 2 -1" } else { cycle };
            workshop.write(&format!("problems/{number:03}.dat"), text);
        }
        let line = "solve problems --solver jacobi:relaxation=1 --iterations 1000000000 --time-limit 1 --out out";
        let (code, stdout) = interrupted(&workshop, line, "out/problems.csv", "-INT");
        assert_eq!(code, Some(130));
        assert!(stdout.contains("interrupted with"), "{stdout}");
        let (_, rows) = read_csv(&workshop.path("out/problems.csv"));
        assert!(!rows.is_empty() && rows.len() < 100);
        assert_eq!(rows.last().unwrap()[6], "interrupted");
        assert_eq!(workshop.json("out/manifest.json")["status"], "interrupted");
    }
}
