//! How much is found within each depth.

use crate::stats::ExactSum;

/// The mean over examples of something that grows with the depth: the recall in the first k hits,
/// or whether one of the first k hits has the answer, for every k at once.
///
/// Each point is the mean that the metric of that cutoff has, to the last bit, and costs nothing
/// where the ranking has nothing new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    n: u64,
    /// What is added at each depth, from 1.
    steps: Vec<ExactSum>,
}

impl Curve {
    /// Adds an example with so many relevant passages, of which those at these ranks (from 1, in
    /// any order) were retrieved. An example without one has no recall and is left out.
    pub fn add(&mut self, ranks: impl IntoIterator<Item = u32>, relevant: usize) {
        if relevant == 0 {
            return;
        }
        self.n += 1;
        let mut ranks: Vec<u32> = ranks.into_iter().filter(|&rank| rank > 0).collect();
        ranks.sort_unstable();
        let mut before = 0.0;
        for (rank, found) in ranks.into_iter().zip(1_usize..) {
            let place = rank as usize - 1;
            if self.steps.len() <= place {
                self.steps.resize(place + 1, ExactSum::default());
            }
            let share = found as f64 / relevant as f64;
            self.steps[place].add(share);
            self.steps[place].add(-before);
            before = share;
        }
    }

    /// How many examples there are.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The mean at one depth; `None` without an example.
    pub fn at(&self, depth: usize) -> Option<f64> {
        let mut sum = ExactSum::default();
        self.steps.iter().take(depth).for_each(|step| sum.merge(step));
        (self.n > 0).then(|| sum.mean(self.n))
    }

    /// The means at the depths from 1 to `depth`; none without an example.
    pub fn points(&self, depth: usize) -> Vec<f64> {
        if self.n == 0 {
            return Vec::new();
        }
        let mut sum = ExactSum::default();
        let point = |place: usize| {
            self.steps.get(place).iter().for_each(|step| sum.merge(step));
            sum.mean(self.n)
        };
        (0..depth).map(point).collect()
    }
}

/// The depths that a table has room for: a few round numbers, and the last.
pub fn shown_depths(depth: usize) -> Vec<usize> {
    let round = [1, 2, 3, 5, 10, 20, 50, 100].into_iter().filter(|&k| k < depth);
    round.chain((depth > 0).then_some(depth)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Case, Example, Hits, JudgedRanking, Judgments, Metric, Ranking, Ties};

    #[test]
    fn recall_grows_with_the_depth() {
        let mut curve = Curve::default();
        curve.add([3, 1], 4);
        curve.add([2], 1);
        curve.add([], 2);
        curve.add([1], 0);
        assert_eq!(curve.n(), 3);
        let thirds = [0.25, 1.25, 1.5, 1.5].map(|sum: f64| sum / 3.0);
        for (point, expected) in curve.points(4).iter().zip(thirds) {
            assert!((point - expected).abs() < 1e-15, "{point} {expected}");
        }
        assert_eq!(Curve::default().points(3), [0.0; 0]);
    }

    #[test]
    fn a_table_has_round_depths_and_the_last() {
        assert_eq!(shown_depths(0), [0; 0]);
        assert_eq!(shown_depths(1), [1]);
        assert_eq!(shown_depths(7), [1, 2, 3, 5, 7]);
        assert_eq!(shown_depths(1000), [1, 2, 3, 5, 10, 20, 50, 100, 1000]);
    }

    proptest! {
        #[test]
        fn a_point_is_the_mean_of_the_metric(
            rankings in prop::collection::vec(
                (prop::collection::vec(any::<bool>(), 0..8), 0..4_usize), 1..6),
            k in 1..9_usize,
        ) {
            let metric: Metric = format!("Recall@{k}").parse().unwrap();
            let (mut curve, mut sum, mut n) = (Curve::default(), ExactSum::default(), 0);
            for (hits, others) in rankings {
                let ranks: Vec<u32> =
                    hits.iter().zip(1..).filter(|(hit, _)| **hit).map(|(_, rank)| rank).collect();
                let mut judgments: Vec<String> = ranks.iter().map(u32::to_string).collect();
                judgments.extend((0..others).map(|other| format!("other {other}")));
                let hits = (1..).take(hits.len()).map(|rank| (rank.to_string(), -f64::from(rank)));
                let ranking = Ranking::new(Hits::of(hits).unwrap(), Ties::Docno).unwrap();
                let gold = judgments.iter().map(String::as_str);
                let judged = JudgedRanking::new(&ranking, &Judgments::from_gold(gold));
                let example = Example::default();
                if let Ok(score) = metric.score(&Case::new(&example).with_ranking(&judged)) {
                    sum.add(score);
                    n += 1;
                }
                curve.add(ranks, judgments.len());
            }
            prop_assert_eq!(curve.n(), n);
            if n > 0 {
                prop_assert_eq!(curve.points(k)[k - 1].to_bits(), sum.mean(n).to_bits());
                prop_assert_eq!(curve.at(k), Some(curve.points(k)[k - 1]));
            }
        }
    }
}
