//! Describing bodies in a program: constructors, and methods that change one thing and can be chained.

use super::body::{
    BodyDescription, Kind, Orientation, OrientationUpdate, PartDescription, ShapeDescription, default_material, up,
};

impl ShapeDescription {
    /// A box from its full side lengths.
    pub fn cuboid(x: f64, y: f64, z: f64) -> Self {
        Self::Cuboid { size: [x, y, z] }
    }

    /// A ball.
    pub fn sphere(radius: f64) -> Self {
        Self::Sphere { radius }
    }

    /// Everything below z = 0 of the body frame.
    pub fn half_space() -> Self {
        Self::HalfSpace { normal: up() }
    }

    /// Several shapes that move as one.
    pub fn compound(parts: impl IntoIterator<Item = PartDescription>) -> Self {
        Self::Compound {
            parts: parts.into_iter().collect(),
        }
    }
}

impl PartDescription {
    /// A part at the origin of its compound's frame, of the body's density.
    pub fn new(shape: ShapeDescription) -> Self {
        Self {
            shape,
            position: [0.0; 3],
            orientation: None,
            density: None,
        }
    }

    /// The same part elsewhere.
    #[must_use]
    pub fn at(self, position: impl Into<[f64; 3]>) -> Self {
        Self {
            position: position.into(),
            ..self
        }
    }

    /// The same part turned about an axis.
    #[must_use]
    pub fn turned(self, axis: [f64; 3], degrees: f64) -> Self {
        Self {
            orientation: Some(Orientation::AxisAngle { axis, degrees }),
            ..self
        }
    }

    /// The same part with a density of its own, kg/m³.
    #[must_use]
    pub fn density(self, density: f64) -> Self {
        Self {
            density: Some(density),
            ..self
        }
    }
}

impl BodyDescription {
    /// A dynamic body at rest at the origin, still without mass or density.
    pub fn dynamic(name: impl Into<String>, shape: ShapeDescription) -> Self {
        Self {
            name: Some(name.into()),
            kind: Kind::Dynamic,
            passive: false,
            groups: Vec::new(),
            material: default_material(),
            density: None,
            mass: None,
            position: [0.0; 3],
            linear_velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            force: [0.0; 3],
            torque: [0.0; 3],
            linear_damping: 0.0,
            angular_damping: 0.0,
            shape,
            orientation: None,
            orientation_update: OrientationUpdate::default(),
            motion: None,
            repeat: None,
        }
    }

    /// A body that never moves, at the origin.
    pub fn fixed(name: impl Into<String>, shape: ShapeDescription) -> Self {
        Self {
            kind: Kind::Fixed,
            ..Self::dynamic(name, shape)
        }
    }

    /// A volume at the origin that notices who is in it.
    pub fn trigger(name: impl Into<String>, shape: ShapeDescription) -> Self {
        Self {
            kind: Kind::Trigger,
            ..Self::dynamic(name, shape)
        }
    }

    /// The same body in one more collision group.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<String>) -> Self {
        self.groups.push(group.into());
        self
    }

    /// The same body with a density in kg/m³ in place of a mass.
    #[must_use]
    pub fn density(self, density: f64) -> Self {
        Self {
            density: Some(density),
            mass: None,
            ..self
        }
    }

    /// The same body with a mass in kg in place of a density.
    #[must_use]
    pub fn mass(self, mass: f64) -> Self {
        Self {
            mass: Some(mass),
            density: None,
            ..self
        }
    }

    /// The same body elsewhere.
    #[must_use]
    pub fn at(self, position: impl Into<[f64; 3]>) -> Self {
        Self {
            position: position.into(),
            ..self
        }
    }

    /// The same body turned about an axis.
    #[must_use]
    pub fn turned(self, axis: [f64; 3], degrees: f64) -> Self {
        Self {
            orientation: Some(Orientation::AxisAngle { axis, degrees }),
            ..self
        }
    }

    /// The same body moving.
    #[must_use]
    pub fn moving(self, linear_velocity: impl Into<[f64; 3]>) -> Self {
        Self {
            linear_velocity: linear_velocity.into(),
            ..self
        }
    }

    /// The same body turning.
    #[must_use]
    pub fn spinning(self, angular_velocity: impl Into<[f64; 3]>) -> Self {
        Self {
            angular_velocity: angular_velocity.into(),
            ..self
        }
    }

    /// The same body with a rate of damping for both its velocities.
    #[must_use]
    pub fn damped(self, rate: f64) -> Self {
        Self {
            linear_damping: rate,
            angular_damping: rate,
            ..self
        }
    }

    /// The same body of another material.
    #[must_use]
    pub fn of(self, material: impl Into<String>) -> Self {
        Self {
            material: material.into(),
            ..self
        }
    }

    /// How many bodies it stands for.
    pub fn copies(&self) -> usize {
        self.repeat.map_or(1, |repeat| {
            repeat.count.iter().fold(1, |product, &n| product.saturating_mul(n))
        })
    }

    /// Its name, or the one made from its place among the scene's bodies.
    pub fn name_or_index(&self, index: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("body-{index}"))
    }
}
