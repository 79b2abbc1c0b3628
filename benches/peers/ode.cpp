// A scene in the Open Dynamics Engine: ode SCENE STATES LIMIT, or ode --version.
//
// Quickstep with ten iterations and the library's defaults otherwise (ERP 0.2, CFM of its precision, relaxation 1.3). Its contacts
// are joints that are made anew in each step, so there is nothing that a solve could start from. Friction is a pyramid whose
// size follows the normal force (dContactApprox1).

#include <ode/ode.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>

#include "scene.hpp"

namespace {

constexpr int sweeps = 10;
constexpr int most_points = 8;

class Engine {
public:
    explicit Engine(const peers::Scene& scene) : scene(scene) {
        dInitODE2(0);
        world = dWorldCreate();
        space = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
        contact_group = dJointGroupCreate(0);
        dWorldSetGravity(world, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
        dWorldSetQuickStepNumIterations(world, sweeps);
        dWorldSetAutoDisableFlag(world, 0);
        for (const peers::Body& body : scene.bodies) add(body);
        for (const peers::BallJoint& joint : scene.joints) connect(joint);
    }

    void step(double& collision, double& solve) {
        const double before = peers::seconds();
        points = 0;
        dSpaceCollide(space, this, [](void* engine, dGeomID a, dGeomID b) { static_cast<Engine*>(engine)->near(a, b); });
        const double between = peers::seconds();
        dWorldQuickStep(world, scene.dt);
        dJointGroupEmpty(contact_group);
        collision += between - before;
        solve += peers::seconds() - between;
    }

    std::vector<peers::State> states() const {
        std::vector<peers::State> states(scene.bodies.size());
        for (std::size_t i = 0; i < states.size(); ++i) {
            const peers::Body& body = scene.bodies[i];
            if (!bodies[i]) {
                states[i] = {body.position, body.orientation, body.velocity, body.spin};
                continue;
            }
            const dReal* p = dBodyGetPosition(bodies[i]);
            const dReal* q = dBodyGetQuaternion(bodies[i]);
            const dReal* v = dBodyGetLinearVel(bodies[i]);
            const dReal* w = dBodyGetAngularVel(bodies[i]);
            states[i] = {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
        }
        return states;
    }

    std::size_t contacts() const { return points; }

private:
    static std::size_t index(dGeomID geom) { return reinterpret_cast<std::uintptr_t>(dGeomGetData(geom)); }

    void add(const peers::Body& body) {
        const dQuaternion orientation = {body.orientation[0], body.orientation[1], body.orientation[2],
                                         body.orientation[3]};
        dGeomID geom = nullptr;
        switch (body.shape) {
            case peers::Shape::Sphere:
                geom = dCreateSphere(space, body.radius);
                break;
            case peers::Shape::Box:
                geom = dCreateBox(space, 2 * body.size[0], 2 * body.size[1], 2 * body.size[2]);
                break;
            case peers::Shape::HalfSpace: {
                // The comparison's half-spaces are not turned.
                const double offset = body.size[0] * body.position[0] + body.size[1] * body.position[1] +
                                      body.size[2] * body.position[2];
                geom = dCreatePlane(space, body.size[0], body.size[1], body.size[2], offset);
                dGeomSetData(geom, reinterpret_cast<void*>(bodies.size()));
                bodies.push_back(nullptr);
                return;
            }
        }
        dGeomSetData(geom, reinterpret_cast<void*>(bodies.size()));
        if (!body.dynamic) {
            dGeomSetPosition(geom, body.position[0], body.position[1], body.position[2]);
            dGeomSetQuaternion(geom, orientation);
            bodies.push_back(nullptr);
            return;
        }
        dBodyID id = dBodyCreate(world);
        dMass mass;
        dMassSetParameters(&mass, body.mass, 0, 0, 0, body.inertia[0], body.inertia[1], body.inertia[2], 0, 0, 0);
        dBodySetMass(id, &mass);
        dBodySetPosition(id, body.position[0], body.position[1], body.position[2]);
        dBodySetQuaternion(id, orientation);
        dBodySetLinearVel(id, body.velocity[0], body.velocity[1], body.velocity[2]);
        dBodySetAngularVel(id, body.spin[0], body.spin[1], body.spin[2]);
        dGeomSetBody(geom, id);
        bodies.push_back(id);
    }

    void connect(const peers::BallJoint& joint) {
        const int b = joint.b;
        dVector3 anchor;
        dBodyGetRelPointPos(bodies[b], joint.anchor_b[0], joint.anchor_b[1], joint.anchor_b[2], anchor);
        dJointID id = dJointCreateBall(world, nullptr);
        dJointAttach(id, bodies[joint.a], bodies[b]);
        dJointSetBallAnchor(id, anchor[0], anchor[1], anchor[2]);
        apart.insert(std::minmax<std::size_t>(joint.a, joint.b));
    }

    void near(dGeomID a, dGeomID b) {
        dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
        if (!body_a && !body_b) return;
        if (!apart.empty() && apart.count(std::minmax(index(a), index(b)))) return;
        dContact contacts[most_points];
        const int count = dCollide(a, b, most_points, &contacts[0].geom, sizeof(dContact));
        points += static_cast<std::size_t>(count);
        for (int k = 0; k < count; ++k) {
            contacts[k].surface.mode = dContactApprox1;
            contacts[k].surface.mu = scene.friction;
            dJointAttach(dJointCreateContact(world, contact_group, &contacts[k]), body_a, body_b);
        }
    }

    const peers::Scene& scene;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contact_group;
    std::vector<dBodyID> bodies;
    // Pairs that a joint keeps from colliding, by their places in the scene.
    std::set<std::pair<std::size_t, std::size_t>> apart;
    std::size_t points = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::printf("%s\n", dGetConfiguration());
        return 0;
    }
    if (argc != 4) peers::fail("expected SCENE STATES LIMIT");
    const peers::Scene scene = peers::read_scene(argv[1]);
    Engine engine(scene);
    return peers::run(engine, scene, argv[2], std::atof(argv[3]));
}
