//! Metrics by family, and metrics that read a column of the dataset: they get it without being told.

use crate::support::Folder;

const DIALOGS: &str = r#"{"data": [{"title": "Ferries", "paragraphs": [
    {"id": "F_0", "context": "The ferry runs hourly. CANNOTANSWER", "qas": [
        {"id": "F_0_q#0", "question": "Does it run on Sundays?", "answers": [{"text": "hourly"}],
         "yesno": "y", "followup": "y"},
        {"id": "F_0_q#1", "question": "Is it fast?", "answers": [{"text": "CANNOTANSWER"}],
         "yesno": "x", "followup": "m"},
        {"id": "F_0_q#2", "question": "How often?", "answers": [{"text": "hourly"}],
         "yesno": "x", "followup": "n"}]}]}]}"#;

const DIALOG_ANSWERS: &str = r#"{"qid": ["F_0_q#0", "F_0_q#1", "F_0_q#2"], "best_span_str": ["hourly", "hourly", "hourly"], "yesno": ["y", "n", "x"], "followup": ["y", "y", "y"]}"#;

/// One page proves the first output, two together prove the second, and the third proves nothing.
const OUTPUTS: &str = r#"{"id": "a", "input": "Who built it?", "output": [{"answer": "Ann Lee", "provenance": [{"wikipedia_id": "12"}]}, {"answer": "Lee", "provenance": [{"wikipedia_id": "9"}, {"wikipedia_id": "10"}]}, {"answer": "A. Lee"}]}
{"id": "b", "input": "When?", "output": [{"answer": "1871", "provenance": [{"wikipedia_id": "4"}, {"wikipedia_id": "5"}]}]}
"#;

const GUESSES: &str = r#"{"id": "a", "output": [{"answer": "Lee", "provenance": [{"wikipedia_id": "12"}]}]}
{"id": "b", "output": [{"answer": "1871", "provenance": [{"wikipedia_id": "5"}, {"wikipedia_id": "7"}]}]}
"#;

/// The means of `qeval score` with these arguments and metrics.
#[track_caller]
fn means(folder: &Folder, args: &[&str], metrics: &[&str]) -> Vec<f64> {
    let mut all = vec!["score", "--format", "json", "--predictions", "answers.jsonl"];
    all.extend(args);
    all.extend(metrics.iter().flat_map(|metric| ["-m", metric]));
    let report = folder.qeval(all).succeed().json();
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
    let mean = |metric: &&str| {
        let found = summaries.iter().find(|summary| summary["metric"] == *metric).unwrap();
        found["mean"].as_f64().unwrap()
    };
    metrics.iter().map(mean).collect()
}

#[test]
fn labels_of_a_dialog() {
    let folder = Folder::new();
    folder.write("quac.json", DIALOGS);
    folder.write("answers.jsonl", DIALOG_ANSWERS);
    let quac = ["--dataset", "quac.json", "--dataset-format", "quac"];
    let found = means(&folder, &quac, &["QuAC.YesNo", "QuAC.Followup"]);
    assert_eq!(found, [2.0 / 3.0, 1.0 / 3.0]);

    // Anywhere else the column must be there.
    let references =
        r#"{"id": "F_0_q#0", "references": ["hourly"], "yesno": "y"}"#.to_owned() + "\n";
    folder.write("golden.jsonl", &references);
    let lines = ["--dataset", "golden.jsonl", "--dataset-format", "jsonl"];
    assert_eq!(means(&folder, &lines, &["QuAC.YesNo"]), [1.0]);
    let score = ["score", "--predictions", "answers.jsonl", "-m", "QuAC.Followup"];
    let output = folder.qeval(score.into_iter().chain(lines)).ends_with(1);
    let message = "no record has the field `followup`; the first has `id`, `references`, `yesno`";
    assert!(output.stderr.contains(message), "{}", output.stderr);
}

