//! The rows of the store: one example with all that its stages made of it.

use std::collections::HashSet;

use qeval_core::{
    Case, Hits, Passage, Prediction, Ranking, Score, Stage, Unscored, Value,
    diagnosis::{self, Evidence, Finding},
    retrieved::Answers,
};
use qeval_dataset::Record;
use qeval_store::{Row, RowHit, RowRelevant};

use super::{
    PlannedColumn,
    answers::{Answer, Gold, given, isolated_unscored},
    looks::{self, Named},
    repeats::Asked,
    retrieved::Retrieved,
};
use crate::{Plan, plan::System};

/// Everything that one system made of a batch, by example.
pub(super) struct Batch<'a> {
    pub(super) plan: &'a Plan,
    /// Index of the dataset.
    pub(super) dataset: usize,
    pub(super) system: &'a System,
    pub(super) columns: &'a [PlannedColumn],
    /// Whether errors are put down to causes.
    pub(super) diagnoses: bool,
    pub(super) records: &'a [Record],
    pub(super) retrieved: Option<&'a [Retrieved<'a>]>,
    pub(super) integrated: Option<&'a [Answer<'a>]>,
    pub(super) isolated: Option<&'a [Answer<'a>]>,
    pub(super) gold: &'a [Gold<'a>],
    /// The further answers, where questions were asked several times.
    pub(super) again: &'a [Asked<'a>],
    /// In the order of the examples, for each in the order of `columns`.
    pub(super) scores: &'a [Score],
    /// The same for each time that questions were asked, where that was several times.
    pub(super) repeats: &'a [Vec<Score>],
}

/// The parts of a row that are made for it; the rest is borrowed.
pub(super) struct Parts<'a> {
    slices: Vec<Option<String>>,
    hits: Option<Vec<RowHit<'a>>>,
    retrieved: Option<u32>,
    relevant: Option<Vec<RowRelevant<'a>>>,
    finding: Option<Finding>,
    error: Option<String>,
    isolated_error: Option<String>,
}

impl Parts<'_> {
    pub(super) fn slices(&self) -> Vec<Option<&str>> {
        self.slices.iter().map(Option::as_deref).collect()
    }
}

impl<'a> Batch<'a> {
    /// Whether a file of judgments has some for this example.
    pub(super) fn judges(&self, id: &str) -> bool {
        self.plan.datasets[self.dataset].qrels.as_ref().is_some_and(|qrels| qrels.get(id).is_some())
    }

