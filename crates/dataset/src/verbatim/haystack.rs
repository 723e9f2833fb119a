//! Haystack 1.x: the tables that `EvaluationResult.save` writes, one for each node of a pipeline.
//!
//! A row is an answer or a document that the node gave for a query, with the labels of the query and
//! how well they match.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    CsvOptions, Error, Problem,
    csv::CsvRows,
    document,
    fields::Wanted,
    literal::{self, Literal},
    rows::Field,
};

/// The table of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Its name, which is that of the file.
    pub name: String,
    /// Rows with answers, in their order.
    pub answers: Vec<Answer>,
    /// Rows with documents, in their order.
    pub documents: Vec<Document>,
}

/// What a row of either kind says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Id of the query with its filters.
    pub multilabel_id: String,
    /// Text of the query.
    pub query: String,
    /// `integrated` or `isolated`; `None` in a table without that column.
    pub eval_mode: Option<String>,
    /// Place among the rows of the query, from 1.
    pub rank: u32,
}

/// A row with an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Where it stands.
    pub place: Place,
    /// The answer; empty where there is none.
    pub answer: String,
    /// Documents that it was found in.
    pub document_ids: Vec<String>,
    /// Best exact match with a label.
    pub exact_match: Option<f64>,
    /// Best F1 with a label.
    pub f1: Option<f64>,
    /// Best semantic similarity with a label, where it was computed.
    pub sas: Option<f64>,
}

/// A row with a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Where it stands.
    pub place: Place,
    /// Id of the document.
    pub document_id: String,
    /// Ids of the documents of the labels, or the custom ids that they are compared by.
    pub gold_document_ids: Vec<String>,
    /// Which labels it matches by its id.
    pub id_matches: Vec<usize>,
    /// Which labels it matches by their answer.
    pub answer_matches: Vec<usize>,
}

/// The tables of a folder, in the order of their names, or a single one.
pub fn nodes(path: &Path) -> Result<Vec<Node>, Error> {
    if !path.is_dir() {
        return Ok(vec![node(path)?]);
    }
    let unreadable = |error: io::Error| Problem::new(format!("cannot be read: {error}"));
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| unreadable(error).of_file(path))?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let is_table = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "csv");
    let mut tables: Vec<PathBuf> = paths.filter(is_table).collect();
    tables.sort();
    if tables.is_empty() {
        return Err(Problem::new("the folder has no file that ends with `.csv`").of_file(path));
    }
    tables.iter().map(|table| node(table)).collect()
}

/// Columns that every table has.
const ALWAYS: [&str; 4] = ["type", "multilabel_id", "query", "rank"];

/// Columns that one kind of row has, or some versions write.
const SOME: [&str; 11] = [
    "eval_mode",
    "answer",
    "document_ids",
    "exact_match",
    "f1",
    "sas",
    "document_id",
    "gold_document_ids",
    "gold_custom_document_ids",
    "gold_documents_id_match",
    "gold_answers_match",
];

/// Reads a table.
pub fn node(path: &Path) -> Result<Node, Error> {
    let mut wanted = Wanted::default();
    for name in ALWAYS {
        wanted.fixed(name);
    }
    for name in SOME {
        wanted.optional_column(name);
    }
    let mut rows = CsvRows::open(path, &CsvOptions::default(), wanted)?;
    let stem = path.file_stem().unwrap_or_default();
    let mut node = Node { name: stem.to_string_lossy().into_owned(), ..Node::default() };
    while let Some(cells) = rows.next(|row| {
        let mut cells = Cells::default();
        row.fields().try_for_each(|(_, field)| cells.read(&field))?;
        cells.complete()
    })? {
        let Cells { kind, place, answer, document, .. } = cells;
        match kind {
            Kind::Answer => node.answers.push(Answer { place, ..answer }),
            Kind::Document => node.documents.push(Document { place, ..document }),
        }
    }
    if node.answers.is_empty() && node.documents.is_empty() {
        return Err(document::empty().of_file(path));
    }
    Ok(node)
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Answer,
    Document,
}

/// A row while it is read.
#[derive(Default)]
struct Cells {
    kind: Kind,
    place: Place,
    answer: Answer,
    document: Document,
    custom_ids: Option<Vec<String>>,
    /// Names of the lists that a row with a document cannot do without.
    lists: Vec<&'static str>,
}

/// Lists that a row with a document cannot do without.
const LISTS: [&str; 3] = ["gold_document_ids", "gold_documents_id_match", "gold_answers_match"];

impl Cells {
    fn read(&mut self, field: &Field<'_, '_>) -> Result<(), Problem> {
        self.lists.extend(LISTS.iter().filter(|&&name| name == field.name && field.given()));
        let text = || Ok(field.text()?.unwrap_or_default());
        match field.name {
            "type" => self.kind = kind(&text()?)?,
            "multilabel_id" => self.place.multilabel_id = text()?,
            "query" => self.place.query = text()?,
            "eval_mode" => self.place.eval_mode = field.text()?,
            "rank" => self.place.rank = rank(field)?,
            "answer" => self.answer.answer = text()?,
            "document_ids" => self.answer.document_ids = ids(field)?.unwrap_or_default(),
            "exact_match" => self.answer.exact_match = field.number()?,
            "f1" => self.answer.f1 = field.number()?,
            "sas" => self.answer.sas = field.number()?,
            "document_id" => self.document.document_id = text()?,
            "gold_document_ids" => {
                self.document.gold_document_ids = ids(field)?.unwrap_or_default();
            }
            "gold_custom_document_ids" => self.custom_ids = ids(field)?,
            "gold_documents_id_match" => self.document.id_matches = matches(field)?,
            "gold_answers_match" => self.document.answer_matches = matches(field)?,
            _ => {}
        }
        Ok(())
    }

