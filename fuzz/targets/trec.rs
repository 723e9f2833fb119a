//! Runs and judgments: lines of fields between blanks, with numbers.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_core::Ties;
use qeval_dataset::{qrels, run};
use qeval_fuzz::{choose, file};

fuzz_target!(|bytes: &[u8]| {
    let Some((judgments, bytes)) = choose(&[true, false], bytes) else { return };
    let path = file(bytes);
    if judgments {
        let _ = qrels(&path);
    } else {
        let _ = run(&path, Ties::Docno);
    }
});
