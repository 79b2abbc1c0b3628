//! The catalogue: names, parameters, sizes, masses, and the laws that the scenes' own numbers must satisfy.

use approx::assert_relative_eq;
use drystone_dynamics::{Body, Constraint, Placement, Side, Velocity, World, rate};
use drystone_scenes::{Scene, SceneError, catalogue, find_scene, load, parse_scene};
use drystone_solver::spec::Spec;
use nalgebra::Vector3;

fn world(text: &str) -> World {
    load(text).unwrap().build().unwrap()
}

fn dynamic(world: &World) -> Vec<&Body> {
    world.bodies().iter().filter(|body| body.is_dynamic()).collect()
}

fn body<'a>(world: &'a World, name: &str) -> &'a Body {
    &world.bodies()[world.find(name).unwrap()]
}

#[test]
fn every_scene_builds_with_its_defaults_as_listed() {
    for entry in catalogue() {
        let scene = load(entry.name).unwrap();
        assert_eq!((scene.dt, scene.duration), (entry.dt, entry.duration), "{}", entry.name);
        assert_eq!(scene.name, entry.name);
        assert_eq!(scene.description, entry.summary);
        assert_eq!(scene.build().unwrap().bodies().len(), entry.bodies, "{}", entry.name);
        assert!(!entry.summary.contains('\n') && entry.summary.len() < 120);
        assert!(entry.parameters.iter().all(|parameter| !parameter.help.is_empty()));
    }
}

#[test]
fn the_listed_defaults_can_be_typed_and_change_nothing() {
    for entry in catalogue() {
        let options = entry.parameters.iter();
        let spec = Spec {
            name: entry.name.into(),
            options: options.map(|o| (o.key.clone(), o.default.clone())).collect(),
        };
        assert_eq!(load(&spec.to_string()).unwrap(), load(entry.name).unwrap());
    }
}

#[test]
fn every_scene_survives_being_written_and_read_again() {
    for entry in catalogue() {
        let scene = load(entry.name).unwrap();
        let text = scene.to_toml().unwrap();
        assert_eq!(parse_scene(&text, "written.toml").unwrap(), scene, "{}", entry.name);
    }
}

#[test]
fn scenes_have_as_many_bodies_as_promised() {
    for (text, count) in [
        ("ball-grid", 125),
        ("ball-grid:side=3", 27),
        ("box-stack", 25),
        ("box-stack:count=1", 1),
        ("wall", 200),
        ("wall:rows=3,columns=4", 12),
        ("tower", 320),
        ("tower:layers=40,width=1,height=1", 640),
        ("two-balls", 2),
        ("heavy-top", 10),
        ("sphere-pile", 200),
        ("sphere-pile:count=37", 37),
        ("silo", 3000),
        ("silo:count=30000", 30000),
        // Three even levels of 3 × 4 and two odd ones of 2 × 3.
        ("canyon", 48),
        ("canyon:across=2,along=2,levels=1", 4),
        ("engraved-plane", 120),
        ("incline", 1),
        ("sliding-boxes", 5),
        ("sliding-boxes:count=1", 1),
        ("billiards", 16),
        ("billiards:rows=1", 2),
        ("see-saw", 3),
        ("flip-over", 3),
        ("free-top", 1),
        ("rolling-plate", 26),
        ("conveyor", 1),
        ("car", 5),
        ("ragdoll", 13),
        ("ragdoll:count=3", 39),
        ("quadruped", 9),
        ("ventilator", 11),
        ("ventilator:jacks=3", 4),
        ("funnel", 128),
        // The rocks and the boulder.
        ("avalanche", 25),
        ("avalanche:count=3", 4),
        ("pendulum", 1),
        ("pendulum:links=7", 7),
        ("chain", 11),
        ("chain:links=1", 2),
        ("rope-bridge", 25),
        ("rope-bridge:planks=5,boxes=0", 5),
        ("slider-crank", 3),
        ("four-bar", 3),
        ("newton-cradle", 5),
        ("newton-cradle:balls=2", 2),
        ("spinning-top", 1),
        ("robot-assembly", 10),
        ("motor-spheres", 2),
        ("domino-chain", 20),
        ("domino-chain:count=1", 1),
        ("levered-stack", 6),
    ] {
        assert_eq!(dynamic(&world(text)).len(), count, "{text}");
    }
}

#[test]
fn the_ground_is_first_and_called_ground() {
    for entry in catalogue() {
        let first = load(entry.name).unwrap().bodies[0].name.clone().unwrap();
        let expected = match entry.name {
            "free-top" => "top",
            "conveyor" => "belt",
            "robot-assembly" => "torso",
            _ => "ground",
        };
        assert_eq!(first, expected);
    }
}

