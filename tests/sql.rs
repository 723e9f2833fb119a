//! `qeval sql`: the views, and what people ask of them.

use std::{ffi::OsString, fmt::Write as _, fs, path::Path};

use crate::{
    readers::{self, python},
    support::{Folder, Qeval, root},
};

/// A plugin with one metric, which says a number that the answer decides.
const PLUGIN: &str = r#"from qeval_plugin import Plugin, Unscored

plugin = Plugin("NAME", "1", "NAME")


@plugin.metric
def METRIC(case):
    """METRIC"""
    if len(case.answer) % 7 == 6:
        return Unscored("not applicable", "it is too long")
    return 1.0 - (len(case.answer) % 5) / 10


plugin.run()
"#;

const CONFIG: &str = r#"version = 1
[evaluation]
label = "LABEL"
[dataset]
format = "jsonl"
path = "golden.jsonl"
slices = ["lang", "hop"]
qrels = "qrels.txt"
[retriever]
type = "replay"
path = "LABEL.run"
[reader]
type = "replay"
path = "LABEL.jsonl"
[metrics]
retrieval = ["nDCG@10", "MRR@10", "Recall@10", "P@10"]
answer = ["EM", "F1", "ROUGE-L", "judge.rating", "rag.faithfulness", "context.precision"]
"#;

/// Two evaluations, `base` and `cand`, of 120 questions.
pub(crate) fn pair() -> Folder {
    let folder = Folder::new();
    let (mut golden, mut qrels) = (String::new(), String::new());
    let mut files = [(String::new(), String::new()), (String::new(), String::new())];
    for number in 0..120 {
        let id = format!("nq-dev-{:08}", 654_321 + number);
        let (lang, hop) = (["de", "en", "fr"][number % 3], 1 + number % 2);
        let _ = writeln!(
            golden,
            "{{\"id\": \"{id}\", \"question\": \"question {number}?\", \"references\": [\"the \
             answer {number}\"], \"lang\": \"{lang}\", \"hop\": {hop}}}"
        );
        // At rank 2 nothing is judged but what is relevant.
        let _ = writeln!(qrels, "{id} 0 p{number} 1\n{id} 0 x0 0\n{id} 0 x2 0");
        for (system, (answers, run)) in files.iter_mut().enumerate() {
            let answer = match (number * (system + 3)) % 7 {
                0 => format!("something else, {}", "very ".repeat(number % 4)),
                1 | 2 => format!("an answer {number} or {}", "so ".repeat(number % 5)),
                _ if system == 0 && number % 4 == 0 => format!("answer {}", number + 1),
                _ => format!("answer {number}"),
            };
            let _ = writeln!(answers, "{{\"id\": \"{id}\", \"prediction\": \"{answer}\"}}");
            for rank in 0..3 {
                let gold = rank == number % (3 - system);
                let passage = if gold { format!("p{number}") } else { format!("x{rank}") };
                let _ = writeln!(run, "{id} Q0 {passage} 1 {} r", 9 - rank);
            }
        }
    }
    folder.write("golden.jsonl", golden);
    folder.write("qrels.txt", qrels);
    let mut config = CONFIG.to_owned();
    for (name, metric) in [("judge", "rating"), ("rag", "faithfulness"), ("context", "precision")] {
        let plugin = PLUGIN.replace("NAME", name).replace("METRIC", metric);
        folder.write(&format!("{name}.py"), plugin);
        let _ = write!(
            config,
            "[[plugin]]\nname = \"{name}\"\npath = \"{name}.py\"\ninterpreter = \
             [\"${{QEVAL_PYTHON}}\"]\nenvironment = [\"PYTHONPATH\"]\n"
        );
    }
    for (label, (answers, run)) in ["base", "cand"].into_iter().zip(files) {
        folder.write(&format!("{label}.jsonl"), answers);
        folder.write(&format!("{label}.run"), run);
        folder.write(&format!("{label}.toml"), config.replace("LABEL", label));
        let run = folder.qeval(["run", &format!("{label}.toml")]);
        let module = root().join("python/qeval_plugin");
        run.env("QEVAL_PYTHON", python()).env("PYTHONPATH", module).succeed();
    }
    folder
}

