//! The world: bodies, their materials, and gravity, at one time. It is what a scene builds and what a stepper advances.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::body::Body;
use crate::error::WorldError;
use crate::material::Materials;

/// Standard gravity of the conventions, m/s², along −z.
pub const GRAVITY: f64 = 9.81;

/// Everything that has a state.
#[derive(Debug, Clone)]
pub struct World {
    bodies: Vec<Body>,
    /// Where each name was given first, so that large worlds are built in linear time. Never iterated.
    names: HashMap<String, usize>,
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
            names: HashMap::new(),
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
        body.validate()?;
        if body.material >= self.materials.names().len() {
            return Err(WorldError::UnknownMaterial { index: body.material });
        }
        if self.names.contains_key(&body.name) {
            return Err(WorldError::DuplicateName {
                kind: "body",
                name: body.name,
            });
        }
        let index = self.bodies.len();
        self.names.insert(body.name.clone(), index);
        self.bodies.push(body);
        Ok(index)
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

    /// Σ ½ m v² + ½ ω·Iω over the dynamic bodies, J.
    pub fn kinetic_energy(&self) -> f64 {
        self.bodies.iter().map(Body::kinetic_energy).sum()
    }

    /// Σ −m g·r over the dynamic bodies, J, zero at the origin.
    pub fn potential_energy(&self) -> f64 {
        self.dynamic()
            .map(|body| -body.mass * self.gravity.dot(&body.pose.translation.vector))
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
