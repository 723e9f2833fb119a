//! The scorer of a plugin as an ordinary one, wherever it runs.

use std::ops::Range;

use arrow_array::RecordBatch;
use qeval_core::{Case, Subject, Unscored};
use qeval_sdk::{
    Asked, Columns, Descriptor, Failure, Input, Merge, Merged, MetricDescriptor, PluginDescriptor,
    ScorePart, Scorer, Scores, WorkedExample, answer, batch, groups, testing,
};

use crate::{carrier::Carrier, pieces::Piece};

/// The scorer of a plugin.
#[derive(Debug)]
pub(crate) struct PluginScorer {
    descriptor: Descriptor,
    metrics: Vec<MetricDescriptor>,
    inputs: Vec<Input>,
    examples: Vec<WorkedExample>,
    expected: Vec<answer::Expected>,
    carrier: Carrier,
    /// Whether whatever goes wrong with one score is a failure of the batch.
    strict: bool,
}

impl PluginScorer {
    /// A scorer with these metrics, each of which the descriptor has.
    pub(crate) fn new(descriptor: &PluginDescriptor, asked: &[Asked], carrier: Carrier) -> Self {
        let plugin = carrier.plugin.as_str();
        let metric = |asked: &Asked| {
            let found = descriptor.metrics.iter().find(|metric| metric.name == asked.name);
            found.expect("only what the descriptor has is asked for").named(plugin, &asked.column)
        };
        let metrics: Vec<MetricDescriptor> = asked.iter().map(metric).collect();
        let zipped = asked.iter().zip(&metrics);
        Self {
            descriptor: Descriptor::new(plugin, &descriptor.version, &descriptor.summary),
            inputs: descriptor.distinct_inputs(),
            examples: testing::examples_of(descriptor, asked),
            expected: zipped.map(|(a, m)| answer::Expected::of(a.column.clone(), m)).collect(),
            metrics,
            carrier,
            strict: false,
        }
    }

    /// One whose batches fail with each of their scores, as its author wants it.
    pub(crate) fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// The scores of these examples from what came back.
    fn decode(&self, answer: &RecordBatch, ids: &[&str]) -> Result<Scores, Failure> {
        let (mut scores, wrong) = answer::read(answer, &self.expected, ids.len())?;
        if self.strict {
            answer::none_wrong(&wrong, ids)?;
        }
        for value in wrong {
            let failure = self.carrier.named(&value.failure());
            scores.columns[value.metric][value.case] = Err(Unscored::from(&failure));
        }
        Ok(scores)
    }

    /// The scores of no case.
    fn no_scores(&self) -> Scores {
        let mut scores = Scores::from(vec![Vec::new(); self.metrics.len()]);
        if self.metrics.iter().any(|metric| !metric.statistics.is_empty()) {
            let columns = |metric: &MetricDescriptor| vec![Vec::new(); metric.statistics.len()];
            scores.statistics = self.metrics.iter().map(columns).collect();
        }
        scores
    }

    /// Adds the scores of a piece of the batch.
    fn append(&self, all: &mut Scores, rows: Range<usize>, piece: Result<Scores, Failure>) {
        let piece = piece.unwrap_or_else(|failure| {
            let lost = Err(Unscored::from(&failure));
            let mut scores = self.no_scores();
            scores.columns.iter_mut().for_each(|column| column.resize(rows.len(), lost.clone()));
            for statistic in scores.statistics.iter_mut().flatten() {
                statistic.resize(rows.len(), 0.0);
            }
            scores
        });
        for (column, more) in all.columns.iter_mut().zip(piece.columns) {
            column.extend(more);
        }
        let statistics = all.statistics.iter_mut().flatten();
        for (column, more) in statistics.zip(piece.statistics.into_iter().flatten()) {
            column.extend(more);
        }
        let parts = piece.parts.into_iter();
        all.parts.extend(parts.map(|part| ScorePart { case: part.case + rows.start, ..part }));
    }

    /// A missing prediction has the worst score, as with every metric. A plugin that says that
    /// the example does not apply is right all the same.
    fn score_missing_predictions(&self, cases: &[Case<'_>], columns: &mut Columns) {
        for (metric, scores) in self.metrics.iter().zip(columns) {
            let (Subject::Answer, Some(worst)) = (metric.subject, metric.worst()) else { continue };
            for (case, score) in cases.iter().zip(scores) {
                if case.prediction.is_none() && score.is_ok() {
                    *score = Ok(worst);
                }
            }
        }
    }
}

impl Scorer for PluginScorer {
    fn descriptor(&self) -> Descriptor {
        self.descriptor.clone()
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.metrics
    }

    fn inputs(&self) -> Vec<Input> {
        self.inputs.clone()
    }

    fn examples(&self) -> Vec<WorkedExample> {
        self.examples.clone()
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        let pieces = self.carrier.call_in_pieces(batch::encode(cases, &self.inputs)?);
        let ids: Vec<&str> = cases.iter().map(|case| case.example.id.as_str()).collect();
        let decode = |piece: Piece| {
            let ids = &ids[piece.rows.clone()];
            let decode = |answer: RecordBatch| {
                self.decode(&answer, ids).map_err(|failure| self.carrier.named(&failure))
            };
            (piece.rows, piece.answer.and_then(decode))
        };
        let mut pieces: Vec<_> = pieces.into_iter().map(decode).collect();
        let mut scores = if pieces.len() == 1 {
            pieces.remove(0).1?
        } else {
            let mut all = self.no_scores();
            for (rows, scores) in pieces {
                if self.strict
                    && let Err(failure) = scores
                {
                    return Err(failure);
                }
                self.append(&mut all, rows, scores);
            }
            all
        };
        self.score_missing_predictions(cases, &mut scores.columns);
        Ok(scores)
    }

    fn finish(&self, metric: usize, merged: &[Merged]) -> Result<Vec<Option<f64>>, Failure> {
        let statistics: Vec<(String, Merge)> =
            self.metrics[metric].statistics.iter().map(|s| (s.name.clone(), s.merge)).collect();
        let asked = groups::encode(&self.expected[metric].name, &statistics, merged)?;
        let numbers = groups::decode_values(&self.carrier.finish(asked)?, merged.len());
        let in_range = |numbers| self.expected[metric].check_numbers(numbers);
        numbers.and_then(in_range).map_err(|failure| self.carrier.named(&failure))
    }
}
