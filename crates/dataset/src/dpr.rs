//! DPR's results of a retrieval: a list of questions, each with its answers and the passages that
//! were found. It is a dataset, a run and a corpus at once.
//!
//! Questions have no ids, so their texts are the ids. That a passage holds an answer is said of the
//! retrieved ones alone, so these are no gold passages: a question for which none was found would
//! not count at all. `AnswerRecall@k` looks for the answers itself.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

use qeval_core::{Example, Passage, Value};
use serde::Deserialize;

use crate::{
    Error, Place, Problem, Record, dataset::RecordStream, document::Document, fields::check_offered,
};

/// The questions of a file.
pub(crate) struct Retrieved {
    items: Items,
    columns: Vec<String>,
}

/// The items of the list.
struct Items {
    document: Document,
    /// Questions read so far.
    count: u64,
}

#[derive(Deserialize)]
struct Item {
    question: String,
    answers: Vec<String>,
    #[serde(default, rename = "ctxs")]
    contexts: Vec<Context>,
}

/// A passage that was found.
#[derive(Deserialize)]
struct Context {
    id: Id,
    title: Option<String>,
    #[serde(default)]
    text: String,
    score: Option<Id>,
    has_answer: Option<bool>,
}

/// A text, or a number as a text.
struct Id(String);

impl Items {
    fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { document: Document::open_list(path)?, count: 0 })
    }

    fn next(&mut self) -> Result<Option<Item>, Error> {
        self.count += 1;
        self.document.next()
    }

    fn error(&self, problem: Problem) -> Error {
        problem.at(self.document.path(), Place::record(self.count))
    }
}

impl Retrieved {
    pub(crate) fn open(path: &Path, columns: &[String]) -> Result<Self, Error> {
        check_offered(columns, &["has_answer"]).map_err(|problem| problem.of_file(path))?;
        Ok(Self { items: Items::open(path)?, columns: columns.to_vec() })
    }
}

impl RecordStream for Retrieved {
    fn next(&mut self) -> Result<Option<Record>, Error> {
        let Some(Item { question, answers, contexts }) = self.items.next()? else {
            return Ok(None);
        };
        if question.is_empty() {
            return Err(self.items.error(Problem::new("field `question` is empty")));
        }
        let found = contexts.iter().any(|context| context.has_answer == Some(true));
        let value = |name: &String| (name.clone(), Value::Bool(found));
        Ok(Some(Record::from(Example {
            id: question.clone(),
            question,
            references: answers.into_iter().map(Into::into).collect(),
            columns: self.columns.iter().map(value).collect(),
            ..Example::default()
        })))
    }
}

/// The rankings of a file, by question.
pub(crate) struct Rankings {
    items: Items,
    known: HashSet<String>,
}

/// Passages with their scores.
type Scored = Vec<(String, f64)>;

/// Opens the rankings of a file.
pub(crate) fn rankings(path: &Path) -> Result<Rankings, Error> {
    Ok(Rankings { items: Items::open(path)?, known: HashSet::new() })
}

impl Rankings {
    /// The next question with its passages and their scores.
    pub(crate) fn next(&mut self) -> Result<Option<(String, Scored)>, Error> {
        let Some(Item { question, contexts, .. }) = self.items.next()? else { return Ok(None) };
        if !self.known.insert(question.clone()) {
            let message = format!("question `{question}` is in the file twice");
            return Err(self.items.error(Problem::new(message)));
        }
        let hits: Result<Scored, Problem> = contexts.into_iter().map(hit).collect();
        let hits = hits.map_err(|problem| self.items.error(problem))?;
        Ok(Some((question, hits)))
    }

    /// Number of the last question, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.items.count
    }

    pub(crate) fn error(&self, problem: Problem) -> Error {
        self.items.error(problem)
    }
}

fn hit(context: Context) -> Result<(String, f64), Problem> {
    let Context { id: Id(passage), score, .. } = context;
    let score = score.ok_or_else(|| Problem::new(format!("passage `{passage}` has no `score`")))?;
    let number = score.0.trim().parse().ok().filter(|score: &f64| !score.is_nan());
    let Some(score) = number else {
        let message = format!("the score of passage `{passage}` is `{}`", score.0);
        return Err(Problem::new(format!("{message}, expected a number")));
    };
    Ok((passage, score))
}

