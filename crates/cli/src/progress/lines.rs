//! A line now and then, where there is no terminal: a log is read later, and short runs leave nothing
//! in it.

use std::{
    io::{self, Write},
    time::Duration,
};

use qeval_pipeline::Step;

use super::{Display, Moment};

/// Lines on stderr.
#[derive(Default)]
pub(super) struct Lines {
    /// Whether there was one.
    begun: bool,
}

impl Display for Lines {
    fn every(&self) -> Duration {
        Duration::from_secs(if self.begun { 30 } else { 10 })
    }

    fn show(&mut self, moment: &Moment) {
        self.begun = true;
        let _ = writeln!(io::stderr(), "{}", line(moment));
    }
}

fn line(moment: &Moment) -> String {
    let mut line = moment.view.step.name().to_owned();
    if moment.view.step == Step::Evaluating {
        line = format!("{line}: {}", moment.counts());
        for more in moment.troubles() {
            line = format!("{line}; {more}");
        }
        let means = moment.means();
        if !means.is_empty() {
            line = format!("{line}; so far {}", means.join(", "));
        }
    }
    line
}
