//! A plugin that misbehaves on demand, for the tests of the plugin boundary.
//!
//! What goes wrong with a batch is said by a prediction in it, see [`Faulty::score`]; otherwise the
//! score is the number that the prediction is. What is wrong with the library as a whole is said
//! by its file name: the tests copy it under the name that they need. As a program it is told what
//! is wrong by its argument, see [`program`].
#![expect(unsafe_code, reason = "to be faulty, a plugin has to go around the safe interface")]

pub mod program;

use std::{
    ffi::{CStr, OsStr, c_void},
    mem::MaybeUninit,
    os::unix::ffi::OsStrExt,
    path::Path,
    process, ptr,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, StructArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi},
};
use qeval_sdk::{
    Descriptor, Failure, FailureKind, Input, Merge, Merged, MetricDescriptor, Plugin, Scorer,
    Scores,
    abi::{self, Call, ErrorBuffer, Library, State, Table},
    core::{Case, Score, Unscored},
};

/// The scorer.
#[derive(Debug)]
pub struct Faulty {
    metrics: Vec<MetricDescriptor>,
}

impl Default for Faulty {
    fn default() -> Self {
        let metric = |name: &str| MetricDescriptor::new(name, "the number that the prediction is");
        let metrics = match variant().as_str() {
            "panicking" => panic!("no scorer today"),
            "exits-at-start" => exit(),
            "never-starts" => loop_for_ever(),
            "slow-start" => {
                thread::sleep(Duration::from_millis(300));
                vec![metric("n")]
            }
            "clashing" => vec![metric("a_b"), metric("a-b")],
            "costly" => vec![MetricDescriptor { higher_is_better: false, ..metric("n") }],
            variant if variant.starts_with("pooled") => vec![metric("n").pooling(&[
                ("sum", Merge::Sum),
                ("low", Merge::Min),
                ("high", Merge::Max),
                ("all", Merge::List),
            ])],
            _ => vec![metric("n")],
        };
        Self { metrics }
    }
}

impl Scorer for Faulty {
    fn descriptor(&self) -> Descriptor {
        Descriptor::new("faulty", "0.1.0", "Misbehaves on demand")
    }

    fn metrics(&self) -> &[MetricDescriptor] {
        &self.metrics
    }

    fn inputs(&self) -> Vec<Input> {
        vec![Input::Prediction]
    }

    fn score(&self, cases: &[Case<'_>]) -> Result<Scores, Failure> {
        let mut scores: Vec<Score> = cases.iter().map(score).collect();
        for case in cases {
            match case.prediction_text() {
                "panic" => panic!("this is too much"),
                "abort" => process::abort(),
                "exit" => exit(),
                "segfault" => read_from_nowhere(),
                "loop" => loop_for_ever(),
                "hog" => take_memory(),
                "print" => shout("hello from the plugin"),
                "refuse" => return Err(Failure::new(FailureKind::Refused, "not in the mood")),
                "wrong rows" => scores.truncate(1),
                "no columns" => return Ok(Scores::default()),
                _ => {}
            }
        }
        let statistics: Vec<Vec<Vec<f64>>> =
            self.metrics.iter().map(|metric| numbers(&scores, metric.statistics.len())).collect();
        Ok(Scores { columns: vec![scores], statistics, parts: Vec::new() })
    }

    /// What the example with the lowest id has, together with a quarter of each other number: all of
    /// them matter.
    fn finish(&self, _: usize, groups: &[Merged]) -> Result<Vec<Option<f64>>, Failure> {
        match variant().as_str() {
            "pooled-refusing" => Err(Failure::new(FailureKind::Refused, "no total today")),
            "pooled-panicking" => panic!("this is too much in total"),
            "pooled-far" => Ok(vec![Some(7.0); groups.len()]),
            "pooled-short" => Ok(Vec::new()),
            "pooled-alone" if groups.len() > 1 => {
                Err(Failure::new(FailureKind::Refused, "one at a time"))
            }
            _ => Ok(groups.iter().map(total).map(Some).collect()),
        }
    }
}

/// Each of so many statistics of an example is its score.
fn numbers(scores: &[Score], statistics: usize) -> Vec<Vec<f64>> {
    let values: Vec<f64> =
        scores.iter().map(|score| score.as_ref().copied().unwrap_or_default()).collect();
    vec![values; statistics]
}

fn total(group: &Merged) -> f64 {
    let [sum, low, high, all] = [0, 1, 2, 3].map(|statistic: usize| &group.statistics[statistic]);
    assert_eq!(all.len() as u64, group.n, "a list has a value for each example");
    0.25 * (all[0] + low[0] + high[0] + sum[0] / group.n as f64)
}

fn score(case: &Case<'_>) -> Score {
    let text = case.prediction_text();
    match text.parse() {
        Ok(number) => Ok(number),
        Err(_) if text.is_empty() => Ok(0.5),
        Err(_) if text == "process" => Err(Unscored::NotApplicable(process::id().to_string())),
        Err(_) => Err(Unscored::NotApplicable(format!("`{text}` is no number"))),
    }
}

#[expect(clippy::disallowed_methods, reason = "what a plugin must not do")]
fn exit() -> ! {
    process::exit(7);
}

fn read_from_nowhere() {
    let nowhere = ptr::without_provenance::<u8>(64);
    // SAFETY: none; the process is meant to end here.
    let _ = unsafe { nowhere.read_volatile() };
}

fn loop_for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Takes more and more, but not all that a machine has.
fn take_memory() {
    let mut taken = Vec::new();
    for _ in 0..1024 {
        taken.push(vec![1_u8; 1 << 20]);
        thread::sleep(Duration::from_millis(1));
    }
}

#[expect(clippy::print_stdout, reason = "what a plugin should not do")]
fn shout(text: &str) {
    println!("{text}");
}

/// The file name of this library without what the system puts around it.
fn variant() -> String {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    let here: extern "C" fn() -> *const Table = qeval_plugin_entry_v1;
    // SAFETY: the address is in this library, and the struct is filled where the call succeeds.
    let path = unsafe {
        if libc::dladdr(here as *const c_void, info.as_mut_ptr()) == 0 {
            return String::new();
        }
        CStr::from_ptr(info.assume_init().dli_fname)
    };
    let stem = Path::new(OsStr::from_bytes(path.to_bytes())).file_stem().unwrap_or_default();
    stem.to_string_lossy().trim_start_matches("lib").to_owned()
}

/// The library as it would be without its faults.
struct Good;

impl Library for Good {
    fn plugin() -> Plugin {
        Plugin::of::<Faulty>()
    }

