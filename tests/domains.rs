//! Several datasets in one file: side by side, and before and after.

use serde_json::Value;

use crate::support::Folder;

fn close(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-12)
}

#[test]
fn what_was_gained_and_lost_is_said_with_its_interval() {
    let folder = Folder::new();
    folder.config("domains.toml");
    let output = folder.qeval(["run", "domains.toml", "--format", "json"]).succeed();
    let report = output.json();
    let em = &report["domains"][0];
    assert_eq!(em["metric"], "EM");

    // 36 of 40 right in the encyclopedia, 12 of 40 in the manuals.
    let drop = &em["from_source"][0];
    assert_eq!((&drop["system"], &drop["source"]), (&"before".into(), &"encyclopedia".into()));
    let manuals = &drop["targets"][0];
    assert!(close(&manuals["difference"], 12.0 / 40.0 - 36.0 / 40.0), "{manuals}");
    assert!(close(&manuals["ratio"], 12.0 / 36.0), "{manuals}");

    let change = &em["changes"][0];
    assert_eq!((&change["before"], &change["after"]), (&"before".into(), &"after".into()));
    let of = |place: usize, right: [f64; 2], n: f64, decided: bool| {
        let found = &change["datasets"][place];
        assert!(close(&found["before"], right[0] / n) && close(&found["after"], right[1] / n));
        let (low, high) = (found["ci_low"].as_f64().unwrap(), found["ci_high"].as_f64().unwrap());
        let difference = (right[1] - right[0]) / n;
        assert!(low <= difference && difference <= high, "{found}");
        assert_eq!(found["decided"], decided, "{found}");
    };
    of(0, [36.0, 30.0], 40.0, true);
    of(1, [12.0, 29.0], 40.0, true);
    of(2, [4.0, 7.0], 12.0, false);

    let text = folder.qeval(["run", "domains.toml"]).succeed().stdout;
    // What is compared with what does not depend on the names of the systems.
    assert_eq!(folder.qeval(["report", "domains"]).succeed().stdout, text);
    for sentence in [
        "encyclopedia: after is worse by 0.1500 EM (95 % interval ",
        "manuals: after is better by 0.4250 EM (95 % interval ",
        "reviews: 12 examples are too few to tell after from before: a difference below ",
    ] {
        assert!(text.contains(sentence), "`{sentence}` in:\n{text}");
    }
    // By dataset too, and with the ids of each dataset on their own.
    let evaluation = &report["evaluations"][0];
    let summaries = evaluation["summaries"].as_array().unwrap();
    let of_reviews = |s: &&Value| s["dataset"] == "reviews" && s["metric"] == "EM";
    let reviews = summaries.iter().find(of_reviews).unwrap();
    assert_eq!((&reviews["n"], &evaluation["examples"]), (&12.into(), &92.into()));
}

/// Two datasets of two examples with contexts.
fn two_datasets(folder: &Folder) {
    for (name, answers) in [("src", ["Rome", "Paris"]), ("tgt", ["Oslo", "Bern"])] {
        let line = |(n, answer): (usize, &str)| {
            format!(
                "{{\"id\": \"{name}{n}\", \"question\": \"where?\", \"references\": [\"{answer}\"], \
                 \"context\": \"It is in {answer} now.\"}}\n"
            )
        };
        let lines: String = answers.into_iter().enumerate().map(line).collect();
        folder.write(&format!("{name}.jsonl"), lines);
    }
}

