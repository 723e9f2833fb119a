//! The plugin as a program, which may break the talk in every way.

use std::{
    io::{Write, stdin, stdout},
    process::{abort, exit},
    sync::Arc,
    thread,
    time::Duration,
};

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use qeval_sdk::{
    Descriptor, Failure, FailureKind, INTERFACE, InterfaceVersion, Plugin, Query, Reader, Request,
    Retriever,
    core::{Prediction, Ranking},
    program::{
        ANSWER, BATCH, FAILURE, Frame, FrameError, HELLO, Hello, ProgramError, READY, SETUP,
        read_batch, write_batch, write_failure,
    },
};

use crate::Faulty;

/// A kind of frame that there is not.
const UNKNOWN: u8 = 99;

/// Speaks until stdin ends, with what the variant says wrong about it.
pub fn run(variant: &str) -> Result<(), ProgramError> {
    match variant {
        "good" => qeval_sdk::program::run(plugin),
        "slow-start" => {
            thread::sleep(Duration::from_millis(300));
            qeval_sdk::program::run(plugin)
        }
        "components" => qeval_sdk::program::run(|| {
            plugin()
                .retriever("Finds nothing", |_| Ok(Box::new(Idle)))
                .reader("Answers nothing", |_| Ok(Box::new(Idle)))
        }),
        "panics-at-start" => qeval_sdk::program::run(|| panic!("no scorer today")),
        _ => Talk { variant, last: None }.run(),
    }
}

fn plugin() -> Plugin {
    Plugin::of::<Faulty>()
}

/// A retriever and a reader that give nothing, or do what the question says.
#[derive(Debug)]
struct Idle;

impl Idle {
    fn hear(question: &str) {
        match question {
            "abort" => abort(),
            "loop" => sleep_for_ever(),
            _ => {}
        }
    }
}

impl Retriever for Idle {
    fn descriptor(&self) -> Descriptor {
        Descriptor::new("idle", "0.1.0", "Finds nothing")
    }

    fn retrieve(&self, queries: &[Query<'_>], _: usize) -> Vec<Result<Option<Ranking>, Failure>> {
        queries.iter().map(|query| Self::hear(query.text)).map(|()| Ok(None)).collect()
    }
}

impl Reader for Idle {
    fn descriptor(&self) -> Descriptor {
        Descriptor::new("idle", "0.1.0", "Answers nothing")
    }

    fn read(&self, requests: &[Request<'_>]) -> Vec<Result<Option<Prediction>, Failure>> {
        let questions = requests.iter().map(|request| request.example.question.as_str());
        questions.map(Self::hear).map(|()| Ok(None)).collect()
    }
}

/// A talk without the safe streams of the kit.
struct Talk<'a> {
    variant: &'a str,
    /// The last answer of one that repeats itself.
    last: Option<Frame>,
}

impl Talk<'_> {
    fn run(mut self) -> Result<(), ProgramError> {
        self.greet()?;
        while let Some(frame) = Frame::read(stdin().lock())? {
            match frame.kind {
                SETUP => self.set_up(frame.number)?,
                BATCH => self.answer(frame.number, frame.payload)?,
                _ => say(&Frame::new(UNKNOWN, "").numbered(frame.number))?,
            }
        }
        Ok(())
    }

    fn greet(&self) -> Result<(), ProgramError> {
        let hello = Hello::of(&plugin().descriptor(""));
        let of_version = |interface| Hello { interface, ..hello.clone() }.to_json();
        let InterfaceVersion { major, minor } = INTERFACE;
        match self.variant {
            "prints-first" => shout("Hello, world\n"),
            "exits-at-start" => leave(),
            "never-starts" => sleep_for_ever(),
            "unknown-greeting" => say(&Frame::new(UNKNOWN, hello.to_json()))?,
            "greeting-without-json" => say(&Frame::new(HELLO, "Traceback"))?,
            "greeting-without-plugin" => {
                let json = br#"{"interface": {"major": 1, "minor": 1}}"#;
                say(&Frame::new(HELLO, *json))?;
            }
            "other-version" => {
                say(&Frame::new(HELLO, of_version(InterfaceVersion { major: major + 1, minor })))?;
            }
            "newer-version" => {
                say(&Frame::new(HELLO, of_version(InterfaceVersion { major, minor: minor + 1 })))?;
            }
            _ => say(&Frame::new(HELLO, hello.to_json()))?,
        }
        Ok(())
    }

