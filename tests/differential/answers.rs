//! SQuAD's scripts, step by step on vectors of characters, against EM and F1.

use proptest::prelude::*;
use qeval_core::{Case, Example, Metric, Prediction, metrics::normalize};
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::char::is_combining_mark;

const PUNCTUATION: &str = r##"!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##;

/// What Python's `str.split` splits at.
const BLANKS: [u32; 29] = [
    0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001,
    0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f,
    0x205f, 0x3000,
];

/// Letters in circles and squares: alphabetic, but symbols. Python's `\w` leaves them out.
const ENCLOSED: [std::ops::RangeInclusive<u32>; 4] =
    [0x24b6..=0x24e9, 0x1f130..=0x1f149, 0x1f150..=0x1f169, 0x1f170..=0x1f189];

/// The script's `normalize_answer`: four passes, each over the whole text.
fn normalize_answer(text: &str) -> String {
    let lower: Vec<char> = text.to_lowercase().chars().collect();
    let bare: Vec<char> = lower.into_iter().filter(|&c| !PUNCTUATION.contains(c)).collect();
    split(&without_articles(&bare)).join(" ")
}

/// `re.sub(r"\b(a|an|the)\b", " ", text)`: at each place the alternatives in turn, then the place
/// after it.
fn without_articles(text: &[char]) -> Vec<char> {
    let boundary = |place: usize| {
        let word = |index: Option<usize>| index.and_then(|i| text.get(i)).is_some_and(|&c| word(c));
        word(place.checked_sub(1)) != word(Some(place))
    };
    let article = |place: usize| {
        ["a", "an", "the"].into_iter().map(|word| word.chars().collect::<Vec<_>>()).find(|word| {
            boundary(place) && text[place..].starts_with(word) && boundary(place + word.len())
        })
    };
    let mut output = Vec::new();
    let mut place = 0;
    while place < text.len() {
        if let Some(word) = article(place) {
            output.push(' ');
            place += word.len();
        } else {
            output.push(text[place]);
            place += 1;
        }
    }
    output
}

/// Python's `\w`, from the standard library's idea of letters and numbers.
fn word(c: char) -> bool {
    let enclosed = ENCLOSED.iter().any(|range| range.contains(&u32::from(c)));
    c == '_' || (c.is_alphanumeric() && !is_combining_mark(c) && !enclosed)
}

fn split(text: &[char]) -> Vec<String> {
    let pieces = text.split(|&c| BLANKS.contains(&u32::from(c)));
    pieces.filter(|piece| !piece.is_empty()).map(|piece| piece.iter().collect()).collect()
}

fn tokens(text: &str) -> Vec<String> {
    split(&normalize_answer(text).chars().collect::<Vec<_>>())
}

/// Token F1; `both_empty` is what the versions of the script disagree about.
fn f1(prediction: &str, gold: &str, both_empty: f64) -> f64 {
    let (prediction, gold) = (tokens(prediction), tokens(gold));
    if prediction.is_empty() && gold.is_empty() {
        return both_empty;
    }
    let mut left = gold.clone();
    let mut same = 0_u32;
    for token in &prediction {
        if let Some(place) = left.iter().position(|other| other == token) {
            left.remove(place);
            same += 1;
        }
    }
    if same == 0 {
        return 0.0;
    }
    let precision = f64::from(same) / prediction.len() as f64;
    let recall = f64::from(same) / gold.len() as f64;
    (2.0 * precision * recall) / (precision + recall)
}

fn exact(prediction: &str, gold: &str) -> f64 {
    f64::from(u8::from(normalize_answer(prediction) == normalize_answer(gold)))
}

fn best(scores: impl Iterator<Item = f64>) -> Option<f64> {
    scores.fold(None, |best, score| match best {
        Some(best) if best >= score => Some(best),
        _ => Some(score),
    })
}

