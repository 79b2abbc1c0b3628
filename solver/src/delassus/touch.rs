//! Contact points as they are given: a frame and two arms, 12 numbers instead of the 36 of three rows.

use nalgebra::Vector3;

use super::RigidBodies;

/// A point at which two bodies push each other: rows of the velocity of B against A there, along the normal, and for three
/// rows along `tangent` and `normal × tangent` too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// From A to B, of length 1.
    pub normal: Vector3<f64>,
    /// Across the normal, of length 1.
    pub tangent: Vector3<f64>,
    /// From the centre of A to the point.
    pub arm_a: Vector3<f64>,
    /// From the centre of B to the point.
    pub arm_b: Vector3<f64>,
}

impl Touch {
    /// The directions of its rows.
    #[inline]
    pub fn directions(&self) -> [Vector3<f64>; 3] {
        [self.normal, self.tangent, self.normal.cross(&self.tangent)]
    }

    /// The row of J along a direction.
    #[inline]
    pub(super) fn jacobian(&self, direction: &Vector3<f64>) -> [f64; 12] {
        let (a, b) = (self.arm_a.cross(direction), self.arm_b.cross(direction));
        let d = direction;
        [
            -d.x, -d.y, -d.z, -a.x, -a.y, -a.z, //
            d.x, d.y, d.z, b.x, b.y, b.z,
        ]
    }
}

/// A contact point and whose it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placed {
    pub(crate) touch: Touch,
    pub(crate) pair: [u32; 2],
    /// Its first row, and how many it has.
    pub(crate) first: u32,
    pub(crate) rows: u32,
}

impl Placed {
    pub(crate) const NOWHERE: Self = Self {
        touch: Touch {
            normal: Vector3::new(0.0, 0.0, 0.0),
            tangent: Vector3::new(0.0, 0.0, 0.0),
            arm_a: Vector3::new(0.0, 0.0, 0.0),
            arm_b: Vector3::new(0.0, 0.0, 0.0),
        },
        pair: [RigidBodies::IMMOVABLE; 2],
        first: 0,
        rows: 0,
    };
}
