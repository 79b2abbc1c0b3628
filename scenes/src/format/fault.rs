//! A fault in a scene and the path of keys that leads to it, independent of any text.
//!
//! A check knows only its own key; each caller puts its own in front. Nothing is allocated for a scene without
//! faults, and the same checks serve files and scenes made by a program.

use drystone_solver::spec::nearest;

/// One step into a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into a table.
    Key(&'static str),
    /// Into an array.
    Index(usize),
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// From the scene down to the value.
    pub(crate) path: Vec<Step>,
    /// What is wrong, in one line.
    pub(crate) message: String,
}

impl Fault {
    /// A fault of the thing being checked itself.
    pub(crate) fn here(message: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            message: message.into(),
        }
    }

    /// A fault of the value under a key.
    pub(crate) fn at(key: &'static str, message: impl Into<String>) -> Self {
        Self::here(message).within(Step::Key(key))
    }

    /// The same fault, seen from one step further out.
    pub(crate) fn within(mut self, step: Step) -> Self {
        self.path.insert(0, step);
        self
    }

    /// The same fault of the `index`-th element of the array `key`, with the element named in the message.
    pub(crate) fn within_element(mut self, key: &'static str, index: usize, element: &str) -> Self {
        self.message = format!("{element}: {}", self.message);
        self.within(Step::Index(index)).within(Step::Key(key))
    }

    /// The path as people write it: `body[3].shape.sphere.radius`.
    pub(crate) fn place(&self) -> String {
        let mut place = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) if place.is_empty() => place.push_str(key),
                Step::Key(key) => {
                    place.push('.');
                    place.push_str(key);
                }
                Step::Index(index) => place.push_str(&format!("[{index}]")),
            }
        }
        place
    }
}

/// The answer to a name that nothing has, with the nearest one that something has.
pub(crate) fn unknown_name<'a>(kind: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Fault {
    let advice = match nearest(name, known) {
        Some(near) => format!("; did you mean '{near}'?"),
        None => String::new(),
    };
    Fault::here(format!("there is no {kind} '{name}'{advice}"))
}

/// Refuses NaN and the infinities.
pub(crate) fn finite(key: &'static str, value: f64) -> Result<(), Fault> {
    if value.is_finite() {
        return Ok(());
    }
    Err(Fault::at(key, format!("{key} must be finite, not {}", value)))
}

/// Refuses vectors with elements that are not finite.
pub(crate) fn finite_vector<const N: usize>(key: &'static str, vector: &[f64; N]) -> Result<(), Fault> {
    match vector.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Fault::here(format!("{key} must be finite, not {}", vector[index]))
            .within(Step::Index(index))
            .within(Step::Key(key))),
    }
}

/// Refuses everything but finite numbers above zero.
pub(crate) fn positive(key: &'static str, value: f64) -> Result<(), Fault> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Fault::at(
        key,
        format!("{key} must be positive and finite, not {}", value),
    ))
}

/// Refuses everything but finite numbers of zero or more.
pub(crate) fn not_negative(key: &'static str, value: f64) -> Result<(), Fault> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(Fault::at(
        key,
        format!("{key} must be 0 or more and finite, not {}", value),
    ))
}

/// Refuses everything but finite numbers from 0 to 1.
pub(crate) fn fraction(key: &'static str, value: f64) -> Result<(), Fault> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Fault::at(key, format!("{key} must be from 0 to 1, not {}", value)))
}

/// Refuses vectors that are not finite, or too short to give a direction.
pub(crate) fn direction<const N: usize>(key: &'static str, vector: &[f64; N]) -> Result<(), Fault> {
    finite_vector(key, vector)?;
    // The squares must neither vanish nor overflow, or normalising gives no unit vector.
    let square = vector.iter().map(|value| value * value).sum::<f64>();
    if square.is_normal() {
        return Ok(());
    }
    let fault = if vector.iter().all(|&value| value == 0.0) {
        format!("{key} must not be zero")
    } else {
        format!("{key} is too short or too long to give a direction")
    };
    Err(Fault::at(key, fault))
}