#[test]
fn labels_of_predictions_have_columns() {
    let folder = Folder::new();
    folder.write("quac.json", DIALOGS);
    let lines = r#"{"id": "F_0_q#0", "prediction": "hourly", "yesno": "y", "act": "y"}
{"id": "F_0_q#1", "prediction": "hourly", "yesno": "n"}
{"id": "F_0_q#2", "prediction": "hourly", "yesno": "x", "act": "y"}
"#;
    folder.write("answers.jsonl", lines);
    let quac = ["--dataset", "quac.json", "--dataset-format", "quac"];
    assert_eq!(means(&folder, &quac, &["QuAC.YesNo"]), [2.0 / 3.0]);
    let mapped = ["--prediction-field", "labels.followup=act"];
    let score = ["score", "--predictions", "answers.jsonl", "-m", "QuAC"];
    let output = folder.qeval(score.into_iter().chain(quac).chain(mapped)).ends_with(2);
    let message = "line 2: field `act` is missing";
    assert!(output.stderr.contains(message), "{}", output.stderr);
    folder.write("answers.jsonl", lines.replace("\"n\"}", "\"n\", \"act\": null}"));
    let both = [&quac[..], &mapped[..]].concat();
    // One of the three answers has no act: it is unscored and not wrong.
    assert_eq!(means(&folder, &both, &["QuAC.YesNo", "QuAC.Followup"]), [2.0 / 3.0, 0.5]);
    folder.write("answers.csv", "id,prediction,yesno,act\nF_0_q#0,hourly,y,y\nF_0_q#2,hourly,,n\n");
    let report = |metrics: &[&str]| {
        let mut args = vec!["score", "--format", "json", "--predictions", "answers.csv"];
        args.extend(both.iter().copied());
        args.extend(metrics.iter().flat_map(|metric| ["-m", metric]));
        let summaries = folder.qeval(args).succeed().json()["evaluations"][0]["summaries"].clone();
        let numbers = |summary: &serde_json::Value| {
            (summary["n"].as_u64().unwrap(), summary["unscored"].as_u64().unwrap())
        };
        summaries.as_array().unwrap().iter().map(numbers).collect::<Vec<_>>()
    };
    // The missing answer is wrong, the one without the label unscored.
    assert_eq!(report(&["QuAC.YesNo", "QuAC.Followup"]), [(2, 1), (3, 0)]);
}

#[test]
fn labels_of_a_file() {
    let folder = Folder::new();
    folder.write("quac.json", DIALOGS);
    let answers = r#"{"id": "F_0_q#0", "prediction": "hourly", "act": "y"}
{"id": "F_0_q#1", "prediction": "hourly", "act": "n"}
{"id": "F_0_q#2", "prediction": "hourly", "act": "x"}
"#;
    folder.write("answers.jsonl", answers);
    let config = r#"version = 1
[dataset]
format = "quac"
path = "quac.json"
[reader]
type = "replay"
path = "answers.jsonl"
fields = { labels = { yesno = "act" } }
[metrics]
answer = ["QuAC.YesNo"]
"#;
    let mean = |name: &str| {
        let report = folder.qeval(["run", "--format", "json", name]).succeed().json();
        report["evaluations"][0]["summaries"][0]["mean"].as_f64()
    };
    folder.write("labels.toml", config);
    assert_eq!(mean("labels.toml"), Some(2.0 / 3.0));
    // The same file with another mapping is another evaluation: nothing is reused.
    let unmapped = config.replace("fields = { labels = { yesno = \"act\" } }\n", "");
    folder.write("labels.toml", &unmapped);
    assert_eq!(mean("labels.toml"), None);
    let output = folder.qeval(["check", "labels.toml"]).succeed();
    let warning = "QuAC.YesNo scores no answer: the prediction has no `yesno`";
    assert!(output.stdout.contains(warning), "{}", output.stdout);

    folder.write("misspelt.toml", config.replace("labels = { yesno", "labels = { yes_no"));
    let output = folder.qeval(["check", "misspelt.toml"]).ends_with(2);
    let message = "no metric knows a label `yes_no`";
    assert!(output.stderr.contains(message), "{}", output.stderr);
    assert!(output.stderr.contains("did you mean `yesno`?"), "{}", output.stderr);

    // Where the dataset holds the answers its own label is no answer.
    let golden = r#"{"id": "a", "references": ["x"], "prediction": "x", "yesno": "y", "act": "y"}
{"id": "b", "references": ["x"], "prediction": "x", "yesno": "y", "act": "n"}
"#;
    folder.write("golden.jsonl", golden);
    let own = config
        .replace("path = \"answers.jsonl\"\nfields = { labels = { yesno = \"act\" } }\n", "")
        .replace(
            "format = \"quac\"\npath = \"quac.json\"",
            "format = \"jsonl\"\npath = \"golden.jsonl\"\nFIELDS",
        );
    let fields = "fields = { prediction = \"prediction\" }";
    folder.write("own.toml", own.replace("FIELDS", fields));
    assert_eq!(mean("own.toml"), None);
    let labels = "fields = { prediction = \"prediction\", labels = { yesno = \"act\" } }";
    folder.write("own.toml", own.replace("FIELDS", labels));
    assert_eq!(mean("own.toml"), Some(0.5));
}

