//! What was counted while an evaluation ran: nothing is dropped without being counted.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use qeval_core::{Qrels, Score, Stage, Unscored, stats::Preliminary};
use qeval_dataset::Named as NamedPredictions;
use qeval_store::{JudgmentsInfo, Notice};

use super::{
    joins::Joins, judged::Judged, looks::Named, remarks::Remarks, repeats::Spread, rows::Batch,
    usage::Taken,
};
use crate::{
    Part, Plan,
    plan::{Answers, Search, System},
};

/// Example ids that a notice names.
const NAMED: usize = 5;

/// The counts of one evaluation.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Examples of each dataset.
    examples: Vec<u64>,
    /// The dialogs or documents that occur, as hashes of dataset and name.
    groups: HashSet<u64>,
    /// Examples that belong to one.
    grouped: u64,
    /// Why the first score failed.
    reason: Option<String>,
    counts: BTreeMap<Kind, Count>,
    remarks: Remarks,
    judged: Judged,
    /// Examples that have judgments in a file of them.
    judged_queries: BTreeSet<String>,
    /// What the answers took.
    pub(super) taken: Taken,
    /// How scores differ from repeat to repeat.
    pub(super) spread: Spread,
    /// The scores of each column, to be looked at before the end.
    pub(super) scores: Vec<Preliminary>,
    /// Examples that lack a score because a component failed.
    pub(super) failed: u64,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    MissingPredictions,
    MissingIsolated,
    IsolatedFailures,
    ExtraPredictions,
    SharedPredictions,
    ReaderFailures,
    MissingQueries,
    ExtraQueries,
    SharedQueries,
    Unjudged,
    ExtraJudgments,
    RetrieverFailures,
    UnknownHits,
    UnknownSeen,
    UnknownGold,
    GoldDocuments,
    JudgedDocuments,
    ScorerFailures,
    EvidenceUnknown,
    Limited,
    Sampled,
}

#[derive(Debug, Default)]
struct Count {
    count: u64,
    examples: Vec<String>,
}

impl Tally {
    /// The counts of one batch.
    pub(super) fn of(batch: &Batch<'_>) -> Self {
        let mut tally = Self::default();
        tally.add(batch);
        tally
    }

    /// Adds the counts of the next batch.
    pub(super) fn merge(&mut self, next: Self) {
        let datasets = self.examples.len().max(next.examples.len());
        self.examples.resize(datasets, 0);
        self.examples.iter_mut().zip(next.examples).for_each(|(all, more)| *all += more);
        self.groups.extend(next.groups);
        self.grouped += next.grouped;
        self.reason = self.reason.take().or(next.reason);
        self.remarks.merge(next.remarks);
        self.taken.merge(next.taken);
        self.spread.merge(next.spread);
        self.judged.merge(next.judged);
        self.judged_queries.extend(next.judged_queries);
        self.scores.resize(self.scores.len().max(next.scores.len()), Preliminary::default());
        self.scores.iter_mut().zip(&next.scores).for_each(|(all, more)| all.merge(more));
        self.failed += next.failed;
        for (kind, more) in next.counts {
            let count = self.counts.entry(kind).or_default();
            count.count += more.count;
            let room = NAMED - count.examples.len();
            count.examples.extend(more.examples.into_iter().take(room));
        }
    }

    fn add(&mut self, batch: &Batch<'_>) {
        self.examples.resize(batch.dataset + 1, 0);
        self.examples[batch.dataset] = batch.records.len() as u64;
        let rows = || (0..batch.records.len()).map(|index| batch.scores(index));
        self.scores.extend((0..batch.columns.len()).map(|column| {
            Preliminary::of(rows().filter_map(|scores| scores[column].as_ref().ok().copied()))
        }));
        let failed =
            |scores: &[Score]| scores.iter().any(|s| matches!(s, Err(Unscored::Failed(..))));
        self.failed += rows().filter(|scores| failed(scores)).count() as u64;
        for (index, record) in batch.records.iter().enumerate() {
            let id = &record.example.id;
            if let Some(group) = &record.example.group {
                let mut hash = DefaultHasher::new();
                (batch.dataset, group).hash(&mut hash);
                self.groups.insert(hash.finish());
                self.grouped += 1;
            }
            if batch.judges(id) {
                self.judged_queries.insert(id.clone());
            }
            if let Some(answers) = batch.integrated {
                match &answers[index] {
                    Ok(None) => self.count(Kind::MissingPredictions, id),
                    Err(_) => self.count(Kind::ReaderFailures, id),
                    Ok(Some(_)) => {}
                }
            }
            if let Some(answers) = batch.isolated {
                match &answers[index] {
                    Ok(None) => self.count(Kind::MissingIsolated, id),
                    Err(_) => self.count(Kind::IsolatedFailures, id),
                    Ok(Some(_)) => {}
                }
            }
            self.count_failed_scores(batch, index);
            self.count_unknown_ids(batch, index);
            let Some(retrieved) = batch.retrieved.map(|retrieved| &retrieved[index]) else {
                continue;
            };
            match &retrieved.ranking {
                Ok(None) if retrieved.judged.is_some() || is_scored(batch, index) => {
                    self.count(Kind::MissingQueries, id);
                }
                Err(_) => self.count(Kind::RetrieverFailures, id),
                _ => {}
            }
            if retrieved.judged.is_none() && batch.plan.datasets[batch.dataset].qrels.is_some() {
                self.count(Kind::Unjudged, id);
            }
            let hits = retrieved.ranking().map_or(0, |ranking| ranking.hits().len());
            if batch.plan.corpus.is_some() && retrieved.passages.len() < hits {
                self.count(Kind::UnknownHits, id);
            }
        }
        self.count_unknown_evidence(batch);
        self.remarks.add(batch);
        self.taken.add(batch);
        self.spread.add(batch);
        self.judged.add(batch);
    }

