//! The JSON Schema of the format, made from the types, for editors that complete and check TOML.
//!
//! A copy is kept beside this crate as `scene.schema.json`; a test compares them. To write it again after a change:
//! `DRYSTONE_WRITE_SCHEMA=1 cargo test --release -p drystone-scenes schema`.

use super::scene::Scene;

/// The JSON Schema (draft 2020-12) of a scene.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scene).to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scene.schema.json");

    #[test]
    fn the_schema_beside_the_crate_is_up_to_date() {
        if std::env::var_os("DRYSTONE_WRITE_SCHEMA").is_some() {
            let text = serde_json::to_string_pretty(&schema()).unwrap();
            std::fs::write(PATH, text + "\n").unwrap();
        }
        let stored: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(PATH).unwrap()).unwrap();
        assert_eq!(
            stored,
            schema(),
            "see this module's documentation for how to write it again"
        );
    }

    #[test]
    fn every_table_refuses_unknown_keys_and_every_key_is_documented() {
        fn visit(value: &serde_json::Value, place: &str) {
            match value {
                serde_json::Value::Object(map) => {
                    if let Some(serde_json::Value::Object(properties)) = map.get("properties") {
                        assert_eq!(map.get("additionalProperties"), Some(&false.into()), "{place}");
                        for (key, property) in properties {
                            // The only undocumented ones are the keys that choose a variant; the variant is.
                            let documented = property.get("description").is_some() || map.get("description").is_some();
                            assert!(documented, "{place}/{key}");
                        }
                    }
                    for (key, value) in map {
                        visit(value, &format!("{place}/{key}"));
                    }
                }
                serde_json::Value::Array(items) => items.iter().for_each(|item| visit(item, place)),
                _ => {}
            }
        }
        visit(&schema(), "");
    }
}
