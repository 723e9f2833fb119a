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
