//! The runtime of one run of the program: where components wait, and how a user stops them.

use std::{path::PathBuf, time::Duration};

use qeval_process::Stop;
use tokio::runtime::{Builder, Runtime};

use crate::Surroundings;

/// Bytes of predictions files that are kept in memory, unless somebody says otherwise. In memory they
/// take some times as much.
const HELD_PREDICTIONS: u64 = 64 << 20;

/// How long the work has to end by itself when somebody asks it to. What is on the disk is as good
/// after a sudden end as after any other, so nothing is won by waiting longer.
const GRACE: Duration = Duration::from_millis(800);

/// A runtime that watches for the user's wish to stop.
pub struct Session {
    runtime: Runtime,
    stop: Stop,
}

impl Session {
    /// Starts the runtime. From here on SIGINT and SIGTERM stop the evaluation: nobody
    /// waits for components any more, and it ends with the batch. Work that does not look whether it
    /// should stop, such as the sorting of millions of rows, ends within a second all the same: `late`
    /// is called then, which must end the program. A second signal ends it at once.
    pub fn start(late: impl FnOnce() + Send + 'static) -> std::io::Result<Self> {
        #[cfg(unix)]
        files_can_be_opened()?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let stop = Stop::default();
        let wish = stop.clone();
        runtime.spawn(async move {
            if signal().await.is_err() {
                return;
            }
            wish.set();
            tracing::warn!("stopping; a second signal ends the program at once");
            tokio::select! {
                // The first signal asked politely and somebody asks again.
                Ok(()) = signal() => std::process::abort(),
                () = tokio::time::sleep(GRACE) => late(),
            }
        });
        Ok(Self { runtime, stop })
    }

    /// Where calls of the network are waited for.
    pub fn runtime(&self) -> &tokio::runtime::Handle {
        self.runtime.handle()
    }

    /// Set once the user wants to stop.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// What a plan is given of the machine.
    pub fn surroundings(
        &self,
        plugin_host: PathBuf,
        variable: fn(&str) -> Option<String>,
    ) -> Surroundings {
        let (runtime, stop) = (self.runtime.handle().clone(), self.stop.clone());
        let held_predictions = HELD_PREDICTIONS;
        Surroundings { plugin_host, runtime, stop, plugins: true, held_predictions, variable }
    }
}

/// Opens as many files as the runtime does, which panics where it may not.
#[cfg(unix)]
fn files_can_be_opened() -> std::io::Result<()> {
    const OPENED: usize = 8;
    let open = |_| std::fs::File::open("/dev/null");
    (0..OPENED).map(open).collect::<std::io::Result<Vec<_>>>().map(drop)
}

#[cfg(unix)]
async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
