//! The world: bodies, joints, materials, rules, timers and gravity, at one time. It is what a scene builds and what a
//! stepper advances.
//!
//! Bodies and joints are used by index. Removing one closes the gap, so the indices behind it change; a [`BodyId`] or
//! [`JointId`] does not, and by these a running simulation finds out what has been removed and added.

use std::collections::HashMap;

use drystone_contact_graph::CollisionFilter;
use nalgebra::Vector3;

use crate::body::Body;
use crate::error::WorldError;
use crate::joint::Joint;
use crate::material::Materials;
use crate::timer::Timer;

/// Standard gravity of the conventions, m/s², along −z.
pub const GRAVITY: f64 = 9.81;

/// A body for good, wherever it is in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(u64);

/// A joint for good, wherever it is in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(u64);

/// Everything that has a state.
#[derive(Debug, Clone)]
pub struct World {
    bodies: Vec<Body>,
    /// In rising order, since bodies are added at the end.
    body_ids: Vec<BodyId>,
    joint_ids: Vec<JointId>,
    /// The next id of either.
    next_id: u64,
    timers: Vec<Timer>,
    /// Which pairs of bodies may collide; all, if there is no rule. Joints besides keep their own bodies apart.
    pub filter: CollisionFilter,
    /// Where each name was given first, so that large worlds are built in linear time. Never iterated.
    names: HashMap<String, usize>,
    joints: Vec<Joint>,
    joint_names: HashMap<String, usize>,
    /// Friction and restitution of pairs.
    pub materials: Materials,
    /// Gravitational acceleration, m/s².
    pub gravity: Vector3<f64>,
    /// Seconds since the beginning.
    pub time: f64,
}

impl Default for World {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            body_ids: Vec::new(),
            joint_ids: Vec::new(),
            next_id: 0,
            timers: Vec::new(),
            filter: CollisionFilter::default(),
            names: HashMap::new(),
            joints: Vec::new(),
            joint_names: HashMap::new(),
            materials: Materials::default(),
            gravity: Vector3::new(0.0, 0.0, -GRAVITY),
            time: 0.0,
        }
    }
}

impl World {
    /// An empty world.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a body and returns its index; refuses a body that can't be simulated, or a name already taken.
    pub fn add(&mut self, body: Body) -> Result<usize, WorldError> {
        self.check(&body)?;
        if self.names.contains_key(&body.name) {
            return Err(WorldError::DuplicateName {
                kind: "body",
                name: body.name,
            });
        }
        let index = self.bodies.len();
        self.names.insert(body.name.clone(), index);
        self.bodies.push(body);
        self.body_ids.push(BodyId(self.next_id));
        self.next_id += 1;
        Ok(index)
    }

    fn check(&self, body: &Body) -> Result<(), WorldError> {
        body.validate()?;
        if body.material >= self.materials.names().len() {
            return Err(WorldError::UnknownMaterial { index: body.material });
        }
        Ok(())
    }

    /// Removes a body, and with it its joints and the rules about it. The bodies behind it move up by one.
    pub fn remove(&mut self, index: usize) -> Result<Body, WorldError> {
        self.known(index)?;
        for joint in (0..self.joints.len()).rev() {
            if self.joints[joint].bodies.contains(&index) {
                self.remove_joint(joint)?;
            }
        }
        for joint in &mut self.joints {
            for body in joint.bodies.iter_mut().filter(|body| **body > index) {
                *body -= 1;
            }
        }
        let removed = index as u32;
        self.filter
            .renumber(|body| (body != removed).then(|| body - u32::from(body > removed)));
        self.body_ids.remove(index);
        let body = self.bodies.remove(index);
        self.names = places(self.bodies.iter().map(|body| &body.name));
        Ok(body)
    }

    /// Puts another body in the place of one, which keeps its index, its id and its joints: a fixed body made dynamic, a
    /// box made a ball. Returns the old one.
    pub fn replace(&mut self, index: usize, body: Body) -> Result<Body, WorldError> {
        self.known(index)?;
        self.check(&body)?;
        if self.find(&body.name).is_some_and(|other| other != index) {
            return Err(WorldError::DuplicateName {
                kind: "body",
                name: body.name,
            });
        }
        let old = std::mem::replace(&mut self.bodies[index], body);
        self.names.remove(&old.name);
        self.names.insert(self.bodies[index].name.clone(), index);
        Ok(old)
    }

