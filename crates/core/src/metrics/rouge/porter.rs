//! Porter's stemmer with the extensions of NLTK, which is what `rouge_score` stems with.
//!
//! It is neither Porter's algorithm as published nor his later Snowball stemmer: some words have a
//! stem of their own, short words in *-ies* and *-ied* keep their *e*, *y* becomes *i* only after
//! a consonant, and there are a few more endings.

/// Stems a word of ASCII letters in lower case and digits. Any other word is returned as it is.
///
/// ```
/// use qeval_core::metrics::rouge::porter::stem;
///
/// assert_eq!(stem("relational"), "relat");
/// assert_eq!(stem("skies"), "sky");
/// ```
pub fn stem(word: &str) -> String {
    let mut stem = word.as_bytes().to_vec();
    if stem.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        reduce(&mut stem);
    }
    String::from_utf8(stem).expect("an ASCII word is cut and extended by ASCII only")
}

/// Stems a word in place: letters in lower case and digits.
pub(super) fn reduce(word: &mut Vec<u8>) {
    if let Some(stem) = irregular(word) {
        word.clear();
        word.extend_from_slice(stem);
    } else if word.len() > 2 {
        plural(word);
        past_and_participle(word);
        final_y(word);
        double_suffix(word);
        apply(derived(last(word)), word);
        bare_suffix(word);
        final_e(word);
        if word.ends_with(b"ll") && measure(&word[..word.len() - 1]) > 1 {
            word.pop();
        }
    }
}

/// Words that no rule gets right.
fn irregular(word: &[u8]) -> Option<&'static [u8]> {
    let stem: &[u8] = match word {
        b"sky" | b"skies" => b"sky",
        b"dying" => b"die",
        b"lying" => b"lie",
        b"tying" => b"tie",
        b"news" => b"news",
        b"inning" | b"innings" => b"inning",
        b"outing" | b"outings" => b"outing",
        b"canning" | b"cannings" => b"canning",
        b"howe" => b"howe",
        b"proceed" => b"proceed",
        b"exceed" => b"exceed",
        b"succeed" => b"succeed",
        _ => return None,
    };
    Some(stem)
}

/// Step 1a: *caresses*, *ponies*, *ties*, *cats*.
fn plural(word: &mut Vec<u8>) {
    let cut = match word.as_slice() {
        [_, b'i', b'e', b's'] => 1,
        [.., b's', b's', b'e', b's'] | [.., b'i', b'e', b's'] => 2,
        [.., b's', b's'] => 0,
        [.., b's'] => 1,
        _ => 0,
    };
    word.truncate(word.len() - cut);
}

/// Step 1b: *agreed*, *plastered*, *motoring*, and what they leave behind.
fn past_and_participle(word: &mut Vec<u8>) {
    let length = word.len();
    match word.as_slice() {
        [_, b'i', b'e', b'd'] => word.truncate(length - 1),
        [.., b'i', b'e', b'd'] => word.truncate(length - 2),
        [stem @ .., b'e', b'e', b'd'] => {
            // *feed* stays: the rule for *-ed* is not tried.
            let long = measure(stem) > 0;
            word.truncate(length - usize::from(long));
        }
        [stem @ .., b'e', b'd'] | [stem @ .., b'i', b'n', b'g'] if has_vowel(stem) => {
            word.truncate(stem.len());
            mend(word);
        }
        _ => {}
    }
}

/// What is done with a stem that lost *-ed* or *-ing*: *conflat*, *troubl*, *siz*, *hopp*, *fil*.
fn mend(word: &mut Vec<u8>) {
    match word.as_slice() {
        [.., b'a', b't'] | [.., b'b', b'l'] | [.., b'i', b'z'] => word.push(b'e'),
        [.., before, last] if before == last && ends_in_consonant(word) => {
            if !matches!(last, b'l' | b's' | b'z') {
                word.pop();
            }
        }
        _ => {
            if measure(word) == 1 && ends_short(word) {
                word.push(b'e');
            }
        }
    }
}

