//! The BM25 retriever of a plan.

use std::{ops::Range, path::PathBuf, sync::Arc};

use qeval_retrieval::{Analyzer, Boosts, Departures, InvalidOptions, Options, QueryMode};
use serde_json::json;
use toml::Spanned;

use super::{
    PlannedRetriever, files,
    retrievers::{DEPTH, planned, positive},
};
use crate::{
    Config, Problem,
    builtin::bm25::LazyBm25,
    config::{AnalyzerOption, Bm25Section, BoostOptions},
    corpus::Corpus,
    index::IndexPlan,
    problem::suggest,
};

pub(super) fn plan(
    config: &Config,
    span: Range<usize>,
    section: &Bm25Section,
    corpus: Option<&Option<Arc<Corpus>>>,
    problems: &mut Vec<Problem>,
) -> Option<PlannedRetriever> {
    let options = options(section, problems);
    let depth = positive(section.depth.as_ref(), DEPTH, "depth", problems);
    let folder = match &section.index {
        None => Some(None),
        Some(path) => folder(config, path, problems).map(Some),
    };
    let corpus = match corpus {
        None => return None,
        Some(Some(corpus)) => corpus,
        Some(None) => {
            let problem = Problem::at(span, "`bm25` has nothing to search");
            problems.push(problem.hint("declare the passages as `[corpus]`"));
            return None;
        }
    };
    let (options, depth, folder) = (options?, depth?, folder?);
    // Where the index is kept changes no score, so that it is no part of this.
    let mut recorded = json!({
        "depth": depth,
        "k1": options.k1,
        "b": options.b,
        "analyzer": options.analyzer.to_string(),
        "query": options.query.name(),
        "corpus": corpus.digest,
    });
    if let Some(Boosts { title, text }) = options.boosts {
        recorded["boosts"] = json!({"title": title, "text": text});
    }
    let component = Arc::new(LazyBm25::new(Arc::clone(&corpus.passages), options, folder));
    let name = section.name.as_ref().map_or("bm25", |name| name.get_ref());
    let planned = planned(name, depth, Arc::clone(&component) as _, recorded);
    Some(PlannedRetriever { index: Some(IndexPlan { component }), ..planned })
}

/// The folder of the index. It is made now, so that one that cannot be written fails before any
/// work.
fn folder(config: &Config, path: &Spanned<String>, problems: &mut Vec<Problem>) -> Option<PathBuf> {
    let folder = files::resolve(config, path);
    let fault = match files::writable(&folder) {
        Ok(()) => return Some(folder),
        Err(_) if folder.is_file() => "is a file".to_owned(),
        Err(error) => format!("cannot be written: {error}"),
    };
    let message = format!("the folder of the index `{}` {fault}", folder.display());
    problems.push(Problem::at(path.span(), message).hint("name another folder as `index`"));
    None
}

fn options(section: &Bm25Section, problems: &mut Vec<Problem>) -> Option<Options> {
    let before = problems.len();
    let written = &section.options;
    let mut options = Options::default();
    if let Some(written) = &written.analyzer {
        options.analyzer = analyzer(written, problems).unwrap_or_default();
    }
    if let Some(name) = &written.query {
        match name.get_ref().parse() {
            Ok(mode) => options.query = mode,
            Err(error) => {
                let problem = Problem::at(name.span(), format!("{error}"));
                let hint = suggest(name.get_ref(), QueryMode::ALL.map(QueryMode::name));
                problems.push(problem.maybe_hint(hint));
            }
        }
    }
    // One at a time, so that each value out of range is reported, and in its place.
    let usual = Options::default();
    if let Some(k1) = &written.k1 {
        options.k1 = *k1.get_ref();
        check(Options { k1: options.k1, ..usual }, k1.span(), problems);
    }
    if let Some(b) = &written.b {
        options.b = *b.get_ref();
        check(Options { b: options.b, ..usual }, b.span(), problems);
    }
    if let Some(boosts) = &written.boosts {
        let BoostOptions { title, text } = boosts.get_ref();
        options.boosts = Some(Boosts { title: title.unwrap_or(1.0), text: text.unwrap_or(1.0) });
        check(Options { boosts: options.boosts, ..usual }, boosts.span(), problems);
    }
    (problems.len() == before).then_some(options)
}

fn check(options: Options, span: Range<usize>, problems: &mut Vec<Problem>) {
    if let Err(error) = options.validate() {
        problems.push(at(span, &error));
    }
}

/// An error with a hint in its text as a problem that has both apart.
fn at(span: Range<usize>, error: &InvalidOptions) -> Problem {
    with_hint(span, &error.to_string())
}

fn with_hint(span: Range<usize>, text: &str) -> Problem {
    match text.split_once("; hint: ") {
        None => Problem::at(span, text),
        Some((message, hint)) => Problem::at(span, message).hint(hint),
    }
}

fn analyzer(written: &Spanned<AnalyzerOption>, problems: &mut Vec<Problem>) -> Option<Analyzer> {
    let (name, departures) = match written.get_ref() {
        AnalyzerOption::Name(name) => (name, Departures::default()),
        AnalyzerOption::Table(table) => {
            let departures = Departures {
                stop_words: table.stop_words,
                stemming: table.stemming,
                folding: table.folding,
                cjk: table.cjk,
            };
            (&table.name, departures)
        }
    };
    match name.parse::<Analyzer>() {
        Err(_) => {
            let message = format!("`{name}` is not an analyzer");
            let hint = suggest(name, Analyzer::names());
            problems.push(Problem::at(written.span(), message).maybe_hint(hint));
            None
        }
        Ok(analyzer) => match analyzer.with(departures) {
            Ok(analyzer) => Some(analyzer),
            Err(error) => {
                problems.push(with_hint(written.span(), &error.to_string()));
                None
            }
        },
    }
}
