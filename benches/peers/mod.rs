//! Drystone beside other engines on the same bodies.
//!
//! Every engine gets the bodies, joints, friction, gravity and step of a scene of the catalogue: engines in Rust as a
//! [`World`](drystone::dynamics::World), the others as a file ([`exchange`]) with every number written so that it is
//! read back bit for bit. Each takes the same number of steps and writes down where bodies are and how fast; what that is
//! worth is found by one piece of code for all ([`quality`]), so that nobody's own contact distance is believed.
//!
//! `benches/peers/run.py` is what runs all engines in turns; `benches/peers/program.rs` is the program it calls.

pub mod cores;
pub mod drystone_engine;
pub mod exchange;
pub mod measure;
pub mod quality;
pub mod rapier_engine;
pub mod scenes;
