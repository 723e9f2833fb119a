//! Reading the data of a plan to its end without evaluating it: what there is, and what in it
//! would make the numbers mean something else than they seem to.

mod lint;

use std::collections::{BTreeMap, HashSet};

use qeval_core::{Case, Example, Metric, Subject, Unscored};
use qeval_dataset::Record;

pub use self::lint::{Finding, Kind};

use crate::{
    Plan, RunError,
    plan::{Answers, DatasetPlan, PlannedReader},
    run::{Given, Joins, Packed, ask, given},
};

/// Records that are looked at together.
const BATCH: usize = 256;

/// What the data of a plan hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspection {
    /// For each dataset, in the order of the plan.
    pub datasets: Vec<Contents>,
    /// What looks like a mistake, in the order of the datasets and then of the readers.
    pub findings: Vec<Finding>,
}

/// What a dataset holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// All examples.
    pub examples: u64,
    /// Those without a reference.
    pub unanswerable: u64,
}

/// Reads the datasets of a plan and the answers that were given earlier. Live components are not
/// asked.
pub fn inspect(plan: &Plan) -> Result<Inspection, RunError> {
    let mut inspection = Inspection::default();
    let metrics: Vec<Metric> = plan
        .metrics
        .iter()
        .filter(|metric| metric.statistic_of.is_none())
        // Of most answers such a metric says nothing.
        .filter(|metric| !plan.when.contains_key(&metric.scorer))
        .filter_map(|metric| metric.descriptor.name.parse().ok())
        // What a normalizer would make of the answers is not asked for.
        .filter(|metric: &Metric| metric.normalizer().is_none())
        .filter(|metric: &Metric| metric.definition().subject == Subject::Answer)
        .collect();
    let replayed = plan.readers.iter().filter(|reader| reader.passages.is_none());
    let mut readers: Vec<Answered<'_>> =
        replayed.map(|reader| Answered::new(reader, metrics.len())).collect();
    let replays = plan.readers.iter().map(|reader| &reader.integrated);
    let (mut joins, mut packed) = (Joins::new(plan, replays, None)?, Packed::default());
    for (index, dataset) in plan.datasets.iter().enumerate() {
        let several = plan.datasets.len() > 1;
        let mut look = Look::new(dataset, &metrics);
        let mut records = plan.chosen(dataset)?;
        let mut batch: Vec<Record> = Vec::with_capacity(BATCH);
        loop {
            records.refill(&mut batch, BATCH)?;
            if batch.is_empty() {
                break;
            }
            joins.take(index, &batch, &mut packed)?;
            let joined = packed.unpack(index)?;
            for record in &mut batch {
                record.example.dataset = several.then(|| dataset.name.clone());
                look.at(&record.example, dataset);
            }
            for reader in &mut readers {
                reader.look_at(&batch, &joined, &metrics);
            }
        }
        inspection.datasets.push(look.contents);
        inspection.findings.extend(look.finish(dataset, plan.part.is_some()));
    }
    for reader in readers {
        inspection.findings.extend(reader.finish(&metrics, &joins, plan));
    }
    Ok(inspection)
}

/// What is seen of one dataset.
struct Look {
    /// Whether it matters what normalisation leaves of a reference.
    normalizes: bool,
    contents: Contents,
    /// By what is wrong.
    found: BTreeMap<Kind, Finding>,
    /// Fingerprints of the questions with their contexts.
    questions: HashSet<u64>,
    /// How often each slice has a value.
    slices: Vec<u64>,
    forms: lint::Forms,
    /// Examples that have judgments in a file of them.
    judged: HashSet<String>,
}

impl Look {
    fn new(dataset: &DatasetPlan, metrics: &[Metric]) -> Self {
        Self {
            normalizes: metrics.iter().any(lint::normalizes),
            contents: Contents::default(),
            found: BTreeMap::new(),
            questions: HashSet::new(),
            slices: vec![0; dataset.slices.len()],
            forms: lint::Forms::default(),
            judged: HashSet::new(),
        }
    }

    fn at(&mut self, example: &Example, dataset: &DatasetPlan) {
        self.contents.examples += 1;
        self.contents.unanswerable += u64::from(!example.answerable());
        let mut found = lint::of_example(example, self.normalizes);
        let asked = !example.question.trim().is_empty();
        if asked && !self.questions.insert(lint::fingerprint(example)) {
            found.push(Kind::QuestionTwice);
        }
        for kind in found {
            let finding = self.found.entry(kind.clone()).or_insert_with(|| Finding::new(kind));
            finding.count(&example.id);
        }
        if dataset.qrels.as_ref().is_some_and(|qrels| qrels.get(&example.id).is_some()) {
            self.judged.insert(example.id.clone());
        }
        for (slice, values) in dataset.slices.iter().zip(&mut self.slices) {
            *values += u64::from(example.columns.contains_key(slice));
        }
        self.forms.look_at(example);
    }

