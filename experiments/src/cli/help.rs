//! What `--help` adds to the lists of arguments: examples, the files of a run, exit codes. Each line that begins with
//! `drystone` is tested to parse.

/// Of the program.
pub(super) const PROGRAM_HELP: &str = "\
Examples:
  drystone list scenes
  drystone run wall
  drystone compare wall --solver pgs --solver psor:relaxation=1.2
  drystone sweep experiment.toml
  drystone sweep papers/erleben-2005 --only 01-ball-grid
  drystone solve problems/ --solver pgs --solver psor
  drystone conformance --solver pgs
  drystone init my-scene
  drystone view runs/wall-pgs-1

Exit codes:
  0    done
  1    a simulation failed (it diverged, or its solver did), a solver failed on a stored problem
       or does not conform, or a result could not be written
  2    the input or the call is wrong; nothing was written. Of stored problems that can't be
       read, the others were solved all the same
  130  interrupted by Ctrl-C, with the results so far written; a second Ctrl-C ends at once";

/// Of `run`.
pub(super) const RUN_HELP: &str = "\
Examples:
  drystone run wall
  drystone run wall:rows=4,columns=6 --solver pgs:iterations=50 --duration 2
  drystone run wall --solver classical/psor:relaxation=1.2 --steps 200 --dt 0.005 --out runs/a
  drystone run my-scene.toml --record final --threads 1 --json
  drystone run wall --steps 200 --dump-problems every=50
  drystone run avalanche --solver semi-implicit:sleep=true/pgs --events
  drystone run avalanche --steps 100 --events=all
  drystone run wall --watch
  drystone run wall -vv --color never
  drystone run silo --trajectory 25
  drystone run silo --trajectory none

The run directory:
  manifest.json    command, scene, method with all options, seed, machine, status; written when all
                   results are, before report.html
  scene.toml       the scene, with all parameters worked out; it can be run again
  steps.csv        one row a step; `drystone list metrics` explains the columns
  convergence.csv  step, group, iteration, residual
  summary.json     means, maxima and last values, energy drift, time per step
  group_sizes.csv  how many contact groups of each size there were, over all steps
  trajectory.bin   poses, sleep, groups, layers and contacts in frames; unless --trajectory none
  events.csv       with --events: step, time, event, change, body, other, detail; `drystone list
                   events` explains them
  report.html      all of it as a page; its plots are in plots/
  problems/        with --dump-problems: `step-<step>-group-<group>.json`, and `.hdf5` (FCLIB) for
                   problems of friction alone

Files appear whole or not at all. A run that is interrupted or fails keeps what it has.";

/// Of `compare`.
pub(super) const COMPARE_HELP: &str = "\
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
  rates.csv, rates.md         the factor an iteration shrinks the residual by, fitted to the tail

report.html shows all of it, the methods over each other; `drystone view` opens it.";

/// Of `sweep`.
pub(super) const SWEEP_HELP: &str = "\
Examples:
  drystone sweep experiment.toml
  drystone sweep experiment.toml --list
  drystone sweep experiments/ --jobs 2 --out runs/all --force
  drystone sweep tower.toml --markdown docs/tower.md
  drystone sweep papers/erleben-2005 --only 01-ball-grid,05-see-saw --out runs/erleben
  drystone sweep papers/erleben-2005 --markdown papers/erleben-2005/results --check-claims
  drystone sweep tower.toml --out runs/tower --resume
  drystone sweep tower.toml --out runs/tower --resume --retry-failed --jobs 2
  drystone sweep tower.toml --out runs/tower-2 --shard 2/3 --resume
  drystone sweep --collect runs/tower-1 runs/tower-2 runs/tower-3 --out runs/tower --parquet

