//! People's verdicts on five systems (EVOUNA), against the accuracies that are published of them.

use std::{fs, process::Command};

use anyhow::Result;

use super::{Setting, check::Check, qeval};

/// System, and the accuracy on proper questions that is published, in percent.
const SYSTEMS: [(&str, f64); 5] =
    [("fid", 68.94), ("gpt35", 65.50), ("chatgpt", 72.98), ("gpt4", 78.84), ("newbing", 79.93)];

pub(super) fn run(setting: &Setting, check: &mut Check) -> Result<()> {
    let place = setting.folder("evouna")?;
    let data = setting.shared.join("data/evouna-nq/NQ.json.gz").canonicalize()?;
    for (system, accuracy) in SYSTEMS {
        let file = format!(
            "version = 1\n[evaluation]\nresults = \"results-{system}\"\n[dataset]\n\
             format = \"evouna\"\npath = \"{}\"\nslices = [\"improper\"]\n\
             fields = {{ prediction = \"answer_{system}\", verdict = \"judge_{system}\" }}\n\
             [reader]\ntype = \"replay\"\n[metrics]\nanswer = [\"Verdict\", \"EM\", \"F1\"]\n",
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
        let (em, f1) = (evaluation.mean("EM", proper)?, evaluation.mean("F1", proper)?);
        check.note(format!(
            "{system}: people {ours:.2}, EM {:.2}, F1 {:.2}",
            100.0 * em,
            100.0 * f1
        ));
    }
    Ok(())
}
