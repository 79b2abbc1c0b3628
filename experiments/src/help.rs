//! What `--help` adds to the lists of arguments: examples, the files of a run, exit codes. Each line that begins with
//! `drystone` is tested to parse.

/// Of the program.
pub(crate) const PROGRAM_HELP: &str = "\
Examples:
  drystone list scenes
  drystone run wall
  drystone compare wall --solver pgs --solver psor:relaxation=1.2

Exit codes:
  0    done
  1    a simulation failed (it diverged, or its solver did), or a result could not be written
  2    the input or the call is wrong; nothing was written
  130  interrupted by Ctrl-C, with the results so far written; a second Ctrl-C ends at once";

/// Of `run`.
pub(crate) const RUN_HELP: &str = "\
Examples:
  drystone run wall
  drystone run wall:rows=4,columns=6 --solver pgs:iterations=50 --duration 2
  drystone run wall --solver classical/psor:relaxation=1.2 --steps 200 --dt 0.005 --out runs/a
  drystone run my-scene.toml --record final --threads 1 --json

The run directory:
  manifest.json    command, scene, method with all options, seed, machine, status; written last
  scene.toml       the scene, with all parameters worked out; it can be run again
  steps.csv        one row a step; `drystone list metrics` explains the columns
  convergence.csv  step, group, iteration, residual
  summary.json     means, maxima and last values, energy drift, time per step

Files appear whole or not at all. A run that is interrupted or fails keeps what it has.";

/// Of `compare`.
pub(crate) const COMPARE_HELP: &str = "\
Examples:
  drystone compare wall --solver pgs --solver psor:relaxation=1.2 --solver jacobi
  drystone compare wall tower --solver pgs:iterations=10 --solver pgs:iterations=100 --steps 200
  drystone compare wall --solver pgs --solver classical/pgs --record final --out runs/steppers

Each scene runs with each method into a run directory of its own; comparison.csv has one row for
each. A method that fails is a row with its reason, and the others go on; the exit code is then 1.";

/// Of `list`.
pub(crate) const LIST_HELP: &str = "\
Examples:
  drystone list scenes
  drystone list solvers
  drystone list metrics --json";
