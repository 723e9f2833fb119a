//! Rows of questions answered, for benches: the same on every machine.
//!
//! Answers are short, as in SQuAD: words by Zipf's law with real function words at the head, 1 to
//! 4 references, predictions that are right, nearly right or wrong, some punctuation and casing, a
//! few letters outside ASCII, and a few predictions of a paragraph's length. Pairs for text overlap
//! are long: some sentences, the prediction with runs copied from the reference.

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

/// One row.
struct Row {
    id: String,
    references: Vec<String>,
    prediction: String,
}

/// Writes rows with `id`, `prediction` and `answers`, one JSON object a line. With `accents`, most
/// words have letters outside ASCII, as in many languages.
pub(super) fn lines(count: u64, accents: bool, out: &mut impl Write) -> io::Result<()> {
    let text = |text: &str| {
        let text =
            if accents { text.replace('e', "é").replace('o', "ö") } else { text.to_owned() };
        serde_json::to_string(&text)
    };
    for Row { id, references, prediction } in rows(count) {
        let answers: Vec<String> = references.iter().map(|r| text(r)).collect::<Result<_, _>>()?;
        let (prediction, answers) = (text(&prediction)?, answers.join(", "));
        writeln!(
            out,
            "{{\"id\": \"{id}\", \"prediction\": {prediction}, \"answers\": [{answers}]}}"
        )?;
    }
    out.flush()
}

/// What is written of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Both,
    Answers,
    Predictions,
}

/// Rows that are put into another order together.
const BLOCK: usize = 1 << 16;

/// Writes rows as [`lines`] does, with ids in no order. Predictions alone are in another order than the
/// rest: in blocks of [`BLOCK`] rows each is somewhere else.
pub(super) fn scattered(count: u64, part: Part, out: &mut impl Write) -> io::Result<()> {
    let mut rows = rows(count).map(|row| {
        let (place, scattered) = row.id.split_at(8);
        Row { id: format!("{scattered}{place}"), ..row }
    });
    loop {
        let mut block: Vec<Row> = rows.by_ref().take(BLOCK).collect();
        if block.is_empty() {
            return out.flush();
        }
        if part == Part::Predictions {
            block.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        }
        for Row { id, references, prediction } in block {
            write!(out, "{{\"id\": \"{id}\"")?;
            if part != Part::Answers {
                write!(out, ", \"prediction\": {}", serde_json::to_string(&prediction)?)?;
            }
            if part != Part::Predictions {
                write!(out, ", \"answers\": {}", serde_json::to_string(&references)?)?;
            }
            writeln!(out, "}}")?;
        }
    }
}

/// Writes the same rows as a dataset of SQuAD: three questions for each context.
pub(super) fn squad(count: u64, out: &mut impl Write) -> io::Result<()> {
    const QUESTIONS: u64 = 3;
    let mut words = Words::new();
    write!(out, "{{\"version\": \"1.1\", \"data\": [{{\"title\": \"all\", \"paragraphs\": [")?;
    for (place, Row { id, references, .. }) in (0..count).zip(rows(count)) {
        if place % QUESTIONS == 0 {
            let context = serde_json::to_string(&words.words(60).join(" "))?;
            let end = if place == 0 { "" } else { "]}, " };
            write!(out, "{end}{{\"context\": {context}, \"qas\": [")?;
        } else {
            write!(out, ", ")?;
        }
        let question = serde_json::to_string(&words.words(9).join(" "))?;
        let answer = |(start, text): (usize, &String)| {
            Ok(format!("{{\"text\": {}, \"answer_start\": {start}}}", serde_json::to_string(text)?))
        };
        let answers: Vec<String> =
            references.iter().enumerate().map(answer).collect::<io::Result<_>>()?;
        let answers = answers.join(", ");
        write!(out, "{{\"id\": \"{id}\", \"question\": {question}, \"answers\": [{answers}]}}")?;
    }
    writeln!(out, "{}]}}]}}", if count == 0 { "" } else { "]}" })?;
    out.flush()
}

/// Writes the predictions of these rows by id.
pub(super) fn predictions(count: u64, out: &mut impl Write) -> io::Result<()> {
    let mut before = "{";
    for Row { id, prediction, .. } in rows(count) {
        write!(out, "{before}\"{id}\": {}", serde_json::to_string(&prediction)?)?;
        before = ", ";
    }
    writeln!(out, "{}}}", if count == 0 { "{" } else { "" })?;
    out.flush()
}

/// Writes pairs of texts with `reference` and `prediction`, 130 words each in the mean, one JSON
/// object a line.
pub(super) fn pairs(count: u64, out: &mut impl Write) -> io::Result<()> {
    let mut words = Words::new();
    for _ in 0..count {
        let length = 80 + words.below(101);
        let reference = words.words(length);
        let mut prediction = Vec::new();
        let mut place = 0;
        while place < length || prediction.len() < 80 {
            let run = 3 + words.below(17);
            if words.below(2) == 0 && place < length {
                prediction.extend_from_slice(&reference[place..length.min(place + run)]);
            } else {
                prediction.extend(words.words(run));
            }
            place += run;
        }
        let (reference, prediction) = (words.sentences(&reference), words.sentences(&prediction));
        let reference = serde_json::to_string(&reference)?;
        let prediction = serde_json::to_string(&prediction)?;
        writeln!(out, "{{\"reference\": {reference}, \"prediction\": {prediction}}}")?;
    }
    out.flush()
}