/// With the program `duckdb` of the packages on the `PATH`.
fn with_duckdb(qeval: Qeval) -> Qeval {
    let programs = python().parent().unwrap().to_owned();
    assert!(
        programs.join("duckdb").is_file(),
        "there is no `duckdb` in `{}`: run the tests with `cargo xtask test`, which installs it",
        programs.display()
    );
    qeval.env("PATH", programs)
}

#[test]
fn the_nine_questions_have_answers() {
    let folder = pair();
    let setup = folder.qeval(["sql", "--print"]).succeed().stdout;
    let setup = folder.write("setup.sql", setup);
    readers::run(&folder, "nine.py", &[&setup, &root().join("tests/readers/nine.sql")]);

    let nine = fs::read_to_string(root().join("tests/readers/nine.sql")).unwrap();
    let all = with_duckdb(folder.qeval(["sql", &nine.replace("faithfulness", "rag_faithfulness")]));
    assert!(all.succeed().stdout.contains("nq-dev-00654321"));
    let query = "SELECT label, count(*) AS n FROM hits JOIN evaluations USING (evaluation_id) \
                 GROUP BY label ORDER BY label";
    let of = |format| with_duckdb(folder.qeval(["sql", query, "--format", format])).succeed();
    assert_eq!(of("csv").stdout.replace('\r', ""), "label,n\nbase,360\ncand,360\n");
    let rows = of("json").json();
    assert_eq!((&rows[0]["label"], &rows[1]["n"]), (&"base".into(), &360.into()));
    assert!(of("table").stdout.contains("│ base"));
}

#[test]
fn what_cannot_be_asked_is_said() {
    let folder = Folder::new();
    let empty = folder.qeval(["sql", "SELECT 1"]).ends_with(2).stderr;
    assert!(empty.contains("there is no evaluation in `results`"), "{empty}");
    folder.qeval(["sql"]).ends_with(2);

    // The name of the folder is no pattern, and ends no text of SQL.
    let results = "it's [r]*";
    let golden = "{\"id\": \"a\", \"references\": [\"x\"], \"prediction\": \"x\"}\n";
    folder.write("golden.jsonl", golden);
    folder.write(
        "one.toml",
        format!(
            "version = 1\n[evaluation]\nlabel = \"2026\"\nresults = \"{results}\"\n[dataset]\n\
             format = \"jsonl\"\npath = \"golden.jsonl\"\nfields = {{ prediction = \"prediction\" }}\n\
             [reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"EM\"]\n"
        ),
    );
    folder.qeval(["run", "one.toml"]).succeed();
    let ask = |query| folder.qeval(["sql", query, "--results", results, "--format", "csv"]);
    let query = "SELECT count(*), any_value(evaluation_id)[:4] FROM scores \
                 WHERE evaluation_id NOT IN (SELECT evaluation_id FROM details)";
    let found = with_duckdb(ask(query)).succeed().stdout;
    assert!(found.trim_end().ends_with("1,2026"), "{found}");
    let wrong = with_duckdb(ask("SELECT nothing FROM scores")).ends_with(1).stderr;
    assert!(wrong.contains("nothing") && wrong.contains("ended with exit code 1"), "{wrong}");
    // What is no query is not run.
    let command = ask("SELECT 1;\n  .shell touch stolen").ends_with(2).stderr;
    assert!(command.contains("is a command of `duckdb` and no SQL"), "{command}");
    let two = ["sql", "SELECT 1; SELECT 2", "--results", results, "--format", "json"];
    let two = folder.qeval(two).ends_with(2).stderr;
    assert!(two.contains("JSON holds the rows of one statement"), "{two}");
    let none = ask("SELECT 1").env("PATH", OsString::from(Path::new("/nowhere"))).ends_with(2);
    assert!(none.stderr.contains("hint: install DuckDB"), "{}", none.stderr);
}
