//! Two boxes as seen from box A, everything the tests need computed once.

use nalgebra::{Isometry3, Matrix3, Vector3};

use crate::contact::{Feature, FeatureId};
use crate::shape::Cuboid;

/// One of the two boxes of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    A,
    B,
}

/// Relative pose of two boxes. Small arrays rather than matrices: the loops over them have
/// constant bounds and unroll.
#[derive(Clone, Copy)]
pub(super) struct BoxPair {
    /// Half extents of A and B.
    pub(super) half_a: [f64; 3],
    pub(super) half_b: [f64; 3],
    /// `rotation[i][j]` = axis i of A · axis j of B, and its absolute value.
    pub(super) rotation: [[f64; 3]; 3],
    pub(super) absolute: [[f64; 3]; 3],
    /// From A's centre to B's in A's frame, and in B's.
    pub(super) offset_a: [f64; 3],
    pub(super) offset_b: [f64; 3],
    /// The boxes' axes (columns) and centres in the world.
    pub(super) axes_a: Matrix3<f64>,
    pub(super) axes_b: Matrix3<f64>,
    pub(super) centre_a: Vector3<f64>,
    pub(super) centre_b: Vector3<f64>,
}

impl BoxPair {
    /// The pair with entries of the relative rotation closer than `noise` to 0 or ±1 set there.
    #[inline]
    pub(super) fn new(a: &Cuboid, pose_a: &Isometry3<f64>, b: &Cuboid, pose_b: &Isometry3<f64>, noise: f64) -> Self {
        let axes_a = *pose_a.rotation.to_rotation_matrix().matrix();
        let axes_b = *pose_b.rotation.to_rotation_matrix().matrix();
        let centre_a = pose_a.translation.vector;
        let centre_b = pose_b.translation.vector;
        let between = centre_b - centre_a;
        let near_one = if noise > 0.0 { 1.0 - 1e-15 } else { f64::INFINITY };
        let mut pair = Self {
            half_a: a.half_extents.into(),
            half_b: b.half_extents.into(),
            rotation: [[0.0; 3]; 3],
            absolute: [[0.0; 3]; 3],
            offset_a: [0.0; 3],
            offset_b: [0.0; 3],
            axes_a,
            axes_b,
            centre_a,
            centre_b,
        };
        for i in 0..3 {
            pair.offset_a[i] = axes_a.column(i).dot(&between);
            for j in 0..3 {
                let entry = axes_a.column(i).dot(&axes_b.column(j));
                let size = entry.abs();
                let size = if size < noise { 0.0 } else { size };
                // 1 − cos θ is about θ²/2: near one, only the last bits can be noise.
                let size = if size > near_one { 1.0 } else { size };
                pair.rotation[i][j] = size.copysign(entry);
                pair.absolute[i][j] = size;
            }
        }
        // Through the cleaned rotation, so that both frames tell the same story.
        pair.offset_b = pair.in_b_frame(pair.offset_a);
        pair
    }

    /// A vector in A's frame expressed in B's.
    #[inline]
    pub(super) fn in_b_frame(&self, v: [f64; 3]) -> [f64; 3] {
        let r = &self.rotation;
        [0, 1, 2].map(|j| r[0][j] * v[0] + r[1][j] * v[1] + r[2][j] * v[2])
    }

    /// A vector in B's frame expressed in A's.
    #[inline]
    pub(super) fn in_a_frame(&self, v: [f64; 3]) -> [f64; 3] {
        let r = &self.rotation;
        [0, 1, 2].map(|i| r[i][0] * v[0] + r[i][1] * v[1] + r[i][2] * v[2])
    }

    /// The sign that turns an axis of box `which` into a normal from A to B; centres level along
    /// the axis count as positive.
    #[inline]
    pub(super) fn normal_sign(&self, which: Which, axis: usize) -> f64 {
        let offset = match which {
            Which::A => self.offset_a[axis],
            Which::B => self.offset_b[axis],
        };
        if offset >= 0.0 { 1.0 } else { -1.0 }
    }

    /// The pair after B has been moved by a vector given in A's frame.
    pub(super) fn with_b_moved(&self, motion: [f64; 3]) -> Self {
        let mut moved = *self;
        moved.offset_a = std::array::from_fn(|i| self.offset_a[i] + motion[i]);
        moved.offset_b = moved.in_b_frame(moved.offset_a);
        moved
    }

    /// The smallest half extent of both boxes: the length all tolerances are relative to.
    #[inline]
    pub(super) fn smallest_half_extent(&self) -> f64 {
        let smallest = |h: &[f64; 3]| h[0].min(h[1]).min(h[2]);
        smallest(&self.half_a).min(smallest(&self.half_b))
    }
}

/// The id of a point made by `own`, a feature of box `which`, and a feature of the other box.
#[inline]
pub(super) fn feature_id(which: Which, own: Feature, other: Feature) -> FeatureId {
    match which {
        Which::A => FeatureId::new(own, other),
        Which::B => FeatureId::new(other, own),
    }
}

/// The number of the edge along `axis` that ends at `corner`.
#[inline]
pub(super) fn edge_at_corner(corner: u8, axis: usize) -> u8 {
    let bit = |axis: usize| corner >> axis & 1;
    4 * axis as u8 + bit((axis + 1) % 3) + 2 * bit((axis + 2) % 3)
}
