//! How fast a plugin scores many cases, in batches of several sizes.

use std::time::{Duration, Instant};

use qeval_sdk::{Failure, Scorer, WorkedExample};

/// The batch sizes that are measured.
const BATCHES: [usize; 3] = [64, 1024, 8192];

/// How long it took to score some cases.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Cases in a batch.
    pub batch: usize,
    /// Cases in all.
    pub cases: usize,
    /// Time from the first batch to the last answer, on one thread.
    pub time: Duration,
}

/// Scores `cases` cases in batches of several sizes.
pub fn speeds(scorer: &dyn Scorer, cases: usize) -> Result<Vec<Speed>, Failure> {
    let speed = |batch: usize| {
        let owned = WorkedExample::cases(&examples(batch.min(cases)));
        let begin = Instant::now();
        let mut done = 0;
        while done < cases {
            let scored = owned.with_cases(|all| {
                let batch = &all[..all.len().min(cases - done)];
                scorer.score(batch).map(|_| batch.len())
            })?;
            done += scored;
        }
        Ok(Speed { batch, cases, time: begin.elapsed() })
    };
    BATCHES.into_iter().map(speed).collect()
}

/// Cases like those of open question answering: short answers, one or two references.
fn examples(count: usize) -> Vec<WorkedExample> {
    let example = |number: usize| WorkedExample {
        question: format!("What is the answer to question {number}?"),
        prediction: Some(format!("the answer {}", number % 1000)),
        references: vec![format!("answer {}", number % 999), format!("reply {number}")],
        context: Some(format!("It is known that the answer is {number}.")),
        passages: vec![format!("passage {number} holds the answer {number}")],
        ..WorkedExample::default()
    };
    (0..count).map(example).collect()
}
