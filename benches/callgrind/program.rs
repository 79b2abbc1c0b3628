//! What `benches/callgrind/count.py` runs under Valgrind: some steps of a scene, on one thread.
//!
//! ```text
//! steps SCENE METHOD STEPS        prints the contacts of the last step
//! ```

#![allow(clippy::print_stdout, reason = "its result is its output")]

use drystone_benches::{settled, use_one_thread};

fn main() {
    use_one_thread();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scene, method, steps] = arguments.as_slice() else {
        panic!("expected SCENE METHOD STEPS");
    };
    let steps = steps.parse().expect("a number of steps");
    let simulation = settled(scene, method, 0.01, steps);
    println!("{}", simulation.report().contacts);
}
