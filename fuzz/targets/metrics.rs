//! Every answer metric on any two texts: a score in the range of the metric, or a reason.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_core::{Case, Example, METRICS, Metric, Prediction, Subject};

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
    let example = Example { references: vec![reference.into()], ..Example::default() };
    let answer = Prediction { confidence: Some(0.5), ..Prediction::answer(prediction) };
    let case = Case::new(&example).with_prediction(&answer);
    ANSWERS.with(|metrics| {
        for metric in metrics {
            if let Ok(score) = metric.score(&case) {
                let (low, high) = metric.definition().range;
                assert!((low..=high).contains(&score), "{metric} is {score}");
            }
            if let Some(pooled) = metric.pooled()
                && let Ok(statistics) = (pooled.of)(metric, &case)
            {
                assert_eq!(statistics.len(), pooled.names.len(), "{metric}");
                let columns: Vec<&[f64]> = statistics.chunks(1).collect();
                let number = (pooled.finish)(metric, &columns);
                assert!(number.is_none_or(|number| !number.is_nan()), "{metric} is NaN");
            }
        }
    });
});
