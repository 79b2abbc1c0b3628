//! What the narrow phase hands on: contact points, and which features of the shapes made them.

use nalgebra::{Point3, Unit, Vector3};

/// One point where shape A and shape B touch, or nearly do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// World position, midway between the two surfaces along the normal.
    pub position: Point3<f64>,
    /// World direction from A to B.
    pub normal: Unit<Vector3<f64>>,
    /// Penetration in metres along the normal; negative for a gap.
    pub depth: f64,
    /// The features that made the point, the key that finds it again in the next step.
    pub feature: FeatureId,
}

impl ContactPoint {
    /// The same contact as seen with A and B exchanged.
    #[inline]
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            normal: -self.normal,
            feature: self.feature.swapped(),
            ..*self
        }
    }
}

/// A part of one shape.
///
/// On a box, bit k of a corner's number says whether the corner is on the positive side of axis
/// k. A face across axis k is `2k`, plus one if it is on the positive side. An edge along axis k
/// is `4k`, plus 1 if it is on the positive side of the axis that follows k in cyclic order, plus
/// 2 if it is on the positive side of the one after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// The shape has no parts (a sphere, a half-space).
    Whole,
    /// A corner, 0 to 7 on a box.
    Corner(u8),
    /// An edge, 0 to 11 on a box.
    Edge(u8),
    /// A face, 0 to 5 on a box.
    Face(u8),
}

impl Feature {
    const fn code(self) -> u64 {
        match self {
            Self::Whole => 0,
            Self::Corner(index) => 0x100 | index as u64,
            Self::Edge(index) => 0x200 | index as u64,
            Self::Face(index) => 0x300 | index as u64,
        }
    }

    const fn from_code(code: u16) -> Self {
        let index = code as u8;
        match code >> 8 {
            1 => Self::Corner(index),
            2 => Self::Edge(index),
            3 => Self::Face(index),
            _ => Self::Whole,
        }
    }
}

/// Which feature of A met which feature of B: A's in the high half, B's in the low half, and in each half the place of
/// the part among its compound's parts in the high 16 bits (0 for any other shape), its feature in the low 16.
///
/// Ids name geometry only, never the role a box played in the computation, so a point keeps its
/// id when the reference face passes from one box to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeatureId(pub u64);

impl FeatureId {
    /// How many parts of one body can be told apart.
    pub const MAX_PARTS: usize = 1 << 16;

    /// The id of a point made by feature `a` of A and feature `b` of B.
    #[inline]
    pub const fn new(a: Feature, b: Feature) -> Self {
        Self(a.code() << 32 | b.code())
    }

    /// The same features of part `a` of A and part `b` of B.
    #[inline]
    #[must_use]
    pub const fn of_parts(self, a: u16, b: u16) -> Self {
        Self(self.0 & 0x0000_ffff_0000_ffff | (a as u64) << 48 | (b as u64) << 16)
    }

    /// The features of A and of B.
    #[inline]
    pub const fn features(self) -> (Feature, Feature) {
        (
            Feature::from_code((self.0 >> 32) as u16),
            Feature::from_code(self.0 as u16),
        )
    }

    /// The parts of A and of B that have the features; 0 for a shape that is no compound.
    #[inline]
    pub const fn parts(self) -> (u16, u16) {
        ((self.0 >> 48) as u16, (self.0 >> 16) as u16)
    }

    /// The id of the same point with A and B exchanged; twice gives the id back.
    #[inline]
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self(self.0.rotate_left(32))
    }
}
