//! The pages that KILT wants an answer to rest on.

use super::{EVIDENCE, Evidence, distinct, downstream::KILT_ACCURACY};
use crate::{Case, Cutoff, Definition, Metric, Need, Score, Unscored};

/// R-precision of the citations.
///
/// # Definition
/// For each evidence set with R pages, the share of them among the first R citations; the best over
/// the sets. A page that is cited twice counts once.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// A missing prediction scores 0, and so does one without citations. Null for an example without
/// evidence, which scores 0 in the script.
///
/// # Equals
/// `Rprec` of KILT's `eval_retrieval.py`. Petroni et al., "KILT" (2021).
pub static KILT_RPREC: Definition = Definition {
    name: "KILT.Rprec",
    summary: "R-precision of the citations, best over the evidence sets",
    equals: "KILT, eval_retrieval.py: Rprec",
    needs: &[Need::Judgments, Need::OptionalColumn(EVIDENCE)],
    score: rprec,
    ..KILT_ACCURACY
};

/// Precision of the first k citations, in which an evidence set is one hit.
///
/// # Definition
/// The citations are walked from the first; a page outside all sets is a miss. A page of a set
/// moves that set's place to here, and its last page makes it a hit. The number of hits among the
/// first k places, divided by k.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`KILT_RPREC`]. A page of two sets takes two places.
///
/// # Equals
/// `precision@k` of KILT's `eval_retrieval.py`.
pub static KILT_PRECISION: Definition = Definition {
    name: "KILT.Precision",
    summary: "complete evidence sets among the first k places, by k",
    equals: "KILT, eval_retrieval.py: precision@k",
    cutoff: Cutoff::Required,
    score: precision,
    ..KILT_RPREC
};

/// Recall of evidence sets within the first k citations.
///
/// # Definition
/// The hits of [`KILT_PRECISION`] divided by the number of different evidence sets.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`KILT_PRECISION`]. An empty set cannot be hit and counts.
///
/// # Equals
/// `recall@k` of KILT's `eval_retrieval.py`, which gives it for k above 1.
pub static KILT_RECALL: Definition = Definition {
    name: "KILT.Recall",
    summary: "complete evidence sets among the first k places, by their number",
    equals: "KILT, eval_retrieval.py: recall@k",
    score: recall,
    ..KILT_PRECISION
};

/// Whether the first k citations complete an evidence set.
///
/// # Definition
/// 1 if [`KILT_PRECISION`] finds a hit, else 0.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`KILT_PRECISION`].
///
/// # Equals
/// `success_rate@k` of KILT's `eval_retrieval.py`, which gives it for k above 1.
pub static KILT_SUCCESS: Definition = Definition {
    name: "KILT.Success",
    summary: "whether the first k places hold a complete evidence set",
    equals: "KILT, eval_retrieval.py: success_rate@k",
    score: success,
    ..KILT_PRECISION
};

pub(super) fn rprec(_: &Metric, case: &Case<'_>) -> Score {
    Ok(r_precision(&cited(case), &Evidence::of(case.example)?.sets()))
}

fn precision(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(walk(case)?.precision(metric.depth()))
}

fn recall(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(walk(case)?.recall(metric.depth()))
}

fn success(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(walk(case)?.success(metric.depth()))
}

fn walk(case: &Case<'_>) -> Result<Places, Unscored> {
    Ok(Places::new(&cited(case), &Evidence::of(case.example)?.sets()))
}

fn cited<'a>(case: &Case<'a>) -> Vec<&'a str> {
    let citations = case.prediction.map_or(&[][..], |prediction| &prediction.citations);
    distinct(citations.iter().map(String::as_str))
}

/// The best R-precision over sets of ids; `cited` and each set must have each id once.
pub fn r_precision(cited: &[&str], sets: &[Vec<&str>]) -> f64 {
    let share = |set: &Vec<&str>| {
        let found = cited.iter().take(set.len()).filter(|id| set.contains(id)).count();
        if set.is_empty() { 0.0 } else { found as f64 / set.len() as f64 }
    };
    sets.iter().map(share).fold(0.0, f64::max)
}

/// Citations as places of a ranking in which a complete evidence set is one hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    hits: Vec<bool>,
    sets: usize,
}

