//! The tables of an evaluation: which columns they have, and what each means.
//!
//! Scores are apart from texts, because a mean must not read prompts. The columns of `cases`,
//! `details` and `summaries` are the same for every evaluation; those of `scores` follow the plan.
//! Times, paths and host names are in none of them: equal plans give equal bytes.

use std::{collections::BTreeSet, sync::Arc};

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use crate::MetricColumn;

/// Version of `manifest.json` and of the folder as a whole.
pub const MANIFEST_VERSION: &str = "evaluation/1";

/// Version of the table of scores. Adding a column keeps it, changing a meaning raises it.
pub const SCORES_VERSION: &str = "scores/1";

/// Version of the table of cases.
pub const CASES_VERSION: &str = "cases/1";

/// Version of the table of details.
pub const DETAILS_VERSION: &str = "details/1";

/// Version of the table of summaries.
pub const SUMMARIES_VERSION: &str = "summaries/1";

/// The kind of detail that is a part of a score.
pub(crate) const PART: &str = "part";

/// Columns of `scores` that are neither a slice nor a metric; also the key of the folder, which
/// readers show as a column.
const RESERVED: [&str; 7] =
    ["evaluation_id", "dataset", "example_id", "position", "group_id", "evidence_seen", "cause"];

/// What the tables of one evaluation hold.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Digest of the plan, for the footer of every file.
    pub plan_digest: String,
    /// The metric columns, in the order of the scores of a row.
    pub metrics: Vec<MetricColumn>,
    /// The slice columns, in the order of the slices of a row.
    pub slices: Vec<String>,
    /// Names of the datasets; empty unless the plan declares several.
    pub datasets: Vec<String>,
    /// Whether examples belong to groups (dialogs, documents).
    pub groups: bool,
    /// Whether evidence and causes are known.
    pub diagnosis: bool,
    /// What is kept of what was retrieved.
    pub retrieval: RetrievalColumns,
}

/// What is kept of what was retrieved, beside the hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetrievalColumns {
    /// Nothing.
    #[default]
    None,
    /// The relevant passages with their ranks.
    Ranks,
    /// These, and what the texts of all passages say.
    Texts,
}

/// A layout that no table can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// A name that readers would confuse with another one; case does not tell names apart.
    #[error(
        "the scores would have two columns `{0}` (hint: rename the slice, or leave one of two \
         equal metrics out)"
    )]
    Twice(String),
    /// A name that the table has already.
    #[error("a slice is named `{0}`, which is a column of every evaluation (hint: rename it)")]
    Reserved(String),
    /// A metric column that would have to be quoted in a query.
    #[error("`{0}` cannot be a metric column, expected lower case letters, digits and `_`")]
    Unquotable(String),
    /// A name that is nothing.
    #[error("a column has no name")]
    Unnamed,
    /// Two datasets with one name.
    #[error("two datasets are named `{0}`")]
    Dataset(String),
}

