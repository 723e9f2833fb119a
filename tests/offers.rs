//! Retrievers, readers and normalizers of plugins, isolated and in-process: what they give, and what
//! becomes of an evaluation in which they fail.

use std::collections::BTreeMap;

use qeval_store::{Evaluation, StoredCase};

use crate::support::{Folder, Output, assert_transcript, library};

/// Both places where a plugin can run.
const BOTH: [&str; 2] = ["process", "in-process"];

/// Passages as the plugin reads them: id and text.
const PASSAGES: [(&str, &str); 4] = [
    ("p1", "Section 5 (1) BGB. It is about notices."),
    ("p2", "A notice takes ten days. Holidays count."),
    ("p3", "The harbour opens at seven. Nothing opens later."),
    ("p4", "Ferries leave the harbour daily."),
];

/// An example: its id, question, reference and relevant passage.
type Row<'a> = (&'a str, &'a str, &'a str, &'a str);

const ROWS: [Row<'_>; 4] = [
    ("law", "Which section is about notices?", "§ 5 Abs. 1 BGB", "p1"),
    ("notice", "How many days takes a notice?", "a notice takes ten days", "p2"),
    ("harbour", "When opens the harbour?", "at seven", "p3"),
    ("nothing", "Why?", "no reason", "p4"),
];

fn folder(rows: &[Row<'_>]) -> Folder {
    let folder = Folder::new();
    let example = |(id, question, reference, gold): &Row<'_>| {
        format!(
            "{{\"id\": \"{id}\", \"question\": \"{question}\", \"references\": [\"{reference}\"], \
             \"gold_passages\": [\"{gold}\"]}}\n"
        )
    };
    folder.write("golden.jsonl", rows.iter().map(example).collect::<String>());
    let passage =
        |(id, text): &(&str, &str)| format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n");
    folder.write("passages.jsonl", PASSAGES.iter().map(passage).collect::<String>());
    let line = |(id, text): &(&str, &str)| format!("{id}\t{text}\n");
    folder.write("passages.tsv", PASSAGES.iter().map(line).collect::<String>());
    folder
}

const METRICS: &str = "[metrics]\nretrieval = [\"MRR\"]\nanswer = [\"EM\", \"EM(normalize=acme.legal)\", \
                       \"F1(normalize=acme.legal)\", \"acme.brevity(free=5)\"]\n";

/// A config whose only plugin is opened there.
fn config(folder: &Folder, isolation: &str, rest: &str) -> String {
    format!(
        "version = 1\n[evaluation]\nlabel = \"e\"\n[dataset]\nformat = \"jsonl\"\npath = \
         \"golden.jsonl\"\n[corpus]\nformat = \"jsonl\"\npath = \"passages.jsonl\"\n[[plugin]]\nname \
         = \"acme\"\npath = \"{}\"\nisolation = \"{isolation}\"\noptions = {{ corpus = \"{}\" }}\n\
         {rest}",
        library("sample_plugin").display(),
        folder.path("passages.tsv").display(),
    )
}

const COMPONENTS: &str = "[retriever]\ntype = \"plugin\"\nplugin = \"acme\"\ndepth = 3\nbatch = 1\n\
                          [reader]\ntype = \"plugin\"\nplugin = \"acme\"\npassages = 2\nbatch = 1\n";

/// The same config with its results in that folder.
fn keeping(config: &str, results: &str) -> String {
    config.replace("label = \"e\"", &format!("label = \"e\"\nresults = \"{results}\""))
}

/// What became of each example.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// The scores by column and example.
    scores: BTreeMap<String, BTreeMap<String, Option<f64>>>,
    cases: BTreeMap<String, StoredCase>,
    /// Why scores are null, by example and metric.
    reasons: BTreeMap<(String, String), String>,
}

