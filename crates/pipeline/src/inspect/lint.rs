//! What looks like a mistake in the data.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

use qeval_core::{Example, Metric, Reference, metrics::normalize};
use qeval_dataset::Named;
use unicode_normalization::{is_nfc, is_nfd};

/// What to do where the ids of datasets are the same.
const SHARED: &str = "`{dataset}` in the path gives each dataset a file of its own";

/// Ids that a finding names.
const NAMED: usize = 5;

/// Something that looks like a mistake.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// The dataset or the reader that it is found in, where that must be said.
    pub of: Option<String>,
    /// How many examples it concerns; 0 for a whole column.
    pub count: u64,
    /// The ids of the first of them.
    pub examples: Vec<String>,
}

/// What can be found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A reference of which the normalisation leaves nothing: EM and F1 skip it.
    EmptyReference,
    /// A reference that repeats the question.
    ReferenceIsQuestion,
    /// A reference that the example's own context does not contain.
    AnswerNotInContext,
    /// A reference that does not stand where its offset says.
    WrongOffset,
    /// Two examples that ask the same of the same context.
    QuestionTwice,
    /// Blanks at the beginning or the end of such texts.
    BlanksAround(&'static str),
    /// Texts with letters that are composed in another way than in others.
    MixedForms,
    /// Predictions with letters that are composed in another way than in the references.
    OtherForm,
    /// A column to group by that has no value in any example.
    EmptySlice(String),
    /// A query of the judgments that the dataset lacks.
    UnknownJudgment,
    /// No example has a judgment in the file of them.
    NoJudgment,
    /// An example that the predictions lack.
    MissingPrediction,
    /// A prediction that is known by its place alone, which its example's context does not have.
    MisplacedPrediction,
    /// A prediction whose example the dataset lacks.
    UnknownPrediction,
    /// A prediction that examples of several datasets get, because their ids are the same.
    SharedPrediction,
    /// A metric that gives no answer a score.
    UnscoredMetric {
        /// Its name.
        metric: String,
        /// Why the first answer has none.
        reason: String,
    },
    /// A metric that gives every answer the same score.
    ConstantMetric {
        /// Its name.
        metric: String,
        /// The score.
        value: String,
    },
}

impl Finding {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, of: None, count: 0, examples: Vec::new() }
    }

    pub(super) fn count(&mut self, id: &str) {
        self.count += 1;
        if self.examples.len() < NAMED {
            self.examples.push(id.to_owned());
        }
    }

    /// Counts some of which only the first are named.
    pub(super) fn count_named(&mut self, named: &Named) {
        named.first.iter().for_each(|id| self.count(id));
        self.count += named.count - named.first.len() as u64;
    }
}

/// `golden: 3 references normalise to nothing (q1, q2, q7)`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(of) = &self.of {
            write!(f, "{of}: ")?;
        }
        let n = self.count;
        let noun = if n == 1 { "example" } else { "examples" };
        match &self.kind {
            Kind::EmptyReference => {
                write!(f, "{n} {noun} with a reference that normalises to nothing")
            }
            Kind::ReferenceIsQuestion => write!(f, "{n} {noun} whose reference is the question"),
            Kind::AnswerNotInContext => {
                write!(f, "{n} {noun} with a reference that is not in the context")
            }
            Kind::WrongOffset => {
                write!(f, "{n} {noun} with a reference that is not where its offset says")
            }
            Kind::QuestionTwice => write!(f, "{n} {noun} with a question that was asked before"),
            Kind::BlanksAround(what) => {
                write!(f, "{n} {noun} with blanks at the beginning or the end of {what}")
            }
            Kind::MixedForms => {
                write!(f, "{n} {noun} with letters that are composed otherwise than in other texts")
            }
            Kind::OtherForm => {
                let noun = if n == 1 { "prediction" } else { "predictions" };
                write!(
                    f,
                    "{n} {noun} with letters that are composed otherwise than in the references: \
                     `unicode=nfc` makes them one"
                )
            }
            Kind::EmptySlice(slice) => write!(f, "no example has a value in the slice `{slice}`"),
            Kind::UnknownJudgment => {
                let noun = if n == 1 { "query" } else { "queries" };
                let verb = if n == 1 { "is" } else { "are" };
                write!(f, "{n} {noun} of the judgments that {verb} not in the dataset")
            }
            Kind::NoJudgment => f.write_str("no example has judgments: the ids differ"),
            Kind::MissingPrediction => write!(f, "{n} {noun} without a prediction"),
            Kind::MisplacedPrediction => {
                write!(f, "{n} {noun} whose prediction is a place that is not in the context")
            }
            Kind::UnknownPrediction if n == 1 => {
                f.write_str("1 prediction whose example is not in the dataset")
            }
            Kind::UnknownPrediction => {
                write!(f, "{n} predictions whose examples are not in the dataset")
            }
            Kind::SharedPrediction => {
                let verb = if n == 1 { "prediction answers" } else { "predictions answer" };
                write!(
                    f,
                    "{n} {verb} examples of several datasets, whose ids are the same: {SHARED}"
                )
            }
            Kind::UnscoredMetric { metric, reason } => {
                write!(f, "{metric} scores no answer: {reason}")
            }
            Kind::ConstantMetric { metric, value } => {
                write!(f, "{metric} is {value} for every answer: it measures nothing here")
            }
        }?;
        if self.examples.is_empty() {
            return Ok(());
        }
        let more = if self.count > self.examples.len() as u64 { ", ..." } else { "" };
        write!(f, " ({}{more})", self.examples.join(", "))
    }
}

