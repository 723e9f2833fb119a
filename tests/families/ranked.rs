//! What the families of trec_eval share: its options, its names of measures, one topic.

use qeval_core::{Argument, Case, Example, Hits, JudgedRanking, Judgments, Metric, Ranking, Ties};
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
    #[expect(clippy::cast_possible_truncation, reason = "this is what the program does")]
    let single = |score: f64| if options.single { f64::from(score as f32) } else { score };
    let hits = ranking.hits().iter().map(|hit| (hit.passage, single(hit.score)));
    let ranking = Hits::of(hits).and_then(|hits| Ranking::new(hits, Ties::Docno));
    let mut ranking = ranking.expect("it was a ranking before");
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
    options: Options,
) -> impl Iterator<Item = (&str, &Value, Metric)> {
    row.iter()
        .filter(|(name, _)| ours(name))
        .map(move |(name, value)| (name.as_str(), value, with_options(&metric(name), options)))
}

/// Whether we have this measure of trec_eval. `relstring` is for `qeval score
/// --official trec_eval`, and its counts of topics are compared apart.
fn ours(name: &str) -> bool {
    let own_gains = name.starts_with("ndcg_") && name.contains('=');
    let has_parameters = name.contains('=') || name.contains(',');
    (own_gains || !has_parameters) && !matches!(name, "runid" | "relstring" | "num_q")
}

/// The metric with trec_eval's rule for topics without a relevant document, its level and its
/// version. The level does not concern nDCG, there or here.
fn with_options(metric: &Metric, options: Options) -> Metric {
    with(metric, |name, value| match name {
        // What is relevant is counted, and not all.
        "rel" if *value == Argument::Integer(0) => None,
        "rel" => Some(options.level.to_string()),
        "empty" => Some("zero".to_owned()),
        "version" => Some(if options.single { "9" } else { "10" }.to_owned()),
        _ => None,
    })
}

/// The metric with the rule that a topic without a relevant document is worth 0.
pub(super) fn with_zero(metric: &Metric) -> Metric {
    with(metric, |name, _| (name == "empty").then(|| "zero".to_owned()))
}

/// The metric with other values of parameters.
fn with(metric: &Metric, other: impl Fn(&str, &Argument) -> Option<String>) -> Metric {
    let definition = metric.definition();
    let given = metric.arguments().map(|(name, value)| {
        let value = other(name, value).unwrap_or_else(|| value.to_string());
        format!("{name}={value}")
    });
    let given: Vec<String> = given.collect();
    let cutoff = metric.cutoff().map_or(String::new(), |cutoff| format!("@{cutoff}"));
    let parameters =
        if given.is_empty() { String::new() } else { format!("({})", given.join(",")) };
    super::metric(&format!("{}{parameters}{cutoff}", definition.name))
}

/// The score of one topic.
pub(super) fn topic_score(metric: &Metric, ranking: &JudgedRanking) -> Option<f64> {
    let example = Example::default();
    metric.score(&Case::new(&example).with_ranking(ranking)).ok()
}

/// Compares the row of one topic. Where nothing is retrieved, trec_eval divides 0 by 0 for
/// interpolated precision, and we say 0.
pub(super) fn compare_topic(
    topic: &str,
    row: &Map<String, Value>,
    ranking: &JudgedRanking,
    options: Options,
    tally: &mut Tally,
) {
    for (name, expected, metric) in measures(row, options) {
        if expected == "NaN" && ranking.grades.is_empty() {
            tally.skip("interpolated precision of nothing, which is no number there and 0 here");
            continue;
        }
        let mut found = topic_score(&metric, ranking);
        if name.starts_with("gm_") {
            // The number of one topic is the logarithm that it adds to the mean.
            found = found.map(f64::ln);
        }
        tally.score(&format!("{name} of topic `{topic}`"), expected, found);
    }
}
