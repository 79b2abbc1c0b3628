//! Options that are values, lists of values or ranges, and the product of such lists.
//!
//! Keys keep the order of the file; the last one varies fastest, as in nested loops written in that order.

use std::ops::Range;

use drystone_scenes::toml_message;
use toml::Value;

use super::file::Source;
use super::range;
use super::subject::RawOptions;
use crate::error::Error;

/// One option with the values it takes in turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The values as they are typed in a spec, at least one.
    pub values: Vec<String>,
    /// Where the value or the list is in the file.
    pub span: Range<usize>,
}

impl Setting {
    /// Reads a table of options.
    pub(super) fn read(table: RawOptions, source: &Source) -> Result<Vec<Self>, Error> {
        let mut settings = Vec::with_capacity(table.len());
        for (key, value) in table {
            let (span, value) = (value.span(), value.into_inner());
            let list = match value {
                Value::Array(list) if list.is_empty() => {
                    return Err(source.error(span, format!("'{key}' is an empty list; it needs a value")));
                }
                Value::Array(list) => list,
                Value::Table(table) => {
                    let told = |message| source.error(span.clone(), format!("'{key}': {message}"));
                    let range: range::Range = table
                        .try_into()
                        .map_err(|error: toml::de::Error| told(toml_message(error.message())))?;
                    range.values().map_err(told)?.into_iter().map(Value::Float).collect()
                }
                single => vec![single],
            };
            let values: Option<Vec<String>> = list.iter().map(typed).collect();
            let Some(values) = values else {
                let message = format!("'{key}' must be a number, a text, true or false, a list of those, or a range");
                return Err(source.error(span, message));
            };
            if let Some((_, again)) = values
                .iter()
                .enumerate()
                .find(|(k, value)| values[..*k].contains(value))
            {
                return Err(source.error(span, format!("'{key}' has the value {again} twice")));
            }
            settings.push(Self { key, values, span });
        }
        // The reader sorts keys by name.
        settings.sort_by_key(|setting| setting.span.start);
        Ok(settings)
    }

    /// Whether it takes several values.
    pub fn varies(&self) -> bool {
        self.values.len() > 1
    }
}

/// A value as it is typed in a spec.
pub(crate) fn typed(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(choice) => Some(choice.to_string()),
        Value::Float(number) if *number == 0.0 || (1e-4..1e15).contains(&number.abs()) => Some(number.to_string()),
        Value::Float(number) => Some(format!("{number:e}")),
        _ => None,
    }
}

/// One choice of a value for every setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// All of them: `layers=20,restitution=0.1`.
    pub all: String,
    /// Those that vary.
    pub varying: String,
}

impl Choice {
    /// Every choice, in order.
    pub fn product(settings: &[Setting]) -> Vec<Self> {
        let mut choices = vec![Self::default()];
        for setting in settings {
            let extended = choices.iter().flat_map(|choice| {
                setting.values.iter().map(|value| {
                    let mut choice = choice.clone();
                    append(&mut choice.all, &setting.key, value);
                    if setting.varies() {
                        append(&mut choice.varying, &setting.key, value);
                    }
                    choice
                })
            });
            choices = extended.collect();
        }
        choices
    }

    /// How many there are; as many as can be counted if there are more.
    pub fn count(settings: &[Setting]) -> usize {
        let counts = settings.iter().map(|setting| setting.values.len());
        counts.fold(1, usize::saturating_mul)
    }

    /// A spec with these options added.
    pub fn added_to(&self, spec: &str) -> String {
        match (self.all.is_empty(), spec.contains(':')) {
            (true, _) => spec.to_owned(),
            (false, true) => format!("{spec},{}", self.all),
            (false, false) => format!("{spec}:{}", self.all),
        }
    }
}

fn append(text: &mut String, key: &str, value: &str) {
    if !text.is_empty() {
        text.push(',');
    }
    text.push_str(key);
    text.push('=');
    text.push_str(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: &str) -> Result<Vec<Setting>, Error> {
        let source = Source {
            path: "x.toml".into(),
            text: table.to_owned(),
        };
        Setting::read(toml::from_str(table).unwrap(), &source)
    }

    #[test]
    fn the_last_key_of_the_file_varies_fastest() {
        let settings = read("rows = [2, 3]\nmass = 0.1\ncolumns = [4, 5]\n").unwrap();
        let choices = Choice::product(&settings);
        let all: Vec<&str> = choices.iter().map(|choice| choice.all.as_str()).collect();
        assert_eq!(
            all,
            [
                "rows=2,mass=0.1,columns=4",
                "rows=2,mass=0.1,columns=5",
                "rows=3,mass=0.1,columns=4",
                "rows=3,mass=0.1,columns=5"
            ]
        );
        assert_eq!(choices[1].varying, "rows=2,columns=5");
        assert_eq!(Choice::count(&settings), 4);
        assert_eq!(Choice::product(&[]), [Choice::default()]);
    }

    #[test]
    fn values_are_written_as_they_are_typed_in_specs() {
        let settings = read("a = [1, 2.5, 1e-9, true, \"none\"]\n").unwrap();
        assert_eq!(settings[0].values, ["1", "2.5", "1e-9", "true", "none"]);
        assert_eq!(Choice::product(&settings)[1].added_to("pgs:b=1"), "pgs:b=1,a=2.5");
        assert_eq!(Choice::product(&settings)[1].added_to("pgs"), "pgs:a=2.5");
        assert_eq!(Choice::default().added_to("pgs"), "pgs");
    }

    #[test]
    fn a_range_is_the_list_of_its_values() {
        let settings =
            read("a = { from = 2, to = 6, step = 2 }\nb = { from = 1e-6, to = 1e-4, count = 3, scale = \"log\" }\n");
        let settings = settings.unwrap();
        assert_eq!(settings[0].values, ["2", "4", "6"]);
        assert_eq!(settings[1].values, ["1e-6", "1e-5", "0.0001"]);
    }

    #[test]
    fn empty_lists_tables_and_repeated_values_are_refused() {
        for (table, message) in [
            ("b = 1\na = []\n", "x.toml:2:5: 'a' is an empty list"),
            ("a = [[1]]\n", "x.toml:1:5: 'a' must be a number"),
            ("a = { b = 1 }\n", "x.toml:1:5: 'a': unknown key 'b'"),
            (
                "a = { from = 1, to = 0, step = 1 }\n",
                "x.toml:1:5: 'a': steps of 1 do not lead",
            ),
            ("a = [1, 1]\n", "x.toml:1:5: 'a' has the value 1 twice"),
        ] {
            let found = read(table).unwrap_err().to_string();
            assert!(found.starts_with(message), "{table}: {found}");
        }
    }
}
