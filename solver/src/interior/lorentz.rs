//! The second-order (Lorentz) cone `x₀ ≥ ‖x₁‖` as interior-point methods see it: its Jordan algebra, the distance to its
//! boundary, and Nesterov and Todd's scaling (1997; formulas as in Vandenberghe 2010, §4).
//!
//! Vectors have three numbers; in the plane the last one is zero and stays so.

/// A vector `(x₀, x₁)`.
pub(super) type Vector = [f64; 3];

pub(super) fn dot(x: &Vector, y: &Vector) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// A point inside, with its distance from the boundary beside it: near the solution that is all that counts, and the
/// difference `x₀ − ‖x₁‖` of its numbers would lose it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Point {
    pub(super) x: Vector,
    /// `x₀ − ‖x₁‖`.
    gap: f64,
}

impl Point {
    /// The point with the given side, so far from the boundary.
    pub(super) fn new(side: [f64; 2], gap: f64) -> Self {
        Self {
            x: [side[0].hypot(side[1]) + gap, side[0], side[1]],
            gap,
        }
    }

    /// `x₀² − ‖x₁‖²`.
    fn determinant(&self) -> f64 {
        self.gap * (2.0 * self.side() + self.gap)
    }

    /// ‖x₁‖.
    fn side(&self) -> f64 {
        self.x[1].hypot(self.x[2])
    }

    /// x·y. Where both are near the boundary and opposite, the plain sum would cancel:
    /// `‖x₁‖‖y₁‖ + x₁·y₁ = ‖x₁‖‖y₁‖ ‖x̂₁ + ŷ₁‖²/2`.
    pub(super) fn dot(&self, y: &Self) -> f64 {
        let (a, b) = (self.side(), y.side());
        let turned = if a > 0.0 && b > 0.0 {
            let off = |k: usize| self.x[k] / a + y.x[k] / b;
            0.5 * a * b * (off(1).powi(2) + off(2).powi(2))
        } else {
            0.0
        };
        self.gap * b + y.gap * a + self.gap * y.gap + turned
    }

    /// The smaller eigenvalue of `x^½ y x^½`, in Jordan's sense: x·y and `√(det x det y)` are the mean of the two and
    /// their geometric mean.
    pub(super) fn smaller_product(&self, y: &Self) -> f64 {
        let (mean, square) = (self.dot(y), self.determinant() * y.determinant());
        square / (mean + (mean * mean - square).max(0.0).sqrt())
    }

    /// The largest α with `x + α d` in the cone; ∞ if the ray never leaves it.
    pub(super) fn longest_step(&self, d: &Vector) -> f64 {
        // The smaller positive root of det(x + α d) = a α² + 2 b α + c.
        let (a, c) = (d[0] * d[0] - d[1] * d[1] - d[2] * d[2], self.determinant());
        let b = self.gap * d[0] + (self.side() * d[0] - self.x[1] * d[1] - self.x[2] * d[2]);
        let discriminant = b * b - a * c;
        if discriminant < 0.0 {
            return f64::INFINITY;
        }
        let steepness = discriminant.sqrt() - b;
        if steepness > 0.0 { c / steepness } else { f64::INFINITY }
    }

    /// `x + α d`, if that is inside.
    pub(super) fn moved(&self, length: f64, d: &Vector) -> Option<Self> {
        let [x1, x2] = [self.x[1] + length * d[1], self.x[2] + length * d[2]];
        // ‖x₁ + α d₁‖ − ‖x₁‖ without the difference.
        let sum = x1.hypot(x2) + self.side();
        let grown = if sum > 0.0 {
            ((x1 + self.x[1]) * d[1] + (x2 + self.x[2]) * d[2]) / sum
        } else {
            0.0
        };
        let gap = self.gap + length * (d[0] - grown);
        (gap > 0.0).then(|| Self::new([x1, x2], gap))
    }
}

/// The Jordan product `(x·y, x₀ y₁ + y₀ x₁)`.
pub(super) fn product(x: &Vector, y: &Vector) -> Vector {
    [dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]]
}

