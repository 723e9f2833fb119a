//! The file as written.
//!
//! A [`Config`] holds what the file says, each value with its place, and nothing that the file
//! does not say: defaults, paths and names are the business of [`Plan`](crate::Plan). Keys and
//! types are checked here, all at once.

mod analyzer;
mod environment;
mod of_files;
mod schema;
mod section;
mod sections;
mod settings;

use std::{
    cell::RefCell,
    collections::BTreeSet,
    num::NonZeroU64,
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
pub use schema::json_schema;
pub(crate) use sections::Service;
pub use sections::{
    Bm25Options, Bm25Section, BoostOptions, BudgetOptions, ChunksSection, CommandRetrieverSection,
    CommandSection, CorpusFields, CorpusSection, DatasetFields, DatasetSection, DiagnosisSection,
    EvaluationSection, FusionSection, HttpReaderSection, HttpRetrieverSection, MetricsSection,
    OpenAiSection, PluginReaderSection, PluginRetrieverSection, PluginSection, PredictionFields,
    ReaderSection, ReaderType, ReplayReaderSection, ReplayRunSection, RerankerSection,
    RetrieverSection, RetrieverType, RunFields, SlidingWindowSection,
};

use crate::{
    Problem, Problems, StoredAnswers,
    problem::{nearest, suggest},
};
use section::Section;

/// The version of the file that this program reads.
pub const VERSION: i64 = 1;

/// A file as written.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file; relative paths in it are relative to its folder.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What the command line sets in place of it, as TOML; its places count on from the end of the
    /// text, see [`Problems`].
    pub settings: String,
    /// What is wrong with it and leaves it readable: the plan reports it with what it finds itself.
    pub problems: Vec<Problem>,
    /// Whether somebody keeps the results. If not, they are gone when they are reported: they have
    /// no identity and no texts.
    pub kept: bool,
    /// How many examples of each dataset are evaluated at most, from its beginning.
    pub limit: Option<NonZeroU64>,
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
    /// `[[plugin]]`.
    pub plugins: Vec<Spanned<PluginSection>>,
    /// `[diagnosis]`.
    pub diagnosis: Option<Spanned<DiagnosisSection>>,
}

/// The tables of the file.
const TABLES: [&str; 9] = [
    "version",
    "evaluation",
    "dataset",
    "corpus",
    "retriever",
    "reader",
    "metrics",
    "plugin",
    "diagnosis",
];

impl Config {
    /// Reads a file, in which each of the settings (`KEY=VALUE`, with a key such as
    /// `reader.passages`) takes the place of what it says. `lookup` gives the values of `${NAME}`. An
    /// error is a file that cannot be used at all; lesser faults are [`problems`](Self::problems) of
    /// the configuration.
    pub fn parse(
        path: &Path,
        text: String,
        settings: &[String],
        lookup: Lookup<'_>,
    ) -> Result<Self, Box<Problems>> {
        let mut problems = Vec::new();
        let settings = settings::written(settings).unwrap_or_else(|problem| {
            problems.push(problem);
            String::new()
        });
        let names = RefCell::new(BTreeSet::new());
        let noting = |name: &str| {
            names.borrow_mut().insert(name.to_owned());
            lookup(name)
        };
        if let Some(config) = parse(path, (&text, &settings), &noting, &mut problems) {
            let named = config.variables.iter().cloned().chain(names.into_inner());
            let variables = named.collect::<BTreeSet<_>>().into_iter().collect();
            return Ok(Self { settings, problems, variables, ..config });
        }
        let problems = Problems::new(path.to_owned(), text, problems);
        Err(Box::new(problems.with_settings(settings)))
    }

    /// The file with these problems.
    pub(crate) fn refused(&self, problems: Vec<Problem>) -> Problems {
        let problems = Problems::new(self.path.clone(), self.text.clone(), problems);
        problems.with_settings(self.settings.clone())
    }

    /// The folder that relative paths start from.
    pub fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }
}

fn parse(
    path: &Path,
    (text, settings): (&str, &str),
    lookup: Lookup<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Config> {
    let mut table = document(text, problems)?;
    // Blanks in place of the text, so that places count on from its end.
    let settings = format!("{:1$}{settings}", "", Problems::settings_start(text));
    settings::apply(&mut table, document(&settings, problems)?, problems);
    table.iter_mut().for_each(|(_, value)| environment::interpolate(value, lookup, problems));
    let mut variables = BTreeSet::new();
    environment::note_named(&DeValue::Table(table.clone()), &mut variables);

    check_version(&table, problems);
    // Without its variables, or in another version, the file says something else.
    let fatal = !problems.is_empty();
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
    let plugins = read_many(&mut table, "plugin", Section::read, problems);
    let diagnosis = one(&mut table, "diagnosis", problems)
        .map(|section| spanned(section, Section::read, problems));

    if fatal {
        return None;
    }
    Some(Config {
        path: path.to_owned(),
        text: text.to_owned(),
        settings: String::new(),
        problems: Vec::new(),
        kept: true,
        limit: None,
        answers: None,
        variables: variables.into_iter().collect(),
        evaluation: evaluation?,
        datasets: datasets.filter(|datasets| !datasets.is_empty())?,
        corpus: transpose(corpus)?,
        retrievers: retrievers?,
        readers: readers?,
        metrics: metrics?,
        plugins: plugins?,
        diagnosis: transpose(diagnosis)?,
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
    let version = match value.get_ref() {
        DeValue::Integer(version) => version.as_str().parse::<i64>().ok(),
        _ => None,
    };
    if version != Some(VERSION) {
        let message = "the file has another version of the format than this program reads";
        let hint = format!("this program reads `version = {VERSION}`");
        problems.push(Problem::at(value.span(), message).hint(hint));
    }
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
