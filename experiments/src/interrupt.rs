//! Ctrl-C and termination signals: the first asks the run under way to end after its present step, the second ends
//! the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Exit};

/// Whether somebody asked to stop. Clones share the answer.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to signals from now on. Once a program.
    pub fn install() -> Result<Self, Error> {
        let interrupt = Self::default();
        let flag = interrupt.clone();
        ctrlc::set_handler(move || {
            if flag.0.swap(true, Ordering::SeqCst) {
                crate::watch::panel::restore();
                std::process::exit(Exit::Interrupted.code().into());
            }
        })
        .map_err(|error| Error::Input(format!("cannot listen to signals: {error}")))?;
        Ok(interrupt)
    }

    /// Whether to stop.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Asks to stop, as Ctrl-C would.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
