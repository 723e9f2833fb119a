//! Predictions that are joined on disk: the same bytes, notices and errors as from memory.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::support::{Folder, Output};

/// Examples of the larger dataset: some batches of them.
const EXAMPLES: usize = 1500;

/// Bytes of predictions that stay in memory, so that none do.
const NONE: &str = "0";

const CONFIG: &str = r#"version = 1
[evaluation]
label = "joined"
[[dataset]]
name = "a"
format = "jsonl"
path = "a.jsonl"
fields = { context = "text" }
[[dataset]]
name = "b"
format = "csv"
path = "b.csv"
[[reader]]
name = "lines"
type = "replay"
path = "given.jsonl"
isolated_path = "gold.csv"
[[reader]]
name = "each"
type = "replay"
path = "{dataset}.json"
[metrics]
answer = ["EM", "F1"]
"#;

/// An id: some have letters outside of ASCII, some begin alike, and none comes in order.
fn id(number: usize) -> String {
    let number = number * 7919 % 10_007;
    match number % 5 {
        0 => format!("q{number}"),
        1 => format!("frage ä{number}\"x"),
        2 => format!("質問-{number}"),
        3 => number.to_string(),
        _ => format!("a rather long id that many begin with, and then {number}"),
    }
}

/// Two datasets that share some ids, and files of predictions that lack some and have others.
fn folder() -> Folder {
    let folder = Folder::new();
    let quoted = |id: &str| serde_json::to_string(id).unwrap();
    let (mut a, mut b) = (String::new(), "id,question,references\n".to_owned());
    for number in 0..EXAMPLES {
        let id = quoted(&id(number));
        let _ = writeln!(
            a,
            "{{\"id\": {id}, \"question\": \"how many?\", \"references\": [\"{} days\"], \"text\": \"for {number} days\"}}",
            number % 30
        );
    }
    for number in 1400..1900 {
        let id = id(number).replace('"', "\"\"");
        let _ = writeln!(b, "\"{id}\",how many?,[\"{} days\"]", number % 30);
    }
    folder.write("a.jsonl", a);
    folder.write("b.csv", b.replace("[\"", "\"[\"\"").replace("\"]", "\"\"]\""));
    let mut given = String::new();
    // Backwards, without some, and with 150 that nobody asks for.
    for number in (40..2050).rev().filter(|number| number % 13 != 0) {
        let id = quoted(&id(number));
        let _ = match number % 4 {
            0 => writeln!(given, "{{\"id\": {id}, \"prediction\": null}}"),
            1 => writeln!(given, "{{\"id\": {id}, \"start\": 4, \"end\": 5}}"),
            2 => writeln!(
                given,
                "{{\"id\": {id}, \"prediction\": [\"{}\", \"days\"], \"confidence\": 0.{number}}}",
                number % 30
            ),
            _ => writeln!(
                given,
                "{{\"id\": {id}, \"prediction\": \"{} days\", \"confidence\": 0.5}}",
                number % 29
            ),
        };
    }
    folder.write("given.jsonl", given);
    let mut gold = "id,prediction\n".to_owned();
    for number in (0..1890).filter(|number| number % 7 != 0) {
        let id = id(number).replace('"', "\"\"");
        let _ = writeln!(gold, "\"{id}\",{} days", number % 30);
    }
    folder.write("gold.csv", gold);
    for (name, numbers) in [("a", 10..1600), ("b", 1300..1905)] {
        let answer = |number: usize| (id(number), Value::from(format!("{} days", number % 31)));
        let answers: serde_json::Map<String, Value> = numbers.map(answer).collect();
        folder.write(&format!("{name}.json"), Value::from(answers).to_string());
    }
    folder.write("joined.toml", CONFIG);
    folder
}

/// All files of the evaluations by path, and the manifests without what differs from run to run.
fn stored(results: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![results.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            if path.ends_with("manifest.json") {
                let mut manifest: Value = serde_json::from_slice(&bytes).unwrap();
                for varying in ["created", "timings"] {
                    manifest.as_object_mut().unwrap().remove(varying);
                }
                manifest["fingerprints"]["environment"]["threads"].take();
                bytes = manifest.to_string().into_bytes();
            }
            if !path.parent().is_some_and(|parent| parent.ends_with("_locks")) {
                found.insert(path.strip_prefix(results).unwrap().to_owned(), bytes);
            }
        }
    }
    found
}

#[track_caller]
fn assert_same(a: &BTreeMap<PathBuf, Vec<u8>>, b: &BTreeMap<PathBuf, Vec<u8>>) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (path, bytes) in a {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if path.ends_with("manifest.json") {
            assert_eq!(text(bytes), text(&b[path]), "`{}`", path.display());
        }
        assert!(*bytes == b[path], "`{}` differs", path.display());
    }
}

