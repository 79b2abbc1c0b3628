//! What happened in a step that somebody may want to know (dissertation §5.3).
//!
//! Events are told when a step is over. They compare what the step saw, which looks for contacts where bodies are at its
//! beginning, and who pushed each other in it, with the same a step before. So they are late by up to a step; a step that
//! was tried and taken back leaves no trace, and who came near and left again within one step is not told.

use drystone_contact_graph::Change;

use crate::joint::BreakCause;

/// Something that happened in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Two bodies are near each other: the broad phase reports them, and the balls around them overlap.
    Proximity {
        /// Their indices, the smaller one first.
        bodies: [usize; 2],
        /// Whether they have come near, are still, or no longer.
        change: Change,
    },
    /// Two bodies touch.
    Touch {
        /// Their indices, the smaller one first.
        bodies: [usize; 2],
        /// Whether they have met, still touch, or have parted.
        change: Change,
    },
    /// A body is in a trigger volume.
    Trigger {
        /// Index of the trigger.
        trigger: usize,
        /// Index of the body.
        body: usize,
        /// Whether it went in, is still in, or went out.
        change: Change,
    },
    /// A timer ticked.
    Tick {
        /// Index of the timer.
        timer: usize,
        /// When, s: within the step.
        time: f64,
    },
    /// A body was put asleep.
    Asleep {
        /// Index of the body.
        body: usize,
    },
    /// A body woke.
    Awake {
        /// Index of the body.
        body: usize,
        /// Why.
        cause: WakeCause,
    },
    /// A joint broke; it is off from the next step on.
    JointBroke {
        /// Index of the joint.
        joint: usize,
        /// Why.
        cause: BreakCause,
    },
}

/// Why a body woke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WakeCause {
    /// Something that is awake touches it, or something that it touched is gone or has changed.
    Contact,
    /// A force on it or its state was changed.
    Force,
    /// A joint of it was added, removed, switched or broken, or pulls.
    Joint,
    /// It was asked to.
    User,
}

impl WakeCause {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contact => "contact",
            Self::Force => "force",
            Self::Joint => "joint",
            Self::User => "user",
        }
    }
}
