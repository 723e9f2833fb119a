//! Metrics of `core` on texts that a normalizer has made.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use qeval_sdk::{
    Descriptor, Failure, FailureKind, MetricDescriptor, Normalizer, Scorer, Scores,
    core::{Case, Example, Prediction, Reference},
};

use super::metric::Metrics;

/// Some built-in metrics with the same normalizer, which is asked once for all of them.
pub(crate) struct Normalized {
    metrics: Metrics,
    descriptors: Vec<MetricDescriptor>,
    normalizer: Arc<dyn Normalizer>,
}

impl Normalized {
    pub(crate) fn new(metrics: Metrics, normalizer: Arc<dyn Normalizer>) -> Self {
        let Descriptor { version, .. } = normalizer.descriptor();
        let descriptors = metrics.metrics().iter().cloned().map(|metric| MetricDescriptor {
            version: format!("{} on {version}", metric.version),
            ..metric
        });
        Self { descriptors: descriptors.collect(), metrics, normalizer }
    }

    /// What becomes of all texts that the metrics compare, each asked for once.
    fn normalise<'t>(
        &self,
        texts: impl Iterator<Item = &'t str>,
    ) -> Result<HashMap<&'t str, String>, Failure> {
        let mut places = HashMap::new();
        let mut distinct = Vec::new();
        for text in texts {
            if let Entry::Vacant(place) = places.entry(text) {
                place.insert(distinct.len());
                distinct.push(text);
            }
        }
        let normalised = self.normalizer.normalize(&distinct)?;
        if normalised.len() != distinct.len() {
            let message = format!("{} texts for {} texts", normalised.len(), distinct.len());
            return Err(Failure::new(FailureKind::Protocol, message));
        }
        Ok(distinct.into_iter().zip(normalised).collect())
    }
}

impl Scorer for Normalized {
    fn descriptor(&self) -> Descriptor {
        let Descriptor { name, version, .. } = self.normalizer.descriptor();
        Descriptor::new("metrics", version, format!("the built-in metrics on texts of {name}"))
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.descriptors
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        let normalised = self.normalise(cases.iter().flat_map(texts))?;
        let of = |text: &str| normalised[text].clone();
        let examples: Vec<Example> = cases.iter().map(|case| example(case.example, of)).collect();
        let predictions: Vec<Option<Prediction>> =
            cases.iter().map(|case| Some(prediction(case.prediction?, of))).collect();
        let made = examples.iter().zip(&predictions).map(|(example, prediction)| {
            let case = Case::new(example);
            match prediction {
                Some(prediction) => case.with_prediction(prediction),
                None => case,
            }
        });
        self.metrics.score(&made.collect::<Vec<_>>())
    }
}

/// All that a metric with a normalizer compares in a case.
fn texts<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c str> {
    let of_prediction = case.prediction.into_iter().flat_map(|prediction| {
        let items = prediction.items.iter().map(String::as_str);
        std::iter::once(prediction.text.as_str()).chain(items)
    });
    let of_references = case.example.references.iter().flat_map(|reference| {
        let items = reference.items.iter().map(String::as_str);
        std::iter::once(reference.text.as_str()).chain(items)
    });
    of_prediction.chain(of_references)
}

/// What such a metric reads of an example.
fn example(example: &Example, of: impl Fn(&str) -> String) -> Example {
    let reference = |reference: &Reference| Reference {
        text: of(&reference.text),
        items: reference.items.iter().map(|item| of(item)).collect(),
        ..Reference::default()
    };
    Example {
        id: example.id.clone(),
        references: example.references.iter().map(reference).collect(),
        ..Example::default()
    }
}

