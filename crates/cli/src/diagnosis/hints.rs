//! What an evaluation cannot tell, and the lines of its file that would tell it.

use qeval_core::{Metric, Stage, diagnosis::Cause};
use qeval_report::Hint;
use qeval_store::Evaluation;

use super::{Row, isolated_column};

/// What is missing, the most important first.
pub(super) fn hints(evaluation: &Evaluation, rows: &[Row]) -> Vec<Hint> {
    let manifest = evaluation.manifest();
    let mut hints = Vec::new();
    let mut hint = |unknown: String, lines: &[&str]| {
        hints.push(Hint { unknown, lines: lines.iter().map(|&line| line.to_owned()).collect() });
    };
    let replayed = manifest.plan["reader"]["type"] == "replay";
    let retrieved = rows.iter().any(|row| row.retrieved);
    let answers = manifest.metrics.iter().filter(|column| {
        let known = column.name.parse::<Metric>();
        column.stage == Stage::Integrated
            && column.higher_is_better
            && known.is_ok_and(|metric| metric.pooled().is_none())
    });
    let answers: Vec<&str> = answers.map(|column| column.name.as_str()).collect();
    if !manifest.metrics.iter().any(|column| column.stage == Stage::Integrated) {
        hint(
            "Whether answers are right: nothing reads.".to_owned(),
            &["[reader]", "type = \"...\""],
        );
        return hints;
    }
    if manifest.diagnosis.is_none() && !answers.contains(&"EM") {
        let right = format!("right = \"{}\"", answers.first().copied().unwrap_or("EM"));
        hint(
            "When an answer is right: no metric says so.".to_owned(),
            &["[diagnosis]", &format!("{right}   # and `at_least`, the score from which on it is")],
        );
    }
    let unknown = rows.iter().filter_map(|row| row.finding);
    let unknown = unknown.filter(|finding| finding.cause == Cause::Unknown).count();
    if replayed && (unknown > 0 || (manifest.diagnosis.is_none() && !retrieved)) {
        let count =
            if unknown > 0 { format!("for {unknown} wrong answers ") } else { String::new() };
        hint(
            format!(
                "Whether retrieval or reading is to blame: {count}nobody knows which passages the \
                 reader saw."
            ),
            &["[reader]", "fields = { hits = \"context_ids\" }   # the column with their ids"],
        );
    }
    if manifest.diagnosis.is_some() && isolated_column(evaluation).is_none() {
        let lines: &[&str] = if replayed {
            &[
                "[reader]",
                "isolated_path = \"answers-on-gold.jsonl\"   # given on the gold passages alone",
            ]
        } else {
            &["[evaluation]", "stages = [\"retrieval\", \"isolated\", \"integrated\"]"]
        };
        hint(
            "What perfect retrieval would gain, and which errors are distraction: there are no answers on \
             the gold passages alone."
                .to_owned(),
            lines,
        );
    }
    if rows.iter().any(|row| row.answerable) && !rows.iter().any(|row| row.judged) {
        hint(
            "Whether a passage is evidence, but by the words of the references: there are no gold \
             passages."
                .to_owned(),
            &["[dataset]", "fields = { gold_passages = \"gold\" }   # or `qrels = \"qrels.txt\"`"],
        );
    }
    hints
}
