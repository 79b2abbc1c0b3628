//! One contact, solved by hand.
//!
//! There are three ways out: it parts (λ = 0), it sticks (w = 0), or it slips along a unit vector d with full friction
//! against it, `λ = λ_n (1, −μ d)`. Slipping leaves one unknown: in the plane a sign, in space an angle. For every d the
//! normal's law gives λ_n,
//!
//! ```text
//! Coulomb      w_n = 0
//! relaxation   w_n = μ w_t·d
//! ```
//!
//! and d is right where w_t is parallel to it: a root of `w_t × d` in the angle, found by a scan and bisection. With
//! tangents alike and not coupled to the normal, λ_t is the nearest point to `−b_t/a_t` of the disc, polygon or box, which
//! answers for the pyramid and the box.

use std::f64::consts::TAU;

use nalgebra::{DMatrix, DVector, Vector2};

use crate::cone::Cone;
use crate::conformance::Law;
use crate::delassus::BlockMatrix;
use crate::error::SolveError;
use crate::problem::Problem;

/// Intervals of the scan for slip directions.
const SCAN: usize = 720;

/// A contact with the matrix A of its two or three rows, b, and μ.
#[derive(Debug, Clone)]
pub struct OneContact {
    /// A.
    pub matrix: DMatrix<f64>,
    /// b.
    pub bias: Vec<f64>,
    /// μ.
    pub coefficient: f64,
}

impl OneContact {
    /// As a solver gets it.
    pub fn problem(&self) -> Result<Problem, SolveError> {
        let matrix = BlockMatrix::from_dense(&self.matrix, &[self.bias.len()])?;
        let cone = Cone::Friction {
            coefficient: self.coefficient,
        };
        Problem::from_matrix(matrix, self.bias.clone(), &[cone])
    }

    /// The impulses, if the law has exactly one solution and this module knows it.
    pub fn solution(&self, law: &Law) -> Option<Vec<f64>> {
        let n = self.bias.len();
        let (normal, mu) = (self.bias[0], self.coefficient);
        if mu == 0.0 {
            let mut impulses = vec![0.0; n];
            impulses[0] = (-normal / self.matrix[(0, 0)]).max(0.0);
            return Some(impulses);
        }
        let mut found = Vec::new();
        let slip = self.bias[1..].iter().map(|w| w * w).sum::<f64>().sqrt();
        if normal > if *law == Law::Relaxed { mu * slip } else { 0.0 } {
            found.push(vec![0.0; n]);
        }
        let stuck = self.stuck()?;
        if stuck[0] > 0.0 && distance_from(law, mu * stuck[0], &stuck[1..]) == 0.0 {
            found.push(stuck);
        }
        match (law, n) {
            (Law::Coulomb | Law::Relaxed, 3) => found.extend(self.slips_in_space(law)),
            (_, 2) => {
                // In the plane all laws but the relaxed one are Coulomb's, the inner box with less friction.
                let share = if let Law::Box { share } = law { *share } else { 1.0 };
                let with = [1.0, -1.0].map(|d| self.slipping(law, share * mu, &[d]));
                found.extend(with.into_iter().filter_map(|(impulses, along, _)| {
                    let slips = impulses[0] > 0.0 && along > 0.0;
                    slips.then_some(impulses)
                }));
            }
            _ => found.extend(self.slip_of_alike_tangents(law)?),
        }
        match found.len() {
            1 => found.pop(),
            _ => None,
        }
    }

    fn stuck(&self) -> Option<Vec<f64>> {
        let solved = self
            .matrix
            .clone()
            .lu()
            .solve(&-DVector::from_column_slice(&self.bias))?;
        Some(solved.as_slice().to_vec())
    }

