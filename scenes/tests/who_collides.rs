//! Triggers, passive bodies, collision groups and rules, and timers: what the keys become, and what is answered to
//! mistakes in them.

use drystone_dynamics::{BodyKind, FilterScope, World};
use drystone_scenes::{
    BodyDescription, CollisionRule, Scene, SceneError, ShapeDescription, TimerDescription, parse_scene,
};
use nalgebra::Vector3;

/// Rocks on lines 1 to 6, a cliff on lines 7 to 11.
const ROCKS: &str = r#"[[body]]
name = "rock"
shape.sphere.radius = 0.5
mass = 1
groups = ["rocks", "loose"]
repeat = { count = [3, 1, 1], spacing = [2, 0, 0] }
[[body]]
name = "cliff"
kind = "fixed"
shape.half-space = {}
groups = ["terrain"]
"#;

fn scene(text: &str) -> Scene {
    let scene = parse_scene(text, "test.toml").unwrap();
    // Whatever can be read can be written and read again.
    let written = scene.to_toml().unwrap();
    assert_eq!(parse_scene(&written, "written.toml").unwrap(), scene, "\n{written}");
    scene
}

fn world(text: &str) -> World {
    scene(text).build().unwrap()
}

#[track_caller]
fn refuses(text: &str, expected: &str) {
    let error = parse_scene(text, "bad.toml").expect_err(expected);
    assert_eq!(error.to_string(), format!("bad.toml:{expected}"), "\nin\n{text}");
}

/// The lines follow the rocks, as line 12 and on.
#[track_caller]
fn refuses_after_rocks(lines: &str, expected: &str) {
    refuses(&format!("{ROCKS}{lines}\n"), expected);
}

#[test]
fn triggers_stay_or_move() {
    let world = world(
        r#"
        [[body]]
        name = "door"
        kind = "trigger"
        shape.box.size = [1, 1, 2]
        position = [1, 2, 3]
        [[body]]
        name = "beam"
        kind = "trigger"
        shape.sphere.radius = 1
        position = [0, 0, 1]
        motion.oscillation = { amplitude = [0.5, 0, 0], frequency = 0.25, phase-degrees = 90 }
        [[body]]
        name = "below"
        kind = "trigger"
        shape.half-space = {}
        "#,
    );
    let [door, beam, below] = world.bodies() else {
        panic!("three bodies")
    };
    assert!(matches!(door.kind, BodyKind::Trigger(None)) && matches!(below.kind, BodyKind::Trigger(None)));
    assert_eq!(door.pose.translation.vector, Vector3::new(1.0, 2.0, 3.0));
    assert_eq!((door.inverse_mass(), beam.inverse_mass()), (0.0, 0.0));
    // It begins at the end of its swing, and is at the middle a quarter of 4 s later.
    assert!(matches!(beam.kind, BodyKind::Trigger(Some(_))));
    assert_eq!(beam.pose.translation.vector, Vector3::new(0.5, 0.0, 1.0));
    let later = beam.kind.motion().unwrap().pose(1.0).translation.vector;
    assert!((later - Vector3::new(0.0, 0.0, 1.0)).norm() < 1e-15, "{later}");
}

#[test]
fn passive_bodies_are_kept_in_store() {
    let body = "[[body]]\nshape.sphere.radius = 1\nmass = 2\n";
    let world = world(&format!(
        "{body}{body}passive = true\n[[body]]\nkind = \"fixed\"\nshape.half-space = {{}}\npassive = true"
    ));
    let passive: Vec<bool> = world.bodies().iter().map(|body| body.passive).collect();
    assert_eq!(passive, [false, true, true]);
    assert_eq!(world.bodies()[1].mass, 2.0);
}

#[test]
fn groups_are_numbered_as_they_appear_and_copies_are_in_them() {
    let world = world(ROCKS);
    let members = |group| -> Vec<u32> { (0..4).filter(|&body| world.filter.is_member(body, group)).collect() };
    assert_eq!(
        (members(0), members(1), members(2)),
        (vec![0, 1, 2], vec![0, 1, 2], vec![3])
    );
    assert!(world.filter.is_trivial());
}

