//! The Python package `rouge` (pltrdy), which KILT scores with.

use qeval_core::metrics::kilt::rouge::rouge_l;
use serde::Deserialize;

use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Pair {
    hypothesis: String,
    reference: String,
}

pub(super) fn check(record: &Record, tally: &mut Tally) {
    let Pair { hypothesis, reference } = record.input();
    let found = rouge_l(&hypothesis, &reference);
    let expected = record.expected("exclusive");
    let error = found.is_none().then_some("ValueError");
    tally.same("error", &expected["error"].as_str(), &error);
    if let Some(found) = found {
        let expected = &expected["rouge-l"];
        tally.score("p", &expected["p"], Some(found.precision));
        tally.score("r", &expected["r"], Some(found.recall));
        tally.score("f", &expected["f"], Some(found.f));
    }
    tally.skip("rouge-1, rouge-2 and exclusive=False, which we do not have");
}
