//! The retrievers of a plan that ask others: programs, services, other retrievers.

use std::sync::Arc;

use qeval_core::Ties;
use qeval_endpoint::Endpoint;
use serde_json::json;
use toml::Spanned;

use super::{
    PlannedRetriever, Search, Surroundings, programs, readers,
    retrievers::{DEPTH, planned, positive},
    services,
};
use crate::{
    Config, Problem,
    builtin::{
        derived::Derive,
        fusion::{Fusion, Method},
        peer::{Peer, program::Program, service},
        remote::Remote,
        reranker::Reranker,
    },
    config::{
        CommandRetrieverSection, FusionSection, HttpRetrieverSection, RerankerSection, Service,
    },
    corpus::Corpus,
    problem::suggest,
};

/// Queries that a program, a service or a plugin is sent at a time where the file does not say.
pub(super) const QUERIES: u32 = 32;

/// The constant of reciprocal ranks where the file does not say.
const K: f64 = 60.0;

/// A retriever that stands before another one in the file; `None` where it is wrong.
pub(super) struct Earlier {
    pub(super) name: String,
    pub(super) planned: Option<(usize, serde_json::Value)>,
}

impl Earlier {
    pub(super) fn new(name: String, planned: Option<&PlannedRetriever>) -> Self {
        let recorded = |planned: &PlannedRetriever| {
            let info = &planned.info;
            let recorded =
                json!({"type": info.name, "version": info.version, "options": info.options});
            (planned.depth, recorded)
        };
        Self { name, planned: planned.map(recorded) }
    }
}

pub(super) fn plan_command(
    config: &Config,
    surroundings: &Surroundings,
    section: &CommandRetrieverSection,
    ties: Ties,
    problems: &mut Vec<Problem>,
) -> Option<PlannedRetriever> {
    let depth = positive(section.depth.as_ref(), DEPTH, "depth", problems);
    let batch = positive(section.batch.as_ref(), QUERIES, "batch", problems);
    let deadline = readers::timeout(section.timeout_s.as_ref(), problems);
    let name = section.name.as_ref().map_or("command", |name| name.get_ref());
    let called = format!("retriever `{name}`");
    let (written, granted) = (&section.command, &section.environment);
    let command = programs::command(config, surroundings, called, written, granted, problems);
    let (command, depth, batch, deadline) = (command?, depth?, batch?, deadline?);
    let mut recorded = json!({
        "command": written.get_ref(),
        "environment": granted,
        "depth": depth,
        "batch": batch,
    });
    programs::record(config, written, &mut recorded, problems);
    let peer = Program::new(command, deadline, surroundings.runtime.clone());
    let component = Arc::new(Remote::new("command", Box::new(peer), batch as usize, ties));
    Some(planned(name, depth, component, recorded))
}

pub(super) fn plan_http(
    config: &Config,
    surroundings: &Surroundings,
    section: &HttpRetrieverSection,
    ties: Ties,
    problems: &mut Vec<Problem>,
) -> Option<PlannedRetriever> {
    let depth = positive(section.depth.as_ref(), DEPTH, "depth", problems);
    let batch = positive(section.batch.as_ref(), QUERIES, "batch", problems);
    let name = section.name.as_ref().map_or("http", |name| name.get_ref());
    let service = Service { log: section.log.as_ref(), ..section.service(&section.url) };
    let called = format!("retriever `{name}`");
    let endpoint = services::endpoint(config, surroundings, &called, &service, problems);
    let (endpoint, depth, batch) = (endpoint?, depth?, batch?);
    let recorded = json!({
        "url": services::recorded(section.url.get_ref()),
        "depth": depth,
        "batch": batch,
    });
    let peer = Box::new(service::Service::new(endpoint.clone()));
    let component = Arc::new(Remote::new("http", peer, batch as usize, ties));
    let planned = planned(name, depth, component, recorded);
    Some(PlannedRetriever { service: Some(endpoint), ..planned })
}

