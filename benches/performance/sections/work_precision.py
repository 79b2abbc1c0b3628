"""Accuracy for the time: every solver on the problems of the same simulation, from benches/work_precision.rs."""

import statistics
from collections import Counter

import plot
from wording import machine, number, plain, table

FILE = "work-precision.json"
# Residuals that are asked for, m/s.
ASKED = [1e-2, 1e-3, 1e-6]
# Residuals that no plot tells apart, m/s.
FLOOR = 1e-10
# A setting is on a front if its residual is smaller than those of all faster ones by this factor.
BETTER = 0.8
# Methods that have a mark of their own in the plots.
NAMED = 11
LOOKS = [
    ("blue", "circle"), ("vermilion", "square"), ("green", "up"), ("orange", "diamond"), ("purple", "down"), ("black", "plus"),
]
OTHERS = "others"
STARTS = {
    "cold": "without a start, as for contacts that are new",
    "warm": "from the impulses of the last step, which where things rest are nearly those that are looked for",
}


class Results:
    """What came out from one kind of start, scene by scene."""

    def __init__(self, data, start):
        self.data, self.start = data, start
        self.scenes = [scene for scene in data["scenes"] if scene["start"] == start and scene["results"]]
        self.methods = [method["name"] for method in data["methods"]]
        self.kinds = {method["name"]: method["kind"] for method in data["methods"]}

    def open(self, asked):
        """The scenes whose start is not already as near as asked."""
        return [scene for scene in self.scenes if scene["start_residual"] > asked]

    def front(self, scene):
        """The settings that none surpasses, from the fastest to the most accurate."""
        best, front = float("inf"), []
        for row in sorted(scene["results"], key=lambda row: (row["seconds"], row["residual"])):
            residual = max(row["residual"], FLOOR)
            if residual < BETTER * best:
                best = residual
                front.append(row)
        return front

    def fastest(self, scene, asked, method=None):
        """The fastest setting that comes as near as asked, of one method or of all."""
        near = [
            row for row in scene["results"] if row["residual"] <= asked and (method is None or row["method"] == method)
        ]
        return min(near, key=lambda row: row["seconds"], default=None)


# Why the program takes the method it takes; to be thought over when the tables above say something else.
DEFAULT = """### The default of `drystone run`

Where neither the command line nor the scene names a method, `drystone run` takes `pgs:order=coloured,iterations=20`. From a cold start
sweeps by colours come to 0.01 m/s on all scenes, in nearly the least time on each, and no method that is nearer to the solution is anywhere
near as cheap; over-relaxation (`psor:order=coloured`) is its equal, with a factor more to choose. Twenty of them take about the time of ten plain ones row by row, which were the default before, and leave less. Mechanisms name
`hybrid` themselves, which solves joints to rounding in the time of a few sweeps. Who needs 1e−6 m/s takes `interior-cone` or `proximal`."""


def section(data):
    starts = [results for results in (Results(data, start) for start in STARTS) if results.scenes]
    if not starts:
        return "", {}
    parts, figures = ["## Accuracy for the time", introduction(starts[0])], {}
    for results in starts:
        order = ranking(results)
        name = f"work-precision-{results.start}"
        figures[name] = figure(results, order)
        parts += [
            f"### From a {results.start} start",
            f"Every problem {STARTS[results.start]}.",
            paragraph(results),
            ranks(results, order),
            f"![Residual against time for the problems of a step, one panel a scene](performance-{name}.svg)",
            "Left is faster, low is more accurate. The line joins the settings that none surpasses; methods on it are named. "
            f"Residuals below {plain(FLOOR)} m/s are drawn there.",
            fronts(results),
            refused(results),
        ]
    parts.append(DEFAULT)
    parts.append("Again: `python3 benches/performance/measure.py work-precision`, then `python3 benches/performance/page.py`.")
    return "\n\n".join(part for part in parts if part), figures


def introduction(results):
    data = results.data
    scenes = ", ".join(f"`{scene['scene']}` ({scene['rows']} rows)" for scene in results.scenes)
    return f"""One method, `{data['reference']}`, takes the steps of a scene; {data['steps']} steps are captured, and every solver of the registry solves the same
problems from the same start. Iterative methods do fixed numbers of iterations, exact ones work
to tolerances. The time is the median over the steps, each the best of {data['repeat']}, on one thread; the residual is the natural map of the worst contact
in m/s, by our own measure and of Coulomb's law whatever law a method solves, averaged over the steps. A method was given {plain(data['limit_seconds'])} s for a step.
Scenes: {scenes}. Measured on {data['date']} on {machine(data)}."""


def paragraph(results):
    """Which method reaches what fastest, on how many scenes."""
    sentences = []
    for asked in ASKED:
        scenes = results.open(asked)
        already = len(results.scenes) - len(scenes)
        near = f"{already} of the {len(results.scenes)} scenes start that near and are not counted. " if already else ""
        if not scenes:
            sentences.append(f"To {plain(asked)} m/s: all scenes start that near.")
            continue
        winners = Counter(found["method"] for found in (results.fastest(scene, asked) for scene in scenes) if found)
        if not winners:
            sentences.append(f"To {plain(asked)} m/s: {near}Nothing comes there.")
            continue
        said = ", ".join(f"`{method}` on {count}" for method, count in winners.most_common())
        missing = len(scenes) - sum(winners.values())
        rest = f"; on {missing} nothing comes that near" if missing else ""
        method, reached, factor = overall(results, asked)
        sentences.append(
            f"To {plain(asked)} m/s: {near}Fastest is {said}{rest}. For all of them at once one would take `{method}`, which comes there on {reached} of "
            f"{len(scenes)} in {number(factor, 2)} times the time of the fastest (geometric mean)."
        )
    return "\n".join(f"- {sentence}" for sentence in sentences)