    pub(super) fn parts(&self, index: usize) -> Parts<'a> {
        let record = &self.records[index];
        let answer = self.integrated.map(|answers| &answers[index]);
        let failure = answer.and_then(|answer| answer.as_ref().err());
        let failure = failure.or_else(|| self.retrieved?[index].ranking.as_ref().err());
        // They go into the texts, which nobody keeps then.
        let kept = self.plan.kept;
        let hits = kept.then(|| self.hits(index, answer.and_then(given))).flatten();
        let (mut retrieved, mut relevant) = (None, None);
        if let Some(found) = self.retrieved.filter(|_| kept && self.system.retrieves()) {
            (retrieved, relevant) = self.relevant(index, &found[index]);
        }
        let slice = |name: &String| record.example.columns.get(name).map(Value::to_string);
        Parts {
            slices: self.plan.slices.iter().map(slice).collect(),
            hits,
            retrieved,
            relevant,
            finding: self.finding(index, answer),
            error: failure.map(ToString::to_string),
            isolated_error: self.isolated_error(index).map(|unscored| unscored.to_string()),
        }
    }

    /// The row of an example; `first` is the place of the batch's first example in the dataset.
    pub(super) fn row<'r>(
        &'r self,
        index: usize,
        first: u64,
        parts: &'r Parts<'_>,
        slices: &'r [Option<&'r str>],
    ) -> Row<'r> {
        let example = &self.records[index].example;
        let isolated = self.isolated.and_then(|answers| given(&answers[index]));
        Row {
            example_id: &example.id,
            dataset: example.dataset.as_deref(),
            position: first + index as u64,
            group_id: example.group.as_deref(),
            turn: example.turn,
            slices,
            scores: self.scores(index),
            evidence_seen: parts.finding.and_then(|finding| finding.evidence_seen),
            cause: parts.finding.map(|finding| finding.cause.name()),
            question: (!example.question.is_empty()).then_some(example.question.as_str()),
            references: &example.references,
            gold_passages: &example.gold_passages,
            prediction: self.integrated.and_then(|answers| given(&answers[index])),
            isolated_prediction: isolated.map(|prediction| prediction.text.as_str()),
            isolated_abstained: isolated.is_some_and(|prediction| prediction.abstained),
            isolated_error: parts.isolated_error.as_deref(),
            hits: parts.hits.as_deref(),
            error: parts.error.as_deref(),
            retrieved: parts.retrieved,
            relevant: parts.relevant.as_deref(),
            parts: &[],
        }
    }

    /// How many hits the retriever gave, and what became of the relevant passages.
    fn relevant(
        &self,
        index: usize,
        found: &Retrieved<'a>,
    ) -> (Option<u32>, Option<Vec<RowRelevant<'a>>>) {
        let Ok(ranking) = &found.ranking else { return (None, None) };
        let nothing = Ranking::default();
        let ranking = ranking.as_ref().unwrap_or(&nothing);
        let relevant = self.gold[index].judgments.map(|judgments| {
            let known = Named::of(self.plan);
            let answers = known.corpus.and_then(|_| Answers::new(&self.records[index].example));
            looks::relevant(judgments, ranking, known, answers.as_ref())
        });
        (u32::try_from(ranking.hits().len()).ok(), relevant)
    }

    /// The retriever's hits, then the passages that the reader says it saw and that are not among
    /// them.
    fn hits(&self, index: usize, prediction: Option<&'a Prediction>) -> Option<Vec<RowHit<'a>>> {
        let retrieved = self.retrieved.map(|retrieved| &retrieved[index]);
        let seen_ids = prediction.and_then(|prediction| prediction.seen.as_ref());
        let ranking = retrieved.and_then(Retrieved::ranking);
        if ranking.is_none() && seen_ids.is_none() {
            return None;
        }
        let seen: Option<HashSet<&str>> = match (self.shown(), seen_ids) {
            (Some(shown), _) => {
                let passages = retrieved.map_or(&[][..], |retrieved| &retrieved.passages);
                Some(passages.iter().take(shown).map(|passage| passage.id.as_str()).collect())
            }
            (None, Some(ids)) => Some(ids.iter().map(String::as_str).collect()),
            (None, None) => None,
        };
        let ranked = ranking.map(Ranking::hits);
        let judgments = self.gold[index].judgments;
        let grade = |id: &str| Named::of(self.plan).grade(judgments?, id);
        let mut hits: Vec<RowHit<'a>> = ranked
            .into_iter()
            .flat_map(Hits::iter)
            .enumerate()
            .map(|(rank, hit)| {
                let look = retrieved.and_then(|r| r.looks.get(rank)).copied().unwrap_or_default();
                RowHit {
                    passage_id: hit.passage,
                    score: Some(hit.score),
                    grade: grade(hit.passage),
                    seen: seen.as_ref().map(|seen| seen.contains(hit.passage)),
                    answer: look.answer,
                    near_copy_of: look.near_copy_of,
                }
            })
            .collect();
        let Some(seen_ids) = seen_ids else { return Some(hits) };
        let known: HashSet<&str> = hits.iter().map(|hit| hit.passage_id).collect();
        let others = seen_ids.iter().filter(|id| !known.contains(id.as_str()));
        hits.extend(others.map(|id| RowHit {
            passage_id: id,
            score: None,
            grade: grade(id),
            seen: Some(true),
            ..RowHit::default()
        }));
        Some(hits)
    }

    /// The scores of one example.
    pub(super) fn scores(&self, index: usize) -> &'a [Score] {
        let width = self.columns.len();
        &self.scores[index * width..(index + 1) * width]
    }

    /// Why the answer on the gold passages is not scored.
    fn isolated_error(&self, index: usize) -> Option<Unscored> {
        isolated_unscored(&self.isolated?[index], &self.gold[index], self.shown().is_some())
    }

    /// How many hits a live reader is shown.
    fn shown(&self) -> Option<usize> {
        self.plan.readers[self.system.reader?].passages
    }

    /// The cause of an example's result; `None` where nothing says whether the answer is right.
    fn finding(&self, index: usize, answer: Option<&'a Answer<'a>>) -> Option<Finding> {
        let diagnosis = self.plan.diagnosis.as_ref().filter(|_| self.diagnoses)?;
        let prediction = given(answer?);
        let column = self.columns.iter().position(|column| {
            column.stage == Stage::Integrated && column.metric == diagnosis.metric
        })?;
        let score = self.scores(index)[column].as_ref().ok()?;
        let isolated = self.columns.iter().position(|column| {
            column.stage == Stage::Isolated && column.metric == diagnosis.metric
        });
        let isolated = isolated.and_then(|column| self.scores(index)[column].as_ref().ok());
        let isolated_right = isolated.map(|score| *score >= diagnosis.at_least);

        let seen = self.seen(index, prediction);
        let seen: Option<Vec<&Passage>> = seen.as_ref().map(|seen| seen.passages());
        let corpus = self.plan.corpus.as_deref();
        let cited: Vec<&Passage> = prediction
            .into_iter()
            .flat_map(|prediction| &prediction.citations)
            .filter_map(|id| corpus?.get(id))
            .collect();
        let mut case = Case::new(&self.records[index].example);
        if let Some(prediction) = prediction {
            case = case.with_prediction(prediction);
        }
        let evidence = Evidence {
            gold: &self.gold[index].ids,
            seen: seen.as_deref(),
            cited: &cited,
            gold_passages: &self.gold[index].passages,
        };
        Some(diagnosis::find(&case, *score >= diagnosis.at_least, isolated_right, &evidence))
    }

    /// The passages that the reader saw, as far as anybody knows.
    fn seen(&self, index: usize, prediction: Option<&Prediction>) -> Option<Seen<'a>> {
        if let Some(shown) = self.shown() {
            let passages = &self.retrieved?[index].passages;
            let known = passages[..shown.min(passages.len())].to_vec();
            return Some(Seen { known, unknown: Vec::new() });
        }
        let ids = prediction?.seen.as_ref()?;
        let mut seen = Seen { known: Vec::new(), unknown: Vec::new() };
        for id in ids {
            match self.plan.corpus.as_ref().and_then(|corpus| corpus.get(id)) {
                Some(passage) => seen.known.push(passage),
                None => seen.unknown.push(Passage { id: id.clone(), ..Passage::default() }),
            }
        }
        Some(seen)
    }
}

/// The passages that a reader saw.
struct Seen<'a> {
    known: Vec<&'a Passage>,
    /// Those that the corpus does not have: only their ids are known.
    unknown: Vec<Passage>,
}

impl Seen<'_> {
    fn passages(&self) -> Vec<&Passage> {
        self.known.iter().copied().chain(&self.unknown).collect()
    }
}
