//! Names with options, as people type them: `pgs:iterations=100,order=symmetric`.
//!
//! One small grammar serves solvers, steppers and scenes: a name, then `key=value` pairs. A value can be a spec itself,
//! with brackets in place of the colon: `hybrid:contacts=pgs(iterations=50,order=symmetric)`.
//! A type becomes configurable by being declared with [`options!`](crate::options), which turns its documented
//! public fields into keys: the documentation of a field is the help text of its key, its default is the
//! default that `drystone list` shows, so neither can go out of date.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A name and its `key=value` options, in the order they were written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spec {
    /// The name before the colon.
    pub name: String,
    /// The options after it.
    pub options: Vec<(String, String)>,
}

impl Spec {
    /// A name without options.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            options: Vec::new(),
        }
    }

    /// Sets every option on `target`, then checks the result as a whole.
    pub fn apply_to<T: Configure + ?Sized>(&self, target: &mut T) -> Result<(), SpecError> {
        for (key, value) in &self.options {
            target.set(key, value).map_err(|error| error.of(&self.name))?;
        }
        target.validate().map_err(|message| SpecError::Invalid {
            owner: self.name.clone(),
            message,
        })
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, options) = match text.split_once(':') {
            Some((name, options)) => (name.trim(), options.trim()),
            None => (text.trim(), ""),
        };
        if name.is_empty() {
            return Err(SpecError::Syntax {
                text: text.to_owned(),
                message: "the name is missing".into(),
            });
        }
        let mut parsed: Vec<(String, String)> = Vec::new();
        for part in split_options(text, options)?
            .into_iter()
            .filter(|part| !part.is_empty())
        {
            let Some((key, value)) = part.split_once('=') else {
                return Err(SpecError::Syntax {
                    text: text.to_owned(),
                    message: format!("'{part}' is not of the form key=value"),
                });
            };
            // Keys are written with hyphens; underscores are accepted.
            let key = key.trim().replace('_', "-");
            if parsed.iter().any(|(known, _)| *known == key) {
                return Err(SpecError::Syntax {
                    text: text.to_owned(),
                    message: format!("'{key}' is given twice"),
                });
            }
            parsed.push((key, value.trim().to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            options: parsed,
        })
    }
}

/// The parts between commas, except those within brackets: `contacts=pgs(iterations=5,order=random)` is one.
fn split_options<'a>(text: &str, options: &'a str) -> Result<Vec<&'a str>, SpecError> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, letter) in options.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                parts.push(options[start..at].trim());
                start = at + 1;
            }
            ')' => return Err(unbalanced(text, "a bracket is closed that was not opened")),
            _ => {}
        }
    }
    if depth > 0 {
        return Err(unbalanced(text, "a bracket is not closed"));
    }
    parts.push(options[start..].trim());
    Ok(parts)
}

fn unbalanced(text: &str, message: &str) -> SpecError {
    SpecError::Syntax {
        text: text.to_owned(),
        message: message.into(),
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (key, value)) in self.options.iter().enumerate() {
            let separator = if index == 0 { ':' } else { ',' };
            write!(f, "{separator}{key}={value}")?;
        }
        Ok(())
    }
}

/// What is wrong with a name or an option, in one line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpecError {
    /// The text is not `name:key=value,…`.
    #[error("cannot read '{text}': {message}")]
    Syntax {
        /// The text as given.
        text: String,
        /// What is wrong with it.
        message: String,
    },
    /// Nothing of that kind has that name.
    #[error("unknown {kind} '{name}'{}", suggestion(nearest))]
    UnknownName {
        /// What was looked for: "solver", "scene", …
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
    },
    /// The thing exists, but has no such option.
    #[error("'{owner}' has no option '{key}'{}", suggestion(nearest))]
    UnknownOption {
        /// Whose option it would be.
        owner: String,
        /// The key as given.
        key: String,
        /// The nearest key that exists.
        nearest: Option<String>,
    },
    /// The value can't be read, or is out of range.
    #[error("option '{key}' of '{owner}' cannot be '{value}': expected {expects}")]
    BadValue {
        /// Whose option it is.
        owner: String,
        /// The key.
        key: String,
        /// The value as given.
        value: String,
        /// What was expected.
        expects: String,
    },
    /// The options are each readable, but do not fit together.
    #[error("'{owner}': {message}")]
    Invalid {
        /// Whose options they are.
        owner: String,
        /// What is wrong with them.
        message: String,
    },
}

