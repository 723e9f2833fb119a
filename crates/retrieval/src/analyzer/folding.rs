//! Folding: letters that differ by a mark or a width become the same.

use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;

/// Removes the diacritical marks of Latin, Greek and Cyrillic letters, replaces wide and narrow
/// forms, and spells letters that have no such mark with letters of ASCII: `ß` as `ss`, `ø` as
/// `o`. The signs of other scripts, which are no ornament, stay.
#[derive(Clone)]
pub(super) struct Folding;

#[derive(Clone)]
pub(super) struct Folder<T>(T);

pub(super) struct FoldedStream<T> {
    tokens: T,
    folded: String,
}

impl TokenFilter for Folding {
    type Tokenizer<T: Tokenizer> = Folder<T>;

    fn transform<T: Tokenizer>(self, tokenizer: T) -> Folder<T> {
        Folder(tokenizer)
    }
}

impl<T: Tokenizer> Tokenizer for Folder<T> {
    type TokenStream<'a> = FoldedStream<T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        FoldedStream { tokens: self.0.token_stream(text), folded: String::new() }
    }
}

impl<T: TokenStream> TokenStream for FoldedStream<T> {
    fn advance(&mut self) -> bool {
        while self.tokens.advance() {
            let text = &mut self.tokens.token_mut().text;
            if text.is_ascii() {
                return true;
            }
            self.folded.clear();
            let letters = text.nfkd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter));
            for letter in letters.nfc() {
                match spelling(letter) {
                    Some(spelled) => self.folded.push_str(spelled),
                    None => self.folded.push(letter),
                }
            }
            std::mem::swap(text, &mut self.folded);
            // A word of marks alone leaves nothing.
            if !text.is_empty() {
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.tokens.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tokens.token_mut()
    }
}

/// Small Latin letters without a decomposition.
fn spelling(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'þ' => "th",
        'ħ' => "h",
        'ı' => "i",
        'ŋ' => "n",
        'ŧ' => "t",
        '\u{2019}' => "'",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use tantivy::tokenizer::{TextAnalyzer, WhitespaceTokenizer};

    use super::*;

    #[test]
    fn marks_and_widths_are_folded_and_signs_of_other_scripts_stay() {
        let mut analyzer =
            TextAnalyzer::builder(WhitespaceTokenizer::default()).filter(Folding).build();
        let text = "é e\u{301} ß łódź æ ſ ﬁ ｒｕｓｔ θάλασσα ё हिन्दी が ﾊﾟ \u{301} it’s";
        let mut found = Vec::new();
        analyzer.token_stream(text).process(&mut |token| found.push(token.text.clone()));
        let expected = [
            "e",
            "e",
            "ss",
            "lodz",
            "ae",
            "s",
            "fi",
            "rust",
            "θαλασσα",
            "е",
            "हिन्दी",
            "が",
            "パ",
            "it's",
        ];
        assert_eq!(found, expected);
    }
}
