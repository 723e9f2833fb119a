//! `qeval compare`: stored evaluations against each other, example by example.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{Folder, assert_transcript};

/// A folder with an evaluation of each list of answers to the same questions; a question whose answer is
/// empty is left out of the dataset.
struct Systems(Folder);

impl Systems {
    fn new(group: bool) -> Self {
        let systems = Self(Folder::new());
        systems.0.write("group", if group { ", group = \"document\"" } else { "" });
        systems
    }

    /// Evaluates answers, of which a `+` is right and a `-` is wrong, and `~` is half right.
    fn add(&self, label: &str, answers: &str) {
        self.add_with(label, answers, "");
    }

    fn add_with(&self, label: &str, answers: &str, more: &str) {
        let mut lines = String::new();
        for (n, answer) in answers.chars().enumerate() {
            let answer = match answer {
                '+' => format!("right {n}"),
                '~' => format!("right but {n}"),
                '-' => "nothing".to_owned(),
                _ => continue,
            };
            let document = n / 4;
            let _ = writeln!(
                lines,
                "{{\"id\": \"q{n:03}\", \"question\": \"what is {n}?\", \"gold\": [\"right {n}\"], \
                 \"answer\": \"{answer}\", \"document\": \"d{document}\", \"half\": \"{}\"}}",
                n % 2
            );
        }
        self.0.write(&format!("{label}.jsonl"), lines);
        let group = std::fs::read_to_string(self.0.path("group")).unwrap();
        let config = format!(
            "version = 1\n[evaluation]\nlabel = \"{label}\"\nresults = \"results\"\nseed = 7\n{more}\n\
             [dataset]\nformat = \"jsonl\"\npath = \"{label}.jsonl\"\nslices = [\"half\"]\n\
             fields = {{ references = \"gold\", prediction = \"answer\"{group} }}\n\
             [reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"EM\", \"F1\"]\n"
        );
        self.0.write(&format!("{label}.toml"), config);
        self.0.qeval(["run", &format!("{label}.toml")]).succeed();
    }

    fn json(&self, args: &[&str]) -> Value {
        let args = [&["compare"], args, &["--format", "json"]].concat();
        self.0.qeval(args).succeed().json()
    }

    fn text(&self, args: &[&str]) -> String {
        self.0.qeval([&["compare"], args].concat()).succeed().stdout
    }
}

fn base() -> String {
    "+".repeat(20) + &"-".repeat(40)
}

#[test]
fn the_better_system_is_told_from_the_worse_one() {
    let systems = Systems::new(false);
    systems.add("base", &base());
    // Fourteen of the wrong ones right, two of the right ones wrong.
    let better = "--".to_owned() + &"+".repeat(18) + &"+".repeat(14) + &"-".repeat(26);
    systems.add("better", &better);
    let report = systems.json(&["base", "better", "-m", "EM"]);
    let metric = &report["metrics"][0];
    let pair = &metric["pairs"][0];
    assert_eq!(
        (&report["shared"], &metric["n"], &metric["unscored"]),
        (&60.into(), &60.into(), &0.into())
    );
    assert_eq!(
        (&pair["wins"], &pair["ties"], &pair["losses"]),
        (&14.into(), &44.into(), &2.into())
    );
    assert!((pair["difference"].as_f64().unwrap() - 0.2).abs() < 1e-12, "{pair}");
    // scipy.stats.binomtest(2, 16).pvalue; McNemar's exact test is the same.
    let p = 0.004_180_908_203_125;
    assert!((pair["p"].as_f64().unwrap() - p).abs() < 1e-12, "{pair}");
    assert_eq!((&pair["p_exact"], &pair["mcnemar_p"]), (&true.into(), &pair["p"]));
    assert_eq!(pair["p_corrected"], pair["p"]);
    assert_eq!(pair["differs"], true);

    // The other way round: the same p-value, and the opposite difference.
    let back = systems.json(&["better", "base", "-m", "EM"]);
    let other = &back["metrics"][0]["pairs"][0];
    assert_eq!((&other["p"], &other["wins"]), (&pair["p"], &2.into()));
    assert!((other["difference"].as_f64().unwrap() + 0.2).abs() < 1e-12, "{other}");

    // Two metrics are two comparisons.
    let both = systems.json(&["base", "better"]);
    assert_eq!(both["hypotheses"], 2);
    let corrected = both["metrics"][0]["pairs"][0]["p_corrected"].as_f64().unwrap();
    assert!(corrected > p, "{corrected}");
    let output = systems.0.qeval(["compare", "base", "better", "--changed", "1"]).succeed();
    assert_transcript!("comparison__two", output);
}

