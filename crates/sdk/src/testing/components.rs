//! Normalizers, retrievers and readers, tried with odd texts.

use qeval_core::{Example, Passage, Ties};

use super::{Check, hostile::odd_texts};
use crate::{
    Failure, FailureKind, Normalizer, Query, Reader, Request, Retriever, questions, requests, texts,
};

/// Hits that are asked for at most.
pub const DEPTH: usize = 10;

/// What was tried with the normalizer of that name: its worked examples, and odd texts; each text
/// alone and with others, and twice.
pub fn check_normalizer(
    name: &str,
    normalizer: &(impl Normalizer + ?Sized),
    examples: &[(String, String)],
) -> Vec<Check> {
    let given: Vec<&str> = examples.iter().map(|(text, _)| text.as_str()).collect();
    let mut problems = same_alone(normalizer, &given);
    if let Ok(normalised) = normalised(normalizer, &given) {
        for (number, ((text, expected), found)) in (1..).zip(examples.iter().zip(normalised)) {
            if found != *expected {
                problems.push(format!(
                    "worked example {number}: {text:?} becomes {found:?}, expected {expected:?}"
                ));
            }
        }
    }
    let plural = if examples.len() == 1 { "" } else { "s" };
    let what = format!("{} worked example{plural} of the normalizer `{name}`", examples.len());
    let odd = odd_texts();
    let odd: Vec<&str> = odd.iter().map(|(_, text)| text.as_str()).collect();
    let mut of_odd = same_alone(normalizer, &odd);
    if let Err(failure) = normalised(normalizer, &[]) {
        of_odd.push(format!("an empty batch: {failure}"));
    }
    vec![
        Check { what, problems },
        Check { what: format!("odd texts for the normalizer `{name}`"), problems: of_odd },
    ]
}

/// What was tried with a retriever, which may have at most [`DEPTH`] hits: odd questions, alone, all
/// in one batch, and none. It may refuse a question.
pub fn check_retriever(retriever: &(impl Retriever + ?Sized)) -> Check {
    let ask = |texts: &[&str]| {
        let ids: Vec<String> =
            (1..=texts.len()).map(|number| format!("question-{number}")).collect();
        let queries: Vec<Query<'_>> =
            ids.iter().zip(texts).map(|(id, &text)| Query { id, text, dataset: None }).collect();
        let found = retriever.retrieve(&queries, DEPTH);
        let answer = questions::encode_answer(&found, queries.len())?;
        let decoded = questions::decode_answer(&answer, queries.len(), DEPTH, Ties::default())?;
        Ok(all_failures(found.into_iter().chain(decoded)))
    };
    Check { what: "odd questions for the retriever".to_owned(), problems: of_questions(ask) }
}

/// What was tried with a reader: odd questions with passages of odd texts and with none, alone, all
/// in one batch, and none. It may refuse a question.
pub fn check_reader(reader: &(impl Reader + ?Sized)) -> Check {
    let odd = odd_texts();
    let passage = |(id, text): &(String, String)| Passage {
        id: id.clone(),
        text: text.clone(),
        ..Passage::default()
    };
    let passages: Vec<Passage> = odd.iter().map(passage).collect();
    let passages: Vec<&Passage> = passages.iter().collect();
    let ask = |texts: &[&str]| {
        let example = |(number, text): (usize, &&str)| Example {
            id: format!("question-{number}"),
            question: (*text).to_owned(),
            ..Example::default()
        };
        let examples: Vec<Example> = (1..).zip(texts).map(example).collect();
        let mut failures = Vec::new();
        for shown in [&[][..], &passages] {
            let requests: Vec<Request<'_>> =
                examples.iter().map(|example| Request { example, passages: shown }).collect();
            let given = reader.read(&requests);
            let answer = requests::encode_answer(&given, requests.len())?;
            let decoded = requests::decode_answer(&answer, requests.len())?;
            failures.extend(all_failures(given.into_iter().chain(decoded)));
        }
        Ok(failures)
    };
    Check { what: "odd questions for the reader".to_owned(), problems: of_questions(ask) }
}

/// Failures other than that a component refuses something, which it may.
fn all_failures<T>(answers: impl Iterator<Item = Result<T, Failure>>) -> Vec<Failure> {
    answers.filter_map(Result::err).filter(|failure| failure.kind != FailureKind::Refused).collect()
}

