//! trec_eval, in two versions that differ: 9.0.8 keeps scores in 32 bits, 10.0 stops at a topic
//! that the run lacks, unless told not to.

use std::{collections::BTreeSet, fs};

use qeval_core::{
    Case, Example, JudgedRanking, Judgments, Metric, Pooled, Qrels, Ranking, Run, Ties,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    ranked::{Options, compare_topic, measures, seen, topic_score},
    summary,
};
use crate::tally::{Record, Tally, number};

#[derive(Deserialize)]
struct Input {
    options: Vec<String>,
    qrels: String,
    run: String,
}

pub(super) fn version_9(record: &Record, tally: &mut Tally) {
    check(record, tally, true);
}

pub(super) fn version_10(record: &Record, tally: &mut Tally) {
    check(record, tally, false);
}

fn check(record: &Record, tally: &mut Tally, single: bool) {
    let Input { options, qrels, run } = record.input();
    let Some(options) = parse(&options, single) else {
        tally.skip("records with an option that we have no equal of");
        return;
    };
    let refused = number(record.expected("exit_code")).is_some_and(|code| code > 0.0);
    let rows = if refused { record.expected("stdout") } else { &record.expected };
    let rows = rows.as_object().expect("the output is an object");
    match read(&qrels, &run) {
        Ok((qrels, run)) => {
            if refused {
                tally.skip("the end of records at which trec_eval gives up and we do not");
            }
            compare(rows, &qrels, &run, options, tally);
            if !refused {
                compare_topics(rows, &qrels, &run, options, tally);
            }
        }
        Err(error) if !refused && error.contains("expected a number") => {
            tally.skip("records with a score that is no number, which trec_eval takes for 0");
        }
        Err(error) => tally.same(&format!("refusal, {error}"), &refused, &true),
    }
}

/// The options; `None` if one is unknown, or a level that makes everything judged relevant.
fn parse(words: &[String], single: bool) -> Option<Options> {
    let mut options =
        Options { level: 1, depth: usize::MAX, judged_only: false, complete: false, single };
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        // A value follows its letter at once or after a blank.
        let mut value = |attached: &'static str| {
            let rest = word.strip_prefix(attached).filter(|rest| !rest.is_empty());
            rest.or_else(|| words.next())
        };
        match word.get(..2)? {
            "-q" => {}
            "-m" => drop(value("-m")?),
            "-c" => options.complete = true,
            "-J" => options.judged_only = true,
            "-l" => options.level = value("-l")?.parse().ok().filter(|&level| level > 0)?,
            "-M" => options.depth = value("-M")?.parse().ok()?,
            _ => return None,
        }
    }
    Some(options)
}

fn read(qrels: &str, run: &str) -> Result<(Qrels, Run), String> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let qrels = qeval_dataset::qrels(&file("qrels", qrels)).map_err(|e| e.to_string())?;
    let run = qeval_dataset::run(&file("run", run), Ties::Docno).map_err(|e| e.to_string())?;
    Ok((qrels, run))
}

/// Compares the rows that are there.
fn compare(
    rows: &Map<String, Value>,
    qrels: &Qrels,
    run: &Run,
    options: Options,
    tally: &mut Tally,
) {
    let none = Ranking::default();
    let ranking = |topic: &str, judgments: &Judgments| {
        seen(run.get(topic).unwrap_or(&none), judgments, options)
    };
    for (topic, row) in rows {
        let row = row.as_object().expect("a row is an object");
        if topic != "all" {
            let judgments = qrels.get(topic).expect("a topic of the output has judgments");
            compare_topic(topic, row, &ranking(topic, judgments), options, tally);
            continue;
        }
        let averaged: Vec<_> = (qrels.iter())
            .filter(|(topic, _)| options.complete || run.contains_key(*topic))
            .map(|(topic, judgments)| ranking(topic, judgments))
            .collect();
        if let Some(expected) = row.get("num_q") {
            tally.count("num_q", expected, Some(averaged.len() as f64));
        }
        for (name, expected, metric) in measures(row, options) {
            if name == "num_rel" && options.complete {
                // With `-c`, the program counts all positive grades, whatever `-l` says.
                let relevant = qrels.iter().map(|(_, judgments)| judgments.ideal_grades().len());
                tally.count(name, expected, Some(relevant.sum::<usize>() as f64));
                continue;
            }
            if expected == "NaN" {
                tally.skip("means of what is no number in one topic");
                continue;
            }
            let found = if let Some(pooled) = metric.pooled() {
                pool(&metric, pooled, &averaged)
            } else {
                let scores = averaged.iter().map(|ranking| topic_score(&metric, ranking));
                let scores = scores.map(|score| (Ok(score.expect("it has one or zero")), None));
                summary(&metric, scores).mean
            };
            tally.score(&format!("{name} of all topics"), expected, found);
        }
    }
}

/// Compares the topics that have a row: those that are judged and in the run. Version 10 also
/// prints those that `-c` adds.
fn compare_topics(
    rows: &Map<String, Value>,
    qrels: &Qrels,
    run: &Run,
    options: Options,
    tally: &mut Tally,
) {
    let added = options.complete && !options.single;
    let printed = rows.keys().map(String::as_str).filter(|&topic| topic != "all");
    let topics = qrels.iter().map(|(topic, _)| topic);
    let topics = topics.filter(|&topic| added || run.contains_key(topic));
    tally.same("topics", &printed.collect::<BTreeSet<_>>(), &topics.collect());
}

/// The number of a metric that is no mean.
fn pool(metric: &Metric, pooled: &Pooled, rankings: &[JudgedRanking]) -> Option<f64> {
    let example = Example::default();
    let mut columns = vec![Vec::new(); pooled.names.len()];
    for ranking in rankings {
        let case = Case::new(&example).with_ranking(ranking);
        let statistics = metric.statistics(pooled, &case).expect("it has one or zero");
        columns.iter_mut().zip(statistics).for_each(|(column, value)| column.push(value));
    }
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    (pooled.finish)(metric, &columns)
}
