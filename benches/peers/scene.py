"""What the drivers in Python share: the scene file, the state file, the clock, and the line of JSON at the end.

The formats are described in exchange.rs; the fields of the line are those of program.rs.
"""

import json
import sys
import time
from dataclasses import dataclass


@dataclass
class Body:
    dynamic: bool
    shape: str
    size: list  # radius; half-extents; normal
    position: list
    orientation: list  # w, x, y, z
    velocity: list
    spin: list
    mass: float
    inertia: list


@dataclass
class BallJoint:
    a: int
    b: int
    anchor_a: list
    anchor_b: list


@dataclass
class Scene:
    gravity: list
    dt: float
    friction: float
    warm_up: int
    steps: int
    bodies: list
    joints: list

    def parents(self):
        """The joint by which each body hangs from another, for engines in which joints are coordinates."""
        return {joint.b: joint for joint in self.joints}


class Reader:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.words = iter(file.read().split())

    def word(self):
        return next(self.words)

    def expect(self, name):
        word = self.word()
        if word != name:
            raise ValueError(f"expected '{name}', not '{word}'")

    def number(self):
        return float(self.word())

    def numbers(self, count):
        return [self.number() for _ in range(count)]

    def named(self, name, count):
        self.expect(name)
        return self.numbers(count)

    def body(self):
        dynamic = self.word() == "dynamic"
        shape = self.word()
        return Body(
            dynamic,
            shape,
            self.numbers(1 if shape == "sphere" else 3),
            self.named("position", 3),
            self.named("orientation", 4),
            self.named("velocity", 3),
            self.named("spin", 3),
            self.named("mass", 1)[0],
            self.named("inertia", 3),
        )

    def joint(self):
        self.expect("ball")
        a, b = (int(number) for number in self.numbers(2))
        self.expect("anchors")
        return BallJoint(a, b, self.numbers(3), self.numbers(3))


def read_scene(path):
    reader = Reader(path)
    reader.expect("drystone-peer-scene")
    reader.expect("1")
    gravity = reader.named("gravity", 3)
    [dt] = reader.named("dt", 1)
    [friction] = reader.named("friction", 1)
    warm_up, steps = (int(number) for number in reader.named("window", 2))
    [count] = reader.named("bodies", 1)
    bodies = [reader.body() for _ in range(int(count))]
    [count] = reader.named("joints", 1)
    joints = [reader.joint() for _ in range(int(count))]
    return Scene(gravity, dt, friction, warm_up, steps, bodies, joints)


def write_states(file, taken, states):
    """States are lists of 13 numbers a body: position, quaternion from w on, velocity, angular velocity."""
    file.write(f"state {taken} {len(states)}\n")
    for state in states:
        file.write(" ".join(repr(float(number)) for number in state) + "\n")


def still(body):
    """The state of a body that does not move."""
    return body.position + body.orientation + body.velocity + body.spin


def run(engine, scene, states_path, limit):
    """Takes the scene's steps, for at most `limit` seconds, and prints what it took.

    An engine has step(), states(), contacts(), and split(), which says which parts of a step's time are
    collision and solving, or None.
    """
    started = time.perf_counter()
    taken, timed, total, processor, status = 0, 0, 0.0, 0.0, "done"
    with open(states_path, "w", encoding="utf-8") as file:
        while taken < scene.warm_up + scene.steps:
            if time.perf_counter() - started > limit:
                status = "time-limit"
                break
            warm = taken >= scene.warm_up
            before = time.perf_counter()
            engine.step()
            spent = time.perf_counter() - before
            taken += 1
            if warm:
                timed += 1
                total += spent
            if taken == scene.warm_up:
                write_states(file, taken, engine.states())
                processor = time.process_time()
        processor = time.process_time() - processor
        write_states(file, taken, engine.states())
    contacts = engine.contacts() if status == "done" else None
    step = 1e3 * total / timed if timed else None
    parts = engine.split() if status == "done" else None
    collision, solve = (step * part for part in parts) if parts else (None, None)
    print(
        json.dumps(
            {
                "status": status,
                "taken": taken,
                "timed": timed,
                "step_ms": step,
                "cpu_ms": 1e3 * processor / timed if timed else None,
                "collision_ms": collision,
                "solve_ms": solve,
                "contacts": contacts,
            }
        )
    )


def main(make, version):
    """The command line of a driver: SCENE STATES LIMIT SETTING, or --version."""
    if sys.argv[1:] == ["--version"]:
        print(version())
        return
    path, states, limit, setting = sys.argv[1:]
    scene = read_scene(path)
    run(make(scene, setting), scene, states, float(limit))
