//! Corpora: all passages that can be retrieved.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use qeval_core::{Passage, Value};

use crate::{
    BeirFolder, Chunks, CorpusFields, Error, Place, Problem, beir, document, document_of_chunk,
    dpr,
    fields::{Need, Wanted},
    input::{self, Lines},
    jsonl::JsonRows,
    markup,
    seen::SeenIds,
    trec::smart,
};

/// A corpus as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusSource {
    /// The file.
    pub path: PathBuf,
    /// How it is written.
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
        Self { path: path.into(), format, fields, metadata: Vec::new(), chunks: None }
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
    pub const ALL: [Self; 5] = [Self::Jsonl, Self::Trec, Self::Dpr, Self::Beir, Self::Msmarco];

    /// The word for it in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
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

/// Reads a corpus, in the order of its file. A passage may have an empty text; an id that occurs
/// twice, and a passage that is superseded by one that isn't there, are errors. Then the passages
/// are cut into chunks, if that is asked for.
pub fn corpus(source: &CorpusSource) -> Result<Vec<Passage>, Error> {
    let mut loading = Loading {
        path: &source.path,
        passages: Vec::new(),
        lines: SeenIds::default(),
        superseded: Vec::new(),
    };
    match source.format {
        CorpusFormat::Jsonl => rows(source, &mut loading)?,
        CorpusFormat::Beir => {
            source.check_fixed()?;
            return corpus(&CorpusSource {
                chunks: source.chunks,
                path: BeirFolder::new(&source.path, None).corpus,
                format: CorpusFormat::Jsonl,
                fields: beir::corpus_fields(),
                metadata: Vec::new(),
            });
        }
        CorpusFormat::Msmarco => {
            source.check_fixed()?;
            tab_separated(&source.path, &mut loading)?;
        }
        CorpusFormat::Trec => stream(source, &mut loading)?,
        CorpusFormat::Dpr => {
            source.check_fixed()?;
            for (passage, number) in dpr::passages(&source.path)? {
                loading.add(passage, number)?;
            }
        }
    }
    let passages = loading.finish()?;
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
struct Loading<'a> {
    path: &'a Path,
    passages: Vec<Passage>,
    lines: SeenIds,
    /// Places of the passages that are superseded, with their lines.
    superseded: Vec<(usize, u64)>,
}

impl Loading<'_> {
    fn add(&mut self, passage: Passage, line: u64) -> Result<(), Error> {
        let inserted = self.lines.insert(&passage.id, line);
        inserted.map_err(|refused| refused.error(self.path, true))?;
        if passage.superseded() {
            self.superseded.push((self.passages.len(), line));
        }
        self.passages.push(passage);
        Ok(())
    }

    fn finish(self) -> Result<Vec<Passage>, Error> {
        let Self { path, passages, superseded, mut lines } = self;
        lines.finish().map_err(|refused| refused.error(path, true))?;
        if passages.is_empty() {
            return Err(document::empty().of_file(path));
        }
        if !superseded.is_empty() {
            let ids: HashSet<&str> = passages.iter().map(|passage| passage.id.as_str()).collect();
            for (place, line) in superseded {
                let Passage { id, superseded_by, .. } = &passages[place];
                let by = superseded_by.as_deref().unwrap_or_default();
                let fault = match (ids.contains(by), by == id) {
                    (true, false) => continue,
                    (_, true) => "itself".to_owned(),
                    (false, false) => format!("`{by}`, which is not in the corpus"),
                };
                return Err(Problem::new(format!("passage `{id}` is superseded by {fault}"))
                    .at(path, Place::line(line)));
            }
        }
        Ok(passages)
    }
}

fn rows(source: &CorpusSource, loading: &mut Loading<'_>) -> Result<(), Error> {
    let CorpusSource { path, fields, metadata, .. } = source;
    let mut wanted = Wanted::default();
    let id = wanted.required("id", fields.id.as_ref());
    let text = wanted.required("text", fields.text.as_ref());
    let mut role =
        |name, mapped: &Option<String>| wanted.role(name, mapped.as_ref(), Need::Somewhere);
    let title = role("title", &fields.title);
    let document = role("document", &fields.document);
    let superseded_by = role("superseded_by", &fields.superseded_by);
    let metadata: Vec<_> = metadata.iter().map(|name| (name, wanted.column(name))).collect();
    let mut rows = JsonRows::open(path, wanted)?;
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
        loading.add(passage, rows.line())?;
    }
    Ok(())
}

