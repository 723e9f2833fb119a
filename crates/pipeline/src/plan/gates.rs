//! The gates of a file, checked.

use std::ops::Range;

use qeval_core::{Metric, Stage, Subject};
use qeval_store::GateInfo;
use toml::Spanned;

use super::{DatasetPlan, PlannedMetric, files};
use crate::{Config, Problem, Problems, config::GateSection, problem::suggest};

/// What an undecided gate counts as where the file does not say.
const UNDECIDED: &str = "warn";

impl Config {
    /// The gates that the file declares, which are not checked yet: what a gate says of metrics and
    /// slices is for a plan, or for a stored evaluation, to find.
    pub fn gates(&self) -> Vec<GateInfo> {
        self.gates.iter().map(|gate| resolved(self, gate.get_ref())).collect()
    }

    /// The same, where a gate makes sense by itself.
    ///
    /// # Errors
    ///
    /// All that is wrong with the gates, whatever is measured.
    pub fn checked_gates(&self) -> Result<Vec<GateInfo>, Box<Problems>> {
        let mut problems = Vec::new();
        self.gates.iter().for_each(|gate| check_alone(gate, &mut problems));
        if problems.is_empty() { Ok(self.gates()) } else { Err(Box::new(self.refused(problems))) }
    }
}

/// Checks what the gates of a file say.
pub(super) fn gates(
    config: &Config,
    metrics: &[PlannedMetric],
    datasets: &[DatasetPlan],
    problems: &mut Vec<Problem>,
) -> Vec<GateInfo> {
    for gate in &config.gates {
        check_alone(gate, problems);
        let gate = gate.get_ref();
        check_metric(gate, metrics, problems);
        let declared = files::slices(datasets);
        let names: Vec<String> = datasets.iter().map(|dataset| dataset.name.clone()).collect();
        one_of("slice", gate.slice.as_ref(), &declared, problems);
        one_of("dataset", gate.dataset.as_ref(), &names, problems);
    }
    config.gates()
}

/// Checks what a gate says that no plan needs to know.
fn check_alone(gate: &Spanned<GateSection>, problems: &mut Vec<Problem>) {
    let (span, gate) = (gate.span(), gate.get_ref());
    check_limits(span, gate, problems);
    let words = ["fail", "warn", "pass"].map(str::to_owned);
    one_of("undecided", gate.undecided.as_ref(), &words, problems);
    one_of("level", gate.level.as_ref(), &words[..2], problems);
    match (&gate.slice, &gate.slice_value) {
        (Some(slice), None) => problems.push(
            Problem::at(slice.span(), "the gate has a `slice` and no `slice_value`")
                .hint("name the value of the slice that it is about"),
        ),
        (None, Some(value)) => {
            problems.push(Problem::at(value.span(), "the gate has a `slice_value` and no `slice`"));
        }
        _ => {}
    }
}

fn resolved(config: &Config, gate: &GateSection) -> GateInfo {
    let text = |value: &Option<Spanned<String>>| value.as_ref().map(|v| v.get_ref().clone());
    let number = |value: &Option<Spanned<f64>>| value.as_ref().map(|v| *v.get_ref());
    let baseline = gate.no_worse_than.as_ref().map(|baseline| {
        let folder = files::resolve_in(config.sources.folder(&baseline.span()), baseline.get_ref());
        // Whatever is no folder is a label or an id.
        if folder.is_dir() {
            folder.to_string_lossy().into_owned()
        } else {
            baseline.get_ref().clone()
        }
    });
    GateInfo {
        metric: canonical(gate.metric.get_ref()),
        stage: text(&gate.stage),
        system: gate.system.clone(),
        dataset: text(&gate.dataset),
        slice: text(&gate.slice),
        slice_value: text(&gate.slice_value),
        at_least: number(&gate.at_least),
        at_most: number(&gate.at_most),
        no_worse_than: baseline,
        margin: number(&gate.margin).unwrap_or(0.0),
        max_unscored: number(&gate.max_unscored).unwrap_or(0.0),
        undecided: text(&gate.undecided).unwrap_or_else(|| UNDECIDED.to_owned()),
        level: text(&gate.level).unwrap_or_else(|| "fail".to_owned()),
    }
}

/// A name as it is printed.
fn canonical(name: &str) -> String {
    name.parse::<Metric>().map_or_else(|_| name.to_owned(), |metric| metric.to_string())
}

