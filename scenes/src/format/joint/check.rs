//! What the types of a joint cannot say.

use std::collections::{HashMap, HashSet};

use drystone_dynamics::JointModel;
use drystone_solver::spec::nearest;
use nalgebra::Vector3;

use super::{
    DriveDescription, Frame, JointDescription, JointType, LimitDescription, MotorDescription, Pair, RangeDescription,
    SuspensionDescription, SwingDescription, Triple,
};
use crate::format::body::Kind;
use crate::format::fault::{
    Fault, Step, direction, finite, finite_vector, fraction, not_negative, positive, unknown_name,
};
use crate::format::scene::Scene;

/// Checks all joints of a scene whose bodies are in order.
pub(in crate::format) fn check_joints(scene: &Scene) -> Result<(), Fault> {
    if scene.joints.is_empty() {
        return Ok(());
    }
    let kinds: HashMap<String, Kind> = scene
        .bodies
        .iter()
        .enumerate()
        .flat_map(|(index, body)| body.expanded(index).map(|(name, _)| (name, body.kind)))
        .collect();
    let mut names = HashSet::new();
    for (index, joint) in scene.joints.iter().enumerate() {
        let name = joint.name_or_index(index);
        let check = || {
            if name.trim().is_empty() {
                return Err(Fault::at("name", "the name must not be empty"));
            }
            check_bodies(joint, &kinds)?;
            check_joint(joint)
        };
        check().map_err(|fault| fault.within_element("joint", index, &format!("joint '{name}'")))?;
        if !names.insert(name.clone()) {
            let key = joint.name.as_ref().map(|_| Step::Key("name"));
            let fault = key
                .into_iter()
                .fold(Fault::here("another joint has this name"), Fault::within);
            return Err(fault.within_element("joint", index, &format!("joint '{name}'")));
        }
    }
    Ok(())
}

fn check_bodies(joint: &JointDescription, kinds: &HashMap<String, Kind>) -> Result<(), Fault> {
    for (side, name) in joint.bodies.iter().enumerate() {
        if !kinds.contains_key(name) {
            // Sorted, so that the answer does not depend on the order of a hash table.
            let mut known: Vec<&str> = kinds.keys().map(String::as_str).collect();
            known.sort_unstable();
            let fault = unknown_name("body", name, known);
            return Err(fault.within(Step::Index(side)).within(Step::Key("bodies")));
        }
        if kinds[name] == Kind::Trigger {
            let fault = Fault::here(format!("'{name}' is a trigger, a place that no joint can hold on to"));
            return Err(fault.within(Step::Index(side)).within(Step::Key("bodies")));
        }
    }
    let [a, b] = &joint.bodies;
    if a == b {
        return Err(Fault::at("bodies", "the two bodies of a joint must differ"));
    }
    if kinds[a] != Kind::Dynamic && kinds[b] != Kind::Dynamic {
        let message = "at least one of the two bodies must be dynamic; a joint between others does nothing";
        return Err(Fault::at("bodies", message));
    }
    Ok(())
}

fn check_joint(joint: &JointDescription) -> Result<(), Fault> {
    let anchors = one_or_two("anchor", joint.anchor, "anchors", joint.anchors)?;
    if anchors.is_none() {
        return Err(Fault::here("a joint needs an 'anchor', or 'anchors' for both bodies"));
    }
    if joint.frame == Frame::Bodies && joint.anchor.is_some() {
        let message = "in the frames of the bodies each has an anchor of its own; give 'anchors'";
        return Err(Fault::at("anchor", message));
    }
    vectors("anchor", joint.anchor, "anchors", joint.anchors, finite_vector)?;
    let axes = one_or_two("axis", joint.axis, "axes", joint.axes)?.unwrap_or([[0.0, 0.0, 1.0]; 2]);
    vectors("axis", joint.axis, "axes", joint.axes, direction)?;
    let seconds = one_or_two("second", joint.second, "seconds", joint.seconds)?;
    vectors("second", joint.second, "seconds", joint.seconds, direction)?;
    if let Some(seconds) = seconds {
        let along = |axis: [f64; 3], second: [f64; 3]| {
            let (axis, second) = (Vector3::from(axis), Vector3::from(second));
            axis.cross(&second).norm() < 1e-6 * axis.norm() * second.norm()
        };
        if along(axes[0], seconds[0]) || along(axes[1], seconds[1]) {
            let key = if joint.second.is_some() { "second" } else { "seconds" };
            return Err(Fault::at(key, "the second direction must not lie along the axis"));
        }
    }
    softness(joint.erp, joint.cfm)?;
    check_type(&joint.kind).map_err(|fault| fault.within(Step::Key("type")))?;
    let model = joint.kind.model();
    model.validate().map_err(|message| Fault::at("type", message))?;
    if seconds.is_none() && matches!(joint.kind, JointType::Universal | JointType::Wheel { .. }) {
        let message = "it needs a 'second' direction: axis 2 of a universal joint, the axle of a wheel";
        return Err(Fault::at("type", message));
    }
    for (key, bound) in [
        ("force", joint.breaking.force),
        ("torque", joint.breaking.torque),
        ("distance", joint.breaking.distance),
    ] {
        if let Some(bound) = bound {
            positive(key, bound).map_err(|fault| fault.within(Step::Key("break")))?;
        }
    }
    for (index, limit) in joint.limits.iter().enumerate() {
        check_limit(limit, model.as_ref())
            .map_err(|fault| fault.within(Step::Index(index)).within(Step::Key("limit")))?;
    }
    for (index, motor) in joint.motors.iter().enumerate() {
        check_motor(motor, model.as_ref())
            .map_err(|fault| fault.within(Step::Index(index)).within(Step::Key("motor")))?;
    }
    Ok(())
}

