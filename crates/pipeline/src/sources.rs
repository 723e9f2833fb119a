//! The texts that a configuration is made of: the file, those that it extends, and what the command
//! line sets.
//!
//! Each text has places of its own behind those of the text before it, so that a place alone says
//! which text it is in.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// What the command line is called where a file has its path.
pub(crate) const COMMAND_LINE: &str = "the command line";

/// One of the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file, or [`None`] for the command line.
    pub path: Option<PathBuf>,
    /// What is in it.
    pub text: String,
    /// Where its places begin.
    start: usize,
}

impl Source {
    /// What messages call it.
    pub fn name(&self) -> String {
        self.path
            .as_ref()
            .map_or_else(|| COMMAND_LINE.to_owned(), |path| path.display().to_string())
    }

    /// The folder that relative paths in it start from; [`None`] for the command line.
    fn folder(&self) -> Option<&Path> {
        Some(folder_of(self.path.as_ref()?))
    }
}

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// All texts of a configuration, the file itself first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// A file alone.
    pub(crate) fn new(path: PathBuf, text: String) -> Self {
        Self(vec![Source { path: Some(path), text, start: 0 }])
    }

    /// Adds a text. What is returned has blanks in front of it, so that the places in it are those
    /// of the text among all.
    pub(crate) fn add(&mut self, path: Option<PathBuf>, text: String) -> String {
        let start = self.0.last().map_or(0, |last| last.start + last.text.len() + 1);
        let padded = " ".repeat(start) + &text;
        self.0.push(Source { path, text, start });
        padded
    }

    /// The text that a place is in, and the place in it; [`None`] where the text is empty.
    pub fn find(&self, span: &Range<usize>) -> Option<(&Source, Range<usize>)> {
        let source = self.holding(span)?;
        let within = |place: usize| (place - source.start).min(source.text.len());
        let place = within(span.start)..within(span.end.max(span.start));
        (!source.text.is_empty()).then_some((source, place))
    }

    /// The part of a text at a place.
    pub(crate) fn text(&self, span: &Range<usize>) -> Option<&str> {
        let (source, place) = self.find(span)?;
        source.text.get(place)
    }

    /// The folder that a relative path at a place starts from: on the command line that of the file.
    pub(crate) fn folder(&self, span: &Range<usize>) -> &Path {
        let own = self.holding(span).and_then(Source::folder);
        own.or_else(|| self.0.first()?.folder()).unwrap_or(Path::new("."))
    }

    fn holding(&self, span: &Range<usize>) -> Option<&Source> {
        self.0.iter().rev().find(|source| source.start <= span.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_says_which_text_it_is_in() {
        let mut sources = Sources::new("a/one.toml".into(), "one".to_owned());
        let padded = sources.add(Some("b/two.toml".into()), "second".to_owned());
        let third = sources.add(None, "x = 1".to_owned());
        let at = |text: &str, part| {
            let start = text.find(part).unwrap();
            start..start + 1
        };
        let named = |span: &Range<usize>| {
            let (source, place) = sources.find(span).unwrap();
            (source.name(), source.text[place].to_owned(), sources.folder(span).to_owned())
        };
        assert_eq!(named(&(1..2)), ("a/one.toml".into(), "n".into(), "a".into()));
        assert_eq!(named(&at(&padded, "c")), ("b/two.toml".into(), "c".into(), "b".into()));
        assert_eq!(named(&at(&third, "x")), ("the command line".into(), "x".into(), "a".into()));
        // A place at the very end of a text is in it.
        assert_eq!(named(&(3..3)), ("a/one.toml".into(), String::new(), "a".into()));
    }
}
