//! `qeval rescore`: stored answers get other scores, and no reader is asked.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use qeval_store::Evaluation;
use serde_json::Value;

use crate::support::Folder;

/// Answers with the gold answer, fails, abstains; counts its questions.
const READER: &str = r#"while read line; do
echo asked >> asked
case "$line" in
*garbage*) echo "no json";;
*nothing*) echo '{"prediction": null}';;
*) echo '{"prediction": "the right answer", "confidence": 0.5, "citations": ["p"], "tokens_in": 7}';;
esac
done
"#;

const CONFIG: &str = r#"version = 1
[evaluation]
label = "e"
[dataset]
format = "jsonl"
path = "golden.jsonl"
slices = ["kind"]
[corpus]
format = "jsonl"
path = "passages.jsonl"
[retriever]
type = "replay"
path = "run.txt"
[reader]
type = "command"
command = ["sh", "reader.sh"]
passages = 1
[metrics]
retrieval = ["Recall@5"]
answer = ["EM", "F1"]
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    let (mut golden, mut run) = (String::new(), String::new());
    for id in ["garbage", "nothing", "plain", "wrong", "ungrounded"] {
        let reference = if id == "wrong" { "another one" } else { "right answer" };
        let gold = if id == "ungrounded" { "" } else { "\"p\"" };
        let _ = writeln!(
            golden,
            "{{\"id\": \"{id}\", \"question\": \"{id}?\", \"references\": [\"{reference}\"], \
             \"gold_passages\": [{gold}], \"kind\": \"k\"}}"
        );
        let _ = writeln!(run, "{id} Q0 p 1 2.0 r\n{id} Q0 q 2 1.0 r");
    }
    folder.write("golden.jsonl", golden);
    folder.write("run.txt", run);
    folder.write(
        "passages.jsonl",
        "{\"id\": \"p\", \"text\": \"The right answer.\"}\n{\"id\": \"q\", \"text\": \"No.\"}\n",
    );
    folder.write("reader.sh", READER);
    folder.write("e.toml", CONFIG);
    folder
}

fn asked(folder: &Folder) -> usize {
    fs::read_to_string(folder.path("asked")).map_or(0, |asked| asked.lines().count())
}

/// The scores of all columns but the new ones, and why there is none, by example.
fn scores(folder: &Path, columns: &[&str]) -> BTreeMap<String, Vec<(Option<f64>, Value)>> {
    let evaluation = Evaluation::open(folder).unwrap();
    let scores = evaluation.scores(columns).unwrap();
    let mut reasons: BTreeMap<(String, String), Value> = BTreeMap::new();
    for detail in evaluation.details().unwrap() {
        let detail = detail.unwrap();
        let reason = serde_json::json!([detail.kind, detail.label, detail.text]);
        reasons.insert((detail.example_id, detail.metric), reason);
    }
    let of = |(row, id): (usize, &str)| {
        let cell = |column: &&str| {
            let reason = reasons.get(&(id.to_owned(), (*column).to_owned())).cloned();
            (scores.metric(column).unwrap()[row], reason.unwrap_or_default())
        };
        (id.to_owned(), columns.iter().map(cell).collect())
    };
    (0..scores.ids.len()).map(|row| of((row, scores.ids.get(row)))).collect()
}

const COLUMNS: [&str; 5] = ["recall_at_5", "isolated_em", "isolated_f1", "em", "f1"];

#[test]
fn a_new_metric_needs_no_reader() {
    let folder = folder();
    folder.qeval(["run", "e.toml"]).succeed();
    let [first] = &folder.evaluations("results")[..] else { panic!("one evaluation") };
    let before = asked(&folder);
    assert!(before >= 5, "{before}");

    folder.write("reader.sh", "exit 3\n");
    folder.write("more.toml", CONFIG.replace("\"F1\"", "\"F1\", \"ROUGE-L\""));
    let report = folder.qeval(["rescore", "e", "more.toml", "--format", "json"]).succeed().json();
    assert_eq!(asked(&folder), before);
    let rescored = folder.evaluations("results").into_iter().find(|path| path != first).unwrap();
    assert_eq!(scores(&rescored, &COLUMNS), scores(first, &COLUMNS));
    let new = scores(&rescored, &["rouge_l", "isolated_rouge_l"]);
    assert!((new["plain"][0].0.unwrap() - 0.8).abs() < 1e-12, "{new:?}");
    assert_eq!(new["garbage"][0].1[1], "protocol");
    assert_eq!(new["ungrounded"][1].1[1], "no relevant passage");
    assert_eq!(new["nothing"][0].0, Some(0.0));
    let evaluation = &report["evaluations"][0];
    assert_eq!(evaluation["system"], "command");
    assert_eq!(evaluation["diagnosis"]["main_cause"]["cause"], "reading error");
    // What answers took, cited and saw is kept.
    let case =
        |path: &Path| Evaluation::open(path).unwrap().all_cases().unwrap().nth(2).unwrap().unwrap();
    let (old, mut new) = (case(first), case(&rescored));
    assert_eq!(old.example_id, "plain");
    assert_eq!(new.prediction.as_ref().unwrap().usage.tokens_in, Some(7));
    new.hits.clone_from(&old.hits);
    assert_eq!(new, old);
    folder.qeval(["verify", rescored.to_str().unwrap()]).succeed();

    // The same again is the same evaluation, and one that was scored again can be.
    let again = folder.qeval(["rescore", "e", "more.toml"]).succeed();
    assert!(
        again.stderr.contains("1 of 1 evaluations are whole already") || again.stderr.is_empty()
    );
    let id = rescored.file_name().unwrap().to_str().unwrap().to_owned();
    folder.qeval(["rescore", &id, "e.toml"]).succeed();
    assert_eq!(asked(&folder), before);
}