/// The passages of the file with the questions where each is first, as numbers from 1.
pub(crate) fn passages(path: &Path) -> Result<Vec<(Passage, u64)>, Error> {
    let mut items = Items::open(path)?;
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut passages: Vec<(Passage, u64)> = Vec::new();
    while let Some(Item { contexts, .. }) = items.next()? {
        for Context { id: Id(id), title, text, .. } in contexts {
            let title = title.unwrap_or_default();
            match places.get(&id).map(|&place| &passages[place].0) {
                Some(known) if known.title == title && known.text == text => {}
                Some(_) => {
                    let message = format!("passage `{id}` has another text than before");
                    return Err(items.error(Problem::new(message)));
                }
                None => {
                    places.insert(id.clone(), passages.len());
                    let passage = Passage { id, title, text, ..Passage::default() };
                    passages.push((passage, items.count));
                }
            }
        }
    }
    Ok(passages)
}

/// Whether the file is a JSON list of objects, and so no TREC run.
pub(crate) fn is_list(text: &str) -> bool {
    text.trim_start().strip_prefix('[').is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.is_empty() || rest.starts_with('{')
    })
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl serde::de::Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text or a number")
    }

    fn visit_str<E>(self, text: &str) -> Result<Id, E> {
        Ok(Id(text.to_owned()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Id, E> {
        Ok(Id(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Id, E> {
        Ok(Id(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Id, E> {
        Ok(Id(number.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::{Ties, Value};

    use crate::{
        CorpusFormat, CorpusSource,
        DatasetFormat::Dpr,
        corpus, run,
        testing::{read, records},
    };

    const FILE: &str = r#"[{"question": "who?", "answers": ["Ann", "Bo"], "ctxs": [
        {"id": "wiki:1", "title": "A", "text": "Ann did.", "score": "80.5", "has_answer": true},
        {"id": 2, "text": "Nobody.", "score": 81, "has_answer": false}]},
        {"question": "why?", "answers": [], "ctxs": [
        {"id": "2", "title": "", "text": "Nobody.", "score": -1e-3}]}]"#;

    #[test]
    fn one_file_is_a_dataset_a_run_and_a_corpus() {
        let found = records(Dpr, FILE.as_bytes(), |source| {
            source.columns = vec!["has_answer".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!((first.example.id.as_str(), first.example.references.len()), ("who?", 2));
        assert_eq!(first.example.columns["has_answer"], Value::Bool(true));
        assert_eq!(second.example.columns["has_answer"], Value::Bool(false));

        let rankings = read(FILE.as_bytes(), |path| run(path, Ties::Docno)).unwrap();
        let hits: Vec<(&str, f64)> =
            rankings["who?"].hits().iter().map(|hit| (hit.passage, hit.score)).collect();
        assert_eq!((rankings.len(), hits), (2, vec![("2", 81.0), ("wiki:1", 80.5)]));

        let passages =
            read(FILE.as_bytes(), |path| corpus(&CorpusSource::new(path, CorpusFormat::Dpr)));
        let passages = passages.unwrap();
        let passages: Vec<(&str, &str)> =
            passages.iter().map(|passage| (passage.id.as_str(), passage.title.as_str())).collect();
        assert_eq!(passages, [("wiki:1", "A"), ("2", "")]);
    }

    #[test]
    fn errors_say_where_and_what() {
        let rankings = |from: &str, to: &str| {
            let file = FILE.replace(from, to);
            read(file.as_bytes(), |path| run(path, Ties::Docno).map(drop)).unwrap_err()
        };
        let expected =
            "`file`, record 1: the score of passage `wiki:1` is `high`, expected a number";
        assert_eq!(rankings("80.5", "high"), expected);
        let expected = "`file`, record 2: passage `2` has no `score`";
        assert_eq!(rankings(", \"score\": -1e-3", ""), expected);
        let expected = "`file`, record 1: query `who?`: passage `2` is retrieved twice";
        assert_eq!(rankings("wiki:1", "2"), expected);
        let expected = "`file`, record 2: question `who?` is in the file twice";
        assert_eq!(rankings("why?", "who?"), expected);
        let twice = read(FILE.replacen("Nobody.", "No.", 1).as_bytes(), |path| {
            corpus(&CorpusSource::new(path, CorpusFormat::Dpr)).map(drop)
        });
        let expected = "`file`, record 2: passage `2` has another text than before";
        assert_eq!(twice.unwrap_err(), expected);
    }
}
