//! Why examples are unscored: the reasons in the details, counted.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    path::Path,
};

use super::{
    ReadError,
    scores::{self, Request, Scores},
    table::{self, Batch, label, value},
};
use crate::{Manifest, schema};

/// Texts of one metric that are told apart while they are counted: their number could be that of
/// the examples. So many more are counted without what stands in backticks.
const MOST: usize = 1000;

/// Texts of one metric and label that are told apart at the end.
const FEW: usize = 5;

/// Why some examples have no score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// Column of the metric.
    pub metric: String,
    /// `error` for a failure, `note` for a property of the example.
    pub kind: String,
    /// The short reason.
    pub label: Option<String>,
    /// The reason in full. Where there are many, what stands in backticks is left out, and the rare
    /// ones are `None` together.
    pub text: Option<String>,
    /// How many examples.
    pub count: u64,
}

/// Counts the reasons of each metric, in the order of the columns; for each metric the most
/// frequent reason first.
///
/// For a metric that pools statistics, an example without them is unscored. One that has statistics
/// and no score of its own is not: it takes part in the number.
pub(super) fn read(folder: &Path, manifest: &Manifest) -> Result<Vec<Reason>, ReadError> {
    let parts = table::parts(folder, "details")?;
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let pooled = Pooled::new(folder, manifest)?;
    let mut counts: BTreeMap<Key, Texts> = BTreeMap::new();
    for batch in table::batches(parts, |part| part) {
        count(&batch?, &pooled, &mut counts)?;
    }
    let reason = |((metric, kind, label), texts): (Key, Texts)| {
        texts.few().into_iter().map(move |(text, count)| Reason {
            metric: metric.clone(),
            kind: kind.clone(),
            label: label.clone(),
            text,
            count,
        })
    };
    let mut reasons: Vec<Reason> = counts.into_iter().flat_map(reason).collect();
    let place = |column: &str| manifest.metrics.iter().position(|metric| metric.column == column);
    // Equal ones stay in the order of their labels and texts.
    reasons.sort_by_key(|reason| {
        (place(&reason.metric), reason.text.is_none(), Reverse(reason.count))
    });
    Ok(reasons)
}

/// Metric, kind and label.
type Key = (String, String, Option<String>);

/// How often each text is there.
#[derive(Default)]
struct Texts {
    known: BTreeMap<String, u64>,
    rest: u64,
}

impl Texts {
    fn add(&mut self, text: &str, count: u64) {
        if let Some(known) = self.known.get_mut(text) {
            *known += count;
        } else if self.known.len() < MOST {
            self.known.insert(text.to_owned(), count);
        } else {
            let alike = without_quotes(text);
            if self.known.len() < 2 * MOST || self.known.contains_key(&alike) {
                *self.known.entry(alike).or_default() += count;
            } else {
                self.rest += count;
            }
        }
    }

    /// Alike texts together where there are many; then the most frequent ones, and the rest.
    fn few(self) -> Vec<(Option<String>, u64)> {
        let mut all = self;
        if all.known.len() > FEW {
            let mut alike = Self { rest: all.rest, ..Self::default() };
            all.known.iter().for_each(|(text, &count)| alike.add(&without_quotes(text), count));
            all = alike;
        }
        let mut sorted: Vec<(String, u64)> = all.known.into_iter().collect();
        sorted.sort_by_key(|(_, count)| Reverse(*count));
        let named = sorted.len().min(FEW);
        let rest = all.rest + sorted[named..].iter().map(|(_, count)| count).sum::<u64>();
        sorted.truncate(named);
        let mut few: Vec<(Option<String>, u64)> =
            sorted.into_iter().map(|(text, count)| (Some(text), count)).collect();
        few.extend((rest > 0).then_some((None, rest)));
        few
    }
}

/// The text with dots for what stands in backticks: values differ from example to example.
fn without_quotes(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts: Vec<&str> = parts.map(|(i, part)| if i % 2 == 1 { "..." } else { part }).collect();
    parts.join("`")
}

