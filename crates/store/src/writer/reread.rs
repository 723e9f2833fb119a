//! Rows that have gone into the tables already, as records again.
//!
//! Ids that ascend for a while go straight into the tables. If a lower one follows later, what
//! was written becomes one sorted run among the others.

use std::path::Path;

use qeval_core::{Reference, Score, Unscored};

use super::{WriteError, encode::Encoder};
use crate::{
    Detail, Layout, MetricColumn, Row, RowHit, RowPart, RowRelevant, Scores, StoredCase,
    reader::{cases, details, scores},
    schema,
};

/// Gives the record of each row of the tables in `folder`, in their order.
pub(super) fn records(
    folder: &Path,
    layout: &Layout,
    encoder: &Encoder,
    mut take: impl FnMut(&[u8]) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let metrics: Vec<&str> = layout.metrics.iter().map(|metric| metric.column.as_str()).collect();
    let slices = layout.slices.as_slice();
    let request = scores::Request { slices, metrics: &metrics, ids: true, groupings: true };
    let mut cases = cases::read_all(folder)?;
    let mut details = details::read(folder)?.peekable();
    let mut record = Vec::new();
    for batch in scores::read_batches(folder, request)? {
        let batch = batch?;
        for row in 0..batch.len() {
            let case = cases.next().ok_or(WriteError::DamagedRun)??;
            let mut reasons = Vec::new();
            while let Some(detail) = details.next_if(|detail| is_about(detail.as_ref().ok(), &case))
            {
                reasons.push(detail?);
            }
            record.clear();
            let stored = Stored { layout, scores: &batch, row, case: &case, reasons: &reasons };
            stored.encode(encoder, &mut record)?;
            take(&record)?;
        }
    }
    Ok(())
}

/// Whether a detail belongs to a case; so does an error, which ends the reading.
fn is_about(detail: Option<&Detail>, case: &StoredCase) -> bool {
    detail.is_none_or(|detail| {
        (&detail.dataset, &detail.example_id) == (&case.dataset, &case.example_id)
    })
}

/// One row of the tables.
struct Stored<'a> {
    layout: &'a Layout,
    scores: &'a Scores,
    row: usize,
    case: &'a StoredCase,
    /// Why scores are null, and what they are made of.
    reasons: &'a [Detail],
}

impl Stored<'_> {
    fn encode(&self, encoder: &Encoder, out: &mut Vec<u8>) -> Result<(), WriteError> {
        let Self { scores, row, case, .. } = *self;
        let slices: Vec<Option<&str>> =
            scores.slices.iter().map(|(_, labels)| labels.get(row)).collect();
        let reference = |text: &String| Reference::from(text.as_str());
        let references: Vec<Reference> = case.references.iter().map(reference).collect();
        let hits: Option<Vec<RowHit<'_>>> =
            case.hits.as_ref().map(|hits| hits.iter().map(RowHit::from).collect());
        let relevant: Option<Vec<RowRelevant<'_>>> =
            case.relevant.as_ref().map(|relevant| relevant.iter().map(RowRelevant::from).collect());
        let found = Row {
            example_id: &case.example_id,
            dataset: case.dataset.as_deref(),
            position: scores.positions[row].cast_unsigned(),
            group_id: case.group_id.as_deref(),
            turn: case.turn,
            slices: &slices,
            scores: &self.scores_of_row()?,
            evidence_seen: scores.evidence_seen.as_ref().and_then(|seen| seen[row]),
            cause: scores.causes.as_ref().and_then(|causes| causes.get(row)),
            question: case.question.as_deref(),
            references: &references,
            gold_passages: &case.gold_passages,
            prediction: case.prediction.as_ref(),
            isolated_prediction: case.isolated_prediction.as_deref(),
            isolated_abstained: case.isolated_abstained,
            isolated_error: case.isolated_error.as_deref(),
            hits: hits.as_deref(),
            error: case.error.as_deref(),
            retrieved: case.retrieved,
            relevant: relevant.as_deref(),
            parts: &self.parts()?,
        };
        encoder
            .encode(&found, out)
            .map_err(|source| WriteError::Row { id: case.example_id.clone(), source })
    }

    /// The scores; a null one has its reason among the details, unless it is a statistic, whose
    /// reason is not stored.
    fn scores_of_row(&self) -> Result<Vec<Score>, WriteError> {
        let columns = self.layout.metrics.iter().zip(&self.scores.metrics);
        let score = |(described, (metric, column)): (&MetricColumn, &(String, Vec<_>))| {
            if let Some(score) = column[self.row] {
                return Ok(Ok(score));
            }
            if described.statistic_of.is_some() {
                return Ok(Err(Unscored::NotApplicable(String::new())));
            }
            let mut reasons = self.reasons.iter().filter(|detail| &detail.metric == metric);
            reasons.find_map(Detail::unscored).map(Err).ok_or(WriteError::DamagedRun)
        };
        columns.map(score).collect()
    }

    fn parts(&self) -> Result<Vec<RowPart<'_>>, WriteError> {
        let place = |detail: &Detail| {
            let place = self.layout.metrics.iter().position(|known| known.column == detail.metric);
            place.ok_or(WriteError::DamagedRun)
        };
        let parts = self.reasons.iter().filter(|detail| detail.kind == schema::PART);
        let parts = parts.map(|detail| {
            Ok(RowPart {
                metric: place(detail)?,
                value: detail.value,
                label: detail.label.as_deref(),
                text: detail.text.as_deref(),
            })
        });
        parts.collect()
    }
}
