//! Tables of a page: with units in the headings, the best values marked, and what scripts need to sort and filter them.
//!
//! Marks are not by colour alone: the best value of a column is bold, has a star, and says so to who can't see it.

use std::fmt::Write;

use super::html::escape;
use crate::plot::palette::class;

/// From so many rows on there is a box to filter them.
const FILTERED: usize = 8;

/// A column.
#[derive(Debug, Clone, Default)]
pub struct Column {
    /// Its heading.
    pub heading: String,
    /// Its unit; empty for none.
    pub unit: String,
    /// Whether it holds numbers.
    pub numeric: bool,
}

impl Column {
    /// A column of texts.
    pub fn text(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            ..Self::default()
        }
    }

    /// A column of numbers.
    pub fn number(heading: &str, unit: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            unit: unit.to_owned(),
            numeric: true,
        }
    }
}

/// A cell.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// What it shows.
    pub text: String,
    /// What it is sorted by, if it is a number.
    pub value: Option<f64>,
    /// Whether it is the best of its column.
    pub best: bool,
    /// Where it leads to, if anywhere.
    pub link: Option<String>,
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// A number as it is shown; a dash for none.
    pub fn number(value: Option<f64>, show: impl Fn(f64) -> String, best: bool) -> Self {
        Self {
            text: value.map_or_else(|| "–".to_owned(), show),
            value,
            best,
            link: None,
        }
    }
}

/// A row; its first cell is its heading.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// The cells, a column each.
    pub cells: Vec<Cell>,
    /// The look of its series in the charts, if it has one.
    pub style: Option<usize>,
    /// Whether something went wrong.
    pub failed: bool,
}

/// Rows that belong together: they are sorted among themselves, and the best is the best of them.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// What they have in common; empty if there is one group only.
    pub label: String,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A table.
#[derive(Debug, Clone, Default)]
pub struct HtmlTable {
    /// What scripts find it by.
    pub id: String,
    /// What it shows.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub groups: Vec<Group>,
}

impl HtmlTable {
    /// The table with its box to filter it, in a box that scrolls by itself.
    pub fn render(&self) -> String {
        let id = escape(&self.id);
        let caption = escape(&self.caption);
        let mut text = String::new();
        let rows: usize = self.groups.iter().map(|group| group.rows.len()).sum();
        if rows >= FILTERED || self.groups.len() > 1 {
            let _ = write!(text, "<div class=\"controls\" hidden data-table=\"{id}\">");
            if self.groups.len() > 1 {
                let _ = write!(
                    text,
                    "<label>Show <select data-role=\"group\"><option value=\"\">all</option>"
                );
                for (k, group) in self.groups.iter().enumerate() {
                    let _ = write!(text, "<option value=\"{k}\">{}</option>", escape(&group.label));
                }
                text.push_str("</select></label> ");
            }
            let _ = writeln!(
                text,
                "<label>Filter <input type=\"search\" data-role=\"filter\" autocomplete=\"off\"></label> \
                 <span class=\"matches\" role=\"status\"></span></div>"
            );
        }
        let _ = writeln!(
            text,
            "<div class=\"scroll\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\n<table id=\"{id}\" \
             class=\"sortable\">\n<caption>{caption}</caption>\n<thead><tr>"
        );
        for column in &self.columns {
            let unit = match column.unit.as_str() {
                "" => String::new(),
                unit => format!(" <span class=\"unit\">{}</span>", escape(unit)),
            };
            let class = if column.numeric { " class=\"number\"" } else { "" };
            let heading = escape(&column.heading);
            let _ = writeln!(
                text,
                "<th scope=\"col\" aria-sort=\"none\"{class}><button type=\"button\">{heading}{unit}</button></th>"
            );
        }
        text.push_str("</tr></thead>\n");
        for (k, group) in self.groups.iter().enumerate() {
            let _ = writeln!(text, "<tbody data-group=\"{k}\">");
            if !group.label.is_empty() {
                let (span, label) = (self.columns.len(), escape(&group.label));
                let _ = writeln!(
                    text,
                    "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{span}\"><span>{label}</span></th></tr>"
                );
            }
            group.rows.iter().for_each(|row| self.row(&mut text, row));
            text.push_str("</tbody>\n");
        }
        text.push_str("</table>\n</div>\n");
        text
    }

    fn row(&self, text: &mut String, row: &Row) {
        text.push_str(if row.failed { "<tr class=\"failed\">" } else { "<tr>" });
        for (k, (cell, column)) in row.cells.iter().zip(&self.columns).enumerate() {
            let mut classes = Vec::new();
            if column.numeric {
                classes.push("number");
            }
            if cell.best {
                classes.push("best");
            }
            let class_attribute = match classes.as_slice() {
                [] => String::new(),
                classes => format!(" class=\"{}\"", classes.join(" ")),
            };
            let value = match cell.value {
                Some(value) if value.is_finite() => format!(" data-value=\"{value:e}\""),
                Some(value) if value == f64::NEG_INFINITY => " data-value=\"-Infinity\"".to_owned(),
                Some(_) => " data-value=\"Infinity\"".to_owned(),
                None => String::new(),
            };
            let shown = match &cell.link {
                Some(link) => format!("<a href=\"{}\">{}</a>", escape(link), escape(&cell.text)),
                None => escape(&cell.text),
            };
            let _ = match (k, cell.best) {
                (0, _) => {
                    let dot = row.style.map_or_else(String::new, |style| {
                        format!("<span class=\"dot {}\" aria-hidden=\"true\"></span>", class(style))
                    });
                    write!(text, "<th scope=\"row\"{value}>{dot}{shown}</th>")
                }
                (_, true) => write!(
                    text,
                    "<td{class_attribute}{value}>{shown}<span class=\"star\" aria-hidden=\"true\">★</span><span \
                     class=\"unseen\"> (best)</span></td>"
                ),
                (_, false) => write!(text, "<td{class_attribute}{value}>{shown}</td>"),
            };
        }
        text.push_str("</tr>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize, groups: usize) -> String {
        let row = |k: usize| Row {
            cells: vec![
                Cell::text(format!("<b>{k}</b>")),
                Cell::number(Some(k as f64), |v| v.to_string(), k == 0),
            ],
            style: Some(k),
            failed: false,
        };
        let group = |g: usize| Group {
            label: format!("scene {g}"),
            rows: (0..rows).map(row).collect(),
        };
        let table = HtmlTable {
            id: "methods".into(),
            caption: "a & b".into(),
            columns: vec![Column::text("method"), Column::number("residual", "m/s")],
            groups: (0..groups).map(group).collect(),
        };
        table.render()
    }

    #[test]
    fn names_are_harmless_and_the_best_is_marked_in_three_ways() {
        let text = table(2, 1);
        assert!(text.contains("&lt;b&gt;1&lt;/b&gt;") && !text.contains("<b>1"));
        assert_eq!(text.matches("class=\"number best\"").count(), 1);
        assert_eq!((text.matches('★').count(), text.matches("(best)").count()), (1, 1));
        assert_eq!(text.matches("aria-sort=\"none\"").count(), 2);
        assert!(!text.contains("type=\"search\""));
    }

    #[test]
    fn large_tables_can_be_filtered_and_groups_chosen() {
        assert!(table(FILTERED, 1).contains("type=\"search\""));
        let grouped = table(2, 3);
        assert_eq!(grouped.matches("<tbody").count(), 3);
        assert_eq!(grouped.matches("<option").count(), 4);
    }
}