impl Layout {
    /// Checks that every column has a name of its own.
    pub fn check(&self) -> Result<(), LayoutError> {
        let mut names = BTreeSet::new();
        for name in &self.slices {
            if name.is_empty() {
                return Err(LayoutError::Unnamed);
            }
            if RESERVED.contains(&name.to_lowercase().as_str()) {
                return Err(LayoutError::Reserved(name.clone()));
            }
        }
        for MetricColumn { column, .. } in &self.metrics {
            let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
            let begins = column.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
            if !begins || !column.bytes().all(plain) || RESERVED.contains(&column.as_str()) {
                return Err(LayoutError::Unquotable(column.clone()));
            }
        }
        let columns = self.metrics.iter().map(|metric| &metric.column);
        for name in self.slices.iter().chain(columns) {
            if !names.insert(name.to_lowercase()) {
                return Err(LayoutError::Twice(name.clone()));
            }
        }
        let mut datasets: Vec<&String> = self.datasets.iter().collect();
        datasets.sort_unstable();
        match datasets.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(LayoutError::Dataset(pair[0].clone())),
            None => Ok(()),
        }
    }

    /// `scores`: one row for each example, one column for each metric.
    pub fn scores(&self) -> SchemaRef {
        let mut fields = self.key();
        // The order of the dataset: official totals are summed in it.
        fields.push(Field::new("position", DataType::Int64, false));
        // The dialog or document: what intervals are clustered by.
        fields.extend(self.groups.then(|| Field::new("group_id", label(), true)));
        // What users group by, copied from the dataset so that grouping needs no join.
        fields.extend(self.slices.iter().map(|slice| Field::new(slice, label(), true)));
        if self.diagnosis {
            // Whether the reader saw a gold passage; null when nobody knows.
            fields.push(Field::new("evidence_seen", DataType::Boolean, true));
            // Where the result comes from, also of a right answer; null where the metric that decides is unscored.
            fields.push(Field::new("cause", label(), true));
        }
        // Null is unscored, with its reason in `details`; never NaN, never a stand-in zero.
        let metric = |metric: &MetricColumn| Field::new(&metric.column, DataType::Float64, true);
        fields.extend(self.metrics.iter().map(metric));
        Arc::new(Schema::new(fields))
    }

    /// `cases`: the texts and the hits; the same rows in the same order as `scores`.
    pub fn cases(&self) -> SchemaRef {
        let mut fields = self.key();
        fields.extend([
            // What was asked; null when only an id is known.
            Field::new("question", DataType::Utf8, true),
            // What the system answered; null for a missing prediction, empty for an abstention.
            Field::new("prediction", DataType::Utf8, true),
            // What the reader answered on the gold passages.
            Field::new("isolated_prediction", DataType::Utf8, true),
            // Whether it declined to answer there; null without an answer.
            Field::new("isolated_abstained", DataType::Boolean, true),
            // Why that answer is not scored: the reader failed, or had nothing to read.
            Field::new("isolated_error", DataType::Utf8, true),
            // How sure the reader is; grows with certainty.
            Field::new("confidence", DataType::Float64, true),
            // Whether the reader declined to answer.
            Field::new("abstained", DataType::Boolean, true),
            // Ids of the passages that the reader gives as support; null without a prediction.
            Field::new("citations", DataType::List(text_element()), true),
            // Ids of the passages that hold the answer.
            Field::new("gold_passages", DataType::List(text_element()), false),
            // The acceptable answers. Singular, because `references` is a word of SQL.
            Field::new("reference", DataType::List(text_element()), false),
            // Whether there is one: what is counted often must not read the texts.
            Field::new("answerable", DataType::Boolean, false),
            // The dialog or document, and the place in the dialog from 0.
            Field::new("group_id", DataType::Utf8, true),
            Field::new("turn", DataType::Int32, true),
            // What was retrieved, best first; null when nothing was retrieved for.
            Field::new("hits", DataType::List(self.hit_element()), true),
            // What the answer took.
            Field::new("latency_ms", DataType::Float64, true),
            Field::new("tokens_in", DataType::Int64, true),
            Field::new("tokens_out", DataType::Int64, true),
            Field::new("cost", DataType::Float64, true),
            // Why a component gave nothing for the example.
            Field::new("error", DataType::Utf8, true),
        ]);
        if self.retrieval != RetrievalColumns::None {
            // How many hits the retriever gave; null where it failed.
            fields.push(Field::new("retrieved", DataType::Int32, true));
            // The relevant passages, retrieved or not; null for an example without judgments.
            let element = self.relevant_element();
            fields.push(Field::new("relevant", DataType::List(element), true));
        }
        Arc::new(Schema::new(fields))
    }

    /// `details`: why a score is what it is, or why it is null; sorted by example and metric.
    pub fn details(&self) -> SchemaRef {
        let mut fields = self.key();
        fields.extend([
            // Name of the column in `scores`.
            Field::new("metric", label(), false),
            // From 0 within an example and a metric.
            Field::new("ordinal", DataType::Int32, false),
            // `error` for a failure, `note` for a property of the example, `part` of a score; an
            // open list.
            Field::new("kind", label(), false),
            // A partial score.
            Field::new("value", DataType::Float64, true),
            // A short reason or verdict, to group by.
            Field::new("label", label(), true),
            // The reason in full.
            Field::new("text", DataType::Utf8, true),
        ]);
        Arc::new(Schema::new(fields))
    }

    /// A passage that was retrieved.
    pub(crate) fn hit(&self) -> Fields {
        let mut fields = vec![
            Field::new("passage_id", DataType::Utf8, false),
            // From 1.
            Field::new("rank", DataType::Int32, false),
            // The retriever's score; null where nobody knows it.
            Field::new("score", DataType::Float64, true),
            // The judged relevance; null for an unjudged passage.
            Field::new("grade", DataType::Int32, true),
            // Whether the reader was given it; null when nobody knows.
            Field::new("seen", DataType::Boolean, true),
        ];
        if self.retrieval == RetrievalColumns::Texts {
            fields.extend([
                // Whether the words of a reference stand in it; null without one, or without text.
                Field::new("has_answer", DataType::Boolean, true),
                // The same for its text as SQuAD normalises it.
                Field::new("has_normalised_answer", DataType::Boolean, true),
                // The rank of the best hit that it nearly repeats.
                Field::new("near_copy_of", DataType::Int32, true),
            ]);
        }
        Fields::from(fields)
    }

    /// An element of a list of hits.
    pub(crate) fn hit_element(&self) -> FieldRef {
        Arc::new(Field::new("element", DataType::Struct(self.hit()), false))
    }

    /// A relevant passage.
    pub(crate) fn relevant(&self) -> Fields {
        let mut fields = vec![
            Field::new("passage_id", DataType::Utf8, false),
            // The judged relevance, above 0.
            Field::new("grade", DataType::Int32, false),
            // Its rank among the hits; null where it was not retrieved.
            Field::new("rank", DataType::Int32, true),
        ];
        if self.retrieval == RetrievalColumns::Texts {
            fields.extend([
                // Number of its words; null where the corpus lacks it.
                Field::new("length", DataType::Int32, true),
                // The first of them that begins a reference, from 0; null where none does.
                Field::new("answer_at", DataType::Int32, true),
            ]);
        }
        Fields::from(fields)
    }

    /// An element of a list of relevant passages.
    pub(crate) fn relevant_element(&self) -> FieldRef {
        Arc::new(Field::new("element", DataType::Struct(self.relevant()), false))
    }

    /// What every table about examples begins with.
    fn key(&self) -> Vec<Field> {
        let dataset = (!self.datasets.is_empty()).then(|| Field::new("dataset", label(), false));
        dataset.into_iter().chain([Field::new("example_id", DataType::Utf8, false)]).collect()
    }
}

