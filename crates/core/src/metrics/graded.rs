//! What the retrieval metrics share: the grade that counts as relevant, and what an example
//! without a relevant passage is worth.

use crate::{Case, JudgedRanking, Kind, Metric, Parameter, Score, Unscored};

/// `rel`: the lowest grade that counts as relevant.
pub(super) const REL: Parameter = Parameter {
    name: "rel",
    kind: Kind::Integer { min: 1, default: 1 },
    summary: "lowest grade that counts as relevant",
};

/// `empty`: the score of an example that has no relevant passage.
///
/// `zero` is trec_eval's rule, `one` Haystack's; by default such an example is unscored.
pub(super) const EMPTY: Parameter = Parameter {
    name: "empty",
    kind: Kind::Choice(&["null", "zero", "one"]),
    summary: "score of an example without a relevant passage: null, zero as in trec_eval, one as in Haystack",
};

/// `judged_only`: whether hits that nobody judged are left out, so that those behind them move up.
pub(super) const JUDGED_ONLY: Parameter = Parameter {
    name: "judged_only",
    kind: Kind::Choice(&["false", "true"]),
    summary: "whether hits that nobody judged are left out of the ranking first",
};

/// `unit`: what is counted, the passages that were retrieved or the documents that they are from.
pub(super) const UNIT: Parameter = Parameter {
    name: "unit",
    kind: Kind::Choice(&["passage", "document"]),
    summary: "what a rank is: a passage, or a document, which stands where its first passage does",
};

/// What every measure of relevant passages takes.
pub(super) const ALL: &[Parameter] = &[REL, EMPTY, JUDGED_ONLY, UNIT];

/// Scores a case that has a relevant passage with `score`, given how many there are; the others
/// as `empty` says.
pub(super) fn score(
    metric: &Metric,
    case: &Case<'_>,
    level: i32,
    score: impl FnOnce(&JudgedRanking, usize) -> f64,
) -> Score {
    try_score(metric, case, level, |ranking, relevant| Ok(score(ranking, relevant)))
}

/// As [`score`], where there may be none all the same.
pub(super) fn try_score(
    metric: &Metric,
    case: &Case<'_>,
    level: i32,
    score: impl FnOnce(&JudgedRanking, usize) -> Score,
) -> Score {
    with_ranking(metric, case, |ranking| match ranking.relevant(level) {
        0 => without_relevant(metric),
        relevant => score(ranking, relevant),
    })
}

/// Scores a case that has a ranking with `score`; the others as `empty` says.
pub(super) fn with_ranking(
    metric: &Metric,
    case: &Case<'_>,
    score: impl FnOnce(&JudgedRanking) -> Score,
) -> Score {
    match ranking(metric, case) {
        Ok(ranking) if metric.choice("judged_only") == "true" => score(&ranking.judged_only()),
        Ok(ranking) => score(ranking),
        Err(Unscored::NoRelevantPassage) => without_relevant(metric),
        Err(unscored) => Err(unscored),
    }
}

/// What an example without a relevant passage is worth, as `empty` says.
pub(super) fn without_relevant(metric: &Metric) -> Score {
    match metric.choice("empty") {
        "zero" => Ok(0.0),
        "one" => Ok(1.0),
        _ => Err(Unscored::NoRelevantPassage),
    }
}

/// The ranking of the passages or of their documents, as `unit` says.
pub(crate) fn ranking<'a>(metric: &Metric, case: &Case<'a>) -> Result<&'a JudgedRanking, Unscored> {
    let passages = case.ranking.ok_or(Unscored::NoRelevantPassage)?;
    if !metric.counts_documents() {
        return Ok(passages);
    }
    case.documents.ok_or_else(|| {
        let reason = "nobody says which documents the passages are from";
        Unscored::NotApplicable(reason.to_owned())
    })
}

/// As a fraction; nothing of nothing is 0.
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A number of passages, without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is meant to be cut"
)]
pub(super) fn whole(number: f64) -> usize {
    number as usize
}

/// The sum from left to right. Not `sum`, which is -0.0 for nothing.
pub(super) fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    terms.fold(0.0, |sum, term| sum + term)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{
        Case, Cutoff, Example, JudgedRanking, Kind, METRICS, Metric, Need, Subject, Unscored,
    };

    /// Judged grades, some of them retrieved among hits that nobody judged.
    fn rankings() -> impl Strategy<Value = JudgedRanking> {
        let grade = prop_oneof![-1..4_i32, Just(i32::MAX), Just(i32::MIN)];
        let judged = prop::collection::vec((grade, any::<bool>()), 0..12);
        (judged, prop::collection::vec(any::<prop::sample::Index>(), 0..6)).prop_map(
            |(judged, unjudged)| {
                let retrieved = judged.iter().filter(|(_, retrieved)| *retrieved);
                let mut grades: Vec<_> = retrieved.map(|&(grade, _)| Some(grade)).collect();
                for place in unjudged {
                    grades.insert(place.index(grades.len() + 1), None);
                }
                let all = judged.iter().map(|&(grade, _)| grade);
                let mut ideal: Vec<_> = all.clone().filter(|&grade| grade > 0).collect();
                ideal.sort_unstable_by(|a, b| b.cmp(a));
                let zeros = Some(all.filter(|&grade| grade == 0).count());
                JudgedRanking { grades, ideal, zeros, subtopics: None }
            },
        )
    }

    /// Every metric of judged passages, alone and with the last word of each choice.
    fn metrics() -> Vec<Metric> {
        let judged = METRICS.iter().filter(|definition| {
            definition.subject == Subject::Retrieval && definition.needs == [Need::Judgments]
        });
        let mut names = Vec::new();
        for definition in judged {
            let cutoff = if definition.cutoff == Cutoff::Required { "@3" } else { "" };
            names.push(format!("{}{cutoff}", definition.name));
            for parameter in definition.parameters {
                if let Kind::Choice(words) = parameter.kind {
                    let word = words[words.len() - 1];
                    names.push(format!("{}({}={word}){cutoff}", definition.name, parameter.name));
                }
            }
        }
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn documents_are_counted_where_they_are_known() {
        let passages = JudgedRanking {
            grades: vec![None, Some(1)],
            ideal: vec![1],
            ..JudgedRanking::default()
        };
        let documents = JudgedRanking { grades: vec![Some(1)], ..passages.clone() };
        let example = Example::default();
        let case = || Case::new(&example).with_ranking(&passages);
        let metric: Metric = "MRR(unit=document)".parse().unwrap();
        assert_eq!(metric.score(&case().with_documents(&documents)), Ok(1.0));
        assert!(matches!(metric.score(&case()), Err(Unscored::NotApplicable(_))));
        assert!("NumQ(unit=document)".parse::<Metric>().is_err());
    }

    proptest! {
        #[test]
        fn scores_are_in_their_range(ranking in rankings()) {
            let example = Example::default();
            for metric in metrics() {
                let (low, high) = metric.definition().range;
                let case = Case::new(&example).with_ranking(&ranking).with_documents(&ranking);
                let score = metric.score(&case);
                // A sum of fractions may end a last digit above 1.
                let inside = |score: &f64| (low..=high + 1e-12).contains(score);
                prop_assert!(score.as_ref().map_or(true, inside), "{metric}: {score:?}");
            }
        }
    }
}
