//! From a description to a world: what each key becomes.

use approx::assert_relative_eq;
use drystone_dynamics::{BodyKind, OrientationUpdate, World};
use drystone_scenes::{BodyDescription, Kind, Material, Scene, SceneError, ShapeDescription, parse_scene, read_scene};
use nalgebra::{UnitQuaternion, Vector3};

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
