//! The sentences that stand below the numbers of a report.

use qeval_core::Summary;

use crate::{
    EvaluationReport, Report, caution,
    terminal::{count, number, title_of},
};

/// Of all evaluations: what was counted aloud, which metrics have a condition, which are the same for
/// every example, and what must be known of the intervals. What is true of all systems is said once.
pub(crate) fn of(report: &Report) -> Vec<String> {
    let each: Vec<(&EvaluationReport, Vec<String>)> =
        report.evaluations.iter().map(|evaluation| (evaluation, of_one(evaluation))).collect();
    let Some((_, first)) = each.first() else { return Vec::new() };
    let of_all = |text: &String| each.iter().all(|(_, texts)| texts.contains(text));
    let shared: Vec<String> = first.iter().filter(|text| of_all(text)).cloned().collect();
    let own = each.iter().flat_map(|(evaluation, texts)| {
        let texts = texts.iter().filter(|text| !shared.contains(text));
        texts.map(|text| format!("{}: {text}", evaluation.system))
    });
    let own: Vec<String> = own.collect();
    shared.into_iter().chain(own).collect()
}

fn of_one(evaluation: &EvaluationReport) -> Vec<String> {
    let mut notes = evaluation.notices.clone();
    for metric in &evaluation.metrics {
        let Some(summary) = evaluation.summary(&metric.column, None) else { continue };
        let title = title_of(metric);
        if let Some(when) = &metric.when {
            let (n, all) = (summary.estimate.n, count(evaluation.examples, "example"));
            notes.push(format!("{title} is scored where `{when}`: it is the mean of {n} of {all}"));
        }
    }
    let constants = evaluation.metrics.iter().filter_map(|metric| {
        // The single examples of a pooled metric say nothing of the whole.
        let summary = evaluation.summary(&metric.column, None).filter(|_| !metric.pooled)?;
        Some(format!("{} is {} for every example", title_of(metric), constant(summary)?))
    });
    notes.extend(constants);
    notes.extend(caution::cautions(evaluation));
    notes
}

/// A metric whose scores are all the same measures nothing here.
fn constant(summary: &Summary) -> Option<String> {
    let (min, max) = (summary.estimate.min?, summary.estimate.max?);
    (summary.estimate.n > 1 && min.to_bits() == max.to_bits()).then(|| number(min))
}
