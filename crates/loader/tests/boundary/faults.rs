//! What can go wrong in a child, for isolated libraries and for programs: each fault costs what it must
//! and no more.

use std::{
    iter,
    path::Path,
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use qeval_loader::PluginSpec;
use qeval_sdk::{
    Failure, FailureKind, Query, Request,
    core::{Example, Ties, Unscored},
};

use crate::support::{
    CHILDREN, Loaded, On, command, failure, faulty, good, load_spec, lost, program, refusal_of,
    scores, spec,
};

/// Every test with its name.
pub(crate) const ALL: &[(&str, fn())] = &[
    ("a_child_that_ends_costs_one_example", a_child_that_ends_costs_one_example),
    ("one_example_among_many_is_found", one_example_among_many_is_found),
    ("one_question_among_many_is_found", one_question_among_many_is_found),
    ("a_lost_batch_of_questions_names_them", a_lost_batch_of_questions_names_them),
    ("an_endless_loop_costs_one_batch", an_endless_loop_costs_one_batch),
    ("too_much_memory_costs_one_batch", too_much_memory_costs_one_batch),
    ("a_plugin_that_always_fails_is_given_up", a_plugin_that_always_fails_is_given_up),
    ("a_plugin_that_never_answers_is_given_up", a_plugin_that_never_answers_is_given_up),
    ("all_that_wait_hear_that_a_plugin_is_given_up", all_that_wait_hear_that_a_plugin_is_given_up),
    ("all_that_wait_can_be_stopped", all_that_wait_can_be_stopped),
    ("a_program_that_begins_wrongly_is_refused", a_program_that_begins_wrongly_is_refused),
    ("a_plugin_that_begins_late_is_waited_for", a_plugin_that_begins_late_is_waited_for),
    ("a_library_that_does_not_begin_is_refused", a_library_that_does_not_begin_is_refused),
    (
        "a_program_that_answers_wrongly_costs_one_batch",
        a_program_that_answers_wrongly_costs_one_batch,
    ),
    ("a_program_that_says_too_much_is_out_of_step", a_program_that_says_too_much_is_out_of_step),
    ("an_answer_is_taken_for_its_own_question_only", an_answer_is_taken_for_its_own_question_only),
    ("a_program_must_not_change", a_program_must_not_change),
    ("children_see_only_what_is_granted", children_see_only_what_is_granted),
    ("children_end_with_their_plugin", children_end_with_their_plugin),
];

fn load(spec: &PluginSpec) -> Loaded {
    load_spec(spec).expect("the plugin can be used")
}

/// The plugin goes on as if nothing had happened.
#[track_caller]
fn assert_alive(plugin: &Loaded) {
    assert_eq!(scores(plugin, &[Some("0.25")]), Ok(vec![Ok(0.25)]));
}

fn a_child_that_ends_costs_one_example() {
    for on in CHILDREN {
        let plugin = load(&good(on));
        for (prediction, message) in [
            ("abort", "crash: plugin `p` ended by signal 6 (SIGABRT, it gave up)"),
            ("segfault", "crash: plugin `p` ended by signal 11 (SIGSEGV, a bad memory access)"),
            ("exit", "crash: plugin `p` ended with exit code 7"),
        ] {
            assert_eq!(lost(&plugin, prediction), message);
            assert_alive(&plugin);
        }
    }
}

fn one_example_among_many_is_found() {
    for on in CHILDREN {
        let plugin = load(&good(on));
        for place in [0, 100, 255] {
            let mut predictions = vec![Some("0.5"); 256];
            predictions[place] = Some("abort");
            let scores = scores(&plugin, &predictions).expect("the others have scores");
            for (index, score) in scores.iter().enumerate() {
                let failed = matches!(score, Err(Unscored::Failed(FailureKind::Crash, _)));
                assert!(
                    if index == place { failed } else { *score == Ok(0.5) },
                    "{index}: {score:?}"
                );
            }
        }
    }
}

/// A question that ends the child of a retriever or a reader costs only itself.
fn one_question_among_many_is_found() {
    let plugin = load(&program("components")).plugin;
    let texts = ["a", "abort", "b", "c", "d"];
    let queries = texts.map(|text| Query { id: text, text, dataset: None });
    let retriever = plugin.retriever(3, 64, Ties::default()).expect("it has one");
    let found = retriever.retrieve(&queries, 3).into_iter().map(|found| found.map(|_| ()));
    let ended = "plugin `p` ended by signal 6 (SIGABRT, it gave up)".to_owned();
    let ended = Err(Failure::new(FailureKind::Crash, ended));
    let expected = [Ok(()), ended, Ok(()), Ok(()), Ok(())];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    let examples = texts.map(|text| Example {
        id: text.to_owned(),
        question: text.to_owned(),
        ..Example::default()
    });
    let requests: Vec<Request<'_>> =
        examples.iter().map(|example| Request { example, passages: &[] }).collect();
    let reader = plugin.reader(64).expect("it has one");
    let answers = reader.read(&requests).into_iter().map(|answer| answer.map(|_| ()));
    assert_eq!(answers.collect::<Vec<_>>(), expected);
}

/// What is lost with all questions of a batch names them.
fn a_lost_batch_of_questions_names_them() {
    let deadline = Duration::from_millis(500);
    let plugin = load(&PluginSpec { deadline, ..program("components") }).plugin;
    let queries = ["a", "loop", "b"].map(|text| Query { id: text, text, dataset: None });
    let retriever = plugin.retriever(3, 64, Ties::default()).expect("it has one");
    for found in retriever.retrieve(&queries, 3) {
        assert_eq!(
            found.expect_err("it is too late").to_string(),
            "timeout: plugin `p` gave no answer within 0.5 s and was ended (`3` examples, `a` to `b`)"
        );
    }
}

fn an_endless_loop_costs_one_batch() {
    for on in CHILDREN {
        let plugin = load(&PluginSpec { deadline: Duration::from_secs(2), ..good(on) });
        assert_eq!(
            failure(&plugin, "loop"),
            "timeout: plugin `p` gave no answer within 2 s and was ended"
        );
        assert_alive(&plugin);
    }
}

fn too_much_memory_costs_one_batch() {
    if !Path::new("/proc/self/status").exists() {
        return;
    }
    for on in CHILDREN {
        let mut spec = good(on);
        command(&mut spec).memory = Some(200_000_000);
        let plugin = load(&spec);
        assert_eq!(
            failure(&plugin, "hog"),
            "memory: plugin `p` took more than 200 MB of memory and was ended"
        );
        assert_alive(&plugin);
    }
    // What runs out of memory by itself says so.
    let plugin = load(&program("out-of-memory"));
    let failure = scores(&plugin, &[Some("1")]).expect_err("it fails");
    assert_eq!(failure.kind, FailureKind::Memory);
    assert_eq!(failure.to_string(), "memory: plugin `p`: MemoryError");
}

fn a_plugin_that_always_fails_is_given_up() {
    for on in CHILDREN {
        let plugin = load(&good(on));
        let exits = "plugin `p` ended with exit code 7";
        let given_up = format!(
            "given up: plugin `p` failed 16 times in a row and is not started again; the last time: \
             {exits}"
        );
        let begin = Instant::now();
        let all = scores(&plugin, &[Some("exit"); 256]).expect("the batch is asked in pieces");
        assert!(begin.elapsed() < Duration::from_secs(30));
        let lost = |kind, text: &str| Err(Unscored::Failed(kind, text.to_owned()));
        assert_eq!(all[0], lost(FailureKind::Crash, &format!("crash: {exits}")));
        assert_eq!(all[255], lost(FailureKind::GivenUp, &given_up));
        assert_eq!(failure(&plugin, "1"), given_up);
    }
}

fn a_plugin_that_never_answers_is_given_up() {
    let plugin = load(&PluginSpec { deadline: Duration::from_millis(200), ..good(On::Program) });
    for _ in 0..4 {
        assert!(failure(&plugin, "loop").starts_with("timeout: "));
    }
    let message = failure(&plugin, "1");
    assert!(
        message.starts_with("given up: plugin `p` failed 4 times in a row and is not"),
        "{message}"
    );
}

/// More threads than children: each of them hears that the plugin is given up.
fn all_that_wait_hear_that_a_plugin_is_given_up() {
    let deadline = Duration::from_millis(100);
    let plugin = Arc::new(load(&PluginSpec { deadline, workers: 1, ..good(On::Program) }));
    let failures = on_threads(&plugin, 4, "loop");
    assert_eq!(failures.len(), 16);
    let given_up = failures.iter().filter(|failure| failure.contains("is not started again"));
    assert_eq!(given_up.count(), 12, "{failures:?}");
}

/// Whoever waits for a child sees the wish to stop as well.
fn all_that_wait_can_be_stopped() {
    let mut spec = PluginSpec { workers: 1, ..good(On::Program) };
    let stop = command(&mut spec).stop.clone();
    let plugin = Arc::new(load(&spec));
    let setter = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        stop.set();
    });
    let failures = on_threads(&plugin, 4, "loop");
    setter.join().expect("it only sets");
    assert_eq!(failures.len(), 16);
    for failure in failures {
        let gone = failure.ends_with("was ended on request");
        assert!(gone || failure.contains("is not started again"), "{failure}");
    }
}

