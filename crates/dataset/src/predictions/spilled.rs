//! Predictions that are too many for memory, and how examples find theirs.
//!
//! The ids of a dataset come in any order, and a look into a file for each of them would wait for
//! the disk. So predictions are parted on disk by a hash of their ids, and so are the ids of each
//! dataset that asks for them. Part by part the predictions are in memory and are written again in
//! the order in which their dataset asks. When the dataset is read for its evaluation, the next
//! answer of a part is at its front.

use std::{
    collections::{BTreeSet, hash_map::RandomState},
    hash::BuildHasher,
    io,
    ops::Range,
    path::{Path, PathBuf},
};

use hashbrown::HashTable;
use qeval_core::Prediction;

use super::{
    PredictionSource, Recognised, formats::PredictionRows, packed, read_all, recognised, text_size,
};
use crate::{
    Error, Problem, Record, document,
    seen::Duplicate,
    spill::{Cursor, Parts, put_bytes, put_number, take_bytes, take_number},
};

/// Bytes of a file that make a part. Of the largest files the parts are larger, as there are no more
/// than [`MOST_PARTS`].
const PART: u64 = 8 << 20;

const MOST_PARTS: usize = 1024;

/// Predictions by id, on disk.
pub struct SpilledPredictions {
    path: PathBuf,
    parts: Parts,
    hasher: RandomState,
    count: u64,
    has: Has,
}

/// What any of the predictions has beside its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Has {
    /// Which passages the reader saw.
    pub seen: bool,
    /// How sure it was.
    pub confidence: bool,
    /// Labels, by name.
    pub labels: BTreeSet<String>,
}

/// The ids of one dataset, in its order.
pub struct Asked {
    path: PathBuf,
    parts: Parts,
    hasher: RandomState,
}

/// What datasets and predictions have of each other.
pub struct Joined {
    /// For each dataset its answers.
    pub answers: Vec<InOrder>,
    /// Predictions that no dataset has asked for.
    pub unasked: Named,
    /// Predictions that several datasets have asked for.
    pub shared: Named,
}

/// Some predictions: how many, and the first of them in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// How many there are.
    pub count: u64,
    /// The first ids.
    pub first: Vec<String>,
}

/// The answers for one dataset, to be taken in its order.
pub struct InOrder {
    path: PathBuf,
    parts: Parts,
    hasher: RandomState,
    /// For each part where it is read, and how much of its block is taken.
    cursors: Vec<(Cursor, usize)>,
}

/// Answers to some examples, packed.
#[derive(Clone, Debug, Default)]
pub struct PackedPredictions {
    bytes: Vec<u8>,
    /// `None` for an example without an answer.
    places: Vec<Option<Range<usize>>>,
}

/// Reads predictions as [`predictions`](super::predictions) does, with the same errors, and puts
/// them on disk: into a temporary file in `folder` that has no name.
///
/// A file that is one JSON document is in memory while it is read.
pub fn spill_predictions(
    source: &PredictionSource,
    folder: &Path,
) -> Result<SpilledPredictions, Error> {
    let path = &source.path;
    let Recognised { format, files } = recognised(source)?;
    let size: u64 = files.iter().map(|path| text_size(path)).sum();
    let parts = usize::try_from(size / PART).unwrap_or(MOST_PARTS);
    let parts = parts.next_power_of_two().clamp(16, MOST_PARTS);
    let parts = Parts::new(folder, parts).map_err(|error| unwritable(&error).of_file(path))?;
    let mut spilled = SpilledPredictions {
        path: path.clone(),
        parts,
        hasher: RandomState::new(),
        count: 0,
        has: Has::default(),
    };
    if let Some(mut rows) = PredictionRows::open(source, format, &files)? {
        let read = loop {
            let (record, number) = match rows.next() {
                Ok(Some(next)) => next,
                end => break end.map(drop),
            };
            let Record { example, prediction } = record;
            // The field is required, so there is a prediction; it may be an abstention.
            let prediction = prediction.get_or_insert_with(Prediction::abstention);
            if let Err(error) = spilled.push(&example.id, prediction, number) {
                break Err(rows.rows.error(unwritable(&error)));
            }
        };
        spilled.end()?;
        // An id that is there twice stands before whatever ended the reading.
        spilled.check(&rows)?;
        read?;
    } else {
        for (number, (id, prediction)) in (1..).zip(read_all(source, format, &files)?.iter()) {
            spilled
                .push(id, prediction, number)
                .map_err(|error| unwritable(&error).of_file(path))?;
        }
        spilled.end()?;
    }
    if spilled.count == 0 {
        return Err(document::empty().of_file(path));
    }
    Ok(spilled)
}

