//! Every mistake in a scene file is answered in one line that begins with the file, the line and the column.

use drystone_scenes::{SceneError, parse_scene, read_scene};
use miette::Diagnostic;

/// A body on lines 1 to 4; a mistake can be added as line 5.
const BALL: &str = "[[body]]\nname = \"a\"\nshape.sphere.radius = 0.5\nmass = 1.0\n";

/// Checks the place of the error, and its message word for word.
#[track_caller]
fn refuses(text: &str, expected: &str) {
    let error = parse_scene(text, "bad.toml").expect_err(expected);
    assert_eq!(error.to_string(), format!("bad.toml:{expected}"), "\nin\n{text}");
    assert!(matches!(error, SceneError::Located(_)));
    // What the program shows: the text, and the place in it.
    assert!(error.source_code().is_some());
    assert_eq!(error.labels().map(Iterator::count), Some(1));
}

/// The line is added to a good body as line 5.
#[track_caller]
fn refuses_in_body(line: &str, expected: &str) {
    refuses(&format!("{BALL}{line}\n"), expected);
}

#[test]
fn the_good_body_is_good() {
    parse_scene(BALL, "good.toml").unwrap().build().unwrap();
}

#[test]
fn syntax() {
    refuses("name = \"x\ndt = 3", "1:10: invalid basic string, expected '\"'");
    refuses("dt = 1\n[[body]\n", "2:8: unclosed array table, expected ']'");
    refuses("dt = 1\ndt = 2", "2:1: duplicate key");
}

#[test]
fn unknown_keys_get_the_nearest() {
    refuses(
        "\ngravty = [0, 0, 0]",
        "2:1: unknown key 'gravty'; did you mean 'gravity'?",
    );
    refuses("\n\n[[bodies]]\n", "3:3: unknown key 'bodies'; did you mean 'body'?");
    refuses(
        "[[material]]\nname = \"a\"\nfricton = 1",
        "3:1: unknown key 'fricton'; did you mean 'friction'?",
    );
    refuses_in_body("mas = 2", "5:1: unknown key 'mas'; did you mean 'mass'?");
    refuses_in_body(
        "repeat.cont = [1, 1, 1]",
        "5:8: unknown key 'cont'; did you mean 'count'?",
    );
    refuses_in_body(
        "orientation.axis-angle = { axis = [0, 0, 1], degree = 3 }",
        "5:46: unknown key 'degree'; did you mean 'degrees'?",
    );
    refuses(
        "[[body]]\nshape.sphere.radus = 0.5\nmass = 1",
        "2:14: unknown key 'radus'; did you mean 'radius'?",
    );
    // Nothing is near: the keys that exist are listed.
    refuses(
        "[[material-pair]]\nxyzzy = 1",
        "2:1: unknown key 'xyzzy'; expected materials, friction, restitution",
    );
}

#[test]
fn unknown_choices_get_the_nearest() {
    refuses("mixing = \"men\"", "1:10: unknown choice 'men'; did you mean 'mean'?");
    refuses_in_body("kind = \"fixd\"", "5:8: unknown choice 'fixd'; did you mean 'fixed'?");
    refuses_in_body(
        "orientation-update = \"finit\"",
        "5:22: unknown choice 'finit'; did you mean 'finite'?",
    );
    refuses_in_body(
        "orientation.axis = [0, 0, 1]",
        "5:13: unknown choice 'axis'; expected axis-angle, quaternion",
    );
    refuses(
        "[[body]]\nshape.spere.radius = 0.5\nmass = 1",
        "2:7: unknown choice 'spere'; did you mean 'sphere'?",
    );
    refuses(
        "[[body]]\nshape.sphere = { radius = 1 }\nshape.box.size = [1, 1, 1]\nmass = 1",
        "2:1: exactly one choice is expected here",
    );
}

