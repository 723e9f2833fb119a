//! Gates: decided after a run and on stored evaluations, against limits and baselines.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{Folder, assert_transcript};

/// Answers, of which a `+` is right and a `-` is wrong, with a file that evaluates them.
fn evaluation(folder: &Folder, label: &str, answers: &str, more: &str) {
    let mut lines = String::new();
    for (n, answer) in answers.chars().enumerate() {
        let answer = if answer == '+' { format!("right {n}") } else { "nothing".to_owned() };
        let _ = writeln!(
            lines,
            "{{\"id\": \"q{n:03}\", \"question\": \"what is {n}?\", \"gold\": [\"right {n}\"], \
             \"answer\": \"{answer}\", \"half\": \"{}\"}}",
            n % 2
        );
    }
    folder.write(&format!("{label}.jsonl"), lines);
    folder.write(
        &format!("{label}.toml"),
        format!(
            "version = 1\n[evaluation]\nlabel = \"{label}\"\nresults = \"results\"\nseed = 7\n\
             [dataset]\nformat = \"jsonl\"\npath = \"{label}.jsonl\"\nslices = [\"half\"]\n\
             fields = {{ references = \"gold\", prediction = \"answer\" }}\n\
             [reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"EM\", \"F1\"]\n{more}"
        ),
    );
}

fn of(right: usize, wrong: usize) -> String {
    "+".repeat(right) + &"-".repeat(wrong)
}

fn outcomes(report: &Value) -> Vec<String> {
    let gates = report["evaluations"][0]["gates"].as_array().unwrap();
    let outcome = |gate: &Value| {
        format!("{} {}", gate["decision"].as_str().unwrap(), gate["outcome"].as_str().unwrap())
    };
    gates.iter().map(outcome).collect()
}

const LIMITS: &str = "\
    [[gate]]\nmetric = \"EM\"\nat_least = 0.6\n\
    [[gate]]\nmetric = \"EM\"\nat_least = 0.8\n\
    [[gate]]\nmetric = \"EM\"\nat_least = 0.8\nundecided = \"fail\"\nlevel = \"warn\"\n\
    [[gate]]\nmetric = \"EM\"\nat_most = 0.95\n\
    [[gate]]\nmetric = \"F1\"\nat_least = 0.9\nlevel = \"warn\"\n\
    [[gate]]\nmetric = \"EM\"\nat_least = 0.5\nslice = \"half\"\nslice_value = \"1\"\n";

#[test]
fn limits_are_held_against_intervals() {
    let folder = Folder::new();
    evaluation(&folder, "main", &of(80, 20), LIMITS);
    let report = folder.qeval(["run", "main.toml", "--format", "json"]).succeed().json();
    let expected =
        ["pass pass", "undecided warn", "undecided warn", "pass pass", "fail warn", "pass pass"];
    assert_eq!(outcomes(&report), expected);
    assert_transcript!("gates__run", folder.qeval(["gate", "main"]).succeed());
    // Another limit makes no other evaluation, and counts also where nothing is evaluated again.
    let text = std::fs::read_to_string(folder.path("main.toml")).unwrap();
    folder.write("main.toml", text.replace("at_least = 0.6", "at_least = 0.99"));
    let output = folder.qeval(["run", "main.toml"]).ends_with(3);
    assert!(output.stderr.contains("1 of 6 gates failed: EM >= 0.99"), "{}", output.stderr);
    assert!(output.stdout.contains("Gates\n"), "{}", output.stdout);
    assert_eq!(folder.evaluations("results").len(), 1);
    // The stored gates are those of the file that was evaluated; others are given.
    folder.qeval(["gate", "main"]).succeed();
    folder.qeval(["gate", "main", "--file", "main.toml"]).ends_with(3);
}

