//! Templates with named places, as prompts have them: `{question}` stands for the question, `{{` and
//! `}}` for braces.

use std::{fmt::Write as _, ops::Range};

use qeval_sdk::{
    Request,
    core::{Exchange, Passage},
};

use crate::problem::nearest;

/// A template whose places are of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template<P> {
    parts: Vec<Part<P>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part<P> {
    Text(String),
    Place(P),
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// The bytes of the template.
    pub(crate) at: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// The places that a kind of template may have.
pub(crate) trait Places: Copy + PartialEq + 'static {
    /// Their names.
    const ALL: &'static [(&'static str, Self)];
}

/// The places of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfMessage {
    Question,
    Passages,
    Context,
    History,
}

impl Places for OfMessage {
    const ALL: &'static [(&'static str, Self)] = &[
        ("question", Self::Question),
        ("passages", Self::Passages),
        ("context", Self::Context),
        ("history", Self::History),
    ];
}

/// The places of one passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfPassage {
    Number,
    Id,
    Title,
    Text,
}

impl Places for OfPassage {
    const ALL: &'static [(&'static str, Self)] =
        &[("number", Self::Number), ("id", Self::Id), ("title", Self::Title), ("text", Self::Text)];
}

/// The places of an earlier question of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfExchange {
    Question,
    Answer,
}

impl Places for OfExchange {
    const ALL: &'static [(&'static str, Self)] =
        &[("question", Self::Question), ("answer", Self::Answer)];
}

impl<P: Places> Template<P> {
    /// Reads a template.
    pub(crate) fn parse(text: &str) -> Result<Self, Mistake> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(found) = rest.find(['{', '}']) {
            literal.push_str(&rest[..found]);
            let start = text.len() - rest.len() + found;
            rest = &rest[found..];
            if rest.starts_with("{{") || rest.starts_with("}}") {
                literal.push_str(&rest[..1]);
                rest = &rest[2..];
                continue;
            }
            let mistake = |length: usize, message: String, hint: String| Mistake {
                at: start..start + length,
                message,
                hint,
            };
            let braces = || "braces of the text itself are written `{{` and `}}`".to_owned();
            if rest.starts_with('}') {
                return Err(mistake(1, "a `}` closes nothing".to_owned(), braces()));
            }
            let end = rest[1..].find(['{', '}']).map(|end| end + 1);
            let Some(end) = end.filter(|&end| rest[end..].starts_with('}')) else {
                return Err(mistake(1, "a `{` is not closed".to_owned(), braces()));
            };
            let name = &rest[1..end];
            let Some((_, place)) = P::ALL.iter().find(|(known, _)| *known == name) else {
                let all: Vec<String> =
                    P::ALL.iter().map(|(name, _)| format!("{{{name}}}")).collect();
                let hint = match nearest(name, P::ALL.iter().map(|(name, _)| *name)) {
                    Some(nearest) => format!("did you mean `{{{nearest}}}`?"),
                    None => format!("there are {}; {}", all.join(", "), braces()),
                };
                return Err(mistake(end + 1, format!("there is no place `{{{name}}}`"), hint));
            };
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            parts.push(Part::Place(*place));
            rest = &rest[end + 1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Self { parts })
    }

    /// Whether it has that place.
    pub(crate) fn has(&self, place: P) -> bool {
        self.parts.contains(&Part::Place(place))
    }

    /// The text with values in the places. A value is put in as it is: braces in it are no places.
    fn fill(&self, mut value: impl FnMut(P, &mut String)) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(literal) => text.push_str(literal),
                Part::Place(place) => value(*place, &mut text),
            }
        }
        text
    }
}

/// What a model is sent for an example.
#[derive(Clone, Debug)]
pub(crate) struct Prompt {
    pub(crate) system: Option<Template<OfMessage>>,
    pub(crate) user: Template<OfMessage>,
    pub(crate) passage: Template<OfPassage>,
    pub(crate) exchange: Template<OfExchange>,
}