/// What joins bodies in the mechanisms, and that the joints hold where the scene puts the bodies.
#[test]
fn scenes_have_as_many_joints_as_promised_and_they_fit() {
    for (text, count) in [
        ("pendulum:links=3,angle=70", 3),
        ("chain", 11),
        ("rope-bridge", 21),
        ("slider-crank", 4),
        ("slider-crank:angle=200,rod=0.6", 4),
        ("four-bar", 4),
        ("four-bar:angle=-130", 4),
        ("newton-cradle:lifted=2", 10),
        ("spinning-top", 1),
        ("robot-assembly:spread=1,turn=0", 9),
        ("motor-spheres", 1),
        ("levered-stack", 1),
    ] {
        let world = world(text);
        assert_eq!(world.joints().len(), count, "{text}");
        for joint in world.joints() {
            let [a, b] = joint.bodies.map(|body| &world.bodies()[body].pose);
            let error = joint.error(a, b);
            assert!(
                error.length < 1e-12 && error.angle < 1e-12,
                "{text}, {}: {error:?}",
                joint.name
            );
        }
    }
    let apart = world("robot-assembly");
    let neck = &apart.joints()[apart.find_joint("neck").unwrap()];
    let [a, b] = neck.bodies.map(|body| &apart.bodies()[body].pose);
    assert!(neck.error(a, b).length > 0.1);
}

/// Driven linkages begin with velocities that fit together: no joint has to give its bodies a jerk.
#[test]
fn linkages_begin_with_velocities_that_their_joints_allow() {
    for text in [
        "slider-crank",
        "slider-crank:angle=250",
        "four-bar",
        "four-bar:angle=-130,motor=false",
        "spinning-top",
    ] {
        let world = world(text);
        for joint in world.joints() {
            let bodies = joint.bodies.map(|body| &world.bodies()[body]);
            let [a, b] = bodies.map(|body| {
                let velocity = Velocity {
                    linear: body.linear_velocity,
                    angular: body.angular_velocity,
                };
                let (before, free) = (velocity, velocity);
                let pose = body.pose;
                Side { pose, before, free }
            });
            let at = Placement {
                a: &a,
                b: &b,
                time: 0.0,
                horizon: 0.0,
                envelope: 0.0,
            };
            joint.write(&at, &mut |_, _, rows| {
                for row in rows {
                    let slip = rate(&row.jacobian, &a.before, &b.before) - row.velocity;
                    assert!(slip.abs() < 1e-12, "{text}, {}: {slip:e}", joint.name);
                }
            });
        }
    }
}

/// The figures of the dissertation, §6.1.7.
#[test]
fn masses_are_those_of_the_dissertation() {
    let masses = |text: &str| dynamic(&world(text)).iter().map(|body| body.mass).collect::<Vec<_>>();
    for mass in masses("ball-grid") {
        assert_relative_eq!(mass, 10.0 * std::f64::consts::PI / 6.0, epsilon = 1e-12);
        assert_relative_eq!(mass, 5.24, epsilon = 0.005);
    }
    // The scenes of poured balls have its density, and volumes in closed form.
    for (text, radius) in [("silo", 0.25_f64), ("canyon", 0.5), ("engraved-plane", 0.15)] {
        for mass in masses(text) {
            assert_relative_eq!(
                mass,
                10.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
                epsilon = 1e-12
            );
        }
    }
    for mass in masses("box-stack").into_iter().chain(masses("wall")) {
        assert_relative_eq!(mass, 10.0, epsilon = 1e-12);
    }
    for mass in masses("tower") {
        assert_relative_eq!(mass, 3.75, epsilon = 1e-12);
    }
    let balls = masses("two-balls");
    assert_relative_eq!(balls[1] / balls[0], 8000.0, max_relative = 1e-12);
    let density = |name: &str| {
        let world = world("two-balls");
        let body = body(&world, name);
        body.mass / body.shape.volume()
    };
    assert_relative_eq!(density("lower"), 1.0, max_relative = 1e-12);
    assert_relative_eq!(density("upper"), 1000.0, max_relative = 1e-12);
    let stack = masses("heavy-top:ratio=1000");
    assert_eq!((stack[0], stack[9]), (1.0, 1000.0));
}

