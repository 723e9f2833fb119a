//! The boundary: what a plugin library exports, in C.
//!
//! A library has one symbol, [`ENTRY`], a function that returns a [`Table`]; nothing else is looked
//! up by name. Only C structs and the Arrow C data interface cross, so the two sides may be built
//! by different compilers, with different versions of everything, and in different languages:
//!
//! ```c
//! typedef struct { uint8_t *text; size_t capacity; size_t length; } QevalError;
//! typedef struct {
//!   uint64_t magic;                                  /* "qevalplg" */
//!   uint32_t struct_size, abi_major, abi_minor, reserved;
//!   const uint8_t *descriptor; size_t descriptor_length;          /* JSON, UTF-8 */
//!   int32_t (*create)(const uint8_t *options, size_t options_length, void **instance, QevalError *error);
//!   int32_t (*call)(void *instance, struct ArrowArray *in, struct ArrowSchema *in_schema,
//!                   struct ArrowArray *out, struct ArrowSchema *out_schema, QevalError *error);
//!   void (*destroy)(void *instance);
//! } QevalTable;
//! const QevalTable *qeval_plugin_entry_v1(void);
//! ```
//!
//! Rules:
//!
//! - The table and the descriptor live as long as the process. Libraries are never unloaded.
//! - The struct only grows at its end; a field is read only where `struct_size` reaches it.
//! - Inputs are moved: the plugin releases them, also when it fails. Outputs are written only when
//!   the status is 0, and belong to the host then. Each side frees what it made.
//! - An error is written into the host's buffer as UTF-8, cut where the buffer ends; no allocator
//!   crosses.
//! - Nothing unwinds across: a panic is caught on its own side and becomes [`STATUS_CRASH`].
//! - Where the descriptor says `thread_safe`, one instance is called from several threads at once.
//!
//! A batch of cases is laid out as [`batch`] says, one of scores as
//! [`answer`] says.
#![expect(unsafe_code, reason = "this file is the boundary to other languages")]

use std::{
    any::Any,
    cell::{Cell, RefCell},
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, slice,
    sync::{Once, OnceLock},
};

use arrow_array::{
    Array, RecordBatch, StructArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi},
};

use crate::{Failure, FailureKind, INTERFACE, PluginDescriptor, Scorer, answer, batch};

/// Name of the one symbol that a plugin library exports.
pub const ENTRY: &str = "qeval_plugin_entry_v1";

/// Type of that symbol.
pub type Entry = unsafe extern "C" fn() -> *const Table;

/// The first eight bytes of every table.
pub const MAGIC: u64 = u64::from_le_bytes(*b"qevalplg");

/// All went well.
pub const STATUS_OK: i32 = 0;
/// The plugin says itself that it could not.
pub const STATUS_REFUSED: i32 = 1;
/// The plugin panicked.
pub const STATUS_CRASH: i32 = 2;
/// The two sides do not understand each other.
pub const STATUS_PROTOCOL: i32 = 3;
/// A value is not what it must be.
pub const STATUS_VALUE: i32 = 4;
/// Something that the plugin waited for took too long.
pub const STATUS_TIMEOUT: i32 = 5;
/// The plugin used more memory than it may.
pub const STATUS_MEMORY: i32 = 6;

/// A buffer of the host that takes the text of an error.
#[derive(Debug)]
#[repr(C)]
pub struct ErrorBuffer {
    /// Where the text is written.
    pub text: *mut u8,
    /// Bytes that fit.
    pub capacity: usize,
    /// Bytes that were written.
    pub length: usize,
}

/// Makes an instance. `options` is a JSON object.
pub type Create = unsafe extern "C" fn(
    options: *const u8,
    options_length: usize,
    instance: *mut *mut c_void,
    error: *mut ErrorBuffer,
) -> i32;

/// Answers a batch with a batch.
pub type Call = unsafe extern "C" fn(
    instance: *mut c_void,
    array: *mut FFI_ArrowArray,
    schema: *mut FFI_ArrowSchema,
    out_array: *mut FFI_ArrowArray,
    out_schema: *mut FFI_ArrowSchema,
    error: *mut ErrorBuffer,
) -> i32;

/// Ends an instance.
pub type Destroy = unsafe extern "C" fn(instance: *mut c_void);

