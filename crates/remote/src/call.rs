//! One dealing with a store: an address that is checked, an end to the wait, and errors without secrets.

use std::{io, time::Duration};

use object_store::Error;
use tokio::runtime::Handle;
use url::Url;

/// How often somebody who wants to stop is asked.
const LOOK: Duration = Duration::from_millis(50);

/// Most characters of what a store says that are shown.
const SHOWN: usize = 300;

/// Why a file could not be copied from a store or to it. The address is without what may be secret in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{address}`: {message}")]
pub struct RemoteError {
    /// The address without its query.
    pub address: String,
    /// What is wrong, as a fragment.
    pub message: String,
    /// What to do about it, where we know.
    pub hint: Option<String>,
}

/// What went wrong.
pub(crate) enum Failure {
    Stopped,
    Stalled,
    Write(io::Error),
    /// A file of this machine cannot be read.
    Read(io::Error),
    /// Something else is there already.
    Taken,
    Store(Error),
}

/// Does something with an address and waits for it.
pub(crate) fn call<T>(
    address: &str,
    settings: &[(String, String)],
    runtime: &Handle,
    stopped: &dyn Fn() -> bool,
    what: impl AsyncFnOnce(&Url) -> Result<T, Failure>,
) -> Result<T, RemoteError> {
    let shown = address.split(['?', '#']).next().unwrap_or_default().to_owned();
    let failed = |message: String, hint: Option<&str>| RemoteError {
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
        return Err(RemoteError {
            address: format!("{}://...@{behind}", url.scheme()),
            message: "has a name or a password in it".to_owned(),
            hint: Some(hint.to_owned()),
        });
    }
    let run = async {
        let done = tokio::select! {
            done = what(&url) => done,
            () = until(stopped) => Err(Failure::Stopped),
        };
        done.map_err(|failure| match failure {
            Failure::Stopped => failed("was not copied: stopped".to_owned(), None),
            Failure::Stalled => {
                let message = "no more bytes came for a minute".to_owned();
                failed(message, Some("run it again; what is copied whole is evaluated"))
            }
            Failure::Write(error) => failed(
                format!("cannot be written to a temporary file: {error}"),
                Some("the environment variable `TMPDIR` names a folder with more room"),
            ),
            Failure::Read(error) => failed(format!("a file for it cannot be read: {error}"), None),
            Failure::Taken => failed(
                "has another evaluation already, and nothing was copied there".to_owned(),
                Some("name another place for the results, or take that one away"),
            ),
            Failure::Store(error) => {
                let (message, hint) = described(&error, &url, settings);
                failed(message, hint)
            }
        })
    };
    runtime.block_on(run)
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
