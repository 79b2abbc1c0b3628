//! What `--help` adds to the lists of arguments: examples, the files of a run, exit codes. Each line that begins with
//! `drystone` is tested to parse.

/// Of the program.
pub(crate) const PROGRAM_HELP: &str = "\
Examples:
  drystone list scenes
  drystone run wall
  drystone compare wall --solver pgs --solver psor:relaxation=1.2
  drystone sweep experiment.toml
  drystone solve problems/ --solver pgs --solver psor
  drystone conformance --solver pgs

Exit codes:
  0    done
  1    a simulation failed (it diverged, or its solver did), a solver failed on a stored problem
       or does not conform, or a result could not be written
  2    the input or the call is wrong; nothing was written. Of stored problems that can't be
       read, the others were solved all the same
  130  interrupted by Ctrl-C, with the results so far written; a second Ctrl-C ends at once";

/// Of `run`.
pub(crate) const RUN_HELP: &str = "\
Examples:
  drystone run wall
  drystone run wall:rows=4,columns=6 --solver pgs:iterations=50 --duration 2
  drystone run wall --solver classical/psor:relaxation=1.2 --steps 200 --dt 0.005 --out runs/a
  drystone run my-scene.toml --record final --threads 1 --json
  drystone run wall --steps 200 --dump-problems every=50
  drystone run avalanche --solver semi-implicit:sleep=true/pgs --events
  drystone run avalanche --steps 100 --events=all

The run directory:
  manifest.json    command, scene, method with all options, seed, machine, status; written last
  scene.toml       the scene, with all parameters worked out; it can be run again
  steps.csv        one row a step; `drystone list metrics` explains the columns
  convergence.csv  step, group, iteration, residual
  summary.json     means, maxima and last values, energy drift, time per step
  events.csv       with --events: step, time, event, change, body, other, detail; `drystone list
                   events` explains them
  problems/        with --dump-problems: `step-<step>-group-<group>.json`, and `.hdf5` (FCLIB) for
                   problems of friction alone

Files appear whole or not at all. A run that is interrupted or fails keeps what it has.";

/// Of `compare`.
pub(crate) const COMPARE_HELP: &str = "\
Examples:
  drystone compare wall --solver pgs --solver psor:relaxation=1.2 --solver jacobi
  drystone compare wall tower --solver pgs:iterations=10 --solver pgs:iterations=100 --steps 200
  drystone compare wall --solver pgs --solver classical/pgs --record final --out runs/steppers
  drystone compare box-stack --solver pgs --solver jacobi --plot --capture-step 50 --steps 50

Each scene runs with each method into a run directory of its own; comparison.csv has one row for \
each. A method that fails is a row with its reason, and the others go on; the exit code is then 1.

With --plot the scene is simulated once more with the first method up to one step. The problems of that \
step, with the impulses they start from, are handed to every method's solver:
  captured.csv                scene, solver, iteration, seconds, residual
  convergence-iterations.svg  natural residual against iterations (in a folder a scene if there
                              are several)
  convergence-time.svg        the same against time: that of a solve that measures nothing, spread
                              evenly over its iterations
  rates.csv, rates.md         the factor an iteration shrinks the residual by, fitted to the tail";

/// Of `sweep`.
pub(crate) const SWEEP_HELP: &str = "\
Examples:
  drystone sweep experiment.toml
  drystone sweep experiment.toml --list
  drystone sweep experiments/ --jobs 2 --out runs/all --force
  drystone sweep tower.toml --markdown docs/tower.md

