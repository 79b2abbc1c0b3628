//! How proximal-point methods, this family's and the convex one, move on: how strongly the next problem is pulled, and towards what.

/// The factor on τ after a solved problem, at its boldest and just after one that was not solved.
const BOLD: f64 = 0.1;
const TIMID: f64 = 0.7;
/// The factor on τ after a problem that was not solved.
const RETREAT: f64 = 3.0;
/// τ then stays above this multiple of what was too weak,
const MARGIN: f64 = 2.0;
/// a bound that is forgotten at this rate: without it every third problem would be one that is too hard.
const FORGET: f64 = 0.9;

/// τ: weaker while problems get solved, stronger when they do not.
#[derive(Debug)]
pub(crate) struct Pace {
    /// τ of the next problem.
    pub(crate) strength: f64,
    weakest: f64,
    factor: f64,
    bound: f64,
}

impl Pace {
    pub(crate) fn new(strength: f64, weakest: f64) -> Self {
        Self {
            strength,
            weakest,
            factor: BOLD,
            bound: 0.0,
        }
    }

    /// The problem with this τ was solved.
    pub(crate) fn solved(&mut self) {
        let least = self.bound.min(self.strength).max(self.weakest);
        self.strength = (self.strength * self.factor).max(least);
        self.bound *= FORGET;
        self.factor = (self.factor * TIMID).max(BOLD);
    }

    /// It was not.
    pub(crate) fn failed(&mut self) {
        self.bound = MARGIN * self.strength;
        self.strength *= RETREAT;
        self.factor = TIMID;
    }
}

/// Centres ahead of the last solution: `λ̄ = λ + β (λ − λ of the step before)` with Nesterov's β (Güler 1992), from the
/// beginning again whenever the residual rises or a problem is not solved.
#[derive(Debug)]
pub(crate) struct Momentum {
    previous: Vec<f64>,
    t: f64,
    residual: f64,
    /// λ̄.
    pub(crate) centre: Vec<f64>,
}

impl Momentum {
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            previous: vec![0.0; rows],
            t: 1.0,
            residual: f64::INFINITY,
            centre: vec![0.0; rows],
        }
    }

    /// Sets the next centre, given impulses and their residual.
    pub(crate) fn advance(&mut self, impulses: &[f64], residual: f64) {
        if residual > self.residual {
            self.stop();
        }
        self.residual = residual;
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let beta = (self.t - 1.0) / next;
        self.t = next;
        for k in 0..impulses.len() {
            // Without momentum there may be no step before.
            let ahead = if beta > 0.0 {
                beta * (impulses[k] - self.previous[k])
            } else {
                0.0
            };
            self.centre[k] = impulses[k] + ahead;
        }
    }

    /// These impulses are left for new ones.
    pub(crate) fn leave(&mut self, impulses: &[f64]) {
        self.previous.copy_from_slice(impulses);
    }

    /// Loses all speed.
    pub(crate) fn stop(&mut self) {
        self.t = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The proximal-point method on ½ a λ² has λ ← λ̄ τ/(τ + a): with momentum it needs about the root of the steps.
    #[test]
    fn momentum_saves_most_of_the_steps() {
        let steps = |with: bool| {
            // A stiff and a soft mode, so that no single β is right by chance.
            let (modes, tau) = ([1.0, 1e-3], 0.1);
            let mut impulses = vec![1.0, 1.0];
            let mut momentum = Momentum::new(2);
            let mut count = 0;
            loop {
                let residual = (0..2)
                    .map(|k| modes[k] * impulses[k])
                    .map(|w| w * w)
                    .sum::<f64>()
                    .sqrt();
                if residual < 1e-7 {
                    return count;
                }
                count += 1;
                momentum.advance(&impulses, residual);
                if !with {
                    momentum.centre.copy_from_slice(&impulses);
                }
                momentum.leave(&impulses);
                for k in 0..2 {
                    impulses[k] = momentum.centre[k] * tau / (tau + modes[k]);
                }
            }
        };
        let (plain, fast) = (steps(false), steps(true));
        assert!(plain > 800 && fast < 200, "{plain} {fast}");
    }

    #[test]
    fn a_strength_that_was_too_weak_is_avoided_for_a_while() {
        let mut pace = Pace::new(0.1, 1e-9);
        pace.solved();
        assert!((pace.strength - 0.01).abs() < 1e-15);
        pace.failed();
        assert!((pace.strength - 0.03).abs() < 1e-15);
        let mut solved = 0;
        while pace.strength > 0.01 {
            pace.solved();
            solved += 1;
        }
        assert!((6..15).contains(&solved), "{solved}");
        (0..1000).for_each(|_| pace.solved());
        assert_eq!(pace.strength, 1e-9);
    }
}
