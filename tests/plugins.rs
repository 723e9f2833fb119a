//! Plugins end to end: what goes wrong in one costs what it must, and the scores of the other metrics
//! are right.

use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::Path,
};

use serde_json::Value;

use crate::support::{
    Folder, assert_transcript, exact_match_plugins, faulty_library, faulty_program,
};

/// Examples of a run: a whole batch, and the beginning of another one.
const EXAMPLES: usize = 600;

/// A plugin on one of its carriers.
struct Carried {
    path: String,
    keys: &'static str,
}

fn program() -> Carried {
    Carried { path: faulty_program().display().to_string(), keys: "" }
}

fn isolated() -> Carried {
    Carried { path: faulty_library().display().to_string(), keys: "" }
}

fn in_process() -> Carried {
    Carried { keys: "isolation = \"in-process\"", ..isolated() }
}

/// A folder with a dataset in which one prediction makes the plugin faulty, the third; the others are
/// numbers. All are right.
fn folder(prediction: &str, plugin: &Carried, keys: &str) -> Folder {
    let folder = Folder::new();
    let text = |index| if index == 2 { prediction } else { "0.5" };
    let lines = |line: &dyn Fn(usize) -> String| (0..EXAMPLES).map(line).collect::<String>();
    folder.write(
        "golden.jsonl",
        lines(&|i| {
            let text = text(i);
            format!("{{\"id\": \"q{i:03}\", \"question\": \"?\", \"references\": [\"{text}\"]}}\n")
        }),
    );
    let answer = |i| format!("{{\"id\": \"q{i:03}\", \"prediction\": \"{}\"}}\n", text(i));
    folder.write("answers.jsonl", lines(&answer));
    let Carried { path, keys: own } = plugin;
    folder.write(
        "faulty.toml",
        format!(
            "version = 1\n\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\n\n[reader]\ntype = \
             \"replay\"\npath = \"answers.jsonl\"\n\n[metrics]\nanswer = [\"EM\", \"p.n\"]\n\n[[plugin]]\n\
             name = \"p\"\npath = \"{path}\"\n{own}\n{keys}\n"
        ),
    );
    folder
}

/// What a run says of the metric `p.n`.
struct Outcome {
    /// Examples with a score.
    scored: u64,
    /// The reason of those without one, where it is only one.
    reason: String,
}

/// Runs a folder; the other metric must be right.
#[track_caller]
fn outcome(folder: &Folder) -> Outcome {
    let report = folder.qeval(["run", "faulty.toml", "--format", "json"]).succeed().json();
    let evaluation = &report["evaluations"][0];
    let summary = |metric: &str| {
        let summaries = evaluation["summaries"].as_array().unwrap().iter();
        let mut of_metric = summaries.filter(|summary| summary["metric"] == metric);
        of_metric.next().cloned().unwrap_or(Value::Null)
    };
    let em = summary("EM");
    assert_eq!((&em["n"], &em["mean"]), (&EXAMPLES.into(), &1.0.into()), "{evaluation:#}");
    let n = summary("p.n");
    let scored = n["n"].as_u64().unwrap_or(0);
    if scored > 0 {
        assert_eq!(n["mean"], 0.5, "{evaluation:#}");
    }
    let reason = &evaluation["unscored"][0];
    assert_eq!(reason["kind"], "error", "{evaluation:#}");
    Outcome { scored, reason: reason["text"].as_str().unwrap_or_default().to_owned() }
}

const ONE: &str = " (metric `p.n`; batch `1`; example `q002`)";
const BATCH: &str = " (metric `p.n`; batch `1`; `512` examples, `q000` to `q511`)";

/// How many examples of a batch the plugin is asked at once.
fn batch_of(plugin: &Carried) -> usize {
    if plugin.keys.is_empty() { 512 } else { 256 }
}

#[test]
fn a_crash_costs_one_example() {
    for plugin in [program(), isolated()] {
        for (prediction, how) in [
            ("exit", "with exit code 7"),
            ("abort", "by signal 6 (SIGABRT, it gave up)"),
            ("segfault", "by signal 11 (SIGSEGV, a bad memory access)"),
        ] {
            let Outcome { scored, reason } = outcome(&folder(prediction, &plugin, ""));
            assert_eq!(reason, format!("crash: plugin `p` ended {how}{ONE}"), "{}", plugin.path);
            assert_eq!(scored, 599);
        }
    }
}

#[test]
fn a_wrong_value_costs_one_score() {
    for plugin in [program(), isolated(), in_process()] {
        for (prediction, what) in [
            ("NaN", "is NaN, expected a finite number or null"),
            ("1.5", "is 1.5, outside its range of 0 to 1"),
        ] {
            let Outcome { scored, reason } = outcome(&folder(prediction, &plugin, ""));
            let value = format!("value: plugin `p`: metric `n` {what}");
            assert_eq!(reason, format!("{value}{ONE}"), "{}", plugin.path);
            assert_eq!(scored, 599);
        }
    }
}

