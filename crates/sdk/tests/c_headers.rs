//! The C headers say what the crate says, and do what they say. A C compiler checks it: `cc`, or what
//! the variable `CC` names. Where there is none, these tests say so and check nothing.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "all of this is a test, which is not known of its helpers"
)]

use std::{
    fmt::Write as _,
    fs,
    mem::offset_of,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use qeval_sdk::{
    INTERFACE,
    abi::{self, ErrorBuffer, Table},
};

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Checks of a struct and of each of its fields, as lines of C.
macro_rules! layout {
    ($rust:ident, $c:literal, [$($field:ident),* $(,)?]) => {{
        // A field that is missing in this list does not compile.
        #[expect(dead_code, reason = "it is only compiled")]
        fn all_fields($rust { $($field: _),* }: &$rust) {}

        let mut text = format!("CHECK(sizeof({}) == {});\n", $c, size_of::<$rust>());
        let _ = writeln!(text, "CHECK(ALIGN({}) == {});", $c, align_of::<$rust>());
        $(
            let (field, offset) = (stringify!($field), offset_of!($rust, $field));
            let size = size_of_field(|value: &$rust| &value.$field);
            let _ = writeln!(text, "CHECK(offsetof({}, {field}) == {offset});", $c);
            let _ = writeln!(text, "CHECK(sizeof((({} *)0)->{field}) == {size});", $c);
        )*
        text
    }};
}

fn size_of_field<S, F>(_: impl Fn(&S) -> &F) -> usize {
    size_of::<F>()
}

/// The definition as checks that stop a compiler.
fn checks() -> String {
    let mut text = String::from(
        "#include \"qeval_plugin.h\"\n#ifdef __cplusplus\n#define CHECK(x) static_assert(x, #x)\n\
         #define ALIGN alignof\n#else\n#define CHECK(x) _Static_assert(x, #x)\n\
         #define ALIGN _Alignof\n#endif\n",
    );
    text += &layout!(ErrorBuffer, "QevalError", [text, capacity, length]);
    let table = layout!(
        Table,
        "QevalTable",
        [
            magic,
            struct_size,
            abi_major,
            abi_minor,
            reserved,
            descriptor,
            descriptor_length,
            create,
            call,
            destroy,
            finish,
        ]
    );
    text += &table;
    for (c, size) in [
        ("struct ArrowArray", size_of::<FFI_ArrowArray>()),
        ("struct ArrowSchema", size_of::<FFI_ArrowSchema>()),
    ] {
        let _ = writeln!(text, "CHECK(sizeof({c}) == {size});");
    }
    for (name, value) in [
        ("OK", abi::STATUS_OK),
        ("REFUSED", abi::STATUS_REFUSED),
        ("CRASH", abi::STATUS_CRASH),
        ("PROTOCOL", abi::STATUS_PROTOCOL),
        ("VALUE", abi::STATUS_VALUE),
        ("TIMEOUT", abi::STATUS_TIMEOUT),
        ("MEMORY", abi::STATUS_MEMORY),
    ] {
        let _ = writeln!(text, "CHECK(QEVAL_STATUS_{name} == {value});");
    }
    let _ = writeln!(text, "CHECK(QEVAL_MAGIC == UINT64_C({}));", abi::MAGIC);
    let _ = writeln!(text, "CHECK(QEVAL_INTERFACE_MAJOR == {});", INTERFACE.major);
    let _ = writeln!(text, "CHECK(QEVAL_INTERFACE_MINOR == {});", INTERFACE.minor);
    // The types of the functions, as they stand in the specification.
    text + "int32_t create(const uint8_t *, size_t, void **, QevalError *);\n\
            int32_t call(void *, struct ArrowArray *, struct ArrowSchema *, struct ArrowArray *,\n\
            \x20            struct ArrowSchema *, QevalError *);\n\
            void destroy(void *);\n\
            QevalTable table = {QEVAL_MAGIC, sizeof(QevalTable), 1, 1, 0, (const uint8_t *)\"\", 0,\n\
            \x20                   create, call, destroy, call};\n"
}

#[test]
fn the_header_is_laid_out_as_in_rust() {
    let Some(compiler) = compiler() else { return };
    let source = scratch("layout.c", &checks());
    for language in [["-std=c11", "-xc"], ["-std=c++11", "-xc++"]] {
        if language[1] == "-xc++" && !has_cpp(&compiler) {
            continue;
        }
        let mut compile = compile(&compiler, &language);
        succeeds(compile.arg("-fsyntax-only").arg(&source));
    }
}

#[test]
fn a_layout_that_differs_is_found() {
    let Some(compiler) = compiler() else { return };
    for (right, wrong) in [
        ("offsetof(QevalTable, finish) == ", "offsetof(QevalTable, finish) == 1"),
        ("sizeof(QevalTable) == ", "sizeof(QevalTable) == 1"),
        ("QEVAL_STATUS_MEMORY == ", "QEVAL_STATUS_MEMORY == 1"),
    ] {
        let source = scratch("differs.c", &checks().replacen(right, wrong, 1));
        let mut compile = compile(&compiler, &["-std=c11", "-fsyntax-only"]);
        let output = compile.arg(&source).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(right.trim()), "{message}");
    }
}

#[test]
fn columns_are_read_and_made() {
    let Some(compiler) = compiler() else { return };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/arrow.c");
    let program = scratch("arrow", "");
    for language in [["-std=c99", "-xc"], ["-std=c++11", "-xc++"]] {
        if language[1] == "-xc++" && !has_cpp(&compiler) {
            continue;
        }
        let mut compile = compile(&compiler, &language);
        succeeds(compile.arg("-g").arg(&source).arg("-o").arg(&program));
        succeeds(&mut Command::new(&program));
    }
}

fn compile(compiler: &Path, language: &[&str]) -> Command {
    let mut command = Command::new(compiler);
    command.args(STRICT).args(language);
    command.arg("-I").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("include"));
    command
}

/// The C compiler, where there is one.
fn compiler() -> Option<PathBuf> {
    let compiler = PathBuf::from(option_env!("CC").unwrap_or("cc"));
    if runs(Command::new(&compiler).arg("--version")) {
        return Some(compiler);
    }
    println!("skipped: there is no C compiler `{}`", compiler.display());
    None
}

/// Whether the compiler knows C++, too. One for C alone lacks a part of itself.
fn has_cpp(compiler: &Path) -> bool {
    let source = scratch("empty.cpp", "");
    let has = runs(Command::new(compiler).args(["-xc++", "-fsyntax-only"]).arg(source));
    if !has {
        println!("skipped for C++: `{}` compiles C only", compiler.display());
    }
    has
}

fn runs(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{message}", output.status);
}

/// A file of this test.
fn scratch(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}
