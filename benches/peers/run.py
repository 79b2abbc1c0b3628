#!/usr/bin/env python3
"""Runs the peers' scenes in Drystone and in every other engine that is here, and writes what came out.

    python3 benches/peers/run.py --install          once: packages and virtual environments, outside the repository
    python3 benches/peers/run.py                    five rounds of everything, to benches/performance/results/peers.json
    python3 benches/peers/run.py --quick            one round with a short limit, to target/peers/quick/peers.json
    python3 benches/peers/run.py --scenes wall-2000 --engines drystone,rapier-same --rounds 3
    python3 benches/performance/page.py             the page from the results

Engines take turns: a round runs each engine once on each scene, and begins with another engine than the last. Every run is a
process of its own, and is written to a journal when it ends; `--resume` goes on from there. What has run into the time
limit is not tried again in later rounds. A run that had to share its processor with other programs is repeated. Only the
standard library is needed.
"""

import argparse
import datetime
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "peers"
PROGRAM = ROOT / "target" / "release" / "peers"
CACHE = Path(os.environ.get("DRYSTONE_PEERS", Path.home() / ".cache" / "drystone-peers"))
PACKAGES = ["libode-dev", "libbullet-dev"]
SWEEPS = 10
# A run that had the processor for a smaller part of its time was disturbed by other programs.
UNDISTURBED = 0.9
# How often a run on several threads is repeated, at most, whose processors shared no cache, and seconds to wait before.
MOVES, PAUSE = 6, 3
# Seconds beyond the limit that a process may take to build its model and to write its states.
GRACE = 120

CXX = ["g++", "-std=c++17", "-O3", "-march=native"]
BULLET = ["BulletDynamics", "BulletCollision", "LinearMath"]


def drystone(key, title, threads, method, settings, only=None):
    command = lambda scene, states, limit: [
        PROGRAM, "run", scene, states, limit, "drystone", str(threads), method,
    ]
    return Engine(key, title, "Drystone", "f64", settings, command, threads=threads, only=only)


def rapier(key, title, work, settings, only=None):
    command = lambda scene, states, limit: [PROGRAM, "run", scene, states, limit, "rapier", work]
    return Engine(key, title, "Rapier", "f64", settings, command, only=only)


def compiled(key, title, family, precision, settings, source, flags):
    binary = CACHE / "bin" / key
    command = lambda scene, states, limit: [binary, exported(scene), states, limit]
    prepare = lambda: compile_driver(HERE / source, binary, flags)
    return Engine(key, title, family, precision, settings, command, prepare, [binary, "--version"])


def scripted(key, title, family, package, driver, setting, settings):
    python = CACHE / package / "bin" / "python"
    command = lambda scene, states, limit: [python, HERE / driver, exported(scene), states, limit, setting]
    prepare = lambda: None if python.exists() else f"no virtual environment {python.parent.parent}"
    return Engine(key, title, family, "f64", settings, command, prepare, [python, HERE / driver, "--version"], is_scripted=True)


class Engine:
    """An engine with its settings: how it is prepared, asked for its version, and run."""

    def __init__(
        self, key, title, family, precision, settings, command,
        prepare=lambda: None, version=None, threads=1, only=None, is_scripted=False,
    ):
        self.key, self.title, self.family, self.precision = key, title, family, precision
        self.settings, self.command, self.prepare, self.threads = settings, command, prepare, threads
        self.version_command, self.only, self.is_scripted = version, only, is_scripted

    def takes(self, scene):
        return self.only is None or scene["name"] in self.only


