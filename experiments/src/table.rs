//! Text tables with aligned columns, for a terminal or a mail. Cells may be painted ([`Tone`]).

use crate::tone::{self, Tone};

/// Which side of its column a cell keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Texts.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells; the widths follow the contents.
#[derive(Debug, Clone, Default)]
pub struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: impl Into<Vec<Align>>) -> Self {
        Self {
            columns: columns.into(),
            rows: Vec::new(),
        }
    }

    /// Adds a row. Cells that are left out are empty.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Adds a row of headings.
    pub fn heading<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.row(cells.into_iter().map(|cell| {
            // Spaces stay outside, where they can be trimmed at the end of a line.
            let (cell, text) = (cell.as_ref(), cell.as_ref().trim_end());
            Tone::Heading.paint(text) + &cell[text.len()..]
        }));
    }

    /// The text, every line indented by two spaces and without spaces at its end.
    pub fn render(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| tone::width(cell)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, width), align) in row.iter().zip(&widths).zip(&self.columns) {
                line.push_str("  ");
                let padding = " ".repeat(width - tone::width(cell));
                match align {
                    Align::Left => line.extend([cell, padding.as_str()]),
                    Align::Right => line.extend([padding.as_str(), cell]),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_characters_not_bytes() {
        let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
        table.row(["µ", "1", "end"]);
        table.row(["longer", "100"]);
        assert_eq!(table.render(), "  µ         1  end\n  longer  100\n");
    }

    #[test]
    fn painted_cells_take_the_same_room_as_plain_ones() {
        let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
        table.heading(["µ", "one", "end "]);
        table.row(["longer".to_owned(), Tone::Best.paint("1"), String::new()]);
        let painted = table.render();
        assert!(painted.contains('\u{1b}'));
        assert_eq!(tone::plain(&painted), "  µ       one  end\n  longer    1\n");
    }
}
