//! SMART's streams, in which Cranfield and other early collections were published: a line `.I id`
//! begins an item, and a line `.T`, `.A`, `.B`, `.W` a part of it.

use crate::{Place, Problem};

/// An item of a stream.
pub(crate) struct Item<'a> {
    pub(crate) id: &'a str,
    /// Line on which it begins, from 1.
    pub(crate) line: u64,
    parts: Vec<(&'a str, String)>,
}

/// Whether a text is such a stream.
pub(crate) fn is_stream(text: &str) -> bool {
    text.trim_start().starts_with(".I ")
}

/// The items of a stream, in order.
pub(crate) fn items(text: &str) -> Result<Vec<Item<'_>>, (Problem, Place)> {
    let mut items: Vec<Item<'_>> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim_end();
        let fault = |message: &str| (Problem::new(message), Place::line(number));
        if let Some(id) = line.strip_prefix(".I").filter(|id| id.starts_with([' ', '\t'])) {
            items.push(Item { id: id.trim(), line: number, parts: Vec::new() });
        } else if line == ".I" {
            return Err(fault("the item has no id, expected `.I id`"));
        } else if let Some(item) = items.last_mut() {
            match (part(line), item.parts.last_mut()) {
                (Some(name), _) => item.parts.push((name, String::new())),
                (None, Some((_, text))) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) if line.is_empty() => {}
                (None, None) => {
                    return Err(fault("the text stands in no part, expected `.T` or `.W`"));
                }
            }
        } else if !line.is_empty() {
            return Err(fault("the text stands in no item, expected `.I id`"));
        }
    }
    Ok(items)
}

/// The name of the part that a line begins.
fn part(line: &str) -> Option<&str> {
    let name = line.strip_prefix('.')?;
    (name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_uppercase())).then_some(name)
}

impl Item<'_> {
    /// A part by its letter, or by the name of the element that other streams have in its place.
    pub(crate) fn element(&self, name: &str) -> Option<String> {
        let letter = match name {
            "docno" | "num" => return Some(self.id.to_owned()),
            "title" => "T",
            "author" => "A",
            "bib" => "B",
            "text" => "W",
            letter => letter,
        };
        let found = self.parts.iter().filter(|(part, _)| *part == letter);
        let texts: Vec<&str> = found.map(|(_, text)| text.trim()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_its_parts() {
        let text = ".I 1\r\n.T\na title\nof two lines .\n.A\nx,y.\n.W\nthe .5 text\n\n.i no part\n.I 2\n.W\n";
        let found = items(text).ok().unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].id, found[1].line), ("1", 11));
        assert_eq!(found[0].element("title").as_deref(), Some("a title\nof two lines ."));
        assert_eq!(found[0].element("text").as_deref(), Some("the .5 text\n\n.i no part"));
        assert_eq!((found[0].element("bib"), found[1].element("W")), (None, Some(String::new())));
    }

    #[test]
    fn errors_say_where() {
        let check = |text: &str, line: u64, expected: &str| {
            let (problem, place) = items(text).err().unwrap();
            assert_eq!((problem.message.as_str(), place), (expected, Place::line(line)));
        };
        check("a\n", 1, "the text stands in no item, expected `.I id`");
        check(".I 1\na\n", 2, "the text stands in no part, expected `.T` or `.W`");
        check(".I 1\n.W\n.I\n", 3, "the item has no id, expected `.I id`");
    }
}
