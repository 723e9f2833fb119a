//! The runtime of one run of the program: where components wait, and how a user stops them.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::runtime::{Builder, Runtime};

use crate::Surroundings;

/// A runtime that watches for the user's wish to stop.
pub struct Session {
    runtime: Runtime,
    stop: Arc<AtomicBool>,
}

impl Session {
    /// Starts the runtime. From here on SIGINT and SIGTERM stop the evaluation between two
    /// batches; a second signal ends the program at once.
    pub fn start() -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let stop = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&stop);
        runtime.spawn(async move {
            while signal().await.is_ok() {
                if set.swap(true, Ordering::Relaxed) {
                    // The first signal asked politely and somebody asks again.
                    std::process::abort();
                }
                tracing::warn!("stopping after the batch that is being evaluated");
            }
        });
        Ok(Self { runtime, stop })
    }

    /// Set once the user wants to stop.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// What a plan is given of the machine.
    pub fn surroundings(
        &self,
        plugin_host: PathBuf,
        variable: fn(&str) -> Option<String>,
    ) -> Surroundings {
        Surroundings { plugin_host, runtime: self.runtime.handle().clone(), variable }
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
