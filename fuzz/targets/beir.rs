//! BEIR's folders: what stands between zero bytes is the corpus, the queries and the judgments.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_dataset::{CorpusFormat, CorpusSource, DatasetFormat, DatasetSource, corpus, open};
use qeval_fuzz::folder;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.split(|&byte| byte == 0);
    let names = ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"];
    let path = folder(names.map(|name| (name, parts.next().unwrap_or_default())));
    let _ = corpus(&CorpusSource::new(&path, CorpusFormat::Beir));
    if let Ok(records) = open(&DatasetSource::new(&path, DatasetFormat::Beir)) {
        assert!(records.take_while(Result::is_ok).count() > 0, "no query is judged");
    }
});
