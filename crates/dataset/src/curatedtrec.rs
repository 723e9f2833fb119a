//! CuratedTREC: lines `id TAB type TAB question TAB answer`, where the answer is a regular
//! expression.

use std::{collections::BTreeMap, path::Path};

use qeval_core::{Example, Value};

use crate::{Error, Problem, Record, dataset::RecordStream, fields::check_offered, input::Lines};

/// The questions of a file.
pub(crate) struct Patterns {
    lines: Lines,
    /// The column of the type, where somebody asked for it.
    columns: Vec<String>,
}

impl Patterns {
    pub(crate) fn open(path: &Path, columns: &[String]) -> Result<Self, Error> {
        check_offered(columns, &["type"]).map_err(|problem| problem.of_file(path))?;
        Ok(Self { lines: Lines::open(path)?, columns: columns.to_vec() })
    }
}

impl RecordStream for Patterns {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if !line.trim().is_empty() {
                let example = example(line, &self.columns);
                return example
                    .map(|example| Some(example.into()))
                    .map_err(|problem| self.lines.error(problem));
            }
        }
    }

    fn line(&self) -> Option<u64> {
        Some(self.lines.number())
    }
}

fn example(line: &str, columns: &[String]) -> Result<Example, Problem> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [id, kind, question, pattern] = cells[..] else {
        let message = format!("the line has {} cells, expected 4", cells.len());
        return Err(Problem::new(format!("{message}: `id TAB type TAB question TAB pattern`")));
    };
    for (name, cell) in [("id", id), ("pattern", pattern)] {
        if cell.trim().is_empty() {
            return Err(Problem::new(format!("the {name} is empty")));
        }
    }
    let value = |name: &String| (name.clone(), Value::Text(kind.trim().to_owned()));
    Ok(Example {
        id: id.trim().to_owned(),
        question: question.trim().to_owned(),
        // Blanks may be a part of the pattern.
        references: vec![pattern.into()],
        columns: columns.iter().map(value).collect::<BTreeMap<_, _>>(),
        ..Example::default()
    })
}

#[cfg(test)]
mod tests {
    use qeval_core::Value;

    use crate::{DatasetFormat::Curatedtrec, testing::records};

    #[test]
    fn the_pattern_is_the_reference_as_it_stands() {
        let lines = "7\tfactoid\tWho? \tAnn\\s?\\.|Bo \r\n\n8\tlist\tWhy?\t(a|b)\n";
        let found = records(Curatedtrec, lines.as_bytes(), |source| {
            source.columns = vec!["type".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!((first.example.id.as_str(), first.example.question.as_str()), ("7", "Who?"));
        assert_eq!(first.example.references, ["Ann\\s?\\.|Bo ".into()]);
        assert_eq!(second.example.columns["type"], Value::Text("list".to_owned()));
    }

    #[test]
    fn bad_lines_are_errors() {
        let check = |lines: &str, expected: &str| {
            assert_eq!(records(Curatedtrec, lines.as_bytes(), |_| {}).unwrap_err(), expected);
        };
        check(
            "1\tfactoid\tWho?\n",
            "`file`, line 1: the line has 3 cells, expected 4: `id TAB type TAB question TAB pattern`",
        );
        check("1\tfactoid\tWho?\t \n", "`file`, line 1: the pattern is empty");
        check(
            "1\tf\ta\tb\n\n1\tf\ta\tb\n",
            "`file`, line 3: id `1` is given twice, on lines 1 and 3\n\
             hint: ids must be unique: results are joined on them",
        );
    }
}