/// The failures of four batches on each of so many threads, as far as they come.
fn on_threads(plugin: &Arc<Loaded>, threads: usize, asked: &'static str) -> Vec<String> {
    let (sender, failures) = mpsc::channel();
    for _ in 0..threads {
        let (plugin, sender) = (Arc::clone(plugin), sender.clone());
        thread::spawn(move || {
            for _ in 0..4 {
                // The one who listens may have lost patience.
                let _ = sender.send(failure(&plugin, asked));
            }
        });
    }
    drop(sender);
    iter::from_fn(|| failures.recv_timeout(Duration::from_secs(20)).ok()).collect()
}

fn a_program_that_begins_wrongly_is_refused() {
    let speaks_wrongly = "`LIB` was not opened: plugin `p` does not speak as agreed: ";
    let late = "`LIB` was not opened: plugin `p` gave no answer within 0.3 s and was ended";
    let version = "this qeval speaks 1.1: build it with the SDK of this version";
    for (variant, message) in [
        (
            "prints-first",
            format!("{speaks_wrongly}it printed `Hello, world` on stdout, where only frames may be"),
        ),
        ("exits-at-start", "`LIB` was not opened: plugin `p` ended with exit code 7".to_owned()),
        ("never-starts", late.to_owned()),
        ("never-ready", late.to_owned()),
        (
            "unknown-greeting",
            format!("{speaks_wrongly}it began with a frame of kind 99, expected 1"),
        ),
        (
            "greeting-without-json",
            format!("{speaks_wrongly}its greeting: expected value at line 1 column 1"),
        ),
        (
            "greeting-without-plugin",
            "`LIB` describes itself wrongly: it is not the JSON that was agreed: invalid type: null, \
             expected struct PluginDescriptor at line 1 column 4"
                .to_owned(),
        ),
        ("other-version", format!("`LIB` speaks plugin interface 2.1, {version}")),
        ("newer-version", format!("`LIB` speaks plugin interface 1.2, {version}")),
        ("unknown-setup", format!("{speaks_wrongly}it sent a frame of kind 99, expected 6")),
        ("refuses-setup", "`LIB` cannot be used: refused: no such dictionary".to_owned()),
    ] {
        let beginning = match variant {
            "never-starts" | "never-ready" => Duration::from_millis(300),
            _ => Duration::from_mins(1),
        };
        assert_eq!(refusal_of(&PluginSpec { beginning, ..program(variant) }), message, "{variant}");
    }
    let message = refusal_of(&program("panics-at-start"));
    assert!(message.starts_with("`LIB` cannot be used: panicked at tests/"), "{message}");
    assert!(message.ends_with(": no scorer today"), "{message}");
}

