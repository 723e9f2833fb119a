//! Summaries of the scores of independent examples, in one pass over the file that keeps none of
//! them.

use std::{collections::BTreeMap, path::Path};

use qeval_core::{
    Summary,
    stats::{Intervals, Running},
};

use super::{column, pools};
use crate::{
    Labels, Layout, MetricColumn, ReadError, Scores,
    reader::scores::{self, Request},
};

/// The summaries of each metric, by its column; none of a metric whose scores must be looked at
/// together: one that is no mean, one of examples that belong to groups, and one whose scores lie too
/// close together.
pub(crate) fn summarize(
    folder: &Path,
    layout: &Layout,
    intervals: Intervals,
) -> Result<BTreeMap<String, Vec<Summary>>, ReadError> {
    let own = layout.metrics.iter().filter(|metric| metric.statistic_of.is_none());
    let streamed: Vec<&MetricColumn> =
        own.filter(|metric| !layout.groups && !pools(metric)).collect();
    if streamed.is_empty() {
        return Ok(BTreeMap::new());
    }
    let names: Vec<&str> = streamed.iter().map(|metric| metric.column.as_str()).collect();
    let request = Request { slices: &layout.slices, metrics: &names, ids: false, groupings: true };
    let mut parts: Vec<Parts> = streamed.iter().map(|_| Parts::default()).collect();
    for batch in scores::read_batches(folder, request)? {
        let batch = batch?;
        for (parts, (_, values)) in parts.iter_mut().zip(&batch.metrics) {
            parts.add(&batch, values);
        }
    }
    let summaries = streamed.into_iter().zip(parts).filter_map(|(metric, parts)| {
        Some((metric.column.clone(), parts.summaries(metric, &layout.slices, intervals)?))
    });
    Ok(summaries.collect())
}

/// The scores of one metric by what they are summarised over.
#[derive(Default)]
struct Parts {
    all: Running,
    datasets: ByValue,
    /// By slice.
    slices: Vec<ByValue>,
}

/// In byte order; those without a value last.
type ByValue = BTreeMap<(bool, String), Running>;

impl Parts {
    fn add(&mut self, batch: &Scores, values: &[Option<f64>]) {
        for &score in values {
            self.all.add(score);
        }
        if let Some(datasets) = &batch.datasets {
            add(&mut self.datasets, datasets, values);
        }
        self.slices.resize_with(batch.slices.len(), ByValue::default);
        for (slice, (_, labels)) in self.slices.iter_mut().zip(&batch.slices) {
            add(slice, labels, values);
        }
    }

    /// In the order of [`summarize`](super::summarize); `None` where one of them cannot be told.
    fn summaries(
        self,
        metric: &MetricColumn,
        slices: &[String],
        intervals: Intervals,
    ) -> Option<Vec<Summary>> {
        let column = column(metric, intervals);
        let of = |running: Running| {
            Some(Summary {
                metric: metric.column.clone(),
                stage: metric.stage,
                dataset: None,
                slice: None,
                slice_value: None,
                estimate: running.estimate(column)?,
            })
        };
        let value = |(missing, value): (bool, String)| (!missing).then_some(value);
        let mut summaries = vec![of(self.all)?];
        for (key, running) in self.datasets {
            summaries.push(Summary { dataset: value(key), ..of(running)? });
        }
        for (name, by_value) in slices.iter().zip(self.slices) {
            for (key, running) in by_value {
                let (slice, slice_value) = (Some(name.clone()), value(key));
                summaries.push(Summary { slice, slice_value, ..of(running)? });
            }
        }
        Some(summaries)
    }
}

fn add(by_value: &mut ByValue, labels: &Labels, values: &[Option<f64>]) {
    let mut rows = vec![Vec::new(); labels.values().len() + 1];
    for row in 0..labels.len() {
        rows[labels.code(row).unwrap_or(labels.values().len())].push(row);
    }
    let known = labels.values().iter().map(|value| (false, value.clone()));
    for (key, rows) in known.chain([(true, String::new())]).zip(rows) {
        if !rows.is_empty() {
            let running = by_value.entry(key).or_default();
            for row in rows {
                running.add(values[row]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use qeval_core::{FailureKind, Score, Stage, Unscored};

    use super::*;
    use crate::{Evaluation, EvaluationId, Manifest, Row, Writer};

    fn metric(column: &str, name: &str) -> MetricColumn {
        MetricColumn {
            column: column.to_owned(),
            name: name.to_owned(),
            stage: Stage::Integrated,
            higher_is_better: column != "cost",
            min: Some(0.0),
            max: (column != "cost").then_some(1.0),
            parameters: serde_json::Map::new(),
            version: "1".to_owned(),
            statistic_of: None,
            pools: Vec::new(),
        }
    }

    /// Enough rows that some summaries are of many scores and some of few.
    #[test]
    fn they_have_the_bits_of_those_of_whole_columns() {
        const ROWS: usize = 45_000;
        let layout = Layout {
            metrics: vec![metric("em", "EM"), metric("f1", "F1"), metric("cost", "acme.cost")],
            slices: vec!["lang".to_owned(), "none".to_owned()],
            datasets: vec!["news".to_owned(), "law".to_owned()],
            ..Layout::default()
        };
        let results = tempfile::tempdir().unwrap();
        let id = EvaluationId::new("test", "0123456789abcdef");
        let mut writer = Writer::create(results.path(), &id, layout.clone()).unwrap();
        for row in 0..ROWS {
            let id = format!("q{}", row * 7919 % ROWS);
            let lang = [Some("de"), Some("fr"), None, Some("de"), Some("de")][row % 5];
            let unscored =
                |part: usize| Err(Unscored::Failed(FailureKind::Refused, format!("part {part}")));
            let scores: [Score; 3] = [
                Ok(f64::from(u8::from(row % 3 == 0))),
                if row % 11 == 0 { unscored(row % 4) } else { Ok((row % 101) as f64 / 101.0) },
                Ok(0.3),
            ];
            let row = Row {
                example_id: &id,
                dataset: Some(if row % 9 == 0 { "law" } else { "news" }),
                position: row as u64,
                slices: &[lang, None],
                scores: &scores,
                ..Row::default()
            };
            writer.append(&[row]).unwrap();
        }
        let manifest = Manifest { seed: 7, ..Manifest::default() };
        let folder = writer.finish(manifest).unwrap();
        let evaluation = Evaluation::open(&folder).unwrap();
        let scores = evaluation.scores(&["em", "f1", "cost"]).unwrap();
        let whole = super::super::summarize(&scores, &layout.metrics, Intervals::auto(7));
        let streamed = summarize(&folder, &layout, Intervals::auto(7)).unwrap();
        // The costs are all the same, so that their deviation takes another look at them.
        assert_eq!(streamed.keys().collect::<Vec<_>>(), ["em", "f1"]);
        let bits = |summaries: &[Summary]| format!("{summaries:?}");
        for metric in ["em", "f1"] {
            let whole: Vec<Summary> =
                whole.iter().filter(|summary| summary.metric == metric).cloned().collect();
            assert_eq!(whole.len(), 1 + 2 + 3 + 1);
            assert_eq!(bits(&streamed[metric]), bits(&whole));
        }
        assert_eq!(bits(&evaluation.summaries().unwrap()), bits(&whole));
    }
}
