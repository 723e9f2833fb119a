//! How often our intervals hold the truth, on evaluations made by lot.

use qeval_core::{
    Estimator, Interval,
    stats::{Column, IntervalMethod, Intervals, estimate},
};
use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use crate::Error;

/// Evaluations of each case.
const EVALUATIONS: u64 = 2000;

/// Evaluations of shares of few examples, whose coverage goes up and down with p.
const OF_SHARES: u64 = 20_000;

/// Evaluations from which the truth is taken where no formula gives it.
const EXAMPLES: usize = 4_000_000;

/// An example: its score and its group, if it has one.
type Example = (f64, Option<usize>);

/// What evaluations are drawn from.
struct Case {
    name: String,
    n: usize,
    truth: f64,
    evaluations: u64,
    draw: Box<dyn Fn(usize, &mut Pcg64Mcg) -> Vec<Example>>,
}

/// Prints, for each case and method, the share of the intervals that hold the truth, in per cent.
pub(crate) fn run() -> Result<(), Error> {
    println!("{:<36} {:>6} {:>6}   auto   bca  percentile", "case", "n", "truth");
    for case in cases() {
        let shares = IntervalMethod::ALL.map(|method| 100.0 * case.coverage(method));
        let [auto, percentile, bca] = shares;
        println!(
            "{:<36} {:>6} {:>6.3}  {auto:>5.1} {bca:>5.1}  {percentile:>10.1}",
            case.name, case.n, case.truth
        );
    }
    Ok(())
}

impl Case {
    /// The share of the intervals that hold the truth. An evaluation without an interval has none
    /// that does.
    fn coverage(&self, method: IntervalMethod) -> f64 {
        let holds = |seed| {
            let mut stream = Pcg64Mcg::seed_from_u64(seed);
            let examples = (self.draw)(self.n, &mut stream);
            let names: Vec<String> = (0..self.n).map(|group| group.to_string()).collect();
            let named = |(score, group): Example| (Some(score), group.map(|g| names[g].as_str()));
            let column = Column {
                name: "score",
                estimator: Estimator::Mean,
                range: (0.0, 1.0),
                higher_is_better: true,
                intervals: Intervals { method, ..Intervals::auto(seed) },
            };
            let found = estimate(column, examples.into_iter().map(named));
            let inside = |interval: Interval| {
                // Truth and ends are made by sums in other orders.
                interval.low - 1e-12 <= self.truth && self.truth <= interval.high + 1e-12
            };
            found.interval.is_some_and(inside)
        };
        (0..self.evaluations).filter(|&seed| holds(seed)).count() as f64 / self.evaluations as f64
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for n in [20, 100, 1000] {
        for p in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
            if n == 20 || [0.1, 0.5, 0.9].contains(&p) {
                let share = independent(format!("0/1, p = {p}"), n, p, move |stream| {
                    f64::from(u8::from(uniform(stream) < p))
                });
                let evaluations = if n <= 100 { OF_SHARES } else { EVALUATIONS };
                cases.push(Case { evaluations, ..share });
            }
        }
    }
    for n in [20, 100, 1000] {
        for (zeros, ones) in [(0.3, 0.4), (0.6, 0.1), (0.1, 0.8)] {
            // The rest is uniform.
            let truth = ones + (1.0 - zeros - ones) / 2.0;
            let name = format!("F1, {zeros} wrong and {ones} right");
            cases.push(independent(name, n, truth, move |stream| match uniform(stream) {
                u if u < zeros => 0.0,
                u if u < zeros + ones => 1.0,
                _ => uniform(stream),
            }));
        }
        for (values, name) in [
            ([0.0, 0.0, 0.0, 0.5, 1.0], "five values, mostly 0"),
            ([0.0, 0.5, 0.5, 0.5, 1.0], "five values, mostly 0.5"),
        ] {
            let truth = values.iter().sum::<f64>() / 5.0;
            cases.push(independent(format!("ties: {name}"), n, truth, move |stream| {
                values[(uniform(stream) * 5.0) as usize]
            }));
        }
        cases.push(independent("skewed: the cube of a uniform".into(), n, 0.25, |stream| {
            uniform(stream).powi(3)
        }));
    }
    for groups in [10, 20, 30, 50, 200] {
        cases.push(grouped("groups of 5", groups, |_, _| 5));
        cases.push(grouped("groups of 1 to 9", groups, |_, stream| {
            1 + (uniform(stream) * 9.0) as usize
        }));
        cases.push(grouped("groups, better ones larger", groups, |quality, stream| {
            1 + (uniform(stream) * (2.0 + 10.0 * quality)) as usize
        }));
    }
    cases
}

fn independent(
    name: String,
    n: usize,
    truth: f64,
    score: impl Fn(&mut Pcg64Mcg) -> f64 + 'static,
) -> Case {
    let draw =
        Box::new(move |n, stream: &mut Pcg64Mcg| (0..n).map(|_| (score(stream), None)).collect());
    Case { name, n, truth, evaluations: EVALUATIONS, draw }
}

/// Groups whose answers are right with a probability of their own, uniform from 0.2 to 1.
fn grouped(
    name: &str,
    groups: usize,
    size: impl Fn(f64, &mut Pcg64Mcg) -> usize + Copy + 'static,
) -> Case {
    let draw = move |groups: usize, stream: &mut Pcg64Mcg| {
        let mut examples: Vec<Example> = Vec::new();
        for group in 0..groups {
            let quality = 0.2 + 0.8 * uniform(stream);
            for _ in 0..size(quality, stream) {
                examples.push((f64::from(u8::from(uniform(stream) < quality)), Some(group)));
            }
        }
        examples
    };
    let mut stream = Pcg64Mcg::seed_from_u64(u64::MAX);
    let (mut n, mut sum) = (0, 0.0);
    while n < EXAMPLES {
        let examples = draw(1000, &mut stream);
        n += examples.len();
        sum += examples.iter().map(|example| example.0).sum::<f64>();
    }
    Case {
        name: name.to_owned(),
        n: groups,
        truth: sum / n as f64,
        evaluations: EVALUATIONS,
        draw: Box::new(draw),
    }
}

fn uniform(stream: &mut Pcg64Mcg) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