/// Asks odd questions; `ask` gives the failures of single ones, or that of the batch.
fn of_questions(mut ask: impl FnMut(&[&str]) -> Result<Vec<Failure>, Failure>) -> Vec<String> {
    let odd = odd_texts();
    let all: Vec<&str> = odd.iter().map(|(_, text)| text.as_str()).collect();
    let mut batches: Vec<(&str, Vec<&str>)> =
        odd.iter().map(|(what, text)| (what.as_str(), vec![text.as_str()])).collect();
    batches.push(("all odd questions in one batch", all));
    batches.push(("an empty batch", Vec::new()));
    let mut problems = Vec::new();
    for (what, texts) in batches {
        let failures = ask(&texts).unwrap_or_else(|failure| vec![failure]);
        problems.extend(failures.first().map(|failure| format!("{what}: {failure}")));
    }
    problems
}

/// What is wrong with what becomes of texts: together, each alone, and all again.
fn same_alone(normalizer: &(impl Normalizer + ?Sized), given: &[&str]) -> Vec<String> {
    let together = match normalised(normalizer, given) {
        Ok(together) => together,
        Err(failure) => return vec![format!("all in one batch: {failure}")],
    };
    let mut problems = Vec::new();
    for (text, expected) in given.iter().zip(&together) {
        let shown: String = text.chars().take(40).collect();
        match normalised(normalizer, &[text]) {
            Err(failure) => problems.push(format!("{shown:?}: {failure}")),
            Ok(alone) if alone != [expected.as_str()] => {
                problems.push(format!("{shown:?} becomes another text in a batch"));
            }
            Ok(_) => {}
        }
    }
    if normalised(normalizer, given).as_ref() != Ok(&together) {
        problems.push("the same batch becomes other texts the second time".to_owned());
    }
    problems
}

/// What becomes of texts, checked as on the way back from a plugin.
fn normalised(
    normalizer: &(impl Normalizer + ?Sized),
    given: &[&str],
) -> Result<Vec<String>, Failure> {
    let normalised = normalizer.normalize(given)?;
    let answer = texts::encode(normalised.iter().map(String::as_str))?;
    texts::decode_answer(&answer, given.len())?;
    Ok(normalised)
}

#[cfg(test)]
mod tests {
    use qeval_core::{Prediction, Ranking};

    use super::*;
    use crate::Descriptor;

    /// A component that is good unless a number says what is wrong.
    struct Odd(u8);

    impl Normalizer for Odd {
        fn descriptor(&self) -> Descriptor {
            Descriptor::new("odd", "1", "")
        }

        fn normalize(&self, texts: &[&str]) -> Result<Vec<String>, Failure> {
            match self.0 {
                1 => Ok(texts.iter().map(|text| format!("{text}{}", texts.len())).collect()),
                2 => Ok(texts.iter().skip(1).map(|&text| text.to_owned()).collect()),
                _ => Ok(texts.iter().map(|text| text.to_lowercase()).collect()),
            }
        }
    }

    impl Retriever for Odd {
        fn descriptor(&self) -> Descriptor {
            Descriptor::new("odd", "1", "")
        }

        fn retrieve(
            &self,
            queries: &[Query<'_>],
            _: usize,
        ) -> Vec<Result<Option<Ranking>, Failure>> {
            let kind = if self.0 == 1 { FailureKind::Crash } else { FailureKind::Refused };
            let found = queries.iter().map(|query| match query.text {
                "" => Err(Failure::new(kind, "no words")),
                _ => Ok(Some(Ranking::default())),
            });
            found.skip((self.0 == 2).into()).collect()
        }
    }

    impl Reader for Odd {
        fn descriptor(&self) -> Descriptor {
            Descriptor::new("odd", "1", "")
        }

        fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>> {
            let confidence = (self.0 == 1).then_some(f64::NAN);
            let answer = Prediction { confidence, ..Prediction::answer("a") };
            requests.iter().map(|_| Ok(Some(answer.clone()))).collect()
        }
    }

    #[test]
    fn problems_of_normalizers_are_told() {
        let examples = [("A".to_owned(), "a".to_owned()), ("B".to_owned(), "c".to_owned())];
        let problems = |odd| -> Vec<String> {
            let checks = check_normalizer("odd", &Odd(odd), &examples);
            checks.into_iter().flat_map(|check| check.problems).collect()
        };
        assert_eq!(problems(0), ["worked example 2: \"B\" becomes \"b\", expected \"c\""]);
        assert!(problems(1).iter().any(|p| p == "\"A\" becomes another text in a batch"));
        assert!(problems(2)[0].starts_with("all in one batch: "), "{:?}", problems(2));
    }

    #[test]
    fn problems_of_retrievers_and_readers_are_told() {
        assert_eq!(check_retriever(&Odd(0)).problems, [""; 0]);
        assert_eq!(check_retriever(&Odd(1)).problems[0], "no text: crash: no words");
        assert!(check_retriever(&Odd(2)).problems[0].contains("0 rankings for 1 questions"));
        assert_eq!(check_reader(&Odd(0)).problems, [""; 0]);
        assert!(check_reader(&Odd(1)).problems[0].contains("confidence"));
    }
}
