//! Corpora of both formats.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_dataset::{CorpusFields, CorpusFormat, CorpusSource, corpus};
use qeval_fuzz::{choose, file};

fuzz_target!(|bytes: &[u8]| {
    let formats = [CorpusFormat::Jsonl, CorpusFormat::Trec];
    let Some((format, bytes)) = choose(&formats, bytes) else { return };
    let fields = CorpusFields::default();
    let source = CorpusSource { path: file(bytes), format, fields, metadata: Vec::new(), chunks: None };
    let _ = corpus(&source);
});
