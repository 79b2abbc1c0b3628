//! The two text files through which engines in other languages take part: a scene goes out, states come back.
//!
//! Numbers are written in the shortest form that is read back as the same bits. A scene file, with one thing a line:
//!
//! ```text
//! drystone-peer-scene 1
//! gravity x y z
//! dt h
//! friction mu
//! window <steps of the warm-up> <timed steps>
//! bodies n
//! (fixed | dynamic) (sphere r | box hx hy hz | half-space nx ny nz) position x y z orientation w x y z
//!     velocity x y z spin x y z mass m inertia ixx iyy izz
//! joints n
//! ball a b anchors ax ay az bx by bz
//! ```
//!
//! A body is one line; half-extents, body-frame inertia, world-frame velocities; anchors are in the frames of their bodies, which
//! don't collide with each other. A state file is a sequence of
//!
//! ```text
//! state <steps taken> <bodies>
//! x y z  qw qx qy qz  vx vy vz  wx wy wz     (a body a line)
//! ```

use std::fmt::Write as _;

use drystone::collision::Shape;
use drystone::dynamics::{Body, Joint};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::measure::BodyState;
use super::scenes::{PeerScene, Setting};

/// A scene as text; an error if it has something that is not compared.
pub fn scene_text(scene: &PeerScene, setting: &Setting) -> Result<String, String> {
    let world = &setting.world;
    let mut text = format!(
        "drystone-peer-scene 1\ngravity{}\ndt {}\nfriction {}\nwindow {} {}\nbodies {}\n",
        numbers(world.gravity.iter()),
        setting.dt,
        setting.friction,
        scene.warm_up,
        scene.steps,
        world.bodies().len(),
    );
    for body in world.bodies() {
        text.push_str(&body_line(body)?);
    }
    let _ = writeln!(text, "joints {}", world.joints().len());
    for joint in world.joints() {
        text.push_str(&joint_line(joint)?);
    }
    Ok(text)
}

fn body_line(body: &Body) -> Result<String, String> {
    let shape = match &body.shape {
        Shape::Sphere(sphere) => format!("sphere {}", sphere.radius),
        Shape::Cuboid(cuboid) => format!("box{}", numbers(cuboid.half_extents.iter())),
        Shape::HalfSpace(plane) => format!("half-space{}", numbers(plane.normal.iter())),
        Shape::Compound(_) => return Err(format!("'{}' is a compound, which is not compared", body.name)),
    };
    let (kind, mass, inertia) = if body.is_dynamic() {
        let inertia = body.inertia.diagonal();
        if body.inertia != nalgebra::Matrix3::from_diagonal(&inertia) {
            return Err(format!("the inertia of '{}' is not diagonal", body.name));
        }
        ("dynamic", body.mass, inertia)
    } else {
        ("fixed", 0.0, Vector3::zeros())
    };
    Ok(format!(
        "{kind} {shape} position{} orientation{} velocity{} spin{} mass {mass} inertia{}\n",
        numbers(body.pose.translation.vector.iter()),
        orientation(&body.pose),
        numbers(body.linear_velocity.iter()),
        numbers(body.angular_velocity.iter()),
        numbers(inertia.iter()),
    ))
}

fn joint_line(joint: &Joint) -> Result<String, String> {
    if joint.model.name() != "ball" || joint.collide {
        return Err(format!(
            "'{}' is not a ball joint that keeps its bodies apart",
            joint.name
        ));
    }
    let frames = joint.frames();
    Ok(format!(
        "ball {} {} anchors{}{}\n",
        joint.bodies[0],
        joint.bodies[1],
        numbers(frames.a.translation.vector.iter()),
        numbers(frames.b.translation.vector.iter()),
    ))
}

/// Each with a blank before it. Rust prints the fewest digits that give the same bits again.
fn numbers<'a>(values: impl Iterator<Item = &'a f64>) -> String {
    values.map(|value| format!(" {value:e}")).collect()
}

fn orientation(pose: &Isometry3<f64>) -> String {
    let q = pose.rotation;
    numbers([q.w, q.i, q.j, q.k].iter())
}

/// States as text.
pub fn states_text(states: &[(usize, Vec<BodyState>)]) -> String {
    let mut text = String::new();
    for (taken, bodies) in states {
        let _ = writeln!(text, "state {taken} {}", bodies.len());
        for body in bodies {
            let _ = writeln!(
                text,
                "{}{}{}{}",
                numbers(body.pose.translation.vector.iter()),
                orientation(&body.pose),
                numbers(body.linear_velocity.iter()),
                numbers(body.angular_velocity.iter()),
            );
        }
    }
    text
}

/// States from text, with the number of steps that led to each.
pub fn read_states(text: &str) -> Result<Vec<(usize, Vec<BodyState>)>, String> {
    let mut states = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let header: Vec<&str> = line.split_whitespace().collect();
        let ["state", taken, bodies] = header[..] else {
            return Err(format!("line {}: expected 'state STEPS BODIES'", index + 1));
        };
        let count = |text: &str| {
            text.parse::<usize>()
                .map_err(|error| format!("line {}: {error}", index + 1))
        };
        let (taken, bodies) = (count(taken)?, count(bodies)?);
        let mut state = Vec::with_capacity(bodies);
        for _ in 0..bodies {
            let (index, line) = lines.next().ok_or("the file ends within a state")?;
            state.push(read_body(line).map_err(|error| format!("line {}: {error}", index + 1))?);
        }
        states.push((taken, state));
    }
    Ok(states)
}

fn read_body(line: &str) -> Result<BodyState, String> {
    let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
    let numbers = numbers.map_err(|error| error.to_string())?;
    let [x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz] = numbers[..] else {
        return Err(format!("expected 13 numbers, not {}", numbers.len()));
    };
    // Normalised, because engines keep quaternions in single precision or let their length drift.
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(qw, qx, qy, qz));
    Ok(BodyState {
        pose: Isometry3::from_parts(Translation3::new(x, y, z), rotation),
        linear_velocity: Vector3::new(vx, vy, vz),
        angular_velocity: Vector3::new(wx, wy, wz),
    })
}
