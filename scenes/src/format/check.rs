//! Everything that a scene's types cannot say: ranges, names, and what belongs together.
//!
//! A value that would be ignored is refused like one that is wrong (a velocity of a fixed body, say): a scene should
//! mean what it seems to mean.

use std::collections::{HashMap, HashSet};

use drystone_collision::Compound;
use drystone_solver::spec::nearest;

use super::body::{
    BodyDescription, Kind, Motion, Orientation, OrientationUpdate, PartDescription, Repetition, ShapeDescription,
};
use super::fault::{Fault, Step, direction, finite, finite_vector, fraction, not_negative, positive};
use super::joint::check_joints;
use super::scene::{DEFAULT_MATERIAL, MAX_BODIES, MaterialPair, Scene};
use super::timer::check_timers;

impl Scene {
    /// Finds the first fault, in the order of the format.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        finite_vector("gravity", &self.gravity)?;
        positive("dt", self.dt)?;
        positive("duration", self.duration)?;
        if self.solver.as_ref().is_some_and(|solver| solver.trim().is_empty()) {
            return Err(Fault::at("solver", "solver must not be empty"));
        }
        let materials = self.check_materials()?;
        self.check_pairs(&materials)?;
        self.check_bodies(&materials)?;
        check_joints(self)?;
        self.collision_filter()?;
        check_timers(self)
    }

    /// Checks the materials and returns their names.
    fn check_materials(&self) -> Result<HashSet<&str>, Fault> {
        let mut names = HashSet::new();
        for (index, material) in self.materials.iter().enumerate() {
            let mut check = || {
                if material.name.trim().is_empty() {
                    return Err(Fault::at("name", "the name must not be empty"));
                }
                if !names.insert(material.name.as_str()) {
                    return Err(Fault::at("name", "another material has this name"));
                }
                not_negative("friction", material.friction)?;
                fraction("restitution", material.restitution)
            };
            check()
                .map_err(|fault| fault.within_element("material", index, &format!("material '{}'", material.name)))?;
        }
        names.insert(DEFAULT_MATERIAL);
        Ok(names)
    }

    fn check_pairs(&self, materials: &HashSet<&str>) -> Result<(), Fault> {
        let mut seen = HashSet::new();
        for (index, pair) in self.material_pairs.iter().enumerate() {
            let [a, b] = &pair.materials;
            let mut check = || {
                check_pair(pair, materials)?;
                if !seen.insert(if a < b { (a, b) } else { (b, a) }) {
                    return Err(Fault::at("materials", "this pair is already given"));
                }
                Ok(())
            };
            let element = format!("material pair '{a}', '{b}'");
            check().map_err(|fault| fault.within_element("material-pair", index, &element))?;
        }
        Ok(())
    }

    fn check_bodies(&self, materials: &HashSet<&str>) -> Result<(), Fault> {
        let mut count = 0_usize;
        for (index, body) in self.bodies.iter().enumerate() {
            let element = || format!("body '{}'", body.name_or_index(index));
            check_body(body, materials).map_err(|fault| fault.within_element("body", index, &element()))?;
            count = count.saturating_add(body.copies());
            if count > MAX_BODIES {
                let fault = Fault::here(format!("with it, the scene has more than {MAX_BODIES} bodies"));
                return Err(fault.within_element("body", index, &element()));
            }
        }
        self.check_body_names()
    }

    /// Names must differ once repetitions are written out.
    fn check_body_names(&self) -> Result<(), Fault> {
        let mut owners: HashMap<String, usize> = HashMap::new();
        for (index, body) in self.bodies.iter().enumerate() {
            for (name, _) in body.expanded(index) {
                let Some(owner) = owners.insert(name.clone(), index) else {
                    continue;
                };
                let key = body.name.as_ref().map(|_| Step::Key("name"));
                let fault = Fault::here(format!("the name is already taken by body[{owner}]"));
                let fault = key.into_iter().fold(fault, Fault::within);
                return Err(fault.within_element("body", index, &format!("body '{name}'")));
            }
        }
        Ok(())
    }
}

fn check_pair(pair: &MaterialPair, materials: &HashSet<&str>) -> Result<(), Fault> {
    for (index, name) in pair.materials.iter().enumerate() {
        known_material(name, materials)
            .map_err(|fault| fault.within(Step::Index(index)).within(Step::Key("materials")))?;
    }
    pair.friction.map_or(Ok(()), |value| not_negative("friction", value))?;
    pair.restitution.map_or(Ok(()), |value| fraction("restitution", value))
}

fn known_material(name: &str, materials: &HashSet<&str>) -> Result<(), Fault> {
    if materials.contains(name) {
        return Ok(());
    }
    // Sorted, so that the answer does not depend on the order of a hash table.
    let mut names: Vec<&str> = materials.iter().copied().collect();
    names.sort_unstable();
    let advice = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("the materials are {}", names.join(", ")),
    };
    Err(Fault::here(format!("unknown material '{name}'; {advice}")))
}