    fn set_up(&self, number: u32) -> Result<(), ProgramError> {
        let say = |frame: Frame| say(&frame.numbered(number));
        match self.variant {
            "refuses-setup" => {
                let failure = Failure::new(FailureKind::Refused, "no such dictionary");
                say(Frame::new(FAILURE, write_failure(&failure)))
            }
            "unknown-setup" => say(Frame::new(UNKNOWN, "")),
            "never-ready" => sleep_for_ever(),
            _ => say(Frame::new(READY, "")),
        }
    }

    fn answer(&mut self, number: u32, payload: Vec<u8>) -> Result<(), ProgramError> {
        let batch = read_batch(payload).ok();
        let rows = batch.as_ref().map_or(0, RecordBatch::num_rows);
        let right: ArrayRef = Arc::new(Float64Array::from(vec![0.25; rows]));
        let say = |frame: Frame| say(&frame.numbered(number));
        match self.variant {
            "prints-in-a-call" => shout("loading the model\n"),
            "unknown-answer" => say(Frame::new(UNKNOWN, ""))?,
            "half-a-frame" => {
                shout("\u{10}\0\0\0\u{2}\0\0\0\u{3}\0\0\0abc");
                sleep_for_ever();
            }
            "half-a-frame-and-the-end" => {
                shout("\u{10}\0\0\0\u{2}\0\0\0\u{3}\0\0\0abc");
                leave();
            }
            "huge-frame" => {
                let mut stdout = stdout().lock();
                stdout.write_all(&[0xff; 12]).map_err(FrameError::Io)?;
                stdout.flush().map_err(FrameError::Io)?;
            }
            "garbage" => say(Frame::new(ANSWER, vec![0xA5; 1000]))?,
            "empty-stream" => say(Frame::new(ANSWER, ""))?,
            "cut-stream" => {
                let mut whole = stream("n", right);
                whole.truncate(whole.len() / 2);
                say(Frame::new(ANSWER, whole))?;
            }
            "wrong-type" => {
                let column = Arc::new(Int64Array::from(vec![1; rows]));
                say(Frame::new(ANSWER, stream("n", column)))?;
            }
            "wrong-rows" => {
                let column = Arc::new(Float64Array::from(vec![0.25; rows + 1]));
                say(Frame::new(ANSWER, stream("n", column)))?;
            }
            "wrong-column" => say(Frame::new(ANSWER, stream("m", right)))?,
            "two-answers" => {
                say(Frame::new(ANSWER, stream("n", right.clone())))?;
                say(Frame::new(ANSWER, stream("n", right)))?;
            }
            "repeats-itself" => {
                let predictions =
                    batch.as_ref().and_then(|batch| batch.column_by_name("prediction"));
                let texts =
                    predictions.and_then(|column| column.as_any().downcast_ref::<StringArray>());
                let numbers: Float64Array =
                    texts.into_iter().flatten().map(|text| text?.parse().ok()).collect();
                let answer = Frame::new(ANSWER, stream("n", Arc::new(numbers))).numbered(number);
                // The second time it comes just after the next question, so that nobody sees it before.
                let last = self.last.replace(answer.clone());
                last.iter().chain([&answer]).try_for_each(self::say)?;
            }
            "out-of-memory" => {
                let failure = Failure::new(FailureKind::Memory, "MemoryError");
                say(Frame::new(FAILURE, write_failure(&failure)))?;
            }
            "failure-without-json" => say(Frame::new(FAILURE, "oh no"))?,
            _ => say(Frame::new(ANSWER, stream("n", right)))?,
        }
        Ok(())
    }
}

fn stream(name: &str, column: ArrayRef) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable([(name, column, true)]);
    write_batch(&batch.expect("one column is a batch")).expect("a batch can be written")
}

fn say(frame: &Frame) -> Result<(), ProgramError> {
    Ok(frame.write(stdout().lock())?)
}

fn shout(text: &str) {
    let mut stdout = stdout().lock();
    // Nobody may be left to hear it.
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

#[expect(clippy::disallowed_methods, reason = "what a plugin must not do")]
fn leave() -> ! {
    exit(7)
}

fn sleep_for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(1));
    }
}
