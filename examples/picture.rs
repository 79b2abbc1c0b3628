//! Draws a scene after some time as an SVG, bodies coloured by the force that presses on them, or by their stack height.
//!
//! ```sh
//! cargo run --release --example picture -- wall 5 wall.svg
//! cargo run --release --example picture -- canyon 0.01 docs/canyon.svg shock-propagation/pgs height
//! ```
//!
//! An orthographic view from the front right, faces painted from the back to the front. The force on a body is the sum
//! of the normal impulses at its contacts in the last step, divided by the step.

use std::error::Error;
use std::fmt::Write as _;

use drystone::collision::Shape;
use drystone::dynamics::{Method, Simulation};
use drystone::scenes;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Vector3};

/// Pixels along the longer side.
const SIZE: f64 = 960.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let scene = scenes::load(&arguments.next().unwrap_or("wall".into()))?;
    let seconds: f64 = arguments.next().unwrap_or("5".into()).parse()?;
    let path = arguments.next().unwrap_or("scene.svg".into());

    let method = arguments.next().or(scene.solver.clone()).unwrap_or("pgs".into());
    let colour = match arguments.next().as_deref() {
        None | Some("force") => Colour::Force,
        Some("height") => Colour::Height,
        Some(other) => return Err(format!("colour by 'force' or 'height', not '{other}'").into()),
    };

    let method = Method::parse(&method)?;
    let mut simulation = Simulation::new(scene.build()?, method, scene.dt)?;
    while simulation.world().time < seconds {
        simulation.step()?;
    }
    std::fs::write(path, draw(&simulation, colour))?;
    Ok(())
}

/// What colours stand for.
#[derive(Clone, Copy, PartialEq)]
enum Colour {
    Force,
    Height,
}

/// One thing to paint: how far away it is, and its SVG element.
struct Patch {
    distance: f64,
    element: String,
}

fn draw(simulation: &Simulation, colour: Colour) -> String {
    let bodies = simulation.world().bodies();
    let forces = match colour {
        Colour::Force => forces(simulation),
        Colour::Height => (0..bodies.len()).map(|body| height(simulation, body)).collect(),
    };
    let dynamic = || bodies.iter().zip(&forces).filter(|(body, _)| body.is_dynamic());
    let strongest = dynamic().fold(f64::MIN_POSITIVE, |most, (_, &force)| most.max(force));
    let camera = Rotation3::from_euler_angles(0.0, 0.0, 0.45).matrix() * 1.0;
    let view = Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.35, 0.94, 0.0, -0.94, 0.35) * camera;

    let solids = dynamic().flat_map(|(body, force)| {
        let solids = primitives(&body.shape, &body.pose);
        solids.into_iter().map(move |(shape, pose)| (shape, pose, force))
    });
    let solids: Vec<_> = solids.collect();
    let corners = solids.iter().flat_map(|(shape, pose, _)| outline(shape, pose, &view));
    let corners: Vec<Vector3<f64>> = corners.collect();
    let low = corners.iter().fold(Vector3::repeat(f64::MAX), |low, c| low.inf(c));
    let high = corners.iter().fold(Vector3::repeat(f64::MIN), |high, c| high.sup(c));
    let scale = SIZE / (high.x - low.x).max(high.y - low.y);
    let margin = 24.0;
    let screen = |v: &Vector3<f64>| (margin + (v.x - low.x) * scale, margin + (high.y - v.y) * scale);

    let mut patches = Vec::new();
    for (shape, pose, force) in &solids {
        let colour = heat(*force / strongest);
        match shape {
            Shape::Cuboid(cuboid) => {
                for axis in 0..3 {
                    for side in [-1.0, 1.0] {
                        patches.extend(face(pose, cuboid.half_extents, axis, side, colour, &view, &screen));
                    }
                }
            }
            Shape::Sphere(sphere) => {
                let centre = view * pose.translation.vector;
                let (x, y) = screen(&centre);
                patches.push(Patch {
                    distance: centre.z,
                    element: format!(
                        "<circle cx='{x:.1}' cy='{y:.1}' r='{:.1}' fill='{}' stroke='#222' stroke-width='0.6'/>",
                        sphere.radius * scale,
                        shade(colour, 0.9)
                    ),
                });
            }
            Shape::HalfSpace(_) | Shape::Compound(_) => {}
        }
    }
    patches.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let (width, height) = (
        (high.x - low.x) * scale + 2.0 * margin,
        (high.y - low.y) * scale + 2.0 * margin + 40.0,
    );
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0} {height:.0}' font-family='sans-serif'>\n\
         <rect width='100%' height='100%' fill='white'/>\n"
    );
    for patch in &patches {
        svg.push_str(&patch.element);
        svg.push('\n');
    }
    let words = match colour {
        Colour::Force => ("0 N", format!("{strongest:.0} N: sum of the contact forces on a body")),
        Colour::Height => ("0", format!("{strongest:.0}: stack height")),
    };
    legend(&mut svg, words, margin, height - 30.0);
    svg.push_str("</svg>\n");
    svg
}