    fn complete(mut self) -> Result<Self, Problem> {
        if self.kind == Kind::Document {
            if let Some(name) = LISTS.iter().find(|name| !self.lists.contains(name)) {
                return Err(Problem::new(format!("a row with a document has no `{name}`"))
                    .with_hint("older versions of Haystack 1.x do not write it"));
            }
            if let Some(ids) = self.custom_ids.take() {
                self.document.gold_document_ids = ids;
            }
        }
        Ok(self)
    }
}

fn kind(name: &str) -> Result<Kind, Problem> {
    match name {
        "answer" => Ok(Kind::Answer),
        "document" => Ok(Kind::Document),
        other => {
            let message = format!("field `type` is `{other}`, expected `answer` or `document`");
            Err(Problem::new(message))
        }
    }
}

/// A rank, which pandas writes as `1.0`.
fn rank(field: &Field<'_, '_>) -> Result<u32, Problem> {
    let rank = field.number()?.filter(|rank| *rank >= 1.0 && rank.fract() == 0.0);
    let rank = rank.and_then(|rank| format!("{rank}").parse().ok());
    rank.ok_or_else(|| field.wrong("a whole number from 1"))
}

fn items<T>(
    field: &Field<'_, '_>,
    expected: &str,
    convert: impl Fn(Literal) -> Option<T>,
) -> Result<Option<Vec<T>>, Problem> {
    let Some(text) = field.text()? else { return Ok(None) };
    let items = literal::list(&text);
    let converted = items.and_then(|items| items.into_iter().map(convert).collect());
    converted.map(Some).ok_or_else(|| field.wrong(expected))
}

fn ids(field: &Field<'_, '_>) -> Result<Option<Vec<String>>, Problem> {
    let id = |item| match item {
        Literal::Text(id) => Some(id),
        Literal::Number(id) => Some(id.to_string()),
        Literal::None | Literal::Bool(_) => None,
    };
    items(field, "a Python list of ids", id)
}

/// Places of the labels that match.
fn matches(field: &Field<'_, '_>) -> Result<Vec<usize>, Problem> {
    let is_match = |item| match item {
        Literal::Number(number) => Some(number.total_cmp(&1.0).is_eq()),
        _ => None,
    };
    let labels = items(field, "a Python list of numbers", is_match)?.unwrap_or_default();
    Ok((0..labels.len()).filter(|&index| labels[index]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    const HEADER: &str = "index,type,multilabel_id,query,rank,eval_mode,answer,document_ids,exact_match,f1,document_id,gold_document_ids,gold_documents_id_match,gold_answers_match\n";

    fn table(rows: &str) -> Result<Node, String> {
        read(format!("{HEADER}{rows}").as_bytes(), node)
    }

    #[test]
    fn rows_are_answers_and_documents() {
        let found = table(
            "0,answer,m1,Who?,1.0,integrated,Bo,\"['d\\'1', 'd2']\",1.0,0.5,,,,\n\
             1,document,m1,Who?,2,,,,,,d1,\"['d1', 7]\",\"[1.0, 0.0]\",\"[0, 1.0]\"\n",
        );
        let place = Place {
            multilabel_id: "m1".to_owned(),
            query: "Who?".to_owned(),
            rank: 1,
            eval_mode: Some("integrated".to_owned()),
        };
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let answer = Answer {
            place: place.clone(),
            answer: "Bo".to_owned(),
            document_ids: texts(&["d'1", "d2"]),
            exact_match: Some(1.0),
            f1: Some(0.5),
            sas: None,
        };
        let document = Document {
            place: Place { rank: 2, eval_mode: None, ..place },
            document_id: "d1".to_owned(),
            gold_document_ids: texts(&["d1", "7"]),
            id_matches: vec![0],
            answer_matches: vec![1],
        };
        let name = "file".to_owned();
        assert_eq!(found, Ok(Node { name, answers: vec![answer], documents: vec![document] }));
    }

    #[test]
    fn errors_say_where_and_what() {
        let refused = |rows: &str, expected: &str| assert_eq!(table(rows).unwrap_err(), expected);
        refused(
            "0,node,m1,Who?,1,,,,,,,,,\n",
            "`file`, line 2: field `type` is `node`, expected `answer` or `document`",
        );
        refused(
            "0,answer,m1,Who?,0.5,,,,,,,,,\n",
            "`file`, line 2: field `rank` is `0.5`, expected a whole number from 1",
        );
        refused(
            "0,answer,m1,Who?,1,,x,d1,,,,,,\n",
            "`file`, line 2: field `document_ids` is `d1`, expected a Python list of ids",
        );
        refused(
            "0,document,m1,Who?,1,,,,,,d1,[],[],\n",
            "`file`, line 2: a row with a document has no `gold_answers_match`\n\
             hint: older versions of Haystack 1.x do not write it",
        );
        refused("", "`file`: the file is empty: there is nothing to evaluate");
    }

    #[test]
    fn a_folder_has_a_table_for_each_node() {
        let folder = tempfile::tempdir().unwrap();
        let row = "0,answer,m1,Who?,1,,x,,,,,,,\n";
        for name in ["Reader.csv", "Another.csv", "notes.txt"] {
            fs::write(folder.path().join(name), format!("{HEADER}{row}")).unwrap();
        }
        let names: Vec<String> =
            nodes(folder.path()).unwrap().into_iter().map(|node| node.name).collect();
        assert_eq!(names, ["Another", "Reader"]);
        let empty = tempfile::tempdir().unwrap();
        assert!(nodes(empty.path()).unwrap_err().message.contains("`.csv`"));
    }
}
