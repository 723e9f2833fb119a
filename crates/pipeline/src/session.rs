//! The runtime of one run of the program: where components wait, and how a user stops them.

use std::path::PathBuf;

use qeval_process::Stop;
use tokio::runtime::{Builder, Runtime};

use crate::Surroundings;

/// Bytes of predictions files that are kept in memory, unless somebody says otherwise. In memory they
/// take some times as much.
const HELD_PREDICTIONS: u64 = 64 << 20;

/// A runtime that watches for the user's wish to stop.
pub struct Session {
    runtime: Runtime,
    stop: Stop,
}

impl Session {
    /// Starts the runtime. From here on SIGINT and SIGTERM stop the evaluation: nobody
    /// waits for components any more, and it ends with the batch. A second signal ends the program
    /// at once.
    pub fn start() -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let stop = Stop::default();
        let wish = stop.clone();
        runtime.spawn(async move {
            while signal().await.is_ok() {
                if wish.set() {
                    // The first signal asked politely and somebody asks again.
                    std::process::abort();
                }
                tracing::warn!("stopping; a second signal ends the program at once");
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
