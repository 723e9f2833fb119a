//! A comparison for people.

use std::fmt::Write as _;

use qeval_core::{Interval, Stage, stats::NonInferiority};

use super::{
    ChangedExample, ChangedExamples, ComparedMetric, ComparedPair, ComparisonReport, Correction,
    verdict::{self, p_value, title},
};
use crate::{
    short::short,
    table::Table,
    terminal::{bold, count, heading, number},
};

/// Slices below which nobody is warned of reading many of them.
const MANY_SLICES: usize = 5;

/// Characters of a text that are shown.
const SHOWN: usize = 160;

pub(super) fn render(report: &ComparisonReport, color: bool) -> String {
    let mut text = String::new();
    let bold = |title: &str| bold(title, color);
    text += &bold(&format!("Comparison on {}", shared(report)));
    text += &systems(report);
    for overridden in &report.overridden {
        let _ = writeln!(text, "  compared nevertheless: {overridden}");
    }
    let sentences = verdict::sentences(report);
    if !sentences.is_empty() {
        text.push('\n');
        for sentence in sentences {
            let _ = writeln!(text, "{sentence}");
        }
    }
    text.push('\n');
    let whole: Vec<&ComparedMetric> =
        report.metrics.iter().filter(|metric| metric.slice.is_none()).collect();
    text += &tables(report, &whole);
    let sliced: Vec<&ComparedMetric> =
        report.metrics.iter().filter(|metric| metric.slice.is_some()).collect();
    if !sliced.is_empty() {
        text.push('\n');
        text += &bold("By slice");
        if sliced.len() > MANY_SLICES {
            let _ = writeln!(
                text,
                "  {} numbers by slice are read here: some look remarkable by chance. The correction \
                 counts them; a slice that was chosen after reading them does not count as found.",
                sliced.len()
            );
        }
        text += &tables(report, &sliced);
    }
    for changed in &report.changed {
        text.push('\n');
        text += &bold(&format!(
            "Changed most on {} from `{}` to `{}`",
            changed.metric, report.systems[changed.first].name, report.systems[changed.second].name
        ));
        text += &examples(changed);
    }
    let legend = legend(report);
    if !(legend.is_empty() && report.notes.is_empty()) {
        text.push('\n');
        for note in legend.iter().chain(&report.notes) {
            let _ = writeln!(text, "{note}");
        }
    }
    text
}

fn shared(report: &ComparisonReport) -> String {
    let examples = count(report.shared, "example");
    let complete = report.systems.iter().all(|system| system.examples == report.shared);
    let mut text = if complete { examples } else { format!("{examples} that all have") };
    if let Some(groups) = report.groups {
        let _ = write!(text, ", in {} that are the independent units", count(groups, "group"));
    }
    text
}

fn systems(report: &ComparisonReport) -> String {
    let mut table = Table::default();
    for system in &report.systems {
        let others = system.examples - report.shared;
        let partly = if others > 0 { format!("{others} not shared") } else { String::new() };
        table.row(vec![
            system.name.clone(),
            system.evaluation.clone(),
            count(system.examples, "example"),
            partly,
        ]);
    }
    table.render()
}

fn tables(report: &ComparisonReport, metrics: &[&ComparedMetric]) -> String {
    let mut text = String::new();
    if report.systems.len() > 2 {
        text += &means(report, metrics);
        text.push('\n');
    }
    text + &pairs(report, metrics)
}

/// The means of several systems with their letters, a column for each metric.
fn means(report: &ComparisonReport, metrics: &[&ComparedMetric]) -> String {
    let mut table = Table::default();
    let mut stage = None;
    for metric in metrics {
        if stage != Some(metric.stage) {
            stage = Some(metric.stage);
            table.heading(heading(metric.stage));
        }
        table.heading(format!("  {} (n {})", name(metric), metric.n));
        if let Some(without) = &metric.without {
            table.heading(format!("    no test: {without}"));
        }
        for (place, mean) in metric.means.iter().enumerate() {
            let letters = metric.letters.get(place).cloned().unwrap_or_default();
            let system = format!("    {}", report.systems[place].name);
            table.row(vec![system, number(*mean), format!("{letters:<4}")]);
        }
    }
    table.render()
}

/// A line for each pair of systems and metric.
fn pairs(report: &ComparisonReport, metrics: &[&ComparedMetric]) -> String {
    let two = report.systems.len() == 2;
    let mut table = Table::default();
    let mut header: Vec<String> = vec![String::new()];
    if two {
        header.push("n".to_owned());
        header.extend(report.systems.iter().map(|system| system.name.clone()));
    }
    header.extend(["difference", "95 % interval", "p"].map(str::to_owned));
    header.extend(report.correction.heading().map(str::to_owned));
    header.extend(["better", "same", "worse", "effect", "detectable", "needed"].map(str::to_owned));
    if report.margin.is_some() {
        header.push("no worse".to_owned());
    }
    table.row(header);
    let mut stage: Option<Stage> = None;
    for metric in metrics {
        if stage != Some(metric.stage) && two {
            stage = Some(metric.stage);
            table.heading(heading(metric.stage));
        }
        if !two {
            table.heading(name(metric));
        }
        if let Some(without) = metric.without.as_ref().filter(|_| two) {
            table.heading(format!("  {}: no test, {without}", name(metric)));
        }
        for pair in &metric.pairs {
            table.row(line(report, metric, pair));
        }
    }
    table.render()
}