/// `summaries`: one row for each metric and slice. A cache: `scores` alone gives it again.
pub(crate) fn summaries() -> SchemaRef {
    Arc::new(Schema::new(vec![
        // What the evaluations of one execution share, and which system this is.
        Field::new("group", label(), false),
        Field::new("system", label(), false),
        // `retrieval`, `isolated` or `integrated`.
        Field::new("stage", label(), false),
        // Null for all datasets together.
        Field::new("dataset", label(), true),
        // Name of the column in `scores`.
        Field::new("metric", label(), false),
        // The column that was grouped by; null for all examples.
        Field::new("slice", label(), true),
        // Its value; null is the group of examples without one when `slice` is set.
        Field::new("slice_value", DataType::Utf8, true),
        // Scored and unscored examples.
        Field::new("n", DataType::Int64, false),
        Field::new("unscored", DataType::Int64, false),
        // Over the scored examples; null when there is none.
        Field::new("mean", DataType::Float64, true),
        Field::new("stddev", DataType::Float64, true),
        Field::new("min", DataType::Float64, true),
        Field::new("max", DataType::Float64, true),
        // The mean if all unscored examples had the worst, or the best, value of the range; null
        // for an open range.
        Field::new("mean_worst", DataType::Float64, true),
        Field::new("mean_best", DataType::Float64, true),
        // Interval of the mean; null when it has none.
        Field::new("ci_low", DataType::Float64, true),
        Field::new("ci_high", DataType::Float64, true),
        Field::new("ci_level", DataType::Float64, true),
        Field::new("ci_method", label(), true),
        // Of the resampling; null where there was none.
        Field::new("seed", DataType::UInt64, true),
        Field::new("resamples", DataType::Int32, true),
    ]))
}

/// An element of a list of texts.
pub(crate) fn text_element() -> FieldRef {
    // `element` is the name that the Parquet format prescribes.
    Arc::new(Field::new("element", DataType::Utf8, false))
}

/// The type of texts with few values.
fn label() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The same schema with labels as plain texts: how rows are handed to the Parquet writer, which
/// finds the distinct values itself. The declared type is still that of the file.
pub(crate) fn plain(schema: &Schema) -> SchemaRef {
    let plain = |field: &Arc<Field>| match field.data_type() {
        DataType::Dictionary(_, value) => {
            Field::new(field.name(), (**value).clone(), field.is_nullable())
        }
        _ => (**field).clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(plain).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use qeval_core::Stage;

    use super::*;

    fn check(slices: &[&str], metrics: &[&str]) -> Result<(), LayoutError> {
        let metric = |column: &&str| MetricColumn {
            column: (*column).to_owned(),
            name: String::new(),
            stage: Stage::Integrated,
            higher_is_better: true,
            min: None,
            max: None,
            parameters: serde_json::Map::new(),
            version: String::new(),
            statistic_of: None,
            pools: Vec::new(),
        };
        let slices = slices.iter().map(|&slice| slice.to_owned()).collect();
        let metrics = metrics.iter().map(metric).collect();
        Layout { metrics, slices, ..Layout::default() }.check()
    }

    #[test]
    fn every_column_has_a_name_of_its_own() {
        assert_eq!(check(&["lang", "Thema"], &["f1", "isolated_f1"]), Ok(()));
        assert_eq!(check(&["F1"], &["f1"]), Err(LayoutError::Twice("f1".to_owned())));
        assert_eq!(check(&["a", "a"], &[]), Err(LayoutError::Twice("a".to_owned())));
        assert_eq!(check(&["Position"], &[]), Err(LayoutError::Reserved("Position".to_owned())));
        assert_eq!(check(&[], &["nDCG@10"]), Err(LayoutError::Unquotable("nDCG@10".to_owned())));
        assert_eq!(check(&[], &[""]), Err(LayoutError::Unquotable(String::new())));
        assert_eq!(check(&[""], &[]), Err(LayoutError::Unnamed));
    }
}
