//! Conditions on scores: `EM == 0 and not F1 > 0.5`.
//!
//! A condition is made of comparisons of a metric with a number, of `and`, `or`, `not` and
//! parentheses; `not` binds closest, `or` least. Where a metric has no score its comparison is
//! neither true nor false, and so is what depends on it: `and` with something false is false all the
//! same, `or` with something true is true.

use std::{fmt, ops::Range};

/// A condition; `M` is how a metric is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition<M> {
    /// A metric compared with a number.
    Compare(M, Comparison, f64),
    /// Something that does not hold.
    Not(Box<Self>),
    /// Two that hold both.
    And(Box<Self>, Box<Self>),
    /// Two of which one holds, or both.
    Or(Box<Self>, Box<Self>),
}

/// How a score is compared with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// The longer ones first, so that none is taken for its beginning.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// Parentheses and `not` within each other.
const DEEPEST: usize = 32;

/// A metric as it is written, and where.
pub(crate) type Name = (String, Range<usize>);

/// What is wrong with a condition as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// The bytes that it concerns.
    pub(crate) at: Range<usize>,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: &'static str,
}

const HINT: &str =
    "compare a metric with a number, as in `EM == 0` or `F1 < 0.5 and not MRR@10 > 0`";

impl Comparison {
    fn holds(self, score: f64, number: f64) -> bool {
        match self {
            // What is compared is what is stored, bit by bit but for the sign of 0.
            #[expect(clippy::float_cmp, reason = "scores such as 0 and 1 are exact")]
            Self::Equal => score == number,
            #[expect(clippy::float_cmp, reason = "scores such as 0 and 1 are exact")]
            Self::Unequal => score != number,
            Self::Less => score < number,
            Self::AtMost => score <= number,
            Self::Greater => score > number,
            Self::AtLeast => score >= number,
        }
    }

    fn sign(self) -> &'static str {
        let known = COMPARISONS.iter().find(|(_, comparison)| *comparison == self);
        known.map_or("", |(sign, _)| sign)
    }
}

impl<M> Condition<M> {
    /// Whether it holds for these scores; `None` where that depends on one that is not there.
    pub(crate) fn holds(&self, score: &impl Fn(&M) -> Option<f64>) -> Option<bool> {
        match self {
            Self::Compare(metric, comparison, number) => {
                score(metric).map(|score| comparison.holds(score, *number))
            }
            Self::Not(inner) => inner.holds(score).map(|holds| !holds),
            Self::And(left, right) => match (left.holds(score), right.holds(score)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Self::Or(left, right) => match (left.holds(score), right.holds(score)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }

    /// The comparisons, from left to right.
    pub(crate) fn comparisons(&self) -> Vec<(&M, f64)> {
        match self {
            Self::Compare(metric, _, number) => vec![(metric, *number)],
            Self::Not(inner) => inner.comparisons(),
            Self::And(left, right) | Self::Or(left, right) => {
                [left.comparisons(), right.comparisons()].concat()
            }
        }
    }

    /// The same condition of metrics that are known otherwise; `None` where one of them is not.
    pub(crate) fn resolve<N>(&self, known: &impl Fn(&M) -> Option<N>) -> Option<Condition<N>> {
        Some(match self {
            Self::Compare(metric, comparison, number) => {
                Condition::Compare(known(metric)?, *comparison, *number)
            }
            Self::Not(inner) => Condition::Not(Box::new(inner.resolve(known)?)),
            Self::And(left, right) => {
                Condition::And(Box::new(left.resolve(known)?), Box::new(right.resolve(known)?))
            }
            Self::Or(left, right) => {
                Condition::Or(Box::new(left.resolve(known)?), Box::new(right.resolve(known)?))
            }
        })
    }
}

/// As it is written, with as few parentheses as can be.
impl<M: fmt::Display> fmt::Display for Condition<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let looser = |inner: &Self| match self {
            Self::Not(_) => matches!(inner, Self::And(..) | Self::Or(..)),
            Self::And(..) => matches!(inner, Self::Or(..)),
            _ => false,
        };
        let part = |inner: &Self| {
            if looser(inner) { format!("({inner})") } else { inner.to_string() }
        };
        match self {
            Self::Compare(metric, comparison, number) => {
                write!(f, "{metric} {} {number}", comparison.sign())
            }
            Self::Not(inner) => write!(f, "not {}", part(inner)),
            Self::And(left, right) => write!(f, "{} and {}", part(left), part(right)),
            Self::Or(left, right) => write!(f, "{} or {}", part(left), part(right)),
        }
    }
}

impl Condition<Name> {
    /// Reads a condition.
    pub(crate) fn parse(text: &str) -> Result<Self, Mistake> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let condition = reader.either()?;
        if reader.rest().is_empty() {
            return Ok(condition);
        }
        Err(reader.mistake("`and`, `or` or the end"))
    }
}

