//! The retrievers of a plan.

use std::sync::Arc;

use qeval_core::Ties;
use qeval_dataset::{RunFormat, RunSource};
use qeval_retrieval::Analyzer;
use qeval_store::ComponentInfo;
use serde_json::json;
use toml::Spanned;

use super::{PlannedRetriever, files, naming};
use crate::{
    Config, Problem,
    builtin::{bm25::LazyBm25, replay::ReplayRun},
    config::{Bm25Section, ReplayRunSection, RetrieverType},
    corpus::Corpus,
    problem::suggest,
};

/// Hits that are requested where the file does not say.
const DEPTH: u32 = 100;

pub(super) fn retrievers(
    config: &Config,
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
    let format = run_format(section, problems)?;
    let ReplayRunSection { path, fields, .. } = section;
    let fields = qeval_dataset::RunFields {
        query_id: fields.query_id.clone(),
        passage_id: fields.passage_id.clone(),
        score: fields.score.clone(),
        rank: fields.rank.clone(),
    };
    let (runs, digest) = files::per_dataset(config, path, problems, |path| {
        let source = RunSource { path, format, fields: fields.clone() };
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