An experiment file, every option of scenes and methods a value, a list of values or a range:
  title = \"Tower with few iterations\"
  description = \"What is claimed, and by whom.\"  # optional, Markdown
  duration = 10.0       # or steps = N; optional: else the scene's own, as for dt
  dt = 0.01
  repetitions = 3       # runs with the same everything, for times
  seeds = [1, 2]        # optional, as --seed, which is for files without seeds; or a range
  record = \"final\"      # residuals, as --record
  time-limit = 600      # optional: seconds on the wall for each run
  metrics = [\"residual\", \"max kinetic_energy\"]  # columns: means, or another statistic of a metric
  trajectory = 25       # frames a second of runs that are kept, as --trajectory; else none

  [[scene]]
  name = \"tower\"        # a label, optional
  spec = \"tower\"        # a catalogue name, or a scene file looked for from this file's folder
  parameters = { layers = { from = 20, to = 40, step = 20 }, friction = 0.5 }

  [[method]]
  name = \"sweeps\"
  spec = \"semi-implicit/pgs\"
  stepper = { projection-iterations = [5, 10] }
  solver = { iterations = 10 }  # or { from = 1e-8, to = 1e-2, count = 4, scale = \"log\" }

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

  [[stop]]              # ends a run, which is then finished; its row says which rule it was
  name = \"at rest\"
  metric = \"kinetic_energy\"
  at-most = 1e-6        # or at-least
  for = 0.5             # optional: simulated seconds that it must hold
  after = 1.0           # optional: not before this

Runs are the product of scenes, parameters, methods, options, seeds and repetitions, the last varying fastest. \
All are checked before the first begins. One that fails is a row with its reason, and the others go on; the exit \
code is 1 only if all runs of an experiment fail. Of several experiments the others are run all the same.

A sweep that was ended, by whatever it was, goes on with --resume: runs that have ended are kept, failed ones too \
unless --retry-failed, and at most those that were under way are run again. File, scenes, seed, shard and version \
must be what they were. With --shard machines share a sweep without knowing of each other, and --collect joins what \
they made; what is missing is listed, and the exit code is then 1. docs/sweeps.md has more on all of it.

The directory:
  results.csv      a row a run, brought up to date every few seconds. The same sweep gives the same
                   rows but for times and memory, and for runs that the time limit ended.
                   memory_per_contact_bytes is how far the run raised the program's peak above what
                   it needs for itself, over the most contacts; empty with --jobs above 1, where the
                   system does not tell, and for runs that needed less than an earlier one
  results.parquet  with --parquet: the same, with types
  report.md        tables over seeds and repetitions, and a picture `report-<fit>.svg` for each fit
  report.html      the same to sort and filter, with plots, which are also in plots/
  experiment.toml  the file
  sweep.json       what makes the sweep the one it is, for --resume and --collect
  runs.jsonl       the journal: a line a run, written as soon as the run has ended
  run-*/           with --keep-runs: a run directory each
  manifest.json    command, file with hash, columns, stop rules, machines; written when the results
                   are complete, before report.html

Several experiments, or a folder of them, have directories of their names inside that of --out, however many of \
them --only chooses. Scene files are read once, before the first run.

A folder with a claims.toml is a paper. Its experiments go into directories of their names inside one; then all \
claims are judged by the results in it, and claims.md and claims.json are written beside them. Claims whose \
experiments were left out with --only are judged by earlier results in the same directory, or not run; --markdown \
writes claims.md into its folder only if all were run. That claims fail does not change the exit code, unless \
--check-claims is given and one fails without an explanation; 'drystone claims --help' has the file.";

/// Of `claims`.
pub(super) const CLAIMS_HELP: &str = "\
Examples:
  drystone claims papers/erleben-2005 papers/vella-2008
  drystone claims papers/erleben-2005 --results runs/erleben
  drystone claims papers/erleben-2005 --results runs/erleben --markdown claims.md --check

Without --results it checks the files and counts what decides the claims. With it, claims are judged by the \
results of an earlier sweep of the folder, and claims.md and claims.json are written into that directory.

A claims.toml, beside the experiments of a folder:
  paper = \"A. Author, A title, a university, 2005\"

  [[claim]]
  id = \"X16\"
  where = \"§6.4.3, figure 6.54\"
  says = \"What is claimed, in our own words.\"
  published = \"5 steps\"
  explains = \"Why we find something else.\"      # optional, shown where it fails
  tests = [\"tests/shock_propagation.rs::a_wall_stands\"]   # tests that hold it; they must be there

  [[claim.check]]       # one or more, all must hold; or tests alone; or a status:
  experiment = \"01-ball-grid\"                   # status = \"not-reproducible\" with reason = \"...\"
  column = \"repaired\"                           # status = \"open\" with needs = \"...\"
  scene = \"ball-grid\"      # which rows; labels of the experiment, each optional
  method = \"published\"
  parameters = { side = 5 }  # of the scene, as in the experiment file
  stepper = { weight = 0 }
  solver = { iterations = 10 }
  statistic = \"median\"     # median (default) mean min max; spread: largest over smallest; count and
                           # fraction of rows with a value; slope, or exponent p of a law x^p, with
                           # along = a parameter, an option or a column
  over = { method = \"other\" }  # divided by the same of these rows: what is named here differs
  pairwise = true            # row by row, before the statistic is taken
  equals = 0.06              # or at-least, at-most, within = [smallest, largest]
  tolerance = 1e-9           # of equals; or relative-tolerance; else exactly
  because = \"Why this value, and why no tighter or looser.\"

Verdicts: pass; fail; tested (held by tests alone, which are looked up and not run); not reproducible; open; not run \
(rows are missing, or are those of another version of the experiment). Runs that did not finish have no values, and \
a number that is not there fails. With --check the exit code is 1 if a claim fails that has no explanation.";

/// Of `solve`.
pub(super) const SOLVE_HELP: &str = "\
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
  report.html        all of it as a page; its plots are in plots/
  manifest.json      command, files with hashes, solvers with all options, machine; written when
                     all results are, before report.html

A file that can't be read and a solver that fails are rows with their reasons, and the rest go on; the exit \
code is then 2 or 1. Not to converge is no failure.";

/// Of `report`.
pub(super) const REPORT_HELP: &str = "\
Examples:
  drystone report runs/wall-pgs-1
  drystone report runs/compare-wall-1 --all-trajectories
  drystone report runs/wall-pgs-1 runs/wall-jacobi-1 --out side-by-side.html
  drystone report runs/all-experiments --json

run, compare, sweep and solve write the same report at their end. It is made from the files of the directory \
and nothing else:
  report.html  what was run, a table of methods, plots, and a replay where trajectories were
               recorded; one file that opens from disk and loads nothing
  plots/       every plot as SVG, for papers

Trajectories are embedded up to 60 MB; the page says which were left out. docs/reports.md explains the plots.";

/// Of `view`.
pub(super) const VIEW_HELP: &str = "\
Examples:
  drystone view runs/wall-pgs-1
  drystone view runs/compare-wall-1/report.html
  drystone view runs/wall-pgs-1 --no-open

The report is made first if it is missing or older than the results. The browser is that of BROWSER, or the \
one that the system opens pages with.";

/// Of `conformance`.
pub(super) const CONFORMANCE_HELP: &str = "\
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
pub(super) const LIST_HELP: &str = "\
Examples:
  drystone list scenes
  drystone list solvers
  drystone list events
  drystone list metrics --json
  drystone list metrics --markdown";

/// Of `init`.
pub(super) const INIT_HELP: &str = "\
Examples:
  drystone init my-scene
  drystone init my-crank --template joints
  drystone init my-wall --from wall:rows=4,columns=6
  drystone init my-scene --force

The folder:
  scene.toml       bodies, materials and joints, with comments
  experiment.toml  methods to try on the scene, and what to measure
  README.md        what to do with them

Nothing is overwritten unless --force is given, and then only these three files.";

/// Of `completions`.
pub(super) const COMPLETIONS_HELP: &str = "\
Examples:
  drystone completions bash
  drystone completions zsh
  drystone completions fish

To have it in every new shell:
  bash        drystone completions bash > ~/.local/share/bash-completion/completions/drystone
  zsh         drystone completions zsh > ~/.zfunc/_drystone  (with ~/.zfunc in fpath)
  fish        drystone completions fish > ~/.config/fish/completions/drystone.fish
  elvish      drystone completions elvish >> ~/.config/elvish/rc.elv
  powershell  drystone completions powershell >> $PROFILE

Names of scenes and solvers are those this program has when the script is made.";

/// Of `man`.
pub(super) const MAN_HELP: &str = "\
Examples:
  drystone man
  drystone man ~/.local/share/man/man1

With a folder there is a page for every command, `drystone-run.1` for `drystone run`.";

/// All of them, for tests.
#[cfg(test)]
pub(super) const ALL: [&str; 13] = [
    PROGRAM_HELP,
    RUN_HELP,
    COMPARE_HELP,
    SWEEP_HELP,
    CLAIMS_HELP,
    SOLVE_HELP,
    REPORT_HELP,
    VIEW_HELP,
    CONFORMANCE_HELP,
    LIST_HELP,
    INIT_HELP,
    COMPLETIONS_HELP,
    MAN_HELP,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Paragraphs are wrapped to the window; lines of tables and examples, which are indented, would come apart.
    #[test]
    fn indented_lines_fit_a_hundred_columns() {
        for line in ALL.iter().flat_map(|help| help.lines()) {
            assert!(!line.starts_with(' ') || line.chars().count() <= 100, "{line}");
        }
    }
}
