//! Stored evaluations as reports: everything is read back from the store.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::{Context, Result};
use qeval_core::{
    Metric, Need, Stage,
    diagnosis::{Cause, Counts, Finding},
};
use qeval_pipeline::Finished;
use qeval_report::{
    ClustersReport, DiagnosisReport, EvaluationReport, MetricReport, RepeatedColumn, RepeatsReport,
    Report, SliceCounts, UnscoredReport, UsageReport,
};
use qeval_store::{Evaluation, Manifest, MetricColumn, RepeatsInfo, Scores, UsageInfo};

use crate::{
    abstention::abstention, args::Format, confidence::confidence, domains::domains, retrieval,
    sweep, terminal,
};

/// The report of these evaluations.
pub(crate) fn report_of(folders: &[PathBuf]) -> Result<Report> {
    let open = |folder: &PathBuf| Evaluation::open(folder);
    report(&folders.iter().map(open).collect::<Result<Vec<_>, _>>()?)
}

/// The report of what a run has left.
pub(crate) fn report_of_run(finished: &Finished) -> Result<Report> {
    let open = |folder: &PathBuf| {
        if finished.reused.contains(folder) {
            Evaluation::open(folder)
        } else {
            Evaluation::open_written(folder)
        }
    };
    report(&finished.evaluations.iter().map(open).collect::<Result<Vec<_>, _>>()?)
}

fn report(evaluations: &[Evaluation]) -> Result<Report> {
    let mut report = Report { stored: true, ..Report::default() };
    let mut found = Vec::new();
    for (number, evaluation) in evaluations.iter().enumerate() {
        report.group.clone_from(&evaluation.manifest().group);
        let folder = evaluation.folder().display();
        let context = || format!("cannot read the evaluation in `{folder}`");
        let mut read = read(evaluation).with_context(context)?;
        if evaluation.has_texts()
            && let Some((retrieval, of_rows)) =
                retrieval::retrieval(evaluation).with_context(context)?
        {
            read.retrieval = Some(retrieval);
            found.push((number, of_rows));
        }
        report.evaluations.push(read);
    }
    report.domains = domains(evaluations)?;
    report.sweep = sweep::comparison(evaluations)?;
    report.unfound = retrieval::unfound(evaluations, &found)?;
    Ok(report)
}