/// The four metrics by the scripts; `None` where 1.1 stops at a question without golds.
fn naive(prediction: &str, golds: &[String]) -> [(&'static str, Option<f64>); 4] {
    let mut real: Vec<&str> = Vec::new();
    for gold in golds {
        if !normalize_answer(gold).is_empty() {
            real.push(gold);
        }
    }
    if real.is_empty() {
        real.push("");
    }
    [
        ("EM", best(real.iter().map(|gold| exact(prediction, gold)))),
        ("F1", best(real.iter().map(|gold| f1(prediction, gold, 1.0)))),
        ("SQuAD1.EM", best(golds.iter().map(|gold| exact(prediction, gold)))),
        ("SQuAD1.F1", best(golds.iter().map(|gold| f1(prediction, gold, 0.0)))),
    ]
}

fn ours(metric: &str, prediction: &str, golds: &[String]) -> Option<f64> {
    let references = golds.iter().map(|text| text.as_str().into()).collect();
    let example = Example { references, ..Example::default() };
    let prediction = Prediction::answer(prediction);
    let metric: Metric = metric.parse().unwrap();
    metric.score(&Case::new(&example).with_prediction(&prediction)).ok()
}

/// Whether our table of categories knows the character. The naive program's tables are newer.
fn known(c: char) -> bool {
    get_general_category(c) != GeneralCategory::Unassigned
}

/// Pieces that scripts have been wrong about, and any character at all.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "an",
        "the",
        "A",
        "AN",
        "The",
        "tHE",
        " ",
        "  ",
        "\t",
        "\u{1c}",
        "\u{1f}",
        "\u{85}",
        "\u{a0}",
        "\u{3000}",
        "\u{200b}",
        "\u{feff}",
        "\u{180e}",
        ".",
        "-",
        "_",
        "'",
        "$",
        "“",
        "”",
        "—",
        "…",
        "。",
        "\u{301}",
        "\u{307}",
        "\u{200d}",
        "\u{200c}",
        "\u{ad}",
        "İ",
        "I",
        "ı",
        "ß",
        "ẞ",
        "Σ",
        "Σ ",
        "ΟΔΟΣ",
        "ς",
        "K",
        "Å",
        "½",
        "Ⅷ",
        "①",
        "Ⓐ",
        "²",
        "１２",
        "ﬁ",
        "北京",
        "ก็",
        "नमस्ते",
        "שָׁלוֹם",
        "العربية",
        "🙂",
        "👨\u{200d}👩",
        "\u{0}",
        "\u{7f}",
        "1,000",
        "U.S.",
        "x",
        "cat",
        "Cat",
        "dog",
        "ǅ",
        "ŉ",
        "\u{e000}",
        "\u{10ffff}",
        "ª",
        "ʰ",
        "ـ",
        "𝒶",
        "𝐓𝐡𝐞",
    ]);
    let any = any::<char>().prop_filter("newer than our tables", |&c| known(c));
    let piece = prop_oneof![6 => pieces.prop_map(str::to_owned), 1 => any.prop_map(String::from)];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn every_character_is_or_is_not_part_of_a_word() {
    for c in ('\0'..=char::MAX).filter(|&c| known(c)) {
        assert_eq!(normalize::is_word(c), word(c), "U+{:04X}", u32::from(c));
        assert_eq!(
            normalize::is_blank(c),
            BLANKS.contains(&u32::from(c)),
            "U+{:04X}",
            u32::from(c)
        );
    }
}

proptest! {
    #![proptest_config(super::config())]

    #[test]
    fn normalisation_is_the_script_s(text in hostile()) {
        prop_assert_eq!(normalize::squad(&text), normalize_answer(&text));
    }

    #[test]
    fn em_and_f1_are_the_scripts_s(
        prediction in hostile(),
        golds in prop::collection::vec(hostile(), 0..4),
    ) {
        for (metric, expected) in naive(&prediction, &golds) {
            let found = ours(metric, &prediction, &golds);
            prop_assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{}", metric);
        }
    }

    /// Few different words, so that most of them are common and some are repeated.
    #[test]
    fn f1_of_much_in_common_is_the_scripts_s(
        prediction in "([bcB] |the |b\\. ){0,9}",
        golds in prop::collection::vec("([bcd] |An |c-){0,9}", 1..4),
    ) {
        for (metric, expected) in naive(&prediction, &golds) {
            let found = ours(metric, &prediction, &golds);
            prop_assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{}", metric);
        }
    }
}
