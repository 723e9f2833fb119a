//! The scores of a batch as one Arrow record batch: what comes back over the plugin boundary, and
//! the checks on it. The columns are those of *Scores* in the specification.
//!
//! What comes back is not trusted: rows, types and values are checked before a score is used.

mod table;

use arrow_array::{Array, ArrayRef, Float64Array, ListArray, RecordBatch, StringArray};
use arrow_schema::DataType;
use qeval_core::{Score, Unscored};

use crate::{Columns, Failure, FailureKind, MetricDescriptor, ScorePart, Scores};

pub use table::encode;

/// What a column of scores must be.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Name of the column.
    pub name: String,
    /// Lowest and highest value.
    pub range: (f64, f64),
    /// Names of its statistics.
    pub statistics: Vec<String>,
}

impl Expected {
    /// What the column of that name must be for this metric.
    pub fn of(name: String, metric: &MetricDescriptor) -> Self {
        let statistics = metric.statistics.iter().map(|s| s.name.clone()).collect();
        Self { name, range: metric.range, statistics }
    }

    /// The numbers of groups, where they are in the range of the metric.
    pub fn check_numbers(&self, numbers: Vec<Option<f64>>) -> Result<Vec<Option<f64>>, Failure> {
        let (low, high) = self.range;
        match numbers.iter().flatten().find(|number| !(low..=high).contains(*number)) {
            None => Ok(numbers),
            Some(number) => {
                let name = &self.name;
                let message = format!(
                    "metric `{name}` of a group is {number}, outside its range of {low} to {high}"
                );
                Err(Failure::new(FailureKind::Value, message))
            }
        }
    }
}

/// A score that its metric cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongValue {
    /// Index of the metric.
    pub metric: usize,
    /// Index of the case.
    pub case: usize,
    /// Which number it is.
    name: String,
    /// What it is, and what was expected.
    problem: String,
}

impl WrongValue {
    /// The failure of the one score, which does not say of which example.
    pub fn failure(&self) -> Failure {
        Failure::new(FailureKind::Value, format!("{} is {}", self.name, self.problem))
    }

    /// The failure of the whole batch, in which the case has this id.
    fn of_example(&self, id: &str) -> Failure {
        let Self { name, problem, .. } = self;
        Failure::new(FailureKind::Value, format!("{name} of example `{id}` is {problem}"))
    }
}

/// Reads the scores that came back for so many cases, and finds those that their metrics cannot
/// have.
pub fn read(
    batch: &RecordBatch,
    metrics: &[Expected],
    cases: usize,
) -> Result<(Scores, Vec<WrongValue>), Failure> {
    if batch.num_rows() != cases {
        return Err(Failure::protocol(format!(
            "it gave {} rows of scores for {cases} cases",
            batch.num_rows(),
        )));
    }
    let columns: Columns =
        metrics.iter().map(|metric| column(batch, &metric.name)).collect::<Result<_, _>>()?;
    let mut wrong = wrong_values(&columns, metrics);
    let mut scores = Scores::from(columns);
    if metrics.iter().any(|metric| !metric.statistics.is_empty()) {
        let zipped = metrics.iter().zip(&scores.columns).enumerate();
        scores.statistics = zipped
            .map(|(index, (metric, column))| {
                let names = metric.statistics.iter();
                names
                    .map(|name| statistic(batch, (index, &metric.name), name, column, &mut wrong))
                    .collect()
            })
            .collect::<Result<_, Failure>>()?;
    }
    for (index, metric) in metrics.iter().enumerate() {
        append_parts(batch, (index, &metric.name), &mut scores.parts, &mut wrong)?;
    }
    Ok((scores, wrong))
}

/// Reads the scores that came back for the examples with these ids, all of which must be right.
pub fn decode(batch: &RecordBatch, metrics: &[Expected], ids: &[&str]) -> Result<Scores, Failure> {
    let (scores, wrong) = read(batch, metrics, ids.len())?;
    none_wrong(&wrong, ids).map(|()| scores)
}

/// Whether scores are what they must be: a column for each metric, a score for each example,
/// every value a number inside the range of its metric.
pub fn check(columns: &Columns, metrics: &[Expected], ids: &[&str]) -> Result<(), Failure> {
    if columns.len() != metrics.len() {
        return Err(Failure::protocol(format!(
            "it gave {} columns of scores for {} metrics",
            columns.len(),
            metrics.len()
        )));
    }
    for (metric, scores) in metrics.iter().zip(columns) {
        if scores.len() != ids.len() {
            return Err(Failure::protocol(format!(
                "metric `{}` has {} scores for {} cases",
                metric.name,
                scores.len(),
                ids.len()
            )));
        }
    }
    none_wrong(&wrong_values(columns, metrics), ids)
}

