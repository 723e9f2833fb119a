//! Files as they lie on disk: opened, unpacked, split into lines, and their digests.
//!
//! Lines are handed out from the read buffer without a copy, since the datasets of a large
//! evaluation have millions of them.

mod packing;

use std::{
    fs::File,
    io::{self, Cursor, ErrorKind, Read},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{Error, Place, Problem};
use packing::Packing;

/// Size of the read buffer. A line that is longer makes it grow.
const BUFFER: usize = 256 * 1024;

const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// An open file, unpacked and without its byte order mark.
pub(crate) type Input = Box<dyn Read + Send>;

/// SHA-256 of the bytes of a file as they lie on disk, in 64 hexadecimal digits.
pub fn digest(path: &Path) -> Result<String, Error> {
    let mut file = open_file(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; BUFFER];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => hash.update(&buffer[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(&error).of_file(path)),
        }
    }
    Ok(hexadecimal(&hash.finalize()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}

/// The digest of files that are read one after the other: that of the only one, else SHA-256 of the
/// digests of all, each on a line of its own. It says nothing of their names.
pub fn digest_of_all(paths: &[PathBuf]) -> Result<String, Error> {
    if let [path] = paths {
        return digest(path);
    }
    let mut hash = Sha256::new();
    for path in paths {
        hash.update(digest(path)?);
        hash.update("\n");
    }
    Ok(hexadecimal(&hash.finalize()))
}

/// Opens a file; what is packed with gzip or Zstandard is unpacked.
pub(crate) fn open(path: &Path) -> Result<Input, Error> {
    let problem = |error: io::Error| unreadable(&error).of_file(path);
    let (head, file) = peek(open_file(path)?, Packing::HEAD).map_err(problem)?;
    let unpacked: Input = match Packing::of(&head) {
        Some(packing) => packing.unpack(file).map_err(problem)?,
        None => Box::new(file),
    };
    let (head, mut text) = peek(unpacked, BYTE_ORDER_MARK.len()).map_err(problem)?;
    if head == BYTE_ORDER_MARK {
        text = Cursor::new(Vec::new()).chain(text.into_inner().1);
    }
    Ok(Box::new(text))
}

/// Bytes of a file that is neither packed nor marked, so that places in its text are places in the
/// file; `None` for any other, and for what can be read only once.
pub(crate) fn plain_size(path: &Path) -> Option<u64> {
    let file = open_file(path).ok()?;
    let about = file.metadata().ok()?;
    let (head, _) = peek(file, Packing::HEAD).ok()?;
    let packed = Packing::of(&head).is_some();
    let plain = about.is_file() && !packed && !head.starts_with(BYTE_ORDER_MARK);
    plain.then_some(about.len())
}

/// Whether a file is one of Parquet.
pub(crate) fn is_parquet(path: &Path) -> Result<bool, Error> {
    const MAGIC: &[u8] = b"PAR1";
    let (head, _) =
        peek(open_file(path)?, MAGIC.len()).map_err(|error| unreadable(&error).of_file(path))?;
    Ok(head == MAGIC)
}

/// The whole text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|error| unreadable(&error).of_file(path))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..valid];
        let line = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
        let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        not_utf8(valid - start, error.as_bytes()[valid]).at(path, Place::line(line))
    })
}

/// Byte `offset` (from 0) of a line isn't part of any character.
pub(crate) fn not_utf8(offset: usize, byte: u8) -> Problem {
    Problem::new(format!("byte {} of the line (0x{byte:02X}) is not UTF-8", offset + 1))
        .with_hint("convert the file, for example with `iconv -f latin1 -t utf-8`")
}

/// What a failed read means.
pub(crate) fn unreadable(error: &io::Error) -> Problem {
    match error.kind() {
        ErrorKind::UnexpectedEof => Problem::new("the packed data ends early")
            .with_hint("the file is truncated: copy or download it again"),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            Problem::new(format!("the packed data is damaged: {error}"))
                .with_hint("copy or download the file again")
        }
        _ => Problem::new(format!("cannot be read: {error}")),
    }
}

/// A file as it lies on disk.
pub(crate) fn open_file(path: &Path) -> Result<File, Error> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.is_dir(), file)));
    let problem = match opened {
        Ok((false, file)) => return Ok(file),
        Ok((true, _)) => Problem::new("is a folder, expected a file"),
        Err(error) if error.kind() == ErrorKind::NotFound => missing(path),
        Err(error) => Problem::new(format!("cannot be opened: {error}")),
    };
    Err(problem.of_file(path))
}

