//! Who is at rest (§6.5): the sleepy policy on kinetic energy per mass, the one measure that has no scale of its own.
//!
//! A body is *sleepy* if over the last n steps
//! - absolute test: its energy per mass stayed below a threshold;
//! - relative test: it did not rise on the whole (printed as "non-decreasing"; the argument needs non-increasing);
//! - rate test, the dissertation's open problem: it did not change faster than some rate. At the turning point of a
//!   see-saw the energy is small, but with an acceleration a it passes through `½ a² t²`, so over n steps of h it
//!   varies by `a² (n h)²/8` or more, and divided by `n h` that is a rate which a body at rest does not have.
//!
//! Who of the sleepy ones is put *asleep*, left out of the simulation, is decided by group, and so by the caller.

/// When a body is sleepy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepRule {
    /// Kinetic energy per mass below which a body may be at rest, J/kg.
    pub energy: f64,
    /// For how many steps in succession, 1 or more.
    pub steps: usize,
    /// By how much the energy may have risen over these steps, as a part of the threshold: zero in the dissertation, but
    /// then rounding decides.
    pub slack: f64,
    /// The fastest change of the energy over these steps that is still rest, W/kg; infinite for the published rule.
    pub rate: f64,
}

impl Default for SleepRule {
    fn default() -> Self {
        Self {
            energy: 1e-3,
            steps: 5,
            slack: 1e-3,
            rate: 1e-3,
        }
    }
}

impl SleepRule {
    /// The slowest constant acceleration at a turning point that the rate test sees with steps of h seconds, m/s².
    #[must_use]
    pub fn detectable_acceleration(&self, h: f64) -> f64 {
        (8.0 * self.rate / (self.steps as f64 * h)).sqrt()
    }
}

/// The energies of all bodies over the last steps, who is sleepy, and who is asleep.
#[derive(Debug, Default)]
pub struct Sleepers {
    steps: usize,
    /// The last `steps` energies of each body, a ring a body.
    energies: Vec<f64>,
    bodies: Vec<Sleeper>,
    asleep: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sleeper {
    /// Steps seen since it last moved too fast, or was woken.
    seen: usize,
    /// Where the next energy goes.
    next: usize,
    sleepy: bool,
    asleep: bool,
}

/// By hand, so that a copy into old memory allocates nothing.
impl Clone for Sleepers {
    fn clone(&self) -> Self {
        Self {
            steps: self.steps,
            energies: self.energies.clone(),
            bodies: self.bodies.clone(),
            asleep: self.asleep,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.steps = source.steps;
        self.energies.clone_from(&source.energies);
        self.bodies.clone_from(&source.bodies);
        self.asleep = source.asleep;
    }
}

impl Sleepers {
    /// Makes room for a number of bodies, and for the memory a rule needs. New bodies are awake; with another number of
    /// steps everything but who is asleep is forgotten.
    pub fn resize(&mut self, bodies: usize, rule: &SleepRule) {
        if self.steps != rule.steps {
            self.steps = rule.steps.max(1);
            self.energies.clear();
            for body in &mut self.bodies {
                *body = Sleeper {
                    sleepy: body.asleep,
                    asleep: body.asleep,
                    ..Sleeper::default()
                };
            }
        }
        if self.bodies.len() > bodies {
            self.asleep -= self.bodies[bodies..].iter().filter(|body| body.asleep).count();
        }
        self.bodies.resize(bodies, Sleeper::default());
        self.energies.resize(bodies * self.steps, 0.0);
    }

    /// Keeps the memory of some bodies and numbers them anew in their order.
    pub fn renumber(&mut self, mut keep: impl FnMut(u32) -> bool) {
        let mut to = 0;
        for from in 0..self.bodies.len() {
            if keep(from as u32) {
                self.bodies[to] = self.bodies[from];
                let start = from * self.steps;
                self.energies.copy_within(start..start + self.steps, to * self.steps);
                to += 1;
            }
        }
        self.bodies.truncate(to);
        self.energies.truncate(to * self.steps);
        self.asleep = self.bodies.iter().filter(|body| body.asleep).count();
    }

    /// Notes the energy per mass of a body after a step of h seconds and returns whether it is sleepy.
    pub fn observe(&mut self, rule: &SleepRule, body: u32, energy: f64, h: f64) -> bool {
        let steps = self.steps;
        let ring = &mut self.energies[body as usize * steps..][..steps];
        let body = &mut self.bodies[body as usize];
        ring[body.next] = energy;
        body.next = (body.next + 1) % steps;
        // False also where the energy is not a number.
        let is_quiet = energy < rule.energy;
        if !is_quiet {
            body.seen = 0;
            body.sleepy = false;
            return false;
        }
        body.seen = (body.seen + 1).min(steps);
        // The ring is full, so the oldest energy is where the next one will go.
        let risen = energy - ring[body.next];
        let (low, high) = ring.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &energy| {
            (low.min(energy), high.max(energy))
        });
        let duration = steps as f64 * h;
        body.sleepy = body.seen == steps && risen <= rule.slack * rule.energy && high - low <= rule.rate * duration;
        body.sleepy
    }

    /// Whether a body is sleepy; not if it isn't there.
    #[must_use]
    pub fn is_sleepy(&self, body: u32) -> bool {
        self.bodies.get(body as usize).is_some_and(|body| body.sleepy)
    }

    /// Whether a body is asleep; not if it isn't there.
    #[must_use]
    pub fn is_asleep(&self, body: u32) -> bool {
        self.bodies.get(body as usize).is_some_and(|body| body.asleep)
    }

