//! Runs that are killed, stopped and repeated: no answer is paid for twice, and what is stored does not
//! depend on it.

#[cfg(target_os = "linux")]
mod each_call;
mod files;
mod programs;
pub(crate) mod server;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use qeval_store::Evaluation;

use crate::support::{Folder, Output, plugin_library};
use server::Server;

/// Requests at the same time.
pub(crate) const SLOTS: usize = 4;

/// Questions; each is asked on what was retrieved and on its context.
pub(crate) const QUESTIONS: usize = 20;

/// A folder with a config, and how to run it.
pub(crate) struct Setup {
    pub(crate) folder: Folder,
}

impl Setup {
    pub(crate) fn new(url: &str) -> Self {
        Self::of(&format!("type = \"http\"\nurl = \"{url}/\"\nmax_concurrency = {SLOTS}\n"))
    }

    /// The same with another reader.
    fn of(reader: &str) -> Self {
        let folder = Folder::new();
        let mut lines = String::new();
        for id in 0..QUESTIONS {
            let _ = writeln!(
                lines,
                "{{\"id\": \"q{id}\", \"question\": \"{id}?\", \"references\": [\"right\"], \
                 \"text\": \"It is right.\", \"kind\": \"{}\"}}",
                id % 2
            );
        }
        folder.write("golden.jsonl", lines);
        folder.write("passages.jsonl", "{\"id\": \"p\", \"text\": \"It is wrong.\"}\n");
        let hit = |id| format!("q{id} Q0 p 1 1.0 r\n");
        folder.write("run.txt", (0..QUESTIONS).map(hit).collect::<String>());
        let setup = Self { folder };
        setup.write(reader, "answer = [\"EM\"]\n");
        setup
    }

    /// Writes the config.
    fn write(&self, reader: &str, metrics: &str) {
        let config = format!(
            "version = 1\n[evaluation]\nlabel = \"e\"\n[dataset]\nformat = \"jsonl\"\n\
             path = \"golden.jsonl\"\nfields = {{ context = \"text\" }}\n[corpus]\n\
             format = \"jsonl\"\npath = \"passages.jsonl\"\n[retriever]\ntype = \"replay\"\n\
             path = \"run.txt\"\n[reader]\nname = \"r\"\n{reader}[metrics]\n{metrics}"
        );
        self.folder.write("e.toml", config);
    }

    /// A metric of a plugin, in a process of its own.
    fn add_plugin(&self) {
        let config = fs::read_to_string(self.folder.path("e.toml")).unwrap();
        let config = config.replace("\"EM\"", "\"EM\", \"acme.key_figures\"");
        let path = plugin_library().display().to_string();
        let plugin = format!("[[plugin]]\nname = \"acme\"\npath = \"{path}\"\n");
        self.folder.write("e.toml", config + &plugin);
    }

    pub(crate) fn run(&self) -> Output {
        self.folder.qeval(["run", "e.toml"]).succeed()
    }

    fn start(&self) -> Child {
        let mut qeval = self.folder.qeval(["run", "e.toml"]);
        qeval.command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn remove_evaluations(&self) {
        for folder in self.folder.evaluations("results") {
            fs::remove_dir_all(folder).unwrap();
        }
    }

    /// The Parquet files of the only evaluation, by name.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let [folder] = &self.folder.evaluations("results")[..] else { panic!("one evaluation") };
        collect(folder, folder, &mut files);
        assert!(files.len() >= 3, "{:?}", files.keys());
        files
    }

    /// Fails unless the same is stored in both. Of the cases, which have the times of the answers, all
    /// but those.
    #[track_caller]
    fn assert_equal(&self, other: &Self, what: &str) {
        let (files, others) = (self.files(), other.files());
        assert!(files.keys().eq(others.keys()), "{what}");
        for (name, bytes) in others {
            assert!(name.starts_with("cases") || files[&name] == bytes, "{name}; {what}");
        }
        assert_eq!(self.cases(), other.cases(), "{what}");
    }