/// The first of them as the failure of the batch.
pub fn none_wrong(wrong: &[WrongValue], ids: &[&str]) -> Result<(), Failure> {
    wrong.first().map_or(Ok(()), |wrong| Err(wrong.of_example(ids[wrong.case])))
}

fn wrong_values(columns: &Columns, metrics: &[Expected]) -> Vec<WrongValue> {
    let mut wrong = Vec::new();
    for (index, (metric, scores)) in metrics.iter().zip(columns).enumerate() {
        let (low, high) = metric.range;
        for (case, score) in scores.iter().enumerate() {
            let Ok(value) = score else { continue };
            let expected = if !value.is_finite() {
                "expected a finite number or null".to_owned()
            } else if (low..=high).contains(value) {
                continue;
            } else {
                format!("outside its range of {low} to {high}")
            };
            let name = format!("metric `{}`", metric.name);
            let problem = format!("{value}, {expected}");
            wrong.push(WrongValue { metric: index, case, name, problem });
        }
    }
    wrong
}

fn column(batch: &RecordBatch, name: &str) -> Result<Vec<Score>, Failure> {
    let values = typed::<Float64Array>(batch, name, &DataType::Float64)?
        .ok_or_else(|| Failure::protocol(format!("it gave no column `{name}`")))?;
    if values.null_count() == 0 {
        return Ok(values.values().iter().map(|&value| Ok(without_sign(value))).collect());
    }
    let labels = typed::<StringArray>(batch, &format!("{name}.unscored"), &DataType::Utf8)?;
    let reasons = typed::<StringArray>(batch, &format!("{name}.reason"), &DataType::Utf8)?;
    let text = |texts: Option<&StringArray>, row: usize| {
        texts.filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row).to_owned())
    };
    let score = |row| {
        if values.is_valid(row) {
            Ok(without_sign(values.value(row)))
        } else {
            Err(unscored(text(labels, row).as_deref(), text(reasons, row)))
        }
    };
    Ok((0..values.len()).map(score).collect())
}

/// The same number; -0 is 0, which is what it is written as.
fn without_sign(value: f64) -> f64 {
    value + 0.0
}

fn unscored(label: Option<&str>, reason: Option<String>) -> Unscored {
    match label {
        Some("no reference") => Unscored::NoReference,
        Some("no relevant passage") => Unscored::NoRelevantPassage,
        Some("low agreement") => Unscored::LowAgreement,
        Some("failed") => {
            let reason = reason.unwrap_or_else(|| "failed".to_owned());
            Unscored::Failed(FailureKind::Unnamed, reason)
        }
        _ => Unscored::NotApplicable(
            reason.unwrap_or_else(|| "the plugin gives no score".to_owned()),
        ),
    }
}

/// A statistic of a metric: a finite number where there is a score, and 0 elsewhere.
fn statistic(
    batch: &RecordBatch,
    (index, metric): (usize, &str),
    name: &str,
    scores: &[Score],
    wrong: &mut Vec<WrongValue>,
) -> Result<Vec<f64>, Failure> {
    let full = format!("{metric}.{name}");
    let values = typed::<Float64Array>(batch, &full, &DataType::Float64)?
        .ok_or_else(|| Failure::protocol(format!("it gave no column `{full}`")))?;
    let mut value = |case: usize| {
        let value = values.is_valid(case).then(|| values.value(case));
        match value.filter(|value| value.is_finite()) {
            _ if scores[case].is_err() => 0.0,
            Some(value) => value,
            None => {
                let shown = value.map_or_else(|| "null".to_owned(), |value| value.to_string());
                let problem = format!("{shown}, expected a finite number");
                wrong.push(WrongValue { metric: index, case, name: format!("`{full}`"), problem });
                0.0
            }
        }
    };
    Ok((0..values.len()).map(&mut value).collect())
}

