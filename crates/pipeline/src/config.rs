//! The file as written.
//!
//! A [`Config`] holds what the file says, each value with its place, and nothing that the file
//! does not say: defaults, paths and names are the business of [`Plan`](crate::Plan). Keys and
//! types are checked here, all at once.

mod analyzer;
mod environment;
mod extends;
mod of_files;
mod paths;
mod schema;
mod section;
mod sections;
mod settings;
mod sweep;

use std::{
    cell::RefCell,
    collections::BTreeSet,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

pub use analyzer::{AnalyzerOption, AnalyzerTable};
pub use environment::Lookup;
pub use of_files::ScoredFiles;
pub(crate) use of_files::mapped_dataset;
pub use paths::Paths;
pub use schema::json_schema;
pub(crate) use sections::Service;
pub use sections::{
    Bm25Options, Bm25Section, BoostOptions, BudgetOptions, ChunksSection, CommandRetrieverSection,
    CommandSection, CorpusFields, CorpusSection, DatasetFields, DatasetSection, DiagnosisSection,
    EvaluationSection, FusionSection, GateSection, HttpReaderSection, HttpRetrieverSection,
    MetricsSection, OpenAiSection, PluginReaderSection, PluginRetrieverSection, PluginSection,
    PredictionFields, PriceOptions, ReaderBudgetOptions, ReaderSection, ReaderType,
    ReplayReaderSection, ReplayRunSection, RerankerSection, RetrieverSection, RetrieverType,
    RunFields, ScorerSection, SlidingWindowSection,
};

use crate::{
    Part, Problem, Problems, StoredAnswers,
    problem::{nearest, suggest},
    sources::{Sources, folder_of},
};
use extends::Files;
use section::Section;

/// The version of the file that this program reads.
pub const VERSION: i64 = 1;

/// A file as written.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file; relative paths in it are relative to its folder.
    pub path: PathBuf,
    /// Its text with those of the files that it extends, and what the command line sets.
    pub sources: Sources,
    /// What is wrong with it and leaves it readable: the plan reports it with what it finds itself.
    pub problems: Vec<Problem>,
    /// Whether somebody keeps the results. If not, they are gone when they are reported: they have
    /// no identity and no texts.
    pub kept: bool,
    /// Which examples of each dataset are evaluated, if not all.
    pub part: Option<Part>,
    /// Which combination of a sweep it is.
    pub swept: Option<Swept>,
    /// Names of the environment variables that it names, sorted.
    pub variables: Vec<String>,
    /// The answers of a stored evaluation, which take the place of all readers.
    pub answers: Option<Arc<StoredAnswers>>,
    /// `[evaluation]`.
    pub evaluation: EvaluationSection,
    /// `[dataset]` or several `[[dataset]]`; at least one.
    pub datasets: Vec<Spanned<DatasetSection>>,
    /// `[corpus]`.
    pub corpus: Option<Spanned<CorpusSection>>,
    /// `[retriever]` or several `[[retriever]]`.
    pub retrievers: Vec<Spanned<RetrieverSection>>,
    /// `[reader]` or several `[[reader]]`.
    pub readers: Vec<Spanned<ReaderSection>>,
    /// `[metrics]`.
    pub metrics: Spanned<MetricsSection>,
    /// `[[scorer]]`.
    pub scorers: Vec<Spanned<ScorerSection>>,
    /// `[[plugin]]`.
    pub plugins: Vec<Spanned<PluginSection>>,
    /// `[diagnosis]`.
    pub diagnosis: Option<Spanned<DiagnosisSection>>,
    /// `[[gate]]`.
    pub gates: Vec<Spanned<GateSection>>,
}

/// The tables of the file.
const TABLES: [&str; 13] = [
    "version",
    extends::KEY,
    sweep::KEY,
    "evaluation",
    "dataset",
    "corpus",
    "retriever",
    "reader",
    "metrics",
    "scorer",
    "plugin",
    "diagnosis",
    "gate",
];

/// Which of the combinations of a sweep a configuration is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// What tells it apart from the others: `passages=5 depth=10`.
    pub name: String,
    /// The keys with their values, as they are shown.
    pub values: Vec<(String, String)>,
    /// Its place among them, from 0.
    pub place: u64,
}