/// Which examples take part in pooled metrics.
struct Pooled {
    /// The statistics; nothing where no metric has any.
    scores: Scores,
    /// For each metric its first statistic: an example has all of them or none.
    statistics: BTreeMap<String, String>,
}

impl Pooled {
    fn new(folder: &Path, manifest: &Manifest) -> Result<Self, ReadError> {
        let mut statistics: BTreeMap<String, String> = BTreeMap::new();
        for column in &manifest.metrics {
            if let Some(metric) = &column.statistic_of {
                statistics.entry(metric.clone()).or_insert_with(|| column.column.clone());
            }
        }
        let metrics: Vec<&str> = statistics.values().map(String::as_str).collect();
        let request = Request { slices: &[], metrics: &metrics, ids: true, groupings: true };
        let scores =
            if metrics.is_empty() { Scores::default() } else { scores::read(folder, request)? };
        Ok(Self { scores, statistics })
    }

    /// Whether the example takes part in the number of the metric although it has no score.
    fn hold(&self, metric: &str, dataset: Option<&str>, id: &str) -> bool {
        let column = self.statistics.get(metric).and_then(|column| self.scores.metric(column));
        let Some(column) = column else { return false };
        self.scores.row(dataset, id).is_some_and(|row| column[row].is_some())
    }
}

