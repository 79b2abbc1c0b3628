"""Drystone beside other engines: from the results of benches/peers/run.py."""

import statistics

import plot
from wording import machine, number, plain, ratio, table

FILE = "peers.json"
BASE = "drystone"
# Lengths that no plot tells apart, m.
FLOOR = 1e-7

FAMILIES = {
    "Drystone": ("blue", "circle"),
    "Rapier": ("vermilion", "square"),
    "Bullet": ("green", "up"),
    "ODE": ("orange", "diamond"),
    "MuJoCo": ("purple", "down"),
    "Drake": ("black", "plus"),
}
FILLS = ["full", "empty", "dot", "half", "upright"]


class Results:
    """The results by scene and engine."""

    def __init__(self, data):
        self.data = data
        self.scenes, self.engines = data["scenes"], data["engines"]
        self.by_place = {(row["scene"], row["engine"]): row for row in data["results"]}

    def row(self, scene, engine):
        return self.by_place.get((scene["name"], engine["key"]))

    def done(self, scene, engine):
        row = self.row(scene, engine)
        return row if row and row["status"] == "done" else None

    def threads(self, row):
        return next(engine["threads"] for engine in self.engines if engine["key"] == row["engine"])

    def error(self, scene, row):
        """The length that should be zero: a gap in a joint where there are joints, else a penetration."""
        return row["quality"]["joint_gap" if scene["joints"] else "penetration"]

    def pairs(self, engine):
        """Scenes that both an engine and Drystone finished, with both results."""
        base = next((known for known in self.engines if known["key"] == BASE), None)
        for scene in self.scenes if base else []:
            ours, theirs = self.done(scene, base), self.done(scene, engine)
            if ours and theirs:
                yield scene, ours, theirs

    def on_front(self, scene, engine):
        """Whether no engine on one thread is both faster and more accurate."""
        own = self.done(scene, engine)
        if not own or engine["threads"] > 1:
            return False
        rivals = (self.done(scene, other) for other in self.engines if other["threads"] == 1)
        beats = lambda row: (
            row["step_ms"] < own["step_ms"]
            and max(self.error(scene, row), FLOOR) < max(self.error(scene, own), FLOOR)
        )
        return not any(row and beats(row) for row in rivals)


def section(data):
    results = Results(data)
    parts = [
        "## Beside other engines",
        introduction(results),
        aims(results),
        comparison(results),
        measures(results),
        "![Time for a step against what is wrong at the end, one panel a scene](performance-peers.svg)",
        caption(),
        threads_part(results),
        *(scene_part(results, scene) for scene in results.scenes),
        settings(results),
        again(),
    ]
    return "\n\n".join(part for part in parts if part), {"peers": figure(results)}


def introduction(results):
    data = results.data
    shares = [
        row["cpu_ms"] / row["step_ms"]
        for row in data["results"]
        if row["status"] == "done" and row.get("cpu_ms") and results.threads(row) == 1
    ]
    busy = (
        f"Engines on one thread had the processor for {100 * min(shares):.0f} % of their time or more, in the median "
        f"{100 * statistics.median(shares):.0f} %: the rest went to other programs."
        if shares
        else ""
    )
    rounds = "one round" if data["rounds"] == 1 else f"{data['rounds']} rounds"
    titles = {engine["key"]: engine["title"] for engine in data["engines"]}
    fewer = {row["engine"] for row in data["results"] if row["status"] == "done" and row["runs"] < data["rounds"]}
    names = ", ".join(title for key, title in titles.items() if key in fewer)
    less = f" Fewer runs than that, of some scenes one: {names}." if fewer else ""
    shorter = data.get("limit_scripted_seconds", data["limit_seconds"])
    scripted = f", one of MuJoCo or Drake after {plain(shorter)} s" if shorter != data["limit_seconds"] else ""
    return f"""Every engine gets the same bodies with the same masses and inertias, joints, friction, gravity and step, no restitution
and no sleep, and {data['sweeps']} sweeps where it has such a setting, started from the last step's impulses where it keeps them. Each takes the same
steps: some to warm up, then those that are timed. At the end Drystone's own narrow phase and energies judge the poses and
velocities of all of them; no engine's own contact distance is believed.

Times are medians of {rounds} in which the engines took turns, each run a process of its own, on one thread unless it
says otherwise.{less} Measured on {data['date']} on {machine(data)}. {busy} A run was stopped after {plain(data['limit_seconds'])} s{scripted}."""


