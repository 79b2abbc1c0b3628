//! Drystone as one of the engines.

use drystone::dynamics::{Body, Method, Simulation};

use super::measure::{BodyState, Engine, Split};
use super::scenes::Setting;

impl Engine for Simulation {
    fn step(&mut self) -> Result<Split, String> {
        let timings = Self::step(self).map_err(|error| error.to_string())?.timings;
        // Groups that are solved side by side report the sum of their times; on one thread that is the time that passed.
        Ok(Split {
            collision: timings.collision,
            solve: timings.step.saturating_sub(timings.collision),
        })
    }

    fn states(&self) -> Vec<BodyState> {
        self.world().bodies().iter().map(state).collect()
    }

    fn contacts(&self) -> usize {
        self.report().contacts
    }
}

fn state(body: &Body) -> BodyState {
    BodyState {
        pose: body.pose,
        linear_velocity: body.linear_velocity,
        angular_velocity: body.angular_velocity,
    }
}

/// A simulation of a scene by the method of a spec.
pub fn simulation(setting: Setting, method: &str) -> Result<Simulation, String> {
    let method = Method::parse(method).map_err(|error| error.to_string())?;
    Simulation::new(setting.world, method, setting.dt).map_err(|error| error.to_string())
}