fn count(
    batch: &Batch,
    pooled: &Pooled,
    counts: &mut BTreeMap<Key, Texts>,
) -> Result<(), ReadError> {
    let datasets = batch.optional_labels("dataset")?;
    let ids = batch.texts("example_id")?;
    let metrics = batch.labels("metric")?;
    let kinds = batch.labels("kind")?;
    let labels = batch.labels("label")?;
    let texts = batch.texts("text")?;
    // Counted by codes first: a batch has few metrics, kinds and labels.
    let mut of_batch: HashMap<_, (usize, Texts)> = HashMap::new();
    for row in 0..batch.rows() {
        let metric = label(metrics, row).unwrap_or_default();
        let dataset = datasets.and_then(|datasets| label(datasets, row));
        let is_part = label(kinds, row) == Some(schema::PART);
        if is_part || pooled.hold(metric, dataset, ids.value(row)) {
            continue;
        }
        let codes = (metrics.key(row), kinds.key(row), labels.key(row));
        let (_, known) = of_batch.entry(codes).or_insert_with(|| (row, Texts::default()));
        match value(texts, row) {
            Some(text) => known.add(text, 1),
            None => known.rest += 1,
        }
    }
    let mut of_batch: Vec<(usize, Texts)> = of_batch.into_values().collect();
    of_batch.sort_unstable_by_key(|(row, _)| *row);
    for (row, texts) in of_batch {
        let text = |labels| label(labels, row).unwrap_or_default().to_owned();
        let key = (text(metrics), text(kinds), label(labels, row).map(str::to_owned));
        let all = counts.entry(key).or_default();
        texts.known.iter().for_each(|(text, &count)| all.add(text, count));
        all.rest += texts.rest;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use qeval_core::{FailureKind, Score, Stage, Unscored};

    use super::*;
    use crate::{Evaluation, EvaluationId, Layout, Manifest, MetricColumn, Row, Writer};

    fn metric(column: &str, statistic_of: Option<&str>) -> MetricColumn {
        MetricColumn {
            column: column.to_owned(),
            name: column.to_uppercase(),
            stage: Stage::Integrated,
            higher_is_better: true,
            min: Some(0.0),
            max: Some(1.0),
            parameters: serde_json::Map::new(),
            version: "1".to_owned(),
            statistic_of: statistic_of.map(str::to_owned),
            pools: Vec::new(),
        }
    }

    /// The reasons of the rows, each with its scores.
    fn reasons(metrics: Vec<MetricColumn>, rows: &[Vec<Score>]) -> Vec<Reason> {
        let results = tempfile::tempdir().unwrap();
        let layout = Layout { metrics, ..Layout::default() };
        let id = EvaluationId::new("reasons", "00");
        let mut writer = Writer::create(results.path(), &id, layout).unwrap();
        let ids: Vec<String> = (0..rows.len()).map(|number| format!("{number:05}")).collect();
        for (scores, example_id) in rows.iter().zip(&ids) {
            writer.append(&[Row { example_id, scores, ..Row::default() }]).unwrap();
        }
        let folder = writer.finish(Manifest::default()).unwrap();
        Evaluation::open(&folder).unwrap().reasons().unwrap()
    }

    fn not(text: &str) -> Score {
        Err(Unscored::NotApplicable(text.to_owned()))
    }

    fn short(reasons: &[Reason]) -> Vec<(&str, Option<&str>, u64)> {
        let mut short = Vec::new();
        for Reason { metric, text, count, .. } in reasons {
            short.push((metric.as_str(), text.as_deref(), *count));
        }
        short
    }

    #[test]
    fn reasons_are_counted_by_metric() {
        let rows = [
            vec![Err(Unscored::NoReference), Ok(1.0)],
            vec![
                Err(Unscored::Failed(FailureKind::Timeout, "timeout".to_owned())),
                not("no figure"),
            ],
            vec![Err(Unscored::Failed(FailureKind::Timeout, "timeout".to_owned())), Ok(0.0)],
        ];
        let found = reasons(vec![metric("f1", None), metric("em", None)], &rows);
        let no_reference = Some("the example has no reference");
        assert_eq!(
            short(&found),
            [("f1", Some("timeout"), 2), ("f1", no_reference, 1), ("em", Some("no figure"), 1)]
        );
        assert_eq!((&*found[0].kind, found[0].label.as_deref()), ("error", Some("timeout")));
        assert_eq!((&*found[1].kind, found[1].label.as_deref()), ("note", Some("no reference")));
    }

    #[test]
    fn many_reasons_become_few() {
        let values = (0..2000).map(|i| vec![not(&format!("`{i}` is no number"))]);
        let kinds = (0..7).flat_map(|i| vec![vec![not(&format!("kind {i}"))]; 3]);
        let found = reasons(vec![metric("f1", None)], &values.clone().collect::<Vec<_>>());
        assert_eq!(short(&found), [("f1", Some("`...` is no number"), 2000)]);
        let endless = (0..2500).map(|i| vec![not(&format!("{i} is no number"))]);
        let found = reasons(vec![metric("f1", None)], &endless.collect::<Vec<_>>());
        assert_eq!(
            found.iter().map(|reason| reason.count).collect::<Vec<_>>(),
            [1, 1, 1, 1, 1, 2495]
        );
        let rows: Vec<Vec<Score>> = values.take(4).chain(kinds).collect();
        let found = reasons(vec![metric("f1", None)], &rows);
        assert_eq!(
            short(&found),
            [
                ("f1", Some("`...` is no number"), 4),
                ("f1", Some("kind 0"), 3),
                ("f1", Some("kind 1"), 3),
                ("f1", Some("kind 2"), 3),
                ("f1", Some("kind 3"), 3),
                ("f1", None, 9),
            ]
        );
    }

    #[test]
    fn an_example_with_statistics_takes_part() {
        let rows = [
            vec![not("it was answered"), Ok(1.0)],
            vec![not("no confidence"), not("no confidence")],
            vec![Ok(0.5), Ok(0.0)],
        ];
        let found = reasons(vec![metric("f1", None), metric("f1_cells", Some("f1"))], &rows);
        assert_eq!(short(&found), [("f1", Some("no confidence"), 1)]);
    }

    #[test]
    fn nothing_is_left_open_where_all_is_scored() {
        assert_eq!(reasons(vec![metric("f1", None)], &[vec![Ok(1.0)]]), []);
    }
}
