//! The document evaluators of Haystack 2.x and 3.x (`haystack-ai`).
//!
//! Documents are the same if their contents are equal, letter for letter. A document without content
//! is `None`. Each number is that of one question; the components give the mean over all.

use std::collections::{BTreeMap, BTreeSet};

/// A document that should be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gold<'a> {
    /// What it says.
    pub content: Option<&'a str>,
    /// How relevant it is; 1 where there is no score.
    pub score: Option<f64>,
}

/// Average precision. Each wanted content counts once, and the sum is divided by their number; 0
/// without any.
pub fn average_precision(gold: &[Gold<'_>], retrieved: &[Option<&str>]) -> f64 {
    let mut open: BTreeSet<&str> = gold.iter().filter_map(|gold| gold.content).collect();
    let wanted = open.len();
    let (mut found, mut sum) = (0_usize, 0.0);
    for (rank, content) in (1_usize..).zip(retrieved) {
        if content.is_some_and(|content| open.remove(content)) {
            found += 1;
            sum += found as f64 / rank as f64;
        }
    }
    if wanted == 0 { 0.0 } else { sum / wanted as f64 }
}

/// One by the rank of the first wanted document; 0 without any.
pub fn reciprocal_rank(gold: &[Gold<'_>], retrieved: &[Option<&str>]) -> f64 {
    let wanted = |content: Option<&str>| {
        content.is_some() && gold.iter().any(|gold| gold.content == content)
    };
    retrieved.iter().copied().position(wanted).map_or(0.0, |index| 1.0 / (index + 1) as f64)
}

/// Some documents of a question have a score and others none, which the component refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("some documents have a score and others have none")]
pub struct MixedScores;

/// nDCG with the scores as gains, each wanted content once with its highest score; 0 where there is
/// no gain to be had.
pub fn ndcg(gold: &[Gold<'_>], retrieved: &[Option<&str>]) -> Result<f64, MixedScores> {
    let with_score = gold.iter().filter(|gold| gold.score.is_some()).count();
    if with_score > 0 && with_score < gold.len() {
        return Err(MixedScores);
    }
    let mut open: BTreeMap<&str, f64> = BTreeMap::new();
    for gold in gold {
        let Some(content) = gold.content else { continue };
        let gain = gold.score.unwrap_or(1.0);
        open.entry(content).and_modify(|highest| *highest = highest.max(gain)).or_insert(gain);
    }
    let mut gains: Vec<f64> = open.values().copied().collect();
    gains.sort_by(|a, b| b.total_cmp(a));
    let ideal = discounted(gains.into_iter());
    let found = discounted(
        retrieved.iter().map(|content| content.and_then(|c| open.remove(c)).unwrap_or(0.0)),
    );
    Ok(if ideal > 0.0 { found / ideal } else { 0.0 })
}

fn discounted(gains: impl Iterator<Item = f64>) -> f64 {
    gains.zip(2_u32..).fold(0.0, |sum, (gain, place)| sum + gain / f64::from(place).log2())
}

/// 1 if a wanted document was retrieved, else 0. Empty contents do not count.
pub fn recall_single_hit(gold: &[Gold<'_>], retrieved: &[Option<&str>]) -> f64 {
    f64::from(hits(gold, retrieved).0 > 0)
}

/// Share of the wanted contents that were retrieved; 0 without any. Empty contents do not count.
pub fn recall_multi_hit(gold: &[Gold<'_>], retrieved: &[Option<&str>]) -> f64 {
    let (hits, wanted) = hits(gold, retrieved);
    if wanted == 0 { 0.0 } else { hits as f64 / wanted as f64 }
}

fn hits(gold: &[Gold<'_>], retrieved: &[Option<&str>]) -> (usize, usize) {
    let contents = gold.iter().filter_map(|gold| gold.content);
    let wanted: BTreeSet<&str> = contents.filter(|content| !content.is_empty()).collect();
    let retrieved: BTreeSet<&str> = retrieved.iter().copied().flatten().collect();
    (wanted.intersection(&retrieved).count(), wanted.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn gold<'a>(contents: &[&'a str]) -> Vec<Gold<'a>> {
        contents.iter().map(|&content| Gold { content: Some(content), score: None }).collect()
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these numbers are exact")]
    fn each_content_counts_once() {
        let gold = gold(&["a", "b", "a"]);
        let retrieved = [Some("a"), Some("a"), None, Some("b")];
        assert_eq!(average_precision(&gold, &retrieved), 0.75);
        assert_eq!(reciprocal_rank(&gold, &[None, Some("b")]), 0.5);
        assert_eq!(recall_multi_hit(&gold, &[Some("b"), Some("b")]), 0.5);
        assert_eq!(recall_single_hit(&gold, &[Some("x")]), 0.0);
        assert_eq!(ndcg(&gold, &[Some("a"), Some("b")]), Ok(1.0));
        assert_eq!(average_precision(&[], &retrieved), 0.0);
        assert_eq!(ndcg(&[], &retrieved), Ok(0.0));
    }

    #[test]
    fn scores_are_gains() {
        let scored = |score| {
            [("a", Some(2.0)), ("b", score)]
                .map(|(content, score)| Gold { content: Some(content), score })
        };
        let found = ndcg(&scored(Some(1.0)), &[Some("b"), Some("a")]).unwrap();
        let third = 3.0_f64.log2();
        assert!((found - (1.0 + 2.0 / third) / (2.0 + 1.0 / third)).abs() < 1e-15);
        assert_eq!(ndcg(&scored(None), &[]), Err(MixedScores));
    }

    proptest! {
        #[test]
        fn scores_are_in_range(
            wanted in prop::collection::vec("[a-c]?", 0..4),
            retrieved in prop::collection::vec(prop::option::of("[a-d]?"), 0..6),
        ) {
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            let gold = gold(&wanted);
            let retrieved: Vec<Option<&str>> = retrieved.iter().map(Option::as_deref).collect();
            for score in [
                average_precision(&gold, &retrieved),
                reciprocal_rank(&gold, &retrieved),
                ndcg(&gold, &retrieved).unwrap(),
                recall_single_hit(&gold, &retrieved),
                recall_multi_hit(&gold, &retrieved),
            ] {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&score));
            }
        }
    }
}
