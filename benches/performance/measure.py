#!/usr/bin/env python3
"""Measures what Drystone's own limits are, and writes it to benches/performance/results.

    python3 benches/performance/measure.py machine          the coloured sweep beside what the machine can do; minutes
    python3 benches/performance/measure.py growth           from a thousand to a million contacts; minutes
    python3 benches/performance/measure.py work-precision   every solver on the problems of six scenes; about an hour
    python3 benches/performance/measure.py NAME --quick     a smaller measurement, written to target/limits/quick
    python3 benches/performance/measure.py NAME --resume    go on from the journal of one that was stopped
    python3 benches/performance/page.py                     the page from the results

Each is a program of `benches/`, built here. Sizes of a scene and solvers of a scene run in processes of their own with a time
limit, on one thread, and are written to a journal when they end. Nothing else should run meanwhile. Only the standard
library is needed.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "peers"))

from run import machine, output_of, say, single_thread  # noqa: E402

PROGRAMS = ROOT / "target" / "release"
WORK = ROOT / "target" / "limits"

GROWTH_METHOD = "pgs:order=coloured"
# Scenes that touch from the first step on, from about a thousand contacts to a million; the last wall has 100 000 bodies.
GROWTH = [
    ("wall", [(6, 14), (12, 70), (30, 280), (60, 700), (100, 1000)], "wall:rows={},columns={}"),
    ("silo", [(200, 3), (2000, 6.5), (19000, 14), (180000, 30)], "silo:count={},width={},looseness=0,jitter=0"),
]
# Steps that are not timed, and steps that are: the same for all sizes, because what is dense soon begins to move, and then costs more.
GROWTH_WARM_UP, GROWTH_STEPS = 5, 10
# Sizes take turns, so that all are met by what slows the machine down for a while; how many rounds, and how often each size is run in
# one. The steps of all runs count.
GROWTH_ROUNDS, GROWTH_RUNS = 5, [4, 4, 2, 1, 1]

# Scene, and steps until problems are captured.
SCENES = [
    ("box-stack", 50),
    ("ball-grid", 50),
    ("wall", 50),
    ("tower", 50),
    ("sphere-pile:count=1000,width=5", 300),
    ("chain", 50),
]
# With the impulses of the last step, and with none.
STARTS = ["warm", "cold"]


class Journal:
    """Results by key, a line each, so that a measurement can be taken up again."""

    def __init__(self, path, resume):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines() if resume and path.exists() else []
        self.known = {row["key"]: row["value"] for row in map(json.loads, lines)}
        if not lines:
            path.write_text("", encoding="utf-8")

    def get(self, key, make):
        if key not in self.known:
            self.known[key] = make()
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "value": self.known[key]}) + "\n")
        return self.known[key]


def call(program, *arguments, limit):
    """What a program says, or why it says nothing."""
    command = [str(PROGRAMS / program), *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=single_thread(), timeout=limit)
    except subprocess.TimeoutExpired:
        return {"error": f"ended after {limit:g} s"}
    lines = done.stdout.strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError):
        said = done.stderr.strip().splitlines()
        return {"error": said[0][:200] if said else f"exit code {done.returncode}"}


def measure_machine(given, journal):
    found = journal.get("machine", lambda: call("machine", *(["quick"] if given.quick else []), limit=3600))
    if "error" in found:
        sys.exit(found["error"])
    return {**found, "caches": caches()}


def caches():
    """Sizes of the caches that one core has, in bytes, as Linux tells them."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        read = lambda name: (folder / name).read_text().strip()
        if read("type") != "Instruction":
            size = read("size")
            found[f"L{read('level')}"] = int(size[:-1]) * {"K": 1024, "M": 1024**2}[size[-1]]
    return found