impl SpilledPredictions {
    /// What any of them has beside its text.
    pub fn has(&self) -> &Has {
        &self.has
    }

    /// A place for the ids of a dataset that asks for them.
    pub fn asked(&self, folder: &Path) -> Result<Asked, Error> {
        let parts = Parts::new(folder, self.parts.len());
        let parts = parts.map_err(|error| unwritable(&error).of_file(&self.path))?;
        Ok(Asked { path: self.path.clone(), parts, hasher: self.hasher.clone() })
    }

    /// Finds the answers for datasets. Of the predictions that are named, these are the first `named`.
    /// Where `stopped` says that nobody waits for it any more, the join is incomplete.
    pub fn join(
        &self,
        asked: Vec<Asked>,
        named: usize,
        folder: &Path,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Joined, Error> {
        let failed = |error: io::Error| unwritable(&error).of_file(&self.path);
        let mut asked = asked;
        let mut answers = Vec::new();
        for one in &mut asked {
            one.parts.finish_all().map_err(failed)?;
            answers.push(InOrder {
                path: self.path.clone(),
                parts: Parts::new(folder, self.parts.len()).map_err(failed)?,
                hasher: self.hasher.clone(),
                cursors: (0..self.parts.len()).map(|_| (Cursor::default(), 0)).collect(),
            });
        }
        let (mut unasked, mut shared) = (First::new(named), First::new(named));
        let mut part = Part::default();
        for index in (0..self.parts.len()).take_while(|_| !stopped()) {
            self.load(index, &mut part)?;
            for (place, (asked, answers)) in asked.iter().zip(&mut answers).enumerate() {
                let mut cursor = Cursor::default();
                while asked.parts.read(index, &mut cursor).map_err(failed)? {
                    let mut ids = cursor.bytes.as_slice();
                    while !ids.is_empty() {
                        let id = take_bytes(&mut ids).ok_or_else(|| self.damaged())?;
                        let found = part.find(self.hasher.hash_one(id), id);
                        let answer = found.map(|entry| part.asks(entry, place));
                        answers
                            .parts
                            .push(index, |out| put_answer(out, id, answer))
                            .map_err(failed)?;
                    }
                }
                answers.parts.finish(index).map_err(failed)?;
            }
            for entry in &part.entries {
                match entry.asker {
                    None => unasked.add(entry.number, &part.bytes[entry.id.clone()]),
                    Some(Asker::One(_)) => {}
                    Some(Asker::Several) => shared.add(entry.number, &part.bytes[entry.id.clone()]),
                }
            }
        }
        Ok(Joined { answers, unasked: unasked.named(), shared: shared.named() })
    }

    /// The answers to some examples, in their order; `None` for an example that has none.
    pub fn unpack(&self, answers: &PackedPredictions) -> Result<Vec<Option<Prediction>>, Error> {
        let unpack = |place: &Range<usize>| {
            packed::unpack(&answers.bytes[place.clone()]).ok_or_else(|| self.damaged())
        };
        answers.places.iter().map(|place| place.as_ref().map(unpack).transpose()).collect()
    }

    fn push(&mut self, id: &str, prediction: &Prediction, number: u64) -> io::Result<()> {
        self.count += 1;
        self.has.seen |= prediction.seen.is_some();
        self.has.confidence |= prediction.confidence.is_some();
        for label in prediction.labels.keys() {
            if !self.has.labels.contains(label) {
                self.has.labels.insert(label.clone());
            }
        }
        let part = part_of(self.hasher.hash_one(id.as_bytes()), self.parts.len());
        self.parts.push(part, |out| {
            put_number(out, number);
            put_bytes(out, id.as_bytes());
            // How long the prediction is, is known when it is written.
            let start = out.len();
            out.extend([0; 4]);
            packed::pack(prediction, out);
            let length = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
            out[start..start + 4].copy_from_slice(&length.to_le_bytes());
        })
    }

    fn end(&mut self) -> Result<(), Error> {
        self.parts.finish_all().map_err(|error| unwritable(&error).of_file(&self.path))
    }

    /// Whether an id is there twice: the first that is, in the order of the file.
    fn check(&self, rows: &PredictionRows) -> Result<(), Error> {
        let mut first: Option<Duplicate> = None;
        let mut part = Part::default();
        for index in 0..self.parts.len() {
            if let Some(found) = self.load_until_twice(index, &mut part)?
                && first.as_ref().is_none_or(|first| found.second < first.second)
            {
                first = Some(found);
            }
        }
        first.map_or(Ok(()), |twice| Err(rows.rows.twice(&twice)))
    }

    fn load(&self, index: usize, part: &mut Part) -> Result<(), Error> {
        self.load_until_twice(index, part).map(drop)
    }

    /// Reads a part, up to an id that is there for the second time.
    fn load_until_twice(&self, index: usize, part: &mut Part) -> Result<Option<Duplicate>, Error> {
        part.clear();
        let mut cursor = Cursor::default();
        let failed = |error: io::Error| unwritable(&error).of_file(&self.path);
        while self.parts.read(index, &mut cursor).map_err(failed)? {
            let start = part.bytes.len();
            part.bytes.extend_from_slice(&cursor.bytes);
            let mut left = cursor.bytes.as_slice();
            while !left.is_empty() {
                let read = read_entry(&mut left).ok_or_else(|| self.damaged())?;
                let (number, id, packed) = read;
                let end = start + cursor.bytes.len() - left.len();
                let place = end - packed.len()..end;
                let hash = self.hasher.hash_one(id);
                if let Some(entry) = part.find(hash, id) {
                    let first = part.entries[entry].number;
                    let id = String::from_utf8_lossy(id).into_owned();
                    return Ok(Some(Duplicate { id, first, second: number }));
                }
                let id = place.start - 4 - id.len()..place.start - 4;
                part.add(hash, Entry { number, id, packed: place, asker: None });
            }
        }
        Ok(None)
    }

    fn damaged(&self) -> Error {
        damaged().of_file(&self.path)
    }
}

/// The number, the id and the packed prediction at the front.
fn read_entry<'a>(left: &mut &'a [u8]) -> Option<(u64, &'a [u8], &'a [u8])> {
    let number = take_number(left)?;
    let id = take_bytes(left)?;
    let (length, rest) = left.split_first_chunk()?;
    let (packed, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *left = rest;
    Some((number, id, packed))
}

/// The predictions of one part.
#[derive(Default)]
struct Part {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Hashes and places in `entries`.
    places: HashTable<(u64, usize)>,
}

struct Entry {
    /// Its line or record.
    number: u64,
    /// Where in the bytes of the part the id stands.
    id: Range<usize>,
    packed: Range<usize>,
    asker: Option<Asker>,
}

/// Which datasets have asked for a prediction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asker {
    One(usize),
    Several,
}

