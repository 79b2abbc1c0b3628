//! What happened in a step that somebody may want to know.

use crate::joint::BreakCause;

/// Something that happened in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A joint broke; it is off from the next step on.
    JointBroke {
        /// Index of the joint.
        joint: usize,
        /// Why.
        cause: BreakCause,
    },
}