/// Runs a config and reads its only evaluation.
#[track_caller]
fn evaluate(folder: &Folder, isolation: &str, rest: &str) -> Outcome {
    let results = format!("results-{isolation}");
    let text = config(folder, isolation, rest);
    folder.write("e.toml", keeping(&text, &results));
    folder.qeval(["run", "e.toml"]).succeed();
    let stored = folder.evaluations(&results);
    assert_eq!(stored.len(), 1);
    let evaluation = Evaluation::open(&stored[0]).unwrap();
    let names: Vec<String> =
        evaluation.manifest().metrics.iter().map(|metric| metric.column.clone()).collect();
    let of_column = |column: &String| {
        let scores = evaluation.scores(&[column]).unwrap();
        let values = scores.metric(column).unwrap().iter().enumerate();
        let values = values.map(|(row, score)| (scores.ids.get(row).to_owned(), *score));
        (column.clone(), values.collect())
    };
    let cases = evaluation.all_cases().unwrap().map(Result::unwrap);
    let details = evaluation.details().unwrap().map(Result::unwrap);
    Outcome {
        scores: names.iter().map(of_column).collect(),
        cases: cases.map(|case| (case.example_id.clone(), case)).collect(),
        reasons: details.map(|d| ((d.example_id, d.metric), d.text.unwrap_or_default())).collect(),
    }
}

