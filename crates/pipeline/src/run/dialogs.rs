//! Dialogs whose later turns are asked with the reader's own answers to the earlier ones.

use std::collections::HashMap;

use qeval_core::{Example, Exchange, Passage};
use qeval_dataset::Record;
use qeval_sdk::{Reader, Request};

use crate::builtin::live::Answered;

/// The dialogs of one system in one stage, as far as they have come.
///
/// All that a reader has said in any dialog is in memory until the end: nobody knows which dialogs go on.
#[derive(Debug, Default)]
pub(crate) struct Dialogs {
    /// By dataset and group.
    open: HashMap<(Option<String>, String), Dialog>,
}

#[derive(Debug, Default)]
struct Dialog {
    /// The last turn that was asked, where it has a number.
    turn: Option<u32>,
    history: Vec<Exchange>,
}

/// A turn that stands behind a later one of its dialog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "turn {turn} of the dialog `{group}` (example `{example}`) stands behind its turn {last}, but with \
     `history = \"own\"` a reader is asked in the order of the dataset"
)]
pub struct TurnOrder {
    /// The group of the example.
    pub group: String,
    /// Its id.
    pub example: String,
    /// Its turn.
    pub turn: u32,
    /// The turn before it in the dataset.
    pub last: u32,
}

impl Dialogs {
    /// Goes on with these examples, if none of them stands behind a later turn of its dialog.
    pub(super) fn go_on(&mut self, records: &[Record]) -> Result<(), TurnOrder> {
        for Record { example, .. } in records {
            let Some(key) = key(example) else { continue };
            let (group, example) = (key.1.clone(), example);
            let dialog = self.open.entry(key).or_default();
            if let (Some(turn), Some(last)) = (example.turn, dialog.turn)
                && turn <= last
            {
                return Err(TurnOrder { group, example: example.id.clone(), turn, last });
            }
            dialog.turn = example.turn.or(dialog.turn);
        }
        Ok(())
    }

    /// Asks about the examples in waves: the first wave has the next turn of each dialog, the second
    /// the one after it, and so on. A turn without an answer is left out of the history of those
    /// after it; one from which the reader abstains has an empty answer there.
    pub(super) fn ask(
        &mut self,
        reader: &dyn Reader,
        records: &[Record],
        shown: &[&[&Passage]],
    ) -> Vec<Answered> {
        let mut answers: Vec<Option<Answered>> = vec![None; records.len()];
        for wave in waves(records) {
            let examples: Vec<Example> = wave
                .iter()
                .map(|&index| {
                    let example = &records[index].example;
                    let dialog = key(example).and_then(|key| self.open.get(&key));
                    let history = dialog.map(|dialog| dialog.history.clone());
                    Example { history: history.unwrap_or_default(), ..example.clone() }
                })
                .collect();
            let requests: Vec<Request<'_>> = examples
                .iter()
                .zip(&wave)
                .map(|(example, &index)| Request { example, passages: shown[index] })
                .collect();
            for (index, answer) in wave.into_iter().zip(reader.read(&requests)) {
                let example = &records[index].example;
                if let (Some(key), Ok(Some(prediction))) = (key(example), &answer) {
                    self.open.entry(key).or_default().history.push(Exchange {
                        question: example.question.clone(),
                        answer: prediction.text.clone(),
                    });
                }
                answers[index] = Some(answer);
            }
        }
        // Too few answers are for whoever counts them.
        answers.into_iter().flatten().collect()
    }
}

/// The indexes of the examples that can be asked at the same time, in the order of the dataset.
fn waves(records: &[Record]) -> Vec<Vec<usize>> {
    let mut waves: Vec<Vec<usize>> = Vec::new();
    let mut turns: HashMap<&str, usize> = HashMap::new();
    for (index, Record { example, .. }) in records.iter().enumerate() {
        // Who belongs to no dialog is a dialog of one turn.
        let wave = example.group.as_deref().map_or(0, |group| {
            let turns = turns.entry(group).or_default();
            *turns += 1;
            *turns - 1
        });
        waves.resize_with(waves.len().max(wave + 1), Vec::new);
        waves[wave].push(index);
    }
    waves
}

fn key(example: &Example) -> Option<(Option<String>, String)> {
    Some((example.dataset.clone(), example.group.clone()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(turns: &[(&str, u32)]) -> Vec<Record> {
        let record = |&(group, turn): &(&str, u32)| Record {
            example: Example {
                id: format!("{group}{turn}"),
                group: (!group.is_empty()).then(|| group.to_owned()),
                turn: Some(turn),
                ..Example::default()
            },
            ..Record::default()
        };
        turns.iter().map(record).collect()
    }

    #[test]
    fn each_wave_has_one_turn_of_a_dialog() {
        let batch = records(&[("a", 0), ("b", 0), ("a", 1), ("", 0), ("a", 5), ("b", 2), ("", 0)]);
        assert_eq!(waves(&batch), [vec![0, 1, 3, 6], vec![2, 5], vec![4]]);
        let mut dialogs = Dialogs::default();
        assert_eq!(dialogs.go_on(&batch), Ok(()));
        // The next batch goes on with the dialogs.
        assert_eq!(dialogs.go_on(&records(&[("b", 3), ("c", 0)])), Ok(()));
        let error = dialogs.go_on(&records(&[("c", 1), ("a", 5)])).unwrap_err();
        let expected =
            TurnOrder { group: "a".to_owned(), example: "a5".to_owned(), turn: 5, last: 5 };
        assert_eq!(error, expected);
    }
}
