//! nDCG: graded relevance, discounted by rank, relative to the best possible ranking.

use super::graded;
use crate::{
    Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject, Unscored,
};

/// `dcg`: what a grade gains.
const DCG: Parameter = Parameter {
    name: "dcg",
    kind: Kind::Choice(&["log2", "exp-log2"]),
    summary: "log2: a grade gains itself; exp-log2: it gains 2^grade - 1",
};

/// Normalised discounted cumulative gain.
///
/// # Definition
/// DCG = the sum of grade / log2(rank + 1) over the first k; nDCG = DCG / the DCG of all judged
/// passages in the best order, cut at k as well.
///
/// # Edge cases
/// Unjudged passages and negative grades gain nothing. The ideal comes from all judged passages,
/// retrieved or not. With `dcg=exp-log2` a passage gains 2^grade - 1: numbers of the two gains must
/// not be compared where there are grades above 1.
///
/// # Equals
/// `ndcg` and `ndcg_cut_k` of trec_eval; with `dcg=exp-log2` gdeval.pl, which prints five decimals. Järvelin and Kekäläinen (2002).
pub static NDCG: Definition = Definition {
    name: "nDCG",
    synonyms: &["NDCG"],
    summary: "gain of the grades discounted by rank, relative to the best possible ranking",
    equals: "trec_eval: ndcg, ndcg_cut_k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Optional,
    parameters: &[graded::EMPTY, graded::JUDGED_ONLY, DCG],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: ndcg,
};

fn ndcg(metric: &Metric, case: &Case<'_>) -> Score {
    let cutoff = metric.depth();
    let gain = match metric.choice("dcg") {
        "log2" => f64::from,
        _ => |grade: i32| f64::from(grade).exp2() - 1.0,
    };
    graded::try_score(metric, case, 1, |ranking, _| {
        let ideal = ranking.ideal.iter().copied();
        let best = dcg(ideal.take(cutoff).map(gain));
        if best.is_infinite() {
            let reason = "a grade is too high for exponential gain";
            return Err(Unscored::NotApplicable(reason.to_owned()));
        }
        Ok(dcg(ranking.gains().take(cutoff).map(gain)) / best)
    })
}

fn dcg(gains: impl Iterator<Item = f64>) -> f64 {
    graded::sum(gains.zip(2_u32..).map(|(gain, rank)| gain / f64::from(rank).log2()))
}

#[cfg(test)]
mod tests {
    use crate::metrics::testing::check_ranking;

    #[test]
    fn ndcg() {
        check_ranking("nDCG@10", "2 1", &[2, 1], Some(1.0));
        let (log3, log4) = (3_f64.log2(), 2.0);
        check_ranking("nDCG@3", "0 - 2", &[2, 1], Some((2.0 / log4) / (2.0 + 1.0 / log3)));
        check_ranking("nDCG@1", "1", &[2, 1], Some(0.5));
        check_ranking("nDCG", "-1 1", &[1], Some(1.0 / log3));
        check_ranking("nDCG(judged_only=true)", "- 1", &[1], Some(1.0));
        let exponential = (1.0 + 3.0 / log3) / (3.0 + 1.0 / log3);
        check_ranking("nDCG(dcg='exp-log2')@2", "1 2", &[2, 1], Some(exponential));
        check_ranking("nDCG(empty=zero)", "0", &[], Some(0.0));
    }
}