    fn known(&self, index: usize) -> Result<(), WorldError> {
        let count = self.bodies.len();
        if index < count {
            Ok(())
        } else {
            Err(WorldError::UnknownBody { index, count })
        }
    }

    /// Gives back the memory that was made ready for further bodies: with many, as much again as they need.
    pub(crate) fn shrink(&mut self) {
        self.bodies.shrink_to_fit();
        self.body_ids.shrink_to_fit();
    }

    /// The ids of the bodies, by index, in rising order.
    pub fn body_ids(&self) -> &[BodyId] {
        &self.body_ids
    }

    /// Where a body is in the list; `None` if it was removed.
    pub fn index_of(&self, id: BodyId) -> Option<usize> {
        self.body_ids.binary_search(&id).ok()
    }

    /// The bodies, by index.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The bodies, to change their state or the forces on them between steps.
    pub fn bodies_mut(&mut self) -> &mut [Body] {
        &mut self.bodies
    }

    /// The index of a body by name.
    pub fn find(&self, name: &str) -> Option<usize> {
        match self.names.get(name) {
            Some(&index) if self.bodies[index].name == name => Some(index),
            // Bodies can be renamed through `bodies_mut`.
            _ => self.bodies.iter().position(|body| body.name == name),
        }
    }

    /// Adds a joint and returns its index. Its anchors and axes are fixed in the bodies as these are now. Refuses one that
    /// makes no sense, or a name already taken.
    pub fn add_joint(&mut self, mut joint: Joint) -> Result<usize, WorldError> {
        if self.joint_names.contains_key(&joint.name) {
            return Err(WorldError::DuplicateName {
                kind: "joint",
                name: joint.name,
            });
        }
        let invalid = |name: &str, message: String| WorldError::InvalidJoint {
            name: name.to_owned(),
            message,
        };
        let [a, b] = joint.bodies;
        if let Some(missing) = [a, b].into_iter().find(|&body| body >= self.bodies.len()) {
            return Err(invalid(&joint.name, format!("there is no body with index {missing}")));
        }
        if a == b {
            let message = format!("both ends are on body '{}'", self.bodies[a].name);
            return Err(invalid(&joint.name, message));
        }
        if ![a, b].iter().any(|&body| self.bodies[body].kind.is_dynamic()) {
            return Err(invalid(
                &joint.name,
                "at least one of its bodies must be dynamic".into(),
            ));
        }
        joint
            .attach([&self.bodies[a].pose, &self.bodies[b].pose])
            .map_err(|message| invalid(&joint.name, message))?;
        let index = self.joints.len();
        self.joint_names.insert(joint.name.clone(), index);
        self.joints.push(joint);
        self.joint_ids.push(JointId(self.next_id));
        self.next_id += 1;
        Ok(index)
    }

    /// Removes a joint. The joints behind it move up by one.
    pub fn remove_joint(&mut self, index: usize) -> Result<Joint, WorldError> {
        let count = self.joints.len();
        if index >= count {
            return Err(WorldError::UnknownJoint { index, count });
        }
        self.joint_ids.remove(index);
        let joint = self.joints.remove(index);
        self.joint_names = places(self.joints.iter().map(|joint| &joint.name));
        Ok(joint)
    }

    /// The ids of the joints, by index, in rising order.
    pub fn joint_ids(&self) -> &[JointId] {
        &self.joint_ids
    }

    /// Adds a timer and returns its index; refuses one that makes no sense, or a name already taken.
    pub fn add_timer(&mut self, timer: Timer) -> Result<usize, WorldError> {
        timer.validate()?;
        if self.timers.iter().any(|known| known.name == timer.name) {
            return Err(WorldError::DuplicateName {
                kind: "timer",
                name: timer.name,
            });
        }
        self.timers.push(timer);
        Ok(self.timers.len() - 1)
    }

