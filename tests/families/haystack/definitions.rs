//! The same vectors put to the metrics of the table.

use qeval_core::{
    Candidate, Case, Example, JudgedRanking, Passage, Prediction, Unscored, arithmetic,
    families::haystack::nodes::{Query, Settings},
};

use super::{Searched, Searches};
use crate::{
    families::metric,
    tally::{Record, Tally},
};

/// One query of 0.10 in our words.
struct Parts {
    example: Example,
    ranking: JudgedRanking,
    passages: Vec<Passage>,
    prediction: Option<Prediction>,
}

impl Parts {
    fn of(query: &Query<'_>) -> Self {
        let references = if query.no_answer { &[][..] } else { &query.answers };
        let grade = |(id, _): &(&str, &str)| query.gold_ids.contains(id).then_some(1);
        let candidates = query.predictions.iter().map(|text| text.unwrap_or_default().into());
        let candidates: Vec<Candidate> = candidates.collect();
        Self {
            example: Example {
                references: references.iter().map(|&text| text.into()).collect(),
                ..Example::default()
            },
            ranking: JudgedRanking {
                grades: query.documents.iter().map(grade).collect(),
                ideal: query.gold_ids.iter().map(|_| 1).collect(),
                zeros: None,
                subtopics: None,
            },
            passages: query.documents.iter().map(|&(id, text)| passage(id, text)).collect(),
            prediction: (!candidates.is_empty()).then(|| Prediction::first_of(candidates)),
        }
    }

    fn score(&self, name: &str) -> Result<f64, Unscored> {
        let passages: Vec<&Passage> = self.passages.iter().collect();
        let case = Case::new(&self.example).with_passages(&passages).with_ranking(&self.ranking);
        metric(name).score(&match &self.prediction {
            Some(prediction) => case.with_prediction(prediction),
            None => case,
        })
    }
}

fn passage(id: &str, text: &str) -> Passage {
    Passage { id: id.to_owned(), text: text.to_owned(), ..Passage::default() }
}

pub(super) fn nodes(queries: &[Query<'_>], settings: Settings, record: &Record, tally: &mut Tally) {
    let parts: Vec<Parts> = queries.iter().map(Parts::of).collect();
    let domain = if settings.open_domain { "" } else { "(domain=closed)" };
    let of_documents = |name: &str, parts: &[&Parts]| {
        let name = format!("Haystack0.{name}{domain}@{}", settings.top_k);
        parts.iter().map(|query| query.score(&name).unwrap()).collect::<Vec<f64>>()
    };
    let all: Vec<&Parts> = parts.iter().collect();
    let has_answer = answerable(&all);
    let mut compare = |part: &str, key: &str, scores: Vec<f64>| {
        let expected = &record.expected(part)[key];
        let mean = arithmetic::mean(&scores).unwrap_or(0.0);
        tally.score(&format!("{part}, {key}, by definition"), expected, Some(mean));
    };
    let recalls = of_documents("Recall", &all);
    // A query that the reader has no answer for, or that was left out, is in no number of the reader.
    let counted: Vec<&Parts> = (all.iter().zip(&recalls))
        .filter(|&(query, &recall)| {
            query.prediction.is_some() && (recall > 0.0 || !settings.skip_incorrect_retrieval)
        })
        .map(|(query, _)| *query)
        .collect();
    let nothing = |query: &&Parts| {
        counted.iter().any(|counted| std::ptr::eq(*counted, *query))
            && matches!(query.score("Top-EM(blank=drop)"), Err(Unscored::NotApplicable(_)))
    };
    let stopped = all.iter().position(nothing).map(|index| index as u64);
    if stopped.is_none() {
        compare("documents", "recall", recalls);
        compare("documents", "mean_reciprocal_rank", of_documents("MRR", &all));
        compare("documents", "has_answer_recall", of_documents("Recall", &has_answer));
        let ranks = of_documents("MRR", &has_answer);
        compare("documents", "has_answer_mean_reciprocal_rank", ranks);
        let of = |name: &str, parts: &[&Parts]| -> Vec<f64> {
            parts.iter().map(|query| query.score(name).unwrap()).collect()
        };
        let unanswerable: Vec<&Parts> =
            counted.iter().copied().filter(|query| !query.example.answerable()).collect();
        compare("reader", "top_1_no_answer", of("Top-EM@1", &unanswerable));
        for (key, reader, pipeline) in [
            ("em@1", "Top-EM(unanswerable=null,blank=drop)@1", "Top-EM(blank=drop)@1"),
            ("f1@1", "Top-F1(unanswerable=null,blank=drop)@1", "Top-F1(blank=drop)@1"),
            ("em", "Top-EM(unanswerable=null,blank=drop)", "Top-EM(unanswerable=one,blank=drop)"),
            ("f1", "Top-F1(unanswerable=null,blank=drop)", "Top-F1(unanswerable=one,blank=drop)"),
        ] {
            let key = match key.split_once('@') {
                Some((key, _)) => format!("top_1_{key}"),
                None => format!("top_k_{key}"),
            };
            compare("reader", &key, of(reader, &answerable(&counted)));
            let mut scores = of(pipeline, &counted);
            scores.resize(all.len(), 0.0);
            compare("pipeline", &key, scores);
        }
    }
    tally.same("at_query, by definition", &record.expected("at_query").as_u64(), &stopped);
}

fn answerable<'a>(parts: &[&'a Parts]) -> Vec<&'a Parts> {
    parts.iter().copied().filter(|query| query.example.answerable()).collect()
}

