//! Metrics that are scored where a condition holds: `[[scorer]]` with `when`.

use std::ops::Range;

use qeval_core::{Estimator, Metric, Stage, Subject};
use toml::Spanned;

use super::{Plan, PlannedMetric, System, metrics::Scorers};
use crate::{
    Config, Problem,
    condition::{Condition, Name},
    problem::suggest,
};

/// When a scorer is asked.
pub(crate) struct When {
    /// The condition; a metric is known by its index.
    pub(crate) condition: Condition<usize>,
    /// As it is shown.
    pub(crate) text: String,
    /// Where it stands.
    span: Range<usize>,
}

impl Plan {
    /// The condition on the examples that a metric scores, as it is shown.
    pub fn condition(&self, metric: &PlannedMetric) -> Option<&str> {
        self.when.get(&metric.scorer).map(|when| when.text.as_str())
    }
}

/// A scorer with the condition that the file gives it.
pub(super) struct Pending<'a> {
    pub(super) scorers: Range<usize>,
    pub(super) when: &'a Spanned<String>,
}

/// Reads the conditions, and puts the scorers in the order in which they are asked: each behind those
/// that its condition looks at.
pub(super) fn conditions(
    found: &mut Scorers,
    config: &Config,
    pending: &[Pending<'_>],
    problems: &mut Vec<Problem>,
) {
    for Pending { scorers, when } in pending {
        let place = |at: &Range<usize>| part(config, when, at);
        let condition = match Condition::parse(when.get_ref()) {
            Ok(condition) => condition,
            Err(mistake) => {
                let problem = Problem::at(place(&mistake.at), mistake.message);
                problems.push(problem.hint(mistake.hint));
                continue;
            }
        };
        let before = problems.len();
        let own = found.metrics.iter().filter(|metric| scorers.contains(&metric.scorer));
        let mut own = own.map(|metric| &metric.descriptor);
        if let Some(whole) = own.find(|own| matches!(own.estimator, Estimator::Groups(_))) {
            let message = format!(
                "`{}` is made of whole dialogs, of which `when` chooses some examples",
                whole.name
            );
            problems.push(Problem::at(when.span(), message).hint("leave `when` out"));
        }
        let subject = found.metrics.iter().find(|metric| scorers.contains(&metric.scorer));
        let Some(subject) = subject.map(|metric| metric.descriptor.subject) else { continue };
        for ((name, at), number) in condition.comparisons() {
            if let Some(problem) = wrong(&found.metrics, (name, number), subject) {
                problems.push(Problem { span: Some(place(at)), ..problem });
            }
        }
        if problems.len() > before {
            continue;
        }
        let index = |(name, _): &Name| find(&found.metrics, name);
        let shown = |(name, _): &Name| {
            find(&found.metrics, name).map(|index| found.metrics[index].descriptor.name.clone())
        };
        let (Some(known), Some(shown)) = (condition.resolve(&index), condition.resolve(&shown))
        else {
            continue;
        };
        for scorer in scorers.clone() {
            let (condition, span) = (known.clone(), when.span());
            let when = When { condition, text: shown.to_string(), span };
            found.when.insert(scorer, when);
        }
    }
    let asked = in_order(found);
    let waiting = |scorer: &usize| !asked.contains(scorer);
    if let Some(pending) = pending.iter().find(|p| p.scorers.clone().any(|s| waiting(&s))) {
        let message = format!("`{}` depends on itself", pending.when.get_ref());
        let hint = "a condition may look at a metric whose own condition does not look back";
        problems.push(Problem::at(pending.when.span(), message).hint(hint));
    }
    found.order = asked;
}

/// The scorers, each behind those that it waits for; without those that wait for themselves.
fn in_order(found: &Scorers) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    loop {
        let ready =
            (0..found.scorers.len()).filter(|scorer| !order.contains(scorer)).find(|scorer| {
                let looks_at = found.when.get(scorer).map(|when| when.condition.comparisons());
                let known = |&(&metric, _): &(&usize, f64)| {
                    let metric = &found.metrics[metric];
                    order.contains(&metric.scorer)
                };
                looks_at.iter().flatten().all(known)
            });
        match ready {
            Some(scorer) => order.push(scorer),
            None => return order,
        }
    }
}

