//! Published files of retrieval in each format that we read: the same run and judgments in all forms of
//! ranx's tests, and BEIR's topics and judgments as TREC's lines.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use super::{Setting, check::Check, qeval};

/// Endings of the one run and the one file of judgments of ranx's tests.
const FORMS: [&str; 4] = ["trec", "trec.gz", "json", "parquet"];

/// Queries of BEIR's test splits, and how many judgments they have.
const SPLITS: [(&str, usize, usize); 4] =
    [("scifact", 300, 339), ("nfcorpus", 323, 12334), ("fiqa", 648, 1706), ("arguana", 1406, 1406)];

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    let ranx = setting.shared.join("reference/ranx");
    for qrels in FORMS {
        for run in FORMS {
            let name = format!("qrels.{qrels}, run.{run}");
            let (qrels, run) = (format!("qrels.{qrels}"), format!("run.{run}"));
            let metrics = ["nDCG@10", "nDCG@2", "MAP(rel=2)", "P@3"];
            let means = means(setting, &ranx.join(qrels), &ranx.join(run), &name, &metrics)?;
            // q1 finds its grades 3, 2, 1 in this order, q2 its grades 2, 1.
            for (metric, (ours, right)) in
                metrics.iter().zip(means.iter().zip([1.0, 1.0, 1.0, 5.0 / 6.0]))
            {
                check.close(&format!("{name}: {metric}"), *ours, right, 1e-12);
            }
        }
    }
    for (split, queries, judgments) in SPLITS {
        beir(setting, check, split, queries, judgments)
            .with_context(|| format!("the split of {split}"))?;
    }
    Ok(())
}

/// Topics and judgments of a split, and a run that finds nothing but what is relevant.
fn beir(
    setting: &Setting,
    check: &mut Check,
    split: &str,
    queries: usize,
    judgments: usize,
) -> Result<()> {
    let folder = setting.shared.join("data/beir-qrels-topics");
    let topics = folder.join(format!("topics.{split}.test.tsv.gz"));
    let found = qeval::convert(setting, &topics, "trec", &[])?.len();
    check.same(&format!("{split}: queries"), &found.to_string(), &queries.to_string());
    let qrels = folder.join(format!("qrels.{split}.test.txt.gz"));
    let run = setting.folder(split)?.join("perfect.run");
    let mut cat = std::process::Command::new("gzip");
    let lines = crate::shell::output(cat.arg("-dc").arg(&qrels))?;
    let hit = |line: &str| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [query, _, passage, grade] = columns[..] else { anyhow::bail!("`{line}`") };
        Ok(format!("{query} Q0 {passage} 1 {grade} perfect\n"))
    };
    let hits = lines.lines().map(hit).collect::<Result<Vec<String>>>()?;
    check.same(&format!("{split}: judgments"), &hits.len().to_string(), &judgments.to_string());
    fs::write(&run, hits.concat())?;
    for mean in means(setting, &qrels, &run, split, &["nDCG", "MAP", "Recall@1000", "Rprec"])? {
        check.close(&format!("{split}: a perfect run"), mean, 1.0, 1e-12);
    }
    Ok(())
}

fn means(
    setting: &Setting,
    qrels: &Path,
    run: &Path,
    name: &str,
    metrics: &[&str],
) -> Result<Vec<f64>> {
    let results = setting.folder(&format!("formats-{name}"))?;
    let names: Vec<String> = metrics.iter().map(|&metric| metric.to_owned()).collect();
    let mut score = qeval::score(setting, &names, &results);
    score.arg("--qrels").arg(qrels).arg("--run").arg(run);
    let evaluation = qeval::run(setting, &mut score, &results)?;
    metrics.iter().map(|metric| evaluation.mean(metric, None)).collect()
}