fn a_plugin_that_begins_late_is_waited_for() {
    for spec in [program("slow-start"), spec(&faulty("slow-start"), On::Process)] {
        // It has less time for a batch than it takes to begin.
        assert_alive(&load(&PluginSpec { deadline: Duration::from_millis(250), ..spec }));
    }
}

fn a_library_that_does_not_begin_is_refused() {
    let begun = |variant: &str, beginning: Duration| {
        refusal_of(&PluginSpec { beginning, ..spec(&faulty(variant), On::Process) })
    };
    assert_eq!(
        begun("never-starts", Duration::from_millis(300)),
        "`LIB` was not opened: plugin `p` gave no answer within 0.3 s and was ended"
    );
    assert_eq!(
        begun("exits-at-start", Duration::from_mins(1)),
        "`LIB` was not opened: plugin `p` ended with exit code 7"
    );
}

fn a_program_that_answers_wrongly_costs_one_batch() {
    let speaks_wrongly = "protocol: plugin `p` does not speak as agreed:";
    let no_stream =
        "protocol: plugin `p`: its bytes are no Arrow stream, or only a part of one".to_owned();
    for (variant, message) in [
        (
            "prints-in-a-call",
            format!(
                "{speaks_wrongly} it printed `loading the model` on stdout, where only frames may be"
            ),
        ),
        (
            "huge-frame",
            format!("{speaks_wrongly} a frame of 4294967295 bytes is above the limit of 268435456"),
        ),
        (
            "unknown-answer",
            "protocol: plugin `p`: it sent a frame of kind 99, expected 3".to_owned(),
        ),
        ("half-a-frame", "timeout: plugin `p` gave no answer within 1 s and was ended".to_owned()),
        ("garbage", no_stream.clone()),
        ("empty-stream", no_stream.clone()),
        ("cut-stream", no_stream.clone()),
        (
            "wrong-type",
            "protocol: plugin `p`: its column `n` is of type Int64, expected Float64".to_owned(),
        ),
        ("wrong-rows", "protocol: plugin `p`: it gave 3 rows of scores for 2 cases".to_owned()),
        ("wrong-column", "protocol: plugin `p`: it gave no column `n`".to_owned()),
        (
            "failure-without-json",
            "protocol: plugin `p`: it sent a failure that cannot be read".to_owned(),
        ),
    ] {
        let plugin = load(&PluginSpec { deadline: Duration::from_secs(1), ..program(variant) });
        for _ in 0..2 {
            let failure = failure(&plugin, "1");
            assert!(failure.starts_with(&message), "{variant}: {failure}");
        }
    }
    // It may have been only one of the examples, so each is asked alone.
    let plugin = load(&program("half-a-frame-and-the-end"));
    let ended =
        Unscored::Failed(FailureKind::Crash, "crash: plugin `p` ended with exit code 7".to_owned());
    let ended = Err(ended);
    assert_eq!(scores(&plugin, &[Some("1"), Some("1")]), Ok(vec![ended.clone(), ended]));
}

