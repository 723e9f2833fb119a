//! One span of an answer, normalised.

use super::number;
use crate::metrics::normalize;

/// A normalised span and the set of its words.
#[derive(Clone, Debug)]
pub(super) struct Span {
    text: String,
    /// Where the words stand in the text: sorted, each once.
    words: Vec<(usize, usize)>,
}

impl Span {
    pub(super) fn new(text: &str) -> Self {
        let mut normal = String::with_capacity(text.len() + 2);
        for part in text.split([' ', '-']) {
            push_part(part, &mut normal);
        }
        let mut words = Vec::new();
        let mut start = 0;
        for word in normal.split(' ') {
            if !word.is_empty() {
                words.push((start, start + word.len()));
            }
            start += word.len() + 1;
        }
        words.sort_unstable_by_key(|&(start, end)| &normal[start..end]);
        words.dedup_by_key(|&mut (start, end)| &normal[start..end]);
        Self { text: normal, words }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// F1 of the sets of words; 0 where the reference has numbers and this span none of them.
    pub(super) fn f1(&self, reference: &Self) -> f64 {
        let is_number = |word: &&str| number::parse(word).is_some();
        let mut numbers = reference.words().filter(is_number).peekable();
        if numbers.peek().is_some() && !numbers.any(|word| self.has(word)) {
            return 0.0;
        }
        let same = reference.words().filter(|word| self.has(word)).count();
        let share = |of: usize| if of == 0 { 1.0 } else { same as f64 / of as f64 };
        let (precision, recall) = (share(self.words.len()), share(reference.words.len()));
        if precision + recall == 0.0 {
            return 0.0;
        }
        (2.0 * precision * recall) / (precision + recall)
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|&(start, end)| &self.text[start..end])
    }

    fn has(&self, word: &str) -> bool {
        self.words.binary_search_by_key(&word, |&(start, end)| &self.text[start..end]).is_ok()
    }
}

/// Appends a normalised part with a blank before it.
fn push_part(part: &str, output: &mut String) {
    let lower = part.to_lowercase();
    let value = number::parse(&lower).or_else(|| {
        let bare: String = lower.chars().filter(|c| !c.is_ascii_punctuation()).collect();
        if bare.len() < lower.len() { number::parse(&bare) } else { None }
    });
    let words = match value {
        Some(value) => number::write(value),
        None => normalize::squad(&lower),
    };
    if !output.is_empty() && !words.is_empty() {
        output.push(' ');
    }
    output.push_str(&words);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_normalised_one_by_one() {
        for (text, normal) in [
            ("The Bears", "bears"),
            ("3-yard", "3.0 yard"),
            ("$1,000.50!", "100050.0"),
            ("1.50", "1.5"),
            ("an  x\ty", "x y"),
            ("1_0 1__0", "10.0 10.0"),
            ("٣", "3.0"),
            ("A.N. inf", "inf"),
        ] {
            assert_eq!(Span::new(text).text(), normal, "{text:?}");
        }
    }
}
