//! When to answer: the table of answered and abstained, what confidences are worth, and why examples
//! are unscored, as the report shows them.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Folder, assert_transcript};

/// A ferry company: six questions with an answer, four without.
const GOLDEN: &str = r#"{"id": "a", "question": "When does the first ferry leave?", "references": ["at six"]}
{"id": "b", "question": "What does a bicycle cost?", "references": ["2 crowns"]}
{"id": "c", "question": "How long is the crossing?", "references": ["40 minutes"]}
{"id": "d", "question": "Which pier is for cars?", "references": ["the east pier"]}
{"id": "e", "question": "Who sells tickets?", "references": ["the kiosk"]}
{"id": "f", "question": "Are dogs allowed?", "references": ["yes"]}
{"id": "u", "question": "Who was the first captain?", "references": []}
{"id": "v", "question": "How deep is the harbour?", "references": []}
{"id": "w", "question": "What will a ticket cost next year?", "references": []}
{"id": "x", "question": "How many gulls are there?", "references": []}
"#;

/// Three right answers, a wrong one, an abstention from a question that has an answer, and no
/// prediction for `f`; three abstentions and an answer where there is none.
const CAREFUL: &str = r#"{"id": "a", "answer": "at six", "p": 0.9}
{"id": "b", "answer": "2 crowns", "p": 0.8}
{"id": "c", "answer": "an hour", "p": 0.8}
{"id": "d", "answer": "", "p": 0.6}
{"id": "e", "answer": "the kiosk", "p": 0.4}
{"id": "u", "answer": "", "p": 0.7}
{"id": "v", "answer": null, "p": 0.9}
{"id": "w", "answer": "3 crowns", "p": 0.3}
{"id": "x", "answer": "", "p": null}
"#;

/// On the right passage: all that has an answer is answered, and all else but one question.
const ISOLATED: &str = r#"{"id": "a", "answer": "at six", "p": 0.95}
{"id": "b", "answer": "2 crowns", "p": 0.95}
{"id": "c", "answer": "40 minutes", "p": 0.9}
{"id": "d", "answer": "the west pier", "p": 0.35}
{"id": "e", "answer": "the kiosk", "p": 0.7}
{"id": "f", "answer": "yes", "p": 0.7}
{"id": "u", "answer": "", "p": 0.8}
{"id": "v", "answer": "", "p": 0.8}
{"id": "w", "answer": "3 crowns", "p": 1.5}
"#;

/// Everything is answered, with a certainty that is no probability.
const EAGER: &str = r#"{"id": "a", "answer": "at six", "p": 3}
{"id": "b", "answer": "2 crowns", "p": -1.5}
{"id": "c", "answer": "40 minutes", "p": 2e9}
{"id": "d", "answer": "the west pier", "p": 0.00002}
{"id": "e", "answer": "the kiosk", "p": 3}
{"id": "f", "answer": "no", "p": 1}
{"id": "u", "answer": "Anna Brandt", "p": 0}
{"id": "v", "answer": "9 metres", "p": 1}
{"id": "w", "answer": "3 crowns", "p": 0.5}
{"id": "x", "answer": "many", "p": 0.5}
"#;

/// The metrics, with and without those of the confidences.
fn config(metrics: &str) -> String {
    format!(
        r#"version = 1

[evaluation]
label = "ferry"

[dataset]
format = "jsonl"
path = "golden.jsonl"

[[reader]]
type = "replay"
name = "careful"
path = "careful.jsonl"
isolated_path = "isolated.jsonl"
fields = {{ prediction = "answer", confidence = "p" }}

[[reader]]
type = "replay"
name = "eager"
path = "eager.jsonl"
fields = {{ prediction = "answer", confidence = "p" }}

[metrics]
answer = [{metrics}]
"#
    )
}

const ALL: &str = r#""EM", "AURC", "E-AURC", "AURC(score=F1,min_score=0.5)", "ECE(bins=5)",
    "ECE(bins=3,scheme=mass)", "Brier", "NoAnswer.Recall", "NoAnswer.Precision""#;

