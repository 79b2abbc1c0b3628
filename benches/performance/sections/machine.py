"""The coloured sweep beside what the machine can do: from the results of benches/machine."""

import plot
from wording import machine, number, table

FILE = "machine.json"

# A share of a bound from which on we say that it is what holds the sweep back.
NEAR = 0.5
# Operations of a contact's update that wait for each other, with friction; solver/src/splitting/coloured/mod.rs.
CHAIN = 25


class Measured:
    """One problem, in numbers for a contact and sweep."""

    def __init__(self, data, row):
        self.row = row
        self.rough = row["kind"] == "rough"
        self.time = row["sweeps"]["wide"]
        self.bytes = (row["streamed"] + row["gathered"] + row["written"]) / row["contacts"]
        self.operations = row["operations"] / row["contacts"]
        self.rate = self.bytes / self.time
        self.of_memory = self.rate / max(row["bandwidth"].values())
        self.speed = self.operations / self.time
        self.of_arithmetic = self.speed / data["arithmetic"]["separate"]
        self.place = next((name for name, size in data["caches"].items() if name != "L1" and row["footprint"] <= size), "memory")

    def bound(self):
        if max(self.of_memory, self.of_arithmetic) < NEAR:
            return "neither"
        return "memory" if self.of_memory >= self.of_arithmetic else "arithmetic"


def section(data):
    rows = [Measured(data, row) for row in data["problems"]]
    parts = [
        "## Close to the machine",
        introduction(data, rows),
        limits_table(data, rows),
        verdict(data, rows),
        "![Time for a contact and sweep against the size of the problem](performance-machine.svg)",
        comparison(rows),
        again(),
    ]
    return "\n\n".join(parts), {"machine": figure(rows)}


def introduction(data, rows):
    sizes = data["bytes_per_contact"]
    caches = ", ".join(f"{name} {number(size / 2**20, 2)} MiB" for name, size in data["caches"].items())
    rough = next(row for row in rows if row.rough)
    smooth = next(row for row in rows if not row.rough)
    arithmetic = data["arithmetic"]
    return f"""One sweep of `pgs:order=coloured` on one thread: nanoseconds for a contact, from the difference of solves with n and 2n sweeps, so
that packing and reading back are not in it. Problems are lattices of bodies with one contact point between neighbours (balls) or
four (bricks). A contact streams {sizes['rough']} bytes with friction and {sizes['smooth']} without; bytes below are all that the code reads and writes, bodies included, and
operations are counted from the formulas: {rough.operations:.0f} with friction, {smooth.operations:.0f} without (`solver/src/splitting/coloured/work.rs`). Bandwidth is
the best of reading, copying and `z = x + a y` over as much memory as the sweep goes through, in the same run. From 40 000 contacts on all
sweeps of a solve go through memory together (`solver/src/splitting/coloured/wave.rs`), so that most of these bytes come from the cache that cores share:
there a share of the bandwidth of memory says how far it is outdone, not how near it is. The processor does
{number(arithmetic['separate'])} operations a nanosecond in vectors of {data['lanes']} with products and sums apart, as the sweep has them so that all machines compute the same bits,
and {number(arithmetic['contracted'])} with the two in one instruction.

Best of {data['rounds']} rounds. Measured on {data['date']} on {machine(data)}; caches: {caches}."""


def limits_table(data, rows):
    head = [
        "problem", "fits in", "contacts", "MB", "ns", "bytes", "GB/s", "of bandwidth", "Gflop/s", "of arithmetic",
    ]
    lines = []
    for row in rows:
        kind = "with friction" if row.rough else "without"
        what = "balls" if row.row["points"] == 1 else "bricks"
        lines.append([
            f"{what}, {kind}", row.place, str(row.row["contacts"]), number(row.row["footprint"] / 1e6, 3), number(row.time),
            f"{row.bytes:.0f}", number(row.rate), f"{100 * row.of_memory:.0f} %", number(row.speed),
            f"{100 * row.of_arithmetic:.0f} %",
        ])
    return table(head, lines, left=2)


