//! For authors: run a scorer on its worked examples and on what evaluations throw at it.
//!
//! ```
//! # use qeval_sdk::{Columns, Descriptor, Failure, MetricDescriptor, Scorer, WorkedExample, core::Case};
//! # struct Same([MetricDescriptor; 1]);
//! # impl Scorer for Same {
//! #     fn descriptor(&self) -> Descriptor { Descriptor::new("same", "1.0", "") }
//! #     fn metrics(&self) -> &[MetricDescriptor] { &self.0 }
//! #     fn examples(&self) -> Vec<WorkedExample> { vec![WorkedExample::answer("a", &["a"], Some(1.0))] }
//! #     fn score(&self, cases: &[Case<'_>]) -> Result<Columns, Failure> {
//! #         let same = |case: &Case| case.example.reference_texts().any(|text| text == case.prediction_text());
//! #         Ok(vec![cases.iter().map(|case| Ok(f64::from(u8::from(same(case))))).collect()])
//! #     }
//! # }
//! # let scorer = Same([MetricDescriptor::new("same", "equal to a reference")]);
//! qeval_sdk::testing::assert_good(&scorer);
//! ```

use std::slice;

use crate::{Columns, Failure, PluginDescriptor, Scorer, WorkedExample, answer, batch};

/// How far a score may be from the one that the author wrote down.
const TOLERANCE: f64 = 1e-9;

/// Texts that evaluations contain sooner or later.
const ODD_TEXTS: [&str; 6] = [
    "",
    " \t\n",
    "\u{0}",
    "e\u{301}\u{1F9D1}\u{200D}\u{1F680}",
    "\u{202E}٣٫٥ ½ −1",
    "1e999999999 %%%",
];

/// For the test of a plugin: panics where [`check`] finds a problem, or where the library could not
/// be opened because the scorer describes itself in a way that cannot be.
pub fn assert_good(scorer: &(impl Scorer + ?Sized)) {
    let descriptor = PluginDescriptor::of(scorer, "");
    let json = serde_json::to_vec(&descriptor).expect("a descriptor has only text keys");
    if let Err(error) = PluginDescriptor::from_json(&json) {
        panic!("the scorer describes itself wrongly: {error}");
    }
    let problems = check(scorer);
    assert!(problems.is_empty(), "the scorer has problems:\n- {}", problems.join("\n- "));
}

/// What is wrong with a scorer, a sentence for each problem:
///
/// - a worked example gets another score than its author says, or there is none;
/// - a score depends on the other cases of the batch;
/// - the scorer reads an input that it does not declare;
/// - odd texts, a missing prediction, a missing reference or an empty batch make it fail, or give
///   a value that is no number or out of range.
pub fn check(scorer: &(impl Scorer + ?Sized)) -> Vec<String> {
    let mut problems = Vec::new();
    let examples = scorer.examples();
    if examples.is_empty() {
        problems.push("it has no worked example".to_owned());
    }
    for (i, example) in examples.iter().enumerate() {
        check_example(scorer, i + 1, example, &mut problems);
    }
    for (what, example) in odd_examples() {
        if let Err(failure) = scored(scorer, &[example]) {
            problems.push(format!("{what}: {failure}"));
        }
    }
    if let Err(failure) = scored(scorer, &[]) {
        problems.push(format!("an empty batch: {failure}"));
    }
    check_batch(scorer, &examples, &mut problems);
    problems
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
    let columns = match scored(scorer, slice::from_ref(example)) {
        Ok(columns) => columns,
        Err(failure) => {
            problems.push(format!("worked example {number}: {failure}"));
            return;
        }
    };
    for ((metric, scores), expected) in metrics.iter().zip(&columns).zip(&example.expected) {
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
    if across(scorer, example).as_ref() != Ok(&columns) {
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
        if alone.iter().zip(&together).any(|(alone, together)| alone[0] != together[i]) {
            problems.push(format!("worked example {} scores otherwise in a batch", i + 1));
        }
    }
}

/// The scores of examples, checked.
fn scored(scorer: &(impl Scorer + ?Sized), examples: &[WorkedExample]) -> Result<Columns, Failure> {
    let columns = WorkedExample::cases(examples).with_cases(|cases| scorer.score(cases))?;
    let ids: Vec<String> = (1..=examples.len()).map(|number| format!("example-{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    answer::check(&columns, &expected(scorer), &ids)?;
    Ok(columns)
}

/// The scores of an example of which only the declared inputs arrive.
fn across(scorer: &(impl Scorer + ?Sized), example: &WorkedExample) -> Result<Columns, Failure> {
    let cases = WorkedExample::cases(slice::from_ref(example));
    let batch = cases.with_cases(|cases| batch::encode(cases, &scorer.inputs()))?;
    let columns = batch::decode(&batch)?.with_cases(|cases| scorer.score(cases))?;
    let expected = expected(scorer);
    let names: Vec<&str> = expected.iter().map(|metric| metric.name.as_str()).collect();
    let scores = answer::encode(&names, &columns, 1)?;
    answer::decode(&scores, &expected, &["example-1"])
}

fn expected(scorer: &(impl Scorer + ?Sized)) -> Vec<answer::Expected> {
    let metrics = scorer.metrics().iter();
    metrics.map(|m| answer::Expected { name: m.name.clone(), range: m.range }).collect()
}

fn odd_examples() -> Vec<(String, WorkedExample)> {
    let mut examples = vec![
        ("no prediction".to_owned(), None, vec!["a"]),
        ("no reference".to_owned(), Some("a"), vec![]),
    ];
    for text in ODD_TEXTS {
        examples.push((format!("the prediction {text:?}"), Some(text), vec!["a"]));
        examples.push((format!("the reference {text:?}"), Some("a"), vec![text]));
        examples.push((format!("the text {text:?} on both sides"), Some(text), vec![text, text]));
    }
    let example = |prediction: Option<&str>, references: Vec<&str>| WorkedExample {
        prediction: prediction.map(str::to_owned),
        references: references.into_iter().map(str::to_owned).collect(),
        ..WorkedExample::default()
    };
    examples
        .into_iter()
        .map(|(what, prediction, references)| (what, example(prediction, references)))
        .collect()
}

#[cfg(test)]
mod tests {
    use qeval_core::Case;

    use super::*;
    use crate::{Descriptor, Input, MetricDescriptor};

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

        fn score(&self, cases: &[Case<'_>]) -> Result<Columns, Failure> {
            Ok(vec![cases.iter().map(|case| Ok((self.rule)(case))).collect()])
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
            ["no reference: value: metric `m` of example `example-1` is NaN, expected a finite \
              number or null"]
        );
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
    #[should_panic(expected = "describes itself wrongly: the metric name `m m` must begin with")]
    fn a_plugin_with_an_impossible_name_is_not_good() {
        let metrics = vec![MetricDescriptor::new("m m", "")];
        let (examples, inputs) = (Vec::new(), Vec::new());
        assert_good(&Rules { metrics, rule: |_| 0.0, examples, inputs });
    }
}
