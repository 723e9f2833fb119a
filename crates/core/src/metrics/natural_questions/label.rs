//! What an annotator or a system says, and the columns in which it stands.
//!
//! A span is a list of four whole numbers: its first byte and the byte behind it, its first token and
//! the token behind it; -1 twice where it has no bytes or no tokens.

use std::collections::BTreeMap;

use crate::Value;

/// Column of the example: the long answer of each annotator, a span.
pub const LONG_ANSWERS: &str = "long_answers";

/// Column of the example: the short answers of each annotator, a list of spans. Column of the
/// prediction: its short answer, a list of spans.
pub const SHORT_ANSWERS: &str = "short_answers";

/// Column of the example: `yes`, `no` or `none` of each annotator.
pub const YES_NO_ANSWERS: &str = "yes_no_answers";

/// Column of the prediction: its long answer, a span.
pub const LONG_ANSWER: &str = "long_answer";

/// Column of the prediction: `yes`, `no` or `none`.
pub const YES_NO_ANSWER: &str = "yes_no_answer";

/// Column of the prediction: how sure the system is of its long answer.
pub const LONG_SCORE: &str = "long_answer_score";

/// Column of the prediction: how sure it is of its short answer.
pub const SHORT_SCORE: &str = "short_answers_score";

/// A span of a page, by bytes, by tokens, or by both; null where it is neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    bytes: Option<(i64, i64)>,
    tokens: Option<(i64, i64)>,
}

/// A pair of numbers that is no span: only one of them is negative, or the start is not before the
/// end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` to `{1}` is no span")]
pub struct InvalidSpan(pub i64, pub i64);

impl Span {
    /// A span as the files write it: -1 twice where it has no bytes or no tokens.
    pub fn new(bytes: (i64, i64), tokens: (i64, i64)) -> Result<Self, InvalidSpan> {
        Ok(Self { bytes: pair(bytes)?, tokens: pair(tokens)? })
    }

    /// The first byte and the byte behind the last.
    pub fn bytes(self) -> Option<(i64, i64)> {
        self.bytes
    }

    /// The first token and the token behind the last.
    pub fn tokens(self) -> Option<(i64, i64)> {
        self.tokens
    }

    /// Whether it is no place at all.
    pub fn is_null(self) -> bool {
        self.bytes.is_none() && self.tokens.is_none()
    }

    /// Equal by bytes or by tokens; what one of them lacks is not compared.
    pub(super) fn matches(self, other: Self) -> bool {
        let same = |a: Option<(i64, i64)>, b: Option<(i64, i64)>| a.is_some() && a == b;
        same(self.bytes, other.bytes) || same(self.tokens, other.tokens)
    }

    fn value(self) -> Value {
        let pair = |pair: Option<(i64, i64)>| {
            let (start, end) = pair.unwrap_or((-1, -1));
            [Value::Integer(start), Value::Integer(end)]
        };
        Value::List([pair(self.bytes), pair(self.tokens)].concat())
    }

    fn read(value: &Value, column: &'static str) -> Result<Self, LabelError> {
        let wrong = LabelError::Wrong { column, expected: "spans of four whole numbers" };
        let Value::List(items) = value else { return Err(wrong) };
        let [
            Value::Integer(start_byte),
            Value::Integer(end_byte),
            Value::Integer(start),
            Value::Integer(end),
        ] = items[..]
        else {
            return Err(wrong);
        };
        Self::new((start_byte, end_byte), (start, end))
            .map_err(|error| LabelError::Span { column, error })
    }
}

fn pair((start, end): (i64, i64)) -> Result<Option<(i64, i64)>, InvalidSpan> {
    match (start < 0, end < 0) {
        (true, true) => Ok(None),
        (false, false) if start < end => Ok(Some((start, end))),
        _ => Err(InvalidSpan(start, end)),
    }
}

/// A question that is answered with yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}

impl YesNo {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
        }
    }
}

/// `yes`, `no` or `none` in any case of letters; `None` for another word.
pub fn yes_no(word: &str) -> Option<Option<YesNo>> {
    let is = |known: &str| word.eq_ignore_ascii_case(known);
    match () {
        () if is("yes") => Some(Some(YesNo::Yes)),
        () if is("no") => Some(Some(YesNo::No)),
        () if is(NONE) => Some(None),
        () => None,
    }
}

/// The word for neither yes nor no.
const NONE: &str = "none";

/// What an annotator or a system says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The passage that answers; null for none.
    pub long: Span,
    /// The spans of the short answer.
    pub short: Vec<Span>,
    /// The answer yes or no, instead of spans.
    pub yes_no: Option<YesNo>,
}