/// The same both ways.
#[track_caller]
fn evaluate_both(rows: &[Row<'_>], rest: &str) -> Outcome {
    let folder = folder(rows);
    let [isolated, in_process] = BOTH.map(|isolation| evaluate(&folder, isolation, rest));
    assert_eq!(isolated, in_process);
    isolated
}

impl Outcome {
    #[track_caller]
    fn score(&self, column: &str, id: &str) -> Option<f64> {
        self.scores[column][id]
    }

    #[track_caller]
    fn reason(&self, column: &str, id: &str) -> &str {
        assert_eq!(self.score(column, id), None, "{column} of {id}");
        &self.reasons[&(id.to_owned(), column.to_owned())]
    }
}

#[test]
fn a_plugin_retrieves_reads_and_normalises() {
    let outcome = evaluate_both(&ROWS, &format!("{COMPONENTS}{METRICS}"));
    assert!(outcome.reasons.is_empty(), "{:?}", outcome.reasons);
    for (column, expected) in [
        ("mrr", [1.0, 1.0, 1.0, 0.0]),
        ("em", [0.0, 1.0, 0.0, 0.0]),
        ("em_normalize_acme_legal", [1.0, 1.0, 0.0, 0.0]),
        ("isolated_em_normalize_acme_legal", [1.0, 1.0, 0.0, 0.0]),
        ("acme_brevity_free_5", [0.8, 1.0, 1.0, 0.0]),
    ] {
        let scores = ROWS.map(|(id, ..)| outcome.score(column, id));
        assert_eq!(scores, expected.map(Some), "{column}");
    }
    let f1 = outcome.score("f1_normalize_acme_legal", "harbour").unwrap();
    assert!((f1 - 4.0 / 7.0).abs() < 1e-12, "{f1}");
    let answer = outcome.cases["law"].prediction.as_ref().unwrap();
    assert_eq!(answer.citations, ["p1"]);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let rows: Vec<Row<'_>> = ROWS.into_iter().collect();
    let folder = folder(&rows);
    let text = config(&folder, "process", &format!("{COMPONENTS}{METRICS}"));
    let run = |threads: &str| {
        let results = format!("results-{threads}");
        folder.write("e.toml", keeping(&text, &results));
        folder.qeval(["run", "e.toml"]).env("RAYON_NUM_THREADS", threads).succeed();
        let stored = folder.evaluations(&results);
        ["scores", "cases"].map(|table| parquet(&stored[0].join(table)))
    };
    assert_eq!(run("1"), run("3"));
}

/// The bytes of the Parquet files at a path or below it.
fn parquet(path: &std::path::Path) -> Vec<Vec<u8>> {
    let file = path.with_extension("parquet");
    if file.is_file() {
        return vec![std::fs::read(file).unwrap()];
    }
    let mut paths: Vec<_> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn a_retriever_that_fails_costs_its_questions() {
    let rows = [
        ("a", "a notice PANIC", "x", "p2"),
        ("b", "a notice FAIL", "x", "p2"),
        ("c", "a notice SILENT", "x", "p2"),
        ("d", "a notice TWICE", "x", "p2"),
        ("e", "a notice INFINITE", "x", "p2"),
        ("f", "a notice MANY", "x", "p2"),
        ("g", "a notice", "x", "p2"),
    ];
    let retriever = COMPONENTS.split("[reader]").next().unwrap().to_owned()
        + "[metrics]\nretrieval = [\"MRR\"]\n";
    let outcome = evaluate_both(&rows, &retriever);
    for (id, expected) in [
        ("a", "crash: plugin `acme`: panicked at tests/sample-plugin/src/retriever.rs"),
        ("b", "refused: plugin `acme`: the index is closed"),
        ("d", "value: plugin `acme`: passage `p1` is among the hits twice"),
        ("e", "value: plugin `acme`: passage `p1`: the score `inf` is not a number"),
        ("f", "protocol: plugin `acme`: there are 4 hits, expected at most 3"),
    ] {
        let reason = outcome.reason("mrr", id);
        assert!(reason.starts_with(expected), "{id}: {reason}");
    }
    assert_eq!(outcome.score("mrr", "c"), Some(0.0));
    assert_eq!(outcome.score("mrr", "g"), Some(1.0));
}

#[test]
fn a_retriever_that_answers_half_costs_the_batch() {
    let rows = [
        ("a", "a notice HALF", "x", "p2"),
        ("b", "a notice", "x", "p2"),
        ("c", "a notice", "x", "p2"),
    ];
    let retriever = "[retriever]\ntype = \"plugin\"\nplugin = \"acme\"\nbatch = 2\n\
                     [metrics]\nretrieval = [\"MRR\"]\n";
    let outcome = evaluate_both(&rows, retriever);
    for id in ["a", "b"] {
        assert_eq!(
            outcome.reason("mrr", id),
            "protocol: plugin `acme`: it gave 1 rankings for 2 questions (`2` examples, `a` to `b`)"
        );
    }
    assert_eq!(outcome.score("mrr", "c"), Some(1.0));
}

#[test]
fn a_reader_that_fails_costs_its_questions() {
    let rows = [
        ("a", "notice PANIC", "A notice takes ten days", "p2"),
        ("b", "notice FAIL", "A notice takes ten days", "p2"),
        ("c", "notice SILENT", "A notice takes ten days", "p2"),
        ("d", "notice UNSURE", "A notice takes ten days", "p2"),
        ("e", "notice", "A notice takes ten days", "p2"),
    ];
    let reader = COMPONENTS.replace(
        "[retriever]\ntype = \"plugin\"\nplugin = \"acme\"\ndepth = 3\nbatch = 1\n",
        "[retriever]\ntype = \"bm25\"\n",
    );
    let outcome = evaluate_both(&rows, &format!("{reader}[metrics]\nanswer = [\"EM\"]\n"));
    for column in ["em", "isolated_em"] {
        for (id, expected) in [
            ("a", "crash: plugin `acme`: panicked at tests/sample-plugin/src/reader.rs"),
            ("b", "refused: plugin `acme`: this is too hard"),
            ("d", "value: plugin `acme`: the confidence is not a number"),
        ] {
            let reason = outcome.reason(column, id);
            assert!(reason.starts_with(expected), "{id}: {reason}");
        }
        assert_eq!(outcome.score(column, "c"), Some(0.0));
        assert_eq!(outcome.score(column, "e"), Some(1.0));
    }
}

#[test]
fn a_normalizer_that_fails_costs_its_metrics() {
    let rows = [("a", "notice", "PANIC", "p2"), ("b", "harbour", "x", "p3")];
    let outcome = evaluate_both(&rows, &format!("{COMPONENTS}{METRICS}"));
    for id in ["a", "b"] {
        for column in ["em_normalize_acme_legal", "f1_normalize_acme_legal"] {
            let reason = outcome.reason(column, id);
            assert!(reason.starts_with("crash: plugin `acme`: panicked at "), "{reason}");
            let ends = ": no text is normalised today (a batch of 4 texts)";
            assert!(reason.ends_with(ends), "{reason}");
        }
        assert_eq!(outcome.score("em", id), Some(0.0));
    }
    assert_eq!(outcome.score("acme_brevity_free_5", "a"), Some(1.0));
}

#[test]
fn the_failure_of_any_component_may_end_the_evaluation() {
    let searching = "[retriever]\ntype = \"plugin\"\nplugin = \"acme\"\nbatch = 1\n[metrics]\n\
                     retrieval = [\"MRR\"]\n";
    let reading = "[retriever]\ntype = \"bm25\"\n[reader]\nname = \"careful\"\ntype = \
                   \"plugin\"\nplugin = \"acme\"\nbatch = 1\n[metrics]\nanswer = [\"EM\"]\n";
    for (rest, question, reference, expected) in [
        (
            searching,
            "a notice FAIL",
            "x",
            "refused: plugin `acme`: the index is closed (retriever `plugin`; batch `1`; example `b`)",
        ),
        (
            reading,
            "notice FAIL",
            "x",
            "refused: plugin `acme`: this is too hard (reader `careful`; batch `1`; example `b`)",
        ),
        (
            &format!("{COMPONENTS}{METRICS}"),
            "notice",
            "PANIC",
            ": no text is normalised today (a batch of 3 texts) (metrics `EM(normalize=acme.legal)`, \
             `F1(normalize=acme.legal)`; batch `1`; `2` examples, `a` to `b`)",
        ),
    ] {
        let folder = folder(&[("a", "notice", "x", "p2"), ("b", question, reference, "p2")]);
        for isolation in BOTH {
            let text = config(&folder, isolation, rest);
            folder.write("e.toml", text.replace("isolation =", "on_error = \"stop\"\nisolation ="));
            let error = folder.qeval(["run", "e.toml"]).ends_with(1).stderr;
            assert!(error.contains(expected), "{error}");
            folder.assert_no_evaluation("results");
        }
    }
}

#[test]
fn one_more_is_asked_for_where_the_query_is_taken_out() {
    // Its own passage is the best hit.
    let folder = folder(&[("p1", "a notice of section notices", "x", "p2")]);
    let rest = "[retriever]\ntype = \"plugin\"\nplugin = \"acme\"\ndepth = 1\n[metrics]\nretrieval = \
                [\"MRR\"]\n";
    for (ignored, expected) in [("false", 0.0), ("true", 1.0)] {
        let text = config(&folder, "process", rest);
        let label = format!("label = \"e\"\nignore_identical_ids = {ignored}");
        let results = format!("results-{ignored}");
        folder.write("e.toml", keeping(&text, &results).replace("label = \"e\"", &label));
        folder.qeval(["run", "e.toml"]).succeed();
        let evaluation = Evaluation::open(&folder.evaluations(&results)[0]).unwrap();
        let scores = evaluation.scores(&["mrr"]).unwrap();
        assert_eq!(scores.metric("mrr").unwrap().to_vec(), [Some(expected)]);
    }
}

#[track_caller]
fn refused(folder: &Folder, name: &str, text: String) -> Output {
    folder.write(&format!("{name}.toml"), text);
    folder.qeval(["check", &format!("{name}.toml")]).ends_with(2)
}

#[test]
fn what_a_plugin_lacks_is_told_with_the_line() {
    let folder = folder(&ROWS);
    let wrong = "[[retriever]]\ntype = \"plugin\"\nplugin = \"acne\"\n\
                 [[retriever]]\nname = \"figures\"\ntype = \"plugin\"\nplugin = \"figures\"\ndepth = 0\n\
                 [[reader]]\ntype = \"plugin\"\nplugin = \"figures\"\nbatch = 0\n\
                 [metrics]\nanswer = [\"EM(normalize=acme.leagl)\", \"F1(normalize=figures.x)\", \
                 \"F1(normalize=other.x)\", \"F1(normalize=acme.legal,language=de)\"]\n";
    let figures = format!(
        "[[plugin]]\nname = \"figures\"\npath = \"{}\"\n",
        library("key_figures").display()
    );
    let text = config(&folder, "process", &format!("{figures}{wrong}"));
    assert_transcript!("offers__lacking", refused(&folder, "lacking", text));
}

#[test]
fn options_that_a_component_cannot_use_are_told_with_the_line() {
    let folder = folder(&ROWS);
    let text = config(&folder, "process", &format!("{COMPONENTS}{METRICS}"));
    let text = text.replace("passages.tsv", "no-passages.tsv");
    assert_transcript!("offers__options", refused(&folder, "options", text));
}

#[test]
fn all_that_a_plugin_has_is_listed() {
    let folder = folder(&ROWS);
    folder.write("e.toml", config(&folder, "process", &format!("{COMPONENTS}{METRICS}")));
    assert_transcript!("offers__list", folder.qeval(["list", "plugins", "e.toml"]).succeed());
}

#[test]
fn a_plugin_is_part_of_what_a_retriever_is() {
    let folder = folder(&ROWS);
    folder.write("e.toml", config(&folder, "process", &format!("{COMPONENTS}{METRICS}")));
    folder.qeval(["run", "e.toml"]).succeed();
    let stored = folder.evaluations("results");
    let manifest = std::fs::read_to_string(stored[0].join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let components = manifest["components"].as_array().unwrap();
    for kind in ["retriever", "reader"] {
        let component = components.iter().find(|component| component["kind"] == kind).unwrap();
        assert_eq!(component["name"], "plugin");
        assert_eq!(component["version"], "0.1.0");
        let plugin = &component["options"]["plugin"];
        assert_eq!(plugin["name"], "sample");
        assert_eq!(plugin["options"]["sha256"].as_str().unwrap().len(), 64);
        assert!(plugin["options"]["options"]["corpus"].is_string());
    }
    assert_eq!(components.iter().filter(|component| component["kind"] == "plugin").count(), 1);
}

#[test]
fn a_check_says_nothing_of_texts_that_are_not_normalised_yet() {
    let folder = folder(&ROWS);
    let answers = "{\"id\": \"law\", \"prediction\": \"section 5 (1) BGB\"}\n\
                   {\"id\": \"notice\", \"prediction\": \"two\"}\n\
                   {\"id\": \"harbour\", \"prediction\": \"two\"}\n\
                   {\"id\": \"nothing\", \"prediction\": \"two\"}\n";
    folder.write("answers.jsonl", answers);
    let rest = |metric: &str| {
        format!(
            "[reader]\ntype = \"replay\"\npath = \"answers.jsonl\"\n[metrics]\nanswer = [\"{metric}\"]\n"
        )
    };
    let warnings = |metric: &str| {
        folder.write("e.toml", config(&folder, "process", &rest(metric)));
        let output = folder.qeval(["check", "e.toml"]).succeed();
        format!("{}{}", output.stdout, output.stderr)
    };
    let constant = "is 0.0000 for every";
    assert!(warnings("EM").contains(constant), "{}", warnings("EM"));
    let normalised = warnings("EM(normalize=acme.legal)");
    assert!(!normalised.contains(constant), "{normalised}");
    let outcome = evaluate(&folder, "process", &rest("EM(normalize=acme.legal)"));
    assert_eq!(outcome.score("em_normalize_acme_legal", "law"), Some(1.0));
}

#[test]
fn without_a_file_there_is_no_normalizer() {
    let folder = folder(&ROWS);
    folder.write("answers.jsonl", "{\"id\": \"law\", \"prediction\": \"5\"}\n");
    let files = ["--dataset", "golden.jsonl", "--predictions", "answers.jsonl"];
    let metric = ["--dataset-format", "jsonl", "-m", "F1(normalize=acme.legal)"];
    let output = folder.qeval(["score"].into_iter().chain(files).chain(metric));
    assert_transcript!("offers__score", output.ends_with(2));
}
