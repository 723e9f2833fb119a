//! Normalisers, tokenisers and every answer metric, on any two texts; and the names of metrics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_core::{Case, Example, METRICS, Metric, Prediction, Subject, metrics::normalize};

thread_local! {
    static ANSWERS: Vec<Metric> = METRICS
        .iter()
        .filter(|definition| definition.subject == Subject::Answer)
        .filter_map(|definition| definition.name.parse().ok())
        .collect();
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (prediction, reference) = text.split_once('\n').unwrap_or((&text, ""));
    let normalized = normalize::squad(prediction);
    assert!(!normalized.contains("  "), "blanks are collapsed");

    if let Ok(metric) = prediction.parse::<Metric>() {
        assert_eq!(metric.to_string().parse::<Metric>().as_ref(), Ok(&metric));
    }
    let example = Example { references: vec![reference.into()], ..Example::default() };
    let answer = Prediction::answer(prediction);
    let case = Case::new(&example).with_prediction(&answer);
    ANSWERS.with(|metrics| {
        for metric in metrics {
            if let Ok(score) = metric.score(&case) {
                let (low, high) = metric.definition().range;
                assert!((low..=high).contains(&score), "{metric} is {score}");
            }
        }
    });
});
