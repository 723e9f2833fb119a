//! A diagnosis for people.

use std::fmt::Write as _;

use qeval_core::diagnosis::{Cause, Gain};

use super::{CauseExamples, FullDiagnosis, PassageCurve, PassageSetting, share_text};
use crate::{
    short::short,
    table::Table,
    terminal::{bold, count},
    verdict::percent,
};

/// Characters of a text that are shown.
const SHOWN: usize = 200;

pub(super) fn render(diagnosis: &FullDiagnosis, color: bool) -> String {
    let mut page = Page { text: String::new(), color };
    page.title(&format!("Diagnosis of {}:{}", diagnosis.label, diagnosis.system));
    if let Some((metric, least)) = &diagnosis.right {
        page.line(&format!("an answer is right when {metric} >= {least}"));
        if let Some(groups) = diagnosis.groups {
            let groups = count(groups, "group");
            page.line(&format!("{groups} of examples are the independent units of all intervals"));
        }
        page.line("");
        page.line(&diagnosis.verdict());
        page.title("\ncauses");
        page.text += &causes(diagnosis);
        page.title("\nwhat perfect parts would gain");
        page.text += &gains(diagnosis);
    }
    if let Some(curve) = &diagnosis.passages {
        page.title("\npassages");
        page.text += &passages(curve);
    }
    if !diagnosis.settings.is_empty() {
        page.title("\nright answers by number of passages");
        page.text += &settings(diagnosis);
    }
    if !diagnosis.slices.is_empty() {
        page.title("\nby slice");
        page.text += &slices(diagnosis);
    }
    for examples in &diagnosis.examples {
        let shown = examples.examples.len();
        let title = format!("\n{}: {shown} of {}", examples.cause.name(), examples.n);
        page.title(&title);
        page.text += &of_cause(examples);
    }
    if !diagnosis.hints.is_empty() {
        page.title("\nwhat this evaluation cannot tell");
        for hint in &diagnosis.hints {
            page.line(&hint.unknown);
            hint.lines.iter().for_each(|line| page.line(&format!("    {line}")));
        }
    }
    page.text
}

struct Page {
    text: String,
    color: bool,
}

impl Page {
    fn title(&mut self, title: &str) {
        let bare = title.trim_start_matches('\n');
        self.text += &title[..title.len() - bare.len()];
        self.text += &bold(bare, self.color);
    }

    fn line(&mut self, line: &str) {
        let line = format!("  {line}");
        let _ = writeln!(self.text, "{}", line.trim_end());
    }
}

fn causes(diagnosis: &FullDiagnosis) -> String {
    let mut table = Table::default();
    let header = ["", "n", "share", "95 % interval"];
    table.row(header.map(str::to_owned).to_vec());
    let total = diagnosis.counts.total();
    for share in &diagnosis.shares {
        let interval = share.interval.map_or_else(String::new, |interval| {
            format!("{} to {}", percent(interval.low), percent(interval.high))
        });
        let part = share.n as f64 / total as f64;
        let name = share.cause.name().to_owned();
        table.row(vec![name, share.n.to_string(), percent(part), interval]);
    }
    table.render()
}

fn gains(diagnosis: &FullDiagnosis) -> String {
    let gain = |gain: &Gain| match gain {
        Gain::Known(change) => {
            let interval = change.interval.map_or_else(String::new, |interval| {
                format!(
                    ", 95 % interval {:+.1} to {:+.1}",
                    interval.low * 100.0,
                    interval.high * 100.0
                )
            });
            format!(
                "{} of answers right become {}: {:+.1} points{interval}",
                percent(change.before),
                percent(change.after),
                change.difference() * 100.0
            )
        }
        Gain::Between(low, high) => format!(
            "{:.1} to {:.1} points: no answer on the gold passages alone says more",
            low * 100.0,
            high * 100.0
        ),
    };
    let mut text = String::new();
    let nothing = "unknown: nobody knows what the reader saw";
    for (name, found) in
        [("retrieval", &diagnosis.gains.retrieval), ("reading", &diagnosis.gains.reading)]
    {
        let found = found.as_ref().map_or_else(|| nothing.to_owned(), gain);
        let _ = writeln!(text, "  perfect {name:<10} {found}");
    }
    if diagnosis.gains.unknown > 0 {
        let unknown = count(diagnosis.gains.unknown, "question");
        let _ = writeln!(
            text,
            "  {unknown} with an answer but none on the gold passages: taken to stay as they are"
        );
    }
    text
}

