"""A scene in MuJoCo: mujoco_driver.py SCENE STATES LIMIT pgs|newton, or --version.

`pgs` is projected Gauss-Seidel with ten iterations, `newton` MuJoCo's default solver; both with elliptic cones, warm start, and no
tolerance to stop at earlier for `pgs`. Contacts are soft, with the default time constant of 0.02 s. Bodies with a joint
to another are its children, which is how MuJoCo has joints: they can't come apart.
"""

import time

import mujoco
import numpy
import scene as peers

SWEEPS = 10
# Steps after the run in which the engine's own timers tell collision from solving: reading a clock from Python takes time.
SPLIT_STEPS = 10

GEOMS = {
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "half-space": mujoco.mjtGeom.mjGEOM_PLANE,
}


def rotate(q, v):
    """A vector turned by a quaternion."""
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    cross = [y * t[2] - z * t[1], z * t[0] - x * t[2], x * t[1] - y * t[0]]
    return [v[k] + w * t[k] + cross[k] for k in range(3)]


class Engine:
    def __init__(self, scene, setting):
        self.scene = scene
        spec = mujoco.MjSpec()
        spec.option.timestep = scene.dt
        spec.option.gravity = scene.gravity
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        # What diverges is to be seen, not to be put back to its beginning.
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
        if setting == "pgs":
            spec.option.solver = mujoco.mjtSolver.mjSOL_PGS
            spec.option.iterations = SWEEPS
            spec.option.tolerance = 0
        elif setting != "newton":
            raise ValueError("expected pgs or newton")
        spec.memory = 4 << 30
        self.add(spec)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.start()

    def add(self, spec):
        made, hanging = {}, self.scene.parents()
        for index, body in enumerate(self.scene.bodies):
            name = f"body-{index}"
            joint = hanging.get(index)
            if not body.dynamic:
                holder = made[index] = spec.worldbody
                place = {"pos": body.position, "quat": body.orientation}
            else:
                parent = self.scene.bodies[joint.a] if joint and self.scene.bodies[joint.a].dynamic else None
                holder = self.child(made[joint.a] if parent else spec.worldbody, name, body, parent)
                made[index] = holder
                place = {}
                if joint:
                    holder.add_joint(type=mujoco.mjtJoint.mjJNT_BALL, pos=joint.anchor_b)
                else:
                    holder.add_freejoint()
            size = list(body.size) + [0] * (3 - len(body.size))
            if body.shape == "half-space":
                # A plane's normal is its z axis; the comparison's half-spaces are level. Size 0 is unbounded.
                if body.size != [0, 0, 1]:
                    raise ValueError("a half-space that is not level")
                size = [0, 0, 1]
            holder.add_geom(
                type=GEOMS[body.shape],
                size=size,
                friction=[self.scene.friction, 0.005, 0.0001],
                condim=3,
                mass=0,
                **place,
            )
        for joint in self.scene.joints:
            if not self.scene.bodies[joint.a].dynamic:
                spec.add_exclude(bodyname1="world", bodyname2=f"body-{joint.b}")

    def child(self, holder, name, body, parent):
        position, orientation = body.position, body.orientation
        if parent is not None:
            w, x, y, z = parent.orientation
            inverse = [w, -x, -y, -z]
            position = rotate(inverse, [p - q for p, q in zip(position, parent.position)])
            if orientation != parent.orientation:
                raise ValueError("bodies of a chain are expected to begin with one orientation")
            orientation = [1, 0, 0, 0]
        return holder.add_body(
            name=name,
            pos=position,
            quat=orientation,
            mass=body.mass,
            inertia=body.inertia,
            ipos=[0, 0, 0],
            iquat=[1, 0, 0, 0],
            explicitinertial=True,
        )

    def start(self):
        """Finds who is who, and gives bodies their velocities: the comparison's scenes begin at rest."""
        self.ids = [
            mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, f"body-{index}") if body.dynamic else None
            for index, body in enumerate(self.scene.bodies)
        ]
        if any(any(body.velocity + body.spin) for body in self.scene.bodies):
            raise ValueError("bodies are expected to begin at rest")

    def step(self):
        mujoco.mj_step(self.model, self.data)

    def states(self):
        model, data = self.model, self.data
        # A step leaves what follows from positions as it was at its beginning.
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        states = []
        six = numpy.zeros(6)
        for body, index in zip(self.scene.bodies, self.ids):
            if index is None:
                states.append(peers.still(body))
                continue
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, index, six, 0)
            states.append([*data.xpos[index], *data.xquat[index], *six[3:], *six[:3]])
        return states

    def contacts(self):
        return int(self.data.ncon)

    def split(self):
        data, timers = self.data, mujoco.mjtTimer
        mujoco.set_mjcb_time(time.perf_counter)
        for timer in data.timer:
            timer.duration = 0
        started = time.perf_counter()
        for _ in range(SPLIT_STEPS):
            self.step()
        total = time.perf_counter() - started
        mujoco.set_mjcb_time(None)
        spent = lambda timer: data.timer[int(timer)].duration / total
        solve = [timers.mjTIMER_POS_MAKE, timers.mjTIMER_POS_PROJECT, timers.mjTIMER_CONSTRAINT]
        return spent(timers.mjTIMER_POS_COLLISION), sum(map(spent, solve))


if __name__ == "__main__":
    peers.main(Engine, lambda: mujoco.__version__)