fn height(simulation: &Simulation, body: usize) -> f64 {
    simulation.pipeline().height(body).map_or(0.0, f64::from)
}

/// N, by body.
fn forces(simulation: &Simulation) -> Vec<f64> {
    let mut forces = vec![0.0; simulation.world().bodies().len()];
    for (a, b, point, impulse) in simulation.pipeline().contacts() {
        let force = impulse.dot(&point.normal) / simulation.dt();
        forces[a as usize] += force;
        forces[b as usize] += force;
    }
    forces
}

/// The parts of a compound, or the shape itself, with their poses in the world.
fn primitives<'a>(shape: &'a Shape, pose: &Isometry3<f64>) -> Vec<(&'a Shape, Isometry3<f64>)> {
    match shape {
        Shape::Compound(compound) => {
            let parts = compound.parts().iter();
            parts.map(|part| (&part.shape, pose * part.pose)).collect()
        }
        _ => vec![(shape, *pose)],
    }
}

/// The extreme points of a sphere or a box in view coordinates.
fn outline(shape: &Shape, pose: &Isometry3<f64>, view: &Matrix3<f64>) -> Vec<Vector3<f64>> {
    let half = match shape {
        Shape::Cuboid(cuboid) => cuboid.half_extents,
        _ => Vector3::repeat(shape.bounding_radius()),
    };
    (0..8)
        .map(|k| {
            let sign = |bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = half.component_mul(&Vector3::new(sign(0), sign(1), sign(2)));
            view * (pose * Point3::from(corner)).coords
        })
        .collect()
}

/// A face of a box, if it looks towards the viewer.
fn face(
    pose: &Isometry3<f64>,
    half: Vector3<f64>,
    axis: usize,
    side: f64,
    colour: [f64; 3],
    view: &Matrix3<f64>,
    screen: &impl Fn(&Vector3<f64>) -> (f64, f64),
) -> Option<Patch> {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let unit = |k: usize, s: f64| Vector3::from_fn(|i, _| if i == k { s } else { 0.0 });
    let normal = pose.rotation * unit(axis, side);
    let towards = view * normal;
    if towards.z <= 0.0 {
        return None;
    }
    let mut points = String::new();
    let mut distance = 0.0;
    for (su, sv) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        let local = half.component_mul(&(unit(axis, side) + unit(u, su) + unit(v, sv)));
        let seen = view * (pose * Point3::from(local)).coords;
        distance += 0.25 * seen.z;
        let (x, y) = screen(&seen);
        let _ = write!(points, "{x:.1},{y:.1} ");
    }
    let light = 0.55 + 0.45 * normal.dot(&Vector3::new(0.3, -0.5, 0.81)).max(0.0);
    Some(Patch {
        distance,
        element: format!(
            "<polygon points='{points}' fill='{}' stroke='#222' stroke-width='0.6'/>",
            shade(colour, light)
        ),
    })
}

fn legend(svg: &mut String, (least, most): (&str, String), left: f64, top: f64) {
    let steps = 64;
    for k in 0..steps {
        let t = f64::from(k) / f64::from(steps - 1);
        let _ = writeln!(
            svg,
            "<rect x='{:.1}' y='{top:.1}' width='3.5' height='12' fill='{}'/>",
            left + 50.0 + 3.0 * f64::from(k),
            shade(heat(t), 1.0)
        );
    }
    let _ = writeln!(
        svg,
        "<text x='{left:.0}' y='{0:.0}' font-size='14'>{least}</text>\
         <text x='{1:.0}' y='{0:.0}' font-size='14'>{most}</text>",
        top + 11.0,
        left + 56.0 + 3.0 * f64::from(steps)
    );
}

/// From dark blue over green to yellow, evenly in lightness, also for colour-blind eyes.
fn heat(t: f64) -> [f64; 3] {
    const STOPS: [[f64; 3]; 5] = [
        [68.0, 1.0, 84.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [253.0, 231.0, 37.0],
    ];
    let at = t.clamp(0.0, 1.0) * 4.0;
    let k = (at as usize).min(3);
    std::array::from_fn(|i| STOPS[k][i] + (at - k as f64) * (STOPS[k + 1][i] - STOPS[k][i]))
}

fn shade(colour: [f64; 3], light: f64) -> String {
    let [r, g, b] = colour.map(|c| (c * light).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}
