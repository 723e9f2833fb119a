//! What is wrong with a file, with the place where it stands.

use std::{fmt, ops::Range, path::PathBuf};

use crate::sources::{COMMAND_LINE, Sources};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place that it concerns, see [`Sources`]; `None` when it concerns the whole file.
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
    /// The texts that the places refer to.
    pub sources: Sources,
    /// What is wrong, in the order of the file.
    pub list: Vec<Problem>,
}

impl Problems {
    /// The problems of a file; those that concern the whole file come last.
    pub(crate) fn new(path: PathBuf, sources: Sources, mut list: Vec<Problem>) -> Self {
        list.sort_by_key(|problem| problem.span.as_ref().map_or(usize::MAX, |span| span.start));
        list.dedup();
        Self { path, sources, list }
    }

    /// The problems of what the command line says, where there is no file.
    pub(crate) fn of_command_line(list: Vec<Problem>) -> Self {
        let path = PathBuf::from(COMMAND_LINE);
        Self::new(path.clone(), Sources::new(path, String::new()), list)
    }

    /// What is wrong with several configurations of one file, each thing once. `all` has those of
    /// them that are wrong, with their names, and `count` is how many there are: what is wrong in some
    /// of them alone is reported with the name of the first.
    pub fn of_all(all: Vec<(String, Self)>, count: usize) -> Option<Self> {
        let mut list: Vec<Problem> = Vec::new();
        let has = |problems: &Self, problem: &Problem| problems.list.contains(problem);
        for (name, problems) in &all {
            let known = |problem: &&Problem| {
                all.iter().take_while(|(other, _)| other != name).any(|(_, p)| has(p, problem))
            };
            for problem in problems.list.iter().filter(|problem| !known(problem)) {
                let everywhere = all.iter().filter(|(_, p)| has(p, problem)).count() == count;
                let message = if everywhere {
                    problem.message.clone()
                } else {
                    format!("{}, in `{name}`", problem.message)
                };
                list.push(Problem { message, ..problem.clone() });
            }
        }
        let (_, first) = all.into_iter().next()?;
        Some(Self::new(first.path, first.sources, list))
    }

    /// The file of a problem with line and column, both from 1, the column in characters.
    fn place(&self, problem: &Problem) -> String {
        let found = problem.span.as_ref().and_then(|span| self.sources.find(span));
        let Some((source, place)) = found else { return self.path.display().to_string() };
        if source.path.is_none() {
            return source.name();
        }
        let before = &source.text[..place.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let (line, column) =
            (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
        format!("{}:{line}:{column}", source.name())
    }
}

/// Without the text: a line for each problem.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.list.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}: {}", self.place(problem), problem.message)?;
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
        let sources = Sources::new("f".into(), text);
        let problems = Problems::new("f".into(), sources, vec![Problem::at(at..at + 1, "m")]);
        assert_eq!(problems.to_string(), "f:2:8: m");
    }
}