#[test]
fn each_kind_of_rule_becomes_its_entry() {
    for (lines, scope, allow) in [
        ("body = \"rock-1-0-0\"\nallow = false", FilterScope::Body(1), false),
        ("body = \"cliff\"\nallow = true", FilterScope::Body(3), true),
        (
            "bodies = [\"cliff\", \"rock-0-0-0\"]\nallow = false",
            FilterScope::Pair(0, 3),
            false,
        ),
        ("group = \"loose\"\nallow = true", FilterScope::Group(1), true),
        (
            "groups = [\"rocks\", \"rocks\"]\nallow = false",
            FilterScope::Groups(0, 0),
            false,
        ),
        (
            "groups = [\"terrain\", \"rocks\"]\nallow = false",
            FilterScope::Groups(0, 2),
            false,
        ),
    ] {
        let mut filter = world(&format!("{ROCKS}[[collision-rule]]\n{lines}\n")).filter;
        assert!(!filter.is_trivial(), "{lines}");
        let other = if allow {
            filter.remove_rule(scope)
        } else {
            filter.remove_exception(scope)
        };
        let found = if allow {
            filter.remove_exception(scope)
        } else {
            filter.remove_rule(scope)
        };
        assert!(found && !other, "{lines}");
        assert!(filter.is_trivial(), "{lines}");
    }
}

/// The more specific rule decides, whatever the order they are written in.
#[test]
fn rules_have_the_precedence_of_the_page() {
    let rules = [
        "group = \"rocks\"\nallow = false",
        "groups = [\"rocks\", \"terrain\"]\nallow = true",
        "body = \"rock-2-0-0\"\nallow = false",
        "bodies = [\"rock-2-0-0\", \"rock-1-0-0\"]\nallow = true",
    ];
    let text = |rules: &mut dyn Iterator<Item = &&str>| -> String {
        rules.map(|rule| format!("[[collision-rule]]\n{rule}\n")).collect()
    };
    for rules in [text(&mut rules.iter()), text(&mut rules.iter().rev())] {
        let filter = world(&format!("{ROCKS}{rules}")).filter;
        let (first, second, third, cliff) = (0, 1, 2, 3);
        assert!(!filter.allows(first, second), "their group");
        assert!(filter.allows(first, cliff), "their pair of groups is before the group");
        assert!(!filter.allows(third, cliff), "the body is before the pair of groups");
        assert!(filter.allows(third, second), "the pair is before the body");
    }
}

#[test]
fn the_default_decides_where_no_rule_speaks() {
    let rule = "[[collision-rule]]\ngroups = [\"rocks\", \"terrain\"]\nallow = true\n";
    let filter = world(&format!("collide-by-default = false\n{ROCKS}{rule}")).filter;
    assert!(!filter.default_allow);
    assert!(filter.allows(0, 3) && !filter.allows(0, 1));
    assert!(
        world(&format!("collide-by-default = true\n{ROCKS}"))
            .filter
            .is_trivial()
    );
}