fn line(report: &ComparisonReport, metric: &ComparedMetric, pair: &ComparedPair) -> Vec<String> {
    let comparison = &pair.comparison;
    let change = &comparison.change;
    let mut cells = if report.systems.len() == 2 {
        let mut cells = vec![format!("  {}", name(metric)), metric.n.to_string()];
        cells.extend([change.before, change.after].map(number));
        cells
    } else {
        let (first, second) = (&report.systems[pair.first], &report.systems[pair.second]);
        vec![format!("  {} - {}", second.name, first.name)]
    };
    cells.push(format!("{:+.4}", change.difference()));
    let ends = |interval: Interval| format!("{:+.4} to {:+.4}", interval.low, interval.high);
    cells.push(change.interval.map_or_else(|| "-".to_owned(), ends));
    cells.push(p_value(comparison.permutation.p));
    if report.correction != Correction::None {
        cells.push(p_value(pair.p));
    }
    cells.extend(match comparison.outcomes {
        Some(outcomes) => {
            [outcomes.wins, outcomes.ties, outcomes.losses].map(|count| count.to_string())
        }
        None => ["", "", ""].map(str::to_owned),
    });
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    cells.push(or_none(comparison.effect_size.map(|effect| format!("{effect:+.2}"))));
    cells.push(or_none(change.detectable.map(number)));
    cells.push(or_none(comparison.needed.map(|needed| needed.to_string())));
    if let Some(found) = pair.non_inferior {
        cells.push(
            match found {
                NonInferiority::Yes => "yes",
                NonInferiority::No => "no",
                NonInferiority::Undecided => "undecided",
            }
            .to_owned(),
        );
    }
    cells
}

fn name(metric: &ComparedMetric) -> String {
    match &metric.slice {
        None => title(metric),
        Some((slice, Some(value))) => format!("{}, {slice} = {value}", title(metric)),
        Some((slice, None)) => format!("{}, without {slice}", title(metric)),
    }
}

fn examples(changed: &ChangedExamples) -> String {
    let mut text = String::new();
    for example in &changed.examples {
        let ChangedExample { id, dataset, scores: [before, after], .. } = example;
        let dataset = dataset.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let _ = writeln!(text, "  {id}{dataset}: {} -> {}", number(*before), number(*after));
        let mut shown = |label: &str, content: &str| {
            let _ = writeln!(text, "    {label:<11}{}", short(content, SHOWN));
        };
        if let Some(question) = &example.question {
            shown("question", question);
        }
        if !example.references.is_empty() {
            shown("references", &example.references.join(" | "));
        }
        for (answer, label) in example.answers.iter().zip(["before", "after"]) {
            if let Some(answer) = answer {
                shown(label, if answer.is_empty() { "(no answer)" } else { answer });
            }
        }
    }
    text
}

/// What the columns mean, as far as they are there.
fn legend(report: &ComparisonReport) -> Vec<String> {
    let pairs = || report.metrics.iter().flat_map(|metric| &metric.pairs);
    if pairs().next().is_none() {
        return Vec::new();
    }
    let drawn = pairs().filter(|pair| !pair.comparison.permutation.exact).count();
    let test = if drawn == 0 { "exact" } else { "by random signs where not exact" };
    let unit = if report.groups.is_some() { "groups" } else { "examples" };
    let mut legend = vec![format!(
        "p: paired randomisation test, two-sided, {test}. effect: difference in standard deviations of \
         paired differences. detectable: the smallest difference that is seen with a probability of \
         80 %. needed: {unit} that would show a difference as large as this one."
    )];
    match report.correction {
        Correction::Holm => legend.push(format!(
            "p (Holm): corrected for the {} of this page in which anything differs; a smaller page (-m) \
             corrects less.",
            count(report.hypotheses, "comparison")
        )),
        Correction::Tukey => legend.push(
            "p (Tukey): corrected for the pairs of systems of one metric, not for several metrics."
                .to_owned(),
        ),
        Correction::None => {}
    }
    if report.systems.len() > 2 {
        legend.push("Systems that share a letter are not told apart.".to_owned());
    }
    if let Some(margin) = report.margin {
        legend.push(format!(
            "no worse: whether the 95 % interval leaves out that the second system is worse by more \
             than {margin}."
        ));
    }
    legend
}
