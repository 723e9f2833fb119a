//! A plugin for qeval: what are the citations of an answer worth?
//!
//! Whether the cited passages exist, whether they were retrieved, whether they are the right ones,
//! and whether they hold what the answer quotes. `metric.rs` has the metrics, `quotes.rs` says what
//! a quote is, `normalize.rs` when a passage holds it.

mod metric;
mod normalize;
mod quotes;

pub use metric::{Kind, Verdict};
pub use normalize::Searchable;
pub use quotes::quotes;

use qeval_sdk::{
    Asked, Failure, FailureKind, Input, Merge, Merged, MetricDescriptor, Parameter, ParameterKind,
    Plugin, ScorePart, Scorer, ScorerOffer, Scores, WorkedExample, core::Case,
};

/// Words that a quote has at least, unless the file says otherwise.
const MIN_WORDS: usize = 3;

/// The metrics of citations that somebody asks for.
#[derive(Debug)]
pub struct Citations {
    kinds: Vec<Kind>,
    metrics: Vec<MetricDescriptor>,
}

/// All metrics, with the defaults of their parameters.
impl Default for Citations {
    fn default() -> Self {
        Self::new(vec![
            Kind::Exists,
            Kind::Retrieved,
            Kind::Recall,
            Kind::Precision,
            Kind::CorpusPrecision,
            Kind::Support { min_words: MIN_WORDS },
        ])
    }
}

impl Citations {
    fn new(kinds: Vec<Kind>) -> Self {
        let metrics = kinds.iter().map(describe).collect();
        Self { kinds, metrics }
    }

    fn asked(metrics: &[Asked]) -> Result<Self, Failure> {
        let all = Self::default();
        let kind = |asked: &Asked| {
            let zipped = all.kinds.iter().zip(&all.metrics);
            let found = zipped.into_iter().find(|(_, metric)| metric.name == asked.name);
            match found {
                Some((Kind::Support { .. }, _)) => {
                    let words = asked.integer("min_words");
                    Ok(Kind::Support { min_words: usize::try_from(words).unwrap_or(MIN_WORDS) })
                }
                Some((kind, _)) => Ok(*kind),
                None => {
                    let message = format!("there is no metric `{}`", asked.name);
                    Err(Failure::new(FailureKind::Refused, message))
                }
            }
        };
        Ok(Self::new(metrics.iter().map(kind).collect::<Result<_, _>>()?))
    }
}

fn describe(kind: &Kind) -> MetricDescriptor {
    match kind {
        Kind::Exists => {
            let summary = "the share of the cited passages that the corpus has";
            MetricDescriptor::new("citation_exists", summary)
                .reading(&[Input::Prediction, Input::CitedPassages])
        }
        Kind::Retrieved => {
            let summary = "the share of the cited passages that were retrieved";
            MetricDescriptor::new("citation_retrieved", summary)
                .reading(&[Input::Prediction, Input::Hits])
        }
        Kind::Recall => {
            let summary = "the share of the gold passages that are cited";
            MetricDescriptor::new("citation_recall", summary)
                .reading(&[Input::Prediction, Input::GoldPassages])
        }
        Kind::Precision => {
            let summary = "the share of the cited passages that are gold";
            MetricDescriptor::new("citation_precision", summary)
                .reading(&[Input::Prediction, Input::GoldPassages])
        }
        Kind::CorpusPrecision => {
            let summary = "the share of all citations of all answers that are gold";
            MetricDescriptor::new("corpus_citation_precision", summary)
                .reading(&[Input::Prediction, Input::GoldPassages])
                .pooling(&[("cited", Merge::Sum), ("correct", Merge::Sum)])
        }
        Kind::Support { min_words } => {
            let summary = "the share of the quotes of an answer that stand in a passage it cites";
            let parameter = Parameter {
                name: "min_words".to_owned(),
                summary: "how many words a text in quotation marks has at least to be a quote"
                    .to_owned(),
                kind: ParameterKind::Integer {
                    min: Some(1),
                    max: Some(1000),
                    default: i64::try_from(*min_words).unwrap_or(i64::MAX),
                },
            };
            MetricDescriptor {
                parameters: vec![parameter],
                ..MetricDescriptor::new("quote_support", summary)
                    .reading(&[Input::Prediction, Input::CitedPassages])
            }
        }
    }
}

impl Scorer for Citations {
    fn descriptor(&self) -> qeval_sdk::Descriptor {
        qeval_sdk::Descriptor::new("citations", env!("CARGO_PKG_VERSION"), SUMMARY)
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.metrics
    }

    fn inputs(&self) -> Vec<Input> {
        vec![Input::Prediction, Input::GoldPassages, Input::Hits, Input::CitedPassages]
    }

