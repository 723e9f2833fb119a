//! A part of the examples: the first ones, or a random sample.

use std::{collections::BTreeMap, num::NonZeroU64};

use qeval_core::{Example, stats::lot};
use qeval_dataset::{Error, Record, Records};

use crate::{Plan, plan::DatasetPlan};

/// Records that are looked at together.
const BATCH: usize = 256;

/// Which examples of each dataset are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The first ones, at most so many.
    First(NonZeroU64),
    /// So many, drawn at random by the seed of the evaluation: whether one is drawn depends on its
    /// id and on those of the others, never on their order. Dialogs are drawn whole, so the last of
    /// them may make it a few more.
    Sample(NonZeroU64),
}

/// The examples that are evaluated, in the order of the dataset.
pub(crate) struct Chosen {
    records: Records,
    rule: Rule,
    /// Records that were read with those of the last batch.
    ahead: Vec<Record>,
}

enum Rule {
    All,
    /// So many more.
    First(u64),
    /// Those whose lot is not above this one; it is drawn for the seed.
    UpTo(Lot, u64),
}

/// A number that was drawn for an example or a dialog, and its name, which decides between equal
/// numbers.
type Lot = (u64, String);

impl Plan {
    /// The examples of a dataset that are evaluated, in its order.
    pub(crate) fn chosen(&self, dataset: &DatasetPlan) -> Result<Chosen, Error> {
        let open = || Ok(dataset.records()?.spilling(&self.results));
        Chosen::new(self.part, self.intervals.seed, open)
    }

    /// How many examples are evaluated, which is counted in their files; `None` where `stop` ends it
    /// before, or where a file cannot be read.
    pub fn count_examples(&self, stop: &dyn Fn() -> bool) -> Option<u64> {
        let mut count = 0;
        let mut records = Vec::new();
        for dataset in &self.datasets {
            let mut ids = self.chosen_ids(dataset).ok()?;
            loop {
                ids.refill(&mut records, BATCH).ok()?;
                if stop() {
                    return None;
                }
                if records.is_empty() {
                    break;
                }
                count += records.len() as u64;
            }
        }
        Some(count)
    }

    /// The examples with their ids alone, where no more decides which they are.
    pub(crate) fn chosen_ids(&self, dataset: &DatasetPlan) -> Result<Chosen, Error> {
        match self.part {
            // The turns of a dialog are drawn together.
            Some(Part::Sample(_)) => self.chosen(dataset),
            None | Some(Part::First(_)) => {
                Chosen::new(self.part, self.intervals.seed, || dataset.ids())
            }
        }
    }
}

impl Chosen {
    /// The examples of a dataset, which is read twice for a sample. Memory is bounded by the size of
    /// the sample.
    pub(crate) fn new(
        part: Option<Part>,
        seed: u64,
        open: impl Fn() -> Result<Records, Error>,
    ) -> Result<Self, Error> {
        let rule = match part {
            None => Rule::All,
            Some(Part::First(most)) => Rule::First(most.get()),
            Some(Part::Sample(size)) => {
                highest(open()?, size.get(), seed)?.map_or(Rule::All, |lot| Rule::UpTo(lot, seed))
            }
        };
        Ok(Self { records: open()?, rule, ahead: Vec::new() })
    }

    /// Replaces the records by the next ones, `most` at the most; none is left at the end.
    pub(crate) fn refill(&mut self, records: &mut Vec<Record>, most: usize) -> Result<(), Error> {
        match &mut self.rule {
            Rule::All => self.records.refill(records, most),
            Rule::First(left) => {
                let most = usize::try_from(*left).unwrap_or(usize::MAX).min(most);
                self.records.refill(records, most)?;
                *left -= records.len() as u64;
                Ok(())
            }
            Rule::UpTo(highest, seed) => {
                let (highest, seed) = (&*highest, *seed);
                let mut read = Vec::new();
                while self.ahead.len() < most {
                    self.records.refill(&mut read, BATCH)?;
                    if read.is_empty() {
                        break;
                    }
                    self.ahead.extend(read.drain(..).filter(|r| of(&r.example, seed) <= *highest));
                }
                records.clear();
                records.extend(self.ahead.drain(..most.min(self.ahead.len())));
                Ok(())
            }
        }
    }
}

