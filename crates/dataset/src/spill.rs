//! What is too much for memory: records in one temporary file, parted by a hash of their ids.
//!
//! Each part is small enough to be looked at in memory, and holds its records in the order in which
//! they came. The file has no name, so that it is gone with the process, however that ends.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Bytes of a part that wait in memory, and that are read at once.
const BLOCK: usize = 32 << 10;

/// Records of a file by part.
pub(crate) struct Parts {
    file: Mutex<File>,
    /// Where the next block goes.
    end: u64,
    all: Vec<Part>,
}

/// Whole records of one part.
#[derive(Default)]
struct Part {
    /// Places in the file, and lengths.
    blocks: Vec<(u64, usize)>,
    /// What is not in the file yet.
    buffer: Vec<u8>,
}

/// A place in a part from where it is read.
#[derive(Default)]
pub(crate) struct Cursor {
    /// The next block.
    block: usize,
    /// The block that is being read.
    pub(crate) bytes: Vec<u8>,
}

impl Parts {
    /// So many parts, empty, in a file of that folder.
    pub(crate) fn new(folder: &Path, parts: usize) -> io::Result<Self> {
        let file = Mutex::new(tempfile::tempfile_in(folder)?);
        let all = std::iter::repeat_with(Part::default).take(parts).collect();
        Ok(Self { file, end: 0, all })
    }

    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Appends the record that `write` writes to a part.
    pub(crate) fn push(&mut self, part: usize, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let buffer = &mut self.all[part].buffer;
        write(buffer);
        if buffer.len() >= BLOCK { self.flush(part) } else { Ok(()) }
    }

    /// Ends a part: all of it is in the file.
    pub(crate) fn finish(&mut self, part: usize) -> io::Result<()> {
        self.flush(part)?;
        self.all[part].buffer = Vec::new();
        Ok(())
    }

    /// Ends all parts.
    pub(crate) fn finish_all(&mut self) -> io::Result<()> {
        (0..self.all.len()).try_for_each(|part| self.finish(part))
    }

    /// Puts the next block of a part that is ended into the place of the one before; false at the
    /// end. Blocks hold whole records.
    pub(crate) fn read(&self, part: usize, cursor: &mut Cursor) -> io::Result<bool> {
        let Cursor { block, bytes } = cursor;
        let Some(&(start, length)) = self.all[part].blocks.get(*block) else {
            *bytes = Vec::new();
            return Ok(false);
        };
        *block += 1;
        bytes.resize(length, 0);
        let mut file = self.file();
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(bytes)?;
        Ok(true)
    }

    fn flush(&mut self, part: usize) -> io::Result<()> {
        let Part { blocks, buffer } = &mut self.all[part];
        if buffer.is_empty() {
            return Ok(());
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(buffer)?;
        blocks.push((self.end, buffer.len()));
        self.end += buffer.len() as u64;
        buffer.clear();
        Ok(())
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Appends some bytes and how many they are.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Takes a number that [`put_number`] wrote from the front; `None` where there is none.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Takes the bytes that [`put_bytes`] wrote from the front.
pub(crate) fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take_number(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_a_part_come_back_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut parts = Parts::new(folder.path(), 3).unwrap();
        let record = |number: usize| format!("{number}:").repeat(number % 700 + 1);
        for number in 0..500 {
            parts.push(number % 2, |out| put_bytes(out, record(number).as_bytes())).unwrap();
        }
        // One that is larger than a block.
        let large = vec![7; 5 * BLOCK];
        parts.push(1, |out| put_bytes(out, &large)).unwrap();
        parts.finish_all().unwrap();
        let all = |part: usize| {
            let (mut cursor, mut all) = (Cursor::default(), Vec::new());
            while parts.read(part, &mut cursor).unwrap() {
                let mut bytes = cursor.bytes.as_slice();
                while !bytes.is_empty() {
                    all.push(take_bytes(&mut bytes).unwrap().to_vec());
                }
            }
            all
        };
        let even: Vec<_> = (0..500).step_by(2).map(|n| record(n).into_bytes()).collect();
        let odd = (1..500).step_by(2).map(|n| record(n).into_bytes()).chain([large.clone()]);
        assert_eq!(all(0), even);
        assert_eq!(all(1), odd.collect::<Vec<_>>());
        assert_eq!(all(2), Vec::<Vec<u8>>::new());
        // Nothing is left behind, not even while the file is open.
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn numbers_come_back() {
        let mut out = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        for number in numbers {
            put_number(&mut out, number);
        }
        let mut bytes = out.as_slice();
        assert_eq!(numbers.map(|_| take_number(&mut bytes)), numbers.map(Some));
        assert_eq!((take_number(&mut bytes), take_number(&mut &[0xff; 12][..])), (None, None));
    }
}
