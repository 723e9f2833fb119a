//! Corpora of every format that is one file, whole and in chunks.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_dataset::{ChunkUnit, Chunks, CorpusFormat, CorpusSource, corpus};
use qeval_fuzz::{choose, file};

fuzz_target!(|bytes: &[u8]| {
    let formats =
        [CorpusFormat::Jsonl, CorpusFormat::Trec, CorpusFormat::Dpr, CorpusFormat::Msmarco];
    let Some((format, bytes)) = choose(&formats, bytes) else { return };
    let Some((&unit, bytes)) = bytes.split_first() else { return };
    let mut source = CorpusSource::new(file(bytes), format);
    let Ok(whole) = corpus(&source) else { return };
    let unit = match unit % 4 {
        0 => ChunkUnit::Words,
        1 => ChunkUnit::Sentences,
        2 => ChunkUnit::Paragraphs,
        _ => return,
    };
    source.chunks = Chunks::new(3, 1, unit).ok();
    let cut = corpus(&source).expect("what can be read can be cut");
    assert!(cut.len() >= whole.len(), "a passage is lost");
});
