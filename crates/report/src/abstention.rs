//! Whether a system knows when to answer: answered or abstained, by answerable or not.

use std::fmt::Write as _;

use qeval_core::{
    Estimate, Stage,
    metrics::abstention::{Decisions, Rate},
};
use serde_json::{Map, Value, json};

use crate::{
    EvaluationReport, Report,
    table::Table,
    terminal::{count, heading},
    verdict::percent,
};

/// What was done with the questions of one stage, of all datasets or of one.
#[derive(Clone, Debug)]
pub struct DecisionReport {
    /// The part of the system.
    pub stage: Stage,
    /// Name of the dataset, where there are several; `None` for all together.
    pub dataset: Option<String>,
    /// The four cells. A missing prediction stands in the wrong one.
    pub decisions: Decisions,
    /// How many of the answerable questions have no prediction.
    pub missing_answerable: u64,
    /// How many of the unanswerable ones.
    pub missing_unanswerable: u64,
    /// Questions that are in no cell, because the reader failed or had nothing to read.
    pub left_out: u64,
    /// The rates that are read from the cells, in the order of [`Rate::ALL`].
    pub rates: Vec<(Rate, Estimate)>,
}

/// The cells without the missing predictions.
struct Cells {
    answered: u64,
    abstained: u64,
    missing: u64,
}

impl Cells {
    fn n(&self) -> u64 {
        self.answered + self.abstained + self.missing
    }
}

impl DecisionReport {
    fn answerable(&self) -> Cells {
        Cells {
            answered: self.decisions.answered_answerable,
            abstained: self.decisions.abstained_answerable - self.missing_answerable,
            missing: self.missing_answerable,
        }
    }

    fn unanswerable(&self) -> Cells {
        Cells {
            answered: self.decisions.answered_unanswerable - self.missing_unanswerable,
            abstained: self.decisions.abstained_unanswerable,
            missing: self.missing_unanswerable,
        }
    }
}

/// The report for people; `None` where there is nothing to show.
pub(crate) fn render(report: &Report) -> Option<String> {
    let blocks = blocks(report);
    if blocks.is_empty() {
        return None;
    }
    let mut text = cells(report, &blocks) + &rates(report, &blocks);
    let missing =
        blocks.iter().flat_map(|block| &block.systems).any(|(_, found)| has_missing(found));
    if missing {
        text.push_str(
            "  a question without a prediction counts as decided wrongly: as an abstention where it \
             has an answer, as answered where it has none\n",
        );
    }
    for block in blocks.iter().filter(|block| block.dataset.is_none()) {
        for (evaluation, found) in block.systems.iter().filter(|(_, found)| found.left_out > 0) {
            let _ = writeln!(
                text,
                "  {}: {} left out ({}), because the reader failed or had nothing to read",
                evaluation.system,
                count(found.left_out, "question"),
                block.stage.name(),
            );
        }
    }
    Some(text)
}

fn has_missing(found: &DecisionReport) -> bool {
    found.missing_answerable + found.missing_unanswerable > 0
}

/// One stage of all systems, on all datasets or one.
struct Block<'a> {
    stage: Stage,
    dataset: Option<&'a str>,
    systems: Vec<(&'a EvaluationReport, &'a DecisionReport)>,
}

impl Block<'_> {
    fn title(&self) -> String {
        match self.dataset {
            None => heading(self.stage).to_owned(),
            Some(dataset) => format!("{}: {dataset}", self.stage.name()),
        }
    }
}

/// The blocks in the order of the stages, each of all datasets first.
fn blocks(report: &Report) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for evaluation in &report.evaluations {
        for found in &evaluation.abstention {
            let (stage, dataset) = (found.stage, found.dataset.as_deref());
            let known = blocks.iter().position(|b| (b.stage, b.dataset) == (stage, dataset));
            let place = known.unwrap_or_else(|| {
                blocks.push(Block { stage, dataset, systems: Vec::new() });
                blocks.len() - 1
            });
            blocks[place].systems.push((evaluation, found));
        }
    }
    // A stage or a dataset without an unanswerable question and an abstention has nothing to show.
    blocks.retain(|block| {
        block.systems.iter().any(|(_, found)| {
            found.decisions.unanswerable() > 0 || found.decisions.abstentions() > 0
        })
    });
    blocks.sort_by_key(|block| block.stage);
    blocks
}