def aims(results):
    """What was aimed at, and what came of it."""
    lines = [line for aim in [lead, lead_at_no_less_accuracy, lead_on_rapier, gain_of_threads, collision_and_solving, collision_and_rapier] for line in aim(results)]
    if not lines:
        return ""
    return "\n\n".join(["What we aim at, and what these measurements say of it:", table(["aim", "measured", "met"], lines, left=3)])


def verdict(is_met):
    return "yes" if is_met else "**no**"


def others(results):
    """Engines of other families on one thread."""
    base = next((engine for engine in results.engines if engine["key"] == BASE), None)
    return [engine for engine in results.engines if base and engine["family"] != base["family"] and engine["threads"] == 1]


def lead(results):
    leads = [
        (theirs["step_ms"] / ours["step_ms"], engine, scene)
        for engine in others(results)
        for scene, ours, theirs in results.pairs(engine)
    ]
    if leads:
        least, engine, scene = min(leads, key=lambda found: found[0])
        behind = sum(found[0] <= 1 for found in leads)
        where = f"least against {engine['title']} on `{scene['name']}`, {ratio(least)}"
        yield ["faster than every engine on every scene", f"behind in {behind} of {len(leads)}; {where}", verdict(behind == 0)]


def lead_at_no_less_accuracy(results):
    """Whether for every engine on every scene there is a setting of ours on one thread that is faster and has no larger error."""
    base = next((engine for engine in results.engines if engine["key"] == BASE), None)
    own = [engine for engine in results.engines if base and engine["family"] == base["family"] and engine["threads"] == 1]
    missing, count = [], 0
    for engine in others(results):
        for scene, _, theirs in results.pairs(engine):
            error = lambda row: max(results.error(scene, row), FLOOR)
            rows = [row for row in (results.done(scene, setting) for setting in own) if row]
            count += 1
            if not any(row["step_ms"] < theirs["step_ms"] and error(row) <= error(theirs) for row in rows):
                missing.append(f"{engine['title']} on `{scene['name']}`")
    if count:
        found = f"a setting of Drystone is both, against {count - len(missing)} of {count}"
        yield ["faster, with no larger error", found + "".join(f"; not {name}" for name in missing), verdict(not missing)]


# The scenes that two of the aims speak of, and what they ask for.
LARGE = ["wall-2000", "sphere-pile-10000"]
OVER_RAPIER, OF_TWO_THREADS = 1.5, 1.7


def lead_on_rapier(results):
    for name in LARGE:
        found = [
            (theirs["step_ms"] / ours["step_ms"], engine)
            for engine in others(results) if engine["family"] == "Rapier"
            for scene, ours, theirs in results.pairs(engine) if scene["name"] == name
        ]
        if found:
            least, engine = min(found, key=lambda one: one[0])
            yield [f"{plain(OVER_RAPIER)} times as fast as Rapier on `{name}`", f"{ratio(least)} ({engine['title']})", verdict(least >= OVER_RAPIER)]


def two_threads(results):
    """Scene, on one thread, on two."""
    engine = next((engine for engine in results.engines if engine["threads"] == 2), None)
    return list(results.pairs(engine)) if engine else []


def gain_of_threads(results):
    for scene, ours, theirs in two_threads(results):
        if scene["name"] in LARGE:
            gain = ours["step_ms"] / theirs["step_ms"]
            yield [f"two threads {plain(OF_TWO_THREADS)} times as fast as one on `{scene['name']}`", ratio(gain), verdict(gain >= OF_TWO_THREADS)]


