//! Evaluations that lack a part: the texts, or values of statistics.

use super::*;

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
