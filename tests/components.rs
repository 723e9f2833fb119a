//! Components that fail, answers that are missing, and the stages: what is stored, read back.

use std::collections::BTreeMap;

use qeval_store::{Evaluation, StoredCase};

use crate::support::{Folder, Output};

/// Ids of the examples; each is a question whose answer is its own name.
fn dataset(folder: &Folder, ids: &[&str]) {
    let example = |id: &&str| {
        format!(
            "{{\"id\": \"{id}\", \"question\": \"{id}?\", \"references\": [\"{id}\"], \"gold_passages\": [\"p-{id}\"]}}\n"
        )
    };
    folder.write("golden.jsonl", ids.iter().map(example).collect::<String>());
    let passage = |id: &&str| format!("{{\"id\": \"p-{id}\", \"text\": \"{id}\"}}\n");
    folder.write("passages.jsonl", ids.iter().map(passage).collect::<String>());
}

const BASE: &str = r#"version = 1
[evaluation]
label = "e"
[dataset]
format = "jsonl"
path = "golden.jsonl"
[metrics]
answer = ["EM"]
[corpus]
format = "jsonl"
path = "passages.jsonl"
[retriever]
type = "bm25"
"#;

/// Runs a config and opens its only evaluation.
#[track_caller]
fn evaluate(folder: &Folder, config: &str) -> (Output, Evaluation) {
    folder.write("e.toml", config);
    let output = folder.qeval(["run", "e.toml"]).succeed();
    let stored = folder.evaluations("results");
    assert_eq!(stored.len(), 1);
    (output, Evaluation::open(&stored[0]).unwrap())
}

/// The scores of a column by example.
fn scores(evaluation: &Evaluation, column: &str) -> BTreeMap<String, Option<f64>> {
    let scores = evaluation.scores(&[column]).unwrap();
    let values = scores.metric(column).unwrap();
    values.iter().enumerate().map(|(row, score)| (scores.ids.get(row).to_owned(), *score)).collect()
}

fn cases(evaluation: &Evaluation) -> BTreeMap<String, StoredCase> {
    let cases = evaluation.all_cases().unwrap().map(Result::unwrap);
    cases.map(|case| (case.example_id.clone(), case)).collect()
}

/// Why scores are null: example, metric, kind and text.
fn reasons(evaluation: &Evaluation) -> Vec<(String, String, String, String)> {
    let details = evaluation.details().unwrap().map(Result::unwrap);
    details.map(|d| (d.example_id, d.metric, d.kind, d.text.unwrap_or_default())).collect()
}

/// A reader that answers with the question's id, except where its id says otherwise.
const FICKLE: &str = r#"
while read -r line; do
    id=${line#'{"id":"'}
    id=${id%%'"'*}
    case $id in
        die) echo "out of memory" >&2; exit 3 ;;
        hang) sleep 1000 ;;
        half) printf '{"predi'; exit 0 ;;
        text) echo "Loading the model" ;;
        wrong) echo '{"answer": "wrong"}' ;;
        number) echo '{"prediction": 7}' ;;
        nan) echo '{"prediction": "nan", "confidence": NaN}' ;;
        huge) echo '{"prediction": "huge", "confidence": 1e999}' ;;
        null) echo '{"prediction": null}' ;;
        *) echo '{"prediction": "'"$id"'", "confidence": 0.5, "citations": ["p-'"$id"'"]}' ;;
    esac
done
"#;

fn command(timeout: &str) -> String {
    format!(
        "{BASE}[reader]\ntype = \"command\"\nname = \"fickle\"\ncommand = [\"sh\", \"fickle.sh\"]\ntimeout_s = {timeout}\n"
    )
}