def collision_and_solving(results):
    shares = [
        (row["collision_ms"] / row["solve_ms"], scene)
        for scene in results.scenes if (row := results.by_place.get((scene["name"], BASE))) and row["status"] == "done"
    ]
    if shares:
        most, scene = max(shares, key=lambda found: found[0])
        yield ["collision takes no more than solving", f"at most {ratio(most)} (`{scene['name']}`)", verdict(most <= 1)]


def collision_and_rapier(results):
    ours = results.by_place.get((LARGE[1], BASE))
    theirs = [
        row["collision_ms"]
        for engine in others(results) if engine["family"] == "Rapier"
        if (row := results.by_place.get((LARGE[1], engine["key"]))) and row["status"] == "done"
    ]
    if ours and ours["status"] == "done" and theirs:
        own, least = ours["collision_ms"], min(theirs)
        yield [f"collision of `{LARGE[1]}` takes less than Rapier's", f"{number(own, 2)} ms, Rapier's {number(least, 2)} ms or more", verdict(own < least)]


def threads_part(results):
    """What a second thread gains."""
    pairs = two_threads(results)
    if not pairs:
        return ""
    rows = []
    for scene, ours, theirs in pairs:
        apart = theirs.get("apart_ms")
        rows.append([
            f"`{scene['name']}`", number(ours["step_ms"]), number(theirs["step_ms"]), ratio(ours["step_ms"] / theirs["step_ms"]),
            f"{theirs.get('near_runs', theirs['runs'])} of {theirs['runs']}",
            ratio(ours["step_ms"] / apart) if apart else "–", str(theirs.get("apart_runs", 0)),
        ])
    head = [
        "scene", "one thread, ms", "two, ms", "times as fast", "runs with a shared cache", "without, times as fast", "runs without",
    ]
    return "\n\n".join([
        "### Two threads",
        "Threads are bound to a processor each. Where the host of a virtual machine has put its two processors on cores that share no cache, "
        "all that one thread hands to the other takes several times as long; before and after each run the program looks whether they do "
        "(`benches/peers/cores.rs`), and a run in which they don't is repeated. Runs of both kinds are counted here; everywhere else on this page "
        "a time on two threads is that of the first kind, where there was one in a round. The bits are the same on any number of threads.",
        table(head, rows),
    ])


def comparison(results):
    """Who is ahead of whom, counted."""
    rows = []
    for engine in results.engines:
        finished = sum(results.done(scene, engine) is not None for scene in results.scenes)
        tried = sum(results.row(scene, engine) is not None for scene in results.scenes)
        front = sum(results.on_front(scene, engine) for scene in results.scenes)
        unsurpassed = str(front) if engine["threads"] == 1 else "–"
        rows.append([engine["title"], f"{finished} of {tried}", unsurpassed, *against(results, engine)])
    head = [
        "engine", "finished", "unsurpassed on", "Drystone is faster on", "its time, median", "Drystone has less error on",
        "its error, median", "Drystone ahead in both", "behind in both",
    ]
    return "\n\n".join([
        "Counted over the scenes that both finished; the error is the largest penetration, or where there are joints the "
        f"largest gap in one, and errors below {plain(FLOOR)} m count as equal. Times and errors are those of the engine over "
        "Drystone's own, the first of its rows: above 1 Drystone is ahead. An engine is unsurpassed on a scene if no other on one thread was both "
        "faster and more accurate.",
        table(head, rows),
    ])


