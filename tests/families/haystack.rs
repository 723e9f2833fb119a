//! The evaluations of Haystack 0.10, 1.26 and 3.4.

mod definitions;

use qeval_core::families::haystack::{
    components::{self, Gold},
    nodes::{Query, Scores, Settings, evaluate},
    tables::{Criterion, Document, Label, Metrics, metrics},
};
use serde::Deserialize;
use serde_json::Value;

use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Nodes {
    open_domain: bool,
    top_k: usize,
    skip_incorrect_retrieval: bool,
    queries: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    no_answer: bool,
    answers: Vec<String>,
    gold_document_ids: Vec<String>,
    documents: Vec<(String, String)>,
    predictions: Vec<Option<String>>,
}

pub(super) fn nodes(record: &Record, tally: &mut Tally) {
    let Nodes { open_domain, top_k, skip_incorrect_retrieval, queries } = record.input();
    let queries: Vec<Query<'_>> = (queries.iter())
        .map(|asked| Query {
            no_answer: asked.no_answer,
            answers: texts(&asked.answers),
            gold_ids: texts(&asked.gold_document_ids),
            documents: asked.documents.iter().map(|(id, t)| (id.as_str(), t.as_str())).collect(),
            predictions: asked.predictions.iter().map(Option::as_deref).collect(),
        })
        .collect();
    let settings = Settings { open_domain, top_k, skip_incorrect_retrieval };
    definitions::nodes(&queries, settings, record, tally);
    let report = evaluate(&queries, settings);
    let error = report.as_ref().err().map(|error| error.0 as u64);
    tally.same("at_query", &record.expected("at_query").as_u64(), &error);
    let Ok(report) = report else { return };
    let mut numbers = |part: &str, numbers: &[(&str, f64)]| {
        for &(key, found) in numbers {
            tally.score(&format!("{part}, {key}"), &record.expected(part)[key], Some(found));
        }
    };
    let (documents, answers) = (report.documents, report.answers);
    numbers(
        "documents",
        &[
            ("recall", documents.recall()),
            ("mean_reciprocal_rank", documents.mean_reciprocal_rank()),
            ("has_answer_recall", documents.has_answer_recall()),
            ("has_answer_mean_reciprocal_rank", documents.has_answer_mean_reciprocal_rank()),
            ("query_count", documents.queries as f64),
            ("has_answer_count", documents.has_answer as f64),
            ("no_answer_count", documents.no_answer as f64),
            ("correct_retrieval_count", documents.correct() as f64),
        ],
    );
    numbers("reader", &scores(answers.reader()));
    numbers(
        "reader",
        &[
            ("top_1_no_answer", answers.top_1_no_answer()),
            ("has_answer_count", answers.has_answer as f64),
            ("no_answer_count", answers.no_answer as f64),
            ("correct_retrieval_count", answers.counted as f64),
            ("query_count", answers.queries as f64),
        ],
    );
    numbers("pipeline", &scores(answers.pipeline()));
}

fn scores(scores: Scores) -> [(&'static str, f64); 4] {
    [
        ("top_1_em", scores.top_1_em),
        ("top_k_em", scores.top_k_em),
        ("top_1_f1", scores.top_1_f1),
        ("top_k_f1", scores.top_k_f1),
    ]
}

/// One number of a table.
type OfTable = fn(&Metrics) -> f64;

#[derive(Deserialize)]
struct Tables {
    queries: Vec<Searched>,
    document_relevance_criterion: String,
    simulated_top_k_retriever: i64,
}

#[derive(Deserialize)]
struct Searched {
    gold_document_ids: Vec<String>,
    gold_answers: Vec<String>,
    documents: Vec<(String, String)>,
}

pub(super) fn tables(record: &Record, tally: &mut Tally) {
    let Tables { queries, document_relevance_criterion, simulated_top_k_retriever } =
        record.input();
    let criterion = match document_relevance_criterion.as_str() {
        "document_id" => Criterion::Id,
        "answer" => Criterion::Answer,
        "document_id_and_answer" => Criterion::IdAndAnswer,
        "document_id_or_answer" => Criterion::IdOrAnswer,
        other => panic!("`{other}` is no criterion"),
    };
    let top_k = usize::try_from(simulated_top_k_retriever).unwrap_or(usize::MAX);
    for (index, query) in queries.iter().enumerate() {
        definitions::tables(index, query, &document_relevance_criterion, top_k, record, tally);
    }
    let found: Vec<Metrics> = (queries.iter())
        .filter_map(|query| {
            let ids = query.gold_document_ids.iter().zip(&query.gold_answers);
            let labels: Vec<Label<'_>> =
                ids.map(|(id, answer)| Label { id: Some(id), answer }).collect();
            let documents: Vec<Document<'_>> = (query.documents.iter().take(top_k))
                .map(|(id, content)| Document { id, content })
                .collect();
            metrics(&labels, &documents, criterion)
        })
        .collect();
    let numbers: [(&str, OfTable); 6] = [
        ("recall_multi_hit", |m| m.recall_multi_hit),
        ("recall_single_hit", |m| m.recall_single_hit),
        ("precision", |m| m.precision),
        ("map", |m| m.map),
        ("mrr", |m| m.mrr),
        ("ndcg", |m| m.ndcg),
    ];
    for (key, of) in numbers {
        for (index, metrics) in found.iter().enumerate() {
            let expected = &record.expected("per_query")[index.to_string()][key];
            tally.score(&format!("{key}, query {index}"), expected, Some(of(metrics)));
        }
        let mean = found.iter().map(of).sum::<f64>() / found.len() as f64;
        tally.score(key, &record.expected("mean")[key], Some(mean));
    }
}

/// The number of a component for one question.
type OfComponent = fn(&[Gold<'_>], &[Option<&str>]) -> f64;

/// What should be found for one question, and what was.
type Searches<'a> = (Vec<Gold<'a>>, Vec<Option<&'a str>>);

#[derive(Deserialize)]
struct Components {
    ground_truth: Vec<Vec<(Option<String>, Option<f64>)>>,
    retrieved: Vec<Vec<Option<String>>>,
}

pub(super) fn evaluators(record: &Record, tally: &mut Tally) {
    let Components { ground_truth, retrieved } = record.input();
    let questions: Vec<Searches<'_>> = (ground_truth.iter().zip(&retrieved))
        .map(|(gold, retrieved)| {
            let gold = gold
                .iter()
                .map(|(content, score)| Gold { content: content.as_deref(), score: *score });
            (gold.collect(), retrieved.iter().map(Option::as_deref).collect())
        })
        .collect();
    definitions::evaluators(&questions, record, tally);
    let numbers: [(&str, OfComponent); 5] = [
        ("map", components::average_precision),
        ("mrr", components::reciprocal_rank),
        ("ndcg", |gold, retrieved| components::ndcg(gold, retrieved).unwrap()),
        ("recall_single", components::recall_single_hit),
        ("recall_multi", components::recall_multi_hit),
    ];
    for (key, of) in numbers {
        let found: Vec<f64> = questions.iter().map(|(gold, docs)| of(gold, docs)).collect();
        let expected: &Value = record.expected(key);
        for (index, &score) in found.iter().enumerate() {
            let name = format!("{key}, question {index}");
            tally.score(&name, &expected["individual_scores"][index], Some(score));
        }
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        tally.score(key, &expected["score"], Some(mean));
    }
}

fn texts(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
