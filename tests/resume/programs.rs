//! The answers of programs and plugins are kept as those of services are.

use std::{fs, process::Stdio};

use qeval_store::Evaluation;

use super::{QUESTIONS, Setup};
use crate::support::library;

/// A reader that notes what it is asked, and stops answering where a file says so.
const SCRIPT: &str = "n=0\nwhile read -r line; do\n  echo \"$line\" >> asked\n  n=$((n + 1))\n  \
                      if [ \"$n\" = \"$(cat until)\" ]; then sleep 20; fi\n  \
                      echo '{\"prediction\": \"right\"}'\ndone\n";

const READER: &str = "type = \"command\"\ncommand = [\"sh\", \"reader.sh\"]\ntimeout_s = 1000\n";

fn asked(setup: &Setup) -> usize {
    let asked = fs::read_to_string(setup.folder.path("asked")).unwrap_or_default();
    let _ = fs::remove_file(setup.folder.path("asked"));
    asked.lines().count()
}

#[test]
fn a_program_is_asked_what_is_missing() {
    let setup = Setup::of(READER);
    setup.folder.write("reader.sh", SCRIPT);
    setup.folder.write("until", "11");
    setup.folder.qeval(["check", "e.toml"]).succeed();
    assert!(!setup.folder.path("results/_answers").exists());
    let mut qeval = setup.folder.qeval(["run", "e.toml"]);
    let mut child = qeval.command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Ten answers are kept by the time that the eleventh question comes.
    let lines = || fs::read_to_string(setup.folder.path("asked")).unwrap_or_default();
    while lines().lines().count() < 11 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    asked(&setup);
    setup.folder.write("until", "never");
    setup.run();
    assert_eq!(asked(&setup), 2 * QUESTIONS - 10);
    setup.write(READER, "answer = [\"F1\"]\n");
    setup.run();
    assert_eq!(asked(&setup), 0);
    // Another program under the same name is another reader.
    setup.folder.write("reader.sh", format!("{SCRIPT}# better\n"));
    setup.write(READER, "answer = [\"EM\", \"F1\"]\n");
    setup.run();
    assert_eq!(asked(&setup), 2 * QUESTIONS);
    setup.write(&format!("{READER}resume = false\n"), "answer = [\"ROUGE-L\"]\n");
    setup.run();
    assert_eq!(asked(&setup), 2 * QUESTIONS);
}

#[test]
fn a_plugin_is_asked_once_however_it_runs() {
    let reader = "type = \"plugin\"\nplugin = \"acme\"\nbatch = 3\n";
    let setup = Setup::of(reader);
    setup.folder.write("passages.tsv", "p\tIt is wrong.\n");
    let run = |isolation: &str, metrics: &str| {
        let plugin = format!(
            "[[plugin]]\nname = \"acme\"\npath = \"{}\"\nisolation = \"{isolation}\"\n\
             options = {{ corpus = \"{}\" }}\n",
            library("sample_plugin").display(),
            setup.folder.path("passages.tsv").display(),
        );
        setup.write(reader, &format!("{metrics}{plugin}"));
        setup.remove_evaluations();
        let output = setup.run();
        let [folder] = &setup.folder.evaluations("results")[..] else { panic!("one evaluation") };
        let evaluation = Evaluation::open(folder).unwrap();
        let counts = &evaluation.manifest().counts;
        let cases: Vec<_> = evaluation.all_cases().unwrap().map(Result::unwrap).collect();
        (counts["questions_asked"], counts["answers_reused"], format!("{cases:?}"), output.stdout)
    };
    let all = 2 * QUESTIONS as u64;
    let (asked, reused, cases, _) = run("process", "answer = [\"EM\"]\n");
    assert_eq!((asked, reused), (all, 0));
    let (asked, reused, again, report) = run("in-process", "answer = [\"EM\", \"F1\"]\n");
    assert_eq!((asked, reused), (0, all));
    assert_eq!(again, cases);
    let notice = format!("{all} answers are those that the reader gave in an earlier evaluation");
    assert!(report.contains(&notice), "{report}");
}