pub(super) fn plan_fusion(
    section: &FusionSection,
    earlier: &[Earlier],
    ties: Ties,
    problems: &mut Vec<Problem>,
) -> Option<PlannedRetriever> {
    let before = problems.len();
    let depth = positive(section.depth.as_ref(), DEPTH, "depth", problems);
    let names = section.of.get_ref();
    let of: Vec<Option<usize>> = names.iter().map(|name| find(name, earlier, problems)).collect();
    if names.len() < 2 {
        let message = "`of` names fewer than two retrievers";
        problems.push(Problem::at(section.of.span(), message));
    }
    for (index, name) in names.iter().enumerate() {
        if names[..index].iter().any(|other| other.get_ref() == name.get_ref()) {
            let message = format!("`{}` is named twice", name.get_ref());
            problems.push(Problem::at(name.span(), message));
        }
    }
    let method = method(section, problems);
    let weights = weights(section, problems);
    if problems.len() > before {
        return None;
    }
    let (of, depth, method) = (of.into_iter().collect::<Option<Vec<_>>>()?, depth?, method?);
    let inputs = inputs(&of, earlier)?;
    let recorded = json!({
        "of": inputs,
        "method": match method {
            Method::ReciprocalRank { .. } => "reciprocal-rank",
            Method::Weighted => "weighted",
        },
        "k": match method {
            Method::ReciprocalRank { k } => Some(k),
            Method::Weighted => None,
        },
        "weights": weights,
        "depth": depth,
    });
    let name = section.name.as_ref().map_or("fusion", |name| name.get_ref());
    let fusion = Arc::new(Fusion::new(method, weights, ties));
    Some(derived(name, depth as usize, of, fusion, recorded))
}

pub(super) fn plan_reranker(
    config: &Config,
    surroundings: &Surroundings,
    section: &Spanned<&RerankerSection>,
    (corpus, ties): (Option<&Option<Arc<Corpus>>>, Ties),
    earlier: &[Earlier],
    problems: &mut Vec<Problem>,
) -> Option<PlannedRetriever> {
    let (span, section) = (section.span(), section.get_ref());
    let of = find(&section.of, earlier, problems);
    let batch = positive(section.batch.as_ref(), 1, "batch", problems);
    let asked = of.and_then(|index| earlier[index].planned.as_ref()).map(|planned| planned.0);
    let depth = match (&section.depth, asked) {
        (None, _) => asked,
        (Some(depth), Some(asked)) if *depth.get_ref() as usize > asked => {
            let message =
                format!("`depth` is {}, but the retriever has {asked} hits", depth.get_ref());
            problems.push(Problem::at(depth.span(), message));
            None
        }
        (depth, _) => {
            positive(depth.as_ref(), DEPTH, "depth", problems).map(|depth| depth as usize)
        }
    };
    let name = section.name.as_ref().map_or("reranker", |name| name.get_ref());
    let peer = reranker_peer(config, surroundings, span.clone(), section, name, problems);
    let Some(corpus) = corpus? else {
        let problem = Problem::at(span, "a reranker reads texts, and there are none");
        problems.push(problem.hint("declare the passages as `[corpus]`"));
        return None;
    };
    let ((peer, recorded, service), of, batch, depth) = (peer?, of?, batch?, depth?);
    let recorded = json!({
        "of": inputs(&[of], earlier)?,
        "peer": recorded,
        "batch": batch,
        "depth": depth,
        "corpus": corpus.digest,
    });
    let reranker = Reranker::new(peer, Arc::clone(corpus), batch as usize, ties);
    let planned = derived(name, depth, vec![of], Arc::new(reranker), recorded);
    Some(PlannedRetriever { service, ..planned })
}

