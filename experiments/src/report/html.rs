//! The few things of HTML that reports need. Whatever comes from a file passes through [`escape`] on its way to the page.

/// Text as HTML takes it, in elements and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(character),
            character if character.is_control() => safe.push(' '),
            character => safe.push(character),
        }
    }
    safe
}

/// JSON as a script element takes it: nothing in it can end the element.
pub fn script_data(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// A text as an id: letters, digits and hyphens.
pub fn slug(text: &str) -> String {
    let mut id = String::new();
    for character in text.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            id.push(character);
        } else if !id.ends_with('-') && !id.is_empty() {
            id.push('-');
        }
    }
    let id = id.trim_end_matches('-');
    if id.is_empty() { "x".to_owned() } else { id.to_owned() }
}

/// Names and values, one below the other.
pub fn facts(pairs: &[(String, String)]) -> String {
    let mut text = String::from("<dl class=\"facts\">\n");
    for (name, value) in pairs {
        text.push_str(&format!(
            "<div><dt>{}</dt><dd>{}</dd></div>\n",
            escape(name),
            escape(value)
        ));
    }
    text + "</dl>\n"
}

/// Something to be opened by whoever wants it. The content is HTML already.
pub fn folded(summary: &str, content: &str) -> String {
    format!("<details><summary>{}</summary>\n{content}</details>\n", escape(summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_its_place() {
        assert_eq!(
            escape("<script>alert('\"&')</script>\u{7}"),
            "&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt; "
        );
        assert_eq!(script_data("\"</script>\""), "\"\\u003c/script>\"");
    }

    #[test]
    fn ids_are_plain() {
        assert_eq!(slug("Joint error: <max>"), "joint-error-max");
        assert_eq!(slug("µ"), "x");
    }
}