impl Config {
    /// Reads a file, in which each of the settings (`KEY=VALUE`, with a key such as
    /// `reader.passages`) takes the place of what it says. `lookup` gives the values of `${NAME}`. The
    /// result is one configuration, or one for each combination of its `[sweep]`.
    ///
    /// # Errors
    ///
    /// A file that cannot be used at all; lesser faults are [`problems`](Self::problems) of the
    /// configurations.
    pub fn read(
        path: &Path,
        text: &str,
        settings: &[String],
        lookup: Lookup<'_>,
    ) -> Result<Vec<Self>, Box<Problems>> {
        let names = RefCell::new(BTreeSet::new());
        let lookup: Lookup<'_> = &|name| {
            names.borrow_mut().insert(name.to_owned());
            lookup(name)
        };
        let mut problems = Vec::new();
        let mut sources = Sources::new(path.to_owned(), text.to_owned());
        let files = Files::read(&mut sources, path, text, lookup, &mut problems);
        // Without one of the files, what it may have said is not missing.
        let table = files.merged().filter(|_| problems.is_empty());
        let settings = settings::written(settings).unwrap_or_else(|problem| {
            problems.push(problem);
            String::new()
        });
        let settings = sources.add(None, settings);
        let tables =
            table.and_then(|table| combinations(table, &settings, &sources, lookup, &mut problems));
        let fatal = tables.is_none() || !problems.is_empty();
        let mut configs = Some(Vec::new());
        for (swept, table) in tables.unwrap_or_default() {
            let mut own = Vec::new();
            let mut variables = names.borrow().clone();
            environment::note_named(&DeValue::Table(table.clone()), &mut variables);
            let config = sections((path, &sources), table, &mut own);
            let new = own.iter().filter(|problem| !problems.contains(problem)).cloned();
            problems.extend(new.collect::<Vec<_>>());
            match (&mut configs, config) {
                (Some(all), Some(config)) => {
                    let variables = variables.into_iter().collect();
                    all.push(Self { problems: own, swept, variables, ..config });
                }
                _ => configs = None,
            }
        }
        match configs.filter(|_| !fatal) {
            Some(configs) => Ok(configs),
            None => Err(Box::new(Problems::new(path.to_owned(), sources, problems))),
        }
    }

    /// The file with these problems.
    pub(crate) fn refused(&self, problems: Vec<Problem>) -> Problems {
        Problems::new(self.path.clone(), self.sources.clone(), problems)
    }

    /// Puts other files in the place of those of datasets, judgments, corpus, runs and predictions:
    /// `replace` is given each path as it is written, and gives a file or [`None`].
    pub fn replace_files<E>(
        &mut self,
        replace: &mut dyn FnMut(&str) -> Result<Option<PathBuf>, E>,
    ) -> Result<(), E> {
        for dataset in self.datasets.iter_mut().map(Spanned::get_mut) {
            replace_in(dataset.path.as_mut(), replace)?;
            if let Some(qrels) = dataset.qrels.as_mut().map(Spanned::get_mut)
                && let Some(file) = replace(qrels)?
            {
                *qrels = file.to_string_lossy().into_owned();
            }
        }
        let corpus = self.corpus.as_mut().map(Spanned::get_mut);
        replace_in(corpus.map(|corpus| &mut corpus.path), replace)?;
        for retriever in self.retrievers.iter_mut().map(Spanned::get_mut) {
            if let RetrieverType::Replay(replay) = &mut retriever.what {
                replace_in(Some(&mut replay.path), replace)?;
            }
        }
        for reader in self.readers.iter_mut().map(Spanned::get_mut) {
            if let ReaderType::Replay(replay) = &mut reader.what {
                replace_in(replay.path.as_mut(), replace)?;
                replace_in(replay.isolated_path.as_mut(), replace)?;
            }
        }
        Ok(())
    }

    /// The folder of the file: relative paths start from it, but for those of a file that it extends.
    pub fn folder(&self) -> &Path {
        folder_of(&self.path)
    }
}

/// Puts files in the place of paths.
fn replace_in<E>(
    paths: Option<&mut Spanned<Paths>>,
    replace: &mut dyn FnMut(&str) -> Result<Option<PathBuf>, E>,
) -> Result<(), E> {
    for path in paths.into_iter().flat_map(|paths| paths.get_mut().written_mut()) {
        if let Some(file) = replace(path)? {
            *path = file.to_string_lossy().into_owned();
        }
    }
    Ok(())
}

