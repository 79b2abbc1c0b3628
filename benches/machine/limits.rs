//! What the machine can do: bytes a nanosecond through memory of a given size, and floating-point operations.
//!
//! Vectors are as wide as those of the coloured sweep, found by `pulp` in the same way. Numbers are the best of several
//! rounds: what disturbs a program only ever makes it slower.

use std::hint::black_box;
use std::time::Instant;

use pulp::{Arch, Simd, WithSimd};

/// Bytes a nanosecond, each over as much memory as was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bandwidth {
    /// `s += x`, bytes read.
    pub(crate) read: f64,
    /// `y = x`, bytes read and written.
    pub(crate) copy: f64,
    /// `z = x + a y`, bytes read and written.
    pub(crate) triad: f64,
}

/// The shortest time of some rounds, each of which does the work often enough to be seen by the clock.
fn shortest(rounds: usize, bytes: usize, mut work: impl FnMut()) -> f64 {
    let often = (32_000_000 / bytes.max(1)).max(1);
    work();
    let seconds = (0..rounds).map(|_| {
        let clock = Instant::now();
        for _ in 0..often {
            work();
        }
        clock.elapsed().as_secs_f64() / often as f64
    });
    seconds.fold(f64::INFINITY, f64::min)
}

/// Measures over arrays that have so many bytes together.
pub(crate) fn bandwidth(footprint: usize, rounds: usize) -> Bandwidth {
    let arch = Arch::new();
    let rate = |bytes: usize, seconds: f64| 1e-9 * bytes as f64 / seconds;
    // Whole vectors of eight only.
    let numbers = |arrays: usize| (footprint / (8 * arrays)).next_multiple_of(64);
    let x = vec![1.0; numbers(1)];
    let read = shortest(rounds, footprint, || {
        black_box(arch.dispatch(Sum(black_box(&x))));
    });
    let read = rate(8 * x.len(), read);
    let (x, mut y) = (vec![1.0; numbers(2)], vec![0.0; numbers(2)]);
    let copy = shortest(rounds, footprint, || {
        arch.dispatch(Copied(black_box(&x), black_box(&mut y)))
    });
    let copy = rate(16 * x.len(), copy);
    let (x, y, mut z) = (vec![1.0; numbers(3)], vec![2.0; numbers(3)], vec![0.0; numbers(3)]);
    let triad = shortest(rounds, footprint, || {
        arch.dispatch(Triad(black_box(&x), black_box(&y), black_box(&mut z)));
    });
    let triad = rate(24 * x.len(), triad);
    Bandwidth { read, copy, triad }
}

struct Sum<'a>(&'a [f64]);

impl WithSimd for Sum<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let mut sums = [simd.splat_f64s(0.0); 8];
        let (vectors, _) = S::as_simd_f64s(self.0);
        for eight in vectors.chunks_exact(8) {
            for (sum, &x) in sums.iter_mut().zip(eight) {
                *sum = simd.add_f64s(*sum, x);
            }
        }
        sums.into_iter().map(|sum| simd.reduce_sum_f64s(sum)).sum()
    }
}

struct Copied<'a>(&'a [f64], &'a mut [f64]);

impl WithSimd for Copied<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let ((x, _), (y, _)) = (S::as_simd_f64s(self.0), S::as_mut_simd_f64s(self.1));
        for (y, &x) in y.iter_mut().zip(x) {
            *y = x;
        }
    }
}

struct Triad<'a>(&'a [f64], &'a [f64], &'a mut [f64]);

impl WithSimd for Triad<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let ((x, _), (y, _)) = (S::as_simd_f64s(self.0), S::as_simd_f64s(self.1));
        let (z, _) = S::as_mut_simd_f64s(self.2);
        let factor = simd.splat_f64s(3.0);
        for ((z, &x), &y) in z.iter_mut().zip(x).zip(y) {
            *z = simd.add_f64s(x, simd.mul_f64s(factor, y));
        }
    }
}

/// Operations a nanosecond.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arithmetic {
    /// Numbers in a vector.
    pub(crate) lanes: usize,
    /// Products and sums as instructions of their own, as the sweep has them.
    pub(crate) separate: f64,
    /// A product and a sum in one instruction.
    pub(crate) contracted: f64,
    /// Products and sums that each wait for the last: nanoseconds for one.
    pub(crate) latency: f64,
}

/// Measures what the processor can do with numbers in registers.
pub(crate) fn arithmetic(rounds: usize) -> Arithmetic {
    const TIMES: usize = 200_000;
    let arch = Arch::new();
    let lanes = arch.dispatch(Width);
    let best = |work: &dyn Fn()| {
        let seconds = (0..4 * rounds).map(|_| {
            let clock = Instant::now();
            work();
            clock.elapsed().as_secs_f64()
        });
        1e9 * seconds.fold(f64::INFINITY, f64::min) / TIMES as f64
    };
    let separate = best(&|| {
        black_box(arch.dispatch(Chains::<CHAINS, false>(TIMES)));
    });
    let contracted = best(&|| {
        black_box(arch.dispatch(Chains::<CHAINS, true>(TIMES)));
    });
    let single = best(&|| {
        black_box(arch.dispatch(Chains::<1, false>(TIMES)));
    });
    let operations = (2 * CHAINS * lanes) as f64;
    Arithmetic {
        lanes,
        separate: operations / separate,
        contracted: operations / contracted,
        latency: single / 2.0,
    }
}

/// Enough for two units that take four cycles each, and few enough for sixteen registers.
const CHAINS: usize = 12;

struct Width;

impl WithSimd for Width {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F64_LANES
    }
}

/// So many chains `x ← x f + g` beside each other, with one instruction a link or two.
struct Chains<const COUNT: usize, const CONTRACTED: bool>(usize);

impl<const COUNT: usize, const CONTRACTED: bool> WithSimd for Chains<COUNT, CONTRACTED> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let (factor, term) = (simd.splat_f64s(black_box(0.5)), simd.splat_f64s(black_box(1.0)));
        let mut chains: [S::f64s; COUNT] = std::array::from_fn(|k| simd.splat_f64s(black_box(k as f64)));
        for _ in 0..self.0 {
            for x in &mut chains {
                *x = if CONTRACTED {
                    simd.mul_add_f64s(*x, factor, term)
                } else {
                    simd.add_f64s(simd.mul_f64s(*x, factor), term)
                };
            }
        }
        chains.into_iter().map(|x| simd.reduce_sum_f64s(x)).sum()
    }
}
