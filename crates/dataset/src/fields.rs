//! Which field of a file plays which role.
//!
//! A role that isn't mapped is read from the field of its own name, if the record has one. A role
//! that is mapped must be found. A role mapped to the empty name is not read at all. One field
//! may play several roles: where a dataset has no ids, the question can serve as one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Problem;

/// Names of the fields of a dataset. Nested fields are written with dots, as `meta.topic`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DatasetFields {
    /// Unique id of the example: a text or a whole number. Required.
    pub id: Option<String>,
    /// The question: a text.
    pub question: Option<String>,
    /// The acceptable answers: a text, a list of texts, a list of `{"text": ..}`, or null.
    pub references: Option<String>,
    /// The text that holds the answer.
    pub context: Option<String>,
    /// Ids of the passages that hold the answer: one, a list, or null.
    pub gold_passages: Option<String>,
    /// Id of the dialog or document that the example belongs to.
    pub group: Option<String>,
    /// Place in the dialog, from 0.
    pub turn: Option<String>,
    /// Earlier questions of the dialog: a list of objects with `question` and `answer`.
    pub history: Option<String>,
    /// The answer of a system, when it stands in the dataset itself; null abstains.
    pub prediction: Option<String>,
    /// How sure the system is of it.
    pub confidence: Option<String>,
    /// Ids of the passages that the system saw, in order.
    pub hits: Option<String>,
    /// Ids of the passages that it gives as support.
    pub citations: Option<String>,
    /// Somebody's verdict on the answer: yes or no.
    pub verdict: Option<String>,
    /// Closed answers beside it, by their names. They have no fields but those named here: the field
    /// of the same name is the dataset's own label.
    pub labels: BTreeMap<String, String>,
}

/// Names of the fields of a predictions file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PredictionFields {
    /// Id of the example. Required.
    pub id: Option<String>,
    /// The answer: a text, or null for an abstention. Required where the record doesn't say where
    /// the answer stands.
    pub prediction: Option<String>,
    /// All that the system would answer, best first: a list of texts, or of objects with `text` and
    /// perhaps `confidence`, `start`, `end` and `passage_id`.
    pub candidates: Option<String>,
    /// How sure the system is of it: a number.
    pub confidence: Option<String>,
    /// Ids of the passages that the system saw, in order.
    pub hits: Option<String>,
    /// Ids of the passages that it gives as support.
    pub citations: Option<String>,
    /// Somebody's verdict on the answer: yes or no.
    pub verdict: Option<String>,
    /// Where the answer begins in the context, in code points.
    pub start: Option<String>,
    /// Where it ends: the place behind its last code point.
    pub end: Option<String>,
    /// Both of them, as a list of two numbers.
    pub span: Option<String>,
    /// Closed answers beside the text, by their names.
    pub labels: BTreeMap<String, String>,
}

/// Names of the fields of a corpus; in a TREC stream, names of its elements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CorpusFields {
    /// Unique id of the passage. Required.
    pub id: Option<String>,
    /// Its heading.
    pub title: Option<String>,
    /// Its text. Required.
    pub text: Option<String>,
    /// Id of the document that it is a part of. Records may lack the field.
    pub document: Option<String>,
    /// Id of the passage that replaced it. Records may lack the field.
    pub superseded_by: Option<String>,
}

/// How much a reader insists on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// A record may lack it.
    Never,
    /// Some record of the file must have it, or its name is a mistake.
    Somewhere,
    /// Every record must have it.
    Always,
}

/// The fields that a reader wants, each once. The place of a field in the list is its slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) fields: Vec<WantedField>,
}

/// One wanted field.
#[derive(Clone, Debug)]
pub(crate) struct WantedField {
    /// Its name, with dots between the levels.
    pub(crate) name: String,
    /// The role that it plays; `None` for a column that is wanted for itself.
    pub(crate) role: Option<&'static str>,
    pub(crate) need: Need,
    /// Slots of fields any of which stands in for it.
    pub(crate) stand_ins: Vec<usize>,
}

impl Wanted {
    /// A role that is always needed.
    pub(crate) fn required(&mut self, role: &'static str, mapped: Option<&String>) -> usize {
        self.add(mapped.map_or(role, String::as_str), Some(role), Need::Always)
    }

    /// A role that is needed as much as this when it is mapped, and not at all otherwise; `None`
    /// for one that is not to be read.
    pub(crate) fn role(
        &mut self,
        role: &'static str,
        mapped: Option<&String>,
        need: Need,
    ) -> Option<usize> {
        match mapped.map(String::as_str) {
            None => Some(self.add(role, Some(role), Need::Never)),
            Some("") => None,
            Some(name) => Some(self.add(name, Some(role), need)),
        }
    }

    /// A role that is always needed, but where the record has one of these fields: then only if it
    /// is mapped.
    pub(crate) fn required_without(
        &mut self,
        role: &'static str,
        mapped: Option<&String>,
        stand_ins: Vec<usize>,
    ) -> usize {
        let slot = self.required(role, mapped);
        if mapped.is_none() {
            self.fields[slot].stand_ins = stand_ins;
        }
        slot
    }

    /// A field of a format with fixed names that is always needed.
    pub(crate) fn fixed(&mut self, name: &str) -> usize {
        self.add(name, None, Need::Always)
    }

    /// Nobody can name the fields: the hints must not ask for it.
    pub(crate) fn with_fixed_names(mut self) -> Self {
        for field in &mut self.fields {
            field.role = None;
        }
        self
    }

    /// A column that is wanted for itself.
    pub(crate) fn column(&mut self, name: &str) -> usize {
        self.add(name, None, Need::Somewhere)
    }

    /// A column that is wanted for itself where there is one.
    pub(crate) fn optional_column(&mut self, name: &str) -> usize {
        self.add(name, None, Need::Never)
    }