    /// The impulses of full friction against the direction d, the velocity along it, and that across it.
    fn slipping(&self, law: &Law, mu: f64, d: &[f64]) -> (Vec<f64>, f64, f64) {
        let ray = DVector::from_iterator(
            d.len() + 1,
            std::iter::once(1.0).chain(d.iter().map(|component| -mu * component)),
        );
        let per_impulse = &self.matrix * &ray;
        let bias = DVector::from_column_slice(&self.bias);
        // Which combination of velocities vanishes: w_n, or w_n − μ w_t·d, which is the ray itself.
        let (rate, offset) = match law {
            Law::Relaxed => (ray.dot(&per_impulse), ray.dot(&bias)),
            _ => (per_impulse[0], bias[0]),
        };
        let normal = -offset / rate;
        let w = bias + per_impulse * normal;
        let along = d.iter().zip(w.iter().skip(1)).map(|(d, w)| d * w).sum();
        let across = if d.len() == 2 { w[1] * d[1] - w[2] * d[0] } else { 0.0 };
        ((ray * normal).as_slice().to_vec(), along, across)
    }

    fn slips_in_space(&self, law: &Law) -> Vec<Vec<f64>> {
        let at = |angle: f64| self.slipping(law, self.coefficient, &[angle.cos(), angle.sin()]);
        let step = TAU / SCAN as f64;
        let mut found = Vec::new();
        for k in 0..SCAN {
            // Off the axes, where roots of symmetric problems lie.
            let (mut low, mut high) = ((k as f64 + 0.123) * step, (k as f64 + 1.123) * step);
            let sign = at(low).2.signum();
            if at(high).2.signum() == sign {
                continue;
            }
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if at(middle).2.signum() == sign {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let (impulses, along, _) = at(0.5 * (low + high));
            if impulses[0] > 0.0 && along > 0.0 {
                found.push(impulses);
            }
        }
        found
    }

    fn slip_of_alike_tangents(&self, law: &Law) -> Option<Option<Vec<f64>>> {
        let a = &self.matrix;
        let coupling = a[(0, 1)].abs() + a[(0, 2)].abs() + a[(1, 2)].abs();
        if coupling != 0.0 || a[(1, 1)] != a[(2, 2)] {
            return None;
        }
        let normal = -self.bias[0] / a[(0, 0)];
        if normal <= 0.0 {
            return Some(None);
        }
        let target = Vector2::new(-self.bias[1], -self.bias[2]) / a[(1, 1)];
        let nearest = nearest(law, self.coefficient * normal, target);
        // Sticking is found elsewhere.
        Some((nearest != target).then(|| vec![normal, nearest.x, nearest.y]))
    }
}

/// How far tangents are from the set that the law gives them.
fn distance_from(law: &Law, radius: f64, tangents: &[f64]) -> f64 {
    match *tangents {
        [x, y] => (nearest(law, radius, Vector2::new(x, y)) - Vector2::new(x, y)).norm(),
        [t] => {
            let share = if let Law::Box { share } = law { *share } else { 1.0 };
            (t.abs() - share * radius).max(0.0)
        }
        _ => f64::NAN,
    }
}

/// The nearest point of the disc, polygon or box.
fn nearest(law: &Law, radius: f64, target: Vector2<f64>) -> Vector2<f64> {
    match *law {
        Law::Box { share } => target.map(|x| x.clamp(-share * radius, share * radius)),
        Law::Pyramid { facets } => nearest_of_polygon(facets, radius, target),
        _ if target.norm() <= radius => target,
        _ => target * (radius / target.norm()),
    }
}

fn nearest_of_polygon(facets: usize, radius: f64, target: Vector2<f64>) -> Vector2<f64> {
    let corner = |j: usize| {
        let (sin, cos) = (TAU * j as f64 / facets as f64).sin_cos();
        radius * Vector2::new(cos, sin)
    };
    let mut best = target;
    let mut outside = false;
    let mut least = f64::INFINITY;
    for j in 0..facets {
        let (from, to) = (corner(j), corner(j + 1));
        let edge = to - from;
        outside |= edge.perp(&(target - from)) < 0.0;
        let along = (edge.dot(&(target - from)) / edge.norm_squared()).clamp(0.0, 1.0);
        let point = from + along * edge;
        let distance = (point - target).norm();
        if distance < least {
            (least, best) = (distance, point);
        }
    }
    if outside { best } else { target }
}