fn check_body(body: &BodyDescription, materials: &HashSet<&str>) -> Result<(), Fault> {
    if body.name.as_ref().is_some_and(|name| name.trim().is_empty()) {
        return Err(Fault::at("name", "the name must not be empty"));
    }
    known_material(&body.material, materials).map_err(|fault| fault.within(Step::Key("material")))?;
    finite_vector("position", &body.position)?;
    finite_vector("linear-velocity", &body.linear_velocity)?;
    finite_vector("angular-velocity", &body.angular_velocity)?;
    finite_vector("force", &body.force)?;
    finite_vector("torque", &body.torque)?;
    not_negative("linear-damping", body.linear_damping)?;
    not_negative("angular-damping", body.angular_damping)?;
    check_shape(&body.shape).map_err(|fault| fault.within(Step::Key("shape")))?;
    if let Some(orientation) = &body.orientation {
        check_orientation(orientation).map_err(|fault| fault.within(Step::Key("orientation")))?;
    }
    if let OrientationUpdate::PartialFinite { axis } = &body.orientation_update {
        direction("axis", axis).map_err(|fault| {
            fault
                .within(Step::Key("partial-finite"))
                .within(Step::Key("orientation-update"))
        })?;
    }
    if let Some(motion) = &body.motion {
        check_motion(motion).map_err(|fault| fault.within(Step::Key("motion")))?;
    }
    if let Some(repeat) = &body.repeat {
        check_repetition(repeat).map_err(|fault| fault.within(Step::Key("repeat")))?;
    }
    check_kind(body)
}

fn check_shape(shape: &ShapeDescription) -> Result<(), Fault> {
    match shape {
        ShapeDescription::Sphere { radius } => {
            positive("radius", *radius).map_err(|fault| fault.within(Step::Key("sphere")))
        }
        ShapeDescription::Cuboid { size } => match size.iter().position(|&side| !(side.is_finite() && side > 0.0)) {
            None => Ok(()),
            Some(index) => {
                let message = format!("size must be positive and finite, not {}", size[index]);
                let fault = Fault::here(message).within(Step::Index(index));
                Err(fault.within(Step::Key("size")).within(Step::Key("box")))
            }
        },
        ShapeDescription::HalfSpace { normal } => {
            direction("normal", normal).map_err(|fault| fault.within(Step::Key("half-space")))
        }
        ShapeDescription::Compound { parts } => check_parts(parts).map_err(|fault| fault.within(Step::Key("compound"))),
    }
}

fn check_parts(parts: &[PartDescription]) -> Result<(), Fault> {
    if parts.is_empty() {
        return Err(Fault::at("parts", "a compound needs at least one part"));
    }
    if parts.len() > Compound::MAX_PARTS {
        let message = format!(
            "a compound can have up to {} parts, not {}",
            Compound::MAX_PARTS,
            parts.len()
        );
        return Err(Fault::at("parts", message));
    }
    for (index, part) in parts.iter().enumerate() {
        check_part(part).map_err(|fault| in_part(fault, index))?;
    }
    Ok(())
}

fn check_part(part: &PartDescription) -> Result<(), Fault> {
    let refused = |kind| {
        Err(Fault::at(
            "shape",
            format!("a {kind} can't be a part, only a sphere or a box can"),
        ))
    };
    match &part.shape {
        ShapeDescription::HalfSpace { .. } => return refused("half-space"),
        ShapeDescription::Compound { .. } => return refused("compound"),
        shape => check_shape(shape).map_err(|fault| fault.within(Step::Key("shape")))?,
    }
    finite_vector("position", &part.position)?;
    if let Some(orientation) = &part.orientation {
        check_orientation(orientation).map_err(|fault| fault.within(Step::Key("orientation")))?;
    }
    part.density.map_or(Ok(()), |density| positive("density", density))
}

/// A fault of a part, seen from its compound.
fn in_part(fault: Fault, index: usize) -> Fault {
    fault.within_element("parts", index, &format!("parts[{index}]"))
}

fn check_orientation(orientation: &Orientation) -> Result<(), Fault> {
    match orientation {
        Orientation::AxisAngle { axis, degrees } => direction("axis", axis)
            .and_then(|()| finite("degrees", *degrees))
            .map_err(|fault| fault.within(Step::Key("axis-angle"))),
        Orientation::Quaternion(quaternion) => direction("quaternion", quaternion),
    }
}

