//! Records: rows as bytes, which wait in memory or in a temporary file for their turn to be
//! written.
//!
//! A record begins with its sort key, so that sorting and merging compare bytes and decode
//! nothing. Texts are UTF-8 because they come from `str`; the tables check that once more for a
//! whole batch at a time. This is the reading side; [`encode`](super::encode) is the other one.

use qeval_core::{FailureKind, Unscored, retrieved::HasAnswer};

/// Bytes of the dataset's number at the beginning of a key.
pub(super) const DATASET_BYTES: usize = 4;

/// Number of the first kind of failure among the reasons of a null score.
pub(super) const FIRST_FAILURE: u8 = 5;

/// What the decoder needs to know which optional fields follow.
pub(super) mod flag {
    pub(in crate::writer) const GROUP: u32 = 1;
    pub(in crate::writer) const TURN: u32 = 1 << 1;
    pub(in crate::writer) const EVIDENCE: u32 = 1 << 2;
    pub(in crate::writer) const EVIDENCE_SEEN: u32 = 1 << 3;
    pub(in crate::writer) const CAUSE: u32 = 1 << 4;
    pub(in crate::writer) const QUESTION: u32 = 1 << 5;
    pub(in crate::writer) const PREDICTION: u32 = 1 << 6;
    pub(in crate::writer) const ABSTAINED: u32 = 1 << 7;
    pub(in crate::writer) const CONFIDENCE: u32 = 1 << 8;
    pub(in crate::writer) const LATENCY: u32 = 1 << 9;
    pub(in crate::writer) const TOKENS_IN: u32 = 1 << 10;
    pub(in crate::writer) const TOKENS_OUT: u32 = 1 << 11;
    pub(in crate::writer) const COST: u32 = 1 << 12;
    pub(in crate::writer) const ISOLATED: u32 = 1 << 13;
    pub(in crate::writer) const HITS: u32 = 1 << 14;
    pub(in crate::writer) const ERROR: u32 = 1 << 15;
    pub(in crate::writer) const UNSCORED: u32 = 1 << 16;
    pub(in crate::writer) const ISOLATED_ABSTAINED: u32 = 1 << 17;
    pub(in crate::writer) const ISOLATED_ERROR: u32 = 1 << 18;

    pub(in crate::writer) const RETRIEVED: u32 = 1 << 19;
    pub(in crate::writer) const RELEVANT: u32 = 1 << 20;
    pub(in crate::writer) const PARTS: u32 = 1 << 21;

    pub(in crate::writer) const HIT_SCORE: u8 = 1;
    pub(in crate::writer) const HIT_GRADE: u8 = 1 << 1;
    pub(in crate::writer) const HIT_KNOWN: u8 = 1 << 2;
    pub(in crate::writer) const HIT_SEEN: u8 = 1 << 3;
    pub(in crate::writer) const HIT_READ: u8 = 1 << 4;
    pub(in crate::writer) const HIT_EXACT: u8 = 1 << 5;
    pub(in crate::writer) const HIT_NORMALISED: u8 = 1 << 6;
    pub(in crate::writer) const HIT_COPY: u8 = 1 << 7;

    pub(in crate::writer) const RELEVANT_RANK: u8 = 1;
    pub(in crate::writer) const RELEVANT_LENGTH: u8 = 1 << 1;
    pub(in crate::writer) const RELEVANT_ANSWER: u8 = 1 << 2;

    pub(in crate::writer) const PART_VALUE: u8 = 1;
    pub(in crate::writer) const PART_LABEL: u8 = 1 << 1;
    pub(in crate::writer) const PART_TEXT: u8 = 1 << 2;
}

/// A record, taken apart. Texts are bytes of UTF-8.
#[derive(Clone, Debug)]
pub(super) struct Record<'a> {
    /// Number of the dataset and id: what records are sorted by.
    pub(super) key: Key<'a>,
    pub(super) position: i64,
    pub(super) turn: Option<i32>,
    pub(super) group: Option<&'a [u8]>,
    pub(super) cause: Option<&'a [u8]>,
    pub(super) question: Option<&'a [u8]>,
    pub(super) isolated: Option<&'a [u8]>,
    pub(super) isolated_abstained: bool,
    pub(super) isolated_error: Option<&'a [u8]>,
    pub(super) error: Option<&'a [u8]>,
    pub(super) evidence_seen: Option<bool>,
    pub(super) slices: Slices<'a>,
    pub(super) scores: Scores<'a>,
    /// Whether one of the scores is null.
    pub(super) unscored: bool,
    pub(super) references: Texts<'a>,
    pub(super) gold_passages: Texts<'a>,
    pub(super) answer: Option<Answer<'a>>,
    pub(super) hits: Option<Hits<'a>>,
    pub(super) retrieved: Option<i32>,
    pub(super) relevant: Option<Relevant<'a>>,
    pub(super) parts: Option<Parts<'a>>,
}