struct Reader<'t> {
    text: &'t str,
    /// Where it stands.
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn either(&mut self) -> Result<Condition<Name>, Mistake> {
        let mut left = self.both()?;
        while self.word("or") {
            left = Condition::Or(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Condition<Name>, Mistake> {
        let mut left = self.one()?;
        while self.word("and") {
            left = Condition::And(Box::new(left), Box::new(self.one()?));
        }
        Ok(left)
    }

    fn one(&mut self) -> Result<Condition<Name>, Mistake> {
        let negated = self.word("not");
        if !negated && !self.rest().starts_with('(') {
            return self.comparison();
        }
        if self.depth == DEEPEST {
            return Err(self.mistake("a condition with fewer parentheses"));
        }
        self.depth += 1;
        let condition = if negated {
            Condition::Not(Box::new(self.one()?))
        } else {
            self.at += 1;
            let inner = self.either()?;
            if !self.rest().starts_with(')') {
                return Err(self.mistake("`)`, `and` or `or`"));
            }
            self.at += 1;
            inner
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition<Name>, Mistake> {
        let length = name_length(self.rest());
        if length == 0 {
            return Err(self.mistake("a metric"));
        }
        let metric = (self.rest()[..length].to_owned(), self.at..self.at + length);
        self.at += length;
        let rest = self.rest();
        let Some((sign, comparison)) = COMPARISONS.iter().find(|(s, _)| rest.starts_with(s)) else {
            return Err(self.mistake("`==`, `!=`, `<`, `<=`, `>` or `>=`"));
        };
        self.at += sign.len();
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || c == ')').unwrap_or(rest.len());
        let number = rest[..end].parse::<f64>().ok().filter(|number| number.is_finite());
        let Some(number) = number else { return Err(self.mistake("a number")) };
        self.at += end;
        Ok(Condition::Compare(metric, *comparison, number))
    }

    /// Takes a word, if it is the next one.
    fn word(&mut self, word: &str) -> bool {
        let after = self.rest().strip_prefix(word);
        let found = after.is_some_and(|after| !after.starts_with(is_of_name));
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// What is left, behind blanks.
    fn rest(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn mistake(&mut self, expected: &str) -> Mistake {
        let rest = self.rest();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let found = match &rest[..end] {
            "" => "its end".to_owned(),
            found => format!("`{found}`"),
        };
        let message = format!("the condition has {found} in place of {expected}");
        Mistake { at: self.at..self.at + end, message, hint: HINT }
    }
}

fn is_of_name(c: char) -> bool {
    !c.is_whitespace() && !"<>=!()".contains(c)
}

/// The bytes of a name such as `nDCG(gains=1:1;2:3)@10`, which has no blank in it: what stands in its
/// own parentheses belongs to it.
fn name_length(text: &str) -> usize {
    let mut open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' if at > 0 => open += 1,
            ')' if open > 0 => open -= 1,
            c if is_of_name(c) || (open > 0 && "=<>!".contains(c)) => {}
            _ => return at,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(condition: &Condition<Name>) -> Condition<String> {
        condition.resolve(&|(name, _): &Name| Some(name.clone())).unwrap()
    }

    fn holds(text: &str, scores: &[(&str, f64)]) -> Option<bool> {
        let score = |(name, _): &Name| {
            scores.iter().find(|(known, _)| known == name).map(|(_, score)| *score)
        };
        Condition::parse(text).unwrap().holds(&score)
    }

    #[test]
    fn what_is_written_is_shown() {
        for (text, shown) in [
            ("EM==0", "EM == 0"),
            ("  F1 <0.50 and EM != 1 ", "F1 < 0.5 and EM != 1"),
            ("a > 1 or b >= 2 and c <= -3", "a > 1 or b >= 2 and c <= -3"),
            ("(a > 1 or b > 2) and (c > 3)", "(a > 1 or b > 2) and c > 3"),
            ("not (a > 1 and b > 2)", "not (a > 1 and b > 2)"),
            ("not not a > 1 or not(b > 2)", "not not a > 1 or not b > 2"),
            (
                "P(rel=2)@5 > 0 and acme.not-so_bad == 1e-3",
                "P(rel=2)@5 > 0 and acme.not-so_bad == 0.001",
            ),
            ("nothing == 1 and orange == 2", "nothing == 1 and orange == 2"),
        ] {
            let condition = named(&Condition::parse(text).unwrap());
            assert_eq!(condition.to_string(), shown, "{text}");
            assert_eq!(named(&Condition::parse(shown).unwrap()), condition, "{shown}");
        }
    }

    #[test]
    fn a_condition_holds_for_scores() {
        let scores = [("a", 0.0), ("b", 1.0)];
        for (text, expected) in [
            ("a == 0", Some(true)),
            ("a == -0", Some(true)),
            ("a != 0", Some(false)),
            ("b < 1", Some(false)),
            ("b <= 1", Some(true)),
            ("b >= 1 and not a > 0", Some(true)),
            ("a > 0 or b > 2", Some(false)),
            // `and` binds closer.
            ("b == 1 or a == 1 and b == 0", Some(true)),
            ("(b == 1 or a == 1) and b == 0", Some(false)),
            // Without a score.
            ("c == 0", None),
            ("not c == 0", None),
            ("c == 0 and a == 1", Some(false)),
            ("c == 0 and a == 0", None),
            ("c == 0 or a == 0", Some(true)),
            ("c == 0 or a == 1", None),
        ] {
            assert_eq!(holds(text, &scores), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused_with_its_place() {
        for (text, at, message) in [
            ("", 0..0, "its end in place of a metric"),
            ("EM", 2..2, "its end in place of `==`"),
            ("EM = 0", 3..4, "`=` in place of `==`"),
            ("EM == x", 6..7, "`x` in place of a number"),
            ("EM == nan", 6..9, "`nan` in place of a number"),
            ("EM == 0 F1 == 1", 8..10, "`F1` in place of `and`, `or` or the end"),
            ("(EM == 0", 8..8, "its end in place of `)`"),
            ("EM == 0)", 7..8, "`)` in place of `and`, `or` or the end"),
            ("EM == 0 and", 11..11, "its end in place of a metric"),
            ("0 == EM", 5..7, "`EM` in place of a number"),
        ] {
            let mistake = Condition::parse(text).unwrap_err();
            assert_eq!(mistake.at, at, "{text}: {mistake:?}");
            assert!(mistake.message.contains(message), "{text}: {mistake:?}");
        }
        let deep = format!("{}a == 0", "not ".repeat(100));
        assert!(Condition::parse(&deep).unwrap_err().message.contains("fewer parentheses"));
    }
}