#[test]
fn a_reader_that_fails_now_and_then() {
    // Failures in a row are few, so that it is started again each time.
    let ids = [
        "a", "die", "b", "half", "c", "text", "d", "wrong", "e", "number", "f", "nan", "g", "huge",
        "h", "null", "i",
    ];
    let folder = Folder::new();
    dataset(&folder, &ids);
    folder.write("fickle.sh", FICKLE);
    let (output, evaluation) = evaluate(&folder, &command("60"));
    let failed = ["die", "half", "text", "wrong", "number", "nan", "huge"];
    for column in ["em", "isolated_em"] {
        let scores = scores(&evaluation, column);
        for id in ids {
            let expected = match id {
                _ if failed.contains(&id) => None,
                "null" => Some(0.0),
                _ => Some(1.0),
            };
            assert_eq!(scores[id], expected, "{column} of {id}");
        }
    }
    let reasons = reasons(&evaluation);
    assert_eq!(reasons.len(), 2 * failed.len(), "{reasons:?}");
    assert!(reasons.iter().all(|(.., kind, _)| kind == "error"), "{reasons:?}");
    let reason = |id: &str| {
        let found = reasons.iter().find(|(example, metric, ..)| example == id && metric == "em");
        found.map(|(.., text)| text.as_str()).unwrap()
    };
    for (id, expected) in [
        (
            "die",
            "crash: reader `fickle` ended with exit code 3; its last line on stderr: `out of memory`",
        ),
        ("half", "crash: reader `fickle` ended with exit code 0"),
        (
            "text",
            "protocol: reader `fickle` does not speak as agreed: its line is not JSON (expected value at \
             line 1 column 1): `Loading the model`; all but answers belongs on stderr",
        ),
        (
            "wrong",
            "protocol: reader `fickle` answered `{\"answer\":\"wrong\"}`: missing field `prediction`",
        ),
        (
            "number",
            "protocol: reader `fickle` answered `{\"prediction\":7}`: invalid type: integer `7`, expected \
             a string",
        ),
        (
            "nan",
            "protocol: reader `fickle` does not speak as agreed: its line is not JSON (expected value at \
             line 1 column 37): `{\"prediction\": \"nan\", \"confidence\": NaN}`; all but answers \
             belongs on stderr",
        ),
        (
            "huge",
            "protocol: reader `fickle` does not speak as agreed: its line is not JSON (number out of \
             range at line 1 column 42): `{\"prediction\": \"huge\", \"confidence\": 1e999}`; all \
             but answers belongs on stderr",
        ),
    ] {
        assert_eq!(reason(id), expected, "{id}");
    }
    let cases = cases(&evaluation);
    let a = cases["a"].prediction.as_ref().unwrap();
    assert_eq!((a.text.as_str(), a.confidence), ("a", Some(0.5)));
    assert_eq!(a.citations, ["p-a"]);
    assert_eq!(cases["a"].error, None);
    assert!(cases["null"].prediction.as_ref().unwrap().abstained);
    assert_eq!(cases["die"].prediction, None);
    assert_eq!(cases["die"].error.as_deref(), Some(reason("die")));
    assert_eq!(evaluation.manifest().counts["reader_failures"], 7);
    let notice = "7 examples have no answer because the reader failed: they are unscored (die";
    assert!(output.stdout.contains(notice), "{}", output.stdout);
}

/// Asks a reader a to d, in this order, and compares what it is told to have answered: the text, or
/// why there is none.
#[track_caller]
fn check_answers(script: &str, expected: [Result<&str, &str>; 4]) {
    let folder = Folder::new();
    dataset(&folder, &["a", "b", "c", "d"]);
    let read = "ask() { read -r line || exit 0; id=${line#'{\"id\":\"'}; id=${id%%'\"'*}; }\n";
    folder.write("fickle.sh", read.to_owned() + script);
    let config = command("60").replace("[dataset]", "stages = [\"integrated\"]\n[dataset]");
    let (_, evaluation) = evaluate(&folder, &config);
    let (cases, scores) = (cases(&evaluation), scores(&evaluation, "em"));
    for (id, expected) in ["a", "b", "c", "d"].into_iter().zip(expected) {
        let case = &cases[id];
        let text = case.prediction.as_ref().map(|prediction| prediction.text.as_str());
        let reason = expected
            .err()
            .map(|reason| format!("protocol: reader `fickle` does not speak as agreed: {reason}"));
        assert_eq!((text, &case.error), (expected.ok(), &reason), "{id}");
        let score = text.map(|text| if text == id { 1.0 } else { 0.0 });
        assert_eq!(scores[id], score, "{id}");
    }
}

