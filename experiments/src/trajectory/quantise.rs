//! Numbers as integers, and how far the integers may be off.
//!
//! | what | as | error at most |
//! |---|---|---|
//! | position | multiples of a power of two | half of it, along each axis |
//! | orientation | smallest three: the largest component of the quaternion is left out, the others are multiples of `1/(√2 N)` | `3.5/(√2 N)` rad |
//! | direction | octahedral: the unit sphere unfolded onto a square of `2N` by `2N` | `2.2/N` rad |
//! | impulse, depth | logarithmic: `±round(K log₂(1 + |x|/s))` | `(2^(1/2K) − 1) (|x| + s)` |
//!
//! Of the orientation: three components within half a step q/2 each are off by `|d| ≤ √3 q/2` together; the fourth follows from
//! the unit length and is off by at most √3 times that, because it is at least 1/2; a quaternion that is off by e turns by
//! 2 e. Together `2 · 2 · √3 q/2 ≈ 3.46 q`. Of the direction: two coordinates within half a step q/2 each move a point of the octahedron by at
//! most `√(3/2) q`, and that is seen from the centre of a face, `1/√3` away, as `√(9/2) q ≈ 2.12 q`. Smallest three and octahedral maps are folklore of networked games and renderers
//! (Cigolle et al., *A Survey of Efficient Representations for Independent Unit Vectors*, 2014, for the second).

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// N of orientations: 13 bits with the sign.
pub const ORIENTATION_STEPS: i32 = 4095;
/// N of directions: 11 bits with the sign, on each side.
pub const DIRECTION_STEPS: i32 = 1023;
/// K of impulses and depths: 1.1 percent.
pub const STEPS_PER_OCTAVE: f64 = 32.0;

/// How far an orientation may be off, rad.
pub const ORIENTATION_ERROR: f64 = 3.5 * std::f64::consts::FRAC_1_SQRT_2 / ORIENTATION_STEPS as f64;
/// How far a direction may be off, rad.
pub const DIRECTION_ERROR: f64 = 2.2 / DIRECTION_STEPS as f64;

/// A grid of positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// From place to place, m; a power of two, so that going back is exact.
    pub spacing: f64,
}

impl Grid {
    /// A grid fine enough for things of the given size in a scene that reaches as far as `extent` from the origin, m.
    ///
    /// A four-thousandth of the smallest thing's radius is less than anybody sees, and speeds, which are differences of
    /// frames, need that much. But positions have 32 bits, and 2³¹ places should go four times or more as far as the scene does at
    /// the beginning.
    pub fn for_scene(smallest: f64, extent: f64) -> Self {
        let wanted = (smallest / 4096.0).max(extent * 2f64.powi(-28));
        let wanted = if wanted.is_finite() && wanted > 0.0 {
            wanted
        } else {
            1e-3
        };
        let exponent = wanted.log2().floor().clamp(-200.0, 200.0);
        Self {
            spacing: 2f64.powi(exponent as i32),
        }
    }

    /// The nearest place; beyond the last one, the last one.
    pub fn code(&self, x: f64) -> i32 {
        // Casting saturates.
        (x / self.spacing).round() as i32
    }

    /// Where a place is.
    pub fn value(&self, code: i32) -> f64 {
        f64::from(code) * self.spacing
    }
}

/// An orientation as the place of its largest component (0 to 3 for x, y, z, w) and the three others in order.
pub fn orientation_code(orientation: &UnitQuaternion<f64>) -> (i32, [i32; 3]) {
    let coords = orientation.coords;
    let mut largest = 0;
    for k in 1..4 {
        if coords[k].abs() > coords[largest].abs() {
            largest = k;
        }
    }
    // q and −q are the same orientation.
    let sign = if coords[largest] < 0.0 { -1.0 } else { 1.0 };
    let scale = sign * std::f64::consts::SQRT_2 * f64::from(ORIENTATION_STEPS);
    let mut rest = [0; 3];
    for (slot, k) in (0..4).filter(|&k| k != largest).enumerate() {
        let code = (coords[k] * scale).round() as i32;
        rest[slot] = code.clamp(-ORIENTATION_STEPS, ORIENTATION_STEPS);
    }
    (largest as i32, rest)
}

/// The way back. Any integers give some orientation.
pub fn orientation_value(largest: i32, rest: [i32; 3]) -> UnitQuaternion<f64> {
    let scale = std::f64::consts::FRAC_1_SQRT_2 / f64::from(ORIENTATION_STEPS);
    let rest = rest.map(|code| f64::from(code) * scale);
    let square: f64 = rest.iter().map(|x| x * x).sum();
    let mut coords = [0.0; 4];
    let mut others = rest.into_iter();
    for (k, coordinate) in coords.iter_mut().enumerate() {
        *coordinate = if k == largest.clamp(0, 3) as usize {
            (1.0 - square).max(0.0).sqrt()
        } else {
            others.next().unwrap_or(0.0)
        };
    }
    let [x, y, z, w] = coords;
    UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
}

/// A direction as a place on the unfolded octahedron; +z is in the middle.
pub fn direction_code(direction: &Vector3<f64>) -> [i32; 2] {
    let sum = direction.x.abs() + direction.y.abs() + direction.z.abs();
    if !(sum.is_finite() && sum > 0.0) {
        return [0, 0];
    }
    let (mut x, mut y) = (direction.x / sum, direction.y / sum);
    if direction.z < 0.0 {
        (x, y) = ((1.0 - y.abs()) * side(x), (1.0 - x.abs()) * side(y));
    }
    [x, y].map(|x| (x * f64::from(DIRECTION_STEPS)).round() as i32)
}