    /// Counts what is known at the end only.
    pub(super) fn finish(&mut self, plan: &Plan, system: &System, joins: &Joins) {
        // What belongs to the other examples is not too much.
        if let Some(part) = plan.part {
            let count = self.examples.iter().sum();
            let kind = match part {
                Part::First(_) => Kind::Limited,
                Part::Sample(_) => Kind::Sampled,
            };
            self.counts.insert(kind, Count { count, examples: Vec::new() });
            return;
        }
        if let Some(index) = system.reader
            && system.has(Stage::Integrated)
        {
            match &plan.readers[index].integrated {
                Answers::Component(reader) => {
                    reader.unasked().iter().for_each(|id| self.count(Kind::ExtraPredictions, id));
                    reader.shared().iter().for_each(|id| self.count(Kind::SharedPredictions, id));
                }
                Answers::Spilled(replay) => {
                    if let Some((unasked, shared)) = joins.rest(replay) {
                        self.count_named(Kind::ExtraPredictions, unasked);
                        self.count_named(Kind::SharedPredictions, shared);
                    }
                }
                Answers::Dataset => {}
            }
        }
        if let Some(index) = system.retriever
            && let Search::Alone(retriever) = &plan.retrievers[index].search
        {
            retriever.unasked().iter().for_each(|id| self.count(Kind::ExtraQueries, id));
            retriever.shared().iter().for_each(|id| self.count(Kind::SharedQueries, id));
        }
        let datasets = plan.datasets.iter().filter(|dataset| !dataset.queries_of_qrels);
        let judged = datasets.flat_map(|dataset| dataset.qrels.iter().flat_map(Qrels::iter));
        let extra: BTreeSet<&str> =
            judged.map(|(id, _)| id).filter(|&id| !self.judged_queries.contains(id)).collect();
        for id in extra {
            self.count(Kind::ExtraJudgments, id);
        }
    }

    /// Examples of a dataset, by its index.
    pub(super) fn examples(&self, dataset: usize) -> u64 {
        self.examples.get(dataset).copied().unwrap_or(0)
    }

    /// How many dialogs or documents there are, and how many examples belong to one. An example without
    /// one is a group of its own.
    pub(super) fn groups(&self) -> (u64, u64) {
        let alone = self.examples.iter().sum::<u64>() - self.grouped;
        (self.groups.len() as u64 + alone, self.grouped)
    }

    /// How much of what was retrieved is judged.
    pub(super) fn judgments(&self) -> Option<JudgmentsInfo> {
        self.judged.info()
    }

    /// The counts by name.
    pub(super) fn counts(&self) -> BTreeMap<String, u64> {
        let examples = [("examples".to_owned(), self.examples.iter().sum())];
        let others = self.counts.iter().map(|(kind, count)| (kind.name().to_owned(), count.count));
        examples.into_iter().chain(others).collect()
    }

    /// The counts in words.
    pub(super) fn notices(&self) -> Vec<Notice> {
        let notice = |(kind, count): (&Kind, &Count)| Notice {
            kind: kind.name().to_owned(),
            count: count.count,
            text: match (&self.reason, kind) {
                (Some(reason), Kind::ScorerFailures) => {
                    format!("{}; the first: {reason}", kind.text(count.count))
                }
                _ => kind.text(count.count),
            },
            examples: count.examples.clone(),
        };
        let remark =
            |(count, text)| Notice { kind: "remark".to_owned(), count, text, examples: Vec::new() };
        self.counts.iter().map(notice).chain(self.remarks.texts().map(remark)).collect()
    }

