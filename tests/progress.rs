//! What a run says of itself while it goes on, and that it ends soon when somebody wants it to.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::{
    resume::{QUESTIONS, SLOTS, Setup, server::Server},
    support::Folder,
};

fn start(folder: &Folder, form: &str) -> Child {
    let mut qeval = folder.qeval(["run", "e.toml", "--progress", form]);
    qeval.command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The JSON objects that a run writes on stderr.
fn objects(qeval: &mut Child) -> impl Iterator<Item = Value> + use<> {
    let lines = BufReader::new(qeval.stderr.take().unwrap()).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

#[test]
fn programs_are_told_how_far_a_run_is() {
    let server = Server::start();
    // The first stage of all questions, and some of the second.
    server.answer_only(QUESTIONS + 3);
    let setup = Setup::new(&server.url);
    let mut qeval = start(&setup.folder, "json");
    let mut objects = objects(&mut qeval);
    let stuck = objects.find(|object| {
        object["answers"] == QUESTIONS + 3 && object["services"][0]["running"] == SLOTS
    });
    let stuck = stuck.unwrap();
    assert_eq!((&stuck["event"], &stuck["step"]), (&"progress".into(), &"evaluating".into()));
    assert_eq!(stuck["examples"], 0, "they are of a batch that is not whole: {stuck}");
    let service = &stuck["services"][0];
    assert_eq!(service["name"], "r");
    assert_eq!(service["waiting"], QUESTIONS - 3 - SLOTS);
    assert_eq!(service["answered"], QUESTIONS + 3);
    // The examples are counted in the meantime.
    let counted = objects.find(|object| object["examples_total"] == QUESTIONS).unwrap();
    assert!(counted["left_s"].is_null() || counted["left_s"].is_f64(), "{counted}");
    server.answer_all();
    let rest: Vec<Value> = objects.collect();
    let events: Vec<&str> = rest.iter().filter_map(|object| object["event"].as_str()).collect();
    let events: Vec<&str> = events.into_iter().filter(|event| *event != "progress").collect();
    assert_eq!(events, ["stored", "answers"]);
    let answers = rest.iter().find(|object| object["event"] == "answers").unwrap();
    assert_eq!(
        (&answers["asked"], &answers["kept"]),
        (&(2 * QUESTIONS).into(), &(2 * QUESTIONS).into())
    );
    assert!(qeval.wait().unwrap().success());
}

#[test]
fn means_are_shown_before_they_are_final() {
    let server = Server::start();
    let setup = Setup::new(&server.url);
    let config = std::fs::read_to_string(setup.folder.path("e.toml")).unwrap();
    // Two systems, of which the second one gets no answer.
    let reader = config.find("[reader]").unwrap();
    let (head, tail) = config.split_at(reader);
    let (first, metrics) = tail.split_at(tail.find("[metrics]").unwrap());
    let first = first.replace("[reader]", "[[reader]]");
    let second = first.replace("\"r\"", "\"second\"").replace("/\"", "/second\"");
    setup.folder.write("e.toml", format!("{head}{first}{second}{metrics}"));
    server.answer_only(2 * QUESTIONS);
    let mut qeval = start(&setup.folder, "json");
    let mut objects = objects(&mut qeval);
    let with_means =
        |object: &Value| object["means"].as_array().is_some_and(|means| !means.is_empty());
    let shown = objects.find(with_means).unwrap();
    let mean = &shown["means"][0];
    // Every third of twenty answers is wrong: 7.
    assert_eq!(
        (&mean["system"], &mean["column"], &mean["count"]),
        (&"r".into(), &"isolated_em".into(), &QUESTIONS.into())
    );
    assert!((mean["mean"].as_f64().unwrap() - 13.0 / 20.0).abs() < 1e-12, "{mean}");
    let deviation = (20.0_f64 / 19.0 * 13.0 / 20.0 * 7.0 / 20.0 / 20.0).sqrt();
    assert!((mean["margin"].as_f64().unwrap() - 1.959_963_984_540_054 * deviation).abs() < 1e-12);
    server.answer_all();
    drop(objects);
    qeval.wait().unwrap();
}

#[test]
fn a_bar_is_drawn_on_one_line_and_goes_before_the_report() {
    let server = Server::start();
    server.answer_only(5);
    let setup = Setup::new(&server.url);
    let mut qeval = start(&setup.folder, "bar");
    server.wait_until_stuck(5 + SLOTS);
    thread::sleep(Duration::from_millis(500));
    server.answer_all();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut qeval.stderr.take().unwrap(), &mut text).unwrap();
    assert!(qeval.wait().unwrap().success());
    assert!(
        text.contains("\revaluating 2 examples | r: 4 running, 11 waiting\u{1b}[K"),
        "{text:?}"
    );
    assert!(text.ends_with("\r\u{1b}[K"), "{text:?}");
    assert!(!text.contains('\n'), "{text:?}");
}

#[test]
fn short_runs_leave_nothing_in_a_log() {
    let server = Server::start();
    let setup = Setup::new(&server.url);
    for form in ["auto", "lines", "none"] {
        let run = setup.folder.qeval(["run", "e.toml", "--fresh", "--progress", form]).succeed();
        assert_eq!(run.stderr, "", "{form}");
    }
}

/// A file that nobody writes to is read for ever.
#[test]
fn work_that_does_not_look_up_is_stopped_all_the_same() {
    let folder = Folder::new();
    let pipe = folder.path("golden.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    folder.write(
        "e.toml",
        "version = 1\n[dataset]\nformat = \"jsonl\"\npath = \"golden.jsonl\"\nfields = { prediction = \
         \"prediction\" }\n[reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"EM\"]\n",
    );
    let qeval = start(&folder, "auto");
    // Opened for writing, the pipe says that the program has begun to read.
    let writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let pid = qeval.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let output = qeval.wait_with_output().unwrap();
    drop(writer);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("error: stopped in the middle of the work; answers"), "{stderr}");
    folder.assert_no_evaluation("results");
}
