// A scene in Bullet: bullet SCENE STATES LIMIT, or bullet --version.
//
// The sequential impulse solver with ten iterations, warm start, split impulse and two friction directions a point; no
// deactivation; the library's defaults otherwise. Bullet multiplies the coefficients of two bodies, so each gets the root.
// It is compiled once for single and once for double precision (BT_USE_DOUBLE_PRECISION, with the libraries of that).

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "scene.hpp"

namespace {

constexpr int sweeps = 10;

btVector3 vector(const peers::Vector& v) { return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2])); }

// A world that notes how long its two parts take.
class World : public btDiscreteDynamicsWorld {
public:
    using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;

    void performDiscreteCollisionDetection() override {
        const double before = peers::seconds();
        btDiscreteDynamicsWorld::performDiscreteCollisionDetection();
        collision += peers::seconds() - before;
    }

    double collision = 0, solve = 0;

protected:
    void calculateSimulationIslands() override {
        const double before = peers::seconds();
        btDiscreteDynamicsWorld::calculateSimulationIslands();
        collision += peers::seconds() - before;
    }

    void solveConstraints(btContactSolverInfo& info) override {
        const double before = peers::seconds();
        btDiscreteDynamicsWorld::solveConstraints(info);
        solve += peers::seconds() - before;
    }
};

class Engine {
public:
    explicit Engine(const peers::Scene& scene)
        : scene(scene), dispatcher(&configuration), world(&dispatcher, &broad_phase, &solver, &configuration) {
        world.setGravity(vector(scene.gravity));
        btContactSolverInfo& info = world.getSolverInfo();
        info.m_numIterations = sweeps;
        info.m_solverMode |= SOLVER_USE_WARMSTARTING | SOLVER_USE_2_FRICTION_DIRECTIONS;
        for (const peers::Body& body : scene.bodies) add(body);
        for (const peers::BallJoint& joint : scene.joints) {
            joints.push_back(std::make_unique<btPoint2PointConstraint>(
                *bodies[joint.a], *bodies[joint.b], vector(joint.anchor_a), vector(joint.anchor_b)));
            world.addConstraint(joints.back().get(), true);
        }
    }

    ~Engine() {
        for (auto& joint : joints) world.removeConstraint(joint.get());
        for (auto& body : bodies) world.removeRigidBody(body.get());
    }

    void step(double& collision, double& solve) {
        world.collision = world.solve = 0;
        world.stepSimulation(btScalar(scene.dt), 0);
        collision += world.collision;
        solve += world.solve;
    }

    std::vector<peers::State> states() const {
        std::vector<peers::State> states;
        for (const auto& body : bodies) {
            const btTransform& at = body->getWorldTransform();
            const btVector3 p = at.getOrigin(), v = body->getLinearVelocity(), w = body->getAngularVelocity();
            const btQuaternion q = at.getRotation();
            states.push_back({{p.x(), p.y(), p.z()},
                              {q.w(), q.x(), q.y(), q.z()},
                              {v.x(), v.y(), v.z()},
                              {w.x(), w.y(), w.z()}});
        }
        return states;
    }

    std::size_t contacts() {
        std::size_t points = 0;
        for (int k = 0; k < dispatcher.getNumManifolds(); ++k)
            points += static_cast<std::size_t>(dispatcher.getManifoldByIndexInternal(k)->getNumContacts());
        return points;
    }

private:
    void add(const peers::Body& body) {
        switch (body.shape) {
            case peers::Shape::Sphere:
                shapes.push_back(std::make_unique<btSphereShape>(btScalar(body.radius)));
                break;
            case peers::Shape::Box:
                shapes.push_back(std::make_unique<btBoxShape>(vector(body.size)));
                break;
            case peers::Shape::HalfSpace:
                shapes.push_back(std::make_unique<btStaticPlaneShape>(vector(body.size), btScalar(0)));
                break;
        }
        const btScalar mass = body.dynamic ? btScalar(body.mass) : btScalar(0);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes.back().get(), vector(body.inertia));
        const peers::Quaternion& q = body.orientation;
        info.m_startWorldTransform = btTransform(
            btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])), vector(body.position));
        info.m_friction = btScalar(std::sqrt(scene.friction));
        info.m_restitution = 0;
        bodies.push_back(std::make_unique<btRigidBody>(info));
        btRigidBody& made = *bodies.back();
        made.setLinearVelocity(vector(body.velocity));
        made.setAngularVelocity(vector(body.spin));
        made.setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(&made);
    }

    const peers::Scene& scene;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    World world;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::printf("%d.%02d\n", btGetVersion() / 100, btGetVersion() % 100);
        return 0;
    }
    if (argc != 4) peers::fail("expected SCENE STATES LIMIT");
    const peers::Scene scene = peers::read_scene(argv[1]);
    Engine engine(scene);
    return peers::run(engine, scene, argv[2], std::atof(argv[3]));
}
