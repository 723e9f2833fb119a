//! nDCG: graded relevance, discounted by rank, relative to the best possible ranking.

use super::graded;
use crate::{
    Case, Cutoff, Definition, Estimator, Gains, JudgedRanking, Kind, Metric, Need, Parameter,
    Score, Subject, Unscored,
};

/// `dcg`: what a grade gains.
const DCG: Parameter = Parameter {
    name: "dcg",
    kind: Kind::Choice(&["log2", "exp-log2"]),
    summary: "log2: a grade gains itself; exp-log2: it gains 2^grade - 1",
};

/// `gains`: what the grades gain, where that is not themselves.
const GAINS: Parameter = Parameter {
    name: "gains",
    kind: Kind::Gains,
    summary: "what single grades gain, such as 1:1;2:3; one that is not named gains itself, and with `grade` all do",
};

/// Normalised discounted cumulative gain.
///
/// # Definition
/// DCG = the sum of grade / log2(rank + 1) over the first k; nDCG = DCG / the DCG of all judged
/// passages in the best order, cut at k as well.
///
/// # Parameters
/// `gains=1:1;2:3` says what single grades gain; the others gain themselves, and the best order is
/// that of the gains. The mapping may also be written `{1: 1, 2: 3}`, as `ir_measures` has it. With
/// `dcg=exp-log2` it is the gain x of a grade that becomes 2^x - 1.
///
/// # Edge cases
/// Unjudged passages and negative grades gain nothing. The ideal comes from all judged passages,
/// retrieved or not. With `dcg=exp-log2` a passage gains 2^grade - 1: numbers of the two gains must
/// not be compared where there are grades above 1.
///
/// # Equals
/// `ndcg` and `ndcg_cut_k` of trec_eval; with `dcg=exp-log2` gdeval.pl, which prints five decimals.
/// With `gains` trec_eval's `-m ndcg.1=3.5,2=9`, but for its sorting of gains that are nearer to each
/// other than 1, and `nDCG(gains=...)` of `ir_measures`. Järvelin and Kekäläinen (2002).
pub static NDCG: Definition = Definition {
    name: "nDCG",
    synonyms: &["NDCG"],
    summary: "gain of the grades discounted by rank, relative to the best possible ranking",
    equals: "trec_eval: ndcg, ndcg_cut_k",
    subject: Subject::Retrieval,
    needs: &[Need::Judgments],
    cutoff: Cutoff::Optional,
    parameters: &[graded::EMPTY, graded::JUDGED_ONLY, graded::UNIT, DCG, GAINS],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: ndcg,
};

fn ndcg(metric: &Metric, case: &Case<'_>) -> Score {
    let (cutoff, gains) = (metric.depth(), metric.gains("gains"));
    let gain = match metric.choice("dcg") {
        "log2" => std::convert::identity,
        _ => |gain: f64| gain.exp2() - 1.0,
    };
    graded::with_ranking(metric, case, |ranking| {
        let best = dcg(ideal(ranking, gains)?.into_iter().take(cutoff).map(gain));
        if best == 0.0 {
            return graded::without_relevant(metric);
        }
        if best.is_infinite() {
            let reason = "a gain is too high to be added to others";
            return Err(Unscored::NotApplicable(reason.to_owned()));
        }
        let found = ranking.grades.iter().map(|grade| grade.map_or(0.0, |grade| gains.of(grade)));
        Ok(dcg(found.take(cutoff).map(gain)) / best)
    })
}

/// The gains of all judged passages, best first.
fn ideal(ranking: &JudgedRanking, gains: &Gains) -> Result<Vec<f64>, Unscored> {
    let mut ideal: Vec<f64> = ranking.ideal.iter().map(|&grade| gains.of(grade)).collect();
    let of_zero = gains.of(0);
    if of_zero > 0.0 {
        let zeros = ranking.zeros.ok_or_else(|| {
            let reason = "nobody knows how many passages were judged with grade 0";
            Unscored::NotApplicable(reason.to_owned())
        })?;
        ideal.extend(std::iter::repeat_n(of_zero, zeros));
    }
    if !gains.is_empty() {
        ideal.sort_by(|a, b| b.total_cmp(a));
    }
    Ok(ideal)
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
        let own = (3.5 + 9.0 / log3) / (9.0 + 3.5 / log3);
        check_ranking("nDCG(gains=1:3.5;2:9)", "1 2", &[2, 1], Some(own));
        check_ranking("nDCG(gains=0:4;1:1)@2", "1 - 0", &[1], Some(1.0 / (4.0 + 1.0 / log3)));
        check_ranking("nDCG(gains=1:0)", "1", &[1], None);
    }
}
