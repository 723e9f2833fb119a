//! The services that a file names: their addresses, keys and limits.

use std::{fs, sync::Arc, time::Duration};

use qeval_endpoint::{Endpoint, LogError, OpenError, Retry, Secret, Settings};
use toml::Spanned;

use super::{Surroundings, files, identity, readers, retrievers};
use crate::{
    Config, Problem,
    builtin::peer::json,
    config::{RetrieverType, Service},
};

/// Seconds that a request may take with all its repetitions where the file does not say.
const DEADLINE_S: f64 = 300.0;

/// Requests under way at the same time where the file does not say.
const SLOTS: u32 = 4;

/// Opens the endpoint of a service, without sending anything; `called` is what messages call it.
pub(super) fn endpoint(
    config: &Config,
    surroundings: &Surroundings,
    called: &str,
    service: &Service<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Endpoint> {
    let before = problems.len();
    let slots = retrievers::positive(service.max_concurrency, SLOTS, "max_concurrency", problems);
    let request_deadline = readers::timeout(service.timeout_s, problems);
    let call_deadline = deadline(service.deadline_s, problems);
    let secret = service.api_key_env.and_then(|name| secret(surroundings, name, problems));
    let (slots, request_deadline, call_deadline) = (slots?, request_deadline?, call_deadline?);
    if problems.len() > before {
        return None;
    }
    let retry = Retry::default();
    let settings = Settings {
        secret,
        request_deadline,
        call_deadline,
        slots: slots as usize,
        retry: Retry { times: service.retries.unwrap_or(retry.times), ..retry },
        budget: service.budget,
        meter: Arc::clone(&service.meter),
        log: service.log.map(|log| files::resolve(config, log)),
        // Empty where a variable that the file names is.
        proxy: service.proxy.map(|proxy| proxy.get_ref().clone()).filter(|proxy| !proxy.is_empty()),
        authorities: service.ca.map(|ca| files::resolve(config, ca)),
        read: |text| json::read(text.as_bytes()),
        ..Settings::new(called, service.url.get_ref(), surroundings.stop.subscribe())
    };
    let opened = Endpoint::open(settings, &surroundings.runtime);
    let problem = |error: &OpenError| {
        let span = match error {
            OpenError::Url { .. } => Some(service.url.span()),
            OpenError::Secret => service.api_key_env.map(Spanned::span),
            OpenError::Client(_) => service.proxy.map(Spanned::span),
            OpenError::Authorities { .. } => service.ca.map(Spanned::span),
            OpenError::Log(_) => service.log.map(Spanned::span),
        };
        let span = span.unwrap_or_else(|| service.url.span());
        let shared = |log| is_shared(config, log);
        match error {
            OpenError::Log(LogError::InUse { path }) if service.log.is_some_and(shared) => {
                let path = path.display();
                let message =
                    format!("the call log `{path}` is that of another component of the file");
                Problem::at(span, message).hint("a log belongs to one service: name another file")
            }
            OpenError::Log(LogError::Damaged { line: 1, .. }) => {
                let hint = "`log` names a file of its own, which need not be there yet";
                Problem::at(span, error.to_string()).hint(hint)
            }
            OpenError::Log(LogError::Damaged { .. }) => {
                let hint = "the log is damaged: without the line, or under another name, its answers are \
                            asked for again";
                Problem::at(span, error.to_string()).hint(hint)
            }
            _ => Problem::at(span, error.to_string()),
        }
    };
    opened.map_err(|error| problems.push(problem(&error))).ok()
}

/// Whether another component of the file has the same log.
fn is_shared(config: &Config, log: &Spanned<String>) -> bool {
    let file = |log: &Spanned<String>| fs::canonicalize(files::resolve(config, log)).ok();
    let logs = config.retrievers.iter().filter_map(|section| match &section.get_ref().what {
        RetrieverType::Http(section) => section.log.as_ref(),
        RetrieverType::Reranker(section) => section.log.as_ref(),
        _ => None,
    });
    let mut others = logs.filter(|other| other.span() != log.span());
    others.any(|other| file(other).is_some_and(|other| Some(other) == file(log)))
}

/// The address as it is recorded: a query, which may have a key in it, only as its digest.
pub(super) fn recorded(url: &str) -> serde_json::Value {
    let Some((address, query)) = url.split_once('?') else { return url.into() };
    let digest = identity::digest_of(query.as_bytes());
    format!("{address}?sha256={digest}").into()
}

/// The key; a variable that is not there is a problem now, not a refusal later.
fn secret(
    surroundings: &Surroundings,
    name: &Spanned<String>,
    problems: &mut Vec<Problem>,
) -> Option<Secret> {
    let secret = (surroundings.variable)(name.get_ref()).map(|key| Secret::new(&key));
    let secret = secret.filter(|secret| !secret.is_empty());
    if secret.is_none() {
        let message = format!("the environment variable `{}` is not set", name.get_ref());
        let hint = "`api_key_env` is the name of the variable that holds the key";
        problems.push(Problem::at(name.span(), message).hint(hint));
    }
    secret
}

fn deadline(value: Option<&Spanned<f64>>, problems: &mut Vec<Problem>) -> Option<Duration> {
    readers::seconds("deadline_s", value, DEADLINE_S, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_recorded_as_its_digest() {
        assert_eq!(recorded("http://host/search"), "http://host/search");
        let with_query = recorded("http://host/?key=s3cret").to_string();
        assert!(with_query.starts_with("\"http://host/?sha256="), "{with_query}");
        assert!(!with_query.contains("s3cret"));
    }
}
