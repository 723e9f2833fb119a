//! The tests.

use std::{
    env::consts::DLL_SUFFIX,
    fs,
    path::PathBuf,
    process::Stdio,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use qeval_loader::{LoadError, PluginSpec};
use qeval_process::Frame;
use qeval_sdk::{Input, Role, Setup, WorkedExample, batch, core::Unscored};

use crate::support::{
    ALL as CARRIERS, BOTH, CHILDREN, Loaded, On, command, executable, failure, faulty, good,
    library, load_spec, lost, refusal, scores, spec,
};

/// Every test with its name.
pub(crate) const ALL: &[(&str, fn())] = &[
    ("a_plugin_is_a_scorer", a_plugin_is_a_scorer),
    ("examples_cross_the_boundary", examples_cross_the_boundary),
    ("wrong_answers_are_failures", wrong_answers_are_failures),
    ("broken_answers_are_failures_of_the_batch", broken_answers_are_failures_of_the_batch),
    ("prints_of_a_plugin_do_no_harm", prints_of_a_plugin_do_no_harm),
    ("a_missing_prediction_has_the_worst_score", a_missing_prediction_has_the_worst_score),
    ("many_threads_get_the_same_scores", many_threads_get_the_same_scores),
    ("libraries_that_do_not_fit_are_refused", libraries_that_do_not_fit_are_refused),
    ("other_files_are_refused", other_files_are_refused),
    ("a_pin_is_kept", a_pin_is_kept),
    ("a_library_must_not_change", a_library_must_not_change),
    ("a_host_program_that_is_none_is_named", a_host_program_that_is_none_is_named),
    ("a_host_process_ends_with_its_parent", a_host_process_ends_with_its_parent),
];

fn load_faulty(variant: &str, on: On) -> Loaded {
    load_spec(&spec(&faulty(variant), on)).expect("the library can be used")
}

fn a_plugin_is_a_scorer() {
    for on in BOTH {
        let plugin = load_spec(&spec(&library("key_figures"), on)).expect("it loads");
        assert_eq!(plugin.plugin.descriptor.name, "key-figures");
        assert_eq!(plugin.plugin.sha256.len(), 64);
        let [metric] = plugin.scorer.metrics() else { panic!("there is one metric") };
        assert_eq!((metric.name.as_str(), metric.range), ("p.key_figures", (0.0, 1.0)));
        assert_eq!(
            scores(&plugin, &[Some("15 working days"), Some("10 days"), Some("soon")]),
            Ok(vec![Ok(1.0), Ok(0.0), Ok(0.0)])
        );
        assert_eq!(scores(&plugin, &[]), Ok(Vec::new()));
    }
}

fn examples_cross_the_boundary() {
    for on in BOTH {
        let plugin = load_spec(&spec(&library("key_figures"), on)).expect("it loads");
        assert!(plugin.scorer.examples().len() > 5);
        let problems = qeval_sdk::testing::check(&*plugin.scorer);
        assert_eq!(problems, [""; 0]);
    }
}

fn wrong_answers_are_failures() {
    for on in CARRIERS {
        let plugin = load_spec(&good(on)).expect("it loads");
        for (prediction, message) in [
            ("NaN", "is NaN, expected a finite number or null"),
            ("-inf", "is -inf, expected a finite number or null"),
            ("1.5", "is 1.5, outside its range of 0 to 1"),
        ] {
            let lost = lost(&plugin, prediction);
            assert_eq!(lost, format!("value: plugin `p`: metric `n` {message}"));
        }
        for (prediction, message) in [
            ("wrong rows", "protocol: plugin `p`: it gave 1 rows of scores for 2 cases"),
            ("no columns", "protocol: plugin `p`: the scorer gave 0 columns, and none for `n`"),
            ("refuse", "refused: plugin `p`: not in the mood"),
        ] {
            assert_eq!(failure(&plugin, prediction), message);
        }
        let panic = failure(&plugin, "panic");
        assert!(
            panic.starts_with("crash: plugin `p`: panicked at tests/faulty-plugin/src/lib.rs:"),
            "{panic}"
        );
        assert!(panic.ends_with(": this is too much"), "{panic}");
        assert_eq!(scores(&plugin, &[Some("0.25")]), Ok(vec![Ok(0.25)]));
    }
}

fn broken_answers_are_failures_of_the_batch() {
    for on in BOTH {
        for (variant, message) in [
            (
                "wrong-type",
                "its column `n` is of type Int64, expected Float64, Utf8, Boolean or a list of these",
            ),
            ("no-struct", "they are of type Float64, expected a struct"),
            ("short-column", "its column `n` is too short"),
            ("twice", "they have two columns `n`"),
            ("no-answer", "there are none"),
        ] {
            let plugin = load_faulty(variant, on);
            assert_eq!(
                failure(&plugin, "1"),
                format!("protocol: plugin `p`: its answer cannot be read: {message}")
            );
        }
    }
}

fn prints_of_a_plugin_do_no_harm() {
    for on in CHILDREN {
        let plugin = load_spec(&good(on)).expect("it loads");
        let no_number = Unscored::NotApplicable("`print` is no number".to_owned());
        assert_eq!(scores(&plugin, &[Some("print"), Some("1")]), Ok(vec![Err(no_number), Ok(1.0)]));
        // What it printed is on stderr now, and so in the message of its end.
        assert_eq!(
            scores(&plugin, &[Some("exit")]).expect_err("it ends").to_string(),
            "crash: plugin `p` ended with exit code 7; its last line on stderr: `hello from the \
             plugin`"
        );
    }
}

fn a_missing_prediction_has_the_worst_score() {
    for on in BOTH {
        // The plugin itself gives 0.5.
        for (variant, worst) in [("good", 0.0), ("costly", 1.0)] {
            let plugin = load_faulty(variant, on);
            assert_eq!(scores(&plugin, &[None, Some("")]), Ok(vec![Ok(worst), Ok(0.5)]));
        }
    }
}

fn many_threads_get_the_same_scores() {
    for on in CARRIERS {
        let spec = PluginSpec { workers: 3, ..good(on) };
        let plugin = Arc::new(load_spec(&spec).expect("it loads"));
        thread::scope(|scope| {
            for number in 0..8 {
                let plugin = Arc::clone(&plugin);
                scope.spawn(move || {
                    for part in 0..20 {
                        let score = f64::from(number * 20 + part) / 160.0;
                        let text = score.to_string();
                        assert_eq!(scores(&plugin, &[Some(&text)]), Ok(vec![Ok(score)]));
                    }
                });
            }
        });
    }
}

fn libraries_that_do_not_fit_are_refused() {
    let build = "this qeval speaks 1.1: build it with the SDK of this version";
    for on in BOTH {
        for (variant, message) in [
            ("other-version", format!("`LIB` speaks plugin interface 2.1, {build}")),
            ("newer-version", format!("`LIB` speaks plugin interface 1.2, {build}")),
            (
                "wrong-magic",
                "`LIB` is broken: its table does not begin as a table of qeval".to_owned(),
            ),
            (
                "short-table",
                "`LIB` is broken: its table has 40 bytes, expected at least 72".to_owned(),
            ),
            ("no-functions", "`LIB` is broken: a function of its table is null".to_owned()),
            ("no-descriptor", "`LIB` is broken: its descriptor is missing or too long".to_owned()),
            (
                "bad-descriptor",
                "`LIB` describes itself wrongly: it is not the JSON that was agreed: EOF while \
                 parsing an object at line 1 column 17"
                    .to_owned(),
            ),
            (
                "clashing",
                "`LIB` describes itself wrongly: the metrics `a_b` and `a-b` have the same column \
                 `a_b`"
                    .to_owned(),
            ),
            ("no-table", "`LIB` gives no plugin: its entry returns null".to_owned()),
        ] {
            assert_eq!(refusal(&faulty(variant), on), message);
        }
        let message = refusal(&faulty("panicking"), on);
        assert!(message.starts_with("`LIB` cannot be used: panicked at tests/"), "{message}");
        assert!(message.ends_with(": no scorer today"), "{message}");
    }
}

fn other_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let text = folder.path().join("text.so");
    fs::write(&text, "I am no library, and long enough to be looked at as one. ".repeat(20))
        .expect("a file can be written");
    // A real library, which happens to be no plugin: a procedural macro that Cargo built.
    let macros = fs::read_dir(executable().with_file_name("")).expect("the folder can be read");
    let macros = macros.map(|entry| entry.expect("the folder can be read").path());
    let is_macro = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libserde_derive-") && name.ends_with(DLL_SUFFIX)
    };
    let no_plugin = macros.into_iter().find(is_macro).expect("serde's macros were built");
    for on in BOTH {
        let message = refusal(&text, on);
        assert!(
            message.starts_with("`LIB` cannot be opened as a library of this system: "),
            "{message}"
        );
        assert!(message.contains("invalid ELF header"), "{message}");
        assert_eq!(
            refusal(&no_plugin, on),
            "`LIB` is no plugin of qeval: it has no symbol `qeval_plugin_entry_v1` \
             (`export_scorer!` makes one)"
        );
        let nothing = folder.path().join("nothing");
        let message = refusal(&nothing, on);
        assert!(
            message.starts_with("there is no plugin library at `LIB`, looked for `LIB`, "),
            "{message}"
        );
    }
}