#[test]
fn nothing_worse_than_the_last_one_gets_through() {
    let folder = Folder::new();
    let gate = "[[gate]]\nmetric = \"EM\"\nno_worse_than = \"main\"\nmargin = 0.05\n";
    evaluation(&folder, "main", &of(80, 20), "");
    evaluation(&folder, "next", &of(60, 40), gate);
    let missing = folder.qeval(["run", "next.toml"]).ends_with(1);
    assert!(missing.stderr.contains("there is no other evaluation `main`"), "{}", missing.stderr);
    assert!(missing.stdout.contains("EM"), "the report is printed: {}", missing.stdout);
    folder.qeval(["run", "main.toml"]).succeed();
    let worse = folder.qeval(["run", "next.toml", "--failing-examples", "2"]).ends_with(3);
    assert!(worse.stdout.contains("a difference of -0.2000"), "{}", worse.stdout);
    // A better one passes, and one that is hardly worse is not decided.
    evaluation(&folder, "next", &of(90, 10), gate);
    let report = folder.qeval(["run", "next.toml", "--format", "json"]).succeed().json();
    assert_eq!(outcomes(&report), ["pass pass"]);
    evaluation(&folder, "next", &of(77, 23), gate);
    let report = folder.qeval(["run", "next.toml", "--format", "json"]).succeed().json();
    assert_eq!(outcomes(&report), ["undecided warn"]);
    // Against itself there is only the evaluation before.
    let own = gate.replace("0.05", "0.0");
    evaluation(&folder, "main", &of(81, 19), &own);
    let report = folder.qeval(["run", "main.toml", "--format", "json"]).succeed().json();
    assert_eq!(outcomes(&report), ["pass pass"]);
    let id = report["evaluations"][0]["evaluation_id"].as_str().unwrap();
    assert_ne!(report["evaluations"][0]["gates"][0]["baseline"].as_str(), Some(id));
    // Another golden answer cannot be compared.
    let lines = std::fs::read_to_string(folder.path("next.jsonl")).unwrap();
    folder.write("next.jsonl", lines.replace("[\"right 7\"]", "[\"seven\"]"));
    let refused = folder.qeval(["run", "next.toml"]).ends_with(1).stderr;
    assert!(refused.contains("it is not comparable with"), "{refused}");
}

/// A dataset without its hard questions is no better system.
#[test]
fn examples_that_are_left_out_do_not_make_a_gate_pass() {
    let folder = Folder::new();
    evaluation(&folder, "main", &of(80, 20), "");
    folder.qeval(["run", "main.toml"]).succeed();
    let gate = "[[gate]]\nmetric = \"EM\"\nno_worse_than = \"main\"\nmargin = 0.05\n";
    evaluation(&folder, "easy", &of(80, 0), gate);
    let report = folder.qeval(["run", "easy.toml", "--format", "json"]).succeed().json();
    assert_eq!(outcomes(&report), ["undecided warn"]);
    let reason = report["evaluations"][0]["gates"][0]["reason"].as_str().unwrap();
    assert!(
        reason.ends_with("20 of the 100 examples of the baseline are not in this evaluation"),
        "{reason}"
    );
}

/// Fewer errors are better where less is.
#[test]
fn a_metric_of_which_less_is_better_has_gates() {
    let folder = Folder::new();
    let gates = "[[gate]]\nmetric = \"WER\"\nat_most = 0.9\n\
                 [[gate]]\nmetric = \"WER\"\nat_most = 0.1\n";
    evaluation(&folder, "main", &of(80, 20), gates);
    let config = std::fs::read_to_string(folder.path("main.toml")).unwrap();
    folder.write("main.toml", config.replace("\"F1\"]", "\"F1\", \"WER\"]"));
    let report = folder.qeval(["run", "main.toml", "--format", "json"]).ends_with(3).json();
    assert_eq!(outcomes(&report), ["pass pass", "fail fail"]);
}

