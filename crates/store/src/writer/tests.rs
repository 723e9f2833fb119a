//! What is written is what is read, whatever the order of the rows and the memory.

mod lists;
mod lock;
mod parts;

use std::{collections::BTreeMap, fs, path::Path};

use proptest::prelude::*;
use qeval_core::{
    FailureKind, Prediction, Reference, Score, Stage, Unscored, Usage, stats::Intervals,
};

use super::*;
use crate::{Evaluation, MetricColumn, RetrievalColumns, RowHit, RowPart, RowRelevant, StoredCase};

/// All that a row borrows.
#[derive(Clone, Debug, Default)]
struct Owned {
    case: StoredCase,
    position: u64,
    slices: Vec<Option<String>>,
    scores: Vec<Score>,
    evidence_seen: Option<bool>,
    cause: Option<String>,
    parts: Vec<RowPart<'static>>,
}

/// Appends a row.
fn append(writer: &mut Writer, owned: &Owned) -> Result<(), WriteError> {
    let case = &owned.case;
    let references: Vec<Reference> = case.references.iter().cloned().map(Reference::from).collect();
    let slices: Vec<Option<&str>> = owned.slices.iter().map(Option::as_deref).collect();
    let hits: Option<Vec<RowHit<'_>>> =
        case.hits.as_ref().map(|hits| hits.iter().map(RowHit::from).collect());
    let relevant: Option<Vec<RowRelevant<'_>>> =
        case.relevant.as_ref().map(|relevant| relevant.iter().map(RowRelevant::from).collect());
    writer.append(&[Row {
        example_id: &case.example_id,
        dataset: case.dataset.as_deref(),
        position: owned.position,
        group_id: case.group_id.as_deref(),
        turn: case.turn,
        slices: &slices,
        scores: &owned.scores,
        evidence_seen: owned.evidence_seen,
        cause: owned.cause.as_deref(),
        question: case.question.as_deref(),
        references: &references,
        gold_passages: &case.gold_passages,
        prediction: case.prediction.as_ref(),
        isolated_prediction: case.isolated_prediction.as_deref(),
        isolated_abstained: case.isolated_abstained,
        isolated_error: case.isolated_error.as_deref(),
        hits: hits.as_deref(),
        retrieved: case.retrieved,
        relevant: relevant.as_deref(),
        error: case.error.as_deref(),
        parts: &owned.parts,
    }])
}

fn metric(column: &str) -> MetricColumn {
    MetricColumn {
        column: column.to_owned(),
        name: column.to_uppercase(),
        stage: Stage::Integrated,
        higher_is_better: true,
        min: Some(0.0),
        max: Some(1.0),
        parameters: serde_json::Map::new(),
        version: "1".to_owned(),
        statistic_of: None,
        pools: Vec::new(),
    }
}

fn layout(datasets: bool) -> Layout {
    let datasets: &[&str] = if datasets { &["news", "law"] } else { &[] };
    Layout {
        plan_digest: "sha256:00".to_owned(),
        metrics: vec![metric("f1"), metric("em")],
        slices: vec!["lang".to_owned(), "a.b".to_owned()],
        datasets: datasets.iter().map(|&name| name.to_owned()).collect(),
        groups: true,
        diagnosis: true,
        retrieval: RetrievalColumns::Texts,
    }
}

/// Writes rows with so much memory, where that is odd on several threads, and opens the result.
fn write(
    results: &Path,
    layout: Layout,
    memory: usize,
    rows: &[Owned],
) -> Result<Evaluation, WriteError> {
    let id = EvaluationId::new("test", "0123456789abcdef");
    let writer = Writer::create(results, &id, layout)?.with_memory_budget(memory);
    let mut writer = writer.with_threads(memory % 2 == 1);
    for row in rows {
        append(&mut writer, row)?;
    }
    let folder = writer.finish(Manifest { seed: 7, ..Manifest::default() })?;
    Ok(Evaluation::open(&folder)?)
}