fn check_metric(gate: &GateSection, metrics: &[PlannedMetric], problems: &mut Vec<Problem>) {
    let wanted = canonical(gate.metric.get_ref());
    let mut own = metrics.iter().filter(|metric| metric.statistic_of.is_none());
    let Some(metric) = own.find(|metric| metric.descriptor.name == wanted) else {
        let names = metrics.iter().map(|metric| metric.descriptor.name.as_str());
        let hint = suggest(&wanted, names.collect::<Vec<_>>());
        let hint = hint.unwrap_or_else(|| "put it into a list of `[metrics]`".to_owned());
        let message = format!("the gate's metric `{wanted}` is not measured");
        problems.push(Problem::at(gate.metric.span(), message).hint(hint));
        return;
    };
    let descriptor = &metric.descriptor;
    if let Some(baseline) = gate.no_worse_than.as_ref().filter(|_| !descriptor.is_mean()) {
        let message = format!("`{wanted}` is no mean of examples, which `no_worse_than` compares");
        problems.push(
            Problem::at(baseline.span(), message).hint("hold it against `at_least` or `at_most`"),
        );
    }
    let (low, high) = descriptor.range;
    for limit in [&gate.at_least, &gate.at_most].into_iter().flatten() {
        let value = *limit.get_ref();
        if value.is_finite() && !(low..=high).contains(&value) {
            let message = format!("`{value}` is a limit that decides nothing");
            let hint = format!("`{wanted}` is from {low} to {high}");
            problems.push(Problem::at(limit.span(), message).hint(hint));
        }
    }
    let Some(stage) = &gate.stage else { return };
    let ranked = descriptor.subject == Subject::Retrieval;
    match Stage::from_name(stage.get_ref()) {
        None => {
            let names = Stage::ALL.map(|stage| stage.name().to_owned());
            one_of("stage", Some(stage), &names, problems);
        }
        Some(found) if ranked != (found == Stage::Retrieval) => {
            let message = format!("`{wanted}` is not measured in the stage `{}`", found.name());
            problems.push(Problem::at(stage.span(), message));
        }
        Some(_) => {}
    }
}

fn check_limits(span: Range<usize>, gate: &GateSection, problems: &mut Vec<Problem>) {
    let given = [gate.at_least.is_some(), gate.at_most.is_some(), gate.no_worse_than.is_some()];
    let count = given.into_iter().filter(|&given| given).count();
    if count != 1 {
        let message = match count {
            0 => "the gate has no limit",
            _ => "the gate has several limits",
        };
        let hint = "give one of `at_least`, `at_most` and `no_worse_than`; several gates may be about \
                    one metric";
        problems.push(Problem::at(span, message).hint(hint));
    }
    for limit in [&gate.at_least, &gate.at_most].into_iter().flatten() {
        if !limit.get_ref().is_finite() {
            problems.push(Problem::at(limit.span(), "a limit is a finite number"));
        }
    }
    if let Some(baseline) = gate.no_worse_than.as_ref().filter(|name| name.get_ref().is_empty()) {
        let message = "`no_worse_than` names nothing";
        let hint = "name a label, an id or a folder";
        problems.push(Problem::at(baseline.span(), message).hint(hint));
    }
    let within = |value: &Spanned<f64>, most: f64| (0.0..=most).contains(value.get_ref());
    if let Some(margin) = &gate.margin {
        if gate.no_worse_than.is_none() {
            problems.push(Problem::at(margin.span(), "`margin` is for `no_worse_than` alone"));
        } else if !within(margin, f64::MAX) {
            problems.push(Problem::at(margin.span(), "`margin` is no number from 0"));
        }
    }
    if let Some(share) = gate.max_unscored.as_ref().filter(|share| !within(share, 1.0)) {
        problems.push(Problem::at(share.span(), "`max_unscored` is no share from 0 to 1"));
    }
}

fn one_of(
    key: &str,
    given: Option<&Spanned<String>>,
    known: &[String],
    problems: &mut Vec<Problem>,
) {
    let Some(given) = given.filter(|given| !known.contains(given.get_ref())) else { return };
    let message = format!("`{key}` is `{}`, expected {}", given.get_ref(), expected(known));
    problems.push(Problem::at(given.span(), message));
}

fn expected(known: &[String]) -> String {
    match known {
        [] => "none: the file declares none".to_owned(),
        [only] => format!("`{only}`"),
        several => {
            let names: Vec<String> = several.iter().map(|name| format!("`{name}`")).collect();
            format!("one of {}", names.join(", "))
        }
    }
}
