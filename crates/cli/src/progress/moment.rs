//! A run at one moment, with what the moments before it say of its pace.

use std::{collections::VecDeque, fmt::Write as _, time::Duration};

use qeval_pipeline::{MeanSoFar, Step, View};

/// The pace is that of the last half a minute: answers of an earlier run come all at once.
const RECENT: Duration = Duration::from_secs(30);

/// Means that a line has room for.
const MEANS: usize = 4;

/// A run at one moment.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub(super) view: View,
    /// Examples in all, where they are counted.
    pub(super) total: Option<u64>,
    /// Since the run began.
    pub(super) elapsed: Duration,
    /// Examples that are done, with the share of those whose answers are there.
    pub(super) done: f64,
    /// Examples a second; `None` where it is too early to say.
    pub(super) rate: Option<f64>,
}

/// How much was done when.
#[derive(Debug, Default)]
pub(super) struct Pace(VecDeque<(Duration, f64)>);

impl Moment {
    pub(super) fn new(view: View, total: Option<u64>, elapsed: Duration, pace: &mut Pace) -> Self {
        let examples = view.examples as f64;
        // The examples of a batch are done together; the answers come one by one.
        let answered = match view.asked_per_example {
            0 => 0.0,
            asked => view.answers as f64 / asked as f64,
        };
        let done = examples.max(answered).min(total.map_or(f64::INFINITY, |total| total as f64));
        let rate = if view.step == Step::Evaluating { pace.at(elapsed, done) } else { None };
        Self { view, total, elapsed, done, rate }
    }

    /// Seconds until all examples are done.
    pub(super) fn left(&self) -> Option<f64> {
        let (total, rate) = (self.total?, self.rate.filter(|&rate| rate > 0.0)?);
        Some((total as f64 - self.done).max(0.0) / rate)
    }

    /// How far it is, in words.
    pub(super) fn counts(&self) -> String {
        let done = grouped(self.done.floor());
        let mut text = match self.total {
            Some(total) => format!("{done} of {} examples", grouped(total as f64)),
            None => format!("{done} examples"),
        };
        if let Some(rate) = self.rate {
            let digits = if rate < 10.0 { format!("{rate:.1}") } else { grouped(rate.round()) };
            let _ = write!(text, ", {digits} a second");
        }
        if let Some(left) = self.left() {
            let _ = write!(text, ", {} left", duration(left));
        }
        text
    }

    /// What the services and the components are doing, in words; one text for each.
    pub(super) fn troubles(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for (name, calls) in &self.view.services {
            let counts = [
                (calls.running, "running"),
                (calls.waiting, "waiting"),
                (calls.retried, "repeated"),
                (calls.failed, "failed"),
            ];
            let counts = counts.into_iter().filter(|&(count, _)| count > 0);
            let counts: Vec<String> =
                counts.map(|(count, what)| format!("{} {what}", grouped(count as f64))).collect();
            if !counts.is_empty() {
                texts.push(format!("{name}: {}", counts.join(", ")));
            }
        }
        if self.view.failed > 0 {
            texts.push(format!("{} examples failed", grouped(self.view.failed as f64)));
        }
        texts
    }

    /// The means so far, in words; one text for each.
    pub(super) fn means(&self) -> Vec<String> {
        let first = self.view.means.first().map(|mean| &mean.system);
        let several = self.view.means.iter().any(|mean| Some(&mean.system) != first);
        let text = |mean: &MeanSoFar| {
            let number = mean.scores.mean()?;
            let margin = mean.scores.margin();
            let margin = margin.map_or_else(String::new, |margin| format!(" ±{margin:.3}"));
            let system = if several { format!("{} ", mean.system) } else { String::new() };
            Some(format!("{system}{} {number:.3}{margin}", mean.column))
        };
        self.view.means.iter().filter_map(text).take(MEANS).collect()
    }
}

impl Pace {
    /// Notes how much is done now, and says how much that is a second.
    fn at(&mut self, now: Duration, done: f64) -> Option<f64> {
        self.0.push_back((now, done));
        while self.0.len() > 2 && now.saturating_sub(self.0[1].0) > RECENT {
            self.0.pop_front();
        }
        let &(since, before) = self.0.front()?;
        let seconds = now.saturating_sub(since).as_secs_f64();
        (seconds >= 1.0 && done > before).then(|| (done - before) / seconds)
    }
}

/// A whole number with commas between thousands.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time in the unit that says enough.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{:.0} s", seconds.ceil()),
        ..5400.0 => format!("{:.0} min", (seconds / 60.0).ceil()),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use qeval_pipeline::Calls;

    use super::*;

    fn view(examples: u64) -> View {
        View { step: Step::Evaluating, examples, ..View::default() }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_pace_is_that_of_the_last_half_a_minute() {
        let mut pace = Pace::default();
        let mut at =
            |second, done| Moment::new(view(done), Some(10_000), seconds(second), &mut pace).rate;
        assert_eq!(at(0, 0), None);
        assert_eq!(at(1, 1000), Some(1000.0));
        assert_eq!(at(31, 1300), Some(1300.0 / 31.0));
        assert_eq!(at(41, 1400), Some(10.0));
    }

    #[test]
    fn answers_count_before_their_batch_is_done() {
        let view = View { asked_per_example: 2, answers: 61, ..view(0) };
        let mut pace = Pace::default();
        let moment = Moment::new(view.clone(), Some(100), seconds(0), &mut pace);
        assert_eq!((moment.done, moment.counts().as_str()), (30.5, "30 of 100 examples"));
        let view = View { answers: 121, ..view };
        let moment = Moment::new(view, Some(100), seconds(10), &mut pace);
        assert_eq!(moment.counts(), "60 of 100 examples, 3.0 a second, 14 s left");
    }

    #[test]
    fn what_is_wrong_is_said_and_what_is_not_is_left_out() {
        let calls = Calls { running: 4, waiting: 1200, failed: 1, ..Calls::default() };
        let services = vec![("quiet".to_owned(), Calls::default()), ("model".to_owned(), calls)];
        let view = View { services, failed: 3, ..view(0) };
        let moment = Moment::new(view, None, seconds(0), &mut Pace::default());
        let expected = ["model: 4 running, 1,200 waiting, 1 failed", "3 examples failed"];
        assert_eq!(moment.troubles(), expected);
    }

    #[test]
    fn numbers_and_times_are_easy_to_read() {
        assert_eq!(
            [0.0, 999.0, 1000.0, 1_234_567.0].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
        let times = [0.2, 89.0, 91.0, 5399.0, 9000.0].map(duration);
        assert_eq!(times, ["1 s", "89 s", "2 min", "90 min", "2.5 h"]);
    }
}