fn append_parts(
    batch: &RecordBatch,
    (metric, name): (usize, &str),
    parts: &mut Vec<ScorePart>,
    wrong: &mut Vec<WrongValue>,
) -> Result<(), Failure> {
    let lists = |ending: &str, expected: DataType| {
        let name = format!("{name}.{ending}");
        let Some(array) = batch.column_by_name(&name) else { return Ok(None) };
        let list = array.as_any().downcast_ref::<ListArray>();
        let list = list.filter(|list| list.value_type() == expected);
        list.map(Some).ok_or_else(|| {
            Failure::protocol(format!(
                "its column `{name}` is of type {}, expected a list of {expected}",
                array.data_type()
            ))
        })
    };
    let values = lists("values", DataType::Float64)?;
    let labels = lists("labels", DataType::Utf8)?;
    let texts = lists("texts", DataType::Utf8)?;
    let present = [values, labels, texts];
    if present.iter().all(Option::is_none) {
        return Ok(());
    }
    for case in 0..batch.num_rows() {
        let length =
            |list: &ListArray| if list.is_valid(case) { list.value(case).len() } else { 0 };
        let mut lengths = present.iter().flatten().map(|list| length(list));
        let count = lengths.next().unwrap_or_default();
        if lengths.any(|length| length != count) {
            return Err(Failure::protocol(format!(
                "the parts of `{name}` in row {case} differ in number"
            )));
        }
        if count == 0 {
            continue;
        }
        let numbers = values.map(|list| list.value(case));
        let numbers =
            numbers.as_ref().and_then(|list| list.as_any().downcast_ref::<Float64Array>());
        let (labels, texts) = (labels.map(|l| l.value(case)), texts.map(|l| l.value(case)));
        let text = |list: &Option<ArrayRef>, index: usize| {
            let list = list.as_ref()?.as_any().downcast_ref::<StringArray>()?;
            list.is_valid(index).then(|| list.value(index).to_owned())
        };
        for index in 0..count {
            let value = numbers.filter(|list| list.is_valid(index)).map(|list| list.value(index));
            if let Some(value) = value.filter(|value| !value.is_finite()) {
                let name = format!("a part of `{name}`");
                let problem = format!("{value}, expected a finite number or null");
                wrong.push(WrongValue { metric, case, name, problem });
                continue;
            }
            let (label, text) = (text(&labels, index), text(&texts, index));
            parts.push(ScorePart { metric, case, value, label, text });
        }
    }
    Ok(())
}

