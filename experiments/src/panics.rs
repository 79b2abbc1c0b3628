//! Panics as values: a solver that panics, be it ours or one from outside, ends its run and not the program.
//!
//! While something is being caught, panics of all threads are kept silent, since a step may run on any of them; their
//! message and place become the error. With `RUST_BACKTRACE` set they are printed as usual besides, for whoever is looking
//! for the mistake.

use std::any::Any;
use std::env;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use crate::error::Error;

/// How many things are being caught at the moment.
static CATCHING: AtomicUsize = AtomicUsize::new(0);
/// Messages and places of panics that nobody has taken yet.
static PLACES: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());
/// The hook is there for good; it does nothing of its own unless something is being caught.
static HOOK: Once = Once::new();

/// Does something, and makes an error of a panic in it, or in a thread that it waits for.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Error> {
    HOOK.call_once(install);
    CATCHING.fetch_add(1, Ordering::SeqCst);
    // Whatever the work changed is given up by the caller together with the run.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.fetch_sub(1, Ordering::SeqCst);
    result.map_err(|payload| {
        let message = text(payload.as_ref());
        Error::Panicked(match place(&message) {
            Some(place) => format!("{} ({place})", one_line(&message)),
            None => one_line(&message),
        })
    })
}

fn install() {
    let usual = panic::take_hook();
    let wants_all = env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    panic::set_hook(Box::new(move |information: &PanicHookInfo<'_>| {
        let catching = CATCHING.load(Ordering::SeqCst) > 0;
        if catching {
            let place = information.location().map_or_else(String::new, |location| {
                format!("{}:{}", location.file(), location.line())
            });
            let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
            places.push((text(information.payload()), place));
        }
        if wants_all || !catching {
            usual(information);
        }
    }));
}

/// What was said, if it was said in words.
fn text(payload: &(dyn Any + Send)) -> String {
    let literal = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    literal
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a message".to_owned())
}

/// Where the latest panic with this message was.
fn place(message: &str) -> Option<String> {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let latest = places.iter().rposition(|(said, _)| said == message)?;
    Some(places.swap_remove(latest).1).filter(|place| !place.is_empty())
}

/// Messages of failed assertions have several lines; rows of tables have one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_place_on_any_thread() {
        let here = caught(|| -> u8 { panic!("first\n  second {}", 3) }).unwrap_err();
        let text = here.to_string();
        assert!(
            text.starts_with("the run panicked: first second 3 (") && text.contains("panics.rs:"),
            "{text}"
        );

        // A scoped pool hands the panic of its thread to whoever waits.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let there = caught(|| pool.install(|| rayon::join(|| 1, || assert_eq!(1, 2, "unequal")))).unwrap_err();
        assert!(there.to_string().contains("unequal left: 1 right: 2"), "{there}");
        // The pool is as good as before.
        assert_eq!(caught(|| pool.install(|| rayon::join(|| 1, || 2))).unwrap(), (1, 2));
    }
}
