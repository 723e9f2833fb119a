//! People's verdicts on the answers of systems: against the accuracies that are published of them,
//! and beside the order in which metrics put the systems.

mod order;

use std::{fs, process::Command};

use anyhow::Result;

use super::{Setting, check::Check, qeval};
use crate::shell;

/// System, and the accuracy on proper questions that is published, in percent.
const SYSTEMS: [(&str, f64); 5] =
    [("fid", 68.94), ("gpt35", 65.50), ("chatgpt", 72.98), ("gpt4", 78.84), ("newbing", 79.93)];

/// Makes files of the answers that people judged.
const JUDGED: &str = include_str!("nq301.py");

/// Metrics whose order of systems is compared with that of people.
const METRICS: [&str; 3] = ["EM", "F1", "Contains"];

/// Kendall's tau of the order by people with that by each metric, as scipy's `kendalltau` has it of
/// these means.
const EVOUNA_TAU: [f64; 3] = [-0.7379, -0.2, 0.2];
const NQ301_TAU: [f64; 3] = [0.3817, 0.5758, 0.3385];

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    evouna(setting, check)?;
    nq301(setting, check)
}

fn evouna(setting: &Setting, check: &mut Check) -> Result<()> {
    let mut systems = Vec::new();
    let place = setting.folder("evouna")?;
    let data = setting.shared.join("data/evouna-nq/NQ.json.gz").canonicalize()?;
    for (system, accuracy) in SYSTEMS {
        let file = format!(
            "version = 1\n[evaluation]\nresults = \"results-{system}\"\n[dataset]\n\
             format = \"evouna\"\npath = \"{}\"\nslices = [\"improper\"]\n\
             fields = {{ prediction = \"answer_{system}\", verdict = \"judge_{system}\" }}\n\
             [reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"Verdict\", \"EM\", \"F1\", \"Contains\"]\n",
            data.display()
        );
        let config = place.join(format!("{system}.toml"));
        fs::write(&config, file)?;
        let mut run = Command::new(&setting.qeval);
        run.arg("run").arg(&config);
        let results = place.join(format!("results-{system}"));
        let evaluation = qeval::run(setting, &mut run, &results)?;
        let proper = Some(("improper", "false"));
        let ours = 100.0 * evaluation.mean("Verdict", proper)?;
        check.close(&format!("{system}: accuracy by people"), ours, accuracy, 0.005);
        systems.push(means(system, &evaluation, proper)?);
    }
    order::compare(check, "EVOUNA", &METRICS, &systems, &EVOUNA_TAU);
    Ok(())
}

/// Twelve systems on the questions on which all their answers were judged.
fn nq301(setting: &Setting, check: &mut Check) -> Result<()> {
    let place = setting.folder("nq301")?;
    let data = setting.shared.join("data/openqa-eval-nq301");
    let names =
        shell::output(Command::new(&setting.python).args(["-c", JUDGED]).arg(&data).arg(&place))?;
    let mut systems = Vec::new();
    for system in names.lines() {
        let results = place.join(format!("results-{system}"));
        let metrics = ["Verdict", "EM", "F1", "Contains"].map(str::to_owned);
        let mut score = qeval::score(setting, &metrics, &results);
        let file = place.join(format!("{system}.jsonl"));
        score.args(["--dataset-format", "jsonl", "--dataset"]).arg(&file);
        score.arg("--predictions").arg(&file);
        let evaluation = qeval::run(setting, &mut score, &results)?;
        systems.push(means(system, &evaluation, None)?);
    }
    order::compare(check, "OpenQA-eval", &METRICS, &systems, &NQ301_TAU);
    Ok(())
}

fn means(
    system: &str,
    evaluation: &qeval::Evaluation,
    slice: Option<(&str, &str)>,
) -> Result<order::Means> {
    let metrics = METRICS.iter().map(|metric| evaluation.mean(metric, slice));
    Ok(order::Means {
        system: system.to_owned(),
        people: evaluation.mean("Verdict", slice)?,
        metrics: metrics.collect::<Result<_>>()?,
    })
}
