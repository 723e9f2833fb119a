//! The tokens of a page, and the text that they make without its tags.

use std::{borrow::Cow, ops::Range};

use qeval_core::{Reference, metrics::natural_questions::label::Span};
use serde::Deserialize;

use crate::Problem;

/// A word of the page, or a tag.
#[derive(Deserialize)]
pub(super) struct Token<'a> {
    #[serde(borrow, rename = "token")]
    text: Cow<'a, str>,
    #[serde(rename = "html_token")]
    is_tag: bool,
    start_byte: Option<i64>,
    end_byte: Option<i64>,
}

/// A page without its tags: the words with a blank between two of them.
pub(super) struct Page {
    context: String,
    /// Where each token stands in the context; `None` for a tag.
    places: Vec<Option<Range<usize>>>,
    /// The bytes of the HTML that are each token, where somebody says so.
    bytes: Vec<Option<(i64, i64)>>,
}

impl Page {
    /// A page as published.
    pub(super) fn of_tokens(tokens: &[Token<'_>]) -> Self {
        let words = tokens.iter().map(|token| (token.text.as_ref(), token.is_tag));
        let bytes = tokens.iter().map(|token| token.start_byte.zip(token.end_byte)).collect();
        Self { bytes, ..Self::of_words(words) }
    }

    /// A page that is simplified: what stands between two blanks is a token.
    pub(super) fn of_text(text: &str) -> Self {
        Self::of_words(text.split(' ').map(|token| (token, is_tag(token))))
    }

    fn of_words<'a>(tokens: impl Iterator<Item = (&'a str, bool)>) -> Self {
        let (mut context, mut places) = (String::new(), Vec::new());
        let mut first = true;
        for (token, is_tag) in tokens {
            if is_tag {
                places.push(None);
                continue;
            }
            if !first {
                context.push(' ');
            }
            first = false;
            let start = context.len();
            context.push_str(token);
            places.push(Some(start..context.len()));
        }
        Self { context, places, bytes: Vec::new() }
    }

    pub(super) fn into_context(self) -> String {
        self.context
    }

    /// The words of a span, with their place in the context.
    pub(super) fn cut(&self, span: Span) -> Result<Reference, Problem> {
        let tokens = match span.tokens() {
            Some((start, end)) => self.tokens(start, end)?,
            None => self.tokens_at(span)?,
        };
        let mut words = tokens.iter().flatten();
        let Some(first) = words.next() else { return Ok(Reference::default()) };
        let last = words.next_back().unwrap_or(first);
        let text = &self.context[first.start..last.end];
        let start = self.context[..first.start].chars().count();
        Ok(Reference { start: Some(start), ..text.into() })
    }

    fn tokens(&self, start: i64, end: i64) -> Result<&[Option<Range<usize>>], Problem> {
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        range.and_then(|(start, end)| self.places.get(start..end)).ok_or_else(|| {
            let tokens = self.places.len();
            Problem::new(format!("it ends at token {end}, and the page has {tokens}"))
        })
    }

    /// The tokens of a span that says only its bytes.
    fn tokens_at(&self, span: Span) -> Result<&[Option<Range<usize>>], Problem> {
        let inside = |&(start, end): &(i64, i64)| {
            span.bytes().is_some_and(|(first, behind)| first <= start && end <= behind)
        };
        let is_inside = |bytes: &Option<(i64, i64)>| bytes.as_ref().is_some_and(inside);
        let first = self.bytes.iter().position(is_inside);
        let last = self.bytes.iter().rposition(is_inside);
        first.zip(last).map(|(first, last)| &self.places[first..=last]).ok_or_else(|| {
            Problem::new("it has bytes and no tokens, and no token of the page has such bytes")
        })
    }
}

/// Whether a token of a simplified page, which does not say so, is a tag: `<Td_colspan="2">`, `</P>`.
fn is_tag(token: &str) -> bool {
    let inside = token.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let name = inside.map(|inside| inside.strip_prefix('/').unwrap_or(inside));
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(tokens: (i64, i64)) -> Span {
        Span::new((-1, -1), tokens).unwrap()
    }

    #[test]
    fn tags_are_left_out() {
        let page = Page::of_text("<P> It 's <Td_colspan=\"2\"> a < b > </P>");
        assert_eq!(page.context, "It 's a < b >");
        let cut = |start, end| page.cut(span((start, end))).unwrap();
        assert_eq!((cut(2, 5).text.as_str(), cut(2, 5).start), ("'s a", Some(3)));
        assert_eq!(cut(0, 2).text, "It");
        assert_eq!((cut(3, 4).text.as_str(), cut(3, 4).start), ("", None));
        assert!(page.cut(span((8, 10))).is_err());
        assert!(page.cut(Span::new((0, 9), (-1, -1)).unwrap()).is_err());
        assert!(page.cut(span((i64::MAX - 1, i64::MAX))).is_err());
    }

    proptest! {
        #[test]
        fn a_cut_is_the_words_between_and_stands_where_it_says(
            tokens in prop::collection::vec((r"\PC{0,4}", any::<bool>()), 0..12),
            (start, length) in (0_usize..13, 1_usize..13),
        ) {
            let words = || tokens.iter().map(|(token, is_tag)| (token.as_str(), *is_tag));
            let page = Page::of_words(words());
            let pair = (i64::try_from(start).unwrap(), i64::try_from(start + length).unwrap());
            match page.cut(span(pair)) {
                Err(_) => prop_assert!(start + length > tokens.len()),
                Ok(Reference { text, start: place, .. }) => {
                    let inside = words().skip(start).take(length).filter(|(_, is_tag)| !is_tag);
                    let inside: Vec<&str> = inside.map(|(word, _)| word).collect();
                    prop_assert_eq!(&text, &inside.join(" "));
                    prop_assert_eq!(place.is_some(), !inside.is_empty());
                    let rest: String = page.context.chars().skip(place.unwrap_or(0)).collect();
                    prop_assert!(rest.starts_with(&text));
                }
            }
        }

        #[test]
        fn simplified_text_has_the_tokens_that_it_was_made_of(text in "\\PC{0,30}") {
            prop_assert_eq!(Page::of_text(&text).places.len(), text.split(' ').count());
        }
    }
}