#[test]
fn systems_with_other_stages_stand_side_by_side() {
    let folder = Folder::new();
    two_datasets(&folder);
    folder.write("answers.jsonl", "{\"id\": \"src0\", \"prediction\": \"Rome\"}\n");
    folder.write(
        "mix.toml",
        "version = 1\n[[dataset]]\nname = \"src\"\nformat = \"jsonl\"\npath = \"src.jsonl\"\n\
         [[dataset]]\nname = \"tgt\"\nformat = \"jsonl\"\npath = \"tgt.jsonl\"\n\
         [[reader]]\ntype = \"replay\"\npath = \"answers.jsonl\"\n\
         [[reader]]\ntype = \"sliding-window\"\n[metrics]\nanswer = [\"EM\"]\n",
    );
    let report = folder.qeval(["run", "mix.toml", "--format", "json"]).succeed().json();
    let of = |place: usize| {
        let domain = &report["domains"][place];
        let systems = domain["from_source"].as_array().unwrap().len();
        (domain["column"].clone(), domain["stage"].clone(), systems)
    };
    assert_eq!(report["domains"].as_array().unwrap().len(), 2);
    assert_eq!(of(0), ("em".into(), "integrated".into(), 1));
    assert_eq!(of(1), ("isolated_em".into(), "isolated".into(), 1));
    let text = folder.qeval(["report", "mix"]).succeed().stdout;
    assert!(text.contains("EM by dataset, isolated"), "{text}");
}

#[test]
fn missing_answers_of_one_dataset_make_no_number() {
    let folder = Folder::new();
    two_datasets(&folder);
    let sure = "{\"id\": \"src0\", \"prediction\": \"Rome\", \"confidence\": 0.5}\n";
    folder.write("answers-src.jsonl", sure);
    folder.write("answers-tgt.jsonl", "{\"id\": \"tgt0\", \"prediction\": \"Oslo\"}\n");
    folder.write(
        "sure.toml",
        "version = 1\n[[dataset]]\nname = \"src\"\nformat = \"jsonl\"\npath = \"src.jsonl\"\n\
         [[dataset]]\nname = \"tgt\"\nformat = \"jsonl\"\npath = \"tgt.jsonl\"\n\
         [reader]\ntype = \"replay\"\npath = \"answers-{dataset}.jsonl\"\n\
         [metrics]\nanswer = [\"Brier\"]\n",
    );
    let report = folder.qeval(["run", "sure.toml", "--format", "json"]).succeed().json();
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap();
    let of = |dataset: &str| {
        let found = summaries.iter().find(|summary| summary["dataset"] == dataset).unwrap();
        (found["n"].as_u64().unwrap(), found["mean"].as_f64())
    };
    // One answer with a confidence, and a missing one that is wrong with certainty.
    assert_eq!(of("src"), (2, Some(f64::midpoint(0.25, 1.0))));
    assert_eq!(of("tgt"), (0, None));
}

#[test]
fn ids_are_unique_in_a_dataset_and_not_among_them() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"id\": 1, \"references\": [\"x\"], \"prediction\": \"x\"}\n");
    folder.write("b.jsonl", "{\"id\": 1, \"references\": [\"x\"], \"prediction\": \"y\"}\n");
    let dataset = |path: &str, name: &str| {
        format!(
            "[[dataset]]\nname = \"{name}\"\nformat = \"jsonl\"\npath = \"{path}\"\n\
             fields = {{ prediction = \"prediction\" }}\n"
        )
    };
    let file = |datasets: String| {
        format!(
            "version = 1\n{datasets}[reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"EM\"]\n"
        )
    };
    folder.write("two.toml", file(dataset("a.jsonl", "a") + &dataset("b.jsonl", "b")));
    let report = folder.qeval(["run", "two.toml", "--format", "json"]).succeed().json();
    let summaries = report["evaluations"][0]["summaries"].as_array().unwrap().clone();
    let means: Vec<(&Value, &Value)> =
        summaries.iter().map(|s| (&s["dataset"], &s["mean"])).collect();
    assert_eq!(
        means,
        [(&Value::Null, &0.5.into()), (&"a".into(), &1.0.into()), (&"b".into(), &0.0.into())]
    );

    folder.write("twins.toml", file(dataset("a.jsonl", "a") + &dataset("b.jsonl", "a")));
    let refused = folder.qeval(["run", "twins.toml"]).ends_with(2);
    assert!(refused.stderr.contains("two datasets have the name `a`"), "{}", refused.stderr);
}