/// In a check the baseline is brought first, and often nothing has changed since.
#[test]
fn what_has_not_changed_since_the_baseline_passes() {
    let folder = Folder::new();
    let gate = "[[gate]]\nmetric = \"EM\"\nno_worse_than = \"main\"\n";
    evaluation(&folder, "main", &of(80, 20), gate);
    let first = folder.qeval(["run", "main.toml"]).ends_with(1).stderr;
    assert!(first.contains("there is no other evaluation `main`"), "{first}");
    // As the workflow has it.
    folder.qeval(["run", "main.toml", "--set", "gate=[]"]).succeed();
    folder.qeval(["baseline", "export", "main", "main.tar"]).succeed();
    std::fs::remove_dir_all(folder.path("results")).unwrap();
    folder.qeval(["baseline", "import", "main.tar"]).succeed();
    let report = folder.qeval(["run", "main.toml", "--format", "json"]).succeed().json();
    assert_eq!(outcomes(&report), ["pass pass"]);
    // What was evaluated here alone is nothing to compare with, however often it runs.
    std::fs::remove_dir_all(folder.path("results")).unwrap();
    for _ in 0..2 {
        folder.qeval(["run", "main.toml"]).ends_with(1);
    }
}

/// The first examples of a dataset are no baseline of its label.
#[test]
fn a_part_is_no_baseline() {
    let folder = Folder::new();
    evaluation(&folder, "main", &of(80, 20), "");
    folder.qeval(["run", "main.toml"]).succeed();
    folder.qeval(["run", "main.toml", "--limit", "30"]).succeed();
    let exported = folder.qeval(["baseline", "export", "main", "main.tar"]).succeed().stdout;
    assert!(exported.contains("it is of a part alone (limit 30)"), "{exported}");
    let gate = "[[gate]]\nmetric = \"EM\"\nno_worse_than = \"main\"\nmargin = 0.05\n";
    evaluation(&folder, "next", &of(60, 40), gate);
    let report = folder.qeval(["run", "next.toml", "--format", "json"]).ends_with(3).json();
    assert_eq!(outcomes(&report), ["fail fail"]);
    let reason = report["evaluations"][0]["gates"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("on 100 examples that both have"), "{reason}");
    // The same part again is compared with that part.
    let part = ["run", "next.toml", "--limit", "30", "--format", "json"];
    let report = folder.qeval(part).succeed().json();
    let reason = report["evaluations"][0]["gates"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("on 30 examples that both have"), "{reason}");
}

/// A gate that cannot be decided does not hide the others.
#[test]
fn the_other_gates_are_decided_all_the_same() {
    let folder = Folder::new();
    let gates = "[[gate]]\nmetric = \"EM\"\nno_worse_than = \"nothing\"\n\
                 [[gate]]\nmetric = \"EM\"\nat_least = 0.99\n[[gate]]\nmetric = \"F1\"\nat_least = 0.1\n";
    evaluation(&folder, "main", &of(80, 20), gates);
    let output = folder.qeval(["run", "main.toml", "--junit", "gates.xml"]).ends_with(1);
    assert!(output.stderr.contains("there is no other evaluation `nothing`"), "{}", output.stderr);
    for part in ["it cannot be decided", "EM >= 0.99", "F1 >= 0.1"] {
        assert!(output.stdout.contains(part), "{part}\n{}", output.stdout);
    }
    let junit = std::fs::read_to_string(folder.path("gates.xml")).unwrap();
    assert!(junit.contains("tests=\"3\" failures=\"2\""), "{junit}");
}

/// Gates of another file are checked as those of a run are.
#[test]
fn gates_of_another_file_are_checked() {
    let folder = Folder::new();
    evaluation(&folder, "main", &of(8, 2), "");
    folder.qeval(["run", "main.toml"]).succeed();
    for (gate, said) in [
        ("at_least = nan", "a limit is a finite number"),
        ("at_least = 0.1\nat_most = 0.9", "the gate has several limits"),
        ("no_worse_than = \"main\"\nmargin = -1.0", "`margin` is no number from 0"),
        ("at_least = 0.1\nmax_unscored = 2.0", "`max_unscored` is no share"),
        ("at_least = 0.1\nslice = \"half\"", "has a `slice` and no `slice_value`"),
        ("no_worse_than = \"\"", "`no_worse_than` names nothing"),
        ("at_least = 0.1\nsystem = \"x\"", "there is no system `x`"),
    ] {
        evaluation(&folder, "other", &of(8, 2), &format!("[[gate]]\nmetric = \"EM\"\n{gate}\n"));
        let refused = folder.qeval(["gate", "main", "--file", "other.toml"]).ends_with(2).stderr;
        assert!(refused.contains(said), "{gate}\n{refused}");
    }
}

