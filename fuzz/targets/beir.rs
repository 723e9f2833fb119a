//! BEIR's folders: what stands before a zero byte is the queries, the rest the judgments. A corpus is
//! read as JSON lines, which another target does.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_dataset::{DatasetFormat, DatasetSource, open};
use qeval_fuzz::folder;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |&byte| byte == 0);
    let names = ["queries.jsonl", "qrels/test.tsv"];
    let path = folder(names.map(|name| (name, parts.next().unwrap_or_default())));
    if let Ok(mut records) = open(&DatasetSource::new(&path, DatasetFormat::Beir)) {
        assert!(records.next().is_some(), "no query is judged");
    }
});
