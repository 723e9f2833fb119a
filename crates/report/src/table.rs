//! Plain tables: the first column to the left, the others to the right.

/// A table of text.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

#[derive(Debug)]
enum Row {
    /// A line of its own.
    Heading(String),
    Cells(Vec<String>),
}

impl Table {
    pub(crate) fn heading(&mut self, text: impl Into<String>) {
        self.rows.push(Row::Heading(text.into()));
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(Row::Cells(cells));
    }

    /// The lines of the table, indented by two; cells are two blanks apart.
    pub(crate) fn render(&self) -> String {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            widths.resize(widths.len().max(cells.len()), 0);
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = String::new();
        for row in &self.rows {
            let line = match row {
                Row::Heading(heading) => heading.clone(),
                Row::Cells(cells) => line(cells, &widths),
            };
            text.push_str("  ");
            text.push_str(&line);
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let blanks = " ".repeat(width - cell.chars().count());
        if index == 0 {
            line.push_str(cell);
            line.push_str(&blanks);
        } else {
            line.push_str("  ");
            line.push_str(&blanks);
            line.push_str(cell);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_also_with_wide_text() {
        let mut table = Table::default();
        table.row(vec![String::new(), "n".into(), "mean".into()]);
        table.heading("größe");
        table.row(vec!["Größe".into(), "170".into(), "0.5".into()]);
        table.row(vec!["x".into(), "1".into(), String::new()]);
        assert_eq!(
            table.render(),
            "           n  mean\n  größe\n  Größe  170   0.5\n  x        1\n"
        );
    }
}