fn check_motion(motion: &Motion) -> Result<(), Fault> {
    match motion {
        Motion::Uniform {
            linear_velocity,
            angular_velocity,
        } => finite_vector("linear-velocity", linear_velocity)
            .and_then(|()| finite_vector("angular-velocity", angular_velocity))
            .map_err(|fault| fault.within(Step::Key("uniform"))),
        Motion::Oscillation {
            amplitude,
            frequency,
            phase_degrees,
        } => finite_vector("amplitude", amplitude)
            .and_then(|()| not_negative("frequency", *frequency))
            .and_then(|()| finite("phase-degrees", *phase_degrees))
            .map_err(|fault| fault.within(Step::Key("oscillation"))),
    }
}

fn check_repetition(repeat: &Repetition) -> Result<(), Fault> {
    finite_vector("spacing", &repeat.spacing)?;
    match repeat.count.iter().position(|&count| count == 0) {
        None => Ok(()),
        Some(index) => Err(Fault::here("count must be 1 or more, not 0")
            .within(Step::Index(index))
            .within(Step::Key("count"))),
    }
}

/// What a body must have, and what it can't have, by its kind.
fn check_kind(body: &BodyDescription) -> Result<(), Fault> {
    if !matches!(body.kind, Kind::Scripted | Kind::Trigger) && body.motion.is_some() {
        let message = "only a body of kind \"scripted\" or \"trigger\" has a motion";
        return Err(Fault::at("motion", message));
    }
    match body.kind {
        Kind::Dynamic => check_mass(body),
        Kind::Fixed => check_immovable(body, "fixed"),
        Kind::Scripted if body.motion.is_none() => Err(Fault::here("a scripted body needs a motion")),
        Kind::Scripted => check_immovable(body, "scripted"),
        Kind::Trigger if body.material != DEFAULT_MATERIAL => {
            let message = "material has no meaning for a trigger, which touches nothing; remove it";
            Err(Fault::at("material", message))
        }
        Kind::Trigger => check_immovable(body, "trigger"),
    }
}

fn check_mass(body: &BodyDescription) -> Result<(), Fault> {
    if let ShapeDescription::HalfSpace { .. } = body.shape {
        return Err(Fault::at(
            "shape",
            "a half-space has no finite mass, so its kind must be \"fixed\", \"scripted\" or \"trigger\"",
        ));
    }
    let compound = matches!(body.shape, ShapeDescription::Compound { .. });
    let every_part_has_its_own = compound && body.shape.part_densities().all(|own| own.is_some());
    match (body.density, body.mass) {
        (Some(_), None) if every_part_has_its_own => {
            return Err(Fault::at(
                "density",
                "density has no meaning here: every part has its own",
            ));
        }
        (Some(density), None) => positive("density", density)?,
        (None, Some(mass)) => {
            positive("mass", mass)?;
            no_part_densities(
                body,
                "a part has no density of its own if the body has a mass; give the body a density",
            )?;
        }
        (None, None) if every_part_has_its_own => {}
        (None, None) if compound => {
            return Err(Fault::here(
                "a dynamic body needs a density or a mass, unless every part has a density of its own",
            ));
        }
        (None, None) => return Err(Fault::here("a dynamic body needs a density or a mass")),
        (Some(_), Some(_)) => return Err(Fault::at("mass", "give either density or mass, not both")),
    }
    // Sizes can be so small or large that a mass or an inertia made from them is no longer a usable number.
    let usable = |body: &drystone_dynamics::Body| {
        let moments = body.inertia.diagonal();
        body.mass.is_normal() && moments.iter().all(|moment| moment.is_normal())
    };
    match body.model() {
        Ok(model) if usable(&model) => Ok(()),
        _ => Err(Fault::at("shape", "its size gives no usable mass and inertia")),
    }
}

/// Refuses a compound with a part that has a density of its own.
fn no_part_densities(body: &BodyDescription, message: &str) -> Result<(), Fault> {
    match body.shape.part_densities().position(|own| own.is_some()) {
        None => Ok(()),
        Some(index) => {
            let fault = in_part(Fault::at("density", message), index);
            Err(fault.within(Step::Key("compound")).within(Step::Key("shape")))
        }
    }
}

fn check_immovable(body: &BodyDescription, kind: &str) -> Result<(), Fault> {
    no_part_densities(body, &format!("density has no meaning for a {kind} body; remove it"))?;
    let zero = [0.0; 3];
    let given = [
        ("density", body.density.is_some()),
        ("mass", body.mass.is_some()),
        ("linear-velocity", body.linear_velocity != zero),
        ("angular-velocity", body.angular_velocity != zero),
        ("force", body.force != zero),
        ("torque", body.torque != zero),
        ("linear-damping", body.linear_damping != 0.0),
        ("angular-damping", body.angular_damping != 0.0),
        (
            "orientation-update",
            body.orientation_update != OrientationUpdate::default(),
        ),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((key, _)) => Err(Fault::at(
            key,
            format!("{key} has no meaning for a {kind} body; remove it"),
        )),
    }
}