fn missing(path: &Path) -> Problem {
    let mut message = "no such file".to_owned();
    if let (true, Ok(absolute)) = (path.is_relative(), std::path::absolute(path)) {
        message = format!("no such file (looked for `{}`)", absolute.display());
    }
    let problem = Problem::new(message);
    match similar_file(path) {
        Some(name) => problem.with_hint(format!("the folder has `{name}`")),
        None => problem,
    }
}

/// The file in the same folder whose name is nearest.
fn similar_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = folder.unwrap_or(Path::new(".")).read_dir().ok()?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let near = |name: &&String| strsim::normalized_damerau_levenshtein(name, wanted) >= 0.7;
    names.iter().find(near).cloned()
}

/// The first bytes, at most `length`, and a reader that still gives them.
fn peek<R: Read>(mut reader: R, length: usize) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut head = Vec::new();
    reader.by_ref().take(length as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Cursor::new(head).chain(reader)))
}

type Peeked<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// Some lines of a file with their ends.
pub(crate) struct Block<'a> {
    pub(crate) text: &'a str,
    /// Number of the first of them, from 1.
    pub(crate) first: u64,
}

/// The lines of a file, without their ends.
pub(crate) struct Lines {
    path: PathBuf,
    input: Input,
    buffer: Vec<u8>,
    /// The part of the buffer that is filled and not handed out yet.
    start: usize,
    end: usize,
    number: u64,
}

