//! The report for people: systems side by side, then slices, then where the errors come from.

use std::fmt::Write as _;

use qeval_core::{
    Stage, Summary,
    diagnosis::{Cause, share},
};

use crate::{
    DiagnosisReport, EvaluationReport, MetricReport, Report, RetrievalReport, abstention,
    confidence, domains, judged, notes, repeats, retrieval, sweep, table::Table, unscored, usage,
    verdict, verdict::percent,
};

/// Slices with so many errors are named in the diagnosis, the worst first.
const WORTH_NAMING: u64 = 5;

/// How many slices the diagnosis names.
const NAMED: usize = 3;

pub(crate) fn render(report: &Report, color: bool) -> String {
    let mut page = Page { text: String::new(), color };
    let Some(first) = report.evaluations.first() else { return "no evaluation\n".to_owned() };
    page.title(&format!(
        "{} · {} · {}",
        first.label,
        first.dataset,
        count(first.examples, "example")
    ));
    if let Some(found) = &report.sweep {
        page.text.push_str("  each combination, and what it changes on the same examples\n");
        page.text.push_str(&sweep::render(found));
        page.end(report);
        return printable(&page.text);
    }
    if report.evaluations.len() > 1 {
        page.text.push_str("  mean and 95 % interval of each system\n");
    }
    if !report.domains.is_empty() {
        page.text.push_str("  all datasets together; each by itself further down\n");
    }
    page.text.push_str(&overview(report));
    page.text.push_str(&judged::offer(report));
    for metric in &report.domains {
        page.title(&domains::title(metric));
        page.text.push_str(&domains::render(metric));
    }
    page.pooled_by_dataset(report);
    for slice in slices(report) {
        page.slice(report, &slice);
    }
    page.retrieval(report);
    page.abstention(report);
    for evaluation in &report.evaluations {
        if let Some(diagnosis) = &evaluation.diagnosis {
            page.title(&format!("where the errors come from · {}", evaluation.system));
            page.diagnosis(diagnosis);
        }
    }
    page.end(report);
    printable(&page.text)
}