    /// Its cases, without the times, which no two runs have the same.
    fn cases(&self) -> String {
        let [folder] = &self.folder.evaluations("results")[..] else { panic!("one evaluation") };
        let mut text = String::new();
        for case in Evaluation::open(folder).unwrap().all_cases().unwrap() {
            let mut case = case.unwrap();
            let usage = &mut case.prediction.as_mut().unwrap().usage;
            assert!(usage.latency_ms.take().is_some_and(|ms| ms >= 5.0));
            let _ = writeln!(text, "{case:?}");
        }
        text
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "parquet") {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// How many kills there are: `QEVAL_KILLS`, or 200.
#[expect(clippy::disallowed_methods, reason = "a developer may want more kills, or less waiting")]
fn kills() -> usize {
    let number = std::env::var("QEVAL_KILLS").ok();
    number.map_or(200, |number| number.parse().expect("QEVAL_KILLS is a number"))
}

#[test]
fn a_run_that_is_killed_anywhere_goes_on() {
    // A run mostly waits: two at the same time take half as long.
    let halves = thread::scope(|scope| {
        let half = |reader| scope.spawn(move || kill_again_and_again(reader, kills().div_ceil(2)));
        [half(READER), half(MODEL)].map(|half| half.join().unwrap())
    });
    eprintln!("kills and evaluations: {halves:?}");
}

/// A service that is asked for answers.
const READER: &str = "type = \"http\"\nurl = \"URL/\"\n";

/// A language model, which is asked as one that judges would be.
const MODEL: &str = "type = \"openai\"\nurl = \"URL/v1\"\nmodel = \"m\"\ntemperature = 0\n\
                     prompt = \"{question} {passages}\"\n";

/// Kills so many runs at random moments, each of which goes on until it is whole; how many kills and
/// evaluations there were.
fn kill_again_and_again(reader: &str, kills: usize) -> (usize, usize) {
    let server = Server::start();
    let start = || {
        let reader = reader.replace("URL", &server.url);
        let setup = Setup::of(&format!("{reader}max_concurrency = {SLOTS}\n"));
        setup.add_plugin();
        setup
    };
    let undisturbed = start();
    let begin = Instant::now();
    undisturbed.run();
    let whole_run = begin.elapsed();
    let questions = server.take();
    assert_eq!(questions.len(), 2 * QUESTIONS);
    assert!(questions.values().all(|&count| count == 1));

    let mut state = reader.len() as u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX)
    };
    let (mut killed, mut evaluations) = (0, 0);
    while killed < kills {
        let setup = start();
        let killed_here = kill_until_whole(&setup, || whole_run.mul_f64(random()));
        killed += killed_here;
        evaluations += 1;

        let asked = server.take();
        assert_eq!(asked.len(), questions.len());
        let again: usize = asked.values().map(|count| count - 1).sum();
        assert!(again <= SLOTS * killed_here, "{again} after {killed_here} kills");
        setup.assert_equal(&undisturbed, "");
        let files = setup.files();
        // One that nobody disturbs, with the answers that are there, stores the same bytes.
        setup.remove_evaluations();
        setup.run();
        assert!(setup.files() == files);
        assert_eq!(server.take(), BTreeMap::new());
    }
    (killed, evaluations)
}

/// Starts runs and kills each after some time, until one is faster; how many were killed.
fn kill_until_whole(setup: &Setup, mut patience: impl FnMut() -> Duration) -> usize {
    for killed in 0..1000 {
        let mut child = setup.start();
        thread::sleep(patience());
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if status.success() {
            return killed;
        }
        // It was killed, and did not fail.
        assert_eq!(status.code(), None);
    }
    panic!("it does not end");
}

