//! Whether the answer stands in a passage, and where.

use crate::{
    Example,
    metrics::{normalize, words::Words},
};

/// The answers of one example, made once to be looked for in many passages.
#[derive(Clone, Debug)]
pub struct Answers {
    words: Vec<Words>,
    normalised: Vec<String>,
}

/// Whether a passage contains one of the answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HasAnswer {
    /// Its words stand in the text, one after the other: what `AnswerRecall` asks.
    pub exact: bool,
    /// It is a part of the text after SQuAD's normalisation of both: what
    /// `AnswerRecall(match=kilt)` asks.
    pub normalised: bool,
}

impl Answers {
    /// The references of an example; `None` where it has none.
    pub fn new(example: &Example) -> Option<Self> {
        example.answerable().then(|| Self {
            words: example.reference_texts().map(Words::new).collect(),
            normalised: example.reference_texts().map(normalize::squad).collect(),
        })
    }

    /// Whether one of them stands in a text, whose words are given too.
    pub fn stand_in(&self, words: &Words, text: &str) -> HasAnswer {
        let text = normalize::squad(text);
        HasAnswer {
            exact: self.words.iter().any(|answer| words.contain(answer)),
            normalised: self.normalised.iter().any(|answer| text.contains(answer.as_str())),
        }
    }

    /// Index of the word at which the first of them begins.
    pub fn position(&self, words: &Words) -> Option<usize> {
        self.words.iter().filter_map(|answer| words.position(answer)).min()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Case, Metric, Passage};

    fn example(references: &[&str]) -> Example {
        let references = references.iter().map(|&text| text.into()).collect();
        Example { references, ..Example::default() }
    }

    fn look(references: &[&str], text: &str) -> (bool, bool, Option<usize>) {
        let answers = Answers::new(&example(references)).unwrap();
        let words = Words::new(text);
        let found = answers.stand_in(&words, text);
        (found.exact, found.normalised, answers.position(&words))
    }

    #[test]
    fn an_answer_stands_at_its_first_word() {
        assert_eq!(look(&["15 days"], "You get 15 days."), (true, true, Some(2)));
        assert_eq!(look(&["days", "You"], "You get 15 days."), (true, true, Some(0)));
        assert_eq!(look(&["art"], "the party"), (false, true, None));
        assert_eq!(look(&["the 1,000"], "1000 ships"), (false, true, None));
        assert_eq!(look(&["15 days"], "15 working days"), (false, false, None));
        assert!(Answers::new(&Example::default()).is_none());
    }

    proptest! {
        #[test]
        fn a_passage_has_the_answer_where_the_metrics_say_so(
            text in "\\PC{0,12}|[a-c .]{0,16}", answer in "\\PC{0,3}|[a-c .]{0,3}",
        ) {
            let passage = Passage { text: text.clone(), ..Passage::default() };
            let example = example(&[&answer]);
            let passages = [&passage];
            let case = Case::new(&example).with_passages(&passages);
            let score = |name: &str| name.parse::<Metric>().unwrap().score(&case) == Ok(1.0);
            let (exact, normalised, position) = look(&[&answer], &text);
            prop_assert_eq!(exact, score("AnswerRecall@1"));
            prop_assert_eq!(normalised, score("AnswerRecall(match=kilt)@1"));
            prop_assert_eq!(position.is_some(), exact);
        }
    }
}