#[test]
fn missing_answers_alone_make_no_number() {
    let folder = Folder::new();
    let golden = r#"{"id": "a", "references": ["7"], "yesno": "y"}
{"id": "b", "references": ["Rome"], "yesno": "y"}
{"id": "c", "references": ["8"], "yesno": "y"}
"#;
    folder.write("golden.jsonl", golden);
    let answer = r#"{"id": "a", "prediction": "7"BESIDE}"#.to_owned() + "\n";
    let metrics = ["QuAC.YesNo", "Verdict", "Brier", "ECE", "AURC", "E-AURC", "Number"];
    let numbers = |beside: &str| {
        folder.write("answers.jsonl", answer.replace("BESIDE", beside));
        let mut args = vec!["score", "--format", "json", "--dataset", "golden.jsonl"];
        args.extend(["--dataset-format", "jsonl", "--predictions", "answers.jsonl"]);
        args.extend(metrics.iter().flat_map(|metric| ["-m", metric]));
        let report = folder.qeval(args).succeed().json();
        let summaries = report["evaluations"][0]["summaries"].as_array().unwrap().clone();
        let number = |metric: &&str| {
            let found = summaries.iter().find(|summary| summary["metric"] == *metric).unwrap();
            let count = |name: &str| found[name].as_u64().unwrap();
            (count("n"), count("unscored"), found["mean"].as_f64())
        };
        metrics.iter().map(number).collect::<Vec<_>>()
    };
    // What no answer has is of no missing one. Only `Number` reads the text, and the question that
    // asks for no number is not its own.
    let nothing = (0, 3, None);
    let number = (2, 1, Some(0.5));
    assert_eq!(numbers(""), [&[nothing; 6][..], &[number]].concat());
    // Where one has it, those that are missing are wrong, and the least certain.
    let beside = r#", "yesno": "y", "verdict": "yes", "confidence": 1"#;
    let one_of_three = (3, 0, Some(1.0 / 3.0));
    let two_of_three = (3, 0, Some(2.0 / 3.0));
    let aurc = (3, 0, Some((1.0 / 2.0 + 2.0 / 3.0) / 3.0));
    let e_aurc = (3, 0, Some(0.0));
    assert_eq!(
        numbers(beside),
        [one_of_three, one_of_three, two_of_three, two_of_three, aurc, e_aurc, number]
    );
}

