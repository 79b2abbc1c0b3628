//! The cases, a file for each kind. A case solves a few problems and notes what is wrong.

mod contract;
mod mechanisms;
mod one_contact;
mod rows;
mod stacks;
mod tangles;

use super::findings::{Refusal, not_applicable};
use super::problems::Kinds;
use super::subject::Subject;
use super::{Law, Trial};

/// All cases, in the order they are reported.
pub(super) fn all() -> impl Iterator<Item = &'static Trial> {
    [
        rows::TRIALS,
        mechanisms::TRIALS,
        one_contact::TRIALS,
        stacks::TRIALS,
        tangles::TRIALS,
        contract::TRIALS,
    ]
    .into_iter()
    .flatten()
}

/// For cases on friction.
fn needs_friction(subject: &Subject) -> Result<(), Refusal> {
    match subject.law {
        Law::None => Err(not_applicable("it takes no friction")),
        _ => Ok(()),
    }
}

/// The contacts of a tangle that the solver takes.
fn kinds_for(subject: &Subject) -> Kinds {
    match subject.law {
        Law::None => Kinds::NoContacts,
        _ => Kinds::Friction,
    }
}