#[test]
fn wrong_types_and_lengths() {
    refuses(
        "gravity = [0, 0]",
        "1:11: invalid length 2, expected an array of 3 elements",
    );
    refuses(
        "gravity = [0, 0, 1, 2]",
        "1:11: invalid length 4, expected an array of 3 elements",
    );
    refuses(
        "gravity = 9.81",
        "1:11: invalid type: floating point '9.81', expected an array of 3 elements",
    );
    refuses("dt = \"fast\"", "1:6: invalid type: string \"fast\", expected a number");
    refuses("[[material]]\nfriction = 1", "1:1: missing key 'name'");
    refuses("[[body]]\nmass = 1", "1:1: missing key 'shape'");
    refuses_in_body(
        "orientation.quaternion = [1, 0, 0]",
        "5:26: invalid length 3, expected an array of 4 elements",
    );
    refuses_in_body(
        "repeat = { count = [2, -1, 2], spacing = [1, 1, 1] }",
        "5:24: invalid value: integer '-1', expected a whole number, 0 or more",
    );
}

#[test]
fn numbers_out_of_range() {
    refuses("gravity = [0, 0, nan]", "1:18: gravity must be finite, not NaN");
    refuses("dt = 0", "1:6: dt must be positive and finite, not 0");
    refuses("duration = inf", "1:12: duration must be positive and finite, not inf");
    refuses("solver = \" \"", "1:10: solver must not be empty");
    refuses_in_body(
        "position = [0, 0, -inf]",
        "5:19: body 'a': position must be finite, not -inf",
    );
    refuses_in_body("force = [nan, 0, 0]", "5:10: body 'a': force must be finite, not NaN");
    refuses_in_body(
        "linear-damping = -1",
        "5:18: body 'a': linear-damping must be 0 or more and finite, not -1",
    );
    refuses_in_body(
        "repeat = { count = [2, 0, 2], spacing = [1, 1, 1] }",
        "5:24: body 'a': count must be 1 or more, not 0",
    );
    refuses_in_body(
        "repeat = { count = [2000, 2000, 2], spacing = [1, 1, 1] }",
        "1:1: body 'a': with it, the scene has more than 1000000 bodies",
    );
    let sized = |shape: &str| format!("[[body]]\nshape.{shape}\ndensity = 1");
    let body = "body 'body-0'";
    refuses(
        &sized("sphere.radius = -0.5"),
        &format!("2:23: {body}: radius must be positive and finite, not -0.5"),
    );
    refuses(
        &sized("box.size = [1, 0, 1]"),
        &format!("2:22: {body}: size must be positive and finite, not 0"),
    );
    // In range, but the mass would be no number that can be divided by.
    refuses(
        &sized("sphere.radius = 1e-200"),
        &format!("2:1: {body}: its size gives no usable mass and inertia"),
    );
    refuses(
        &sized("sphere.radius = 1e200"),
        &format!("2:1: {body}: its size gives no usable mass and inertia"),
    );
}

#[test]
fn directions_without_a_length() {
    refuses_in_body(
        "orientation.axis-angle = { axis = [0, 0, 0], degrees = 3 }",
        "5:35: body 'a': axis must not be zero",
    );
    refuses_in_body(
        "orientation.quaternion = [0, 0, 0, 0]",
        "5:26: body 'a': quaternion must not be zero",
    );
    refuses_in_body(
        "orientation.quaternion = [1, nan, 0, 0]",
        "5:30: body 'a': quaternion must be finite, not NaN",
    );
    refuses_in_body(
        "orientation-update.partial-finite.axis = [0, 0, 0]",
        "5:42: body 'a': axis must not be zero",
    );
    refuses_in_body(
        "orientation.quaternion = [1e-200, 0, 0, 0]",
        "5:26: body 'a': quaternion is too short or too long to give a direction",
    );
    refuses(
        "[[body]]\nkind = \"fixed\"\nshape.half-space.normal = [0, 0, 0]",
        "3:27: body 'body-0': normal must not be zero",
    );
}

