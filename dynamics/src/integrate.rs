//! Free motion of one body: external forces on its velocity, its velocity on its pose.
//!
//! Newton–Euler, `m v' = f`, `I ω' = τ − ω × Iω` (dissertation (4.12); figure 4.27 prints the gyroscopic term with the
//! wrong sign). Velocities without contact: `u + h M⁻¹ f_ext`. Poses: (4.13) and the updates of §4.14.

use drystone_solver::choices;
use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};

use crate::body::{Body, OrientationUpdate};

choices! {
    /// How the gyroscopic term −ω × Iω enters a step.
    pub enum Gyroscopic {
        /// Implicit midpoint rule in the body frame: keeps energy and the length of the angular momentum.
        Midpoint = "midpoint",
        /// Explicit Euler, as in the dissertation: gains energy.
        Explicit = "explicit",
        /// Left out.
        Off = "off",
    }
}

/// Linear and angular velocity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Velocity {
    /// Of the centre of mass, m/s.
    pub linear: Vector3<f64>,
    /// World frame, rad/s.
    pub angular: Vector3<f64>,
}

impl Velocity {
    /// That of a body.
    pub fn of(body: &Body) -> Self {
        Self {
            linear: body.linear_velocity,
            angular: body.angular_velocity,
        }
    }

    /// From six numbers.
    #[inline]
    pub(crate) fn from_numbers(numbers: &[f64]) -> Self {
        Self {
            linear: Vector3::new(numbers[0], numbers[1], numbers[2]),
            angular: Vector3::new(numbers[3], numbers[4], numbers[5]),
        }
    }

    /// That of a point at the end of an arm from the centre.
    #[inline]
    pub(crate) fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(arm)
    }

    /// Adds a multiple of another.
    pub(crate) fn add_scaled(&mut self, factor: f64, other: &Self) {
        self.linear += factor * other.linear;
        self.angular += factor * other.angular;
    }
}

/// The velocity of a dynamic body after a time h without contacts, with a rate of damping besides its own.
pub(crate) fn free_velocity(
    body: &Body,
    gravity: &Vector3<f64>,
    damping: f64,
    gyroscopic: Gyroscopic,
    h: f64,
) -> Velocity {
    // Damping as an exact decay stays stable for every rate.
    let decay = |own: f64| match own + damping {
        0.0 => 1.0,
        rate => (-rate * h).exp(),
    };
    let spun = match gyroscopic {
        Gyroscopic::Off => body.angular_velocity,
        Gyroscopic::Explicit => {
            let inertia = body.world_inertia();
            let torque = -body.angular_velocity.cross(&(inertia * body.angular_velocity));
            body.angular_velocity + h * solve(&inertia, torque)
        }
        Gyroscopic::Midpoint => {
            let local = body.pose.rotation.inverse_transform_vector(&body.angular_velocity);
            body.pose.rotation * midpoint_spin(&body.inertia, local, h)
        }
    };
    let push = if body.torque == Vector3::zeros() {
        Vector3::zeros()
    } else {
        h * solve(&body.world_inertia(), body.torque)
    };
    Velocity {
        linear: decay(body.linear_damping) * body.linear_velocity + h * (gravity + body.force / body.mass),
        angular: decay(body.angular_damping) * spun + push,
    }
}

fn solve(inertia: &Matrix3<f64>, torque: Vector3<f64>) -> Vector3<f64> {
    // The world checks inertias when bodies are added; a singular one can only come from an overflow, which the check
    // for non-finite states reports.
    inertia
        .try_inverse()
        .map_or(Vector3::repeat(f64::NAN), |inverse| inverse * torque)
}

/// Euler's equations without torque over one step, in the body frame, by the implicit midpoint rule:
/// `I (ω⁺ − ω) + h ω_m × I ω_m = 0`, `ω_m = (ω + ω⁺)/2`. It keeps the quadratic invariants ω·Iω and ‖Iω‖² exactly, so a
/// top may spin for ever. Newton's method from ω; two or three iterations reach rounding at ordinary steps.
fn midpoint_spin(inertia: &Matrix3<f64>, start: Vector3<f64>, h: f64) -> Vector3<f64> {
    let torque = |w: &Vector3<f64>| w.cross(&(inertia * w));
    // Balls, cubes, and spin about a principal axis need no work.
    if torque(&start) == Vector3::zeros() {
        return start;
    }
    let mut middle = start;
    for _ in 0..8 {
        let residual = 2.0 * (inertia * (middle - start)) + h * torque(&middle);
        let momentum = inertia * middle;
        let jacobian = 2.0 * inertia + h * (middle.cross_matrix() * inertia - momentum.cross_matrix());
        let Some(inverse) = jacobian.try_inverse() else {
            break;
        };
        let correction = inverse * residual;
        middle -= correction;
        if correction.norm_squared() <= 1e-30 * middle.norm_squared() {
            break;
        }
    }
    2.0 * middle - start
}

