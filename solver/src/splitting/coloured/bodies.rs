//! What a sweep knows of bodies: the velocities `V = M⁻¹Jᵀλ` that the impulses give them, and their inverse masses.
//!
//! A packet needs 13 numbers of each of sixteen bodies that lie anywhere. Taken one by one that is more work than the
//! contacts are, so each body is read and written as whole lines of eight numbers, and these are turned into lanes in
//! registers (`lanes::turn`).
//!
//! Threads that work on one colour write to different bodies, which the compiler can't know, and numbers that it took for
//! shared (atomics) it would move one by one. The velocities are therefore cells that threads share on their word, the one place
//! in this crate that asks for it.

use std::cell::UnsafeCell;

use pulp::Simd;

use super::lanes::{self, Lanes, Matrices, Quad, Vectors, WIDTH};
use crate::delassus::RigidBodies;

/// V, a zero, W, a zero.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Velocity(UnsafeCell<[Quad; 2]>);

// SAFETY: a velocity is read and written through `&self` by `Velocity::get` and `Velocity::set` alone, whose callers see to it
// that nobody does so while another thread writes.
#[expect(unsafe_code, reason = "threads write to different bodies of one list")]
unsafe impl Sync for Velocity {}

impl Velocity {
    /// # Safety
    ///
    /// No other thread writes it meanwhile.
    #[inline(always)]
    #[expect(unsafe_code, reason = "as the type says")]
    unsafe fn get(&self) -> [Quad; 2] {
        // SAFETY: nobody writes, and the copy is all that is left of the pointer.
        unsafe { *self.0.get() }
    }

    /// # Safety
    ///
    /// No other thread reads or writes it meanwhile.
    #[inline(always)]
    #[expect(unsafe_code, reason = "as the type says")]
    unsafe fn set(&self, value: [Quad; 2]) {
        // SAFETY: nobody else is there.
        unsafe { *self.0.get() = value }
    }
}

/// A body: two lines that lie side by side.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub(super) struct Body {
    velocity: Velocity,
    /// 1/m and I⁻¹: xx, xy, xz; yy, yz, zz, and a zero.
    inverse: [Quad; 2],
}

/// The bodies of a problem, the immovable one first.
#[derive(Debug, Default)]
pub(super) struct Bodies(Vec<Body>);

impl Bodies {
    /// Bytes that a body takes up.
    pub(super) const FOOTPRINT: usize = size_of::<Body>();
    /// Bytes that a sweep needs of a body for a pair.
    pub(super) const READ: usize = (6 + 7) * size_of::<f64>();
    /// Bytes that it changes.
    pub(super) const WRITTEN: usize = 6 * size_of::<f64>();

    /// Takes the bodies of a problem over, at rest.
    pub(super) fn fill(&mut self, bodies: &RigidBodies) {
        self.0.clear();
        self.0.extend(bodies.inverse_masses().iter().map(|inverse| {
            let i = inverse.inertia;
            Body {
                velocity: Velocity::default(),
                inverse: [
                    [inverse.mass, i[(0, 0)], i[(0, 1)], i[(0, 2)]],
                    [i[(1, 1)], i[(1, 2)], i[(2, 2)], 0.0],
                ],
            }
        }));
    }

    /// Where a body is.
    #[inline(always)]
    pub(super) fn get(&self, index: u32) -> &Body {
        &self.0[index as usize]
    }

    /// Brings all of them to rest.
    pub(super) fn rest(&mut self) {
        for body in &mut self.0 {
            body.velocity = Velocity::default();
        }
    }

    /// The velocities, six numbers a body.
    pub(super) fn velocities(&mut self) -> impl Iterator<Item = f64> {
        self.0.iter_mut().flat_map(|body| {
            let [linear, angular] = *body.velocity.0.get_mut();
            let [x, y, z, _] = linear;
            let [u, v, w, _] = angular;
            [x, y, z, u, v, w]
        })
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
    ///
    /// # Safety
    ///
    /// No other thread writes to these bodies meanwhile.
    #[inline(always)]
    #[expect(unsafe_code, reason = "threads write to different bodies of one list")]
    pub(super) unsafe fn gather(simd: S, bodies: &Bodies, indices: &[u32; WIDTH], part: usize) -> Self {
        let body = |lane: usize| &bodies.0[indices[part * Lanes::<S>::LEN + lane] as usize];
        // SAFETY: the caller's word.
        let velocity = |half: usize| lanes::turned(simd, |lane| unsafe { body(lane).velocity.get()[half] });
        let inverse = |half: usize| lanes::turned(simd, |lane| body(lane).inverse[half]);
        let ([vx, vy, vz, _], [wx, wy, wz, _]) = (velocity(0), velocity(1));
        let ([mass, xx, xy, xz], [yy, yz, zz, _]) = (inverse(0), inverse(1));
        Self {
            linear: Vectors { x: vx, y: vy, z: vz },
            angular: Vectors { x: wx, y: wy, z: wz },
            mass,
            inertia: Matrices { xx, xy, xz, yy, yz, zz },
        }
    }

    /// Writes their velocities.
    ///
    /// # Safety
    ///
    /// No other thread reads or writes these bodies meanwhile, but for the immovable one.
    #[inline(always)]
    #[expect(unsafe_code, reason = "threads write to different bodies of one list")]
    pub(super) unsafe fn scatter(&self, simd: S, bodies: &Bodies, indices: &[u32; WIDTH], part: usize) {
        let linear = lanes::turned_back(simd, self.linear);
        let angular = lanes::turned_back(simd, self.angular);
        for lane in 0..Lanes::<S>::LEN {
            let index = indices[part * Lanes::<S>::LEN + lane];
            // All threads share the immovable one, which stays at rest.
            if index != RigidBodies::IMMOVABLE {
                // SAFETY: the caller's word.
                unsafe { bodies.0[index as usize].velocity.set([linear[lane], angular[lane]]) };
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
