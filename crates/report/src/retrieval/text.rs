//! The same as text.

use std::fmt::Write as _;

use qeval_core::retrieved::shown_depths;

use super::{
    CopyReport, CoverageReport, DOCUMENTS_FOUND, DisagreementReport, Found, GroupRecall,
    PassageExample, RetrievalReport, SliceRecall, UnfoundReport, WithAnswer,
};
use crate::{
    table::Table,
    terminal::{count, number},
    verdict::percent,
};

/// The parts of the report with their titles; those without content are left out.
pub(crate) fn render(report: &RetrievalReport) -> Vec<(&'static str, String)> {
    let parts = [
        ("recall by depth", curves(report)),
        (
            "relevant passages and the answer",
            report.disagreement.as_ref().map(disagreement).unwrap_or_default(),
        ),
        ("recall by group", groups(report)),
        ("hits and corpus", hits(report)),
    ];
    parts.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

fn curves(report: &RetrievalReport) -> String {
    if report.curves.is_empty() {
        return String::new();
    }
    let depths = shown_depths(report.depth);
    let mut table = Table::default();
    let mut header = vec!["k".to_owned(), "n".to_owned()];
    header.extend(depths.iter().map(usize::to_string));
    table.row(header);
    for curve in &report.curves {
        let mut row = vec![format!("{}@k", curve.measure), curve.n.to_string()];
        let points = depths.iter().map(|&depth| curve.points.get(depth - 1));
        row.extend(points.map(|point| point.map_or_else(|| "-".to_owned(), |&p| number(p))));
        table.row(row);
    }
    table.render()
}

fn disagreement(found: &DisagreementReport) -> String {
    let mut table = Table::default();
    table.row(["", "with the answer", "without"].map(str::to_owned).to_vec());
    for (name, cells) in [
        ("relevant, retrieved", found.retrieved),
        ("relevant, not retrieved", found.missed),
        ("judged not relevant", found.not_relevant),
        ("unjudged", found.unjudged),
    ] {
        let WithAnswer { with, without } = cells;
        if with + without > 0 {
            table.row(vec![name.to_owned(), with.to_string(), without.to_string()]);
        }
    }
    let mut text = table.render();
    let unjudged = found.unjudged.with;
    if unjudged > 0 {
        let of = count(found.unjudged_questions, "question");
        let (has, likely) = match unjudged {
            1 => ("has", "a missing judgment"),
            _ => ("have", "missing judgments"),
        };
        let _ = writeln!(
            text,
            "  {} of {of} {has} the answer: likely {likely}{}",
            count(unjudged, "unjudged hit"),
            examples(&found.unjudged_with, unjudged),
        );
    }
    let refused = found.not_relevant.with;
    if refused > 0 {
        let _ = writeln!(
            text,
            "  {} with the answer {} judged not relevant: the words stand there by chance, or the \
             judgment is wrong{}",
            count(refused, "hit"),
            if refused == 1 { "is" } else { "are" },
            examples(&found.not_relevant_with, refused),
        );
    }
    let lacking = found.retrieved.without + found.missed.without;
    if lacking > 0 {
        let _ = writeln!(
            text,
            "  {} without the answer: it is said in other words, or the judgment or a reference is \
             wrong{}",
            count(lacking, "relevant passage"),
            examples(&found.relevant_without, lacking),
        );
    }
    text
}

/// A few passages in brackets.
fn examples(examples: &[PassageExample], of: u64) -> String {
    if examples.is_empty() {
        return String::new();
    }
    let example = |example: &PassageExample| {
        let rank = example.rank.map(|rank| format!(" at rank {rank}")).unwrap_or_default();
        format!("{}: {}{rank}", example.example_id, example.passage_id)
    };
    let named: Vec<String> = examples.iter().map(example).collect();
    let more = if of > examples.len() as u64 { "; ..." } else { "" };
    format!(" ({}{more})", named.join("; "))
}

fn groups(report: &RetrievalReport) -> String {
    let mut text = slices(report);
    for (name, groups) in [
        ("length of the relevant passage in words", &report.lengths),
        ("place of the answer in the relevant passage", &report.places),
    ] {
        text.push_str(&passages(name, groups, &report.depths));
    }
    if let Some(without) = report.without_text.filter(|&without| without > 0) {
        let _ = writeln!(
            text,
            "  {} {} not in the corpus, and so in no group by length or place",
            count(without, "relevant passage"),
            if without == 1 { "is" } else { "are" },
        );
    }
    text
}

fn slices(report: &RetrievalReport) -> String {
    type Measure = (&'static str, fn(&SliceRecall) -> &Found);
    let recall = if report.documents { DOCUMENTS_FOUND } else { "Recall" };
    let measures: [Measure; 2] =
        [(recall, |slice| &slice.recall), ("AnswerRecall", |slice| &slice.answer_recall)];
    let known = |(_, of): &Measure| report.slices.iter().any(|slice| of(slice).n > 0);
    let measures: Vec<Measure> = measures.into_iter().filter(known).collect();
    let mut names: Vec<&str> = Vec::new();
    for slice in &report.slices {
        if !names.contains(&slice.slice.as_str()) {
            names.push(&slice.slice);
        }
    }
    let mut text = String::new();
    // One value alone says what the whole says.
    let several = |name: &&str| report.slices.iter().filter(|s| s.slice == **name).count() > 1;
    for name in names.into_iter().filter(|name| !measures.is_empty() && several(name)) {
        let mut table = Table::default();
        let mut header = vec![name.to_owned()];
        for (measure, _) in &measures {
            header.push("n".to_owned());
            header.extend(report.depths.iter().map(|depth| format!("{measure}@{depth}")));
        }
        table.row(header);
        for slice in report.slices.iter().filter(|slice| slice.slice == name) {
            let mut row = vec![slice.value.as_deref().unwrap_or("(none)").to_owned()];
            for (_, of) in &measures {
                row.extend(cells(of(slice), report.depths.len(), number));
            }
            table.row(row);
        }
        text.push_str(&table.render());
    }
    text
}

fn passages(name: &str, groups: &[GroupRecall], depths: &[usize]) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    let mut header = vec![name.to_owned(), "passages".to_owned()];
    header.extend(depths.iter().map(|depth| format!("in the first {depth}")));
    table.row(header);
    for group in groups {
        let mut row = vec![group.name.clone()];
        row.extend(cells(&group.found, depths.len(), percent));
        table.row(row);
    }
    table.render()
}

fn cells(found: &Found, depths: usize, show: fn(f64) -> String) -> Vec<String> {
    let shares = (0..depths).map(|place| found.shares.get(place));
    let shares = shares.map(|share| share.map_or_else(|| "-".to_owned(), |&share| show(share)));
    [found.n.to_string()].into_iter().chain(shares).collect()
}

fn hits(report: &RetrievalReport) -> String {
    let mut text = String::new();
    if let Some(copies) = &report.copies {
        copies_text(copies, report.questions, &mut text);
    }
    if let Some(coverage) = &report.coverage {
        coverage_text(coverage, &report.depths, &mut text);
    }
    text
}

fn copies_text(copies: &CopyReport, questions: u64, text: &mut String) {
    let Some(&(_, _, most)) = copies.within.last() else { return };
    if most == 0 {
        let _ = writeln!(text, "  no hit is a near copy of a better one");
        return;
    }
    let within = copies.within.iter().map(|&(depth, hits, copies)| {
        format!("{copies} of the {hits} {} ({})", first(depth, ""), share(copies, hits))
    });
    let _ = writeln!(
        text,
        "  hits that are near copies of a better one: {}; for {} of {}{}",
        within.collect::<Vec<_>>().join(", "),
        copies.questions,
        count(questions, "question"),
        examples(&copies.examples, most),
    );
}

fn coverage_text(coverage: &CoverageReport, depths: &[usize], text: &mut String) {
    let retrieved = depths.iter().zip(&coverage.retrieved).map(|(depth, &retrieved)| {
        let share = share(retrieved, coverage.passages);
        format!("{retrieved} ({share}) {}", first(*depth, " hits"))
    });
    let _ = writeln!(
        text,
        "  of the {} of the corpus some question retrieves {}",
        count(coverage.passages, "passage"),
        retrieved.collect::<Vec<_>>().join(", "),
    );
    if !coverage.hubs.is_empty() {
        let hub = |hub: &super::Hub| format!("{} ({})", hub.passage_id, hub.questions);
        let hubs: Vec<String> = coverage.hubs.iter().map(hub).collect();
        let _ = writeln!(text, "  retrieved for the most questions: {}", hubs.join(", "));
    }
}

/// `in the first 10 hits`.
fn first(depth: usize, hits: &str) -> String {
    if depth == 1 { "at rank 1".to_owned() } else { format!("in the first {depth}{hits}") }
}

fn share(k: u64, n: u64) -> String {
    if n == 0 { "-".to_owned() } else { percent(k as f64 / n as f64) }
}

/// The questions that no retriever finds, in words.
pub(crate) fn unfound(found: &UnfoundReport) -> String {
    let mut text = String::new();
    let whose = match (found.systems, found.without_hits) {
        (2.., _) => "any system",
        (_, 0) => "the system",
        _ => "the one system that has hits",
    };
    for ((n, unfound), what, hits) in [
        (found.judged, "with relevant passages", "none of them"),
        (found.answerable, "with references alone", "no answer"),
    ] {
        if n > 0 {
            let _ = writeln!(
                text,
                "  {unfound} of {} {what} ({}) {} {hits} among the hits of {whose}",
                count(n, "question"),
                share(unfound, n),
                if unfound == 1 { "has" } else { "have" },
            );
        }
    }
    if found.without_hits > 0 {
        let others = count(found.without_hits, "system");
        let _ = writeln!(text, "  without {others} with no hit for any question");
    }
    if !found.examples.is_empty() {
        let named: Vec<&str> = found.examples.iter().map(|(_, id)| id.as_str()).collect();
        let all = found.judged.1 + found.answerable.1;
        let more = if all > named.len() as u64 { ", ..." } else { "" };
        let _ = writeln!(text, "  {}{more}", named.join(", "));
    }
    text
}