fn passages(curve: &PassageCurve) -> String {
    let mut table = Table::default();
    table
        .row(["k", "evidence in the first k", "step", "95 % interval"].map(str::to_owned).to_vec());
    for point in &curve.points {
        let step = point.step.as_ref();
        let interval = step.and_then(|step| step.interval).map_or_else(String::new, |interval| {
            format!("{:+.1} to {:+.1}", interval.low * 100.0, interval.high * 100.0)
        });
        table.row(vec![
            point.k.to_string(),
            percent(point.share),
            step.map_or_else(String::new, |step| format!("{:+.1}", step.difference() * 100.0)),
            interval,
        ]);
    }
    let mut text = table.render();
    if let Some(enough) = curve.enough() {
        let shown = match curve.shown {
            Some(shown) => format!("; the reader was shown {shown}"),
            None if curve.unread => "; the reader was not run on these hits".to_owned(),
            None => String::new(),
        };
        let _ = writeln!(
            text,
            "  more than {} bring no evidence that can be told from chance{shown}",
            count(enough.into(), "passage")
        );
    }
    text
}

fn settings(diagnosis: &FullDiagnosis) -> String {
    let mut table = Table::default();
    let header = ["", "passages", "right", "step", "95 % interval"];
    table.row(header.map(str::to_owned).to_vec());
    for setting in &diagnosis.settings {
        let right = setting
            .right
            .map_or_else(|| "-".to_owned(), |share| share_text(share, setting.interval));
        let mut row = vec![setting.evaluation.clone(), setting.passages.to_string(), right];
        if let Some(step) = &setting.step {
            row.push(format!("{:+.1}", step.difference() * 100.0));
            row.extend(step.interval.map(|interval| {
                format!("{:+.1} to {:+.1}", interval.low * 100.0, interval.high * 100.0)
            }));
        }
        table.row(row);
    }
    let mut text = table.render();
    if let Some(enough) = PassageSetting::enough(&diagnosis.settings) {
        let enough = count(enough, "passage");
        let _ = writeln!(text, "  after {enough} no step can be told from chance");
    }
    text
}

fn slices(diagnosis: &FullDiagnosis) -> String {
    let mut table = Table::default();
    table.row(["", "wrong", "of", "most of them"].map(str::to_owned).to_vec());
    for slice in &diagnosis.slices {
        let value = slice.value.as_deref().unwrap_or("(none)");
        let main = slice.counts.main_cause();
        table.row(vec![
            format!("{} = {value}", slice.slice),
            slice.counts.errors().to_string(),
            slice.counts.total().to_string(),
            main.map_or_else(String::new, |(cause, n)| format!("{n} {}", cause.name())),
        ]);
    }
    table.render()
}

fn of_cause(examples: &CauseExamples) -> String {
    let mut text = String::new();
    for example in &examples.examples {
        let dataset =
            example.dataset.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let _ = writeln!(text, "  {}{dataset}", example.id);
        let mut shown = |label: &str, content: &str| {
            let _ = writeln!(text, "    {label:<10} {}", short(content, SHOWN));
        };
        if let Some(question) = &example.question {
            shown("question", question);
        }
        let references = match example.references.as_slice() {
            [] => "(the question has no answer)".to_owned(),
            references => references.join(" | "),
        };
        shown("references", &references);
        let answer = example.answer.as_deref();
        shown(
            "answer",
            answer.map_or("(no prediction)", |a| if a.is_empty() { "(none)" } else { a }),
        );
        if let Some(isolated) = &example.isolated {
            shown("isolated", if isolated.is_empty() { "(none)" } else { isolated });
        }
        if !example.gold.is_empty() {
            shown("gold", &example.gold.join(", "));
        }
        if !example.seen.is_empty() {
            let name = |passage: &super::SeenPassage| {
                if passage.gold { format!("{} (gold)", passage.id) } else { passage.id.clone() }
            };
            let names: Vec<String> = example.seen.iter().map(name).collect();
            shown("saw", &names.join(", "));
        }
        // Where the answer was taken from says most of a wrong source; else the evidence does.
        let sources = [Cause::StaleSource, Cause::WrongSource, Cause::StaleOrWrongSource];
        let telling = |passage: &&super::SeenPassage| {
            if sources.contains(&examples.cause) {
                passage.answers == Some(true)
            } else {
                passage.gold
            }
        };
        for passage in example.seen.iter().filter(telling) {
            if let Some(snippet) = &passage.snippet {
                shown(&passage.id, snippet);
            }
        }
    }
    text
}
