//! Sums and norms over plain slices, one copy for all families.
//!
//! Sums run from the first entry to the last, so that the same numbers give the same bits wherever they are summed.

/// The scalar product.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The Euclidean norm.
#[inline]
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// The entry of largest size.
#[inline]
pub(crate) fn largest(x: &[f64]) -> f64 {
    // In lanes: one after the other, each comparison would wait for the last.
    let (fours, rest) = x.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for four in fours {
        for (lane, x) in lanes.iter_mut().zip(four) {
            *lane = larger(*lane, x.abs());
        }
    }
    let all = lanes.iter().chain(rest);
    all.fold(0.0, |largest, x| larger(largest, x.abs()))
}

/// Whether all entries are finite: of finite numbers alone the product with zero is zero.
#[inline]
pub(crate) fn are_finite(x: &[f64]) -> bool {
    let (eights, rest) = x.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for eight in eights {
        for (lane, x) in lanes.iter_mut().zip(eight) {
            *lane += x * 0.0;
        }
    }
    lanes.iter().all(|&lane| lane == 0.0) && rest.iter().all(|x| x.is_finite())
}

/// Like `max`, but a NaN wins: a residual must not hide one.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// `y += factor · x`.
#[inline]
pub(crate) fn add(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_found_wherever_it_stands() {
        assert!(are_finite(&[]));
        for place in 0..19 {
            let mut x = [f64::MAX, -0.0, -f64::MAX, 1e-320, 0.5].repeat(4);
            assert!(are_finite(&x));
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                x[place] = bad;
                assert!(!are_finite(&x), "{place} {bad}");
            }
        }
    }

    #[test]
    fn a_nan_is_the_largest_of_all_wherever_it_stands() {
        assert_eq!(largest(&[1.0, -3.0, 2.0]), 3.0);
        assert_eq!(largest(&[]), 0.0);
        assert_eq!(largest(&[0.0, 1.0, 2.0, 3.0, 1.0, -7.0, 0.0, 0.0, 6.0]), 7.0);
        for place in 0..6 {
            let mut x = [1.0, f64::INFINITY, 2.0, 0.0, 4.0, 3.0];
            x[place] = f64::NAN;
            assert!(largest(&x).is_nan(), "{x:?}");
        }
    }
}