def measure_growth(given, journal):
    limit = given.limit or (60.0 if given.quick else 900.0)
    specs = {
        name: [pattern.format(*size) for size in (sizes[:3] if given.quick else sizes)] for name, sizes, pattern in GROWTH
    }
    runs = {spec: [] for of_scene in specs.values() for spec in of_scene}
    for turn in range(1 if given.quick else GROWTH_ROUNDS):
        for of_scene in specs.values():
            for spec, often in zip(of_scene, GROWTH_RUNS):
                run = lambda: call("growth", spec, GROWTH_METHOD, GROWTH_WARM_UP, GROWTH_STEPS, limit, limit=limit + 120)
                keys = [f"{spec} {turn} {number}" for number in range(1 if given.quick else often)]
                runs[spec] += [journal.get(key, run) for key in keys]
                say(f"round {turn + 1}, {spec}: " + (runs[spec][-1].get("error") or summary(runs[spec][-1])))
    scenes = []
    for name, of_scene in specs.items():
        scenes.append({"name": name, "sizes": [{"spec": spec, **together(runs[spec])} for spec in of_scene]})
    return {"method": GROWTH_METHOD, "limit_seconds": limit, "scenes": scenes}


def together(runs):
    """All steps of some runs, and the most memory of any; the error if there is one."""
    failed = [run for run in runs if "error" in run]
    if failed:
        return failed[0]
    most = {name: max(run[name] for run in runs) for name in ["built_seconds", "built_bytes", "peak_bytes"]}
    return {**runs[0], **most, "runs": len(runs), "steps": [step for run in runs for step in run["steps"]]}


def summary(found):
    if not found["steps"]:
        return "no step within the limit"
    last = found["steps"][-1]
    return f"{last['contacts']} contacts, {1e9 * last['step'] / max(1, last['contacts']):.0f} ns each, {found['peak_bytes'] / 1e6:.0f} MB"


def measure_work_precision(given, journal):
    listed = json.loads(output_of([PROGRAMS / "work-precision", "methods"]))
    steps, repeat, limit = (2, 2, 0.05) if given.quick else (5, 2, 1.0)
    limit = given.limit or limit
    scenes = []
    for start in STARTS:
        for scene, warm_up in SCENES:
            found = {"scene": scene, "start": start, "warm_up": warm_up, "results": [], "refused": []}
            for method in listed["methods"]:
                settings = method["settings"]
                patience = 60 + steps * repeat * limit * (2 if given.quick else len(settings))
                run = lambda: call(
                    "work-precision", "run", scene, start, warm_up, steps, repeat, limit, *settings, limit=patience
                )
                answer = journal.get(f"{scene} {start} {method['name']}", run)
                if "error" in answer:
                    found["refused"].append({"method": method["name"], "status": "failed", "message": answer["error"]})
                    continue
                found.update({name: answer[name] for name in ["rows", "groups", "start_residual"]})
                for row in answer["results"]:
                    kind = "results" if row["status"] == "done" else "refused"
                    found[kind].append({"method": method["name"], **row})
                done = sum(row["status"] == "done" for row in answer["results"])
                say(f"{scene}, {start}, {method['name']}: {done} of {len(settings)} settings")
            scenes.append(found)
    return {
        "reference": listed["reference"],
        "methods": [{key: method[key] for key in ["name", "family", "kind"]} for method in listed["methods"]],
        "steps": steps,
        "repeat": repeat,
        "limit_seconds": limit,
        "scenes": scenes,
    }


MEASUREMENTS = {"machine": measure_machine, "growth": measure_growth, "work-precision": measure_work_precision}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=MEASUREMENTS)
    parser.add_argument("--quick", action="store_true", help="less of everything, written aside")
    parser.add_argument("--resume", action="store_true", help="go on from the journal of a measurement that was stopped")
    parser.add_argument("--limit", type=float, help="seconds for a size (growth: 900; quick: 60) or a step (work-precision: 1; quick: 0.05)")
    parser.add_argument("--output", type=Path, help="where the results go")
    given = parser.parse_args()
    folder = WORK / "quick" if given.quick else HERE / "results"
    given.output = given.output or folder / f"{given.name}.json"

    subprocess.run(
        ["cargo", "build", "--release", "--quiet", "-p", "drystone-benches", "--bin", given.name], cwd=ROOT, check=True
    )
    journal = Journal(WORK / f"{given.name}{'-quick' if given.quick else ''}.jsonl", given.resume)
    before = os.getloadavg()[0]
    found = MEASUREMENTS[given.name](given, journal)
    whole = {
        "kind": given.name,
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "commit": output_of(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT),
        "load": round(before, 2),
        "quick": given.quick,
        **found,
    }
    given.output.parent.mkdir(parents=True, exist_ok=True)
    aside = given.output.with_suffix(".part")
    aside.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    aside.replace(given.output)
    say(f"written to {given.output}")


if __name__ == "__main__":
    main()
