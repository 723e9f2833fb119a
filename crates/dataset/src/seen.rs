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
//!
//! Above a million ids the fingerprints go to a temporary file, where there is a folder for it, and
//! are compared when no more ids come: a duplicate is reported at the end.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    io,
    path::{Path, PathBuf},
};

use crate::spill::{Cursor, Parts, put_bytes, put_number, take_bytes, take_number};

/// Ids that are looked up together.
const BATCH: usize = 64;

/// Ids that are kept in memory where there is a folder for more.
const HELD: usize = 1 << 20;

/// Parts of the temporary file.
const PARTS: usize = 256;

/// The ids seen so far, each with the number (a line, a record) where it was.
pub(crate) struct SeenIds {
    /// The key is another one in each process, so that no choice of ids fills one place of the table.
    hasher: RandomState,
    /// All fingerprints, while the ids come in ascending order.
    ascending: Vec<Entry>,
    /// The last id, as long as that is so; `None` from the first that breaks the order.
    last: Option<String>,
    table: Table,
    /// Fingerprints and numbers that are to be looked up, and the ends of their ids in `text`.
    waiting: Vec<(Entry, usize)>,
    text: String,
    /// Where more than `held` of them go; `None` where all stay in memory.
    folder: Option<PathBuf>,
    held: usize,
    /// All of them, once they are too many.
    spilled: Option<Parts>,
}

/// A fingerprint with its number, which is above 0.
type Entry = [u32; 4];

/// Why an id is not taken.
#[derive(Debug)]
pub(crate) enum Refused {
    /// It is there for the second time.
    Twice(Duplicate),
    /// The temporary file fails.
    Io(io::Error),
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
            hasher: RandomState::new(),
            ascending: Vec::new(),
            last: Some(String::new()),
            table: Table::default(),
            waiting: Vec::new(),
            text: String::new(),
            folder: None,
            held: HELD,
            spilled: None,
        }
    }
}

impl SeenIds {
    /// The same with a folder for more ids than memory is to hold.
    pub(crate) fn spilling(self, folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), ..self }
    }

    /// Adds an id. Numbers are from 1; those above 2³² - 1 are kept as that. The error may be
    /// about an id of an earlier call.
    pub(crate) fn insert(&mut self, id: &str, number: u64) -> Result<(), Refused> {
        let [a, b, c] = self.fingerprint(id);
        let number = u32::try_from(number).unwrap_or(u32::MAX).max(1);
        let entry = [a, b, c, number];
        let first = self.ascending.is_empty() && self.spilled.is_none();
        match &mut self.last {
            Some(last) if first || id > last.as_str() => {
                last.clear();
                last.push_str(id);
                if self.spilled.is_none() {
                    self.ascending.push(entry);
                    return self.spill_if_many(self.ascending.len());
                }
            }
            _ => {
                self.last = None;
                // Those of the ascending beginning are all different.
                for entry in std::mem::take(&mut self.ascending) {
                    self.table.insert(entry);
                }
            }
        }
        if let Some(spilled) = &mut self.spilled {
            return push(spilled, entry, id).map_err(Refused::Io);
        }
        self.text.push_str(id);
        self.waiting.push((entry, self.text.len()));
        if self.waiting.len() < BATCH {
            return Ok(());
        }
        self.look_up()?;
        self.spill_if_many(self.table.count)
    }

    /// Looks up what is waiting, and compares what is on disk: to be called when no more ids come.
    pub(crate) fn finish(&mut self) -> Result<(), Refused> {
        self.look_up()?;
        match &mut self.spilled {
            // In ascending order none is there twice.
            Some(spilled) if self.last.is_none() => {
                spilled.finish_all().map_err(Refused::Io)?;
                let twice = twice(spilled).map_err(Refused::Io)?;
                twice.map_or(Ok(()), |twice| Err(Refused::Twice(twice)))
            }
            _ => Ok(()),
        }
    }

    fn look_up(&mut self) -> Result<(), Refused> {
        let mut duplicate = None;
        self.table.make_room(self.waiting.len());
        for (index, &(entry, _)) in self.waiting.iter().enumerate() {
            let earlier = self.table.insert(entry);
            duplicate = duplicate.or(earlier.map(|first| (index, first)));
        }
        let found = duplicate.map(|(index, first)| {
            let ([.., second], end) = self.waiting[index];
            let start = index.checked_sub(1).map_or(0, |before| self.waiting[before].1);
            let id = self.text[start..end].to_owned();
            Duplicate { id, first: u64::from(first), second: u64::from(second) }
        });
        self.waiting.clear();
        self.text.clear();
        found.map_or(Ok(()), |twice| Err(Refused::Twice(twice)))
    }

    /// Puts all entries on disk where there are too many. So far no id is there twice, so their
    /// texts are not asked for.
    fn spill_if_many(&mut self, count: usize) -> Result<(), Refused> {
        let Some(folder) = self.folder.as_ref().filter(|_| count >= self.held) else {
            return Ok(());
        };
        let mut spilled = Parts::new(folder, PARTS).map_err(Refused::Io)?;
        let ascending = std::mem::take(&mut self.ascending);
        let places = std::mem::take(&mut self.table).places;
        let entries = ascending.into_iter().chain(places.into_iter().filter(|entry| entry[3] != 0));
        for entry in entries {
            push(&mut spilled, entry, "").map_err(Refused::Io)?;
        }
        self.spilled = Some(spilled);
        Ok(())
    }

    /// 96 bits of an id. The second hash goes on from the state of the first, which has 256 bits, so
    /// that the two are independent.
    fn fingerprint(&self, id: &str) -> [u32; 3] {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(id.as_bytes());
        let first = hasher.finish();
        hasher.write_u8(0xff);
        let word = |hash: u64| u32::try_from(hash & u64::from(u32::MAX)).expect("32 bits are left");
        [word(first), word(first >> 32), word(hasher.finish())]
    }
}