/// Writes passages of 60 to 100 words with `id` and `text`, one JSON object a line.
pub(super) fn passages(count: u64, out: &mut impl Write) -> io::Result<()> {
    let mut words = Words::new();
    for number in 0..count {
        let length = 60 + words.below(41);
        let text = capitalized(&words.words(length).join(" "));
        let text = serde_json::to_string(&format!("{text}."))?;
        writeln!(out, "{{\"id\": \"p{number}\", \"text\": {text}}}")?;
    }
    out.flush()
}

/// Writes queries with `id` and `text`: some of the rarer words that a passage would have, and one
/// that may be any.
pub(super) fn queries(count: u64, out: &mut impl Write) -> io::Result<()> {
    const RARE: usize = 20;
    let mut words = Words::new();
    for number in 0..count {
        let mut ranks: Vec<usize> = (0..80).map(|_| words.rank()).collect();
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        let rare: Vec<usize> = (0..3 + words.below(5)).map(|_| ranks[words.below(RARE)]).collect();
        let mut query: Vec<String> =
            rare.into_iter().map(|rank| words.vocabulary[rank].clone()).collect();
        query.push(words.word());
        let text = serde_json::to_string(&query.join(" "))?;
        writeln!(out, "{{\"id\": \"q{number}\", \"text\": {text}}}")?;
    }
    out.flush()
}

fn rows(count: u64) -> impl Iterator<Item = Row> {
    let mut words = Words::new();
    (0..count).map(move |row| {
        let answer = words.phrase(3.3, 12);
        let references =
            (0..=words.choose(&[45, 15, 25, 15])).map(|_| words.reference(&answer)).collect();
        let prediction = words.prediction(&answer);
        let scattered = row.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Row { id: format!("{row:08x}{scattered:016x}"), references, prediction }
    })
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
        let rank = self.rank();
        self.vocabulary[rank].clone()
    }

    /// The place of a word in the vocabulary, whose head are the words that are used most.
    fn rank(&mut self) -> usize {
        let all = *self.shares.last().expect("there are words");
        let wanted = self.share() * all;
        let rank = self.shares.partition_point(|share| *share <= wanted);
        rank.min(self.vocabulary.len() - 1)
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

    /// Sentences of 9 to 27 words, a line each.
    fn sentences(&mut self, words: &[String]) -> String {
        let (mut sentences, mut rest) = (Vec::new(), words);
        while !rest.is_empty() {
            let (sentence, after) = rest.split_at(rest.len().min(9 + self.below(19)));
            sentences.push(format!("{}.", capitalized(&sentence.join(" "))));
            rest = after;
        }
        sentences.join("\n")
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

    fn text(write: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_are_the_same_every_time_and_have_the_shape_of_real_ones() {
        let rows = |count| text(|out| lines(count, false, out));
        let written = rows(2_000);
        assert_eq!(written, rows(2_000));
        assert!(rows(2_001).starts_with(&written));
        let mean = written.len() / 2_000;
        assert!((130..190).contains(&mean), "{mean} bytes a line");
        for line in written.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(row["id"].as_str().unwrap().len(), 24);
            assert!((1..=4).contains(&row["answers"].as_array().unwrap().len()));
        }
        let accents = text(|out| lines(2_000, true, out));
        assert!(accents.chars().filter(|c| !c.is_ascii()).count() > 2_000 * 5);
    }

    #[test]
    fn all_formats_have_the_same_rows() {
        for count in [0_u64, 1, 3, 7] {
            let squad: serde_json::Value =
                serde_json::from_str(&text(|out| squad(count, out))).unwrap();
            let paragraphs = squad["data"][0]["paragraphs"].as_array().unwrap();
            let questions: Vec<_> =
                paragraphs.iter().flat_map(|p| p["qas"].as_array().unwrap()).collect();
            let predictions: serde_json::Value =
                serde_json::from_str(&text(|out| predictions(count, out))).unwrap();
            let lines = text(|out| lines(count, false, out));
            assert_eq!(lines.lines().count(), questions.len());
            assert_eq!(predictions.as_object().unwrap().len(), questions.len());
            for (line, question) in lines.lines().zip(questions) {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                assert_eq!(row["id"], question["id"]);
                assert_eq!(row["answers"][0], question["answers"][0]["text"]);
                assert_eq!(row["prediction"], predictions[row["id"].as_str().unwrap()]);
            }
        }
    }

    #[test]
    fn answers_and_predictions_of_scattered_rows_belong_together() {
        let of = |part| -> Vec<serde_json::Value> {
            let written = text(|out| scattered(500, part, out));
            written.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let (both, answers, mut predictions) =
            (of(Part::Both), of(Part::Answers), of(Part::Predictions));
        let id = |row: &serde_json::Value| row["id"].as_str().unwrap().to_owned();
        assert!(!both.is_sorted_by_key(id) && predictions.is_sorted_by_key(id));
        let place = |prediction: &serde_json::Value| {
            answers.iter().position(|row| row["id"] == prediction["id"])
        };
        predictions.sort_by_key(place);
        for ((both, answers), predictions) in both.iter().zip(&answers).zip(&predictions) {
            assert_eq!((&both["id"], &both["id"]), (&answers["id"], &predictions["id"]));
            assert_eq!(both["answers"], answers["answers"]);
            assert_eq!(both["prediction"], predictions["prediction"]);
        }
    }

    #[test]
    fn pairs_are_long_and_share_words() {
        let written = text(|out| pairs(50, out));
        let words = |text: &serde_json::Value| text.as_str().unwrap().split_whitespace().count();
        for line in written.lines() {
            let pair: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!((80..=180).contains(&words(&pair["reference"])));
            assert!((80..=220).contains(&words(&pair["prediction"])));
        }
    }
}
