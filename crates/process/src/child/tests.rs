//! Tests of children: shell scripts that speak in frames, or do not.

use super::*;

use std::path::Path;

const SOON: Duration = Duration::from_millis(300);
const LATE: Duration = Duration::from_secs(30);

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn shell(script: &str) -> Command {
    Command::new("`sh`", "/bin/sh").arg("-c").arg(script).grant("PATH", "/usr/bin:/bin")
}

fn failure(script: &str, deadline: Duration) -> String {
    let runtime = runtime();
    let mut child = Child::start(&shell(script), runtime.handle()).unwrap();
    child.exchange(&Frame::new(1, "hello"), deadline).unwrap_err().to_string()
}

#[test]
fn a_frame_comes_back() {
    let runtime = runtime();
    let mut child = Child::start(&shell("exec cat"), runtime.handle()).unwrap();
    // More than a pipe holds, so both sides must move at once.
    for size in [0, 1, 3_000_000] {
        let frame = Frame::new(9, vec![b'x'; size]);
        let answer = child.exchange(&frame, LATE).unwrap();
        assert_eq!(answer.numbered(0), frame);
    }
}

#[test]
fn an_answer_to_another_question_ends_the_child() {
    let runtime = runtime();
    // The first frame comes back for both questions, the second time too late to be seen before.
    let script = "f=$(mktemp); head -c 13 > $f; cat $f; head -c 13 > /dev/null; cat $f; rm $f; cat";
    let mut child = Child::start(&shell(script), runtime.handle()).unwrap();
    let frame = Frame::new(1, "x");
    assert_eq!(child.exchange(&frame, LATE).unwrap().number, 1);
    let error = child.exchange(&frame, LATE).unwrap_err().to_string();
    assert!(
        error.starts_with("`sh` does not speak as agreed: it answered question 1 when 2 was asked"),
        "{error}"
    );
    assert_eq!(child.exchange(&frame, LATE).unwrap_err().to_string(), "`sh` was ended before");
}

#[test]
fn the_end_of_a_child_is_told_in_words() {
    for (script, message) in [
        ("exit 3", "`sh` ended with exit code 3"),
        (
            "echo first >&2; echo broken >&2; exit 3",
            "`sh` ended with exit code 3; its last line on stderr: `broken`",
        ),
        ("kill -SEGV $$", "`sh` ended by signal 11 (SIGSEGV, a bad memory access)"),
        ("head -c 17 > /dev/null; printf abc", "`sh` ended with exit code 0"),
        (
            "head -c 17 > /dev/null; echo Hello, world; sleep 0.2; echo why >&2",
            "`sh` does not speak as agreed: it printed `Hello, world` on stdout, where only frames \
             may be; its last line on stderr: `why`",
        ),
    ] {
        assert_eq!(failure(script, LATE), message, "{script}");
    }
}

#[test]
fn a_child_has_ended_although_what_it_started_holds_its_pipes() {
    for (place, script) in [
        ("in its group", "sleep 1000 & echo hi >&2; exit 1"),
        ("in a group of its own", "setsid sleep 5 & echo hi >&2; exit 1"),
    ] {
        let start = Instant::now();
        let message = "`sh` ended with exit code 1; its last line on stderr: `hi`";
        assert_eq!(failure(script, LATE), message, "{place}");
        assert!(start.elapsed() < Duration::from_secs(4), "{place}");
    }
}

#[test]
fn the_last_answer_of_a_child_is_read() {
    let runtime = runtime();
    // A frame with three bytes.
    let script = "setsid sleep 2 & head -c 15; exit 0";
    let mut child = Child::start(&shell(script), runtime.handle()).unwrap();
    let frame = Frame::new(7, "abc");
    assert_eq!(child.exchange(&frame, LATE).unwrap().payload, frame.payload);
    let error = child.exchange(&frame, LATE).unwrap_err().to_string();
    assert_eq!(error, "`sh` ended with exit code 0");
}

