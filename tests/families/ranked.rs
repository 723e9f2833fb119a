//! What the families of trec_eval share: its options, its names of measures, one topic.

use qeval_core::{Case, Example, JudgedRanking, Judgments, Metric, Ranking, Ties};
use serde_json::{Map, Value};

use super::metric;
use crate::tally::Tally;

/// trec_eval's options, as far as they change the measures that we have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// `-l`: the lowest grade that counts as relevant.
    pub(super) level: i32,
    /// `-M`: how many hits are kept.
    pub(super) depth: usize,
    /// `-J`: unjudged hits are removed.
    pub(super) judged_only: bool,
    /// `-c`: topics that the run lacks count as 0.
    pub(super) complete: bool,
    /// Scores are kept in 32 bits.
    pub(super) single: bool,
}

/// The ranking of a topic as the program sees it. Its scores may be equal to it where they are not
/// to us.
pub(super) fn seen(ranking: &Ranking, judgments: &Judgments, options: Options) -> JudgedRanking {
    let mut hits = ranking.hits().to_vec();
    if options.single {
        #[expect(clippy::cast_possible_truncation, reason = "this is what the program does")]
        let single = |score: f64| f64::from(score as f32);
        for hit in &mut hits {
            hit.score = single(hit.score);
        }
    }
    let mut ranking = Ranking::new(hits, Ties::Docno).expect("it was a ranking before");
    ranking.truncate(options.depth);
    let mut judged = JudgedRanking::new(&ranking, judgments);
    if options.judged_only {
        // A negative grade stands for a document that was in the pool and never judged.
        judged.grades.retain(|grade| grade.is_some_and(|grade| grade >= 0));
    }
    judged
}

/// The measures of a row that we have, with their expected values.
pub(super) fn measures(
    row: &Map<String, Value>,
    level: i32,
) -> impl Iterator<Item = (&str, &Value, Metric)> {
    row.iter()
        .filter(|(name, _)| ours(name))
        .map(move |(name, value)| (name.as_str(), value, with_level(&metric(name), level)))
}

/// Whether we have this measure of trec_eval.
fn ours(name: &str) -> bool {
    if matches!(name, "map" | "recip_rank" | "ndcg") {
        return true;
    }
    name.rsplit_once('_').is_some_and(|(base, cutoff)| {
        matches!(base, "P" | "recall" | "success" | "map_cut" | "ndcg_cut")
            && cutoff.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The metric with trec_eval's rule for topics without a relevant document, and its level. The
/// level does not concern nDCG, there or here.
fn with_level(metric: &Metric, level: i32) -> Metric {
    let definition = metric.definition();
    let graded = definition.parameters.iter().any(|parameter| parameter.name == "rel");
    let rel = if graded { format!("rel={level},") } else { String::new() };
    let cutoff = metric.cutoff().map_or(String::new(), |cutoff| format!("@{cutoff}"));
    super::metric(&format!("{}({rel}empty=zero){cutoff}", definition.name))
}

/// The score of one topic.
pub(super) fn topic_score(metric: &Metric, ranking: &JudgedRanking) -> Option<f64> {
    let example = Example::default();
    metric.score(&Case::new(&example).with_ranking(ranking)).ok()
}

/// Compares the row of one topic: our measures, and the counts that they are made of.
pub(super) fn compare_topic(
    topic: &str,
    row: &Map<String, Value>,
    ranking: &JudgedRanking,
    options: Options,
    tally: &mut Tally,
) {
    for (name, expected, metric) in measures(row, options.level) {
        let found = topic_score(&metric, ranking);
        tally.score(&format!("{name} of topic `{topic}`"), expected, found);
    }
    let counts = [
        ("num_ret", ranking.grades.len()),
        ("num_rel", ranking.relevant(options.level)),
        ("num_rel_ret", ranking.relevant_retrieved(options.level, usize::MAX)),
    ];
    for (name, found) in counts {
        if let Some(expected) = row.get(name) {
            tally.count(&format!("{name} of topic `{topic}`"), expected, Some(found as f64));
        }
    }
}
