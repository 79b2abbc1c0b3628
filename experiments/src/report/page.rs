//! A page: sections with their charts, put together as one HTML file that needs nothing else and asks nobody for anything.
//!
//! The same contents give the same bytes. Everything is there without scripts, but for the replay; scripts sort, filter, hide
//! series and show values.

use std::fmt::Write;

use super::assets;
use super::html::{escape, script_data};
use super::replay_section::Replay;
use crate::plot::Chart;
use crate::plot::chart_svg::swatch;
use crate::plot::palette::class;

/// A page under way.
#[derive(Debug, Default)]
pub struct Page {
    /// Its title.
    title: String,
    /// What kind of thing it shows, in a few words above the title.
    kind: String,
    /// The lines below the title; HTML.
    lead: String,
    sections: Vec<Section>,
    charts: Vec<Chart>,
    replay: Replay,
}

#[derive(Debug)]
struct Section {
    id: String,
    heading: String,
    content: String,
}

impl Page {
    /// An empty page. `lead` is HTML, the others are not.
    pub fn new(kind: impl Into<String>, title: impl Into<String>, lead: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            kind: kind.into(),
            lead: lead.into(),
            ..Self::default()
        }
    }

    /// Adds a section; its content is HTML. An empty one is left out.
    pub fn section(&mut self, id: &str, heading: &str, content: String) {
        if content.is_empty() {
            return;
        }
        let taken = |id: &str| self.sections.iter().any(|section| section.id == id);
        let mut unique = id.to_owned();
        let mut number = 2;
        while taken(&unique) {
            unique = format!("{id}-{number}");
            number += 1;
        }
        self.sections.push(Section {
            id: unique,
            heading: heading.to_owned(),
            content,
        });
    }

    /// Takes a chart on the page and returns its figure, to be put into a section.
    pub fn figure(&mut self, mut chart: Chart) -> String {
        let taken = |name: &str| self.charts.iter().any(|chart| chart.name == name);
        let first = chart.name.clone();
        let mut number = 2;
        while taken(&chart.name) {
            chart.name = format!("{first}-{number}");
            number += 1;
        }
        let text = figure(&chart);
        self.charts.push(chart);
        text
    }

    /// Several charts side by side where there is room.
    pub fn figures(&mut self, charts: impl IntoIterator<Item = Chart>) -> String {
        let figures: String = charts.into_iter().map(|chart| self.figure(chart)).collect();
        match figures.as_str() {
            "" => String::new(),
            figures => format!("<div class=\"figures\">\n{figures}</div>\n"),
        }
    }

    /// Embeds trajectories for the replay.
    pub fn set_replay(&mut self, replay: Replay) {
        self.replay = replay;
    }

    /// The charts that were taken.
    pub fn charts(&self) -> &[Chart] {
        &self.charts
    }

    /// The text of the file.
    pub fn render(&self) -> String {
        let title = escape(&self.title);
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta \
             http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<meta name=\"generator\" content=\"drystone\">\n\
             <title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the \
             content</a>\n<header class=\"top\">\n<p class=\"kind\">{}</p>\n<h1>{title}</h1>\n{}</header>\n",
            assets::SECURITY_POLICY,
            assets::style(&self.replay),
            escape(&self.kind),
            self.lead,
        );
        text.push_str("<div class=\"columns\">\n");
        text.push_str(&self.contents());
        text.push_str("<main id=\"content\">\n");
        for section in &self.sections {
            let (id, heading) = (escape(&section.id), escape(&section.heading));
            let _ = write!(
                text,
                "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{heading}</h2>\n{}</section>\n",
                section.content
            );
        }
        text.push_str("</main>\n</div>\n");
        text.push_str(&assets::scripts(&self.replay));
        text.push_str("</body>\n</html>\n");
        text
    }

    /// The table of contents.
    fn contents(&self) -> String {
        let mut text = String::from("<nav class=\"contents\" aria-label=\"Contents\">\n<ol>\n");
        for section in &self.sections {
            let (id, heading) = (escape(&section.id), escape(&section.heading));
            let _ = writeln!(text, "<li><a href=\"#{id}\">{heading}</a></li>");
        }
        text + "</ol>\n</nav>\n"
    }
}

fn figure(chart: &Chart) -> String {
    let inline = chart.inline();
    let (name, title) = (escape(&chart.name), escape(&chart.title));
    let mut text = format!(
        "<figure class=\"plot\" data-plot=\"{name}\" id=\"plot-{name}\">\n<h3>{title}</h3>\n<div class=\"canvas\">\n{}</div>\n",
        inline.svg
    );
    if chart.layers.len() > 1 {
        text.push_str("<ul class=\"legend\">\n");
        for (k, layer) in chart.layers.iter().enumerate() {
            let _ = writeln!(
                text,
                "<li><button type=\"button\" aria-pressed=\"true\" data-layer=\"{k}\"><span class=\"{}\">{}</span><span \
                 class=\"name\">{}</span></button></li>",
                class(layer.style),
                swatch(layer).trim_end(),
                escape(&layer.label)
            );
        }
        text.push_str("</ul>\n");
    }
    let _ = write!(
        text,
        "<figcaption>{} <a class=\"download\" download=\"{name}.svg\" href=\"plots/{name}.svg\">download \
         SVG<span class=\"unseen\"> of {title}</span></a></figcaption>\n<script \
         type=\"application/json\">{}</script>\n</figure>\n",
        escape(&chart.caption),
        script_data(&inline.data)
    );
    text
}