#[test]
fn replayed_answers_are_scored_as_before() {
    let folder = folder();
    folder.write(
        "answers.jsonl",
        "{\"id\": \"plain\", \"prediction\": \"right answer\", \"seen\": [\"p\"]}\n\
         {\"id\": \"nothing\", \"prediction\": \"\", \"seen\": []}\n",
    );
    let start = CONFIG.find("[reader]").unwrap();
    let end = CONFIG.find("[metrics]").unwrap();
    let reader =
        "[reader]\ntype = \"replay\"\npath = \"answers.jsonl\"\nfields = { hits = \"seen\" }\n";
    let config = [&CONFIG[..start], reader, &CONFIG[end..]].concat();
    folder.write("r.toml", config.replace("\"e\"", "\"r\""));
    folder.qeval(["run", "r.toml", "--limit", "4"]).succeed();
    let first = folder.evaluations("results").remove(0);
    folder.write("answers.jsonl", "");
    fs::remove_file(folder.path("answers.jsonl")).unwrap();
    let parts = config.replace("\"F1\"", "\"Set.F1\"");
    folder.write("parts.toml", parts);
    let refused = folder.qeval(["rescore", "r", "parts.toml"]).ends_with(2).stderr;
    assert!(refused.contains("needs the parts of an answer that is a list"), "{refused}");
    folder.write("s.toml", config.replace("\"e\"", "\"s\"").replace("\"F1\"", "\"F1\", \"chrF\""));
    folder.qeval(["rescore", "r", "s.toml"]).succeed();
    let rescored = folder.evaluations("results").into_iter().find(|path| *path != first).unwrap();
    let columns = ["recall_at_5", "em", "f1"];
    assert_eq!(scores(&rescored, &columns), scores(&first, &columns));
    // A missing answer is wrong, as it was; the limit is that of the answers.
    assert_eq!(scores(&rescored, &["chrf"]).len(), 4);
    assert_eq!(scores(&rescored, &columns)["wrong"][1].0, Some(0.0));
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = folder();
    folder.qeval(["run", "e.toml"]).succeed();
    let before = asked(&folder);
    let refused = |config: &str, message: &str| {
        folder.write("other.toml", config);
        let stderr = folder.qeval(["rescore", "e", "other.toml"]).ends_with(2).stderr;
        assert!(stderr.contains(message), "{message}: {stderr}");
        assert_eq!(folder.evaluations("results").len(), 1);
    };
    refused(&CONFIG.replace("\"F1\"", "\"Top-F1@3\""), "needs the candidates of an answer");
    refused(&CONFIG.replace("\"F1\"", "\"Verdict\""), "needs labels beside the text of an answer");
    refused(&CONFIG.replace("\"F1\"", "\"AURC\""), "needs the confidence of isolated answers");
    let run = fs::read_to_string(folder.path("run.txt")).unwrap();
    folder.write("other.txt", run.replace("2.0", "3.0"));
    refused(&CONFIG.replace("run.txt", "other.txt"), "were given to other passages: retriever");
    let without = CONFIG.replace("[retriever]\ntype = \"replay\"\npath = \"run.txt\"\n", "");
    refused(&without.replace("retrieval = [\"Recall@5\"]", ""), "need the retriever `replay`");
    let golden = fs::read_to_string(folder.path("golden.jsonl")).unwrap();
    folder.write("golden.jsonl", golden.replace("wrong?", "Wrong?"));
    refused(CONFIG, "is not the one whose answers `e-");
    let none = folder.qeval(["rescore", "nobody", "e.toml"]).ends_with(2).stderr;
    assert!(none.contains("there is no evaluation `nobody`"), "{none}");
    assert_eq!(asked(&folder), before);
}