#[test]
fn pairs_follow_the_laws_the_scenes_describe() {
    let law = |text: &str, a: &str, b: &str| {
        let world = world(text);
        let law = world.materials.pair(body(&world, a).material, body(&world, b).material);
        (law.friction, law.restitution)
    };
    assert_eq!(law("wall", "ground", "brick-0-0"), (0.25, 0.25));
    assert_eq!(law("wall:restitution=0.4", "brick-1-0", "brick-0-0"), (0.25, 0.4));
    assert_eq!(law("two-balls", "ground", "lower"), (0.0, 0.0));
    assert_eq!(law("two-balls", "lower", "upper"), (0.0, 1.0));
    assert_eq!(law("heavy-top", "ground", "box-0"), (0.5, 0.0));
    assert_eq!(law("rolling-plate", "ground", "plate"), (0.4, 0.0));
    assert_eq!(law("rolling-plate", "plate", "ball-0-0"), (0.8, 0.0));
    assert_eq!(law("sliding-boxes", "ground", "box-0"), (0.25, 0.0));
    assert_eq!(law("sliding-boxes", "ground", "box-4"), (0.65, 0.0));
    assert_eq!(law("billiards", "cue", "ball-1"), (0.06, 0.95));
}

/// Newton's second law with rolling balls: a (M + 2/7 n m) = F − μ g (M + n m).
#[test]
fn the_plate_is_pushed_just_above_its_friction() {
    for angle in [0.0, 30.0, 45.0] {
        let world = world(&format!("rolling-plate:angle={angle}"));
        let plate = body(&world, "plate");
        let balls = 25.0 * body(&world, "ball-0-0").mass;
        let push = plate.force.norm();
        let acceleration = (push - 0.4 * 9.81 * (plate.mass + balls)) / (plate.mass + 2.0 / 7.0 * balls);
        assert_relative_eq!(acceleration, 0.7385, epsilon = 1e-9);
        assert_relative_eq!(
            plate.force.y.atan2(plate.force.x),
            f64::to_radians(angle),
            epsilon = 1e-12
        );
    }
}

#[test]
fn symmetric_scenes_have_their_centre_of_mass_on_the_axis() {
    for text in [
        "ball-grid",
        "ball-grid:side=4,overlap=0.2",
        "canyon",
        "canyon:across=2,levels=4",
        "box-stack",
        "wall",
        "wall:rows=4,columns=7,gap=0.05",
        "tower",
        "tower:per-layer=7,layers=3",
        "two-balls",
        "heavy-top",
        "rolling-plate",
    ] {
        let world = world(text);
        let bodies = dynamic(&world);
        let mass: f64 = bodies.iter().map(|body| body.mass).sum();
        let moment: Vector3<f64> = bodies.iter().map(|body| body.mass * body.pose.translation.vector).sum();
        let centre = moment / mass;
        assert!(centre.xy().norm() < 1e-9, "{text}: {centre}");
    }
}

/// Velocities at the beginning are along the surface.
#[test]
fn blocks_on_slopes_move_down_the_slope() {
    for text in ["incline:angle=30,velocity=2", "sliding-boxes:angle=30,velocity=2"] {
        let world = world(text);
        for block in dynamic(&world) {
            let down = Vector3::new(30_f64.to_radians().cos(), 0.0, -0.5);
            assert_relative_eq!(block.linear_velocity, 2.0 * down, epsilon = 1e-12);
        }
    }
}

#[test]
fn the_free_top_spins_about_its_middle_axis_without_gravity() {
    let world = world("free-top");
    let top = body(&world, "top");
    let moments = top.inertia.diagonal();
    assert!(moments.x < moments.y && moments.y < moments.z);
    assert!(top.angular_velocity.y > 100.0 * top.angular_velocity.x);
    assert_eq!(world.gravity, Vector3::zeros());
}

#[test]
fn seeds_decide_random_scenes() {
    for name in ["sphere-pile:spread=0.2", "silo:spread=0.2", "engraved-plane:count=50"] {
        let pile = |seed| load(&format!("{name},seed={seed}")).unwrap();
        assert_eq!(pile(1), pile(1));
        assert_ne!(pile(1), pile(2));
    }
}

