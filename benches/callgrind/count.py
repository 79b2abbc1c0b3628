#!/usr/bin/env python3
"""Counts the instructions of a step, which no other program disturbs, and compares them with those on record.

    python3 benches/callgrind/count.py compare                  a table; ends with 1 where a count has grown by more than 2 %
    python3 benches/callgrind/count.py compare --tolerance 1    another tolerance, in percent
    python3 benches/callgrind/count.py record                   makes the present counts those on record
    python3 benches/callgrind/count.py compare --quick          one scene, few steps: does it work here?

Valgrind's Callgrind runs a scene twice on one thread, with some steps and with some more; the difference, divided by these, is a step
after warm-up, with nothing of building the scene in it. Valgrind knows no AVX-512, so the AVX2 paths of the sweep and of linear algebra are
counted. Counts depend on the compiler and on the libraries: `compare` says so where these are others than on record.
Needs `valgrind` (`apt-get install valgrind`) and the standard library.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = ROOT / "target" / "release" / "steps"
WORK = ROOT / "target" / "callgrind"
RECORD = HERE / "recorded.json"

# Scene, method, steps to warm up, steps that are counted.
RUNS = [
    ("wall", "pgs", 20, 10),
    ("wall", "pgs:order=coloured", 20, 10),
    ("ball-grid", "pgs", 20, 10),
    ("ball-grid", "pgs:order=coloured", 20, 10),
]
# Parts of a step, by what the names of their functions end with. What assembling takes is taken off solving.
STAGES = {
    "detect": r"pipeline::detection::<impl [^>]*Pipeline>::find_alone$",
    "assemble": r"pipeline::task::GroupTask::assemble$",
    "solve": r"pipeline::batch::<impl [^>]*Pipeline>::solve_constraints$",
    "project": r"pipeline::projection::<impl [^>]*Pipeline>::project$",
}


def output_of(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def counts(scene, method, steps):
    """Instructions of a whole run, and of its stages with all that they call."""
    WORK.mkdir(parents=True, exist_ok=True)
    file = WORK / "callgrind.out"
    file.unlink(missing_ok=True)
    command = [
        "valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", "--quiet", str(PROGRAM), scene, method, str(steps),
    ]
    # An address is a hash's input here and there, and the environment moves the stack.
    environment = {"PATH": os.environ["PATH"], "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    listing = output_of(["callgrind_annotate", "--inclusive=yes", "--threshold=99.99", str(file)])
    found = {"contacts": int(done.stdout), "step": 0, **{stage: 0 for stage in STAGES}}
    if not re.search("PROGRAM TOTALS", listing):
        sys.exit(f"callgrind_annotate says nothing of {file}")
    for line in listing.splitlines():
        matched = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(.*)$", line)
        if not matched:
            continue
        number, name = int(matched[1].replace(",", "")), matched[2]
        if name.startswith("PROGRAM TOTALS"):
            found["step"] = number
            continue
        # What follows the file's name, without the object's and the hash of the symbol.
        function = re.sub(r"( \[[^\]]*\])?$", "", name).split(":", 1)[-1]
        function = re.sub(r"::h[0-9a-f]{16}('\d+)?$", "", function)
        for stage, pattern in STAGES.items():
            # A function is listed once for each file that code in it comes from; the largest count is that of all.
            if re.search(pattern, function):
                found[stage] = max(found[stage], number)
    found["solve"] -= found["assemble"]
    return found


def per_step(scene, method, warm_up, steps):
    before, after = counts(scene, method, warm_up), counts(scene, method, warm_up + steps)
    parts = ["step", *STAGES]
    return {
        "scene": scene,
        "method": method,
        "warm_up": warm_up,
        "steps": steps,
        "contacts": after["contacts"],
        "instructions": {part: round((after[part] - before[part]) / steps) for part in parts},
    }


def setting():
    """What counts depend on beside our code."""
    version = output_of(["rustc", "--version"], cwd=ROOT).strip()
    wanted = ["sse2", "avx", "avx2", "fma", "avx512f"]
    try:
        line = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
        flags = [flag for flag in wanted if flag in line.split()]
    except (OSError, StopIteration):
        flags = []
    return {
        "rustc": version,
        "rustflags": os.environ.get("RUSTFLAGS", ""),
        "target": platform.machine(),
        "features": flags,
        "valgrind": output_of(["valgrind", "--version"]).strip(),
    }


def measured(runs):
    rows = []
    for run in runs:
        print(f"{run[0]}, {run[1]} …", file=sys.stderr, flush=True)
        rows.append(per_step(*run))
    return {**setting(), "runs": rows}


def compare(now, then, tolerance):
    """Prints the table; whether all counts are within the tolerance."""
    for name in ["rustc", "rustflags", "target", "features", "valgrind"]:
        if now[name] != then[name]:
            print(f"on record with another {name}: {then[name]}, now {now[name]}")
    known = {(row["scene"], row["method"]): row for row in then["runs"]}
    good = True
    print(f"{'scene':12} {'method':20} {'part':20} {'on record':>14} {'now':>14} {'change':>9}")
    for row in now["runs"]:
        old = known.get((row["scene"], row["method"]))
        for part, count in row["instructions"].items():
            before = old["instructions"].get(part) if old else None
            change = 100 * (count / before - 1) if before else None
            # Stages of a few instructions say nothing; the step has them all.
            grown = change is not None and change > tolerance and count > 0.01 * row["instructions"]["step"]
            good &= not grown
            shown = f"{change:+8.2f} %" if change is not None else "–"
            mark = " more" if grown else ""
            print(f"{row['scene']:12} {row['method']:20} {part:20} {before or '–':>14} {count:>14} {shown:>9}{mark}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("--tolerance", type=float, default=2.0, help="percent by which a count may grow (2)")
    parser.add_argument("--quick", action="store_true", help="one scene with few steps; nothing is recorded")
    given = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("no valgrind; apt-get install valgrind")
    build = ["cargo", "build", "--release", "--quiet", "-p", "drystone-benches", "--bin", "steps"]
    subprocess.run(build, cwd=ROOT, check=True)
    if given.quick:
        now = measured([("ball-grid", "pgs:order=coloured", 5, 2)])
        print(json.dumps(now, indent=1))
        return
    now = measured(RUNS)
    if given.action == "record":
        RECORD.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    if not RECORD.exists():
        sys.exit(f"nothing on record; run {Path(__file__).name} record")
    if not compare(now, json.loads(RECORD.read_text(encoding="utf-8")), given.tolerance):
        sys.exit(1)


if __name__ == "__main__":
    main()
