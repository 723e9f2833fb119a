//! Golden tests: our numbers are those of the field's own scripts.
//!
//! A *family* is a file of inputs with what one script made of them, and the code that puts the
//! same inputs to us. Every file that is present is run whole. `$QEVAL_REFERENCE` names another
//! folder than this package's; a relative path starts at the root of the workspace. There a family
//! may be missing, here each has its file.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    families::{FAMILIES, Family},
    reference,
    tally::{Record, Tally},
};

#[test]
fn golden_normalize() {
    run("normalize");
}

#[test]
fn golden_squad_v1_question() {
    run("squad_v1_question");
}

#[test]
fn golden_squad_v1_dataset() {
    run("squad_v1_dataset");
}

#[test]
fn golden_squad_v2_question() {
    run("squad_v2_question");
}

#[test]
fn golden_squad_v2_dataset() {
    run("squad_v2_dataset");
}

#[test]
fn golden_quac_question() {
    run("quac_question");
}

#[test]
fn golden_quac_dataset() {
    run("quac_dataset");
}

#[test]
fn golden_coqa_turn() {
    run("coqa_turn");
}

#[test]
fn golden_coqa_dataset() {
    run("coqa_dataset");
}

#[test]
fn golden_hotpot_question() {
    run("hotpot_question");
}

#[test]
fn golden_hotpot_dataset() {
    run("hotpot_dataset");
}

#[test]
fn golden_triviaqa_question() {
    run("triviaqa_question");
}

#[test]
fn golden_triviaqa_dataset() {
    run("triviaqa_dataset");
}

#[test]
fn golden_drop_question() {
    run("drop_question");
}

#[test]
fn golden_drop_dataset() {
    run("drop_dataset");
}

#[test]
fn golden_nq_open_orqa() {
    run("nq_open_orqa");
}

#[test]
fn golden_kilt() {
    run("kilt");
}

#[test]
fn golden_nq_eval() {
    run("nq_eval");
}

#[test]
fn golden_farm_squad_metrics() {
    run("farm_squad_metrics");
}

#[test]
fn golden_haystack_0_10_eval() {
    run("haystack_0.10_eval");
}

#[test]
fn golden_haystack_1_26_document_metrics() {
    run("haystack_1.26_document_metrics");
}

#[test]
fn golden_haystack_ai_evaluators() {
    run("haystack_ai_evaluators");
}

#[test]
fn golden_dpr_simple_tokenizer() {
    run("dpr_simple_tokenizer");
}

#[test]
fn golden_dpr_has_answer() {
    run("dpr_has_answer");
}

#[test]
fn golden_dpr_topk() {
    run("dpr_topk");
}

#[test]
fn golden_trec_eval_9_0_8() {
    run("trec_eval_9.0.8");
}

#[test]
fn golden_trec_eval_10_0() {
    run("trec_eval_10.0");
}

#[test]
fn golden_pytrec_eval_terrier() {
    run("pytrec_eval_terrier");
}

#[test]
fn golden_ir_measures() {
    run("ir_measures");
}

#[test]
fn golden_pyndeval() {
    run("pyndeval");
}

#[test]
fn golden_ranx() {
    run("ranx");
}

#[test]
fn golden_beir() {
    run("beir");
}

#[test]
fn golden_msmarco_mrr10() {
    run("msmarco_mrr10");
}

#[test]
fn golden_rouge_score() {
    run("rouge_score");
}

#[test]
fn golden_rouge_score_multi() {
    run("rouge_score_multi");
}

#[test]
fn golden_rouge_score_tokenize() {
    run("rouge_score_tokenize");
}

#[test]
fn golden_rouge_score_bootstrap() {
    run("rouge_score_bootstrap");
}

#[test]
fn golden_porter_nltk() {
    run("porter_nltk");
}

#[test]
fn golden_rouge_1_5_5_perl() {
    run("rouge_1.5.5_perl");
}

#[test]
fn golden_rouge_pltrdy_1_0_1() {
    run("rouge_pltrdy_1.0.1");
}

#[test]
fn golden_jiwer() {
    run("jiwer");
}

#[test]
fn golden_sacrebleu_tokenizers() {
    run("sacrebleu_tokenizers");
}

#[test]
fn golden_sacrebleu_bleu() {
    run("sacrebleu_bleu");
}

#[test]
fn golden_sacrebleu_chrf() {
    run("sacrebleu_chrf");
}

