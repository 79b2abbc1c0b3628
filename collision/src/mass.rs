//! Mass and inertia of uniform solids about their centre of mass, in the body's frame:
//! ball `I = 2/5 m r²`, box `Iₓ = m/3 (h_y² + h_z²)` with half extents h, and cyclically.

use nalgebra::{Matrix3, Vector3};

use crate::shape::{Cuboid, Shape, Sphere};

/// Mass and rotational inertia of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass in kilograms.
    pub mass: f64,
    /// Inertia tensor in kg·m², in the body's frame about the centre of mass.
    pub inertia: Matrix3<f64>,
}

impl MassProperties {
    /// The properties of a uniform solid of this shape and mass; `None` for a half-space.
    pub fn from_mass(shape: &Shape, mass: f64) -> Option<Self> {
        let diagonal = match shape {
            Shape::Sphere(Sphere { radius }) => Vector3::repeat(0.4 * mass * radius * radius),
            Shape::Cuboid(Cuboid { half_extents }) => {
                let squares = half_extents.component_mul(half_extents);
                Vector3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y) * (mass / 3.0)
            }
            Shape::HalfSpace(_) => return None,
        };
        Some(Self {
            mass,
            inertia: Matrix3::from_diagonal(&diagonal),
        })
    }
}
