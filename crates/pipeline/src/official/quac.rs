//! QuAC's `scorer.py`.

use std::fmt::Write as _;

use qeval_core::{Value, metrics::quac};
use qeval_dataset::{DatasetFormat, PredictionFormat, Predictions, Record};

use super::{Files, Output, Stop, percent, refused};

/// Columns of the dataset that hold the dialog acts.
const COLUMNS: [&str; 2] = ["yesno", "followup"];

/// Human F1 below which the script leaves a question out.
const MIN_F1: f64 = 0.4;

const RULE: &str = "=======================\n";

/// What the script collects, in its own lists.
#[derive(Default)]
struct Lists {
    f1: Vec<f64>,
    unfiltered: Vec<f64>,
    human: Vec<f64>,
    unanswerable: Vec<f64>,
    /// Whether the act of each kind is right.
    acts: [Vec<f64>; 2],
    questions: u64,
    human_level: u64,
    dialogs: u64,
    good_dialogs: u64,
}

/// The script's summary. A question without a prediction is named on stdout, as the script does.
pub(super) fn evaluate(files: &Files<'_>) -> Result<Output, Stop> {
    let records = files.records(DatasetFormat::Quac, &COLUMNS)?;
    let predictions = files.predictions(PredictionFormat::Quac)?;
    let mut lists = Lists::default();
    let mut stdout = String::new();
    for dialog in records.chunk_by(|a, b| a.example.group == b.example.group) {
        let mut good = true;
        for record in dialog {
            good &= lists.add(&predictions, record, &mut stdout)?;
        }
        lists.dialogs += 1;
        lists.good_dialogs += u64::from(good);
    }
    for (list, what) in [(&lists.f1, "question"), (&lists.unanswerable, "unanswerable question")] {
        if list.is_empty() {
            return Err(refused(format!("it divides by the number of {what}s, which is 0")));
        }
    }
    stdout.push_str(RULE);
    lists.print(&mut stdout);
    stdout.push_str(RULE);
    Ok(Output { stdout, stderr: String::new() })
}

impl Lists {
    /// Adds a question; whether it leaves its dialog a good one.
    fn add(
        &mut self,
        predictions: &Predictions,
        record: &Record,
        out: &mut String,
    ) -> Result<bool, Stop> {
        let example = &record.example;
        let references = || example.reference_texts();
        let cannot = quac::settle(references().collect()) == ["CANNOTANSWER"];
        let prediction = predictions.get(&example.id);
        let text = prediction.map_or("", |prediction| prediction.text.as_str());
        let agreement = quac::agreement(text, references())
            .ok_or_else(|| refused(format!("question `{}` has no answer", example.id)))?;
        let agreed = agreement.human_f1 >= MIN_F1;
        let Some(prediction) = prediction else {
            let dialog = example.group.as_deref().unwrap_or_default();
            let _ = writeln!(out, "{dialog} {} no prediction for this dialogue id", example.id);
            self.f1.push(0.0);
            self.unfiltered.push(0.0);
            self.acts.iter_mut().for_each(|acts| acts.push(0.0));
            self.unanswerable.extend(cannot.then_some(0.0));
            self.human.extend(agreed.then_some(agreement.human_f1));
            self.questions += 1;
            return Ok(false);
        };
        if prediction.span_alone().is_some() {
            return Err(refused(format!(
                "the prediction of question `{}` has no `best_span_str`",
                example.id
            )));
        }
        self.unfiltered.push(agreement.prediction_f1);
        if !agreed {
            return Ok(true);
        }
        for (act, right) in COLUMNS.into_iter().zip(&mut self.acts) {
            let given = prediction.labels.get(act).map(String::as_str);
            let gold = example.columns.get(act).and_then(|act| match act {
                Value::Text(act) => Some(act.as_str()),
                _ => None,
            });
            right.push(f64::from(given == gold));
        }
        self.f1.push(agreement.prediction_f1);
        self.human.push(agreement.human_f1);
        self.unanswerable.extend(cannot.then_some(agreement.prediction_f1));
        let human_level = agreement.human_level();
        self.questions += 1;
        self.human_level += u64::from(human_level);
        Ok(human_level)
    }

    fn print(&self, out: &mut String) {
        let [yes_no, followup] = &self.acts;
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole as f64;
        let _ = writeln!(out, "Overall F1: {:.1}", percent(&self.f1));
        let _ = writeln!(out, "Yes/No Accuracy : {:.1}", percent(yes_no));
        let _ = writeln!(out, "Followup Accuracy : {:.1}", percent(followup));
        let (all, unanswerable) = (self.unfiltered.len(), self.unanswerable.len());
        let unfiltered = percent(&self.unfiltered);
        let _ = writeln!(out, "Unfiltered F1 ({all} questions): {unfiltered:.1}");
        // The script prints the percent sign twice.
        let accuracy = percent(&self.unanswerable);
        let _ = writeln!(
            out,
            "Accuracy On Unanswerable Questions: {accuracy:.1} %% ({unanswerable} questions)"
        );
        let _ = writeln!(out, "Human F1: {:.1}", percent(&self.human));
        for (what, part, whole) in [
            ("Questions", self.human_level, self.questions),
            ("Dialogs", self.good_dialogs, self.dialogs),
        ] {
            let percent = share(part, whole);
            let _ = writeln!(out, "Model F1 >= Human F1 ({what}): {part} / {whole}, {percent:.1}%");
        }
    }
}