/// An answer that nobody asked for must not be taken for that to the next batch.
fn a_program_that_says_too_much_is_out_of_step() {
    let plugin = load(&program("two-answers"));
    assert_alive(&plugin);
    thread::sleep(Duration::from_millis(100));
    assert_eq!(
        failure(&plugin, "1"),
        "protocol: plugin `p` does not speak as agreed: it wrote something that nobody asked for"
    );
    assert_alive(&plugin);
}

/// The second copy of an answer comes when the next question is under way.
fn an_answer_is_taken_for_its_own_question_only() {
    let plugin = load(&program("repeats-itself"));
    let out_of_step = |said: &str| said.contains("it answered question 2 when 3 was asked");
    let mut refused = 0;
    for number in 1..20 {
        let number = f64::from(number) / 20.0;
        match scores(&plugin, &[Some(&number.to_string())]) {
            Ok(scores) => assert_eq!(scores, [Ok(number)]),
            Err(failure) if out_of_step(&failure.message) => refused += 1,
            Err(failure) => panic!("it fails for another reason: {failure}"),
        }
    }
    assert_eq!(refused, 9);
}

fn a_program_must_not_change() {
    let script = tempfile::NamedTempFile::new().expect("a file can be made");
    let spec = PluginSpec { path: script.path().to_owned(), ..good(On::Program) };
    let plugin = load(&spec);
    std::fs::write(script.path(), "something else").expect("a file can be written");
    assert!(scores(&plugin, &[Some("exit")]).is_err());
    let message = failure(&plugin, "1");
    assert!(message.ends_with("was changed since the evaluation began"), "{message}");
}

fn children_see_only_what_is_granted() {
    if !Path::new("/proc/self/environ").exists() {
        return;
    }
    for on in CHILDREN {
        let mut spec = good(on);
        command(&mut spec).environment.insert("GRANTED".into(), "yes".into());
        let plugin = load(&spec);
        let environment = std::fs::read(format!("/proc/{}/environ", process(&plugin)));
        assert_eq!(environment.expect("the child is there"), b"GRANTED=yes\0");
    }
}

fn children_end_with_their_plugin() {
    for on in CHILDREN {
        let plugin = load(&good(on));
        let folder = format!("/proc/{}", process(&plugin));
        let begin = Instant::now();
        drop(plugin);
        // It has ended by itself and was waited for: there is not even a zombie.
        assert!(begin.elapsed() < Duration::from_secs(1));
        assert!(!Path::new(&folder).exists());
    }
}

/// The number of the child process.
fn process(plugin: &Loaded) -> String {
    match scores(plugin, &[Some("process")]).as_deref() {
        Ok([Err(Unscored::NotApplicable(number))]) => number.clone(),
        other => panic!("it should tell its process: {other:?}"),
    }
}
