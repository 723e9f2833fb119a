//! A bar on the last line of a terminal.

use std::{
    io::{self, Write},
    sync::atomic::Ordering,
    time::Duration,
};

use qeval_pipeline::Step;

use super::{Display, Moment, OPEN};

/// Characters between the brackets.
const LENGTH: usize = 20;

/// Columns of a terminal that does not say how many it has.
const WIDTH: usize = 80;

/// One line that is written over.
pub(super) struct Bar;

impl Display for Bar {
    fn every(&self) -> Duration {
        Duration::from_millis(200)
    }

    fn show(&mut self, moment: &Moment) {
        let columns = terminal_size::terminal_size_of(io::stderr())
            .map_or(WIDTH, |(width, _)| usize::from(width.0));
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r{}\x1b[K", line(moment, columns.saturating_sub(1)));
        let _ = stderr.flush();
        OPEN.store(true, Ordering::Relaxed);
    }
}

/// What fits into so many columns.
fn line(moment: &Moment, columns: usize) -> String {
    let mut line = moment.view.step.name().to_owned();
    if moment.view.step == Step::Evaluating {
        if let Some(total) = moment.total {
            line = format!("{line} {}", drawn(moment.done / total.max(1) as f64));
        }
        line = format!("{line} {}", moment.counts());
        for more in moment.troubles().into_iter().chain(moment.means()) {
            let longer = format!("{line} | {more}");
            if longer.chars().count() > columns {
                break;
            }
            line = longer;
        }
    }
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(columns).collect()
}

fn drawn(share: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of the length"
    )]
    let full = (share.clamp(0.0, 1.0) * LENGTH as f64) as usize;
    format!("[{}{}]", "#".repeat(full), ".".repeat(LENGTH - full))
}

#[cfg(test)]
mod tests {
    use qeval_pipeline::{MeanSoFar, View};

    use super::{super::moment::Pace, *};

    #[test]
    fn a_line_has_what_fits() {
        let mut scores = qeval_core::stats::Preliminary::default();
        for score in [0.0, 1.0, 1.0, 1.0] {
            scores.add(score);
        }
        let mean =
            |column: &str| MeanSoFar { system: "s".to_owned(), column: column.to_owned(), scores };
        let view = View {
            step: Step::Evaluating,
            examples: 50,
            means: vec![mean("em"), mean("f1")],
            ..View::default()
        };
        let moment = Moment::new(view, Some(200), Duration::ZERO, &mut Pace::default());
        let whole = "evaluating [#####...............] 50 of 200 examples | em 0.750 ±0.490 | f1 \
                     0.750 ±0.490";
        assert_eq!(line(&moment, 200), whole);
        let first = "evaluating [#####...............] 50 of 200 examples | em 0.750 ±0.490";
        assert_eq!(line(&moment, 75), first);
        assert_eq!(line(&moment, 10), "evaluating");
        assert_eq!(line(&moment, 0), "");
    }
}
