//! SQuAD 1.1's `evaluate-v1.1.py`.

use std::fmt::Write as _;

use qeval_core::Case;
use qeval_dataset::DatasetFormat;

use super::{Files, Output, Stop, Texts, metric, percent, python::Printed, refused};

/// One line of JSON. A question without a prediction is named and scores 0.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let records = files.records(DatasetFormat::Squad, &[])?;
    let predictions = Texts::read(files)?;
    let (exact_match, f1) = (metric("SQuAD1.EM"), metric("SQuAD1.F1"));
    let (mut exact_matches, mut f1s) = (Vec::new(), Vec::new());
    let mut stderr = String::new();
    for record in &records {
        let id = &record.example.id;
        let Some(prediction) = predictions.get(id)? else {
            let _ = writeln!(stderr, "Unanswered question {id} will receive score 0.");
            exact_matches.push(0.0);
            f1s.push(0.0);
            continue;
        };
        let case = Case::new(&record.example).with_prediction(&prediction);
        let scores = exact_match.score(&case).and_then(|exact| Ok((exact, f1.score(&case)?)));
        let (exact, f1) = scores.map_err(|_| refused(format!("question `{id}` has no answer")))?;
        exact_matches.push(exact);
        f1s.push(f1);
    }
    let means = [("exact_match", percent(&exact_matches)), ("f1", percent(&f1s))];
    Ok(Output { stdout: Printed::of_floats(means).json(), stderr })
}
