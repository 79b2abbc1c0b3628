//! Mass and inertia of uniform solids about their centre of mass, in the body's frame:
//! ball `I = 2/5 m r²`, box `Iₓ = m/3 (h_y² + h_z²)` with half extents h, and cyclically. How they add up for a body
//! of several parts is in `compound`.

use nalgebra::{Isometry3, Matrix3, Vector3};

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
    /// The properties of a uniform solid of this shape and mass; `None` for a half-space, and for a compound whose
    /// centroid is not its origin.
    pub fn from_mass(shape: &Shape, mass: f64) -> Option<Self> {
        let diagonal = match shape {
            Shape::Sphere(Sphere { radius }) => Vector3::repeat(0.4 * mass * radius * radius),
            Shape::Cuboid(Cuboid { half_extents }) => {
                let squares = half_extents.component_mul(half_extents);
                Vector3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y) * (mass / 3.0)
            }
            Shape::Compound(compound) => return compound.uniform_mass(mass),
            Shape::HalfSpace(_) => return None,
        };
        Some(Self {
            mass,
            inertia: Matrix3::from_diagonal(&diagonal),
        })
    }
    /// The inertia about the origin and axes of a frame in which the body has this pose:
    /// `R I Rᵀ + m (d·d 1 − d dᵀ)` with rotation R and translation d (parallel-axis theorem).
    pub fn inertia_seen_from(&self, pose: &Isometry3<f64>) -> Matrix3<f64> {
        let rotation = pose.rotation.to_rotation_matrix();
        let d = pose.translation.vector;
        rotation.matrix() * self.inertia * rotation.matrix().transpose()
            + self.mass * (d.norm_squared() * Matrix3::identity() - d * d.transpose())
    }
}
