//! For authors: run a scorer on its worked examples and on what evaluations throw at it.
//!
//! ```
//! # use qeval_sdk::{Descriptor, Failure, MetricDescriptor, Scorer, Scores, WorkedExample, core::Case};
//! # struct Same([MetricDescriptor; 1]);
//! # impl Scorer for Same {
//! #     fn descriptor(&self) -> Descriptor { Descriptor::new("same", "1.0", "") }
//! #     fn metrics(&self) -> &[MetricDescriptor] { &self.0 }
//! #     fn examples(&self) -> Vec<WorkedExample> { vec![WorkedExample::answer("a", &["a"], Some(1.0))] }
//! #     fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
//! #         let same = |case: &Case| case.example.reference_texts().any(|text| text == case.prediction_text());
//! #         Ok(vec![cases.iter().map(|case| Ok(f64::from(u8::from(same(case))))).collect()].into())
//! #     }
//! # }
//! # let scorer = Same([MetricDescriptor::new("same", "equal to a reference")]);
//! qeval_sdk::testing::assert_good(&scorer);
//! ```

mod components;
mod hostile;
mod plugin;

use std::slice;

use crate::{
    Failure, Merged, MetricDescriptor, PluginDescriptor, PluginMetric, Scorer, Scores,
    WorkedExample, answer, batch, groups, instance::Column,
};

pub use components::{DEPTH, check_normalizer, check_reader, check_retriever};
pub use hostile::hostile_batches;
pub use plugin::{assert_plugin, checks_of_plugin, examples_of};

/// How far a score may be from the one that the author wrote down.
const TOLERANCE: f64 = 1e-9;

/// For the test of a plugin: panics where [`check`] finds a problem, or where the library could not
/// be opened because the scorer describes itself in a way that cannot be.
pub fn assert_good(scorer: &(impl Scorer + ?Sized)) {
    let descriptor = PluginDescriptor {
        metrics: scorer.metrics().iter().map(PluginMetric::of).collect(),
        inputs: scorer.inputs(),
        ..PluginDescriptor::default()
    };
    if let Err(error) = descriptor.check() {
        panic!("the scorer describes itself wrongly: {error}");
    }
    let problems = check(scorer);
    assert!(problems.is_empty(), "the scorer has problems:\n- {}", problems.join("\n- "));
}

/// What is wrong with a scorer, a sentence for each problem; see [`checks`].
pub fn check(scorer: &(impl Scorer + ?Sized)) -> Vec<String> {
    checks(scorer).into_iter().flat_map(|check| check.problems).collect()
}

/// Something that was tried with a plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// What was tried.
    pub what: String,
    /// What went wrong, a sentence for each problem.
    pub problems: Vec<String>,
}

/// What was tried with a scorer, and what is wrong with it:
///
/// - a worked example gets another score than its author says, or there is none;
/// - a score depends on the other cases of the batch, or on how often it is asked for;
/// - the scorer reads an input that it does not declare;
/// - odd texts, a missing prediction, a missing reference or an empty batch make it fail, or give
///   a value that is no number or out of range;
/// - a metric of whole datasets has no total of the worked examples, or one that is out of range.
pub fn checks(scorer: &(impl Scorer + ?Sized)) -> Vec<Check> {
    let mut checks = vec![check_examples(scorer, &scorer.examples())];
    for (what, examples) in hostile_batches() {
        let failure = match (scored(scorer, &examples), scored(scorer, &examples)) {
            (Err(failure), _) | (_, Err(failure)) => Some(failure.to_string()),
            (Ok(first), Ok(second)) if first != second => {
                Some("the same batch gets other scores the second time".to_owned())
            }
            _ => None,
        };
        let problems = failure.map(|failure| format!("{what}: {failure}")).into_iter().collect();
        checks.push(Check { what, problems });
    }
    checks
}

/// Whether worked examples get the scores that their author states, alone and in one batch.
pub fn check_examples(scorer: &(impl Scorer + ?Sized), examples: &[WorkedExample]) -> Check {
    let mut problems = Vec::new();
    if examples.is_empty() {
        problems.push("it has no worked example".to_owned());
    }
    for (i, example) in examples.iter().enumerate() {
        check_example(scorer, i + 1, example, &mut problems);
    }
    check_batch(scorer, examples, &mut problems);
    check_totals(scorer, examples, &mut problems);
    let plural = if examples.len() == 1 { "" } else { "s" };
    Check { what: format!("{} worked example{plural}", examples.len()), problems }
}

