//! What `trec_eval` prints of judgments and a run.

mod files;
mod gains;
mod measures;

use std::{fmt::Write as _, path::Path};

use qeval_core::{Case, Example, JudgedRanking, Ranking, Ties};

use self::{
    files::{Judged, Retrieved},
    measures::{Measure, Value},
};
use super::{OfficialError, Stop, refused};

/// Lowest value in a geometric mean.
const LOWEST: f64 = 0.00001;

/// The versions of trec_eval that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrecVersion {
    /// 9.0.8, whose scores have 32 bits.
    Nine,
    /// 10.0, which rounds otherwise and has more measures.
    Ten,
}

/// The options of trec_eval, by its letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrecOptions {
    /// `-q`: the values of each topic are printed too.
    pub topics: bool,
    /// `-c`: topics that the run lacks count as 0.
    pub complete: bool,
    /// `-l`: the lowest grade that is relevant.
    pub level: u32,
    /// `-M`: how many hits of a topic are kept.
    pub depth: Option<usize>,
    /// `-J`: hits that nobody judged are removed.
    pub judged_only: bool,
    /// `-N`: how many documents there are, for `utility`.
    pub collection: u32,
    /// `-m`: what is printed; nothing asks for `official`.
    pub measures: Vec<String>,
}

impl Default for TrecOptions {
    fn default() -> Self {
        Self {
            topics: false,
            complete: false,
            level: 1,
            depth: None,
            judged_only: false,
            collection: 0,
            measures: Vec::new(),
        }
    }
}

impl TrecVersion {
    /// The names of the scripts.
    pub const NAMES: [&str; 2] = ["trec_eval", "trec_eval10"];

    /// The version that a script of this name is.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "trec_eval" => Some(Self::Nine),
            "trec_eval10" => Some(Self::Ten),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Nine => "trec_eval 9.0.8",
            Self::Ten => "trec_eval 10.0",
        }
    }
}

/// What trec_eval prints.
pub fn trec_eval(
    version: TrecVersion,
    qrels: &Path,
    run: &Path,
    options: &TrecOptions,
) -> Result<String, OfficialError> {
    let name = version.name();
    print(version, qrels, run, options).map_err(|stop| match stop {
        Stop::Refused(reason) => OfficialError::Refused { name, reason },
        Stop::Unreadable(error) => error.into(),
    })
}

fn print(
    version: TrecVersion,
    qrels: &Path,
    run: &Path,
    options: &TrecOptions,
) -> Result<String, Stop> {
    let measures = measures::of(version, options).map_err(refused)?;
    let judged = files::qrels(qrels, version)?;
    let mut retrieved = files::run(run, version)?;
    let mut text = String::new();
    let mut sums = vec![0.0; measures.len()];
    let (mut evaluated, mut missing) = (0_usize, 0_usize);
    for (topic, judgments) in judged.qrels.iter() {
        let Some(hits) = retrieved.topics.remove(topic) else {
            missing += 1;
            // Only the later version says aloud what it counts as 0.
            if options.complete && options.topics && version == TrecVersion::Ten {
                print_missing(&mut text, topic, &measures, judgments.ideal_grades().len());
            }
            continue;
        };
        if judgments.iter().all(|(_, grade)| grade < 0) {
            return Err(refused(format!("every judgment of topic `{topic}` is negative")));
        }
        let mut ranking = Ranking::new(hits, Ties::Docno)
            .map_err(|error| refused(format!("topic `{topic}`: {error}")))?;
        ranking.truncate(options.depth.unwrap_or(usize::MAX));
        let mut ranking = JudgedRanking::new(&ranking, judgments);
        if options.judged_only {
            ranking = ranking.judged_only();
        }
        evaluated += 1;
        for (measure, sum) in measures.iter().zip(&mut sums) {
            add(&mut text, topic, measure, &ranking, sum, options.topics);
        }
    }
    if evaluated == 0 {
        return Err(refused("no topic has both judgments and hits"));
    }
    let averaged = if options.complete { evaluated + missing } else { evaluated };
    let whole = Whole { averaged, evaluated, judged: &judged, retrieved: &retrieved };
    for (measure, sum) in measures.iter().zip(sums) {
        if let Some(value) = whole.value(measure, sum, options) {
            line(&mut text, &measure.name, "all", &value);
        }
    }
    Ok(text)
}

