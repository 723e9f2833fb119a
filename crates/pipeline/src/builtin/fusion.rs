//! The rankings of several retrievers made one.

use std::collections::{HashMap, hash_map::Entry};

use qeval_sdk::{
    Descriptor, Failure, FailureKind, Query,
    core::{Hits, Ranking, Ties},
};

use super::derived::{Derive, Found};

/// Fuses rankings by their ranks or by their scores.
pub(crate) struct Fusion {
    method: Method,
    /// One for each retriever.
    weights: Vec<f64>,
    ties: Ties,
}

/// What a hit gains from one ranking. A ranking that lacks a passage adds nothing to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Method {
    /// `weight / (k + rank)`, ranks from 1.
    ReciprocalRank {
        /// The larger, the less the first ranks stand out.
        k: f64,
    },
    /// `weight * (score - lowest) / (highest - lowest)` of the ranking; 1 where all are equal.
    Weighted,
}

impl Fusion {
    pub(crate) fn new(method: Method, weights: Vec<f64>, ties: Ties) -> Self {
        Self { method, weights, ties }
    }

    /// Adds what a hit gains from the largest to the smallest, so that hits which gain the same are
    /// equal to the last digit, whichever retriever they gain it from.
    fn fuse(
        &self,
        rankings: &[Option<&Ranking>],
        depth: usize,
    ) -> Result<Option<Ranking>, Failure> {
        if rankings.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut gained: Vec<(&str, Vec<f64>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (ranking, weight) in rankings.iter().zip(&self.weights) {
            let Some(ranking) = ranking else { continue };
            for (hit, gain) in ranking.hits().iter().zip(self.gains(ranking)?) {
                match places.entry(hit.passage) {
                    Entry::Occupied(place) => gained[*place.get()].1.push(weight * gain),
                    Entry::Vacant(place) => {
                        place.insert(gained.len());
                        gained.push((hit.passage, vec![weight * gain]));
                    }
                }
            }
        }
        let scores = gained.into_iter().map(|(passage, mut gains)| {
            gains.sort_unstable_by(|a, b| b.total_cmp(a));
            (passage, gains.into_iter().sum::<f64>())
        });
        let ranking = Hits::of(scores).and_then(|hits| Ranking::new(hits, self.ties));
        let mut ranking =
            ranking.map_err(|error| Failure::new(FailureKind::Value, error.to_string()))?;
        ranking.truncate(depth);
        Ok(Some(ranking))
    }

    /// What each hit of a ranking gains, before its weight.
    fn gains(&self, ranking: &Ranking) -> Result<Vec<f64>, Failure> {
        let scores = ranking.hits().iter().map(|hit| hit.score);
        match self.method {
            Method::ReciprocalRank { k } => {
                Ok((1..=ranking.hits().len()).map(|rank| 1.0 / (k + rank as f64)).collect())
            }
            Method::Weighted => {
                let lowest = scores.clone().fold(f64::INFINITY, f64::min);
                let highest = scores.clone().fold(f64::NEG_INFINITY, f64::max);
                let range = highest - lowest;
                if !ranking.hits().is_empty() && !range.is_finite() {
                    let message = format!("scores from {lowest} to {highest} cannot be fused");
                    return Err(Failure::new(FailureKind::Value, message));
                }
                let gain = |score| if range > 0.0 { (score - lowest) / range } else { 1.0 };
                Ok(scores.map(gain).collect())
            }
        }
    }
}

impl Derive for Fusion {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "fusion".to_owned(),
            version: "1".to_owned(),
            summary: "the rankings of several retrievers made one".to_owned(),
        }
    }

    fn derive(
        &self,
        queries: &[Query<'_>],
        inputs: &[Found<'_>],
        depth: usize,
    ) -> Vec<Result<Option<Ranking>, Failure>> {
        let fuse = |index: usize| {
            let rankings = inputs.iter().map(|found| found[index].map_err(Clone::clone));
            self.fuse(&rankings.collect::<Result<Vec<_>, _>>()?, depth)
        };
        (0..queries.len()).map(fuse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(hits: &[(&str, f64)]) -> Ranking {
        Ranking::new(Hits::of(hits.iter().copied()).unwrap(), Ties::Docno).unwrap()
    }

    fn fused(method: Method, rankings: &[&[(&str, f64)]]) -> Vec<(String, f64)> {
        let rankings: Vec<Ranking> = rankings.iter().map(|hits| ranking(hits)).collect();
        let fusion = Fusion::new(method, vec![1.0; rankings.len()], Ties::Docno);
        let fused = fusion.fuse(&rankings.iter().map(Some).collect::<Vec<_>>(), 100);
        let hits = fused.unwrap().unwrap();
        hits.hits().iter().map(|hit| (hit.passage.to_owned(), hit.score)).collect()
    }

    #[test]
    fn reciprocal_ranks_are_added() {
        let method = Method::ReciprocalRank { k: 60.0 };
        let fused = fused(method, &[&[("a", 9.0), ("b", 8.0)], &[("c", 0.2), ("b", 0.1)]]);
        let expected = [
            ("b".to_owned(), 1.0 / 62.0 + 1.0 / 62.0),
            ("c".to_owned(), 1.0 / 61.0),
            ("a".to_owned(), 1.0 / 61.0),
        ];
        assert_eq!(fused, expected);
    }

    #[test]
    fn equal_ranks_give_equal_sums_in_any_order() {
        let hits = |places: &[(&'static str, usize)]| {
            let mut hits: Vec<(String, f64)> =
                (1..=9).map(|rank| (format!("{rank}"), -f64::from(rank))).collect();
            for &(id, rank) in places {
                id.clone_into(&mut hits[rank - 1].0);
            }
            hits
        };
        let rankings = [
            hits(&[("a", 1), ("b", 7), ("c", 2)]),
            hits(&[("a", 2), ("b", 1), ("c", 7)]),
            hits(&[("a", 7), ("b", 2), ("c", 1)]),
        ];
        let rankings =
            rankings.map(|hits| Ranking::new(Hits::of(hits).unwrap(), Ties::Docno).unwrap());
        for (method, weight) in [
            (Method::ReciprocalRank { k: 60.0 }, 1.0),
            (Method::Weighted, 0.1),
            (Method::Weighted, 0.7),
        ] {
            let fusion = Fusion::new(method, vec![weight; 3], Ties::Docno);
            let fused = fusion.fuse(&rankings.each_ref().map(Some), 99).unwrap().unwrap();
            let hits = fused.hits().iter().filter(|hit| "abc".contains(hit.passage));
            let hits: Vec<_> = hits.map(|hit| (hit.passage, hit.score.to_bits())).collect();
            let sum = hits[0].1;
            assert_eq!(hits, [("c", sum), ("b", sum), ("a", sum)], "{method:?}");
        }
    }

    #[test]
    fn scores_are_normalised_and_added() {
        let fused = fused(
            Method::Weighted,
            &[&[("a", 30.0), ("b", 20.0), ("c", 10.0)], &[("b", -1.0), ("d", -1.0)]],
        );
        let expected = [("b", 1.5), ("d", 1.0), ("a", 1.0), ("c", 0.0)];
        assert_eq!(fused, expected.map(|(id, score)| (id.to_owned(), score)));
    }

    #[test]
    fn weights_count_and_nothing_is_nothing() {
        let fusion = Fusion::new(Method::ReciprocalRank { k: 0.0 }, vec![1.0, 3.0], Ties::Docno);
        let (a, b) = (ranking(&[("a", 1.0)]), ranking(&[("b", 1.0), ("c", 0.5)]));
        let fused = fusion.fuse(&[Some(&a), Some(&b)], 2).unwrap().unwrap();
        assert_eq!(fused, ranking(&[("b", 3.0), ("c", 1.5)]));
        assert_eq!(fusion.fuse(&[Some(&a), None], 2), Ok(Some(a.clone())));
        assert_eq!(fusion.fuse(&[None, None], 2), Ok(None));
    }

    #[test]
    fn a_failure_of_one_is_a_failure_of_all() {
        let fusion = Fusion::new(Method::Weighted, vec![1.0, 1.0], Ties::Docno);
        let (a, failure) = (ranking(&[("a", 1.0)]), Failure::new(FailureKind::Timeout, "late"));
        let inputs = [vec![Ok(Some(&a)), Ok(Some(&a))], vec![Err(&failure), Ok(None)]];
        let derived = fusion.derive(&[Query::default(); 2], &inputs, 9);
        assert_eq!(derived, [Err(failure.clone()), Ok(Some(a.clone()))]);
        let infinite = ranking(&[("a", f64::INFINITY)]);
        let message = "value: scores from inf to inf cannot be fused";
        assert_eq!(fusion.fuse(&[Some(&infinite)], 9).unwrap_err().to_string(), message);
    }
}