#[test]
fn a_reader_that_answers_twice() {
    // Both lines are written at once, so that the second one is there before the next question.
    check_answers(
        r#"while ask; do printf '{"prediction": "%s"}\n' "$id" "$id"; done"#,
        [
            Ok("a"),
            Err("it wrote a line that nobody asked for: `{\"prediction\": \"a\"}`"),
            Ok("c"),
            Err("it wrote a line that nobody asked for: `{\"prediction\": \"c\"}`"),
        ],
    );
    check_answers(
        r#"while ask; do printf '{"id": "%s", "prediction": "%s"}\n' "$id" "$id" "$id" "$id"; done"#,
        [
            Ok("a"),
            Err("it wrote a line that nobody asked for: `{\"id\": \"a\", \"prediction\": \"a\"}`"),
            Ok("c"),
            Err("it wrote a line that nobody asked for: `{\"id\": \"c\", \"prediction\": \"c\"}`"),
        ],
    );
}

#[test]
fn a_reader_that_slips_by_a_line() {
    // The second line comes when the next question has been sent, which only the ids can show.
    check_answers(
        r#"
say() { printf '{"id": "%s", "prediction": "%s"}\n' "$1" "$1"; }
ask; say "$id"
while last=$id; ask; do say "$last"; say "$id"; done"#,
        [
            Ok("a"),
            Err("it answered `\"a\"` when asked `\"b\"`"),
            Ok("c"),
            Err("it answered `\"c\"` when asked `\"d\"`"),
        ],
    );
}

#[test]
fn a_reader_that_echoes_another_id() {
    check_answers(
        r#"
while ask; do
    case $id in
        a) echo '{"id": null, "prediction": "a"}' ;;
        b) echo '{"id": 7, "prediction": "b"}' ;;
        c) echo '{"id": "x", "prediction": "c"}' ;;
        d) echo '{"id": "d", "prediction": "no"}' ;;
    esac
done"#,
        [
            Ok("a"),
            Err("it answered `7` when asked `\"b\"`"),
            Err("it answered `\"x\"` when asked `\"c\"`"),
            Ok("no"),
        ],
    );
}

#[test]
fn a_reader_that_hangs() {
    let folder = Folder::new();
    dataset(&folder, &["a", "hang", "b"]);
    folder.write("fickle.sh", FICKLE);
    let config = command("0.3").replace("[dataset]", "stages = [\"integrated\"]\n[dataset]");
    let (_, evaluation) = evaluate(&folder, &config);
    let scores = scores(&evaluation, "em");
    assert_eq!((scores["a"], scores["hang"], scores["b"]), (Some(1.0), None, Some(1.0)));
    let text = "timeout: reader `fickle` gave no answer within 0.3 s and was ended";
    let expected = ("hang".to_owned(), "em".to_owned(), "error".to_owned(), text.to_owned());
    assert_eq!(reasons(&evaluation), [expected]);
}

#[test]
fn a_reader_that_always_fails_is_given_up() {
    let folder = Folder::new();
    dataset(&folder, &["1", "2", "3", "4", "5", "6"]);
    folder.write("fickle.sh", "echo started >> starts; exit 1\n");
    let config = command("60").replace("[dataset]", "stages = [\"integrated\"]\n[dataset]");
    let (_, evaluation) = evaluate(&folder, &config);
    let texts: Vec<String> = reasons(&evaluation).into_iter().map(|(.., text)| text).collect();
    let ended = "crash: reader `fickle` ended with exit code 1";
    let given_up = "given up: reader `fickle` failed 4 times in a row and is not started again; the last \
                    time: reader `fickle` ended with exit code 1";
    assert_eq!(texts, [ended, ended, ended, ended, given_up, given_up]);
    let starts = std::fs::read_to_string(folder.path("starts")).unwrap();
    assert_eq!(starts.lines().count(), 4);
    let summary = &evaluation.summaries().unwrap()[0].estimate;
    assert_eq!((summary.n, summary.unscored, summary.mean), (0, 6, None));
}

#[test]
fn predictions_that_are_missing_or_too_many() {
    let folder = Folder::new();
    dataset(&folder, &["a", "b", "c"]);
    folder.write(
        "answers.jsonl",
        "{\"id\": \"x\", \"prediction\": \"\"}\n{\"id\": \"b\", \"prediction\": \"b\"}\n{\"id\": \"y\", \"prediction\": \"y\"}\n",
    );
    let config = format!("{BASE}[reader]\ntype = \"replay\"\npath = \"answers.jsonl\"\n");
    let (output, evaluation) = evaluate(&folder, &config);
    let scores = scores(&evaluation, "em");
    assert_eq!((scores["a"], scores["b"], scores["c"]), (Some(0.0), Some(1.0), Some(0.0)));
    let counts = &evaluation.manifest().counts;
    assert_eq!(
        (counts["examples"], counts["missing_predictions"], counts["extra_predictions"]),
        (3, 2, 2)
    );
    for notice in [
        "2 examples have no prediction: they score the worst value (a, c)",
        "2 predictions are for no example of the dataset and are ignored (x, y)",
    ] {
        assert!(output.stdout.contains(notice), "{}", output.stdout);
    }
    let cases = cases(&evaluation);
    assert_eq!((&cases["a"].prediction, &cases["a"].error), (&None, &None));
}