#[test]
fn masses() {
    let ball = |keys: &str| format!("[[body]]\nshape.sphere.radius = 1\n{keys}");
    refuses(
        &ball("mass = 0"),
        "3:8: body 'body-0': mass must be positive and finite, not 0",
    );
    refuses(
        &ball("mass = -2.5"),
        "3:8: body 'body-0': mass must be positive and finite, not -2.5",
    );
    refuses(
        &ball("density = nan"),
        "3:11: body 'body-0': density must be positive and finite, not NaN",
    );
    refuses(
        &ball(""),
        "1:1: body 'body-0': a dynamic body needs a density or a mass",
    );
    refuses(
        &ball("density = 1\nmass = 1"),
        "4:8: body 'body-0': give either density or mass, not both",
    );
    refuses(
        "[[body]]\nshape.half-space = {}\nmass = 1",
        "2:1: body 'body-0': a half-space has no finite mass, so its kind must be \"fixed\", \"scripted\" or \"trigger\"",
    );
}

/// A compound of two parts, the second on line 5.
fn compound(second: &str, keys: &str) -> String {
    let first = "{ shape.sphere.radius = 1 },";
    format!("[[body]]\nname = \"c\"\nshape.compound.parts = [\n  {first}\n  {second}\n]\n{keys}")
}

#[test]
fn compounds() {
    let box_part = "{ shape.box.size = [1, 1, 1], position = [2, 0, 0] }";
    parse_scene(&compound(box_part, "density = 1"), "good.toml")
        .unwrap()
        .build()
        .unwrap();
    refuses(
        "[[body]]\nshape.compound.parts = []\nmass = 1",
        "2:24: body 'body-0': a compound needs at least one part",
    );
    refuses("[[body]]\nshape.compound = {}\nmass = 1", "2:18: missing key 'parts'");
    refuses(
        &compound("{ shape.box.size = [1, 0, 1] }", "mass = 1"),
        "5:26: body 'c': parts[1]: size must be positive and finite, not 0",
    );
    refuses(
        &compound("{ shape.half-space = {} }", "mass = 1"),
        "5:5: body 'c': parts[1]: a half-space can't be a part, only a sphere or a box can",
    );
    refuses(
        &compound("{ shape.compound.parts = [{ shape.sphere.radius = 1 }] }", "mass = 1"),
        "5:5: body 'c': parts[1]: a compound can't be a part, only a sphere or a box can",
    );
    refuses(
        &compound("{ shape.sphere.radius = 1, position = [0, nan, 0] }", "mass = 1"),
        "5:45: body 'c': parts[1]: position must be finite, not NaN",
    );
    refuses(
        &compound(
            "{ shape.sphere.radius = 1, orientation.quaternion = [0, 0, 0, 0] }",
            "mass = 1",
        ),
        "5:55: body 'c': parts[1]: quaternion must not be zero",
    );
    refuses(
        &compound("{ shape.sphere.radius = 1, possition = [0, 0, 0] }", "mass = 1"),
        "5:30: unknown key 'possition'; did you mean 'position'?",
    );
    refuses(
        &compound("{ position = [0, 0, 0] }", "mass = 1"),
        "5:3: missing key 'shape'",
    );
    let many = "{ shape.sphere.radius = 1 },".repeat(65_536);
    refuses(
        &compound(&many, "mass = 1"),
        "3:24: body 'c': a compound can have up to 65536 parts, not 65537",
    );
}

#[test]
fn densities_of_parts() {
    let dense = |density: &str| format!("{{ shape.sphere.radius = 1, density = {density} }}");
    refuses(
        &compound(&dense("-3"), "density = 1"),
        "5:40: body 'c': parts[1]: density must be positive and finite, not -3",
    );
    refuses(
        &compound(&dense("5"), "mass = 1"),
        "5:40: body 'c': parts[1]: a part has no density of its own if the body has a mass; give the body a density",
    );
    refuses(
        &compound(&dense("5"), ""),
        "1:1: body 'c': a dynamic body needs a density or a mass, unless every part has a density of its own",
    );
    refuses(
        &compound(&dense("5"), "kind = \"fixed\""),
        "5:40: body 'c': parts[1]: density has no meaning for a fixed body; remove it",
    );
    refuses(
        "[[body]]\ndensity = 1\nshape.compound.parts = [{ shape.sphere.radius = 1, density = 2 }]",
        "2:11: body 'body-0': density has no meaning here: every part has its own",
    );
    // In range, but together no mass that can be divided by.
    refuses(
        &compound("{ shape.sphere.radius = 1e200 }", "density = 1"),
        "3:1: body 'c': its size gives no usable mass and inertia",
    );
}

