//! Several evaluations side by side: which of their rows are about the same example.

use crate::{Evaluation, ReadError, Scores};

/// The examples that several evaluations share, by dataset and id.
///
/// Scores of different evaluations are compared only through this: a row of the one says nothing of
/// the row with the same number in another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// For each evaluation the rows of the shared examples, in the order of the examples.
    rows: Vec<Vec<u32>>,
    /// For each evaluation how many examples it has in all.
    examples: Vec<u64>,
    /// For each shared example the number of its dialog or document; `None` where no two examples have
    /// the same one.
    groups: Option<Vec<u32>>,
}

impl Pairing {
    /// Finds the examples that all of these evaluations have. Where some have several datasets, an
    /// example is that of the dataset of the same name; otherwise names do not matter.
    ///
    /// # Errors
    ///
    /// When the scores of an evaluation cannot be read.
    pub fn of(evaluations: &[&Evaluation]) -> Result<Self, ReadError> {
        let scores = evaluations.iter().map(|evaluation| evaluation.scores(&[]));
        let scores = scores.collect::<Result<Vec<Scores>, _>>()?;
        let named = scores.iter().any(|scores| scores.datasets.is_some());
        let sides: Vec<Side<'_>> = scores
            .iter()
            .zip(evaluations)
            .map(|(scores, evaluation)| {
                let only = evaluation.manifest().datasets.first().map(|info| info.name.as_str());
                Side { scores, only: only.filter(|_| named) }
            })
            .collect();
        let rows = shared(&sides);
        // Those of the first evaluation that knows of some: examples are no more independent because
        // another file does not say where they belong.
        let groups =
            sides.iter().zip(&rows).find_map(|(side, rows)| side.scores.group_numbers(rows));
        let examples = scores.iter().map(|scores| scores.len() as u64).collect();
        Ok(Self { rows, examples, groups })
    }

    /// Number of shared examples.
    pub fn len(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Whether no example is shared.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of the shared examples in [`scores`](Evaluation::scores) of an evaluation, by its
    /// place among those that were paired. Panics past the last one.
    pub fn rows(&self, evaluation: usize) -> &[u32] {
        &self.rows[evaluation]
    }

    /// How many examples an evaluation has, shared or not. Panics past the last one.
    pub fn examples(&self, evaluation: usize) -> u64 {
        self.examples[evaluation]
    }

    /// Whether each evaluation has the shared examples and no others.
    pub fn is_complete(&self) -> bool {
        self.examples.iter().all(|&examples| examples == self.len() as u64)
    }

    /// For each shared example the number of its dialog or document, as the first evaluation has
    /// them; `None` where all examples are independent.
    pub fn groups(&self) -> Option<&[u32]> {
        self.groups.as_deref()
    }
}

/// The examples of one evaluation.
struct Side<'a> {
    scores: &'a Scores,
    /// The name of its only dataset, where names matter.
    only: Option<&'a str>,
}

impl<'a> Side<'a> {
    /// What a row is about; rows are in the order of their keys.
    fn key(&self, row: usize) -> (Option<&'a str>, &'a str) {
        let dataset = self.scores.datasets.as_ref().map_or(self.only, |names| names.get(row));
        (dataset, self.scores.ids.get(row))
    }
}

/// The rows of the keys that all sides have: a merge, since all are in the order of their keys.
fn shared(sides: &[Side<'_>]) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new(); sides.len()];
    let mut places = vec![0; sides.len()];
    loop {
        let mut highest = None;
        for (side, &place) in sides.iter().zip(&places) {
            if place == side.scores.len() {
                return rows;
            }
            highest = highest.max(Some(side.key(place)));
        }
        let Some(highest) = highest else { return rows };
        let mut behind = false;
        for (side, place) in sides.iter().zip(&mut places) {
            if side.key(*place) < highest {
                *place += 1;
                behind = true;
            }
        }
        if behind {
            continue;
        }
        for (rows, place) in rows.iter_mut().zip(&mut places) {
            rows.push(u32::try_from(*place).expect("there are fewer than 2^32 examples"));
            *place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EvaluationId, Layout, Manifest, Row, Writer};

    fn evaluation(
        results: &std::path::Path,
        label: &str,
        rows: &[(&str, Option<&str>)],
    ) -> Evaluation {
        let id = EvaluationId::new(label, "0123456789ab");
        let layout = Layout { groups: true, ..Layout::default() };
        let mut writer = Writer::create(results, &id, layout).unwrap();
        let rows: Vec<Row<'_>> = rows
            .iter()
            .map(|&(example_id, group_id)| Row { example_id, group_id, ..Row::default() })
            .collect();
        writer.append(&rows).unwrap();
        Evaluation::open(&writer.finish(Manifest::default()).unwrap()).unwrap()
    }

    #[test]
    fn what_all_have_is_shared() {
        let results = tempfile::tempdir().unwrap();
        let of = |label, ids: &[&str]| {
            let rows: Vec<_> = ids.iter().map(|&id| (id, None)).collect();
            evaluation(results.path(), label, &rows)
        };
        let (a, b) = (of("a", &["1", "2", "4", "9"]), of("b", &["0", "2", "3", "9"]));
        let c = of("c", &["9", "4", "2"]);
        let pairing = Pairing::of(&[&a, &b, &c]).unwrap();
        assert_eq!((pairing.len(), pairing.is_complete()), (2, false));
        assert_eq!([0, 1, 2].map(|place| pairing.rows(place).to_vec()), [[1, 3], [1, 3], [0, 2]]);
        assert_eq!([0, 1, 2].map(|place| pairing.examples(place)), [4, 4, 3]);
        assert_eq!(pairing.groups(), None);
        assert!(Pairing::of(&[&a, &a]).unwrap().is_complete());
        assert!(Pairing::of(&[&a, &of("d", &["7"])]).unwrap().is_empty());
        assert!(Pairing::of(&[]).unwrap().is_empty());
    }

    #[test]
    fn groups_are_numbered_and_what_has_none_is_alone() {
        let results = tempfile::tempdir().unwrap();
        let rows = [("1", Some("x")), ("2", None), ("3", Some("x")), ("4", None), ("5", Some("y"))];
        let a = evaluation(results.path(), "a", &rows);
        let pairing = Pairing::of(&[&a, &a]).unwrap();
        assert_eq!(pairing.groups(), Some(&[0, 1, 0, 2, 3][..]));
    }
}