/// The bytes of every Parquet file by its path.
fn bytes(evaluation: &Evaluation) -> BTreeMap<String, Vec<u8>> {
    let parts = evaluation.manifest().parts.iter();
    parts
        .map(|part| (part.path.clone(), fs::read(evaluation.folder().join(&part.path)).unwrap()))
        .collect()
}

/// The rows as they are read back, in the order of the file.
fn read(evaluation: &Evaluation) -> Vec<Owned> {
    let scores = evaluation.scores(&["f1", "em"]).unwrap();
    let cases: Vec<StoredCase> = evaluation.all_cases().unwrap().map(Result::unwrap).collect();
    let details: Vec<_> = evaluation.details().unwrap().map(Result::unwrap).collect();
    assert_eq!(scores.len(), cases.len());
    let row = |(row, case): (usize, StoredCase)| {
        assert_eq!(scores.ids.get(row), case.example_id);
        assert_eq!(scores.groups.as_ref().unwrap().get(row), case.group_id.as_deref());
        let score = |(metric, column): &(String, Vec<Option<f64>>)| {
            column[row].ok_or_else(|| {
                let about = details.iter().filter(|detail| {
                    detail.dataset == case.dataset && detail.example_id == case.example_id
                });
                let mut found = about.filter(|detail| &detail.metric == metric);
                let reason = found.next().unwrap().unscored().unwrap();
                assert!(found.next().is_none(), "one reason for each null");
                reason
            })
        };
        let text = |text: Option<&str>| text.map(str::to_owned);
        Owned {
            position: u64::try_from(scores.positions[row]).unwrap(),
            slices: scores.slices.iter().map(|(_, labels)| text(labels.get(row))).collect(),
            scores: scores.metrics.iter().map(score).collect(),
            evidence_seen: scores.evidence_seen.as_ref().unwrap()[row],
            cause: text(scores.causes.as_ref().unwrap().get(row)),
            parts: Vec::new(),
            case,
        }
    };
    cases.into_iter().enumerate().map(row).collect()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-c]{1,3}", "\\PC{0,12}"]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..3)
}

fn maybe<T: std::fmt::Debug>(
    strategy: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    prop::option::of(strategy)
}

fn kind() -> impl Strategy<Value = FailureKind> {
    prop::sample::select(FailureKind::ALL.to_vec())
}

fn score() -> impl Strategy<Value = Score> {
    prop_oneof![
        4 => (0.0..=1.0_f64).prop_map(Ok),
        1 => Just(Err(Unscored::NoReference)),
        1 => Just(Err(Unscored::NoRelevantPassage)),
        1 => Just(Err(Unscored::LowAgreement)),
        1 => text().prop_map(|text| Err(Unscored::NotApplicable(text))),
        1 => (kind(), text()).prop_map(|(kind, text)| Err(Unscored::Failed(kind, text))),
    ]
}

fn prediction() -> impl Strategy<Value = Prediction> {
    let usage = (maybe(0.0..9.0), maybe(0..99_u64), maybe(0..99_u64), maybe(0.0..9.0));
    let usage = usage.prop_map(|(latency_ms, tokens_in, tokens_out, cost)| Usage {
        latency_ms,
        tokens_in,
        tokens_out,
        cost,
    });
    (text(), any::<bool>(), maybe(-9.0..9.0), texts(), usage).prop_map(
        |(text, abstained, confidence, citations, usage)| Prediction {
            text,
            abstained,
            confidence,
            citations,
            usage,
            ..Prediction::default()
        },
    )
}

fn case() -> impl Strategy<Value = StoredCase> {
    let texts = (maybe(text()), texts(), texts(), maybe(text()));
    let isolated = (maybe((text(), any::<bool>())), maybe(text()));
    let hits = (maybe(lists::hits()), maybe(0..9_u32), maybe(lists::relevant()));
    let parts = (maybe(prediction()), hits, maybe("[xyz]"), maybe(0..9_u32));
    (texts, isolated, parts).prop_map(
        |(
            (question, references, gold_passages, error),
            (isolated, isolated_error),
            (prediction, (hits, retrieved, relevant), group_id, turn),
        )| StoredCase {
            dataset: None,
            example_id: String::new(),
            question,
            prediction,
            isolated_abstained: isolated.as_ref().is_some_and(|(_, abstained)| *abstained),
            isolated_prediction: isolated.map(|(text, _)| text),
            isolated_error,
            gold_passages,
            references,
            group_id,
            turn,
            hits,
            error,
            retrieved,
            relevant,
        },
    )
}

