"""Time and memory from a thousand contacts to a million: from the results of benches/growth.rs."""

import statistics

import plot
from wording import machine, number, plain, table

FILE = "growth.json"
# What we aim at: the largest size against the smallest, and bytes for a contact.
FACTOR, BYTES = 1.3, 1000

LOOKS = [("blue", "circle"), ("vermilion", "square"), ("green", "up")]


class Size:
    """One size of a scene; times and bytes are for a contact."""

    def __init__(self, row):
        self.spec, self.bodies = row["spec"], row["bodies"]
        steps = row["steps"]
        self.contacts = statistics.median(step["contacts"] for step in steps)
        each = lambda name: 1e9 * statistics.median(step[name] / max(1, step["contacts"]) for step in steps)
        self.step, self.collision, self.assembly, self.solve = map(each, ["step", "collision", "assembly", "solve"])
        self.bytes = row["peak_bytes"] / self.contacts
        self.peak = row["peak_bytes"]


def section(data):
    scenes = []
    for scene in data["scenes"]:
        sizes = [Size(row) for row in scene["sizes"] if row.get("steps")]
        if sizes:
            scenes.append((scene["name"], sizes))
    failed = [row for scene in data["scenes"] for row in scene["sizes"] if not row.get("steps")]
    parts = ["## Growth", introduction(data), statements(scenes), sizes_table(scenes)]
    if failed:
        said = "; ".join(f"`{row['spec']}`: {row.get('error') or 'no step within the limit'}" for row in failed)
        parts.append(f"Not finished: {said}.")
    parts.append("![Time and memory for a contact against the number of contacts](performance-growth.svg)")
    parts.append("Again: `python3 benches/performance/measure.py growth`, then `python3 benches/performance/page.py`.")
    return "\n\n".join(parts), {"growth": figure(scenes)}


def introduction(data):
    return f"""What a step with `{data['method']}` takes for each of its contacts, on one thread, on scenes that touch from the first step on: a wall of
bricks, and balls in a dense lattice that fills a silo. Every size is a process of its own, all sizes take turns, small ones several times
a turn, and are timed over the same steps, because what is dense soon begins to move and then costs more; times are medians over these steps, and
memory is the most that the whole process ever had, divided by contacts. Measured on {data['date']} on {machine(data)}; a size was given {plain(data['limit_seconds'])} s."""


def statements(scenes):
    parts = []
    for name, sizes in scenes:
        first, last = sizes[0], sizes[-1]
        factor = last.step / first.step
        slowest = max(sizes, key=lambda size: size.step)
        met = "within" if factor <= FACTOR else "beyond"
        text = (
            f"From {number(first.contacts, 2)} to {number(last.contacts, 2)} contacts of `{name}` a contact's share of a step goes from {number(first.step)} to "
            f"{number(last.step)} ns, {number(factor, 2)} times as much: {met} the {plain(FACTOR)} that we aim at."
        )
        if slowest is not last and slowest is not first:
            text += f" The slowest size on the way has {number(slowest.contacts, 2)} contacts and takes {number(slowest.step)} ns."
        grows = {part: getattr(last, part) - getattr(first, part) for part in ["collision", "assembly", "solve"]}
        most = max(grows, key=grows.get)
        if factor > FACTOR:
            text += f" Most of the growth, {number(grows[most], 2)} ns, is in {most}."
        memory = "less" if last.bytes < BYTES else "more"
        text += f" The largest size needs {number(last.bytes)} bytes a contact, {memory} than the {BYTES} that we aim at."
        parts.append(text)
    most = max((size for _, sizes in scenes for size in sizes), key=lambda size: size.bodies)
    parts.append(
        f"The most bodies are {most.bodies}, with {number(most.contacts, 3)} contacts (`{most.spec}`): {number(1e-9 * most.step * most.contacts, 3)} s a step, "
        f"and {number(most.peak / 1e9, 3)} GB."
    )
    return " ".join(parts)


def sizes_table(scenes):
    head = [
        "scene", "bodies", "contacts", "ns a contact and step", "collision", "assembly", "solve", "bytes a contact", "s a step",
    ]
    rows = [
        [
            f"`{size.spec}`", str(size.bodies), f"{size.contacts:.0f}", number(size.step), number(size.collision),
            number(size.assembly), number(size.solve), number(size.bytes), number(1e-9 * size.step * size.contacts),
        ]
        for _, sizes in scenes
        for size in sizes
    ]
    return table(head, rows)


def figure(scenes):
    looks = {
        name: plot.Style(name, *LOOKS[place % len(LOOKS)], "full") for place, (name, _) in enumerate(scenes)
    }
    panels = []
    for title, label, value, unit in [
        ("Time", "ns a contact and step", lambda size: size.step, "ns"),
        ("Memory", "bytes a contact", lambda size: size.bytes, "bytes"),
    ]:
        points, lines = [], []
        for name, sizes in scenes:
            points += [
                plot.Point(looks[name], size.contacts, value(size), f"{size.spec}: {number(value(size))} {unit}") for size in sizes
            ]
            lines.append(plot.Line(looks[name].colour, [(size.contacts, value(size)) for size in sizes]))
        panels.append(plot.Panel(title, "contacts", label, points, lines))
    return plot.panels_svg("Time and memory for a contact", panels, list(looks.values()), columns=2)
