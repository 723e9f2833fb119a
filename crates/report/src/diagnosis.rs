//! Where errors come from, in full: causes, gains, passages, examples, and what nobody can tell.

mod json;
mod terminal;

use std::fmt::Write as _;

use qeval_core::{
    Interval,
    diagnosis::{Cause, Counts, Gain, Gains},
    stats::Change,
};

use crate::{
    Format, SliceCounts,
    verdict::{percent, verdict_with},
};

/// The diagnosis of one evaluation.
#[derive(Clone, Debug, Default)]
pub struct FullDiagnosis {
    /// Id of the evaluation.
    pub evaluation: String,
    /// Its label.
    pub label: String,
    /// Its system.
    pub system: String,
    /// The metric that says when an answer is right; `None` where nothing was diagnosed.
    pub right: Option<(String, f64)>,
    /// How many examples have which cause.
    pub counts: Counts,
    /// The causes that occur, with the interval of their share among all examples.
    pub shares: Vec<CauseShare>,
    /// Interval of the share that the main cause has of all errors.
    pub main_share: Option<Interval>,
    /// The second cause, where a coin could have put it behind the first.
    pub rival: Option<Cause>,
    /// Dialogs or documents, where they are the independent units.
    pub groups: Option<u64>,
    /// What perfect parts would gain.
    pub gains: Gains,
    /// How many examples have their evidence among the first passages.
    pub passages: Option<PassageCurve>,
    /// The same system with other numbers of passages.
    pub settings: Vec<PassageSetting>,
    /// By slice, where that is asked for.
    pub slices: Vec<SliceCounts>,
    /// Some examples of each cause of a wrong answer.
    pub examples: Vec<CauseExamples>,
    /// What cannot be told, and what would tell it.
    pub hints: Vec<Hint>,
}

/// A cause and its share.
#[derive(Clone, Copy, Debug)]
pub struct CauseShare {
    /// The cause.
    pub cause: Cause,
    /// How many examples have it.
    pub n: u64,
    /// Interval of the share among all examples.
    pub interval: Option<Interval>,
}

/// How far down the evidence is found.
#[derive(Clone, Debug, Default)]
pub struct PassageCurve {
    /// Examples with evidence to find.
    pub n: u64,
    /// How many passages the reader was shown; `None` where nobody knows.
    pub shown: Option<u64>,
    /// Whether the hits are those of a retriever that the reader was not run on.
    pub unread: bool,
    /// The share with evidence among the first passages, for some numbers of them.
    pub points: Vec<CurvePoint>,
}

/// The share at one number of passages.
#[derive(Clone, Copy, Debug)]
pub struct CurvePoint {
    /// The number of passages.
    pub k: u32,
    /// The share of examples with evidence among them.
    pub share: f64,
    /// What this step gained over the one before, with its interval; `None` for the first.
    pub step: Option<Change>,
}

impl PassageCurve {
    /// The number of passages after which more do not help: the interval of no later step leaves 0 out.
    /// `None` where there is no step.
    pub fn enough(&self) -> Option<u32> {
        if self.points.len() < 2 {
            return None;
        }
        let helps = |point: &CurvePoint| point.step.as_ref().is_none_or(Change::is_decided);
        self.points.iter().rev().find(|point| helps(point)).map(|point| point.k)
    }
}

/// One evaluation of the same system with another number of passages.
#[derive(Clone, Debug, Default)]
pub struct PassageSetting {
    /// Id of the evaluation.
    pub evaluation: String,
    /// How many passages the reader was shown.
    pub passages: u64,
    /// The share of right answers; `None` where nothing was diagnosed.
    pub right: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// From the setting with fewer passages to this one, on the examples of both; `None` for the first.
    pub step: Option<Change>,
}

impl PassageSetting {
    /// The number of passages after which more do not help: the interval of no later step leaves 0 out.
    pub fn enough(settings: &[Self]) -> Option<u64> {
        if settings.len() < 2 {
            return None;
        }
        let helps = |setting: &&Self| setting.step.as_ref().is_none_or(Change::is_decided);
        settings.iter().rev().find(helps).map(|setting| setting.passages)
    }
}

/// Some examples of one cause.
#[derive(Clone, Debug)]
pub struct CauseExamples {
    /// The cause.
    pub cause: Cause,
    /// How many there are in all.
    pub n: u64,
    /// Some of them, drawn by lot.
    pub examples: Vec<DiagnosedExample>,
}

/// One example with all that its cause rests on.
#[derive(Clone, Debug, Default)]
pub struct DiagnosedExample {
    /// Its id.
    pub id: String,
    /// Its dataset, where there are several.
    pub dataset: Option<String>,
    /// What was asked.
    pub question: Option<String>,
    /// The acceptable answers.
    pub references: Vec<String>,
    /// What was answered; `None` for no prediction.
    pub answer: Option<String>,
    /// What was answered on the gold passages alone.
    pub isolated: Option<String>,
    /// The gold passages.
    pub gold: Vec<String>,
    /// The passages that the reader saw.
    pub seen: Vec<SeenPassage>,
}

/// A passage that the reader saw.
#[derive(Clone, Debug, Default)]
pub struct SeenPassage {
    /// Its id.
    pub id: String,
    /// Whether it is evidence.
    pub gold: bool,
    /// Its text around the answer, which is in brackets; `None` where the corpus is not at hand.
    pub snippet: Option<String>,
    /// Whether the answer stands in it; `None` where the corpus is not at hand.
    pub answers: Option<bool>,
}

/// What cannot be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// What that is, as a sentence.
    pub unknown: String,
    /// The lines of the file that would tell it.
    pub lines: Vec<String>,
}

impl FullDiagnosis {
    /// The diagnosis in one sentence, with the numbers that it rests on.
    pub fn verdict(&self) -> String {
        if self.right.is_none() {
            return "nothing was diagnosed".to_owned();
        }
        let mut text = verdict_with(&self.counts, self.main_share);
        if let Some(second) = self.rival {
            let _ = write!(
                text,
                "; `{}` is not clearly behind, and no cause is clearly ahead",
                second.name()
            );
        }
        let gain = |gain: Option<Gain>| match gain? {
            Gain::Known(change) => Some(format!("{:+.1} points", change.difference() * 100.0)),
            Gain::Between(low, high) => {
                Some(format!("{:.1} to {:.1} points", low * 100.0, high * 100.0))
            }
        };
        match (gain(self.gains.retrieval), gain(self.gains.reading)) {
            (Some(retrieval), Some(reading)) => {
                let _ = write!(
                    text,
                    "; perfect retrieval would gain {retrieval} of right answers, perfect reading \
                     {reading}"
                );
            }
            (None, Some(reading)) => {
                let _ = write!(text, "; perfect reading would gain {reading} of right answers");
            }
            _ => {}
        }
        text
    }
}

/// The diagnosis as text, with a final newline.
pub fn render_diagnosis(diagnosis: &FullDiagnosis, format: Format) -> String {
    match format {
        Format::Terminal { color } => terminal::render(diagnosis, color),
        Format::Json => json::render(diagnosis),
    }
}

/// A share with its interval.
fn share_text(share: f64, interval: Option<Interval>) -> String {
    let interval = interval.map_or_else(String::new, |interval| {
        format!(", 95 % interval {} to {}", percent(interval.low), percent(interval.high))
    });
    format!("{}{interval}", percent(share))
}
