//! One seed for everything random in a run.
//!
//! Scenes and methods have seeds of their own, with defaults. `--seed` sets those that were not set by hand, by adding
//! the option to the spec, so that what is recorded is what could have been typed.

use drystone_dynamics::steppers;
use drystone_scenes::catalogue;
use drystone_solver::registry;
use drystone_solver::spec::{OptionInfo, Spec};

/// The generator that scenes and solvers draw from, for the manifest.
pub const GENERATOR: &str = "Pcg64 (rand_pcg 0.10)";

const SEED: &str = "seed";

/// The scene's text with the seed, if it is a catalogue scene that takes one. A text that can't be read is returned as
/// it is; reading it for good will complain.
pub fn seed_scene(text: &str, seed: Option<u64>) -> String {
    with_seed(text, seed, |name| {
        let entry = catalogue().iter().find(|entry| entry.name == name);
        entry.map(|entry| entry.parameters.clone())
    })
}

/// The method's text with the seed for its stepper and its solver, as far as they take one.
pub fn seed_method(text: &str, seed: Option<u64>) -> String {
    let (stepper, solver) = match text.split_once('/') {
        Some((stepper, solver)) => (Some(stepper), solver),
        None => (None, text),
    };
    let solver = with_seed(solver, seed, |name| {
        let entry = registry::solvers().into_iter().find(|entry| entry.name == name);
        entry.map(|entry| entry.options())
    });
    let Some(stepper) = stepper else { return solver };
    let stepper = with_seed(stepper, seed, |name| {
        let entry = steppers().iter().find(|entry| entry.name == name);
        entry.map(|entry| entry.options())
    });
    format!("{stepper}/{solver}")
}

fn with_seed(text: &str, seed: Option<u64>, options: impl Fn(&str) -> Option<Vec<OptionInfo>>) -> String {
    let (Some(seed), Ok(mut spec)) = (seed, text.parse::<Spec>()) else {
        return text.to_owned();
    };
    let takes_one = options(&spec.name).is_some_and(|options| options.iter().any(|option| option.key == SEED));
    let has_one = spec.options.iter().any(|(key, _)| key == SEED);
    if !takes_one || has_one {
        return text.to_owned();
    }
    spec.options.push((SEED.to_owned(), seed.to_string()));
    spec.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_added_where_one_is_taken_and_none_is_given() {
        assert_eq!(seed_method("pgs", None), "pgs");
        assert_eq!(seed_method("pgs", Some(7)), "pgs:seed=7");
        assert_eq!(seed_method("pgs:iterations=3", Some(7)), "pgs:iterations=3,seed=7");
        assert_eq!(seed_method("pgs:seed=1", Some(7)), "pgs:seed=1");
        assert_eq!(seed_method("classical/pgs", Some(7)), "classical/pgs:seed=7");
        assert_eq!(seed_method("no such/thing", Some(7)), "no such/thing");
    }

    #[test]
    fn scenes_take_seeds_only_from_the_catalogue() {
        assert_eq!(seed_scene("wall", Some(7)), "wall");
        assert_eq!(seed_scene("some/file.toml", Some(7)), "some/file.toml");
        assert_eq!(seed_scene("sphere-pile", Some(7)), "sphere-pile:seed=7");
    }
}