#[test]
fn another_metric_asks_nobody() {
    let server = Server::start();
    let reader = format!("type = \"http\"\nurl = \"{}/\"\n", server.url);
    let setup = Setup::of(&reader);
    let check = |stderr: &str, asked: usize, earlier: usize| {
        let said = format!(
            "reader `r`: {asked} questions were asked, {earlier} answers are of earlier \
             evaluations (--fresh asks again)\n"
        );
        assert!(stderr.ends_with(&said), "{stderr}");
    };
    assert_eq!(setup.run().stderr, "");
    assert_eq!(server.take().len(), 2 * QUESTIONS);
    setup.write(&reader, "answer = [\"EM\", \"F1\"]\nretrieval = [\"AnswerMRR@100\"]\n");
    check(&setup.run().stderr, 0, 2 * QUESTIONS);
    // Another name, another number of hits and other limits change nothing of an answer.
    let others = format!("{reader}passages = 3\nretries = 2\nmax_concurrency = 2\n");
    setup.write(&others.replace("\"http\"", "\"http\"\n"), "answer = [\"F1\"]\n");
    check(&setup.run().stderr, 0, 2 * QUESTIONS);
    assert_eq!(server.count(), 0);
    // A question that is new is asked, and no other.
    let golden = fs::read_to_string(setup.folder.path("golden.jsonl")).unwrap();
    let more = "{\"id\": \"new\", \"question\": \"x?\", \"references\": [], \"text\": \"y\"}\n";
    setup.folder.write("golden.jsonl", golden + more);
    check(&setup.run().stderr, 2, 2 * QUESTIONS);
    assert_eq!(server.take().len(), 2);
    let manifest = setup.folder.evaluations("results").into_iter().map(|folder| {
        let evaluation = Evaluation::open(&folder).unwrap();
        let counts = &evaluation.manifest().counts;
        [counts["questions_asked"], counts["answers_reused"]]
    });
    let mut manifest: Vec<[u64; 2]> = manifest.collect();
    manifest.sort_unstable();
    let all = 2 * QUESTIONS as u64;
    assert_eq!(manifest, [[0, all], [0, all], [2, all], [all, 0]]);
}

