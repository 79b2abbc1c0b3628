//! A contact on the path: a second-order cone with Nesterov and Todd's scaling, and De Saxcé's velocity for Coulomb's law.

use super::lorentz::{self, Point, Scaling, Vector};

/// A contact in the coordinates `(μ λ_n, λ_t)` and `(y_n/μ, y_t)`, in which its cone and the dual one are the same.
#[derive(Debug, Clone)]
pub(super) struct Contact {
    friction: f64,
    /// Whether y is De Saxcé's velocity.
    coulomb: bool,
    x: Point,
    y: Point,
    x_step: Vector,
    y_step: Vector,
    scaling: Scaling,
    /// `W⁻¹ (v \ target)`, with what the linear equation leaves out taken off: q + y.
    pull: Vector,
}

impl Contact {
    pub(super) fn new(friction: f64, coulomb: bool) -> Self {
        Self {
            friction,
            coulomb,
            x: Point::default(),
            y: Point::default(),
            x_step: [0.0; 3],
            y_step: [0.0; 3],
            scaling: Scaling::default(),
            pull: [0.0; 3],
        }
    }

    /// δ in the coordinates of the cone, where the normal counts 1/μ² times as much and the tangents once: between them.
    fn in_cone(&self, delta: f64) -> f64 {
        delta / self.friction.min(1.0)
    }

    /// Starts near an impulse and a velocity, inside by the given margins.
    pub(super) fn start(&mut self, impulse: &mut [f64], velocity: &[f64], margin: f64, velocity_margin: f64) {
        let side = |v: &[f64]| [v[1], v.get(2).copied().unwrap_or(0.0)];
        let ([x1, x2], [y1, y2]) = (side(impulse), side(velocity));
        let slip = y1.hypot(y2);
        let shift = if self.coulomb { self.friction * slip } else { 0.0 };
        let mu = self.friction;
        self.x = Point::new([x1, x2], (mu * impulse[0] - x1.hypot(x2)).max(0.0) + margin);
        self.y = Point::new([y1, y2], ((velocity[0] + shift) / mu - slip).max(0.0) + velocity_margin);
        self.write(impulse);
    }

    /// A point on the axes of both cones.
    pub(super) fn start_centred(&mut self, impulse: &mut [f64], size: f64, velocity_size: f64) {
        self.x = Point::new([0.0; 2], size);
        self.y = Point::new([0.0; 2], velocity_size);
        self.write(impulse);
    }

    fn write(&self, impulse: &mut [f64]) {
        impulse.copy_from_slice(&self.x.x[..impulse.len()]);
        impulse[0] /= self.friction;
    }

    /// The derivative of `μ‖y_t‖` by y_t. At zero slip it is taken as zero.
    fn slip_derivative(&self) -> [f64; 2] {
        let [_, y1, y2] = self.y.x;
        let slip = y1.hypot(y2);
        if self.coulomb && slip > 0.0 {
            [self.friction * y1 / slip, self.friction * y2 / slip]
        } else {
            [0.0; 2]
        }
    }

    /// r: by how much the velocities `w = Aλ + b` miss those of the barrier.
    fn mismatch(&self, velocity: &[f64]) -> Vector {
        let mut r = [0.0; 3];
        let [y0, y1, y2] = self.y.x;
        let y = [self.friction * y0, y1, y2];
        for (k, w) in velocity.iter().enumerate() {
            r[k] = w - y[k];
        }
        if self.coulomb {
            r[0] += self.friction * y1.hypot(y2);
        }
        r
    }

    /// Aims at a product of `target`, less what the last direction's linear equation left out.
    pub(super) fn aim(&mut self, target: f64, corrected: bool) {
        let mut rest = [target, 0.0, 0.0];
        if corrected {
            let x = self.scaling.apply(|e| 1.0 / e.sqrt(), &self.x_step);
            let y = self.scaling.apply(f64::sqrt, &self.y_step);
            let product = lorentz::product(&x, &y);
            (0..3).for_each(|k| rest[k] -= product[k]);
        }
        let v = self.scaling.image(&self.x, &self.y);
        self.pull = self.scaling.apply(
            |e| 1.0 / e.sqrt(),
            &lorentz::quotient(&v, Scaling::image_determinant(&self.x, &self.y), &rest),
        );
    }

    pub(super) fn follow(&mut self, step: &[f64]) {
        let mut x_step = [0.0; 3];
        x_step[..step.len()].copy_from_slice(step);
        x_step[0] *= self.friction;
        self.x_step = x_step;
        let stiff = self.scaling.apply(|e| 1.0 / e, &x_step);
        self.y_step = std::array::from_fn(|k| self.pull[k] - self.y.x[k] - stiff[k]);
    }

    /// Writes `(D + δ)^½` and `(D + δ)^−½ N`: a slipping contact's D can't be inverted by elimination, its root can.
    pub(super) fn matrices(&mut self, delta: f64, n: usize, c: &mut [f64], e: &mut [f64]) {
        self.scaling = Scaling::of(&self.x, &self.y);
        let (delta, mu) = (self.in_cone(delta), self.friction);
        let stiffness = self.scaling.matrix(|e| (1.0 / e + delta).sqrt());
        let softness = self.scaling.matrix(|e| 1.0 / (1.0 / e + delta).sqrt());
        let slip = self.slip_derivative();
        for i in 0..n {
            (c[n * i], e[n * i]) = (stiffness[i][0] * mu, softness[i][0] / mu);
            for j in 1..n {
                c[n * i + j] = stiffness[i][j];
                e[n * i + j] = softness[i][j] + softness[i][0] / mu * slip[j - 1];
            }
        }
    }

    /// Writes `(D + δ)^−½ (q − N r)`.
    pub(super) fn right_side(&self, delta: f64, velocity: &[f64], out: &mut [f64]) {
        let mut r = self.mismatch(velocity);
        let slip = self.slip_derivative();
        r[0] += slip[0] * r[1] + slip[1] * r[2];
        r[0] /= self.friction;
        let b = std::array::from_fn(|k| self.pull[k] - self.y.x[k] - r[k]);
        let delta = self.in_cone(delta);
        let b = self.scaling.apply(|e| 1.0 / (1.0 / e + delta).sqrt(), &b);
        out.copy_from_slice(&b[..out.len()]);
    }

    pub(super) fn longest_step(&self) -> f64 {
        self.x.longest_step(&self.x_step).min(self.y.longest_step(&self.y_step))
    }

    /// The smaller eigenvalue of the product after a part of the step, and x·y; zero where it leads outside, which at the
    /// very boundary is for rounding to say.
    pub(super) fn products(&self, length: f64) -> (f64, f64) {
        match (self.x.moved(length, &self.x_step), self.y.moved(length, &self.y_step)) {
            (Some(x), Some(y)) => (x.smaller_product(&y), x.dot(&y)),
            _ => (0.0, 0.0),
        }
    }

    pub(super) fn advance(&mut self, length: f64, impulse: &mut [f64]) {
        self.x = self.x.moved(length, &self.x_step).unwrap_or(self.x);
        self.y = self.y.moved(length, &self.y_step).unwrap_or(self.y);
        self.write(impulse);
    }
}