/// The way back. Any integers give some direction.
pub fn direction_value([x, y]: [i32; 2]) -> Vector3<f64> {
    let [mut x, mut y] = [x, y].map(|code| f64::from(code) / f64::from(DIRECTION_STEPS));
    let z = 1.0 - x.abs() - y.abs();
    if z < 0.0 {
        (x, y) = ((1.0 - y.abs()) * side(x), (1.0 - x.abs()) * side(y));
    }
    Vector3::new(x, y, z).try_normalize(0.0).unwrap_or_else(Vector3::z)
}

fn side(x: f64) -> f64 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

/// Numbers of very different sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logarithmic {
    /// s: what is much smaller is as good as zero.
    pub scale: f64,
}

impl Logarithmic {
    /// `±round(K log₂(1 + |x|/s))`.
    pub fn code(&self, x: f64) -> i32 {
        let code = (STEPS_PER_OCTAVE * (x.abs() / self.scale).ln_1p() / std::f64::consts::LN_2).round() as i32;
        if x < 0.0 { -code } else { code }
    }

    /// The way back.
    pub fn value(&self, code: i32) -> f64 {
        let octaves = f64::from(code.unsigned_abs()) / STEPS_PER_OCTAVE;
        let size = self.scale * (octaves * std::f64::consts::LN_2).exp_m1();
        if code < 0 { -size } else { size }
    }

    /// How far the number that comes back may be off.
    pub fn error(&self, x: f64) -> f64 {
        Self::relative_error() * (x.abs() + self.scale)
    }

    /// `2^(1/2K) − 1`.
    pub fn relative_error() -> f64 {
        (0.5 / STEPS_PER_OCTAVE).exp2() - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit_quaternion() -> impl Strategy<Value = UnitQuaternion<f64>> {
        prop::array::uniform4(-1.0..1.0_f64)
            .prop_filter("not zero", |q| q.iter().map(|x| x * x).sum::<f64>() > 1e-3)
            .prop_map(|[x, y, z, w]| UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)))
    }

    proptest! {
        #[test]
        fn positions_come_back_within_half_a_place(x in -400.0..400.0_f64, smallest in 1e-2..10.0_f64) {
            let grid = Grid::for_scene(smallest, 100.0);
            prop_assert!(grid.spacing <= smallest / 4096.0 && grid.spacing > smallest / 8192.0);
            prop_assert!((grid.value(grid.code(x)) - x).abs() <= 0.5 * grid.spacing);
        }

        #[test]
        fn orientations_come_back_within_their_bound(orientation in unit_quaternion()) {
            let (largest, rest) = orientation_code(&orientation);
            let back = orientation_value(largest, rest);
            prop_assert!(orientation.angle_to(&back) <= ORIENTATION_ERROR);
            prop_assert_eq!(orientation_code(&UnitQuaternion::new_unchecked(-orientation.into_inner())), (largest, rest));
        }

        #[test]
        fn directions_come_back_within_their_bound(v in prop::array::uniform3(-1.0..1.0_f64)) {
            let v = Vector3::from(v);
            prop_assume!(v.norm() > 1e-3);
            let back = direction_value(direction_code(&v));
            prop_assert!(back.angle(&v) <= DIRECTION_ERROR, "{}", back.angle(&v));
            prop_assert!((back.norm() - 1.0).abs() < 1e-12);
        }

        #[test]
        fn logarithms_come_back_within_their_bound(x in -1e6..1e6_f64, power in -9..3_i32) {
            let code = Logarithmic { scale: 1e-4 };
            let x = x * 10f64.powi(power);
            prop_assert!((code.value(code.code(x)) - x).abs() <= code.error(x) * (1.0 + 1e-9));
            prop_assert_eq!(code.code(-x), -code.code(x));
        }

        #[test]
        fn any_integers_have_values(largest: i32, rest: [i32; 3], place: [i32; 2]) {
            prop_assert!((orientation_value(largest, rest).norm() - 1.0).abs() < 1e-9);
            prop_assert!((direction_value(place).norm() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_worst_orientation_is_close_to_its_bound() {
        // All four components equal: the fourth follows with the largest error.
        let mut worst: f64 = 0.0;
        for k in 0..20_000 {
            let wiggle = |n: f64| 1.0 + 1e-3 * (f64::from(k) * n).sin();
            let q = UnitQuaternion::new_normalize(Quaternion::new(1.01, wiggle(0.7), wiggle(1.3), wiggle(2.1)));
            let (largest, rest) = orientation_code(&q);
            worst = worst.max(q.angle_to(&orientation_value(largest, rest)));
        }
        assert!(worst > 0.7 * ORIENTATION_ERROR && worst <= ORIENTATION_ERROR, "{worst}");
    }

    #[test]
    fn extreme_scenes_have_a_grid() {
        for (smallest, extent) in [
            (0.0, 0.0),
            (f64::INFINITY, 1.0),
            (1e-9, 1e9),
            (1e300, 1e300),
            (f64::NAN, 1.0),
        ] {
            let spacing = Grid::for_scene(smallest, extent).spacing;
            assert!(spacing.is_finite() && spacing > 0.0, "{smallest} {extent}: {spacing}");
        }
        // What the integers reach is at least four times the scene.
        let grid = Grid::for_scene(1e-9, 1e6);
        assert!(grid.value(i32::MAX) >= 4e6);
        assert_eq!(grid.code(1e300), i32::MAX);
    }
}
