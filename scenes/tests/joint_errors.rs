//! Every mistake in a joint of a scene file is answered in one line with its place, like those of bodies.

use drystone_scenes::parse_scene;

/// Two bodies that move and two that don't, on lines 1 to 19.
const BODIES: &str = "\
[[body]]
name = \"wall\"
kind = \"fixed\"
shape.half-space = {}
[[body]]
name = \"thigh\"
mass = 1
shape.sphere.radius = 0.1
position = [0, 0, 1]
[[body]]
# The knee is between them.
name = \"shin\"
mass = 1
shape.sphere.radius = 0.1
position = [0, 0, 2]
[[body]]
name = \"floor\"
kind = \"fixed\"
shape.half-space = {}
";

/// With a joint that begins on line 20; the lines given are 21 and on.
fn text(lines: &str) -> String {
    format!("{BODIES}[[joint]]\n{lines}")
}

/// Checks the place of the error, and its message word for word.
#[track_caller]
fn refuses(lines: &str, expected: &str) {
    let text = text(lines);
    let error = parse_scene(&text, "bad.toml").expect_err(expected);
    assert_eq!(error.to_string(), format!("bad.toml:{expected}"), "\nin\n{text}");
}

/// A hinge of the knee with one more line, which is line 25.
#[track_caller]
fn refuses_in_hinge(line: &str, expected: &str) {
    refuses(&hinge(line), expected);
}

fn hinge(line: &str) -> String {
    format!("name = \"knee\"\nbodies = [\"thigh\", \"shin\"]\ntype = \"hinge\"\nanchor = [0, 0, 1.5]\n{line}\n")
}

#[test]
fn the_good_joint_is_good() {
    for line in [
        "",
        "axis = [0, 1, 0]",
        "limit = [{ range = { coordinate = \"angle\", lower = -1, upper = 1 } }]",
        "motor = [{ coordinate = \"angle\", drive.velocity = { speed = 1 } }]",
        "motor = [{ coordinate = \"angle\", drive.velocity = { speed = 1, force = 0 } }]",
        "break = { force = 10 }",
    ] {
        parse_scene(&text(&hinge(line)), "good.toml").unwrap().build().unwrap();
    }
}

#[test]
fn bodies() {
    let joint = |bodies: &str| format!("bodies = {bodies}\ntype = \"ball\"\nanchor = [0, 0, 0]");
    refuses(
        &joint("[\"thigh\", \"shim\"]"),
        "21:20: joint 'joint-0': there is no body 'shim'; did you mean 'shin'?",
    );
    refuses(
        &joint("[\"xyzzy\", \"shin\"]"),
        "21:11: joint 'joint-0': there is no body 'xyzzy'",
    );
    refuses(
        &joint("[\"thigh\", \"thigh\"]"),
        "21:10: joint 'joint-0': the two bodies of a joint must differ",
    );
    refuses(
        &joint("[\"wall\", \"floor\"]"),
        "21:10: joint 'joint-0': at least one of the two bodies must be dynamic; a joint between others does nothing",
    );
    refuses(
        &joint("[\"thigh\"]"),
        "21:10: invalid length 1, expected an array of 2 elements",
    );
    refuses("type = \"ball\"\nanchor = [0, 0, 0]", "20:1: missing key 'bodies'");
}

#[test]
fn names() {
    let joint = "name = \"knee\"\nbodies = [\"thigh\", \"shin\"]\ntype = \"ball\"\nanchor = [0, 0, 0]\n";
    refuses(
        &format!("{joint}[[joint]]\n{joint}"),
        "26:8: joint 'knee': another joint has this name",
    );
    refuses(
        &joint.replace("knee", " "),
        "21:8: joint ' ': the name must not be empty",
    );
    // A generated name can be taken, too.
    let unnamed = joint.replace("name = \"knee\"\n", "");
    refuses(
        &format!("{}[[joint]]\n{unnamed}", joint.replace("knee", "joint-1")),
        "25:1: joint 'joint-1': another joint has this name",
    );
}