#[test]
fn another_fault_costs_one_batch() {
    for plugin in [program(), isolated(), in_process()] {
        let size = batch_of(&plugin);
        let last = size - 1;
        let batch = format!(" (metric `p.n`; batch `1`; `{size}` examples, `q000` to `q{last}`)");
        let kept = (EXAMPLES - size) as u64;
        let wrong_rows = format!("protocol: plugin `p`: it gave 1 rows of scores for {size} cases");
        for (prediction, what) in [
            ("wrong rows", wrong_rows.as_str()),
            ("no columns", "protocol: plugin `p`: the scorer gave 0 columns, and none for `n`"),
            ("refuse", "refused: plugin `p`: not in the mood"),
        ] {
            let Outcome { scored, reason } = outcome(&folder(prediction, &plugin, ""));
            assert_eq!(reason, format!("{what}{batch}"), "{}", plugin.path);
            assert_eq!(scored, kept);
        }
        let Outcome { scored, reason } = outcome(&folder("panic", &plugin, ""));
        assert!(
            reason.starts_with("crash: plugin `p`: panicked at tests/faulty-plugin"),
            "{reason}"
        );
        assert!(reason.ends_with(&format!(": this is too much{batch}")), "{reason}");
        assert_eq!(scored, kept);
    }
}

#[test]
fn limits_of_time_and_memory_are_kept() {
    for plugin in [program(), isolated()] {
        let Outcome { scored, reason } = outcome(&folder("loop", &plugin, "timeout_s = 1"));
        let late = "timeout: plugin `p` gave no answer within 1 s and was ended";
        assert_eq!((scored, reason), (88, format!("{late}{BATCH}")), "{}", plugin.path);
        if Path::new("/proc/self/status").exists() {
            let Outcome { scored, reason } = outcome(&folder("hog", &plugin, "memory_mb = 200"));
            let hog = "memory: plugin `p` took more than 200 MB of memory and was ended";
            assert_eq!((scored, reason), (88, format!("{hog}{BATCH}")), "{}", plugin.path);
        }
    }
}

#[test]
fn a_program_that_breaks_the_talk_costs_its_own_scores_alone() {
    for variant in [
        "prints-in-a-call",
        "unknown-answer",
        "half-a-frame",
        "half-a-frame-and-the-end",
        "huge-frame",
        "garbage",
        "wrong-type",
        "wrong-rows",
        "out-of-memory",
    ] {
        let keys = format!("timeout_s = 1\nargs = [\"{variant}\"]");
        let outcome = outcome(&folder("0.5", &program(), &keys));
        assert_eq!(outcome.scored, 0, "{variant}");
        assert!(outcome.reason.contains(": plugin `p`"), "{variant}: {}", outcome.reason);
    }
}

#[test]
fn a_plugin_that_begins_wrongly_is_a_problem_of_the_file() {
    for variant in
        ["prints-first", "exits-at-start", "other-version", "refuses-setup", "panics-at-start"]
    {
        let folder = folder("0.5", &program(), &format!("args = [\"{variant}\"]"));
        let output = folder.qeval(["run", "faulty.toml"]).ends_with(2);
        assert!(output.stderr.contains("faulty.toml:1"), "{}", output.stderr);
        folder.assert_no_evaluation("results");
    }
    let folder = folder("0.5", &program(), "args = [\"slow-start\"]\ntimeout_s = 0.25");
    folder.qeval(["run", "faulty.toml"]).succeed();
}

#[test]
fn a_library_that_gives_a_wrong_type_costs_its_own_scores_alone() {
    for isolation in ["process", "in-process"] {
        let library = format!("{DLL_PREFIX}wrong-type{DLL_SUFFIX}");
        let keys = format!("isolation = \"{isolation}\"");
        let folder = folder("0.5", &Carried { path: library.clone(), keys: "" }, &keys);
        fs::copy(faulty_library(), folder.path(&library)).unwrap();
        let outcome = outcome(&folder);
        assert_eq!(outcome.scored, 0);
        assert!(outcome.reason.contains("its column `n` is of type Int64"), "{}", outcome.reason);
    }
}

#[test]
fn a_failure_may_end_the_evaluation() {
    let folder = folder("abort", &program(), "on_error = \"stop\"");
    assert_transcript!("plugins__stop", folder.qeval(["run", "faulty.toml"]).ends_with(1));
    folder.assert_no_evaluation("results");
}

