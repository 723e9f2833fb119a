//! One batch through all stages of all systems.

use std::sync::PoisonError;

use qeval_core::{Score, Stage, Unscored};
use qeval_dataset::Record;
use qeval_sdk::Failure;
use qeval_store::{Row, RowPart};

use super::{
    Done, Execution, Failed,
    answers::{self, Answer, Gold, given, isolated_unscored},
    evidence::{Sources, Wanted},
    joins::Given,
    lost,
    repeats::{self, Asked},
    retrieved::{self, Retrieved},
    rows,
    scores::{self, Known, StagePart, StageScores},
    tally::Tally,
};
use crate::{
    Plan,
    plan::{Answers, OnError},
};

/// Some consecutive examples.
pub(super) struct Batch<'a> {
    pub(super) plan: &'a Plan,
    /// Index of their dataset.
    pub(super) dataset: usize,
    pub(super) records: &'a [Record],
    /// Their answers that come from files on disk.
    pub(super) given: &'a Given,
    /// Which batch it is, from 0.
    pub(super) number: u64,
    /// Place of the first example in the dataset, from 0.
    pub(super) position: u64,
}

impl Batch<'_> {
    /// Evaluates the batch and hands its rows over to be stored. False when their turn will not
    /// come, because another batch has failed.
    pub(super) fn evaluate(&self, open: &[Execution<'_>]) -> Result<bool, Failed> {
        let judgments = retrieved::judgments(&self.plan.datasets[self.dataset], self.records);
        let read = open.iter().any(|execution| execution.system.has(Stage::Isolated));
        let gold = Gold::of(self.plan, self.records, &judgments, read);
        let used = open.iter().filter_map(|execution| execution.system.retriever);
        let mut retrieved: Vec<Option<Vec<Retrieved<'_>>>> = Vec::new();
        for (retriever, asked) in self.plan.retrievers.iter().zip(self.plan.asked(used)) {
            let search =
                || retrieved::retrieve(self.plan, retriever, self.records, &judgments, &retrieved);
            let found = asked.then(search);
            let failures = found.iter().flatten().map(|found| found.ranking.as_ref().err());
            self.may_go_on(retriever.on_error, ("retriever", &retriever.name), failures)?;
            retrieved.push(found);
        }
        for execution in open {
            let retrieved =
                execution.system.retriever.and_then(|index| retrieved[index].as_deref());
            if !self.evaluate_system(execution, retrieved, &gold)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn evaluate_system(
        &self,
        execution: &Execution<'_>,
        retrieved: Option<&[Retrieved<'_>]>,
        gold: &[Gold<'_>],
    ) -> Result<bool, Failed> {
        let system = execution.system;
        let reader = system.reader.map(|index| &self.plan.readers[index]);
        let live = reader.is_some_and(|reader| reader.passages.is_some());
        for dialogs in
            execution.dialogs.iter().filter(|_| reader.is_some_and(|r| r.asking.own_history))
        {
            let mut dialogs = dialogs.lock().unwrap_or_else(PoisonError::into_inner);
            dialogs.go_on(self.records).map_err(|order| Failed::new(self.number, order))?;
        }
        let asked = self.ask(execution, retrieved, gold);
        let (integrated, isolated) = (asked[0].of(Stage::Integrated), asked[0].of(Stage::Isolated));

        if let Some(reader) = reader {
            let failed_search = |index: usize| {
                live && retrieved.is_some_and(|retrieved| retrieved[index].ranking.is_err())
            };
            let integrated = integrated.into_iter().flatten().enumerate();
            let integrated = integrated
                .map(|(index, answer)| answer.as_ref().err().filter(|_| !failed_search(index)));
            self.may_go_on(reader.on_error, ("reader", &reader.name), integrated)?;
            let isolated = isolated.into_iter().flatten().map(|answer| answer.as_ref().err());
            self.may_go_on(reader.on_error, ("reader", &reader.name), isolated)?;
        }

        let width = execution.columns.len();
        let mut scores: Vec<Score> = vec![Err(Unscored::NoReference); width * self.records.len()];
        let mut of_scores: Vec<StagePart> = Vec::new();
        // The scores of each repeat, where there are several.
        let mut repeated: Vec<Vec<Score>> = Vec::new();
        let mut first = 0;
        for stage in system.stages.iter().copied() {
            let metrics: Vec<usize> = execution
                .columns
                .iter()
                .filter(|column| column.stage == stage)
                .map(|column| column.metric)
                .collect();
            let lacks = reader.map_or(&[][..], |reader| reader.lacks(stage, self.dataset));
            let before = scores::Before { columns: &execution.columns, scores: &scores };
            let score = |asked: &Asked<'_>| -> Result<StageScores, Failed> {
                let known = self.known(stage, asked.of(stage), retrieved, gold, live);
                let place = (self.number, stage);
                let found = scores::score(self.plan, place, &metrics, &known, lacks, &before);
                found.map_err(|lost| Failed::new(self.number, lost))
            };
            let mut found = score(&asked[0])?;
            if asked.len() > 1 && stage != Stage::Retrieval {
                let mut each = vec![found.scores.clone()];
                for asked in &asked[1..] {
                    each.push(score(asked)?.scores);
                }
                let answers: Vec<_> = asked.iter().map(|asked| asked.of(stage)).collect();
                found = repeats::joined(found, &each, &answers, metrics.len());
                repeated.resize_with(each.len(), || scores.clone());
                for (all, each) in repeated.iter_mut().zip(each) {
                    put(all, (width, first), each, metrics.len());
                }
            }
            let of_columns = |mut found: StagePart| {
                found.place += first;
                found
            };
            of_scores.extend(found.parts.into_iter().map(of_columns));
            put(&mut scores, (width, first), found.scores, metrics.len());
            first += metrics.len();
        }

        let batch = rows::Batch {
            plan: self.plan,
            dataset: self.dataset,
            system,
            columns: &execution.columns,
            diagnoses: self.plan.diagnoses(system),
            records: self.records,
            retrieved,
            integrated,
            isolated,
            again: &asked[1..],
            gold,
            scores: &scores,
            repeats: &repeated,
        };
        let indexes = 0..self.records.len();
        let parts: Vec<rows::Parts<'_>> = indexes.map(|index| batch.parts(index)).collect();
        let slices: Vec<Vec<Option<&str>>> = parts.iter().map(rows::Parts::slices).collect();
        let of_scores = parts_of_rows(&of_scores, self.records.len());
        let made = parts.iter().zip(&slices).zip(&of_scores).enumerate();
        let rows: Vec<Row<'_>> = made
            .map(|(index, ((parts, slices), of_scores))| {
                let row = batch.row(index, self.position, parts, slices);
                Row { parts: of_scores, ..row }
            })
            .collect();
        let packed = execution.packer.pack(&rows);
        let rows = packed.map_err(|error| Failed::new(self.number, error))?;
        execution.give(self.number, Done { rows, tally: Tally::of(&batch) })
    }

    /// What the reader of a system answers, as often as it is asked; at least once, perhaps nothing.
    fn ask<'b>(
        &'b self,
        execution: &Execution<'_>,
        retrieved: Option<&[Retrieved<'_>]>,
        gold: &[Gold<'_>],
    ) -> Vec<Asked<'b>> {
        let system = execution.system;
        let Some(reader) = system.reader.map(|index| &self.plan.readers[index]) else {
            return vec![Asked::default()];
        };
        let [of_integrated, of_isolated] = &execution.dialogs;
        let once = |integrated: &Answers, isolated: Option<&Answers>| Asked {
            integrated: system.has(Stage::Integrated).then(|| {
                let (records, given) = (self.records, self.given);
                answers::integrated(reader, integrated, records, retrieved, given, of_integrated)
            }),
            isolated: isolated.filter(|_| system.has(Stage::Isolated)).map(|answers| {
                let (records, given) = (self.records, self.given);
                answers::isolated(reader, answers, records, gold, given, of_isolated)
            }),
        };
        let mut asked = vec![once(&reader.integrated, reader.isolated.as_ref())];
        let isolates = reader.isolated.is_some();
        for [integrated, isolated] in &reader.asking.again {
            asked.push(once(integrated, Some(isolated).filter(|_| isolates)));
        }
        repeats::put_given_first(&mut asked);
        asked
    }

    /// Whether a retriever or a reader has not failed in a way that ends the evaluation.
    fn may_go_on<'f>(
        &self,
        on_error: OnError,
        component: (&'static str, &str),
        failures: impl Iterator<Item = Option<&'f Failure>>,
    ) -> Result<(), Failed> {
        lost::end_with_first(on_error, component, failures, self.number, self.records)
            .map_err(|lost| Failed::new(self.number, lost))
    }

    /// What is known of each example in a stage.
    fn known<'k>(
        &'k self,
        stage: Stage,
        answers: Option<&'k [Answer<'k>]>,
        retrieved: Option<&'k [Retrieved<'k>]>,
        gold: &'k [Gold<'k>],
        live: bool,
    ) -> Vec<Known<'k>> {
        let wanted = Wanted::of(self.plan);
        let of = |index: usize| {
            let retrieved = retrieved.map(|retrieved| &retrieved[index]);
            let answer = answers.map(|answers| &answers[index]);
            let unscored = match stage {
                Stage::Retrieval => {
                    retrieved.and_then(|r| r.ranking.as_ref().err()).map(Unscored::from)
                }
                Stage::Isolated => {
                    answer.and_then(|answer| isolated_unscored(answer, &gold[index], live))
                }
                Stage::Integrated => {
                    answer.and_then(|answer| answer.as_ref().err()).map(Unscored::from)
                }
            };
            let record = &self.records[index];
            let prediction = answer.and_then(given);
            let sources = Sources { stage, retrieved, gold: &gold[index], live };
            Known {
                record,
                ranking: retrieved.and_then(|r| r.judged.as_ref()),
                documents: retrieved.and_then(|r| r.documents.as_ref()),
                passages: match stage {
                    Stage::Isolated => &gold[index].passages,
                    _ => retrieved.map_or(&[], |r| r.passages.as_slice()),
                },
                places: match stage {
                    Stage::Isolated => &[],
                    _ => retrieved.map_or(&[], |r| r.places.as_slice()),
                },
                prediction,
                evidence: wanted.find(self.plan, &record.example, prediction, sources),
                unscored,
            }
        };
        (0..self.records.len()).map(of).collect()
    }
}

/// Puts the scores of a stage, of each example in a row, into those of all stages, whose rows have this
/// width; the columns of the stage begin at `first`.
fn put(all: &mut [Score], (width, first): (usize, usize), of_stage: Vec<Score>, columns: usize) {
    let mut of_stage = of_stage.into_iter();
    for row in all.chunks_exact_mut(width.max(1)) {
        for score in &mut row[first..first + columns] {
            *score = of_stage.next().expect("a score for each metric of each example");
        }
    }
}

/// The parts of the scores of each row.
fn parts_of_rows(parts: &[StagePart], rows: usize) -> Vec<Vec<RowPart<'_>>> {
    let mut of_rows = vec![Vec::new(); rows];
    for StagePart { example, place, part } in parts {
        of_rows[*example].push(RowPart {
            metric: *place,
            value: part.value,
            label: part.label.as_deref(),
            text: part.text.as_deref(),
        });
    }
    of_rows
}