impl Part {
    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.places.clear();
    }

    fn find(&self, hash: u64, id: &[u8]) -> Option<usize> {
        let same = |&(other, place): &(u64, usize)| {
            other == hash && self.bytes[self.entries[place].id.clone()] == *id
        };
        self.places.find(hash, same).map(|&(_, place)| place)
    }

    fn add(&mut self, hash: u64, entry: Entry) {
        self.places.insert_unique(hash, (hash, self.entries.len()), |&(hash, _)| hash);
        self.entries.push(entry);
    }

    /// The packed prediction that a dataset asks for.
    fn asks(&mut self, entry: usize, dataset: usize) -> &[u8] {
        let entry = &mut self.entries[entry];
        entry.asker = match entry.asker {
            Some(asker) if asker != Asker::One(dataset) => Some(Asker::Several),
            _ => Some(Asker::One(dataset)),
        };
        &self.bytes[entry.packed.clone()]
    }
}

impl Asked {
    /// The dataset asks for the prediction of its next example.
    pub fn push(&mut self, id: &str) -> Result<(), Error> {
        let id = id.as_bytes();
        let part = part_of(self.hasher.hash_one(id), self.parts.len());
        let pushed = self.parts.push(part, |out| put_bytes(out, id));
        pushed.map_err(|error| unwritable(&error).of_file(&self.path))
    }
}

