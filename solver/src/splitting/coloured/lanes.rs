//! Numbers of several contacts side by side, one in each lane, and vectors and matrices of such.
//!
//! In memory eight contacts lie side by side. A processor takes as many of them at once as its registers hold: eight with
//! AVX-512, four with AVX2, two or one elsewhere, and then the next ones; `pulp` finds out when the program runs. Products
//! and sums are never contracted, and lanes don't mix, so that every machine computes the same bits.

use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

use pulp::Simd;

/// How many contacts lie side by side.
pub(super) const WIDTH: usize = 8;

/// A number of each of eight contacts, in memory: one cache line.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(64))]
pub(super) struct Stored(pub(super) [f64; WIDTH]);

/// Those that are worked on at once, in a register.
#[derive(Clone, Copy)]
pub(super) struct Lanes<S: Simd> {
    simd: S,
    value: S::f64s,
}

impl<S: Simd> Lanes<S> {
    /// How many there are.
    pub(super) const LEN: usize = S::F64_LANES;

    /// Reads the `part`-th stretch of lanes.
    #[inline(always)]
    pub(super) fn load(simd: S, from: &Stored, part: usize) -> Self {
        let value = S::as_simd_f64s(&from.0).0[part];
        Self { simd, value }
    }

    /// The same in every lane.
    #[inline(always)]
    pub(super) fn splat(simd: S, value: f64) -> Self {
        let value = simd.splat_f64s(value);
        Self { simd, value }
    }

    /// Writes the `part`-th stretch of lanes.
    #[inline(always)]
    pub(super) fn store(self, to: &mut Stored, part: usize) {
        S::as_mut_simd_f64s(&mut to.0).0[part] = self.value;
    }

    /// All lanes, the unused ones zero.
    #[inline(always)]
    pub(super) fn to_array(self) -> [f64; WIDTH] {
        let mut stored = Stored::default();
        self.store(&mut stored, 0);
        stored.0
    }

    #[inline(always)]
    fn with(self, value: S::f64s) -> Self {
        Self { value, ..self }
    }

    /// The larger of zero and this; a NaN stays one.
    #[inline(always)]
    pub(super) fn at_least_zero(self) -> Self {
        let zero = self.simd.splat_f64s(0.0);
        let negative = self.simd.less_than_f64s(self.value, zero);
        self.with(self.simd.select_f64s(negative, zero, self.value))
    }

    /// The larger of this and the absolute value of another; a NaN of the other counts as larger.
    #[inline(always)]
    pub(super) fn or_size_of(self, other: Self) -> Self {
        let size = self.simd.abs_f64s(other.value);
        let smaller = self.simd.less_than_or_equal_f64s(size, self.value);
        self.with(self.simd.select_f64s(smaller, self.value, size))
    }

    /// The factor that brings a vector of this square length into a disc.
    #[inline(always)]
    pub(super) fn into_disc(self, radius: Self) -> Self {
        let simd = self.simd;
        let scale = simd.div_f64s(radius.value, simd.sqrt_f64s(self.value));
        let inside = simd.less_than_or_equal_f64s(self.value, (radius * radius).value);
        self.with(simd.select_f64s(inside, simd.splat_f64s(1.0), scale))
    }

    /// `factor / x` where x is positive, and 0 elsewhere.
    #[inline(always)]
    pub(super) fn steps(self, factor: f64) -> Self {
        let simd = self.simd;
        let zero = simd.splat_f64s(0.0);
        let positive = simd.greater_than_f64s(self.value, zero);
        let quotient = simd.div_f64s(simd.splat_f64s(factor), self.value);
        self.with(simd.select_f64s(positive, quotient, zero))
    }

    /// √x.
    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        self.with(self.simd.sqrt_f64s(self.value))
    }

    /// The largest of the lanes, none of which is negative; a NaN counts as larger than all.
    #[inline(always)]
    pub(super) fn largest(self) -> f64 {
        let lanes = self.to_array();
        lanes.into_iter().fold(0.0, |x, y| if y <= x { x } else { y })
    }
}

impl<S: Simd> Add for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(self.simd.add_f64s(self.value, other.value))
    }
}

impl<S: Simd> Sub for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(self.simd.sub_f64s(self.value, other.value))
    }
}

impl<S: Simd> Mul for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(self.simd.mul_f64s(self.value, other.value))
    }
}