fn tab_separated(path: &Path, loading: &mut Loading<'_>) -> Result<(), Error> {
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

fn stream(source: &CorpusSource, loading: &mut Loading<'_>) -> Result<(), Error> {
    let text = input::read_text(&source.path)?;
    if smart::is_stream(&text) {
        let items =
            smart::items(&text).map_err(|(problem, place)| problem.at(&source.path, place))?;
        for item in items {
            let made = passage(source, &|name| item.element(name));
            let place = Place::line(item.line);
            loading.add(made.map_err(|problem| problem.at(&source.path, place))?, item.line)?;
        }
        return check_metadata(source, loading);
    }
    for block in markup::blocks(&text, "doc") {
        let block = block.map_err(|(problem, place)| problem.at(&source.path, place))?;
        let place = Place::line(block.line);
        let element = |name: &str| markup::element(block.content, name).map(markup::decode);
        let passage =
            passage(source, &element).map_err(|problem| problem.at(&source.path, place))?;
        loading.add(passage, block.line)?;
    }
    if loading.passages.is_empty() && !text.trim_ascii().is_empty() {
        return Err(Problem::new("the file has no `<doc>` element").of_file(&source.path));
    }
    check_metadata(source, loading)
}

/// Refuses an element that no passage has.
fn check_metadata(source: &CorpusSource, loading: &Loading<'_>) -> Result<(), Error> {
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
mod tests {
    use super::*;
    use crate::testing::read;

    fn load(
        format: CorpusFormat,
        content: &str,
        configure: impl Fn(&mut CorpusSource),
    ) -> Result<Vec<Passage>, String> {
        read(content.as_bytes(), |path| {
            let mut source = CorpusSource::new(path, format);
            configure(&mut source);
            corpus(&source)
        })
    }

    #[test]
    fn lines_have_the_mapped_fields_and_the_metadata() {
        let lines = "{\"_id\": 1, \"text\": \"a\", \"title\": \"T\", \"n\": 3}\n\
                     {\"_id\": 2, \"text\": \"\", \"policy\": \"P\", \"superseded_by\": 1}\n";
        let found = load(CorpusFormat::Jsonl, lines, |source| {
            source.fields.id = Some("_id".to_owned());
            source.fields.document = Some("policy".to_owned());
            source.metadata = vec!["n".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!((first.id.as_str(), first.title.as_str(), first.text.as_str()), ("1", "T", "a"));
        assert_eq!(first.metadata["n"], Value::Integer(3));
        assert_eq!((first.document.as_deref(), first.superseded()), (None, false));
        assert_eq!(second.document.as_deref(), Some("P"));
        assert_eq!((second.superseded_by.as_deref(), second.text.as_str()), (Some("1"), ""));
    }

    #[test]
    fn a_chunk_has_an_id_of_its_own() {
        let cut = |lines: &str| {
            let chunks = Chunks::new(1, 0, crate::ChunkUnit::Words).ok();
            load(CorpusFormat::Jsonl, lines, |source| source.chunks = chunks)
        };
        let lines = "{\"id\": \"a\", \"text\": \"one two\"}\n{\"id\": \"a#2\", \"text\": \"x\"}\n";
        let message = cut(lines).unwrap_err();
        assert!(
            message.contains("passage `a#2` has the id of a chunk of passage `a`"),
            "{message}"
        );
        assert_eq!(cut(&lines.replace("a#2", "a#3")).unwrap().len(), 3);
    }

    #[test]
    fn a_stream_has_the_elements_of_its_documents() {
        let stream = "<doc>\n<docno>1</docno>\n<title>a\nb .</title>\n<author>R&amp;D</author>\n\
                      <text>a\nb .\n  c < d</text>\n</doc>\n\
                      <DOC>\n<DOCNO> FT-2 </DOCNO>\n<TEXT>\n</TEXT></DOC>\n";
        let found = load(CorpusFormat::Trec, stream, |source| {
            source.metadata = vec!["author".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!((first.title.as_str(), first.text.as_str()), ("a\nb .", "a\nb .\n  c < d"));
        assert_eq!(first.metadata["author"], Value::Text("R&D".to_owned()));
        assert_eq!((second.id.as_str(), second.text.as_str()), ("FT-2", ""));
        let found = load(CorpusFormat::Trec, stream, |source| {
            source.fields.text = Some("title".to_owned());
        });
        assert_eq!(found.unwrap_err(), "`file`, line 10: the `<doc>` has no `<title>`");
    }

    #[test]
    fn smart_and_ms_marco_have_passages_too() {
        let stream = ".I 1\n.T\na title .\n.A\nx.\n.B\nj. 1\n.W\nthe\ntext .\n.I 2\n.W\n";
        let found = load(CorpusFormat::Trec, stream, |source| {
            source.metadata = vec!["author".to_owned()];
        });
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!((first.title.as_str(), first.text.as_str()), ("a title .", "the\ntext ."));
        assert_eq!(first.metadata["author"], Value::Text("x.".to_owned()));
        assert_eq!((second.id.as_str(), second.text.as_str()), ("2", ""));

        let found = load(CorpusFormat::Msmarco, "7\ta b\r\nD1\thttp://x\tT\tbody\n", |_| {});
        let [first, second] = found.unwrap().try_into().unwrap();
        assert_eq!((first.id.as_str(), first.text.as_str()), ("7", "a b"));
        assert_eq!((second.title.as_str(), second.text.as_str()), ("T", "body"));
        assert_eq!(
            load(CorpusFormat::Msmarco, "7 a\n", |_| {}).unwrap_err(),
            "`file`, line 1: the line has 1 cells or no id, expected `id TAB text` or \
             `id TAB url TAB title TAB text`"
        );
    }

    #[test]
    fn errors_say_where_and_what() {
        let check = |format: CorpusFormat, content: &str, expected: &str| {
            assert_eq!(load(format, content, |_| {}).unwrap_err(), expected);
        };
        let (jsonl, trec) = (CorpusFormat::Jsonl, CorpusFormat::Trec);
        check(jsonl, "", "`file`: the file is empty: there is nothing to evaluate");
        check(trec, "\n", "`file`: the file is empty: there is nothing to evaluate");
        check(trec, "abc", "`file`: the file has no `<doc>` element");
        check(trec, "<doc><docno>1</docno></doc>", "`file`, line 1: the `<doc>` has no `<text>`");
        check(trec, "\n<doc><text>a</text></doc>", "`file`, line 2: the `<doc>` has no `<docno>`");
        check(
            trec,
            "<doc>\n<docno>1</docno><text>a</text>\n<doc></doc>",
            "`file`, line 1: `<doc>` has no `</doc>`\nhint: the file may be truncated",
        );
        check(
            jsonl,
            "{\"id\": 1, \"text\": \"a\"}\n{\"id\": \"1\", \"text\": \"a\"}",
            "`file`, line 2: id `1` is given twice, on lines 1 and 2\n\
             hint: ids must be unique: results are joined on them",
        );
        check(
            jsonl,
            r#"{"id": 1, "contents": "a"}"#,
            "`file`, line 1: field `text` is missing; the record has `id`, `contents`\n\
             hint: name the right field: `fields = { text = \"contents\" }`",
        );
        check(
            jsonl,
            "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 2, \"text\": \"a\", \"superseded_by\": 3}",
            "`file`, line 2: passage `2` is superseded by `3`, which is not in the corpus",
        );
        check(
            jsonl,
            r#"{"id": 1, "text": "a", "superseded_by": 1}"#,
            "`file`, line 1: passage `1` is superseded by itself",
        );
        let line = r#"{"id": 1, "text": "a", "replaced_by": null}"#;
        let found = load(jsonl, line, |source| {
            source.fields.superseded_by = Some("replaced".to_owned());
        });
        let expected = "`file`: no record has the field `replaced`; \
                        the first has `id`, `text`, `replaced_by`\n\
                        hint: name the right field: `fields = { superseded_by = \"replaced_by\" }`";
        assert_eq!(found.unwrap_err(), expected);
    }
}
