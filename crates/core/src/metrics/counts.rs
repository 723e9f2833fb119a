//! Counts: passages retrieved, relevant, and examples. Over an evaluation they are sums.

use super::graded;
use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Pooled, Score, Subject,
    Unscored, stats::ExactSum,
};

/// `rel` of a count that is of all passages without it.
const REL_OR_ALL: Parameter = Parameter {
    name: "rel",
    kind: Kind::Integer { min: 0, default: 0 },
    summary: "lowest grade that is counted; 0 counts every passage",
};

/// How many passages were retrieved.
///
/// # Definition
/// The number of hits; with `rel`, of those that have at least this grade. Over an evaluation it is
/// the sum.
///
/// # Equals
/// `num_ret` of trec_eval, and `NumRet(rel=1)` is its `num_rel_ret`.
pub static NUM_RET: Definition = Definition {
    name: "NumRet",
    synonyms: &["num_ret"],
    summary: "how many passages were retrieved",
    equals: "trec_eval: num_ret, num_rel_ret",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[REL_OR_ALL, graded::UNIT],
    range: (0.0, f64::INFINITY),
    higher_is_better: true,
    estimator: Estimator::Pooled(&SUM_RETRIEVED),
    score: retrieved,
};

/// How many passages are relevant, retrieved or not.
///
/// # Definition
/// The number of judged passages that have at least the grade `rel`. Over an evaluation it is the
/// sum.
///
/// # Equals
/// `num_rel` of trec_eval.
pub static NUM_REL: Definition = Definition {
    name: "NumRel",
    synonyms: &["num_rel"],
    summary: "how many passages are relevant, retrieved or not",
    equals: "trec_eval: num_rel",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[graded::REL, graded::UNIT],
    range: (0.0, f64::INFINITY),
    higher_is_better: true,
    estimator: Estimator::Pooled(&SUM_RELEVANT),
    score: relevant,
};

/// How many passages were retrieved that were judged not relevant.
///
/// # Definition
/// The number of hits with a grade from 0 to below `rel`. Over an evaluation it is the sum.
///
/// # Equals
/// `num_nonrel_judged_ret` of trec_eval.
pub static NUM_NONREL: Definition = Definition {
    name: "NumNonrel",
    synonyms: &["num_nonrel_judged_ret"],
    summary: "how many passages were retrieved that were judged not relevant",
    equals: "trec_eval: num_nonrel_judged_ret",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[graded::REL, graded::UNIT],
    range: (0.0, f64::INFINITY),
    higher_is_better: false,
    estimator: Estimator::Pooled(&SUM_NONRELEVANT),
    score: nonrelevant,
};

/// How many examples have judgments.
///
/// # Definition
/// 1 for each example. Over an evaluation it is the sum.
///
/// # Equals
/// `num_q` of trec_eval with its option `-c`.
pub static NUM_Q: Definition = Definition {
    name: "NumQ",
    synonyms: &["num_q"],
    summary: "how many examples have judgments",
    equals: "trec_eval: num_q",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Never,
    parameters: &[],
    range: (0.0, f64::INFINITY),
    higher_is_better: true,
    estimator: Estimator::Pooled(&SUM_EXAMPLES),
    score: examples,
};

/// How many of the first k hits are relevant.
///
/// # Definition
/// The number of hits among the first k that have at least the grade `rel`. Over an evaluation it
/// is the mean.
///
/// # Equals
/// `hits@k` of ranx.
pub static HITS: Definition = Definition {
    name: "Hits",
    synonyms: &["hits"],
    summary: "how many of the first k hits are relevant",
    equals: "ranx: hits@k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Optional,
    parameters: &[graded::REL, graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT],
    range: (0.0, f64::INFINITY),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: hits,
};

static SUM_RETRIEVED: Pooled =
    Pooled { names: &["sum"], of: |m, c| one(retrieved(m, c)), finish: sum };

static SUM_RELEVANT: Pooled =
    Pooled { names: &["sum"], of: |m, c| one(relevant(m, c)), finish: sum };

static SUM_NONRELEVANT: Pooled =
    Pooled { names: &["sum"], of: |m, c| one(nonrelevant(m, c)), finish: sum };

static SUM_EXAMPLES: Pooled =
    Pooled { names: &["sum"], of: |m, c| one(examples(m, c)), finish: sum };

fn retrieved(metric: &Metric, case: &Case<'_>) -> Score {
    let ranking = graded::ranking(metric, case)?;
    Ok(match metric.integer("rel") {
        0 => ranking.grades.len(),
        level => ranking.relevant_retrieved(level, usize::MAX),
    } as f64)
}

fn relevant(metric: &Metric, case: &Case<'_>) -> Score {
    Ok(graded::ranking(metric, case)?.relevant(metric.integer("rel")) as f64)
}

fn nonrelevant(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, ranking) = (metric.integer("rel"), graded::ranking(metric, case)?);
    let grades = ranking.grades.iter().flatten();
    Ok(grades.filter(|&&grade| (0..level).contains(&grade)).count() as f64)
}

fn examples(_: &Metric, case: &Case<'_>) -> Score {
    case.ranking.map(|_| 1.0).ok_or(Unscored::NoRelevantPassage)
}

fn hits(metric: &Metric, case: &Case<'_>) -> Score {
    let (level, cutoff) = (metric.integer("rel"), metric.depth());
    graded::score(metric, case, level, |ranking, _| {
        ranking.relevant_retrieved(level, cutoff) as f64
    })
}

fn one(score: Score) -> Result<Vec<f64>, Unscored> {
    Ok(vec![score?])
}

fn sum(_: &Metric, columns: &[&[f64]]) -> Option<f64> {
    let mut sum = ExactSum::default();
    for &count in *columns.first()? {
        sum.add(count);
    }
    Some(sum.value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::check_ranking;

    #[test]
    fn counts() {
        check_ranking("NumRet", "1 0 - 2", &[2, 1, 1], Some(4.0));
        check_ranking("NumRet(rel=1)", "1 0 - 2", &[2, 1, 1], Some(2.0));
        check_ranking("NumRel(rel=2)", "1 0 - 2", &[2, 1, 1], Some(1.0));
        check_ranking("NumNonrel(rel=2)", "1 0 - -1 2", &[2, 1, 1], Some(2.0));
        check_ranking("NumQ", "", &[], Some(1.0));
        check_ranking("Hits@3", "1 0 - 2", &[2, 1, 1], Some(1.0));
        let metric: Metric = "NumRet".parse().unwrap();
        assert_eq!(sum(&metric, &[&[2.0, 3.0]]), Some(5.0));
    }
}