/// The combinations of a sweep, each as the file would say it; [`None`] where the settings are no
/// TOML.
fn combinations<'i>(
    mut table: DeTable<'i>,
    settings: &'i str,
    sources: &Sources,
    lookup: Lookup<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Vec<(Option<Swept>, DeTable<'i>)>> {
    let mut settings = document(settings, problems)?;
    if let Some(value) = settings.remove(extends::KEY) {
        let message = format!("`{}` is for a file alone to say", extends::KEY);
        problems.push(Problem::at(value.span(), message));
    }
    settings::apply(&mut table, settings.clone(), problems);
    table.iter_mut().for_each(|(_, value)| environment::interpolate(value, lookup, problems));
    check_version(&table, problems);
    let axes = sweep::axes(&mut table, &settings, problems);
    Some(sweep::combinations(&table, &axes, sources, problems))
}

/// The tables of one file, or of one combination.
fn sections(
    (path, sources): (&Path, &Sources),
    mut table: DeTable<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Config> {
    for key in table.keys() {
        let name = key.get_ref().as_ref();
        if !TABLES.contains(&name) {
            let message = format!("unknown table or key `{name}`");
            problems.push(Problem::at(key.span(), message).maybe_hint(suggest(name, TABLES)));
        }
    }

    let evaluation = one(&mut table, "evaluation", problems).map_or_else(
        || Some(EvaluationSection::default()),
        |section| section.read::<EvaluationSection>(problems),
    );
    require(&table, "dataset", problems);
    let datasets = read_many(&mut table, "dataset", Section::read, problems);
    let corpus = one(&mut table, "corpus", problems)
        .map(|section| spanned(section, Section::read, problems));
    let retrievers = read_many(&mut table, "retriever", read_retriever, problems);
    let readers = read_many(&mut table, "reader", read_reader, problems);
    require(&table, "metrics", problems);
    let metrics = one(&mut table, "metrics", problems);
    let metrics = metrics.and_then(|section| spanned(section, Section::read, problems));
    let scorers = read_many(&mut table, "scorer", Section::read, problems);
    let plugins = read_many(&mut table, "plugin", Section::read, problems);
    let diagnosis = one(&mut table, "diagnosis", problems)
        .map(|section| spanned(section, Section::read, problems));
    let gates = read_many(&mut table, "gate", Section::read, problems);

    Some(Config {
        path: path.to_owned(),
        sources: sources.clone(),
        problems: Vec::new(),
        kept: true,
        part: None,
        swept: None,
        answers: None,
        variables: Vec::new(),
        evaluation: evaluation?,
        datasets: datasets.filter(|datasets| !datasets.is_empty())?,
        corpus: transpose(corpus)?,
        retrievers: retrievers?,
        readers: readers?,
        metrics: metrics?,
        scorers: scorers?,
        plugins: plugins?,
        diagnosis: transpose(diagnosis)?,
        gates: gates?,
    })
}

fn document<'i>(text: &'i str, problems: &mut Vec<Problem>) -> Option<DeTable<'i>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let problem = |error: &toml::de::Error| Problem {
        span: error.span(),
        message: error.message().to_owned(),
        hint: None,
    };
    problems.extend(errors.iter().map(problem));
    errors.is_empty().then(|| document.into_inner())
}

fn check_version(table: &DeTable<'_>, problems: &mut Vec<Problem>) {
    let Some(value) = table.get("version") else {
        let problem = Problem::of_file("the file does not say which version of the format it has");
        problems.push(problem.hint(format!("begin it with `version = {VERSION}`")));
        return;
    };
    if version_of(value) != Some(VERSION) {
        problems.push(other_version(value.span()));
    }
}

fn version_of(value: &Spanned<DeValue<'_>>) -> Option<i64> {
    match value.get_ref() {
        DeValue::Integer(version) => version.as_str().parse().ok(),
        _ => None,
    }
}

fn other_version(span: Range<usize>) -> Problem {
    let message = "the file has another version of the format than this program reads";
    Problem::at(span, message).hint(format!("this program reads `version = {VERSION}`"))
}

/// A table that may be there once.
fn one<'i>(
    table: &mut DeTable<'i>,
    name: &str,
    problems: &mut Vec<Problem>,
) -> Option<Section<'i>> {
    let value = table.remove(name)?;
    if let DeValue::Array(array) = value.get_ref() {
        let message =
            format!("`[[{name}]]` is given {} times, expected one `[{name}]`", array.len());
        problems.push(Problem::at(value.span(), message));
        return None;
    }
    Section::new(format!("[{name}]"), value, problems)
}