#[test]
fn many_systems_have_letters() {
    let systems = Systems::new(false);
    systems.add("base", &base());
    systems.add("same", &base());
    systems.add("good", &("+".repeat(50) + &"-".repeat(10)));
    let report = systems.json(&["base", "same", "good", "-m", "EM"]);
    let metric = &report["metrics"][0];
    assert_eq!(metric["letters"], serde_json::json!(["b", "b", "a"]));
    assert_eq!(metric["pairs"].as_array().unwrap().len(), 3);
    // Two of the three pairs differ anywhere.
    assert_eq!(report["hypotheses"], 2);
    let none = systems.json(&["base", "same", "good", "-m", "EM", "--correction", "none"]);
    let first = &none["metrics"][0]["pairs"][1];
    assert_eq!(first["p"], first["p_corrected"]);
    let tukey = systems.json(&["base", "same", "good", "-m", "EM", "--correction", "tukey"]);
    assert_eq!(tukey["metrics"][0]["letters"], serde_json::json!(["b", "b", "a"]));
    assert_ne!(tukey["metrics"][0]["pairs"][1]["p_corrected"], first["p"]);
    let text = systems.text(&["base", "same", "good", "-m", "EM"]);
    assert!(text.contains("Systems that share a letter are not told apart."), "{text}");
}

#[test]
fn what_only_one_has_is_left_out_and_counted() {
    let systems = Systems::new(false);
    systems.add("base", &base());
    systems.add("part", &("+".repeat(10) + &".".repeat(30) + &"-".repeat(20)));
    let report = systems.json(&["base", "part", "-m", "EM"]);
    assert_eq!((&report["shared"], &report["metrics"][0]["n"]), (&30.into(), &30.into()));
    let text = systems.text(&["base", "part", "-m", "EM"]);
    assert!(text.contains("Comparison on 30 examples that all have"), "{text}");
    assert!(text.contains("30 not shared"), "{text}");
    systems.add("none", &(".".repeat(60) + "++"));
    let error = systems.0.qeval(["compare", "base", "none"]).ends_with(2).stderr;
    assert!(error.contains("no example in common"), "{error}");
}

#[test]
fn what_is_not_comparable_is_refused() {
    let systems = Systems::new(false);
    systems.add("base", &base());
    systems.add("other", &base());
    // Another golden answer to one question.
    let text = std::fs::read_to_string(systems.0.path("other.jsonl")).unwrap();
    systems.0.write("other.jsonl", text.replace("[\"right 7\"]", "[\"wrong 7\"]"));
    systems.0.qeval(["run", "other.toml"]).succeed();
    let error = systems.0.qeval(["compare", "base", "other"]).ends_with(2).stderr;
    assert!(error.contains("gold passages of 1 of the 60 shared examples differ"), "{error}");
    assert!(error.contains("first those of `q007` (`base` and `other`)"), "{error}");
    assert!(error.contains("--anyway"), "{error}");
    let text = systems.text(&["base", "other", "--anyway"]);
    assert!(text.contains("compared nevertheless: the question"), "{text}");
    let alone = systems.0.qeval(["compare", "base"]).ends_with(2).stderr;
    assert!(alone.contains("there is only one evaluation"), "{alone}");
    let unknown = systems.0.qeval(["compare", "base", "other", "-m", "BLEU"]).ends_with(2).stderr;
    assert!(unknown.contains("has no metric `BLEU`") && unknown.contains("em, f1"), "{unknown}");
}

#[test]
fn documents_are_the_units_where_examples_have_them() {
    let answers = "+".repeat(20) + &"+".repeat(16) + &"-".repeat(24);
    let p = |group| {
        let systems = Systems::new(group);
        systems.add("base", &base());
        systems.add("better", &answers);
        let report = systems.json(&["base", "better", "-m", "EM"]);
        (report["groups"].clone(), report["metrics"][0]["pairs"][0]["p"].as_f64().unwrap())
    };
    let ((alone, apart), (groups, together)) = (p(false), p(true));
    assert_eq!((alone, groups), (Value::Null, 15.into()));
    // Sixteen examples in four documents that all gained.
    assert!((apart - 2.0 / 65_536.0).abs() < 1e-12 && (together - 0.125).abs() < 1e-12);
}

/// Examples are no more independent because one of the files does not say where they belong.
#[test]
fn groups_of_one_evaluation_count_for_both() {
    let systems = Systems::new(false);
    systems.add("base", &base());
    systems.0.write("group", ", group = \"document\"");
    systems.add("better", &("--".to_owned() + &"+".repeat(18) + &"+".repeat(14) + &"-".repeat(26)));
    for pair in [["base", "better"], ["better", "base"]] {
        let report = systems.json(&[pair[0], pair[1], "-m", "EM"]);
        assert_eq!((&report["groups"], &report["shared"]), (&15.into(), &60.into()));
    }
    let same = systems.text(&["base", "better", "-m", "EM", "--changed", "0"]);
    assert!(!same.contains("may differ"), "{same}");
    systems.add("again", &base());
    let same = systems.text(&["base", "again", "-m", "EM", "--changed", "0"]);
    assert!(
        same.contains("EM (the same on all 60 examples, of others up to 20.4 % may differ)"),
        "{same}"
    );
}