/// Whether a metric compares texts that are normalised as in SQuAD's scripts.
pub(super) fn normalizes(metric: &Metric) -> bool {
    let name = metric.definition().name;
    ["EM", "F1"].iter().any(|suffix| name == *suffix || name.ends_with(&format!(".{suffix}")))
}

/// What is wrong with an example by itself; each kind once. Whether a reference normalises to
/// nothing matters only where a metric `normalizes`.
pub(super) fn of_example(example: &Example, normalizes: bool) -> Vec<Kind> {
    let any = |wrong: &dyn Fn(&Reference) -> bool| example.references.iter().any(wrong);
    let question = example.question.trim();
    let context = example.context.as_deref();
    let mut found = Vec::new();
    if normalizes && any(&|reference| normalize::squad(&reference.text).is_empty()) {
        found.push(Kind::EmptyReference);
    }
    if !question.is_empty() && any(&|reference| reference.text.trim() == question) {
        found.push(Kind::ReferenceIsQuestion);
    }
    if let Some(context) = context {
        let placed = |reference: &Reference| reference.start.is_some();
        let closed = |text: &str| ["yes", "no"].iter().any(|word| text.eq_ignore_ascii_case(word));
        let elsewhere = |text: &str| !closed(text) && !context.contains(text);
        let missing = |reference: &Reference| match reference.items.as_slice() {
            [] => elsewhere(reference.text.trim()),
            items => items.iter().any(|item| elsewhere(item.trim())),
        };
        if any(&missing) {
            found.push(Kind::AnswerNotInContext);
        } else if any(&|reference| placed(reference) && !stands_there(context, reference)) {
            found.push(Kind::WrongOffset);
        }
    }
    if any(&|reference| has_blanks_around(&reference.text)) {
        found.push(Kind::BlanksAround("references"));
    }
    if has_blanks_around(&example.question) {
        found.push(Kind::BlanksAround("questions"));
    }
    found
}

fn stands_there(context: &str, reference: &Reference) -> bool {
    let start = reference.start.unwrap_or(0);
    let place = context.char_indices().map(|(at, _)| at).chain([context.len()]).nth(start);
    place.is_some_and(|place| context[place..].starts_with(&reference.text))
}

pub(super) fn has_blanks_around(text: &str) -> bool {
    let blank = |c: Option<char>| c.is_some_and(normalize::is_blank);
    blank(text.chars().next()) || blank(text.chars().next_back())
}

/// A number that the same question about the same context has too.
pub(super) fn fingerprint(example: &Example) -> u64 {
    let mut hasher = DefaultHasher::new();
    // A dialog may ask "Why?" at several turns.
    (&example.question, &example.context, &example.group, example.turn).hash(&mut hasher);
    hasher.finish()
}

/// In which forms letters with marks are written: composed (as in NFC), decomposed, or both.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Form {
    composed: bool,
    decomposed: bool,
}

impl Form {
    fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        texts.filter(|text| !text.is_ascii()).fold(Self::default(), |form, text| Self {
            composed: form.composed || !is_nfd(text),
            decomposed: form.decomposed || !is_nfc(text),
        })
    }

    fn is_both(self) -> bool {
        self.composed && self.decomposed
    }

    /// Whether there are letters with marks.
    fn is_some(self) -> bool {
        self.composed || self.decomposed
    }
}