#[test]
fn anchors() {
    let joint = |anchor: &str| format!("bodies = [\"thigh\", \"shin\"]\ntype = \"ball\"\n{anchor}");
    refuses(
        &joint(""),
        "20:1: joint 'joint-0': a joint needs an 'anchor', or 'anchors' for both bodies",
    );
    refuses(
        &joint("anchor = [0, 0, 0]\nanchors = [[0, 0, 0], [0, 0, 1]]"),
        "24:11: joint 'joint-0': give either 'anchor' or 'anchors', not both",
    );
    refuses(
        &joint("anchor = [0, 0, inf]"),
        "23:17: joint 'joint-0': anchor must be finite, not inf",
    );
    refuses(
        &joint("anchors = [[0, 0, 0], [0, nan, 1]]"),
        "23:27: joint 'joint-0': anchor must be finite, not NaN",
    );
    refuses(
        &joint("anchor = [0, 0]"),
        "23:10: invalid length 2, expected an array of 3 elements",
    );
    refuses(
        &joint("anchors = [[0, 0, 0]]"),
        "23:11: invalid length 1, expected an array of 2 elements",
    );
    refuses(
        &joint("frame = \"bodies\"\nanchor = [0, 0, 0]"),
        "24:10: joint 'joint-0': in the frames of the bodies each has an anchor of its own; give 'anchors'",
    );
    refuses(
        &joint("frame = \"body\"\nanchor = [0, 0, 0]"),
        "23:9: unknown choice 'body'; did you mean 'bodies'?",
    );
}

#[test]
fn axes() {
    for kind in ["\"universal\"", "{ wheel = {} }"] {
        refuses(
            &format!("bodies = [\"thigh\", \"shin\"]\ntype = {kind}\nanchor = [0, 0, 0]"),
            "22:8: joint 'joint-0': it needs a 'second' direction: axis 2 of a universal joint, the axle of a wheel",
        );
    }
    refuses_in_hinge("axis = [0, 0, 0]", "25:8: joint 'knee': axis must not be zero");
    refuses_in_hinge(
        "axes = [[0, 0, 1], [0, 0, 0]]",
        "25:20: joint 'knee': axis must not be zero",
    );
    refuses_in_hinge(
        "axis = [0, 0, 1]\naxes = [[0, 0, 1], [0, 0, 1]]",
        "26:8: joint 'knee': give either 'axis' or 'axes', not both",
    );
    refuses_in_hinge(
        "second = [0, 0, 2]",
        "25:10: joint 'knee': the second direction must not lie along the axis",
    );
    refuses_in_hinge(
        "axis = [1, 0, 0]\nseconds = [[0, 1, 0], [1, 0, 0]]",
        "26:11: joint 'knee': the second direction must not lie along the axis",
    );
    refuses_in_hinge("second = [0, 0, 0]", "25:10: joint 'knee': second must not be zero");
}

#[test]
fn softness_and_breaking() {
    refuses_in_hinge("erp = 1.5", "25:7: joint 'knee': erp must be from 0 to 1, not 1.5");
    refuses_in_hinge("erp = nan", "25:7: joint 'knee': erp must be from 0 to 1, not NaN");
    refuses_in_hinge(
        "cfm = -1",
        "25:7: joint 'knee': cfm must be 0 or more and finite, not -1",
    );
    refuses_in_hinge(
        "break = { force = 0 }",
        "25:19: joint 'knee': force must be positive and finite, not 0",
    );
    refuses_in_hinge(
        "break = { distance = -1 }",
        "25:22: joint 'knee': distance must be positive and finite, not -1",
    );
    refuses_in_hinge(
        "break = { torqe = 1 }",
        "25:11: unknown key 'torqe'; did you mean 'torque'?",
    );
}

#[test]
fn limits() {
    let range = |inner: &str| format!("limit = [{{ range = {{ {inner} }} }}]");
    refuses_in_hinge(
        &range("coordinate = \"angel\", lower = 0"),
        "25:35: joint 'knee': unknown coordinate 'angel'; did you mean 'angle'?",
    );
    refuses_in_hinge(
        &range("coordinate = \"displacement\", lower = 0"),
        "25:35: joint 'knee': unknown coordinate 'displacement'; a hinge joint has angle",
    );
    refuses_in_hinge(
        &range("coordinate = \"angle\""),
        "25:20: joint 'knee': a range needs 'lower', 'upper' or both",
    );
    refuses_in_hinge(
        &range("coordinate = \"angle\", lower = 0"),
        "25:20: joint 'knee': an angle needs both 'lower' and 'upper': it would come to a single bound from the other side \
         after a turn",
    );
    refuses_in_hinge(
        &range("coordinate = \"angle\", lower = 1, upper = 0"),
        "25:52: joint 'knee': lower (1) must not be above upper (0)",
    );
    refuses_in_hinge(
        &range("coordinate = \"angle\", lower = -4, upper = 4"),
        "25:64: joint 'knee': a range of angles must be less than a whole turn, 2π",
    );
    refuses_in_hinge(
        &range("coordinate = \"angle\", lower = -inf"),
        "25:52: joint 'knee': lower must be finite, not -inf",
    );
    refuses_in_hinge(
        "limit = [{ restitution = 0.5 }]",
        "25:10: joint 'knee': a limit has exactly one of 'range' and 'elliptic-cone'",
    );
    refuses_in_hinge(
        "limit = [{ range = { coordinate = \"angle\", lower = 0 }, restitution = 2 }]",
        "25:71: joint 'knee': restitution must be from 0 to 1, not 2",
    );
    refuses_in_hinge(
        "limit = [{ elliptic-cone = { angles = [1, 1] } }]",
        "25:28: joint 'knee': only a ball joint has a reach cone",
    );
    refuses(
        "bodies = [\"thigh\", \"shin\"]\ntype = \"ball\"\nanchor = [0, 0, 0]\nlimit = [{ elliptic-cone = { angles = [1, 0] } }]",
        "24:43: joint 'joint-0': angles must be positive and finite, not 0",
    );
    refuses(
        "bodies = [\"thigh\", \"shin\"]\ntype = \"fixed\"\nanchor = [0, 0, 0]\nlimit = [{ range = { coordinate = \"angle\", lower = 0 } }]",
        "24:35: joint 'joint-0': a fixed joint has no coordinate for a limit or motor",
    );
}

