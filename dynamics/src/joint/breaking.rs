//! Breakable joints (Gravitas §2.7.5.7): a joint goes when it carries too much, or is torn too far apart.
//!
//! Gravitas only measures the distance and derives a bound on it from that on the force; with impulses at hand the force
//! is simply `|F| = |Σ J_linᵀ λ|/h`, of all the joint's rows together, its limits and motors included.

/// What a joint breaks of; nothing, by default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Breaking {
    /// The largest force it carries, N.
    pub force: Option<f64>,
    /// The largest torque about its anchor, N·m.
    pub torque: Option<f64>,
    /// The largest distance between points that should coincide, m. Springs may have any length: they break of force.
    pub distance: Option<f64>,
}

/// Why a joint broke.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BreakCause {
    /// It had to carry this force, N.
    Force(f64),
    /// It had to carry this torque, N·m.
    Torque(f64),
    /// It was this far apart, m.
    Distance(f64),
}

impl Breaking {
    /// Whether it ever breaks.
    pub fn is_possible(&self) -> bool {
        *self != Self::default()
    }

    /// Whether it breaks of these.
    pub(crate) fn cause(&self, force: f64, torque: f64, distance: f64) -> Option<BreakCause> {
        let over = |bound: Option<f64>, value: f64| bound.is_some_and(|bound| value > bound);
        if over(self.force, force) {
            Some(BreakCause::Force(force))
        } else if over(self.torque, torque) {
            Some(BreakCause::Torque(torque))
        } else if over(self.distance, distance) {
            Some(BreakCause::Distance(distance))
        } else {
            None
        }
    }

    pub(super) fn validate(&self) -> Result<(), String> {
        for (name, bound) in [
            ("force", self.force),
            ("torque", self.torque),
            ("distance", self.distance),
        ] {
            if let Some(bound) = bound
                && (bound.is_nan() || bound <= 0.0)
            {
                return Err(format!("the breaking {name} must be positive, not {bound}"));
            }
        }
        Ok(())
    }
}
