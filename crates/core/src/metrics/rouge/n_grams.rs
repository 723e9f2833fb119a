//! ROUGE-1 to ROUGE-9: common words, and common sequences of words.

use hashbrown::HashMap;

use super::{Hits, STEM, VALUE, WORDS, best};
use crate::{
    Case, Cutoff, Definition, Estimator, Metric, Need, Score, Subject,
    metrics::numbered::NumberedTexts,
};

/// How many words of a reference the prediction has, and how few others.
///
/// # Definition
/// With the number of common words, counted as often as they occur on both sides: precision =
/// common / predicted, recall = common / reference, F = 2pr / (p + r). Of several references the
/// one with the highest F counts, the first of equal ones. A text is put in lower case, and runs of
/// ASCII letters and digits are its words.
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// `stem=yes` compares stems: Porter's as extended by NLTK, of words longer than three characters.
/// `value` is `f`, `precision` or `recall`, always of the reference with the highest F.
/// `words=unicode` takes the words of Unicode (UAX #29) in lower case and composed form (NFC), so
/// that every language scores: there each Chinese character and each Thai letter is a word.
///
/// # Edge cases
/// A side without a word scores 0, also where both have none. An example without references is
/// unscored, where the script stops with an error.
///
/// # Equals
/// `rouge1` of `rouge_score` 0.1.2, `RougeScorer.score_multi`; without stemming also ROUGE-1 of the
/// Perl script 1.5.5. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries" (2004).
pub static ROUGE_1: Definition = Definition {
    name: "ROUGE-1",
    synonyms: &["rouge1"],
    summary: "F of the common words, best over the references",
    equals: "rouge_score 0.1.2: rouge1",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[STEM, VALUE, WORDS],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: score::<1>,
};

/// As [`ROUGE_1`], with sequences of 2 words in place of words.
///
/// # Definition
/// A text of n words has n - 1 sequences; they are counted as the words are in [`ROUGE_1`].
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// A side with fewer words than the sequence is long scores 0, also where both sides are equal.
///
/// # Equals
/// `rouge2` of `rouge_score` 0.1.2; without stemming also ROUGE-2 of the Perl script 1.5.5.
pub static ROUGE_2: Definition = Definition {
    name: "ROUGE-2",
    synonyms: &["rouge2"],
    summary: "F of the common sequences of 2 words, best over the references",
    equals: "rouge_score 0.1.2: rouge2",
    score: score::<2>,
    ..ROUGE_1
};

/// As [`ROUGE_2`], with sequences of 3 words.
///
/// # Definition
/// As [`ROUGE_2`].
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// As [`ROUGE_2`].
///
/// # Equals
/// `rouge3` of `rouge_score` 0.1.2.
pub static ROUGE_3: Definition = Definition {
    name: "ROUGE-3",
    synonyms: &["rouge3"],
    summary: "F of the common sequences of 3 words, best over the references",
    equals: "rouge_score 0.1.2: rouge3",
    score: score::<3>,
    ..ROUGE_1
};

/// As [`ROUGE_2`], with sequences of 4 words.
///
/// # Definition
/// As [`ROUGE_2`].
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// As [`ROUGE_2`].
///
/// # Equals
/// `rouge4` of `rouge_score` 0.1.2.
pub static ROUGE_4: Definition = Definition {
    name: "ROUGE-4",
    synonyms: &["rouge4"],
    summary: "F of the common sequences of 4 words, best over the references",
    equals: "rouge_score 0.1.2: rouge4",
    score: score::<4>,
    ..ROUGE_1
};

/// As [`ROUGE_2`], with sequences of 5 words.
///
/// # Definition
/// As [`ROUGE_2`].
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// As [`ROUGE_2`].
///
/// # Equals
/// `rouge5` of `rouge_score` 0.1.2.
pub static ROUGE_5: Definition = Definition {
    name: "ROUGE-5",
    synonyms: &["rouge5"],
    summary: "F of the common sequences of 5 words, best over the references",
    equals: "rouge_score 0.1.2: rouge5",
    score: score::<5>,
    ..ROUGE_1
};