fn check_example(
    scorer: &(impl Scorer + ?Sized),
    number: usize,
    example: &WorkedExample,
    problems: &mut Vec<String>,
) {
    let metrics = scorer.metrics();
    if example.expected.len() != metrics.len() {
        problems.push(format!(
            "worked example {number} states {} scores for {} metrics",
            example.expected.len(),
            metrics.len()
        ));
        return;
    }
    let scored = match scored(scorer, slice::from_ref(example)) {
        Ok(scored) => scored,
        Err(failure) => {
            problems.push(format!("worked example {number}: {failure}"));
            return;
        }
    };
    let zipped = metrics.iter().zip(&scored.columns).zip(&example.expected);
    for ((metric, scores), expected) in zipped {
        let same = match (&scores[0], expected) {
            (Ok(score), Some(expected)) => (score - expected).abs() <= TOLERANCE,
            (Err(_), None) => true,
            _ => false,
        };
        if !same {
            let name = &metric.name;
            let expected = expected.map_or("no score".to_owned(), |value| value.to_string());
            let got = match &scores[0] {
                Ok(score) => score.to_string(),
                Err(reason) => format!("unscored ({reason})"),
            };
            problems
                .push(format!("worked example {number}: `{name}` is {got}, expected {expected}"));
        }
    }
    if across(scorer, example).as_ref() != Ok(&scored) {
        problems.push(format!(
            "worked example {number} gets another score as a plugin: does `inputs` name all that \
             the scorer reads?"
        ));
    }
}

/// All worked examples in one batch must get what each gets alone.
fn check_batch(
    scorer: &(impl Scorer + ?Sized),
    examples: &[WorkedExample],
    problems: &mut Vec<String>,
) {
    let together = match scored(scorer, examples) {
        Ok(columns) => columns,
        Err(failure) => {
            problems.push(format!("the worked examples in one batch: {failure}"));
            return;
        }
    };
    for (i, example) in examples.iter().enumerate() {
        let Ok(alone) = scored(scorer, slice::from_ref(example)) else { continue };
        let mut zipped = alone.columns.iter().zip(&together.columns);
        if zipped.any(|(alone, together)| alone[0] != together[i]) {
            problems.push(format!("worked example {} scores otherwise in a batch", i + 1));
        }
    }
}

/// The metrics of whole datasets must have a number for the worked examples that they score.
fn check_totals(
    scorer: &(impl Scorer + ?Sized),
    examples: &[WorkedExample],
    problems: &mut Vec<String>,
) {
    let Ok(scores) = scored(scorer, examples) else { return };
    for (index, metric) in scorer.metrics().iter().enumerate() {
        if metric.statistics.is_empty() {
            continue;
        }
        let scored: Vec<usize> =
            (0..examples.len()).filter(|&case| scores.columns[index][case].is_ok()).collect();
        let Some(given) = scores.statistics.get(index).filter(|given| {
            given.len() == metric.statistics.len()
                && given.iter().all(|values| values.len() == examples.len())
        }) else {
            problems.push(format!("`{}` has not all of its statistics", metric.name));
            continue;
        };
        if scored.is_empty() {
            continue;
        }
        let merged =
            metric.statistics.iter().zip(given).map(|(statistic, values)| {
                statistic.merge.of(scored.iter().map(|&case| values[case]))
            });
        let group = Merged { n: scored.len() as u64, statistics: merged.collect() };
        let expected = answer::Expected::of(metric.name.clone(), metric);
        let batches = [vec![group.clone()], vec![group; 3]];
        for groups in batches {
            let total = scorer.finish(index, &groups).and_then(|numbers| {
                let batch = groups::encode_values(&numbers, groups.len())?;
                expected.check_numbers(groups::decode_values(&batch, groups.len())?)
            });
            if let Err(failure) = total {
                problems.push(format!("the total of `{}`: {failure}", metric.name));
            }
        }
    }
}

