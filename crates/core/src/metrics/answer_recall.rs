//! Answer recall: whether, and how early, a retrieved passage contains the answer's text.

use hashbrown::HashSet;
use unicode_normalization::UnicodeNormalization;

use super::{
    graded, normalize,
    python_regex::{self, Dialect, Pattern},
    words::Words,
};
use crate::{
    Case, Cutoff, Definition, Estimator, Example, Kind, Metric, Need, Parameter, Passage, Place,
    Score, Subject, Unscored,
};

/// Whether one of the first k passages contains an answer.
///
/// # Definition
/// 1 if the words of a reference stand, one after the other, in the text of one of the first k
/// passages; else 0. The title is not searched. Many texts call this Recall@k or hit rate; it
/// needs no judgments, and a passage may contain the words without being evidence.
///
/// # Parameters
/// `match`: with `string` the words must stand in the text as whole words. With `regex` a reference
/// is a pattern of the Python package `regex` and may match anywhere in the decomposed text. With
/// `kilt` the reference must be part of the text after SQuAD's normalisation of both, so that "art"
/// is found in "party". With `unit=document` the k ranks are those of documents, and in each only
/// its first passage is looked at.
///
/// # Edge cases
/// A hit whose text is not known has its rank and no answer. Null for an example without references. A reference without a word (blanks) stands everywhere,
/// and so does, with `kilt`, one that normalises to nothing. A pattern that Python refuses matches
/// nothing; null where one is not supported here and no other decides.
///
/// # Equals
/// `has_answer` with `match_type` `string` and `regex`, `has_answer_kilt`, and the top-k accuracy of DPR. Karpukhin et al., "Dense
/// Passage Retrieval" (2020).
pub static ANSWER_RECALL: Definition = Definition {
    name: "AnswerRecall",
    synonyms: &["AnswerHit"],
    summary: "whether one of the first k passages contains an answer's words",
    equals: "DPR: has_answer, top-k accuracy",
    subject: Subject::Retrieval,
    needs: &[Need::References, Need::PassageTexts],
    cutoff: Cutoff::Required,
    parameters: &[
        graded::UNIT,
        Parameter {
            name: "match",
            kind: Kind::Choice(&["string", "regex", "kilt"]),
            summary: "how an answer is looked for: its words, a pattern, or a part of the text",
        },
    ],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: answer_recall,
};

/// One over the rank of the first passage that contains an answer.
///
/// # Definition
/// 1 / rank of the first of the k passages for which [`ANSWER_RECALL`] finds an answer, else 0.
///
/// # Edge cases
/// As [`ANSWER_RECALL`].
///
/// # Equals
/// The reciprocal rank over DPR's `has_answer`.
pub static ANSWER_MRR: Definition = Definition {
    name: "AnswerMRR",
    synonyms: &["AnswerRR"],
    summary: "one over the rank of the first passage that contains an answer's words",
    equals: "reciprocal rank over DPR's has_answer",
    score: answer_mrr,
    ..ANSWER_RECALL
};

fn answer_recall(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(f64::from(first_with_answer(metric, case)?.is_some()))
}

fn answer_mrr(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(first_with_answer(metric, case)?.map_or(0.0, |index| 1.0 / (index + 1) as f64))
}

/// How many hits are before the first one, within the cutoff, that contains an answer.
fn first_with_answer(metric: &Metric, case: &Case<'_>) -> Result<Option<usize>, Unscored> {
    if case.example.references.is_empty() {
        return Err(Unscored::NoReference);
    }
    let documents = metric.counts_documents();
    let ranked: Vec<(usize, &Passage)> = match (documents, case.places) {
        (false, []) => case.passages.iter().copied().enumerate().collect(),
        (true, []) => first_of_documents(case.passages),
        (_, places) => {
            let places = places.iter().zip(case.passages.iter().copied());
            let index =
                |place: &Place| if documents { place.document } else { Some(place.passage) };
            places.filter_map(|(place, passage)| Some((index(place)?, passage))).collect()
        }
    };
    let within = ranked.iter().take_while(|(index, _)| *index < metric.depth());
    let first: Vec<&Passage> = within.map(|&(_, passage)| passage).collect();
    let found = match metric.choice("match") {
        "regex" => position_of_pattern(case.example, &first)?,
        "kilt" => position_of_part(case.example, &first),
        _ if documents => position(case.example, &first),
        _ => case.answer_position().filter(|&index| index < first.len()),
    };
    Ok(found.map(|position| ranked[position].0))
}

/// The first passage of each document, by the place of the document.
fn first_of_documents<'a>(passages: &[&'a Passage]) -> Vec<(usize, &'a Passage)> {
    let mut seen = HashSet::with_capacity(passages.len());
    let firsts = passages.iter().copied().filter(|passage| seen.insert(passage.document_id()));
    firsts.enumerate().collect()
}

