//! Evaluations that lack a part: the texts, or values of statistics.

use qeval_core::stats::{Intervals, PoolingError};

use super::*;
use crate::PooledStatistic;

#[test]
fn without_texts_everything_else_is_the_same() {
    let (kept, short) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut rows: Vec<Owned> = [5, 3, 4, 1].map(numbered).to_vec();
    for row in &mut rows {
        row.case.question = Some("why? ".repeat(20));
        row.case.references = vec!["because".to_owned(), "for no reason at all".to_owned()];
        row.case.prediction =
            Some(Prediction { confidence: Some(0.5), ..Prediction::answer("so") });
    }
    let whole = write(kept.path(), layout(false), 1, &rows).unwrap();
    let id = EvaluationId::new("test", "0123456789abcdef");
    let writer = Writer::create(short.path(), &id, layout(false)).unwrap();
    let mut writer = writer.with_memory_budget(1).temporary();
    for row in &rows {
        append(&mut writer, row).unwrap();
    }
    let folder = writer.finish(Manifest { seed: 7, ..Manifest::default() }).unwrap();
    let short = Evaluation::open(&folder).unwrap();
    assert_eq!(whole.scores(&["f1", "em"]).unwrap(), short.scores(&["f1", "em"]).unwrap());
    assert_eq!(whole.summaries().unwrap(), short.summaries().unwrap());
    assert_eq!(whole.decisions().unwrap(), short.decisions().unwrap());
    assert_eq!(whole.reasons().unwrap(), short.reasons().unwrap());
    for (whole, short) in whole.all_cases().unwrap().zip(short.all_cases().unwrap()) {
        let (whole, short) = (whole.unwrap(), short.unwrap());
        assert_eq!(short.references, vec![""; whole.references.len()]);
        assert_eq!(short.question, None);
        let emptied = |answer: Prediction| Prediction {
            text: String::new(),
            citations: Vec::new(),
            ..answer
        };
        assert_eq!(short.prediction.map(emptied), whole.prediction.map(emptied));
    }
}

#[test]
fn statistics_without_a_value_may_come_in_any_order() {
    let statistic = MetricColumn { statistic_of: Some("f1".to_owned()), ..metric("f1_confidence") };
    let layout = || Layout { metrics: vec![metric("f1"), statistic.clone()], ..layout(false) };
    // A score without statistics, statistics without a score, and neither.
    let none = || Err(Unscored::NotApplicable("there is no confidence".to_owned()));
    let row = |number: usize| Owned {
        scores: match number % 3 {
            0 => vec![Ok(1.0), none()],
            1 => vec![none(), Ok(0.5)],
            _ => vec![none(), none()],
        },
        ..numbered(number)
    };
    let rows: Vec<Owned> = (0..60).map(row).collect();
    let mut late = rows.clone();
    late.rotate_left(10);
    let of = |rows: &[Owned], memory| {
        let results = tempfile::tempdir().unwrap();
        bytes(&write(results.path(), layout(), memory, rows).unwrap())
    };
    assert!(of(&late, 1) == of(&rows, usize::MAX));
}