    /// A scorer that failed where the component before it did not.
    fn count_failed_scores(&mut self, batch: &Batch<'_>, index: usize) {
        let failed = batch.columns.iter().zip(batch.scores(index)).find_map(|(column, score)| {
            let Err(Unscored::Failed(_, reason)) = score else { return None };
            let component = match column.stage {
                Stage::Retrieval => batch.retrieved?[index].ranking.is_err(),
                Stage::Isolated => batch.isolated?[index].is_err(),
                Stage::Integrated => batch.integrated?[index].is_err(),
            };
            (!component).then_some((&batch.plan.metrics[column.metric].descriptor.name, reason))
        });
        if let Some((metric, reason)) = failed {
            self.reason.get_or_insert_with(|| format!("{metric}: {reason}"));
            self.count(Kind::ScorerFailures, &batch.records[index].example.id);
        }
    }

    /// Ids of passages that the corpus does not have: a mistake in a file that would look like a
    /// miss of the retriever.
    fn count_unknown_ids(&mut self, batch: &Batch<'_>, index: usize) {
        let example = &batch.records[index].example;
        let Some(corpus) = &batch.plan.corpus else {
            let met = batch.retrieved.and_then(|found| {
                let (ranking, judgments) = (found[index].ranking()?, batch.gold[index].judgments?);
                Some(Named::of(batch.plan).meets_documents(judgments, ranking))
            });
            if met == Some(true) {
                self.count_documents(batch, &example.id);
            }
            return;
        };
        let unknown = |id: &&str| corpus.get(id).is_none();
        let no_passages = batch.gold[index].ids.iter().filter(|id| unknown(id));
        let (lost, documents): (Vec<&str>, Vec<&str>) =
            no_passages.partition(|id| corpus.evidence(id).is_empty());
        if !lost.is_empty() {
            self.count(Kind::UnknownGold, &example.id);
        }
        if !documents.is_empty() {
            self.count_documents(batch, &example.id);
        }
        let answer = batch.integrated.and_then(|answers| super::answers::given(&answers[index]));
        let named = answer.into_iter().flat_map(|a| a.seen.iter().flatten().chain(&a.citations));
        if named.map(String::as_str).any(|id| unknown(&id)) {
            self.count(Kind::UnknownSeen, &example.id);
        }
    }

    /// An example whose judgments name documents.
    fn count_documents(&mut self, batch: &Batch<'_>, id: &str) {
        if batch.system.has(Stage::Retrieval) {
            let passages = batch.plan.counted.passages;
            self.count(if passages { Kind::GoldDocuments } else { Kind::JudgedDocuments }, id);
        }
    }

    fn count(&mut self, kind: Kind, id: &str) {
        let count = self.counts.entry(kind).or_default();
        count.count += 1;
        if count.examples.len() < NAMED {
            count.examples.push(id.to_owned());
        }
    }

    fn count_named(&mut self, kind: Kind, named: &NamedPredictions) {
        named.first.iter().for_each(|id| self.count(kind, id));
        if let Some(count) = self.counts.get_mut(&kind) {
            count.count += named.count - named.first.len() as u64;
        }
    }

    /// A replay reader beside a live retriever saw other hits than ours: without its own list of
    /// hits nobody knows which.
    fn count_unknown_evidence(&mut self, batch: &Batch<'_>) {
        let replay = batch.system.reader.is_some_and(|i| batch.plan.readers[i].passages.is_none());
        if !replay || batch.retrieved.is_none() {
            return;
        }
        let Some(answers) = batch.integrated else { return };
        for (record, answer) in batch.records.iter().zip(answers) {
            let known = super::answers::given(answer).is_none_or(|given| given.seen.is_some());
            if !known {
                self.count(Kind::EvidenceUnknown, &record.example.id);
            }
        }
    }
}

