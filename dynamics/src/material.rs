//! Materials: friction and restitution of a pair of surfaces.
//!
//! Coulomb's μ and Newton's e belong to pairs, not to surfaces. A pair without values of its own gets them from those
//! of its two materials by a mixing rule. The table of pairs is small and dense, so a contact finds its values in one
//! look-up.

use crate::error::WorldError;

/// What happens where two surfaces meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaw {
    /// Coulomb's coefficient, 0 or more.
    pub friction: f64,
    /// Newton's coefficient of restitution, 0 to 1.
    pub restitution: f64,
}

impl ContactLaw {
    fn validate(&self, name: &str) -> Result<(), WorldError> {
        let invalid = |message| {
            Err(WorldError::InvalidMaterial {
                name: name.to_owned(),
                message,
            })
        };
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return invalid(format!("friction must be 0 or more, not {}", self.friction));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return invalid(format!("restitution must be from 0 to 1, not {}", self.restitution));
        }
        Ok(())
    }
}

/// How the values of two materials make those of a pair that has none of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MixingRule {
    /// Friction by geometric mean, restitution by maximum: slippery wins over rough, bouncy over dull.
    #[default]
    GeometricMaximum,
    /// The smaller of the two, for both.
    Minimum,
    /// The larger of the two, for both.
    Maximum,
    /// The arithmetic mean of the two, for both.
    Mean,
}

impl MixingRule {
    /// The law of a pair of surfaces.
    pub fn mix(self, a: ContactLaw, b: ContactLaw) -> ContactLaw {
        let both = |rule: fn(f64, f64) -> f64| ContactLaw {
            friction: rule(a.friction, b.friction),
            restitution: rule(a.restitution, b.restitution),
        };
        match self {
            Self::GeometricMaximum => ContactLaw {
                friction: (a.friction * b.friction).sqrt(),
                restitution: a.restitution.max(b.restitution),
            },
            Self::Minimum => both(f64::min),
            Self::Maximum => both(f64::max),
            Self::Mean => both(|x, y| 0.5 * (x + y)),
        }
    }
}

/// The materials of a world and the laws of their pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Materials {
    names: Vec<String>,
    own: Vec<ContactLaw>,
    mixing: MixingRule,
    overrides: Vec<(usize, usize, ContactLaw)>,
    /// `table[a * n + b]`, symmetric.
    table: Vec<ContactLaw>,
}

impl Materials {
    /// One material, named `default`.
    pub fn new(default: ContactLaw, mixing: MixingRule) -> Result<Self, WorldError> {
        let mut materials = Self {
            names: Vec::new(),
            own: Vec::new(),
            mixing,
            overrides: Vec::new(),
            table: Vec::new(),
        };
        materials.add("default", default)?;
        Ok(materials)
    }

    /// Adds a material and returns its index.
    pub fn add(&mut self, name: &str, law: ContactLaw) -> Result<usize, WorldError> {
        law.validate(name)?;
        if self.find(name).is_some() {
            return Err(WorldError::DuplicateName {
                kind: "material",
                name: name.to_owned(),
            });
        }
        self.names.push(name.to_owned());
        self.own.push(law);
        self.rebuild();
        Ok(self.own.len() - 1)
    }

    /// Replaces the default material's own values.
    pub fn set_default(&mut self, law: ContactLaw) -> Result<(), WorldError> {
        law.validate("default")?;
        self.own[0] = law;
        self.rebuild();
        Ok(())
    }

    /// The law of all pairs, where everything is of one material.
    pub fn only(&self) -> Option<ContactLaw> {
        match self.table.as_slice() {
            [law] => Some(*law),
            _ => None,
        }
    }

    /// Gives a pair values of its own.
    pub fn set_pair(&mut self, a: usize, b: usize, law: ContactLaw) -> Result<(), WorldError> {
        for index in [a, b] {
            if index >= self.own.len() {
                return Err(WorldError::UnknownMaterial { index });
            }
        }
        law.validate(&format!("{} / {}", self.names[a], self.names[b]))?;
        self.overrides.push((a, b, law));
        self.rebuild();
        Ok(())
    }

    /// The index of a material by name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The names, by index.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The law of a pair.
    pub fn pair(&self, a: usize, b: usize) -> ContactLaw {
        self.table[a * self.own.len() + b]
    }

    fn rebuild(&mut self) {
        let n = self.own.len();
        self.table.clear();
        for a in 0..n {
            for b in 0..n {
                self.table.push(self.mixing.mix(self.own[a], self.own[b]));
            }
        }
        for &(a, b, law) in &self.overrides {
            self.table[a * n + b] = law;
            self.table[b * n + a] = law;
        }
    }
}

impl Default for Materials {
    /// The dissertation's values of chapter 6: μ = 0.25, e = 0.25.
    fn default() -> Self {
        let law = ContactLaw {
            friction: 0.25,
            restitution: 0.25,
        };
        Self {
            names: vec!["default".into()],
            own: vec![law],
            mixing: MixingRule::default(),
            overrides: Vec::new(),
            table: vec![law],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ICE: ContactLaw = ContactLaw {
        friction: 0.04,
        restitution: 0.1,
    };
    const RUBBER: ContactLaw = ContactLaw {
        friction: 1.0,
        restitution: 0.8,
    };

    #[test]
    fn pairs_are_symmetric_and_their_own_values_win() {
        let mut materials = Materials::new(ICE, MixingRule::default()).unwrap();
        let rubber = materials.add("rubber", RUBBER).unwrap();
        let mixed = materials.pair(0, rubber);
        assert_eq!((mixed.friction, mixed.restitution), (0.2, 0.8));
        let own = ContactLaw {
            friction: 0.3,
            restitution: 0.0,
        };
        materials.set_pair(rubber, 0, own).unwrap();
        assert_eq!(materials.pair(0, rubber), own);
        // A material added later must not undo it.
        materials.add("wood", ICE).unwrap();
        assert_eq!(materials.pair(rubber, 0), own);
    }

    #[test]
    fn values_outside_their_range_are_refused() {
        let law = |friction, restitution| ContactLaw { friction, restitution };
        assert!(Materials::new(law(-0.1, 0.0), MixingRule::Mean).is_err());
        assert!(Materials::new(law(0.1, 1.1), MixingRule::Mean).is_err());
        assert!(Materials::new(law(f64::NAN, 0.5), MixingRule::Mean).is_err());
    }
}
