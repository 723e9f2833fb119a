//! The boundary: what a plugin library exports, in C.
//!
//! A library has one symbol, [`ENTRY`], a function that returns a [`Table`]; nothing else is looked
//! up by name. Only C structs and the Arrow C data interface cross, so the two sides may be built
//! by different compilers, with different versions of everything, and in different languages. The
//! same in C is `include/qeval_plugin.h`; what may be relied on is in the specification,
//! `docs/plugin-interface.md`. In short:
//!
//! - The table and the descriptor live as long as the process. Libraries are never unloaded.
//! - The struct only grows at its end; a field is read only where `struct_size` reaches it.
//! - Inputs are moved: the plugin releases them, also when it fails. Outputs are written only when
//!   the status is 0, and belong to the host then. Each side frees what it made.
//! - An error is written into the host's buffer as UTF-8, cut where the buffer ends; no allocator
//!   crosses.
//! - Nothing unwinds across: a panic is caught on its own side and becomes [`STATUS_CRASH`].
//! - Where the descriptor says `thread_safe`, one instance is called from several threads at once.
#![expect(unsafe_code, reason = "this file is the boundary to other languages")]

pub(crate) mod guard;

use std::{ffi::c_void, ptr, slice, sync::OnceLock};

use arrow_array::{
    Array, RecordBatch, StructArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi},
};

use crate::{Failure, FailureKind, INTERFACE, Plugin, Setup, instance::Component};
pub(crate) use guard::caught;

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
/// There was not enough memory.
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

/// Makes an instance of what the setup says, which is a JSON object.
pub type Create = unsafe extern "C" fn(
    setup: *const u8,
    setup_length: usize,
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

/// What a plugin library is: plain data and functions. A function is `None` only in a library that
/// is broken, but for `finish`.
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
    /// A [`PluginDescriptor`](crate::PluginDescriptor) as JSON, or `{"error": "why there is no plugin"}`.
    pub descriptor: *const u8,
    /// Its bytes.
    pub descriptor_length: usize,
    /// Makes an instance.
    pub create: Option<Create>,
    /// Answers a batch with a batch.
    pub call: Option<Call>,
    /// Ends an instance.
    pub destroy: Option<Destroy>,
    /// Makes numbers of merged statistics; `None` where no metric is pooled. Since 1.1.
    pub finish: Option<Call>,
}

/// The size of the table in the first version of the interface.
pub const FIRST_SIZE: usize = std::mem::offset_of!(Table, finish);

// SAFETY: nothing writes to a table or to its descriptor after it was made.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// Makes a [`Plugin`] the plugin of this library. It is given as a function without arguments that
/// returns it.
#[macro_export]
macro_rules! export {
    ($plugin:expr) => {
        #[cfg(not(panic = "unwind"))]
        ::core::compile_error!(
            "a plugin must be built with panic = \"unwind\": with \"abort\", a panic in it would \
             end the process that uses it"
        );

        const _: () = {
            struct Library;

            impl $crate::abi::Library for Library {
                fn plugin() -> $crate::Plugin {
                    $plugin()
                }
                fn state() -> &'static $crate::abi::State {
                    static STATE: $crate::abi::State = $crate::abi::State::new();
                    &STATE
                }
                fn authors() -> &'static str {
                    ::core::env!("CARGO_PKG_AUTHORS")
                }
            }

            #[unsafe(no_mangle)]
            extern "C" fn qeval_plugin_entry_v1() -> *const $crate::abi::Table {
                $crate::abi::entry::<Library>()
            }
        };
    };
}

/// Makes a scorer the plugin of this library. The type implements [`Scorer`](crate::Scorer) and
/// [`Default`]. The first page of this crate has a whole plugin.
#[macro_export]
macro_rules! export_scorer {
    ($scorer:ty) => {
        $crate::export!($crate::Plugin::of::<$scorer>);
    };
}

/// A library with a plugin. [`export`] implements it.
pub trait Library {
    /// The plugin, made on the first call of the entry.
    fn plugin() -> Plugin;
    /// What the library keeps for good.
    fn state() -> &'static State;
    /// Who wrote its package.
    fn authors() -> &'static str;
}

/// What a library keeps for good.
#[derive(Debug, Default)]
pub struct State {
    plugin: OnceLock<Plugin>,
    table: OnceLock<Table>,
}

impl State {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self { plugin: OnceLock::new(), table: OnceLock::new() }
    }
}

/// The table of a library, made on the first call.
pub fn entry<L: Library>() -> *const Table {
    L::state().table.get_or_init(table::<L>)
}