impl Prompt {
    /// Whether one of its messages has that place.
    pub(crate) fn has(&self, place: OfMessage) -> bool {
        self.user.has(place) || self.system.as_ref().is_some_and(|system| system.has(place))
    }

    /// A message for an example.
    pub(crate) fn message(&self, template: &Template<OfMessage>, request: &Request<'_>) -> String {
        let example = request.example;
        template.fill(|place, text| match place {
            OfMessage::Question => text.push_str(&example.question),
            OfMessage::Passages => text.push_str(&self.passages(request.passages)),
            OfMessage::Context => text.push_str(example.context.as_deref().unwrap_or_default()),
            OfMessage::History => text.push_str(&self.history(&example.history)),
        })
    }

    /// The passages with a blank line between them.
    fn passages(&self, passages: &[&Passage]) -> String {
        let filled = passages.iter().zip(1..).map(|(passage, number): (_, usize)| {
            self.passage.fill(|place, text| match place {
                OfPassage::Number => write!(text, "{number}").expect("a text takes all"),
                OfPassage::Id => text.push_str(&passage.id),
                OfPassage::Title => text.push_str(&passage.title),
                OfPassage::Text => text.push_str(&passage.text),
            })
        });
        filled.collect::<Vec<_>>().join("\n\n")
    }

    /// The earlier questions, each on lines of its own.
    fn history(&self, history: &[Exchange]) -> String {
        let filled = history.iter().map(|exchange| {
            self.exchange.fill(|place, text| {
                text.push_str(match place {
                    OfExchange::Question => &exchange.question,
                    OfExchange::Answer => &exchange.answer,
                });
            })
        });
        filled.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use qeval_sdk::core::Example;

    use super::*;

    #[test]
    fn values_stand_in_the_places() {
        let prompt = Prompt {
            system: None,
            user: Template::parse("{history}\n{passages}\n{context}|{question} {{as {question}}}")
                .unwrap(),
            passage: Template::parse("[{number}] {id} {title}: {text}").unwrap(),
            exchange: Template::parse("{question} {answer}").unwrap(),
        };
        let passage = |id: &str, text: &str| Passage {
            id: id.to_owned(),
            title: "T".to_owned(),
            text: text.to_owned(),
            ..Passage::default()
        };
        // A text that looks like a place is a text.
        let passages = [passage("a", "{question}"), passage("b", "}{")];
        let exchange = Exchange { question: "w?".to_owned(), answer: "v".to_owned() };
        let example = Example {
            question: "Where?".to_owned(),
            history: vec![exchange.clone(), exchange],
            ..Example::default()
        };
        let request = Request { example: &example, passages: &[&passages[0], &passages[1]] };
        assert_eq!(
            prompt.message(&prompt.user, &request),
            "w? v\nw? v\n[1] a T: {question}\n\n[2] b T: }{\n|Where? {as Where?}"
        );
        assert!(prompt.has(OfMessage::Context));
    }

    #[test]
    fn what_is_no_template_is_said_with_its_place() {
        for (text, at, message) in [
            ("é {quesion}", 3..12, "there is no place `{quesion}`"),
            ("a } b", 2..3, "a `}` closes nothing"),
            ("{{question}", 10..11, "a `}` closes nothing"),
            ("{question", 0..1, "a `{` is not closed"),
            ("x{a{question}", 1..2, "a `{` is not closed"),
            ("{}", 0..2, "there is no place `{}`"),
        ] {
            let mistake = Template::<OfMessage>::parse(text).unwrap_err();
            assert_eq!((mistake.at, mistake.message.as_str()), (at, message), "{text}");
        }
        let hint = Template::<OfPassage>::parse("{zzzzzz}").unwrap_err().hint;
        assert!(hint.starts_with("there are {number}, {id}, {title}, {text}; "), "{hint}");
    }
}
