//! The files of a plan: the dataset with its judgments, the corpus, the folder of the results.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    ops::Range,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use qeval_core::Qrels;
use qeval_dataset::{
    BeirFolder, ChunkUnit, Chunks, CorpusFields, CorpusFormat, CorpusSource, DatasetFields,
    DatasetFormat, DatasetSource, TopicIds,
};
use toml::Spanned;

use super::{DatasetPlan, metrics::Scorers, naming, paths};
use crate::{
    Config, Problem,
    config::{
        ChunksSection, CorpusSection, DatasetSection, ReaderSection, ReaderType, RetrieverSection,
        RetrieverType,
    },
    corpus::Corpus,
    problem::suggest,
};

/// A path of a file, from the folder of the file that says it.
pub(super) fn resolve(config: &Config, path: &Spanned<String>) -> PathBuf {
    resolve_in(config.sources.folder(&path.span()), path.get_ref())
}

/// A path from a folder, without `..` where that can be resolved: the folder's real path has no
/// links, so a `..` after it is its parent.
pub(super) fn resolve_in(folder: &Path, path: &str) -> PathBuf {
    let mut resolved = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut plain = true;
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir if plain => {
                resolved.pop();
            }
            Component::CurDir => {}
            part => {
                plain &= part == Component::ParentDir;
                resolved.push(part);
            }
        }
    }
    resolved
}

/// The name of a file up to its first point.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// A problem of a file that the configuration names.
pub(super) fn problem(span: Range<usize>, error: &qeval_dataset::Error) -> Problem {
    Problem::at(span, error.to_string()).maybe_hint(error.hint.clone())
}

/// The datasets, in the order of the file.
pub(super) fn datasets(
    config: &Config,
    scorers: &Scorers,
    problems: &mut Vec<Problem>,
) -> Option<Vec<DatasetPlan>> {
    fn name(planned: &DatasetPlan) -> &str {
        &planned.name
    }
    naming::plan_each("dataset", &config.datasets, name, problems, |section, problems| {
        dataset(config, section, scorers, problems)
    })
}

/// The names of the datasets, in the order of the file.
pub(super) fn dataset_names(config: &Config) -> impl Iterator<Item = String> {
    let name = |dataset: &Spanned<DatasetSection>| dataset_name(config, dataset.get_ref());
    config.datasets.iter().map(name)
}

/// The name of a dataset; by default that of its file. The names of several files do not count.
fn dataset_name(config: &Config, section: &DatasetSection) -> String {
    match (&section.name, &section.path, &section.qrels) {
        (Some(name), _, _) => name.get_ref().clone(),
        (None, Some(paths), _) => match paths::only(config, paths) {
            Some(path) => stem(&resolve_in(config.sources.folder(&paths.span()), path)),
            None => "dataset".to_owned(),
        },
        (None, None, Some(path)) => stem(&resolve(config, path)),
        (None, None, None) => String::new(),
    }
}

/// The columns that any of the datasets is to be grouped by.
pub(super) fn slices(datasets: &[DatasetPlan]) -> Vec<String> {
    let mut slices: Vec<String> = Vec::new();
    for name in datasets.iter().flat_map(|dataset| &dataset.slices) {
        if !slices.contains(name) {
            slices.push(name.clone());
        }
    }
    slices
}