impl Lines {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let input = open(path)?;
        let path = path.to_owned();
        Ok(Self { path, input, buffer: vec![0; BUFFER], start: 0, end: 0, number: 0 })
    }

    /// The next line as text; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<&str>, Error> {
        let Some((start, end)) = self.advance()? else {
            return Ok(None);
        };
        match simdutf8::compat::from_utf8(&self.buffer[start..end]) {
            Ok(line) => Ok(Some(line)),
            Err(error) => {
                let valid = error.valid_up_to();
                Err(self.error(not_utf8(valid, self.buffer[start + valid])))
            }
        }
    }

    /// The lines that are next, whole and as many as are in the buffer; `None` at the end.
    pub(crate) fn block(&mut self) -> Result<Option<Block<'_>>, Error> {
        let (start, end) = loop {
            let filled = &self.buffer[self.start..self.end];
            if let Some(newline) = memchr::memrchr(b'\n', filled) {
                break (self.start, self.start + newline + 1);
            }
            if self.fill()? == 0 {
                break (self.start, self.end);
            }
        };
        self.start = end;
        let first = self.number + 1;
        let bytes = &self.buffer[start..end];
        match simdutf8::compat::from_utf8(bytes) {
            Ok("") => Ok(None),
            Ok(text) => {
                self.number += memchr::memchr_iter(b'\n', bytes).count() as u64
                    + u64::from(bytes.last() != Some(&b'\n'));
                Ok(Some(Block { text, first }))
            }
            Err(error) => {
                let valid = error.valid_up_to();
                let before = &bytes[..valid];
                let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
                let number = first + memchr::memchr_iter(b'\n', before).count() as u64;
                let problem = not_utf8(valid - line, bytes[valid]);
                Err(problem.at(&self.path, Place::line(number)))
            }
        }
    }

    /// Number of the line that was handed out last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The problem, placed on the current line.
    pub(crate) fn error(&self, problem: Problem) -> Error {
        problem.at(&self.path, Place::line(self.number))
    }

    /// Where the next line stands in the buffer.
    fn advance(&mut self) -> Result<Option<(usize, usize)>, Error> {
        let mut searched = self.start;
        loop {
            let newline = memchr::memchr(b'\n', &self.buffer[searched..self.end]);
            if let Some(length) = newline {
                let line = (self.start, searched + length);
                self.start = searched + length + 1;
                return Ok(Some(self.handed_out(line)));
            }
            let unfinished = self.end - self.start;
            if self.fill()? == 0 {
                let line = (self.start, self.end);
                self.start = self.end;
                return Ok((line.0 < line.1).then(|| self.handed_out(line)));
            }
            searched = self.start + unfinished;
        }
    }

    fn handed_out(&mut self, (start, end): (usize, usize)) -> (usize, usize) {
        self.number += 1;
        let carriage_return = self.buffer[start..end].last() == Some(&b'\r');
        (start, end - usize::from(carriage_return))
    }

    /// Reads more behind what is there; gives the count of new bytes.
    fn fill(&mut self) -> Result<usize, Error> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(length) => {
                    self.end += length;
                    return Ok(length);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let place = Place::line(self.number + 1);
                    return Err(unreadable(&error).at(&self.path, place));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, gzip};

    fn lines(folder: &Folder, content: &[u8]) -> Result<Vec<String>, Error> {
        let mut lines = Lines::open(&folder.write("file", content))?;
        let mut all = Vec::new();
        while let Some(line) = lines.next()? {
            all.push(line.to_owned());
        }
        assert_eq!(lines.number(), all.len() as u64);
        Ok(all)
    }

    #[test]
    fn lines_have_no_ends_and_the_file_no_mark() {
        let folder = Folder::new();
        assert_eq!(lines(&folder, b"\xef\xbb\xbfone\r\n\ntwo").unwrap(), ["one", "", "two"]);
        assert_eq!(lines(&folder, b"").unwrap(), [""; 0]);
        assert_eq!(lines(&folder, b"\n").unwrap(), [""]);
        assert_eq!(lines(&folder, b"\xef\xbb").unwrap_err().place, Some(Place::line(1)));
    }

    #[test]
    fn a_line_may_be_longer_than_the_buffer() {
        let folder = Folder::new();
        let long = "x".repeat(3 * BUFFER);
        let content = format!("a\n{long}\nb\n");
        assert_eq!(lines(&folder, content.as_bytes()).unwrap(), ["a", &long, "b"]);
        assert_eq!(lines(&folder, &gzip(content.as_bytes())).unwrap(), ["a", &long, "b"]);
    }

    #[test]
    fn gzip_is_known_by_its_content_and_may_have_members() {
        let folder = Folder::new();
        let packed = [gzip(b"one\ntw"), gzip(b"o\n")].concat();
        assert_eq!(lines(&folder, &packed).unwrap(), ["one", "two"]);
        let error = lines(&folder, &packed[..packed.len() - 12]).unwrap_err();
        assert_eq!(error.message, "the packed data ends early");
        assert_eq!(error.place, Some(Place::line(2)));
        let mut damaged = gzip("one two three\n".repeat(50).as_bytes());
        damaged[14] ^= 0xff;
        let message = lines(&folder, &damaged).unwrap_err().message;
        assert!(message.starts_with("the packed data is damaged"), "{message}");
    }

    #[test]
    fn frames_of_zstandard_are_known_by_their_content() {
        let folder = Folder::new();
        let pack = |content: &[u8]| zstd::encode_all(content, 0).unwrap();
        let packed = [pack(b"\xef\xbb\xbfone\ntw"), pack(b"o\n")].concat();
        assert_eq!(lines(&folder, &packed).unwrap(), ["one", "two"]);
        let error = lines(&folder, &packed[..packed.len() - 4]).unwrap_err();
        assert_eq!(error.message, "the packed data ends early");
        let mut damaged = pack("one two three\n".repeat(50).as_bytes());
        let last = damaged.len() - 1;
        damaged[last] ^= 0xff;
        let message = lines(&folder, &damaged).unwrap_err().message;
        assert!(message.starts_with("the packed data is damaged"), "{message}");
        damaged.truncate(3);
        assert!(lines(&folder, &damaged).is_err());
        assert_eq!(plain_size(&folder.write("file", &packed)), None);
    }

    #[test]
    fn what_cannot_be_opened_says_why() {
        let folder = Folder::new();
        folder.write("golden.jsonl", b"");
        let error = Lines::open(&folder.path("goldn.jsonl")).err().unwrap();
        assert_eq!(error.message, "no such file");
        assert_eq!(error.hint.as_deref(), Some("the folder has `golden.jsonl`"));
        let error = Lines::open(Path::new("no-such-folder/a.jsonl")).err().unwrap();
        let absolute = std::env::current_dir().unwrap().join("no-such-folder/a.jsonl");
        let expected =
            format!("`no-such-folder/a.jsonl`: no such file (looked for `{}`)", absolute.display());
        assert_eq!(error.to_string(), expected);
        let error = Lines::open(&folder.path("")).err().unwrap();
        assert_eq!(error.message, "is a folder, expected a file");
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let folder = Folder::new();
        let error = lines(&folder, b"one\ncaf\xe9\n").unwrap_err();
        assert_eq!(error.message, "byte 4 of the line (0xE9) is not UTF-8");
        assert_eq!(error.place, Some(Place::line(2)));
        let error = read_text(&folder.write("file", b"one\ncaf\xe9\n")).unwrap_err();
        assert_eq!(error.message, "byte 4 of the line (0xE9) is not UTF-8");
        assert_eq!(error.place, Some(Place::line(2)));
    }

    #[test]
    fn the_digest_is_that_of_the_bytes_on_disk() {
        let folder = Folder::new();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(&folder.write("file", b"abc")).unwrap(), expected);
        assert_ne!(digest(&folder.write("file", gzip(b"abc"))).unwrap(), expected);
    }
}
