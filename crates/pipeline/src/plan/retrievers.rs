//! The retrievers of a plan.

use std::sync::Arc;

use qeval_core::Ties;
use qeval_retrieval::Analyzer;
use serde_json::json;
use toml::Spanned;

use super::{
    PlannedRetriever, Search, Surroundings, files, naming,
    remote::{self, Earlier},
};
use crate::{
    Config, Problem,
    builtin::{bm25::LazyBm25, replay::ReplayRun},
    config::{Bm25Section, ReplayRunSection, RetrieverType},
    corpus::Corpus,
    problem::suggest,
};

/// Hits that are requested where the file does not say.
pub(super) const DEPTH: u32 = 100;

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
    let mut earlier: Vec<Earlier> = Vec::new();
    naming::plan_each("retriever", &config.retrievers, name, problems, |section, problems| {
        let what = &section.get_ref().what;
        let planned = match what {
            RetrieverType::Bm25(bm25) => plan_bm25(section.span(), bm25, corpus, problems),
            RetrieverType::Replay(replay) => plan_replay(config, replay, ties, problems),
            RetrieverType::Command(command) => {
                remote::plan_command(config, surroundings, command, ties, problems)
            }
            RetrieverType::Http(http) => {
                remote::plan_http(config, surroundings, http, ties, problems)
            }
            RetrieverType::Fusion(fusion) => remote::plan_fusion(fusion, &earlier, ties, problems),
            RetrieverType::Reranker(reranker) => {
                let section = Spanned::new(section.span(), &**reranker);
                let texts = (corpus, ties);
                remote::plan_reranker(config, surroundings, &section, texts, &earlier, problems)
            }
        };
        earlier.push(Earlier::new(what.name().to_owned(), planned.as_ref()));
        planned
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

pub(super) fn planned(
    name: &str,
    depth: u32,
    component: Arc<dyn qeval_sdk::Retriever>,
    options: serde_json::Value,
) -> PlannedRetriever {
    let descriptor = component.descriptor();
    PlannedRetriever::new(name, depth as usize, Search::Alone(component), descriptor, options)
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
