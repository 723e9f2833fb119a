//! What the quickstart promises: the stale sources that a good overall score hides are found.

use serde_json::Value;

use crate::support::Folder;

/// The only entry of a list that has these values.
#[track_caller]
fn only<'a>(list: &'a Value, wanted: &[(&str, Value)]) -> &'a Value {
    let matches = |entry: &&Value| wanted.iter().all(|(key, value)| entry[*key] == *value);
    let found: Vec<&Value> = list.as_array().unwrap().iter().filter(matches).collect();
    assert_eq!(found.len(), 1, "{wanted:?}");
    found[0]
}

#[test]
fn the_stale_sources_are_found() {
    let folder = Folder::new();
    folder.config("quickstart.toml");
    let output = folder.qeval(["run", "quickstart.toml", "--format", "json"]).succeed();
    assert_eq!(output.stderr, "");
    let report = output.json();
    let systems = ["current", "stale", "sliding-window"];
    let found = report["evaluations"].as_array().unwrap();
    let names: Vec<&Value> = found.iter().map(|evaluation| &evaluation["system"]).collect();
    assert_eq!(names, systems);
    let system = |name: &str| only(&report["evaluations"], &[("system", name.into())]);

    // Overall both look good.
    let em = |name: &str, slice: Value, value: Value| {
        let wanted = [
            ("metric", "EM".into()),
            ("stage", "integrated".into()),
            ("slice", slice),
            ("slice_value", value),
        ];
        let summary = only(&system(name)["summaries"], &wanted);
        assert_eq!(summary["unscored"], 0);
        (summary["n"].as_f64().unwrap(), summary["mean"].as_f64().unwrap())
    };
    assert_eq!(em("current", Value::Null, Value::Null), (170.0, 154.0 / 170.0));
    assert_eq!(em("stale", Value::Null, Value::Null), (170.0, 147.0 / 170.0));
    // The slice shows it.
    assert_eq!(em("current", "topic".into(), "leave".into()), (34.0, 30.0 / 34.0));
    assert_eq!(em("stale", "topic".into(), "leave".into()), (34.0, 24.0 / 34.0));

    // The diagnosis says why.
    let diagnosis = &system("stale")["diagnosis"];
    let leave =
        only(&diagnosis["slices"], &[("slice", "topic".into()), ("slice_value", "leave".into())]);
    assert_eq!((&leave["examples"], &leave["errors"]), (&34.into(), &10.into()));
    assert_eq!(leave["causes"]["stale source"], 9);
    assert_eq!(leave["main_cause"]["cause"], "stale source");
    assert!(leave["main_cause"]["share_of_errors"].as_f64().unwrap() >= 0.8);
    let verdict = diagnosis["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("the sources are out of date: 13 of 23 "), "{verdict}");
    let verdict = system("current")["diagnosis"]["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("reading is the weak part: 5 of 16 "), "{verdict}");

    // The baseline is live: it has all three stages, and the plugin scores it too.
    let live = &system("sliding-window")["summaries"];
    for (metric, stage) in [
        ("Recall@5", "retrieval"),
        ("AnswerRecall@5", "retrieval"),
        ("EM", "isolated"),
        ("F1", "integrated"),
        ("acme.key_figures", "isolated"),
        ("acme.key_figures", "integrated"),
    ] {
        let wanted = [("metric", metric.into()), ("stage", stage.into()), ("slice", Value::Null)];
        let summary = only(live, &wanted);
        assert!(summary["mean"].is_number(), "{metric} {stage}: {summary}");
    }
    let figures = only(
        &system("stale")["summaries"],
        &[("column", "acme_key_figures".into()), ("slice", Value::Null)],
    );
    // 54 references have no figure: unscored, not zero.
    assert_eq!((&figures["n"], &figures["unscored"]), (&116.into(), &54.into()));

    // The report for people says it in sentences.
    let text = folder.qeval(["report", "hr-assistant"]).succeed().stdout;
    for sentence in [
        "topic = leave: 10 of 34 wrong, 9 of them stale source",
        "the sources are out of date: 13 of 23 wrong answers",
    ] {
        assert!(text.contains(sentence), "{text}");
    }
}

#[test]
fn the_readme_shows_what_is_printed() {
    let readme = std::fs::read_to_string(crate::support::root().join("README.md")).unwrap();
    let (_, shown) = readme.split_once("```text\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let folder = Folder::new();
    folder.config("quickstart.toml");
    let printed = folder.qeval(["run", "quickstart.toml"]).succeed().stdout;
    let mut rest = printed.as_str();
    for part in shown.split("...\n") {
        let place = rest.find(part.trim_end_matches('\n'));
        let place = place.unwrap_or_else(|| panic!("not printed, or not in this order:\n{part}"));
        rest = &rest[place + part.trim_end_matches('\n').len()..];
    }
}