#[test]
fn a_gate_that_selects_nothing_is_an_error() {
    let folder = Folder::new();
    let gate = "[[gate]]\nmetric = \"EM\"\nat_least = 0.5\nslice = \"half\"\nslice_value = \"7\"\n";
    evaluation(&folder, "main", &of(8, 2), gate);
    let error = folder.qeval(["run", "main.toml"]).ends_with(2).stderr;
    assert!(error.contains("the gate `EM >= 0.5, half = 7`"), "{error}");
    assert!(error.contains("selects nothing: no example has that"), "{error}");
    let gate = "[[gate]]\nmetric = \"EM\"\nat_least = 0.5\nsystem = \"other\"\n";
    evaluation(&folder, "main", &of(8, 2), gate);
    let error = folder.qeval(["run", "main.toml"]).ends_with(2).stderr;
    assert!(error.contains("there is no system `other`"), "{error}");
    evaluation(&folder, "main", &of(8, 2), "");
    let error = folder.qeval(["gate", "main", "--file", "main.toml"]).ends_with(2).stderr;
    assert!(error.contains("`main` has no gates"), "{error}");
}

#[test]
fn wrong_gates_are_found_before_anything_runs() {
    let folder = Folder::new();
    let gates = "\
        [[gate]]\nmetric = \"ME\"\nat_least = 0.5\n\
        [[gate]]\nmetric = \"EM\"\n\
        [[gate]]\nmetric = \"EM\"\nat_least = 0.5\nat_most = 0.6\n\
        [[gate]]\nmetric = \"EM\"\nat_least = 50\n\
        [[gate]]\nmetric = \"EM\"\nat_least = nan\n\
        [[gate]]\nmetric = \"EM\"\nat_least = 0.5\nmargin = 0.1\nstage = \"retrieval\"\n\
        [[gate]]\nmetric = \"EM\"\nat_least = 0.5\nundecided = \"maybe\"\nmax_unscored = 2.0\n\
        [[gate]]\nmetric = \"EM\"\nat_least = 0.5\nslice = \"third\"\n";
    evaluation(&folder, "main", &of(8, 2), gates);
    assert_transcript!("gates__wrong", folder.qeval(["run", "main.toml"]).ends_with(2));
    folder.assert_no_evaluation("results");
}