    /// What belongs to the other examples is not too much where a part of them is looked at.
    fn finish(mut self, dataset: &DatasetPlan, partly: bool) -> Vec<Finding> {
        self.found.extend(self.forms.finding().map(|finding| (finding.kind.clone(), finding)));
        let empty = dataset.slices.iter().zip(&self.slices).filter(|&(_, &values)| values == 0);
        let empty = empty.map(|(slice, _)| Finding::new(Kind::EmptySlice(slice.clone())));
        let mut findings: Vec<Finding> = self.found.into_values().chain(empty).collect();
        if let Some(qrels) = &dataset.qrels {
            let mut unknown = Finding::new(Kind::UnknownJudgment);
            let others = qrels.iter().filter(|(id, _)| !partly && !self.judged.contains(*id));
            others.for_each(|(id, _)| unknown.count(id));
            findings.extend((unknown.count > 0).then_some(unknown));
            if self.judged.is_empty() {
                findings.push(Finding::new(Kind::NoJudgment));
            }
        }
        for finding in &mut findings {
            finding.of = Some(dataset.name.clone());
        }
        findings
    }
}

/// What is seen of the answers of one reader.
struct Answered<'p> {
    reader: &'p PlannedReader,
    missing: Finding,
    misplaced: Finding,
    blank: Finding,
    form: Finding,
    /// Lowest and highest score of each metric.
    extremes: Vec<Option<(f64, f64)>>,
    /// Why the first answer without a score of a metric has none.
    unscored: Vec<Option<Unscored>>,
    scored: u64,
}

impl<'p> Answered<'p> {
    fn new(reader: &'p PlannedReader, metrics: usize) -> Self {
        Self {
            reader,
            missing: Finding::new(Kind::MissingPrediction),
            misplaced: Finding::new(Kind::MisplacedPrediction),
            blank: Finding::new(Kind::BlanksAround("predictions")),
            form: Finding::new(Kind::OtherForm),
            extremes: vec![None; metrics],
            unscored: vec![None; metrics],
            scored: 0,
        }
    }

    fn look_at(&mut self, records: &[Record], joined: &Given, metrics: &[Metric]) {
        // A replay is shown no passages.
        let shown = vec![&[][..]; records.len()];
        let answers = ask(&self.reader.integrated, records, &shown, joined, None);
        for (record, answer) in records.iter().zip(&answers) {
            if answer.is_err() {
                self.misplaced.count(&record.example.id);
                continue;
            }
            let Some(prediction) = given(answer) else {
                self.missing.count(&record.example.id);
                continue;
            };
            if lint::has_blanks_around(&prediction.text) {
                self.blank.count(&record.example.id);
            }
            if lint::differs_in_form(&prediction.text, &record.example) {
                self.form.count(&record.example.id);
            }
            let case = Case::new(&record.example).with_prediction(prediction);
            self.scored += 1;
            let seen = self.extremes.iter_mut().zip(&mut self.unscored);
            for (metric, (extremes, unscored)) in metrics.iter().zip(seen) {
                match metric.score(&case) {
                    Ok(score) => {
                        let (low, high) = extremes.unwrap_or((score, score));
                        *extremes = Some((low.min(score), high.max(score)));
                    }
                    Err(reason) => {
                        unscored.get_or_insert(reason);
                    }
                }
            }
        }
    }

    fn finish(self, metrics: &[Metric], joins: &Joins, plan: &Plan) -> Vec<Finding> {
        let several = plan.readers.len() > 1;
        let mut findings = vec![self.missing, self.misplaced, self.blank, self.form];
        let mut unknown = Finding::new(Kind::UnknownPrediction);
        let mut shared = Finding::new(Kind::SharedPrediction);
        match &self.reader.integrated {
            // Nobody asks for the others of a part.
            _ if plan.part.is_some() => {}
            Answers::Component(reader) => {
                reader.unasked().iter().for_each(|id| unknown.count(id));
                reader.shared().iter().for_each(|id| shared.count(id));
            }
            Answers::Spilled(replay) => {
                if let Some(rest) = joins.rest(replay) {
                    unknown.count_named(rest.0);
                    shared.count_named(rest.1);
                }
            }
            Answers::Dataset => {}
        }
        findings.extend([unknown, shared]);
        findings.retain(|finding| finding.count > 0);
        for (metric, (extremes, unscored)) in
            metrics.iter().zip(self.extremes.into_iter().zip(self.unscored))
        {
            if let (None, Some(reason)) = (extremes, unscored) {
                let (metric, reason) = (metric.to_string(), reason.to_string());
                findings.push(Finding::new(Kind::UnscoredMetric { metric, reason }));
                continue;
            }
            // The single examples of a pooled metric say nothing of the whole.
            let extremes = extremes.filter(|_| metric.pooled().is_none());
            let constant = extremes.filter(|(low, high)| low.to_bits() == high.to_bits());
            if let (Some((value, _)), true) = (constant, self.scored > 1) {
                let (metric, value) = (metric.to_string(), format!("{value:.4}"));
                findings.push(Finding::new(Kind::ConstantMetric { metric, value }));
            }
        }
        for finding in &mut findings {
            finding.of = several.then(|| self.reader.name.clone());
        }
        findings
    }
}