impl Places {
    /// Walks the citations; `cited` must have each id once. Sets are compared without regard to
    /// order and repetition, and equal ones are one.
    pub fn new(cited: &[&str], sets: &[Vec<&str>]) -> Self {
        let mut open: Vec<Vec<&str>> = Vec::new();
        for set in sets {
            let mut set = set.clone();
            set.sort_unstable();
            set.dedup();
            if !open.contains(&set) {
                open.push(set);
            }
        }
        let number = open.len();
        if cited.is_empty() {
            return Self { hits: Vec::new(), sets: number };
        }
        let mut places: Vec<Place> = Vec::new();
        for id in cited {
            let mut found = false;
            for (index, set) in open.iter_mut().enumerate() {
                let Some(at) = set.iter().position(|page| page == id) else { continue };
                found = true;
                places.retain(|place| *place != Place::Part(index));
                set.remove(at);
                places.push(if set.is_empty() { Place::Hit } else { Place::Part(index) });
            }
            if !found {
                places.push(Place::Miss);
            }
        }
        Self { hits: places.into_iter().map(|place| place == Place::Hit).collect(), sets: number }
    }

    fn count(&self, k: usize) -> usize {
        self.hits.iter().take(k).filter(|&&hit| hit).count()
    }

    /// Hits among the first k places, by k.
    pub fn precision(&self, k: usize) -> f64 {
        if k == 0 { 0.0 } else { self.count(k) as f64 / k as f64 }
    }

    /// Hits among the first k places, by the number of sets; 0 without a set.
    pub fn recall(&self, k: usize) -> f64 {
        if self.sets == 0 { 0.0 } else { self.count(k) as f64 / self.sets as f64 }
    }

    /// 1 if one of the first k places is a hit, else 0.
    pub fn success(&self, k: usize) -> f64 {
        f64::from(self.count(k) > 0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Miss,
    /// A set, by its number, of which pages are still missing.
    Part(usize),
    Hit,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Example, Prediction, Value};

    fn check(metric: &str, cited: &[&str], evidence: &[&[&str]], expected: f64) {
        let text = |id: &&str| Value::Text((*id).to_owned());
        let set = |set: &&[&str]| Value::List(set.iter().map(text).collect());
        let sets = Value::List(evidence.iter().map(set).collect());
        let columns = [("evidence".to_owned(), sets)].into();
        let example = Example { columns, ..Example::default() };
        let citations = cited.iter().map(|&id| id.to_owned()).collect();
        let prediction = Prediction { citations, ..Prediction::default() };
        let score = metric
            .parse::<Metric>()
            .unwrap()
            .score(&Case::new(&example).with_prediction(&prediction));
        assert_eq!(score, Ok(expected), "{metric}: {cited:?} of {evidence:?}");
    }

    #[test]
    fn a_set_is_one_hit_at_its_last_page() {
        let sets: [&[&str]; 2] = [&["a", "b"], &["c"]];
        check("KILT.Rprec", &["a", "x", "c"], &sets, 0.5);
        check("KILT.Rprec", &["c"], &sets, 1.0);
        check("KILT.Rprec", &["a", "a", "b"], &sets, 1.0);
        check("KILT.Precision@1", &["a", "b"], &sets, 1.0);
        check("KILT.Precision@2", &["a", "x", "b"], &sets, 0.5);
        check("KILT.Precision@1", &["a", "x", "b"], &sets, 0.0);
        check("KILT.Recall@5", &["a", "x", "b"], &sets, 0.5);
        check("KILT.Recall@5", &["c", "a", "b"], &sets, 1.0);
        check("KILT.Success@2", &["x", "y", "c"], &sets, 0.0);
        check("KILT.Success@3", &["x", "y", "c"], &sets, 1.0);
        check("KILT.Recall@5", &["c"], &[&["c"], &["c"], &[]], 0.5);
        check("KILT.Recall@5", &[], &sets, 0.0);
    }

    #[test]
    fn without_the_column_all_gold_passages_are_one_set() {
        let gold_passages = vec!["a".to_owned(), "b".to_owned()];
        let example = Example { gold_passages, ..Example::default() };
        let prediction = Prediction { citations: vec!["a".to_owned()], ..Prediction::default() };
        let score = |example| {
            let metric: Metric = "KILT.Rprec".parse().unwrap();
            metric.score(&Case::new(example).with_prediction(&prediction))
        };
        assert_eq!(score(&example), Ok(0.5));
        assert_eq!(score(&Example::default()), Err(Unscored::NoRelevantPassage));
    }
}