impl SpecError {
    /// Names the owner of an option in an error that was raised without knowing it.
    fn of(mut self, name: &str) -> Self {
        if let Self::UnknownOption { owner, .. } | Self::BadValue { owner, .. } = &mut self {
            name.clone_into(owner);
        }
        self
    }
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map(|name| format!("; did you mean '{name}'?"))
        .unwrap_or_default()
}

/// The candidate most like `name`, if any is alike enough to be worth showing.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().max(name.len()) / 3)
        .map(|(_, candidate)| candidate)
}

/// One option as it is listed for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionInfo {
    /// The key.
    pub key: String,
    /// Its default value, as it would be typed.
    pub default: String,
    /// What values it takes.
    pub expects: String,
    /// What it does.
    pub help: String,
}

/// Something whose options can be listed and set by name. Declared with [`options!`](crate::options).
pub trait Configure {
    /// Every option with its present value in the place of the default.
    fn options(&self) -> Vec<OptionInfo>;

    /// Sets one option from text.
    fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError>;

    /// Checks the values against each other and against their ranges.
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

/// A type that can be an option's value.
pub trait OptionValue: Sized {
    /// Reads a value; `None` if the text is not one.
    fn read(text: &str) -> Option<Self>;
    /// Writes it so that [`read`](Self::read) gives it back.
    fn show(&self) -> String;
    /// What values there are, in a few words.
    fn expects() -> String;
}

macro_rules! plain_value {
    ($($type:ty => $expects:literal, |$value:ident| $valid:expr;)*) => {$(
        impl OptionValue for $type {
            fn read(text: &str) -> Option<Self> {
                text.parse().ok().filter(|$value: &$type| $valid)
            }
            fn show(&self) -> String {
                self.to_string()
            }
            fn expects() -> String {
                $expects.into()
            }
        }
    )*};
}

plain_value! {
    f64 => "a finite number", |value| value.is_finite();
    usize => "a whole number, 0 or more", |_value| true;
    u64 => "a whole number, 0 or more", |_value| true;
    bool => "true or false", |_value| true;
}

impl OptionValue for String {
    fn read(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
    fn show(&self) -> String {
        self.clone()
    }
    fn expects() -> String {
        "a name".into()
    }
}

/// A spec as the value of an option, with brackets in place of the colon: `pgs(iterations=50,order=symmetric)`.
impl OptionValue for Spec {
    fn read(text: &str) -> Option<Self> {
        match text.split_once('(') {
            Some((name, options)) => format!("{name}:{}", options.trim_end().strip_suffix(')')?).parse().ok(),
            // A colon here would belong to no one.
            None if text.contains([':', ')', '=']) => None,
            None => text.parse().ok(),
        }
    }

    fn show(&self) -> String {
        match self.to_string().split_once(':') {
            Some((name, options)) => format!("{name}({options})"),
            None => self.name.clone(),
        }
    }