/// A dataset, with the fields that the other parts of the file need.
fn dataset(
    config: &Config,
    written: &Spanned<DatasetSection>,
    scorers: &Scorers,
    problems: &mut Vec<Problem>,
) -> Option<DatasetPlan> {
    let section = written.get_ref();
    let name = section.format.get_ref();
    let Some(format) = DatasetFormat::from_name(name) else {
        let message = format!("there is no dataset format `{name}`");
        let hint = suggest(name, DatasetFormat::ALL.map(DatasetFormat::name));
        problems.push(Problem::at(section.format.span(), message).maybe_hint(hint));
        return None;
    };
    let split = section.split.as_ref().filter(|split| {
        let fits = format == DatasetFormat::Beir;
        if !fits {
            let message = format!("format `{name}` has no splits");
            problems.push(Problem::at(split.span(), message));
        }
        fits
    });
    let split = split.map(|split| split.get_ref().clone());
    let (files, span) = match (&section.path, &section.qrels) {
        (Some(paths), _) => (paths::files(config, paths), paths.span()),
        (None, Some(qrels)) if format == DatasetFormat::Trec => {
            (Ok(vec![resolve(config, qrels)]), qrels.span())
        }
        (None, _) => {
            let message = "`[dataset]` needs the key `path`";
            problems.push(Problem::at(written.span(), message));
            return None;
        }
    };
    let files = files.map_err(|error| problems.push(error)).ok()?;
    let (path, further) = paths::split(files);
    let beir = (format == DatasetFormat::Beir).then(|| BeirFolder::new(&path, split.as_deref()));
    let named = section.qrels.as_ref().map(|path| (path.span(), resolve(config, path)));
    let judged = named.or_else(|| Some((span.clone(), beir.as_ref()?.qrels.clone())));
    let (qrels, qrels_digest) = match judged {
        None => (None, None),
        Some((span, file)) => {
            let reads = if scorers.need_subtopics() {
                qeval_dataset::qrels_on_subtopics
            } else {
                qeval_dataset::qrels
            };
            let (qrels, digest) = qrels(config, span, &file, reads, problems)?;
            (Some(qrels), Some(digest))
        }
    };
    let slices: Vec<String> = section.slices.iter().map(|name| name.get_ref().clone()).collect();
    let mut wanted = slices.clone();
    wanted.extend(scorers.columns().into_iter().filter(|column| !slices.contains(column)));
    let fields = &section.fields;
    check_labels(&fields.labels, problems);
    let mut source = DatasetSource::new(path, format);
    source.further = further;
    source.optional_columns = scorers.optional_columns().into_iter().collect();
    source.columns = wanted;
    source.fields = field_names(fields);
    if format.has_fields() {
        require_fields(&mut source.fields, config, scorers);
    }
    if let Some(ids) = &section.topic_ids {
        source.topic_ids = topic_ids(ids, problems);
    }
    source.split = split;
    let files: Vec<PathBuf> = match &beir {
        Some(beir) => vec![beir.queries.clone()],
        None => std::iter::once(&source.path).chain(&source.further).cloned().collect(),
    };
    let digest = match paths::digest(config, &files) {
        Ok(digest) => digest,
        Err(error) => {
            problems.push(problem(span, &error));
            return None;
        }
    };
    // The queries of qrels have nothing to show.
    let shown = if section.path.is_none() { Ok(Shown::default()) } else { Shown::of(&source) };
    let shown = match shown {
        Ok(shown) => shown,
        Err(error) => {
            problems.push(problem(span, &error));
            return None;
        }
    };
    Some(DatasetPlan {
        name: dataset_name(config, section),
        digest,
        qrels,
        qrels_digest,
        queries_of_qrels: section.path.is_none(),
        has_gold: fields.gold_passages.is_some() || shown.gold,
        has_context: fields.context.is_some() || shown.context,
        // In a format with fixed names a group is always meant as one.
        groups: match &fields.group {
            Some(field) => Some(Groups::Declared(field.clone())),
            None if shown.groups && !format.has_fields() => Some(Groups::Detected(format.name())),
            None => None,
        },
        sharing_contexts: shown.sharing_contexts,
        slices,
        source,
    })
}

/// The fields of a dataset, as its reader takes them.
pub(crate) fn field_names(fields: &crate::config::DatasetFields) -> DatasetFields {
    DatasetFields {
        id: fields.id.clone(),
        question: fields.question.clone(),
        references: fields.references.clone(),
        context: fields.context.clone(),
        gold_passages: fields.gold_passages.clone(),
        group: fields.group.clone(),
        turn: fields.turn.clone(),
        history: fields.history.clone(),
        prediction: fields.prediction.clone(),
        confidence: fields.confidence.clone(),
        hits: fields.hits.clone(),
        citations: fields.citations.clone(),
        verdict: fields.verdict.clone(),
        labels: label_fields(&fields.labels),
    }
}

/// The fields of labels, as the readers of files take them.
pub(super) fn label_fields(labels: &BTreeMap<String, Spanned<String>>) -> BTreeMap<String, String> {
    labels.iter().map(|(label, field)| (label.clone(), field.get_ref().clone())).collect()
}

/// Refuses fields of labels that no metric knows.
pub(super) fn check_labels(
    labels: &BTreeMap<String, Spanned<String>>,
    problems: &mut Vec<Problem>,
) {
    let known = super::metrics::known_labels();
    for (label, field) in labels.iter().filter(|(label, _)| !known.contains(&label.as_str())) {
        let message = format!("no metric knows a label `{label}`");
        let hint = suggest(label, known.iter().copied());
        problems.push(Problem::at(field.span(), message).maybe_hint(hint));
    }
}