#[test]
fn fresh_answers_are_asked_for() {
    let server = Server::start();
    let reader = format!("type = \"http\"\nurl = \"{}/\"\n", server.url);
    let setup = Setup::of(&reader);
    setup.run();
    setup.folder.qeval(["run", "e.toml", "--fresh"]).succeed();
    assert!(server.take().values().all(|&count| count == 2));
    // What comes after uses the new ones.
    setup.write(&reader, "answer = [\"F1\"]\n");
    setup.run();
    assert_eq!(server.count(), 0);
    // One that is killed goes on with what it has begun.
    server.answer_only(10);
    let mut qeval = setup.folder.qeval(["run", "e.toml", "--fresh"]);
    let mut child = qeval.command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // All that were answered are kept before their slots ask again.
    server.wait_until_stuck(10 + SLOTS);
    child.kill().unwrap();
    child.wait().unwrap();
    server.answer_all();
    setup.folder.qeval(["run", "e.toml", "--fresh"]).succeed();
    assert_eq!(server.take().values().sum::<usize>(), 2 * QUESTIONS + SLOTS);
    setup.write(&format!("{reader}resume = false\n"), "answer = [\"ROUGE-L\"]\n");
    for _ in 0..2 {
        setup.remove_evaluations();
        setup.run();
        assert_eq!(server.take().len(), 2 * QUESTIONS);
    }
    setup.write(&format!("{reader}log = \"calls.jsonl\"\n"), "answer = [\"EM\"]\n");
    let refused = setup.folder.qeval(["check", "e.toml"]).ends_with(2);
    assert!(
        refused.stderr.contains("are kept in the results folder without it"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_question_of_several_systems_is_asked_once() {
    let server = Server::start();
    let setup = Setup::new(&server.url);
    let config = fs::read_to_string(setup.folder.path("e.toml")).unwrap();
    let two = "[[retriever]]\nname = \"one\"\ntype = \"replay\"\npath = \"run.txt\"\n\
               [[retriever]]\nname = \"two\"\ntype = \"replay\"\npath = \"other.txt\"\n";
    let config = config.replace("[retriever]\ntype = \"replay\"\npath = \"run.txt\"\n", two);
    setup.folder.write("e.toml", config);
    // The second retriever finds the same for half of the questions, and nothing for the others.
    let run = fs::read_to_string(setup.folder.path("run.txt")).unwrap();
    let half: String = run.split_inclusive('\n').take(QUESTIONS / 2).collect();
    setup.folder.write("other.txt", half);
    setup.run();
    let asked = server.take();
    assert_eq!(asked.len(), 2 * QUESTIONS + QUESTIONS / 2);
    assert!(asked.values().all(|&count| count == 1));
}

#[test]
fn a_model_that_draws_is_asked_for_each_example() {
    let server = Server::start();
    let reader = format!(
        "type = \"openai\"\nurl = \"{}/v1\"\nmodel = \"m\"\nprompt = \"{{question}}\"\n",
        server.url
    );
    let setup = Setup::of(&format!("{reader}temperature = 0\n"));
    let golden = fs::read_to_string(setup.folder.path("golden.jsonl")).unwrap();
    setup.folder.write("golden.jsonl", golden.replace("\"1?\"", "\"0?\""));
    setup.write(&format!("{reader}temperature = 0\n"), "answer = [\"EM\"]\n");
    setup.run();
    assert_eq!(server.take().values().sum::<usize>(), QUESTIONS - 1);
    setup.write(&format!("{reader}temperature = 0.5\n"), "answer = [\"EM\"]\n");
    setup.run();
    assert_eq!(server.take().values().sum::<usize>(), QUESTIONS);
    setup.write(&format!("{reader}temperature = 0.5\n"), "answer = [\"F1\"]\n");
    setup.run();
    assert_eq!(server.count(), 0);
}

/// A run with one slot that has ten answers and waits for the eleventh.
fn stuck(server: &Server, keys: &str) -> (Setup, Child) {
    let setup = Setup::of(&format!(
        "type = \"http\"\nurl = \"{}/\"\nmax_concurrency = 1\n{keys}",
        server.url
    ));
    server.answer_only(10);
    let mut qeval = setup.folder.qeval(["run", "e.toml"]);
    let child = qeval.command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    server.wait_until_stuck(11);
    (setup, child)
}

#[test]
fn a_budget_is_that_of_the_whole_run() {
    let server = Server::start();
    let (setup, mut child) = stuck(&server, "budget = { calls = 25 }\n");
    child.kill().unwrap();
    child.wait().unwrap();
    server.answer_all();
    assert_eq!(server.take().values().sum::<usize>(), 11);
    setup.run();
    assert_eq!(server.count(), 15);
}

#[test]
fn a_signal_keeps_what_is_answered() {
    for name in ["-INT", "-TERM"] {
        let server = Server::start();
        let (setup, child) = stuck(&server, "timeout_s = 1000\n");
        let begin = Instant::now();
        let kill = Command::new("kill").args([name, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        // At once: it waits for nobody.
        assert!(begin.elapsed() < Duration::from_secs(10));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        let message = "error: the evaluation was interrupted; the 10 answers that it got are kept, \
                       and the next one goes on from there\n";
        assert!(stderr.ends_with(message), "{stderr}");
        setup.folder.assert_no_evaluation("results");
        server.answer_all();
        server.take();
        setup.run();
        assert_eq!(server.count(), 2 * QUESTIONS - 10);
    }
}

#[test]
fn a_second_process_is_told_who_asks() {
    let server = Server::start();
    let (setup, mut child) = stuck(&server, "");
    // It is checked without the journal.
    setup.folder.qeval(["check", "e.toml"]).succeed();
    // Another plan with the same reader.
    let config = fs::read_to_string(setup.folder.path("e.toml")).unwrap();
    setup.folder.write("other.toml", config.replace("EM", "F1"));
    let refused = setup.folder.qeval(["run", "other.toml"]).ends_with(1);
    let owner = format!("error: process {}", child.id());
    assert!(refused.stderr.starts_with(&owner), "{}", refused.stderr);
    assert!(refused.stderr.contains("is asking the same reader"), "{}", refused.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_disk_that_takes_no_answers_ends_the_run() {
    let server = Server::start();
    let setup = Setup::new(&server.url);
    let golden = fs::read_to_string(setup.folder.path("golden.jsonl")).unwrap();
    setup
        .folder
        .write("golden.jsonl", golden.replace("\"q", "\"long").replace("longuestion", "question"));
    let run = fs::read_to_string(setup.folder.path("run.txt")).unwrap();
    setup.folder.write("run.txt", run.replace('q', "long"));
    let run = setup.folder.qeval(["run", "e.toml"]);
    let limited = run.after("trap '' XFSZ; ulimit -f 16");
    let output = limited.ends_with(1);
    let line = output.stderr.lines().find(|line| line.starts_with("error: the answers in `"));
    assert!(line.is_some_and(|line| line.ends_with("` cannot be kept")), "{}", output.stderr);
    assert!(output.stderr.contains("because: File too large"), "{}", output.stderr);
    assert!(output.stderr.contains("hint: all answers before it are kept; "), "{}", output.stderr);
    setup.folder.assert_no_evaluation("results");
    let before = server.take();
    assert!(before.len() < 2 * QUESTIONS, "{} were asked", before.len());
    setup.run();
    let after = server.take();
    let twice = after.keys().filter(|question| before.contains_key(*question)).count();
    assert!(twice <= SLOTS, "{twice} were asked twice");
    assert!(after.len() < 2 * QUESTIONS);
}

#[test]
fn what_failed_is_asked_again_and_nothing_else() {
    let server = Server::start();
    let setup = Setup::of(&format!(
        "type = \"http\"\nurl = \"{}/\"\nmax_concurrency = 1\nbudget = {{ calls = 25 }}\n",
        server.url
    ));
    let first = setup.run();
    assert!(first.stdout.contains("budget spent"), "{}", first.stdout);
    assert_eq!(server.take().len(), 25);
    // What failed for want of money fails again.
    let again = setup.run();
    assert!(again.stderr.contains("--retry asks again for what failed"), "{}", again.stderr);
    assert_eq!(server.count(), 0);
    setup.folder.qeval(["run", "e.toml", "--retry", "--set", "reader.budget.calls=1000"]).succeed();
    assert_eq!(server.take().len(), 2 * QUESTIONS - 25);
    // Of what is whole nothing is asked again.
    setup.folder.qeval(["run", "e.toml", "--retry", "--set", "reader.budget.calls=1000"]).succeed();
    assert_eq!(server.count(), 0);
}

#[test]
fn fresh_answers_to_some_questions_leave_the_others_alone() {
    let server = Server::start();
    let setup = Setup::new(&server.url);
    setup.run();
    server.take();
    setup.folder.qeval(["run", "e.toml", "--fresh", "--limit", "3"]).succeed();
    assert_eq!(server.take().len(), 2 * 3);
    setup.folder.qeval(["run", "e.toml", "--set", "metrics.answer=[\"F1\"]"]).succeed();
    assert_eq!(server.count(), 0);
}

#[test]
fn long_files_have_places_too() {
    let server = Server::start();
    let setup = Setup::new(&server.url);
    let config = fs::read_to_string(setup.folder.path("e.toml")).unwrap();
    setup.folder.write("e.toml", format!("{}\n{config}", "# long\n".repeat(20_000)));
    let output = setup.folder.qeval(["check", "e.toml", "--set", "reader.urll=1"]).ends_with(2);
    assert!(output.stderr.contains("reader.urll"), "{}", output.stderr);
}