#[test]
fn golden_sacrebleu_ter() {
    run("sacrebleu_ter");
}

/// A file that no family reads is named, so that nobody takes it for run; a folder in which none
/// does is a mistake.
#[test]
fn golden_files_of_unknown_families_are_named() {
    let folder = Folder::of_this_run();
    let (known, unknown): (BTreeSet<String>, BTreeSet<String>) =
        folder.names().into_iter().partition(|name| FAMILIES.iter().any(|f| f.name == name));
    for name in &unknown {
        say(&format!("{name}.jsonl is of no known family and was not run"));
    }
    assert!(!known.is_empty(), "no file of a known family in `{}`", folder.path.display());
}

/// Each family has a test: its name in the table is also the name of a function above.
#[test]
fn golden_every_family_has_its_test() {
    for family in FAMILIES {
        let call = format!("run(\"{}\");", family.name);
        assert!(include_str!("golden.rs").contains(&call), "no test runs `{}`", family.name);
    }
}

#[test]
fn golden_tests_can_fail() {
    let record = |expected: &str| {
        let input = r#"{"prediction": "about 6000 hours", "golds": ["6000 hours"]}"#;
        format!("{{\"id\": \"r\", \"input\": {input}, \"expected\": {expected}}}\n")
    };
    let check = |content: &str, expected: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("squad_v2_question.jsonl");
        fs::write(&path, content).unwrap();
        let found = check_file(family("squad_v2_question"), &path);
        match found {
            Ok(report) => assert_eq!(report, expected),
            Err(report) => assert!(report.contains(expected), "{report}"),
        }
    };
    let right = record(r#"{"exact": 0, "f1": 0.8}"#);
    check(&right, "squad_v2_question: 2 values of 1 record agree");
    check(&format!("{right}\n{right}"), "squad_v2_question: 4 values of 2 records agree");
    check(&record(r#"{"exact": 1, "f1": 0.8}"#), "1 of 2 values differ:\n  r, exact: expected 1.0");
    check(&record(r#"{"exact": 0, "f1": 0.8000001}"#), "r, f1: expected 0.8000001, found 0.8");
    check(&record(r#"{"exact": 0, "f1": "NaN"}"#), "r, f1: expected NaN, found 0.8");
    check(&record("{}"), "r, exact: expected a number, found null");
    check(&record(r#"{"exact": 1}"#).repeat(9), "18 of 18 values differ");
    check("", "no value was compared");
    check("{\"id\": \"r\"}\n", "line 1: missing field `input`");
}

/// Runs a family; a difference fails the test.
fn run(name: &str) {
    let folder = Folder::of_this_run();
    if folder.given && !folder.names().contains(name) {
        say(&format!("{name} is not in `{}` and was not run", folder.path.display()));
        return;
    }
    match check_file(family(name), &folder.path.join(format!("{name}.jsonl"))) {
        Ok(report) => say(&report),
        Err(report) => panic!("{report}"),
    }
}

fn say(line: &str) {
    reference::say("golden", line);
}

fn family(name: &str) -> &'static Family {
    FAMILIES.iter().find(|family| family.name == name).expect("a test names a family of the table")
}

/// Puts all records of a file to us. The error is the report of the differences.
fn check_file(family: &Family, path: &Path) -> Result<String, String> {
    let name = family.name;
    let content = fs::read_to_string(path).map_err(|e| format!("`{}`: {e}", path.display()))?;
    let mut tally = Tally::default();
    for (number, line) in (1..).zip(content.split('\n')) {
        if line.trim().is_empty() {
            continue;
        }
        let record: Record =
            serde_json::from_str(line).map_err(|e| format!("{name}, line {number}: {e}"))?;
        tally.begin(&record);
        (family.check)(&record, &mut tally);
    }
    tally.report(name)
}

/// The folder with the files of this run.
struct Folder {
    path: PathBuf,
    /// Whether somebody chose it.
    given: bool,
}

impl Folder {
    fn of_this_run() -> Self {
        match reference::folder() {
            Some(folder) => Self { path: folder.join("golden"), given: true },
            None => {
                Self { path: Path::new(env!("CARGO_MANIFEST_DIR")).join("golden"), given: false }
            }
        }
    }

    /// Names of the files without their ending.
    fn names(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(&self.path)
            .unwrap_or_else(|e| panic!("cannot read the folder `{}`: {e}", self.path.display()));
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned))
            .collect()
    }
}
