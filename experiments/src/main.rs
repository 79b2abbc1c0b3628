//! The `drystone` program; everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    drystone_experiments::main(std::env::args_os())
}