/// The pose after moving with a velocity for a time h.
pub(crate) fn advance(pose: &Isometry3<f64>, velocity: &Velocity, update: OrientationUpdate, h: f64) -> Isometry3<f64> {
    let position = pose.translation.vector + h * velocity.linear;
    let omega = velocity.angular;
    let rotation = match update {
        OrientationUpdate::Infinitesimal => infinitesimal(&pose.rotation, omega, h),
        OrientationUpdate::Finite => finite(&pose.rotation, omega, h),
        OrientationUpdate::PartialFinite(axis) => {
            let axis = pose.rotation * axis;
            let about = axis.into_inner() * axis.dot(&omega);
            // Figure 4.29 halves h before the infinitesimal part; it needs the full step.
            infinitesimal(&finite(&pose.rotation, about, h), omega - about, h)
        }
    };
    Isometry3::from_parts(Translation3::from(position), rotation)
}

/// `q + h/2 ω q`, normalised.
fn infinitesimal(q: &UnitQuaternion<f64>, omega: Vector3<f64>, h: f64) -> UnitQuaternion<f64> {
    let rate = Quaternion::from_imag(0.5 * h * omega) * q.quaternion();
    UnitQuaternion::new_normalize(q.quaternion() + rate)
}

/// `exp(h ω) q = [cos θ, h/2 ω sinc θ] q`, θ = h|ω|/2.
fn finite(q: &UnitQuaternion<f64>, omega: Vector3<f64>, h: f64) -> UnitQuaternion<f64> {
    let half = 0.5 * h;
    let (cosine, sinc) = cosine_and_sinc(half * half * omega.norm_squared());
    let turn = Quaternion::from_parts(cosine, half * sinc * omega);
    unit_product(&turn, q.quaternion())
}

/// The product of two quaternions, made as long as one. Where both are so but for rounding, that takes neither root nor quotient: of
/// `1/√(1 + e) = 1 − e/2 + 3e²/8 − …` the term with e² is less than half a rounding. Lengths are those of the factors, which are
/// known while the product is still being made.
fn unit_product(a: &Quaternion<f64>, b: &Quaternion<f64>) -> UnitQuaternion<f64> {
    let excess = a.norm_squared() * b.norm_squared() - 1.0;
    if excess.abs() < 1e-8 {
        UnitQuaternion::new_unchecked(a * b * (1.0 - 0.5 * excess))
    } else {
        UnitQuaternion::new_normalize(a * b)
    }
}

/// cos θ and sin(θ)/θ, given θ². Below a tenth, which is a fifth of a radian in a step, by their series, of which the first term left
/// out is less than half a rounding.
fn cosine_and_sinc(square: f64) -> (f64, f64) {
    if square < 0.01 {
        // In pairs of terms, which don't wait for each other.
        let (x, x2) = (square, square * square);
        let cosine = {
            let far = (1.0 / 720.0 - x * (1.0 / 40_320.0)) + x2 * (1.0 / 3_628_800.0);
            1.0 - (x * (1.0 / 2.0 - x * (1.0 / 24.0)) + x2 * x * far)
        };
        let sinc = {
            let far = (1.0 / 120.0 - x * (1.0 / 5040.0)) + x2 * (1.0 / 362_880.0);
            1.0 - (x * (1.0 / 6.0) - x2 * far)
        };
        (cosine, sinc)
    } else {
        let angle = square.sqrt();
        (angle.cos(), angle.sin() / angle)
    }
}