/// A prediction in a record.
#[derive(Clone, Debug)]
pub(super) struct Answer<'a> {
    pub(super) text: &'a [u8],
    pub(super) abstained: bool,
    pub(super) citations: Texts<'a>,
    pub(super) confidence: Option<f64>,
    pub(super) latency_ms: Option<f64>,
    pub(super) tokens_in: Option<i64>,
    pub(super) tokens_out: Option<i64>,
    pub(super) cost: Option<f64>,
}

/// The sort key of a record: its order is that of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<'a>(pub(super) &'a [u8]);

impl<'a> Key<'a> {
    /// Number of the dataset.
    pub(super) fn dataset(self) -> u32 {
        let bytes = self.0.first_chunk::<DATASET_BYTES>().expect("a key begins with its dataset");
        u32::from_be_bytes(*bytes)
    }

    /// The id of the example.
    pub(super) fn id(self) -> &'a [u8] {
        &self.0[DATASET_BYTES..]
    }
}

/// The key of a record; `None` if it is damaged.
pub(super) fn key(record: &[u8]) -> Option<Key<'_>> {
    Cursor(record).text().filter(|key| key.len() >= DATASET_BYTES).map(Key)
}

impl<'a> Record<'a> {
    /// Takes a record apart; `None` if it is damaged.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = Cursor(bytes);
        let key = rest.text().filter(|key| key.len() >= DATASET_BYTES).map(Key)?;
        let position = i64::from_le_bytes(rest.array()?);
        let flags = u32::from_le_bytes(rest.array()?);
        let has = |flag: u32| flags & flag != 0;
        let turn = if has(flag::TURN) { Some(i32::from_le_bytes(rest.array()?)) } else { None };
        let record = Self {
            key,
            position,
            turn,
            group: rest.optional_text(has(flag::GROUP))?,
            cause: rest.optional_text(has(flag::CAUSE))?,
            question: rest.optional_text(has(flag::QUESTION))?,
            isolated: rest.optional_text(has(flag::ISOLATED))?,
            isolated_abstained: has(flag::ISOLATED_ABSTAINED),
            isolated_error: rest.optional_text(has(flag::ISOLATED_ERROR))?,
            error: rest.optional_text(has(flag::ERROR))?,
            evidence_seen: has(flag::EVIDENCE).then(|| has(flag::EVIDENCE_SEEN)),
            slices: Slices(Cursor(rest.text()?)),
            scores: Scores(Cursor(rest.text()?)),
            unscored: has(flag::UNSCORED),
            references: Texts(Cursor(rest.text()?)),
            gold_passages: Texts(Cursor(rest.text()?)),
            answer: if has(flag::PREDICTION) { Some(Answer::parse(&mut rest, has)?) } else { None },
            hits: if has(flag::HITS) { Some(Hits(Cursor(rest.text()?))) } else { None },
            retrieved: rest.optional(has(flag::RETRIEVED), i32::from_le_bytes)?,
            relevant: rest.optional_text(has(flag::RELEVANT))?.map(|list| Relevant(Cursor(list))),
            parts: rest.optional_text(has(flag::PARTS))?.map(|list| Parts(Cursor(list))),
        };
        rest.0.is_empty().then_some(record)
    }
}

impl<'a> Answer<'a> {
    fn parse(rest: &mut Cursor<'a>, has: impl Fn(u32) -> bool) -> Option<Self> {
        Some(Self {
            text: rest.text()?,
            abstained: has(flag::ABSTAINED),
            citations: Texts(Cursor(rest.text()?)),
            confidence: rest.optional(has(flag::CONFIDENCE), f64::from_le_bytes)?,
            latency_ms: rest.optional(has(flag::LATENCY), f64::from_le_bytes)?,
            tokens_in: rest.optional(has(flag::TOKENS_IN), i64::from_le_bytes)?,
            tokens_out: rest.optional(has(flag::TOKENS_OUT), i64::from_le_bytes)?,
            cost: rest.optional(has(flag::COST), f64::from_le_bytes)?,
        })
    }
}

/// The texts of a list.
#[derive(Clone, Debug)]
pub(super) struct Texts<'a>(Cursor<'a>);

impl<'a> Iterator for Texts<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.0.text()
    }
}

/// The slice values, in the order of the layout.
#[derive(Clone, Debug)]
pub(super) struct Slices<'a>(Cursor<'a>);

impl<'a> Iterator for Slices<'a> {
    type Item = Option<&'a [u8]>;

    fn next(&mut self) -> Option<Option<&'a [u8]>> {
        let present = self.0.byte()? != 0;
        self.0.optional_text(present)
    }
}

/// The scores, in the order of the layout.
#[derive(Clone, Debug)]
pub(super) struct Scores<'a>(Cursor<'a>);

/// A score, or the kind of reason and its text.
pub(super) type Cell<'a> = Result<f64, (Unscored, &'a [u8])>;

impl<'a> Iterator for Scores<'a> {
    type Item = Cell<'a>;