/// The ferry company's files, and a config with all metrics of abstention and confidence.
pub(crate) fn ferry() -> Folder {
    let folder = Folder::new();
    folder.write("golden.jsonl", GOLDEN);
    folder.write("careful.jsonl", CAREFUL);
    folder.write("isolated.jsonl", ISOLATED);
    folder.write("eager.jsonl", EAGER);
    folder.write("ferry.toml", config(ALL));
    folder.write("short.toml", config(r#""EM""#));
    folder
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    let value = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
}

/// The entry of a list that has this stage and is about all datasets.
#[track_caller]
fn of_stage<'a>(list: &'a Value, stage: &str) -> &'a Value {
    let of = |entry: &&Value| entry["stage"] == stage && entry["dataset"].is_null();
    list.as_array().unwrap().iter().find(of).unwrap_or_else(|| panic!("{stage}: {list}"))
}

#[test]
fn the_report_says_when_to_answer() {
    let folder = ferry();
    let first = folder.qeval(["run", "ferry.toml"]).succeed();
    assert_transcript!("abstention__run", first);
    let again = folder.qeval(["report", "ferry"]).succeed();
    assert_eq!(again.stdout, first.stdout);
    assert_transcript!("abstention__one_system", folder.qeval(["report", "ferry:careful"]).run());
    let mut json = folder.qeval(["report", "ferry:careful", "--format", "json"]).succeed();
    // The summaries have a snapshot elsewhere.
    let mut shape = json.json();
    shape["evaluations"][0]["summaries"] = json!([]);
    json.stdout = format!("{shape:#}\n");
    assert_transcript!("abstention__json", json);
}

#[test]
fn the_numbers_can_be_worked_out_by_hand() {
    let folder = ferry();
    let report = folder.qeval(["run", "ferry.toml", "--format", "json"]).succeed().json();
    let (careful, eager) = (&report["evaluations"][0], &report["evaluations"][1]);
    assert_eq!((&careful["system"], &eager["system"]), (&json!("careful"), &json!("eager")));

    let table = of_stage(&careful["abstention"], "integrated");
    let cells = |n, answered, abstained, missing| {
        json!({
            "n": n, "answered": answered, "abstained": abstained, "no_prediction": missing,
        })
    };
    assert_eq!(table["answerable"], cells(6, 4, 1, 1));
    assert_eq!(table["unanswerable"], cells(4, 1, 3, 0));
    // Without a prediction `f` counts as abstained from.
    for (rate, k, n) in [
        ("no_answer_recall", 3, 4),
        ("no_answer_precision", 3, 5),
        ("answered_unanswerable", 1, 4),
        ("abstained_answerable", 2, 6),
    ] {
        let found = &table["rates"][rate];
        assert_eq!((&found["count"], &found["n"]), (&k.into(), &n.into()), "{rate}");
        close(&found["share"], f64::from(k) / f64::from(n));
        assert_eq!(found["ci_method"], "wilson");
    }
    let mean = |evaluation: &Value, column: &str| {
        let summaries = evaluation["summaries"].as_array().unwrap();
        summaries.iter().find(|s| s["column"] == column).unwrap()["mean"].clone()
    };
    assert_eq!(mean(careful, "noanswer_recall"), table["rates"]["no_answer_recall"]["share"]);
    assert_eq!(mean(careful, "noanswer_precision"), table["rates"]["no_answer_precision"]["share"]);
    let isolated = of_stage(&careful["abstention"], "isolated");
    assert_eq!(isolated["answerable"], cells(6, 6, 0, 0));
    assert_eq!(isolated["unanswerable"], cells(4, 1, 2, 1));
    let of_eager = of_stage(&eager["abstention"], "integrated");
    assert_eq!(of_eager["unanswerable"], cells(4, 4, 0, 0));
    assert_eq!(of_eager["rates"]["no_answer_precision"]["share"], Value::Null);

    // By confidence: a and v (0.9), b and c (0.8), u, d, e, w, and f, which has no prediction.
    let risk = of_stage(&careful["risk_coverage"], "integrated");
    assert_eq!((&risk["n"], &risk["correct"]), (&9.into(), &"EM".into()));
    let risks =
        [0.0, 0.0, 0.5 / 3.0, 1.0 / 4.0, 1.0 / 5.0, 2.0 / 6.0, 2.0 / 7.0, 3.0 / 8.0, 4.0 / 9.0];
    let area = risks.iter().sum::<f64>() / 9.0;
    // Best: the five right ones first.
    let best = [1.0 / 6.0, 2.0 / 7.0, 3.0 / 8.0, 4.0 / 9.0].iter().sum::<f64>() / 9.0;
    assert_eq!(risk["metrics"][0]["metric"], "AURC");
    close(&risk["metrics"][0]["value"], area);
    close(&risk["metrics"][1]["value"], area - best);
    assert_eq!(mean(careful, "aurc"), risk["metrics"][0]["value"]);
    let points = risk["points"].as_array().unwrap();
    let confidences: Vec<&Value> = points.iter().map(|point| &point["confidence"]).collect();
    let expected = json!([0.9, 0.8, 0.7, 0.6, 0.4, 0.3, null]);
    assert_eq!(confidences, expected.as_array().unwrap().iter().collect::<Vec<_>>());
    for (point, k) in points.iter().zip([2_u8, 4, 5, 6, 7, 8, 9]) {
        assert_eq!(point["n"], k);
        close(&point["coverage"], f64::from(k) / 9.0);
        close(&point["risk"], risks[usize::from(k) - 1]);
    }

    // Without a prediction, the example is wrong with confidence 1.
    let calibration = of_stage(&careful["calibration"], "integrated");
    let bins = calibration["bins"].as_array().unwrap();
    let expected = [
        (2, 0.7 / 2.0, 1.0 / 2.0, 0.3 / 9.0),
        (1, 0.6, 0.0, 0.6 / 9.0),
        (3, 2.3 / 3.0, 2.0 / 3.0, 0.3 / 9.0),
        (3, 2.8 / 3.0, 2.0 / 3.0, 0.8 / 9.0),
    ];
    assert_eq!(bins.len(), expected.len());
    for (bin, (n, confidence, correct, error)) in bins.iter().zip(expected) {
        assert_eq!(bin["n"], n);
        close(&bin["confidence"], confidence);
        close(&bin["correct"], correct);
        close(&bin["error"], error);
    }
    close(&calibration["metrics"][0]["value"], 2.0 / 9.0);
    assert_eq!(calibration["metrics"][1]["metric"], "Brier");
    close(&calibration["metrics"][1]["value"], 2.6 / 9.0);

    // Most of what is eager is no probability: three values of the five differ.
    let reasons = eager["unscored"].as_array().unwrap();
    let brier: Vec<(&Value, &Value)> = reasons
        .iter()
        .filter(|reason| reason["column"] == "brier")
        .map(|reason| (&reason["text"], &reason["n"]))
        .collect();
    let text = |value: &str| json!(format!("the confidence `{value}` is no probability"));
    assert_eq!(
        brier,
        [(&text("3"), &json!(2)), (&text("-1.5"), &json!(1)), (&text("2000000000"), &json!(1)),]
    );
}

