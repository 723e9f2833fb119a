//! How much memory a child takes, watched while its answer is waited for.

use std::{
    fs,
    time::{Duration, Instant},
};

use rustix::process::Pid;
use tokio::time::sleep_until;

/// How often it is looked at.
const EVERY: Duration = Duration::from_millis(20);

/// A limit for one process, and when it was last looked at.
#[derive(Debug)]
pub(crate) struct Watch {
    process: Pid,
    limit: u64,
    last: Instant,
}

impl Watch {
    /// Ends a wait once the process takes more bytes than this.
    pub(crate) fn new(process: Pid, limit: u64) -> Self {
        Self { process, limit, last: Instant::now() }
    }

    /// Waits until the process takes more than it may, which is the limit that is returned. Waits for
    /// ever where the system does not say what it takes.
    ///
    /// The time since the last look counts over several waits, so that a child that answers fast and
    /// grows slowly is looked at, too.
    pub(crate) async fn wait(&mut self) -> u64 {
        loop {
            sleep_until((self.last + EVERY).into()).await;
            self.last = Instant::now();
            if resident(self.process).is_some_and(|bytes| bytes > self.limit) {
                return self.limit;
            }
        }
    }
}

/// What is left of a limit that is there: waits for ever where there is none.
pub(crate) async fn exceeded(watch: Option<&mut Watch>) -> u64 {
    match watch {
        Some(watch) => watch.wait().await,
        None => std::future::pending().await,
    }
}

/// The memory of this machine in bytes, where the system says it.
pub fn memory_of_the_machine() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

/// Bytes of a process in memory and in swap, where the system says it.
fn resident(process: Pid) -> Option<u64> {
    let path = format!("/proc/{}/status", process.as_raw_nonzero());
    let status = fs::read_to_string(path).ok()?;
    Some(kilobytes(&status, "VmRSS:")? + kilobytes(&status, "VmSwap:").unwrap_or(0))
}

/// The number in the line that begins so, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_bytes() {
        let text = "Name:\tcat\nVmRSS:\t    1516 kB\nVmSwap:\t       0 kB\n";
        assert_eq!(kilobytes(text, "VmRSS:"), Some(1516 << 10));
        assert_eq!(kilobytes(text, "VmSwap:"), Some(0));
        assert_eq!(kilobytes(text, "VmLck:"), None);
        assert_eq!(kilobytes("VmRSS: x", "VmRSS:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_takes_some_of_the_machine() {
        let own = resident(rustix::process::getpid()).unwrap();
        assert!(own > 1 << 20 && own < memory_of_the_machine().unwrap(), "{own}");
    }
}