/// Step 1c: *happy* and *fly*, but not *enjoy* or *by*.
fn final_y(word: &mut [u8]) {
    if let [stem @ .., y @ b'y'] = word
        && stem.len() > 1
        && ends_in_consonant(stem)
    {
        *y = b'i';
    }
}

/// An ending, what replaces it, and how many vowel-consonant pairs must come before it.
type Rule = (&'static [u8], &'static [u8], usize);

/// Step 2: *relational*, *hopefulness*. After *-alli* lost its *-li* the step is done again.
fn double_suffix(word: &mut Vec<u8>) {
    if let [stem @ .., b'a', b'l', b'l', b'i'] = word.as_slice()
        && measure(stem) > 0
    {
        word.truncate(word.len() - 2);
    }
    // The *l* counts as part of the stem, so that *geology* is treated as *archaeology* is.
    if let [stem @ .., b'o', b'g', b'i'] = word.as_slice()
        && stem.ends_with(b"l")
    {
        if measure(stem) > 0 {
            word.pop();
        }
        return;
    }
    apply(doubled(last(word)), word);
}

/// The rules of step 2 for words that end with this letter.
fn doubled(last: u8) -> &'static [Rule] {
    match last {
        b'l' => &[(b"ational", b"ate", 1), (b"tional", b"tion", 1)],
        b'i' => &[
            (b"enci", b"ence", 1),
            (b"anci", b"ance", 1),
            (b"bli", b"ble", 1),
            (b"entli", b"ent", 1),
            (b"eli", b"e", 1),
            (b"ousli", b"ous", 1),
            (b"aliti", b"al", 1),
            (b"iviti", b"ive", 1),
            (b"biliti", b"ble", 1),
            (b"fulli", b"ful", 1),
        ],
        b'r' => &[(b"izer", b"ize", 1), (b"ator", b"ate", 1)],
        b'n' => &[(b"ization", b"ize", 1), (b"ation", b"ate", 1)],
        b'm' => &[(b"alism", b"al", 1)],
        b's' => &[(b"iveness", b"ive", 1), (b"fulness", b"ful", 1), (b"ousness", b"ous", 1)],
        _ => &[],
    }
}

/// The rules of step 3, *triplicate* and *goodness*, for words that end with this letter.
fn derived(last: u8) -> &'static [Rule] {
    match last {
        b'e' => &[(b"icate", b"ic", 1), (b"ative", b"", 1), (b"alize", b"al", 1)],
        b'i' => &[(b"iciti", b"ic", 1)],
        b'l' => &[(b"ical", b"ic", 1), (b"ful", b"", 1)],
        b's' => &[(b"ness", b"", 1)],
        _ => &[],
    }
}

/// Step 4: *revival*, *adoption*, *effective*.
fn bare_suffix(word: &mut Vec<u8>) {
    if let [stem @ .., b'i', b'o', b'n'] = word.as_slice() {
        if matches!(stem.last(), Some(b's' | b't')) && measure(stem) > 1 {
            word.truncate(stem.len());
        }
        return;
    }
    let rules: &[Rule] = match last(word) {
        b'l' => &[(b"al", b"", 2)],
        b'e' => &[
            (b"ance", b"", 2),
            (b"ence", b"", 2),
            (b"able", b"", 2),
            (b"ible", b"", 2),
            (b"ate", b"", 2),
            (b"ive", b"", 2),
            (b"ize", b"", 2),
        ],
        b'r' => &[(b"er", b"", 2)],
        b'c' => &[(b"ic", b"", 2)],
        b't' => &[(b"ant", b"", 2), (b"ement", b"", 2), (b"ment", b"", 2), (b"ent", b"", 2)],
        b'u' => &[(b"ou", b"", 2)],
        b'm' => &[(b"ism", b"", 2)],
        b'i' => &[(b"iti", b"", 2)],
        b's' => &[(b"ous", b"", 2)],
        _ => &[],
    };
    apply(rules, word);
}

