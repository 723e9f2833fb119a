//! Answers that are the label of a choice: A, B, C.

use super::typed;
use crate::{Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject};

const FIND: Parameter = Parameter {
    name: "find",
    kind: Kind::Choice(&["start", "anywhere"]),
    summary: "whether the text must begin with the label, or may name it anywhere",
};

/// Whether the prediction names the label of a reference.
///
/// # Definition
/// 1 if both labels are the same, else 0. A label is one letter from A to Z or one or two digits.
/// Read are `A`, `a`, `(A)`, `[a]`, `A.`, `A) Paris`, `A: Paris`, `**A**`, `Option A`, `Answer: A`,
/// `The answer is (A).`; with `find=anywhere` also the last phrase in the text that speaks of the
/// answer, and where there is none the last `Option A` or label in brackets. Case does not matter, and
/// no article is removed: "A" is a label.
///
/// # Range
/// 0 or 1.
///
/// # Edge cases
/// Null without references, and where no reference is a label. A prediction without a label scores
/// 0. "A dog" and "I think so" are words and no labels: a letter with a blank behind it counts only
/// after one of the phrases. An answer that names several labels at once names none and scores 0, and
/// a reference that does is no label: "A or B", "(A), (C)", "Answer: A and B", "A/B", "A. B. C.".
/// Labels are named at once where only a comma, a semicolon, a slash, `&`, `+`, *and*, *or* or *or
/// maybe* stands between them, where one in brackets follows the other, and where the text is a list of
/// labels; what is said of other labels later on does not matter ("A. Because (B) is wrong"). A label
/// that is denied is not named: "Option A is incorrect", "not (A)".
///
/// # Equals
/// Accuracy on multiple choice, as in MMLU. Hendrycks et al., "Measuring Massive Multitask Language
/// Understanding" (2021).
pub static CHOICE: Definition = Definition {
    name: "Choice",
    synonyms: &["ChoiceAccuracy"],
    summary: "the prediction names the label of a reference, such as A or (B)",
    equals: "accuracy of MMLU, on text",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[FIND],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: choice,
};

fn choice(metric: &Metric, case: &Case<'_>) -> Score {
    let anywhere = metric.choice(FIND.name) == "anywhere";
    let predicted = label(case.prediction_text(), anywhere);
    typed::best(
        case,
        |text| label(text, false),
        "no reference is a label",
        |_, reference| predicted.as_ref() == Some(reference),
    )
}

/// The label that a text names, with a capital; `anywhere`: not only at its start. A text that names
/// several at once names none.
///
/// ```
/// use qeval_core::metrics::choice::label;
///
/// assert_eq!(label("answer: (b)", false).as_deref(), Some("B"));
/// assert_eq!(label("A dog", false), None);
/// assert_eq!(label("answer: A or B", false), None);
/// ```
pub fn label(text: &str, anywhere: bool) -> Option<String> {
    if lists(text) {
        return None;
    }
    let at_start = || {
        let found = together(start(text)?);
        found.label.filter(|_| !denies(found.rest))
    };
    if !anywhere {
        return at_start();
    }
    // The last place that names a label; one that speaks of the answer before any other. Labels that
    // are named at once are one place.
    let mut last: Option<(bool, Together<'_>)> = None;
    let mut begins = true;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if begins && let Some(found) = named(rest).or_else(|| bracketed(rest)) {
            let found = together(found);
            let of_the_answer = after_phrase(&ANSWER, rest).is_some();
            let denied = denies(found.rest) || ends_with_not(&text[..text.len() - rest.len()]);
            rest = found.rest;
            if !denied && (of_the_answer || last.as_ref().is_none_or(|(answer, _)| !answer)) {
                last = Some((of_the_answer, found));
            }
            // A label is no part of a word.
            begins = true;
            continue;
        }
        begins = !c.is_alphanumeric();
        rest = &rest[c.len_utf8()..];
    }
    match last {
        Some((_, found)) => found.label,
        None => at_start(),
    }
}

fn start(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start_matches(is_wrapping);
    named(text).or_else(|| bracketed(text)).or_else(|| bare(text))
}

