//! Problems whose answers are known: each builder is a few lines of mechanics or of linear algebra, and gives the same
//! problem for the same arguments on every machine.

mod one_contact;
mod redundant;
mod rows;
mod stack;
mod tangle;

pub use one_contact::OneContact;
pub use redundant::Redundant;
pub use rows::{Known, Matrix};
pub use stack::Stack;
pub use tangle::{Kinds, Tangle};
