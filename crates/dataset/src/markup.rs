//! Text with tags that is nearly XML: what TREC collections are made of.
//!
//! Such files have no root, leave out end tags, write tags in any case, and hold `<` and `&` that
//! mean themselves. So tags are looked for by name, and all else is text.

use std::borrow::Cow;

use crate::{Place, Problem};

/// An element of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// Line of its tag, from 1.
    pub(crate) line: u64,
    /// What stands between its tags.
    pub(crate) content: &'a str,
}

/// The elements of that name, in order. One without an end is an error.
pub(crate) fn blocks<'a>(
    text: &'a str,
    name: &str,
) -> impl Iterator<Item = Result<Block<'a>, (Problem, Place)>> {
    let (mut rest, mut line) = (text, 1);
    std::iter::from_fn(move || {
        let (start, content) = opening(rest, name)?;
        line += newlines(&rest[..start]);
        let place = Place::line(line);
        let next = opening(&rest[content..], name).map_or(usize::MAX, |(start, _)| start);
        let end = closing(&rest[content..], name).filter(|&(end, _)| end < next);
        let Some((end, behind)) = end else {
            rest = "";
            let message = format!("`<{name}>` has no `</{name}>`");
            return Some(Err((
                Problem::new(message).with_hint("the file may be truncated"),
                place,
            )));
        };
        let block = Block { line, content: &rest[content..content + end] };
        line += newlines(&rest[start..content + behind]);
        rest = &rest[content + behind..];
        Some(Ok(block))
    })
}

/// Content of the first element of that name: up to its end tag or, where there is none, to the
/// next line that begins with a tag.
pub(crate) fn element<'a>(block: &'a str, name: &str) -> Option<&'a str> {
    let (_, content) = opening(block, name)?;
    let content = &block[content..];
    let end = closing(content, name).map(|(end, _)| end);
    Some(&content[..end.or_else(|| content.find("\n<")).unwrap_or(content.len())])
}

/// The content as plain text: entities decoded, blanks around it removed.
pub(crate) fn decode(content: &str) -> String {
    let content = content.trim();
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(ampersand) = rest.find('&') {
        text.push_str(&rest[..ampersand]);
        rest = &rest[ampersand..];
        let (character, length) = entity(rest).unwrap_or((Cow::Borrowed("&"), 1));
        text.push_str(&character);
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

/// The character that an entity at the beginning of the text stands for, and its length.
fn entity(text: &str) -> Option<(Cow<'static, str>, usize)> {
    const LONGEST: usize = 10;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let code = match name.strip_prefix('#') {
        Some(hexadecimal) if hexadecimal.starts_with(['x', 'X']) => {
            u32::from_str_radix(&hexadecimal[1..], 16).ok()
        }
        Some(decimal) => decimal.parse().ok(),
        None => None,
    };
    let character = match name {
        "amp" => Cow::Borrowed("&"),
        "lt" => Cow::Borrowed("<"),
        "gt" => Cow::Borrowed(">"),
        "quot" => Cow::Borrowed("\""),
        "apos" => Cow::Borrowed("'"),
        _ => Cow::Owned(char::from_u32(code?)?.to_string()),
    };
    Some((character, end + 1))
}

/// Where the start tag of that name begins and where its content does.
fn opening(text: &str, name: &str) -> Option<(usize, usize)> {
    tag(text, "<", name)
}

/// Where the end tag of that name begins and ends.
fn closing(text: &str, name: &str) -> Option<(usize, usize)> {
    tag(text, "</", name)
}

fn tag(text: &str, bracket: &str, name: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).find_map(|start| {
        let behind = bytes[start..].strip_prefix(bracket.as_bytes())?;
        let (found, behind) = behind.split_at_checked(name.len())?;
        let named = found.eq_ignore_ascii_case(name.as_bytes());
        let whole = behind.first().is_some_and(|&b| b == b'>' || b.is_ascii_whitespace());
        let end = (named && whole).then(|| memchr::memchr(b'>', behind))??;
        Some((start, start + bracket.len() + name.len() + end + 1))
    })
}

fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_know_their_lines_and_must_end() {
        let text = "<?xml?>\n<DOC id=\"1\">a\n< b</doc>\n\n <docno>x\n<doc>c</doc>\n<doc>\nd";
        let found: Vec<_> = blocks(text, "doc").collect();
        assert_eq!(found[0], Ok(Block { line: 2, content: "a\n< b" }));
        assert_eq!(found[1], Ok(Block { line: 6, content: "c" }));
        let (problem, place) = found[2].clone().unwrap_err();
        assert_eq!(problem.message, "`<doc>` has no `</doc>`");
        assert_eq!((place, found.len()), (Place::line(7), 3));
    }

    #[test]
    fn an_element_ends_with_its_tag_or_before_the_next() {
        let block = "<num> Number: 301\n<title> A title\n\n<desc>x < y</desc> more";
        assert_eq!(element(block, "num"), Some(" Number: 301"));
        assert_eq!(element(block, "TITLE"), Some(" A title\n"));
        assert_eq!(element(block, "desc"), Some("x < y"));
        assert_eq!(element(block, "narr"), None);
    }

    #[test]
    fn entities_are_decoded_and_other_ampersands_kept() {
        assert_eq!(decode(" &lt;a&gt; &amp; &#233;&#xE9; \n"), "<a> & éé");
        assert_eq!(decode("R&D; AT&T &unknown; &#xD800; &"), "R&D; AT&T &unknown; &#xD800; &");
    }
}