/// Why columns have no label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// There is no such column.
    #[error("has no column `{0}`")]
    Missing(&'static str),
    /// The column holds something else.
    #[error("has a column `{column}` that holds something else than {expected}")]
    Wrong {
        /// The column.
        column: &'static str,
        /// What it should hold.
        expected: &'static str,
    },
    /// The column holds four numbers that are no span.
    #[error("has a column `{column}` in which {error}")]
    Span {
        /// The column.
        column: &'static str,
        /// The numbers.
        error: InvalidSpan,
    },
    /// The lists of the two columns have not one item for each annotator.
    #[error("has columns `{SHORT_ANSWERS}` and `{YES_NO_ANSWERS}` of different lengths")]
    Lengths,
}

type Columns = BTreeMap<String, Value>;

impl Label {
    /// The spans of the short answer that are some place.
    pub fn spans(&self) -> impl Iterator<Item = Span> + Clone {
        self.short.iter().copied().filter(|span| !span.is_null())
    }

    /// Whether there is a short answer: spans, or yes or no.
    pub fn has_short(&self) -> bool {
        self.yes_no.is_some() || self.spans().next().is_some()
    }

    /// The columns of an example that these annotators have labelled.
    pub fn columns_of_example(annotators: &[Self]) -> [(&'static str, Value); 3] {
        let list = |of: fn(&Self) -> Value| Value::List(annotators.iter().map(of).collect());
        [
            (LONG_ANSWERS, list(|label| label.long.value())),
            (SHORT_ANSWERS, list(Self::short_value)),
            (YES_NO_ANSWERS, list(Self::yes_no_value)),
        ]
    }

    /// The columns of a prediction that says this; those of its scores are not among them.
    pub fn columns_of_prediction(&self) -> [(&'static str, Value); 3] {
        [
            (LONG_ANSWER, self.long.value()),
            (SHORT_ANSWERS, self.short_value()),
            (YES_NO_ANSWER, self.yes_no_value()),
        ]
    }

    fn short_value(&self) -> Value {
        Value::List(self.short.iter().map(|span| span.value()).collect())
    }

    fn yes_no_value(&self) -> Value {
        Value::Text(self.yes_no.map_or(NONE, YesNo::word).to_owned())
    }

    /// The long answers of all annotators of an example, and no more of what they say.
    pub(super) fn long_answers(columns: &Columns) -> Result<Vec<Self>, LabelError> {
        let spans = spans(column(columns, LONG_ANSWERS)?, LONG_ANSWERS)?;
        Ok(spans.into_iter().map(|long| Self { long, ..Self::default() }).collect())
    }

    /// The short answers of all annotators, and no more of what they say.
    pub(super) fn short_answers(columns: &Columns) -> Result<Vec<Self>, LabelError> {
        let short = items(column(columns, SHORT_ANSWERS)?, SHORT_ANSWERS)?;
        let words = items(column(columns, YES_NO_ANSWERS)?, YES_NO_ANSWERS)?;
        if short.len() != words.len() {
            return Err(LabelError::Lengths);
        }
        let label = |(short, word)| {
            let (short, yes_no) = (spans(short, SHORT_ANSWERS)?, closed(word, YES_NO_ANSWERS)?);
            Ok(Self { short, yes_no, ..Self::default() })
        };
        short.iter().zip(words).map(label).collect()
    }

    /// The long answer of a prediction, and no more of what it says.
    pub(super) fn long_answer(columns: &Columns) -> Result<Self, LabelError> {
        let long = Span::read(column(columns, LONG_ANSWER)?, LONG_ANSWER)?;
        Ok(Self { long, ..Self::default() })
    }

    /// The short answer of a prediction, and no more of what it says.
    pub(super) fn short_answer(columns: &Columns) -> Result<Self, LabelError> {
        let short = spans(column(columns, SHORT_ANSWERS)?, SHORT_ANSWERS)?;
        let yes_no = closed(column(columns, YES_NO_ANSWER)?, YES_NO_ANSWER)?;
        Ok(Self { short, yes_no, ..Self::default() })
    }
}

/// The finite number in a column.
pub(super) fn score(columns: &Columns, name: &'static str) -> Result<f64, LabelError> {
    let number = match column(columns, name)? {
        Value::Number(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    };
    let wrong = LabelError::Wrong { column: name, expected: "a finite number" };
    number.filter(|number| number.is_finite()).ok_or(wrong)
}

fn column<'a>(columns: &'a Columns, name: &'static str) -> Result<&'a Value, LabelError> {
    columns.get(name).ok_or(LabelError::Missing(name))
}

fn items<'a>(value: &'a Value, column: &'static str) -> Result<&'a [Value], LabelError> {
    match value {
        Value::List(items) => Ok(items),
        _ => Err(LabelError::Wrong { column, expected: "a list" }),
    }
}

fn spans(value: &Value, column: &'static str) -> Result<Vec<Span>, LabelError> {
    items(value, column)?.iter().map(|item| Span::read(item, column)).collect()
}

fn closed(value: &Value, column: &'static str) -> Result<Option<YesNo>, LabelError> {
    let word = match value {
        Value::Text(word) => yes_no(word),
        _ => None,
    };
    word.ok_or(LabelError::Wrong { column, expected: "yes, no or none" })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOWHERE: (i64, i64) = (-1, -1);

    #[test]
    fn spans_are_equal_by_bytes_or_by_tokens() {
        let span = |bytes, tokens| Span::new(bytes, tokens).unwrap();
        assert!(span((0, 9), (1, 2)).matches(span((0, 9), (3, 4))));
        assert!(span((0, 9), (1, 2)).matches(span((0, 8), (1, 2))));
        assert!(span((0, 9), (1, 2)).matches(span(NOWHERE, (1, 2))));
        assert!(!span((0, 9), NOWHERE).matches(span(NOWHERE, (1, 2))));
        assert_eq!(Span::new((5, 5), NOWHERE), Err(InvalidSpan(5, 5)));
        assert_eq!(Span::new((-1, 5), NOWHERE), Err(InvalidSpan(-1, 5)));
        assert!(span(NOWHERE, NOWHERE).is_null());
    }

    #[test]
    fn columns_that_are_no_labels_say_why() {
        let span = |numbers: &[i64]| {
            Value::List(numbers.iter().map(|&number| Value::Integer(number)).collect())
        };
        let text = |text: &str| Value::Text(text.to_owned());
        let list = |item: Value| Value::List(vec![item]);
        let check = |column: &str, value: Value, expected: &str| {
            let mut columns: Columns =
                Label::columns_of_example(&[Label::default()]).map(own).into();
            columns.insert(column.to_owned(), value);
            let long = Label::long_answers(&columns).err();
            let error = long.or(Label::short_answers(&columns).err()).unwrap();
            assert_eq!(error.to_string(), expected);
        };
        let shape = "has a column `long_answers` that holds something else than";
        check(LONG_ANSWERS, text("x"), &format!("{shape} a list"));
        check(LONG_ANSWERS, span(&[1]), &format!("{shape} spans of four whole numbers"));
        check(LONG_ANSWERS, list(span(&[1, 2])), &format!("{shape} spans of four whole numbers"));
        let expected = "has a column `long_answers` in which `4` to `3` is no span";
        check(LONG_ANSWERS, list(span(&[-1, -1, 4, 3])), expected);
        let lengths = "has columns `short_answers` and `yes_no_answers` of different lengths";
        check(SHORT_ANSWERS, Value::List(vec![]), lengths);
        let expected =
            "has a column `yes_no_answers` that holds something else than yes, no or none";
        check(YES_NO_ANSWERS, list(text("maybe")), expected);
        let missing = Label::long_answer(&Columns::new()).unwrap_err();
        assert_eq!(missing.to_string(), "has no column `long_answer`");
        let nan = [(LONG_SCORE.to_owned(), Value::Number(f64::NAN))].into();
        assert!(matches!(score(&nan, LONG_SCORE), Err(LabelError::Wrong { .. })));
    }

    fn own((name, value): (&str, Value)) -> (String, Value) {
        (name.to_owned(), value)
    }

    fn some_span() -> impl Strategy<Value = Span> {
        let pair =
            || prop_oneof![Just(NOWHERE), (0_i64..5, 1_i64..5).prop_map(|(a, n)| (a, a + n))];
        (pair(), pair()).prop_map(|(bytes, tokens)| Span::new(bytes, tokens).unwrap())
    }

    fn some_label() -> impl Strategy<Value = Label> {
        let yes_no = prop_oneof![Just(None), Just(Some(YesNo::Yes)), Just(Some(YesNo::No))];
        (some_span(), prop::collection::vec(some_span(), 0..3), yes_no)
            .prop_map(|(long, short, yes_no)| Label { long, short, yes_no })
    }

    proptest! {
        #[test]
        fn what_is_written_in_columns_is_read_again(
            labels in prop::collection::vec(some_label(), 0..4),
        ) {
            let columns = Label::columns_of_example(&labels).map(own).into();
            let long: Vec<Span> = labels.iter().map(|label| label.long).collect();
            let found = Label::long_answers(&columns).unwrap();
            prop_assert_eq!(found.iter().map(|label| label.long).collect::<Vec<_>>(), long);
            let short: Vec<Label> =
                labels.iter().map(|label| Label { long: Span::default(), ..label.clone() }).collect();
            prop_assert_eq!(Label::short_answers(&columns), Ok(short.clone()));
            for (label, short) in labels.iter().zip(short) {
                let columns = label.columns_of_prediction().map(own).into();
                prop_assert_eq!(Label::long_answer(&columns).unwrap().long, label.long);
                prop_assert_eq!(Label::short_answer(&columns), Ok(short));
            }
        }
    }
}
