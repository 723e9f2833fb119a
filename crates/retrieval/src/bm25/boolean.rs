//! Boolean expressions as they are written: `("heat transfer" OR convection) AND NOT laminar`.
//!
//! Words side by side must all be there, as if `AND` stood between them; `OR` binds less than that.
//! The operators are written in capitals. What the analyzer makes nothing of, such as a stop word,
//! asks for nothing; a word that it makes several terms of is a phrase of them.

use tantivy::tokenizer::TextAnalyzer;

use super::matching::Node;
use crate::analyzer;

/// Why an expression means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Malformed {
    #[error("a quotation mark is not closed")]
    Quotes,
    #[error("`(` is not closed")]
    Open,
    #[error("`)` has no `(` before it")]
    Close,
    #[error("`{0}` has nothing beside it")]
    Operator(&'static str),
    #[error("`NOT` has nothing beside it that it could be taken away from")]
    OnlyNot,
    #[error("parentheses are nested more than {MOST} deep")]
    Deep,
}

/// Parentheses within parentheses.
const MOST: usize = 100;

/// Reads an expression; `None` where it asks for nothing.
pub(super) fn parse(query: &str, tokenizer: &mut TextAnalyzer) -> Result<Option<Node>, Malformed> {
    let tokens = tokens(query)?;
    let mut parser = Parser { tokens: &tokens, tokenizer, depth: 0 };
    let found = parser.any()?;
    match parser.tokens {
        [] => Ok(found),
        _ => Err(Malformed::Close),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Open,
    Close,
    And,
    Or,
    Not,
    /// A word, or what stands between quotation marks.
    Text(&'a str),
}

fn tokens(query: &str) -> Result<Vec<Token<'_>>, Malformed> {
    let mut tokens = Vec::new();
    let mut rest = query.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' | ')' => {
                tokens.push(if first == '(' { Token::Open } else { Token::Close });
                1
            }
            '"' => {
                let end = rest[1..].find('"').ok_or(Malformed::Quotes)?;
                tokens.push(Token::Text(&rest[1..=end]));
                end + 2
            }
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"');
                let end = rest.find(ends).unwrap_or(rest.len());
                tokens.push(match &rest[..end] {
                    "AND" => Token::And,
                    "OR" => Token::Or,
                    "NOT" => Token::Not,
                    word => Token::Text(word),
                });
                end
            }
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    tokenizer: &'a mut TextAnalyzer,
    depth: usize,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Option<Node>, Malformed> {
        let mut nodes = Vec::new();
        nodes.extend(self.all()?);
        while self.take(Token::Or) {
            if !self.begins() {
                return Err(Malformed::Operator("OR"));
            }
            nodes.extend(self.all()?);
        }
        Ok(if nodes.len() > 1 { Some(Node::Any(nodes)) } else { nodes.pop() })
    }

    fn all(&mut self) -> Result<Option<Node>, Malformed> {
        let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
        match self.tokens.first() {
            Some(Token::And) => return Err(Malformed::Operator("AND")),
            Some(Token::Or) => return Err(Malformed::Operator("OR")),
            _ => {}
        }
        loop {
            let mut not = false;
            let mut operator = None;
            while self.take(Token::Not) {
                not = !not;
                operator = Some("NOT");
            }
            if !self.begins() {
                match operator {
                    Some(operator) => return Err(Malformed::Operator(operator)),
                    None => break,
                }
            }
            let node = self.one()?;
            if not {
                excluded.extend(node);
            } else {
                wanted.extend(node);
            }
            if self.take(Token::And) && !self.begins() {
                return Err(Malformed::Operator("AND"));
            }
        }
        match (wanted.len(), excluded.len()) {
            (0, 0) => Ok(None),
            (0, _) => Err(Malformed::OnlyNot),
            (1, 0) => Ok(wanted.pop()),
            _ => Ok(Some(Node::All(wanted, excluded))),
        }
    }

    fn one(&mut self) -> Result<Option<Node>, Malformed> {
        let Some((&first, rest)) = self.tokens.split_first() else { return Ok(None) };
        self.tokens = rest;
        let Token::Text(text) = first else {
            self.depth += 1;
            if self.depth > MOST {
                return Err(Malformed::Deep);
            }
            let node = self.any()?;
            self.depth -= 1;
            return if self.take(Token::Close) { Ok(node) } else { Err(Malformed::Open) };
        };
        Ok(Node::phrase(analyzer::terms_in_place(self.tokenizer, text)))
    }

    /// Whether something stands here that can be looked for.
    fn begins(&self) -> bool {
        matches!(self.tokens.first(), Some(Token::Open | Token::Not | Token::Text(_)))
    }

    fn take(&mut self, token: Token<'_>) -> bool {
        let there = self.tokens.first() == Some(&token);
        if there {
            self.tokens = &self.tokens[1..];
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Analyzer;

    fn words(text: &str) -> Node {
        let words = text.split(' ').map(str::to_owned);
        Node::Words((0..).zip(words).collect())
    }

    fn read(query: &str) -> Result<Option<Node>, Malformed> {
        parse(query, &mut Analyzer::ENGLISH.tokenizer())
    }

    #[test]
    fn or_binds_less_than_words_side_by_side() {
        let all = |nodes: Vec<Node>| Node::All(nodes, Vec::new());
        assert_eq!(read("Cats"), Ok(Some(words("cat"))));
        assert_eq!(read("cat dog"), Ok(Some(all(vec![words("cat"), words("dog")]))));
        assert_eq!(read("cat AND dog"), read("cat dog"));
        let either = Node::Any(vec![words("cat"), all(vec![words("dog"), words("bird")])]);
        assert_eq!(read("cat OR dog bird"), Ok(Some(either)));
        let grouped = all(vec![Node::Any(vec![words("cat"), words("dog")]), words("bird")]);
        assert_eq!(read("(cat OR dog)bird"), Ok(Some(grouped)));
        let taken = Node::All(vec![words("cat")], vec![words("heat transfer")]);
        assert_eq!(read("cat AND NOT \"heat transfer\""), Ok(Some(taken.clone())));
        assert_eq!(read("NOT \"heat transfer\" cat"), Ok(Some(taken)));
        assert_eq!(read("NOT NOT cat"), read("cat"));
    }

    #[test]
    fn what_has_no_terms_asks_for_nothing() {
        for query in ["", " ", "the", "\"\"", "()", "the OR of", "?!"] {
            assert_eq!(read(query), Ok(None), "{query}");
        }
        assert_eq!(read("the cat"), read("cat"));
        assert_eq!(read("the OR cat"), read("cat"));
        assert_eq!(read("x-ray"), Ok(Some(words("x ray"))));
        let gap = Node::Words(vec![(0, "point".to_owned()), (3, "return".to_owned())]);
        assert_eq!(read("\"point of no return\""), Ok(Some(gap)));
    }

    #[test]
    fn malformed_expressions_say_what_is_wrong() {
        for (query, expected) in [
            ("\"cat", Malformed::Quotes),
            ("(cat", Malformed::Open),
            ("cat)", Malformed::Close),
            ("AND cat", Malformed::Operator("AND")),
            ("cat AND", Malformed::Operator("AND")),
            ("cat AND OR dog", Malformed::Operator("AND")),
            ("OR", Malformed::Operator("OR")),
            ("cat OR", Malformed::Operator("OR")),
            ("cat NOT", Malformed::Operator("NOT")),
            ("NOT cat", Malformed::OnlyNot),
            ("the NOT cat", Malformed::OnlyNot),
            ("cat OR NOT dog", Malformed::OnlyNot),
        ] {
            assert_eq!(read(query), Err(expected), "{query}");
        }
        let nested = |depth| "(".repeat(depth) + "cat" + &")".repeat(depth);
        assert_eq!(read(&nested(MOST)), read("cat"));
        assert_eq!(read(&nested(100_000)), Err(Malformed::Deep));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(query in "([a-c\"() ]|AND |OR |NOT |é|\\PC){0,30}") {
            let _ = read(&query);
        }
    }
}
