//! Each way of damaging an evaluation is found, and named with its place.

use std::{fs, path::PathBuf, sync::Arc};

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray, cast::AsArray};
use parquet::{
    arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder},
    file::properties::WriterProperties,
};
use qeval_core::{Score, Stage, Unscored, stats::Intervals};

use super::*;
use crate::{EvaluationId, Layout, Manifest, MetricColumn, Row, Writer};

struct Damaged {
    _results: tempfile::TempDir,
    folder: PathBuf,
}

/// An evaluation of four examples: the last one has no score.
fn sound() -> Damaged {
    let results = tempfile::tempdir().unwrap();
    let metric = MetricColumn {
        column: "f1".to_owned(),
        name: "F1".to_owned(),
        stage: Stage::Integrated,
        higher_is_better: true,
        min: Some(0.0),
        max: Some(1.0),
        parameters: serde_json::Map::new(),
        version: "1".to_owned(),
        statistic_of: None,
        pools: Vec::new(),
    };
    let layout =
        Layout { plan_digest: "sha256:01".to_owned(), metrics: vec![metric], ..Layout::default() };
    let id = EvaluationId::new("verify", "0123456789abcdef");
    let mut writer = Writer::create(results.path(), &id, layout).unwrap();
    for (position, id) in ["a", "b", "c", "d"].into_iter().enumerate() {
        let score: Score = match position {
            3 => Err(Unscored::NoReference),
            _ => Ok(position as f64 / 2.0),
        };
        let row = Row { example_id: id, position: position as u64, ..Row::default() };
        writer.append(&[Row { scores: &[score], ..row }]).unwrap();
    }
    let interval = Some(Intervals::auto(7).into());
    let folder = writer.finish(Manifest { seed: 7, interval, ..Manifest::default() }).unwrap();
    Damaged { _results: results, folder }
}

impl Damaged {
    /// Writes a table again with another column, and its digest into the manifest.
    fn change(&self, file: &str, column: &str, change: impl Fn(&ArrayRef) -> ArrayRef) {
        self.rewrite(file, |batch| {
            let index = batch.schema().index_of(column).unwrap();
            let mut columns = batch.columns().to_vec();
            columns[index] = change(&columns[index]);
            RecordBatch::try_new(batch.schema(), columns).unwrap()
        });
    }

    fn rewrite(&self, file: &str, change: impl Fn(RecordBatch) -> RecordBatch) {
        let path = self.folder.join(file);
        let opened = fs::File::open(&path).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(opened).unwrap();
        let facts = reader.metadata().file_metadata().key_value_metadata().cloned();
        let facts = facts
            .map(|facts| facts.into_iter().filter(|fact| fact.key.starts_with("qeval.")).collect());
        let batch = change(reader.build().unwrap().next().unwrap().unwrap());
        let properties = WriterProperties::builder().set_key_value_metadata(facts).build();
        let out = fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(out, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        self.manifest(|manifest| {
            let part = manifest.parts.iter_mut().find(|part| part.path == file).unwrap();
            part.digest = crate::reader::digest(&path).unwrap();
        });
    }

    fn manifest(&self, change: impl FnOnce(&mut Manifest)) {
        let mut manifest = Manifest::read(&self.folder).unwrap();
        change(&mut manifest);
        manifest.write(&self.folder).unwrap();
    }

    /// Asserts that a defect of the file, and the example, has this in its message.
    #[track_caller]
    fn assert_found(&self, file: &str, example: Option<&str>, message: &str) {
        let found = verify(&self.folder).unwrap();
        let is = |defect: &&Defect| {
            defect.file == file
                && defect.example.as_deref() == example
                && defect.message.contains(message)
        };
        assert!(found.defects.iter().any(|defect| is(&defect)), "{found:#?}");
    }
}

const SCORES: &str = "scores/part-00000.parquet";
const CASES: &str = "cases/part-00000.parquet";
const DETAILS: &str = "details/part-00000.parquet";

fn floats(values: [Option<f64>; 4]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

fn ids(values: [&str; 4]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn a_sound_evaluation_is_right() {
    let sound = sound();
    let found = verify(&sound.folder).unwrap();
    assert_eq!(found, Verification { files: 4, rows: 4, ..Verification::default() });
    // So is one that was written again with the same values.
    sound.rewrite(SCORES, |batch| batch);
    assert!(verify(&sound.folder).unwrap().is_right());
}

#[test]
fn changed_scores_are_found() {
    let scores = |values| {
        let damaged = sound();
        damaged.change(SCORES, "f1", |_| floats(values));
        damaged
    };
    let some = |value: f64| Some(value);
    let changed = scores([some(0.25), some(0.5), some(1.0), None]);
    changed.assert_found("summaries.parquet", None, "the summary of `f1` is not that");
    let high = scores([some(0.0), some(1.5), some(1.0), None]);
    high.assert_found("scores", Some("b"), "`f1` is 1.5, out of the range");
    let nan = scores([some(0.0), some(0.5), some(f64::NAN), None]);
    nan.assert_found("scores", Some("c"), "NaN");
    let null = scores([some(0.0), None, some(1.0), None]);
    null.assert_found("details", Some("b"), "no detail says why");
    let filled = scores([some(0.0), some(0.5), some(1.0), some(1.0)]);
    filled.assert_found("details", Some("d"), "has a score, and a detail");
}

#[test]
fn changed_ids_are_found() {
    let changed = |file: &str, values| {
        let damaged = sound();
        damaged.change(file, "example_id", |_| ids(values));
        damaged
    };
    changed(SCORES, ["a", "c", "b", "d"]).assert_found("scores", Some("b"), "not in the order");
    changed(SCORES, ["a", "b", "b", "d"]).assert_found("scores", Some("b"), "there twice");
    changed(CASES, ["a", "x", "c", "d"]).assert_found("cases", Some("b"), "that of `x`");
    let damaged = sound();
    damaged.change(DETAILS, "example_id", |old| {
        assert_eq!(old.as_string::<i32>().len(), 1);
        Arc::new(StringArray::from(vec!["e"]))
    });
    damaged.assert_found("details", Some("e"), "is of no example");
}

#[test]
fn files_that_are_not_those_of_the_manifest_are_found() {
    let damaged = sound();
    let path = damaged.folder.join(CASES);
    let mut bytes = fs::read(&path).unwrap();
    bytes[40] ^= 1;
    fs::write(&path, bytes).unwrap();
    damaged.assert_found(CASES, None, "digest");

    let damaged = sound();
    fs::remove_file(damaged.folder.join(DETAILS)).unwrap();
    damaged.assert_found(DETAILS, None, "cannot read");

    let damaged = sound();
    fs::write(damaged.folder.join("scores/part-00001.parquet"), "x").unwrap();
    damaged.assert_found("scores/part-00001.parquet", None, "no file of the evaluation");

    let damaged = sound();
    damaged.rewrite(CASES, |batch| batch.slice(0, 3));
    damaged.assert_found(CASES, None, "it has 3 rows, and the manifest says 4");

    let damaged = sound();
    damaged.manifest(|manifest| manifest.plan_digest = "sha256:02".to_owned());
    damaged.assert_found(SCORES, None, "`qeval.plan_digest` is `sha256:01`");

    let damaged = sound();
    damaged.manifest(|manifest| manifest.metrics[0].max = Some(2.0));
    damaged.assert_found(SCORES, None, "`qeval.metrics`");

    let damaged = sound();
    damaged.change("summaries.parquet", "mean", |_| Arc::new(Float64Array::from(vec![0.75])));
    damaged.assert_found("summaries.parquet", None, "mean 0.75 of 3, expected mean 0.5 of 3");
}
