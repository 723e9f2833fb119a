//! Records in memory, and their sorted order.

use std::cmp::Ordering;

use super::record::{self, Key};
use crate::RowError;

/// Records one behind the other.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// Where each record begins.
    starts: Vec<usize>,
    /// Whether the records are in order as they came.
    sorted: bool,
}

/// A record's place in the sorted order: the part of its key that decides most comparisons.
struct SortKey {
    prefix: u64,
    index: usize,
}

impl Buffer {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), starts: Vec::new(), sorted: true }
    }

    /// Appends the record that `encode` writes; nothing if it fails.
    pub(super) fn push(
        &mut self,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<(), RowError>,
    ) -> Result<(), RowError> {
        let start = self.bytes.len();
        if let Err(error) = encode(&mut self.bytes) {
            self.bytes.truncate(start);
            return Err(error);
        }
        if let Some(&last) = self.starts.last() {
            self.sorted = self.sorted && key(&self.bytes[last..]) <= key(&self.bytes[start..]);
        }
        self.starts.push(start);
        Ok(())
    }

    /// Appends the records of another buffer.
    pub(super) fn extend(&mut self, other: &Self) {
        let (Some(&last), Some(&first)) = (self.starts.last(), other.starts.first()) else {
            if other.len() > 0 {
                self.clone_from(other);
            }
            return;
        };
        self.sorted =
            self.sorted && other.sorted && key(&self.bytes[last..]) <= key(&other.bytes[first..]);
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.starts.extend(other.starts.iter().map(|start| start + offset));
    }

    /// Bytes that the buffer takes, with what sorting it will take.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + self.starts.len() * (size_of::<usize>() + size_of::<SortKey>())
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn is_sorted(&self) -> bool {
        self.sorted
    }

    pub(super) fn record(&self, index: usize) -> &[u8] {
        let end = self.starts.get(index + 1).copied().unwrap_or(self.bytes.len());
        &self.bytes[self.starts[index]..end]
    }

    pub(super) fn key(&self, index: usize) -> Key<'_> {
        key(self.record(index))
    }

    /// Indices of the records in the order of their keys; equal keys stay as they came.
    pub(super) fn order(&self) -> Vec<usize> {
        if self.sorted {
            return (0..self.len()).collect();
        }
        let shared = self.shared_prefix();
        let mut keys: Vec<SortKey> = (0..self.len())
            .map(|index| SortKey { prefix: prefix(&self.key(index).0[shared..]), index })
            .collect();
        keys.sort_unstable_by(|a, b| self.compare(a, b));
        keys.into_iter().map(|key| key.index).collect()
    }

    /// Forgets the records and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
        self.sorted = true;
    }

    fn compare(&self, a: &SortKey, b: &SortKey) -> Ordering {
        let whole = || self.key(a.index).cmp(&self.key(b.index)).then(a.index.cmp(&b.index));
        a.prefix.cmp(&b.prefix).then_with(whole)
    }

    /// How many bytes all keys begin with alike: ids of one dataset often share a name.
    fn shared_prefix(&self) -> usize {
        let first = self.key(0).0;
        (1..self.len()).fold(first.len(), |shared, index| {
            let key = self.key(index).0;
            let pairs = first[..shared].iter().zip(key);
            pairs.take_while(|(a, b)| a == b).count()
        })
    }
}

fn key(record: &[u8]) -> Key<'_> {
    record::key(record).expect("a record in memory is as it was encoded")
}

/// The first eight bytes as a number that compares like them. A shorter key is filled with zeros,
/// and equal numbers are decided by the keys themselves.
fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(bytes.len());
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}