    /// How many are asleep.
    #[must_use]
    pub fn asleep(&self) -> usize {
        self.asleep
    }

    /// Puts a body asleep; false if it was. If it was not sleepy, it counts as having been at rest.
    pub fn put_asleep(&mut self, body: u32) -> bool {
        let ring = &mut self.energies[body as usize * self.steps..][..self.steps];
        let body = &mut self.bodies[body as usize];
        if !body.sleepy {
            ring.fill(0.0);
            body.seen = self.steps;
        }
        let changed = !body.asleep;
        body.asleep = true;
        body.sleepy = true;
        self.asleep += usize::from(changed);
        changed
    }

    /// Says that a body is not at rest, whatever its energy; who is asleep stays so. Nothing if it isn't there.
    pub fn rouse(&mut self, body: u32) {
        if let Some(body) = self.bodies.get_mut(body as usize).filter(|body| !body.asleep) {
            body.sleepy = false;
            body.seen = 0;
        }
    }

    /// Wakes a body, which then has to be at rest for all steps before it is sleepy again; false if it was awake.
    pub fn wake(&mut self, body: u32) -> bool {
        let body = &mut self.bodies[body as usize];
        let changed = body.asleep;
        body.asleep = false;
        body.sleepy = false;
        body.seen = 0;
        self.asleep -= usize::from(changed);
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f64 = 0.01;

    fn observed(rule: &SleepRule, energies: impl IntoIterator<Item = f64>) -> Vec<bool> {
        let mut sleepers = Sleepers::default();
        sleepers.resize(1, rule);
        energies
            .into_iter()
            .map(|energy| sleepers.observe(rule, 0, energy, H))
            .collect()
    }

    #[test]
    fn a_body_is_sleepy_after_n_quiet_steps_and_awake_at_once() {
        let rule = SleepRule {
            energy: 1.0,
            steps: 3,
            slack: 0.0,
            rate: f64::INFINITY,
        };
        let found = observed(&rule, [2.0, 0.5, 0.5, 0.5, 0.4, 1.0, 0.1, 0.1, 0.1, f64::NAN, 0.1]);
        let expected = [false, false, false, true, true, false, false, false, true, false, false];
        assert_eq!(found, expected);
    }

    /// Quiet, but speeding up: the relative test.
    #[test]
    fn a_body_whose_energy_rises_is_not_sleepy() {
        let rule = SleepRule {
            energy: 1.0,
            steps: 3,
            slack: 0.0,
            rate: f64::INFINITY,
        };
        assert_eq!(observed(&rule, [0.1, 0.2, 0.3, 0.4]), [false; 4]);
        // On the whole it fell.
        assert_eq!(observed(&rule, [0.3, 0.4, 0.2]), [false, false, true]);
        let loose = SleepRule { slack: 0.2, ..rule };
        assert_eq!(observed(&loose, [0.1, 0.2, 0.3, 0.4]), [false, false, true, true]);
    }

    /// `½ a² t²` through t = 0. The published rule sleeps on the way to the turning point; the rate test does not as long
    /// as the acceleration is above what it says it can detect.
    #[test]
    fn the_turning_point_of_a_see_saw_is_not_rest() {
        let published = SleepRule {
            energy: 0.05,
            steps: 5,
            slack: 0.0,
            rate: f64::INFINITY,
        };
        let rule = SleepRule {
            rate: 1e-4,
            ..published
        };
        let turning = |a: f64| (-50..50).map(move |k| 0.5 * (a * f64::from(k) * H).powi(2));
        let limit = rule.detectable_acceleration(H);
        assert!(observed(&published, turning(2.0 * limit)).contains(&true));
        // A window of n samples spans n − 1 steps, and a middle sample may miss the turning point by half a step.
        let margin = 5.0 / 3.0;
        assert!(!observed(&rule, turning(margin * limit)).contains(&true));
        assert!(observed(&rule, turning(0.3 * limit)).contains(&true));
    }

    #[test]
    fn memory_follows_its_bodies() {
        let rule = SleepRule {
            energy: 1.0,
            steps: 2,
            slack: 0.0,
            rate: f64::INFINITY,
        };
        let mut sleepers = Sleepers::default();
        sleepers.resize(3, &rule);
        for (body, energy) in [(0, 5.0), (1, 0.5), (2, 0.1)] {
            sleepers.observe(&rule, body, energy, H);
        }
        sleepers.put_asleep(2);
        sleepers.renumber(|body| body != 0);
        assert!(sleepers.is_asleep(1) && !sleepers.is_asleep(0) && sleepers.asleep() == 1);
        sleepers.resize(4, &rule);
        assert!(sleepers.observe(&rule, 0, 0.4, H), "its second quiet step");
        assert!(!sleepers.observe(&rule, 2, 0.4, H), "a new body's first");
        assert!(
            sleepers.observe(&rule, 1, 0.0, H),
            "put asleep, it stays at rest until something moves it"
        );
        assert!(sleepers.wake(1) && !sleepers.wake(1) && sleepers.asleep() == 0);
        assert!(!sleepers.observe(&rule, 1, 0.0, H), "woken bodies begin anew");
        sleepers.put_asleep(3);
        sleepers.resize(2, &rule);
        assert_eq!(sleepers.asleep(), 0);
        assert!(!sleepers.is_asleep(3) && !sleepers.is_sleepy(3));
    }
}
