#!/usr/bin/env python3
"""Writes docs/performance.md and its figures from the results in benches/performance/results.

    python3 benches/performance/page.py                     the page of the repository
    python3 benches/performance/page.py --results DIR --docs DIR    from other results, to another place
    python3 benches/performance/page.py --check             end with 1 if the page is not what the results give

A section is a module of `sections/` with FILE, the results it is made from, and section(data), which gives its text and
its figures by name; it is listed below. A section whose file is missing is left out. Every statement is computed, so that it
is true whatever was measured. Only the standard library is needed.
"""

import argparse
import json
import sys
from pathlib import Path

from sections import growth, instructions, machine, peers, work_precision

# In the order of the page.
SECTIONS = [peers, work_precision, machine, growth, instructions]

HERE = Path(__file__).resolve().parent
HEAD = """# Performance

<!-- Written by benches/performance/page.py from benches/performance/results; changes made by hand are lost. -->

What Drystone's steps cost, and what they are worth. Everything on this page is made by `python3
benches/performance/page.py` from measurements that are kept beside it; each section says how to measure again.
"""


def build(results):
    """The page and its figures, by file name."""
    parts, files = [HEAD], {}
    for module in SECTIONS:
        path = results / module.FILE
        if not path.exists():
            continue
        text, figures = module.section(json.loads(path.read_text(encoding="utf-8")))
        parts.append(text)
        files.update({f"performance-{name}.svg": figure for name, figure in figures.items()})
    files["performance.md"] = "\n".join(part.strip() + "\n" for part in parts)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--docs", type=Path, default=HERE.parent.parent / "docs")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    given = parser.parse_args()
    files = build(given.results)
    if given.check:
        current = lambda path: path.read_text(encoding="utf-8") if path.exists() else None
        old = [name for name, text in files.items() if current(given.docs / name) != text]
        if old:
            sys.exit(f"not what the results give: {', '.join(old)}; run benches/performance/page.py")
        return
    given.docs.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (given.docs / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