    fn examples(&self) -> Vec<WorkedExample> {
        examples()
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        let mut scores = Scores::default();
        for (metric, kind) in self.kinds.iter().enumerate() {
            let mut column = Vec::with_capacity(cases.len());
            let mut statistics = vec![Vec::new(); self.metrics[metric].statistics.len()];
            for (index, case) in cases.iter().enumerate() {
                let found = kind.score(case);
                if let [cited, correct] = statistics.as_mut_slice() {
                    let counted = found.as_ref().ok();
                    cited.push(counted.map_or(0.0, |verdicts| verdicts.len() as f64));
                    correct.push(counted.map_or(0.0, |verdicts| good(verdicts) as f64));
                }
                let part = |verdict: &Verdict| ScorePart {
                    metric,
                    case: index,
                    value: Some(f64::from(u8::from(verdict.good))),
                    label: Some(verdict.label.to_owned()),
                    text: Some(verdict.about.clone()),
                };
                scores.parts.extend(found.iter().flatten().map(part));
                column.push(found.map(|verdicts| good(&verdicts) as f64 / verdicts.len() as f64));
            }
            scores.columns.push(column);
            scores.statistics.push(statistics);
        }
        if self.metrics.iter().all(MetricDescriptor::is_mean) {
            scores.statistics.clear();
        }
        Ok(scores)
    }

    fn finish(&self, _metric: usize, groups: &[Merged]) -> Result<Vec<Option<f64>>, Failure> {
        let share = |group: &Merged| {
            let [cited, correct] = [0, 1].map(|statistic: usize| group.statistics[statistic][0]);
            (cited > 0.0).then(|| correct / cited)
        };
        Ok(groups.iter().map(share).collect())
    }
}

fn good(verdicts: &[Verdict]) -> usize {
    verdicts.iter().filter(|verdict| verdict.good).count()
}

const SUMMARY: &str = "Checks the citations and quotes of answers";

/// The corpus of these is what was retrieved (`p1`, `p2`), and `law`.
fn examples() -> Vec<WorkedExample> {
    let example =
        |prediction: Option<&str>, citations: &[&str], expected: [Option<f64>; 6]| WorkedExample {
            prediction: prediction.map(str::to_owned),
            citations: citations.iter().map(|&id| id.to_owned()).collect(),
            passages: vec![
                "Employees get 15 working days of leave, and \u{201c}half days\u{201d} count half."
                    .to_owned(),
                "Requests are sent to the HR desk.".to_owned(),
            ],
            corpus: [("law".to_owned(), "Leave is at least four weeks.".to_owned())].into(),
            gold_passages: vec!["p1".to_owned(), "law".to_owned()],
            expected: expected.to_vec(),
            ..WorkedExample::default()
        };
    let (none, zero, half, one) = (None, Some(0.0), Some(0.5), Some(1.0));
    vec![
        example(Some("15 days."), &["p1", "law"], [one, half, one, one, one, none]),
        example(Some("15 days."), &["p1", "p9"], [half, half, half, half, half, none]),
        example(
            Some("It says: \"15 working days of leave\"."),
            &["p1"],
            [one, one, half, one, one, one],
        ),
        example(
            Some(
                "\u{ab} 15 Working\u{a0}Days of leave, \u{bb} and \u{201c}you ask the boss\u{201d}",
            ),
            &["p1", "p2"],
            [one, one, half, half, half, half],
        ),
        example(
            Some("\u{201e}Leave is at least four weeks\u{201c}"),
            &["p1"],
            [one, one, half, one, one, zero],
        ),
        example(Some("Nobody knows."), &[], [none, none, zero, none, none, none]),
        example(None, &[], [none, none, zero, none, none, none]),
    ]
}

/// The plugin of this library.
fn plugin() -> Plugin {
    let all = Citations::default();
    let offer = ScorerOffer {
        metrics: all.metrics.clone(),
        inputs: all.inputs(),
        examples: all.examples(),
    };
    Plugin::new("citations", env!("CARGO_PKG_VERSION"), SUMMARY).scorer(offer, |setup| {
        setup.no_options()?;
        Ok(Box::new(Citations::asked(setup.metrics())?))
    })
}

qeval_sdk::export!(plugin);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_hold() {
        qeval_sdk::testing::assert_good(&Citations::default());
    }

    #[test]
    fn all_citations_are_pooled() {
        let group = |cited, correct| Merged { n: 2, statistics: vec![vec![cited], vec![correct]] };
        let numbers = Citations::default().finish(4, &[group(8.0, 6.0), group(0.0, 0.0)]);
        assert_eq!(numbers, Ok(vec![Some(0.75), None]));
    }

    #[test]
    fn parts_say_what_is_wrong_with_each() {
        let cases = WorkedExample::cases(&examples()[1..2]);
        let scores = cases.with_cases(|cases| Citations::default().score(cases)).unwrap();
        let parts: Vec<_> = scores
            .parts
            .iter()
            .map(|part| {
                (part.metric, part.label.as_deref().unwrap(), part.text.as_deref().unwrap())
            })
            .collect();
        assert_eq!(
            parts,
            [
                (0, "ok", "p1"),
                (0, "missing", "p9"),
                (1, "ok", "p1"),
                (1, "not retrieved", "p9"),
                (2, "ok", "p1"),
                (2, "not cited", "law"),
                (3, "ok", "p1"),
                (3, "not gold", "p9"),
                (4, "ok", "p1"),
                (4, "not gold", "p9"),
            ]
        );
    }
}