fn a_pin_is_kept() {
    let path = faulty("good");
    let loaded = load_spec(&spec(&path, On::Process)).expect("it loads");
    let mut pinned = spec(&path, On::Process);
    pinned.sha256 = Some(loaded.plugin.sha256.clone());
    assert!(load_spec(&pinned).is_ok());
    pinned.sha256 = Some("00".repeat(32));
    let error = load_spec(&pinned).err().expect("the pin is another");
    assert!(matches!(error, LoadError::Find(_)));
    let message = error.to_string();
    assert!(
        message.contains(&format!("has the SHA-256 {}, but 0000", loaded.plugin.sha256)),
        "{message}"
    );
}

fn a_library_must_not_change() {
    let path = faulty("replaced");
    let plugin = load_spec(&spec(&path, On::Process)).expect("it loads");
    // Replaced as a build does it: by another file of the same name.
    fs::remove_file(&path).expect("a file can be removed");
    fs::write(&path, "something else").expect("a file can be written");
    let end = scores(&plugin, &[Some("exit")]).expect_err("it ends").to_string();
    assert_eq!(end, "crash: plugin `p` ended with exit code 7");
    let message = failure(&plugin, "1");
    assert!(message.ends_with("was changed since the evaluation began"), "{message}");
}

fn a_host_program_that_is_none_is_named() {
    let mut spec = spec(&faulty("good"), On::Process);
    command(&mut spec).program = "/bin/true".into();
    let message = load_spec(&spec).err().expect("it is no host").to_string();
    assert!(message.ends_with("was not opened: plugin `p` ended with exit code 0"), "{message}");
    command(&mut spec).program = "/no/such/program".into();
    let message = load_spec(&spec).err().expect("it is no host").to_string();
    assert!(message.contains("plugin `p` cannot be started: `/no/such/program`"), "{message}");
}