#[test]
fn a_replay_that_does_not_say_what_it_saw() {
    let folder = Folder::new();
    dataset(&folder, &["a", "b"]);
    let answers = |hits: &str| {
        format!(
            "{{\"id\": \"a\", \"prediction\": \"a\"{hits}}}\n{{\"id\": \"b\", \"prediction\": \"no\"{hits}}}\n"
        )
    };
    folder.write("answers.jsonl", answers(""));
    let config = format!("{BASE}[reader]\ntype = \"replay\"\npath = \"answers.jsonl\"\n");
    let (output, evaluation) = evaluate(&folder, &config);
    let found = evaluation.scores(&[]).unwrap();
    assert_eq!(found.evidence_seen.unwrap(), [None, None]);
    let causes = found.causes.unwrap();
    assert_eq!((causes.get(0), causes.get(1)), (Some("right"), Some("unknown")));
    assert_eq!(evaluation.manifest().counts["evidence_unknown"], 2);
    let notice = "2 predictions do not say which passages the reader saw, so errors have no cause; \
                  a field with their ids would tell (`fields = { hits = \"...\" }` in `[reader]`)";
    assert!(output.stdout.contains(notice), "{}", output.stdout);
    assert!(!output.stdout.contains("where the errors come from"), "{}", output.stdout);

    // The same predictions with the field.
    let folder = Folder::new();
    dataset(&folder, &["a", "b"]);
    folder.write("answers.jsonl", answers(", \"saw\": [\"p-b\"]"));
    let (output, evaluation) = evaluate(&folder, &(config + "fields = { hits = \"saw\" }\n"));
    let found = evaluation.scores(&[]).unwrap();
    assert_eq!(found.evidence_seen.unwrap(), [Some(false), Some(true)]);
    let causes = found.causes.unwrap();
    assert_eq!(
        (causes.get(0), causes.get(1)),
        (Some("right without evidence"), Some("reading error"))
    );
    assert!(output.stdout.contains("where the errors come from"), "{}", output.stdout);
}

#[test]
fn isolated_and_integrated() {
    let folder = Folder::new();
    // The search is misled by the words of the other passage; the reader is not.
    folder.write(
        "golden.jsonl",
        "{\"id\": \"q\", \"question\": \"gate opening time\", \"references\": [\"the gate opens at six\"], \"gold_passages\": [\"right\"]}\n",
    );
    folder.write(
        "passages.jsonl",
        "{\"id\": \"wrong\", \"text\": \"Opening time: gate opening time, gate.\"}\n{\"id\": \"right\", \"text\": \"the gate opens at six\"}\n",
    );
    let reader = "[reader]\ntype = \"sliding-window\"\npassages = 1\n";
    let config = BASE.replace("[metrics]", "[metrics]\nretrieval = [\"Recall@{1,2}\"]") + reader;
    let (output, evaluation) = evaluate(&folder, &config);
    let case = &cases(&evaluation)["q"];
    assert_eq!(case.isolated_prediction.as_deref(), Some("the gate opens at six"));
    assert_eq!(case.prediction.as_ref().unwrap().text, "Opening time: gate opening time, gate");
    let hits = case.hits.as_ref().unwrap();
    let hits: Vec<_> = hits.iter().map(|h| (h.passage_id.as_str(), h.grade, h.seen)).collect();
    assert_eq!(hits, [("wrong", None, Some(true)), ("right", Some(1), Some(false))]);
    for (column, score) in
        [("recall_at_1", 0.0), ("recall_at_2", 1.0), ("isolated_em", 1.0), ("em", 0.0)]
    {
        assert_eq!(scores(&evaluation, column)["q"], Some(score), "{column}");
    }
    for title in ["retrieval\n", "isolated: the reader on the gold passages\n", "integrated: "] {
        assert!(output.stdout.contains(title), "{}", output.stdout);
    }
}