#[test]
fn a_number_that_seems_to_mean_something_else_has_a_note() {
    let folder = Folder::new();
    folder.write(
        "golden.jsonl",
        "{\"id\": 1, \"references\": [\"two days\"]}\n{\"id\": 2, \"references\": [\"Rome\"]}\n",
    );
    folder.write("answers.json", r#"{"1": "two days", "2": "Rome"}"#);
    let report = |metric: &str| {
        let args = ["score", "--dataset", "golden.jsonl", "--dataset-format", "jsonl"];
        let args = args.into_iter().chain(["--predictions", "answers.json", "-m", metric]);
        folder.qeval(args).succeed().stdout
    };
    let note = "BLEU is 0 because no answer has 4 tokens";
    assert!(report("BLEU").contains(note), "{}", report("BLEU"));
    assert!(!report("BLEU(effective_order=yes)").contains(note));
}

#[test]
fn one_output_of_several_is_enough() {
    let folder = Folder::new();
    folder.write("kilt.jsonl", OUTPUTS);
    folder.write("answers.jsonl", GUESSES);
    let metrics = ["KILT.EM", "KILT.Rprec", "KILT.Joint-EM", "KILT.Recall@5"];
    let kilt = ["--dataset", "kilt.jsonl", "--dataset-format", "kilt"];
    // Page 12 alone proves the first answer. It is one of two sets with a page.
    let expected = [1.0, 1.5 / 2.0, 0.5, 0.5 / 2.0];
    assert_eq!(means(&folder, &kilt, &metrics), expected);

    let convert = ["convert", "kilt.jsonl", "golden.jsonl", "--from", "kilt", "--to", "jsonl"];
    let lines = ["--dataset", "golden.jsonl", "--dataset-format", "jsonl"];
    let with_column = convert.into_iter().chain(["--column", "evidence"]);
    folder.qeval(with_column).succeed();
    assert_eq!(means(&folder, &lines, &metrics), expected);

    // Without the column all gold passages of an example are one set.
    std::fs::remove_file(folder.path("golden.jsonl")).unwrap();
    folder.qeval(convert).succeed();
    let expected = [1.0, f64::midpoint(1.0 / 3.0, 0.5), 0.0, 0.0];
    assert_eq!(means(&folder, &lines, &metrics), expected);
}

#[test]
fn a_family_is_all_that_its_script_prints() {
    let folder = Folder::new();
    folder.write("quac.json", DIALOGS);
    folder.write("answers.jsonl", DIALOG_ANSWERS);
    let names = |metrics: &[&str]| -> Vec<String> {
        let mut args = vec!["score", "--format", "json", "--dataset", "quac.json"];
        args.extend(["--dataset-format", "quac", "--predictions", "answers.jsonl"]);
        args.extend(metrics.iter().flat_map(|metric| ["-m", metric]));
        let report = folder.qeval(args).succeed().json();
        let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
        summaries.iter().map(|summary| summary["metric"].as_str().unwrap().to_owned()).collect()
    };
    let all = ["QuAC.F1", "HEQ-Q", "HEQ-D", "QuAC.YesNo", "QuAC.Followup", "QuAC.Unanswerable"];
    assert_eq!(names(&["QuAC"]), all);
    // Beside one of its metrics and another family.
    let several = names(&["HEQ-D", "QuAC", "EM", "SQuAD2"]);
    let expected = ["HEQ-D", "QuAC.F1", "HEQ-Q", "QuAC.YesNo", "QuAC.Followup"];
    assert_eq!(several, [&expected[..], &["QuAC.Unanswerable", "EM", "F1"]].concat());
    assert_eq!(names(&["SQuAD2", "F1"]), ["EM", "F1"]);

    let mut twice = vec!["score", "--dataset", "quac.json", "--dataset-format", "quac"];
    twice.extend(["--predictions", "answers.jsonl", "-m", "SQuAD2", "-m", "F1", "-m", "F1"]);
    let output = folder.qeval(twice).ends_with(2);
    assert!(output.stderr.contains("the metric `F1` is named twice"), "{}", output.stderr);
}
