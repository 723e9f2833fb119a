//! Cranfield: our BM25 against bm25s on the same words, and the same bytes on any number of
//! threads.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use anyhow::{Context, Result};

use super::{
    Setting,
    check::Check,
    qeval::{self, Evaluation},
};
use crate::shell;

/// Retrieves with bm25s and prints the means of our metrics.
const BM25S: &str = include_str!("bm25s_means.py");

const METRICS: [&str; 3] = ["nDCG@10", "Recall@20", "MRR"];

/// Our words are those of Unicode's boundaries and bm25s gets a pattern that is close to them, and
/// equal scores are ordered in two ways.
const TOLERANCE: f64 = 0.01;

/// Values of k1 and b that are compared on the very same words: Lucene's, Anserini's, and a pair far
/// from both.
const PAIRS: [(f64, f64); 3] = [(1.2, 0.75), (0.9, 0.4), (2.0, 0.3)];

/// On the same words, what differs is that our lengths are rounded.
const SAME_WORDS: f64 = 0.005;

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    let english = evaluate(setting, "english", None)?;
    let means = METRICS.map(|metric| Ok(format!("{metric} {:.4}", english.mean(metric, None)?)));
    let means: Result<Vec<String>> = means.into_iter().collect();
    check.note(format!("analyzer english: {}", means?.join(", ")));

    let standard = evaluate(setting, "standard", None)?;
    let words = setting.folder("cranfield-words")?;
    let theirs = bm25s(setting, &words)?;
    for metric in METRICS {
        let (ours, theirs) = (standard.mean(metric, None)?, theirs[0][metric]);
        check.note(format!("analyzer standard: {metric} {ours:.4}, bm25s {theirs:.4}"));
        check.close(&format!("{metric} against bm25s"), ours, theirs, TOLERANCE);
    }
    for (&(k1, b), theirs) in PAIRS.iter().zip(&theirs) {
        let ours = same_words(setting, &words, k1, b)?;
        for metric in METRICS {
            let (ours, theirs) = (ours.mean(metric, None)?, theirs[metric]);
            let name = format!("k1 {k1}, b {b}, the same words: {metric}");
            check.note(format!("{name} {ours:.4}, bm25s {theirs:.4}"));
            check.close(&format!("{name} against bm25s"), ours, theirs, SAME_WORDS);
        }
    }

    let one = files(&evaluate(setting, "english", Some("1"))?.folder())?;
    let two = files(&evaluate(setting, "english", Some("2"))?.folder())?;
    check.same("files", &names(&one), &names(&two));
    check.holds("there are stored files", !one.is_empty());
    for (name, bytes) in &one {
        let same = two.get(name).is_some_and(|other| other == bytes);
        check.holds(&format!("one thread and two give the same bytes of {name}"), same);
    }
    Ok(())
}

/// The project's own file with this analyzer and results of its own.
fn evaluate(setting: &Setting, analyzer: &str, threads: Option<&str>) -> Result<Evaluation> {
    let name = format!("cranfield-{analyzer}-{}", threads.unwrap_or("default"));
    let place = setting.folder(&name)?;
    let config = place.join("cranfield.toml");
    let text = fs::read_to_string(setting.root.join("configs/cranfield.toml"))?
        .replace("../results", "results")
        .replace("analyzer = \"english\"", &format!("analyzer = \"{analyzer}\""));
    fs::write(&config, text)?;
    let mut run = Command::new(&setting.qeval);
    run.env("CRANFIELD_DIR", setting.shared.join("data/cranfield"));
    if let Some(threads) = threads {
        run.env("RAYON_NUM_THREADS", threads);
    }
    run.arg("run").arg(&config);
    qeval::run(setting, &mut run, &place.join("results"))
}

/// Our BM25 on the words of bm25s, from an index in a folder that all pairs have in common.
fn same_words(setting: &Setting, words: &Path, k1: f64, b: f64) -> Result<Evaluation> {
    let qrels = setting.shared.join("data/cranfield/cranqrel.trec.txt");
    let config = words.join(format!("{k1}-{b}.toml"));
    let text = format!(
        "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"queries.jsonl\"\nqrels = '{}'\n\
         [corpus]\nformat = \"jsonl\"\npath = \"corpus.jsonl\"\n\
         [retriever]\ntype = \"bm25\"\nindex = \"index\"\n\
         options = {{ k1 = {k1:?}, b = {b:?}, analyzer = \"whitespace\" }}\n\
         [metrics]\nretrieval = [\"nDCG@10\", \"Recall@20\", \"MRR\"]\n",
        qrels.display()
    );
    fs::write(&config, text)?;
    let mut run = Command::new(&setting.qeval);
    run.arg("run").arg(&config);
    qeval::run(setting, &mut run, &words.join("results"))
}

/// The means for each of the pairs; writes the words as passages and queries to a folder.
fn bm25s(setting: &Setting, words: &Path) -> Result<Vec<BTreeMap<String, f64>>> {
    let mut python = Command::new(&setting.python);
    python.args(["-c", BM25S]).arg(setting.shared.join("data/cranfield")).arg(words);
    python.args(PAIRS.map(|(k1, b)| format!("{k1},{b}")));
    let text = shell::output(&mut python)?;
    serde_json::from_str(&text).context("bm25s printed something else than means")
}

/// The Parquet files of an evaluation, by their path in its folder.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = fs::read_dir(&next)
            .with_context(|| format!("cannot read the folder `{}`", next.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "parquet") {
                let name = path.strip_prefix(folder).unwrap_or(&path);
                files.insert(name.to_string_lossy().into_owned(), fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

fn names(files: &BTreeMap<String, Vec<u8>>) -> String {
    files.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}