/// Whether the text is a list of different labels: `A. B. C.`, or one a line. `A. B` is the label of
/// a choice that is called B.
fn lists(text: &str) -> bool {
    let label = |part: &str| {
        let part = part.trim_start_matches(|c| is_wrapping(c) || matches!(c, '(' | '['));
        let (label, after) = sign(part)?;
        let end = |c| is_wrapping(c) || matches!(c, '.' | ')' | ']' | ':' | ',' | ';');
        after.trim_end_matches(end).is_empty().then_some((label, !after.is_empty()))
    };
    let all = |parts: &mut dyn Iterator<Item = &str>, marked: bool| {
        let labels: Option<Vec<String>> = parts
            .map(|part| label(part).filter(|(_, mark)| *mark || !marked).map(|(label, _)| label))
            .collect();
        let is_letter = |label: &String| label.starts_with(|c: char| c.is_ascii_alphabetic());
        labels.is_some_and(|labels| {
            labels.iter().any(|label| *label != labels[0])
                && labels.iter().all(|label| is_letter(label) == is_letter(&labels[0]))
        })
    };
    all(&mut text.split_whitespace(), true)
        || all(&mut text.lines().filter(|line| !line.trim().is_empty()), false)
}

/// Whether what follows a label says that it is the wrong one.
fn denies(after: &str) -> bool {
    let after = after.trim_start_matches(|c| is_wrapping(c) || matches!(c, ')' | ']'));
    let mut words = after.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    let mut word = || words.next().unwrap_or_default().to_ascii_lowercase().replace('’', "'");
    match word().as_str() {
        "is" | "are" | "was" | "were" => {
            matches!(word().as_str(), "not" | "wrong" | "incorrect" | "false")
        }
        "isn't" | "aren't" | "wasn't" | "weren't" | "cannot" | "can't" => true,
        _ => false,
    }
}

/// Whether *not* is the last word.
fn ends_with_not(before: &str) -> bool {
    let word = before.trim_end_matches(is_wrapping).rsplit(|c: char| !c.is_alphanumeric()).next();
    word.is_some_and(|word| word.eq_ignore_ascii_case("not"))
}

/// Labels that are named at once.
struct Together<'a> {
    /// The label, if all of them are one.
    label: Option<String>,
    /// What follows them.
    rest: &'a str,
}

/// Goes on to the labels that are joined to the first.
fn together((first, mut rest): (String, &str)) -> Together<'_> {
    let mut label = Some(first);
    while let Some((next, after)) = joined(rest) {
        label = label.filter(|label| *label == next);
        rest = after;
    }
    Together { label, rest }
}

