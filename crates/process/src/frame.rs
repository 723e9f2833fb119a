//! Frames: a length, a number, a kind and bytes.
//!
//! A frame is a header of 12 bytes and the payload. The header is the length of the payload and a
//! number, four bytes each and the lowest first, one byte for the kind, and three that are zero. A
//! question has a number, counted from 1, and its answer has the same; what a program says by itself
//! has 0. What the kinds mean is the business of the two sides.

use std::io::{self, Read, Write};

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// The most bytes that a payload may have: 256 MiB. A longer one is an error on both sides, so
/// that a program that writes something else does not make us wait for gigabytes.
pub const LARGEST_FRAME: usize = 256 << 20;

const HEADER: usize = 12;

/// How much of a text in place of a frame is shown, in bytes.
const SHOWN: usize = 60;

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub kind: u8,
    /// Of which question it is, or which it answers; 0 for none.
    pub number: u32,
    /// Its content.
    pub payload: Vec<u8>,
}

/// A frame that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The pipe failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The stream ended inside a frame.
    #[error("the stream ended inside a frame")]
    Cut,
    /// The payload is above [`LARGEST_FRAME`].
    #[error("a frame of {0} bytes is above the limit of {LARGEST_FRAME}")]
    TooLarge(usize),
    /// There is text.
    #[error("it printed `{0}` on stdout, where only frames may be")]
    Text(String),
    /// There is something else.
    #[error("the header of a frame does not end with three zero bytes")]
    Header,
    /// It answers another question.
    #[error("{}", out_of_step(*.answered, *.asked))]
    OutOfStep {
        /// The number that it has.
        answered: u32,
        /// The number that it must have.
        asked: u32,
    },
}

fn out_of_step(answered: u32, asked: u32) -> String {
    match (answered, asked) {
        (_, 0) => format!("it answered question {answered} when none was asked"),
        (0, _) => format!("it did not say that it answers question {asked}"),
        _ => format!("it answered question {answered} when {asked} was asked"),
    }
}

/// What stands before a payload.
struct Header {
    length: usize,
    number: u32,
    kind: u8,
}

impl Frame {
    /// A frame of this kind, without a number.
    pub fn new(kind: u8, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, number: 0, payload: payload.into() }
    }

    /// The same with this number.
    #[must_use]
    pub fn numbered(self, number: u32) -> Self {
        Self { number, ..self }
    }

    /// Writes the frame, and sends it on its way.
    pub fn write(&self, mut to: impl Write) -> Result<(), FrameError> {
        to.write_all(&self.header(self.number)?)?;
        to.write_all(&self.payload)?;
        Ok(to.flush()?)
    }

    /// Reads one frame; `None` at the end of the stream.
    pub fn read(mut from: impl Read) -> Result<Option<Self>, FrameError> {
        let mut header = Vec::with_capacity(HEADER);
        from.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
        if header.is_empty() {
            return Ok(None);
        }
        let header = Header::parse(&header, &[])?;
        let mut payload = Vec::new();
        from.take(header.length as u64).read_to_end(&mut payload)?;
        header.with(payload).map(Some)
    }

    /// Reads the frame that answers the question of this number, without blocking. What is no such
    /// frame is found out by its header, because its payload may never come.
    pub(crate) async fn receive(
        mut from: impl AsyncBufRead + Unpin,
        asked: u32,
    ) -> Result<Option<Self>, FrameError> {
        let mut begin = Vec::with_capacity(HEADER);
        let header = loop {
            let chunk = from.fill_buf().await?;
            if chunk.is_empty() && begin.is_empty() {
                return Ok(None);
            }
            let taken = chunk.len().min(HEADER - begin.len());
            let (more, rest) = chunk.split_at(taken);
            begin.extend_from_slice(more);
            if begin.len() == HEADER || more.is_empty() || is_too_large(&begin) {
                let header = Header::parse(&begin, rest)?;
                if header.number != asked {
                    return Err(header.out_of_step(asked, &begin, rest));
                }
                from.consume(taken);
                break header;
            }
            from.consume(taken);
        };
        // What is announced may never come: room for much of it is made only as it does.
        let mut payload = Vec::with_capacity(header.length.min(1 << 20));
        from.take(header.length as u64).read_to_end(&mut payload).await?;
        header.with(payload).map(Some)
    }

    /// The header of the frame with this number.
    pub(crate) fn header(&self, number: u32) -> Result<[u8; HEADER], FrameError> {
        let length = self.payload.len();
        let told = u32::try_from(length).ok().filter(|_| length <= LARGEST_FRAME);
        let mut header = [0; HEADER];
        header[..4].copy_from_slice(&told.ok_or(FrameError::TooLarge(length))?.to_le_bytes());
        header[4..8].copy_from_slice(&number.to_le_bytes());
        header[8] = self.kind;
        Ok(header)
    }
}