ENGINES = [
    drystone("drystone", "Drystone", 1, "pgs:order=coloured", "ten sweeps of projected Gauss–Seidel by colours (`pgs:order=coloured`), then five of projection on the normal rows"),
    drystone("drystone-bare", "Drystone, no projection", 1, "semi-implicit:projection=none/pgs:order=coloured", "the same without projection (`semi-implicit:projection=none/pgs:order=coloured`)"),
    drystone("drystone-2", "Drystone, 2 threads", 2, "pgs:order=coloured", "the first on two threads"),
    drystone("drystone-direct", "Drystone, direct joints", 1, "semi-implicit:projection=hybrid/hybrid", "what its mechanisms use: joints solved directly (`semi-implicit:projection=hybrid/hybrid`)", only=["chain-100"]),
    drystone("drystone-50", "Drystone, 50 sweeps", 1, "psor:order=coloured,iterations=50,relaxation=1.3", "five times as many sweeps, over-relaxed (`psor:order=coloured,iterations=50,relaxation=1.3`), where engines that iterate to a tolerance leave less than ten", only=["box-stack"]),
    rapier("rapier-same", "Rapier, same work", "same", "five iterations of one sweep with bias and one without; Coulomb friction at every point in all ten sweeps; fresh contacts in every step"),
    rapier("rapier-defaults", "Rapier, defaults", "defaults", "five iterations likewise; otherwise its defaults: one friction constraint for the points of a pair, in half of the sweeps, and contacts of pairs that hardly moved are used again"),
    rapier("rapier-reduced", "Rapier, reduced coordinates", "reduced", "its defaults, with multibody joints instead of impulse joints", only=["chain-100"]),
    compiled("bullet-f64", "Bullet, f64", "Bullet", "f64", "sequential impulses, ten iterations, warm start, split impulse, two friction directions a point; the distribution's library in double precision", "bullet.cpp", ["-DBT_USE_DOUBLE_PRECISION", "-I/usr/include/bullet"] + [f"-l{name}-float64" for name in BULLET]),
    compiled("bullet-f32", "Bullet, f32", "Bullet", "f32", "the same in single precision, which is its default", "bullet.cpp", ["-I/usr/include/bullet"] + [f"-l{name}" for name in BULLET]),
    compiled("ode", "ODE, quickstep", "ODE", "f64", "quickstep, ten iterations; contacts are made anew in each step, so there is no warm start; the distribution's library", "ode.cpp", ["-lode"]),
    scripted("mujoco-pgs", "MuJoCo, PGS", "MuJoCo", "mujoco", "mujoco_driver.py", "pgs", "projected Gauss–Seidel, ten iterations, elliptic cones, soft contacts with its default time constant; joints are coordinates"),
    scripted("mujoco-newton", "MuJoCo, Newton", "MuJoCo", "mujoco", "mujoco_driver.py", "newton", "its default solver, which iterates to its own tolerance; otherwise the same"),
    scripted("drake-lagged", "Drake, lagged", "Drake", "drake", "drake_driver.py", "lagged", "discrete, lagged approximation, solved to its own tolerance; compliant hydroelastic boxes (modulus 1e7 Pa), points elsewhere; joints are coordinates"),
    scripted("drake-sap", "Drake, SAP", "Drake", "drake", "drake_driver.py", "sap", "the same with the SAP approximation"),
]


def say(text):
    print(text, file=sys.stderr, flush=True)


def output_of(command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, **options)
    return done.stdout.strip()


def install():
    """Packages of the distribution and of Python, as far as they are missing."""
    apt = ["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update"], check=True)
        subprocess.run(apt, check=True)
    else:
        say("not root: run `" + " ".join(apt) + "` yourself for ODE and Bullet")
    for package in ["mujoco", "drake"]:
        folder = CACHE / package
        if not (folder / "bin" / "python").exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", package], check=True)


def compile_driver(source, binary, flags):
    """Compiles a driver unless it is newer than its sources; says what is missing."""
    newest = max(file.stat().st_mtime for file in [source, HERE / "scene.hpp"])
    if binary.exists() and binary.stat().st_mtime > newest:
        return None
    if not shutil.which("g++"):
        return "no g++"
    binary.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*CXX, source, "-o", binary, *flags], capture_output=True, text=True)
    if done.returncode == 0:
        return None
    return "does not compile; is its package installed? " + next(iter(done.stderr.splitlines()), "")


def exported(scene):
    """The file of a scene, written once."""
    path = WORK / "scenes" / f"{scene}.txt"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(output_of([PROGRAM, "export", scene]) + "\n")
    return path


