//! Faulty data, full disks and interruptions: the message says where and what to do, and nothing
//! that looks like an evaluation is left.

use std::{
    fmt::Write as _,
    fs::{self, File},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::support::{Folder, Output, assert_transcript, root};

/// A file of golden answers and one of predictions, as JSON lines.
const LINES: &str = r#"version = 1
[evaluation]
label = "faulty"
[dataset]
format = "jsonl"
path = "golden.jsonl"
[reader]
type = "replay"
path = "answers.jsonl"
[metrics]
answer = ["EM"]
"#;

const SQUAD: &str = r#"version = 1
[dataset]
format = "squad"
path = "squad.json"
[reader]
type = "replay"
path = "predictions.json"
[metrics]
answer = ["EM"]
"#;

const TREC: &str = r#"version = 1
[dataset]
format = "trec"
qrels = "qrels.txt"
[retriever]
type = "replay"
path = "run.txt"
[metrics]
retrieval = ["MRR"]
"#;

const SEARCH: &str = r#"version = 1
[dataset]
format = "trec"
path = "topics.xml"
qrels = "qrels.txt"
[corpus]
format = "trec"
path = "docs.xml"
[retriever]
type = "bm25"
[metrics]
retrieval = ["MRR"]
"#;

/// Files that all configs above can be run on.
const GOOD: [(&str, &str); 8] = [
    (
        "golden.jsonl",
        "{\"id\": \"1\", \"references\": [\"ten\"]}\n{\"id\": \"2\", \"references\": [\"two\"]}\n",
    ),
    (
        "answers.jsonl",
        "{\"id\": \"1\", \"prediction\": \"ten\"}\n{\"id\": \"2\", \"prediction\": \"four\"}\n",
    ),
    ("squad.json", include_str!("../datasets/tiny-squad/dev-v2.0.json")),
    ("predictions.json", include_str!("../datasets/tiny-squad/predictions.json")),
    ("qrels.txt", "1 0 a 1\n2 0 b 2\n"),
    ("run.txt", "1 Q0 a 1 2.5 r\n2 Q0 a 1 2.5 r\n"),
    ("topics.xml", "<top><num>1</num><title>storm</title></top>\n"),
    ("docs.xml", "<doc><docno>a</docno><text>A storm.</text></doc>\n"),
];

fn good(config: &str) -> Folder {
    let folder = Folder::new();
    folder.write("faulty.toml", config);
    for (name, text) in GOOD {
        folder.write(name, text);
    }
    folder
}

#[test]
fn good_files_are_good() {
    for config in [LINES, SQUAD, TREC, SEARCH] {
        let folder = good(config);
        folder.qeval(["run", "faulty.toml"]).succeed();
        assert_eq!(folder.evaluations("results").len(), 1);
    }
}

/// Runs a config with one file replaced. Faults that the plan can see end with 2, those that are
/// found in the middle of the dataset with 1.
#[track_caller]
fn check(name: &str, config: &str, file: &str, contents: impl AsRef<[u8]>, code: i32) {
    let folder = good(config);
    folder.write(file, contents);
    let output = folder.qeval(["run", "faulty.toml"]).run();
    assert_eq!((output.code, &*output.stdout), (Some(code), ""), "{name}: {}", output.stderr);
    assert!(output.stderr.contains(file), "{name}: {}", output.stderr);
    folder.assert_no_evaluation("results");
    assert_transcript!(format!("fault__{name}"), output);
}

#[test]
fn faulty_json_lines() {
    let first = "{\"id\": \"1\", \"references\": [\"ten\"]}\n";
    let second = |line: &str| [first.as_bytes(), line.as_bytes()].concat();
    let golden = |name, contents, code| check(name, LINES, "golden.jsonl", contents, code);
    golden("empty", Vec::new(), 2);
    golden("no_id", b"{\"qid\": 1, \"references\": []}\n".to_vec(), 2);
    golden("wrong_field", second("{\"id\": \"2\", \"references\": 7}\n"), 1);
    golden("duplicate_id", second(first), 1);
    golden("truncated_line", second("{\"id\": \"2\", \"refer"), 1);
    golden("no_object", second("[]\n"), 1);
    let latin1 = [first.as_bytes(), b"{\"id\": \"2\", \"references\": [\"caf\xe9\"]}\n"].concat();
    golden("invalid_utf8", latin1, 1);

    let answers = |name, contents: &str| check(name, LINES, "answers.jsonl", contents, 2);
    answers("predictions_duplicate_id", &GOOD[1].1.replace("\"2\"", "\"1\""));
    answers("predictions_without_field", "{\"id\": \"1\", \"answer\": \"ten\"}\n");
    answers("predictions_truncated", &GOOD[1].1[..60]);
    answers("predictions_empty", "");
}

#[test]
fn faulty_squad() {
    let squad = |name, contents: &str, code| check(name, SQUAD, "squad.json", contents, code);
    let text = GOOD[2].1;
    squad("squad_duplicate_id", &text.replace("\"keeper\"", "\"built\""), 1);
    squad("squad_truncated", &text[..text.len() - 300], 1);
    squad("squad_without_data", "{\"version\": \"v2.0\"}", 2);
    squad("squad_wrong_field", &text.replace("\"id\": \"seen\"", "\"id\": [1]"), 2);
    let predictions = |name, contents: &str| check(name, SQUAD, "predictions.json", contents, 2);
    let text = GOOD[3].1;
    predictions("squad_predictions_duplicate_id", &text.replace("\"seen\"", "\"built\""));
    predictions("squad_predictions_truncated", &text[..text.len() / 2]);
    predictions("squad_predictions_wrong_value", &text.replace("\"1874\"", "1874"));
}

#[test]
fn faulty_trec() {
    let run = |name, contents| check(name, TREC, "run.txt", contents, 2);
    run("run_nan", "1 Q0 a 1 2.5 r\n2 Q0 a 1 nan r\n");
    run("run_no_number", "1 Q0 a 1 high r\n");
    run("run_duplicate", "1 Q0 a 1 2.5 r\n1 Q0 b 2 2.0 r\n1 Q0 a 3 1.5 r\n");
    run("run_columns", "1 Q0 a 2.5 r\n");
    run("run_empty", "\n");
    let qrels = |name, contents| check(name, TREC, "qrels.txt", contents, 2);
    qrels("qrels_grade", "1 0 a yes\n");
    qrels("qrels_duplicate", "1 0 a 1\n2 0 a 1\n1 0 a 0\n");
    let gzip = fs::read(root().join("datasets/tiny-trec/qrels.dl19-passage.txt.gz")).unwrap();
    check("truncated_gzip", TREC, "qrels.txt", &gzip[..gzip.len() - 12], 2);
    let docs = |name, contents| check(name, SEARCH, "docs.xml", contents, 2);
    let one = GOOD[7].1;
    docs("docs_duplicate", one.repeat(2));
    docs("docs_open", one.replace("</text></doc>", ""));
    check("topics_duplicate", SEARCH, "topics.xml", GOOD[6].1.repeat(2), 1);
}

/// Questions with random digits, so that what is stored is large.
fn many() -> Folder {
    let folder = good(&LINES.replace("[dataset]", "[dataset]\nslices = [\"kind\"]"));
    let mut state: u64 = 1;
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:x}", state >> 16)
    };
    let mut lines = String::new();
    for id in 0..4000 {
        let question: String = (0..16).map(|_| word()).collect();
        let _ = writeln!(
            lines,
            "{{\"id\": \"{id}\", \"question\": \"{question}\", \"references\": [\"{}\"], \"kind\": \"x\"}}",
            word()
        );
    }
    folder.write("golden.jsonl", lines);
    folder
}