/// z with `x ∘ z = r`, for an x whose determinant `x₀² − ‖x₁‖²` is known.
pub(super) fn quotient(x: &Vector, determinant: f64, r: &Vector) -> Vector {
    let first = (x[0] * r[0] - x[1] * r[1] - x[2] * r[2]) / determinant;
    [first, (r[1] - first * x[1]) / x[0], (r[2] - first * x[2]) / x[0]]
}

/// W with `W y = W⁻¹ x`: symmetric, and it maps the cone onto itself. `W² = η² (2 w wᵀ − J)`, J = diag(1, −1, −1), has
/// eigenvalues `η² ω²`, `η²` and `η²/ω²` with `ω = w₀ + ‖w₁‖`, on `(1, ŵ₁)`, the direction across, and `(1, −ŵ₁)`.
///
/// It is kept in that form: those of a slipping contact lie so far apart (the inverse square of the distance to the
/// boundary) that sums of matrices would not keep the small ones.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scaling {
    /// ŵ₁.
    direction: [f64; 2],
    /// Eigenvalues of W²: along, across, against.
    along: f64,
    across: f64,
    against: f64,
}

impl Scaling {
    /// The scaling of two points inside.
    pub(super) fn of(x: &Point, y: &Point) -> Self {
        let (x_size, y_size) = (x.determinant().sqrt(), y.determinant().sqrt());
        let gamma = (0.5 * (1.0 + x.dot(y) / (x_size * y_size))).sqrt();
        let (x, y) = (x.x.map(|k| k / x_size), y.x.map(|k| k / y_size));
        let side = [(x[1] - y[1]) / (2.0 * gamma), (x[2] - y[2]) / (2.0 * gamma)];
        let length = side[0].hypot(side[1]);
        let omega = length + length.hypot(1.0);
        let square = x_size / y_size;
        Self {
            direction: if length > 0.0 {
                [side[0] / length, side[1] / length]
            } else {
                [1.0, 0.0]
            },
            along: square * omega * omega,
            across: square,
            against: square / (omega * omega),
        }
    }

    /// `det v = √(det x det y)`.
    pub(super) fn image_determinant(x: &Point, y: &Point) -> f64 {
        (x.determinant() * y.determinant()).sqrt()
    }

    /// `v = W⁻¹ x = W y`: of either point that part which does not cancel, along from x and against from y.
    pub(super) fn image(&self, x: &Point, y: &Point) -> Vector {
        let [c, s] = self.direction;
        let along = 0.5 * (x.x[0] + c * x.x[1] + s * x.x[2]) / self.along.sqrt();
        let against = 0.5 * (y.x[0] - c * y.x[1] - s * y.x[2]) * self.against.sqrt();
        let across = (c * y.x[2] - s * y.x[1]) * self.across.sqrt();
        let side = along - against;
        [along + against, c * side - s * across, s * side + c * across]
    }

    /// `f(W²) x` for a function f of the eigenvalues.
    pub(super) fn apply(&self, f: impl Fn(f64) -> f64, x: &Vector) -> Vector {
        let [c, s] = self.direction;
        let (side, across) = (c * x[1] + s * x[2], f(self.across) * (c * x[2] - s * x[1]));
        let (along, against) = (
            0.5 * f(self.along) * (x[0] + side),
            0.5 * f(self.against) * (x[0] - side),
        );
        let side = along - against;
        [along + against, c * side - s * across, s * side + c * across]
    }