/// The table of a library. One whose plugin cannot be made has a table, too, which says why.
fn table<L: Library>() -> Table {
    let json = caught(|| {
        let descriptor = L::state().plugin.get_or_init(L::plugin).descriptor(L::authors());
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
        create: Some(create::<L>),
        call: Some(call),
        destroy: Some(destroy),
        finish: Some(finish),
    }
}

unsafe extern "C" fn create<L: Library>(
    setup: *const u8,
    setup_length: usize,
    instance: *mut *mut c_void,
    error: *mut ErrorBuffer,
) -> i32 {
    // SAFETY: the host passes a buffer that is valid during this call.
    let error = unsafe { error.as_mut() };
    guarded(error, || {
        let setup = if setup.is_null() {
            &[]
        } else {
            // SAFETY: the host passes that many bytes, valid during this call.
            unsafe { slice::from_raw_parts(setup, setup_length) }
        };
        let setup: Setup = serde_json::from_slice(setup)
            .map_err(|error| Failure::protocol(format!("its setup cannot be read: {error}")))?;
        let component = L::state().plugin.get_or_init(L::plugin).make(&setup)?;
        let component = Box::into_raw(Box::new(component));
        // SAFETY: the host passes a place for one pointer.
        unsafe { instance.write(component.cast()) };
        Ok(())
    })
}

unsafe extern "C" fn call(
    instance: *mut c_void,
    array: *mut FFI_ArrowArray,
    schema: *mut FFI_ArrowSchema,
    out_array: *mut FFI_ArrowArray,
    out_schema: *mut FFI_ArrowSchema,
    error: *mut ErrorBuffer,
) -> i32 {
    // SAFETY: the host keeps the rules of this function, which are those of the other one.
    unsafe { answer(Component::answer, instance, array, schema, out_array, out_schema, error) }
}

unsafe extern "C" fn finish(
    instance: *mut c_void,
    array: *mut FFI_ArrowArray,
    schema: *mut FFI_ArrowSchema,
    out_array: *mut FFI_ArrowArray,
    out_schema: *mut FFI_ArrowSchema,
    error: *mut ErrorBuffer,
) -> i32 {
    // SAFETY: the host keeps the rules of this function, which are those of the other one.
    unsafe { answer(Component::finish, instance, array, schema, out_array, out_schema, error) }
}

/// A batch for a batch.
///
/// # Safety
///
/// `instance` came out of `create`; `array` and `schema` were written with the Arrow C data
/// interface and are given away; `out_array` and `out_schema` are places for structs, with nothing
/// in them to release; `error` is null or good during this call.
unsafe fn answer(
    work: fn(&Component, &RecordBatch) -> Result<RecordBatch, Failure>,
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
        let asked =
            unsafe { from_ffi(array, &schema) }.map_err(|e| Failure::protocol(e.to_string()))?;
        // SAFETY: `instance` came out of `create`, and components may be shared by threads.
        let component = unsafe { &*instance.cast::<Component>() };
        let asked = RecordBatch::from(StructArray::from(asked));
        let given = StructArray::from(work(component, &asked)?);
        let (array, schema) =
            to_ffi(&given.to_data()).map_err(|e| Failure::protocol(e.to_string()))?;
        // SAFETY: the host passes places for both structs, with nothing in them to release.
        unsafe {
            out_array.write(array);
            out_schema.write(schema);
        }
        Ok(())
    })
}

unsafe extern "C" fn destroy(instance: *mut c_void) {
    guarded(None, || {
        if !instance.is_null() {
            // SAFETY: it came out of `create`, and the host calls this once.
            drop(unsafe { Box::from_raw(instance.cast::<Component>()) });
        }
        Ok(())
    });
}

/// The status for a kind of failure.
pub fn status(kind: FailureKind) -> i32 {
    match kind.at_boundary() {
        FailureKind::Crash => STATUS_CRASH,
        FailureKind::Protocol => STATUS_PROTOCOL,
        FailureKind::Value => STATUS_VALUE,
        FailureKind::Timeout => STATUS_TIMEOUT,
        FailureKind::Memory => STATUS_MEMORY,
        _ => STATUS_REFUSED,
    }
}

/// The kind of failure of a status other than [`STATUS_OK`].
pub fn failure_kind(status: i32) -> FailureKind {
    match status {
        STATUS_REFUSED => FailureKind::Refused,
        STATUS_CRASH => FailureKind::Crash,
        STATUS_VALUE => FailureKind::Value,
        STATUS_TIMEOUT => FailureKind::Timeout,
        STATUS_MEMORY => FailureKind::Memory,
        _ => FailureKind::Protocol,
    }
}

/// Does work for the host. A failure and a panic become a status and a text.
fn guarded(error: Option<&mut ErrorBuffer>, work: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let Err(failure) = caught(work) else { return STATUS_OK };
    if let Some(buffer) = error {
        buffer.write(&failure.message);
    }
    status(failure.kind)
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
