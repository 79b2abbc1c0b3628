//! A chain hanging at rest between two points: its shape and its tension.
//!
//! For n uniform links of weight w, statics is exact: the horizontal force H is the same in every joint, the vertical one
//! grows by w from link to link, and each link points along the mean of the forces at its two ends. With n → ∞ this is
//! the catenary.

mod common;

use common::*;
use drystone::dynamics::{Attachment, Ball, Simulation};
use nalgebra::{Point3, UnitQuaternion, Vector3};

const LINK: f64 = 0.1;
const MASS: f64 = 0.1;
/// Half the angle of the arc along which the chain begins.
const SLOPE: f64 = 1.0;

/// A chain of links along an arc of a circle, held at both ends, damped.
fn chain(links: usize) -> (Simulation, f64) {
    let radius = 0.5 * LINK / (SLOPE / links as f64).sin();
    let node = |k: usize| {
        let angle = SLOPE * (2.0 * k as f64 / links as f64 - 1.0);
        Vector3::new(radius * angle.sin(), 0.0, radius * (SLOPE.cos() - angle.cos()))
    };
    let mut world = world(0.0, 0.0, [plane("ceiling", -Vector3::z())]);
    // The ceiling is above everything, so that nothing touches.
    world.bodies_mut()[0].pose.translation.vector.z = 10.0;
    for k in 0..links {
        let (from, to) = (node(k), node(k + 1));
        let mut link = cuboid(&format!("link-{k}"), [0.5 * LINK, 0.01, 0.01], MASS).at(0.5 * (from + to));
        let along = to - from;
        link.pose.rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), (-along.z).atan2(along.x));
        (link.linear_damping, link.angular_damping) = (6.0, 6.0);
        world.add(link).expect("a link");
    }
    for k in 0..=links {
        let name = |k: usize| format!("link-{k}");
        let (before, after) = match k {
            0 => ("ceiling".to_owned(), name(0)),
            k if k == links => (name(k - 1), "ceiling".to_owned()),
            k => (name(k - 1), name(k)),
        };
        let at = Attachment::at(Point3::from(node(k)));
        join(&mut world, &format!("socket-{k}"), Ball, [&before, &after], at);
    }
    (simulation(world, DIRECT, 0.005), 2.0 * radius * SLOPE.sin())
}

/// A chain at rest.
struct Statics {
    /// Of the links.
    centres: Vec<Vector3<f64>>,
    /// The force on the chain at its left end.
    pull: Vector3<f64>,
    /// How far its lowest joint is below the ends.
    sag: f64,
}

/// By statics: H by bisection so that the links span the distance.
fn statics(links: usize, span: f64) -> Statics {
    let weight = MASS * G;
    // The vertical force on link k at its middle, upwards to the left of the lowest point.
    let vertical = |k: usize| weight * (0.5 * links as f64 - k as f64 - 0.5);
    let width = |horizontal: f64| -> f64 {
        let cos = |k| horizontal / f64::hypot(horizontal, vertical(k));
        (0..links).map(|k| LINK * cos(k)).sum()
    };
    let (mut low, mut high) = (1e-6, 1e6);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if width(middle) < span {
            low = middle
        } else {
            high = middle
        }
    }
    let horizontal = 0.5 * (low + high);
    let mut at = Vector3::new(-0.5 * span, 0.0, 0.0);
    let mut centres = Vec::new();
    let mut lowest = 0.0_f64;
    for k in 0..links {
        let along = LINK * Vector3::new(horizontal, 0.0, -vertical(k)).normalize();
        centres.push(at + 0.5 * along);
        at += along;
        lowest = lowest.min(at.z);
    }
    // The ceiling pulls the chain outwards and carries half of it.
    let pull = Vector3::new(-horizontal, 0.0, 0.5 * links as f64 * weight);
    Statics {
        centres,
        pull,
        sag: -lowest,
    }
}

/// The sag of the continuous catenary of a length over a span: `L = 2a sinh(D/2a)`, sag `a (cosh(D/2a) − 1)`.
fn catenary_sag(length: f64, span: f64) -> f64 {
    let (mut low, mut high) = (1e-3 * span, 1e3 * span);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        // Longer for a smaller a.
        if 2.0 * a * (0.5 * span / a).sinh() > length {
            low = a
        } else {
            high = a
        }
    }
    let a = 0.5 * (low + high);
    a * ((0.5 * span / a).cosh() - 1.0)
}

#[test]
fn a_chain_at_rest_is_a_catenary() {
    for links in [10, 30] {
        let (mut simulation, span) = chain(links);
        run(&mut simulation, 2400);
        let Statics { centres, pull, sag } = statics(links, span);
        let mut worst = 0.0_f64;
        for (k, expected) in centres.iter().enumerate() {
            worst = worst.max((position(&simulation, &format!("link-{k}")) - expected).norm());
        }
        // The joint's force acts on the chain.
        let found = joint_force(&simulation, 0);
        // At rest nothing of the step is left, only rounding.
        assert!(worst < 1e-9, "{links} links: {worst:e} m");
        assert_vector(found, pull, 1e-9 * pull.norm());
        // The polygon's sag differs from the curve's by the order of 1/n².
        let smooth = catenary_sag(links as f64 * LINK, span);
        assert_close(sag, smooth, 1.0 / (links * links) as f64);
    }
}