#[test]
fn values_that_would_be_ignored() {
    refuses_in_body(
        "kind = \"fixed\"",
        "4:8: body 'a': mass has no meaning for a fixed body; remove it",
    );
    let fixed = "[[body]]\nkind = \"fixed\"\nshape.half-space = {}\n";
    refuses(
        &format!("{fixed}linear-velocity = [1, 0, 0]"),
        "4:19: body 'body-0': linear-velocity has no meaning for a fixed body; remove it",
    );
    refuses_in_body(
        "motion.uniform.linear-velocity = [0, 0, 1]",
        "5:1: body 'a': only a body of kind \"scripted\" or \"trigger\" has a motion",
    );
    refuses(
        "[[body]]\nkind = \"scripted\"\nshape.half-space = {}",
        "1:1: body 'body-0': a scripted body needs a motion",
    );
}

#[test]
fn materials() {
    let ice = "[[material]]\nname = \"ice\"\n";
    refuses(
        &format!("{ice}friction = -1"),
        "3:12: material 'ice': friction must be 0 or more and finite, not -1",
    );
    refuses(
        &format!("{ice}restitution = 1.5"),
        "3:15: material 'ice': restitution must be from 0 to 1, not 1.5",
    );
    refuses(
        &format!("{ice}restitution = nan"),
        "3:15: material 'ice': restitution must be from 0 to 1, not NaN",
    );
    refuses(
        &format!("{ice}{ice}"),
        "4:8: material 'ice': another material has this name",
    );
    refuses_in_body(
        "material = \"defualt\"",
        "5:12: body 'a': unknown material 'defualt'; did you mean 'default'?",
    );
    let pair = "[[material-pair]]\nmaterials = [\"ice\", \"default\"]\n";
    refuses(
        pair,
        "2:14: material pair 'ice', 'default': unknown material 'ice'; the materials are default",
    );
    refuses(
        &format!("{ice}{pair}restitution = 2"),
        "5:15: material pair 'ice', 'default': restitution must be from 0 to 1, not 2",
    );
    refuses(
        &format!("{ice}{pair}[[material-pair]]\nmaterials = [\"default\", \"ice\"]"),
        "6:13: material pair 'default', 'ice': this pair is already given",
    );
}

#[test]
fn names() {
    refuses(
        &format!("{BALL}\n{BALL}"),
        "7:8: body 'a': the name is already taken by body[0]",
    );
    refuses(
        "[[body]]\nname = \"\"\nmass = 1\nshape.sphere.radius = 1",
        "2:8: body '': the name must not be empty",
    );
    // A generated name can be taken, too; there is no name to point at then.
    let named = BALL.replace("\"a\"", "\"body-1\"");
    let unnamed = BALL.replace("name = \"a\"\n", "");
    refuses(
        &format!("{named}{unnamed}"),
        "5:1: body 'body-1': the name is already taken by body[0]",
    );
    // And so can the name of a copy.
    let copy = BALL.replace("\"a\"", "\"a-1-0-0\"");
    refuses(
        &format!("{BALL}repeat = {{ count = [2, 1, 1], spacing = [1, 0, 0] }}\n{copy}"),
        "7:8: body 'a-1-0-0': the name is already taken by body[0]",
    );
}

#[test]
fn files() {
    let missing = read_scene("no/such/scene.toml").unwrap_err().to_string();
    assert!(
        missing.starts_with("cannot read scene 'no/such/scene.toml': "),
        "{missing}"
    );
    let folder = read_scene(env!("CARGO_MANIFEST_DIR")).unwrap_err();
    assert!(matches!(folder, SceneError::File { .. }));
}