#[test]
fn a_silent_child_is_ended() {
    assert_eq!(
        failure("echo loading >&2; sleep 1000", SOON),
        "`sh` gave no answer within 0.3 s and was ended; its last line on stderr: `loading`"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_that_takes_too_much_memory_is_ended() {
    let runtime = runtime();
    // The shell keeps in its own memory what the command in parentheses writes.
    let mut command = shell("read -r line; x=$(head -c 200000000 /dev/zero | tr '\\0' x)");
    command.memory = Some(50_000_000);
    let mut child = Child::start(&command, runtime.handle()).unwrap();
    let error = child.exchange(&Frame::new(1, "\n"), LATE).unwrap_err();
    assert!(matches!(error, ProcessError::Memory { .. }), "{error}");
    assert_eq!(error.to_string(), "`sh` took more than 50 MB of memory and was ended");
}

#[test]
fn a_child_within_its_limit_answers() {
    let runtime = runtime();
    let mut command = shell("exec cat");
    command.memory = Some(100_000_000);
    let mut child = Child::start(&command, runtime.handle()).unwrap();
    for _ in 0..3 {
        let frame = Frame::new(1, "hello");
        assert_eq!(child.exchange(&frame, LATE).unwrap().payload, frame.payload);
        std::thread::sleep(Duration::from_millis(30));
    }
}

#[test]
fn a_child_is_ended_on_request() {
    let runtime = runtime();
    let command = shell("sleep 1000");
    let mut child = Child::start(&command, runtime.handle()).unwrap();
    let error = std::thread::scope(|scope| {
        let talk = scope.spawn(|| child.receive(LATE).unwrap_err().to_string());
        command.stop.set();
        talk.join().unwrap()
    });
    assert_eq!(error, "`sh` was ended on request");
}

#[test]
fn after_an_error_a_child_is_gone() {
    let runtime = runtime();
    let mut child = Child::start(&shell("sleep 1000"), runtime.handle()).unwrap();
    assert!(matches!(child.receive(SOON), Err(ProcessError::Timeout { .. })));
    assert_eq!(child.receive(LATE).unwrap_err().to_string(), "`sh` was ended before");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let runtime = runtime();
    let command = Command::new("reader `x`", "/no/such/program");
    let error = Child::start(&command, runtime.handle()).unwrap_err().to_string();
    assert!(error.starts_with("reader `x` cannot be started: `/no/such/program`: "), "{error}");
}

#[test]
fn a_child_sees_only_what_was_granted() {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let script = format!("env > {}/env; exec cat", folder.path().display());
    let command = shell(&script).grant("GRANTED", "yes");
    let mut child = Child::start(&command, runtime.handle()).unwrap();
    child.exchange(&Frame::new(1, ""), LATE).unwrap();
    let text = std::fs::read_to_string(folder.path().join("env")).unwrap();
    // The shell itself adds these.
    let own = ["PWD", "OLDPWD", "SHLVL", "_"];
    let mut names: Vec<&str> =
        text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.retain(|name| !own.contains(name));
    names.sort_unstable();
    assert_eq!(names, ["GRANTED", "PATH"]);
}

/// Whether a process is there and not just waiting to be noticed as dead.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

fn ends(pid: &str) -> bool {
    let begin = Instant::now();
    while is_alive(pid) {
        if begin.elapsed() > LATE {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

#[test]
fn dropping_a_child_ends_all_that_it_started() {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pid");
    let script = format!("sleep 1000 & echo $! > {}; exec cat", path.display());
    let mut child = Child::start(&shell(&script), runtime.handle()).unwrap();
    child.exchange(&Frame::new(1, ""), LATE).unwrap();
    let grandchild = std::fs::read_to_string(path).unwrap();
    let grandchild = grandchild.trim();
    assert!(is_alive(grandchild));
    drop(child);
    assert!(ends(grandchild));
}

#[test]
fn a_child_may_put_things_in_order() {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("done");
    let script = format!("cat > /dev/null; echo well > {}", path.display());
    let child = Child::start(&shell(&script), runtime.handle()).unwrap();
    child.finish(LATE);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "well\n");
}

#[test]
fn several_children_share_the_time_and_are_waited_for() {
    let runtime = runtime();
    let start = |script: &str| Child::start(&shell(script), runtime.handle()).unwrap();
    let children = vec![start("exec sleep 1000"), start("exec cat"), start("exec sleep 1000")];
    let pids: Vec<String> =
        children.iter().map(|child| child.process.id().unwrap().to_string()).collect();
    let begin = Instant::now();
    Child::finish_all(children, SOON);
    assert!(begin.elapsed() < Duration::from_secs(3));
    // Not even as one that waits to be noticed.
    for pid in pids {
        assert!(!Path::new("/proc").join(&pid).exists(), "{pid}");
    }
}
