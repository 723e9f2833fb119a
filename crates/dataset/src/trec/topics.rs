//! Topics: lines `id TAB text`, a stream of `<top>` elements, or one of SMART.
//!
//! The classic stream has no end tags and labels its contents (`<num> Number: 301`); later ones
//! look like XML and seldom are. Both are read as marked text.

use std::{collections::BTreeMap, path::Path};

use qeval_core::{Example, Value};

use super::smart;
use crate::{Error, Place, Problem, Record, document, input, markup};

/// What the ids of topics are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TopicIds {
    /// Those in the file.
    #[default]
    Given,
    /// Their positions from 1. The judgments of Cranfield count its topics like this, and the
    /// numbers in its file of topics are others.
    Position,
}

/// Reads topics. Columns are further elements of the stream, such as `desc`.
pub(crate) fn read(path: &Path, ids: TopicIds, columns: &[String]) -> Result<Vec<Record>, Error> {
    let text = input::read_text(path)?;
    let mut records = if smart::is_stream(&text) {
        items(&text, columns).map_err(|(problem, place)| problem.at(path, place))?
    } else if text.trim_ascii_start().starts_with('<') {
        stream(&text, columns).map_err(|(problem, place)| problem.at(path, place))?
    } else {
        lines(&text, columns).map_err(|(problem, place)| problem.at(path, place))?
    };
    if records.is_empty() {
        return Err(document::empty().of_file(path));
    }
    if ids == TopicIds::Position {
        for (number, record) in (1_u64..).zip(&mut records) {
            record.example.id = number.to_string();
        }
    }
    Ok(records)
}

type Misplaced = (Problem, Place);

fn lines(text: &str, columns: &[String]) -> Result<Vec<Record>, Misplaced> {
    if let Some(column) = columns.first() {
        let message = format!("topics in lines have no column `{column}`, only an id and a text");
        return Err((Problem::new(message), Place::default()));
    }
    let mut records = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let split = line.split_once('\t').or_else(|| line.split_once(' '));
        let Some((id, question)) = split else {
            let message = format!("topic `{line}` has no text, expected `id TAB text`");
            return Err((Problem::new(message), Place::line(number)));
        };
        records.push(record(id.trim(), question.trim(), BTreeMap::new()));
    }
    Ok(records)
}

fn stream(text: &str, columns: &[String]) -> Result<Vec<Record>, Misplaced> {
    let mut records = Vec::new();
    for block in markup::blocks(text, "top") {
        let block = block?;
        let part = |name: &str, label: &str| {
            let content = markup::element(block.content, name)?;
            let labelled = content.trim_start();
            Some(markup::decode(labelled.strip_prefix(label).unwrap_or(labelled)))
        };
        let missing = |name: &str| {
            (Problem::new(format!("the topic has no `<{name}>`")), Place::line(block.line))
        };
        let id =
            part("num", "Number:").filter(|id| !id.is_empty()).ok_or_else(|| missing("num"))?;
        let question = part("title", "Topic:").ok_or_else(|| missing("title"))?;
        let labels = [("desc", "Description:"), ("narr", "Narrative:")];
        let value = |name: &String| {
            let label = labels.iter().find(|(element, _)| element == name);
            let content = part(name, label.map_or("", |(_, label)| label))?;
            Some((name.clone(), Value::Text(content)))
        };
        let values = columns.iter().filter_map(value).collect();
        records.push(record(&id, &question, values));
    }
    let found = |name: &&String| records.iter().any(|r| r.example.columns.contains_key(*name));
    match columns.iter().find(|name| !found(name)) {
        Some(column) if !records.is_empty() => {
            Err((Problem::new(format!("no topic has the element `<{column}>`")), Place::default()))
        }
        _ => Ok(records),
    }
}

/// The queries of a SMART stream, whose texts are in its `.W`.
fn items(text: &str, columns: &[String]) -> Result<Vec<Record>, Misplaced> {
    let mut records = Vec::new();
    for item in smart::items(text)? {
        let question = item.element("text").ok_or_else(|| {
            (Problem::new(format!("topic `{}` has no `.W`", item.id)), Place::line(item.line))
        })?;
        let value = |name: &String| Some((name.clone(), Value::Text(item.element(name)?)));
        records.push(record(item.id, &question, columns.iter().filter_map(value).collect()));
    }
    Ok(records)
}

