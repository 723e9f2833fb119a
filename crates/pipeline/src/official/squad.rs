//! SQuAD's two scripts.

use qeval_core::Case;

use super::{Input, Output, Refusal, metric, percent, python};

/// `evaluate-v1.1.py`: one line of JSON; a question without a prediction is named and scores 0.
pub(super) fn version_1(input: &Input) -> Result<Output, Refusal> {
    let (exact_match, f1) = (metric("SQuAD1.EM"), metric("SQuAD1.F1"));
    let (mut exact_matches, mut f1s) = (Vec::new(), Vec::new());
    let mut output = Output::default();
    for record in &input.records {
        let id = &record.example.id;
        let Some(prediction) = input.prediction(record) else {
            output.stderr.push(format!("Unanswered question {id} will receive score 0."));
            exact_matches.push(0.0);
            f1s.push(0.0);
            continue;
        };
        let case = Case::new(&record.example).with_prediction(prediction);
        let scores = exact_match.score(&case).and_then(|exact| Ok((exact, f1.score(&case)?)));
        let (exact, f1) = scores.map_err(|_| Refusal(format!("question `{id}` has no answer")))?;
        exact_matches.push(exact);
        f1s.push(f1);
    }
    let members = [
        ("exact_match", python::float(percent(&exact_matches))),
        ("f1", python::float(percent(&f1s))),
    ];
    output.stdout = python::json(&members, false);
    Ok(output)
}

/// `evaluate-v2.0.py` without probabilities: indented JSON, also for questions with and without
/// an answer. It cannot do without a prediction.
pub(super) fn version_2(input: &Input) -> Result<Output, Refusal> {
    let (exact, f1) = (metric("EM"), metric("F1"));
    let mut scores: Vec<(bool, f64, f64)> = Vec::new();
    for record in &input.records {
        let id = &record.example.id;
        let prediction = input
            .prediction(record)
            .ok_or_else(|| Refusal(format!("question `{id}` has no prediction")))?;
        let case = Case::new(&record.example).with_prediction(prediction);
        let both = exact.score(&case).and_then(|exact| Ok((exact, f1.score(&case)?)));
        let (exact, f1) = both.map_err(|reason| Refusal(format!("`{id}`: {reason}")))?;
        scores.push((record.example.answerable(), exact, f1));
    }
    let mut members = Vec::new();
    let mut add = |names: [&'static str; 3], wanted: Option<bool>| {
        let wanted = |score: &&(bool, f64, f64)| wanted.is_none_or(|wanted| score.0 == wanted);
        let own: Vec<_> = scores.iter().filter(wanted).collect();
        if !own.is_empty() {
            let exact: Vec<f64> = own.iter().map(|score| score.1).collect();
            let f1: Vec<f64> = own.iter().map(|score| score.2).collect();
            members.push((names[0], python::float(percent(&exact))));
            members.push((names[1], python::float(percent(&f1))));
            members.push((names[2], own.len().to_string()));
        }
    };
    add(["exact", "f1", "total"], None);
    add(["HasAns_exact", "HasAns_f1", "HasAns_total"], Some(true));
    add(["NoAns_exact", "NoAns_f1", "NoAns_total"], Some(false));
    Ok(Output { stdout: python::json(&members, true), stderr: Vec::new() })
}
