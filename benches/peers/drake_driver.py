"""A scene in Drake: drake_driver.py SCENE STATES LIMIT lagged|sap, or --version.

A discrete plant with the scene's step; `lagged` and `sap` are two of its approximations of contact, both solved to convergence by a
convex solver. Boxes are compliant hydroelastic, because point contact has one point a pair, on which nothing stands; what meets
without such a pair of surfaces falls back to points. Joints are coordinates: they can't come apart.
"""

import importlib.metadata

import scene as peers
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Box,
    CollisionFilterDeclaration,
    GeometrySet,
    HalfSpace,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import BallRpyJoint, FixedOffsetFrame, SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

# Pa; stiff, as in Drake's own examples of hard things.
MODULUS = 1e7
APPROXIMATIONS = {
    "lagged": DiscreteContactApproximation.kLagged,
    "sap": DiscreteContactApproximation.kSap,
}


def transform(body):
    return RigidTransform(Quaternion(body.orientation), body.position)


class Engine:
    def __init__(self, scene, setting):
        self.scene = scene
        builder = DiagramBuilder()
        self.geometries = []
        self.plant, graph = AddMultibodyPlantSceneGraph(builder, scene.dt)
        plant = self.plant
        plant.set_discrete_contact_approximation(APPROXIMATIONS[setting])
        plant.set_contact_model(ContactModel.kHydroelasticWithFallback)
        plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        self.bodies = [self.add(index, body) for index, body in enumerate(scene.bodies)]
        hanging = scene.parents()
        for index, joint in hanging.items():
            self.connect(joint)
            apart = [GeometrySet(self.geometries[end]) for end in (joint.a, joint.b)]
            graph.collision_filter_manager().Apply(CollisionFilterDeclaration().ExcludeBetween(*apart))
        plant.Finalize()
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        context = self.simulator.get_mutable_context()
        self.context = plant.GetMyMutableContextFromRoot(context)
        for index, (made, body) in enumerate(zip(self.bodies, scene.bodies)):
            if body.dynamic and index not in hanging:
                plant.SetFreeBodyPose(self.context, made, transform(body))
        if any(any(body.velocity + body.spin) for body in scene.bodies):
            raise ValueError("bodies are expected to begin at rest")
        self.simulator.Initialize()
        self.taken = 0

    def add(self, index, body):
        plant, name = self.plant, f"body-{index}"
        properties = ProximityProperties()
        friction = CoulombFriction(self.scene.friction, self.scene.friction)
        AddContactMaterial(friction=friction, properties=properties)
        if body.shape == "sphere":
            shape = Sphere(body.size[0])
        elif body.shape == "box":
            shape = Box(*(2 * half for half in body.size))
            if body.dynamic:
                AddCompliantHydroelasticProperties(max(body.size), MODULUS, properties)
            else:
                AddRigidHydroelasticProperties(max(body.size), properties)
        else:
            shape = HalfSpace()
            AddRigidHydroelasticProperties(properties)
        if not body.dynamic:
            at = RigidTransform() if body.shape == "half-space" else transform(body)
            geometry = plant.RegisterCollisionGeometry(plant.world_body(), at, shape, name, properties)
            self.geometries.append(geometry)
            return plant.world_body()
        inertia = UnitInertia(*(moment / body.mass for moment in body.inertia))
        made = plant.AddRigidBody(name, SpatialInertia(body.mass, [0, 0, 0], inertia))
        geometry = plant.RegisterCollisionGeometry(made, RigidTransform(), shape, name, properties)
        self.geometries.append(geometry)
        return made

    def connect(self, joint):
        a, b = self.bodies[joint.a], self.bodies[joint.b]
        anchor = joint.anchor_a
        parent = self.scene.bodies[joint.a]
        if not parent.dynamic:
            anchor = transform(parent) @ anchor
        self.plant.AddJoint(
            BallRpyJoint(
                f"joint-{joint.b}",
                self.plant.AddFrame(self.frame(f"a-{joint.b}", a, anchor)),
                self.plant.AddFrame(self.frame(f"b-{joint.b}", b, joint.anchor_b)),
            )
        )

    def frame(self, name, body, anchor):
        return FixedOffsetFrame(name, body.body_frame(), RigidTransform(RotationMatrix(), anchor))

    def step(self):
        self.taken += 1
        self.simulator.AdvanceTo(self.taken * self.scene.dt)

    def states(self):
        states = []
        for made, body in zip(self.bodies, self.scene.bodies):
            if not body.dynamic:
                states.append(peers.still(body))
                continue
            pose = self.plant.EvalBodyPoseInWorld(self.context, made)
            velocity = self.plant.EvalBodySpatialVelocityInWorld(self.context, made)
            q = pose.rotation().ToQuaternion()
            quaternion = [q.w(), q.x(), q.y(), q.z()]
            states.append([*pose.translation(), *quaternion, *velocity.translational(), *velocity.rotational()])
        return states

    def contacts(self):
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        surfaces = (results.hydroelastic_contact_info(k) for k in range(results.num_hydroelastic_contacts()))
        points = sum(info.contact_surface().num_faces() for info in surfaces)
        return points + results.num_point_pair_contacts()

    def split(self):
        return None


if __name__ == "__main__":
    peers.main(Engine, lambda: importlib.metadata.version("drake"))