def single_thread():
    return {**os.environ, **{name: "1" for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"]}}


def attempt(engine, scene, limit):
    """One run: what the engine says of its time, and what the judge says of its states."""
    states = WORK / "states.txt"
    states.unlink(missing_ok=True)
    load = os.getloadavg()[0]
    command = [str(part) for part in engine.command(scene["name"], states, str(limit))]
    result = {
        "scene": scene["name"], "engine": engine.key, "limit_seconds": limit, "load": round(load, 2), "quality": None,
    }
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=single_thread(), timeout=limit + GRACE)
    except subprocess.TimeoutExpired:
        return {**result, "status": "time-limit", "message": "killed", "taken": None, "timed": 0}
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        errors = (done.stderr or done.stdout).strip().splitlines()
        # The first line that names an error says more than the last of an explanation.
        named = [line for line in errors if "Error" in line or "error" in line]
        message = ((named or errors)[0].strip()[:200]) if errors else f"exit code {done.returncode}"
        return {**result, "status": "failed", "message": message, "taken": None, "timed": 0}
    result.update(json.loads(lines[-1]))
    if result["status"] == "done":
        quality = json.loads(output_of([PROGRAM, "judge", scene["name"], states]))
        result["quality"] = quality
        if quality is None:
            result["status"] = "diverged"
    return result


def share(row):
    """For which part of its time a run had the processor."""
    known = row.get("cpu_ms") and row.get("step_ms")
    return row["cpu_ms"] / row["step_ms"] if known else 0.0


def near_attempt(engine, scene, limit, retries):
    """A run on several threads; others if their processors shared no cache, until they do. All of these are kept too."""
    apart = []
    row = attempt(engine, scene, limit)
    while row["status"] == "done" and not row["near"]:
        apart.append(row["step_ms"])
        if len(apart) > min(retries, 1) * MOVES:
            break
        time.sleep(PAUSE)
        row = attempt(engine, scene, limit)
    return {**row, "tries": len(apart) + 1, "apart_ms": apart}


def best_attempt(engine, scene, limit, retries):
    """A run; if it was disturbed, the least disturbed of some more."""
    if engine.threads > 1:
        return near_attempt(engine, scene, limit, retries)
    tries = [attempt(engine, scene, limit)]
    while (
        len(tries) <= retries and tries[-1]["status"] == "done" and share(tries[-1]) < UNDISTURBED
    ):
        tries.append(attempt(engine, scene, limit))
    return {**max(tries, key=share), "tries": len(tries)}


def machine():
    processor = platform.processor()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            processor = line.split(":", 1)[1].strip()
            break
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "memory_gib": round(memory),
        "system": f"{system}, Linux {platform.release()}",
        "rustc": output_of(["rustc", "--version"], cwd=ROOT),
        "rustflags": os.environ.get("RUSTFLAGS", ""),
        "compiler": output_of(["g++", "--version"]).splitlines()[0] if shutil.which("g++") else None,
        "compiler_flags": " ".join(CXX[1:]),
        "python": platform.python_version(),
    }


def version(engine, own):
    if engine.family == "Drystone":
        commit = output_of(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT)
        dirty = "+" if output_of(["git", "status", "--porcelain", "--untracked-files=no"], cwd=ROOT) else ""
        return f"{own['drystone']} ({commit}{dirty})"
    if engine.family == "Rapier":
        return own["rapier3d-f64"]
    if engine.family == "ODE":
        # The library tells its build, not its number.
        return output_of(["dpkg-query", "-W", "-f", "${Version}", "libode-dev"]).split(":")[-1].split("-")[0]
    return output_of(engine.version_command)


def summary(rows):
    """The medians over the rounds of one engine on one scene."""
    last = rows[-1]
    done = [row for row in rows if row["status"] == "done"]
    merged = {name: last.get(name) for name in ["scene", "engine", "status", "message", "taken", "timed", "contacts", "limit_seconds"]}
    merged["runs"] = len(rows)
    middle = lambda values: statistics.median(values) if values else None
    for name in ["step_ms", "cpu_ms", "collision_ms", "solve_ms"]:
        values = [row[name] for row in (done or rows) if row.get(name) is not None]
        merged[name] = middle(values)
        if name == "step_ms" and values:
            merged["step_ms_range"] = [min(values), max(values)]
    apart = [time for row in rows for time in row.get("apart_ms", [])]
    if apart:
        merged["apart_ms"], merged["apart_runs"] = middle(apart), len(apart)
        merged["near_runs"] = sum(row["near"] for row in done)
    merged["quality"] = None
    if done and last["status"] == "done":
        names = done[0]["quality"]
        numbers = lambda name: [row["quality"][name] for row in done if row["quality"][name] is not None]
        merged["quality"] = {name: middle(numbers(name)) for name in names}
    return merged


