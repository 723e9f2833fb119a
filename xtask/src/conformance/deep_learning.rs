//! TREC Deep Learning 2019, passages: five first-stage runs and five repeats of one reranker, against
//! published values.

use anyhow::Result;

use super::{Setting, check::Check, qeval};

/// The track counts grades 2 and 3 as relevant where a measure is binary.
const METRICS: [&str; 4] = ["nDCG@10", "MAP(rel=2)", "MRR(rel=2)", "Recall(rel=2)@100"];

/// trec_eval's values; that of BM25 for nDCG@10 is the one that Anserini publishes.
const RUNS: [(&str, [&str; 4]); 5] = [
    ("BM25", ["0.5058", "0.2476", "0.7036", "0.4910"]),
    ("BM25_RM3", ["0.5216", "0.2807", "0.6767", "0.5259"]),
    ("D_BERT_KD_TASB", ["0.7210", "0.4050", "0.8765", "0.6097"]),
    ("OPEN_AI_ADA2", ["0.7035", "0.4151", "0.8353", "0.6235"]),
    ("SPLADE_P_P_ENSEMBLE_DISTIL", ["0.7308", "0.4464", "0.9186", "0.6390"]),
];

/// BM25 with the same LLM reranker, five times with the same settings. How little they differ is in
/// `docs/statistics-tests.md`, and tested in `tests/significance.rs`.
const REPEATS: [(&str, [&str; 4]); 5] = [
    ("2023-08-04T232651", ["0.6799", "0.3351", "0.8721", "0.4910"]),
    ("2023-08-04T235144", ["0.6737", "0.3270", "0.8715", "0.4910"]),
    ("2023-08-05T001330", ["0.6827", "0.3312", "0.8599", "0.4910"]),
    ("2023-08-05T003110", ["0.6938", "0.3378", "0.8696", "0.4910"]),
    ("2023-08-05T004244", ["0.6868", "0.3330", "0.8723", "0.4910"]),
];

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    let folder = setting.shared.join("data/trec-dl-2019");
    let metrics = METRICS.map(str::to_owned);
    let first = RUNS.map(|(run, expected)| (format!("runs/{run}"), expected));
    let repeats = REPEATS.map(|(repeat, expected)| {
        (format!("runs_llm_reranked/BM25__gpt-3.5-turbo_{repeat}"), expected)
    });
    for (run, expected) in first.into_iter().chain(repeats) {
        let results = setting.folder(&format!("dl19-{}", run.replace('/', "-")))?;
        let mut score = qeval::score(setting, &metrics, &results);
        score.arg("--qrels").arg(folder.join("qrels.dl19-passage.txt.gz"));
        score.arg("--run").arg(folder.join(format!("{run}.txt.gz")));
        let evaluation = qeval::run(setting, &mut score, &results)?;
        for (metric, expected) in METRICS.into_iter().zip(expected) {
            let ours = evaluation.mean(metric, None)?;
            check.digits(&format!("{run} {metric}"), Some(ours), expected);
        }
    }
    Ok(())
}