/// Ids and labels come from files: what a terminal would act on is shown and not done.
fn printable(text: &str) -> String {
    let bold = anstyle::Style::new().bold();
    let (on, off) = (format!("{bold}"), format!("{bold:#}"));
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(style) = [&on, &off].into_iter().find(|style| rest.starts_with(*style)) {
            shown.push_str(style);
            rest = &rest[style.len()..];
            continue;
        }
        if c.is_control() && c != '\n' {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    shown
}

struct Page {
    text: String,
    color: bool,
}

impl Page {
    fn title(&mut self, title: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text += &bold(title, self.color);
    }

    fn section(&mut self, title: &str, text: &str) {
        self.title(title);
        self.text.push_str(text);
    }

    /// Metrics that are no means have no difference between examples: their numbers stand side by
    /// side.
    fn pooled_by_dataset(&mut self, report: &Report) {
        let Some(first) = report.domains.first() else { return };
        let stage = metrics(report).iter().find(|m| m.column == first.column).map(|m| m.stage);
        for metric in metrics(report) {
            let compared = report.domains.iter().any(|domain| domain.column == metric.column);
            if compared || Some(metric.stage) != stage {
                continue;
            }
            self.title(&format!("{} by dataset", metric.name));
            let mut table = Table::default();
            table.row(header(report, ""));
            for dataset in &first.datasets {
                let find = |e: &'_ EvaluationReport| {
                    e.summary_of_dataset(&metric.column, dataset).cloned()
                };
                table.row(numbers(report, dataset.clone(), find));
            }
            self.text.push_str(&table.render());
        }
    }

    fn slice(&mut self, report: &Report, slice: &Slice) {
        for metric in sliced_metrics(report) {
            self.title(&format!("{} by {}", title_of(metric), slice.name));
            let mut table = Table::default();
            table.row(header(report, &slice.name));
            for value in &slice.values {
                let place = Some((slice.name.as_str(), value.as_deref()));
                let name = value.as_deref().unwrap_or("(none)").to_owned();
                let find = |e: &EvaluationReport| e.summary(&metric.column, place).cloned();
                table.row(numbers(report, name, find));
            }
            self.text.push_str(&table.render());
        }
    }

    /// What was retrieved. Systems that differ in their readers alone have one retrieval.
    fn retrieval(&mut self, report: &Report) {
        let mut shown: Vec<(&RetrievalReport, Vec<&str>)> = Vec::new();
        for evaluation in &report.evaluations {
            let Some(found) = &evaluation.retrieval else { continue };
            match shown.iter_mut().find(|(known, _)| *known == found) {
                Some((_, systems)) => systems.push(&evaluation.system),
                None => shown.push((found, vec![&evaluation.system])),
            }
        }
        for (found, systems) in shown {
            for (title, text) in retrieval::render(found) {
                self.section(&format!("{title} · {}", systems.join(", ")), &text);
            }
        }
        let unfound = report.unfound.as_ref().map(retrieval::unfound).unwrap_or_default();
        if !unfound.is_empty() {
            let several = report.unfound.as_ref().is_some_and(|u| u.systems + u.without_hits > 1);
            self.title(if several {
                "questions that no retriever finds"
            } else {
                "questions that the retriever does not find"
            });
            self.text.push_str(&unfound);
        }
    }

    /// When each system answers, and what its confidences are worth. The datasets by themselves are
    /// in the report for programs.
    fn abstention(&mut self, report: &Report) {
        if let Some(text) = abstention::render(report) {
            self.section("answered or abstained", &text);
        }
        for evaluation in &report.evaluations {
            let of = |what: &str, stage: Stage| match stage {
                Stage::Isolated => format!("{what} · {}, isolated", evaluation.system),
                Stage::Retrieval | Stage::Integrated => format!("{what} · {}", evaluation.system),
            };
            let whole = evaluation.risk.iter().filter(|risk| risk.dataset.is_none());
            for risk in whole.filter(|risk| risk.n > 0) {
                self.section(&of("risk and coverage", risk.stage), &confidence::render_risk(risk));
            }
            let whole = evaluation.calibration.iter().filter(|found| found.dataset.is_none());
            // Where nothing has a confidence there is nothing to say about confidences.
            for found in whole.filter(|found| found.n > 0) {
                self.section(
                    &of("calibration", found.stage),
                    &confidence::render_calibration(found),
                );
            }
        }
    }

    fn diagnosis(&mut self, diagnosis: &DiagnosisReport) {
        let counts = &diagnosis.counts;
        let _ = writeln!(
            self.text,
            "  an answer is right when {} >= {}",
            diagnosis.right, diagnosis.at_least
        );
        let known: u64 = [true, false]
            .iter()
            .map(|&seen| counts.cell(seen, true) + counts.cell(seen, false))
            .sum();
        if known > 0 {
            let mut table = Table::default();
            let header = ["", "right", "wrong", "share right", "95 % interval"];
            table.row(header.map(str::to_owned).to_vec());
            for (seen, name) in [(true, "evidence seen"), (false, "evidence not seen")] {
                let (right, wrong) = (counts.cell(seen, true), counts.cell(seen, false));
                let mut row = vec![name.to_owned(), right.to_string(), wrong.to_string()];
                row.extend(share_cells(right, right + wrong));
                table.row(row);
            }
            self.text.push_str(&table.render());
        }
        if counts.errors() > 0 {
            let mut table = Table::default();
            let title = format!("cause of {}", count(counts.errors(), "error"));
            let header = [title.as_str(), "n", "share", "95 % interval"];
            table.row(header.map(str::to_owned).to_vec());
            for cause in Cause::ALL {
                let n = counts.of(cause);
                if n > 0 && !cause.is_right() {
                    let mut row = vec![cause.name().to_owned(), n.to_string()];
                    row.extend(share_cells(n, counts.errors()));
                    table.row(row);
                }
            }
            self.text.push_str(&table.render());
        }
        for slice in worst_slices(diagnosis) {
            let (errors, total) = (slice.counts.errors(), slice.counts.total());
            if let Some((cause, n)) = slice.counts.main_cause() {
                let _ = writeln!(
                    self.text,
                    "  {} = {}: {errors} of {total} wrong, {n} of them {}",
                    slice.slice,
                    slice.value.as_deref().unwrap_or("(none)"),
                    cause.name()
                );
            }
        }
        let _ = writeln!(self.text, "  {}", verdict(counts));
    }

    /// What every report ends with.
    fn end(&mut self, report: &Report) {
        let unscored = unscored::render(report).map(|text| ("unscored examples".to_owned(), text));
        let repeats = report.evaluations.iter().filter_map(repeats::render);
        for (title, text) in unscored.into_iter().chain(repeats).chain(usage::render(report)) {
            self.section(&title, &text);
        }
        self.notes(report);
    }

    fn notes(&mut self, report: &Report) {
        let several = report.evaluations.len() > 1;
        let notes = notes::of(report);
        if !notes.is_empty() {
            self.title("notes");
            for note in notes {
                let _ = writeln!(self.text, "  {note}");
            }
        }
        if !report.stored {
            return;
        }
        self.title("stored");
        if several && report.evaluations.iter().any(EvaluationReport::has_slices) {
            let _ = writeln!(self.text, "  `qeval report ID` shows all metrics of one by slice");
        }
        for evaluation in &report.evaluations {
            let _ = writeln!(self.text, "  {}: {}", evaluation.system, evaluation.id);
        }
    }
}