/// What says to which dialog or document an example belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Groups {
    /// A field that the file names.
    Declared(String),
    /// The format with this name.
    Detected(&'static str),
}

/// What a dataset shows before any work: whether its fields are where the file says, and which
/// ones it has under their own names, without a mapping.
#[derive(Default)]
struct Shown {
    gold: bool,
    context: bool,
    groups: bool,
    /// Records whose context is also that of another one.
    sharing_contexts: u64,
}

impl Shown {
    /// Records that are looked at: the first ones may be those without an answer.
    const RECORDS: usize = 100;

    /// Errors behind the first record are those of the run, which names them all the same.
    fn of(source: &DatasetSource) -> Result<Self, qeval_dataset::Error> {
        let mut shown = Self::default();
        let mut contexts: BTreeMap<String, u64> = BTreeMap::new();
        let mut records = qeval_dataset::open(source)?;
        let first = records.next().transpose()?;
        let others = records.take(Self::RECORDS - 1).map_while(Result::ok);
        for record in first.into_iter().chain(others) {
            shown.gold |= !record.example.gold_passages.is_empty();
            shown.context |= record.example.context.is_some();
            shown.groups |= record.example.group.is_some();
            if let Some(context) = record.example.context {
                *contexts.entry(context).or_default() += 1;
            }
        }
        shown.sharing_contexts = contexts.into_values().filter(|&count| count > 1).sum();
        Ok(shown)
    }
}

/// Fields without which the evaluation would mean something else: without references every
/// question counts as unanswerable, without questions a search finds nothing. They are asked for
/// by their usual name where the file does not map them, so that a dataset without them is refused.
fn require_fields(fields: &mut DatasetFields, config: &Config, scorers: &Scorers) {
    if scorers.score_answers() {
        fields.references.get_or_insert_with(|| "references".to_owned());
    }
    let live =
        |reader: &Spanned<ReaderSection>| !matches!(reader.get_ref().what, ReaderType::Replay(_));
    let searched = |retriever: &Spanned<RetrieverSection>| {
        let what = &retriever.get_ref().what;
        !matches!(what, RetrieverType::Replay(_) | RetrieverType::Fusion(_))
    };
    if config.retrievers.iter().any(searched) || config.readers.iter().any(live) {
        fields.question.get_or_insert_with(|| "question".to_owned());
    }
}

fn topic_ids(ids: &Spanned<String>, problems: &mut Vec<Problem>) -> TopicIds {
    match ids.get_ref().as_str() {
        "given" => TopicIds::Given,
        "position" => TopicIds::Position,
        other => {
            let hint = suggest(other, ["given", "position"]);
            let message = format!("`topic_ids` is `{other}`");
            problems.push(Problem::at(ids.span(), message).maybe_hint(hint));
            TopicIds::Given
        }
    }
}

fn qrels(
    config: &Config,
    span: Range<usize>,
    file: &Path,
    reads: fn(&Path) -> Result<Qrels, qeval_dataset::Error>,
    problems: &mut Vec<Problem>,
) -> Option<(Qrels, String)> {
    let digest = paths::digest(config, &[file.to_owned()]);
    let read = digest.and_then(|digest| Ok((reads(file)?, digest)));
    match read {
        Ok(read) => Some(read),
        Err(error) => {
            problems.push(problem(span, &error));
            None
        }
    }
}

/// The corpus of a file: the one that it declares, or that of its only dataset, where that is a
/// BEIR folder and something reads passages.
pub(super) fn corpus_section(config: &Config) -> Option<Cow<'_, Spanned<CorpusSection>>> {
    if let Some(declared) = &config.corpus {
        return Some(Cow::Borrowed(declared));
    }
    let [dataset] = config.datasets.as_slice() else { return None };
    let DatasetSection { format, path, .. } = dataset.get_ref();
    let read = !config.readers.is_empty() || config.retrievers.iter().any(is_searched);
    if format.get_ref() != DatasetFormat::Beir.name() || !read {
        return None;
    }
    let section = CorpusSection {
        chunks: None,
        format: format.clone(),
        path: path.clone()?,
        fields: crate::config::CorpusFields::default(),
    };
    Some(Cow::Owned(Spanned::new(dataset.span(), section)))
}

