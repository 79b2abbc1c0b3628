//! A Coulomb contact in space that slips: the root of `h(α) = μ λ_n/‖λ_t‖ − 1`, see [`one_contact`](super).
//!
//! Written for speed: everything is inlined into the sweep, and on the way to the root there are two divisions and one
//! square root an evaluation. The last step of Newton's is not evaluated but carried over to λ_t by its slope.

/// The slip's equation, with names as in the text of the module above.
pub(super) struct Slip {
    mu: f64,
    /// D_nn, and D_nt.
    normal_row: [f64; 3],
    inverse_normal: f64,
    q_n: f64,
    /// S, row-major.
    s: [f64; 4],
    p: [f64; 2],
}

/// λ_t at an α, h there, and what both change by with α.
struct Point {
    tangents: [f64; 2],
    tangents_slope: [f64; 2],
    value: f64,
    slope: f64,
}

impl Slip {
    #[inline(always)]
    pub(super) fn new(mu: f64, d: &[f64; 9], q_n: f64, w: [f64; 3], x: [f64; 3]) -> Self {
        let inverse_normal = 1.0 / d[0];
        let row = |i: usize| {
            let ratio = d[3 * i] * inverse_normal;
            let q = w[i] - (d[3 * i] * x[0] + d[3 * i + 1] * x[1] + d[3 * i + 2] * x[2]);
            (
                d[3 * i + 1] - ratio * d[1],
                d[3 * i + 2] - ratio * d[2],
                q - ratio * q_n,
            )
        };
        let ((s0, s1, p0), (s2, s3, p1)) = (row(1), row(2));
        Self {
            mu,
            normal_row: [d[0], d[1], d[2]],
            inverse_normal,
            q_n,
            s: [s0, s1, s2, s3],
            p: [p0, p1],
        }
    }

    /// The α of the present impulse and velocity if they slip already, else that of a contact whose S is a multiple of
    /// the identity.
    #[inline(always)]
    pub(super) fn guess(&self, w: [f64; 3], x: [f64; 3]) -> f64 {
        let alpha = -(w[1] * x[1] + w[2] * x[2]) / (x[1] * x[1] + x[2] * x[2]);
        if alpha > 0.0 && alpha.is_finite() {
            return alpha;
        }
        let needed = (self.p[0] * self.p[0] + self.p[1] * self.p[1]).sqrt();
        let limit = -self.mu * self.q_n * self.inverse_normal;
        (needed / limit - 0.5 * (self.s[0] + self.s[3])).max(0.0)
    }

    #[inline(always)]
    fn at(&self, alpha: f64) -> Point {
        let [_, nt0, nt1] = self.normal_row;
        let (a, b, c, d) = (self.s[0] + alpha, self.s[1], self.s[2], self.s[3] + alpha);
        let inverse = 1.0 / (a * d - b * c);
        let solve = |x: f64, y: f64| [-(d * x - b * y) * inverse, -(a * y - c * x) * inverse];
        let tangents = solve(self.p[0], self.p[1]);
        let tangents_slope = solve(tangents[0], tangents[1]);
        let inverse_square = 1.0 / (tangents[0] * tangents[0] + tangents[1] * tangents[1]);
        let factor = self.mu * inverse_square.sqrt();
        let normal = -(self.q_n + nt0 * tangents[0] + nt1 * tangents[1]) * self.inverse_normal;
        let normal_slope = -(nt0 * tangents_slope[0] + nt1 * tangents_slope[1]) * self.inverse_normal;
        let growth = (tangents[0] * tangents_slope[0] + tangents[1] * tangents_slope[1]) * inverse_square;
        Point {
            tangents,
            tangents_slope,
            value: factor * normal - 1.0,
            slope: factor * (normal_slope - normal * growth),
        }
    }

    /// The impulse for α → 0 where S has no inverse: proximal steps `λ_t ← λ_t − (S + εI)⁻¹(S λ_t + p)`, of which four
    /// leave ε⁴.
    pub(super) fn limit(&self) -> [f64; 3] {
        let [s0, s1, s2, s3] = self.s;
        let epsilon = 1e-6 * (s0.abs() + s3.abs());
        let (a, d) = (s0 + epsilon, s3 + epsilon);
        let inverse = 1.0 / (a * d - s1 * s2);
        let [mut t0, mut t1] = [0.0; 2];
        for _ in 0..4 {
            let (u0, u1) = (s0 * t0 + s1 * t1 + self.p[0], s2 * t0 + s3 * t1 + self.p[1]);
            t0 -= (d * u0 - s1 * u1) * inverse;
            t1 -= (a * u1 - s2 * u0) * inverse;
        }
        let [_, nt0, nt1] = self.normal_row;
        [-(self.q_n + nt0 * t0 + nt1 * t1) * self.inverse_normal, t0, t1]
    }

    /// λ_t at the root of h, up to its length.
    #[inline(always)]
    pub(super) fn direction(&self, guess: f64) -> Option<[f64; 2]> {
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut alpha = guess;
        for _ in 0..100 {
            let point = self.at(alpha);
            let step = -point.value / point.slope;
            // So near to the root a step of Newton's has an error of the square of this, below rounding, and λ_t is
            // carried over to its end by its own slope.
            if point.value.abs() < 1e-9 && step.abs() <= 1e-8 * (alpha + self.s[0].abs() + self.s[3].abs()) {
                let [t, slope] = [point.tangents, point.tangents_slope];
                return Some([t[0] + step * slope[0], t[1] + step * slope[1]]);
            }
            if point.value < 0.0 {
                low = alpha;
            } else if point.value > 0.0 {
                high = alpha;
            } else if point.value.is_nan() {
                return None;
            }
            if high.is_finite() && high - low <= f64::EPSILON * high {
                // A change of sign without a zero is a pole: S has a negative eigenvalue.
                return (point.value.abs() < 1e-6).then_some(point.tangents);
            }
            let next = alpha + step;
            alpha = if next > low && next < high {
                next
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * low + self.s[0].abs() + self.s[3].abs()
            };
        }
        None
    }

    /// Given the direction of λ_t, u_n = 0 sets the size of the impulse, and the cone's edge holds to the last bit.
    #[inline(always)]
    pub(super) fn impulse(&self, [t0, t1]: [f64; 2]) -> Option<[f64; 3]> {
        let scale = self.mu / (t0 * t0 + t1 * t1).sqrt();
        let (along0, along1) = (scale * t0, scale * t1);
        let [nn, nt0, nt1] = self.normal_row;
        let denominator = nn + along0 * nt0 + along1 * nt1;
        let normal = -self.q_n / denominator;
        // Not so for infinite and undefined numbers either.
        (denominator > 0.0 && normal.is_finite()).then_some([normal, along0 * normal, along1 * normal])
    }
}
