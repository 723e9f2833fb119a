//! `qeval score --official`: what the field's scripts print.

use crate::support::{Folder, assert_transcript};

const SQUAD: &str = r#"{"version": "v2.0", "data": [{"title": "t", "paragraphs": [{"context": "Ada wrote it in 1843.", "qas": [
  {"id": "who", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}], "is_impossible": false},
  {"id": "when", "question": "When?", "answers": [{"text": "in 1843", "answer_start": 13}, {"text": "1843", "answer_start": 16}], "is_impossible": false},
  {"id": "why", "question": "Why?", "answers": [], "is_impossible": true}]}]}]}"#;

fn score(
    folder: &Folder,
    script: &str,
    dataset: &str,
    predictions: &str,
) -> crate::support::Output {
    score_with(folder, script, dataset, predictions, &[])
}

fn score_with(
    folder: &Folder,
    script: &str,
    dataset: &str,
    predictions: &str,
    options: &[&str],
) -> crate::support::Output {
    let args = ["score", "--official", script, "--dataset", dataset, "--predictions", predictions];
    folder.qeval(args.iter().chain(options)).run()
}

#[test]
fn squad_prints_its_two_kinds_of_json() {
    let folder = Folder::new();
    folder.write("squad.json", SQUAD);
    folder.write("all.json", r#"{"who": "Ada Lovelace", "when": "1843", "why": "for fun"}"#);
    assert_transcript!("official__squad2", score(&folder, "squad2", "squad.json", "all.json"));

    // The scripts differ: one goes on without a prediction, and neither can do what it cannot do.
    folder.write("some.json", r#"{"who": "Ada", "why": ""}"#);
    assert_transcript!(
        "official__squad2_missing",
        score(&folder, "squad2", "squad.json", "some.json")
    );
    assert_transcript!(
        "official__squad1_no_answer",
        score(&folder, "squad1", "squad.json", "all.json")
    );
    let answered = SQUAD.replace("\"answers\": [],", "\"answers\": [{\"text\": \"fun\"}],");
    folder.write("squad1.json", answered);
    assert_transcript!("official__squad1", score(&folder, "squad1", "squad1.json", "some.json"));
}

#[test]
fn squad_stops_at_what_is_no_text() {
    let folder = Folder::new();
    folder.write("squad.json", SQUAD);
    let answered = SQUAD.replace("\"answers\": [],", "\"answers\": [{\"text\": \"fun\"}],");
    folder.write("squad1.json", answered);
    let stops = |script: &str, dataset: &str, predictions: &str, reason: &str| {
        folder.write("answers.json", predictions);
        let output = score(&folder, script, dataset, "answers.json");
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{predictions}");
        assert!(output.stderr.contains(reason), "{predictions}: {}", output.stderr);
    };
    // Putting null or a list in lower case is what stops the scripts.
    for (value, shown) in [("null", "None"), ("[\"Ada\"]", "['Ada']"), ("1843", "1843")] {
        let predictions = format!(r#"{{"who": "Ada", "when": {value}, "why": ""}}"#);
        let reason = format!("stops here: the prediction of `when` is no text: {shown}");
        stops("squad2", "squad.json", &predictions, &reason);
        stops("squad1", "squad1.json", &predictions, &reason);
    }
    // What is no question's does not matter.
    folder.write("answers.json", r#"{"who": "Ada", "when": "1843", "why": "fun", "x": null}"#);
    assert_eq!(score(&folder, "squad1", "squad1.json", "answers.json").code, Some(0));
    let reason = "stops here: it divides by the number of answered questions, which is 0";
    stops("squad2", "squad.json", "{}", reason);
    stops("squad2", "squad.json", r#"{"x": "y"}"#, reason);
    let reason = "stops here: `when` and 1 more question have no prediction";
    stops("squad2", "squad.json", r#"{"who": "Ada"}"#, reason);
    // The older script goes on.
    folder.write("answers.json", "{}");
    let output = score(&folder, "squad1", "squad1.json", "answers.json");
    assert_eq!(output.stdout, "{\"exact_match\": 0.0, \"f1\": 0.0}\n");
    assert_eq!(output.stderr.matches("will receive score 0.").count(), 3);
}

#[test]
fn squad2_takes_probabilities_of_no_answer() {
    let folder = Folder::new();
    folder.write("squad.json", SQUAD);
    folder.write("all.json", r#"{"who": "Ada Lovelace", "when": "1843", "why": "for fun"}"#);
    // Equal ones are taken in the order of the file, and a number is printed as it is written.
    folder.write("probabilities.json", r#"{"when": 1, "why": 1, "who": 2e-5, "whose": 0.5}"#);
    let run = |options: &[&str]| score_with(&folder, "squad2", "squad.json", "all.json", options);
    let given = ["--na-prob-file", "probabilities.json"];
    assert_transcript!("official__squad2_probabilities", run(&given));
    let threshold = [given[0], given[1], "--na-prob-thresh", "0.5"];
    assert_transcript!("official__squad2_threshold", run(&threshold));
    let curves = [given[0], given[1], "--pr-curves"];
    assert_transcript!("official__squad2_unknown_question", run(&curves));
    folder.write("probabilities.json", r#"{"when": 1, "why": 1, "who": 2e-5}"#);
    assert_transcript!("official__squad2_curves", run(&curves));
    folder.write("probabilities.json", r#"{"why": 1, "who": 2e-5}"#);
    assert_transcript!("official__squad2_no_probability", run(&given));
    let other = score_with(&folder, "squad1", "squad.json", "all.json", &given);
    assert_transcript!("official__squad1_options", other);
}

#[test]
fn coqa_prints_its_table_of_domains() {
    let folder = Folder::new();
    let stories = r#"{"version": "1.0", "data": [
        {"source": "cnn", "id": "s1", "story": "Ann has a red boat.",
         "questions": [{"input_text": "Who's there?", "turn_id": 1}, {"input_text": "What?", "turn_id": 3}],
         "answers": [{"input_text": "Ann", "turn_id": 1}, {"input_text": "a red boat", "turn_id": 3}],
         "additional_answers": {"0": [{"input_text": "Ann has", "turn_id": 1}, {"input_text": "boat", "turn_id": 3}]}},
        {"source": "reddit", "id": "s2", "questions": [{"input_text": "Why?", "turn_id": 1}],
         "answers": [{"input_text": "unknown", "turn_id": 1}], "additional_answers": {}}]}"#;
    folder.write("coqa.json", stories);
    let answers = r#"[{"id": "s1", "turn_id": 1, "answer": "Ann"}, {"id": "s1", "turn_id": 3, "answer": "red boat"}]"#;
    folder.write("answers.json", answers);
    assert_transcript!("official__coqa", score(&folder, "coqa", "coqa.json", "answers.json"));
    folder.write("blog.json", stories.replace("reddit", "blog"));
    assert_transcript!(
        "official__coqa_source",
        score(&folder, "coqa", "blog.json", "answers.json")
    );
}

#[test]
fn hotpotqa_prints_a_dictionary() {
    let folder = Folder::new();
    folder.write(
        "hotpot.json",
        r#"[{"_id": "q1", "answer": "Ely", "supporting_facts": [["Ely", 0], ["Ely", 1]]},
            {"_id": "q2", "answer": "yes", "supporting_facts": [["A", 0]]},
            {"_id": "q3", "answer": "no", "supporting_facts": []}]"#,
    );
    folder.write(
        "answers.json",
        r#"{"answer": {"q1": "the city of Ely", "q3": "no"}, "sp": {"q1": [["Ely", 1]], "q2": [["A", 0]]}}"#,
    );
    let run = |predictions| score(&folder, "hotpotqa", "hotpot.json", predictions);
    assert_transcript!("official__hotpotqa", run("answers.json"));
    folder.write("answers_only.json", r#"{"answer": {"q1": "Ely"}}"#);
    assert_transcript!("official__hotpotqa_no_facts", run("answers_only.json"));
}

#[test]
fn triviaqa_prints_wrong_answers_and_a_dictionary() {
    let folder = Folder::new();
    let file = r#"{"Version": 1.0, "Domain": "Web", "VerifiedEval": false, "Data": [
        {"QuestionId": "tc_1", "QuestionPartOfVerifiedEval": true,
         "Answer": {"NormalizedAliases": ["river dee", "dee\u200b"], "HumanAnswers": ["The Dee's!"]},
         "EntityPages": [{"Filename": "Dee.txt", "DocPartOfVerifiedEval": true}],
         "SearchResults": [{"Filename": "3/3_1.txt", "DocPartOfVerifiedEval": false}]},
        {"QuestionId": "tc_2", "QuestionPartOfVerifiedEval": false,
         "Answer": {"NormalizedAliases": ["o'neil"]}, "EntityPages": [{"Filename": "O.txt"}]}]}"#;
    folder.write("web.json", file);
    folder.write(
        "answers.json",
        r#"{"tc_1--Dee.txt": "the river", "tc_1--3/3_1.txt": "River Dee", "tc_9--X.txt": "x"}"#,
    );
    let run = |dataset| score(&folder, "triviaqa", dataset, "answers.json");
    assert_transcript!("official__triviaqa", run("web.json"));
    let verified = file.replace("false, \"Data\"", "true, \"Data\"").replace("1.0", "1.1");
    folder.write("verified.json", verified);
    assert_transcript!("official__triviaqa_verified", run("verified.json"));
    folder.write("bare.json", file.replace("\"VerifiedEval\": false, ", ""));
    assert_transcript!("official__triviaqa_incomplete", run("bare.json"));
}

#[test]
fn drop_prints_means_by_kind_of_answer() {
    let folder = Folder::new();
    let file = r#"{"nfl_1": {"passage": "p", "qa_pairs": [
        {"query_id": "a", "answer": {"number": "5", "spans": [], "date": {"day": "", "month": "", "year": ""}},
         "validated_answers": [{"number": "", "spans": ["5 yards"], "date": {"day": "", "month": "", "year": ""}}]},
        {"query_id": "b", "answer": {"spans": ["Ann", "Bo"]}},
        {"query_id": "c", "answer": {"number": "", "spans": [], "date": {"day": "3", "month": "May", "year": ""}}}]},
      "nfl_2": {"qa_pairs": [{"query_id": "d", "answer": {"number": 7}}]}}"#;
    folder.write("drop.json", file);
    folder.write("answers.json", r#"{"a": "5 yards", "b": ["Ann", "Cy"], "d": "7.0"}"#);
    let run = |dataset| score(&folder, "drop", dataset, "answers.json");
    assert_transcript!("official__drop", run("drop.json"));
    folder.write("blank.json", file.replace("\"number\": 7", "\"spans\": [\" \"]"));
    assert_transcript!("official__drop_blank", run("blank.json"));
}

#[test]
fn nq_open_prints_its_accuracy() {
    let folder = Folder::new();
    folder.write(
        "nq.jsonl",
        "{\"question\": \"who?\", \"answer\": [\"Ann\", \"Bo\"]}\n\
         {\"question\": \"why?\", \"answer\": [\"caf\u{e9}\"]}\n\
         {\"question\": \"when?\", \"answer\": [\"1843\"]}\n",
    );
    folder.write(
        "answers.jsonl",
        "{\"question\": \"who?\", \"prediction\": \"the Bo\"}\n\
         {\"question\": \"why?\", \"prediction\": \"cafe\"}\n",
    );
    assert_transcript!("official__nq_open", score(&folder, "nq-open", "nq.jsonl", "answers.jsonl"));
}

#[test]
fn kilt_prints_a_dictionary_prettily() {
    let folder = Folder::new();
    folder.write(
        "gold.jsonl",
        r#"{"id": 1, "input": "Who?", "output": [{"answer": "Ann", "provenance": [{"wikipedia_id": "7"}]}, {"answer": "Bo"}]}
{"id": "2", "input": "Why?", "output": [{"answer": "the red boat", "provenance": [{"wikipedia_id": "8"}, {"wikipedia_id": "9"}]}]}
{"id": "3", "input": "When?", "output": [{"answer": "1843"}]}
"#,
    );
    let guess = r#"{"id": "2", "output": [{"answer": "red boats", "provenance": [{"wikipedia_id": "9"}, {"title": "?"}]}]}
{"id": "1", "output": [{"answer": "Ann", "provenance": [{"wikipedia_id": 7}]}]}
{"id": "3", "output": [{"answer": ""}]}
{"id": "4", "output": [{"answer": "x"}]}
"#;
    folder.write("guess.jsonl", guess);
    let run = |predictions| score(&folder, "kilt", "gold.jsonl", predictions);
    assert_transcript!("official__kilt", run("guess.jsonl"));
    folder.write("two.jsonl", guess.replace("{\"id\": \"3\"", "{\"id\": \"1\""));
    assert_transcript!("official__kilt_twice", run("two.jsonl"));
}

#[test]
fn quac_prints_its_summary() {
    let folder = Folder::new();
    let answers = |texts: &[&str]| {
        let texts: Vec<String> =
            texts.iter().map(|t| format!("{{\"text\": \"{t}\", \"answer_start\": 0}}")).collect();
        texts.join(", ")
    };
    let turn = |id: &str, texts: &[&str]| {
        format!(
            "{{\"id\": \"{id}\", \"question\": \"?\", \"yesno\": \"x\", \"followup\": \"y\", \
             \"answers\": [{}], \"orig_answer\": {{\"text\": \"{}\", \"answer_start\": 0}}}}",
            answers(texts),
            texts[0]
        )
    };
    let dialog = |id: &str, turns: &[String]| {
        format!(
            "{{\"context\": \"the blue bird sang CANNOTANSWER\", \"id\": \"{id}\", \"qas\": [{}]}}",
            turns.join(", ")
        )
    };
    let dialogs = [
        dialog("d1", &[turn("d1_q#0", &["blue bird", "blue"]), turn("d1_q#1", &["CANNOTANSWER"])]),
        dialog("d2", &[turn("d2_q#0", &["sang", "the bird"]), turn("d2_q#1", &["blue"])]),
    ];
    folder.write(
        "quac.json",
        format!("{{\"data\": [{{\"title\": \"t\", \"paragraphs\": [{}]}}]}}", dialogs.join(", ")),
    );
    let line = |qid: &[&str], spans: &[&str], yesno: &[&str]| {
        let followup = vec!["y"; qid.len()];
        serde_json::json!({"qid": qid, "best_span_str": spans, "yesno": yesno, "followup": followup})
            .to_string()
    };
    let first = line(&["d1_q#0", "d1_q#1"], &["blue bird", "CANNOTANSWER"], &["x", "y"]);
    let second = line(&["d2_q#0"], &["sang"], &["x"]);
    folder.write("model.json", format!("{first}\n{second}\n"));
    assert_transcript!("official__quac", score(&folder, "quac", "quac.json", "model.json"));
}

#[test]
fn other_scripts_are_refused() {
    let folder = Folder::new();
    assert_transcript!("official__unknown", score(&folder, "squda2", "a.json", "b.json"));
    assert_transcript!("official__missing_file", score(&folder, "squad2", "a.json", "b.json"));
}

/// Judgments and a run by hand, with a tie, an unjudged hit, a query without hits and one without
/// judgments.
fn trec_files() -> Folder {
    let folder = Folder::new();
    folder.write(
        "qrels.txt",
        "q1 0 oslo 2\nq1 0 rome 1\nq1 0 bern 0\nq2 0 lima 1\nq2 0 kyiv -1\nq3 0 riga 1\n",
    );
    folder.write(
        "system.run",
        "q1 Q0 bern 1 9.5 mine\nq1 Q0 rome 2 8 mine\nq1 Q0 cork 3 8.0 mine\nq1 Q0 oslo 4 1e0 mine\r\n\
         q2 Q0 kyiv 1 3 mine\nq2 Q0 lima 2 2 mine\nq4 Q0 oslo 1 1 mine\n",
    );
    folder
}

fn trec_eval(folder: &Folder, script: &str, options: &[&str]) -> crate::support::Output {
    let args = ["score", "--official", script, "--qrels", "qrels.txt", "--run", "system.run"];
    folder.qeval(args.iter().chain(options)).run()
}

#[test]
fn trec_eval_prints_lines_of_measures() {
    let folder = trec_files();
    assert_transcript!("official__trec_eval", trec_eval(&folder, "trec_eval", &[]));
    let all = ["-q", "-c", "-l2", "-M", "3", "-m", "all_trec"];
    assert_transcript!("official__trec_eval10_all", trec_eval(&folder, "trec_eval10", &all));
    let some = ["-q", "-J", "-mP.3,1", "-m", "ndcg.1=3,2=9", "-m", "relstring.3", "-m", "num_q"];
    assert_transcript!("official__trec_eval_some", trec_eval(&folder, "trec_eval", &some));
}

#[test]
fn trec_eval_stops_where_it_cannot_go_on() {
    let folder = trec_files();
    let stops = |options: &[&str], code: i32, reason: &str| {
        let output = trec_eval(&folder, "trec_eval", options);
        assert_eq!((output.code, output.stdout.as_str()), (Some(code), ""), "{options:?}");
        assert!(output.stderr.contains(reason), "{options:?}: {}", output.stderr);
    };
    stops(&["-m", "mapp"], 1, "there is no measure `mapp` to print");
    stops(&["-m", "rbp"], 1, "there is no measure `rbp` to print");
    stops(&["-m", "P.5,5"], 1, "`P.5,5`: a rank is given twice");
    stops(&["-l", "0"], 2, "0 is not in 1..");
    folder.write("system.run", "q1 Q0 bern 1 9.5\n");
    stops(&[], 1, "line 1 of `system.run` is malformed");
    folder.write("system.run", "q9 Q0 bern 1 9.5 mine\n");
    stops(&[], 1, "no topic has both judgments and hits");
    folder.write("system.run", "q1 Q0 bern 1 9.5 mine\nq1 Q0 bern 2 9.5 mine\n");
    stops(&[], 1, "topic `q1`: passage `bern` is retrieved twice");
    folder.write("qrels.txt", "# judged\nq1 0 bern 1\n");
    stops(&[], 1, "line 1 of `qrels.txt` is malformed");
}

/// A file of judgments, and a run in which `rome` and `cork` have the same score.
fn judged_otherwise(script: &str, judgments: &str, options: &[&str]) -> crate::support::Output {
    let folder = trec_files();
    folder.write("qrels.txt", judgments);
    folder.write("means.txt", "q1 map 0.375 0.0625\nq1 num_ret 2 2\nq1 P_1 0 0\nq1 G 1 0\n");
    trec_eval(&folder, script, options)
}

/// Of two judges in `q1`: the one of whom nothing is retrieved before rank 4, and the other one with
/// rank 2.
const GROUPS: &str = "q1 ann oslo 1\nq1 ann rome 0\nq1 bob rome 1\nq3 ann riga 1\n";

#[test]
fn trec_eval_takes_several_judges() {
    let options =
        ["-R", "qrels_jg", "-q", "-c", "-m", "map_avgjg", "-mP_avgjg.2", "-mRprec_mult_avgjg.1,2"];
    // Its mean of average precisions is that of 1/4 and 1/2, halved because of `q3`.
    assert_transcript!(
        "official__trec_eval_judges",
        judged_otherwise("trec_eval", GROUPS, &options)
    );
    let judged_only = ["-R", "qrels_jg", "-J", "-m", "qrels_jg"];
    assert_transcript!(
        "official__trec_eval_judges_judged",
        judged_otherwise("trec_eval10", GROUPS, &judged_only)
    );
}

/// One judge prefers `cork` to `rome`, which has the same score, and both to `bern`, which stands
/// before them; another prefers `oslo` to what is not retrieved.
const PREFERENCES: &str = "# a comment\nq1 ann s cork 2\nq1 ann s rome 1.5\nq1 ann s bern 0\n\
     q1 bob s1 oslo 1\nq1 bob s1 lima 0\nq1 bob s2 kyiv 1\nq1 bob s2 lima -0.0\nq3 ann s riga 1\nq3 ann s lima 0\n";

#[test]
fn trec_eval_takes_preferences() {
    let options = ["-R", "prefs", "-q", "-c", "-m", "all_prefs"];
    assert_transcript!(
        "official__trec_eval_preferences",
        judged_otherwise("trec_eval10", PREFERENCES, &options)
    );
    // The earlier version leaves out what the run lacks.
    let earlier = PREFERENCES.split_once('\n').unwrap().1;
    assert_transcript!(
        "official__trec_eval_preferences_9",
        judged_otherwise("trec_eval", earlier, &["-R", "prefs", "-m", "prefs", "-c"])
    );
    let grades = "q1 0 cork 2\nq1 0 rome 1\nq1 0 bern 0\n";
    assert_transcript!(
        "official__trec_eval_grades_as_preferences",
        judged_otherwise("trec_eval", grades, &["-R", "qrels_prefs", "-m", "prefs"])
    );
}

#[test]
fn trec_eval_standardises() {
    let grades = "q1 0 rome 1\nq1 0 oslo 1\n";
    let measures = ["-m", "map", "-m", "num_ret", "-m", "num_q", "-m", "runid", "-m", "relstring"];
    let options = ["-q", "-Z", "means.txt", "-mP.1,2", "-m", "G", "-m", "gm_map", "-R", "qrels"];
    let options: Vec<&str> = options.into_iter().chain(measures).collect();
    assert_transcript!(
        "official__trec_eval_standardised",
        judged_otherwise("trec_eval", grades, &options)
    );
}

#[test]
fn trec_eval_refuses_measures_of_other_judgments() {
    let stops = |judgments: &str, options: &[&str], code: i32, reason: &str| {
        let output = judged_otherwise("trec_eval10", judgments, options);
        assert_eq!((output.code, output.stdout.as_str()), (Some(code), ""), "{options:?}");
        assert!(output.stderr.contains(reason), "{options:?}: {}", output.stderr);
    };
    let unfit = |measure: &str, form: &str| {
        format!("the measure `{measure}` cannot be calculated with `-R {form}`")
    };
    stops(PREFERENCES, &["-R", "prefs"], 1, &unfit("num_ret", "prefs"));
    stops(PREFERENCES, &["-R", "prefs", "-mrelstring"], 1, &unfit("relstring", "prefs"));
    stops(PREFERENCES, &["-R", "prefs", "-mP_avgjg.5"], 1, &unfit("P_avgjg_5", "prefs"));
    stops(GROUPS, &["-R", "qrels_jg"], 1, &unfit("num_ret", "qrels_jg"));
    let grade = "q1 0 rome 1\n";
    stops(grade, &["-m", "all_prefs"], 1, &unfit("prefs_num_prefs_poss", "qrels"));
    stops(grade, &["-m", "qrels_jg"], 1, &unfit("map_avgjg", "qrels"));
    stops(GROUPS, &["-R", "prefs"], 1, "line 1 of `qrels.txt` is malformed");
    stops(GROUPS, &["-R", "votes"], 2, "qrels_jg");
    stops(GROUPS, &["-R", "qrels_jg", "-Z", "none.txt"], 2, "none.txt");
    stops(grade, &["-Z", "system.run"], 1, "line 1 of `system.run` is malformed");
    let twice = "q1 ann rome 1\nq1 ann rome 0\n";
    stops(twice, &["-R", "qrels_jg"], 1, "topic `q1`, by judge");
    stops(twice, &["-R", "qrels_prefs", "-m", "prefs"], 1, "`rome` has two levels");
    let circle = "q1 a 1 rome 1\nq1 a 1 bern 0.5\nq1 a 2 bern 1\nq1 a 2 rome 0.5\n";
    stops(circle, &["-R", "prefs", "-m", "prefs"], 1, "a judge prefers");
    stops("q1 a 1 rome nan\n", &["-R", "prefs"], 1, "the level of `rome` is not a number");
}

/// trec_eval's own tests, whole: what it prints is compared byte for byte.
#[test]
fn trec_eval_passes_the_tests_of_trec_eval() {
    let Some(reference) = crate::reference::folder() else {
        crate::reference::say("trec_eval", "its own tests were not run: they are not here");
        return;
    };
    let base = reference.join("trec_eval");
    let input = |name: &str| base.join("v10.0").join(name).display().to_string();
    let parameters = "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 \
         -m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 \
         -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20";
    let zscores = format!("-q -m all_trec -Z {}", input("zscores_file"));
    let tests = [
        ("out.test", "", "qrels.test", "results.test"),
        ("out.test.a", "-m all_trec", "qrels.test", "results.test"),
        ("out.test.aq", "-m all_trec -q", "qrels.test", "results.test"),
        ("out.test.aqc", "-m all_trec -q -c", "qrels.test", "results.trunc"),
        ("out.test.aqcM", "-m all_trec -q -c -M100", "qrels.test", "results.trunc"),
        ("out.test.aql", "-m all_trec -mrelstring.20 -q -l2", "qrels.rel_level", "results.test"),
        ("out.test.meas_params", parameters, "qrels.test", "results.test"),
        ("out.test.aqZ", &zscores, "qrels.test", "results.test"),
        ("out.test.prefs", "-m all_prefs -q -R prefs", "prefs.test", "prefs.results.test"),
        ("out.test.qrels_prefs", "-m all_prefs -q -R qrels_prefs", "qrels.test", "results.test"),
        ("out.test.qrels_jg", "-m qrels_jg -q -R qrels_jg", "qrels.123", "results.test"),
    ];
    let folder = Folder::new();
    for (version, script) in [("v9.0.8", "trec_eval"), ("v10.0", "trec_eval10")] {
        for (expected, options, qrels, run) in tests {
            // The means that the earlier version had are not here.
            if (version, expected) == ("v9.0.8", "out.test.aqZ") {
                continue;
            }
            let (qrels, run) = (input(qrels), input(run));
            let files = ["score", "--official", script, "--qrels", &qrels, "--run", &run];
            let output =
                folder.qeval(files.into_iter().chain(options.split_ascii_whitespace())).run();
            let printed = std::fs::read_to_string(base.join(version).join(expected)).unwrap();
            assert!(output.stdout == printed, "{version} {expected}: {}", output.stderr);
        }
    }
}