#[test]
fn timers_tick_first_and_then_every_period() {
    let world =
        world("[[timer]]\nname = \"a\"\nfirst = 0.3\n[[timer]]\nperiod = 0.25\n[[timer]]\nfirst = 0.1\nperiod = 0.5");
    let ticks = |timer: usize| -> Vec<f64> { world.timers()[timer].ticks(0.0, 1.0).collect() };
    assert_eq!(ticks(0), [0.3]);
    assert_eq!(ticks(1), [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(ticks(2), [0.1, 0.6]);
    let names: Vec<&str> = world.timers().iter().map(|timer| timer.name.as_str()).collect();
    assert_eq!(names, ["a", "timer-1", "timer-2"]);
}

#[test]
fn mistakes_about_triggers() {
    let trigger = "[[body]]\nname = \"a\"\nkind = \"trigger\"\nshape.sphere.radius = 1\n";
    for (line, expected) in [
        (
            "density = 3",
            "5:11: body 'a': density has no meaning for a trigger body; remove it",
        ),
        (
            "mass = 3",
            "5:8: body 'a': mass has no meaning for a trigger body; remove it",
        ),
        (
            "force = [1, 0, 0]",
            "5:9: body 'a': force has no meaning for a trigger body; remove it",
        ),
        (
            "material = \"ice\"\n[[material]]\nname = \"ice\"",
            "5:12: body 'a': material has no meaning for a trigger, which touches nothing; remove it",
        ),
        (
            "motion.uniform.linear-velocity = [nan, 0, 0]",
            "5:35: body 'a': linear-velocity must be finite, not NaN",
        ),
        ("passive = 1", "5:11: invalid type: integer '1', expected a boolean"),
        (
            "[[body]]\nname = \"b\"\nmass = 1\nshape.sphere.radius = 1\n\
             [[joint]]\nname = \"j\"\nbodies = [\"b\", \"a\"]\ntype = \"ball\"\nanchor = [0, 0, 0]",
            "11:16: joint 'j': 'a' is a trigger, a place that no joint can hold on to",
        ),
    ] {
        refuses(&format!("{trigger}{line}\n"), expected);
    }
    refuses(
        "[[body]]\nkind = \"triger\"\nshape.sphere.radius = 1",
        "2:8: unknown choice 'triger'; did you mean 'trigger'?",
    );
}

#[test]
fn mistakes_about_groups() {
    let ball = "[[body]]\nname = \"a\"\nmass = 1\nshape.sphere.radius = 1\n";
    refuses(
        &format!("{ball}groups = \"rocks\""),
        "5:10: invalid type: string \"rocks\", expected a sequence",
    );
    refuses(
        &format!("{ball}groups = [\"x\", \" \"]"),
        "5:16: body 'a': the name of a group must not be empty",
    );
    refuses(
        &format!("{ball}groups = [\"x\", \"y\", \"x\"]"),
        "5:21: body 'a': group 'x' is given twice",
    );
    // The last of 64 fits; one more, in a body of its own, does not.
    let names: Vec<String> = (10..74).map(|group| format!("\"g{group}\"")).collect();
    let full = format!("{ball}groups = [{}]\n", names.join(", "));
    assert!(world(&full).filter.is_member(0, 63));
    refuses(
        &format!("{full}[[body]]\nname = \"b\"\nmass = 1\nshape.sphere.radius = 1\ngroups = [\"g10\", \"g74\"]"),
        "10:18: body 'b': with group 'g74' the scene has more than 64 collision groups",
    );
}

#[test]
fn mistakes_about_rules() {
    let rule = |lines: &str| format!("[[collision-rule]]\nallow = false\n{lines}");
    let at = "collision-rule[0]";
    for (lines, expected) in [
        (
            "",
            format!("12:1: {at}: a rule needs one of body, bodies, group, groups"),
        ),
        (
            "group = \"rocks\"\nbody = \"cliff\"",
            format!("14:9: {at}: give only one of body, bodies, group, groups"),
        ),
        (
            "body = \"clif\"",
            format!("14:8: {at}: there is no body 'clif'; did you mean 'cliff'?"),
        ),
        (
            "body = \"rock-1-0-\"",
            format!("14:8: {at}: there is no body 'rock-1-0-'; did you mean 'rock-1-0-0'?"),
        ),
        (
            "body = \"xyzzy-plugh\"",
            format!("14:8: {at}: there is no body 'xyzzy-plugh'"),
        ),
        (
            "bodies = [\"cliff\", \"rock\"]",
            format!("14:20: {at}: 'rock' is repeated, as 'rock-0-0-0' and so on; put these in a group"),
        ),
        (
            "bodies = [\"cliff\", \"cliff\"]",
            format!("14:10: {at}: the two bodies of a rule must differ"),
        ),
        (
            "bodies = [\"cliff\"]",
            "14:10: invalid length 1, expected an array of 2 elements".into(),
        ),
        (
            "group = \"rock\"",
            format!("14:9: {at}: there is no group 'rock'; did you mean 'rocks'?"),
        ),
        (
            "groups = [\"rocks\", \"terain\"]",
            format!("14:20: {at}: there is no group 'terain'; did you mean 'terrain'?"),
        ),
        (
            "grops = [\"rocks\", \"rocks\"]",
            "14:1: unknown key 'grops'; did you mean 'groups'?".into(),
        ),
    ] {
        refuses_after_rocks(&rule(lines), &expected);
    }
    refuses_after_rocks("[[collision-rule]]\ngroup = \"rocks\"", "12:1: missing key 'allow'");
    // In the other order, and the other way round, it is still about the same.
    let first = rule("groups = [\"rocks\", \"terrain\"]\n");
    refuses_after_rocks(
        &format!("{first}[[collision-rule]]\nallow = true\ngroups = [\"terrain\", \"rocks\"]"),
        "15:1: collision-rule[1]: there is already a rule about the same",
    );
    refuses(
        "collide-by-defualt = false",
        "1:1: unknown key 'collide-by-defualt'; did you mean 'collide-by-default'?",
    );
}

#[test]
fn mistakes_about_timers() {
    for (lines, expected) in [
        ("", "1:1: timer 'timer-0': a timer needs 'first', 'period' or both"),
        ("name = \" \"\nfirst = 1", "2:8: timer ' ': the name must not be empty"),
        (
            "first = 0",
            "2:9: timer 'timer-0': first must be positive and finite, not 0",
        ),
        (
            "period = -1",
            "2:10: timer 'timer-0': period must be positive and finite, not -1",
        ),
        (
            "period = inf",
            "2:10: timer 'timer-0': period must be positive and finite, not inf",
        ),
        (
            "period = 1e-9",
            "2:10: timer 'timer-0': it would tick more than 1000000 times within the scene's duration",
        ),
        ("perod = 1", "2:1: unknown key 'perod'; did you mean 'period'?"),
        (
            "name = \"a\"\nfirst = 1\n[[timer]]\nname = \"a\"\nfirst = 2",
            "5:8: timer 'a': another timer has this name",
        ),
        (
            "name = \"timer-1\"\nfirst = 1\n[[timer]]\nfirst = 2",
            "4:1: timer 'timer-1': another timer has this name",
        ),
    ] {
        refuses(&format!("[[timer]]\n{lines}\n"), expected);
    }
}

/// Scenes made by a program pass the same checks, and say where in the scene the mistake is.
#[test]
fn programs_get_the_same_answers() {
    let mut scene = Scene::named("made");
    let ball = |name: &str| BodyDescription::dynamic(name, ShapeDescription::sphere(1.0)).mass(1.0);
    scene.bodies = vec![ball("a").in_group("x"), ball("b").in_group("x").in_group("y")];
    scene
        .bodies
        .push(BodyDescription::trigger("t", ShapeDescription::sphere(2.0)));
    scene.collision_rules = vec![
        CollisionRule::bodies("a", "b", true),
        CollisionRule::body("t", true),
        CollisionRule::groups("x", "y", false),
        CollisionRule::group("x", false),
    ];
    scene.timers = vec![TimerDescription::once("o", 1.0), TimerDescription::every("e", 0.5)];
    let world = scene.build().unwrap();
    assert!(world.filter.allows(0, 1) && world.filter.allows(1, 2));
    assert_eq!((world.timers()[0].first, world.timers()[1].first), (1.0, 0.5));

    scene.collision_rules[3] = CollisionRule::group("z", false);
    match scene.build() {
        Err(SceneError::Invalid { place, message, .. }) => {
            assert_eq!(place, "collision-rule[3].group");
            assert_eq!(message, "collision-rule[3]: there is no group 'z'; did you mean 'x'?");
        }
        other => panic!("{other:?}"),
    }
}
