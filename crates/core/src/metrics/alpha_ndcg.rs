//! alpha-nDCG: gain for new subtopics of a query, and less for those that were served already.

use super::graded;
use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject, Subtopics,
    Unscored,
};

/// `alpha`: how little a subtopic is worth that was served already.
const ALPHA: Parameter = Parameter {
    name: "alpha",
    kind: Kind::Number { min: 0.0, max: 1.0, default: 0.5 },
    summary: "probability that a passage on a subtopic leaves no need for another one on it",
};

/// Discounted gain of subtopics, relative to a ranking that serves them as fast as possible.
///
/// # Definition
/// A passage gains (1 - alpha)^n for each subtopic that it is relevant to, where n passages before
/// it were relevant to that subtopic. The score is the sum of gain / log2(rank + 1) over the first
/// k, divided by that of the ideal ranking of all judged passages. The ideal ranking takes, rank by
/// rank, the passage that gains most, and of several the one with the last id, as bytes: to find
/// the really best one would take too long.
///
/// # Edge cases
/// A passage is relevant to a subtopic from the grade `rel` on; higher grades gain no more. A
/// subtopic without a relevant passage counts nothing. Null for an example whose judgments name no
/// subtopic, or only `0` or `Q0`, which in TREC's lines mean none. Gains are added in the order of the
/// subtopics' numbers, as in ndeval; pyndeval adds them in the order in which its input names the
/// subtopics first, so that with an alpha such as 0.3 rounding may give it another ideal ranking.
///
/// # Equals
/// `alpha-nDCG@k` of ndeval for the k up to 20 that it has, with its option `-traditional`; without
/// it, ndeval goes by the ranks that the run names. `alpha_nDCG@k` of pyndeval and `ir_measures` where
/// no two hits have the same score: those order ties by id ascending, all measures here by id
/// descending. `ties = "input"` with a run in their order gives their numbers.
/// Clarke et al. (2008).
pub static ALPHA_NDCG: Definition = Definition {
    name: "alpha_nDCG",
    synonyms: &["alpha-nDCG", "α_nDCG"],
    summary: "discounted gain of new subtopics, relative to an ideal ranking",
    equals: "ndeval -traditional: alpha-nDCG@k; ir_measures without ties: alpha_nDCG@k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments, Need::Subtopics],
    cutoff: Cutoff::Optional,
    parameters: &[graded::REL, graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT, ALPHA],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: alpha_ndcg,
};

fn alpha_ndcg(metric: &Metric, case: &Case<'_>) -> Score {
    graded::with_ranking(metric, case, |ranking| {
        let Some(subtopics) = &ranking.subtopics else {
            let reason = "the judgments of the example name no subtopics";
            return Err(Unscored::NotApplicable(reason.to_owned()));
        };
        let level = metric.integer("rel");
        let relevant: Vec<Vec<usize>> = subtopics.judged.iter().map(|on| at(on, level)).collect();
        let best = Served::new(metric, subtopics).ideal(&relevant, metric.depth());
        if best == 0.0 {
            return graded::without_relevant(metric);
        }
        let mut served = Served::new(metric, subtopics);
        let hits = subtopics.hits.iter().take(metric.depth());
        let gains = hits.map(|hit| hit.map_or(0.0, |judged| served.take(&relevant[judged])));
        Ok(discounted(gains) / best)
    })
}

/// The subtopics for which a passage has at least this grade.
fn at(grades: &[(usize, i32)], level: i32) -> Vec<usize> {
    grades.iter().filter(|&&(_, grade)| grade >= level).map(|&(subtopic, _)| subtopic).collect()
}

/// What each subtopic is still worth.
struct Served {
    worth: Vec<f64>,
    remains: f64,
}

impl Served {
    fn new(metric: &Metric, subtopics: &Subtopics) -> Self {
        Self { worth: vec![1.0; subtopics.count], remains: 1.0 - metric.number("alpha") }
    }

    fn gain(&self, subtopics: &[usize]) -> f64 {
        graded::sum(subtopics.iter().map(|&subtopic| self.worth[subtopic]))
    }

