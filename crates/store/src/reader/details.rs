//! Details: why scores are what they are.

use std::path::Path;

use qeval_core::{FailureKind, Unscored};

use super::{
    ReadError,
    table::{self, Batch, label, value},
};
use crate::schema;

/// Why a score is what it is, or why it is null.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detail {
    /// Name of the dataset; `None` unless there are several.
    pub dataset: Option<String>,
    /// Id of the example.
    pub example_id: String,
    /// Column of the metric.
    pub metric: String,
    /// From 0 within an example and a metric.
    pub ordinal: u32,
    /// `error` for a failure, `note` for a property of the example, `part` for a part of a score;
    /// an open list.
    pub kind: String,
    /// A partial score.
    pub value: Option<f64>,
    /// A short reason or verdict, to group by.
    pub label: Option<String>,
    /// The reason in full.
    pub text: Option<String>,
}

impl Detail {
    /// Why there is no score, if that is what the detail says.
    pub fn unscored(&self) -> Option<Unscored> {
        if self.kind == schema::PART {
            return None;
        }
        let text = || self.text.clone().unwrap_or_default();
        let plain = [Unscored::NoReference, Unscored::NoRelevantPassage, Unscored::LowAgreement];
        let known = plain.into_iter().find(|reason| self.label.as_deref() == Some(reason.label()));
        match (known, self.kind.as_str()) {
            (Some(reason), _) => Some(reason),
            (None, "error") => Some(Unscored::Failed(self.failure_kind(), text())),
            (None, "note") => Some(Unscored::NotApplicable(text())),
            (None, _) => None,
        }
    }

    /// How a component failed; unnamed in evaluations of older versions, and where a newer one says
    /// a word that is not known here.
    fn failure_kind(&self) -> FailureKind {
        let known = self.label.as_deref().and_then(FailureKind::from_name);
        known.unwrap_or(FailureKind::Unnamed)
    }
}

/// Reads all details in order.
pub(crate) fn read(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Detail, ReadError>> + use<>, ReadError> {
    let batches = table::batches(table::parts(folder, "details")?, |part| part);
    Ok(batches.flat_map(|batch| {
        let mut details = Vec::new();
        let appended = batch.and_then(|batch| append(&batch, &mut details));
        details.into_iter().map(Ok).chain(appended.err().map(Err))
    }))
}

fn append(batch: &Batch, details: &mut Vec<Detail>) -> Result<(), ReadError> {
    let datasets = batch.optional_labels("dataset")?;
    let ids = batch.texts("example_id")?;
    let metrics = batch.labels("metric")?;
    let ordinals = batch.small_integers("ordinal")?;
    let kinds = batch.labels("kind")?;
    let values = batch.floats("value")?;
    let labels = batch.labels("label")?;
    let texts = batch.texts("text")?;
    for row in 0..batch.rows() {
        details.push(Detail {
            dataset: datasets.and_then(|datasets| label(datasets, row)).map(str::to_owned),
            example_id: ids.value(row).to_owned(),
            metric: label(metrics, row).unwrap_or_default().to_owned(),
            ordinal: u32::try_from(ordinals.value(row)).unwrap_or(0),
            kind: label(kinds, row).unwrap_or_default().to_owned(),
            value: value(values, row),
            label: label(labels, row).map(str::to_owned),
            text: value(texts, row).map(str::to_owned),
        });
    }
    Ok(())
}
