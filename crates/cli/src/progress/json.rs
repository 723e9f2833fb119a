//! JSON objects on stderr, one on a line, for programs that show progress in their own way. Their
//! fields are those of `docs/json-output.md`.

use std::{
    io::{self, Write},
    time::Duration,
};

use qeval_pipeline::{Calls, Event, MeanSoFar};
use serde_json::{Value, json};

use super::{Display, Moment};

/// Objects on stderr.
#[derive(Default)]
pub(super) struct Json {
    /// Whether there was one.
    begun: bool,
}

impl Display for Json {
    fn every(&self) -> Duration {
        // A run that is over at once says so much all the same.
        if self.begun { Duration::from_secs(1) } else { Duration::ZERO }
    }

    fn show(&mut self, moment: &Moment) {
        self.begun = true;
        write(&progress(moment));
    }
}

/// Says what has happened.
pub(super) fn tell(event: &Event) {
    write(&match event {
        Event::Answers { reader, asked, kept, earlier, path } => json!({
            "event": "answers",
            "reader": reader,
            "asked": asked,
            "kept": kept,
            "of_earlier_runs": earlier,
            "path": path.display().to_string(),
        }),
        Event::Stored { id } => json!({"event": "stored", "evaluation_id": id}),
    });
}

fn progress(moment: &Moment) -> Value {
    let view = &moment.view;
    json!({
        "event": "progress",
        "step": view.step.name(),
        "elapsed_s": moment.elapsed.as_secs_f64(),
        "examples": view.examples,
        "answers": view.answers,
        "examples_total": moment.total,
        "examples_per_s": moment.rate,
        "left_s": moment.left(),
        "failed": view.failed,
        "means": view.means.iter().map(mean).collect::<Vec<_>>(),
        "services": view.services.iter().map(service).collect::<Vec<_>>(),
    })
}

fn mean(mean: &MeanSoFar) -> Value {
    json!({
        "system": mean.system,
        "column": mean.column,
        "count": mean.scores.count(),
        "mean": mean.scores.mean(),
        "margin": mean.scores.margin(),
    })
}

fn service((name, calls): &(String, Calls)) -> Value {
    json!({
        "name": name,
        "running": calls.running,
        "waiting": calls.waiting,
        "answered": calls.answered,
        "failed": calls.failed,
        "repeated": calls.retried,
        "requests": calls.spent.requests,
    })
}

fn write(object: &Value) {
    let _ = writeln!(io::stderr(), "{object}");
}
