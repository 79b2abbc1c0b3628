//! Boxes aligned with the world's axes, as closed intervals; a side may lie at infinity.

use nalgebra::Vector3;

/// An axis-aligned bounding box: all x with `min ≤ x ≤ max` in every component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates; may be −∞.
    pub min: Vector3<f64>,
    /// Largest coordinates; may be +∞.
    pub max: Vector3<f64>,
}

impl Aabb {
    /// The box with this centre and these half extents.
    pub fn around(centre: Vector3<f64>, half_extents: Vector3<f64>) -> Self {
        Self {
            min: centre - half_extents,
            max: centre + half_extents,
        }
    }

    /// The box that holds all of space.
    pub fn everything() -> Self {
        Self {
            min: Vector3::repeat(f64::NEG_INFINITY),
            max: Vector3::repeat(f64::INFINITY),
        }
    }

    /// Whether the two boxes share a point; touching counts. A box with a NaN overlaps nothing.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// The smallest box that holds both.
    #[inline]
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// The box grown by `margin` on all sides.
    #[inline]
    #[must_use]
    pub fn loosened(&self, margin: f64) -> Self {
        Self {
            min: self.min.add_scalar(-margin),
            max: self.max.add_scalar(margin),
        }
    }
}