#[test]
fn keys_that_cannot_be_are_told_with_their_line() {
    for (keys, expected) in [
        ("sha256 = \"abc\"", "`sha256` is `abc`, expected 64 hexadecimal digits"),
        ("environment = [\"\"]", "`` is no name of an environment variable"),
        ("environment = [\"A=b\"]", "`A=b` is no name of an environment variable"),
    ] {
        let text = folder("0.5", &program(), keys).qeval(["check", "faulty.toml"]).ends_with(2);
        assert!(text.stderr.contains(expected), "{}", text.stderr);
        assert!(text.stderr.contains("faulty.toml:"), "{}", text.stderr);
    }
    let odd = format!("sha256 = \"sha256:{}\"", "AB".repeat(32));
    let text = folder("0.5", &program(), &odd).qeval(["check", "faulty.toml"]).ends_with(2).stderr;
    assert!(!text.contains("expected 64"), "{text}");
}

#[test]
fn a_file_with_plugins_may_be_refused() {
    let folder = folder("0.5", &program(), "args = [\"exits-at-start\"]");
    for verb in ["run", "check", "index"] {
        let output = folder.qeval([verb, "faulty.toml", "--no-plugins"]).ends_with(2);
        assert_transcript!("plugins__refused", output);
    }
}

#[test]
fn a_metric_is_the_same_on_every_carrier() {
    let [library, program] = exact_match_plugins().map(|path| path.display().to_string());
    let folder = Folder::new();
    let texts = ["the Eiffel Tower!", "tower", "", "a b", "ТОЧКА", "15 days."];
    let mut golden = String::new();
    let mut answers = String::new();
    for number in 0..1000 {
        let (reference, text) = (texts[number % 6], texts[number * 7 % 11 % 6]);
        let question = serde_json::json!({
            "id": format!("q{number:04}"), "question": "?", "references": ["eiffel tower", reference],
        });
        golden.extend([question.to_string(), "\n".to_owned()]);
        if number % 10 != 3 {
            let answer = serde_json::json!({"id": format!("q{number:04}"), "prediction": text});
            answers.extend([answer.to_string(), "\n".to_owned()]);
        }
    }
    folder.write("golden.jsonl", golden);
    folder.write("answers.jsonl", answers);
    folder.write(
        "same.toml",
        format!(
            "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\n[reader]\ntype = \
             \"replay\"\npath = \"answers.jsonl\"\n[metrics]\nanswer = [\"EM\", \"a.em\", \"b.em\", \
             \"c.em\"]\n[[plugin]]\nname = \"a\"\npath = \"{library}\"\n[[plugin]]\nname = \"b\"\npath = \
             \"{library}\"\nisolation = \"in-process\"\n[[plugin]]\nname = \"c\"\npath = \"{program}\"\n\
             workers = 2\n"
        ),
    );
    let report = folder.qeval(["run", "same.toml", "--format", "json"]).succeed().json();
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
    assert_eq!(summaries.len(), 4);
    for summary in summaries {
        assert_eq!(summary["n"], 1000, "{summary:#}");
        assert_eq!(summary["mean"], summaries[0]["mean"], "{summary:#}");
        assert_eq!(summary["stddev"], summaries[0]["stddev"], "{summary:#}");
    }
    let mean = summaries[0]["mean"].as_f64().unwrap();
    assert!(mean > 0.1 && mean < 0.9, "{mean}");
}

#[test]
fn a_program_starts_in_the_folder_of_the_file() {
    let folder = Folder::new();
    let carried = Carried { path: "plugin.sh".to_owned(), keys: "" };
    let config = |interpreter: &str| {
        let program = faulty_program();
        let program = program.display();
        let keys = format!("interpreter = [\"{interpreter}\"]\nargs = [\"{program}\", \"good\"]");
        let made = self::folder("0.5", &carried, &keys);
        for name in ["golden.jsonl", "answers.jsonl", "faulty.toml"] {
            folder.write(&format!("sub/{name}"), fs::read(made.path(name)).unwrap());
        }
    };
    folder.write("sub/plugin.sh", "pwd > where; exec \"$@\"\n");
    config("/bin/sh");
    folder.qeval(["run", "sub/faulty.toml"]).succeed();
    let place = fs::read_to_string(folder.path("sub/where")).unwrap();
    assert_eq!(Path::new(place.trim()), folder.path("sub"));
    let [evaluation] = &folder.evaluations("sub/results")[..] else { panic!("there is one") };
    let manifest = fs::read(evaluation.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let components = manifest["components"].as_array().unwrap();
    let plugin = components.iter().find(|component| component["kind"] == "plugin").unwrap();
    assert_eq!(plugin["options"]["interpreter"][0], "/bin/sh");
    assert_eq!(plugin["options"]["args"][1], "good");
    assert_eq!(plugin["options"]["sha256"].as_str().unwrap().len(), 64);
    // Where the interpreter lies is no part of what is evaluated.
    fs::copy("/bin/sh", folder.path("sub/shell")).unwrap();
    config("shell");
    let again = folder.qeval(["run", "sub/faulty.toml"]).succeed();
    assert!(again.stderr.contains("1 of 1 evaluations are whole already"), "{}", again.stderr);
}