/// The program on the same files, with predictions in memory and on disk.
fn both(folder: &Folder, args: &[&str], code: i32) -> [Output; 2] {
    let held = folder.qeval(args).ends_with(code);
    let spilled = folder.qeval(args).env("QEVAL_HELD_PREDICTIONS", NONE).ends_with(code);
    assert_eq!(held.stdout, spilled.stdout);
    assert_eq!(held.stderr, spilled.stderr);
    [held, spilled]
}

#[test]
fn what_is_joined_on_disk_has_the_bytes_of_what_is_joined_in_memory() {
    let folder = folder();
    folder.qeval(["run", "joined.toml"]).succeed();
    let held = stored(&folder.path("results"));
    // Two systems: scores, cases, summaries, manifest, and of the one that fails details.
    assert_eq!(held.len(), 2 * 4 + 1, "{:?}", held.keys());
    let manifests = held.iter().filter(|(path, _)| path.ends_with("manifest.json"));
    let manifests: String = manifests.map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
    let counted = ["missing_predictions", "missing_isolated_predictions", "extra_predictions"];
    for notice in counted.iter().chain(&["shared_predictions", "reader_failures"]) {
        assert!(manifests.contains(notice), "no `{notice}` in {manifests}");
    }
    for threads in ["1", "3"] {
        fs::rename(folder.path("results"), folder.path(&format!("before-{threads}"))).unwrap();
        let run = folder.qeval(["run", "joined.toml"]).env("RAYON_NUM_THREADS", threads);
        run.env("QEVAL_HELD_PREDICTIONS", NONE).succeed();
        assert_same(&held, &stored(&folder.path("results")));
    }
}

#[test]
fn a_check_finds_the_same_and_a_limit_is_one() {
    let folder = folder();
    let [held, _] = both(&folder, &["check", "joined.toml"], 0);
    assert!(held.stdout.contains("whose examples are not in the dataset"), "{}", held.stdout);
    folder.qeval(["run", "joined.toml", "--limit", "700"]).succeed();
    let held = stored(&folder.path("results"));
    fs::rename(folder.path("results"), folder.path("before")).unwrap();
    let run = folder.qeval(["run", "joined.toml", "--limit", "700"]);
    run.env("QEVAL_HELD_PREDICTIONS", NONE).succeed();
    assert_same(&held, &stored(&folder.path("results")));
}

#[test]
fn what_is_wrong_is_said_in_the_same_words() {
    let folder = folder();
    let given = fs::read_to_string(folder.path("given.jsonl")).unwrap();
    let lines: Vec<&str> = given.lines().collect();
    let some = [lines[900], "", lines[3], lines[900], "{"].join("\n");
    for (broken, said) in [
        (format!("{given}{some}"), "is given twice"),
        (format!("{given}{{\"id\": 7}}\n{some}"), "name the right field"),
        ("\n".to_owned(), "the file is empty"),
    ] {
        folder.write("given.jsonl", broken);
        let [held, _] = both(&folder, &["check", "joined.toml"], 2);
        assert!(held.stderr.contains(said), "{}", held.stderr);
    }
    // The dataset: an id that is there twice, and a line that breaks off after some batches.
    folder.write("given.jsonl", &given);
    let a = fs::read_to_string(folder.path("a.jsonl")).unwrap();
    let first = a.lines().next().unwrap();
    for (broken, said) in [
        (format!("{a}{first}\n"), "is given twice, on lines 1 and 1501"),
        (format!("{a}{{\"id\": 3\n{first}\n"), "line 1501"),
    ] {
        folder.write("a.jsonl", broken);
        let [held, _] = both(&folder, &["run", "joined.toml"], 1);
        assert!(held.stderr.contains(said), "{}", held.stderr);
        folder.assert_no_evaluation("results");
    }
}

#[cfg(unix)]
#[test]
fn a_disk_without_room_is_named() {
    let folder = folder();
    // Beyond 8 or 16 KiB, as the shell counts, a file cannot grow.
    let check = folder.qeval(["check", "joined.toml"]).env("QEVAL_HELD_PREDICTIONS", NONE);
    let limited = check.after("trap '' XFSZ; ulimit -f 16");
    let output = limited.ends_with(2);
    for said in ["do not go through a temporary file: File too large", "make room in the results"] {
        assert!(output.stderr.contains(said), "{}", output.stderr);
    }
    folder.assert_no_evaluation("results");
}
