//! What is said of mistakes in judgments, runs and options, and what reports leave unsaid.

use crate::support::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("q.txt", "1 0 a 1\n1 0 z 0\n");
    folder.write("r.run", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n");
    folder.write("data.jsonl", "{\"id\": \"1\", \"question\": \"heat\"}\n");
    folder.write("corpus.jsonl", "{\"id\": \"a\", \"text\": \"heat\"}\n");
    folder
}

/// Both streams of `qeval score` with these arguments.
fn said(folder: &Folder, arguments: &[&str], code: i32) -> String {
    let output = folder.qeval(["score"].iter().chain(arguments)).ends_with(code);
    format!("{}{}", output.stdout, output.stderr)
}

#[test]
fn what_is_missing_is_asked_for() {
    let folder = folder();
    for (arguments, wanted, unwanted) in [
        (&["--qrels", "q.txt", "-m", "MRR"][..], "--run", "--predictions"),
        (&["--run", "r.run", "-m", "MRR"], "give `--qrels`", "--predictions"),
        (
            &["--official", "trec_evl", "--qrels", "q.txt", "--run", "r.run"],
            "there is no script `trec_evl`",
            "takes no run",
        ),
        (&["--official", "trec_evl", "--qrels", "q.txt", "--run", "r.run"], "`trec_eval`?", "-m"),
        (&["--official", "wibble", "--qrels", "q.txt", "--run", "r.run"], "trec_eval10", "-m"),
    ] {
        let said = said(&folder, arguments, 2);
        assert!(said.contains(wanted), "{said}");
        // The usage names all.
        let said = said.split("Usage").next().unwrap();
        assert!(!said.contains(unwanted), "{said}");
    }
}

#[test]
fn grades_and_runs_that_cannot_be_read() {
    let folder = folder();
    let range = "expected a whole number from -2147483648 to 2147483647";
    for (qrels, run, wanted) in [
        ("{\"1\": {\"a\": 1.5}}", "1 Q0 a 1 2 t", range),
        ("{\"1\": {\"a\": 99999999999}}", "1 Q0 a 1 2 t", range),
        ("1 0 a 99999999999", "1 Q0 a 1 2 t", range),
        ("1 0 a 1", "{}", "the file is empty"),
        ("{}", "1 Q0 a 1 2 t", "the file is empty"),
        ("1 0 a 1", "{\"x\": 1}", "`--run-field query_id=..`"),
    ] {
        folder.write("q", qrels);
        folder.write("r", run);
        let said = said(&folder, &["--qrels", "q", "--run", "r", "-m", "MRR"], 2);
        assert!(said.contains(wanted), "{qrels} {run}: {said}");
        assert!(!said.contains("i32"), "{said}");
    }
    folder.write("q", "{\"1\": {\"a\": 1.0, \"b\": 0}}");
    let said = said(&folder, &["--qrels", "q", "--run", "r.run", "-m", "MRR"], 0);
    assert!(said.contains("1.0000"), "{said}");
}

#[test]
fn names_are_short_and_offers_can_be_used() {
    let folder = folder();
    let metrics = ["-m", "nDCG(gains=1:1e308)@5", "-m", "alpha_nDCG@5", "-m", "MRR"];
    let files = ["--qrels", "q.txt", "--run", "r.run"];
    let said = said(&folder, &[&files[..], &metrics].concat(), 0);
    assert!(said.contains("nDCG(gains=1:1e308)@5 "), "{said}");
    assert!(said.contains("MRR(judged_only=true)"), "{said}");
    assert!(!said.contains("alpha_nDCG(judged_only=true)"), "{said}");
}

fn config(retrievers: &str) -> String {
    format!(
        "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"data.jsonl\"\nqrels = \"q.txt\"\n\
         [corpus]\nformat = \"jsonl\"\npath = \"corpus.jsonl\"\n{retrievers}\n\
         [metrics]\nretrieval = [\"MRR\"]\n"
    )
}

#[test]
fn wrong_values_are_shown_where_they_stand() {
    let folder = folder();
    let check = |retrievers: &str| {
        folder.write("e.toml", config(retrievers));
        folder.qeval(["check", "e.toml"]).ends_with(2).stderr
    };
    let bm25 = "[retriever]\ntype = \"bm25\"\n";
    let said =
        check(&format!("{bm25}options = {{ k1 = \"x\", boosts = {{ body = 1, title = \"y\" }} }}"));
    for wanted in [
        "`options.k1` in `[retriever]`: found the text \"x\", expected a number",
        "e.toml:11:18",
        "e.toml:11:34",
        "`options.boosts` in `[retriever]`: unknown key `body`",
        "`options.boosts.title` in `[retriever]`: found the text \"y\", expected a number",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let command = "[retriever]\ntype = \"command\"\ncommand = [\"true\"]\ntimeout_s = 1e30";
    let said = check(command);
    assert!(said.contains("`timeout_s` is `1e30`, expected at most 1e9"), "{said}");
    let fusion = format!(
        "[[retriever]]\ntype = \"bm25\"\nname = \"a\"\n[[retriever]]\ntype = \"bm25\"\n\
         name = \"b\"\n[[retriever]]\ntype = \"fusion\"\nof = [\"a\", \"b\"]\n\
         method = \"weighted\"\nweights = [0, 0]{}",
        ""
    );
    let said = check(&fusion);
    assert!(said.contains("all weights are 0"), "{said}");
}

#[test]
fn logs_that_cannot_be_used_come_with_a_hint() {
    let folder = folder();
    let service = |name: &str| {
        format!(
            "[[retriever]]\ntype = \"http\"\nname = \"{name}\"\nurl = \"http://127.0.0.1:9/\"\n\
             log = \"calls\"\n"
        )
    };
    folder.write("e.toml", config(&(service("a") + &service("b"))));
    let said = folder.qeval(["check", "e.toml"]).ends_with(2).stderr;
    assert!(said.contains("is that of another component of the file"), "{said}");
    assert!(said.contains("a log belongs to one service: name another file"), "{said}");
    folder.write("calls", "no log\n");
    folder.write("e.toml", config(&service("a")));
    let said = folder.qeval(["check", "e.toml"]).ends_with(2).stderr;
    assert!(said.contains("is no line of a call log"), "{said}");
    assert!(said.contains("`log` names a file of its own"), "{said}");
}

#[test]
fn systems_that_have_no_hit_are_told_apart() {
    let folder = folder();
    let retrievers = "[[retriever]]\ntype = \"bm25\"\ndepth = 1\n[[retriever]]\n\
                      type = \"command\"\ncommand = [\"false\"]";
    folder.write("e.toml", config(retrievers));
    let said = folder.qeval(["run", "e.toml"]).succeed().stdout;
    for wanted in [
        "questions that no retriever finds",
        "among the hits of the one system that has hits",
        "without 1 system with no hit for any question",
        "some question retrieves 1 (100.0 %) at rank 1",
        "exit",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}