    fn add(&mut self, name: &str, role: Option<&'static str>, need: Need) -> usize {
        if let Some(slot) = self.fields.iter().position(|field| field.name == name) {
            let field = &mut self.fields[slot];
            if need > field.need {
                (field.need, field.role) = (need, role);
            }
            return slot;
        }
        let field = WantedField { name: name.to_owned(), role, need, stand_ins: Vec::new() };
        self.fields.push(field);
        self.fields.len() - 1
    }
}

/// Refuses a column that a format with fixed names does not offer.
pub(crate) fn check_offered(columns: &[String], offered: &[&str]) -> Result<(), Problem> {
    match columns.iter().find(|name| !offered.contains(&name.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let offered: Vec<String> = offered.iter().map(|&name| name.to_owned()).collect();
            let only = if offered.is_empty() {
                "it has none".to_owned()
            } else {
                format!("only {}", list(&offered))
            };
            Err(Problem::new(format!("the format has no column `{unknown}`, {only}")))
        }
    }
}

impl WantedField {
    /// The field is not among these; `whole` is what they are the fields of.
    pub(crate) fn missing(&self, whole: &str, present: &[String]) -> Problem {
        let Self { name, .. } = self;
        let problem =
            Problem::new(format!("field `{name}` is missing; {whole} has {}", list(present)));
        self.hinted(problem, present)
    }

    /// No record of the file has the field; the first record has these.
    pub(crate) fn nowhere(&self, present: &[String]) -> Problem {
        let Self { name, .. } = self;
        let message = format!("no record has the field `{name}`; the first has {}", list(present));
        self.hinted(Problem::new(message), present)
    }

    fn hinted(&self, problem: Problem, present: &[String]) -> Problem {
        match (self.role, similar(&self.name, self.role, present)) {
            (Some(role), Some(near)) => problem
                .with_hint(format!("name the right field: `fields = {{ {role} = \"{near}\" }}`")),
            (None, Some(near)) => problem.with_hint(format!("did you mean `{near}`?")),
            (Some(role), None) => {
                problem.with_hint(format!("name the right field: `fields = {{ {role} = \"..\" }}`"))
            }
            (None, None) => problem,
        }
    }
}

/// Names in backticks; the first twenty of them.
pub(crate) fn list(names: &[String]) -> String {
    const SHOWN: usize = 20;
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &tail
}

/// The name that was probably meant.
pub(crate) fn similar<'a>(
    name: &str,
    role: Option<&str>,
    present: &'a [String],
) -> Option<&'a String> {
    let by_custom = || {
        let names = CUSTOMARY.iter().find(|(known, _)| Some(*known) == role)?.1;
        names.iter().find_map(|&known| present.iter().find(|p| p.eq_ignore_ascii_case(known)))
    };
    let by_spelling = || {
        let rated = present.iter().map(|p| {
            let (a, b) = (p.to_lowercase(), name.to_lowercase());
            (strsim::normalized_damerau_levenshtein(&a, &b), p)
        });
        let best = rated.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (best.0 >= 0.6).then_some(best.1)
    };
    by_spelling().or_else(by_custom)
}

/// What others call the roles. Used for hints alone, never to read a file.
const CUSTOMARY: &[(&str, &[&str])] = &[
    ("id", &["_id", "qid", "question_id", "example_id", "query_id", "docno", "docid", "uid"]),
    ("question", &["query", "input", "prompt", "text"]),
    ("references", &["answers", "answer", "golden_answers", "gold", "target", "targets", "label"]),
    ("prediction", &["answer", "output", "response", "pred", "generated", "completion", "text"]),
    ("confidence", &["probability", "prob", "p", "score"]),
    ("candidates", &["answers", "predictions", "nbest"]),
    ("context", &["passage", "paragraph", "document"]),
    ("gold_passages", &["gold", "positive_passages", "supporting_facts", "positives"]),
    ("hits", &["context_ids", "passage_ids", "retrieved", "doc_ids"]),
    ("citations", &["cited", "sources", "references"]),
    ("start", &["span_start", "answer_start", "start_char", "start_index", "begin"]),
    ("end", &["span_end", "answer_end", "end_char", "end_index"]),
    ("span", &["answer_span", "offsets"]),
    ("text", &["contents", "content", "body", "passage"]),
    ("title", &["heading", "name"]),
    ("document", &["document_id", "doc_id", "source"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_is_found_by_spelling_or_by_custom() {
        let present =
            |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let find = |name: &str, role: Option<&str>, names: &[&str]| {
            similar(name, role, &present(names)).cloned()
        };
        assert_eq!(find("anwsers", None, &["answers", "id"]).as_deref(), Some("answers"));
        assert_eq!(find("ID", Some("id"), &["id"]).as_deref(), Some("id"));
        let answers = find("references", Some("references"), &["id", "answers"]);
        assert_eq!(answers.as_deref(), Some("answers"));
        assert_eq!(find("references", None, &["id", "answers"]), None);
        assert_eq!(find("x", None, &[]), None);
    }

    #[test]
    fn a_field_with_two_roles_is_wanted_once_and_as_much_as_the_stricter_says() {
        let mut wanted = Wanted::default();
        let question = wanted.role("question", None, Need::Always);
        let id = wanted.required("id", Some(&"question".to_owned()));
        assert_eq!((question, id), (Some(0), 0));
        assert_eq!((wanted.fields[0].role, wanted.fields[0].need), (Some("id"), Need::Always));
        assert_eq!(wanted.role("context", Some(&String::new()), Need::Always), None);
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..22).map(|i| i.to_string()).collect();
        assert!(list(&names).ends_with("`18`, `19` and 2 more"));
        assert_eq!(list(&[]), "none");
    }
}