#[test]
fn mistakes_are_answered_in_one_line() {
    let message = |text: &str| load(text).unwrap_err().to_string();
    assert_eq!(message("wal"), "unknown scene 'wal'; did you mean 'wall'?");
    assert_eq!(message("xyzzyplugh"), "unknown scene 'xyzzyplugh'");
    assert_eq!(
        message("wall:row=3"),
        "'wall' has no option 'row'; did you mean 'rows'?"
    );
    assert_eq!(message("wall:rows=0"), "'wall': rows must be 1 or more");
    assert_eq!(
        message("wall:rows=-1"),
        "option 'rows' of 'wall' cannot be '-1': expected a whole number, 0 or more"
    );
    assert_eq!(
        message("wall:rows=1000,columns=1000"),
        "'wall': this makes more than 999990 bodies"
    );
    assert_eq!(
        message("ball-grid:side=4000000000"),
        "'ball-grid': this makes more than 999990 bodies"
    );
    assert_eq!(message("wall:length=0"), "'wall': length must be positive, not 0");
    assert_eq!(
        message("wall:restitution=1.5"),
        "'wall': restitution must be from 0 to 1, not 1.5"
    );
    assert_eq!(
        message("tower:per-layer=2"),
        "'tower': per-layer must be 3 or more to make a ring"
    );
    assert_eq!(
        message("ball-grid:overlap=0.5"),
        "'ball-grid': overlap must be less than the radius, 0.5"
    );
    assert_eq!(
        message("ball-grid:sideways=2"),
        "'ball-grid': sideways must be from 0 to 1, not 2"
    );
    assert_eq!(
        message("silo:width=0.75"),
        "'silo': width must be at least 0.8250000000000001 to hold one ball a layer"
    );
    assert_eq!(
        message("canyon:along=1"),
        "'canyon': across and along must be 2 or more"
    );
    assert_eq!(
        message("canyon:opening=20,across=2"),
        "'canyon': the canyon opens too wide for so many levels: balls on its walls would sink into others"
    );
    assert_eq!(
        message("engraved-plane:radius=2"),
        "'engraved-plane': the balls are too large for the plane"
    );
    assert_eq!(
        message("incline:angle=90"),
        "'incline': angle must be from 0 to less than 90 degrees, not 90"
    );
    assert_eq!(
        message("billiards:rows=20"),
        "'billiards': a rack of 20 rows does not fit the table"
    );
    assert_eq!(
        message("free-top:middle=2"),
        "'free-top': the sides must differ: shortest < middle < longest"
    );
    assert_eq!(
        message("slider-crank:rod=0.4"),
        "'slider-crank': the rod must be longer than the crank"
    );
    assert_eq!(
        message("four-bar:coupler=10"),
        "'four-bar': the bars do not meet at this angle"
    );
    assert_eq!(
        message("four-bar:crank=1.9,angle=90"),
        "'four-bar': the crank cannot turn all the way round, as the motor wants; change lengths or set motor=false"
    );
    assert_eq!(
        message("newton-cradle:lifted=5"),
        "'newton-cradle': lifted must be less than the number of balls"
    );
    assert_eq!(
        message("spinning-top:spin=1"),
        "'spinning-top': the top is too slow to precess steadily; spin it faster or set steady=false"
    );
    assert_eq!(
        message("rope-bridge:boxes=50"),
        "'rope-bridge': the boxes do not fit on the bridge"
    );
    assert_eq!(
        message("robot-assembly:spread=0.5"),
        "'robot-assembly': spread must be 1 or more"
    );
    assert_eq!(
        message("motor-spheres:radius=1"),
        "'motor-spheres': radius must be less than 1, or the balls overlap"
    );
    assert_eq!(
        message("domino-chain:spacing=1"),
        "'domino-chain': spacing must be less than the height, or no domino reaches the next"
    );
    assert_eq!(
        message("levered-stack:pivot=3"),
        "'levered-stack': pivot must be less than half the plank's length"
    );
    assert_eq!(
        message("chain:angle=400"),
        "'chain': angle must be from -360 to 360 degrees, not 400"
    );
    assert_eq!(
        message("box-stack:size=1e-200"),
        "'box-stack': body 'box-0': its size gives no usable mass and inertia"
    );
    assert!(message("no/such/wall.toml").starts_with("cannot read scene"));
    assert!(message("wall.toml").starts_with("cannot read scene 'wall.toml'"));
    assert!(message("").contains("name is missing"));
}

/// No value of one parameter at the edge of what can be typed may do worse than an error.
#[test]
fn extreme_parameters_give_a_scene_or_an_error() {
    for entry in catalogue() {
        for parameter in &entry.parameters {
            for value in [
                "0",
                "-1",
                "1e-300",
                "1e300",
                "1.7976931348623157e308",
                "18446744073709551615",
            ] {
                let text = format!("{}:{}={value}", entry.name, parameter.key);
                match load(&text) {
                    Ok(scene) => assert!(scene.build().is_ok(), "{text}"),
                    Err(error) => assert!(matches!(error, SceneError::Spec(_)), "{text}: {error}"),
                }
            }
        }
    }
}

#[test]
fn a_spec_and_a_text_find_the_same_scene() {
    let spec: Spec = "wall:rows=2".parse().unwrap();
    assert_eq!(find_scene(&spec).unwrap(), load("wall:rows=2").unwrap());
    assert_eq!(Scene::named("x").body_count(), 0);
}
