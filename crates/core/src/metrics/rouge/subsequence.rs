//! ROUGE-L and ROUGE-Lsum: the longest common subsequence of words, of whole texts and of lines.

use super::{Hits, ROUGE_1, best};
use crate::{
    Case, Definition, Metric, Score,
    metrics::{
        lcs::Lcs,
        numbered::{NumberedText, NumberedTexts},
    },
};

/// How long the longest common subsequence of prediction and reference is.
///
/// # Definition
/// With the length of the longest common subsequence of the words of both texts: precision =
/// length / words of the prediction, recall = length / words of the reference, F = 2pr / (p + r).
/// Line ends mean nothing. Words and references are as in [`ROUGE_1`].
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// As [`ROUGE_1`].
///
/// # Equals
/// `rougeL` of `rouge_score` 0.1.2. The ROUGE-L of the Perl script 1.5.5 is [`ROUGE_LSUM`].
pub static ROUGE_L: Definition = Definition {
    name: "ROUGE-L",
    synonyms: &["rougeL"],
    summary: "F of the longest common subsequence of words, best over the references",
    equals: "rouge_score 0.1.2: rougeL",
    score: longest_subsequence,
    ..ROUGE_1
};

/// As [`ROUGE_L`], line by line: each line of the reference with all lines of the prediction.
///
/// # Definition
/// For each line of the reference, one longest common subsequence with each line of the prediction;
/// a word of the reference line is a hit where one of them has it, as long as the prediction has
/// that word as often. Precision = hits / words of the prediction, recall = hits / words of the
/// reference. Lines are the sentences; nothing else splits a text.
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// As [`ROUGE_1`]. Texts of one line score as in [`ROUGE_L`].
///
/// # Equals
/// `rougeLsum` of `rouge_score` 0.1.2 with `split_summaries=False`; without stemming also ROUGE-L
/// of the Perl script 1.5.5.
pub static ROUGE_LSUM: Definition = Definition {
    name: "ROUGE-Lsum",
    synonyms: &["rougeLsum"],
    summary: "F of the longest common subsequences of lines, best over the references",
    equals: "rouge_score 0.1.2: rougeLsum",
    score: lines,
    ..ROUGE_1
};

fn longest_subsequence(metric: &Metric, case: &Case<'_>) -> Score {
    best(metric, case, |texts| {
        let mut lcs = Lcs::new(texts.distinct);
        hits(texts, |reference, prediction| lcs.length(reference.words, prediction.words))
    })
}

fn lines(metric: &Metric, case: &Case<'_>) -> Score {
    best(metric, case, |texts| {
        let mut lcs = Lcs::new(texts.distinct);
        let mut counts = vec![0_u32; texts.distinct];
        for &word in texts.text(0).words {
            counts[word as usize] += 1;
        }
        hits(texts, |reference, prediction| {
            common_in_lines(&mut lcs, reference, prediction, counts.clone())
        })
    })
}

/// Counts the hits of each reference: the texts but the first, which is the prediction.
fn hits(
    texts: &NumberedTexts,
    mut count: impl FnMut(NumberedText<'_>, NumberedText<'_>) -> usize,
) -> Vec<Hits> {
    let prediction = texts.text(0);
    let of = |reference: NumberedText<'_>| Hits {
        common: count(reference, prediction),
        prediction: prediction.words.len(),
        reference: reference.words.len(),
    };
    texts.iter().skip(1).map(of).collect()
}

/// How many words of a reference are in a common subsequence of lines, each at most as often as
/// the prediction has it: `left`. The script also counts down the reference's words, which changes
/// nothing, because each place of the reference is a hit at most once.
fn common_in_lines(
    lcs: &mut Lcs,
    reference: NumberedText<'_>,
    prediction: NumberedText<'_>,
    mut left: Vec<u32>,
) -> usize {
    let mut hits = 0;
    let mut union = Vec::new();
    for line in reference.lines() {
        union.clear();
        union.resize(line.len(), false);
        for other in prediction.lines() {
            lcs.positions(line, other, |place| union[place] = true);
        }
        for (&word, _) in line.iter().zip(&union).filter(|&(_, &common)| common) {
            let left = &mut left[word as usize];
            hits += usize::from(*left > 0);
            *left = left.saturating_sub(1);
        }
    }
    hits
}