/// All metrics of all systems, stage by stage.
pub(crate) fn metrics(report: &Report) -> Vec<&MetricReport> {
    let mut metrics: Vec<&MetricReport> = Vec::new();
    for metric in report.evaluations.iter().flat_map(|evaluation| &evaluation.metrics) {
        if !metrics.iter().any(|known| known.column == metric.column) {
            metrics.push(metric);
        }
    }
    metrics.sort_by_key(|metric| metric.stage);
    metrics
}

/// The metrics that are shown by slice: the answer metrics, or those of the retrieval where there
/// is no answer. Several systems side by side leave room for one: the metric that says what is
/// right, else the first.
fn sliced_metrics(report: &Report) -> Vec<&MetricReport> {
    let all = metrics(report);
    let answers: Vec<&MetricReport> =
        all.iter().copied().filter(|metric| metric.stage == Stage::Integrated).collect();
    let mut shown = if answers.is_empty() { all } else { answers };
    if report.evaluations.len() > 1 {
        let right = report.evaluations.iter().find_map(|e| Some(&e.diagnosis.as_ref()?.right));
        let place = shown.iter().position(|metric| Some(&metric.name) == right).unwrap_or(0);
        shown = shown.into_iter().skip(place).take(1).collect();
    }
    shown
}

fn overview(report: &Report) -> String {
    let mut table = Table::default();
    let judged = judged::is_known(report);
    let mut names = header(report, "");
    names.extend(judged.then(|| "judged".to_owned()));
    table.row(names);
    let mut stage = None;
    for metric in metrics(report) {
        if stage != Some(metric.stage) {
            stage = Some(metric.stage);
            table.heading(heading(metric.stage));
        }
        let find = |e: &EvaluationReport| e.summary(&metric.column, None).cloned();
        let mut cells = numbers(report, format!("  {}", metric.name), find);
        cells.extend(judged.then(|| judged::cell(report, metric)));
        table.row(cells);
    }
    table.render()
}

/// A line that stands out where the terminal has colors.
pub(crate) fn bold(title: &str, color: bool) -> String {
    let style = anstyle::Style::new().bold();
    if color { format!("{style}{title}{style:#}\n") } else { format!("{title}\n") }
}

/// What a stage is, above its numbers.
pub(crate) fn heading(stage: Stage) -> &'static str {
    match stage {
        Stage::Retrieval => "retrieval",
        Stage::Isolated => "isolated: the reader on the gold passages",
        Stage::Integrated => "integrated: the whole system",
    }
}

/// The metric with its stage, where that is not plain.
pub(crate) fn title_of(metric: &MetricReport) -> String {
    match metric.stage {
        Stage::Isolated => format!("isolated {}", metric.name),
        Stage::Retrieval | Stage::Integrated => metric.name.clone(),
    }
}

/// The values of one slice column.
struct Slice {
    name: String,
    values: Vec<Option<String>>,
}

fn slices(report: &Report) -> Vec<Slice> {
    let mut slices: Vec<Slice> = Vec::new();
    for summary in report.evaluations.iter().flat_map(|evaluation| &evaluation.summaries) {
        let Some(name) = &summary.slice else { continue };
        let index = slices.iter().position(|slice| slice.name == *name).unwrap_or_else(|| {
            slices.push(Slice { name: name.clone(), values: Vec::new() });
            slices.len() - 1
        });
        if !slices[index].values.contains(&summary.slice_value) {
            slices[index].values.push(summary.slice_value.clone());
        }
    }
    slices
}