/// Two datasets with one id in common, and what answers and ranks them.
fn twins(reader: &str, retriever: &str) -> Folder {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"id\": 1, \"references\": [\"x\"], \"gold_passages\": [\"p\"]}\n{\"id\": 2, \"references\": [\"x\"], \"gold_passages\": [\"p\"]}\n");
    folder.write("b.jsonl", "{\"id\": 1, \"references\": [\"y\"], \"gold_passages\": [\"q\"]}\n");
    folder.write("all.json", r#"{"1": "x", "2": "x"}"#);
    folder.write("answers-a.json", r#"{"1": "x", "2": "x"}"#);
    folder.write("answers-b.json", r#"{"1": "y"}"#);
    folder.write("all.run", "1 Q0 p 1 2.0 t\n1 Q0 q 2 1.0 t\n2 Q0 p 1 1.0 t\n");
    folder.write("a.run", "1 Q0 p 1 2.0 t\n2 Q0 p 1 1.0 t\n");
    folder.write("b.run", "1 Q0 q 1 2.0 t\n");
    let file = format!(
        "version = 1\n[[dataset]]\nformat = \"jsonl\"\npath = \"a.jsonl\"\n[[dataset]]\nformat = \
         \"jsonl\"\npath = \"b.jsonl\"\n[retriever]\ntype = \"replay\"\npath = \"{retriever}\"\n\
         [reader]\ntype = \"replay\"\npath = \"{reader}\"\n[metrics]\nretrieval = [\"MRR\"]\n\
         answer = [\"EM\"]\n"
    );
    folder.write("twins.toml", file);
    folder
}

/// The means of the two datasets, for each metric, and the notices.
fn means_of_twins(folder: &Folder) -> (Vec<f64>, String) {
    let report = folder.qeval(["run", "twins.toml", "--format", "json"]).succeed().json();
    let evaluation = &report["evaluations"][0];
    let summaries = evaluation["summaries"].as_array().unwrap();
    let own = summaries.iter().filter(|summary| !summary["dataset"].is_null());
    let means = own.map(|summary| summary["mean"].as_f64().unwrap()).collect();
    (means, evaluation["notices"].to_string())
}

#[test]
fn answers_that_datasets_share_are_counted() {
    let folder = twins("all.json", "all.run");
    let (means, notices) = means_of_twins(&folder);
    assert_eq!(means, [1.0, 0.5, 1.0, 0.0]);
    for sentence in [
        "1 prediction answers examples of several datasets, whose ids are the same",
        "1 ranking is for queries of several datasets, whose ids are the same",
    ] {
        assert!(notices.contains(sentence), "{notices}");
    }
    let checked = folder.qeval(["check", "twins.toml"]).succeed().stdout;
    let warning = "1 prediction answers examples of several datasets, whose ids are the same: \
                   `{dataset}` in the path gives each dataset a file of its own (1)";
    assert!(checked.contains(warning), "{checked}");
}

#[test]
fn each_dataset_may_have_its_own_run() {
    let folder = twins("answers-{dataset}.json", "{dataset}.run");
    let (means, notices) = means_of_twins(&folder);
    assert_eq!(means, [1.0, 1.0, 1.0, 1.0]);
    assert!(!notices.contains("several datasets"), "{notices}");
    let checked = folder.qeval(["check", "twins.toml"]).succeed().stdout;
    assert!(!checked.contains("several datasets"), "{checked}");
    std::fs::remove_file(folder.path("b.run")).unwrap();
    let refused = folder.qeval(["run", "twins.toml"]).ends_with(2);
    assert!(refused.stderr.contains("b.run`: no such file"), "{}", refused.stderr);
}

#[test]
fn every_dataset_needs_its_predictions() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(folder.config("domains.toml")).unwrap();
    folder.write(
        "lost.toml",
        text.replace("tiny-domains/after-{dataset}", "tiny-domains/later-{dataset}"),
    );
    let refused = folder.qeval(["run", "lost.toml"]).ends_with(2);
    assert!(
        refused.stderr.contains("later-encyclopedia.json`: no such file"),
        "{}",
        refused.stderr
    );
    folder.assert_no_evaluation("results");
}
