//! Corpora: all passages that can be retrieved.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use qeval_core::{Passage, Value};

use crate::{
    BeirFolder, Chunks, CorpusFields, CsvOptions, Error, Place, Problem, beir, document,
    document_of_chunk, dpr,
    fields::{Need, Wanted},
    input::{self, Lines},
    markup,
    rows::{Rows, Shape},
    seen::{Refused, SeenIds},
    sequence::{Sequence, place},
    trec::smart,
};

/// A corpus as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusSource {
    /// The file.
    pub path: PathBuf,
    /// Files of the same format that are read after it, as if all were one. A BEIR folder has none.
    pub further: Vec<PathBuf>,
    /// How they are written.
    pub format: CorpusFormat,
    /// Which field, or element of a TREC stream, plays which role.
    pub fields: CorpusFields,
    /// Further fields or elements that go to [`Passage::metadata`].
    pub metadata: Vec<String>,
    /// How the passages are cut, if they are.
    pub chunks: Option<Chunks>,
}

impl CorpusSource {
    /// A corpus with all options at their defaults.
    pub fn new(path: impl Into<PathBuf>, format: CorpusFormat) -> Self {
        let fields = CorpusFields::default();
        Self {
            path: path.into(),
            further: Vec::new(),
            format,
            fields,
            metadata: Vec::new(),
            chunks: None,
        }
    }
}

impl CorpusSource {
    /// Refuses names of fields that a format with fixed names does not let one choose.
    fn check_fixed(&self) -> Result<(), Error> {
        if self.fields == CorpusFields::default() && self.metadata.is_empty() {
            return Ok(());
        }
        let message = format!("the fields of format `{}` have fixed names", self.format.name());
        Err(Problem::new(message)
            .with_hint("remove `fields`, or name another format")
            .of_file(&self.path))
    }
}

/// The formats of corpora.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorpusFormat {
    /// JSON lines, with a mapping of fields.
    Jsonl,
    /// A table with a header, with a mapping of fields.
    Csv,
    /// A Parquet table, with a mapping of fields.
    Parquet,
    /// A stream of `<doc>` elements with `<docno>`, `<title>` and `<text>` inside, as TREC's
    /// collections and Cranfield come, or one of SMART with `.I`, `.T` and `.W`.
    Trec,
    /// The passages in DPR's results of a retrieval.
    Dpr,
    /// BEIR's folder, whose `corpus.jsonl` it is.
    Beir,
    /// MS MARCO's lines `id TAB text`, or `id TAB url TAB title TAB text`.
    Msmarco,
}

impl CorpusFormat {
    /// All formats.
    pub const ALL: [Self; 7] =
        [Self::Jsonl, Self::Csv, Self::Parquet, Self::Trec, Self::Dpr, Self::Beir, Self::Msmarco];