    /// The gain of the next passage, which serves its subtopics.
    fn take(&mut self, subtopics: &[usize]) -> f64 {
        let gain = self.gain(subtopics);
        for &subtopic in subtopics {
            self.worth[subtopic] *= self.remains;
        }
        gain
    }

    /// The discounted gain of the ideal ranking, as far as this depth.
    fn ideal(mut self, judged: &[Vec<usize>], depth: usize) -> f64 {
        let mut left: Vec<&[usize]> =
            judged.iter().map(Vec::as_slice).filter(|subtopics| !subtopics.is_empty()).collect();
        let mut gains = Vec::new();
        while gains.len() < depth {
            let mut best: Option<(usize, f64)> = None;
            for (place, subtopics) in left.iter().enumerate() {
                let gain = self.gain(subtopics);
                // The first of several that are as good: they stand by id, the last one first.
                if best.is_none_or(|(_, most)| gain > most) {
                    best = Some((place, gain));
                }
            }
            let Some((place, _)) = best else { break };
            gains.push(self.take(left.remove(place)));
        }
        discounted(gains.into_iter())
    }
}

fn discounted(gains: impl Iterator<Item = f64>) -> f64 {
    graded::sum(gains.zip(2_u32..).map(|(gain, rank)| gain / f64::from(rank).log2()))
}

#[cfg(test)]
mod tests {
    use crate::{Case, Example, Hits, JudgedRanking, Metric, Qrels, Ranking, Score, Unscored};

    fn score(metric: &str, judged: &[(&str, &str, i32)], hits: &[&str]) -> Score {
        let mut qrels = Qrels::default();
        for &(subtopic, passage, grade) in judged {
            qrels.insert_on("q", subtopic, passage, grade).unwrap();
        }
        let hits = Hits::of(hits.iter().map(|id| (id, 0.0))).unwrap();
        let ranking = Ranking::from_ordered(hits).unwrap();
        let ranking = JudgedRanking::new(&ranking, qrels.get("q").unwrap());
        let metric: Metric = metric.parse().unwrap();
        metric.score(&Case::new(&Example::default()).with_ranking(&ranking))
    }

    #[test]
    fn a_subtopic_is_worth_less_the_second_time() {
        let judged = [("1", "a", 1), ("1", "b", 2), ("2", "c", 1), ("2", "d", 0), ("1", "c", 1)];
        let log3 = 3_f64.log2();
        // Of `a` and `b`, which gain as much behind `c`, the ideal takes both.
        let ideal = 2.0 + 0.5 / log3 + 0.25 / 2.0;
        let check = |metric: &str, hits: &[&str], expected: f64| {
            let found = score(metric, &judged, hits).unwrap();
            assert!((found - expected).abs() < 1e-15, "{metric} {hits:?}: {found}");
        };
        check("alpha_nDCG", &["c", "a", "b"], 1.0);
        check("alpha_nDCG", &["a", "x", "c"], (1.0 + 1.5 / 2.0) / ideal);
        check("alpha_nDCG(judged_only=true)", &["x", "a", "c"], (1.0 + 1.5 / log3) / ideal);
        check("alpha_nDCG@1", &["a", "c"], 0.5);
        check("alpha_nDCG(alpha=0)@2", &["a", "b"], (1.0 + 1.0 / log3) / (2.0 + 1.0 / log3));
        check("alpha_nDCG(rel=2)", &["c", "b"], 1.0 / log3);
        assert_eq!(score("alpha_nDCG(rel=3)", &judged, &["c"]), Err(Unscored::NoRelevantPassage));
        assert_eq!(score("alpha_nDCG(rel=3,empty=zero)", &judged, &["c"]), Ok(0.0));
    }

    #[test]
    fn judgments_without_subtopics_are_no_zero() {
        let found = score("alpha_nDCG(empty=zero)@5", &[("0", "a", 1), ("0", "b", 0)], &["a"]);
        assert!(matches!(found, Err(Unscored::NotApplicable(_))), "{found:?}");
    }
}
