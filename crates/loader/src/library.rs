//! One native library: opened, asked who it is, and called.
//!
//! All that a library says is looked at before it is used. What cannot be looked at is whether its
//! pointers are good: a library that lies about them can do anything to the process it is in,
//! which is why that process is a child by default.
#![expect(unsafe_code, reason = "calling into a library of somebody else")]

use std::{
    error::Error as _,
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    ptr, slice,
    sync::{Mutex, PoisonError},
};

use arrow_array::{
    Array, RecordBatch, StructArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi},
};
use arrow_schema::DataType;
use libloading::os::unix::{Library as DynamicLibrary, RTLD_LOCAL, RTLD_NOW};
use qeval_sdk::{
    DescriptorError, Failure, FailureKind, INTERFACE, InterfaceVersion, PluginDescriptor,
    abi::{self, Call, Create, Destroy, ENTRY, Entry, ErrorBuffer, MAGIC, STATUS_OK, Table},
};
use serde::{Deserialize, Serialize};

/// The largest descriptor: 1 MiB.
const LARGEST_DESCRIPTOR: usize = 1 << 20;

/// Room for the text of an error.
const LONGEST_ERROR: usize = 4096;

/// Why a library is no plugin that fits. It crosses from the child process as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum OpenError {
    /// The system cannot open it.
    #[error("`{path}` cannot be opened as a library of this system: {message}")]
    NotALibrary {
        /// The library.
        path: String,
        /// What the system says.
        message: String,
    },
    /// It does not export the entry.
    #[error(
        "`{path}` is no plugin of qeval: it has no symbol `{ENTRY}` (`export_scorer!` makes one)"
    )]
    NoEntry {
        /// The library.
        path: String,
    },
    /// Its entry returns nothing.
    #[error("`{path}` gives no plugin: its entry returns null")]
    NoTable {
        /// The library.
        path: String,
    },
    /// It was built for another version of the interface.
    #[error(
        "`{path}` speaks plugin interface {plugin}, this qeval speaks {host}: build it with the \
         SDK of this version"
    )]
    Version {
        /// The library.
        path: String,
        /// What it speaks.
        plugin: InterfaceVersion,
        /// What we speak.
        host: InterfaceVersion,
    },
    /// Its table is not as it must be.
    #[error("`{path}` is broken: {message}")]
    Broken {
        /// The library.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// It says of itself what cannot be.
    #[error("`{path}` describes itself wrongly: {message}")]
    Descriptor {
        /// The library.
        path: String,
        /// What is wrong, a [`DescriptorError`].
        message: String,
    },
    /// It says itself that it cannot work.
    #[error("`{path}` cannot be used: {message}")]
    Unusable {
        /// The library.
        path: String,
        /// What it says.
        message: String,
    },
}

/// A library that is open and understood. It stays open as long as the process.
#[derive(Debug)]
pub(crate) struct Library {
    path: String,
    /// What it says of itself.
    pub(crate) descriptor: PluginDescriptor,
    create: Create,
    call: Call,
    destroy: Destroy,
}

/// A component of a library that is ready to work.
#[derive(Debug)]
pub(crate) struct Instance {
    handle: *mut c_void,
    call: Call,
    destroy: Destroy,
    /// Held during a call, unless the plugin says that it needs no such care.
    turn: Option<Mutex<()>>,
}

// SAFETY: the plugin's interface says that an instance may be used from any thread.
unsafe impl Send for Instance {}
// SAFETY: calls at the same time happen only where the plugin allows them; see `turn`.
unsafe impl Sync for Instance {}

