//! Gates, decided from stored evaluations.

mod baseline;
mod examples;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use qeval_core::{
    Stage, Summary,
    gate::{Decision, Limit, decide, decide_against, too_much_unscored},
    stats::{Unit, paired},
};
use qeval_report::{GateReport, GatedEvaluation, Outcome, Report};
use qeval_store::{Evaluation, GateInfo, MetricColumn};

use self::examples::Selection;
use crate::{
    args::GateOutputs,
    domains::is_mean,
    exit_code::{BadRequest, GateFailed},
};

/// The gates of some evaluations, decided one after the other.
pub(crate) struct Gated {
    results: PathBuf,
    /// Examples that are shown of a gate that does not pass.
    shown: usize,
    evaluations: Vec<GatedEvaluation>,
    /// Gates of systems that none of the evaluations was.
    unmet: Vec<GateInfo>,
    /// Why gates could not be decided.
    errors: Vec<anyhow::Error>,
}

impl Gated {
    pub(crate) fn new(results: &Path, shown: usize) -> Self {
        Self {
            results: results.to_owned(),
            shown,
            evaluations: Vec::new(),
            unmet: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Decides the gates of an evaluation: those that are of its system. A gate that selects nothing, or
    /// that is held against an evaluation that is not there or cannot be compared, has not passed; it is
    /// an error of [`check`](Self::check).
    pub(crate) fn add(&mut self, evaluation: &Evaluation, declared: &[GateInfo]) {
        let manifest = evaluation.manifest();
        let mut gates = Vec::new();
        for gate in declared {
            if gate.system.as_ref().is_some_and(|system| *system != manifest.system) {
                if self.evaluations.is_empty() {
                    self.unmet.push(gate.clone());
                }
                continue;
            }
            self.unmet.retain(|unmet| unmet != gate);
            let decided = self.decide(evaluation, gate);
            gates.push(decided.unwrap_or_else(|error| {
                // The others are decided all the same.
                let report = undecidable(gate, &error);
                self.errors.push(error.context(format!("the gate `{}`", gate.title())));
                report
            }));
        }
        self.evaluations.push(GatedEvaluation {
            evaluation: manifest.evaluation_id.clone(),
            label: manifest.label.clone(),
            system: manifest.system.clone(),
            gates,
        });
    }

    /// Whether there are no gates.
    pub(crate) fn is_empty(&self) -> bool {
        self.evaluations.iter().all(|evaluation| evaluation.gates.is_empty())
    }

    /// Puts the decisions into the report of the same evaluations.
    pub(crate) fn put_into(&self, report: &mut Report) {
        for (shown, gated) in report.evaluations.iter_mut().zip(&self.evaluations) {
            shown.gates.clone_from(&gated.gates);
        }
    }

    /// The evaluations with their gates.
    pub(crate) fn evaluations(&self) -> &[GatedEvaluation] {
        &self.evaluations
    }

    /// An error that names the gates that failed, where there are any, or a gate that is about no
    /// system.
    pub(crate) fn check(mut self) -> Result<()> {
        if !self.errors.is_empty() {
            let first = self.errors.remove(0);
            // The others stand in what was printed.
            return Err(match self.errors.len() {
                0 => first,
                more => first.context(format!("{} gates cannot be decided", more + 1)),
            });
        }
        if let Some(gate) = self.unmet.first() {
            let system = gate.system.as_deref().unwrap_or_default();
            let why = format!("there is no system `{system}`");
            return Err(nothing(&why)).with_context(|| format!("the gate `{}`", gate.title()));
        }
        let gates = self.evaluations.iter().flat_map(|evaluation| &evaluation.gates);
        let all = gates.clone().count();
        let failed: Vec<String> = gates
            .filter(|gate| gate.outcome == Outcome::Fail)
            .map(|gate| gate.title.clone())
            .collect();
        if failed.is_empty() { Ok(()) } else { Err(GateFailed { failed, all }.into()) }
    }

    fn decide(&self, evaluation: &Evaluation, gate: &GateInfo) -> Result<GateReport> {
        let column = column(evaluation, gate)?;
        let summary = summary(evaluation, gate, &column)?;
        let selection = Selection::of(evaluation, gate)?;
        let failed = selection.failed(evaluation, &column.column)?;
        let mut report = GateReport {
            title: gate.title(),
            metric: column.name.clone(),
            decision: Decision::Undecided,
            outcome: Outcome::Warn,
            reason: String::new(),
            value: summary.estimate.mean,
            interval: summary.estimate.interval,
            n: summary.estimate.n,
            unscored: summary.estimate.unscored,
            failed,
            baseline: None,
            examples: Vec::new(),
        };
        let limit = gate.at_least.map(Limit::AtLeast).or(gate.at_most.map(Limit::AtMost));
        match (limit, &gate.no_worse_than) {
            (Some(limit), _) => {
                report.decision = decide(&summary.estimate, limit);
                report.reason = numbers(&report);
            }
            (None, Some(baseline)) => {
                self.against(evaluation, (gate, baseline), (&column, &selection), &mut report)?;
            }
            (None, None) => {
                let message = "it has no limit".to_owned();
                return Err(BadRequest { message, hint: None }.into());
            }
        }
        if too_much_unscored(report.n, failed, gate.max_unscored) {
            report.decision = Decision::Fail;
            report.reason = format!(
                "{failed} of {} examples have no score because something failed, and {} may \
                 (max_unscored); of the others: {}",
                report.n + failed,
                share(gate.max_unscored),
                report.reason
            );
        }
        report.outcome = outcome(report.decision, gate);
        if self.shown > 0 && report.outcome != Outcome::Pass && report.examples.is_empty() {
            report.examples = examples::lowest(evaluation, &column, &selection, self.shown)?;
        }
        Ok(report)
    }

    /// Holds a number against that of another evaluation, example by example.
    fn against(
        &self,
        evaluation: &Evaluation,
        (gate, baseline): (&GateInfo, &str),
        (column, selection): (&MetricColumn, &Selection),
        report: &mut GateReport,
    ) -> Result<()> {
        if !is_mean(column) {
            let message =
                format!("`{}` is no mean of examples, which `no_worse_than` compares", column.name);
            let hint = Some("hold it against `at_least` or `at_most`".to_owned());
            return Err(BadRequest { message, hint }.into());
        }
        let other = baseline::find(&self.results, baseline, evaluation)?;
        let pairs = baseline::Pairs::of(&other, evaluation, column, selection)?;
        let units: Vec<Unit> = pairs.units();
        let Some(change) = paired(&units, evaluation.manifest().seed) else {
            return Err(nothing("no example has a score in both evaluations").into());
        };
        report.baseline = Some(other.manifest().evaluation_id.clone());
        report.decision = decide_against(&change, gate.margin, column.higher_is_better);
        (report.value, report.interval) = (Some(change.difference()), change.interval);
        report.n = change.n;
        let interval = change.interval.map_or_else(
            || "too few examples for an interval".to_owned(),
            |interval| format!("95 % interval {:+.4} to {:+.4}", interval.low, interval.high),
        );
        report.reason = format!(
            "{:.4} and {:.4} in `{}`, a difference of {:+.4} ({interval}) on {} examples that both have",
            change.after,
            change.before,
            other.manifest().evaluation_id,
            change.difference(),
            change.n,
        );
        if pairs.new > 0 {
            report.reason =
                format!("{}; the baseline does not have {} others", report.reason, pairs.new);
        }
        // A sample lacks examples by lot; else those that are hard may be the ones that are not there.
        let sample = !evaluation.manifest().plan["sample"].is_null();
        if pairs.missing > 0 && !sample {
            let all = pairs.missing + change.n;
            report.reason = format!(
                "{}; {} of the {all} examples of the baseline are not in this evaluation",
                report.reason, pairs.missing
            );
            if report.decision == Decision::Pass {
                report.decision = Decision::Undecided;
            }
        }
        if self.shown > 0 && report.decision != Decision::Pass {
            report.examples = pairs.lost_most(evaluation, column, self.shown)?;
        }
        Ok(())
    }
}

/// A gate that cannot be decided has not passed.
fn undecidable(gate: &GateInfo, error: &anyhow::Error) -> GateReport {
    GateReport {
        title: gate.title(),
        metric: gate.metric.clone(),
        decision: Decision::Undecided,
        outcome: Outcome::Fail,
        reason: format!("it cannot be decided: {error:#}"),
        value: None,
        interval: None,
        n: 0,
        unscored: 0,
        failed: 0,
        baseline: None,
        examples: Vec::new(),
    }
}

/// Writes what the command line asks for besides.
pub(crate) fn write(gated: &Gated, outputs: &GateOutputs) -> Result<()> {
    let evaluations = gated.evaluations();
    if let Some(path) = &outputs.junit {
        fs::write(path, qeval_report::junit(evaluations))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    if let Some(path) = &outputs.markdown {
        // Other steps of a check write to the same file.
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path);
        let text = qeval_report::markdown(evaluations);
        file.as_mut()
            .map_err(|error| std::io::Error::new(error.kind(), error.to_string()))
            .and_then(|file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    if outputs.annotations {
        // Stdout may be JSON; workflows read both.
        let text = qeval_report::annotations(evaluations);
        std::io::stderr().lock().write_all(text.as_bytes()).context("cannot write to stderr")?;
    }
    Ok(())
}

/// The column that a gate is about.
fn column(evaluation: &Evaluation, gate: &GateInfo) -> Result<MetricColumn> {
    let columns = evaluation.manifest().metrics.iter();
    let named = columns.filter(|column| {
        let own = column.name == gate.metric || column.column == gate.metric;
        own && column.statistic_of.is_none()
    });
    let wanted = gate.stage.as_deref().and_then(Stage::from_name);
    let mut of_stage = named.filter(|column| match wanted {
        Some(stage) => column.stage == stage,
        None => column.stage != Stage::Isolated || column.column == gate.metric,
    });
    of_stage.next().cloned().ok_or_else(|| {
        let stage = gate.stage.as_ref().map(|stage| format!(" in the stage `{stage}`"));
        nothing(&format!("`{}` is not measured{}", gate.metric, stage.unwrap_or_default())).into()
    })
}

/// The summary that a gate is about.
fn summary(evaluation: &Evaluation, gate: &GateInfo, column: &MetricColumn) -> Result<Summary> {
    // Of a single dataset there is no summary beside that of all examples.
    let several = evaluation.manifest().datasets.len() > 1;
    let dataset = gate.dataset.as_ref().filter(|_| several);
    let summaries = evaluation.summaries()?;
    let mut own = summaries.into_iter().filter(|summary| summary.metric == column.column);
    let found = own.find(|summary| {
        summary.dataset.as_ref() == dataset
            && summary.slice == gate.slice
            && summary.slice_value == gate.slice_value
    });
    let selected = found.filter(|summary| summary.estimate.n + summary.estimate.unscored > 0);
    let known = gate.dataset.as_ref().is_none_or(|wanted| {
        evaluation.manifest().datasets.iter().any(|dataset| dataset.name == *wanted)
    });
    match selected.filter(|_| known) {
        Some(summary) if summary.estimate.n > 0 => Ok(summary),
        Some(_) => Err(nothing("none of its examples has a score").into()),
        None => Err(nothing("no example has that dataset and slice value").into()),
    }
}

/// A gate that selects nothing has not passed.
fn nothing(why: &str) -> BadRequest {
    BadRequest {
        message: format!("it selects nothing: {why}"),
        hint: Some("mend the gate: one that is about nothing would never fail".to_owned()),
    }
}

fn outcome(decision: Decision, gate: &GateInfo) -> Outcome {
    let failed = if gate.level == "warn" { Outcome::Warn } else { Outcome::Fail };
    match decision {
        Decision::Pass => Outcome::Pass,
        Decision::Fail => failed,
        Decision::Undecided => match gate.undecided.as_str() {
            "pass" => Outcome::Pass,
            "fail" => failed,
            _ => Outcome::Warn,
        },
    }
}

/// The number with its interval.
fn numbers(report: &GateReport) -> String {
    let value = report.value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
    let interval = report.interval.map_or_else(
        || "without an interval".to_owned(),
        |interval| format!("95 % interval {:.4} to {:.4}", interval.low, interval.high),
    );
    let undecided = match report.decision {
        Decision::Undecided => ", which does not decide it",
        _ => "",
    };
    format!("{value}, {interval} on {} examples{undecided}", report.n)
}

fn share(share: f64) -> String {
    if share > 0.0 { format!("{} %", share * 100.0) } else { "none".to_owned() }
}