#[test]
fn slices_and_margins_are_said() {
    let systems = Systems::new(false);
    systems.add("base", &base());
    systems.add("close", &(base()[..59].to_owned() + "~"));
    let report = systems.json(&["base", "close", "-m", "F1", "--by", "half", "--margin", "0.05"]);
    let metrics = report["metrics"].as_array().unwrap();
    assert_eq!(metrics.len(), 3);
    assert_eq!((&metrics[2]["slice"], &metrics[2]["slice_value"]), (&"half".into(), &"1".into()));
    assert_eq!(metrics[0]["pairs"][0]["non_inferior"], "yes");
    let lower = systems.json(&["close", "base", "-m", "F1", "--margin", "0"]);
    assert_eq!(lower["metrics"][0]["pairs"][0]["non_inferior"], "undecided");
    let error = systems.0.qeval(["compare", "base", "close", "--by", "third"]).ends_with(2).stderr;
    assert!(
        error.contains("there is no slice `third`") && error.contains("there are half"),
        "{error}"
    );
}

/// BLEU pools n-grams of all examples, and HEQ-D counts dialogs: both are compared by making the number
/// again.
#[test]
fn metrics_that_are_no_means_are_compared_too() {
    let folder = Folder::new();
    for (label, wrong) in [("base", 3), ("better", 7)] {
        let mut lines = String::new();
        for n in 0..60 {
            let answer = if n % wrong == 0 { "nothing of it" } else { "the harbour opens at nine" };
            let _ = writeln!(
                lines,
                "{{\"id\": \"q{n:03}\", \"gold\": [\"the harbour opens at nine\", \"it opens at nine\"], \
                 \"answer\": \"{answer}\", \"dialog\": \"d{}\"}}",
                n / 3
            );
        }
        folder.write(&format!("{label}.jsonl"), lines);
        let config = format!(
            "version = 1\n[evaluation]\nlabel = \"{label}\"\nresults = \"results\"\n\
             [dataset]\nformat = \"jsonl\"\npath = \"{label}.jsonl\"\n\
             fields = {{ references = \"gold\", prediction = \"answer\", group = \"dialog\" }}\n\
             [reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"HEQ-D\", \"BLEU\", \"F1\"]\n"
        );
        folder.write(&format!("{label}.toml"), config);
        folder.qeval(["run", &format!("{label}.toml")]).succeed();
    }
    let compare = |args: &[&str]| {
        let args = [&["compare", "base", "better", "--format", "json"], args].concat();
        folder.qeval(args).succeed().json()
    };
    let report = compare(&[]);
    let mean = |label: &str, metric: &str| {
        let report = folder.qeval(["report", label, "--format", "json"]).succeed().json();
        let summaries = report["evaluations"][0]["summaries"].as_array().unwrap().clone();
        let own = summaries.into_iter().find(|s| s["metric"] == metric && s["slice"].is_null());
        own.unwrap()["mean"].as_f64().unwrap()
    };
    for metric in report["metrics"].as_array().unwrap() {
        let name = metric["metric"].as_str().unwrap();
        let pair = &metric["pairs"][0];
        let number = |key: &str| pair[key].as_f64().unwrap();
        for (key, label) in [("before", "base"), ("after", "better")] {
            assert!((number(key) - mean(label, name)).abs() < 1e-12, "{name} of {label}");
        }
        assert_eq!(metric["no_test"], Value::Null, "{name}");
        assert!(
            number("ci_low") <= number("difference") && number("difference") <= number("ci_high")
        );
        assert!(number("p") < 0.05 && number("difference") > 0.0, "{metric:#}");
        assert_eq!(pair["wins"].is_null(), name != "F1", "{name}");
    }
    assert_eq!(report["hypotheses"], 3);
    // The same p-value for both orders, and the difference turned round.
    let turned = [&["compare", "better", "base", "--format", "json"], &["-m", "BLEU"][..]].concat();
    let turned = folder.qeval(turned).succeed().json();
    let own = compare(&["-m", "BLEU"]);
    let pair = |report: &Value, key: &str| report["metrics"][0]["pairs"][0][key].as_f64().unwrap();
    assert_eq!(pair(&own, "p").to_bits(), pair(&turned, "p").to_bits());
    assert!((pair(&own, "difference") + pair(&turned, "difference")).abs() < 1e-12);
    let text = folder.qeval(["compare", "base", "better"]).succeed().stdout;
    assert!(text.contains("HEQ-D") && !text.contains("no test"), "{text}");
}