/// Reports a table that the file lacks. A misspelt table is reported as such; that it is missing
/// too would be said twice.
fn require(table: &DeTable<'_>, name: &str, problems: &mut Vec<Problem>) {
    let misspelt = || table.keys().any(|key| nearest(key.get_ref(), [name]).is_some());
    if !table.contains_key(name) && !misspelt() {
        problems.push(Problem::of_file(format!("the file needs a table `[{name}]`")));
    }
}

/// A table that may be there once, or several times in double brackets.
fn read_many<'i, T>(
    table: &mut DeTable<'i>,
    name: &str,
    read: fn(Section<'i>, &mut Vec<Problem>) -> Option<T>,
    problems: &mut Vec<Problem>,
) -> Option<Vec<Spanned<T>>> {
    let (title, values) = match table.remove(name) {
        None => return Some(Vec::new()),
        Some(value) => match value.get_ref() {
            DeValue::Array(array) => (format!("[[{name}]]"), array.iter().cloned().collect()),
            _ => (format!("[{name}]"), vec![value]),
        },
    };
    let mut all = Some(Vec::new());
    for value in values {
        let section = Section::new(title.clone(), value, problems);
        let section = section.and_then(|section| spanned(section, read, problems));
        match (section, &mut all) {
            (Some(section), Some(list)) => list.push(section),
            _ => all = None,
        }
    }
    all
}

fn read_retriever(section: Section<'_>, problems: &mut Vec<Problem>) -> Option<RetrieverSection> {
    let known = ["bm25", "replay", "command", "http", "fusion", "reranker", "plugin"];
    let kind = type_of(&section, &known, problems)?;
    let what = match kind {
        "bm25" => section.read(problems).map(RetrieverType::Bm25),
        "command" => section.read(problems).map(RetrieverType::Command),
        "http" => section.read(problems).map(Box::new).map(RetrieverType::Http),
        "fusion" => section.read(problems).map(RetrieverType::Fusion),
        "reranker" => section.read(problems).map(Box::new).map(RetrieverType::Reranker),
        "plugin" => section.read(problems).map(RetrieverType::Plugin),
        _ => section.read(problems).map(RetrieverType::Replay),
    };
    what.map(|what| RetrieverSection { what })
}

fn read_reader(section: Section<'_>, problems: &mut Vec<Problem>) -> Option<ReaderSection> {
    let kind = type_of(
        &section,
        &["replay", "command", "http", "openai", "sliding-window", "plugin"],
        problems,
    )?;
    let what = match kind {
        "replay" => section.read(problems).map(Box::new).map(ReaderType::Replay),
        "command" => section.read(problems).map(ReaderType::Command),
        "http" => section.read(problems).map(Box::new).map(ReaderType::Http),
        "openai" => section.read(problems).map(Box::new).map(ReaderType::OpenAi),
        "plugin" => section.read(problems).map(ReaderType::Plugin),
        _ => section.read(problems).map(ReaderType::SlidingWindow),
    };
    what.map(|what| ReaderSection { what })
}

/// The `type` of a component, which decides the keys that its table may have.
fn type_of(
    section: &Section<'_>,
    known: &[&'static str],
    problems: &mut Vec<Problem>,
) -> Option<&'static str> {
    let Some(kind) = section.text("type") else {
        let message = format!("`{}` needs a `type`", section.title);
        let hint = format!("one of {}", known.join(", "));
        problems.push(Problem::at(section.span.clone(), message).hint(hint));
        return None;
    };
    let found = known.iter().find(|&&known| known == *kind.get_ref()).copied();
    if found.is_none() {
        let message = format!("`{}` has no type `{}`", section.title, kind.get_ref());
        let hint = suggest(kind.get_ref(), known.iter().copied());
        problems.push(Problem::at(kind.span(), message).maybe_hint(hint));
    }
    found
}

fn spanned<'i, T>(
    section: Section<'i>,
    read: impl FnOnce(Section<'i>, &mut Vec<Problem>) -> Option<T>,
    problems: &mut Vec<Problem>,
) -> Option<Spanned<T>> {
    let span = section.span.clone();
    read(section, problems).map(|value| Spanned::new(span, value))
}

/// `None` where a table is there but wrong; `Some(None)` where it is absent.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
fn transpose<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    match value {
        None => Some(None),
        Some(None) => None,
        Some(value) => Some(value),
    }
}
