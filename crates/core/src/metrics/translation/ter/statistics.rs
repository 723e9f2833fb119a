//! TER as a function of texts, and of what is counted in them.

use std::borrow::Cow;

use crate::metrics::translation::{
    edits::edits,
    folded,
    tokenize::{BLANKS, TERCOM, TERCOM_ASIAN, is_asian_punctuation, unescaped},
    trimmed,
    vocabulary::Vocabulary,
};

/// How texts are prepared for TER. The default is sacrebleu's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four switches that do not depend on each other")]
pub struct Options {
    /// Whether punctuation is cut off and escapes are resolved.
    pub normalized: bool,
    /// Whether punctuation is removed.
    pub no_punct: bool,
    /// Whether `normalized` and `no_punct` know ideographs and the punctuation of Asian scripts.
    pub asian_support: bool,
    /// Whether case matters.
    pub case_sensitive: bool,
}

/// What TER is made of, of one or more answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Edits with the best reference of each.
    pub edits: f64,
    /// Words of the references: of several references of one answer their mean.
    pub reference_length: f64,
}

/// Counts of many answers, each with its references; `None` without an answer, or where one lacks
/// references.
pub fn corpus<'a, R>(
    answers: impl IntoIterator<Item = (&'a str, R)>,
    options: Options,
) -> Option<Statistics>
where
    R: IntoIterator<Item = &'a str>,
{
    let mut all: Option<Statistics> = None;
    for (answer, references) in answers {
        let one = statistics(answer, references, options)?;
        let sum = all.get_or_insert_default();
        sum.edits += one.edits;
        sum.reference_length += one.reference_length;
    }
    all
}

/// Counts of one answer; `None` without references.
pub fn statistics<'a>(
    answer: &str,
    references: impl IntoIterator<Item = &'a str>,
    options: Options,
) -> Option<Statistics> {
    let mut texts = vec![tokens(answer, options)];
    texts.extend(references.into_iter().map(|reference| reference_tokens(reference, options)));
    let size = texts.iter().flatten().map(String::len).sum();
    let mut vocabulary = Vocabulary::with_room(size);
    let mut numbers = texts.iter().map(|tokens| {
        tokens.iter().map(|token| vocabulary.add(token, 0..token.len())).collect::<Vec<u32>>()
    });
    let answer = numbers.next()?;
    let (mut fewest, mut words, mut count) = (None, 0, 0);
    for reference in numbers {
        let edits = edits(&answer, &reference);
        fewest = Some(fewest.map_or(edits, |fewest: u64| fewest.min(edits)));
        words += reference.len();
        count += 1;
    }
    Some(Statistics { edits: fewest? as f64, reference_length: words as f64 / f64::from(count) })
}

impl Statistics {
    /// TER in percent.
    pub fn ter(&self) -> f64 {
        let rate = if self.reference_length > 0.0 {
            self.edits / self.reference_length
        } else {
            f64::from(self.edits > 0.0)
        };
        100.0 * rate
    }
}

/// The words of a reference. sacrebleu normalises references twice, which cuts off a possessive
/// before a tab and resolves an escape in an escape.
fn reference_tokens(text: &str, options: Options) -> Vec<String> {
    let tokens = tokens(text, options);
    // Without normalisation the second time changes nothing.
    if options.normalized { self::tokens(&tokens.join(" "), options) } else { tokens }
}

/// The words of a text as TER compares them.
pub fn tokens(text: &str, options: Options) -> Vec<String> {
    let trimmed = trimmed(text.into());
    let text = folded(&trimmed, !options.case_sensitive);
    let (text, rules) = match (options.normalized, options.asian_support) {
        (false, _) => (text, &BLANKS),
        (true, asian) => {
            let joined = text.replace("\n-", "").replace('\n', " ");
            (Cow::Owned(unescaped(joined)), if asian { &TERCOM_ASIAN } else { &TERCOM })
        }
    };
    let removed = |c: char| {
        options.no_punct
            && (matches!(c, '.' | ',' | '?' | ':' | ';' | '!' | '"' | '(' | ')')
                || options.asian_support && is_asian_punctuation(c))
    };
    let mut tokens = Vec::new();
    rules.cut(&text, |token| {
        let token = text[token].replace(removed, "");
        if !token.is_empty() {
            tokens.push(token);
        }
    });
    tokens
}