/// Whether a retriever searches the corpus.
fn is_searched(retriever: &Spanned<RetrieverSection>) -> bool {
    matches!(retriever.get_ref().what, RetrieverType::Bm25(_))
}

/// The corpus: `Some(None)` where the file declares none, `None` where it cannot be read.
#[expect(clippy::option_option, reason = "absent and unreadable are two things")]
pub(super) fn corpus(config: &Config, problems: &mut Vec<Problem>) -> Option<Option<Arc<Corpus>>> {
    let Some(section) = corpus_section(config) else { return Some(None) };
    let section = section.get_ref();
    let name = section.format.get_ref();
    let Some(format) = CorpusFormat::from_name(name) else {
        let message = format!("there is no corpus format `{name}`");
        let hint = suggest(name, CorpusFormat::ALL.map(CorpusFormat::name));
        problems.push(Problem::at(section.format.span(), message).maybe_hint(hint));
        return None;
    };
    let chunks = match &section.chunks {
        None => None,
        Some(written) => Some(chunks(written, problems)?),
    };
    let files = paths::files(config, &section.path).map_err(|error| problems.push(error)).ok()?;
    let (path, further) = paths::split(files.clone());
    let source = CorpusSource {
        path,
        further,
        format,
        fields: CorpusFields {
            id: section.fields.id.clone(),
            title: section.fields.title.clone(),
            text: section.fields.text.clone(),
            document: section.fields.document.clone(),
            superseded_by: section.fields.superseded_by.clone(),
        },
        metadata: section.fields.metadata.clone(),
        chunks,
    };
    let mut fields = serde_json::json!({
        "id": source.fields.id,
        "title": source.fields.title,
        "text": source.fields.text,
        "document": source.fields.document,
        "superseded_by": source.fields.superseded_by,
        "metadata": source.metadata,
    });
    if let Some(ChunksSection { size, overlap, unit }) =
        section.chunks.as_ref().map(Spanned::get_ref)
    {
        fields["chunks"] = serde_json::json!({"size": size, "overlap": overlap, "unit": unit});
    }
    let files = match format {
        CorpusFormat::Beir => vec![BeirFolder::new(&source.path, None).corpus],
        _ => files,
    };
    let only = paths::only(config, &section.path).is_some();
    let name = if only { stem(&source.path) } else { "corpus".to_owned() };
    let read = qeval_dataset::digest_of_all(&files).and_then(|digest| {
        let passages = qeval_dataset::corpus(&source)?;
        Ok(Corpus::new(name, passages, digest, fields))
    });
    match read {
        Ok(corpus) => Some(Some(Arc::new(corpus))),
        Err(error) => {
            problems.push(problem(section.path.span(), &error));
            None
        }
    }
}

fn chunks(written: &Spanned<ChunksSection>, problems: &mut Vec<Problem>) -> Option<Chunks> {
    let ChunksSection { size, overlap, unit } = written.get_ref();
    let unit = unit.as_deref().map_or(Ok(ChunkUnit::Words), ChunkUnit::from_name);
    match unit.and_then(|unit| Chunks::new(*size, *overlap, unit)) {
        Ok(chunks) => Some(chunks),
        Err(error) => {
            problems.push(Problem::at(written.span(), error.to_string()));
            None
        }
    }
}

/// The folder of the evaluations. It is made now, so that a folder that cannot be written fails
/// before any work.
pub(super) fn results(config: &Config, problems: &mut Vec<Problem>) -> Option<PathBuf> {
    let results = config.evaluation.results.as_ref();
    if let Some(address) = results.filter(|results| results.get_ref().contains("://")) {
        let problem = Problem::at(address.span(), "the results folder is an address");
        problems.push(problem.hint("name a folder of this machine, and copy it from there"));
        return None;
    }
    let folder = match results {
        Some(results) => resolve(config, results),
        None => resolve_in(config.folder(), "results"),
    };
    let fault = match writable(&folder) {
        Ok(()) => return Some(folder),
        Err(_) if folder.is_file() => "is a file".to_owned(),
        Err(error) => format!("cannot be written: {error}"),
    };
    problems.push(Problem {
        span: results.map(Spanned::span),
        message: format!("the results folder `{}` {fault}", folder.display()),
        hint: Some("name another folder as `results` in `[evaluation]`".to_owned()),
    });
    None
}

pub(super) fn writable(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let probe = folder.join(format!("_probe-{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(&probe)
}