/// Appends an entry to its part.
fn push(spilled: &mut Parts, entry: Entry, id: &str) -> io::Result<()> {
    // The table of a part takes the first word.
    let part = entry[1] as usize % PARTS;
    spilled.push(part, |out| {
        entry[..3].iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        put_number(out, u64::from(entry[3]));
        put_bytes(out, id.as_bytes());
    })
}

/// Takes the entry that [`push`] wrote from the front, with the text of its id.
fn take<'a>(bytes: &mut &'a [u8]) -> Option<(Entry, &'a [u8])> {
    let mut entry = Entry::default();
    for word in &mut entry[..3] {
        let (taken, rest) = bytes.split_first_chunk()?;
        (*word, *bytes) = (u32::from_le_bytes(*taken), rest);
    }
    entry[3] = u32::try_from(take_number(bytes)?).ok()?;
    Some((entry, take_bytes(bytes)?))
}

/// The first id that is there for the second time.
fn twice(spilled: &Parts) -> io::Result<Option<Duplicate>> {
    let mut found: Option<Duplicate> = None;
    for part in 0..spilled.len() {
        let (mut table, mut cursor) = (Table::default(), Cursor::default());
        'part: while spilled.read(part, &mut cursor)? {
            let mut bytes = cursor.bytes.as_slice();
            while !bytes.is_empty() {
                let (entry, id) = take(&mut bytes).ok_or(io::ErrorKind::InvalidData)?;
                table.make_room(1);
                let Some(first) = table.insert(entry) else { continue };
                let second = u64::from(entry[3]);
                if found.as_ref().is_none_or(|found| second < found.second) {
                    let id = String::from_utf8_lossy(id).into_owned();
                    found = Some(Duplicate { id, first: u64::from(first), second });
                }
                break 'part;
            }
        }
    }
    Ok(found)
}

/// Entries by their fingerprints.
#[derive(Default)]
struct Table {
    /// A free place has the number 0. The length is a power of two.
    places: Vec<Entry>,
    count: usize,
}

impl Table {
    /// Adds an entry; the number of the one that is there already.
    fn insert(&mut self, entry: Entry) -> Option<u32> {
        self.make_room(1);
        let [a, b, c, _] = entry;
        let place = self.place(a, b, c);
        if place[3] != 0 {
            return Some(place[3]);
        }
        *place = entry;
        self.count += 1;
        None
    }

    /// Grows so that so many more entries have room.
    fn make_room(&mut self, more: usize) {
        while self.count + more > self.places.len() / 4 * 3 {
            let larger = vec![[0; 4]; (self.places.len() * 2).max(1024)];
            for entry in std::mem::replace(&mut self.places, larger) {
                let [a, b, c, number] = entry;
                if number != 0 {
                    *self.place(a, b, c) = entry;
                }
            }
        }
    }

    /// The place of a fingerprint, or the free one where it belongs.
    fn place(&mut self, a: u32, b: u32, c: u32) -> &mut Entry {
        let mask = self.places.len() - 1;
        let mut index = a as usize & mask;
        while self.places[index][3] != 0 && self.places[index][..3] != [a, b, c] {
            index = (index + 1) & mask;
        }
        &mut self.places[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The duplicate among these ids, which are numbered from 1: the same in memory and on disk.
    fn check<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> Option<Duplicate> {
        let ids: Vec<S> = ids.into_iter().collect();
        let of = |mut seen: SeenIds| {
            let mut numbered = (1..).zip(&ids);
            let inserted = numbered.try_for_each(|(number, id)| seen.insert(id.as_ref(), number));
            match inserted.and_then(|()| seen.finish()) {
                Ok(()) => None,
                Err(Refused::Twice(twice)) => Some(twice),
                Err(Refused::Io(error)) => panic!("{error}"),
            }
        };
        let found = of(SeenIds::default());
        let folder = tempfile::tempdir().unwrap();
        for held in [1, 100, 5000] {
            let seen = SeenIds { held, ..SeenIds::default().spilling(folder.path()) };
            assert_eq!(of(seen), found, "{held}");
        }
        found
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
        // Several are: the first second one counts.
        let several = ids("q77").into_iter().chain(sorted("é")).chain(["q1".to_owned()]);
        assert_eq!(check(several), duplicate("q77", 78, 10_002));
    }

    #[test]
    fn a_disk_that_fails_is_no_duplicate() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let mut seen = SeenIds { held: 2, ..SeenIds::default().spilling(&missing) };
        assert!(seen.insert("a", 1).is_ok());
        assert!(matches!(seen.insert("b", 2), Err(Refused::Io(_))));
    }

    #[test]
    fn large_numbers_are_kept_as_the_largest() {
        let mut seen = SeenIds::default();
        assert!(seen.insert("a", 1 << 40).and_then(|()| seen.insert("a", 1)).is_ok());
        let (id, first) = ("a".to_owned(), u64::from(u32::MAX));
        let twice = Duplicate { id, first, second: 1 };
        assert!(matches!(seen.finish(), Err(Refused::Twice(found)) if found == twice));
    }
}
