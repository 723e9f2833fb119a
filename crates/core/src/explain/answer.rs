//! Metrics of answers: what is compared, and which reference decides.

use super::{SharedWords, Step};
use crate::{
    Case, Example, Metric, Score,
    metrics::{language, normalize, squad::Answer},
};

/// A normalised text for each metric that compares words in SQuAD's way.
pub(super) fn steps(metric: &Metric, case: &Case<'_>, score: &Score) -> Vec<Step> {
    let mut steps = Vec::new();
    if case.prediction.is_none() {
        steps.push(Step::Note("there is no answer: it scores as the worst one".to_owned()));
        return steps;
    }
    let normalised = normalised(metric, case);
    if let Some((answer, _)) = &normalised {
        steps.push(Step::Answer { normalised: answer.clone() });
    }
    let texts: Vec<&str> = case.example.reference_texts().collect();
    if texts.is_empty() {
        let text = "there is no reference: the right answer is none";
        steps.push(Step::Note(text.to_owned()));
        return steps;
    }
    let alone: Vec<Option<f64>> =
        (0..texts.len()).map(|index| with_one(metric, case, index)).collect();
    let better = |a: f64, b: f64| if metric.definition().higher_is_better { a > b } else { a < b };
    let best = alone.iter().flatten().copied().reduce(|a, b| if better(b, a) { b } else { a });
    // A metric that is not that of its best reference has none that decides.
    let reached = |alone: f64| score.as_ref().is_ok_and(|score| (score - alone).abs() < 1e-12);
    let decides = best.is_some_and(reached);
    // Where all are as bad as can be, none of them does.
    let worst = metric.definition().range;
    let worst = if metric.definition().higher_is_better { worst.0 } else { worst.1 };
    let mut decided = best.is_some_and(|best| (best - worst).abs() < 1e-12);
    for (index, (&text, &alone)) in texts.iter().zip(&alone).enumerate() {
        let first = decides && !decided && alone.is_some_and(|alone| Some(alone) == best);
        decided |= first;
        let reference = normalised.as_ref().map(|(_, references)| &references[index]);
        steps.push(Step::Reference {
            text: text.to_owned(),
            normalised: reference.cloned(),
            score: alone,
            decides: first,
            shared: normalised
                .as_ref()
                .zip(reference)
                .map(|((answer, _), reference)| shared(answer, reference)),
        });
    }
    if !decides && score.is_ok() && texts.len() > 1 {
        let text = "no reference alone gives this score: the metric looks at all of them, or at whether the \
                    reader abstained";
        steps.push(Step::Note(text.to_owned()));
    }
    steps
}

/// The score with this reference alone.
fn with_one(metric: &Metric, case: &Case<'_>, index: usize) -> Option<f64> {
    let example = Example {
        references: vec![case.example.references[index].clone()],
        ..case.example.clone()
    };
    let mut alone = Case::new(&example);
    alone.ranking = case.ranking;
    alone.documents = case.documents;
    alone.hits = case.hits;
    alone.cited = case.cited;
    alone.prediction = case.prediction;
    metric.score(&alone).ok()
}

/// Answer and references by the rules of the metric; `None` where it does not compare words so, or by
/// rules of a plugin.
fn normalised(metric: &Metric, case: &Case<'_>) -> Option<(String, Vec<String>)> {
    let of = |rule: fn(&str) -> String| {
        let references = case.example.reference_texts().map(rule).collect();
        Some((rule(case.prediction_text()), references))
    };
    match metric.definition().name {
        "EM" | "F1" | "Contains" if metric.normalizer().is_none() => {
            Some(language::with_answers(metric, case, |answers| {
                let references = answers.references().map(Answer::text).collect();
                (answers.prediction().text(), references)
            }))
        }
        "SQuAD1.EM" | "SQuAD1.F1" | "QuAC.F1" | "HotpotQA.EM" | "HotpotQA.F1"
        | "HotpotQA.Precision" | "HotpotQA.Recall" | "CoQA.EM" | "CoQA.F1" => of(normalize::squad),
        "TriviaQA.EM" | "TriviaQA.F1" => of(normalize::triviaqa),
        "NQ-open.EM" => of(normalize::nq_open),
        _ => None,
    }
}

/// The words that both have, as often as both have them.
fn shared(answer: &str, reference: &str) -> SharedWords {
    let mut left: Vec<&str> = reference.split_whitespace().collect();
    let of_reference = left.len();
    let mut words = Vec::new();
    for word in answer.split_whitespace() {
        if let Some(place) = left.iter().position(|other| *other == word) {
            left.swap_remove(place);
            words.push(word.to_owned());
        }
    }
    SharedWords { words, of_answer: answer.split_whitespace().count(), of_reference }
}
