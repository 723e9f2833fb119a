//! BLEU as a function of texts, and of what is counted in them.

use std::borrow::Cow;

use crate::metrics::translation::{
    folded, ngrams::Texts, tokenize::Tokenizer, trimmed, vocabulary::Vocabulary,
};

/// How BLEU is computed. The default is sacrebleu's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How texts are cut.
    pub tokenizer: Tokenizer,
    /// Whether case does not matter.
    pub lowercase: bool,
    /// What an order without a match counts for.
    pub smoothing: Smoothing,
    /// Whether orders that the answers lack are left out.
    pub effective_order: bool,
    /// The longest n-grams.
    pub order: usize,
}

/// What an order without a match counts for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// Half a match for the first such order, and half as much for each further one.
    Exponential,
    /// This number of matches.
    Floor(f64),
    /// This number is added to matches and n-grams of all orders but the first.
    AddK(f64),
    /// Nothing, which makes BLEU 0.
    None,
}

/// The counts of one or more answers that BLEU is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Tokens of the answers.
    pub answer_length: u64,
    /// Tokens of the references closest in length.
    pub reference_length: u64,
    /// Common n-grams of each order.
    pub matches: Vec<u64>,
    /// N-grams of the answers of each order.
    pub ngrams: Vec<u64>,
}

/// BLEU with all that it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Bleu {
    /// The score in 0..=100.
    pub score: f64,
    /// Precision of each order in 0..=100, smoothed; 0 from the first order that the answers lack.
    pub precisions: Vec<f64>,
    /// The penalty for short answers, in 0..=1.
    pub brevity_penalty: f64,
    /// Common n-grams, with what [`Smoothing::AddK`] added.
    pub matches: Vec<f64>,
    /// N-grams, with what [`Smoothing::AddK`] added.
    pub ngrams: Vec<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tokenizer: Tokenizer::Mteval13a,
            lowercase: false,
            smoothing: Smoothing::Exponential,
            effective_order: false,
            order: 4,
        }
    }
}

/// BLEU of many answers, each with its references; `None` without an answer, or where one lacks
/// references.
pub fn corpus<'a, R>(
    answers: impl IntoIterator<Item = (&'a str, R)>,
    options: &Options,
) -> Option<Bleu>
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
    Some(all?.bleu(options))
}

/// The counts of one answer; `None` without references.
pub fn statistics<'a>(
    answer: &str,
    references: impl IntoIterator<Item = &'a str>,
    options: &Options,
) -> Option<Statistics> {
    let answer = prepared(answer, options);
    let mut vocabulary = Vocabulary::with_room(answer.len());
    let mut texts = Texts::with_room(answer.len() / 2);
    options.tokenizer.cut(&answer, |token| texts.push(Some(vocabulary.add(&answer, token))));
    let length = texts.end();
    let mut closest: Option<usize> = None;
    for reference in references {
        let reference = prepared(reference, options);
        let token = |token| texts.push(vocabulary.find(&reference, token));
        options.tokenizer.cut(&reference, token);
        let other = texts.end();
        let nearer =
            |&best: &usize| (best.abs_diff(length), best) <= (other.abs_diff(length), other);
        closest = closest.filter(nearer).or(Some(other));
    }
    Some(Statistics {
        answer_length: length as u64,
        reference_length: closest? as u64,
        matches: texts.matches(vocabulary.len(), options.order),
        ngrams: (0..options.order).map(|order| length.saturating_sub(order) as u64).collect(),
    })
}

fn prepared<'a>(text: &'a str, options: &Options) -> Cow<'a, str> {
    options.tokenizer.cleaned(trimmed(folded(text, options.lowercase)))
}

impl Statistics {
    /// Adds the counts of other answers.
    pub fn add(&mut self, other: &Self) {
        self.answer_length += other.answer_length;
        self.reference_length += other.reference_length;
        let pairs = self.matches.iter_mut().zip(&other.matches);
        for (sum, term) in pairs.chain(self.ngrams.iter_mut().zip(&other.ngrams)) {
            *sum += term;
        }
    }

    /// BLEU of these counts.
    pub fn bleu(&self, options: &Options) -> Bleu {
        let floats = |counts: &[u64]| counts.iter().map(|&count| count as f64).collect();
        let (matches, ngrams) = (floats(&self.matches), floats(&self.ngrams));
        bleu(self.answer_length as f64, self.reference_length as f64, matches, ngrams, options)
    }
}

/// BLEU of sums of counts.
pub(super) fn bleu(
    answer_length: f64,
    reference_length: f64,
    mut matches: Vec<f64>,
    mut ngrams: Vec<f64>,
    options: &Options,
) -> Bleu {
    let brevity_penalty = if answer_length >= reference_length {
        1.0
    } else if answer_length > 0.0 {
        (1.0 - reference_length / answer_length).exp()
    } else {
        0.0
    };
    let orders = matches.len();
    let mut precisions = vec![0.0; orders];
    if matches.iter().all(|&count| count == 0.0) {
        return Bleu { score: 0.0, precisions, brevity_penalty, matches, ngrams };
    }
    let mut effective = orders;
    let mut halving = 1.0;
    let counts = matches.iter_mut().zip(&mut ngrams).zip(&mut precisions);
    for (order, ((matches, ngrams), precision)) in (1..).zip(counts) {
        if let (Smoothing::AddK(k), 2..) = (options.smoothing, order) {
            *matches += k;
            *ngrams += k;
        }
        if *ngrams == 0.0 {
            break;
        }
        if options.effective_order {
            effective = order;
        }
        *precision = match options.smoothing {
            _ if *matches != 0.0 => 100.0 * *matches / *ngrams,
            Smoothing::Exponential => {
                halving *= 2.0;
                100.0 / (halving * *ngrams)
            }
            Smoothing::Floor(value) => 100.0 * value / *ngrams,
            Smoothing::AddK(_) | Smoothing::None => 0.0,
        };
    }
    let logs = precisions[..effective].iter().map(|&precision| ln(precision)).sum::<f64>();
    let score = brevity_penalty * (logs / effective as f64).exp();
    Bleu { score, precisions, brevity_penalty, matches, ngrams }
}

/// Natural logarithm, with sacrebleu's value for that of 0.
fn ln(value: f64) -> f64 {
    if value == 0.0 { -9_999_999_999.0 } else { value.ln() }
}