impl Library {
    /// Opens a library and checks the handshake.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let shown = path.display().to_string();
        let broken =
            |message: &str| OpenError::Broken { path: shown.clone(), message: message.to_owned() };
        let table = entry(path, &shown)?;
        if table.is_null() {
            return Err(OpenError::NoTable { path: shown });
        }
        if !table.is_aligned() {
            return Err(broken("its table is not aligned"));
        }
        check_version(table, &shown)?;
        // SAFETY: the table has the right beginning and at least our size, and it lives as long as
        // the library, which is never unloaded. Any bytes are good for its fields.
        let table: &'static Table = unsafe { &*table };
        let (Some(create), Some(call), Some(destroy)) = (table.create, table.call, table.destroy)
        else {
            return Err(broken("a function of its table is null"));
        };
        if table.descriptor.is_null() || table.descriptor_length > LARGEST_DESCRIPTOR {
            return Err(broken("its descriptor is missing or too long"));
        }
        // SAFETY: not null, and of that length as the interface says.
        let json = unsafe { slice::from_raw_parts(table.descriptor, table.descriptor_length) };
        let path = shown.clone();
        let descriptor = PluginDescriptor::from_json(json).map_err(|error| match error {
            DescriptorError::Excuse(message) => OpenError::Unusable { path, message },
            error => OpenError::Descriptor { path, message: error.to_string() },
        })?;
        Ok(Self { path: shown, descriptor, create, call, destroy })
    }

    /// Makes the component that does the work.
    pub(crate) fn instance(&self) -> Result<Instance, OpenError> {
        let options = b"{}";
        let mut handle = ptr::null_mut();
        let mut text = [0; LONGEST_ERROR];
        let mut error = ErrorBuffer::new(&mut text);
        // SAFETY: all pointers are good during the call, as the interface asks.
        let status = unsafe {
            (self.create)(options.as_ptr(), options.len(), &raw mut handle, &raw mut error)
        };
        if status != STATUS_OK {
            let failure = failure(status, error.length, &text);
            let (path, message) = (self.path.clone(), failure.to_string());
            return Err(OpenError::Unusable { path, message });
        }
        let turn = (!self.descriptor.thread_safe).then(Mutex::default);
        Ok(Instance { handle, call: self.call, destroy: self.destroy, turn })
    }
}

/// Opens the library for good and calls its entry.
fn entry(path: &Path, shown: &str) -> Result<*const Table, OpenError> {
    // SAFETY: opening a library runs its initialisers, which is the user's wish; symbols are
    // resolved now and stay the library's own.
    let library = unsafe { DynamicLibrary::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| {
        // What the system says is the source; the error itself says only that it failed.
        let message = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        OpenError::NotALibrary { path: shown.to_owned(), message }
    })?;
    // Never closed: threads and exit handlers of the library may outlive any use of ours.
    let library = Box::leak(Box::new(library));
    // SAFETY: the symbol of this name has this type in every version of the interface.
    let entry = unsafe { library.get::<Entry>(ENTRY) };
    let entry = entry.map_err(|_| OpenError::NoEntry { path: shown.to_owned() })?;
    // SAFETY: the entry takes nothing and may be called at any time.
    Ok(unsafe { entry() })
}

/// Looks at the beginning of a table, before the rest may be looked at.
fn check_version(table: *const Table, path: &str) -> Result<(), OpenError> {
    let broken = |message: String| OpenError::Broken { path: path.to_owned(), message };
    // SAFETY: every table begins with these eight bytes.
    let magic = unsafe { (&raw const (*table).magic).read() };
    if magic != MAGIC {
        return Err(broken("its table does not begin as a table of qeval".to_owned()));
    }
    // SAFETY: the fields up to the version are the same in every version of the interface.
    let (size, major, minor) = unsafe {
        (
            (&raw const (*table).struct_size).read(),
            (&raw const (*table).abi_major).read(),
            (&raw const (*table).abi_minor).read(),
        )
    };
    let plugin = InterfaceVersion { major, minor };
    if !INTERFACE.accepts(plugin) {
        return Err(OpenError::Version { path: path.to_owned(), plugin, host: INTERFACE });
    }
    if (size as usize) < size_of::<Table>() {
        return Err(broken(format!(
            "its table has {size} bytes, expected at least {}",
            size_of::<Table>()
        )));
    }
    Ok(())
}

