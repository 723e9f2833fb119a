//! Answers that are yes or no.

use super::typed;
use crate::{Case, Cutoff, Definition, Estimator, Kind, Metric, Need, Parameter, Score, Subject};

const LANGUAGE: Parameter = Parameter {
    name: "language",
    kind: Kind::Choice(&[
        "en", "ar", "de", "es", "fr", "hi", "it", "nl", "pt", "ru", "th", "tr", "vi", "zh",
    ]),
    summary: "the language of yes and no",
};

const FIND: Parameter = Parameter {
    name: "find",
    kind: Kind::Choice(&["start", "anywhere"]),
    summary: "whether the text must begin with yes or no, or may hold one of them anywhere",
};

/// Whether the prediction says yes or no as a reference does.
///
/// # Definition
/// 1 if both texts say yes or both say no, else 0. A text says what its first word says: "Yes,
/// because ..." is yes. With `find=anywhere` a text that begins with neither says what its words
/// say, if they are all yes or all no. English also has *yeah*, *yep*, *true*, *correct* and *nope*,
/// *false*, *incorrect*.
///
/// # Range
/// 0 or 1.
///
/// # Edge cases
/// Null without references, and where no reference says yes or no. A prediction that says neither
/// scores 0. "Not at all" is neither.
///
/// # Equals
/// Accuracy on yes/no questions, as in `BoolQ`. Clark et al., "Exploring the Surprising Difficulty of
/// Natural Yes/No Questions" (2019).
pub static YES_NO: Definition = Definition {
    name: "YesNo",
    synonyms: &["YesNoAccuracy"],
    summary: "the prediction says yes or no as a reference does",
    equals: "accuracy of BoolQ, on text",
    subject: Subject::Answer,
    needs: &[Need::References],
    cutoff: Cutoff::Never,
    parameters: &[LANGUAGE, FIND],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Mean,
    score: yes_no,
};

fn yes_no(metric: &Metric, case: &Case<'_>) -> Score {
    let words = words(metric.choice(LANGUAGE.name));
    let anywhere = metric.choice(FIND.name) == "anywhere";
    let read = |text: &str| read(text, words, anywhere);
    let predicted = read(case.prediction_text());
    typed::best(case, read, "no reference says yes or no", |_, &reference| {
        predicted == Some(reference)
    })
}

/// Words for yes and words for no, in lower case.
type Words = (&'static [&'static str], &'static [&'static str]);

fn words(language: &str) -> Words {
    match language {
        "ar" => (&["نعم", "أجل", "صحيح"], &["لا", "كلا", "خطأ"]),
        "de" => (&["ja", "jawohl", "doch", "richtig", "wahr"], &["nein", "falsch"]),
        "es" => (&["sí", "si", "verdadero", "correcto"], &["no", "falso", "incorrecto"]),
        "fr" => (&["oui", "vrai"], &["non", "faux"]),
        "hi" => (&["हाँ", "हां", "सही"], &["नहीं", "नही", "गलत"]),
        "it" => (&["sì", "si", "vero"], &["no", "falso"]),
        "nl" => (&["ja", "waar"], &["nee", "neen", "onwaar"]),
        "pt" => (&["sim", "verdadeiro"], &["não", "nao", "falso"]),
        "ru" => (&["да", "верно"], &["нет", "неверно"]),
        "th" => (&["ใช่", "จริง"], &["ไม่", "ไม่ใช่", "เท็จ"]),
        "tr" => (&["evet", "doğru"], &["hayır", "yanlış"]),
        "vi" => (&["có", "đúng", "vâng"], &["không", "sai"]),
        "zh" => (&["是", "是的", "对", "正确"], &["不", "不是", "否", "错", "错误"]),
        _ => (&["yes", "yeah", "yep", "true", "correct"], &["no", "nope", "false", "incorrect"]),
    }
}

/// What a text says; true is yes.
fn read(text: &str, words: Words, anywhere: bool) -> Option<bool> {
    let lower = text.to_lowercase();
    let mut said = split(&lower).map(|word| says(word, words));
    let first = said.next()?;
    if first.is_some() || !anywhere {
        return first;
    }
    let mut said = said.flatten();
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

fn says(word: &str, (yes, no): Words) -> Option<bool> {
    if yes.contains(&word) {
        Some(true)
    } else if no.contains(&word) {
        Some(false)
    } else {
        None
    }
}

/// Words are what stands between blanks and signs; marks belong to their letters.
fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_gap).filter(|word| !word.is_empty())
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || super::language::is_punctuation(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Example, Prediction, Unscored, metrics::testing::check};

    #[test]
    fn the_first_word_says_it() {
        check("YesNo", "Yes, because the policy says so.", &["yes"], 1.0);
        check("YesNo", "NO.", &["yes"], 0.0);
        check("YesNo", "**No**", &["false"], 1.0);
        check("YesNo", "It does", &["yes"], 0.0);
        check("YesNo", "", &["no"], 0.0);
        check("YesNo", "not at all", &["no"], 0.0);
        check("YesNo", "no", &["yes", "no"], 1.0);
        check("YesNo(find=anywhere)", "The answer is yes.", &["yes"], 1.0);
        check("YesNo(find=anywhere)", "It may be yes or no", &["yes"], 0.0);
        check("YesNo(language=de)", "Nein, nie", &["nein"], 1.0);
        check("YesNo(language=es)", "¡Sí!", &["sí"], 1.0);
        check("YesNo(language=hi)", "नहीं।", &["नहीं"], 1.0);
        check("YesNo(language=zh)", "是的，可以。", &["是"], 1.0);
        check("YesNo(language=tr)", "Hayır", &["hayır"], 1.0);
    }

    #[test]
    fn another_reference_says_nothing() {
        let example = Example { references: vec!["Paris".into()], ..Example::default() };
        let prediction = Prediction::answer("yes");
        let case = Case::new(&example).with_prediction(&prediction);
        let reason = "no reference says yes or no".to_owned();
        let score = "YesNo".parse::<Metric>().unwrap().score(&case);
        assert_eq!(score, Err(Unscored::NotApplicable(reason)));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC*|(yes|no|[ ,.]|\\PC){0,8}", anywhere in any::<bool>()) {
            let start = read(&text, words("en"), false);
            let found = read(&text, words("en"), anywhere);
            prop_assert!(start.is_none() || start == found);
        }
    }
}