/// Step 5a: *probate* and *cease*, but not *rate*.
fn final_e(word: &mut Vec<u8>) {
    if let [stem @ .., b'e'] = word.as_slice() {
        let pairs = measure(stem);
        if pairs > 1 || pairs == 1 && !ends_short(stem) {
            word.pop();
        }
    }
}

/// Applies the first rule whose ending the word has; no other is tried, even if that one asks for
/// a longer stem.
fn apply(rules: &[Rule], word: &mut Vec<u8>) {
    let found = rules.iter().find(|(ending, ..)| word.ends_with(ending));
    if let Some(&(ending, replacement, pairs)) = found {
        let stem = word.len() - ending.len();
        if measure(&word[..stem]) >= pairs {
            word.truncate(stem);
            word.extend_from_slice(replacement);
        }
    }
}

fn last(word: &[u8]) -> u8 {
    word.last().copied().unwrap_or_default()
}

/// For each letter whether it is a consonant: *y* is one at the start and after a vowel.
fn consonants(word: &[u8]) -> impl Iterator<Item = bool> {
    word.iter().scan(false, |after_consonant, letter| {
        *after_consonant = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => !*after_consonant,
            _ => true,
        };
        Some(*after_consonant)
    })
}

/// How often a vowel is followed by a consonant: Porter's *m*.
fn measure(word: &[u8]) -> usize {
    let mut after_vowel = false;
    consonants(word).fold(0, |pairs, consonant| {
        let pair = after_vowel && consonant;
        after_vowel = !consonant;
        pairs + usize::from(pair)
    })
}

fn has_vowel(word: &[u8]) -> bool {
    consonants(word).any(|consonant| !consonant)
}

/// Whether the last letter is a consonant. A word without a letter has none.
fn ends_in_consonant(word: &[u8]) -> bool {
    consonants(word).last().unwrap_or(false)
}

/// Whether a word ends as *hop* does, with consonant, vowel and a consonant that is not *w*, *x* or
/// *y*, or is one vowel and one consonant.
fn ends_short(word: &[u8]) -> bool {
    let mut kinds = [None; 3];
    for kind in consonants(word) {
        kinds = [kinds[1], kinds[2], Some(kind)];
    }
    match kinds {
        [Some(true), Some(false), Some(true)] => !matches!(last(word), b'w' | b'x' | b'y'),
        [None, Some(false), Some(true)] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_words_of_the_paper_and_of_nltk() {
        for (word, stemmed) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("ties", "tie"),
            ("pied", "pie"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("bled", "bled"),
            ("motoring", "motor"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("enjoy", "enjoy"),
            ("fly", "fli"),
            ("by", "by"),
            ("radically", "radic"),
            ("sensibility", "sensibl"),
            ("geology", "geolog"),
            ("hopefully", "hope"),
            ("adoption", "adopt"),
            ("replacement", "replac"),
            ("controlling", "control"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("skies", "sky"),
            ("dying", "die"),
            ("succeed", "succeed"),
            ("syzygy", "syzygi"),
            ("ing", "ing"),
            ("2nd", "2nd"),
            ("", ""),
            ("Ponies", "Ponies"),
            ("élevés", "élevés"),
        ] {
            assert_eq!(stem(word), stemmed, "{word}");
        }
    }

    proptest! {
        #[test]
        fn a_stem_is_hardly_longer_than_its_word(
            word in "[a-z]{0,8}(s|ies|ed|eed|ing|y|alli|logi|ation|ion|e|ll|ness|ful){0,3}|\\PC*",
        ) {
            let stem = stem(&word);
            prop_assert!(stem.len() <= word.len() + 1);
            prop_assert_eq!(stem.is_empty(), word.is_empty());
        }
    }
}