/// The parent may be killed while the plugin never comes back: the child has to notice by itself.
fn a_host_process_ends_with_its_parent() {
    let mut child = std::process::Command::new(executable())
        .args(["plugin-host", "--library"])
        .arg(faulty("good"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the child starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let mut stdout = child.stdout.take().expect("stdout is a pipe");
    assert!(Frame::read(&mut stdout).expect("the child speaks").is_some());
    let setup = Setup { role: Role::Scorer { metrics: vec![] }, options: serde_json::Map::new() };
    let setup = serde_json::to_vec(&setup).expect("a setup is JSON");
    Frame::new(5, setup).numbered(1).write(&mut stdin).expect("the child reads");
    assert_eq!(
        Frame::read(&mut stdout).expect("the child speaks").map(|frame| frame.kind),
        Some(6)
    );
    let example = WorkedExample::answer("loop", &[], None);
    let cases = WorkedExample::cases(&[example])
        .with_cases(|cases| batch::encode(cases, &[Input::Prediction]))
        .expect("the cases make a batch");
    let mut writer =
        arrow_ipc::writer::StreamWriter::try_new(Vec::new(), cases.schema_ref()).expect("a writer");
    writer.write(&cases).expect("a batch is written");
    let payload = writer.into_inner().expect("a batch is written");
    Frame::new(2, payload).numbered(2).write(&mut stdin).expect("the child reads");
    thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().expect("the child can be asked").is_none(), "it should be busy");
    drop(stdin);
    let begin = Instant::now();
    while child.try_wait().expect("the child can be asked").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(30), "the child outlives its parent");
        thread::sleep(Duration::from_millis(20));
    }
}