fn typed<'a, A: Array + 'static>(
    batch: &'a RecordBatch,
    name: &str,
    expected: &DataType,
) -> Result<Option<&'a A>, Failure> {
    let Some(array) = batch.column_by_name(name) else { return Ok(None) };
    array.as_any().downcast_ref().map(Some).ok_or_else(|| {
        Failure::protocol(format!(
            "its column `{name}` is of type {}, expected {expected}",
            array.data_type()
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Merge, instance::Column};

    fn expected(name: &str, statistics: &[&str]) -> Expected {
        let statistics = statistics.iter().map(|&name| name.to_owned()).collect();
        Expected { name: name.to_owned(), range: (0.0, 1.0), statistics }
    }

    fn columns(names: &[&str]) -> Vec<Column> {
        let column = |(metric, &name): (usize, &&str)| Column {
            name: name.to_owned(),
            metric,
            statistics: Vec::new(),
        };
        names.iter().enumerate().map(column).collect()
    }

    #[test]
    fn scores_come_back_as_they_were_given() {
        let scores = Scores::from(vec![
            vec![Ok(0.0), Ok(1.0), Ok(0.1 + 0.2)],
            vec![
                Err(Unscored::NoReference),
                Err(Unscored::NotApplicable("no figure".to_owned())),
                Err(Unscored::Failed(FailureKind::Unnamed, "no luck".to_owned())),
            ],
        ]);
        let batch = encode(&columns(&["a", "b"]), &scores, 3).unwrap();
        let metrics = [expected("a", &[]), expected("b", &[])];
        assert_eq!(decode(&batch, &metrics, &["x", "y", "z"]), Ok(scores));
    }

    #[test]
    fn no_score_is_negative_zero() {
        let scores = Scores::from(vec![
            vec![Ok(-0.0), Ok(-0.0)],
            vec![Ok(-0.0), Err(Unscored::NoReference)],
        ]);
        let batch = encode(&columns(&["a", "b"]), &scores, 2).unwrap();
        let decoded = decode(&batch, &[expected("a", &[]), expected("b", &[])], &["x", "y"]);
        let scores = decoded.unwrap().columns.concat();
        assert!(scores.into_iter().flatten().all(f64::is_sign_positive));
    }

    #[test]
    fn statistics_and_parts_come_back_too() {
        let part = |case, value, label: Option<&str>| ScorePart {
            metric: 0,
            case,
            value,
            label: label.map(str::to_owned),
            text: Some("why".to_owned()),
        };
        let scores = Scores {
            columns: vec![vec![Ok(0.5), Err(Unscored::NoReference), Ok(1.0)]],
            statistics: vec![vec![vec![3.0, 0.0, 4.0], vec![-1.0, 0.0, 0.25]]],
            parts: vec![part(0, Some(1.0), Some("yes")), part(0, None, None), part(2, None, None)],
        };
        let column = Column {
            name: "m".to_owned(),
            metric: 0,
            statistics: vec![("hits".to_owned(), Merge::Sum), ("low".to_owned(), Merge::Min)],
        };
        let batch = encode(&[column], &scores, 3).unwrap();
        let metrics = [expected("m", &["hits", "low"])];
        assert_eq!(decode(&batch, &metrics, &["x", "y", "z"]), Ok(scores));
        let more = [expected("m", &["hits", "high"])];
        let error = decode(&batch, &more, &["x", "y", "z"]).unwrap_err().to_string();
        assert_eq!(error, "protocol: it gave no column `m.high`");
    }

    #[test]
    fn a_wrong_answer_is_named() {
        let batch = |scores| encode(&columns(&["m"]), &Scores::from(vec![scores]), 1).unwrap();
        for (batch, message) in [
            (
                batch(vec![Ok(f64::NAN)]),
                "value: metric `m` of example `x` is NaN, expected a finite number or null",
            ),
            (
                batch(vec![Ok(f64::INFINITY)]),
                "value: metric `m` of example `x` is inf, expected a finite number or null",
            ),
            (
                batch(vec![Ok(1.5)]),
                "value: metric `m` of example `x` is 1.5, outside its range of 0 to 1",
            ),
            (batch(vec![]), "protocol: it gave 0 rows of scores for 1 cases"),
            (
                encode(&columns(&["n"]), &Scores::from(vec![vec![Ok(1.0)]]), 1).unwrap(),
                "protocol: it gave no column `m`",
            ),
        ] {
            let error = decode(&batch, &[expected("m", &[])], &["x"]).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        let integers: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![1]));
        let batch = RecordBatch::try_from_iter([("m", integers)]).unwrap();
        assert_eq!(
            decode(&batch, &[expected("m", &[])], &["x"]).unwrap_err().to_string(),
            "protocol: its column `m` is of type Int64, expected Float64"
        );
    }

    #[test]
    fn a_wrong_value_is_that_of_one_score() {
        let scores = Scores {
            columns: vec![
                vec![Ok(f64::NAN), Ok(1.0), Err(Unscored::NoReference)],
                vec![Ok(0.5), Ok(2.0), Ok(1.0)],
            ],
            statistics: vec![vec![vec![1.0, f64::INFINITY, 0.0]], Vec::new()],
            parts: vec![ScorePart {
                metric: 1,
                case: 2,
                value: Some(f64::NAN),
                label: None,
                text: None,
            }],
        };
        let mut names = columns(&["a", "b"]);
        names[0].statistics = vec![("hits".to_owned(), Merge::Sum)];
        let batch = encode(&names, &scores, 3).unwrap();
        let metrics = [expected("a", &["hits"]), expected("b", &[])];
        let (scores, wrong) = read(&batch, &metrics, 3).unwrap();
        let places: Vec<(usize, usize, String)> = wrong
            .iter()
            .map(|wrong| (wrong.metric, wrong.case, wrong.failure().to_string()))
            .collect();
        let expected = [
            (0, 0, "value: metric `a` is NaN, expected a finite number or null"),
            (1, 1, "value: metric `b` is 2, outside its range of 0 to 1"),
            (0, 1, "value: `a.hits` is inf, expected a finite number"),
            (1, 2, "value: a part of `b` is NaN, expected a finite number or null"),
        ];
        assert_eq!(places, expected.map(|(metric, case, text)| (metric, case, text.to_owned())));
        assert_eq!(
            (scores.statistics[0][0].as_slice(), scores.parts),
            (&[1.0, 0.0, 0.0][..], vec![])
        );
        let error = decode(&batch, &metrics, &["x", "y", "z"]).unwrap_err().to_string();
        let first = "value: metric `a` of example `x` is NaN, expected a finite number or null";
        assert_eq!(error, first);
    }

    #[test]
    fn columns_of_different_lengths_are_no_batch() {
        let scores = Scores::from(vec![vec![Ok(1.0)], vec![Ok(1.0), Ok(0.0)]]);
        let two = encode(&columns(&["a", "b"]), &scores, 2);
        assert_eq!(two.unwrap_err().kind, FailureKind::Protocol);
        let third = encode(&columns(&["a", "b", "c"]), &Scores::from(vec![vec![Ok(1.0)]; 2]), 1);
        assert_eq!(third.unwrap_err().kind, FailureKind::Protocol);
    }
}
