"""Instructions of a step: from what benches/callgrind/count.py has put on record."""

from pathlib import Path

from wording import number, table

# Kept beside the program that compares with it; an absolute path stands for itself.
FILE = str(Path(__file__).resolve().parents[2] / "callgrind" / "recorded.json")


def section(data):
    stages = [part for part in data["runs"][0]["instructions"] if part != "step"]
    head = ["scene", "method", "contacts", "instructions a step", "a contact", *stages]
    rows = []
    for run in data["runs"]:
        found = run["instructions"]
        share = lambda part: f"{100 * found[part] / found['step']:.0f} %" if found[part] else "–"
        each = number(found["step"] / max(1, run["contacts"]), 3)
        rows.append([
            f"`{run['scene']}`", f"`{run['method']}`", str(run["contacts"]), f"{found['step']:,}".replace(",", " "), each,
            *(share(stage) for stage in stages),
        ])
    flags = f", `RUSTFLAGS={data['rustflags']}`" if data["rustflags"] else ""
    text = f"""Instructions, unlike times, are not disturbed by what else a machine does, so that a change of one percent is seen. Counted by Callgrind on one
thread, from two runs of which one takes some steps more; Valgrind knows no AVX-512, so that these are the counts of the AVX2 paths.
On record: {data['rustc'].split(' (')[0]}{flags}, {data['target']} with {', '.join(data['features'])}, {data['valgrind']}."""
    parts = [
        "## Instructions",
        text,
        table(head, rows, left=2),
        "`python3 benches/callgrind/count.py compare` counts again and ends with 1 where a count has grown by more than 2 %; `record` puts new counts "
        "on record.",
    ]
    return "\n\n".join(parts), {}