#[test]
fn a_metric_asks_for_curves_and_bins() {
    let folder = ferry();
    let report = folder.qeval(["run", "short.toml", "--format", "json"]).succeed().json();
    for evaluation in report["evaluations"].as_array().unwrap() {
        assert_eq!(evaluation["risk_coverage"], json!([]));
        assert_eq!(evaluation["calibration"], json!([]));
        assert_ne!(evaluation["abstention"], json!([]));
    }
    let text = folder.qeval(["run", "short.toml"]).succeed().stdout;
    assert!(text.contains("\nanswered or abstained\n"), "{text}");
    assert!(!text.contains("risk and coverage") && !text.contains("calibration"), "{text}");
}

#[test]
fn nothing_is_said_where_everything_is_answered() {
    let folder = Folder::new();
    folder.write("d.jsonl", "{\"id\": 1, \"references\": [\"x\"], \"prediction\": \"x\"}\n");
    // Whoever has no references at all has no unanswerable questions.
    folder.write("none.jsonl", "{\"id\": 1, \"references\": [], \"prediction\": \"x\"}\n");
    for dataset in ["d.jsonl", "none.jsonl"] {
        let config = format!(
            "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"{dataset}\"\nfields = {{ prediction = \
             \"prediction\" }}\n[reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"EM\"]\n"
        );
        folder.write("e.toml", config);
        let report = folder.qeval(["run", "e.toml", "--format", "json"]).succeed().json();
        assert_eq!(report["evaluations"][0]["abstention"], json!([]), "{dataset}");
        assert_eq!(report["evaluations"][0]["unscored"], json!([]), "{dataset}");
        let text = folder.qeval(["run", "e.toml"]).succeed().stdout;
        assert!(!text.contains("abstained") && !text.contains("unscored examples"), "{text}");
    }
}