/// The next label, where it is named at once with that before.
fn joined(text: &str) -> Option<(String, &str)> {
    let before = text;
    let text = text.trim_start_matches(|c: char| is_wrapping(c) || matches!(c, ')' | ']'));
    let broken = before[..before.len() - text.len()].contains('\n');
    let (marked, rest) = match text.strip_prefix([',', ';', '/', '&', '+']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let (said, rest) = match conjunction(rest) {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    if !marked && !said {
        // `(A)(B)`; on the next line begins what is said of another label.
        return bracketed(text.trim_start_matches(' ')).filter(|_| !broken);
    }
    let rest = rest.trim_start_matches(is_wrapping);
    let rest = if said { perhaps(rest) } else { rest };
    named(rest).or_else(|| bracketed(rest)).or_else(|| {
        let (label, after) = sign(rest)?;
        let word = after.trim_start_matches(is_wrapping);
        let goes_on = word.starts_with(char::is_alphanumeric);
        let touched = after.starts_with(char::is_alphanumeric)
            || (after.starts_with(['.', ':', '\'', '’'])
                && after.chars().nth(1).is_some_and(char::is_alphanumeric));
        // "A, I think", "B or a dog", "A, 3 of them", "A, and B is wrong".
        let clause = if said {
            rest.starts_with(['a', 'I']) || word.starts_with("is ") || word.starts_with("was ")
        } else {
            conjunction(word).is_none()
        };
        let word_of_its_own = touched || (goes_on && clause);
        (!word_of_its_own).then_some((label, after))
    })
}

/// What follows *and*, *or*, *and/or*.
fn conjunction(text: &str) -> Option<&str> {
    after_phrase(&["and/or", "and", "or"], text)
        .filter(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
}

/// What follows *maybe* and the like.
fn perhaps(text: &str) -> &str {
    const WORDS: [&str; 6] = ["maybe", "perhaps", "possibly", "probably", "even", "also"];
    after_phrase(&WORDS, text).map_or(text, |rest| rest.trim_start_matches(is_wrapping))
}

/// Phrases that speak of the answer and that a label follows; the longest first.
const ANSWER: [&str; 8] = [
    "the correct answer is",
    "the correct option is",
    "the answer is",
    "correct answer is",
    "final answer",
    "answer is",
    "the answer",
    "answer",
];

/// Phrases that speak of any label.
const ANY: [&str; 3] = ["option", "choice", "label"];

/// What follows one of the phrases. `answers` is another word.
fn after_phrase<'a>(phrases: &[&str], text: &'a str) -> Option<&'a str> {
    let rest = phrases.iter().find_map(|phrase| {
        let start = text.get(..phrase.len())?;
        start.eq_ignore_ascii_case(phrase).then(|| &text[phrase.len()..])
    })?;
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// A label after one of the phrases, and what follows it.
fn named(text: &str) -> Option<(String, &str)> {
    let rest = after_phrase(&ANSWER, text).or_else(|| after_phrase(&ANY, text))?;
    let rest = rest.trim_start_matches(|c: char| is_wrapping(c) || c == ':' || c == '=');
    // `the answer is: option A`
    named(rest).or_else(|| bracketed(rest)).or_else(|| {
        let (label, after) = sign(rest)?;
        // `the answer is a dog`
        let article = rest.starts_with('a')
            && after.strip_prefix(' ').is_some_and(|word| word.starts_with(char::is_alphanumeric));
        (!article && !after.starts_with(char::is_alphanumeric)).then_some((label, after))
    })
}

/// `(A)` or `[A]`.
fn bracketed(text: &str) -> Option<(String, &str)> {
    let (inside, close) = match text.strip_prefix('(') {
        Some(inside) => (inside, ')'),
        None => (text.strip_prefix('[')?, ']'),
    };
    let (label, after) = sign(inside)?;
    Some((label, after.strip_prefix(close)?))
}

/// A label that is all, or that a sign ends.
fn bare(text: &str) -> Option<(String, &str)> {
    let (label, after) = sign(text)?;
    let after = after.trim_start_matches(['*', '"', '\'', '`']);
    let all = after.trim().is_empty();
    let ended = after.starts_with(['.', ')', ':', ']', '\n', '\r']) || after.starts_with(", ");
    // `3.5` and `a.m.` go on behind the sign.
    let goes_on =
        after.chars().nth(1).is_some_and(char::is_alphanumeric) && after.starts_with(['.', ':']);
    (all || (ended && !goes_on)).then_some((label, after))
}

/// One letter or up to two digits, and what follows.
fn sign(text: &str) -> Option<(String, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = match text.bytes().next()? {
        byte if byte.is_ascii_alphabetic() => 1,
        _ if (1..=2).contains(&digits) => digits,
        _ => return None,
    };
    let (label, after) = text.split_at(length);
    Some((label.to_ascii_uppercase(), after))
}

fn is_wrapping(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '"' | '\'' | '`' | '“' | '‘')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metrics::testing::check;

    #[test]
    fn a_label_has_many_forms() {
        for text in [
            "A",
            "a",
            " a ",
            "(A)",
            "(a) Paris",
            "[A]",
            "A.",
            "A. Paris",
            "A) Paris",
            "A: Paris",
            "A\nbecause",
            "**A**",
            "\"A\"",
            "Answer: A",
            "answer: a",
            "The answer is A.",
            "The answer is (A).",
            "The correct answer is: **A**",
            "Option A",
            "Answer A because",
            "Final answer: A",
        ] {
            assert_eq!(label(text, false).as_deref(), Some("A"), "{text}");
            assert_eq!(label(text, true).as_deref(), Some("A"), "{text}");
        }
        for text in [
            "",
            "A dog",
            "the answer is a dog",
            "I think so",
            "answers A",
            "AB",
            "3.5",
            "a.m.",
            "123",
            "(AB)",
            "é",
        ] {
            assert_eq!(label(text, false), None, "{text}");
        }
        let text = "Option A is wrong (see above). So the answer is (C), I think.";
        assert_eq!(label(text, true).as_deref(), Some("C"));
        assert_eq!(label("It must be (b)", true).as_deref(), Some("B"));
        assert_eq!(label("12", false).as_deref(), Some("12"));
    }

    #[test]
    fn several_labels_at_once_are_none() {
        for text in [
            "A or B",
            "A, B",
            "A,B",
            "A/B",
            "(A) or (B)",
            "(A), (B)",
            "A) or B)",
            "**A** and **B**",
            "Answer: A or B",
            "Answer: A and B are both right",
            "The answer is A, B or C.",
            "Option A or option B",
            "answer: A & C",
            "Either (A) and/or (B)",
            "Answer: 1 or 2",
            "(A)(B)",
            "(A) (B)",
            "(A)\n(B)",
            "(A) or maybe (B)",
            "Answer: A or perhaps B",
            "A. B. C.",
            "A) B)",
            "A\nB\n",
            "1. 2.",
        ] {
            assert_eq!(label(text, false), None, "{text}");
            assert_eq!(label(text, true), None, "{text}");
        }
        for text in [
            "A, A",
            "A, because B is wrong",
            "A, I think",
            "A, 3 of them",
            "Answer: A or a dog",
            "Answer: A, and B is wrong",
            "Answer: A, or I'd be surprised",
            "A. And so on",
            "A: 3.5",
            "A. B",
            "A. J. Smith",
            "A. U.S.",
            "A. 5.",
            "(A)\n(B) is wrong",
            "A. A.",
        ] {
            assert_eq!(label(text, false).as_deref(), Some("A"), "{text}");
        }
        assert_eq!(label("A. Because (B) is wrong", false).as_deref(), Some("A"));
        // Anywhere the last place counts, and that may name several.
        let text = "It is (A) or (B). No: the answer is (C)";
        assert_eq!(label(text, true).as_deref(), Some("C"));
        assert_eq!(label("It is (C). Or it is (A) or (B)", true), None);
        check("Choice", "A or B", &["A"], 0.0);
        check("Choice", "A or B", &["A", "B"], 0.0);
    }

    #[test]
    fn what_is_said_of_the_answer_goes_before_brackets() {
        for text in [
            "The answer is B. Options (A) and (C) are wrong.",
            "The answer is B. Option A is not.",
            "The answer is (B), not (A)",
            "It is (B), not (A)",
            "The answer is not (A) or (C). It is (B)",
            "(A) is wrong. (B)",
            "Option A is incorrect. The answer is B",
            "Option A can't be right, but option B",
        ] {
            assert_eq!(label(text, true).as_deref(), Some("B"), "{text}");
        }
        check("Choice", "Option A is incorrect. The answer is B", &["A"], 0.0);
        check("Choice", "The answer A isn’t right", &["A"], 0.0);
        check("Choice", "Answer: A is right", &["A"], 1.0);
    }

    #[test]
    fn labels_are_compared() {
        check("Choice", "A", &["A"], 1.0);
        check("EM", "A", &[""], 1.0);
        check("Choice", "(b)", &["B"], 1.0);
        check("Choice", "B. Paris", &["A"], 0.0);
        check("Choice", "Paris", &["A"], 0.0);
        check("Choice", "c", &["A", "C"], 1.0);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(
            text in "\\PC*|(answer|option|the answer is|[A-Ca-c0-9(): .*\\[\\]]|\\PC){0,9}",
            anywhere in any::<bool>(),
        ) {
            let label = label(&text, anywhere);
            prop_assert!(label.is_none_or(|label| matches!(label.len(), 1 | 2)));
        }
    }
}