    /// The word for it in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Trec => "trec",
            Self::Dpr => "dpr",
            Self::Beir => "beir",
            Self::Msmarco => "msmarco",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Reads a corpus, in the order of its files. A passage may have an empty text; an id that occurs
/// twice, and a passage that is superseded by one that isn't there, are errors. Then the passages
/// are cut into chunks, if that is asked for.
pub fn corpus(source: &CorpusSource) -> Result<Vec<Passage>, Error> {
    let fixed =
        matches!(source.format, CorpusFormat::Beir | CorpusFormat::Msmarco | CorpusFormat::Dpr);
    if fixed {
        source.check_fixed()?;
    }
    if source.format == CorpusFormat::Beir {
        if !source.further.is_empty() {
            let problem = Problem::new("a corpus of format `beir` is one folder, not several");
            return Err(problem.of_file(&source.path));
        }
        let path = BeirFolder::new(&source.path, None).corpus;
        return corpus(&CorpusSource {
            chunks: source.chunks,
            fields: beir::corpus_fields(),
            ..CorpusSource::new(path, CorpusFormat::Jsonl)
        });
    }
    let mut loading = Loading {
        what: if source.format == CorpusFormat::Parquet { "record" } else { "line" },
        passages: Vec::new(),
        seen: SeenIds::default(),
        sequence: Sequence::default(),
        superseded: Vec::new(),
    };
    let shape = match source.format {
        CorpusFormat::Jsonl => Some(Shape::Jsonl),
        CorpusFormat::Csv => Some(Shape::Csv(CsvOptions::default())),
        CorpusFormat::Parquet => Some(Shape::Parquet),
        _ => None,
    };
    if let Some(shape) = shape {
        rows(source, shape, &mut loading)?;
    } else {
        for path in std::iter::once(&source.path).chain(&source.further) {
            loading.sequence.begin(path);
            match source.format {
                CorpusFormat::Msmarco => tab_separated(path, &mut loading)?,
                CorpusFormat::Dpr => {
                    for (passage, number) in dpr::passages(path)? {
                        loading.add(passage, number)?;
                    }
                }
                _ => stream(source, path, &mut loading)?,
            }
        }
        check_metadata(source, &loading)?;
    }
    let passages = loading.finish(&source.path)?;
    Ok(match source.chunks {
        None => passages,
        Some(chunks) => cut(&source.path, chunks, passages)?,
    })
}

/// Cuts the passages. A chunk with the id of another passage would hide it from the judgments.
fn cut(path: &Path, chunks: Chunks, passages: Vec<Passage>) -> Result<Vec<Passage>, Error> {
    // Few ids look like those of chunks.
    let like_chunks =
        passages.iter().filter(|passage| document_of_chunk(&passage.id) != passage.id);
    let ids: HashSet<String> = like_chunks.map(|passage| passage.id.clone()).collect();
    let cut = chunks.cut(passages);
    match cut.iter().find(|chunk| ids.contains(&chunk.id)) {
        None => Ok(cut),
        Some(chunk) => {
            let (id, document) = (&chunk.id, chunk.document_id());
            let message = format!("passage `{id}` has the id of a chunk of passage `{document}`");
            let hint = "chunks are `ID#1`, `ID#2` and so on: rename the passage";
            Err(Problem::new(message).with_hint(hint).of_file(path))
        }
    }
}

/// Passages while they are read.
struct Loading {
    /// What their numbers count: lines or records.
    what: &'static str,
    passages: Vec<Passage>,
    seen: SeenIds,
    sequence: Sequence,
    /// Places of the passages that are superseded, with their numbers among all.
    superseded: Vec<(usize, u64)>,
}

impl Loading {
    /// Adds a passage of the file that is read now, with its number there.
    fn add(&mut self, passage: Passage, number: u64) -> Result<(), Error> {
        let number = self.sequence.number(number);
        let inserted = self.insert(passage, number);
        inserted.map_err(|refused| self.sequence.refused(refused, self.what))
    }