An experiment file, every option of scenes and methods a value or a list of values:
  title = \"Tower with few iterations\"
  description = \"What is claimed, and by whom.\"  # optional, Markdown
  duration = 10.0       # or steps = N; optional: else the scene's own, as for dt
  dt = 0.01
  repetitions = 3       # runs with the same everything, for times
  seeds = [1, 2]        # optional, as --seed, which is for files without seeds
  record = \"final\"      # residuals, as --record

  [[scene]]
  name = \"tower\"        # a label, optional
  spec = \"tower\"        # a catalogue name, or a scene file looked for from this file's folder
  parameters = { layers = [20, 40], friction = 0.5 }

  [[method]]
  name = \"sweeps\"
  spec = \"semi-implicit/pgs\"
  stepper = { projection-iterations = [5, 10] }
  solver = { iterations = 10 }

  [[measure]]           # a column; optional
  name = \"time per contact\"
  metric = \"step_us\"    # of `drystone list metrics`
  per = \"contacts\"      # optional: divided by this metric, step by step
  statistic = \"median\"  # mean (default) median max min first last sum, or slope with `against`
  from = 1.0            # optional window of simulated time, s
  to = 10.0

  [[fit]]               # a straight line through the steps of every run: slope, intercept, R²
  name = \"linear in contacts\"
  x = \"contacts\"
  y = \"step_us\"
  minus = \"collision_us\"  # optional: y minus this; from and to as above

  [[event-time]]        # when a condition holds for good, or with first = true for the first time
  name = \"at rest\"
  metric = \"kinetic_energy\"
  at-most = 1e-3        # or at-least

Runs are the product of scenes, parameters, methods, options, seeds and repetitions, the last varying fastest. \
All are checked before the first begins. One that fails is a row with its reason, and the others go on; the exit \
code is 1 only if all fail.

The directory:
  results.csv      a row a run, brought up to date after each. The same sweep gives the same rows but
                   for times and memory. memory_per_contact_bytes is how far the run raised the
                   program's peak above what it needs for itself, over the most contacts; empty with
                   --jobs above 1, where the system does not tell, and for runs that needed less than
                   an earlier one
  report.md        tables over seeds and repetitions, and a picture `report-<fit>.svg` for each fit
  experiment.toml  the file
  run-*/           with --keep-runs: a run directory each
  manifest.json    command, file with hash, columns, machine; written last";

/// Of `solve`.
pub(crate) const SOLVE_HELP: &str = "\
Examples:
  drystone solve problem.hdf5
  drystone solve problem.json --solver pgs --solver psor:relaxation=1.3 --record
  drystone solve fc3d/ gfc3d/ --all-solvers --time-limit 10 --jobs 2 --out runs/all
  drystone solve fc3d/ --solver pgs --reference reference --markdown problems.md --index index.csv

Tolerance, criterion, time limit and iterations are set on every solver that has such options, unless its \
spec says otherwise. Converged is who leaves a residual within the tolerance, computed from problem and \
impulses, whatever the solver says of itself.

The directory:
  problems.csv       a row for each problem and solver
  profile.svg        performance profile (Dolan and Moré): the share of problems solved within a
                     factor of the best time; who does not converge has not solved
  residual-time.svg  the residual left against the time taken
  convergence.csv    with --record: problem, solver, iteration, seconds, natural residual
  manifest.json      command, files with hashes, solvers with all options, machine; written last

A file that can't be read and a solver that fails are rows with their reasons, and the rest go on; the exit \
code is then 2 or 1. Not to converge is no failure.";

/// Of `conformance`.
pub(crate) const CONFORMANCE_HELP: &str = "\
Examples:
  drystone conformance
  drystone conformance --solver proximal
  drystone conformance --solver pgs:friction=scaled-box --solver lemke:facets=4 --details
  drystone conformance --json

Problems whose answers are known (rows with chosen solutions, one contact in closed form, boxes on slopes and \
in stacks, tangles of everything), and the contract of solvers: limits, cancelling, records, errors, the same \
bits. Each solver is judged by the law it names, with the options of its spec:
  ✓  passed
  ✗  failed; the exit code is then 1
  ·  missed, but not demanded: iterative methods on ill-conditioned problems
  –  not applicable

An exact method has its own options and must leave a natural residual of 1e-8 m/s at most; an iterative one has \
20000 iterations to reach 1e-6 m/s.";

/// Of `list`.
pub(crate) const LIST_HELP: &str = "\
Examples:
  drystone list scenes
  drystone list solvers
  drystone list events
  drystone list metrics --json";