pub(super) fn tables(
    index: usize,
    query: &Searched,
    criterion: &str,
    top_k: usize,
    record: &Record,
    tally: &mut Tally,
) {
    let labels = query.gold_document_ids.iter().zip(&query.gold_answers);
    // What Haystack calls document 00 is no document but "there is no answer".
    let labels = labels.filter(|(id, _)| *id != "00");
    let (gold_passages, references): (Vec<String>, Vec<_>) =
        labels.map(|(id, text)| (id.clone(), text.as_str().into())).unzip();
    let example = Example { references, gold_passages, ..Example::default() };
    let passages: Vec<Passage> =
        query.documents.iter().map(|(id, text)| passage(id, text)).collect();
    let passages: Vec<&Passage> = passages.iter().collect();
    let scope = criterion.replace("document_", "");
    let cutoff = u32::try_from(top_k).map_or(String::new(), |k| format!("@{k}"));
    for (key, name) in [
        ("recall_multi_hit", "Recall"),
        ("recall_single_hit", "Success"),
        ("precision", "Precision"),
        ("map", "MAP"),
        ("mrr", "MRR"),
        ("ndcg", "nDCG"),
    ] {
        let name = format!("Haystack1.{name}(scope={scope}){cutoff}");
        let found = metric(&name).score(&Case::new(&example).with_passages(&passages)).ok();
        let expected = &record.expected("per_query")[index.to_string()][key];
        tally.score(&format!("{name}, query {index}"), expected, found);
    }
}

/// The components are the metrics of `trec_eval`, where each text is a passage of its own: one that
/// is retrieved again is another passage, which nobody has judged.
pub(super) fn evaluators(questions: &[Searches<'_>], record: &Record, tally: &mut Tally) {
    for (index, (gold, retrieved)) in questions.iter().enumerate() {
        let whole = |score: f64| (0..9).find(|&grade| f64::from(grade).total_cmp(&score).is_eq());
        let grade = |text: &str| {
            let same = gold.iter().filter(|gold| gold.content == Some(text));
            same.map(|gold| whole(gold.score.unwrap_or(1.0)).expect("a grade")).max()
        };
        let mut contents: Vec<&str> = gold.iter().filter_map(|gold| gold.content).collect();
        contents.sort_unstable();
        contents.dedup();
        let new = |at: usize| {
            let text = retrieved[at];
            text.filter(|_| !retrieved[..at].contains(&text)).and_then(grade)
        };
        let binary = |grade: i32| grade.max(1);
        let grades: Vec<Option<i32>> = (0..retrieved.len()).map(new).collect();
        let mut ideal: Vec<i32> = contents.iter().filter_map(|text| grade(text)).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let graded = JudgedRanking {
            grades: grades.clone(),
            ideal: ideal.iter().copied().filter(|&grade| grade > 0).collect(),
            zeros: None,
            subtopics: None,
        };
        let judged = JudgedRanking {
            grades: grades.into_iter().map(|grade| grade.map(binary)).collect(),
            ideal: ideal.into_iter().map(binary).collect(),
            zeros: None,
            subtopics: None,
        };
        let all = retrieved.len().max(1);
        for (key, name, ranking) in [
            ("map", "MAP(empty=zero)".to_owned(), &judged),
            ("mrr", "MRR(empty=zero)".to_owned(), &judged),
            ("recall_single", format!("Success(empty=zero)@{all}"), &judged),
            ("recall_multi", format!("Recall(empty=zero)@{all}"), &judged),
            ("ndcg", "nDCG(empty=zero)".to_owned(), &graded),
        ] {
            if key.starts_with("recall") && contents.contains(&"") {
                tally.skip("a component's recall leaves out documents without a text");
                continue;
            }
            let found = metric(&name).score(&Case::new(&Example::default()).with_ranking(ranking));
            let expected = &record.expected(key)["individual_scores"][index];
            tally.score(&format!("{name}, question {index}"), expected, found.ok());
        }
    }
}
