//! jiwer's word and character error rates.

use qeval_core::{Case, Estimator, Prediction};
use serde::Deserialize;

use super::{answer_score, example, metric};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Pair {
    reference: String,
    hypothesis: String,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let Pair { reference, hypothesis } = record.input();
    let references = [reference];
    for (key, name) in [("wer", "WER"), ("cer", "CER")] {
        let metric = metric(name);
        let found = answer_score(&metric, Some(&hypothesis), &references);
        tally.score(key, record.expected(key), found.ok());
        let Estimator::Pooled(pooled) = metric.definition().estimator else {
            panic!("`{name}` pools its statistics");
        };
        let (example, prediction) = (example(&references), Prediction::answer(&*hypothesis));
        let case = Case::new(&example).with_prediction(&prediction);
        let statistics = (pooled.of)(&metric, &case).expect("a record has a reference");
        let columns: Vec<&[f64]> = statistics.iter().map(std::slice::from_ref).collect();
        let found = (pooled.finish)(&metric, &columns);
        tally.score(&format!("{key}, pooled"), record.expected(key), found);
        if key == "wer" {
            let edits = ["substitutions", "deletions", "insertions"];
            let edits = edits.map(|edit| record.expected(edit).as_f64().expect("a count"));
            tally.same("edits", &edits.iter().sum(), &statistics[0]);
        }
    }
    tally.skip("mer, wil, wip, which we do not have");
}