    /// `f(W²)` as a matrix.
    pub(super) fn matrix(&self, f: impl Fn(f64) -> f64) -> [[f64; 3]; 3] {
        let [c, s] = self.direction;
        let (along, across, against) = (f(self.along), f(self.across), f(self.against));
        let (mean, half) = (0.5 * (along + against), 0.5 * (along - against));
        [
            [mean, half * c, half * s],
            [half * c, mean * c * c + across * s * s, (mean - across) * c * s],
            [half * s, (mean - across) * c * s, mean * s * s + across * c * c],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn inside(rng: &mut Pcg64) -> Point {
        let side = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        Point::new(side, rng.random_range(0.01..1.0))
    }

    fn distance(a: &Vector, b: &Vector) -> f64 {
        (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max)
    }

    fn times(m: &[[f64; 3]; 3], x: &Vector) -> Vector {
        m.map(|row| dot(&row, x))
    }

    /// The definition, W y = W⁻¹ x = v; and matrices agree with what they stand for.
    #[test]
    fn the_scaling_takes_both_points_to_one() {
        let mut rng = Pcg64::seed_from_u64(1);
        for _ in 0..1000 {
            let (x, y, z) = (inside(&mut rng), inside(&mut rng), inside(&mut rng).x);
            let scaling = Scaling::of(&x, &y);
            let (first, second) = (scaling.apply(f64::sqrt, &y.x), scaling.apply(|e| 1.0 / e.sqrt(), &x.x));
            let v = scaling.image(&x, &y);
            assert!((x.dot(&y) - dot(&x.x, &y.x)).abs() < 1e-13);
            // In the frame of W both points are v, whose eigenvalues are v₀ ± ‖v₁‖.
            let smaller = (v[0] - v[1].hypot(v[2])).powi(2);
            assert!((x.smaller_product(&y) - smaller).abs() < 1e-12);
            // Determinants go down to 1e-2 here: two digits lost of sixteen, and a few operations.
            assert!(distance(&v, &first) < 1e-12 && distance(&v, &second) < 1e-12);
            assert!(distance(&times(&scaling.matrix(|e| e), &y.x), &x.x) < 1e-12);
            let inverse = times(&scaling.matrix(|e| 1.0 / e), &z);
            assert!(distance(&scaling.apply(|e| e, &inverse), &z) < 1e-9);
        }
    }

    /// A slipping contact a billionth from both boundaries: v has the determinant that the two points give, to full
    /// precision, which W times y in plain numbers does not have.
    #[test]
    fn near_the_boundary_the_image_keeps_its_digits() {
        let (c, s) = 0.7_f64.sin_cos();
        let (x, y) = (Point::new([c, s], 1e-12), Point::new([-2.0 * c, -2.0 * s], 3e-12));
        let v = Scaling::of(&x, &y).image(&x, &y);
        let expected = (2e-12 * 12e-12_f64).sqrt();
        let found = (v[0] - v[1].hypot(v[2])) * (v[0] + v[1].hypot(v[2]));
        assert!((found / expected - 1.0).abs() < 1e-10, "{found} {expected}");
    }

    #[test]
    fn a_quotient_undoes_the_product() {
        let mut rng = Pcg64::seed_from_u64(2);
        for _ in 0..1000 {
            let (x, z) = (inside(&mut rng), inside(&mut rng));
            let back = quotient(&x.x, x.determinant(), &product(&x.x, &z.x));
            assert!(distance(&back, &z.x) < 1e-11);
        }
    }

    #[test]
    fn the_longest_step_ends_on_the_boundary() {
        let mut rng = Pcg64::seed_from_u64(3);
        let mut endless = 0;
        for _ in 0..1000 {
            let x = inside(&mut rng);
            let d: Vector = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
            let step = x.longest_step(&d);
            if step == f64::INFINITY {
                endless += 1;
                assert!(d[0] >= d[1].hypot(d[2]) && x.moved(1e6, &d).is_some());
                continue;
            }
            assert!(x.moved(0.999 * step, &d).is_some() && x.moved(1.001 * step, &d).is_none());
            let moved = x.moved(0.5 * step, &d).unwrap();
            let plain: Vector = std::array::from_fn(|k| x.x[k] + 0.5 * step * d[k]);
            assert!(distance(&moved.x, &plain) < 1e-13 * step.max(1.0));
        }
        assert!(endless > 50);
    }
}
