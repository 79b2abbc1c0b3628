// What the drivers in C++ share: the scene file, the state file, the clock, and the line of JSON at the end.
// The formats are described in exchange.rs; the fields of the line are those of program.rs.

#pragma once

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace peers {

using Vector = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // w, x, y, z

enum class Shape { Sphere, Box, HalfSpace };

struct Body {
    bool dynamic = false;
    Shape shape = Shape::Sphere;
    double radius = 0;
    Vector size{};  // half-extents of a box, normal of a half-space
    Vector position{};
    Quaternion orientation{};
    Vector velocity{}, spin{};
    double mass = 0;
    Vector inertia{};
};

struct BallJoint {
    int a = 0, b = 0;
    Vector anchor_a{}, anchor_b{};
};

struct State {
    Vector position{};
    Quaternion orientation{};
    Vector velocity{}, spin{};
};

struct Scene {
    Vector gravity{};
    double dt = 0, friction = 0;
    int warm_up = 0, steps = 0;
    std::vector<Body> bodies;
    std::vector<BallJoint> joints;
};

[[noreturn]] inline void fail(const std::string& message) {
    std::cerr << message << '\n';
    std::exit(2);
}

// Reads words and numbers; anything unexpected ends the program.
class Reader {
public:
    explicit Reader(const char* path) : in(path) {
        if (!in) fail(std::string("cannot read ") + path);
    }

    std::string word() {
        std::string text;
        if (!(in >> text)) fail("the scene file ends too early");
        return text;
    }

    void expect(const char* name) {
        const std::string text = word();
        if (text != name) fail("expected '" + std::string(name) + "', not '" + text + "'");
    }

    double number() { return std::strtod(word().c_str(), nullptr); }

    template <std::size_t N>
    std::array<double, N> numbers() {
        std::array<double, N> values;
        for (double& value : values) value = number();
        return values;
    }

private:
    std::ifstream in;
};

inline Body read_body(Reader& in) {
    Body body;
    body.dynamic = in.word() == "dynamic";
    const std::string shape = in.word();
    if (shape == "sphere") {
        body.radius = in.number();
    } else {
        body.shape = shape == "box" ? Shape::Box : Shape::HalfSpace;
        body.size = in.numbers<3>();
    }
    in.expect("position");
    body.position = in.numbers<3>();
    in.expect("orientation");
    body.orientation = in.numbers<4>();
    in.expect("velocity");
    body.velocity = in.numbers<3>();
    in.expect("spin");
    body.spin = in.numbers<3>();
    in.expect("mass");
    body.mass = in.number();
    in.expect("inertia");
    body.inertia = in.numbers<3>();
    return body;
}

inline Scene read_scene(const char* path) {
    Reader in(path);
    Scene scene;
    in.expect("drystone-peer-scene");
    in.expect("1");
    in.expect("gravity");
    scene.gravity = in.numbers<3>();
    in.expect("dt");
    scene.dt = in.number();
    in.expect("friction");
    scene.friction = in.number();
    in.expect("window");
    scene.warm_up = static_cast<int>(in.number());
    scene.steps = static_cast<int>(in.number());
    in.expect("bodies");
    scene.bodies.resize(static_cast<std::size_t>(in.number()));
    for (Body& body : scene.bodies) body = read_body(in);
    in.expect("joints");
    scene.joints.resize(static_cast<std::size_t>(in.number()));
    for (BallJoint& joint : scene.joints) {
        in.expect("ball");
        joint.a = static_cast<int>(in.number());
        joint.b = static_cast<int>(in.number());
        in.expect("anchors");
        joint.anchor_a = in.numbers<3>();
        joint.anchor_b = in.numbers<3>();
    }
    return scene;
}

inline double seconds() {
    using Clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// Seconds for which this process had a processor.
inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

inline void write_states(std::FILE* file, int taken, const std::vector<State>& states) {
    std::fprintf(file, "state %d %zu\n", taken, states.size());
    for (const State& s : states) {
        const double numbers[13] = {s.position[0],    s.position[1],    s.position[2],    s.orientation[0],
                                    s.orientation[1], s.orientation[2], s.orientation[3], s.velocity[0],
                                    s.velocity[1],    s.velocity[2],    s.spin[0],        s.spin[1],
                                    s.spin[2]};
        for (double number : numbers) std::fprintf(file, " %.17g", number);
        std::fputc('\n', file);
    }
}

// Takes a scene's steps in an engine that has
//     void step(double& collision, double& solve)   one step, adding the seconds of its two parts
//     std::vector<State> states()
//     std::size_t contacts()                        points of the last step
// for at most some seconds, and prints what it took.
template <typename Engine>
int run(Engine& engine, const Scene& scene, const char* states_path, double limit) {
    std::FILE* file = std::fopen(states_path, "w");
    if (!file) fail(std::string("cannot write ") + states_path);
    const double started = seconds();
    const char* status = "done";
    double total = 0, collision = 0, solve = 0, processor = 0;
    int taken = 0, timed = 0;
    while (taken < scene.warm_up + scene.steps) {
        if (seconds() - started > limit) {
            status = "time-limit";
            break;
        }
        double parts[2] = {0, 0};
        const double before = seconds();
        engine.step(parts[0], parts[1]);
        const double time = seconds() - before;
        ++taken;
        if (taken > scene.warm_up) {
            ++timed;
            total += time;
            collision += parts[0];
            solve += parts[1];
        }
        if (taken == scene.warm_up) {
            write_states(file, taken, engine.states());
            processor = processor_seconds();
        }
    }
    processor = processor_seconds() - processor;
    write_states(file, taken, engine.states());
    std::fclose(file);
    std::printf("{\"status\": \"%s\", \"taken\": %d, \"timed\": %d, ", status, taken, timed);
    if (timed > 0) {
        std::printf("\"step_ms\": %.9g, \"cpu_ms\": %.9g, ", 1e3 * total / timed, 1e3 * processor / timed);
        std::printf("\"collision_ms\": %.9g, \"solve_ms\": %.9g, ", 1e3 * collision / timed, 1e3 * solve / timed);
    } else {
        std::printf("\"step_ms\": null, \"cpu_ms\": null, \"collision_ms\": null, \"solve_ms\": null, ");
    }
    std::printf("\"contacts\": %zu}\n", engine.contacts());
    return 0;
}

}  // namespace peers
