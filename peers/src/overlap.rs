//! Pairs of texts, scored with our metrics and with the crate `rougers` in turns.

use std::fs;

use qeval_core::{Case, Example, Metric, Prediction};
use rougers::RougeScorer;
use serde::Deserialize;

use crate::{Error, cpu};

/// How often each side scores all pairs; the fastest counts.
const ROUNDS: usize = 5;

#[derive(Deserialize)]
struct Pair {
    reference: String,
    prediction: String,
}

/// `what` is `rouge`, `rouge-stemmed` or `bleu`, which has no other side. The file has an object
/// with `reference` and `prediction` on each line.
pub(crate) fn run(what: &str, file: &str) -> Result<(), Error> {
    let text = fs::read_to_string(file)?;
    let pairs: Vec<Pair> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let (names, stem): (&[&str], bool) = match what {
        "rouge" => (&["ROUGE-1", "ROUGE-2", "ROUGE-L"], false),
        "rouge-stemmed" => (&["ROUGE-1(stem=yes)", "ROUGE-2(stem=yes)", "ROUGE-L(stem=yes)"], true),
        "bleu" => (&["BLEU"], false),
        _ => return Err(format!("there is no `{what}`").into()),
    };
    let ours = Ours::new(names, &pairs)?;
    let theirs = RougeScorer::new(["rouge1", "rouge2", "rougeL"], stem)?;
    let (mut fastest, mut sums) = ([f64::INFINITY; 2], [0.0; 2]);
    for _ in 0..ROUNDS {
        for side in 0..2 {
            let start = cpu()?;
            sums[side] = match side {
                0 => ours.score(),
                _ if what == "bleu" => sums[0],
                _ => pairs.iter().map(|pair| score(&theirs, pair)).sum(),
            };
            fastest[side] = fastest[side].min(cpu()? - start);
        }
    }
    // What is measured must be the same work.
    if (sums[0] - sums[1]).abs() > 1e-6 * sums[0].abs() {
        return Err(format!("the scores differ: {} and {}", sums[0], sums[1]).into());
    }
    println!("{} {}", fastest[0], fastest[1]);
    Ok(())
}

/// Our metrics, with the pairs as examples.
struct Ours {
    metrics: Vec<Metric>,
    cases: Vec<(Example, Prediction)>,
}

impl Ours {
    fn new(names: &[&str], pairs: &[Pair]) -> Result<Self, Error> {
        let metrics = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
        let case = |pair: &Pair| {
            let references = vec![pair.reference.as_str().into()];
            let example = Example { references, ..Example::default() };
            (example, Prediction::answer(pair.prediction.as_str()))
        };
        Ok(Self { metrics, cases: pairs.iter().map(case).collect() })
    }

    /// The sum of all scores. A metric that pools counts the statistics, and not their end.
    fn score(&self) -> f64 {
        let mut sum = 0.0;
        for (example, prediction) in &self.cases {
            let case = Case::new(example).with_prediction(prediction);
            for metric in &self.metrics {
                sum += match metric.pooled() {
                    Some(pooled) => (pooled.of)(metric, &case).map_or(0.0, |all| all.iter().sum()),
                    None => metric.score(&case).unwrap_or_default(),
                };
            }
        }
        sum
    }
}

fn score(scorer: &RougeScorer, pair: &Pair) -> f64 {
    let scores = scorer.score(&pair.reference, &pair.prediction);
    scores.iter().map(|(_, score)| score.fmeasure).sum()
}