/// As [`ROUGE_2`], with sequences of 6 words.
///
/// # Definition
/// As [`ROUGE_2`].
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// As [`ROUGE_2`].
///
/// # Equals
/// `rouge6` of `rouge_score` 0.1.2.
pub static ROUGE_6: Definition = Definition {
    name: "ROUGE-6",
    synonyms: &["rouge6"],
    summary: "F of the common sequences of 6 words, best over the references",
    equals: "rouge_score 0.1.2: rouge6",
    score: score::<6>,
    ..ROUGE_1
};

/// As [`ROUGE_2`], with sequences of 7 words.
///
/// # Definition
/// As [`ROUGE_2`].
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// As [`ROUGE_2`].
///
/// # Equals
/// `rouge7` of `rouge_score` 0.1.2.
pub static ROUGE_7: Definition = Definition {
    name: "ROUGE-7",
    synonyms: &["rouge7"],
    summary: "F of the common sequences of 7 words, best over the references",
    equals: "rouge_score 0.1.2: rouge7",
    score: score::<7>,
    ..ROUGE_1
};

/// As [`ROUGE_2`], with sequences of 8 words.
///
/// # Definition
/// As [`ROUGE_2`].
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// As [`ROUGE_2`].
///
/// # Equals
/// `rouge8` of `rouge_score` 0.1.2.
pub static ROUGE_8: Definition = Definition {
    name: "ROUGE-8",
    synonyms: &["rouge8"],
    summary: "F of the common sequences of 8 words, best over the references",
    equals: "rouge_score 0.1.2: rouge8",
    score: score::<8>,
    ..ROUGE_1
};

/// As [`ROUGE_2`], with sequences of 9 words.
///
/// # Definition
/// As [`ROUGE_2`].
///
/// # Range
/// 0 to 1; more is better.
///
/// # Parameters
/// As [`ROUGE_1`].
///
/// # Edge cases
/// As [`ROUGE_2`].
///
/// # Equals
/// `rouge9` of `rouge_score` 0.1.2.
pub static ROUGE_9: Definition = Definition {
    name: "ROUGE-9",
    synonyms: &["rouge9"],
    summary: "F of the common sequences of 9 words, best over the references",
    equals: "rouge_score 0.1.2: rouge9",
    score: score::<9>,
    ..ROUGE_1
};

fn score<const N: usize>(metric: &Metric, case: &Case<'_>) -> Score {
    best(metric, case, |texts| hits(texts, N))
}

/// The common sequences of so many words, for each reference.
fn hits(texts: &NumberedTexts, length: usize) -> Vec<Hits> {
    let (sequences, distinct) = sequences(texts, length);
    let [prediction, references @ ..] = sequences.as_slice() else { return Vec::new() };
    let mut counts = vec![0_u32; distinct];
    for &sequence in prediction {
        counts[sequence as usize] += 1;
    }
    let of = |reference: &Vec<u32>| {
        let mut left = counts.clone();
        let mut common = 0;
        for &sequence in reference {
            let left = &mut left[sequence as usize];
            common += usize::from(*left > 0);
            *left = left.saturating_sub(1);
        }
        Hits { common, prediction: prediction.len(), reference: reference.len() }
    };
    references.iter().map(of).collect()
}

/// Gives each distinct sequence a number: those of each text, and how many there are. A sequence
/// is the number of the one that is a word shorter, and its last word.
fn sequences(texts: &NumberedTexts, length: usize) -> (Vec<Vec<u32>>, usize) {
    let mut sequences: Vec<Vec<u32>> = texts.iter().map(|text| text.words.to_vec()).collect();
    let mut distinct = texts.distinct;
    for shorter in 1..length {
        let total = sequences.iter().map(Vec::len).sum();
        let mut numbers: HashMap<u64, u32> = HashMap::with_capacity(total);
        for (sequences, text) in sequences.iter_mut().zip(texts.iter()) {
            let last_words = text.words.get(shorter..).unwrap_or_default();
            sequences.truncate(last_words.len());
            for (sequence, &last) in sequences.iter_mut().zip(last_words) {
                let next = u32::try_from(numbers.len()).expect("fewer than there are words");
                let key = u64::from(*sequence) << 32 | u64::from(last);
                *sequence = *numbers.entry(key).or_insert(next);
            }
        }
        distinct = numbers.len();
    }
    (sequences, distinct)
}