    fn next(&mut self) -> Option<Cell<'a>> {
        match self.0.byte()? {
            0 => Some(Ok(f64::from_le_bytes(self.0.array()?))),
            number => Some(Err((reason(number)?, self.0.text()?))),
        }
    }
}

/// The hits, best first.
#[derive(Clone, Debug)]
pub(super) struct Hits<'a>(Cursor<'a>);

/// A hit in a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct HitRecord<'a> {
    pub(super) passage_id: &'a [u8],
    pub(super) score: Option<f64>,
    pub(super) grade: Option<i32>,
    pub(super) seen: Option<bool>,
    pub(super) answer: Option<HasAnswer>,
    pub(super) near_copy_of: Option<i32>,
}

impl<'a> Iterator for Hits<'a> {
    type Item = HitRecord<'a>;

    fn next(&mut self) -> Option<HitRecord<'a>> {
        let flags = self.0.byte()?;
        let has = |flag: u8| flags & flag != 0;
        Some(HitRecord {
            passage_id: self.0.text()?,
            score: self.0.optional(has(flag::HIT_SCORE), f64::from_le_bytes)?,
            grade: self.0.optional(has(flag::HIT_GRADE), i32::from_le_bytes)?,
            seen: has(flag::HIT_KNOWN).then(|| has(flag::HIT_SEEN)),
            answer: has(flag::HIT_READ).then(|| HasAnswer {
                exact: has(flag::HIT_EXACT),
                normalised: has(flag::HIT_NORMALISED),
            }),
            near_copy_of: self.0.optional(has(flag::HIT_COPY), i32::from_le_bytes)?,
        })
    }
}

/// The relevant passages.
#[derive(Clone, Debug)]
pub(super) struct Relevant<'a>(Cursor<'a>);

/// A relevant passage in a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelevantRecord<'a> {
    pub(super) passage_id: &'a [u8],
    pub(super) grade: i32,
    pub(super) rank: Option<i32>,
    pub(super) length: Option<i32>,
    pub(super) answer_at: Option<i32>,
}

impl<'a> Iterator for Relevant<'a> {
    type Item = RelevantRecord<'a>;

    fn next(&mut self) -> Option<RelevantRecord<'a>> {
        let flags = self.0.byte()?;
        let has = |flag: u8| flags & flag != 0;
        Some(RelevantRecord {
            passage_id: self.0.text()?,
            grade: i32::from_le_bytes(self.0.array()?),
            rank: self.0.optional(has(flag::RELEVANT_RANK), i32::from_le_bytes)?,
            length: self.0.optional(has(flag::RELEVANT_LENGTH), i32::from_le_bytes)?,
            answer_at: self.0.optional(has(flag::RELEVANT_ANSWER), i32::from_le_bytes)?,
        })
    }
}

/// What scores are made of.
#[derive(Clone, Debug)]
pub(super) struct Parts<'a>(Cursor<'a>);

/// A part of a score in a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartRecord<'a> {
    /// Index of the metric in the layout.
    pub(super) metric: usize,
    pub(super) value: Option<f64>,
    pub(super) label: Option<&'a [u8]>,
    pub(super) text: Option<&'a [u8]>,
}

impl<'a> Iterator for Parts<'a> {
    type Item = PartRecord<'a>;

    fn next(&mut self) -> Option<PartRecord<'a>> {
        let flags = self.0.byte()?;
        let has = |flag: u8| flags & flag != 0;
        Some(PartRecord {
            metric: u32::from_le_bytes(self.0.array()?) as usize,
            value: self.0.optional(has(flag::PART_VALUE), f64::from_le_bytes)?,
            label: self.0.optional_text(has(flag::PART_LABEL))?,
            text: self.0.optional_text(has(flag::PART_TEXT))?,
        })
    }
}

/// Reads from the front of bytes; `None` where they end too early.
#[derive(Clone, Copy, Debug)]
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = u32::from_le_bytes(self.array()?) as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }

    #[expect(clippy::option_option, reason = "the outer one says that the bytes end too early")]
    fn optional_text(&mut self, present: bool) -> Option<Option<&'a [u8]>> {
        if present { self.text().map(Some) } else { Some(None) }
    }

    #[expect(clippy::option_option, reason = "the outer one says that the bytes end too early")]
    fn optional<T, const N: usize>(
        &mut self,
        present: bool,
        from: fn([u8; N]) -> T,
    ) -> Option<Option<T>> {
        if present { self.array().map(|bytes| Some(from(bytes))) } else { Some(None) }
    }
}

/// The reason of that number, without its text.
fn reason(number: u8) -> Option<Unscored> {
    match number {
        1 => Some(Unscored::NoReference),
        2 => Some(Unscored::NoRelevantPassage),
        3 => Some(Unscored::LowAgreement),
        4 => Some(Unscored::NotApplicable(String::new())),
        _ => {
            let kind = usize::from(number.checked_sub(FIRST_FAILURE)?);
            let kind = *FailureKind::ALL.get(kind)?;
            Some(Unscored::Failed(kind, String::new()))
        }
    }
}