impl Instance {
    /// Answers a batch of cases with a batch of scores, of which types and number of rows are
    /// checked.
    pub(crate) fn call(&self, cases: RecordBatch) -> Result<RecordBatch, Failure> {
        let rows = cases.num_rows();
        let (mut array, mut schema) = to_ffi(&StructArray::from(cases).into_data())
            .map_err(|error| Failure::new(FailureKind::Protocol, error.to_string()))?;
        let (mut out_array, mut out_schema) = (FFI_ArrowArray::empty(), FFI_ArrowSchema::empty());
        let mut text = [0; LONGEST_ERROR];
        let mut error = ErrorBuffer::new(&mut text);
        // A panic cannot poison this: it is caught on the other side.
        let turn =
            self.turn.as_ref().map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: `handle` came from `create`; all pointers are good during the call; what the
        // plugin takes out of `array` and `schema` it leaves marked as released.
        let status = unsafe {
            (self.call)(
                self.handle,
                &raw mut array,
                &raw mut schema,
                &raw mut out_array,
                &raw mut out_schema,
                &raw mut error,
            )
        };
        drop(turn);
        if status != STATUS_OK {
            // They hold nothing, or else nothing that could be trusted to be released.
            std::mem::forget((out_array, out_schema));
            return Err(failure(status, error.length, &text));
        }
        // Arrow asserts what the C interface promises; a plugin that breaks it is no bug of ours.
        let import = AssertUnwindSafe(|| import(out_array, &out_schema, rows));
        catch_unwind(import).unwrap_or_else(|_| Err(unreadable("they break the Arrow C interface")))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: it came from `create`, and nobody uses it any more.
        unsafe { (self.destroy)(self.handle) };
    }
}

fn failure(status: i32, written: usize, text: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(&text[..written.min(text.len())]);
    let message = match text.trim() {
        "" => format!("it failed with status {status}"),
        text => text.to_owned(),
    };
    Failure::new(abi::failure_kind(status), message)
}

fn unreadable(message: impl std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Protocol, format!("its scores cannot be read: {message}"))
}

/// Takes over the scores that a plugin wrote: a struct of float64 and utf8, with as many rows as
/// there were cases. Types and numbers are looked at first, because the import believes them.
fn import(
    array: FFI_ArrowArray,
    schema: &FFI_ArrowSchema,
    rows: usize,
) -> Result<RecordBatch, Failure> {
    if array.is_released() {
        return Err(unreadable("there are none"));
    }
    let data_type = DataType::try_from(schema).map_err(unreadable)?;
    let DataType::Struct(fields) = &data_type else {
        return Err(unreadable(format!("they are of type {data_type}, expected a struct")));
    };
    if array.len() != rows {
        let message = format!("it gave {} rows of scores for {rows} cases", array.len());
        return Err(Failure::new(FailureKind::Protocol, message));
    }
    if array.num_children() != fields.len() {
        return Err(unreadable("the array has other columns than its schema"));
    }
    let end = array.offset().checked_add(rows);
    for (i, field) in fields.iter().enumerate() {
        let buffers = match field.data_type() {
            DataType::Float64 => 2,
            DataType::Utf8 => 3,
            other => {
                return Err(unreadable(format!(
                    "its column `{}` is of type {other}, expected Float64 or Utf8",
                    field.name()
                )));
            }
        };
        let column = array.child(i);
        if column.num_buffers() != buffers || end.is_none_or(|end| column.len() < end) {
            return Err(unreadable(format!("its column `{}` is too short", field.name())));
        }
    }
    // SAFETY: the plugin wrote it with the Arrow C data interface; what can be checked has been.
    let data = unsafe { from_ffi(array, schema) }.map_err(unreadable)?;
    data.validate_full().map_err(unreadable)?;
    if data.null_count() > 0 {
        return Err(unreadable("a whole row is null"));
    }
    Ok(RecordBatch::from(StructArray::from(data)))
}
