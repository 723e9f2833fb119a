//! Long texts, on one line of a terminal.

/// The first `most` characters of a text, without what a terminal would act on.
pub(crate) fn short(text: &str, most: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(short("größe\u{1b}[1m", 9), "größe [1m");
        assert_eq!(short("größe", 3), "grö ...");
    }
}