    /// The timers, by index.
    pub fn timers(&self) -> &[Timer] {
        &self.timers
    }

    /// The joints, by index.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The joints, to change motors and limits, or to switch joints off and on between steps. What is changed here is not
    /// checked as it is when a joint is added.
    pub fn joints_mut(&mut self) -> &mut [Joint] {
        &mut self.joints
    }

    /// Whether a joint holds: it is switched on, and neither of its bodies is passive.
    pub fn holds(&self, joint: &Joint) -> bool {
        joint.enabled && joint.bodies.iter().all(|&body| !self.bodies[body].passive)
    }

    /// The index of a joint by name.
    pub fn find_joint(&self, name: &str) -> Option<usize> {
        match self.joint_names.get(name) {
            Some(&index) if self.joints[index].name == name => Some(index),
            // Joints can be renamed through `joints_mut`.
            _ => self.joints.iter().position(|joint| joint.name == name),
        }
    }

    /// Σ ½ m v² + ½ ω·Iω over the dynamic bodies, J.
    pub fn kinetic_energy(&self) -> f64 {
        self.bodies.iter().map(Body::kinetic_energy).sum()
    }

    /// Σ −m g·r over the dynamic bodies, J, zero at the origin, and what is stored in springs.
    pub fn potential_energy(&self) -> f64 {
        let weights = self
            .dynamic()
            .map(|body| -body.mass * self.gravity.dot(&body.pose.translation.vector));
        weights.sum::<f64>() + self.spring_energy()
    }

    /// Energy stored in the springs of joints, J.
    pub fn spring_energy(&self) -> f64 {
        let enabled = self.joints.iter().filter(|joint| self.holds(joint));
        enabled
            .map(|joint| {
                let [a, b] = joint.bodies;
                joint.energy(&self.bodies[a].pose, &self.bodies[b].pose)
            })
            .sum()
    }

    /// Σ m v over the dynamic bodies, N·s.
    pub fn momentum(&self) -> Vector3<f64> {
        self.dynamic().map(|body| body.mass * body.linear_velocity).sum()
    }

    /// Σ r × m v + I ω over the dynamic bodies, about the origin, N·m·s.
    pub fn angular_momentum(&self) -> Vector3<f64> {
        self.dynamic()
            .map(|body| body.pose.translation.vector.cross(&(body.mass * body.linear_velocity)) + body.spin())
            .sum()
    }

    fn dynamic(&self) -> impl Iterator<Item = &Body> {
        self.bodies.iter().filter(|body| body.is_dynamic())
    }
}

/// Where each name is.
fn places<'a>(names: impl Iterator<Item = &'a String>) -> HashMap<String, usize> {
    names.enumerate().map(|(index, name)| (name.clone(), index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyKind;
    use drystone_collision::{HalfSpace, Shape, Sphere};

    fn ball(name: &str) -> Body {
        Body::dynamic(name, Shape::Sphere(Sphere { radius: 1.0 }), 1.0).unwrap()
    }

    #[test]
    fn names_are_unique_and_values_are_checked() {
        let mut world = World::new();
        world.add(ball("a")).unwrap();
        assert!(matches!(world.add(ball("a")), Err(WorldError::DuplicateName { .. })));
        for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let body = Body { mass, ..ball("b") };
            assert!(matches!(world.add(body), Err(WorldError::InvalidBody { .. })), "{mass}");
        }
        let mut skewed = ball("b");
        skewed.inertia[(0, 1)] = 0.1;
        assert!(matches!(world.add(skewed), Err(WorldError::InvalidBody { .. })));
        let nowhere = ball("c").at(Vector3::new(f64::NAN, 0.0, 0.0));
        assert!(world.add(nowhere).is_err());
    }

    #[test]
    fn an_unbounded_shape_cannot_be_dynamic() {
        let plane = Shape::HalfSpace(HalfSpace {
            normal: Vector3::z_axis(),
        });
        assert!(matches!(
            Body::dynamic("ground", plane.clone(), 1.0),
            Err(WorldError::Unbounded { .. })
        ));
        assert!(matches!(Body::fixed("ground", plane).kind, BodyKind::Fixed));
    }
}
