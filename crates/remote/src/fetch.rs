//! Copies one file.

use std::{fs::File, io::Write, path::Path, time::Duration};

use futures_util::StreamExt;
use object_store::ObjectStoreExt;
use tokio::runtime::Handle;
use url::Url;

use crate::{
    call::{Failure, RemoteError, call},
    store::{Located, locate},
};

/// Time in which some bytes must come.
const STALLED: Duration = Duration::from_mins(1);

/// Copies the file at an address to `to`, and gives its bytes. `settings` are pairs such as
/// `AWS_REGION` and its value, of which those count that the store knows. `stopped` says that nobody
/// waits for it any more.
///
/// # Errors
///
/// An address that is none, a store that refuses or fails again and again, bytes that do not come, and
/// a file that cannot be written.
pub fn fetch(
    address: &str,
    settings: &[(String, String)],
    to: &Path,
    runtime: &Handle,
    stopped: &dyn Fn() -> bool,
) -> Result<u64, RemoteError> {
    call(address, settings, runtime, stopped, async |url| copy(url, settings, to).await)
}

async fn copy(url: &Url, settings: &[(String, String)], to: &Path) -> Result<u64, Failure> {
    let Located { store, path } = locate(url, settings).map_err(Failure::Store)?;
    let found = store.get(&path).await.map_err(Failure::Store)?;
    let mut file = File::create(to).map_err(Failure::Write)?;
    let (mut bytes, mut stream) = (0, found.into_stream());
    loop {
        let next = tokio::time::timeout(STALLED, stream.next()).await;
        let Some(chunk) = next.map_err(|_| Failure::Stalled)? else { return Ok(bytes) };
        let chunk = chunk.map_err(Failure::Store)?;
        file.write_all(&chunk).map_err(Failure::Write)?;
        bytes += chunk.len() as u64;
    }
}
