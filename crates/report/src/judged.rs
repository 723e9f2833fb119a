//! How much of what a measure looks at is judged, beside the measure, and the measures that leave
//! out the rest.

use qeval_core::Metric;

use crate::{EvaluationReport, MetricReport, Report, terminal::metrics, verdict::percent};

/// How many measures are offered by name.
const OFFERED: usize = 3;

/// Measures that look at judged hits alone, whatever their parameters.
const JUDGED_ALONE: [&str; 3] = ["Bpref", "GM-Bpref", "infAP"];

/// Whether a file of judgments is given to any system.
pub(crate) fn is_known(report: &Report) -> bool {
    report.evaluations.iter().flat_map(|e| &e.metrics).any(|metric| metric.judged.is_some())
}

/// The share for one metric: one number where it is the same for all systems, else all of them.
pub(crate) fn cell(report: &Report, metric: &MetricReport) -> String {
    let mut shares: Vec<String> = Vec::new();
    for evaluation in &report.evaluations {
        let found = evaluation.metrics.iter().find(|other| other.column == metric.column);
        shares.extend(found.and_then(|metric| metric.judged).map(|share| format!("{share:.2}")));
    }
    if shares.iter().all(|share| *share == shares[0]) {
        shares.truncate(1);
    }
    shares.join("/")
}

/// What to do about hits that nobody judged; nothing where there is none.
pub(crate) fn offer(report: &Report) -> String {
    let unjudged: Vec<&MetricReport> = metrics(report)
        .into_iter()
        .filter(|metric| {
            // A measure that scores nothing scores nothing on judged hits either.
            let scores = |evaluation: &&EvaluationReport| {
                let mut summaries = evaluation.summaries.iter();
                summaries.any(|summary| summary.metric == metric.column && summary.estimate.n > 0)
            };
            let scoring = report.evaluations.iter().filter(scores);
            let mut same = scoring.flat_map(|e| &e.metrics).filter(|m| m.column == metric.column);
            same.any(|metric| metric.judged.is_some_and(|share| share < 1.0))
        })
        .collect();
    let all = report.evaluations.iter().flat_map(|evaluation| &evaluation.metrics);
    let lowest = all.filter_map(|metric| metric.judged).fold(1.0, f64::min);
    let offers: Vec<String> =
        unjudged.iter().filter_map(|metric| without_unjudged(&metric.name)).collect();
    if offers.is_empty() {
        return String::new();
    }
    if report.evaluations.iter().any(|evaluation| evaluation.relevant_only == Some(true)) {
        return "  a hit that nobody judged counts as not relevant; the judgments name relevant \
                passages alone, so that no measure can leave such hits out\n"
            .to_owned();
    }
    let named: Vec<String> =
        offers.iter().take(OFFERED).map(|offer| format!("`{offer}`")).collect();
    let more = if offers.len() > OFFERED { " and so on" } else { "" };
    format!(
        "  a hit that nobody judged counts as not relevant (up to {} of the hits); leaving such \
         hits out: {}{more}\n",
        percent(1.0 - lowest),
        named.join(", ")
    )
}

/// The same measure on judged hits alone; `None` where there is none.
fn without_unjudged(name: &str) -> Option<String> {
    let metric: Metric = name.parse().ok()?;
    let takes = metric.definition().parameters.iter().any(|p| p.name == "judged_only");
    let needless = JUDGED_ALONE.contains(&metric.definition().name);
    if !takes || needless || name.contains("judged_only") {
        return None;
    }
    let (head, cutoff) = match name.rsplit_once('@') {
        Some((head, cutoff)) => (head, format!("@{cutoff}")),
        None => (name, String::new()),
    };
    let other = match head.strip_suffix(')') {
        Some(open) => format!("{open},judged_only=true){cutoff}"),
        None => format!("{head}(judged_only=true){cutoff}"),
    };
    Some(other.parse::<Metric>().ok()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_without_the_unjudged() {
        for (name, other) in [
            ("nDCG@10", Some("nDCG(judged_only=true)@10")),
            ("MAP", Some("MAP(judged_only=true)")),
            ("P(rel=2)@5", Some("P(rel=2,judged_only=true)@5")),
            ("P(judged_only=true)@5", None),
            ("Judged@10", None),
            ("Bpref", None),
            ("acme.key_figures", None),
        ] {
            assert_eq!(without_unjudged(name).as_deref(), other, "{name}");
        }
    }
}
