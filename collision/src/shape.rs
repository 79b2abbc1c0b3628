//! The shapes a body can have, each about its body's origin (which is its centre of mass).
//!
//! A shape is plain data; what is asked of every shape (bounds, volume, validity) is answered
//! here, what is asked of a pair of shapes in `narrow_phase`.

use nalgebra::{Isometry3, Unit, Vector3};

use crate::aabb::Aabb;
use crate::compound::Compound;
use crate::mass::MassProperties;

/// A solid ball about the body's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius in metres.
    pub radius: f64,
}

/// A solid box about the body's origin, its faces across the body's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half of each side's length in metres.
    pub half_extents: Vector3<f64>,
}

/// Everything behind a plane through the body's origin: { x : n·x ≤ 0 } in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Outward normal of the plane, in the body's frame.
    pub normal: Unit<Vector3<f64>>,
}

/// A body's geometry. Cloning is cheap: a compound's parts are shared.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A solid ball.
    Sphere(Sphere),
    /// A solid box.
    Cuboid(Cuboid),
    /// All of space behind a plane.
    HalfSpace(HalfSpace),
    /// Several spheres and boxes that move as one.
    Compound(Compound),
}

/// Why a shape cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeError {
    /// A length is zero, negative, infinite or not a number.
    Size {
        /// The kind of the shape.
        kind: &'static str,
        /// Which length.
        field: &'static str,
        /// Its value in metres.
        value: f64,
    },
    /// A normal is not a finite vector of length one.
    Normal {
        /// The length found.
        length: f64,
    },
    /// A compound has no parts.
    NoParts,
    /// A compound has more than [`Compound::MAX_PARTS`] parts.
    TooManyParts {
        /// How many it has.
        count: usize,
    },
    /// A shape of this kind can't be a part of a compound.
    NotAPart {
        /// The kind of the shape.
        kind: &'static str,
    },
    /// The pose of a part is not finite, or its rotation not of length one.
    Pose,
    /// The density of a part is zero, negative, infinite or not a number.
    Density {
        /// Its value in kg/m³.
        density: f64,
    },
    /// The parts of a compound together have no usable mass.
    Mass {
        /// What their masses add up to, kg.
        mass: f64,
    },
    /// Something is wrong with a part of a compound.
    Part {
        /// Its place in the list, from 0.
        index: usize,
        /// What is wrong.
        error: Box<ShapeError>,
    },
}

impl ShapeError {
    /// The same error, of a part of a compound.
    pub(crate) fn of_part(self, index: usize) -> Self {
        let error = Box::new(self);
        Self::Part { index, error }
    }
}

impl std::fmt::Display for ShapeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size { kind, field, value } => {
                write!(f, "{kind}: {field} must be positive and finite, but is {value}")
            }
            Self::Normal { length } => {
                write!(
                    f,
                    "half-space: the normal must have length one, but its length is {length}"
                )
            }
            Self::NoParts => write!(f, "compound: there must be at least one part"),
            Self::TooManyParts { count } => {
                let most = Compound::MAX_PARTS;
                write!(f, "compound: there can be at most {most} parts, but there are {count}")
            }
            Self::NotAPart { kind } => write!(f, "a {kind} can't be a part, only a sphere or a cuboid can"),
            Self::Pose => write!(f, "the pose must be finite, its rotation of length one"),
            Self::Density { density } => write!(f, "density must be positive and finite, but is {density}"),
            Self::Mass { mass } => write!(f, "compound: the parts have no usable mass, but {mass} together"),
            Self::Part { index, error } => write!(f, "part {index}: {error}"),
        }
    }
}

impl std::error::Error for ShapeError {}

