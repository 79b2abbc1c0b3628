//! From a description to a world: what each key becomes.

use approx::assert_relative_eq;
use drystone_collision::Shape;
use drystone_dynamics::{BodyKind, OrientationUpdate, World};
use drystone_scenes::{
    BodyDescription, Kind, Material, PartDescription, Scene, SceneError, ShapeDescription, parse_scene, read_scene,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

fn world(text: &str) -> World {
    parse_scene(text, "test.toml").unwrap().build().unwrap()
}

#[test]
fn an_empty_text_is_the_default_scene() {
    let scene = parse_scene("", "folder/nothing.toml").unwrap();
    assert_eq!(scene, Scene::named("nothing"));
    assert_eq!((scene.dt, scene.gravity), (0.01, [0.0, 0.0, -9.81]));
    let law = scene.build().unwrap().materials.pair(0, 0);
    assert_eq!((law.friction, law.restitution), (0.25, 0.25));
}

#[test]
fn a_body_gets_what_its_keys_say() {
    let world = world(
        r#"
        gravity = [0, 0, -1.62]
        [[material]]
        name = "rubber"
        friction = 0.9
        [[body]]
        shape.box.size = [1, 2, 3]
        density = 2
        material = "rubber"
        position = [1, 2, 3]
        orientation.axis-angle = { axis = [0, 0, 2], degrees = 90 }
        linear-velocity = [1, 0, 0]
        angular-velocity = [0, 1, 0]
        force = [0, 0, 1]
        torque = [0, 2, 0]
        linear-damping = 0.1
        angular-damping = 0.2
        orientation-update.partial-finite.axis = [0, 3, 0]
        "#,
    );
    assert_eq!(world.gravity.z, -1.62);
    let body = &world.bodies()[0];
    assert_eq!(body.name, "body-0");
    assert_relative_eq!(body.mass, 12.0, epsilon = 1e-12);
    // m/12 (b² + c²) about x.
    assert_relative_eq!(body.inertia[(0, 0)], 13.0, epsilon = 1e-12);
    assert_eq!(world.materials.names()[body.material], "rubber");
    assert_eq!(body.pose.translation.vector, Vector3::new(1.0, 2.0, 3.0));
    assert_relative_eq!(body.pose.rotation * Vector3::x(), Vector3::y(), epsilon = 1e-15);
    assert_eq!((body.linear_velocity.x, body.angular_velocity.y), (1.0, 1.0));
    assert_eq!((body.force.z, body.torque.y), (1.0, 2.0));
    assert_eq!((body.linear_damping, body.angular_damping), (0.1, 0.2));
    assert_eq!(
        body.orientation_update,
        OrientationUpdate::PartialFinite(Vector3::y_axis())
    );
}

#[test]
fn quaternions_are_w_first_and_normalised() {
    let world = world("[[body]]\nshape.sphere.radius = 1\nmass = 1\norientation.quaternion = [2, 0, 0, 2]\n");
    let expected = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    assert_relative_eq!(world.bodies()[0].pose.rotation, expected, epsilon = 1e-15);
}

#[test]
fn a_given_mass_is_spread_over_the_shape() {
    let world = world("[[body]]\nshape.sphere.radius = 0.5\nmass = 3\n");
    let body = &world.bodies()[0];
    assert_relative_eq!(body.mass, 3.0, max_relative = 1e-15);
    // 2/5 m r².
    assert_relative_eq!(body.inertia[(2, 2)], 0.4 * 3.0 * 0.25, max_relative = 1e-14);
}

#[test]
fn the_default_material_can_be_changed_and_pairs_fill_up_from_the_mixing_rule() {
    let world = world(
        r#"
        mixing = "mean"
        [[material]]
        name = "default"
        friction = 0.5
        [[material]]
        name = "ice"
        friction = 0.1
        restitution = 0.05
        [[material-pair]]
        materials = ["ice", "default"]
        restitution = 0.0
        "#,
    );
    let law = |a, b| {
        let law = world.materials.pair(a, b);
        (law.friction, law.restitution)
    };
    assert_eq!(law(0, 0), (0.5, 0.25));
    assert_eq!(law(1, 1), (0.1, 0.05));
    assert_eq!(law(0, 1), (0.3, 0.0));
}

#[test]
fn repetitions_are_written_out_x_first() {
    let text = r#"
        [[body]]
        name = "ball"
        shape.sphere.radius = 0.5
        mass = 1
        position = [0, 0, 0.5]
        repeat = { count = [2, 3, 4], spacing = [1, 1.5, 2] }
        [[body]]
        kind = "fixed"
        shape.half-space = {}
    "#;
    assert_eq!(parse_scene(text, "test.toml").unwrap().body_count(), 25);
    let world = world(text);
    assert_eq!(world.bodies().len(), 25);
    assert_eq!(world.bodies()[1].name, "ball-1-0-0");
    let last = &world.bodies()[23];
    assert_eq!(last.name, "ball-1-2-3");
    assert_eq!(last.pose.translation.vector, Vector3::new(1.0, 3.0, 6.5));
    assert_eq!(world.bodies()[24].name, "body-1");
}

#[test]
fn scripted_bodies_follow_their_motion() {
    let world = world(
        r#"
        [[body]]
        name = "belt"
        kind = "scripted"
        shape.box.size = [1, 1, 1]
        position = [0, 0, 1]
        motion.uniform = { linear-velocity = [2, 0, 0], angular-velocity = [0, 0, 1] }
        [[body]]
        name = "shaker"
        kind = "scripted"
        shape.box.size = [1, 1, 1]
        position = [5, 0, 0]
        motion.oscillation = { amplitude = [0, 0, 0.1], frequency = 2, phase-degrees = 90 }
        "#,
    );
    let pose = |index: usize, time| match &world.bodies()[index].kind {
        BodyKind::Scripted(motion) => motion.pose(time),
        kind => panic!("{kind:?}"),
    };
    assert_relative_eq!(
        pose(0, 3.0).translation.vector,
        Vector3::new(6.0, 0.0, 1.0),
        epsilon = 1e-12
    );
    assert_relative_eq!(pose(0, 0.5).rotation.angle(), 0.5, epsilon = 1e-12);
    // A quarter of a period before its zero, the shaker begins at the top, and the body is there.
    let top = Vector3::new(5.0, 0.0, 0.1);
    assert_relative_eq!(pose(1, 0.0).translation.vector, top, epsilon = 1e-12);
    assert_relative_eq!(world.bodies()[1].pose.translation.vector, top, epsilon = 1e-12);
    assert_relative_eq!(pose(1, 0.25).translation.vector.z, -0.1, epsilon = 1e-12);
}

/// The places of a compound's parts in the world.
fn part_places(world: &World, index: usize) -> Vec<Vector3<f64>> {
    let body = &world.bodies()[index];
    let Shape::Compound(compound) = &body.shape else {
        panic!("{:?}", body.shape);
    };
    let parts = compound.parts().iter();
    parts.map(|part| (body.pose * part.pose).translation.vector).collect()
}

/// A compound's position and orientation are those of the frame its parts are written in; its pose in the world is that
/// of the centre of mass.
#[test]
fn a_compound_is_where_its_parts_are_written() {
    let text = r#"
        [[body]]
        name = "mallet"
        density = 2
        position = [10, 0, 1]
        orientation.axis-angle = { axis = [0, 0, 1], degrees = 90 }
        linear-velocity = [1, 2, 3]
        shape.compound.parts = [
            { shape.box.size = [1, 1, 2], position = [1, 0, 0] },
            { shape.box.size = [1, 2, 1], position = [4, 0, 0], density = 4, orientation.axis-angle = { axis = [1, 0, 0], degrees = 90 } },
        ]
        repeat = { count = [1, 1, 2], spacing = [0, 0, 5] }
    "#;
    let scene = parse_scene(text, "test.toml").unwrap();
    assert_eq!(parse_scene(&scene.to_toml().unwrap(), "written.toml").unwrap(), scene);
    let world = scene.build().unwrap();
    let body = &world.bodies()[0];
    // 4 kg at x = 1 and 8 kg at x = 4: the centre at x = 3, which the quarter turn puts on y.
    assert_relative_eq!(body.mass, 12.0, max_relative = 1e-14);
    assert_relative_eq!(
        body.pose.translation.vector,
        Vector3::new(10.0, 3.0, 1.0),
        epsilon = 1e-14
    );
    assert_eq!(body.linear_velocity, Vector3::new(1.0, 2.0, 3.0));
    let places = part_places(&world, 0);
    assert_relative_eq!(places[0], Vector3::new(10.0, 1.0, 1.0), epsilon = 1e-14);
    assert_relative_eq!(places[1], Vector3::new(10.0, 4.0, 1.0), epsilon = 1e-14);
    // m/12 (b² + c²) and m d². The turned part is 1 × 1 × 2 too.
    let expected = [
        12.0 / 12.0 * 5.0,
        12.0 / 12.0 * 5.0 + 4.0 * 4.0 + 8.0,
        12.0 / 12.0 * 2.0 + 4.0 * 4.0 + 8.0,
    ];
    for (axis, expected) in expected.into_iter().enumerate() {
        assert_relative_eq!(body.inertia[(axis, axis)], expected, max_relative = 1e-13);
    }
    // The copy is the same body five metres up, and shares its parts.
    let (copy, offset) = (&world.bodies()[1], Vector3::new(0.0, 0.0, 5.0));
    assert_relative_eq!(
        copy.pose.translation.vector,
        body.pose.translation.vector + offset,
        epsilon = 1e-14
    );
    let (Shape::Compound(a), Shape::Compound(b)) = (&body.shape, &copy.shape) else {
        panic!("{:?}", copy.shape);
    };
    assert!(std::ptr::eq(a.parts(), b.parts()));
}

#[test]
fn a_mass_is_spread_over_all_parts() {
    let world = world(
        r#"
        [[body]]
        mass = 6
        shape.compound.parts = [
            { shape.box.size = [1, 1, 1] },
            { shape.box.size = [1, 1, 2], position = [0, 0, 1.5] },
        ]
        [[body]]
        shape.compound.parts = [
            { shape.box.size = [1, 1, 1], density = 2 },
            { shape.box.size = [1, 1, 2], density = 2, position = [0, 0, 1.5] },
        ]
        "#,
    );
    let [a, b] = [0, 1].map(|index| &world.bodies()[index]);
    assert_eq!(a.mass, 6.0);
    assert_relative_eq!(a.pose.translation.vector.z, 1.0, max_relative = 1e-15);
    assert_relative_eq!(a.inertia, b.inertia, max_relative = 1e-14);
    assert_relative_eq!(b.mass, 6.0, max_relative = 1e-14);
}

/// A body that nothing pushes keeps the frame as written, and turns about its origin.
#[test]
fn fixed_and_scripted_compounds_keep_their_frame() {
    let parts = "shape.compound.parts = [{ shape.sphere.radius = 1, position = [3, 0, 0] }]";
    let world = world(&format!(
        "[[body]]\nkind = \"fixed\"\nposition = [0, 0, 1]\n{parts}\n\
         [[body]]\nkind = \"scripted\"\nposition = [0, 0, 2]\n{parts}\nmotion.uniform.angular-velocity = [0, 0, 1]\n"
    ));
    assert_eq!(world.bodies()[0].pose, Isometry3::translation(0.0, 0.0, 1.0));
    assert_eq!(part_places(&world, 0), [Vector3::new(3.0, 0.0, 1.0)]);
    let BodyKind::Scripted(motion) = &world.bodies()[1].kind else {
        panic!("{:?}", world.bodies()[1].kind);
    };
    let there = motion.pose(std::f64::consts::FRAC_PI_2) * Point3::new(3.0, 0.0, 0.0);
    assert_relative_eq!(there.coords, Vector3::new(0.0, 3.0, 2.0), epsilon = 1e-12);
}

#[test]
fn compounds_made_by_a_program() {
    let part = |x: f64| PartDescription::new(ShapeDescription::sphere(0.5)).at([x, 0.0, 0.0]);
    let heavy = part(2.0).turned([0.0, 0.0, 1.0], 30.0).density(3.0);
    let mut scene = Scene::named("made");
    let shape = ShapeDescription::compound([part(0.0), heavy]);
    scene
        .bodies
        .push(BodyDescription::dynamic("pair", shape).density(1.0).at([0.0, 0.0, 7.0]));
    let world = scene.build().unwrap();
    assert_relative_eq!(
        world.bodies()[0].pose.translation.vector,
        Vector3::new(1.5, 0.0, 7.0),
        max_relative = 1e-15
    );
    assert_eq!(parse_scene(&scene.to_toml().unwrap(), "written.toml").unwrap(), scene);
    scene.bodies[0].shape = ShapeDescription::compound([part(f64::NAN)]);
    let message = scene.build().unwrap_err().to_string();
    assert_eq!(
        message,
        "scene 'made', body[0].shape.compound.parts[0].position[0]: body 'pair': parts[0]: position must be finite, not NaN"
    );
}

#[test]
fn scenes_made_by_a_program_pass_the_same_checks() {
    let mut scene = Scene::named("made");
    scene
        .bodies
        .push(BodyDescription::dynamic("ball", ShapeDescription::sphere(-1.0)).mass(1.0));
    let message = scene.build().unwrap_err().to_string();
    assert_eq!(
        message,
        "scene 'made', body[0].shape.sphere.radius: body 'ball': radius must be positive and finite, not -1"
    );
    scene.bodies[0].shape = ShapeDescription::sphere(1.0);
    scene.materials.push(Material::new("x", f64::NAN, 0.0));
    assert!(matches!(scene.build(), Err(SceneError::Invalid { place, .. }) if place == "material[0].friction"));
    scene.materials.clear();
    scene.bodies[0].kind = Kind::Scripted;
    assert!(scene.build().is_err());
}

#[test]
fn files_are_read_and_named_after_themselves() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("unnamed-scene.toml");
    std::fs::write(&path, "[[body]]\nkind = \"fixed\"\nshape.half-space = {}\n").unwrap();
    let scene = read_scene(&path).unwrap();
    assert_eq!(scene.name, "unnamed-scene");
    assert_eq!(drystone_scenes::load(path.to_str().unwrap()).unwrap(), scene);
}
