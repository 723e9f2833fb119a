//! Progress on stderr while an evaluation runs: a bar on a terminal, now and then a line where there
//! is none, JSON for programs.

mod bar;
mod json;
mod lines;
mod moment;

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Condvar, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use clap::ValueEnum;
use qeval_pipeline::{Event, Plan, Watch};

use moment::{Moment, Pace};

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// A bar where stderr is a terminal, else lines.
    #[default]
    Auto,
    /// One line that is written over.
    Bar,
    /// A line every half a minute.
    Lines,
    /// A JSON object on a line, every second and whenever something happens.
    Json,
    /// Not at all.
    None,
}

/// Shows a run at one moment.
trait Display: Send {
    /// How long until the next one is shown.
    fn every(&self) -> Duration;

    /// Shows it. What cannot be written is no reason to stop.
    fn show(&mut self, moment: &Moment);
}

/// A run that is longer than this, and not faster than [`FAST`], has its examples counted.
const SHORT: Duration = Duration::from_secs(2);

/// Examples a second. Counting, which reads the dataset once more, takes a part of the time that a
/// faster run has.
const FAST: f64 = 20_000.0;

/// Whether a bar stands on the last line of the terminal.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Does work that is shown while it goes on.
pub(crate) fn watched<T>(form: Form, plan: &Plan, work: impl FnOnce(&Watch) -> T) -> T {
    let watch = Watch::default();
    let Some(mut display) = form.display() else { return work(&watch) };
    let (over, total) = (Over::default(), OnceLock::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            if !over.wait(SHORT)
                && watch.view(plan).examples as f64 / SHORT.as_secs_f64() < FAST
                && let Some(count) = plan.count_examples(&|| over.is_set())
            {
                let _ = total.set(count);
            }
        });
        scope.spawn(|| {
            let (begun, mut pace) = (Instant::now(), Pace::default());
            while !over.wait(display.every()) {
                let view = watch.view(plan);
                display.show(&Moment::new(view, total.get().copied(), begun.elapsed(), &mut pace));
            }
            clear();
        });
        let _over = SetOnDrop(&over);
        work(&watch)
    })
}

/// Says what has happened.
pub(crate) fn tell(form: Form, event: &Event) {
    if form == Form::Json {
        json::tell(event);
    }
}

/// Says where the answers of live readers came from, where that is no matter of course: some are
/// of earlier runs, or this run has failed and the next one will use them.
pub(crate) fn show_answers(events: &[Event], failed: bool) {
    for event in events {
        let Event::Answers { reader, asked, kept, earlier, path } = event else { continue };
        let mut stderr = io::stderr().lock();
        // What cannot be written is no reason to fail.
        let _ = match (failed, earlier, kept) {
            (true, _, 0) | (false, 0, _) => Ok(()),
            (true, ..) => writeln!(
                stderr,
                "reader `{reader}`: {kept} new answers are kept in `{}`; the next evaluation uses them",
                path.display()
            ),
            (false, ..) => writeln!(
                stderr,
                "reader `{reader}`: {asked} questions were asked, {earlier} answers are of earlier \
                 evaluations (--fresh asks again)"
            ),
        };
    }
}

/// Clears the bar, so that what follows begins on an empty line.
pub(crate) fn clear() {
    if OPEN.swap(false, Ordering::Relaxed) {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

/// Stderr for the log: a bar goes before a line comes.
pub(crate) struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        clear();
        io::stderr().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl Form {
    fn display(self) -> Option<Box<dyn Display>> {
        let terminal = io::stderr().is_terminal();
        let dumb = || crate::terminal::variable("TERM").is_some_and(|term| term == "dumb");
        match self {
            Self::Auto if terminal && !dumb() => Some(Box::new(bar::Bar)),
            Self::Bar => Some(Box::new(bar::Bar)),
            Self::Auto | Self::Lines => Some(Box::new(lines::Lines::default())),
            Self::Json => Some(Box::new(json::Json::default())),
            Self::None => None,
        }
    }
}

/// Something that comes to an end, which several threads wait for.
#[derive(Default)]
struct Over {
    set: Mutex<bool>,
    changed: Condvar,
}

/// It is over, also where the work panics.
struct SetOnDrop<'a>(&'a Over);

impl Over {
    /// Waits for the end, so long at the most, and says whether it has come.
    fn wait(&self, most: Duration) -> bool {
        let set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(set, most, |set| !*set);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn is_set(&self) -> bool {
        *self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        *self.0.set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}