/// Whether a prediction has another form than the references: the same word is another one.
pub(super) fn differs_in_form(prediction: &str, example: &Example) -> bool {
    if prediction.is_ascii() {
        return false;
    }
    let predicted = Form::of(std::iter::once(prediction));
    let references = Form::of(example.reference_texts());
    predicted.is_some() && references.is_some() && predicted != references && !references.is_both()
}

/// The forms of the texts of a dataset.
#[derive(Default)]
pub(super) struct Forms {
    composed: u64,
    others: Vec<String>,
    count: u64,
}

impl Forms {
    pub(super) fn look_at(&mut self, example: &Example) {
        let form = Form::of(example.reference_texts().chain([example.question.as_str()]));
        self.composed += u64::from(form.composed);
        if !form.decomposed {
            return;
        }
        self.count += 1;
        if self.others.len() < NAMED {
            self.others.push(example.id.clone());
        }
    }

    /// Both forms in one dataset: the same word may be two words.
    pub(super) fn finding(self) -> Option<Finding> {
        let mixed = self.composed > 0 && self.count > 0;
        mixed.then(|| Finding {
            count: self.count,
            examples: self.others,
            ..Finding::new(Kind::MixedForms)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(context: Option<&str>, references: &[(&str, Option<usize>)]) -> Example {
        let reference = |&(text, start): &(&str, _)| Reference { start, ..Reference::from(text) };
        Example {
            id: "q".to_owned(),
            question: "who built it?".to_owned(),
            context: context.map(str::to_owned),
            references: references.iter().map(reference).collect(),
            ..Example::default()
        }
    }

    #[test]
    fn an_example_is_looked_at_from_all_sides() {
        let found = |context, references: &[_]| of_example(&example(context, references), true);
        assert_eq!(found(Some("Ödön built it."), &[("Ödön", Some(0)), ("built", Some(5))]), []);
        assert_eq!(found(None, &[("The", None)]), [Kind::EmptyReference]);
        assert_eq!(of_example(&example(None, &[("A", None)]), false), []);
        assert_eq!(found(Some("It is so."), &[("Yes", None)]), []);
        assert_eq!(found(None, &[("who built it?", None)]), [Kind::ReferenceIsQuestion]);
        assert_eq!(found(Some("Ada"), &[("Eva", Some(0))]), [Kind::AnswerNotInContext]);
        assert_eq!(found(Some("Ödön, Ödön"), &[("Ödön", Some(7))]), [Kind::WrongOffset]);
        assert_eq!(found(Some("x"), &[("x", Some(9))]), [Kind::WrongOffset]);
        assert_eq!(found(None, &[("\u{a0}Ada", None)]), [Kind::BlanksAround("references")]);
    }

    #[test]
    fn two_forms_are_found_together_only() {
        let forms = |texts: &[&str]| {
            let mut forms = Forms::default();
            for text in texts {
                forms.look_at(&example(None, &[(text, None)]));
            }
            forms.finding().map(|finding| finding.to_string())
        };
        assert_eq!(forms(&["Zürich", "Bern"]), None);
        assert_eq!(forms(&["Zu\u{308}rich", "Bern"]), None);
        let mixed = "1 example with letters that are composed otherwise than in other texts (q)";
        assert_eq!(forms(&["Zu\u{308}rich", "Zürich"]).as_deref(), Some(mixed));
        assert_eq!(forms(&["Zu\u{308}rich", "Straße", "東京"]), None);
        let mut own = example(None, &[("Zu\u{308}rich", None)]);
        own.question = "Zürich?".to_owned();
        let mut forms = Forms::default();
        forms.look_at(&own);
        assert_eq!(forms.finding().map(|finding| finding.count), Some(1));
    }

    #[test]
    fn a_prediction_has_the_form_of_its_references_or_is_found() {
        let differs = |prediction: &str, reference: &str| {
            differs_in_form(prediction, &example(None, &[(reference, None)]))
        };
        assert!(differs("Zu\u{308}rich", "Zürich"));
        assert!(differs("Zürich", "Zu\u{308}rich"));
        assert!(!differs("Zürich", "Zürich"));
        assert!(!differs("Zu\u{308}rich", "Zu\u{308}rich"));
        assert!(!differs("Zürich", "Zurich"));
        assert!(!differs("Zurich", "Zürich"));
        assert!(!differs("Straße", "Zu\u{308}rich"));
    }
}