impl InOrder {
    /// Takes the answer for the next example of the dataset. It is an error where the dataset did
    /// not ask for it, because its file has changed since then.
    pub fn take(&mut self, id: &str, answers: &mut PackedPredictions) -> Result<(), Error> {
        let changed = || {
            Problem::new(format!(
                "example `{id}` was not in the dataset when its predictions were read"
            ))
            .with_hint("files must stay as they are while they are evaluated: run it again")
            .of_file(&self.path)
        };
        let id = id.as_bytes();
        let index = part_of(self.hasher.hash_one(id), self.parts.len());
        let (cursor, taken) = &mut self.cursors[index];
        if *taken == cursor.bytes.len() {
            *taken = 0;
            let more = self.parts.read(index, cursor);
            if !more.map_err(|error| unwritable(&error).of_file(&self.path))? {
                return Err(changed());
            }
        }
        let mut left = &cursor.bytes[*taken..];
        let read = read_answer(&mut left).ok_or_else(|| damaged().of_file(&self.path))?;
        *taken = cursor.bytes.len() - left.len();
        let (check, answer) = read;
        if check != check_of(id) {
            return Err(changed());
        }
        answers.places.push(answer.map(|answer| {
            let start = answers.bytes.len();
            answers.bytes.extend_from_slice(answer);
            start..answers.bytes.len()
        }));
        Ok(())
    }
}

impl PackedPredictions {
    /// Forgets the answers and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }
}

/// The first of many, by their numbers.
struct First {
    most: usize,
    count: u64,
    ids: Vec<(u64, String)>,
}

impl First {
    fn new(most: usize) -> Self {
        Self { most, count: 0, ids: Vec::new() }
    }

    fn add(&mut self, number: u64, id: &[u8]) {
        self.count += 1;
        let place = self.ids.partition_point(|&(other, _)| other < number);
        if place < self.most {
            self.ids.insert(place, (number, String::from_utf8_lossy(id).into_owned()));
            self.ids.truncate(self.most);
        }
    }

    fn named(self) -> Named {
        let first = self.ids.into_iter().map(|(_, id)| id).collect();
        Named { count: self.count, first }
    }
}

fn part_of(hash: u64, parts: usize) -> usize {
    // The table of a part takes the low and the highest bits; these are others.
    (hash >> 32) as usize % parts
}

/// Appends an answer, with what says which id it is for.
fn put_answer(out: &mut Vec<u8>, id: &[u8], answer: Option<&[u8]>) {
    out.push(check_of(id));
    put_number(out, answer.map_or(0, |answer| answer.len() as u64 + 1));
    out.extend_from_slice(answer.unwrap_or_default());
}

fn read_answer<'a>(left: &mut &'a [u8]) -> Option<(u8, Option<&'a [u8]>)> {
    let (&check, rest) = left.split_first()?;
    *left = rest;
    let Some(length) = take_number(left)?.checked_sub(1) else { return Some((check, None)) };
    let (answer, rest) = left.split_at_checked(usize::try_from(length).ok()?)?;
    *left = rest;
    Some((check, Some(answer)))
}

/// A byte that two ids seldom share: it notices a dataset that changes while it is evaluated.
fn check_of(id: &[u8]) -> u8 {
    id.iter().fold(0x5a, |check: u8, &byte| check.rotate_left(3) ^ byte)
}

fn unwritable(error: &io::Error) -> Problem {
    Problem::new(format!("the predictions do not go through a temporary file: {error}"))
        .with_hint("make room in the results folder")
}

fn damaged() -> Problem {
    Problem::new("a temporary file of the predictions is damaged")
        .with_hint("check the disk of the results folder")
}
