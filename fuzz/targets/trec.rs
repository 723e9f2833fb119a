//! Runs and judgments: recognised by their content, or in a format that is named.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_core::Ties;
use qeval_dataset::{RunFormat, RunSource, qrels, run};
use qeval_fuzz::{choose, file};

/// What the bytes are read as.
#[derive(Clone, Copy)]
enum What {
    Judgments,
    Run(Option<RunFormat>),
}

fuzz_target!(|bytes: &[u8]| {
    let choices = [
        What::Judgments,
        What::Run(None),
        What::Run(Some(RunFormat::Trec)),
        What::Run(Some(RunFormat::Msmarco)),
        What::Run(Some(RunFormat::Json)),
        What::Run(Some(RunFormat::Jsonl)),
        What::Run(Some(RunFormat::Csv)),
        What::Run(Some(RunFormat::Tsv)),
        What::Run(Some(RunFormat::Dpr)),
        What::Run(Some(RunFormat::Kilt)),
    ];
    let Some((what, bytes)) = choose(&choices, bytes) else { return };
    let path = file(bytes);
    match what {
        What::Judgments => {
            let _ = qrels(&path);
        }
        What::Run(format) => {
            let source = RunSource { format, ..RunSource::new(&path) };
            let Ok(run) = run(source, Ties::Docno) else { return };
            for (_, ranking) in run.iter() {
                let ordered = ranking.hits().is_sorted_by(|a, b| a.score >= b.score);
                assert!(ordered, "a hit stands behind a worse one");
            }
        }
    }
});