/// Rows with ids of their own, in any order, of one or two datasets.
fn rows() -> impl Strategy<Value = (bool, Vec<Owned>)> {
    let rest = (
        case(),
        prop::collection::vec(maybe(text()), 2),
        prop::collection::vec(score(), 2),
        maybe(any::<bool>()),
        maybe("retrieval|reading"),
    );
    let keyed = prop::collection::hash_map((any::<bool>(), "[ab]{0,2}\\PC{0,20}"), rest, 0..20);
    (any::<bool>(), keyed).prop_map(|(several, keyed)| {
        let mut rows: BTreeMap<(usize, bool, String), Owned> = BTreeMap::new();
        for (place, ((law, id), (mut case, slices, scores, evidence_seen, cause))) in
            keyed.into_iter().enumerate()
        {
            case.example_id = if several { id } else { format!("{law}{id}") };
            case.dataset = several.then(|| if law { "law" } else { "news" }.to_owned());
            let position = place as u64;
            let parts = Vec::new();
            let row = Owned { case, position, slices, scores, evidence_seen, cause, parts };
            rows.insert((place, law, String::new()), row);
        }
        (several, rows.into_values().collect())
    })
}

fn sorted(rows: &[Owned]) -> Vec<Owned> {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| {
        let key = |row: &Owned| (row.case.dataset.clone(), row.case.example_id.clone());
        key(a).cmp(&key(b))
    });
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_written_is_what_is_read((several, rows) in rows()) {
        let results = tempfile::tempdir().unwrap();
        let evaluation = write(results.path(), layout(several), usize::MAX, &rows).unwrap();
        let (found, expected) = (read(&evaluation), sorted(&rows));
        prop_assert_eq!(format!("{found:#?}"), format!("{expected:#?}"));
        let order: Vec<usize> = (0..rows.len()).rev().collect();
        let backwards = evaluation.cases(&order).unwrap();
        prop_assert!(backwards.iter().rev().eq(expected.iter().map(|row| &row.case)));
    }

    #[test]
    fn order_and_memory_do_not_matter((several, rows) in rows(), memory in 0..1500_usize, cut in 0..20_usize) {
        let expected = {
            let results = tempfile::tempdir().unwrap();
            bytes(&write(results.path(), layout(several), usize::MAX, &rows).unwrap())
        };
        // Sorted, sorted at first, and as they come.
        let mut half_sorted = sorted(&rows);
        let cut = cut.min(rows.len());
        half_sorted.rotate_left(cut);
        for rows in [&sorted(&rows), &half_sorted, &rows] {
            let results = tempfile::tempdir().unwrap();
            let found = bytes(&write(results.path(), layout(several), memory, rows).unwrap());
            prop_assert!(found == expected, "memory {memory}, cut {cut}");
        }
    }
}

fn numbered(number: usize) -> Owned {
    Owned {
        case: StoredCase { example_id: format!("q{number:05}"), ..StoredCase::default() },
        position: number as u64,
        slices: vec![Some((number % 3).to_string()), None],
        scores: vec![
            Ok(number as f64 / 1e5),
            Err(Unscored::Failed(FailureKind::Timeout, "timeout".to_owned())),
        ],
        ..Owned::default()
    }
}

#[test]
fn many_runs_and_batches_give_the_bytes_of_one() {
    let rows: Vec<Owned> = (0..5000).map(numbered).collect();
    let of = |rows: &[Owned], memory| {
        let results = tempfile::tempdir().unwrap();
        bytes(&write(results.path(), layout(false), memory, rows).unwrap())
    };
    let expected = of(&rows, usize::MAX);
    assert!(expected.len() == 4);
    // A permutation without order: more runs than are merged at once.
    let shuffled: Vec<Owned> = (0..5000).map(|i| rows[i * 1237 % 5000].clone()).collect();
    assert!(of(&shuffled, 6000) == expected);
    assert!(of(&rows, 6000) == expected, "sorted rows in small buffers");
    let mut late = rows.clone();
    late.rotate_left(10);
    assert!(of(&late, 6000) == expected, "the first ids come last");
}