/// What such a metric reads of a prediction. One without a text stays one.
fn prediction(prediction: &Prediction, of: impl Fn(&str) -> String) -> Prediction {
    if prediction.is_without_text() {
        return prediction.clone();
    }
    Prediction {
        text: of(&prediction.text),
        abstained: prediction.abstained,
        items: prediction.items.iter().map(|item| of(item)).collect(),
        ..Prediction::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use qeval_sdk::core::{Metric, Unscored};

    use super::*;

    /// Keeps letters and digits alone, in lower case, and remembers what it was asked.
    struct Letters(Mutex<Vec<Vec<String>>>);

    impl Normalizer for Letters {
        fn descriptor(&self) -> Descriptor {
            Descriptor::new("acme.letters", "7", "letters and digits")
        }

        fn normalize(&self, texts: &[&str]) -> Result<Vec<String>, Failure> {
            self.0.lock().unwrap().push(texts.iter().map(|&text| text.to_owned()).collect());
            if texts.contains(&"fail") {
                return Err(Failure::new(FailureKind::Refused, "not this"));
            }
            let only = |text: &&str| text.chars().filter(|c| c.is_alphanumeric()).collect();
            Ok(texts.iter().map(only).map(|text: String| text.to_lowercase()).collect())
        }
    }

    fn scorer(metrics: &[&str]) -> (Normalized, Arc<Letters>) {
        let metrics: Vec<Metric> = metrics.iter().map(|metric| metric.parse().unwrap()).collect();
        let letters = Arc::new(Letters(Mutex::default()));
        (Normalized::new(Metrics::new(metrics), Arc::clone(&letters) as _), letters)
    }

    #[test]
    fn texts_are_asked_for_once_and_compared_as_they_come_back() {
        let metrics = ["EM(normalize=acme.letters)", "F1(normalize=acme.letters)"];
        let (scorer, letters) = scorer(&metrics);
        let example =
            Example { references: vec!["The U.S.".into(), "x".into()], ..Example::default() };
        let empty = Example::default();
        let (us, the) = (Prediction::answer("the us"), Prediction::answer("The U.S."));
        let cases = [
            Case::new(&example).with_prediction(&us),
            Case::new(&example).with_prediction(&the),
            Case::new(&example),
            Case::new(&empty).with_prediction(&us),
        ];
        let column = vec![Ok(1.0), Ok(1.0), Ok(0.0), Ok(0.0)];
        let scores = scorer.score(&cases).unwrap();
        assert_eq!(scores.columns, [column.clone(), column]);
        assert_eq!(*letters.0.lock().unwrap(), [["the us", "The U.S.", "x"]]);
        assert_eq!(scorer.metrics()[0].version, "1 on 7");
    }

    #[test]
    fn items_are_normalised_too() {
        let (scorer, _) = scorer(&["Set.F1(normalize=acme.letters)"]);
        let reference = Reference { items: vec!["A-B".into(), "C".into()], ..Reference::default() };
        let example = Example { references: vec![reference], ..Example::default() };
        let items = vec!["c!".to_owned(), "a b".to_owned()];
        let prediction = Prediction { items, ..Prediction::default() };
        let cases = [Case::new(&example).with_prediction(&prediction)];
        assert_eq!(scorer.score(&cases).unwrap().columns, [[Ok(1.0)]]);
    }

    #[test]
    fn a_failure_is_one_of_the_batch_and_a_text_that_is_not_known_stays_so() {
        let (scorer, _) = scorer(&["EM(normalize=acme.letters)"]);
        let example = Example::default();
        let fail = Prediction::answer("fail");
        let cases = [Case::new(&example).with_prediction(&fail)];
        assert_eq!(scorer.score(&cases).unwrap_err().message, "not this");
        let mut unknown = Prediction::default();
        unknown.columns.insert("start".to_owned(), qeval_sdk::core::Value::Integer(1));
        let scores = scorer.score(&[Case::new(&example).with_prediction(&unknown)]).unwrap();
        assert!(matches!(scores.columns[0][0], Err(Unscored::NotApplicable(_))));
        // What normalises to nothing is a text all the same.
        let mut dots = Prediction::answer("...");
        dots.columns.clone_from(&unknown.columns);
        let scores = scorer.score(&[Case::new(&example).with_prediction(&dots)]).unwrap();
        assert_eq!(scores.columns, [[Ok(1.0)]]);
    }
}
