//! Rows of questions answered, for benches: the same on every machine.
//!
//! Answers are short, as in SQuAD: words by Zipf's law with real function words at the head, 1 to
//! 4 references, predictions that are right, nearly right or wrong, some punctuation and casing, a
//! few letters outside ASCII, and a few predictions of a paragraph's length.

use std::io::{self, Write};

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

const SEED: u64 = 20_240_229;
const VOCABULARY: usize = 60_000;

const FUNCTION_WORDS: &str = "the of and a to in is was for on as by with that at from his it an were are which this be or \
     had first one their has its new after but who not they have her she two been other when there \
     all during into school time may years more most only over city some world would where later \
     up such used many can state about national out known";

const SYLLABLES: &str = "ba be bo ca ce co da de di fa fe ga go ha he ja jo ka ke la le li lo ma me mi mo na ne no pa \
     pe po ra re ri ro sa se si so ta te ti to va ve vi wa we za zo";

const TAILS: [&str; 16] =
    ["", "", "n", "r", "s", "l", "m", "d", "t", "ns", "nd", "rk", "ing", "ed", "ion", "ly"];

/// Writes rows with `id`, `prediction` and `answers`, one JSON object a line.
pub(super) fn write(rows: u64, out: &mut impl Write) -> io::Result<()> {
    let mut words = Words::new();
    for row in 0..rows {
        let answer = words.phrase(3.3, 12);
        let references: Vec<String> =
            (0..=words.choose(&[45, 15, 25, 15])).map(|_| words.reference(&answer)).collect();
        let prediction = words.prediction(&answer);
        let scattered = row.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let answers = serde_json::to_string(&references)?;
        let prediction = serde_json::to_string(&prediction)?;
        writeln!(
            out,
            "{{\"id\": \"{row:08x}{scattered:016x}\", \"prediction\": {prediction}, \
             \"answers\": {answers}}}"
        )?;
    }
    out.flush()
}

/// A source of words.
struct Words {
    random: Pcg64Mcg,
    vocabulary: Vec<String>,
    /// Cumulative shares of the words.
    shares: Vec<f64>,
}

impl Words {
    fn new() -> Self {
        let mut words = Self {
            random: Pcg64Mcg::seed_from_u64(SEED),
            vocabulary: FUNCTION_WORDS.split_whitespace().map(str::to_owned).collect(),
            shares: Vec::new(),
        };
        while words.vocabulary.len() < VOCABULARY {
            let word = words.new_word();
            words.vocabulary.push(word);
        }
        let mut total = 0.0;
        for rank in 0..words.vocabulary.len() {
            // Zipf-Mandelbrot, with the constants that English has roughly. No power function:
            // the last bits of one are not the same on every machine.
            total += 1.0 / (rank as f64 + 3.7);
            words.shares.push(total);
        }
        words
    }

    fn new_word(&mut self) -> String {
        let syllables: Vec<&str> = SYLLABLES.split_whitespace().collect();
        let mut word: String =
            (0..=self.below(3)).map(|_| syllables[self.below(syllables.len())]).collect();
        word.push_str(TAILS[self.below(TAILS.len())]);
        match self.below(100) {
            0 => word.push(['é', 'ö', 'ñ', 'ü', 'ł', 'š'][self.below(6)]),
            1..=3 => word = (1 + self.below(3000)).to_string(),
            _ => {}
        }
        word
    }

    /// A number from 0 to `end`, without `end`.
    fn below(&mut self, end: usize) -> usize {
        // The high half of a product is as even as a bench needs.
        let wide = u128::from(self.random.next_u64()) * end as u128;
        usize::try_from(wide >> 64).expect("the number is below `end`")
    }

    /// A number from 0 to 1, without 1.
    fn share(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An index, with these chances out of 100.
    fn choose(&mut self, chances: &[usize]) -> usize {
        let mut left = self.below(100);
        for (index, chance) in chances.iter().enumerate() {
            if left < *chance {
                return index;
            }
            left -= chance;
        }
        0
    }

    fn word(&mut self) -> String {
        let all = *self.shares.last().expect("there are words");
        let wanted = self.share() * all;
        let index = self.shares.partition_point(|share| *share <= wanted);
        self.vocabulary[index.min(self.vocabulary.len() - 1)].clone()
    }

    fn words(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.word()).collect()
    }

    /// At least one word, this many in the mean, and never more than `most`.
    fn phrase(&mut self, mean: f64, most: usize) -> Vec<String> {
        let mut count = 1;
        while count < most && self.share() * mean >= 1.0 {
            count += 1;
        }
        self.words(count)
    }

    /// The answer as somebody else would give it: as it is, longer or shorter.
    fn reference(&mut self, answer: &[String]) -> String {
        let mut words = answer.to_vec();
        match self.below(3) {
            0 => {}
            1 => words.extend(self.phrase(1.5, 3)),
            _ => words.truncate((words.len() - 1).max(1)),
        }
        self.surface(words)
    }

    fn prediction(&mut self, answer: &[String]) -> String {
        let words = match self.choose(&[30, 40, 29, 1]) {
            0 => answer.to_vec(),
            1 => {
                let cut = usize::from(answer.len() > 1) * self.below(2);
                let mut words = answer[cut..].to_vec();
                words.extend(self.phrase(3.6, 20));
                words
            }
            2 => self.phrase(4.6, 21),
            _ => return String::new(),
        };
        let mut text = self.surface(words);
        if self.below(200) < 3 {
            let more = 40 + self.below(140);
            text = format!("{text} {}", self.words(more).join(" "));
        }
        text
    }

    /// The words as a text in the wild has them.
    fn surface(&mut self, mut words: Vec<String>) -> String {
        if self.below(2) == 0 {
            words[0] = capitalized(&words[0]);
        }
        let text = words.join(" ");
        match self.below(16) {
            0 => text + ".",
            1 => format!("\"{text}\""),
            2 => text.replacen(' ', ", ", 1),
            3 => text.replacen(' ', "-", 1),
            4 => format!("the {text}"),
            _ => text,
        }
    }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: u64) -> String {
        let mut out = Vec::new();
        write(count, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_are_the_same_every_time_and_have_the_shape_of_real_ones() {
        let text = rows(2_000);
        assert_eq!(text, rows(2_000));
        assert!(rows(2_001).starts_with(&text));
        let mean = text.len() / 2_000;
        assert!((130..190).contains(&mean), "{mean} bytes a line");
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(row["id"].as_str().unwrap().len(), 24);
            assert!((1..=4).contains(&row["answers"].as_array().unwrap().len()));
        }
    }
}