/// The constant velocity that takes one pose to another in a time h.
pub(crate) fn velocity_between(from: &Isometry3<f64>, to: &Isometry3<f64>, h: f64) -> Velocity {
    Velocity {
        linear: (to.translation.vector - from.translation.vector) / h,
        angular: (to.rotation * from.rotation.inverse()).scaled_axis() / h,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use nalgebra::Unit;

    const INERTIA: Vector3<f64> = Vector3::new(1.0, 2.0, 3.5);

    #[test]
    fn the_midpoint_rule_keeps_both_invariants() {
        let inertia = Matrix3::from_diagonal(&INERTIA);
        let mut spin = Vector3::new(0.3, 5.0, -0.2);
        let invariants = |w: &Vector3<f64>| (w.dot(&(inertia * w)), (inertia * w).norm());
        let start = invariants(&spin);
        for _ in 0..10_000 {
            spin = midpoint_spin(&inertia, spin, 0.01);
        }
        // Newton stops at 1e-15 relative; ten thousand steps add that up at worst linearly.
        assert_relative_eq!(invariants(&spin).0, start.0, max_relative = 1e-11);
        assert_relative_eq!(invariants(&spin).1, start.1, max_relative = 1e-11);
    }

    #[test]
    fn the_midpoint_rule_is_of_second_order() {
        // Against a reference with a step a thousand times smaller.
        let inertia = Matrix3::from_diagonal(&INERTIA);
        let run = |n: usize| {
            (0..n).fold(Vector3::new(1.0, 2.0, 0.5), |w, _| {
                midpoint_spin(&inertia, w, 1.0 / n as f64)
            })
        };
        let exact = run(100_000);
        let (coarse, fine) = ((run(50) - exact).norm(), (run(100) - exact).norm());
        // Halving the step quarters the error.
        assert_relative_eq!(coarse / fine, 4.0, max_relative = 0.02);
    }

    /// Against the functions themselves, on both sides of where series take over.
    #[test]
    fn series_of_cosine_and_sine_are_right_to_rounding() {
        for k in 1..400 {
            let angle = f64::from(k) * 0.0005;
            let (cosine, sinc) = cosine_and_sinc(angle * angle);
            assert!((cosine - angle.cos()).abs() <= 2.0 * f64::EPSILON, "{angle}");
            assert!((sinc - angle.sin() / angle).abs() <= 2.0 * f64::EPSILON, "{angle}");
        }
        assert_eq!(cosine_and_sinc(0.0), (1.0, 1.0));
    }

    /// On both sides of where the root is spared.
    #[test]
    fn quaternions_are_normalised_to_rounding() {
        let q = Quaternion::new(0.1, -0.7, 0.5, 0.5);
        for excess in [0.0, 1e-16, -3e-15, 4.9e-9, -4.9e-9, 1e-3, -0.5] {
            let given = q * ((1.0 + excess) / q.norm());
            let turn = Quaternion::new(0.8, 0.0, 0.6, 0.0);
            let found = unit_product(&turn, &given);
            let expected = turn * given / (turn * given).norm();
            let apart = (found.coords - expected.coords).amax();
            assert!(apart <= 4.0 * f64::EPSILON, "{excess}: {apart}");
        }
        let nan = Quaternion::new(f64::NAN, 0.0, 0.0, 0.0);
        assert!(unit_product(&nan, &q).w.is_nan());
    }

    #[test]
    fn finite_rotation_is_exact_and_infinitesimal_is_of_first_order() {
        let omega = Vector3::new(0.3, -2.0, 1.0);
        let exact = UnitQuaternion::from_scaled_axis(omega);
        let error = |n: usize, update| {
            let velocity = Velocity {
                angular: omega,
                ..Velocity::default()
            };
            let end = (0..n).fold(Isometry3::identity(), |pose, _| {
                advance(&pose, &velocity, update, 1.0 / n as f64)
            });
            end.rotation.angle_to(&exact)
        };
        assert!(error(10, OrientationUpdate::Finite) < 1e-7);
        // A normalised Euler step turns by 2 atan(θ/2): an error of order h² over a fixed time.
        let ratio = error(50, OrientationUpdate::Infinitesimal) / error(100, OrientationUpdate::Infinitesimal);
        assert_relative_eq!(ratio, 4.0, max_relative = 0.02);
        // About its own axis the partial update is the finite one.
        let partial = OrientationUpdate::PartialFinite(Unit::new_normalize(omega));
        assert!(error(10, partial) < 1e-7);
    }

    #[test]
    fn a_velocity_between_poses_takes_one_to_the_other() {
        let from = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3));
        let to = Isometry3::new(Vector3::new(1.5, 2.0, 2.0), Vector3::new(-0.3, 0.2, 0.5));
        let there = advance(
            &from,
            &velocity_between(&from, &to, 0.02),
            OrientationUpdate::Finite,
            0.02,
        );
        assert_relative_eq!(there, to, epsilon = 1e-12);
    }
}