/// What a plugin library is: plain data and four functions. One of the first three is `None` only in a
/// library that is broken.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Table {
    /// [`MAGIC`].
    pub magic: u64,
    /// Bytes of the table in the version of the plugin.
    pub struct_size: u32,
    /// Major version of the interface.
    pub abi_major: u32,
    /// Minor version of the interface.
    pub abi_minor: u32,
    /// Zero.
    pub reserved: u32,
    /// A [`PluginDescriptor`] as JSON, or `{"error": "why there is no plugin"}`.
    pub descriptor: *const u8,
    /// Its bytes.
    pub descriptor_length: usize,
    /// Makes an instance.
    pub create: Option<Create>,
    /// Answers a batch with a batch.
    pub call: Option<Call>,
    /// Ends an instance.
    pub destroy: Option<Destroy>,
    /// Makes numbers of merged statistics. Since 1.1; null where no metric is pooled.
    pub finish: Option<Call>,
}

// SAFETY: nothing writes to a table or to its descriptor after it was made.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// Makes a scorer the plugin of this library. The type implements [`Scorer`] and [`Default`]. The
/// first page of this crate has a whole plugin.
#[macro_export]
macro_rules! export_scorer {
    ($scorer:ty) => {
        #[cfg(not(panic = "unwind"))]
        ::core::compile_error!(
            "a plugin must be built with panic = \"unwind\": with \"abort\", a panic in it would \
             end the process that uses it"
        );

        const _: () = {
            static TABLE: ::std::sync::OnceLock<$crate::abi::Table> = ::std::sync::OnceLock::new();

            #[unsafe(no_mangle)]
            extern "C" fn qeval_plugin_entry_v1() -> *const $crate::abi::Table {
                $crate::abi::entry::<$scorer>(&TABLE, ::core::env!("CARGO_PKG_AUTHORS"))
            }
        };
    };
}

/// The table of a scorer, made on the first call. For [`export_scorer`].
pub fn entry<S: Scorer + Default + 'static>(
    table: &'static OnceLock<Table>,
    authors: &str,
) -> *const Table {
    table.get_or_init(|| self::table::<S>(authors))
}

/// The table of a scorer. One that cannot be made has a table, too, which says why.
fn table<S: Scorer + Default + 'static>(authors: &str) -> Table {
    let json = caught(|| {
        let descriptor = PluginDescriptor::of(&S::default(), authors);
        Ok(serde_json::to_vec(&descriptor).expect("a descriptor has only text keys"))
    });
    let json = json.unwrap_or_else(|failure| {
        serde_json::json!({ "error": failure.message }).to_string().into_bytes()
    });
    let json: &'static [u8] = json.leak();
    Table {
        magic: MAGIC,
        struct_size: u32::try_from(size_of::<Table>()).expect("a table is small"),
        abi_major: INTERFACE.major,
        abi_minor: INTERFACE.minor,
        reserved: 0,
        descriptor: json.as_ptr(),
        descriptor_length: json.len(),
        create: Some(create::<S>),
        call: Some(call::<S>),
        destroy: Some(destroy::<S>),
        finish: None,
    }
}

unsafe extern "C" fn create<S: Scorer + Default + 'static>(
    options: *const u8,
    options_length: usize,
    instance: *mut *mut c_void,
    error: *mut ErrorBuffer,
) -> i32 {
    // SAFETY: the host passes a buffer that is valid during this call.
    let error = unsafe { error.as_mut() };
    guarded(error, || {
        let options = if options.is_null() {
            &[]
        } else {
            // SAFETY: the host passes that many bytes, valid during this call.
            unsafe { slice::from_raw_parts(options, options_length) }
        };
        if !matches!(options.trim_ascii(), b"" | b"{}") {
            return Err(Failure::new(FailureKind::Refused, "the plugin takes no options"));
        }
        let scorer = Box::into_raw(Box::new(S::default()));
        // SAFETY: the host passes a place for one pointer.
        unsafe { instance.write(scorer.cast()) };
        Ok(())
    })
}

