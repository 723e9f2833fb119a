//! The retrievers of a plan.

use std::sync::Arc;

use qeval_core::Ties;
use qeval_dataset::{RunFormat, RunSource};
use serde_json::json;
use toml::Spanned;

use super::{
    PlannedRetriever, Search, Surroundings, bm25, naming, offers, paths,
    plugins::Plugins,
    remote::{self, Earlier},
};
use crate::{
    Config, Problem,
    builtin::replay::ReplayRun,
    config::{ReplayRunSection, RetrieverType},
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
    plugins: &Plugins,
    problems: &mut Vec<Problem>,
) -> Option<Vec<PlannedRetriever>> {
    fn name(planned: &PlannedRetriever) -> &str {
        &planned.name
    }
    let mut earlier: Vec<Earlier> = Vec::new();
    naming::plan_each("retriever", &config.retrievers, name, problems, |section, problems| {
        let what = &section.get_ref().what;
        let planned = match what {
            RetrieverType::Bm25(bm25) => bm25::plan(config, section.span(), bm25, corpus, problems),
            RetrieverType::Replay(replay) => plan_replay(config, replay, ties, problems),
            RetrieverType::Command(command) => {
                remote::plan_command(config, surroundings, command, ties, problems)
            }
            RetrieverType::Http(http) => {
                remote::plan_http(config, surroundings, http, ties, problems)
            }
            RetrieverType::Plugin(section) => {
                offers::plan_retriever(config, section, plugins, ties, problems)
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

fn plan_replay(
    config: &Config,
    section: &ReplayRunSection,
    ties: Ties,
    problems: &mut Vec<Problem>,
) -> Option<PlannedRetriever> {
    let depth = positive(section.depth.as_ref(), u32::MAX, "depth", problems);
    let format = run_format(section, problems)?;
    let ReplayRunSection { path, fields, .. } = section;
    let fields = qeval_dataset::RunFields {
        query_id: fields.query_id.clone(),
        passage_id: fields.passage_id.clone(),
        score: fields.score.clone(),
        rank: fields.rank.clone(),
    };
    let (runs, digest) = paths::per_dataset(config, path, problems, |path, further| {
        let source = RunSource { path, further, format, fields: fields.clone() };
        qeval_dataset::open_run(source, ties).map(Into::into)
    })?;
    let depth = depth?;
    let mut recorded = json!({"depth": section.depth.as_ref().map(|_| depth), "run": digest});
    // Named where they are given, so that the ids of plans without them stay as they were.
    if let Some(format) = format {
        recorded["format"] = json!(format.name());
    }
    if fields != qeval_dataset::RunFields::default() {
        let qeval_dataset::RunFields { query_id, passage_id, score, rank } = &fields;
        recorded["fields"] = json!({
            "query_id": query_id, "passage_id": passage_id, "score": score, "rank": rank,
        });
    }
    let component = Arc::new(ReplayRun::new(runs));
    let name = section.name.as_ref().map_or("replay", |name| name.get_ref());
    Some(planned(name, depth, component, recorded))
}

/// The format of a run; `Some(None)` where its content says it.
#[expect(clippy::option_option, reason = "wrong and not given are two things")]
fn run_format(
    section: &ReplayRunSection,
    problems: &mut Vec<Problem>,
) -> Option<Option<RunFormat>> {
    let Some(name) = &section.format else { return Some(None) };
    let format = RunFormat::from_name(name.get_ref());
    if format.is_none() {
        let message = format!("there is no run format `{}`", name.get_ref());
        let hint = suggest(name.get_ref(), RunFormat::ALL.map(RunFormat::name));
        problems.push(Problem::at(name.span(), message).maybe_hint(hint));
    }
    format.map(Some)
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