impl Header {
    /// Reads a header, or as much of it as there is, and says what is there instead: `rest` is what
    /// follows.
    fn parse(bytes: &[u8], rest: &[u8]) -> Result<Self, FrameError> {
        let wrong = |error| text(bytes, rest, 2).map_or(error, FrameError::Text);
        if is_too_large(bytes) {
            return Err(wrong(FrameError::TooLarge(length(bytes).unwrap_or(usize::MAX))));
        }
        let &[_, _, _, _, ref number @ .., kind, 0, 0, 0] = bytes else {
            let cut = bytes.len() < HEADER;
            return Err(if cut { FrameError::Cut } else { wrong(FrameError::Header) });
        };
        let number = u32::from_le_bytes(*number.first_chunk().ok_or(FrameError::Cut)?);
        Ok(Self { length: length(bytes).unwrap_or(usize::MAX), number, kind })
    }

    /// Why this is not what was asked for.
    fn out_of_step(&self, asked: u32, bytes: &[u8], rest: &[u8]) -> FrameError {
        let error = FrameError::OutOfStep { answered: self.number, asked };
        // A length may look like text by chance, but hardly all of it.
        text(bytes, rest, 4).map_or(error, FrameError::Text)
    }

    fn with(self, payload: Vec<u8>) -> Result<Frame, FrameError> {
        let Self { length, number, kind } = self;
        if payload.len() == length {
            Ok(Frame { kind, number, payload })
        } else {
            Err(FrameError::Cut)
        }
    }
}

fn length(header: &[u8]) -> Option<usize> {
    let bytes = *header.first_chunk()?;
    Some(usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX))
}

fn is_too_large(header: &[u8]) -> bool {
    length(header).is_some_and(|length| length > LARGEST_FRAME)
}

/// The first line of what begins like this, where at least so many bytes are text.
fn text(header: &[u8], rest: &[u8], least: usize) -> Option<String> {
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    // A text that is shorter than a header may have a frame after it.
    let all: Vec<u8> = header.iter().chain(rest).copied().take_while(is_text).collect();
    if all.len() < least {
        return None;
    }
    let line = str::from_utf8(&all).ok()?.trim_start().lines().next()?.trim_end();
    Some(match line.get(..SHOWN) {
        Some(begin) if begin.len() < line.len() => format!("{begin}…"),
        _ => line.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Option<Frame>, String> {
        Frame::read(bytes).map_err(|error| error.to_string())
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        let frames = [
            Frame::new(7, "hello").numbered(u32::MAX),
            Frame::new(0, ""),
            Frame::new(255, [0; 300]).numbered(1),
        ];
        let mut bytes = Vec::new();
        for frame in &frames {
            frame.write(&mut bytes).unwrap();
        }
        let mut rest = &bytes[..];
        for frame in &frames {
            assert_eq!(Frame::read(&mut rest).unwrap().as_ref(), Some(frame));
        }
        assert_eq!(read(rest), Ok(None));
    }

    #[test]
    fn a_cut_or_huge_frame_is_an_error() {
        assert_eq!(read(&[1, 0, 0]), Err("the stream ended inside a frame".to_owned()));
        let cut = [2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9];
        assert_eq!(read(&cut), Err("the stream ended inside a frame".to_owned()));
        assert_eq!(
            read(&[0xff; 12]),
            Err("a frame of 4294967295 bytes is above the limit of 268435456".to_owned())
        );
        assert_eq!(
            read(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0]),
            Err("the header of a frame does not end with three zero bytes".to_owned())
        );
    }

    #[test]
    fn text_in_place_of_a_frame_is_shown() {
        let printed =
            |text: &str| Err(format!("it printed `{text}` on stdout, where only frames may be"));
        assert_eq!(read(b"Hello, world\n"), printed("Hello, world"));
        assert_eq!(read(b"Hello\nworld, how are you"), printed("Hello"));
        // A short text before a frame.
        assert_eq!(read(b"Hi\n\x05\0\0\0\0\0\0\0\x01\0\0\0"), printed("Hi"));
    }

    #[test]
    fn an_answer_to_another_question_is_found_out_by_its_header() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let receive = |bytes: &[u8], asked| {
            runtime.block_on(Frame::receive(bytes, asked)).map_err(|error| error.to_string())
        };
        let mut bytes = Vec::new();
        let frame = Frame::new(3, "abc").numbered(2);
        frame.write(&mut bytes).unwrap();
        assert_eq!(receive(&bytes, 2), Ok(Some(frame)));
        // There is no more than the header.
        let header = &bytes[..HEADER];
        for (asked, message) in [
            (3, "it answered question 2 when 3 was asked"),
            (0, "it answered question 2 when none was asked"),
            (2, "the stream ended inside a frame"),
        ] {
            assert_eq!(receive(header, asked), Err(message.to_owned()));
        }
        assert_eq!(
            receive(&[0; 12], 7),
            Err("it did not say that it answers question 7".to_owned())
        );
        let mut text = b"foo\n".to_vec();
        text.extend_from_slice(&[5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
        let printed = "it printed `foo` on stdout, where only frames may be";
        assert_eq!(receive(&text, 0), Err(printed.to_owned()));
        let long = format!("{}\n", "x".repeat(100));
        let printed =
            format!("it printed `{}…` on stdout, where only frames may be", "x".repeat(60));
        assert_eq!(receive(long.as_bytes(), 0), Err(printed));
    }
}