unsafe extern "C" fn call<S: Scorer + 'static>(
    instance: *mut c_void,
    array: *mut FFI_ArrowArray,
    schema: *mut FFI_ArrowSchema,
    out_array: *mut FFI_ArrowArray,
    out_schema: *mut FFI_ArrowSchema,
    error: *mut ErrorBuffer,
) -> i32 {
    // SAFETY: the host passes a buffer that is valid during this call.
    let error = unsafe { error.as_mut() };
    guarded(error, || {
        // SAFETY: `array` and `schema` are valid structs, which are moved out and released here
        // when they go out of scope, whatever happens.
        let (array, schema) =
            unsafe { (FFI_ArrowArray::from_raw(array), FFI_ArrowSchema::from_raw(schema)) };
        // SAFETY: the host wrote both with the Arrow C data interface.
        let cases = unsafe { from_ffi(array, &schema) }
            .map_err(|error| Failure::new(FailureKind::Protocol, error.to_string()))?;
        // SAFETY: `instance` came out of `create::<S>`, and scorers may be shared by threads.
        let scorer = unsafe { &*instance.cast::<S>() };
        let cases = RecordBatch::from(StructArray::from(cases));
        let scores = StructArray::from(score(scorer, &cases)?);
        let (array, schema) = to_ffi(&scores.to_data())
            .map_err(|error| Failure::new(FailureKind::Protocol, error.to_string()))?;
        // SAFETY: the host passes places for both structs, with nothing in them to release.
        unsafe {
            out_array.write(array);
            out_schema.write(schema);
        }
        Ok(())
    })
}

fn score(scorer: &impl Scorer, cases: &RecordBatch) -> Result<RecordBatch, Failure> {
    let columns = batch::decode(cases)?.with_cases(|cases| scorer.score(cases))?;
    let names: Vec<&str> = scorer.metrics().iter().map(|metric| metric.name.as_str()).collect();
    answer::encode(&names, &columns, cases.num_rows())
}

unsafe extern "C" fn destroy<S: 'static>(instance: *mut c_void) {
    guarded(None, || {
        if !instance.is_null() {
            // SAFETY: it came out of `create::<S>`, and the host calls this once.
            drop(unsafe { Box::from_raw(instance.cast::<S>()) });
        }
        Ok(())
    });
}

/// The status for a kind of failure.
pub fn status(kind: FailureKind) -> i32 {
    match kind {
        FailureKind::Refused => STATUS_REFUSED,
        FailureKind::Crash => STATUS_CRASH,
        FailureKind::Protocol => STATUS_PROTOCOL,
        FailureKind::Value => STATUS_VALUE,
        FailureKind::Timeout => STATUS_TIMEOUT,
    }
}

/// The kind of failure of a status other than [`STATUS_OK`].
pub fn failure_kind(status: i32) -> FailureKind {
    match status {
        STATUS_REFUSED => FailureKind::Refused,
        STATUS_CRASH => FailureKind::Crash,
        STATUS_VALUE => FailureKind::Value,
        STATUS_TIMEOUT => FailureKind::Timeout,
        _ => FailureKind::Protocol,
    }
}

thread_local! {
    /// Whether this thread works for the host just now.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// What the last panic of this thread said.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does work for the host. A failure and a panic become a status and a text.
fn guarded(error: Option<&mut ErrorBuffer>, work: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let Err(failure) = caught(work) else { return STATUS_OK };
    if let Some(buffer) = error {
        buffer.write(&failure.message);
    }
    status(failure.kind)
}

/// Does work for the host. A panic becomes a failure.
fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    keep_panic_messages();
    let outer = INSIDE.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(outer);
    result.unwrap_or_else(|payload| Err(Failure::new(FailureKind::Crash, panic_message(payload))))
}

/// The plugin's copy of the standard library has its own panic hook. Inside a call it keeps the
/// message for the host, anywhere else it does what it did before.
fn keep_panic_messages() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if INSIDE.get() {
                let message = info.payload_as_str().unwrap_or("without a message");
                let place =
                    info.location().map_or_else(String::new, |place| format!(" at {place}"));
                PANIC.set(Some(format!("panicked{place}: {message}")));
            } else {
                before(info);
            }
        }));
    });
}

fn panic_message(payload: Box<dyn Any + Send>) -> String {
    // Dropping it runs code of the author that may panic again, with nobody left to catch it.
    std::mem::forget(payload);
    PANIC.take().unwrap_or_else(|| "panicked".to_owned())
}

impl ErrorBuffer {
    /// A buffer over the host's bytes.
    pub fn new(bytes: &mut [u8]) -> Self {
        Self { text: bytes.as_mut_ptr(), capacity: bytes.len(), length: 0 }
    }

    fn write(&mut self, text: &str) {
        let mut length = text.len().min(self.capacity);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        // SAFETY: the host owns `capacity` bytes there, and `length` is not above it.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), self.text, length) };
        self.length = length;
    }
}