/// Two files of dialogs, whose groups have the same names.
const DIALOGS: [(&str, &str); 2] = [
    (
        "inland",
        r#"{"id": 1, "references": ["x"], "group": "g", "prediction": "x"}
{"id": 2, "references": [], "group": "g", "prediction": ""}
{"id": 3, "references": [], "group": "h", "prediction": "z"}
{"id": 4, "references": [], "group": "h", "prediction": "z"}
"#,
    ),
    (
        "abroad",
        r#"{"id": 1, "references": [], "group": "g", "prediction": "y"}
{"id": 2, "references": [], "group": "g", "prediction": ""}
{"id": 3, "references": ["x"], "group": "h", "prediction": ""}
"#,
    ),
];

/// The two files, and a config for both.
pub(crate) fn dialogs() -> Folder {
    let folder = Folder::new();
    let mut config = String::from("version = 1\n[evaluation]\nlabel = \"dialogs\"\n");
    for (name, lines) in DIALOGS {
        folder.write(&format!("{name}.jsonl"), lines);
        let _ = write!(
            config,
            "[[dataset]]\nname = \"{name}\"\nformat = \"jsonl\"\npath = \"{name}.jsonl\"\n\
             fields = {{ prediction = \"prediction\", group = \"group\" }}\n"
        );
    }
    config += "[reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"EM\", \"NoAnswer.Recall\"]\n";
    folder.write("dialogs.toml", config);
    folder
}

#[test]
fn each_dataset_has_its_table_and_dialogs_their_interval() {
    let folder = dialogs();
    let output = folder.qeval(["run", "dialogs.toml"]).succeed();
    assert_transcript!("abstention__dialogs", output);
    let report = folder.qeval(["run", "dialogs.toml", "--format", "json"]).succeed().json();
    let tables = report["evaluations"][0]["abstention"].as_array().unwrap();
    let recalls: Vec<_> = tables
        .iter()
        .map(|table| {
            let recall = &table["rates"]["no_answer_recall"];
            (&table["dataset"], &recall["count"], &recall["n"])
        })
        .collect();
    let expected = json!([[null, 2, 5], ["inland", 1, 3], ["abroad", 1, 2]]);
    for (found, expected) in recalls.iter().zip(expected.as_array().unwrap()) {
        assert_eq!((found.0, found.1, found.2), (&expected[0], &expected[1], &expected[2]));
    }
    assert_eq!(recalls.len(), 3);
    // Three dialogs have unanswerable questions; in one dataset there is one, which tells nothing.
    let method = |place: usize| &tables[place]["rates"]["no_answer_recall"]["ci_method"];
    assert_eq!(method(0), "expanded bca over groups");
    assert_eq!(method(1), "expanded bca over groups");
    assert_eq!(method(2), &Value::Null);
}

#[test]
fn a_reader_that_fails_decides_nothing() {
    let folder = Folder::new();
    folder.write(
        "golden.jsonl",
        "{\"id\": \"a\", \"question\": \"?\", \"references\": [\"a\"]}\n\
         {\"id\": \"bad\", \"question\": \"?\", \"references\": [\"b\"]}\n\
         {\"id\": \"c\", \"question\": \"?\", \"references\": []}\n",
    );
    folder.write("passages.jsonl", "{\"id\": \"p\", \"text\": \"a\"}\n");
    folder.write(
        "reader.sh",
        "while read -r line; do case $line in *bad*) echo '{\"prediction\": 7}' ;; \
         *) echo '{\"prediction\": null}' ;; esac; done\n",
    );
    folder.write(
        "e.toml",
        "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\n[corpus]\n\
         format = \"jsonl\"\npath = \"passages.jsonl\"\n[retriever]\ntype = \"bm25\"\n[reader]\n\
         type = \"command\"\ncommand = [\"sh\", \"reader.sh\"]\n[metrics]\nanswer = [\"EM\"]\n",
    );
    let report = folder.qeval(["run", "e.toml", "--format", "json"]).succeed().json();
    let evaluation = &report["evaluations"][0];
    let table = of_stage(&evaluation["abstention"], "integrated");
    assert_eq!(table["left_out"], 1);
    assert_eq!((&table["answerable"]["n"], &table["unanswerable"]["n"]), (&1.into(), &1.into()));
    let reason = &evaluation["unscored"][0];
    assert_eq!((&reason["kind"], &reason["reason"]), (&"error".into(), &"protocol".into()));
    assert_eq!((&reason["metric"], &reason["n"]), (&"EM".into(), &1.into()));
    let text = folder.qeval(["run", "e.toml"]).succeed().stdout;
    for line in ["1 question left out (integrated), because the reader failed", "    failed: "] {
        assert!(text.contains(line), "{text}");
    }
}
