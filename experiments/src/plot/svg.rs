//! The few things of SVG that plots need: elements with attributes, text that is safe, numbers that are short.

use std::fmt::Write;

/// A document under way.
#[derive(Debug, Default)]
pub(super) struct Svg {
    text: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// Opens an element; [`close`](Self::close) ends it.
    pub(super) fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.begin(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name);
    }

    /// Ends the element opened last.
    pub(super) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = writeln!(self.text, "</{name}>");
        }
    }

    /// An element with nothing in it.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.begin(name, attributes);
        self.text.push_str("/>\n");
    }

    /// An element with text in it.
    pub(super) fn text(&mut self, name: &str, attributes: &[(&str, &str)], content: &str) {
        self.begin(name, attributes);
        let _ = writeln!(self.text, ">{}</{name}>", escape(content));
    }

    fn begin(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let _ = write!(self.text, "<{name}");
        for (key, value) in attributes.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = write!(self.text, " {key}=\"{}\"", escape(value));
        }
    }

    /// Ends everything that is open and returns the document.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

/// A coordinate to a tenth of a pixel.
pub(super) fn pixel(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Text as XML takes it. Control characters have no place there at all.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            character if character.is_control() => safe.push(' '),
            character => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_made_safe_and_elements_are_closed() {
        let mut svg = Svg::default();
        svg.open("svg", &[("title", "a \"b\""), ("none", "")]);
        svg.open("g", &[]);
        svg.text("text", &[], "1 < 2 & 3 > 2\u{7}");
        assert_eq!(
            svg.finish(),
            "<svg title=\"a &quot;b&quot;\">\n<g>\n<text>1 &lt; 2 &amp; 3 &gt; 2 </text>\n</g>\n</svg>\n"
        );
    }

    #[test]
    fn pixels_are_short() {
        assert_eq!(pixel(12.0), "12");
        assert_eq!(pixel(12.345), "12.3");
    }
}
