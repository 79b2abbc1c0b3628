//! A world, a method, and the steps they take together.

use drystone_solver::Measure;

use crate::attendance::with_threads_at_hand;
use crate::body::Body;
use crate::error::StepError;
use crate::event::Event;
use crate::method::Method;
use crate::pipeline::Pipeline;
use crate::report::StepReport;
use crate::world::World;

/// With fewer contacts than this, no other thread is worth keeping at hand.
const WORTH_THREADS: usize = 512;

/// More threads at hand than this would be in each other's way where they look for work; others are woken when there is some.
const MOST_AT_HAND: usize = 7;

/// A running simulation.
///
/// ```
/// use drystone_collision::{Shape, Sphere};
/// use drystone_dynamics::{Body, Method, Simulation, World};
///
/// let mut world = World::new();
/// world.add(Body::dynamic("ball", Shape::Sphere(Sphere { radius: 0.5 }), 10.0)?)?;
/// let mut simulation = Simulation::new(world, Method::parse("pgs:iterations=20")?, 0.01)?;
/// simulation.step()?;
/// // Semi-implicit: the new velocity, -g h, moves the ball.
/// let ball = &simulation.world().bodies()[0];
/// assert!((ball.pose.translation.z + 9.81 * 0.01 * 0.01).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Simulation {
    pipeline: Pipeline,
    method: Method,
    dt: f64,
}

impl Simulation {
    /// Prepares a world to be advanced by a method in steps of `dt` seconds.
    pub fn new(world: World, method: Method, dt: f64) -> Result<Self, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::InvalidTimeStep { dt });
        }
        Ok(Self {
            pipeline: Pipeline::new(world),
            method,
            dt,
        })
    }

    /// Takes one step. After an error the world is as far as it got; it can be looked at, not continued.
    pub fn step(&mut self) -> Result<&StepReport, StepError> {
        // Threads meet many times in a step, and each time would be a wait for one of them to wake up.
        let contacts = self.pipeline.report().contacts;
        let most = MOST_AT_HAND.min(rayon::current_num_threads() - 1);
        let others = (contacts / WORTH_THREADS).min(most);
        if others == 0 {
            self.take_step()?;
        } else {
            with_threads_at_hand(others, || self.take_step())?;
        }
        Ok(self.pipeline.report())
    }

    fn take_step(&mut self) -> Result<(), StepError> {
        self.pipeline.begin_step()?;
        self.method
            .stepper
            .step(&mut self.pipeline, self.method.solver.as_ref(), self.dt)?;
        self.pipeline.end_step(self.dt)
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        self.pipeline.world()
    }

    /// The world, to change it between steps: states and forces, bodies and joints. Whoever sleeps and is touched by a
    /// change wakes by itself. Another world altogether needs a simulation of its own: memory goes by ids, which may be the
    /// same there.
    pub fn world_mut(&mut self) -> &mut World {
        self.pipeline.world_mut()
    }

    /// The time step, s.
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// How much solvers measure from now on. Nothing by default.
    pub fn set_measure(&mut self, measure: Measure) {
        self.pipeline.measure = measure;
    }

    /// Keeps, from now on, the impulses that every solve begins with, for [`Pipeline::starts`].
    pub fn keep_starts(&mut self) {
        self.pipeline.keep_starts = true;
    }

    /// What is touching whom, and the impulses of the last step.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// What happened in the last step.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.pipeline.events()
    }

    /// Wakes a body, and with the next step, which tells of it, its group.
    pub fn wake(&mut self, body: usize) {
        self.pipeline.wake_by_hand(body as u32);
    }

    /// Puts a dynamic body asleep where it is; nothing if it is not dynamic. Its group wakes it with the next step unless
    /// all of it is asleep.
    pub fn put_asleep(&mut self, body: usize) {
        if self.world().bodies().get(body).is_some_and(Body::is_dynamic) {
            self.pipeline.put_asleep_by_hand(body as u32);
        }
    }

    /// The report of the last step.
    pub fn report(&self) -> &StepReport {
        self.pipeline.report()
    }
}