fn cells(report: &Report, blocks: &[Block<'_>]) -> String {
    let missing = |of: fn(&DecisionReport) -> u64| {
        report.evaluations.iter().flat_map(|e| &e.abstention).any(|found| of(found) > 0)
    };
    let answerable = missing(|found| found.missing_answerable);
    let unanswerable = missing(|found| found.missing_unanswerable);
    let mut table = Table::default();
    let mut header = vec![String::new()];
    for (name, missing) in [("answerable", answerable), ("unanswerable", unanswerable)] {
        header.extend([name, "answered", "abstained"].map(str::to_owned));
        header.extend(missing.then(|| "no prediction".to_owned()));
    }
    table.row(header);
    for block in blocks {
        table.heading(block.title());
        for (evaluation, found) in &block.systems {
            let mut row = vec![format!("  {}", evaluation.system)];
            let sides = [(found.answerable(), answerable), (found.unanswerable(), unanswerable)];
            for (cells, missing) in sides {
                let of = |k: u64| share(k, cells.n());
                row.extend([cells.n().to_string(), of(cells.answered), of(cells.abstained)]);
                row.extend(missing.then(|| of(cells.missing)));
            }
            table.row(row);
        }
    }
    table.render()
}

fn share(k: u64, n: u64) -> String {
    if n == 0 { "-".to_owned() } else { format!("{k} ({})", percent(k as f64 / n as f64)) }
}

fn rates(report: &Report, blocks: &[Block<'_>]) -> String {
    let mut table = Table::default();
    let single = report.evaluations.len() == 1;
    let mut header = vec![String::new()];
    if single {
        header.extend(["n", "share", "95 % interval"].map(str::to_owned));
    } else {
        header.extend(report.evaluations.iter().map(|evaluation| evaluation.system.clone()));
    }
    table.row(header);
    for block in blocks {
        table.heading(block.title());
        for rate in Rate::ALL {
            let mut row = vec![format!("  {}", title(rate))];
            let mut known = false;
            for evaluation in &report.evaluations {
                let found = block.systems.iter().find(|(of, _)| std::ptr::eq(*of, evaluation));
                let estimate = found.and_then(|(_, found)| Some((found, estimate(found, rate)?)));
                let (share, interval) = match estimate.and_then(|(_, e)| Some((e.mean?, e))) {
                    Some((mean, estimate)) => {
                        known = true;
                        (percent(mean), interval(estimate))
                    }
                    None => ("-".to_owned(), None),
                };
                if single {
                    let counts = estimate.map(|(found, _)| found.decisions.rate(rate));
                    let counts = counts.map(|(part, whole)| format!("{part} of {whole}"));
                    row.extend([counts.unwrap_or_default(), share, interval.unwrap_or_default()]);
                } else {
                    row.push(match interval {
                        Some(interval) => format!("{share} ({interval})"),
                        None => share,
                    });
                }
            }
            if known {
                table.row(row);
            }
        }
    }
    table.render()
}

fn estimate(found: &DecisionReport, rate: Rate) -> Option<&Estimate> {
    found.rates.iter().find(|(other, _)| *other == rate).map(|(_, estimate)| estimate)
}

fn interval(estimate: &Estimate) -> Option<String> {
    let interval = estimate.interval.as_ref()?;
    Some(format!("{} to {}", percent(interval.low), percent(interval.high)))
}

/// What of what.
fn title(rate: Rate) -> &'static str {
    match rate {
        Rate::Recall => "abstained, of the unanswerable",
        Rate::Precision => "unanswerable, of the abstentions",
        Rate::AnsweredUnanswerable => "answered, of the unanswerable",
        Rate::AbstainedAnswerable => "abstained, of the answerable",
    }
}

/// The same for programs.
pub(crate) fn json(found: &DecisionReport) -> Value {
    let cells = |cells: &Cells| {
        json!({
            "n": cells.n(),
            "answered": cells.answered,
            "abstained": cells.abstained,
            "no_prediction": cells.missing,
        })
    };
    let rates = found.rates.iter().map(|(rate, estimate)| {
        let (part, whole) = found.decisions.rate(*rate);
        let interval = estimate.interval.as_ref();
        let value = json!({
            "count": part,
            "n": whole,
            "share": estimate.mean,
            "ci_low": interval.map(|interval| interval.low),
            "ci_high": interval.map(|interval| interval.high),
            "ci_level": interval.map(|interval| interval.level),
            "ci_method": interval.map(|interval| interval.method),
        });
        (rate.name().to_owned(), value)
    });
    json!({
        "stage": found.stage.name(),
        "dataset": found.dataset,
        "answerable": cells(&found.answerable()),
        "unanswerable": cells(&found.unanswerable()),
        "left_out": found.left_out,
        "rates": Value::Object(rates.collect::<Map<String, Value>>()),
    })
}