/// Four numbers that lie side by side.
pub(super) type Quad = [f64; 4];

/// Reads four numbers for each lane, and turns them into four numbers that have all lanes.
#[inline(always)]
pub(super) fn turned<S: Simd>(simd: S, row: impl Fn(usize) -> Quad) -> [Lanes<S>; 4] {
    let mut rows = [Quad::default(); WIDTH];
    for (place, quad) in rows.iter_mut().enumerate().take(S::F64_LANES) {
        *quad = row(lane_of(S::F64_LANES, place));
    }
    let (registers, _) = S::as_simd_f64s(rows.as_flattened());
    let [x, y, z, w] = simd.deinterleave_shfl_f64s([registers[0], registers[1], registers[2], registers[3]]);
    let lanes = |value| Lanes { simd, value };
    [lanes(x), lanes(y), lanes(z), lanes(w)]
}

/// The way back, of three numbers and a zero.
#[inline(always)]
pub(super) fn turned_back<S: Simd>(simd: S, Vectors { x, y, z }: Vectors<S>) -> [Quad; WIDTH] {
    let columns = [x.value, y.value, z.value, simd.splat_f64s(0.0)];
    let mut stored = [Quad::default(); WIDTH];
    let (registers, _) = S::as_mut_simd_f64s(stored.as_flattened_mut());
    for (k, value) in simd.interleave_shfl_f64s(columns).into_iter().enumerate() {
        registers[k] = value;
    }
    let mut rows = [Quad::default(); WIDTH];
    for place in 0..S::F64_LANES {
        rows[lane_of(S::F64_LANES, place)] = stored[place];
    }
    rows
}

/// The lane whose numbers are the `place`-th to go into registers for `pulp` to turn: with eight lanes its shuffles pair those
/// that are two apart.
#[inline(always)]
const fn lane_of(lanes: usize, place: usize) -> usize {
    if lanes == 8 {
        [0, 2, 1, 3, 4, 6, 5, 7][place]
    } else {
        place
    }
}

/// A vector of each of eight contacts, in memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct StoredVectors([Stored; 3]);

impl StoredVectors {
    /// Puts the vector of one lane.
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, vector: &nalgebra::Vector3<f64>) {
        for (row, &number) in self.0.iter_mut().zip(vector) {
            row.0[lane] = number;
        }
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, part: usize) -> Vectors<S> {
        let [x, y, z] = &self.0;
        Vectors {
            x: Lanes::load(simd, x, part),
            y: Lanes::load(simd, y, part),
            z: Lanes::load(simd, z, part),
        }
    }
}

/// A vector of each lane.
#[derive(Clone, Copy)]
pub(super) struct Vectors<S: Simd> {
    pub(super) x: Lanes<S>,
    pub(super) y: Lanes<S>,
    pub(super) z: Lanes<S>,
}

impl<S: Simd> Vectors<S> {
    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> Lanes<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

impl<S: Simd> Mul<Lanes<S>> for Vectors<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: Lanes<S>) -> Self {
        Self {
            x: self.x * factor,
            y: self.y * factor,
            z: self.z * factor,
        }
    }
}

impl<S: Simd> Add for Vectors<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

impl<S: Simd> Sub for Vectors<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            x: self.x - other.x,
            y: self.y - other.y,
            z: self.z - other.z,
        }
    }
}

impl<S: Simd> AddAssign for Vectors<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<S: Simd> SubAssign for Vectors<S> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// A symmetric matrix of each lane.
#[derive(Clone, Copy)]
pub(super) struct Matrices<S: Simd> {
    pub(super) xx: Lanes<S>,
    pub(super) xy: Lanes<S>,
    pub(super) xz: Lanes<S>,
    pub(super) yy: Lanes<S>,
    pub(super) yz: Lanes<S>,
    pub(super) zz: Lanes<S>,
}

impl<S: Simd> Matrices<S> {
    /// Its product with a vector.
    #[inline(always)]
    pub(super) fn times(&self, v: Vectors<S>) -> Vectors<S> {
        Vectors {
            x: self.xx * v.x + self.xy * v.y + self.xz * v.z,
            y: self.xy * v.x + self.yy * v.y + self.yz * v.z,
            z: self.xz * v.x + self.yz * v.y + self.zz * v.z,
        }
    }
}