/// Whether a metric of rankings scores the example, which it may without judgments.
fn is_scored(batch: &Batch<'_>, index: usize) -> bool {
    let mut scores = batch.columns.iter().zip(batch.scores(index));
    scores.any(|(column, score)| column.stage == Stage::Retrieval && score.is_ok())
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::MissingPredictions => "missing_predictions",
            Self::MissingIsolated => "missing_isolated_predictions",
            Self::IsolatedFailures => "isolated_reader_failures",
            Self::ExtraPredictions => "extra_predictions",
            Self::SharedPredictions => "shared_predictions",
            Self::ReaderFailures => "reader_failures",
            Self::MissingQueries => "missing_queries",
            Self::ExtraQueries => "extra_queries",
            Self::SharedQueries => "shared_queries",
            Self::Unjudged => "unjudged_queries",
            Self::ExtraJudgments => "extra_judgments",
            Self::RetrieverFailures => "retriever_failures",
            Self::UnknownHits => "unknown_hits",
            Self::UnknownSeen => "unknown_seen_or_cited",
            Self::UnknownGold => "unknown_gold_passages",
            Self::GoldDocuments => "gold_documents",
            Self::JudgedDocuments => "judged_documents",
            Self::ScorerFailures => "scorer_failures",
            Self::EvidenceUnknown => "evidence_unknown",
            Self::Limited => "limited",
            Self::Sampled => "sampled",
        }
    }

    fn text(self, count: u64) -> String {
        let (one, many) = match self {
            Self::Limited => (
                "example alone is evaluated: the first of each dataset",
                "examples alone are evaluated: the first of each dataset",
            ),
            Self::Sampled => (
                "example alone is evaluated: a random sample of each dataset",
                "examples alone are evaluated: a random sample of each dataset",
            ),
            Self::MissingPredictions => (
                "example has no prediction: it scores the worst value",
                "examples have no prediction: they score the worst value",
            ),
            Self::MissingIsolated => (
                "example has no isolated prediction: it scores the worst value",
                "examples have no isolated prediction: they score the worst value",
            ),
            Self::ExtraPredictions => (
                "prediction is for no example of the dataset and is ignored",
                "predictions are for no example of the dataset and are ignored",
            ),
            Self::SharedPredictions => (
                "prediction answers examples of several datasets, whose ids are the same; \
                 `{dataset}` in the path gives each dataset a file of its own",
                "predictions answer examples of several datasets, whose ids are the same; \
                 `{dataset}` in the path gives each dataset a file of its own",
            ),
            Self::SharedQueries => (
                "ranking is for queries of several datasets, whose ids are the same; `{dataset}` \
                 in the path gives each dataset a file of its own",
                "rankings are for queries of several datasets, whose ids are the same; `{dataset}` \
                 in the path gives each dataset a file of its own",
            ),
            Self::IsolatedFailures => (
                "example has no isolated answer because the reader failed: it is unscored there",
                "examples have no isolated answer because the reader failed: they are unscored there",
            ),
            Self::ReaderFailures => (
                "example has no answer because the reader failed: it is unscored",
                "examples have no answer because the reader failed: they are unscored",
            ),
            Self::MissingQueries => (
                "query is missing from the run: it scores the worst value",
                "queries are missing from the run: they score the worst value",
            ),
            Self::ExtraQueries => (
                "query of the run is not in the dataset and is ignored",
                "queries of the run are not in the dataset and are ignored",
            ),
            Self::Unjudged => (
                "query has no judgments: it is unscored",
                "queries have no judgments: they are unscored",
            ),
            Self::ExtraJudgments => (
                "query of the judgments is not in the dataset and is ignored",
                "queries of the judgments are not in the dataset and are ignored",
            ),
            Self::RetrieverFailures => {
                ("query failed: it is unscored", "queries failed: they are unscored")
            }
            Self::UnknownHits => (
                "query has hits that the corpus does not have",
                "queries have hits that the corpus does not have",
            ),
            Self::UnknownSeen => (
                "prediction names passages as seen or cited that the corpus does not have",
                "predictions name passages as seen or cited that the corpus does not have",
            ),
            Self::UnknownGold => (
                "example has gold passages that the corpus does not have",
                "examples have gold passages that the corpus does not have",
            ),
            Self::GoldDocuments => (
                "example has gold documents, which a metric that counts passages never finds: \
                 `unit=document` counts documents",
                "examples have gold documents, which a metric that counts passages never finds: \
                 `unit=document` counts documents",
            ),
            Self::JudgedDocuments => (
                "example has gold documents: where single passages are looked at, each passage of \
                 such a document counts as relevant",
                "examples have gold documents: where single passages are looked at, each passage \
                 of such a document counts as relevant",
            ),
            Self::ScorerFailures => (
                "example is unscored because a metric failed",
                "examples are unscored because a metric failed",
            ),
            Self::EvidenceUnknown => (
                "prediction does not say which passages the reader saw, so an error has no cause; \
                 a field with their ids would tell (`fields = { hits = \"...\" }` in `[reader]`)",
                "predictions do not say which passages the reader saw, so errors have no cause; \
                 a field with their ids would tell (`fields = { hits = \"...\" }` in `[reader]`)",
            ),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}