impl Shape {
    /// The shape's name in tables and messages.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "sphere",
            Self::Cuboid(_) => "cuboid",
            Self::HalfSpace(_) => "half-space",
            Self::Compound(_) => "compound",
        }
    }

    /// Checks that all sizes are positive and finite, and that a normal has length one.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let check = |field, value: f64| {
            let kind = self.kind_name();
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(ShapeError::Size { kind, field, value })
            }
        };
        match self {
            Self::Sphere(sphere) => check("radius", sphere.radius),
            Self::Cuboid(cuboid) => {
                check("half extent along x", cuboid.half_extents.x)?;
                check("half extent along y", cuboid.half_extents.y)?;
                check("half extent along z", cuboid.half_extents.z)
            }
            Self::HalfSpace(half_space) => {
                let length = half_space.normal.norm();
                // `Unit` can be built unchecked; 1e-6 is far above rounding, far below use.
                if (length - 1.0).abs() <= 1e-6 {
                    Ok(())
                } else {
                    Err(ShapeError::Normal { length })
                }
            }
            // There is no way to make a bad one.
            Self::Compound(_) => Ok(()),
        }
    }

    /// Volume in cubic metres; infinite for a half-space. Where parts of a compound overlap, it counts for each.
    pub fn volume(&self) -> f64 {
        match self {
            Self::Sphere(Sphere { radius }) => 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
            Self::Cuboid(Cuboid { half_extents: h }) => 8.0 * h.x * h.y * h.z,
            Self::HalfSpace(_) => f64::INFINITY,
            Self::Compound(compound) => compound.volume(),
        }
    }

    /// Radius of the smallest ball about the body's origin that holds the shape.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Sphere(sphere) => sphere.radius,
            Self::Cuboid(cuboid) => cuboid.half_extents.norm(),
            Self::HalfSpace(_) => f64::INFINITY,
            Self::Compound(compound) => compound.bounding_radius(),
        }
    }

    /// Mass and inertia at a uniform density (kg/m³); `None` for a half-space, which is unbounded, and for a compound
    /// whose centroid is not its origin: [`Compound::about_centre_of_mass`] moves it there.
    pub fn mass_properties(&self, density: f64) -> Option<MassProperties> {
        MassProperties::from_mass(self, density * self.volume())
    }

    /// The smallest box aligned with the world's axes that holds the shape at this pose.
    ///
    /// A half-space is bounded on one side when its plane lies exactly across a world axis, and
    /// on no side otherwise.
    pub fn aabb(&self, pose: &Isometry3<f64>) -> Aabb {
        let centre = pose.translation.vector;
        match self {
            Self::Sphere(sphere) => Aabb::around(centre, Vector3::repeat(sphere.radius)),
            Self::Cuboid(cuboid) => {
                let rotation = pose.rotation.to_rotation_matrix();
                Aabb::around(centre, rotation.matrix().abs() * cuboid.half_extents)
            }
            Self::HalfSpace(half_space) => {
                let normal = pose.rotation * half_space.normal.into_inner();
                let mut aabb = Aabb::everything();
                for axis in 0..3 {
                    // The slightest tilt makes the plane unbounded along the axis, so exactly.
                    if normal[(axis + 1) % 3] == 0.0 && normal[(axis + 2) % 3] == 0.0 {
                        if normal[axis] > 0.0 {
                            aabb.max[axis] = centre[axis];
                        } else {
                            aabb.min[axis] = centre[axis];
                        }
                    }
                }
                aabb
            }
            Self::Compound(compound) => compound.aabb(pose),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_are_not_positive_and_finite_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Shape::Sphere(Sphere { radius: bad }).validate().is_err());
            for axis in 0..3 {
                let mut half_extents = Vector3::repeat(1.0);
                half_extents[axis] = bad;
                let error = Shape::Cuboid(Cuboid { half_extents }).validate().unwrap_err();
                assert!(error.to_string().contains(["x", "y", "z"][axis]), "{error}");
            }
        }
        assert!(Shape::Sphere(Sphere { radius: 1e-3 }).validate().is_ok());
        let skewed = HalfSpace {
            normal: Unit::new_unchecked(Vector3::new(0.0, 0.0, 2.0)),
        };
        assert_eq!(
            Shape::HalfSpace(skewed).validate(),
            Err(ShapeError::Normal { length: 2.0 })
        );
    }

    #[test]
    fn a_half_space_is_bounded_only_when_it_lies_across_an_axis() {
        let shape = Shape::HalfSpace(HalfSpace {
            normal: Vector3::z_axis(),
        });
        let level = shape.aabb(&Isometry3::translation(0.0, 0.0, 2.0));
        assert_eq!(level.max.z, 2.0);
        assert_eq!(level.min.z, f64::NEG_INFINITY);
        assert_eq!(level.max.x, f64::INFINITY);
        let tilted = shape.aabb(&Isometry3::rotation(Vector3::new(0.1, 0.0, 0.0)));
        assert_eq!(tilted, Aabb::everything());
    }
}