    fn insert(&mut self, passage: Passage, number: u64) -> Result<(), Refused> {
        self.seen.insert(&passage.id, number)?;
        if passage.superseded() {
            self.superseded.push((self.passages.len(), number));
        }
        self.passages.push(passage);
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Result<Vec<Passage>, Error> {
        self.seen.finish().map_err(|refused| self.sequence.refused(refused, self.what))?;
        let Self { what, passages, sequence, superseded, .. } = self;
        if passages.is_empty() {
            return Err(document::empty().of_file(path));
        }
        if !superseded.is_empty() {
            let ids: HashSet<&str> = passages.iter().map(|passage| passage.id.as_str()).collect();
            for (index, number) in superseded {
                let Passage { id, superseded_by, .. } = &passages[index];
                let by = superseded_by.as_deref().unwrap_or_default();
                let fault = match (ids.contains(by), by == id) {
                    (true, false) => continue,
                    (_, true) => "itself".to_owned(),
                    (false, false) => format!("`{by}`, which is not in the corpus"),
                };
                let (path, number) = sequence.locate(number).unwrap_or((path, number));
                return Err(Problem::new(format!("passage `{id}` is superseded by {fault}"))
                    .at(path, place(what, number)));
            }
        }
        Ok(passages)
    }
}

fn rows(source: &CorpusSource, shape: Shape, loading: &mut Loading) -> Result<(), Error> {
    let CorpusSource { path, further, fields, metadata, .. } = source;
    let mut wanted = Wanted::default();
    let id = wanted.required("id", fields.id.as_ref());
    let text = wanted.required("text", fields.text.as_ref());
    let mut role =
        |name, mapped: &Option<String>| wanted.role(name, mapped.as_ref(), Need::Somewhere);
    let title = role("title", &fields.title);
    let document = role("document", &fields.document);
    let superseded_by = role("superseded_by", &fields.superseded_by);
    let metadata: Vec<_> = metadata.iter().map(|name| (name, wanted.column(name))).collect();
    let mut rows = Rows::open(path, further, shape, wanted)?;
    while let Some(passage) = rows.next(|row| {
        let mut passage = Passage::default();
        for (slot, field) in row.fields() {
            // One field may play several roles, so this is no chain of alternatives.
            if slot == id {
                passage.id = field.required_id()?;
            }
            if slot == text {
                passage.text = field.text()?.unwrap_or_default();
            }
            if Some(slot) == title {
                passage.title = field.text()?.unwrap_or_default();
            }
            if Some(slot) == document {
                passage.document = field.id()?;
            }
            if Some(slot) == superseded_by {
                passage.superseded_by = field.id()?;
            }
            for (name, _) in metadata.iter().filter(|(_, wanted)| *wanted == slot) {
                if let Some(value) = field.value()? {
                    passage.metadata.insert((*name).clone(), value);
                }
            }
        }
        Ok(passage)
    })? {
        loading.insert(passage, rows.number()).map_err(|refused| rows.refused(refused))?;
    }
    let seen = loading.seen.finish().map_err(|refused| rows.refused(refused));
    loading.sequence = rows.into_sequence();
    seen
}

fn tab_separated(path: &Path, loading: &mut Loading) -> Result<(), Error> {
    let mut lines = Lines::open(path)?;
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next()? else { return Ok(()) };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        let (id, title, text) = match cells.as_slice() {
            [id, text] if !id.is_empty() => (*id, "", *text),
            [id, _, title, text] if !id.is_empty() => (*id, *title, *text),
            cells => {
                let message = format!("the line has {} cells or no id", cells.len());
                let expected = "expected `id TAB text` or `id TAB url TAB title TAB text`";
                let problem = Problem::new(format!("{message}, {expected}"));
                return Err(problem.at(path, Place::line(number)));
            }
        };
        let (id, title, text) = (id.to_owned(), title.to_owned(), text.to_owned());
        loading.add(Passage { id, title, text, ..Passage::default() }, number)?;
    }
}

fn stream(source: &CorpusSource, path: &Path, loading: &mut Loading) -> Result<(), Error> {
    let text = input::read_text(path)?;
    let at = |(problem, place): (Problem, Place)| problem.at(path, place);
    if smart::is_stream(&text) {
        for item in smart::items(&text).map_err(at)? {
            let made = passage(source, &|name| item.element(name));
            let place = Place::line(item.line);
            loading.add(made.map_err(|problem| at((problem, place)))?, item.line)?;
        }
        return Ok(());
    }
    let mut documents = 0;
    for block in markup::blocks(&text, "doc") {
        let block = block.map_err(at)?;
        let place = Place::line(block.line);
        let element = |name: &str| markup::element(block.content, name).map(markup::decode);
        let passage = passage(source, &element).map_err(|problem| at((problem, place)))?;
        loading.add(passage, block.line)?;
        documents += 1;
    }
    if documents == 0 && !text.trim_ascii().is_empty() {
        return Err(Problem::new("the file has no `<doc>` element").of_file(path));
    }
    Ok(())
}

/// Refuses an element that no passage has.
fn check_metadata(source: &CorpusSource, loading: &Loading) -> Result<(), Error> {
    let asked = source.metadata.iter();
    let found = |name: &&String| loading.passages.iter().any(|p| p.metadata.contains_key(*name));
    match asked.into_iter().find(|name| !loading.passages.is_empty() && !found(name)) {
        Some(name) => {
            Err(Problem::new(format!("no passage has the element `<{name}>`"))
                .of_file(&source.path))
        }
        None => Ok(()),
    }
}

fn passage(
    source: &CorpusSource,
    element: &dyn Fn(&str) -> Option<String>,
) -> Result<Passage, Problem> {
    let CorpusSource { fields, metadata, .. } = source;
    let role = |mapped: &Option<String>, usual: &str| {
        let name = mapped.as_deref().unwrap_or(usual);
        (!name.is_empty()).then(|| element(name)).flatten()
    };
    let required = |mapped: &Option<String>, usual: &str| {
        role(mapped, usual).ok_or_else(|| {
            let name = mapped.as_deref().unwrap_or(usual);
            Problem::new(format!("the `<doc>` has no `<{name}>`"))
        })
    };
    let id = required(&fields.id, "docno")?;
    if id.is_empty() {
        return Err(Problem::new("the id of the `<doc>` is empty"));
    }
    let value = |name: &String| Some((name.clone(), Value::Text(element(name)?)));
    Ok(Passage {
        id,
        title: role(&fields.title, "title").unwrap_or_default(),
        text: required(&fields.text, "text")?,
        document: role(&fields.document, "document"),
        superseded_by: role(&fields.superseded_by, "superseded_by"),
        metadata: metadata.iter().filter_map(value).collect(),
    })
}

#[cfg(test)]
mod tests;