def verdict(data, rows):
    """Which bound is nearer, counted, and what the chain of one contact has to do with it."""
    parts = []
    nearer = sum(row.of_memory >= row.of_arithmetic for row in rows)
    parts.append(
        f"Of the two bounds memory is the nearer one on {nearer} of {len(rows)} problems, arithmetic on {len(rows) - nearer}."
    )
    for place in dict.fromkeys(row.place for row in rows):
        own = [row for row in rows if row.place == place]
        where = "beyond the caches" if place == "memory" else f"in {place}"
        memory = [100 * row.of_memory for row in own]
        flops = [100 * row.of_arithmetic for row in own]
        parts.append(
            f"Problems {where} reach {span(memory)} of the bandwidth and {span(flops)} of the arithmetic."
        )
    neither = [row for row in rows if row.bound() == "neither"]
    if neither:
        parts.append(
            f"On {len(neither)} of {len(rows)} problems neither bound is reached to {100 * NEAR:.0f} %: there a sweep waits."
        )
    return " ".join(parts + waits(data, rows))


def waits(data, rows):
    """What a sweep waits for in the nearest cache: the chain of a contact, or its bodies."""
    near = [row for row in rows if row.rough and row.place == rows[0].place]
    one = next((row for row in near if row.row["points"] == 1), None)
    more = next((row for row in near if row.row["points"] > 1), None)
    if not one or not more:
        return []
    # A contact takes c + p/points, with c for itself and p for the two bodies of its pair.
    pair = (one.time - more.time) / (1 - 1 / more.row["points"])
    own = one.time - pair
    lanes, latency = data["lanes"], data["arithmetic"]["latency"]
    chain = CHAIN * latency
    larger = "more" if pair > own else "less"
    overlap = "so that chains of several packets overlap" if lanes * own < chain else (
        "so that the wait for roots, quotients and numbers from the cache is a part of it"
    )
    return [
        f"Balls against bricks tell why: with friction, in {one.place}, two bodies take {number(pair, 2)} ns a pair to be gathered and scattered, {larger} than a contact's "
        f"own {number(own, 2)} ns. The own time of {lanes} contacts, which are updated at once, is {number(lanes * own, 2)} ns; the {CHAIN} operations among them that wait for each other take "
        f"{number(chain, 2)} ns at {number(latency, 2)} ns each, roots and quotients taken as any other, {overlap}."
    ]


def span(values, unit="%"):
    low, high = min(values), max(values)
    show = (lambda value: f"{value:.0f}") if unit == "%" else (lambda value: number(value, 2))
    return f"{show(low)} {unit}" if show(low) == show(high) else f"{show(low)} to {show(high)} {unit}"


def comparison(rows):
    head = ["problem", "contacts", "wide, ns", "by rows, ns", "forward, ns", "by rows over wide", "forward over wide"]
    lines = []
    for row in rows:
        sweeps = row.row["sweeps"]
        kind = "with friction" if row.rough else "without"
        what = "balls" if row.row["points"] == 1 else "bricks"
        lines.append([
            f"{what}, {kind}", str(row.row["contacts"]), number(sweeps["wide"]), number(sweeps["scalar"]),
            number(sweeps["forward"]), f"{number(sweeps['scalar'] / sweeps['wide'], 2)} ×",
            f"{number(sweeps['forward'] / sweeps['wide'], 2)} ×",
        ])
    return (
        "The same sweep row by row (`kernel=scalar`, the reference that it agrees with but for rounding), and plain `pgs` in forward order:\n\n"
        + table(head, lines)
    )


def again():
    return """Again: `python3 benches/performance/measure.py machine`, then `python3 benches/performance/page.py`."""


def figure(rows):
    names = {
        "wide": plot.Style("wide", "blue", "circle", "full"),
        "scalar": plot.Style("by rows, same order", "orange", "diamond", "empty"),
        "forward": plot.Style("by rows, forward", "vermilion", "square", "empty"),
    }
    panels = []
    for rough, title in [(True, "with friction"), (False, "without friction")]:
        for points, what in [(1, "balls"), (4, "bricks")]:
            own = [row for row in rows if row.rough == rough and row.row["points"] == points]
            found = [
                plot.Point(style, row.row["contacts"], row.row["sweeps"][name], f"{row.row['contacts']} contacts: {number(row.row['sweeps'][name])} ns")
                for name, style in names.items()
                for row in own
            ]
            lines = [
                plot.Line(style.colour, [(row.row["contacts"], row.row["sweeps"][name]) for row in own])
                for name, style in names.items()
            ]
            panels.append(plot.Panel(f"{what}, {title}", "contacts", "ns a contact and sweep", found, lines))
    return plot.panels_svg("Time for a contact and sweep", panels, list(names.values()), columns=2)