fn header(report: &Report, first: &str) -> Vec<String> {
    let mut cells = vec![first.to_owned(), "n".to_owned(), "unscored".to_owned()];
    if let [evaluation] = report.evaluations.as_slice() {
        cells.extend(["mean", "95 % interval"].map(str::to_owned));
        if has_bounds(evaluation) {
            cells.extend(["at worst", "at best"].map(str::to_owned));
        }
    } else {
        cells.extend(report.evaluations.iter().map(|evaluation| evaluation.system.clone()));
    }
    cells
}

/// Whether it matters what the unscored examples would have scored.
fn has_bounds(evaluation: &EvaluationReport) -> bool {
    evaluation
        .summaries
        .iter()
        .any(|summary| summary.estimate.unscored > 0 && summary.estimate.mean_worst.is_some())
}

/// n, unscored, and for each system the mean with its interval.
fn numbers(
    report: &Report,
    name: String,
    find: impl Fn(&EvaluationReport) -> Option<Summary>,
) -> Vec<String> {
    let found: Vec<Option<Summary>> = report.evaluations.iter().map(find).collect();
    let found: Vec<Option<&Summary>> = found.iter().map(Option::as_ref).collect();
    let n = each(&found, |summary| summary.estimate.n);
    let unscored = each(&found, |summary| summary.estimate.unscored);
    let mut cells = vec![name, n, unscored];
    let single = found.len() == 1;
    for summary in found {
        let estimate = summary.map(|summary| &summary.estimate);
        let mean = estimate.and_then(|estimate| estimate.mean).map(number);
        let interval = estimate.and_then(|estimate| estimate.interval.as_ref());
        let interval = interval
            .map(|interval| format!("{} to {}", number(interval.low), number(interval.high)));
        if single {
            cells.push(mean.unwrap_or_else(|| "-".to_owned()));
            cells.push(interval.unwrap_or_default());
            if has_bounds(&report.evaluations[0]) {
                let bounds = estimate.map(|estimate| [estimate.mean_worst, estimate.mean_best]);
                let bound = |bound: Option<f64>| bound.map(number).unwrap_or_default();
                cells.extend(bounds.unwrap_or_default().map(bound));
            }
        } else {
            cells.push(match (mean, interval) {
                (Some(mean), Some(interval)) => format!("{mean} ({interval})"),
                (Some(mean), None) => mean,
                (None, _) => "-".to_owned(),
            });
        }
    }
    cells
}

/// One number where it is the same for all systems, else all of them.
fn each(found: &[Option<&Summary>], number: fn(&Summary) -> u64) -> String {
    let numbers: Vec<u64> = found.iter().flatten().map(|summary| number(summary)).collect();
    match numbers.as_slice() {
        [] => String::new(),
        [first, rest @ ..] if rest.iter().all(|number| number == first) => first.to_string(),
        all => all.iter().map(u64::to_string).collect::<Vec<_>>().join("/"),
    }
}

pub(crate) fn number(value: f64) -> String {
    format!("{value:.4}")
}

/// A number with its noun.
pub(crate) fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn share_cells(k: u64, n: u64) -> [String; 2] {
    match share(k, n) {
        Some((share, interval)) => {
            [percent(share), format!("{} to {}", percent(interval.low), percent(interval.high))]
        }
        None => ["-".to_owned(), String::new()],
    }
}

/// The slices with most errors, where there are enough to speak of.
fn worst_slices(diagnosis: &DiagnosisReport) -> Vec<&crate::SliceCounts> {
    let mut slices: Vec<&crate::SliceCounts> = diagnosis
        .slices
        .iter()
        .filter(|slice| {
            let errors = slice.counts.errors();
            // A slice that holds nearly everything says nothing that the whole does not say.
            errors >= WORTH_NAMING && slice.counts.total() * 2 < diagnosis.counts.total()
        })
        .collect();
    slices.sort_by_key(|slice| std::cmp::Reverse(slice.counts.errors()));
    slices.truncate(NAMED);
    slices
}
