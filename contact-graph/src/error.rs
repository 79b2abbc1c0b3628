//! What can be wrong with the input. The graph is left as it was.

use std::error::Error;
use std::fmt;

/// Why the graph refused its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// There is no body with this index.
    BodyOutOfRange {
        /// The index asked for.
        body: u32,
        /// How many bodies there are.
        count: usize,
    },
    /// A pair joins a body with itself.
    SelfPair {
        /// Where in the list.
        position: usize,
        /// The body.
        body: u32,
    },
    /// A pair has its larger index first.
    ReversedPair {
        /// Where in the list.
        position: usize,
        /// The index that came first.
        first: u32,
        /// The index that came second.
        second: u32,
    },
    /// A pair is not greater than the one before it: the list is unsorted, or the pair is there twice.
    UnsortedPairs {
        /// Where in the list.
        position: usize,
    },
    /// Only rules with bodies and bodies with containers have static edges.
    NotStatic {
        /// Where in the list.
        position: usize,
        /// One end.
        a: u32,
        /// The other.
        b: u32,
    },
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            GraphError::BodyOutOfRange { body, count } => {
                write!(f, "body {body} is out of range: the graph has {count} bodies")
            }
            GraphError::SelfPair { position, body } => {
                write!(f, "pair {position} joins body {body} with itself")
            }
            GraphError::ReversedPair {
                position,
                first,
                second,
            } => {
                write!(
                    f,
                    "pair {position} is ({first}, {second}): the smaller index comes first"
                )
            }
            GraphError::UnsortedPairs { position } => {
                write!(
                    f,
                    "pair {position} is not greater than the one before it: pairs must be sorted and distinct"
                )
            }
            GraphError::NotStatic { position, a, b } => {
                write!(
                    f,
                    "static edge {position} is between nodes {a} and {b}: it must join a rule and a body, or a body and its container"
                )
            }
        }
    }
}

impl Error for GraphError {}
