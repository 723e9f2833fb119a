//! The retrievers of a plan.

use std::sync::Arc;

use qeval_core::Ties;
use qeval_retrieval::Analyzer;
use qeval_store::ComponentInfo;
use serde_json::json;
use toml::Spanned;

use super::{PlannedRetriever, Surroundings, files, naming, programs, readers};
use crate::{
    Config, Problem,
    builtin::{bm25::LazyBm25, peer::program::Program, remote::Remote, replay::ReplayRun},
    config::{Bm25Section, CommandRetrieverSection, ReplayRunSection, RetrieverType},
    corpus::Corpus,
    problem::suggest,
};

/// Hits that are requested where the file does not say.
const DEPTH: u32 = 100;

/// Queries that a program or a service is sent at a time where the file does not say.
const QUERIES: u32 = 32;

pub(super) fn retrievers(
    config: &Config,
    surroundings: &Surroundings,
    corpus: Option<&Option<Arc<Corpus>>>,
    ties: Ties,
    problems: &mut Vec<Problem>,
) -> Option<Vec<PlannedRetriever>> {
    fn name(planned: &PlannedRetriever) -> &str {
        &planned.name
    }
    naming::plan_each("retriever", &config.retrievers, name, problems, |section, problems| {
        match &section.get_ref().what {
            RetrieverType::Bm25(bm25) => plan_bm25(section.span(), bm25, corpus, problems),
            RetrieverType::Replay(replay) => plan_replay(config, replay, ties, problems),
            RetrieverType::Command(command) => {
                plan_command(config, surroundings, command, ties, problems)
            }
        }
    })
}

fn plan_bm25(
    span: std::ops::Range<usize>,
    section: &Bm25Section,
    corpus: Option<&Option<Arc<Corpus>>>,
    problems: &mut Vec<Problem>,
) -> Option<PlannedRetriever> {
    let options = options(section, problems);
    let depth = positive(section.depth.as_ref(), DEPTH, "depth", problems);
    let corpus = match corpus {
        None => return None,
        Some(Some(corpus)) => corpus,
        Some(None) => {
            let problem = Problem::at(span, "`bm25` has nothing to search");
            problems.push(problem.hint("declare the passages as `[corpus]`"));
            return None;
        }
    };
    let (options, depth) = (options?, depth?);
    let recorded = json!({
        "depth": depth,
        "k1": options.k1,
        "b": options.b,
        "analyzer": options.analyzer.name(),
        "corpus": corpus.digest,
    });
    let component = Arc::new(LazyBm25::new(Arc::clone(&corpus.passages), options));
    let name = section.name.as_ref().map_or("bm25", |name| name.get_ref());
    Some(planned(name, depth, component, recorded))
}

fn options(section: &Bm25Section, problems: &mut Vec<Problem>) -> Option<qeval_retrieval::Options> {
    let before = problems.len();
    let mut options = qeval_retrieval::Options::default();
    if let Some(name) = &section.options.analyzer {
        match name.get_ref().parse::<Analyzer>() {
            Ok(analyzer) => options.analyzer = analyzer,
            Err(error) => {
                let hint = suggest(name.get_ref(), Analyzer::ALL.map(Analyzer::name));
                problems.push(Problem::at(name.span(), error.to_string()).maybe_hint(hint));
            }
        }
    }
    for (value, target) in
        [(&section.options.k1, &mut options.k1), (&section.options.b, &mut options.b)]
    {
        if let Some(value) = value {
            let default = *target;
            *target = *value.get_ref();
            if (*target - default).abs() > f64::EPSILON {
                problems.push(
                    Problem::at(
                        value.span(),
                        format!(
                            "BM25 is fixed at k1 = 1.2 and b = 0.75 so far, found `{}`",
                            value.get_ref()
                        ),
                    )
                    .hint("leave the option out"),
                );
            }
        }
    }
    (problems.len() == before).then_some(options)
}

fn plan_replay(
    config: &Config,
    section: &ReplayRunSection,
    ties: Ties,
    problems: &mut Vec<Problem>,
) -> Option<PlannedRetriever> {
    let depth = positive(section.depth.as_ref(), u32::MAX, "depth", problems);
    let (runs, digest) = files::per_dataset(config, &section.path, problems, |path| {
        qeval_dataset::run(&path, ties).map(Into::into)
    })?;
    let depth = depth?;
    let recorded = json!({"depth": section.depth.as_ref().map(|_| depth), "run": digest});
    let component = Arc::new(ReplayRun::new(runs));
    let name = section.name.as_ref().map_or("replay", |name| name.get_ref());
    Some(planned(name, depth, component, recorded))
}

fn plan_command(
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
    let recorded = json!({
        "command": written.get_ref(),
        "environment": granted,
        "depth": depth,
        "batch": batch,
    });
    let peer = Program::new(command, deadline, surroundings.runtime.clone());
    let component = Arc::new(Remote::new("command", Box::new(peer), batch as usize, ties));
    Some(planned(name, depth, component, recorded))
}

fn planned(
    name: &str,
    depth: u32,
    component: Arc<dyn qeval_sdk::Retriever>,
    options: serde_json::Value,
) -> PlannedRetriever {
    let descriptor = component.descriptor();
    PlannedRetriever {
        name: name.to_owned(),
        depth: depth as usize,
        info: ComponentInfo {
            name: descriptor.name,
            version: descriptor.version,
            kind: "retriever".to_owned(),
            options,
        },
        component,
    }
}

/// A number above zero, or the default.
pub(super) fn positive(
    value: Option<&Spanned<u32>>,
    default: u32,
    key: &str,
    problems: &mut Vec<Problem>,
) -> Option<u32> {
    match value {
        None => Some(default),
        Some(value) if *value.get_ref() > 0 => Some(*value.get_ref()),
        Some(value) => {
            let message = format!("`{key}` is 0, expected a number above 0");
            problems.push(Problem::at(value.span(), message));
            None
        }
    }
}