/// The index of a metric that the file names.
fn find(metrics: &[PlannedMetric], name: &str) -> Option<usize> {
    let wanted = name.parse::<Metric>().map_or_else(|_| name.to_owned(), |m| m.to_string());
    metrics.iter().position(|metric| metric.descriptor.name == wanted)
}

/// What is wrong with a comparison in the condition of a metric that scores `subject`.
fn wrong(
    metrics: &[PlannedMetric],
    (name, number): (&str, f64),
    subject: Subject,
) -> Option<Problem> {
    let Some(index) = find(metrics, name) else {
        let known: Vec<&str> = metrics.iter().map(|m| m.descriptor.name.as_str()).collect();
        let message = format!("`{name}` is none of the metrics that are scored");
        return Some(Problem::of_file(message).maybe_hint(suggest(name, known)));
    };
    let metric = &metrics[index].descriptor;
    let (low, high) = metric.range;
    if !metric.is_mean() {
        let message = format!("`{name}` is no mean, and says nothing of one example");
        return Some(Problem::of_file(message));
    }
    if metric.subject == Subject::Answer && subject == Subject::Retrieval {
        let message = format!("`{name}` scores answers, which come after the rankings");
        return Some(Problem::of_file(message));
    }
    if !(low..=high).contains(&number) {
        let message = format!("`{name}` is never `{number}`");
        return Some(Problem::of_file(message).hint(format!("it is from {low} to {high}")));
    }
    None
}

/// Where a part of a text stands in the file; the whole text where it is written with escapes.
fn part(config: &Config, text: &Spanned<String>, at: &Range<usize>) -> Range<usize> {
    let span = text.span();
    let plain = config.sources.text(&span).and_then(|raw| raw.get(1..raw.len().checked_sub(1)?));
    if plain == Some(text.get_ref()) {
        return span.start + 1 + at.start..span.start + 1 + at.end;
    }
    span
}

/// Refuses a condition on a metric that a system does not have, and a diagnosis by a metric that says
/// nothing of most examples.
pub(super) fn check(plan: &Plan, config: &Config, problems: &mut Vec<Problem>) {
    for (scorer, when) in &plan.when {
        let answers = |metric: &&PlannedMetric| {
            metric.scorer == *scorer && metric.descriptor.subject == Subject::Answer
        };
        let Some(own) = plan.metrics.iter().find(answers) else { continue };
        let has_it = |system: &&System| !own.columns(system).is_empty();
        let mut systems = plan.systems.iter().filter(has_it);
        let lacking = systems.find(|system| !system.has(Stage::Retrieval));
        let looks_at = when.condition.comparisons().into_iter();
        let mut names = looks_at.map(|(&metric, _)| &plan.metrics[metric].descriptor);
        let ranked = names.find(|metric| metric.subject == Subject::Retrieval);
        if let (Some(metric), Some(system)) = (ranked, lacking) {
            let (name, system) = (&metric.name, &system.name);
            let message = format!("`{name}` is not scored for the system `{system}`");
            let hint = "it needs the stage `retrieval` beside those of answers";
            problems.push(Problem::at(when.span.clone(), message).hint(hint));
        }
    }
    let right = plan.diagnosis.as_ref().map(|diagnosis| &plan.metrics[diagnosis.metric]);
    if let Some(when) = right.and_then(|right| plan.when.get(&right.scorer)) {
        let span = config
            .diagnosis
            .as_ref()
            .map_or(config.metrics.span(), |section| section.get_ref().right.span());
        let message = format!("`right` is scored only where `{}` holds", when.text);
        let hint = "name a metric that every answer has";
        problems.push(Problem::at(span, message).hint(hint));
    }
}