    fn state() -> &'static State {
        static STATE: State = State::new();
        &STATE
    }

    fn authors() -> &'static str {
        "nobody"
    }
}

#[unsafe(no_mangle)]
extern "C" fn qeval_plugin_entry_v1() -> *const Table {
    static FAULTY: OnceLock<Table> = OnceLock::new();
    let good = abi::entry::<Good>();
    if variant() == "no-table" {
        return ptr::null();
    }
    // SAFETY: the table lives for ever.
    FAULTY.get_or_init(|| faulty(unsafe { *good }))
}

fn faulty(table: Table) -> Table {
    const NO_JSON: &str = "{\"name\": \"faulty\"";
    match variant().as_str() {
        "other-version" => Table { abi_major: 2, ..table },
        "newer-version" => Table { abi_minor: table.abi_minor + 1, ..table },
        "wrong-magic" => Table { magic: 0, ..table },
        "short-table" => Table { struct_size: 40, ..table },
        "no-functions" => Table { create: None, ..table },
        "no-descriptor" => Table { descriptor: ptr::null(), ..table },
        "bad-descriptor" => {
            Table { descriptor: NO_JSON.as_ptr(), descriptor_length: NO_JSON.len(), ..table }
        }
        "wrong-type" => answering(table, answer::<WrongType>),
        "no-struct" => answering(table, answer::<NoStruct>),
        "short-column" => answering(table, answer::<ShortColumn>),
        "twice" => answering(table, answer::<Twice>),
        "no-answer" => answering(table, no_answer),
        _ => table,
    }
}

fn answering(table: Table, call: Call) -> Table {
    Table { call: Some(call), ..table }
}

/// An answer that is made without regard to the cases, except for their number.
trait Answer {
    fn give(rows: usize) -> (FFI_ArrowArray, FFI_ArrowSchema);
}

struct WrongType;
struct NoStruct;
struct ShortColumn;
struct Twice;

impl Answer for WrongType {
    fn give(rows: usize) -> (FFI_ArrowArray, FFI_ArrowSchema) {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![1; rows]));
        to_ffi(&column_struct(column).into_data()).expect("integers have a C form")
    }
}

impl Answer for NoStruct {
    fn give(rows: usize) -> (FFI_ArrowArray, FFI_ArrowSchema) {
        to_ffi(&Float64Array::from(vec![1.0; rows]).into_data()).expect("numbers have a C form")
    }
}

impl Answer for ShortColumn {
    fn give(rows: usize) -> (FFI_ArrowArray, FFI_ArrowSchema) {
        let data = column_struct(Arc::new(Float64Array::from(vec![1.0]))).into_data();
        // SAFETY: none; the column is too short, which is the point.
        let data = unsafe { data.into_builder().len(rows).build_unchecked() };
        to_ffi(&data).expect("numbers have a C form")
    }
}

impl Answer for Twice {
    fn give(rows: usize) -> (FFI_ArrowArray, FFI_ArrowSchema) {
        let column: ArrayRef = Arc::new(Float64Array::from(vec![1.0; rows]));
        let columns = vec![("n", Arc::clone(&column)), ("n", column)];
        let table = StructArray::try_from(columns).expect("the lengths are equal");
        to_ffi(&table.into_data()).expect("numbers have a C form")
    }
}

fn column_struct(column: ArrayRef) -> StructArray {
    StructArray::try_from(vec![("n", column)]).expect("one column is a struct")
}

unsafe extern "C" fn answer<A: Answer>(
    _: *mut c_void,
    array: *mut FFI_ArrowArray,
    _: *mut FFI_ArrowSchema,
    out_array: *mut FFI_ArrowArray,
    out_schema: *mut FFI_ArrowSchema,
    _: *mut ErrorBuffer,
) -> i32 {
    // SAFETY: the host passes good pointers; what is left in the inputs it releases itself.
    unsafe {
        let (answer, schema) = A::give((*array).len());
        out_array.write(answer);
        out_schema.write(schema);
    }
    abi::STATUS_OK
}

unsafe extern "C" fn no_answer(
    _: *mut c_void,
    _: *mut FFI_ArrowArray,
    _: *mut FFI_ArrowSchema,
    _: *mut FFI_ArrowArray,
    _: *mut FFI_ArrowSchema,
    _: *mut ErrorBuffer,
) -> i32 {
    abi::STATUS_OK
}