#[test]
fn parts_of_scores_are_details_whatever_the_order_of_the_rows() {
    let part = |metric, value, label, text| RowPart { metric, value, label, text };
    let row = |number: usize| Owned {
        scores: vec![Ok(0.5), Err(Unscored::NoReference)],
        parts: match number % 3 {
            0 => vec![
                part(1, None, Some("no reference"), None),
                part(0, Some(1.0), Some("ok"), Some("p1")),
                part(0, None, None, Some("p2 \u{1F680}")),
            ],
            1 => vec![part(0, Some(-0.25), None, None)],
            _ => Vec::new(),
        },
        ..numbered(number)
    };
    let rows: Vec<Owned> = (0..60).map(row).collect();
    let mut late = rows.clone();
    late.rotate_left(10);
    let of = |rows: &[Owned], memory| {
        let results = tempfile::tempdir().unwrap();
        let evaluation = write(results.path(), layout(false), memory, rows).unwrap();
        let details: Vec<_> = evaluation.details().unwrap().map(Result::unwrap).collect();
        (bytes(&evaluation), details, evaluation.reasons().unwrap())
    };
    let (expected, details, reasons) = of(&rows, usize::MAX);
    assert!(of(&late, 1).0 == expected);
    let short: Vec<_> = details[..6]
        .iter()
        .map(|d| (&*d.example_id, &*d.metric, d.ordinal, &*d.kind, d.value, d.text.as_deref()))
        .collect();
    let reason = Some("the example has no reference");
    assert_eq!(
        short,
        [
            ("q00000", "em", 0, "note", None, reason),
            ("q00000", "em", 1, "part", None, None),
            ("q00000", "f1", 0, "part", Some(1.0), Some("p1")),
            ("q00000", "f1", 1, "part", None, Some("p2 \u{1F680}")),
            ("q00001", "em", 0, "note", None, reason),
            ("q00001", "f1", 0, "part", Some(-0.25), None),
        ]
    );
    assert_eq!(details[1].unscored(), None, "a label of a part is no reason");
    assert_eq!((reasons.len(), reasons[0].count), (1, 60));
}

/// Sums the statistic, where it does not fail.
struct Sums {
    failing: bool,
}

impl PluginPooling for Sums {
    fn numbers(
        &self,
        metric: &MetricColumn,
        statistics: &[&[Option<f64>]],
        groups: &mut dyn Iterator<Item = Vec<usize>>,
    ) -> Result<Vec<Option<f64>>, PoolingError> {
        assert_eq!(metric.pools[0].merge, "sum");
        if self.failing {
            return Err(PoolingError("no luck".to_owned()));
        }
        let sum = |rows: Vec<usize>| rows.iter().map(|&row| statistics[0][row].unwrap()).sum();
        Ok(groups.map(sum).map(Some).collect())
    }
}

#[test]
fn a_plugin_makes_the_numbers_of_its_pooled_metrics() {
    let pooled = PooledStatistic {
        name: "hits".to_owned(),
        column: "f1_hits".to_owned(),
        merge: "sum".to_owned(),
    };
    let f1 = MetricColumn { name: "acme.f1".to_owned(), pools: vec![pooled], ..metric("f1") };
    let statistic = MetricColumn { statistic_of: Some("f1".to_owned()), ..metric("f1_hits") };
    let layout = Layout { metrics: vec![f1, statistic], ..layout(false) };
    let rows: Vec<Owned> =
        (0..8).map(|number| Owned { scores: vec![Ok(1.0), Ok(2.0)], ..numbered(number) }).collect();
    for (failing, expected) in [(false, Some(16.0)), (true, None)] {
        let results = tempfile::tempdir().unwrap();
        let id = EvaluationId::new("test", "0123456789abcdef");
        let mut writer = Writer::create(results.path(), &id, layout.clone()).unwrap();
        for row in &rows {
            append(&mut writer, row).unwrap();
        }
        let folder = writer.finish_with(Manifest::default(), &Sums { failing }).unwrap();
        let evaluation = Evaluation::open(&folder).unwrap();
        let summaries = evaluation.summaries().unwrap();
        assert_eq!((summaries[0].estimate.n, summaries[0].estimate.mean), (8, expected));
        assert_eq!(summaries[0].estimate.mean_worst, None);
        let manifest = evaluation.manifest();
        assert!(manifest.metrics[0].is_pooled());
        let notices: Vec<&str> = manifest.notices.iter().map(|notice| &*notice.text).collect();
        let lack = format!(
            "{} summaries lack a number or an interval of acme.f1: no luck",
            summaries.len()
        );
        assert_eq!(notices, if failing { vec![lack.as_str()] } else { vec![] });
        // Whoever has no plugin has what is stored, and cannot make it again.
        let scores = evaluation.scores(&["f1", "f1_hits"]).unwrap();
        assert_eq!(
            crate::summarize(&scores, &manifest.metrics, Intervals::auto(7))[0].estimate.mean,
            None
        );
    }
}
