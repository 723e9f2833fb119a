//! How fast a plugin scores many cases, in batches of several sizes.

use std::time::{Duration, Instant};

use qeval_sdk::{Failure, Scorer, WorkedExample};

/// The batch sizes that are measured: the middle one is that of evaluations with child processes.
const BATCHES: [usize; 3] = [64, 512, 8192];

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

/// Scores `cases` cases in batches of several sizes, of which none has more than there are; of fewer
/// than the smallest size there is one batch.
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
    sizes(cases).into_iter().map(speed).collect()
}

fn sizes(cases: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = BATCHES.into_iter().filter(|&batch| batch <= cases).collect();
    if sizes.is_empty() {
        sizes.push(cases);
    }
    sizes
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_batch_has_more_cases_than_there_are() {
        assert_eq!(sizes(2000), [64, 512]);
        assert_eq!(sizes(8192), [64, 512, 8192]);
        assert_eq!(sizes(10), [10]);
    }
}