/// A value for both bodies, or one for each, not both.
fn one_or_two(
    one_key: &str,
    one: Option<Triple>,
    two_key: &'static str,
    two: Option<Pair>,
) -> Result<Option<[[f64; 3]; 2]>, Fault> {
    match (one, two) {
        (Some(_), Some(_)) => Err(Fault::at(
            two_key,
            format!("give either '{one_key}' or '{two_key}', not both"),
        )),
        (Some(Triple(value)), None) => Ok(Some([value; 2])),
        (None, Some(Pair([a, b]))) => Ok(Some([a.0, b.0])),
        (None, None) => Ok(None),
    }
}

fn vectors(
    one_key: &'static str,
    one: Option<Triple>,
    two_key: &'static str,
    two: Option<Pair>,
    check: fn(&'static str, &[f64; 3]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if let Some(Triple(value)) = one {
        check(one_key, &value)?;
    }
    if let Some(Pair(values)) = two {
        for (side, Triple(value)) in values.iter().enumerate() {
            check(one_key, value).map_err(|mut fault| {
                // The check speaks of one vector under its own key; here it is an element of the pair.
                fault.path.splice(..1, [Step::Key(two_key), Step::Index(side)]);
                fault
            })?;
        }
    }
    Ok(())
}

fn softness(erp: Option<f64>, cfm: Option<f64>) -> Result<(), Fault> {
    erp.map_or(Ok(()), |erp| fraction("erp", erp))?;
    cfm.map_or(Ok(()), |cfm| not_negative("cfm", cfm))
}

fn check_type(kind: &JointType) -> Result<(), Fault> {
    let within = |key: &'static str| move |fault: Fault| fault.within(Step::Key(key));
    match *kind {
        JointType::Wheel {
            suspension: Some(SuspensionDescription { stiffness, damping }),
        } => not_negative("stiffness", stiffness)
            .and_then(|()| not_negative("damping", damping))
            .map_err(within("suspension"))
            .map_err(within("wheel")),
        JointType::Distance {
            lower,
            upper,
            restitution,
        } => {
            let check = || {
                lower.map_or(Ok(()), |lower| not_negative("lower", lower))?;
                upper.map_or(Ok(()), |upper| positive("upper", upper))?;
                if let (Some(lower), Some(upper)) = (lower, upper)
                    && lower > upper
                {
                    let message = format!("lower ({lower}) must not be above upper ({upper})");
                    return Err(Fault::at("lower", message));
                }
                fraction("restitution", restitution)
            };
            check().map_err(within("distance"))
        }
        JointType::Spring {
            stiffness,
            damping,
            length,
        } => not_negative("stiffness", stiffness)
            .and_then(|()| not_negative("damping", damping))
            .and_then(|()| length.map_or(Ok(()), |length| not_negative("length", length)))
            .map_err(within("spring")),
        JointType::PointHinge { reach } => positive("reach", reach).map_err(within("point-hinge")),
        JointType::PointFixed { reach } => positive("reach", reach).map_err(within("point-fixed")),
        JointType::PointMotor { speed, reach } => finite("speed", speed)
            .and_then(|()| positive("reach", reach))
            .map_err(within("point-motor")),
        _ => Ok(()),
    }
}

