//! chrF as a function of texts, and of what is counted in them.

use std::ops::Range;

use crate::metrics::translation::{
    folded,
    ngrams::Texts,
    tokenize::{BLANKS, Tokenizer},
    vocabulary::Vocabulary,
};

/// How chrF is computed. The default is sacrebleu's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The longest n-grams of characters.
    pub char_order: usize,
    /// The longest n-grams of words; 2 makes chrF++.
    pub word_order: usize,
    /// How many times as important recall is as precision.
    pub beta: f64,
    /// Whether case does not matter.
    pub lowercase: bool,
    /// Whether blanks are characters too.
    pub whitespace: bool,
    /// Whether an order that one side lacks counts for nothing instead of being left out.
    pub eps_smoothing: bool,
}

/// The counts of one or more answers that chrF is made of: first of the orders of characters, then
/// of words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// One entry for each order.
    pub orders: Vec<Order>,
}

/// The n-grams of one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Those of the answers; 0 where the reference has none.
    pub answer: u64,
    /// Those of the references.
    pub reference: u64,
    /// Those that both have.
    pub matches: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            char_order: 6,
            word_order: 0,
            beta: 2.0,
            lowercase: false,
            whitespace: false,
            eps_smoothing: false,
        }
    }
}

/// chrF of many answers, each with its references; `None` without an answer, or where one lacks
/// references.
pub fn corpus<'a, R>(
    answers: impl IntoIterator<Item = (&'a str, R)>,
    options: &Options,
) -> Option<f64>
where
    R: IntoIterator<Item = &'a str>,
{
    let mut all: Option<Statistics> = None;
    for (answer, references) in answers {
        let one = statistics(answer, references, options)?;
        match &mut all {
            Some(all) => all.add(&one),
            None => all = Some(one),
        }
    }
    Some(all?.chrf(options))
}

/// The counts of one answer with that reference which gives the best score, the first of several;
/// `None` without references.
pub fn statistics<'a>(
    answer: &str,
    references: impl IntoIterator<Item = &'a str>,
    options: &Options,
) -> Option<Statistics> {
    let answer = folded(answer, options.lowercase);
    let characters = if options.whitespace { Unit::Character } else { Unit::Visible };
    let characters = Side::new(&answer, characters, options.char_order);
    let words = Side::new(&answer, Unit::Word, options.word_order);
    let mut best: Option<(f64, Statistics)> = None;
    for reference in references {
        let reference = folded(reference, options.lowercase);
        let mut orders = characters.compare(&reference);
        orders.extend(words.compare(&reference));
        let found = Statistics { orders };
        let score = found.chrf(options);
        if best.as_ref().is_none_or(|(best, _)| score > *best) {
            best = Some((score, found));
        }
    }
    best.map(|(_, statistics)| statistics)
}

impl Statistics {
    /// Adds the counts of other answers.
    pub fn add(&mut self, other: &Self) {
        for (sum, term) in self.orders.iter_mut().zip(&other.orders) {
            sum.answer += term.answer;
            sum.reference += term.reference;
            sum.matches += term.matches;
        }
    }

    /// chrF of these counts, in 0..=100.
    pub fn chrf(&self, options: &Options) -> f64 {
        let floats =
            |order: &Order| [order.answer, order.reference, order.matches].map(|n| n as f64);
        chrf(self.orders.iter().map(floats), options)
    }
}

/// What stands for a share of nothing.
const EPSILON: f64 = 1e-16;

/// chrF of sums of counts: for each order the n-grams of the answers, those of the references, and
/// those that both have.
pub(super) fn chrf(orders: impl ExactSizeIterator<Item = [f64; 3]>, options: &Options) -> f64 {
    let factor = options.beta * options.beta;
    let count = orders.len();
    let (mut sum, mut precisions, mut recalls, mut effective) = (0.0, 0.0, 0.0, 0);
    for [answer, reference, matches] in orders {
        let precision = if answer > 0.0 { matches / answer } else { EPSILON };
        let recall = if reference > 0.0 { matches / reference } else { EPSILON };
        let below = factor * precision + recall;
        sum += if below > 0.0 { (1.0 + factor) * precision * recall / below } else { EPSILON };
        if answer > 0.0 && reference > 0.0 {
            precisions += precision;
            recalls += recall;
            effective += 1;
        }
    }
    if options.eps_smoothing {
        return 100.0 * sum / count as f64;
    }
    // Without a match in any order both means are 0; without a common order there are none.
    if precisions + recalls == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (precisions / f64::from(effective), recalls / f64::from(effective));
    100.0 * ((1.0 + factor) * precision * recall / (factor * precision + recall))
}

/// What n-grams are made of.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Character,
    /// A character that is no blank.
    Visible,
    /// A word, or the punctuation mark at its end or else at its beginning.
    Word,
}

impl Unit {
    /// Calls `unit` with the place of each unit of a text.
    fn cut(self, text: &str, mut unit: impl FnMut(Range<usize>)) {
        match self {
            Self::Character => {
                for (at, c) in text.char_indices() {
                    unit(at..at + c.len_utf8());
                }
            }
            Self::Visible => Tokenizer::Characters.cut(text, unit),
            Self::Word => BLANKS.cut(text, |word| {
                let Range { start, end } = word;
                let is_mark = |at: usize| text.as_bytes()[at].is_ascii_punctuation();
                let cut = if end - start == 1 {
                    end
                } else if is_mark(end - 1) {
                    end - 1
                } else if is_mark(start) {
                    start + 1
                } else {
                    end
                };
                unit(start..cut);
                if cut < end {
                    unit(cut..end);
                }
            }),
        }
    }
}

/// The units of an answer, to be compared with those of its references.
struct Side<'a> {
    unit: Unit,
    orders: usize,
    vocabulary: Vocabulary<'a>,
    texts: Texts,
    length: usize,
}

impl<'a> Side<'a> {
    fn new(answer: &'a str, unit: Unit, orders: usize) -> Self {
        let mut vocabulary = Vocabulary::with_room(answer.len());
        let mut texts = Texts::with_room(2 * answer.len());
        let mut length = 0;
        if orders > 0 {
            unit.cut(answer, |unit| texts.push(Some(vocabulary.add(answer, unit))));
            length = texts.end();
        }
        Self { unit, orders, vocabulary, texts, length }
    }

    fn compare(&self, reference: &str) -> Vec<Order> {
        if self.orders == 0 {
            return Vec::new();
        }
        let mut texts = self.texts.clone();
        self.unit.cut(reference, |unit| texts.push(self.vocabulary.find(reference, unit)));
        let other = texts.end();
        let matches = texts.matches(self.vocabulary.len(), self.orders);
        let ngrams = |length: usize, order: usize| length.saturating_sub(order) as u64;
        let order = |(order, matches)| {
            let reference = ngrams(other, order);
            let answer = if reference == 0 { 0 } else { ngrams(self.length, order) };
            Order { answer, reference, matches }
        };
        matches.into_iter().enumerate().map(order).collect()
    }
}