def factors(results, method, asked):
    """How many times as long as the fastest a method takes, on the scenes where it comes near enough."""
    found = []
    for scene in results.open(asked):
        best, own = results.fastest(scene, asked), results.fastest(scene, asked, method)
        if best and own:
            found.append(own["seconds"] / best["seconds"])
    return found


def overall(results, asked):
    """The method that comes there on the most scenes, and of these the fastest."""
    rated = []
    for method in results.methods:
        found = factors(results, method, asked)
        if found:
            rated.append((-len(found), statistics.geometric_mean(found), method))
    if not rated:
        return None
    count, factor, method = min(rated)
    return method, -count, factor


def ranking(results):
    """Methods from the one that is good at most of what is asked."""
    def key(method):
        found = [factors(results, method, asked) for asked in ASKED]
        # A scene on which it does not come near enough counts as a thousand times as long.
        total = sum(len(results.open(asked)) for asked in ASKED)
        costs = [factor for own in found for factor in own]
        costs += [1e3] * (total - len(costs))
        return statistics.geometric_mean(costs) if costs else 1.0

    tried = {row["method"] for scene in results.scenes for row in scene["results"]}
    return sorted((method for method in results.methods if method in tried), key=key)


def ranks(results, order):
    head = ["method", "kind"] + [f"to {plain(asked)} m/s, of {len(results.open(asked))}" for asked in ASKED]
    rows = []
    for method in order:
        cells = []
        for asked in ASKED:
            found = factors(results, method, asked)
            cells.append(f"{number(statistics.geometric_mean(found), 2)} × on {len(found)}" if found else "–")
        rows.append([f"`{method}`", results.kinds[method], *cells])
    return (
        "Its time over that of the fastest method on the same scene, geometric mean over the scenes on which it comes as near as asked and that do not "
        "start there; first those that are good at most of it:\n\n" + table(head, rows, left=2)
    )


def fronts(results):
    rows = []
    for scene in results.scenes:
        for place, row in enumerate(results.front(scene)):
            name = f"`{scene['scene']}`, {number(scene['start_residual'], 2)} m/s" if place == 0 else ""
            rows.append([name, f"`{row['spec']}`", number(1e3 * row["seconds"]), number(row["residual"], 2), number(row["worst_residual"], 2)])
    head = ["scene and where it starts", "setting", "ms", "residual, m/s", "worst of the steps"]
    return (
        f"Settings whose residual is less than {plain(BETTER)} of that of every faster one:\n\n" + table(head, rows, left=2)
    )


def refused(results):
    """Who did not do all of its settings, and why."""
    lines = []
    for scene in (scene for scene in results.data["scenes"] if scene["start"] == results.start):
        reasons = {}
        for row in scene["refused"]:
            reasons.setdefault(row["status"], []).append(f"`{row.get('spec', row['method'])}`")
        for status, specs in reasons.items():
            said = {"time-limit": "beyond the time", "unsupported": "not made for such problems"}.get(status, status)
            lines.append(f"- `{scene['scene']}`, {said}: {', '.join(specs)}")
    return "<details><summary>Who stopped where</summary>\n\n" + "\n".join(lines) + "\n\n</details>" if lines else ""


def figure(results, order):
    fronted = Counter(row["method"] for scene in results.scenes for row in results.front(scene))
    # Those of the fronts first, then those that rank high.
    named = sorted(order, key=lambda method: (method not in fronted, order.index(method)))[:NAMED]
    looks = {}
    for place, method in enumerate(named):
        colour, shape = LOOKS[place % len(LOOKS)]
        looks[method] = plot.Style(method, colour, shape, "full" if place < len(LOOKS) else "empty")
    looks[OTHERS] = plot.Style(OTHERS, "sky", "circle", "dot")
    panels = []
    for scene in results.scenes:
        front = results.front(scene)
        # Each method has its name at its most accurate setting there.
        named_at = {row["method"]: row["spec"] for row in front}
        points = []
        rows = sorted(scene["results"], key=lambda row: named.index(row["method"]) if row["method"] in named else NAMED)
        for row in rows:
            label = row["method"] if named_at.get(row["method"]) == row["spec"] else ""
            title = f"{row['spec']}: {number(1e3 * row['seconds'])} ms, {number(row['residual'])} m/s"
            style = looks.get(row["method"], looks[OTHERS])
            points.append(plot.Point(style, 1e3 * row["seconds"], max(row["residual"], FLOOR), title, label))
        line = plot.Line("black", [(1e3 * row["seconds"], max(row["residual"], FLOOR)) for row in front])
        panels.append(plot.Panel(scene["scene"], "ms", "residual, m/s", points, [line]))
    return plot.panels_svg("Residual against time", panels, list(looks.values()), columns=2, floor=FLOOR, radius=4)