/// The scores of examples, checked.
fn scored(scorer: &(impl Scorer + ?Sized), examples: &[WorkedExample]) -> Result<Scores, Failure> {
    let scores = WorkedExample::cases(examples).with_cases(|cases| scorer.score(cases))?;
    let ids: Vec<String> = (1..=examples.len()).map(|number| format!("example-{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    answer::check(&scores.columns, &expected(scorer), &ids)?;
    Ok(scores)
}

/// The scores of an example of which only the declared inputs arrive.
fn across(scorer: &(impl Scorer + ?Sized), example: &WorkedExample) -> Result<Scores, Failure> {
    let cases = WorkedExample::cases(slice::from_ref(example));
    let batch = cases.with_cases(|cases| batch::encode(cases, &scorer.inputs()))?;
    let scores = batch::decode(&batch)?.with_cases(|cases| scorer.score(cases))?;
    let column = |(metric, descriptor): (usize, &MetricDescriptor)| Column {
        name: descriptor.name.clone(),
        metric,
        statistics: descriptor.statistics.iter().map(|s| (s.name.clone(), s.merge)).collect(),
    };
    let columns: Vec<Column> = scorer.metrics().iter().enumerate().map(column).collect();
    let scores = answer::encode(&columns, &scores, 1)?;
    answer::decode(&scores, &expected(scorer), &["example-1"])
}

fn expected(scorer: &(impl Scorer + ?Sized)) -> Vec<answer::Expected> {
    scorer.metrics().iter().map(|m| answer::Expected::of(m.name.clone(), m)).collect()
}

#[cfg(test)]
mod tests {
    use qeval_core::Case;

    use super::*;
    use crate::{Descriptor, Input, Merge};

    type Rule = fn(&Case<'_>) -> f64;

    struct Rules {
        metrics: Vec<MetricDescriptor>,
        rule: Rule,
        examples: Vec<WorkedExample>,
        inputs: Vec<Input>,
    }

    impl Scorer for Rules {
        fn descriptor(&self) -> Descriptor {
            Descriptor::new("rules", "1.0", "a rule")
        }

        fn metrics(&self) -> &[MetricDescriptor] {
            &self.metrics
        }

        fn inputs(&self) -> Vec<Input> {
            self.inputs.clone()
        }

        fn examples(&self) -> Vec<WorkedExample> {
            self.examples.clone()
        }

        fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
            Ok(vec![cases.iter().map(|case| Ok((self.rule)(case))).collect()].into())
        }
    }

    fn problems(rule: Rule, expected: f64, inputs: &[Input]) -> Vec<String> {
        check(&Rules {
            metrics: vec![MetricDescriptor::new("m", "")],
            rule,
            examples: vec![WorkedExample::answer("word", &["word"], Some(expected))],
            inputs: inputs.to_vec(),
        })
    }

    #[test]
    fn a_good_scorer_has_no_problems() {
        let rule = |case: &Case<'_>| f64::from(u8::from(case.prediction_text() == "word"));
        assert_eq!(problems(rule, 1.0, &[Input::Prediction]), [""; 0]);
    }

    #[test]
    fn problems_are_told() {
        let rule = |case: &Case<'_>| f64::from(u8::from(case.prediction_text() == "word"));
        assert_eq!(
            problems(rule, 0.5, &[Input::Prediction]),
            ["worked example 1: `m` is 1, expected 0.5"]
        );
        assert_eq!(
            problems(rule, 1.0, &[Input::References]),
            ["worked example 1 gets another score as a plugin: does `inputs` name all that the \
              scorer reads?"]
        );
        let ratio = |case: &Case<'_>| {
            let references = case.example.references.len() as f64;
            references / references
        };
        assert_eq!(
            problems(ratio, 1.0, &[Input::References]),
            ["no reference", "nothing at all"].map(|what| format!(
                "{what}: value: metric `m` of example `example-1` is NaN, expected a finite \
                 number or null"
            ))
        );
    }

    /// Counts its cases, more than once.
    struct Counts([MetricDescriptor; 1], f64);

    impl Scorer for Counts {
        fn descriptor(&self) -> Descriptor {
            Descriptor::new("counts", "1.0", "")
        }

        fn metrics(&self) -> &[MetricDescriptor] {
            &self.0
        }

        fn examples(&self) -> Vec<WorkedExample> {
            vec![WorkedExample::answer("a", &[], Some(1.0)); 2]
        }

        fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
            let columns = vec![vec![Ok(1.0); cases.len()]];
            Ok(Scores { columns, statistics: vec![vec![vec![1.0; cases.len()]]], parts: vec![] })
        }

        fn finish(&self, _: usize, groups: &[Merged]) -> Result<Vec<Option<f64>>, Failure> {
            let mean = |group: &Merged| self.1 * group.statistics[0][0] / group.n as f64;
            Ok(groups.iter().map(mean).map(Some).collect())
        }
    }

    #[test]
    fn totals_are_looked_at() {
        let metric = MetricDescriptor::new("m", "").pooling(&[("count", Merge::Sum)]);
        assert_eq!(check(&Counts([metric.clone()], 1.0)), [""; 0]);
        let outside =
            "the total of `m`: value: metric `m` of a group is 2, outside its range of 0 to 1";
        assert_eq!(check(&Counts([metric], 2.0)), [outside, outside]);
    }

    #[test]
    fn a_scorer_without_examples_is_told() {
        let rules = Rules {
            metrics: vec![MetricDescriptor::new("m", "")],
            rule: |_| 0.0,
            examples: Vec::new(),
            inputs: Vec::new(),
        };
        assert_eq!(check(&rules), ["it has no worked example"]);
    }

    #[test]
    #[should_panic(expected = "describes itself wrongly: the name `m m` must begin with")]
    fn a_plugin_with_an_impossible_name_is_not_good() {
        let metrics = vec![MetricDescriptor::new("m m", "")];
        let (examples, inputs) = (Vec::new(), Vec::new());
        assert_good(&Rules { metrics, rule: |_| 0.0, examples, inputs });
    }
}