/// The report as text.
pub(crate) fn render(report: &Report, asked: Format) -> String {
    let mut text = qeval_report::render(report, format(asked));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// How reports on stdout are rendered.
pub(crate) fn format(format: Format) -> qeval_report::Format {
    match format {
        Format::Json => qeval_report::Format::Json,
        Format::Terminal => {
            qeval_report::Format::Terminal { color: terminal::color(&std::io::stdout()) }
        }
    }
}

fn read(evaluation: &Evaluation) -> Result<EvaluationReport> {
    let manifest = evaluation.manifest();
    let metrics = manifest.metrics.iter().filter(|metric| metric.statistic_of.is_none());
    let metrics = metrics.map(|metric| MetricReport {
        column: metric.column.clone(),
        name: metric.name.clone(),
        stage: metric.stage,
        judged: judged(manifest, metric),
        pooled: metric.is_pooled(),
        when: when(manifest, metric),
        min: metric.min,
        max: metric.max,
    });
    let dataset: Vec<&str> = manifest.datasets.iter().map(|info| info.name.as_str()).collect();
    let summaries = evaluation.summaries()?;
    // Where nothing is read there is nothing to abstain from, and no error of a reader.
    let reads = manifest.metrics.iter().any(|metric| metric.stage != Stage::Retrieval);
    let scores = if reads { Some(evaluation.groupings()?) } else { None };
    // What was answered and retrieved, a baseline that was carried here may lack.
    let texts = evaluation.has_texts();
    let (risk, calibration) =
        if texts { confidence(evaluation, &summaries)? } else { Default::default() };
    let abstention = match &scores {
        Some(scores) if texts => abstention(evaluation, scores)?,
        _ => Vec::new(),
    };
    let bare = "without its texts: abstention, confidence and passages are not reported";
    let bare = (!texts).then(|| bare.to_owned());
    let reason = |reason: qeval_store::Reason| UnscoredReport {
        column: reason.metric,
        kind: reason.kind,
        label: reason.label,
        text: reason.text,
        count: reason.count,
    };
    Ok(EvaluationReport {
        id: manifest.evaluation_id.clone(),
        label: manifest.label.clone(),
        system: manifest.system.clone(),
        status: manifest.status.clone(),
        dataset: dataset.join(", "),
        examples: manifest.datasets.iter().map(|info| info.examples).sum(),
        metrics: metrics.collect(),
        summaries,
        clusters: manifest.clusters.as_ref().map(|clusters| ClustersReport {
            by: clusters.by.clone(),
            source: clusters.source.clone(),
            groups: clusters.groups,
        }),
        notices: manifest.notices.iter().map(notice).chain(bare).collect(),
        relevant_only: manifest.judgments.as_ref().map(|judgments| judgments.relevant_only),
        retrieval: None,
        abstention,
        risk,
        calibration,
        unscored: evaluation.reasons()?.into_iter().map(reason).collect(),
        usage: manifest.usage.iter().map(usage).collect(),
        repeats: manifest.repeats.as_ref().map(repeats),
        gates: Vec::new(),
        diagnosis: scores.as_ref().and_then(|scores| diagnosis(evaluation, scores)),
    })
}

/// What the answers of a reader took in one stage.
fn usage(usage: &UsageInfo) -> UsageReport {
    UsageReport {
        reader: usage.reader.clone(),
        stage: usage.stage,
        answers: usage.answers,
        replayed: usage.replayed,
        latency_ms: usage.latency_ms.map(|found| (found.n, [found.p50, found.p90, found.p99])),
        tokens_in: usage.tokens_in.map(|found| (found.n, found.sum)),
        tokens_out: usage.tokens_out.map(|found| (found.n, found.sum)),
        cost: usage.cost.as_ref().map(|found| (found.n, found.sum)),
        currency: usage.cost.as_ref().and_then(|found| found.currency.clone()),
    }
}

/// How scores differ where questions were asked several times.
fn repeats(found: &RepeatsInfo) -> RepeatsReport {
    let column = |column: &qeval_store::RepeatedColumn| RepeatedColumn {
        column: column.column.clone(),
        means: column.means.clone(),
        stddev: column.stddev,
        stddev_within: column.stddev_within,
    };
    RepeatsReport { repeats: found.repeats, columns: found.columns.iter().map(column).collect() }
}

/// The condition on the examples that a metric scores.
fn when(manifest: &Manifest, column: &MetricColumn) -> Option<String> {
    let mut metrics = manifest.plan.get("metrics")?.as_array()?.iter();
    let own = metrics.find(|metric| metric["name"] == column.name.as_str())?;
    own.get("when")?.as_str().map(str::to_owned)
}

/// Which share of the hits that a metric looks at is judged.
fn judged(manifest: &Manifest, column: &MetricColumn) -> Option<f64> {
    let judgments = manifest.judgments.as_ref()?;
    let metric: Metric = column.name.parse().ok()?;
    // They say it themselves.
    let says = ["Judged", "Unjudged"].contains(&metric.definition().name);
    if says
        || column.stage != Stage::Retrieval
        || !metric.definition().needs.contains(&Need::Judgments)
    {
        return None;
    }
    let mut shares = judgments.judged.iter();
    let counted = (metric.counts_documents(), metric.cutoff());
    shares.find(|share| (share.documents, share.cutoff) == counted).map(|share| share.mean)
}

/// A count in words, with the first examples that it concerns.
fn notice(notice: &qeval_store::Notice) -> String {
    let named = notice.examples.join(", ");
    let more = if notice.count > notice.examples.len() as u64 { ", ..." } else { "" };
    if named.is_empty() { notice.text.clone() } else { format!("{} ({named}{more})", notice.text) }
}

fn diagnosis(evaluation: &Evaluation, scores: &Scores) -> Option<DiagnosisReport> {
    let settings = evaluation.manifest().diagnosis.as_ref()?;
    let findings: Vec<Option<Finding>> = findings(scores);
    let mut report = DiagnosisReport {
        right: settings.metric.clone(),
        at_least: settings.threshold,
        ..DiagnosisReport::default()
    };
    findings.iter().flatten().for_each(|&finding| report.counts.add(finding));
    if !speaks(&report.counts) {
        return None;
    }
    for (slice, values) in &scores.slices {
        let mut counts: BTreeMap<Option<&str>, Counts> = BTreeMap::new();
        for (row, finding) in findings.iter().enumerate() {
            if let Some(finding) = finding {
                counts.entry(values.get(row)).or_default().add(*finding);
            }
        }
        report.slices.extend(counts.into_iter().map(|(value, counts)| SliceCounts {
            slice: slice.clone(),
            value: value.map(str::to_owned),
            counts,
        }));
    }
    Some(report)
}

/// Whether the evidence is known for any example: where nobody knows what a reader saw, right and
/// wrong is all there is to say, and the metric has said it.
fn speaks(counts: &Counts) -> bool {
    let cells = [(true, true), (true, false), (false, true), (false, false)];
    cells.iter().any(|&(seen, right)| counts.cell(seen, right) > 0)
        || [Cause::StaleSource, Cause::WrongSource, Cause::StaleOrWrongSource]
            .into_iter()
            .any(|cause| counts.of(cause) > 0)
}

/// The finding of each row, where there is one.
fn findings(scores: &Scores) -> Vec<Option<Finding>> {
    let (Some(seen), Some(causes)) = (&scores.evidence_seen, &scores.causes) else {
        return Vec::new();
    };
    let finding = |(row, seen): (usize, &Option<bool>)| {
        let cause = Cause::from_name(causes.get(row)?)?;
        Some(Finding { evidence_seen: *seen, cause })
    };
    seen.iter().enumerate().map(finding).collect()
}
