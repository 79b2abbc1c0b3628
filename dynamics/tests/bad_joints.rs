//! What the numbers of a joint cannot say is refused when it is added, not found out by a step that fails.

use drystone_collision::{Shape, Sphere};
use drystone_dynamics::{Attachment, Ball, Body, Distance, EllipticCone, Gear, Joint, JointModel, Limit, World};
use nalgebra::{Point3, Vector3};

fn two_balls() -> World {
    let mut world = World::new();
    for name in ["a", "b"] {
        let ball = Body::dynamic(name, Shape::Sphere(Sphere { radius: 0.1 }), 1.0).unwrap();
        world.add(ball).unwrap();
    }
    world
}

fn refuses(joint: Joint, expected: &str) {
    let error = two_balls().add_joint(joint).expect_err(expected).to_string();
    assert!(error.contains(expected), "{error}");
}

fn joined(model: impl JointModel + 'static, attachment: Attachment) -> Joint {
    Joint::new("joint", model, [0, 1], attachment)
}

#[test]
fn a_rod_and_gears_need_ends_that_are_apart() {
    let gear = Gear {
        teeth: [10, 20],
        internal: false,
    };
    let here = Attachment::at(Point3::origin());
    let along = Attachment::between(Point3::origin(), Point3::from(Vector3::z()));
    let across = Attachment::between(Point3::origin(), Point3::from(Vector3::x()));
    refuses(joined(Distance::rod(), here), "the ends of a rod must be apart");
    refuses(joined(gear, here), "the centres of two gear wheels must be apart");
    refuses(joined(gear, along), "the centres of two gear wheels must be apart");
    for good in [
        joined(Distance::rod(), along),
        joined(Distance::rope(1.0), here),
        joined(gear, across),
    ] {
        two_balls().add_joint(good).unwrap();
    }
}

/// A half angle of zero or NaN makes a cone that is nowhere violated: a limit that silently isn't there.
#[test]
fn an_elliptic_cone_needs_half_angles() {
    for angles in [[0.0, 0.5], [0.5, f64::NAN], [-1.0, 1.0], [1.0, f64::INFINITY]] {
        let joint = joined(Ball, Attachment::at(Point3::origin())).with_limit(Limit::reach(EllipticCone { angles }));
        refuses(joint, "a half angle must be positive");
    }
}