#[test]
fn a_file_that_cannot_grow() {
    let folder = many();
    // At 8 or 16 KiB, as the shell counts, writing fails with `File too large`, as it fails with
    // `No space left on device` on a full disk.
    let run = folder.qeval(["run", "faulty.toml"]);
    let limited = run.after("trap '' XFSZ; ulimit -f 16");
    let output = limited.ends_with(1);
    folder.assert_no_evaluation("results");
    assert_disk_is_named(&output, "File too large");
}

/// The message names a file (whichever reaches the limit first), what the system says, and what is
/// left.
#[track_caller]
fn assert_disk_is_named(output: &Output, cause: &str) {
    let lines: Vec<&str> = output.stderr.lines().collect();
    let [what, why, hint] = lines[..] else { panic!("{}", output.stderr) };
    assert!(what.starts_with("error: cannot write `") && what.contains("/results/"), "{what}");
    assert!(why.starts_with(&format!("  because: {cause} (os error ")), "{why}");
    assert_eq!(
        hint,
        "  hint: nothing of the evaluation is left; its results need a folder with enough room"
    );
}

/// A file system of 256 KiB. Only root may mount one, and not in every container.
struct TinyDisk<'a>(&'a Path);

impl<'a> TinyDisk<'a> {
    fn mount(path: &'a Path) -> Option<Self> {
        let options = ["-t", "tmpfs", "-o", "size=256k", "tmpfs"];
        let mount = Command::new("mount").args(options).arg(path).stderr(Stdio::null()).status();
        mount.is_ok_and(|status| status.success()).then_some(Self(path))
    }
}

