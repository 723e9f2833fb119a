//! How a score came about, step by step, for people.
//!
//! Nothing here computes a score in a second way that could be wrong in silence: the score is the
//! metric's own, each reference is scored by the metric with that reference alone, and a formula that
//! is shown carries its value, which tests hold against the score.

mod answer;
mod ranking;

use crate::{Case, Metric, Score, Subject};

/// How the score of one metric came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The score of the case.
    pub score: Score,
    /// What it is made of, in the order in which it is made.
    pub steps: Vec<Step>,
}

/// A step on the way to a score.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The answer as the metric compares it.
    Answer {
        /// Normalised by its rules.
        normalised: String,
    },
    /// One reference.
    Reference {
        /// As it was given.
        text: String,
        /// Normalised by the rules of the metric; `None` where these are not shown.
        normalised: Option<String>,
        /// The score with this reference alone; `None` where there is none.
        score: Option<f64>,
        /// Whether the score of the example is this one.
        decides: bool,
        /// The words that both sides have; `None` where the metric compares no words.
        shared: Option<SharedWords>,
    },
    /// A place in the ranking.
    Rank {
        /// From 1.
        rank: usize,
        /// The judged relevance; `None` for an unjudged passage.
        grade: Option<i32>,
        /// Whether it counts as relevant.
        relevant: bool,
    },
    /// The relevant passages: how many are judged, and how many of them stand in the ranking as far as
    /// the metric looks.
    Relevant {
        /// Judged, retrieved or not.
        judged: usize,
        /// Retrieved.
        found: usize,
        /// The rank down to which the metric looks; `None` for all.
        cutoff: Option<u32>,
    },
    /// How the numbers make the score.
    Formula {
        /// In figures.
        text: String,
        /// What comes out.
        value: f64,
    },
    /// Something else that must be known.
    Note(String),
}

/// The words that answer and reference have in common, counted as often as both have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedWords {
    /// The words, in the order of the answer.
    pub words: Vec<String>,
    /// How many words the answer has.
    pub of_answer: usize,
    /// How many words the reference has.
    pub of_reference: usize,
}

/// The steps of a metric on a case.
pub fn explain(metric: &Metric, case: &Case<'_>) -> Explanation {
    let score = metric.score(case);
    let mut steps = match metric.definition().subject {
        Subject::Answer => answer::steps(metric, case, &score),
        Subject::Retrieval => ranking::steps(metric, case),
    };
    if steps.is_empty() && score.is_ok() {
        let definition = metric.definition();
        steps.push(Step::Note(format!("{}; its steps are not shown", definition.summary)));
    }
    Explanation { score, steps }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Cutoff, Example, JudgedRanking, METRICS, Prediction, Reference};

    fn named(definition: &crate::Definition) -> Metric {
        let cutoff = if definition.cutoff == Cutoff::Required { "@5" } else { "" };
        format!("{}{cutoff}", definition.name).parse().unwrap()
    }

    fn check(metric: &Metric, case: &Case<'_>) -> usize {
        let Explanation { score, steps } = explain(metric, case);
        assert_eq!(score, metric.score(case));
        let mut shown = 0;
        for step in &steps {
            let value = match step {
                Step::Formula { value, .. } => *value,
                Step::Reference { score: Some(score), decides: true, .. } => *score,
                _ => continue,
            };
            shown += 1;
            let found = score.as_ref().unwrap();
            assert!((value - found).abs() < 1e-9, "{metric:?}: {value}, scored {found}: {steps:?}");
        }
        shown
    }

    proptest! {
        /// What is shown is what is scored, for every metric.
        #[test]
        fn steps_lead_to_the_score(
            grades in prop::collection::vec(prop::option::of(-1..4_i32), 0..12),
            missed in prop::collection::vec(1..4_i32, 0..4),
            answer in "(the |red |red |boat |5 |Ann, |é |ﬁ ){0,5}",
            references in prop::collection::vec("(the |red |boat |5 |Ann |é ){0,4}", 0..4),
        ) {
            let mut ideal: Vec<i32> = grades.iter().flatten().copied().filter(|&g| g > 0).collect();
            ideal.extend(missed);
            ideal.sort_unstable_by(|a, b| b.cmp(a));
            let zeros = Some(grades.iter().filter(|&&grade| grade == Some(0)).count());
            let ranking = JudgedRanking { grades, ideal, zeros, subtopics: None };
            let example = Example {
                id: "q".to_owned(),
                references: references.into_iter().map(Reference::from).collect(),
                ..Example::default()
            };
            let prediction = Prediction::answer(answer);
            let case = Case::new(&example).with_prediction(&prediction).with_ranking(&ranking);
            for definition in METRICS {
                check(&named(definition), &case);
            }
        }
    }

    #[test]
    fn a_reference_decides_and_shows_its_words() {
        let example = Example {
            id: "q".to_owned(),
            references: ["a blue boat", "The red boat, twice"].map(Reference::from).to_vec(),
            ..Example::default()
        };
        let prediction = Prediction::answer("red red boat");
        let case = Case::new(&example).with_prediction(&prediction);
        let found = explain(&"F1".parse().unwrap(), &case);
        assert_eq!(found.score, Ok(2.0 / 3.0));
        assert_eq!(found.steps[0], Step::Answer { normalised: "red red boat".to_owned() });
        let Step::Reference { normalised, decides, shared, score, .. } = &found.steps[2] else {
            panic!("{:?}", found.steps)
        };
        assert_eq!((normalised.as_deref(), *decides), (Some("red boat twice"), true));
        let shared = shared.as_ref().unwrap();
        assert_eq!(
            (&*shared.words.join(" "), shared.of_answer, shared.of_reference),
            ("red boat", 3, 3)
        );
        assert_eq!(*score, Some(2.0 / 3.0));
        assert!(matches!(found.steps[1], Step::Reference { decides: false, score: Some(0.4), .. }));
    }

    #[test]
    fn formulas_of_rankings() {
        let ranking = JudgedRanking {
            grades: vec![None, Some(2), Some(0), Some(1)],
            ideal: vec![2, 1, 1],
            zeros: Some(1),
            subtopics: None,
        };
        let example = Example::default();
        let case = Case::new(&example).with_ranking(&ranking);
        let formula = |name: &str| {
            let found = explain(&name.parse().unwrap(), &case);
            let texts = found.steps.into_iter().filter_map(|step| match step {
                Step::Formula { text, .. } => Some(text),
                _ => None,
            });
            texts.collect::<String>()
        };
        assert_eq!(formula("MRR@10"), "1 / 2");
        assert_eq!(formula("P@4"), "2 / 4");
        assert_eq!(formula("Recall@4"), "2 / 3");
        assert_eq!(formula("Recall(rel=2)@4"), "1 / 1");
        assert_eq!(formula("MAP"), "(1/2 + 2/4) / 3");
        assert_eq!(
            formula("nDCG@4"),
            "(2/log2(3) + 1/log2(5)) / (2/log2(2) + 1/log2(3) + 1/log2(4))"
        );
        assert_eq!(formula("MRR@1"), "0: no relevant passage down to rank 1");
    }
}
