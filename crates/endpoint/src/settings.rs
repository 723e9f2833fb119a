//! What an endpoint is, and how it is called.

use std::{path::PathBuf, sync::Arc, time::Duration};

use reqwest::Url;
use serde_json::Value;
use tokio::sync::watch;

use crate::{Budget, Clock, LogError, Meter, NoMeter, Retry, Secret, WallClock};

/// Everything that can be said of an endpoint.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What messages call it, for example ``retriever `dense` ``.
    pub name: String,
    /// Where requests are posted: `http` or `https`.
    pub url: String,
    /// The key, where one is needed.
    pub secret: Option<Secret>,
    /// How long one request may take, from the connection to the last byte.
    pub request_deadline: Duration,
    /// How long a call may take with all its requests and the waits between them.
    pub call_deadline: Duration,
    /// How many requests may be under way at the same time.
    pub slots: usize,
    /// When a request is sent again.
    pub retry: Retry,
    /// Calls in a row that may fail for want of a working server before no more are made.
    pub patience: u32,
    /// What may be spent.
    pub budget: Budget,
    /// Makes a value of the text of an answer; JSON unless said otherwise.
    pub read: fn(&str) -> serde_json::Result<Value>,
    /// What answers cost, of the budget.
    pub meter: Arc<dyn Meter>,
    /// The most bytes of one answer.
    pub largest_answer: usize,
    /// Where answers are kept for later runs.
    pub log: Option<PathBuf>,
    /// The address of a proxy, where there is one; nothing is taken from the environment.
    pub proxy: Option<String>,
    /// A file with certificates, in PEM, of authorities that are trusted besides the public ones;
    /// nothing is taken from the system.
    pub authorities: Option<PathBuf>,
    /// Once it is true nothing more is sent, and what is under way has only a moment left to come.
    pub stop: watch::Receiver<bool>,
    /// The time between requests.
    pub clock: Arc<dyn Clock>,
    /// Seed of the waits that are drawn.
    pub seed: u64,
}

/// Why an endpoint cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is none.
    #[error("`{url}` is no address: {why}")]
    Url {
        /// The address, without what may be secret in it.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// The key has characters that no header can have.
    #[error("the key has characters that a header cannot have")]
    Secret,
    /// The client or the proxy cannot be set up.
    #[error("no requests can be sent: {0}")]
    Client(String),
    /// The certificates of further authorities cannot be used.
    #[error("the certificates in `{}` cannot be used: {why}", path.display())]
    Authorities {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The log cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl Settings {
    /// An endpoint without a key, a log or a budget.
    pub fn new(
        name: impl Into<String>,
        url: impl Into<String>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        use std::hash::BuildHasher;
        Self {
            name: name.into(),
            url: url.into(),
            secret: None,
            request_deadline: Duration::from_mins(1),
            call_deadline: Duration::from_mins(5),
            slots: 4,
            retry: Retry::default(),
            patience: 4,
            budget: Budget::default(),
            read: |text| serde_json::from_str(text),
            meter: Arc::new(NoMeter),
            largest_answer: 64 << 20,
            log: None,
            proxy: None,
            authorities: None,
            stop,
            clock: Arc::new(WallClock::default()),
            // Every process draws other waits: that is what they are drawn for.
            seed: std::hash::RandomState::new().hash_one(0),
        }
    }

    /// The address, checked.
    pub(crate) fn address(&self) -> Result<Url, OpenError> {
        let wrong = |why: &str| {
            let url = self.url.split(['?', '#']).next().unwrap_or_default();
            // A password would stand before the sign.
            let url = url.rsplit('@').next().unwrap_or_default().to_owned();
            OpenError::Url { url, why: why.to_owned() }
        };
        let url = Url::parse(&self.url).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong("it does not begin with `http://` or `https://`"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("it has a user or a password in it"));
        }
        Ok(url)
    }
}

/// The address as messages show it: without a query, which may hold a key.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let query = url.query().is_some();
    url.set_query(None);
    url.set_fragment(None);
    if query { format!("{url}?...") } else { url.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_shows_no_secret() {
        let (_sender, stop) = watch::channel(false);
        let settings = |url: &str| Settings::new("it", url, stop.clone());
        let url = settings("https://host/search?key=s3cret#part").address().unwrap();
        assert_eq!(shown(&url), "https://host/search?...");
        for (url, message) in [
            ("http://me:s3cret@host/", "`host/` is no address: it has a user or a password in it"),
            (
                "ftp://host/?s3cret",
                "`ftp://host/` is no address: it does not begin with `http://` or `https://`",
            ),
            ("host?s3cret", "`host` is no address: relative URL without a base"),
        ] {
            assert_eq!(settings(url).address().unwrap_err().to_string(), message);
        }
    }
}
