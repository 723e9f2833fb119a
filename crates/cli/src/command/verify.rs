//! `qeval verify`: whether stored evaluations are what was written.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use qeval_store::{Defect, Evaluation, Verification};
use serde_json::{Value, json};

use crate::args::{Format, Verify};

pub(crate) fn run(args: &Verify) -> Result<()> {
    let mut folders = Vec::new();
    for evaluation in &args.evaluations {
        for folder in super::report::folders(&args.results, evaluation)? {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    let (mut text, mut values, mut wrong) = (String::new(), Vec::new(), 0);
    for folder in &folders {
        let found = qeval_store::verify(folder)?;
        let id = Evaluation::open(folder)?.manifest().evaluation_id.clone();
        wrong += usize::from(!found.is_right());
        match args.format {
            Format::Terminal => describe(&id, &found, &mut text),
            Format::Json => values.push(value(&id, &folder.to_string_lossy(), &found)),
        }
    }
    if args.format == Format::Json {
        text = serde_json::to_string_pretty(&json!({"version": 1, "evaluations": values}))?;
        text.push('\n');
    }
    super::print(&text)?;
    if wrong > 0 {
        bail!("{wrong} of {} evaluations are not what was written", folders.len());
    }
    Ok(())
}

/// One line where all is right; else one for each problem.
fn describe(id: &str, found: &Verification, text: &mut String) {
    let Verification { files, rows, more, not_recomputed, .. } = found;
    let state = if found.is_right() { "right" } else { "not right" };
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let (s_of_files, s_of_rows) = (plural(*files as u64), plural(*rows));
    let _ = write!(text, "{id}: {state} ({files} file{s_of_files}, {rows} example{s_of_rows})");
    if !not_recomputed.is_empty() {
        let names: Vec<String> = not_recomputed.iter().map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        let _ = write!(text, "; only their plugin can make the summaries of {names} again");
    }
    text.push('\n');
    for Defect { file, row, example, message } in &found.defects {
        let _ = write!(text, "  {}", if file.is_empty() { "the folder" } else { file });
        if let Some(row) = row {
            let _ = write!(text, ", row {row}");
        }
        if let Some(example) = example {
            let _ = write!(text, ", example `{example}`");
        }
        let _ = writeln!(text, ": {message}");
    }
    if *more > 0 {
        let _ = writeln!(text, "  and {more} more");
    }
}

fn value(id: &str, folder: &str, found: &Verification) -> Value {
    let defect = |Defect { file, row, example, message }: &Defect| json!({"file": file, "row": row, "example": example, "message": message});
    json!({
        "evaluation_id": id,
        "folder": folder,
        "right": found.is_right(),
        "files": found.files,
        "examples": found.rows,
        "problems": found.defects.iter().map(defect).collect::<Vec<_>>(),
        "more_problems": found.more,
        "not_recomputed": found.not_recomputed,
        "intervals_not_recomputed": found.intervals_not_recomputed,
    })
}