/// The highest lot of a sample; `None` if all examples are in it.
fn highest(mut records: Records, size: u64, seed: u64) -> Result<Option<Lot>, Error> {
    // Examples of each lot. A lot that was left out once never comes back: there are enough below it.
    let mut drawn: BTreeMap<Lot, u64> = BTreeMap::new();
    let mut count = 0;
    let mut out: Option<Lot> = None;
    let mut batch = Vec::new();
    loop {
        records.refill(&mut batch, BATCH)?;
        if batch.is_empty() {
            break;
        }
        for record in &batch {
            let lot = of(&record.example, seed);
            if out.as_ref().is_some_and(|out| lot >= *out) {
                continue;
            }
            *drawn.entry(lot).or_default() += 1;
            count += 1;
            while let Some(last) = drawn.last_entry().filter(|last| count - last.get() >= size) {
                let (lot, examples) = last.remove_entry();
                count -= examples;
                out = Some(lot);
            }
        }
    }
    Ok(out.and(drawn.pop_last()).map(|(lot, _)| lot))
}

/// The lot of an example, which the turns of a dialog have in common.
fn of(example: &Example, seed: u64) -> Lot {
    let dialog = example.turn.and(example.group.as_ref());
    let name = dialog.unwrap_or(&example.id);
    (lot(seed, name), name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(examples: &[Example], part: Part, seed: u64, batch: usize) -> Vec<String> {
        let open = || {
            let records = examples.iter().cloned().map(Record::from).collect();
            Ok(Records::of("examples", records))
        };
        let mut chosen = Chosen::new(Some(part), seed, open).unwrap();
        let (mut ids, mut records) = (Vec::new(), Vec::new());
        loop {
            chosen.refill(&mut records, batch).unwrap();
            if records.is_empty() {
                return ids;
            }
            assert!(records.len() <= batch);
            ids.extend(records.iter().map(|record| record.example.id.clone()));
        }
    }

    fn sample(size: u64) -> Part {
        Part::Sample(NonZeroU64::new(size).unwrap())
    }

    fn examples(count: usize) -> Vec<Example> {
        let example = |n| Example { id: format!("q{n}"), ..Example::default() };
        (0..count).map(example).collect()
    }

    #[test]
    fn a_sample_has_its_size_and_the_order_of_the_dataset() {
        let all = examples(1000);
        for size in [1, 2, 255, 256, 257, 999, 1000, 1001] {
            let found = chosen(&all, sample(size), 7, 100);
            assert_eq!(found.len() as u64, size.min(1000), "{size}");
            let order = |id: &String| id[1..].parse::<usize>().unwrap();
            assert!(found.is_sorted_by_key(order), "{size}");
        }
        // A larger one has the examples of a smaller one, another seed has others.
        let (small, large) = (chosen(&all, sample(50), 7, 100), chosen(&all, sample(80), 7, 9));
        assert!(small.iter().all(|id| large.contains(id)));
        assert_ne!(small, chosen(&all, sample(50), 8, 100));
        let mut reversed = all.clone();
        reversed.reverse();
        let mut found = chosen(&reversed, sample(50), 7, 100);
        found.reverse();
        assert_eq!(found, small);
    }

    #[test]
    fn every_example_is_drawn_as_often_as_any_other() {
        let all = examples(20);
        let mut times = [0; 20];
        for seed in 0..2000 {
            for id in chosen(&all, sample(5), seed, 20) {
                times[id[1..].parse::<usize>().unwrap()] += 1;
            }
        }
        // Five standard deviations around 500.
        assert!(times.iter().all(|time| (400..600).contains(time)), "{times:?}");
    }

    #[test]
    fn dialogs_are_drawn_whole() {
        // Turns of several dialogs may alternate.
        let turn = |n: usize| Example {
            id: format!("d{}_{}", n % 9, n / 9),
            group: Some(format!("d{}", n % 9)),
            turn: u32::try_from(n / 9).ok(),
            ..Example::default()
        };
        let all: Vec<Example> = (0..63).map(turn).collect();
        for (size, expected) in [(1, 7), (7, 7), (8, 14), (21, 21), (62, 63), (80, 63)] {
            let found = chosen(&all, sample(size), 3, 10);
            assert_eq!(found.len(), expected, "{size}");
            for id in &found {
                let turns = found.iter().filter(|other| other[..2] == id[..2]).count();
                assert_eq!(turns, 7, "{id}");
            }
        }
    }

    #[test]
    fn the_first_ones_are_the_first_ones() {
        let part = Part::First(NonZeroU64::new(5).unwrap());
        assert_eq!(chosen(&examples(9), part, 0, 2), ["q0", "q1", "q2", "q3", "q4"]);
        assert_eq!(chosen(&examples(3), part, 0, 2).len(), 3);
    }
}