#[test]
fn motors() {
    let motor = |drive: &str| format!("motor = [{{ coordinate = \"angle\", drive.{drive} }}]");
    refuses_in_hinge(
        &motor("velocity = { speed = 1, force = -1 }"),
        "25:72: joint 'knee': force must be 0 or more and finite, not -1",
    );
    refuses_in_hinge(
        &motor("velocity = { speed = inf }"),
        "25:61: joint 'knee': speed must be finite, not inf",
    );
    refuses_in_hinge(
        &motor("servo = { target = 1, rate = -1 }"),
        "25:69: joint 'knee': rate must be 0 or more and finite, not -1",
    );
    refuses_in_hinge(
        &motor("friction = { force = -2 }"),
        "25:61: joint 'knee': force must be 0 or more and finite, not -2",
    );
    refuses_in_hinge(
        &motor("spring = { stiffness = 0 }"),
        "25:63: joint 'knee': stiffness and damping must not both be zero",
    );
    refuses_in_hinge(
        &motor("spring = { stiffness = -1 }"),
        "25:63: joint 'knee': stiffness must be 0 or more and finite, not -1",
    );
    refuses_in_hinge(
        &motor("velocty = { speed = 1 }"),
        "25:40: unknown choice 'velocty'; did you mean 'velocity'?",
    );
    refuses_in_hinge(
        "motor = [{ coordinate = \"angl\", drive.friction = { force = 1 } }]",
        "25:25: joint 'knee': unknown coordinate 'angl'; did you mean 'angle'?",
    );
    refuses_in_hinge("motor = [{ coordinate = \"angle\" }]", "25:10: missing key 'drive'");
}

#[test]
fn types() {
    let joint = |kind: &str| format!("bodies = [\"thigh\", \"shin\"]\nanchor = [0, 0, 0]\n{kind}");
    refuses(
        &joint("type = \"hing\""),
        "23:8: unknown choice 'hing'; did you mean 'hinge'?",
    );
    refuses(
        &joint("type.distance = { lower = 2, upper = 1 }"),
        "23:27: joint 'joint-0': lower (2) must not be above upper (1)",
    );
    refuses(
        &joint("type.distance = { upper = 0 }"),
        "23:27: joint 'joint-0': upper must be positive and finite, not 0",
    );
    refuses(
        &joint("type.distance = { upper = 1, restitution = 2 }"),
        "23:44: joint 'joint-0': restitution must be from 0 to 1, not 2",
    );
    refuses(
        &joint("type.spring = { stiffness = -1 }"),
        "23:29: joint 'joint-0': stiffness must be 0 or more and finite, not -1",
    );
    refuses(
        &joint("type.spring = { stiffness = 0 }"),
        "23:1: joint 'joint-0': stiffness and damping must not both be zero",
    );
    refuses(
        &joint("type.gear = { teeth = [0, 10] }"),
        "23:1: joint 'joint-0': a gear needs at least one tooth on each wheel",
    );
    refuses(
        &joint("type.gear = { teeth = [10, 10], internal = true }"),
        "23:1: joint 'joint-0': a ring must have more teeth than the wheel inside",
    );
    refuses(
        &joint("type.point-hinge = { reach = 0 }"),
        "23:30: joint 'joint-0': reach must be positive and finite, not 0",
    );
    refuses(
        &joint("type.point-motor = { speed = inf, reach = 1 }"),
        "23:30: joint 'joint-0': speed must be finite, not inf",
    );
    refuses(
        &joint("type.wheel = { suspension = { stiffness = -1 } }"),
        "23:43: joint 'joint-0': stiffness must be 0 or more and finite, not -1",
    );
    refuses(&joint(""), "20:1: missing key 'type'");
}