fn record(id: &str, question: &str, columns: BTreeMap<String, Value>) -> Record {
    Record::from(Example {
        id: id.to_owned(),
        question: question.to_owned(),
        columns,
        ..Example::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DatasetFormat::Trec, DatasetSource, testing};

    type Found = Result<Vec<(String, String)>, String>;

    fn topics(content: &str, configure: impl Fn(&mut DatasetSource)) -> Found {
        let records = testing::records(Trec, content.as_bytes(), configure)?;
        let pair = |record: Record| (record.example.id, record.example.question);
        Ok(records.into_iter().map(pair).collect())
    }

    fn check(content: &str, expected: &[(&str, &str)]) {
        let found = topics(content, |_| {}).unwrap();
        let found: Vec<_> = found.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
        assert_eq!(found, expected);
    }

    const CLASSIC: &str = "<top>\n\n<num> Number: 301 \n<title> International Crime \n\n\
                           <desc> Description: \nIdentify <b>.\n\n<narr> Narrative: \nA\n</top>\n\
                           <top>\n<num> Number: 302\n<title> Topic: R&amp;D\n</top>";
    const CRANFIELD: &str = "<?xml version='1.0'?>\n<xml>\n<top>\n<num> 4</num> \n\
                             <title>\na <\n b .\n</title>\n</top>\n</xml>";

    #[test]
    fn three_forms_are_read() {
        check("15\tdo goldfish  grow\r\n\nq 2\tx", &[("15", "do goldfish  grow"), ("q 2", "x")]);
        check("7 what is it", &[("7", "what is it")]);
        check(".I 001\n.W\nwhat is\nit .\n.I 2\n.W\nb\n", &[("001", "what is\nit ."), ("2", "b")]);
        check(CLASSIC, &[("301", "International Crime"), ("302", "R&D")]);
        check(CRANFIELD, &[("4", "a <\n b .")]);
        let by_position = topics(CRANFIELD, |source| source.topic_ids = TopicIds::Position);
        assert_eq!(by_position.unwrap()[0].0, "1");
    }

    #[test]
    fn elements_can_become_columns() {
        let records = testing::records(Trec, CLASSIC.as_bytes(), |source| {
            source.columns = vec!["desc".to_owned()];
        });
        let records = records.unwrap();
        let expected = Value::Text("Identify <b>.".to_owned());
        assert_eq!(records[0].example.columns["desc"], expected);
        assert!(records[1].example.columns.is_empty());
    }

    #[test]
    fn errors_say_where_and_what() {
        let refused = |content: &str, expected: &str| {
            assert_eq!(topics(content, |_| {}).unwrap_err(), expected);
        };
        refused("", "`file`: the file is empty: there is nothing to evaluate");
        refused("<xml></xml>", "`file`: the file is empty: there is nothing to evaluate");
        refused("1\ta\n2\n", "`file`, line 2: topic `2` has no text, expected `id TAB text`");
        refused("\n<top>\n<num> 1\n</top>", "`file`, line 2: the topic has no `<title>`");
        refused("<top>\n<title> a\n</top>", "`file`, line 1: the topic has no `<num>`");
        refused(
            "<top>\n<num> 1\n<title> a\n",
            "`file`, line 1: `<top>` has no `</top>`\nhint: the file may be truncated",
        );
        refused(
            "1\ta\n1\tb\n",
            "`file`, record 2: id `1` is given twice, in records 1 and 2\n\
             hint: ids must be unique: results are joined on them",
        );
        let column = |content: &str| {
            topics(content, |source| source.columns = vec!["x".to_owned()]).unwrap_err()
        };
        let expected = "`file`: topics in lines have no column `x`, only an id and a text";
        assert_eq!(column("1\ta\n"), expected);
        assert_eq!(column(CLASSIC), "`file`: no topic has the element `<x>`");
    }
}
