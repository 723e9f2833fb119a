//! Rust source without its comments and literals, so that words in them are not taken for code.

/// The source with a blank for every byte of a comment, text or character; lines stay in place.
pub(super) fn code(source: &str) -> String {
    let mut scanner = Scanner { rest: source, code: String::with_capacity(source.len()) };
    while let Some(c) = scanner.rest.chars().next() {
        let after_word = scanner.code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if scanner.rest.starts_with("//") {
            let end = scanner.rest.find('\n').unwrap_or(scanner.rest.len());
            scanner.blank(end);
        } else if scanner.rest.starts_with("/*") {
            scanner.blank(comment(scanner.rest));
        } else if let Some(end) = raw_text(scanner.rest).filter(|_| !after_word) {
            scanner.blank(end);
        } else if c == '"' {
            scanner.blank(quoted(scanner.rest, '"'));
        } else if let Some(end) = character(scanner.rest) {
            scanner.blank(end);
        } else {
            scanner.keep(c.len_utf8());
        }
    }
    scanner.code
}

struct Scanner<'a> {
    rest: &'a str,
    code: String,
}

impl Scanner<'_> {
    fn keep(&mut self, end: usize) {
        let (kept, rest) = self.rest.split_at(end);
        self.code.push_str(kept);
        self.rest = rest;
    }

    fn blank(&mut self, end: usize) {
        let (blanked, rest) = self.rest.split_at(end);
        let blank = |c| if c == '\n' { '\n' } else { ' ' };
        self.code.extend(blanked.chars().map(blank));
        self.rest = rest;
    }
}

/// Where a block comment ends; comments can hold comments.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Where `r"..."`, `br#"..."#` and their like end, if one begins here.
fn raw_text(text: &str) -> Option<usize> {
    let body = text.strip_prefix(['b', 'c']).unwrap_or(text).strip_prefix('r')?;
    let open = body.trim_start_matches('#');
    let hashes = body.len() - open.len();
    let content = open.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - content.len();
    Some(content.find(&end).map_or(text.len(), |at| start + at + end.len()))
}

/// Where a text that begins with a quote ends.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Where a character ends, if one begins here; a lifetime does not end.
fn character(text: &str) -> Option<usize> {
    let body = text.strip_prefix('\'')?;
    let mut chars = body.chars();
    let first = chars.next()?;
    let second = chars.next()?;
    (first == '\\' || second == '\'').then(|| quoted(text, '\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        assert_eq!(code(source), expected, "{source}");
    }

    #[test]
    fn comments_texts_and_characters_are_blank() {
        check("a // b\nc", "a     \nc");
        check("a /* b /* c */ d */ e", "a                   e");
        check(r#"f("un\"safe") + g"#, r"f(          ) + g");
        check("r#\"a \" b\"# c", "           c");
        check("br\"\\\" c", "      c");
        check("('\"', '\\'', 'x') \"y\"", "(   ,     ,    )    ");
    }

    #[test]
    fn code_stays() {
        check("fn f<'a>(x: &'a str) -> &'a str { x }", "fn f<'a>(x: &'a str) -> &'a str { x }");
        check("for r in 0..3 {}", "for r in 0..3 {}");
        check("let bar = 1; // é\nlet é = \"é\";", "let bar = 1;     \nlet é =    ;");
    }

    #[test]
    fn what_has_no_end_ends_with_the_file() {
        check("/* a", "    ");
        check("\"a", "  ");
        check("r#\"a\"", "     ");
    }
}
