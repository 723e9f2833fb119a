//! Predictions, whose format is recognised by their content.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_dataset::{PredictionSource, predictions};
use qeval_fuzz::file;

fuzz_target!(|bytes: &[u8]| {
    let _ = predictions(&PredictionSource::new(file(bytes)));
});
