//! An explanation for people.

use std::fmt::Write as _;

use qeval_core::{
    Stage,
    explain::{SharedWords, Step},
};

use super::{ExampleExplanation, ExplainedHit, ExplainedMetric, ExplainedPart, ExplainedStage};
use crate::{
    short::short,
    table::Table,
    terminal::{bold, count, heading, number},
};

/// Characters of a text that are shown.
const SHOWN: usize = 300;

/// Ranks that are all shown; of those below, only what matters.
const RANKS: usize = 20;

pub(super) fn render(of: &ExampleExplanation, color: bool) -> String {
    let mut page = Page { text: String::new(), color };
    let dataset = of.dataset.as_ref().map(|name| format!(" · {name}")).unwrap_or_default();
    page.title(&format!("{}:{}{dataset} · {}", of.label, of.system, short(&of.example_id, SHOWN)));
    page.fact("question", of.question.as_deref().unwrap_or("(not known)"));
    match of.references.as_deref() {
        None => page.fact("references", "(not known)"),
        Some([]) => page.fact("references", "none: the right answer is no answer"),
        Some(references) => {
            for (index, reference) in references.iter().enumerate() {
                page.fact(if index == 0 { "references" } else { "" }, reference);
            }
        }
    }
    if let Some(group) = &of.group {
        page.fact("group", group);
    }
    for (slice, value) in &of.slices {
        page.fact(slice, value.as_deref().unwrap_or("(none)"));
    }
    if let Some(cause) = &of.cause {
        let evidence = match of.evidence_seen {
            Some(true) => ", evidence seen",
            Some(false) => ", evidence not seen",
            None => "",
        };
        page.fact("cause", &format!("{cause}{evidence}"));
    }
    for stage in &of.stages {
        page.stage(stage, of);
    }
    if let Some(hits) = &of.hits {
        page.hits(hits, &of.missed);
    }
    if !of.notes.is_empty() {
        page.title("\nnotes");
        of.notes.iter().for_each(|note| page.line(1, note));
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

    fn line(&mut self, depth: usize, line: &str) {
        let line = format!("{}{}", "  ".repeat(depth), short(line, SHOWN * 4));
        let _ = writeln!(self.text, "{}", line.trim_end());
    }

    fn fact(&mut self, name: &str, value: &str) {
        self.line(1, &format!("{name:<11} {}", short(value, SHOWN)));
    }

    fn stage(&mut self, stage: &ExplainedStage, of: &ExampleExplanation) {
        self.title(&format!("\n{}", heading(stage.stage)));
        if stage.stage != Stage::Retrieval {
            let answer = match (&stage.answer, stage.abstained) {
                (Some(text), true) if text.is_empty() => "(abstained)".to_owned(),
                (Some(text), true) => format!("(abstained) {text}"),
                (Some(text), false) if text.is_empty() => "(empty)".to_owned(),
                (Some(text), false) => text.clone(),
                (None, true) => "(abstained)".to_owned(),
                (None, false) if of.references.is_none() => "(not known)".to_owned(),
                (None, false) => "(none)".to_owned(),
            };
            self.fact("answer", &answer);
        }
        if let Some(error) = &stage.error {
            self.fact("error", error);
        }
        for metric in &stage.metrics {
            self.metric(metric, of.hits.is_some());
        }
    }

    fn metric(&mut self, metric: &ExplainedMetric, ranks_follow: bool) {
        let score = match (metric.score, &metric.unscored) {
            (Some(score), _) => number(score),
            (None, Some(reason)) => format!("unscored: {reason}"),
            (None, None) => "unscored".to_owned(),
        };
        self.line(1, &format!("{:<14} {score}", metric.name));
        for step in &metric.steps {
            self.step(step, ranks_follow);
        }
        for part in &metric.parts {
            self.part(part);
        }
        if let Some(note) = &metric.note {
            self.line(2, &format!("({note})"));
        }
    }

    fn step(&mut self, step: &Step, ranks_follow: bool) {
        match step {
            Step::Answer { normalised } => {
                self.line(2, &format!("compared as  {}", quoted(normalised)));
            }
            Step::Reference { text, normalised, score, decides, shared } => {
                let score = score.map_or_else(|| "unscored".to_owned(), number);
                let decides = if *decides { "  <- decides" } else { "" };
                let text = quoted(normalised.as_ref().unwrap_or(text));
                self.line(2, &format!("{score}  with {text}{decides}"));
                if let Some(shared) = shared {
                    self.line(4, &words(shared));
                }
            }
            // They are in the table of hits, where there is one.
            Step::Rank { rank, grade, relevant } if !ranks_follow && *rank <= RANKS => {
                let grade = grade.map_or_else(|| "not judged".to_owned(), |g| format!("grade {g}"));
                let relevant = if *relevant { ", relevant" } else { "" };
                self.line(2, &format!("rank {rank}: {grade}{relevant}"));
            }
            Step::Rank { .. } => {}
            Step::Relevant { judged, found, cutoff } => {
                let down_to =
                    cutoff.map_or_else(String::new, |cutoff| format!(" down to rank {cutoff}"));
                self.line(2, &format!("{found} of {judged} relevant passages found{down_to}"));
            }
            Step::Formula { text, value } => {
                self.line(2, &format!("{text} = {}", number(*value)));
            }
            Step::Note(text) => self.line(2, &format!("({text})")),
        }
    }

    fn part(&mut self, part: &ExplainedPart) {
        let ExplainedPart { label, value, text } = part;
        let value = value.map(number);
        let parts: Vec<String> =
            [label, &value, text].into_iter().flatten().map(|part| short(part, SHOWN)).collect();
        self.line(2, &parts.join("  "));
    }

    fn hits(&mut self, hits: &[ExplainedHit], missed: &[ExplainedHit]) {
        self.title("\nwhat was retrieved");
        if hits.is_empty() {
            self.line(1, "nothing");
        }
        let known = |of: fn(&ExplainedHit) -> bool| hits.iter().chain(missed).any(of);
        let (scored, judged) = (known(|hit| hit.score.is_some()), known(|hit| hit.grade.is_some()));
        let (seen, answers) =
            (known(|hit| hit.seen.is_some()), known(|hit| hit.has_answer.is_some()));
        let columns =
            [(scored, "score"), (judged, "grade"), (seen, "seen"), (answers, "has answer")];
        let mut table = Table::default();
        let mut header = vec!["passage".to_owned(), "rank".to_owned()];
        header.extend(columns.iter().filter(|column| column.0).map(|column| column.1.to_owned()));
        table.row(header);
        let yes = |value: Option<bool>| match value {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        };
        let (shown, left): (Vec<&ExplainedHit>, Vec<&ExplainedHit>) =
            hits.iter().chain(missed).partition(|hit| matters(hit));
        for hit in shown {
            let gold = if hit.gold { " *" } else { "" };
            let rank = hit.rank.map_or_else(|| "not found".to_owned(), |rank| rank.to_string());
            let mut row = vec![format!("{}{gold}", short(&hit.passage_id, 60)), rank];
            let cells = [
                hit.score.map_or_else(String::new, number),
                hit.grade.map_or_else(String::new, |grade| grade.to_string()),
                yes(hit.seen).to_owned(),
                yes(hit.has_answer).to_owned(),
            ];
            row.extend(columns.iter().zip(cells).filter(|(c, _)| c.0).map(|(_, cell)| cell));
            table.row(row);
        }
        self.text += &table.render();
        if !left.is_empty() {
            self.line(1, &format!("and {}", count(left.len() as u64, "other passage")));
        }
        if known(|hit| hit.gold) {
            self.line(1, "* holds the answer, as the dataset has it");
        }
        for hit in hits.iter().chain(missed) {
            if let Some(snippet) = &hit.snippet {
                self.line(1, &format!("{}: {}", short(&hit.passage_id, 60), short(snippet, SHOWN)));
            }
        }
    }
}

/// Whether a passage is one of the first, or one that somebody should look at.
fn matters(hit: &ExplainedHit) -> bool {
    let first = hit.rank.is_none_or(|rank| rank as usize <= RANKS);
    let judged = hit.grade.is_some_and(|grade| grade > 0);
    first || judged || hit.gold || hit.seen == Some(true) || hit.snippet.is_some()
}

fn quoted(text: &str) -> String {
    if text.is_empty() { "(nothing)".to_owned() } else { format!("\"{}\"", short(text, SHOWN)) }
}

fn words(SharedWords { words, of_answer, of_reference }: &SharedWords) -> String {
    let which = if words.is_empty() { String::new() } else { format!(": {}", words.join(" ")) };
    let shared = count(words.len() as u64, "word");
    format!("{shared} in common, of {of_answer} and {of_reference}{which}")
}
