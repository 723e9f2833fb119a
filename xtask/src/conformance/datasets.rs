//! Published files of other datasets: that they are read, with as many questions as they have, and
//! the shares of right answers that people gave in EVOUNA.

use anyhow::Result;

use super::{Setting, check::Check, qeval};

/// Formats, files and how many examples they have.
const FILES: [(&str, &str, usize); 12] = [
    ("nq-open", "data/nq-open/NQ-open.dev.jsonl", 3610),
    ("nq-open", "data/nq-open/NQ-open.efficientqa.dev.1.1.jsonl", 1800),
    ("curatedtrec", "data/curatedtrec/curated-full.tsv", 867),
    ("curatedtrec", "data/curatedtrec/curated-train.tsv", 430),
    ("curatedtrec", "data/curatedtrec/curated-test.tsv", 430),
    ("curatedtrec", "data/curatedtrec/trecnew-raw-test.tsv", 447),
    ("kilt", "reference/kilt/gold1.jsonl", 3),
    ("kilt", "reference/kilt/gold2.jsonl", 1),
    ("triviaqa", "reference/triviaqa/triviaqa_sample.json", 2),
    ("drop", "reference/allennlp_fixtures/drop.json", 19),
    ("squad", "reference/allennlp_fixtures/quoref_sample.json", 4),
    ("evouna", "data/evouna-nq/NQ.json.gz", 3610),
];

/// Systems of EVOUNA, and the percent of the proper questions that people found them right on.
const ACCURACY: [(&str, &str); 5] = [
    ("fid", "68.94"),
    ("gpt35", "65.50"),
    ("chatgpt", "72.98"),
    ("gpt4", "78.84"),
    ("newbing", "79.93"),
];

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    for (format, file, expected) in FILES {
        let records = qeval::convert(setting, &setting.shared.join(file), format, &[])?;
        check.same(file, &records.len().to_string(), &expected.to_string());
    }
    for (system, expected) in ACCURACY {
        let judge = format!("judge_{system}");
        let columns = ["--column", &judge, "--column", "improper"];
        let path = setting.shared.join("data/evouna-nq/NQ.json.gz");
        let records = qeval::convert(setting, &path, "evouna", &columns)?;
        let proper = records.iter().filter(|record| record["improper"] == false);
        let judged: Vec<bool> = proper.filter_map(|record| record[&judge].as_bool()).collect();
        let right = judged.iter().filter(|right| **right).count();
        let percent = 100.0 * right as f64 / judged.len() as f64;
        check.digits(&format!("EVOUNA {system}"), Some(percent), expected);
    }
    Ok(())
}
