//! What a sweep knows of bodies: the velocities `V = M⁻¹Jᵀλ` that the impulses give them, and their inverse masses.
//!
//! Threads that work on one colour write to different bodies, which the compiler can't know. The numbers are therefore
//! atomic, without any order among them: such reads and writes cost what plain ones do. Colours are kept apart by the
//! threads' meeting between them.

use std::sync::atomic::{AtomicU64, Ordering};

use pulp::Simd;

use super::lanes::{Lanes, Matrices, Vectors, WIDTH};
use crate::delassus::RigidBodies;

/// V and W of a body, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Velocity([AtomicU64; 6]);

impl Velocity {
    #[inline(always)]
    fn get(&self, k: usize) -> f64 {
        f64::from_bits(self.0[k].load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn set(&self, k: usize, value: f64) {
        self.0[k].store(value.to_bits(), Ordering::Relaxed);
    }
}

/// 1/m, and I⁻¹: xx, xy, xz, yy, yz, zz.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Inverse([f64; 7]);

/// The bodies of a problem, the immovable one first.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    velocities: Vec<Velocity>,
    inverses: Vec<Inverse>,
}

impl Bodies {
    /// Bytes that a body takes up.
    pub(super) const FOOTPRINT: usize = size_of::<Velocity>() + size_of::<Inverse>();
    /// Bytes that a sweep reads of a body for a pair.
    pub(super) const READ: usize = (6 + 7) * size_of::<f64>();
    /// Bytes that it writes.
    pub(super) const WRITTEN: usize = 6 * size_of::<f64>();

    /// Takes the bodies of a problem over, at rest.
    pub(super) fn fill(&mut self, bodies: &RigidBodies) {
        self.velocities.resize_with(bodies.body_count(), Velocity::default);
        self.rest();
        self.inverses.clear();
        self.inverses.extend(bodies.inverse_masses().iter().map(|inverse| {
            let i = inverse.inertia;
            Inverse([
                inverse.mass,
                i[(0, 0)],
                i[(0, 1)],
                i[(0, 2)],
                i[(1, 1)],
                i[(1, 2)],
                i[(2, 2)],
            ])
        }));
    }

    /// Brings all of them to rest.
    pub(super) fn rest(&mut self) {
        for velocity in &mut self.velocities {
            *velocity = Velocity::default();
        }
    }

    /// The velocities, six numbers a body.
    pub(super) fn velocities(&self) -> impl Iterator<Item = f64> {
        self.velocities.iter().flat_map(|v| (0..6).map(|k| v.get(k)))
    }
}

/// The bodies on one side of a packet.
pub(super) struct Side<S: Simd> {
    linear: Vectors<S>,
    angular: Vectors<S>,
    mass: Lanes<S>,
    inertia: Matrices<S>,
}

impl<S: Simd> Side<S> {
    /// Reads the bodies of the `part`-th stretch of lanes.
    #[inline(always)]
    pub(super) fn gather(simd: S, bodies: &Bodies, indices: &[u32; WIDTH], part: usize) -> Self {
        let body = |lane: usize| indices[part * Lanes::<S>::LEN + lane] as usize;
        let velocity = |k: usize| Lanes::from_fn(simd, |lane| bodies.velocities[body(lane)].get(k));
        let inverse = |k: usize| Lanes::from_fn(simd, |lane| bodies.inverses[body(lane)].0[k]);
        Self {
            linear: Vectors {
                x: velocity(0),
                y: velocity(1),
                z: velocity(2),
            },
            angular: Vectors {
                x: velocity(3),
                y: velocity(4),
                z: velocity(5),
            },
            mass: inverse(0),
            inertia: Matrices {
                xx: inverse(1),
                xy: inverse(2),
                xz: inverse(3),
                yy: inverse(4),
                yz: inverse(5),
                zz: inverse(6),
            },
        }
    }

    /// Writes their velocities.
    #[inline(always)]
    pub(super) fn scatter(&self, bodies: &Bodies, indices: &[u32; WIDTH], part: usize) {
        let Vectors { x, y, z } = self.linear;
        let linear = [x.to_array(), y.to_array(), z.to_array()];
        let Vectors { x, y, z } = self.angular;
        let angular = [x.to_array(), y.to_array(), z.to_array()];
        for lane in 0..Lanes::<S>::LEN {
            let index = indices[part * Lanes::<S>::LEN + lane];
            // All threads share the immovable one; what is written to it is zero.
            if index == RigidBodies::IMMOVABLE {
                continue;
            }
            let velocity = &bodies.velocities[index as usize];
            for k in 0..3 {
                velocity.set(k, linear[k][lane]);
                velocity.set(k + 3, angular[k][lane]);
            }
        }
    }

    /// The velocity at the end of an arm.
    #[inline(always)]
    pub(super) fn velocity_at(&self, arm: Vectors<S>) -> Vectors<S> {
        self.linear + self.angular.cross(arm)
    }

    /// Takes an impulse at the end of an arm.
    #[inline(always)]
    pub(super) fn pull(&mut self, arm: Vectors<S>, impulse: Vectors<S>) {
        self.linear += impulse * self.mass;
        self.angular += self.inertia.times(arm.cross(impulse));
    }

    /// Takes the opposite of an impulse.
    #[inline(always)]
    pub(super) fn push(&mut self, arm: Vectors<S>, impulse: Vectors<S>) {
        self.linear -= impulse * self.mass;
        self.angular -= self.inertia.times(arm.cross(impulse));
    }

    /// What a unit impulse along a direction at the end of an arm does to the velocity there along another.
    #[inline(always)]
    pub(super) fn response(&self, arm: Vectors<S>, along: Vectors<S>, other: Vectors<S>) -> Lanes<S> {
        let turned = self.inertia.times(arm.cross(along));
        self.mass * along.dot(other) + turned.dot(arm.cross(other))
    }
}
