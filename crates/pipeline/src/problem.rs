//! What is wrong with a file, with the place where it stands.

use std::{fmt, ops::Range, path::PathBuf};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the file that it concerns; `None` when it concerns the whole file.
    pub span: Option<Range<usize>>,
    /// What is wrong: a fragment with the value in backticks.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem at a place.
    pub fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span: Some(span), message: message.into(), hint: None }
    }

    /// A problem of the file as a whole.
    pub fn of_file(message: impl Into<String>) -> Self {
        Self { span: None, message: message.into(), hint: None }
    }

    /// The same problem with a way out.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same problem with a way out, where there is one.
    #[must_use]
    pub fn maybe_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }
}

/// Everything that is wrong with one file, found in one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    /// The file.
    pub path: PathBuf,
    /// Its text, which the places refer to.
    pub text: String,
    /// What the command line sets in place of it, as TOML. Its places begin behind the text and one
    /// more byte.
    pub settings: String,
    /// What is wrong, in the order of the file.
    pub list: Vec<Problem>,
}

impl Problems {
    /// The problems of a file; those that concern the whole file come last.
    pub(crate) fn new(path: PathBuf, text: String, mut list: Vec<Problem>) -> Self {
        list.sort_by_key(|problem| problem.span.as_ref().map_or(usize::MAX, |span| span.start));
        list.dedup();
        Self { path, text, settings: String::new(), list }
    }

    /// The same with what the command line sets.
    pub(crate) fn with_settings(self, settings: String) -> Self {
        Self { settings, ..self }
    }

    /// Where the places of the settings begin, behind this text.
    pub(crate) fn settings_start(text: &str) -> usize {
        text.len() + 1
    }

    /// The bytes of [`settings`](Self::settings) that a problem concerns; `None` where it concerns
    /// the file.
    pub fn in_settings(&self, problem: &Problem) -> Option<Range<usize>> {
        let span = problem.span.as_ref()?;
        let start = span.start.checked_sub(Self::settings_start(&self.text))?;
        let end = span.end.min(Self::settings_start(&self.text) + self.settings.len());
        (start < self.settings.len()).then(|| start..end - Self::settings_start(&self.text))
    }

    /// Line and column of a problem, both from 1, the column in characters.
    pub fn position(&self, problem: &Problem) -> Option<(usize, usize)> {
        let start = problem.span.as_ref()?.start.min(self.text.len());
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }
}

/// Without the text: a line for each problem.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.list.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            if self.in_settings(problem).is_some() {
                f.write_str("the command line")?;
            } else {
                write!(f, "{}", self.path.display())?;
                if let Some((line, column)) = self.position(problem) {
                    write!(f, ":{line}:{column}")?;
                }
            }
            write!(f, ": {}", problem.message)?;
            if let Some(hint) = &problem.hint {
                write!(f, " (hint: {hint})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// The known word that `word` was probably meant to be.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&known.to_lowercase(), &lower);
    let (distance, nearest) =
        known.into_iter().map(|known| (distance(known), known)).min_by_key(|&(d, _)| d)?;
    (distance <= word.chars().count().div_ceil(3).max(1)).then_some(nearest)
}

/// "did you mean ...?" where a known word is near, else the list of all.
pub(crate) fn suggest<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    if let Some(nearest) = nearest(word, known.clone()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    let all: Vec<&str> = known.into_iter().collect();
    (!all.is_empty()).then(|| format!("one of {}", all.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_gets_the_list() {
        let known = ["references", "question", "id"];
        assert_eq!(suggest("referenses", known).as_deref(), Some("did you mean `references`?"));
        assert_eq!(suggest("gold", known).as_deref(), Some("one of references, question, id"));
        assert_eq!(suggest("gold", []), None);
    }

    #[test]
    fn places_are_counted_in_characters() {
        let text = "é = 1\nab = ü x".to_owned();
        let at = text.find('x').unwrap();
        let problems = Problems::new("f".into(), text, vec![Problem::at(at..at + 1, "m")]);
        assert_eq!(problems.position(&problems.list[0]), Some((2, 8)));
        assert_eq!(problems.to_string(), "f:2:8: m");
    }
}