#[test]
fn services_that_run_checks_read_the_gates() {
    let folder = Folder::new();
    let gates =
        "[[gate]]\nmetric = \"EM\"\nat_least = 0.99\n[[gate]]\nmetric = \"F1\"\nat_least = 0.8\n";
    evaluation(&folder, "main", &of(80, 20), gates);
    // Texts that mean something to XML, Markdown and workflows.
    let lines = std::fs::read_to_string(folder.path("main.jsonl")).unwrap();
    let hostile = "<a> & ]]> | `x` % ::error::\\u0001\\u000b\\uffff \\ud83d\\ude00\\n::warning::";
    folder.write("main.jsonl", lines.replace("\"nothing\"", &format!("\"{hostile}\"")));
    let args = ["run", "main.toml", "--junit", "gates.xml", "--markdown", "summary.md"];
    let args = [&args[..], &["--annotations", "--failing-examples", "3"]].concat();
    let output = folder.qeval(&args).ends_with(3);
    let annotations: Vec<&str> =
        output.stderr.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(annotations.len(), 2, "{annotations:?}");
    assert!(
        annotations[0].starts_with("::error title=main%3Areplay%3A EM >= 0.99::0.8000, 95 %25")
    );
    let summary = std::fs::read_to_string(folder.path("summary.md")).unwrap();
    assert!(summary.contains("| fail | EM &gt;= 0.99 | "), "{summary}");
    assert!(summary.lines().all(|line| !line.starts_with("::")), "{summary}");
    let script = "import sys, xml.etree.ElementTree as t\n\
        suite = t.parse(sys.argv[1]).getroot()[0]\n\
        print(suite.get('tests'), suite.get('failures'), [c.get('name') for c in suite], \
        len(suite.findall('testcase/failure')))";
    let parsed = std::process::Command::new(crate::readers::python())
        .args(["-c", script])
        .arg(folder.path("gates.xml"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&parsed.stdout);
    let cases = "['EM >= 0.99', 'q080', 'q081', 'q082', 'F1 >= 0.8']";
    assert_eq!(text.trim(), format!("5 4 {cases} 4"), "{parsed:?}");
}

#[test]
fn a_baseline_is_carried_to_where_a_gate_needs_it() {
    let folder = Folder::new();
    evaluation(&folder, "main", &of(80, 20), "");
    folder.qeval(["run", "main.toml"]).succeed();
    folder.qeval(["baseline", "export", "main", "main.tar"]).succeed();
    std::fs::rename(folder.path("results"), folder.path("elsewhere")).unwrap();
    let imported = folder.qeval(["baseline", "import", "main.tar"]).succeed();
    assert!(imported.stdout.contains("(imported)"), "{}", imported.stdout);
    let again = folder.qeval(["baseline", "import", "main.tar"]).succeed();
    assert!(again.stdout.contains("(there already)"), "{}", again.stdout);
    // Its numbers are there, and its texts are said not to be.
    let report = folder.qeval(["report", "main"]).succeed().stdout;
    assert!(report.contains("without its texts"), "{report}");
    folder.qeval(["verify", "main"]).succeed();

    let gate = "[[gate]]\nmetric = \"EM\"\nno_worse_than = \"main\"\nmargin = 0.05\n";
    // The same file of questions, with answers of another system beside it.
    evaluation(&folder, "next", &of(80, 20), "");
    std::fs::copy(folder.path("main.jsonl"), folder.path("next.jsonl")).unwrap();
    let text = std::fs::read_to_string(folder.path("next.toml")).unwrap();
    let mut answers = String::new();
    for n in 0..100 {
        let _ = writeln!(answers, "{{\"id\": \"q{n:03}\", \"prediction\": \"right {n}\"}}");
    }
    folder.write("answers.jsonl", answers);
    let text = text
        .replace("prediction = \"answer\"", "prediction = \"\"")
        .replace("type = \"replay\"", "type = \"replay\"\npath = \"answers.jsonl\"");
    folder.write("next.toml", text.replace(", prediction = \"\"", "") + gate);
    let report = folder.qeval(["run", "next.toml", "--format", "json"]).succeed().json();
    assert_eq!(outcomes(&report), ["pass pass"]);
    let compared = folder.qeval(["compare", "main", "next"]).succeed().stdout;
    assert!(compared.contains("`next` is better than `main` on EM"), "{compared}");
}

#[test]
fn the_workflow_to_copy_has_commands_that_exist() {
    let path = crate::support::root().join("docs/ci/qeval.yml");
    let text = std::fs::read_to_string(path).unwrap();
    let folder = Folder::new();
    let mut found = Vec::new();
    for command in text.split("qeval ").skip(1) {
        let verb = command.split_whitespace().next().unwrap();
        if ["run", "baseline", "gate"].contains(&verb) {
            let help: Vec<&str> = match verb {
                "baseline" => command.split_whitespace().take(2).collect(),
                verb => vec![verb],
            };
            let output = folder.qeval([&help[..], &["--help"]].concat()).succeed();
            let command = command.split("\n\n").next().unwrap();
            for option in command.split_whitespace().filter(|word| word.starts_with("--")) {
                assert!(output.stdout.contains(option), "{option} of {verb}");
            }
            found.push(verb);
        }
    }
    assert_eq!(found, ["run", "baseline", "run", "baseline"]);
}