impl Drop for TinyDisk<'_> {
    fn drop(&mut self) {
        let status = Command::new("umount").arg(self.0).status();
        assert!(status.is_ok_and(|status| status.success()), "umount {}", self.0.display());
    }
}

#[test]
fn a_full_disk() {
    let folder = many();
    let path = folder.path("results");
    fs::create_dir(&path).unwrap();
    let Some(_disk) = TinyDisk::mount(&path) else {
        // The limit on file sizes above takes the same way through the program.
        eprintln!("a disk of 256 KiB cannot be mounted here (that takes root): not tried");
        return;
    };
    let output = folder.qeval(["run", "faulty.toml"]).ends_with(1);
    folder.assert_no_evaluation("results");
    assert_disk_is_named(&output, "No space left on device");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout() {
    let folder = Folder::new();
    let mut qeval = folder.qeval(["list", "metrics"]);
    qeval.command.stdout(File::options().write(true).open("/dev/full").unwrap());
    let output = qeval.command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: cannot write the results to stdout\n  because: No space left on device (os error \
         28)\n"
    );
}

/// How long a test waits before it gives up on what happens at once unless it is broken.
const PATIENCE: Duration = Duration::from_mins(1);

#[track_caller]
fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(name: &str, pid: &str) -> bool {
    let kill = Command::new("kill").args([name, pid]).stderr(Stdio::null()).status();
    kill.unwrap().success()
}

/// A run that waits for a reader, with the reader's process.
fn hanging(folder: &Folder) -> (Child, String) {
    folder.write(
        "slow.toml",
        r#"version = 1
[dataset]
format = "jsonl"
path = "golden.jsonl"
fields = { context = "text" }
[reader]
type = "command"
command = ["sh", "slow.sh"]
timeout_s = 1000
[metrics]
answer = ["EM"]
"#,
    );
    let line = |id| {
        format!(
            "{{\"id\": \"{id}\", \"references\": [\"ten\"], \"question\": \"How many?\", \"text\": \"Ten.\"}}\n"
        )
    };
    folder.write("golden.jsonl", line(1) + &line(2));
    // The first question is answered, the second one never, unless there is a file `fast`: another
    // program would be another plan.
    folder.write(
        "slow.sh",
        "while [ -e fast ] && read line; do echo '{\"prediction\": \"ten\"}'; done; [ -e fast ] && exit; \
         read line; echo '{\"prediction\": \"ten\"}'; read line; echo $$ > pid.new; mv pid.new pid; sleep 1000\n",
    );
    let mut qeval = folder.qeval(["run", "slow.toml"]);
    let child = qeval.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = folder.path("pid");
    let reader = wait_until("the reader does not start", || fs::read_to_string(&pid).ok());
    (child, reader.trim().to_owned())
}

#[test]
fn an_interrupted_run_leaves_its_answers_alone() {
    for name in ["-INT", "-TERM"] {
        let folder = Folder::new();
        let (mut qeval, reader) = hanging(&folder);
        assert!(signal(name, &qeval.id().to_string()));
        wait_until("the program does not end", || qeval.try_wait().unwrap());
        let output = qeval.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]), "{stderr}");
        let message = "error: the evaluation was interrupted; the answer that it got is kept, and the \
                       next one goes on from there\n";
        assert!(stderr.ends_with(message), "{name}: {stderr}");
        folder.assert_no_evaluation("results");
        wait_until("the reader does not end", || (!signal("-0", &reader)).then_some(()));
    }
}

#[test]
fn a_killed_run_is_no_evaluation_and_does_not_disturb_the_next() {
    let folder = Folder::new();
    let (mut qeval, reader) = hanging(&folder);
    qeval.kill().unwrap();
    qeval.wait().unwrap();
    assert_eq!(folder.evaluations("results").len(), 0);
    let listed = folder.qeval(["list", "evaluations"]).succeed();
    assert_eq!(listed.stdout, "there is no evaluation in `results`\n");
    signal("-KILL", &reader);
    folder.write("fast", "");
    folder.qeval(["run", "slow.toml"]).succeed();
    let left =
        fs::read_dir(folder.path("results")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name != "_locks" && name != "_answers").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_second_process_is_told_who_writes() {
    let folder = Folder::new();
    let (mut qeval, reader) = hanging(&folder);
    let refused = folder.qeval(["run", "slow.toml"]).ends_with(1);
    let owner = format!("error: process {}", qeval.id());
    assert!(refused.stderr.contains(&owner), "{}", refused.stderr);
    assert!(refused.stderr.contains("(`qeval run`, since 20"), "{}", refused.stderr);
    qeval.kill().unwrap();
    qeval.wait().unwrap();
    signal("-KILL", &reader);
}
