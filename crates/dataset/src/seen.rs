//! Ids that were seen, so that a second one is noticed while a dataset streams by.
//!
//! Keeping the ids themselves would hold a large part of a dataset in memory. Fingerprints of 96
//! bits, in a table of our own, take 16 bytes, with the free places 21 to 43. Two different ids
//! have the same fingerprint with probability n²/2⁹⁷: for a thousand million ids one in 10¹¹, and
//! the consequence is an error that names both lines.
//!
//! Many datasets are sorted by id. As long as each id is greater than the one before, no id can be
//! there twice, and the fingerprints are only kept in a list in case the order breaks.
//!
//! Nearly every look into the table waits for memory. So ids are looked up in batches, where the
//! waits overlap, and a duplicate is reported up to a batch later.

use std::hash::{DefaultHasher, Hasher};

/// Ids that are looked up together.
const BATCH: usize = 64;

/// The ids seen so far, each with the number (a line, a record) where it was.
pub(crate) struct SeenIds {
    /// All fingerprints, while the ids come in ascending order; `None` from the first that does not.
    ascending: Option<Vec<[u32; 4]>>,
    /// The last id of them.
    last: String,
    /// Fingerprint and number; a free place has the number 0. The length is a power of two.
    places: Vec<[u32; 4]>,
    count: usize,
    /// Fingerprints and numbers that are to be looked up, and the ends of their ids in `text`.
    waiting: Vec<([u32; 4], usize)>,
    text: String,
}

/// An id for the second time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Duplicate {
    pub(crate) id: String,
    pub(crate) first: u64,
    pub(crate) second: u64,
}

impl Default for SeenIds {
    fn default() -> Self {
        Self {
            ascending: Some(Vec::new()),
            last: String::new(),
            places: Vec::new(),
            count: 0,
            waiting: Vec::new(),
            text: String::new(),
        }
    }
}

impl SeenIds {
    /// Adds an id. Numbers are from 1; those above 2³² - 1 are kept as that. The error may be
    /// about an id of an earlier call.
    pub(crate) fn insert(&mut self, id: &str, number: u64) -> Result<(), Duplicate> {
        let [a, b, c] = fingerprint(id);
        let number = u32::try_from(number).unwrap_or(u32::MAX).max(1);
        if let Some(earlier) = &mut self.ascending {
            if earlier.is_empty() || id > self.last.as_str() {
                earlier.push([a, b, c, number]);
                self.last.clear();
                self.last.push_str(id);
                return Ok(());
            }
            self.scatter();
        }
        self.text.push_str(id);
        self.waiting.push(([a, b, c, number], self.text.len()));
        if self.waiting.len() == BATCH { self.finish() } else { Ok(()) }
    }

    /// Puts the ids of the ascending beginning, which are all different, into the table.
    fn scatter(&mut self) {
        let earlier = self.ascending.take().unwrap_or_default();
        while earlier.len() > self.places.len() / 4 * 3 {
            self.grow();
        }
        self.count = earlier.len();
        for full in earlier {
            let [a, b, c, _] = full;
            *self.place(a, b, c) = full;
        }
    }

    /// Looks up what is waiting: to be called when no more ids come.
    pub(crate) fn finish(&mut self) -> Result<(), Duplicate> {
        if self.count + self.waiting.len() > self.places.len() / 4 * 3 {
            self.grow();
        }
        let mut duplicate = None;
        for index in 0..self.waiting.len() {
            let ([a, b, c, number], _) = self.waiting[index];
            match self.place(a, b, c) {
                place if place[3] == 0 => {
                    *place = [a, b, c, number];
                    self.count += 1;
                }
                place => duplicate = duplicate.or(Some((index, place[3]))),
            }
        }
        let found = duplicate.map(|(index, first)| {
            let ([.., second], end) = self.waiting[index];
            let start = index.checked_sub(1).map_or(0, |before| self.waiting[before].1);
            let id = self.text[start..end].to_owned();
            Duplicate { id, first: u64::from(first), second: u64::from(second) }
        });
        self.waiting.clear();
        self.text.clear();
        found.map_or(Ok(()), Err)
    }

    /// The place of a fingerprint, or the free one where it belongs.
    fn place(&mut self, a: u32, b: u32, c: u32) -> &mut [u32; 4] {
        let mask = self.places.len() - 1;
        let mut index = a as usize & mask;
        while self.places[index][3] != 0 && self.places[index][..3] != [a, b, c] {
            index = (index + 1) & mask;
        }
        &mut self.places[index]
    }

    fn grow(&mut self) {
        let larger = vec![[0; 4]; (self.places.len() * 2).max(1024)];
        for full in std::mem::replace(&mut self.places, larger) {
            let [a, b, c, number] = full;
            if number != 0 {
                *self.place(a, b, c) = full;
            }
        }
    }
}

/// 96 bits of an id. The second hash goes on from the state of the first, which has 256 bits, so
/// that the two are independent. The table lives in one process; what hash the standard library
/// uses doesn't matter.
fn fingerprint(id: &str) -> [u32; 3] {
    let mut hasher = DefaultHasher::new();
    hasher.write(id.as_bytes());
    let first = hasher.finish();
    hasher.write_u8(0xff);
    let word = |hash: u64| u32::try_from(hash & u64::from(u32::MAX)).expect("32 bits are left");
    [word(first), word(first >> 32), word(hasher.finish())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The duplicate among these ids, which are numbered from 1.
    fn check<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> Option<Duplicate> {
        let mut seen = SeenIds::default();
        let mut numbered = (1..).zip(ids);
        let inserted = numbered.try_for_each(|(number, id)| seen.insert(id.as_ref(), number));
        inserted.and_then(|()| seen.finish()).err()
    }

    #[test]
    fn a_second_id_gives_both_numbers() {
        let ids = |last: &str| {
            let many = (0..10_000).map(|number| format!("q{number}"));
            many.chain([String::new(), last.to_owned()]).collect::<Vec<_>>()
        };
        let duplicate =
            |id: &str, first, second| Some(Duplicate { id: id.to_owned(), first, second });
        assert_eq!(check(ids("q10000")), None);
        assert_eq!(check(ids("q4321")), duplicate("q4321", 4322, 10_002));
        assert_eq!(check(ids("")), duplicate("", 10_001, 10_002));
        assert_eq!(check(["a", "b", "b", "a"]), duplicate("b", 2, 3));
        // In ascending order, then not.
        let sorted = |last: &str| {
            let many = (10_000..20_000).map(|number| format!("q{number}"));
            many.chain([last.to_owned()]).collect::<Vec<_>>()
        };
        assert_eq!(check(sorted("q3")), None);
        assert_eq!(check(sorted("q19999")), duplicate("q19999", 10_000, 10_001));
        assert_eq!(check(sorted("q10001")), duplicate("q10001", 2, 10_001));
    }

    #[test]
    fn large_numbers_are_kept_as_the_largest() {
        let mut seen = SeenIds::default();
        assert_eq!(seen.insert("a", 1 << 40).and_then(|()| seen.insert("a", 1)), Ok(()));
        let first = u64::from(u32::MAX);
        assert_eq!(seen.finish(), Err(Duplicate { id: "a".to_owned(), first, second: 1 }));
    }
}
