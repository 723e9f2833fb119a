//! What `qeval score --official trec_eval` prints, against what each version of trec_eval prints in its
//! own tests: whole files, line by line.

use std::{fs, process::Command};

use anyhow::{Context, Result};

use crate::{
    conformance::{Setting, check::Check},
    shell,
};

/// One of its tests.
struct Test {
    /// The file with what it prints.
    printed: &'static str,
    qrels: &'static str,
    run: &'static str,
    options: &'static str,
}

/// The tests of both versions.
const BOTH: [Test; 10] = [
    Test { printed: "out.test", qrels: "qrels.test", run: "results.test", options: "" },
    Test {
        printed: "out.test.a",
        qrels: "qrels.test",
        run: "results.test",
        options: "-m all_trec",
    },
    Test {
        printed: "out.test.aq",
        qrels: "qrels.test",
        run: "results.test",
        options: "-m all_trec -q",
    },
    Test {
        printed: "out.test.aqc",
        qrels: "qrels.test",
        run: "results.trunc",
        options: "-m all_trec -q -c",
    },
    Test {
        printed: "out.test.aqcM",
        qrels: "qrels.test",
        run: "results.trunc",
        options: "-m all_trec -q -c -M100",
    },
    Test {
        printed: "out.test.aql",
        qrels: "qrels.rel_level",
        run: "results.test",
        options: "-m all_trec -mrelstring.20 -q -l2",
    },
    Test {
        printed: "out.test.meas_params",
        qrels: "qrels.test",
        run: "results.test",
        options: "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 \
                  -m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 \
                  -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20",
    },
    Test {
        printed: "out.test.prefs",
        qrels: "prefs.test",
        run: "prefs.results.test",
        options: "-m all_prefs -q -R prefs",
    },
    Test {
        printed: "out.test.qrels_prefs",
        qrels: "qrels.test",
        run: "results.test",
        options: "-m all_prefs -q -R qrels_prefs",
    },
    Test {
        printed: "out.test.qrels_jg",
        qrels: "qrels.123",
        run: "results.test",
        options: "-m qrels_jg -q -R qrels_jg",
    },
];

/// The tests of the later version alone, which knows comments. The means for standardised values were
/// others in the earlier one, and are not here.
const LATER: [Test; 5] = [
    Test {
        printed: "out.test.aqZ",
        qrels: "qrels.test",
        run: "results.test",
        options: "-q -m all_trec -Z zscores_file",
    },
    Test {
        printed: "out.test.prefs",
        qrels: "prefs.comment.test",
        run: "prefs.results.test",
        options: "-m all_prefs -q -R prefs",
    },
    Test {
        printed: "out.test.qrels_jg",
        qrels: "qrels.comments.123",
        run: "results.test",
        options: "-m qrels_jg -q -R qrels_jg",
    },
    Test {
        printed: "out.test",
        qrels: "qrels.test.with-comments",
        run: "results.test",
        options: "",
    },
    Test {
        printed: "out.comment.test",
        qrels: "qrels.comment.test",
        run: "results.comment.test",
        options: "",
    },
];

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    for test in &BOTH {
        compare(setting, check, ("v9.0.8", "trec_eval"), test)?;
    }
    for test in BOTH.iter().chain(&LATER) {
        compare(setting, check, ("v10.0", "trec_eval10"), test)?;
    }
    Ok(())
}

/// All lines of a test.
fn compare(
    setting: &Setting,
    check: &mut Check,
    (version, script): (&str, &str),
    test: &Test,
) -> Result<()> {
    let folder = setting.shared.join("reference/trec_eval");
    let path = folder.join(version).join(test.printed);
    let theirs =
        fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    // The inputs of both versions are the same.
    let inputs = folder.join("v10.0");
    let mut score = Command::new(&setting.qeval);
    // The options name a file among the inputs.
    score.current_dir(&inputs).args(["score", "--official", script]);
    score.args(["--qrels", test.qrels, "--run", test.run]);
    let ours = shell::output(score.args(test.options.split_whitespace()))?;
    let name = format!("{version} {} {}", test.printed, test.options);
    let count = |text: &str| text.lines().count().to_string();
    check.same(&format!("{name}: lines"), &count(&ours), &count(&theirs));
    for (number, (ours, theirs)) in (1..).zip(ours.lines().zip(theirs.lines())) {
        check.same(&format!("{name}: line {number}"), ours, theirs);
    }
    Ok(())
}