#[test]
fn every_null_has_its_reason_and_counts_in_the_summaries() {
    let results = tempfile::tempdir().unwrap();
    let mut rows: Vec<Owned> = (0..4).map(numbered).collect();
    rows[2].scores[0] = Err(Unscored::NoReference);
    let evaluation = write(results.path(), layout(false), 1, &rows).unwrap();
    let details: Vec<_> = evaluation.details().unwrap().map(Result::unwrap).collect();
    let short: Vec<_> = details
        .iter()
        .map(|d| (&*d.example_id, &*d.metric, &*d.kind, d.label.as_deref().unwrap()))
        .collect();
    assert_eq!(
        short,
        [
            ("q00000", "em", "error", "timeout"),
            ("q00001", "em", "error", "timeout"),
            ("q00002", "em", "error", "timeout"),
            ("q00002", "f1", "note", "no reference"),
            ("q00003", "em", "error", "timeout"),
        ]
    );
    assert_eq!(details[3].text.as_deref(), Some("the example has no reference"));
    let summaries = evaluation.summaries().unwrap();
    let scores = evaluation.scores(&["f1", "em"]).unwrap();
    assert_eq!(
        summaries,
        crate::summarize(&scores, &evaluation.manifest().metrics, Intervals::auto(7))
    );
    // For each metric: all, three languages, and the one group of the other slice.
    assert_eq!(summaries.len(), 2 * (1 + 3 + 1));
    assert_eq!((summaries[0].estimate.n, summaries[0].estimate.unscored), (3, 1));
    assert_eq!((summaries[5].estimate.n, summaries[5].estimate.mean), (0, None));
}

#[test]
fn what_cannot_be_stored_is_refused_by_name() {
    let results = tempfile::tempdir().unwrap();
    let id = EvaluationId::new("test", "0123456789abcdef");
    let mut writer = Writer::create(results.path(), &id, layout(false)).unwrap();
    let mut refused = |change: fn(&mut Owned)| {
        let mut row = numbered(1);
        change(&mut row);
        match append(&mut writer, &row) {
            Err(WriteError::Row { id, source }) => format!("{id}: {source}"),
            other => panic!("{other:?}"),
        }
    };
    let message = "expected a finite number or the reason why not";
    assert_eq!(
        refused(|row| row.scores[1] = Ok(f64::NAN)),
        format!("q00001: the score in `em` is `NaN`, {message}")
    );
    assert_eq!(
        refused(|row| row.scores[0] = Ok(f64::INFINITY)),
        format!("q00001: the score in `f1` is `inf`, {message}")
    );
    assert_eq!(
        refused(|row| {
            row.case.prediction =
                Some(Prediction { confidence: Some(f64::NAN), ..Prediction::default() });
        }),
        "q00001: the confidence is NaN, expected a number or nothing"
    );
    assert_eq!(
        refused(|row| row.scores.truncate(1)),
        "q00001: there are 1 scores, expected 2 as in the layout"
    );
    assert_eq!(
        refused(|row| row.case.dataset = Some("news".to_owned())),
        "q00001: the dataset is `news`, expected one of those of the layout"
    );
    append(&mut writer, &numbered(2)).unwrap();
    let evaluation = Evaluation::open(&writer.finish(Manifest::default()).unwrap()).unwrap();
    assert_eq!(evaluation.scores(&[]).unwrap().ids.iter().collect::<Vec<_>>(), ["q00002"]);
}