def against(results, engine):
    """The cells that compare an engine with Drystone."""
    pairs = list(results.pairs(engine))
    if engine["key"] == BASE or not pairs:
        return ["–"] * 6
    error = lambda scene, row: max(results.error(scene, row), FLOOR)
    times = [theirs["step_ms"] / ours["step_ms"] for _, ours, theirs in pairs]
    errors = [error(scene, theirs) / error(scene, ours) for scene, ours, theirs in pairs]
    both = list(zip(times, errors))
    count = len(pairs)
    return [
        f"{sum(time > 1 for time in times)} of {count}",
        ratio(statistics.median(times)),
        f"{sum(error > 1 for error in errors)} of {count}",
        ratio(statistics.median(errors)),
        str(sum(time > 1 and error > 1 for time, error in both)),
        str(sum(time < 1 and error < 1 for time, error in both)),
    ]


# What is counted where: a mechanism should move, and everything else should not.
MEASURES = [
    ("penetration, mean of points", lambda scene: not scene["joints"], lambda q: q["mean_penetration"]),
    ("drift", lambda scene: not scene["joints"], lambda q: q["drift"]),
    ("residual speed, 95 %", lambda scene: not scene["joints"], lambda q: q["common_speed"]),
    ("change of energy", lambda scene: scene["since"] == "beginning", lambda q: abs(q["energy_change"])),
]


def measures(results):
    """The other measures, counted likewise."""
    rows = []
    for engine in results.engines:
        pairs = list(results.pairs(engine))
        if engine["key"] == BASE or not pairs:
            continue
        row = [engine["title"]]
        for _, counts, value in MEASURES:
            counted = [(ours["quality"], theirs["quality"]) for scene, ours, theirs in pairs if counts(scene)]
            compared = [(value(ours), value(theirs)) for ours, theirs in counted]
            row.append(f"{sum(ours < theirs for ours, theirs in compared)} of {len(compared)}" if compared else "–")
        rows.append(row)
    return "\n\n".join([
        "One number is not the whole of accuracy. On how many scenes Drystone, as in the first of its rows, has less of each measure than the others: "
        "mean penetration, drift of the body on top and the speed that 95 of 100 bodies stay below where things should rest, and the size of the "
        "change of energy where the beginning is what is compared with.",
        table(["Drystone has less on, against", *(label for label, _, _ in MEASURES)], rows),
    ]) if rows else ""


def caption():
    return (
        "Left is faster, low is more accurate. The error is the largest penetration at the end; for scenes with joints it is the largest "
        f"distance between two anchors that should coincide. What is below {plain(FLOOR)} m is drawn there. Runs that did not finish are "
        "not shown."
    )


def scene_part(results, scene):
    if not any(results.row(scene, engine) for engine in results.engines):
        return ""
    what = f"{scene['bodies']} bodies" + (f" and {scene['joints']} joints" if scene["joints"] else "")
    since = "the end of the warm-up" if scene["since"] == "warm-up" else "the beginning"
    measured = f"Energy is counted from {since}" if scene["joints"] else f"Drift and energy are counted from {since}"
    head = [
        "engine", "ms a step", "over Drystone", "collision", "solve", "points", "penetration, mm", "joint gap, mm",
        "drift, mm", "fastest, m/s", "95 % below, m/s", "energy, J",
    ]
    base = results.by_place.get((scene["name"], BASE))
    rows, notes = [], []
    for engine in results.engines:
        row = results.row(scene, engine)
        if not row:
            continue
        if row["status"] != "done":
            notes.append(f"{engine['title']} {unfinished(results.data, scene, row)}")
            continue
        quality = row["quality"]
        over = row["step_ms"] / base["step_ms"] if base and base["status"] == "done" else None
        millimetres = lambda name: number(None if quality[name] is None else 1e3 * quality[name], 2)
        rows.append([
            engine["title"], number(row["step_ms"]), ratio(over), number(row["collision_ms"], 2),
            number(row["solve_ms"], 2), str(row["contacts"]), millimetres("penetration"), millimetres("joint_gap"),
            millimetres("drift"), number(quality["speed"], 2), number(quality["common_speed"], 2),
            number(quality["energy_change"], 3),
        ])
    # A column in which nothing can be is left out.
    drop = {head.index("joint gap, mm")} if not scene["joints"] else {head.index("drift, mm"), head.index("penetration, mm")}
    kept = lambda cells: [cell for place, cell in enumerate(cells) if place not in drop]
    parts = [
        f"### {scene['name']}",
        f"`{scene['spec']}`: {what}, steps of {plain(scene['dt'])} s, friction {plain(scene['friction'])}; {scene['warm_up']} steps to warm up, "
        f"{scene['steps']} timed. {measured}.",
        table(kept(head), [kept(row) for row in rows]) if rows else "",
        "Not finished: " + "; ".join(notes) + "." if notes else "",
    ]
    return "\n\n".join(part for part in parts if part)