/// Adds the value of one topic to the sum, and to the text if it is asked for.
fn add(
    text: &mut String,
    topic: &str,
    measure: &Measure,
    ranking: &JudgedRanking,
    sum: &mut f64,
    printed: bool,
) {
    let value = match &measure.value {
        Value::Runid | Value::NumQ => return,
        Value::Relstring(length) => {
            if printed {
                line(text, &measure.name, topic, &relstring(ranking, *length));
            }
            return;
        }
        value => value.of(ranking),
    };
    match &measure.value {
        Value::Geometric(_) => *sum += value.max(LOWEST).ln(),
        Value::Count(_) => {
            *sum += value;
            if printed {
                line(text, &measure.name, topic, &format!("{value:.0}"));
            }
        }
        _ => {
            *sum += value;
            if printed {
                line(text, &measure.name, topic, &number(value));
            }
        }
    }
}

fn print_missing(text: &mut String, topic: &str, measures: &[Measure], relevant: usize) {
    for measure in measures {
        let value = match &measure.value {
            Value::Runid | Value::NumQ | Value::Geometric(_) => continue,
            Value::Relstring(_) => "''".to_owned(),
            Value::Count(_) if measure.name == "num_rel" => relevant.to_string(),
            Value::Count(_) => "0".to_owned(),
            _ => number(0.0),
        };
        line(text, &measure.name, topic, &value);
    }
}

/// All topics together.
struct Whole<'a> {
    averaged: usize,
    evaluated: usize,
    judged: &'a Judged,
    retrieved: &'a Retrieved,
}

impl Whole<'_> {
    /// What is printed of all topics; `None` for what is of single ones.
    fn value(&self, measure: &Measure, sum: f64, options: &TrecOptions) -> Option<String> {
        let topics = self.averaged as f64;
        Some(match &measure.value {
            Value::Runid => self.retrieved.tag.clone(),
            Value::NumQ => self.averaged.to_string(),
            Value::Relstring(_) => return None,
            // With `-c` it counts in all topics, and every positive grade whatever `-l` says.
            Value::Count(_) if measure.name == "num_rel" && options.complete => {
                let relevant =
                    self.judged.qrels.iter().map(|(_, topic)| topic.ideal_grades().len());
                relevant.sum::<usize>().to_string()
            }
            Value::Count(_) => format!("{sum:.0}"),
            Value::Geometric(_) => {
                let missing = (self.averaged - self.evaluated) as f64;
                number(((sum + missing * LOWEST.ln()) / topics).exp())
            }
            _ => number(sum / topics),
        })
    }
}

impl Value {
    /// The value of one topic.
    fn of(&self, ranking: &JudgedRanking) -> f64 {
        let example = Example::default();
        let case = Case::new(&example).with_ranking(ranking);
        match self {
            Self::Runid | Self::NumQ | Self::Relstring(_) => 0.0,
            Self::Count(metric) | Self::Geometric(metric) | Self::Score(metric) => {
                // Every metric here is told what to say where nothing is relevant.
                metric.score(&case).unwrap_or(0.0)
            }
            // It divides the 0 relevant by the 0 retrieved.
            Self::Interpolated(metrics) if ranking.grades.is_empty() => {
                let relevant = ranking.relevant(metrics.level) as f64;
                let reached = |&recall: &f64| metrics.rounded(recall * relevant) < 1.0;
                if metrics.recalls.iter().any(reached) { f64::NAN } else { 0.0 }
            }
            Self::Interpolated(metrics) => {
                let scores = metrics.metrics.iter().rev().map(|m| m.score(&case).unwrap_or(0.0));
                super::sum(&scores.collect::<Vec<_>>()) / metrics.metrics.len() as f64
            }
            Self::Gains(gains) => gains.ndcg(ranking),
        }
    }
}

/// The first grades as characters.
fn relstring(ranking: &JudgedRanking, length: usize) -> String {
    let character = |grade: &Option<i32>| match *grade {
        None => '-',
        Some(grade) if grade < 0 => '.',
        Some(grade) => {
            u32::try_from(grade).ok().and_then(|grade| char::from_digit(grade, 10)).unwrap_or('>')
        }
    };
    let grades: String = ranking.grades.iter().take(length).map(character).collect();
    format!("'{grades}'")
}

/// As C prints it with `%6.4f`.
fn number(value: f64) -> String {
    if value.is_nan() { "  -nan".to_owned() } else { format!("{value:6.4}") }
}

fn line(text: &mut String, measure: &str, topic: &str, value: &str) {
    writeln!(text, "{measure:<22}\t{topic}\t{value}").expect("a string takes all text");
}
