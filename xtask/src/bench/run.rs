//! Four measures on a TREC run of ten lines for each row, against the package `pytrec_eval-terrier`.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    process::Command,
};

use anyhow::Result;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{
    Bench,
    rounds::{self, Side},
};
use crate::{python, shell};

const SEED: u64 = 20_260_401;

/// Hits of a query.
const DEPTH: u64 = 1000;

/// Judged passages of a query.
const JUDGED: u64 = 50;

const PACKAGES: [&str; 1] = ["pytrec_eval-terrier==0.5.11"];

pub(super) fn run(bench: &Bench<'_>) -> Result<()> {
    let queries = (bench.args.rows / 100).max(1);
    let grouped = bench.file("grouped.run", |out| hits(queries, false, out))?;
    let scattered = bench.file("scattered.run", |out| hits(queries, true, out))?;
    let qrels = bench.file("qrels.txt", |out| judgments(queries, out))?;
    let mut peer = Command::new(python::environment(bench.workspace, "trec-venv", &PACKAGES)?);
    peer.arg(bench.workspace.root.join("peers").join("trec.py")).args([&qrels, &grouped]);
    let mut sides = [
        Side::new("pytrec_eval", peer),
        Side::new("grouped", score(bench, &qrels, &grouped)).with_threads(1),
        Side::new("scattered", score(bench, &qrels, &scattered)).with_threads(1),
    ];
    rounds::measure(bench, &mut sides)?;
    let size = fs::metadata(&grouped)?.len() as f64 / 1e6;
    let lines = queries * DEPTH;
    shell::print(&rounds::table(&format!("run: {lines} lines, {size:.1} MB"), &sides));
    shell::print(
        "limits: a sixth of pytrec_eval; with ten million lines 1.5 s, 600 MB, and 100 MB where \
         they are grouped",
    );
    Ok(())
}

fn score(bench: &Bench<'_>, qrels: &Path, run: &Path) -> Command {
    let mut qeval = Command::new(bench.workspace.qeval("release"));
    qeval.arg("score").arg("--qrels").arg(qrels).arg("--run").arg(run);
    qeval.args(["-m", "nDCG@10", "-m", "Recall@100", "-m", "MRR", "-m", "MAP"]);
    qeval
}

/// The hits of all queries, query by query or rank by rank.
fn hits(queries: u64, scattered: bool, out: &mut impl Write) -> io::Result<()> {
    let (outer, inner) = if scattered { (DEPTH, queries) } else { (queries, DEPTH) };
    for first in 0..outer {
        for second in 0..inner {
            let (query, rank) = if scattered { (second, first) } else { (first, second) };
            let score = 45.0 - rank as f64 / 32.0;
            writeln!(
                out,
                "q{query:05} Q0 D{:07} {} {score:.4} bench",
                passage(query, rank),
                rank + 1
            )?;
        }
    }
    out.flush()
}

/// The passage at a rank: different ones for a query, without a pattern between queries.
fn passage(query: u64, rank: u64) -> u64 {
    (query * 7919 + rank * 104_729) % 1_999_993
}

/// Judgments of passages of which most are among the hits.
fn judgments(queries: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = Pcg64Mcg::seed_from_u64(SEED);
    for query in 0..queries {
        for place in 0..JUDGED {
            let rank = place * 25 + u64::from(random.next_u32() % 25);
            writeln!(out, "q{query:05} 0 D{:07} {}", passage(query, rank), random.next_u32() % 4)?;
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hits_are_the_same_in_both_orders() {
        let lines = |scattered: bool| {
            let mut out = Vec::new();
            hits(3, scattered, &mut out).unwrap();
            let mut lines: Vec<String> =
                String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
            if scattered {
                lines.sort_by_key(|line| line[..6].to_owned());
            }
            lines
        };
        assert_eq!(lines(false), lines(true));
        assert_eq!(lines(false)[0], "q00000 Q0 D0000000 1 45.0000 bench");
    }
}