def chosen(text, known, what):
    if text is None:
        return known
    names = text.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"unknown {what} {', '.join(unknown)}; there are {', '.join(known)}")
    return [name for name in known if name in names]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="install what is missing, and end")
    parser.add_argument("--rounds", type=int, help="runs of each engine on each scene (5; quick: 1)")
    parser.add_argument("--limit", type=float, help="seconds for a run (120; quick: 15)")
    parser.add_argument("--limit-scripted", type=float, help="the same for engines that are called from Python (as for the others)")
    parser.add_argument("--retries", type=int, help="more runs of one that other programs disturbed (2; quick: 0)")
    parser.add_argument("--scenes", help="only these, with commas between them")
    parser.add_argument("--engines", help="only these, with commas between them")
    parser.add_argument("--quick", action="store_true", help="one round with a short limit, written aside")
    parser.add_argument("--resume", action="store_true", help="go on from the journal of a run that was stopped")
    parser.add_argument("--output", type=Path, help="where the results go")
    given = parser.parse_args()
    # Before anything is built.
    chosen(given.engines, [engine.key for engine in ENGINES], "engines")
    for name in ["limit", "limit_scripted", "rounds"]:
        value = getattr(given, name)
        if value is not None and not (math.isfinite(value) and value > 0):
            parser.error(f"--{name.replace('_', '-')} must be positive and finite, not {value:g}")
    given.rounds = given.rounds or (1 if given.quick else 5)
    given.limit = given.limit or (15.0 if given.quick else 120.0)
    given.limit_scripted = given.limit_scripted or given.limit
    if given.retries is None:
        given.retries = 0 if given.quick else 2
    aside = WORK / "quick" / "peers.json"
    given.output = given.output or (aside if given.quick else HERE.parent / "performance" / "results" / "peers.json")
    return given


def main():
    given = arguments()
    if given.install:
        install()
        return
    build = ["cargo", "build", "--release", "--quiet", "-p", "drystone-benches", "--bin", "peers"]
    subprocess.run(build, cwd=ROOT, check=True)
    shutil.rmtree(WORK / "scenes", ignore_errors=True)
    WORK.mkdir(parents=True, exist_ok=True)
    own = json.loads(output_of([PROGRAM, "versions"]))
    scenes = json.loads(output_of([PROGRAM, "scenes"]))
    names = chosen(given.scenes, [scene["name"] for scene in scenes], "scenes")
    scenes = [scene for scene in scenes if scene["name"] in names]
    keys = chosen(given.engines, [engine.key for engine in ENGINES], "engines")

    engines, missing = [], []
    for engine in (engine for engine in ENGINES if engine.key in keys):
        reason = engine.prepare()
        if reason:
            say(f"{engine.title}: skipped, {reason}")
            missing.append({"engine": engine.key, "title": engine.title, "reason": reason})
        else:
            engines.append(engine)
    versions = {engine.key: version(engine, own) for engine in engines}

    journal = WORK / ("quick.jsonl" if given.quick else "runs.jsonl")
    rows = []
    if given.resume and journal.exists():
        rows = [json.loads(line) for line in journal.read_text().splitlines()]
    elif journal.exists():
        journal.unlink()
    finished = {(row["round"], row["scene"], row["engine"]) for row in rows}
    hopeless = {(row["scene"], row["engine"]) for row in rows if row["status"] != "done"}

    def write():
        results = []
        for scene in scenes:
            for engine in engines:
                own_rows = [row for row in rows if (row["scene"], row["engine"]) == (scene["name"], engine.key)]
                if own_rows:
                    results.append(summary(own_rows))
        listed = [
            {
                "key": engine.key, "title": engine.title, "family": engine.family, "precision": engine.precision,
                "threads": engine.threads, "settings": engine.settings, "version": versions[engine.key],
            }
            for engine in engines
        ]
        whole = {
            "kind": "peers",
            "date": datetime.date.today().isoformat(),
            "machine": machine(),
            "rounds": given.rounds,
            "limit_seconds": given.limit,
            "limit_scripted_seconds": given.limit_scripted,
            "sweeps": SWEEPS,
            "load": [min(row["load"] for row in rows), max(row["load"] for row in rows)] if rows else None,
            "scenes": scenes,
            "engines": listed,
            "missing": missing,
            "results": results,
        }
        given.output.parent.mkdir(parents=True, exist_ok=True)
        aside = given.output.with_suffix(".part")
        aside.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        aside.replace(given.output)

    for number in range(given.rounds):
        for scene in scenes:
            turn = number % len(engines)
            for engine in engines[turn:] + engines[:turn]:
                place = (scene["name"], engine.key)
                if not engine.takes(scene) or (number, *place) in finished or place in hopeless:
                    continue
                limit = given.limit_scripted if engine.is_scripted else given.limit
                row = {"round": number, **best_attempt(engine, scene, limit, given.retries)}
                rows.append(row)
                with journal.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                if row["status"] != "done":
                    hopeless.add(place)
                step = f"{row['step_ms']:.4g} ms a step" if row.get("step_ms") else row.get("message") or ""
                say(f"round {number + 1}, {scene['name']}, {engine.title}: {row['status']} {step}")
            write()
    say(f"written to {given.output}")


if __name__ == "__main__":
    main()