#[test]
fn two_rows_with_one_id_are_refused() {
    for memory in [1, 1 << 20] {
        let results = tempfile::tempdir().unwrap();
        let mut rows: Vec<Owned> = [3, 1, 2, 1].map(numbered).to_vec();
        rows.iter_mut().zip(0..).for_each(|(row, position)| row.position = position);
        let error = write(results.path(), layout(false), memory, &rows).unwrap_err();
        assert_eq!(
            error.to_string(),
            "example `q00001` is there twice, at positions 1 and 3 of the dataset (hint: ids must \
             be unique)"
        );
        let left = fs::read_dir(results.path()).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(left.collect::<Vec<_>>(), ["_locks"]);
    }
}

#[test]
fn an_evaluation_is_whole_or_not_there() {
    let results = tempfile::tempdir().unwrap();
    let names = || {
        let entries = fs::read_dir(results.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    };
    let id = EvaluationId::new("test", "0123456789abcdef");
    let create = || Writer::create(results.path(), &id, layout(false));

    let mut writer = create().unwrap().with_memory_budget(1);
    append(&mut writer, &numbered(2)).unwrap();
    append(&mut writer, &numbered(1)).unwrap();
    assert_eq!(names(), ["_locks", "_unfinished-test-0123456789ab"]);
    assert!(crate::list(results.path()).unwrap().evaluations.is_empty());
    let error = create().unwrap_err();
    assert!(matches!(error, WriteError::Busy { .. }));
    let begin = format!("process {}", std::process::id());
    assert!(error.to_string().starts_with(&begin), "{error}");
    assert!(error.to_string().contains("since 20"), "{error}");
    drop(writer);
    assert_eq!(names(), ["_locks"]);
    // Who had it before is not named.
    let lock = results.path().join("_locks/test-0123456789ab");
    assert_eq!(fs::read(lock).unwrap(), b"");

    // What a killed process leaves behind does not stay and does not disturb.
    let left = results.path().join("_unfinished-test-0123456789ab/scores");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("part-00007.parquet"), "half").unwrap();
    let mut writer = create().unwrap();
    append(&mut writer, &numbered(1)).unwrap();
    let folder = writer.finish(Manifest::default()).unwrap();
    assert_eq!(names(), ["_locks", "evaluation_id=test-0123456789ab"]);
    let evaluation = Evaluation::open(&folder).unwrap();
    assert_eq!(evaluation.scores(&["em"]).unwrap().len(), 1);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort_unstable();
    assert_eq!(files, ["cases", "details", "manifest.json", "scores", "summaries.parquet"]);
    assert!(matches!(create(), Err(WriteError::Exists { .. })));
}

#[test]
fn a_writer_may_move_to_another_thread() {
    fn assert_send<T: Send>() {}
    assert_send::<Writer>();
}

#[test]
fn an_evaluation_without_rows_is_one() {
    let results = tempfile::tempdir().unwrap();
    let evaluation = write(results.path(), layout(true), 1, &[]).unwrap();
    assert!(evaluation.scores(&["f1"]).unwrap().is_empty());
    assert_eq!(evaluation.all_cases().unwrap().count(), 0);
    assert_eq!(evaluation.details().unwrap().count(), 0);
    assert_eq!(evaluation.summaries().unwrap()[0].estimate.n, 0);
}

#[test]
fn damage_is_named() {
    let results = tempfile::tempdir().unwrap();
    let evaluation = write(results.path(), layout(false), 1, &[numbered(1)]).unwrap();
    let error = evaluation.scores(&["f2"]).unwrap_err().to_string();
    assert!(error.ends_with("part-00000.parquet` has no column `f2` of numbers"), "{error}");
    let error = evaluation.cases(&[0, 1]).unwrap_err().to_string();
    assert!(error.starts_with("there is no row 1 in"), "{error}");
    let cases = evaluation.folder().join("cases/part-00000.parquet");
    fs::write(&cases, &fs::read(&cases).unwrap()[..100]).unwrap();
    let evaluation = Evaluation::open(evaluation.folder()).unwrap();
    let error = evaluation.cases(&[0]).unwrap_err();
    assert!(matches!(error, ReadError::Changed { .. }), "{error}");
    fs::remove_dir_all(evaluation.folder().join("scores")).unwrap();
    let error = evaluation.scores(&[]).unwrap_err();
    assert!(matches!(error, ReadError::Io { .. }), "{error}");
}