/// Whether the joint has the coordinate that is named.
fn known_coordinate(name: &str, model: &dyn JointModel) -> Result<(), Fault> {
    let known = model.coordinates();
    if known.contains(&name) {
        return Ok(());
    }
    let message = match known {
        [] => format!("a {} joint has no coordinate for a limit or motor", model.name()),
        known => match nearest(name, known.iter().copied()) {
            Some(near) => format!("unknown coordinate '{name}'; did you mean '{near}'?"),
            None => format!(
                "unknown coordinate '{name}'; a {} joint has {}",
                model.name(),
                known.join(", ")
            ),
        },
    };
    Err(Fault::at("coordinate", message))
}

fn check_limit(limit: &LimitDescription, model: &dyn JointModel) -> Result<(), Fault> {
    fraction("restitution", limit.restitution)?;
    softness(limit.erp, limit.cfm)?;
    match (&limit.range, &limit.elliptic_cone) {
        (Some(range), None) => check_range(range, model).map_err(|fault| fault.within(Step::Key("range"))),
        (None, Some(cone)) => {
            let check = || {
                if model.name() != "ball" {
                    return Err(Fault::here("only a ball joint has a reach cone"));
                }
                for (index, angle) in cone.angles.into_iter().enumerate() {
                    positive("angles", angle).map_err(|mut fault| {
                        fault.path.push(Step::Index(index));
                        fault
                    })?;
                }
                Ok(())
            };
            check().map_err(|fault| fault.within(Step::Key("elliptic-cone")))
        }
        _ => Err(Fault::here("a limit has exactly one of 'range' and 'elliptic-cone'")),
    }
}

fn check_range(range: &RangeDescription, model: &dyn JointModel) -> Result<(), Fault> {
    known_coordinate(&range.coordinate, model)?;
    range.lower.map_or(Ok(()), |lower| finite("lower", lower))?;
    range.upper.map_or(Ok(()), |upper| finite("upper", upper))?;
    match (range.lower, range.upper) {
        (None, None) => Err(Fault::here("a range needs 'lower', 'upper' or both")),
        (Some(lower), Some(upper)) if lower > upper => Err(Fault::at(
            "lower",
            format!("lower ({lower}) must not be above upper ({upper})"),
        )),
        (None, _) | (_, None) if is_turn(&range.coordinate) => Err(Fault::here(
            "an angle needs both 'lower' and 'upper': it would come to a single bound from the other side after a turn",
        )),
        (Some(lower), Some(upper)) if is_turn(&range.coordinate) && upper - lower >= std::f64::consts::TAU => Err(
            Fault::at("upper", "a range of angles must be less than a whole turn, 2π"),
        ),
        _ => Ok(()),
    }
}

/// Whether a coordinate comes back to itself after a whole turn.
fn is_turn(coordinate: &str) -> bool {
    matches!(
        coordinate,
        "angle" | "angle-1" | "angle-2" | "twist" | "steering" | "spin"
    )
}

fn check_motor(motor: &MotorDescription, model: &dyn JointModel) -> Result<(), Fault> {
    known_coordinate(&motor.coordinate, model)?;
    let bound = |key: &'static str, value: Option<f64>| value.map_or(Ok(()), |value| not_negative(key, value));
    let (key, result) = match motor.drive {
        DriveDescription::Velocity { speed, force } => {
            ("velocity", finite("speed", speed).and_then(|()| bound("force", force)))
        }
        DriveDescription::Servo {
            target,
            rate,
            speed,
            force,
            swing,
        } => (
            "servo",
            finite("target", target)
                .and_then(|()| swing.as_ref().map_or(Ok(()), check_swing))
                .and_then(|()| not_negative("rate", rate))
                .and_then(|()| bound("speed", speed))
                .and_then(|()| bound("force", force)),
        ),
        DriveDescription::Friction { force } => ("friction", not_negative("force", force)),
        DriveDescription::Spring {
            rest,
            stiffness,
            damping,
        } => (
            "spring",
            finite("rest", rest)
                .and_then(|()| not_negative("stiffness", stiffness))
                .and_then(|()| not_negative("damping", damping))
                .and_then(|()| {
                    if stiffness == 0.0 && damping == 0.0 {
                        return Err(Fault::at("stiffness", "stiffness and damping must not both be zero"));
                    }
                    Ok(())
                }),
        ),
    };
    result.map_err(|fault| fault.within(Step::Key(key)).within(Step::Key("drive")))
}

fn check_swing(swing: &SwingDescription) -> Result<(), Fault> {
    finite("amplitude", swing.amplitude)
        .and_then(|()| not_negative("frequency", swing.frequency))
        .and_then(|()| finite("phase", swing.phase))
        .map_err(|fault| fault.within(Step::Key("swing")))
}
