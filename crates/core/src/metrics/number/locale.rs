//! How numbers are written in a language or region.

/// Names of the locales; the first is the default.
pub(super) const NAMES: &[&str] = &["en", "in", "de", "ch", "fr", "es", "it", "pt", "ru"];

/// Separators, and the words that multiply a number by a power of ten.
#[derive(Debug)]
pub(super) struct Locale {
    /// What may stand between groups of three digits.
    pub(super) group: &'static [char],
    /// Whether groups before the last have two digits.
    pub(super) pairs: bool,
    /// What stands before the fraction.
    pub(super) decimal: char,
    /// Words in lower case, without a full stop, and their powers.
    words: &'static [(&'static str, i32)],
}

static EN: Locale = Locale { group: &[','], pairs: false, decimal: '.', words: ENGLISH };
static IN: Locale = Locale { pairs: true, words: INDIAN, ..EN };
static DE: Locale = Locale { group: &['.'], pairs: false, decimal: ',', words: GERMAN };
static CH: Locale = Locale { group: &['\'', '’'], decimal: '.', ..DE };
static FR: Locale = Locale { group: &[' '], words: FRENCH, ..DE };
static ES: Locale = Locale { words: SPANISH, ..DE };
static IT: Locale = Locale { words: ITALIAN, ..DE };
static PT: Locale = Locale { words: PORTUGUESE, ..DE };
static RU: Locale = Locale { group: &[' '], words: RUSSIAN, ..DE };

impl Locale {
    /// The locale of one of the [`NAMES`].
    pub(super) fn named(name: &str) -> &'static Self {
        match name {
            "in" => &IN,
            "de" => &DE,
            "ch" => &CH,
            "fr" => &FR,
            "es" => &ES,
            "it" => &IT,
            "pt" => &PT,
            "ru" => &RU,
            _ => &EN,
        }
    }

    /// The power of ten that a word in lower case stands for.
    pub(super) fn power(&self, word: &str) -> Option<i32> {
        let all = EVERYWHERE.iter().chain(self.words);
        all.into_iter().find(|(known, _)| *known == word).map(|(_, power)| *power)
    }

    /// Whether this stands between groups: a thin or no-break space does everywhere, and so does the
    /// Arabic sign.
    pub(super) fn groups(&self, c: char) -> bool {
        self.group.contains(&c) || matches!(c, '\u{a0}' | '\u{2009}' | '\u{202f}' | '\u{66c}')
    }

    /// Whether a fraction follows.
    pub(super) fn decimal(&self, c: char) -> bool {
        c == self.decimal || c == '\u{66b}'
    }
}

const EVERYWHERE: &[(&str, i32)] = &[("k", 3), ("mn", 6), ("bn", 9), ("tn", 12)];

const ENGLISH: &[(&str, i32)] = &[
    ("hundred", 2),
    ("thousand", 3),
    ("million", 6),
    ("millions", 6),
    ("mio", 6),
    ("billion", 9),
    ("billions", 9),
    ("trillion", 12),
    ("trillions", 12),
];

const INDIAN: &[(&str, i32)] = &[
    ("hundred", 2),
    ("thousand", 3),
    ("lakh", 5),
    ("lakhs", 5),
    ("million", 6),
    ("crore", 7),
    ("crores", 7),
    ("billion", 9),
    ("trillion", 12),
    ("हजार", 3),
    ("ह\u{95b}ार", 3),
    ("हज\u{93c}ार", 3),
    ("लाख", 5),
    ("करो\u{95c}", 7),
    ("करोड\u{93c}", 7),
];

const GERMAN: &[(&str, i32)] = &[
    ("hundert", 2),
    ("tausend", 3),
    ("tsd", 3),
    ("million", 6),
    ("millionen", 6),
    ("mio", 6),
    ("milliarde", 9),
    ("milliarden", 9),
    ("mrd", 9),
    ("billion", 12),
    ("billionen", 12),
];

const FRENCH: &[(&str, i32)] = &[
    ("cents", 2),
    ("mille", 3),
    ("million", 6),
    ("millions", 6),
    ("milliard", 9),
    ("milliards", 9),
    ("mrd", 9),
    ("billion", 12),
    ("billions", 12),
];

const SPANISH: &[(&str, i32)] = &[
    ("mil", 3),
    ("millón", 6),
    ("millon", 6),
    ("millones", 6),
    ("billón", 12),
    ("billon", 12),
    ("billones", 12),
];

const ITALIAN: &[(&str, i32)] = &[
    ("mila", 3),
    ("milione", 6),
    ("milioni", 6),
    ("mln", 6),
    ("miliardo", 9),
    ("miliardi", 9),
    ("mld", 9),
];

const PORTUGUESE: &[(&str, i32)] = &[
    ("mil", 3),
    ("milhão", 6),
    ("milhao", 6),
    ("milhões", 6),
    ("milhoes", 6),
    ("bilhão", 9),
    ("bilhões", 9),
    ("bilhoes", 9),
    ("trilhão", 12),
    ("trilhões", 12),
];

const RUSSIAN: &[(&str, i32)] = &[
    ("тыс", 3),
    ("тысяча", 3),
    ("тысячи", 3),
    ("тысяч", 3),
    ("млн", 6),
    ("миллион", 6),
    ("миллиона", 6),
    ("миллионов", 6),
    ("млрд", 9),
    ("миллиард", 9),
    ("миллиарда", 9),
    ("миллиардов", 9),
    ("трлн", 12),
    ("триллион", 12),
    ("триллиона", 12),
    ("триллионов", 12),
];
