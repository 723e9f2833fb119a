//! Datasets of every format: each byte sequence is records or an error, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_dataset::{DatasetFormat, DatasetSource, open};
use qeval_fuzz::{choose, file};

fuzz_target!(|bytes: &[u8]| {
    let Some((format, bytes)) = choose(&DatasetFormat::ALL, bytes) else { return };
    let source = DatasetSource::new(file(bytes), format);
    if let Ok(records) = open(&source) {
        for record in records {
            if record.is_err() {
                break;
            }
        }
    }
});