def unfinished(data, scene, row):
    """Why there is no result, and how far it came."""
    total = scene["warm_up"] + scene["steps"]
    if row["status"] == "time-limit":
        if row["taken"] is None:
            return "was ended, having built no model and taken no step in time"
        text = f"took {row['taken']} of {total} steps in {plain(row.get('limit_seconds') or data['limit_seconds'])} s"
        return text + (f", {number(row['step_ms'])} ms each of those timed" if row.get("step_ms") else "")
    if row["status"] == "diverged":
        return "gave numbers that are not finite"
    return f"failed ({row.get('message')})"


def settings(results):
    lines = ["### Settings", ""]
    for engine in results.engines:
        precision = "double" if engine["precision"] == "f64" else "single"
        threads = "" if engine["threads"] == 1 else f", {engine['threads']} threads"
        lines.append(f"- **{engine['title']}** ({engine['family']} {engine['version']}, {precision} precision{threads}): {engine['settings']}.")
    for absent in results.data["missing"]:
        lines.append(f"- **{absent['title']}** was not run: {absent['reason']}.")
    lines.append("")
    compiler = results.data["machine"].get("compiler")
    built = f" with {compiler}, `{results.data['machine']['compiler_flags']}`" if compiler else ""
    lines.append(
        f"Drivers in C++ are compiled{built}; libraries are as their distributors built them. “Solve” is what is left of a "
        "step when collision is taken off for Drystone and ODE, the engine's own timers elsewhere, so that the two need not add up; MuJoCo's are "
        "read in ten more steps, and Drake tells none. “Points” are those that the engine works with, near ones included; for Drake they are "
        "faces of contact surfaces. The fastest body of a wall is one of its topmost teeth: they hang over by half and fall in most engines."
    )
    return "\n".join(lines)


def again():
    return """### Again

```text
python3 benches/peers/run.py --install      # once: ODE and Bullet as packages, MuJoCo and Drake in environments of their own
python3 benches/peers/run.py                # takes about two hours, and can be stopped and resumed
python3 benches/performance/page.py
```

`cargo bench -p drystone-benches --bench peers` measures Drystone and Rapier alone, with Criterion."""


def styles(results):
    used, made = {}, {}
    for engine in results.engines:
        place = used.get(engine["family"], 0)
        used[engine["family"]] = place + 1
        colour, shape = FAMILIES.get(engine["family"], ("sky", "circle"))
        made[engine["key"]] = plot.Style(engine["title"], colour, shape, FILLS[place % len(FILLS)])
    return made


def figure(results):
    looks, panels = styles(results), []
    for scene in results.scenes:
        what = "joint gap, m" if scene["joints"] else "penetration, m"
        points = []
        for engine in results.engines:
            row = results.done(scene, engine)
            if row:
                error = results.error(scene, row)
                title = f"{engine['title']}: {number(row['step_ms'])} ms, {number(error)} m"
                points.append(plot.Point(looks[engine["key"]], row["step_ms"], error, title))
        panels.append(plot.Panel(scene["name"], "ms a step", what, points))
    return plot.panels_svg("Time for a step against error", panels, list(looks.values()), floor=FLOOR)
