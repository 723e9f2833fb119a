//! Copies one file.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    time::Duration,
};

use futures_util::StreamExt;
use object_store::{Error, ObjectStoreExt};
use tokio::runtime::Handle;
use url::Url;

use crate::store::{Located, locate};

/// Time in which some bytes must come.
const STALLED: Duration = Duration::from_mins(1);

/// How often somebody who wants to stop is asked.
const LOOK: Duration = Duration::from_millis(50);

/// Most characters of what a store says that are shown.
const SHOWN: usize = 300;

/// Why a file could not be copied. The address is without what may be secret in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{address}`: {message}")]
pub struct FetchError {
    /// The address without its query.
    pub address: String,
    /// What is wrong, as a fragment.
    pub message: String,
    /// What to do about it, where we know.
    pub hint: Option<String>,
}

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
) -> Result<u64, FetchError> {
    let shown = address.split(['?', '#']).next().unwrap_or_default().to_owned();
    let failed = |message: String, hint: Option<&str>| FetchError {
        address: shown.clone(),
        message,
        hint: hint.map(str::to_owned),
    };
    let url =
        Url::parse(address).map_err(|error| failed(format!("is no address: {error}"), None))?;
    if !url.username().is_empty() || url.password().is_some() {
        // It would be in the file, and in every message.
        let hint = "credentials come from the environment";
        let (_, behind) = shown.split_once('@').unwrap_or_default();
        return Err(FetchError {
            address: format!("{}://...@{behind}", url.scheme()),
            message: "has a name or a password in it".to_owned(),
            hint: Some(hint.to_owned()),
        });
    }
    let run = async {
        let copied = tokio::select! {
            copied = copy(&url, settings, to) => copied,
            () = until(stopped) => Err(Failure::Stopped),
        };
        copied.map_err(|failure| match failure {
            Failure::Stopped => failed("was not copied: stopped".to_owned(), None),
            Failure::Stalled => {
                let message = format!("no more bytes came for {} seconds", STALLED.as_secs());
                failed(message, Some("run it again; what is copied whole is evaluated"))
            }
            Failure::Write(error) => failed(
                format!("cannot be written to a temporary file: {error}"),
                Some("the environment variable `TMPDIR` names a folder with more room"),
            ),
            Failure::Store(error) => {
                let (message, hint) = described(&error, &url, settings);
                failed(message, hint)
            }
        })
    };
    runtime.block_on(run)
}

enum Failure {
    Stopped,
    Stalled,
    Write(io::Error),
    Store(Error),
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

async fn until(stopped: &dyn Fn() -> bool) {
    while !stopped() {
        tokio::time::sleep(LOOK).await;
    }
}

/// What a store said, and what to do about it.
fn described(
    error: &Error,
    url: &Url,
    settings: &[(String, String)],
) -> (String, Option<&'static str>) {
    let credentials = match url.scheme() {
        "s3" => {
            "`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, perhaps `AWS_REGION` and \
             `AWS_ENDPOINT_URL`, come from the environment; `AWS_SKIP_SIGNATURE=true` reads what is \
             public"
        }
        "gs" => {
            "`GOOGLE_APPLICATION_CREDENTIALS` or `GOOGLE_SERVICE_ACCOUNT` comes from the environment; \
             `GOOGLE_SKIP_SIGNATURE=true` reads what is public"
        }
        "az" => {
            "`AZURE_STORAGE_ACCOUNT_NAME` and `AZURE_STORAGE_ACCOUNT_KEY` or another credential come \
             from the environment; `AZURE_SKIP_SIGNATURE=true` reads what is public"
        }
        _ => "a signed address has its signature in it, and may have expired",
    };
    match error {
        Error::NotFound { .. } => {
            ("there is no such file".to_owned(), Some("compare it with what the store lists"))
        }
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            ("access is refused".to_owned(), Some(credentials))
        }
        error => {
            let mut cause: &dyn std::error::Error = error;
            while let Some(deeper) = cause.source() {
                cause = deeper;
            }
            let said = match cause.to_string() {
                said if said.is_empty() => error.to_string(),
                said => said,
            };
            let message = format!("cannot be read: {}", harmless(&said, url, settings));
            (message, (url.scheme() != "http" && url.scheme() != "https").then_some(credentials))
        }
    }
}

/// A message without what is secret, on one line and not too long.
fn harmless(said: &str, url: &Url, settings: &[(String, String)]) -> String {
    let mut said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(query) = url.query().filter(|query| !query.is_empty()) {
        said = said.replace(query, "...");
    }
    // A region or a truth value is no secret, and too short to be taken out of a text.
    for (_, value) in settings.iter().filter(|(_, value)| value.len() >= 16) {
        said = said.replace(value.as_str(), "...");
    }
    match said.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &said[..end]),
        None => said,
    }
}

#[cfg(test)]
mod tests;
