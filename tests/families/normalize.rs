//! Answer normalisation of several scripts; most of them do the same.

use qeval_core::metrics::{drop, normalize};
use serde::Deserialize;

use crate::tally::{Record, Tally};

/// The scripts whose normalisation is SQuAD's.
const SAME: [&str; 5] = ["squad", "squad_v1", "hotpot", "coqa", "quac"];

#[derive(Deserialize)]
struct Input {
    text: String,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let Input { text } = record.input();
    let found = normalize::squad(&text);
    for script in SAME {
        tally.same(script, &record.expected(script).as_str(), &Some(found.as_str()));
    }
    for (script, found) in [
        ("triviaqa", normalize::triviaqa(&text)),
        ("orqa_nq_open", normalize::nq_open(&text)),
        ("drop", drop::normalize(&text)),
    ] {
        tally.same(script, &record.expected(script).as_str(), &Some(found.as_str()));
    }
}
