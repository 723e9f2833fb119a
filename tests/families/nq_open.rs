//! NQ-open and CuratedTREC as ORQA's script scores them.

use serde::Deserialize;

use super::{answer_score, metric};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Question {
    prediction: String,
    answers: Vec<String>,
    is_regex: bool,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let Question { prediction, answers, is_regex } = record.input();
    let name = if is_regex { "CuratedTREC.EM(match=start)" } else { "NQ-open.EM" };
    let found = answer_score(&metric(name), Some(&prediction), &answers);
    tally.count("correct", record.expected("correct"), found.ok());
}
