//! Readers that several threads ask at the same time.

use std::{sync::Barrier, thread, time::Duration};

use qeval_endpoint::Spent;
use qeval_sdk::core::{Example, Prediction};

use super::*;
use crate::builtin::live::Arrived;

/// Answers with the question, slowly, and notes what it was asked.
#[derive(Default)]
struct Echo {
    asked: Mutex<Vec<String>>,
}

impl Reader for Echo {
    fn descriptor(&self) -> Descriptor {
        Descriptor {
            name: "echo".to_owned(),
            version: "1".to_owned(),
            summary: "says what it is asked".to_owned(),
        }
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Answered> {
        super::super::live::read_all(self, requests)
    }
}

impl Live for Echo {
    fn question(&self, request: &Request<'_>) -> Value {
        request.example.question.as_str().into()
    }

    fn ask_each(&self, requests: &[Request<'_>], arrived: &mut Arrived<'_>) {
        for (index, request) in requests.iter().enumerate() {
            let question = &request.example.question;
            self.asked.lock().unwrap().push(question.clone());
            thread::sleep(Duration::from_millis(1));
            let answer = match question.as_str() {
                "fails" => Err(Failure::new(FailureKind::Crash, "it fails")),
                "panics" => panic!("it panics"),
                "nothing" => Ok(None),
                text => Ok(Some(Prediction::answer(text))),
            };
            if !arrived(vec![Arrival { index, answer, spent: Spent::default() }]) {
                return;
            }
        }
    }
}

fn example(question: &str) -> Example {
    Example { question: question.to_owned(), ..Example::default() }
}

/// Asks these questions; the texts of the answers.
fn ask(reader: &InStage, questions: &[&str]) -> Vec<Result<Option<String>, String>> {
    let examples: Vec<Example> = questions.iter().map(|question| example(question)).collect();
    let requests: Vec<Request<'_>> =
        examples.iter().map(|example| Request { example, passages: &[] }).collect();
    let answers = reader.read(&requests).into_iter();
    let text = |answer: Answered| match answer {
        Ok(prediction) => Ok(prediction.map(|prediction| prediction.text)),
        Err(failure) => Err(failure.message),
    };
    answers.map(text).collect()
}

fn journaled(results: &Path) -> (Arc<Echo>, InStage) {
    let echo = Arc::new(Echo::default());
    let journaled = Arc::new(Journaled::new(Box::new(|| "echo".into())));
    journaled.open(results, false).unwrap();
    let reader = InStage { journaled, live: Arc::clone(&echo) as Arc<dyn Live>, place: 0 };
    (echo, reader)
}

#[test]
fn a_question_is_asked_once_and_a_failure_again() {
    let folder = tempfile::tempdir().unwrap();
    let (echo, reader) = journaled(folder.path());
    let questions = ["a", "fails", "a", "nothing", "fails", "b"];
    let [a, b] = ["a", "b"].map(|text| Ok(Some(text.to_owned())));
    let fails = Err("it fails".to_owned());
    let expected = [a.clone(), fails.clone(), a, Ok(None), fails, b];
    assert_eq!(ask(&reader, &questions), expected);
    assert_eq!(*echo.asked.lock().unwrap(), ["a", "fails", "nothing", "b"]);
    assert_eq!(ask(&reader, &questions), expected);
    assert_eq!(*echo.asked.lock().unwrap(), ["a", "fails", "nothing", "b", "fails"]);
    assert_eq!(reader.journaled.needed(), Some(Needed { asked: 5, kept: 3, earlier: [0, 0] }));
    reader.journaled.close();

    let (echo, reader) = journaled(folder.path());
    assert_eq!(ask(&reader, &questions), expected);
    assert_eq!(*echo.asked.lock().unwrap(), ["fails"]);
    assert_eq!(reader.journaled.needed(), Some(Needed { asked: 1, kept: 0, earlier: [3, 0] }));
}

#[test]
fn threads_wait_for_what_another_one_asks() {
    let folder = tempfile::tempdir().unwrap();
    let (echo, reader) = journaled(folder.path());
    let texts: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    let questions: Vec<&str> = texts.iter().map(String::as_str).collect();
    let begin = Barrier::new(4);
    thread::scope(|scope| {
        for thread in 0..4 {
            let (reader, begin, mut questions) = (&reader, &begin, questions.clone());
            scope.spawn(move || {
                // Each in another order, so that all wait for all.
                questions.rotate_left(thread * 10);
                begin.wait();
                for answers in [ask(reader, &questions[..25]), ask(reader, &questions)] {
                    for (answer, question) in answers.into_iter().zip(&questions) {
                        assert_eq!(answer, Ok(Some((*question).to_owned())));
                    }
                }
            });
        }
    });
    let mut asked = echo.asked.lock().unwrap().clone();
    asked.sort_by_key(|text| text.parse::<u32>().unwrap());
    assert_eq!(asked, texts);
}

#[test]
fn nobody_waits_for_a_reader_that_has_panicked() {
    let folder = tempfile::tempdir().unwrap();
    let (echo, reader) = journaled(folder.path());
    thread::scope(|scope| {
        let panics = scope.spawn(|| ask(&reader, &["a", "panics", "b"]));
        assert!(panics.join().is_err());
    });
    assert_eq!(ask(&reader, &["a", "b"]).len(), 2);
    assert_eq!(*echo.asked.lock().unwrap(), ["a", "panics", "b"]);
}