fn position_of_pattern(
    example: &Example,
    passages: &[&Passage],
) -> Result<Option<usize>, Unscored> {
    let compile = |text: &str| Pattern::anywhere(&text.nfd().collect::<String>(), Dialect::Regex);
    let patterns: Vec<_> = example.reference_texts().map(compile).collect();
    for (index, passage) in passages.iter().enumerate() {
        let text: String = passage.text.nfd().collect();
        let tests = patterns.iter().map(|pattern| pattern.as_ref().map_err(|&e| e)?.matches(&text));
        if python_regex::any(tests)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn position_of_part(example: &Example, passages: &[&Passage]) -> Option<usize> {
    let answers: Vec<String> = example.reference_texts().map(normalize::squad).collect();
    let mut texts = passages.iter().map(|passage| normalize::squad(&passage.text));
    texts.position(|text| answers.iter().any(|answer| text.contains(answer.as_str())))
}

/// Index of the first of all passages that contains a reference.
pub(crate) fn position(example: &Example, passages: &[&Passage]) -> Option<usize> {
    let answers: Vec<Words> = example.reference_texts().map(Words::new).collect();
    let mut texts = passages.iter().map(|passage| Words::new(&passage.text));
    texts.position(|text| answers.iter().any(|answer| text.contain(answer)))
}

#[cfg(test)]
mod tests {
    use crate::{Case, Example, Metric, Passage, Place, Score, Unscored};

    fn score(metric: &str, texts: &[&str], references: &[&str]) -> Score {
        let passages: Vec<Passage> = texts
            .iter()
            .map(|&text| Passage { text: text.to_owned(), ..Passage::default() })
            .collect();
        let passages: Vec<&Passage> = passages.iter().collect();
        let example = Example {
            references: references.iter().map(|&text| text.into()).collect(),
            ..Example::default()
        };
        let metric: Metric = metric.parse().unwrap();
        metric.score(&Case::new(&example).with_passages(&passages))
    }

    #[test]
    fn the_first_passage_with_an_answer_decides() {
        let texts = ["nothing here", "15 days of leave", "a day"];
        assert_eq!(score("AnswerRecall@1", &texts, &["15 days"]), Ok(0.0));
        assert_eq!(score("AnswerRecall@5", &texts, &["15 days"]), Ok(1.0));
        assert_eq!(score("AnswerMRR@5", &texts, &["day", "15 days"]), Ok(0.5));
        assert_eq!(score("AnswerRecall@5", &[], &["day"]), Ok(0.0));
        assert_eq!(score("AnswerRecall@5", &texts, &[]), Err(Unscored::NoReference));
    }

    #[test]
    fn of_a_document_the_first_passage_counts() {
        let passage = |document: &str, text: &str| Passage {
            id: text.to_owned(),
            text: text.to_owned(),
            document: Some(document.to_owned()),
            ..Passage::default()
        };
        let passages = [passage("a", "x"), passage("a", "day one"), passage("b", "day two")];
        let passages: Vec<&Passage> = passages.iter().collect();
        let example = Example { references: vec!["day".into()], ..Example::default() };
        let case = Case::new(&example).with_passages(&passages);
        for (metric, expected) in [
            ("AnswerMRR@3", 0.5),
            ("AnswerMRR(unit=document)@3", 0.5),
            ("AnswerRecall(unit=document)@1", 0.0),
            ("AnswerRecall(unit=document,match=kilt)@2", 1.0),
        ] {
            let metric: Metric = metric.parse().unwrap();
            assert_eq!(metric.score(&case), Ok(expected), "{metric}");
        }
    }

    #[test]
    fn a_hit_of_unknown_text_keeps_its_rank() {
        // Nobody knows the first hit; the second and the third are of one document.
        let passage = |text: &str| Passage { text: text.to_owned(), ..Passage::default() };
        let passages = [passage("x"), passage("day")];
        let passages: Vec<&Passage> = passages.iter().collect();
        let places = [(1, Some(1)), (2, None)];
        let places = places.map(|(passage, document)| Place { passage, document });
        let example = Example { references: vec!["day".into()], ..Example::default() };
        let case = Case::new(&example).with_passages(&passages).with_places(&places);
        for (metric, expected) in [
            ("AnswerRecall@2", 0.0),
            ("AnswerRecall@3", 1.0),
            ("AnswerMRR@5", 1.0 / 3.0),
            ("AnswerMRR(match=kilt)@5", 1.0 / 3.0),
            ("AnswerMRR(match=regex)@5", 1.0 / 3.0),
            ("AnswerRecall(unit=document)@5", 0.0),
        ] {
            let metric: Metric = metric.parse().unwrap();
            assert_eq!(metric.score(&case), Ok(expected), "{metric}");
        }
    }

    #[test]
    fn answers_are_words_patterns_or_parts() {
        let texts = ["the party of caf\u{e9} 1999"];
        assert_eq!(score("AnswerRecall@1", &texts, &["art"]), Ok(0.0));
        assert_eq!(score("AnswerRecall(match=kilt)@1", &texts, &["The art."]), Ok(1.0));
        assert_eq!(score("AnswerRecall(match=regex)@1", &texts, &["CAF\u{e9} \\d{4}"]), Ok(1.0));
        assert_eq!(score("AnswerRecall(match=regex)@1", &texts, &["(", "x"]), Ok(0.0));
        assert_eq!(score("AnswerMRR(match=regex)@5", &["", "x"], &["^x$"]), Ok(0.5));
    }
}