/// The program or the service of a reranker, what is recorded of it, and the endpoint of the service.
fn reranker_peer(
    config: &Config,
    surroundings: &Surroundings,
    span: std::ops::Range<usize>,
    section: &RerankerSection,
    name: &str,
    problems: &mut Vec<Problem>,
) -> Option<(Box<dyn Peer>, serde_json::Value, Option<Endpoint>)> {
    let called = format!("reranker `{name}`");
    match (&section.command, &section.url) {
        (Some(written), None) => {
            let deadline = readers::timeout(section.timeout_s.as_ref(), problems);
            let granted = &section.environment;
            let command =
                programs::command(config, surroundings, called, written, granted, problems);
            let program = Program::new(command?, deadline?, surroundings.runtime.clone());
            let mut recorded = json!({"command": written.get_ref(), "environment": granted});
            programs::record(config, written, &mut recorded, problems);
            Some((Box::new(program), recorded, None))
        }
        (None, Some(url)) => {
            let service = Service { log: section.log.as_ref(), ..section.service(url) };
            let endpoint = services::endpoint(config, surroundings, &called, &service, problems)?;
            let recorded = json!({"url": services::recorded(url.get_ref())});
            let peer = service::Service::new(endpoint.clone());
            Some((Box::new(peer), recorded, Some(endpoint)))
        }
        _ => {
            let message = "a reranker needs one of `command` and `url`";
            problems.push(Problem::at(span, message));
            None
        }
    }
}

fn find(name: &Spanned<String>, earlier: &[Earlier], problems: &mut Vec<Problem>) -> Option<usize> {
    let found = earlier.iter().position(|earlier| earlier.name == *name.get_ref());
    if found.is_none() {
        let message = format!("no retriever `{}` stands before this one", name.get_ref());
        let hint = suggest(name.get_ref(), earlier.iter().map(|earlier| earlier.name.as_str()));
        problems.push(Problem::at(name.span(), message).maybe_hint(hint));
    }
    found
}

/// What is recorded of the retrievers that others are made from; `None` where one is wrong.
fn inputs(of: &[usize], earlier: &[Earlier]) -> Option<Vec<serde_json::Value>> {
    of.iter().map(|&index| Some(earlier[index].planned.as_ref()?.1.clone())).collect()
}

fn method(section: &FusionSection, problems: &mut Vec<Problem>) -> Option<Method> {
    let k = section.k.as_ref().map_or(K, |k| *k.get_ref());
    if !k.is_finite() || k < 0.0 {
        let message = format!("`k` is `{k}`, expected a number from 0");
        problems.push(Problem { span: section.k.as_ref().map(Spanned::span), message, hint: None });
        return None;
    }
    let Some(method) = &section.method else { return Some(Method::ReciprocalRank { k }) };
    match method.get_ref().as_str() {
        "reciprocal-rank" => Some(Method::ReciprocalRank { k }),
        "weighted" if section.k.is_none() => Some(Method::Weighted),
        "weighted" => {
            let message = "`k` is for the method `reciprocal-rank`";
            problems.push(Problem::at(method.span(), message));
            None
        }
        other => {
            let message = format!("there is no method `{other}`");
            let hint = suggest(other, ["reciprocal-rank", "weighted"]);
            problems.push(Problem::at(method.span(), message).maybe_hint(hint));
            None
        }
    }
}

fn weights(section: &FusionSection, problems: &mut Vec<Problem>) -> Vec<f64> {
    let retrievers = section.of.get_ref().len();
    let Some(weights) = &section.weights else { return vec![1.0; retrievers] };
    if weights.get_ref().len() != retrievers {
        let message = format!("{} weights for {retrievers} retrievers", weights.get_ref().len());
        problems.push(Problem::at(weights.span(), message));
    }
    if let Some(weight) =
        weights.get_ref().iter().find(|weight| !weight.is_finite() || **weight < 0.0)
    {
        let message = format!("the weight `{weight}` is not a number from 0");
        problems.push(Problem::at(weights.span(), message));
    } else if !weights.get_ref().is_empty() && weights.get_ref().iter().all(|&weight| weight == 0.0)
    {
        let problem = Problem::at(weights.span(), "all weights are 0");
        problems.push(problem.hint("one above 0 is needed: without it only ids order the hits"));
    }
    weights.get_ref().clone()
}

fn derived(
    name: &str,
    depth: usize,
    of: Vec<usize>,
    by: Arc<dyn Derive>,
    recorded: serde_json::Value,
) -> PlannedRetriever {
    let descriptor = by.descriptor();
    PlannedRetriever::new(name, depth, Search::Derived { of, by }, descriptor, recorded)
}
