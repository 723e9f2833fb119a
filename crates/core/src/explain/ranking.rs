//! Metrics of rankings: which ranks count, and how they make the number.

use super::Step;
use crate::{Case, JudgedRanking, Metric, metrics::graded};

/// Ranks that are listed; those below are counted.
const LISTED: usize = 100;

pub(super) fn steps(metric: &Metric, case: &Case<'_>) -> Vec<Step> {
    let Ok(ranking) = graded::ranking(metric, case) else { return Vec::new() };
    let own = |name: &'static str| metric.arguments().any(|(own, _)| own == name).then_some(name);
    let level = own("rel").map_or(1, |name| metric.integer(name));
    let condensed = own("judged_only").is_some_and(|name| metric.choice(name) == "true");
    let mut steps = Vec::new();
    let ranking = if condensed {
        steps.push(Step::Note("hits that nobody judged are left out first".to_owned()));
        &ranking.judged_only()
    } else {
        ranking
    };
    if metric.counts_documents() {
        steps.push(Step::Note("a rank is a document, where its first passage stands".to_owned()));
    }
    let depth = metric.depth().min(ranking.grades.len());
    for (index, &grade) in ranking.grades[..depth].iter().take(LISTED).enumerate() {
        let relevant = grade.is_some_and(|grade| grade >= level);
        steps.push(Step::Rank { rank: index + 1, grade, relevant });
    }
    let (judged, found) = (ranking.relevant(level), ranking.relevant_retrieved(level, depth));
    steps.push(Step::Relevant { judged, found, cutoff: metric.cutoff() });
    if judged > 0 {
        steps.extend(formula(metric, ranking, level, depth));
    }
    steps
}

/// In figures, for the metrics that people read most.
fn formula(metric: &Metric, ranking: &JudgedRanking, level: i32, depth: usize) -> Option<Step> {
    let (judged, found) = (ranking.relevant(level), ranking.relevant_retrieved(level, depth));
    let share =
        |part: usize, whole: usize| (format!("{part} / {whole}"), part as f64 / whole as f64);
    let places: Vec<usize> = (1..=depth)
        .zip(ranking.hits(level))
        .filter_map(|(rank, relevant)| relevant.then_some(rank))
        .collect();
    let (text, value) = match metric.definition().name {
        "P" => share(found, metric.depth()),
        "Recall" => share(found, judged),
        "Success" => (format!("{found} relevant"), f64::from(u8::from(found > 0))),
        "MRR" => match places.first() {
            Some(&first) => share(1, first),
            None => {
                (format!("0: no relevant passage down to rank {}", depth.min(metric.depth())), 0.0)
            }
        },
        "MAP" => {
            let terms: Vec<String> =
                (1..).zip(&places).map(|(count, rank)| format!("{count}/{rank}")).collect();
            let sum: f64 =
                (1..).zip(&places).map(|(count, &rank)| f64::from(count) / rank as f64).sum();
            let terms = if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
            (format!("({terms}) / {judged}"), sum / judged as f64)
        }
        "nDCG" => return gain(metric, ranking, depth),
        _ => return None,
    };
    Some(Step::Formula { text, value })
}

/// The discounted gains, of grades that gain themselves.
fn gain(metric: &Metric, ranking: &JudgedRanking, depth: usize) -> Option<Step> {
    if metric.choice("dcg") != "log2" || !metric.gains("gains").is_empty() {
        return None;
    }
    let sum = |gains: &[i32]| -> (String, f64) {
        let gained = || gains.iter().zip(2_u32..).filter(|&(&gain, _)| gain > 0);
        let terms: Vec<String> =
            gained().map(|(gain, rank)| format!("{gain}/log2({rank})")).collect();
        let value = gained().map(|(&gain, rank)| f64::from(gain) / f64::from(rank).log2()).sum();
        (if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }, value)
    };
    let gains: Vec<i32> = ranking.gains().take(depth).collect();
    let best: Vec<i32> = ranking.ideal.iter().copied().take(metric.depth()).collect();
    let ((found, value), (ideal, most)) = (sum(&gains), sum(&best));
    Some(Step::Formula { text: format!("({found}) / ({ideal})"), value: value / most })
}
