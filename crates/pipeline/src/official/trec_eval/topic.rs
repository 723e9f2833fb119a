//! The value of a measure in one topic.

use qeval_core::{Case, Example, Hits, JudgedRanking, Judgments, Metric, Ranking, Ties};

use super::{TrecOptions, judged::Topic, measures::Value, preferences::Preferences};

/// The hits of one topic, with what the judgments say of them.
pub(super) enum Ranked {
    Qrels(JudgedRanking),
    /// One for each judge.
    Groups(Vec<JudgedRanking>),
    Preferences(Preferences),
}

impl Ranked {
    /// The error is what stops the program.
    pub(super) fn new(
        judgments: Topic<'_>,
        hits: Hits,
        options: &TrecOptions,
    ) -> Result<Self, String> {
        let mut ranking = Ranking::new(hits, Ties::Docno).map_err(|error| error.to_string())?;
        let depth = options.depth.unwrap_or(usize::MAX);
        let judge = |ranking: &Ranking, judgments: &Judgments| {
            let judged = JudgedRanking::new(ranking, judgments);
            if options.judged_only { judged.judged_only() } else { judged }
        };
        match judgments {
            Topic::Preferences(stated) => {
                let preferences = Preferences::new(&by_ascending_id(&ranking, depth), stated);
                preferences.map(Self::Preferences).map_err(|conflict| conflict.to_string())
            }
            Topic::Qrels(judgments) if judgments.iter().all(|(_, grade)| grade < 0) => {
                Err("every judgment is negative".to_owned())
            }
            Topic::Qrels(judgments) => {
                ranking.truncate(depth);
                Ok(Self::Qrels(judge(&ranking, judgments)))
            }
            Topic::Groups(groups) => {
                ranking.truncate(depth);
                let groups = groups.iter().map(|(_, judgments)| judge(&ranking, judgments));
                Ok(Self::Groups(groups.collect()))
            }
        }
    }
}

/// The hits with ties by ascending id, which is the program's order where it counts preferences.
fn by_ascending_id(ranking: &Ranking, depth: usize) -> Vec<&str> {
    let mut hits: Vec<_> = ranking.hits().iter().collect();
    hits.sort_by(|a, b| {
        Ties::Input.order((a.score, ""), (b.score, "")).then(a.passage.cmp(b.passage))
    });
    hits.into_iter().take(depth).map(|hit| hit.passage).collect()
}

impl Value {
    /// The value of one topic; `None` where it needs other judgments.
    pub(super) fn of(&self, ranked: &Ranked) -> Option<f64> {
        match (self, ranked) {
            (Self::Preferences(measure), Ranked::Preferences(preferences)) => {
                Some(preferences.value(*measure))
            }
            (Self::Groups(metric), Ranked::Groups(groups)) => {
                let scores: Vec<f64> = groups.iter().map(|group| score(metric, group)).collect();
                Some(super::super::sum(&scores) / groups.len() as f64)
            }
            (Self::Preferences(_) | Self::Groups(_), _) => None,
            (value, Ranked::Qrels(ranking)) => Some(value.of_grades(ranking)),
            _ => None,
        }
    }

    fn of_grades(&self, ranking: &JudgedRanking) -> f64 {
        match self {
            Self::Runid
            | Self::NumQ
            | Self::Relstring(_)
            | Self::Groups(_)
            | Self::Preferences(_) => 0.0,
            Self::Count(metric) | Self::Geometric(metric) | Self::Score(metric) => {
                score(metric, ranking)
            }
            // It divides the 0 relevant by the 0 retrieved, which processors give a minus.
            Self::Interpolated(metrics) if ranking.grades.is_empty() => {
                let relevant = ranking.relevant(metrics.level) as f64;
                let reached = |&recall: &f64| metrics.rounded(recall * relevant) < 1.0;
                if metrics.recalls.iter().any(reached) { f64::NAN.copysign(-1.0) } else { 0.0 }
            }
            Self::Interpolated(metrics) => {
                let scores = metrics.metrics.iter().rev().map(|metric| score(metric, ranking));
                super::super::sum(&scores.collect::<Vec<_>>()) / metrics.metrics.len() as f64
            }
            Self::Gains(gains) => gains.ndcg(ranking),
        }
    }

    /// Whether it is a whole number, of which the sum is printed.
    pub(super) fn is_count(&self) -> bool {
        match self {
            Self::Count(_) => true,
            Self::Preferences(measure) => measure.is_count(),
            _ => false,
        }
    }
}

/// Every metric here is told what to say where nothing is relevant.
fn score(metric: &Metric, ranking: &JudgedRanking) -> f64 {
    let example = Example::default();
    metric.score(&Case::new(&example).with_ranking(ranking)).unwrap_or(0.0)
}

/// The first grades as characters; `None` where judgments are no grades of one judge.
pub(super) fn relstring(ranked: &Ranked, length: usize) -> Option<String> {
    let Ranked::Qrels(ranking) = ranked else { return None };
    let character = |grade: &Option<i32>| match *grade {
        None => '-',
        Some(grade) if grade < 0 => '.',
        Some(grade) => {
            u32::try_from(grade).ok().and_then(|grade| char::from_digit(grade, 10)).unwrap_or('>')
        }
    };
    Some(ranking.grades.iter().take(length).map(character).collect())
}