    fn expects() -> String {
        "a name, with its options in brackets: name(key=value,…)".into()
    }
}

/// Declares a plain struct of options: each field has a doc comment, a type and a default, and becomes a key.
///
/// ```
/// use drystone_solver::{options, spec::{Configure, Spec}};
/// options! {
///     /// Options of an example.
///     #[derive(Debug, Clone)]
///     pub struct Example {
///         /// How many times.
///         pub max_count: usize = 10,
///     }
/// }
/// let mut example = Example::default();
/// "example:max-count=3".parse::<Spec>()?.apply_to(&mut example)?;
/// assert_eq!(example.max_count, 3);
/// # Ok::<(), drystone_solver::spec::SpecError>(())
/// ```
///
/// Last fields `flatten pub family: FamilyOptions` take over the keys of other such structs, with their defaults or with
/// those of an expression after `=`. A check of ranges goes
/// into a trailing `validate(options) { … }` that returns `Result<(), String>`.
#[macro_export]
macro_rules! options {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[doc = $doc:literal])* pub $field:ident : $type:ty = $default:expr, )*
            $( flatten pub $inner:ident : $inner_type:ty $( = $inner_default:expr )? ),* $(,)?
        }
        $( validate($this:ident) $check:block )?
    ) => {
        $(#[$meta])*
        pub struct $name {
            $( $(#[doc = $doc])* pub $field : $type, )*
            $( /// Options it shares with others.
            pub $inner : $inner_type, )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )* $( $inner: $crate::default_or!($inner_type $(, $inner_default)?), )* }
            }
        }

        impl $crate::spec::Configure for $name {
            fn options(&self) -> Vec<$crate::spec::OptionInfo> {
                #[allow(unused_mut, reason = "only families of options have more to add")]
                let mut options = vec![ $( $crate::spec::OptionInfo {
                    key: stringify!($field).replace('_', "-"),
                    default: $crate::spec::OptionValue::show(&self.$field),
                    expects: <$type as $crate::spec::OptionValue>::expects(),
                    help: [$($doc),*].map(str::trim).join(" "),
                } ),* ];
                $( options.extend(self.$inner.options()); )*
                options
            }

            fn set(&mut self, key: &str, value: &str) -> Result<(), $crate::spec::SpecError> {
                let key = key.replace('-', "_");
                $( if key == stringify!($field) {
                    self.$field = <$type as $crate::spec::OptionValue>::read(value)
                        .ok_or_else(|| $crate::spec::bad_value::<$type>(&key, value))?;
                    return Ok(());
                } )*
                $( if self.$inner.options().iter().any(|option| option.key == key.replace('_', "-")) {
                    return self.$inner.set(&key, value);
                } )*
                Err($crate::spec::unknown_option(self, &key))
            }

            fn validate(&self) -> Result<(), String> {
                $( self.$inner.validate()?; )*
                let outcome: Result<(), String> = Ok(());
                $( let outcome = outcome.and_then(|()| { let $this = self; $check }); )?
                outcome
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! default_or {
    ($type:ty) => {
        <$type>::default()
    };
    ($type:ty, $value:expr) => {
        $value
    };
}

/// Declares an enum whose variants are chosen by name in an option.
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $text:literal ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $( $(#[$variant_meta])* $variant, )*
        }

        impl $crate::spec::OptionValue for $name {
            fn read(text: &str) -> Option<Self> {
                match text {
                    $( $text => Some(Self::$variant), )*
                    _ => None,
                }
            }
            fn show(&self) -> String {
                match self {
                    $( Self::$variant => $text.into(), )*
                }
            }
            fn expects() -> String {
                [$($text),*].join(" | ")
            }
        }
    };
}

#[doc(hidden)]
pub fn bad_value<T: OptionValue>(key: &str, value: &str) -> SpecError {
    SpecError::BadValue {
        owner: String::new(),
        key: key.replace('_', "-"),
        value: value.to_owned(),
        expects: T::expects(),
    }
}

#[doc(hidden)]
pub fn unknown_option(target: &dyn Configure, key: &str) -> SpecError {
    let key = key.replace('_', "-");
    let known = target.options();
    SpecError::UnknownOption {
        owner: String::new(),
        nearest: nearest(&key, known.iter().map(|option| option.key.as_str())).map(str::to_owned),
        key,
    }
}

#[cfg(test)]
#[allow(unreachable_pub, reason = "the macros declare public types")]
mod tests {
    use super::*;

    choices! {
        /// A choice.
        pub enum Colour {
            /// As in fire.
            Red = "red",
            /// As in ice.
            IceBlue = "ice-blue",
        }
    }

    options! {
        /// Options for these tests.
        #[derive(Debug, Clone)]
        pub struct Paint {
            /// How many layers
            /// to put on.
            pub layer_count: usize = 2,
            /// Which colour.
            pub colour: Colour = Colour::Red,
            /// How thick, in metres.
            pub thickness: f64 = 0.5,
        }
        validate(paint) {
            if paint.thickness <= 0.0 {
                return Err("thickness must be positive".into());
            }
            Ok(())
        }
    }

    fn configured(text: &str) -> Result<Paint, SpecError> {
        let mut paint = Paint::default();
        text.parse::<Spec>()?.apply_to(&mut paint)?;
        Ok(paint)
    }

    #[test]
    fn options_are_set_by_key_and_listed_with_their_documentation() {
        let paint = configured("paint:layer-count=7,colour=ice-blue").unwrap();
        assert_eq!((paint.layer_count, paint.colour), (7, Colour::IceBlue));
        let listed = Paint::default().options();
        assert_eq!(listed[0].key, "layer-count");
        assert_eq!(listed[0].default, "2");
        assert_eq!(listed[0].help, "How many layers to put on.");
        assert_eq!(listed[1].expects, "red | ice-blue");
    }

    #[test]
    fn a_spec_survives_being_written_and_read_again() {
        for text in ["pgs", "pgs:iterations=100,order=random"] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn mistakes_are_answered_in_one_line_with_the_nearest_name() {
        let message = |text: &str| configured(text).unwrap_err().to_string();
        assert_eq!(
            message("paint:layercount=7"),
            "'paint' has no option 'layercount'; did you mean 'layer-count'?"
        );
        assert_eq!(
            message("paint:colour=green"),
            "option 'colour' of 'paint' cannot be 'green': expected red | ice-blue"
        );
        assert_eq!(
            message("paint:thickness=NaN"),
            "option 'thickness' of 'paint' cannot be 'NaN': expected a finite number"
        );
        assert_eq!(message("paint:thickness=-1"), "'paint': thickness must be positive");
        assert!(message("paint:thickness").contains("key=value"));
        assert!(message("paint:thickness=1,thickness=2").contains("given twice"));
        assert!(message(":a=1").contains("name is missing"));
    }

    #[test]
    fn a_spec_can_be_a_value_and_survives_being_shown_and_read() {
        let outer: Spec = "hybrid:contacts=pgs(iterations=50,order=symmetric),regularisation=1e-9"
            .parse()
            .unwrap();
        assert_eq!(outer.options.len(), 2);
        let inner = Spec::read(&outer.options[0].1).unwrap();
        assert_eq!(inner, "pgs:iterations=50,order=symmetric".parse().unwrap());
        // To any depth.
        for text in ["pgs", "pgs(iterations=5)", "a(b=c(d=1,e=f(g=2)),h=3)"] {
            assert_eq!(Spec::read(text).unwrap().show(), text);
        }
        let deep = Spec::read("a(b=c(d=1,e=f(g=2)),h=3)").unwrap();
        assert_eq!(deep.options[0], ("b".into(), "c(d=1,e=f(g=2))".into()));
    }

    #[test]
    fn brackets_that_do_not_match_are_refused() {
        let message = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
        assert!(message("hybrid:contacts=pgs(iterations=5").contains("not closed"));
        assert!(message("hybrid:contacts=pgs)").contains("not opened"));
        for text in ["pgs(", "pgs:iterations=5", "(a=1)", "pgs(a=1))", "pgs(a)", ""] {
            assert_eq!(Spec::read(text), None, "{text}");
        }
    }

    #[test]
    fn far_names_are_not_suggested() {
        assert_eq!(nearest("wal", ["wall", "tower"]), Some("wall"));
        assert_eq!(nearest("xyzzy", ["wall", "tower"]), None);
    }
}
