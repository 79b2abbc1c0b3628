//! The separating-axis test for two boxes (Gottschalk, Lin, Manocha 1996).
//!
//! Two boxes are apart if and only if they are apart along one of 15 axes: the 3 face normals of
//! A, the 3 of B, and the 9 cross products of their edges. Along a unit axis L the overlap is
//!
//! `r_A + r_B − |t·L|`,  `r = Σ_k h_k |e_k·L|`,
//!
//! with t from centre to centre: negative for a gap. The least overlap over all axes is the
//! least translation that separates the boxes.

use super::pair::{BoxPair, Which};

/// A face normal and the overlap along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceAxis {
    pub(super) which: Which,
    pub(super) axis: usize,
    pub(super) overlap: f64,
}

/// The cross product of axis `i` of A and axis `j` of B, and the overlap along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeAxis {
    pub(super) i: usize,
    pub(super) j: usize,
    pub(super) overlap: f64,
}

/// The overlaps of a pair of boxes that are not apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlaps {
    /// Along the faces of A and B.
    pub(super) faces_a: [f64; 3],
    pub(super) faces_b: [f64; 3],
    /// The least one along a cross product of edges; none if all edges are parallel.
    pub(super) edge: Option<EdgeAxis>,
}

/// Tests all axes; `None` as soon as one shows a gap wider than `envelope`.
///
/// Cross products of edges at an angle whose squared sine is below `parallel` are skipped: their
/// direction is noise, and the face normals already speak for them.
#[inline]
pub(super) fn test(pair: &BoxPair, envelope: f64, parallel: f64) -> Option<Overlaps> {
    let BoxPair {
        half_a: ha,
        half_b: hb,
        rotation: r,
        absolute: q,
        ..
    } = pair;
    let (ta, tb) = (&pair.offset_a, &pair.offset_b);

    let mut faces_a = [0.0; 3];
    for i in 0..3 {
        let reach = hb[0] * q[i][0] + hb[1] * q[i][1] + hb[2] * q[i][2];
        faces_a[i] = ha[i] + reach - ta[i].abs();
        if faces_a[i] < -envelope {
            return None;
        }
    }
    let mut faces_b = [0.0; 3];
    for j in 0..3 {
        let reach = ha[0] * q[0][j] + ha[1] * q[1][j] + ha[2] * q[2][j];
        faces_b[j] = hb[j] + reach - tb[j].abs();
        if faces_b[j] < -envelope {
            return None;
        }
    }

    // Overlaps are compared as x·|x|, which orders like x and spares nine square roots.
    let gap_limit = -envelope * envelope.abs();
    let mut least = f64::INFINITY;
    let mut least_at = (0, 0);
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let length_squared = r[i1][j] * r[i1][j] + r[i2][j] * r[i2][j];
            if length_squared < parallel {
                continue;
            }
            let reach_a = ha[i1] * q[i2][j] + ha[i2] * q[i1][j];
            let reach_b = hb[j1] * q[i][j2] + hb[j2] * q[i][j1];
            let distance = (ta[i2] * r[i1][j] - ta[i1] * r[i2][j]).abs();
            let overlap = reach_a + reach_b - distance;
            let signed_square = overlap * overlap.abs() / length_squared;
            if signed_square < gap_limit {
                return None;
            }
            if signed_square < least {
                least = signed_square;
                least_at = (i, j);
            }
        }
    }
    let edge = (least < f64::INFINITY).then(|| EdgeAxis {
        i: least_at.0,
        j: least_at.1,
        overlap: least.abs().sqrt().copysign(least),
    });
    Some(Overlaps { faces_a, faces_b, edge })
}

impl Overlaps {
    /// The face normal of least overlap. Of two that differ by no more than `tie` the first in
    /// the order A's x, y, z, B's x, y, z wins, so that noise does not choose.
    #[inline]
    pub(super) fn least_face(&self, tie: f64) -> FaceAxis {
        let mut best = FaceAxis {
            which: Which::A,
            axis: 0,
            overlap: self.faces_a[0],
        };
        for axis in 1..3 {
            if self.faces_a[axis] < best.overlap - tie {
                best = FaceAxis {
                    which: Which::A,
                    axis,
                    overlap: self.faces_a[axis],
                };
            }
        }
        for axis in 0..3 {
            if self.faces_b[axis] < best.overlap - tie {
                best = FaceAxis {
                    which: Which::B,
                    axis,
                    overlap: self.faces_b[axis],
                };
            }
        }
        best
    }

    /// A's best face if it is within `tie` of the least one, which otherwise stays.
    #[inline]
    pub(super) fn reference_face(&self, least: &FaceAxis, tie: f64) -> FaceAxis {
        if least.which == Which::B {
            let mut axis = 0;
            for other in 1..3 {
                if self.faces_a[other] < self.faces_a[axis] {
                    axis = other;
                }
            }
            if self.faces_a[axis] <= least.overlap + tie {
                return FaceAxis {
                    which: Which::A,
                    axis,
                    overlap: self.faces_a[axis],
                };
            }
        }
        *least
    }
}
