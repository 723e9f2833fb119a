//! The C header of the plugin interface, made of its Rust definition.
//!
//! The structs, the types of functions and the constants of `crates/sdk/src/abi.rs` are written in C
//! between two marks of `qeval_plugin.h`. What this cannot translate is an error and not left out.
//! That both lay a struct out alike is tested in `crates/sdk/tests/c_headers.rs`, with a C compiler.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};

pub(super) const HEADER: &str = "crates/sdk/include/qeval_plugin.h";
pub(super) const BEGIN: &str = "/* Made by `cargo xtask codegen` from crates/sdk/src/abi.rs. */\n";
pub(super) const END: &str = "/* End of what is made. */\n";

/// The types that cross, and what they are in C. A pointer ends with `*`.
const TYPES: [(&str, &str); 10] = [
    ("u64", "uint64_t"),
    ("u32", "uint32_t"),
    ("usize", "size_t"),
    ("*const u8", "const uint8_t *"),
    ("*mut u8", "uint8_t *"),
    ("*mut c_void", "void *"),
    ("*mut *mut c_void", "void **"),
    ("*mut ErrorBuffer", "QevalError *"),
    ("*mut FFI_ArrowArray", "struct ArrowArray *"),
    ("*mut FFI_ArrowSchema", "struct ArrowSchema *"),
];

/// The Rust names of items, and what these are called in C.
const NAMES: [(&str, &str); 4] = [
    ("ErrorBuffer", "QevalError"),
    ("Table", "QevalTable"),
    ("MAGIC", "QEVAL_MAGIC"),
    ("PluginDescriptor", "descriptor"),
];

/// What stands between the marks. `abi` and `handshake` are the Rust sources.
pub(super) fn definitions(abi: &str, handshake: &str) -> Result<String> {
    let (major, minor) = version(handshake)?;
    let magic = between(abi, "u64::from_le_bytes(*b\"", "\")").context("there is no `MAGIC`")?;
    let magic: [u8; 8] = magic.as_bytes().try_into().context("`MAGIC` is not eight bytes")?;
    let mut text =
        String::from("\n/* The version of the interface that this header describes. */\n");
    let _ = writeln!(text, "#define QEVAL_INTERFACE_MAJOR {major}");
    let _ = writeln!(text, "#define QEVAL_INTERFACE_MINOR {minor}\n");
    let _ = writeln!(text, "/* {} */", comment(abi, "pub const MAGIC: "));
    let _ = writeln!(text, "#define QEVAL_MAGIC UINT64_C({:#x})", u64::from_le_bytes(magic));
    let statuses = statuses(abi)?;
    text.push_str("\n/* Any other status counts as QEVAL_STATUS_PROTOCOL. */\n");
    text.push_str(&statuses);
    let functions = functions(abi)?;
    for name in ["ErrorBuffer", "Table"] {
        text.push_str(&structure(abi, name, &functions)?);
    }
    Ok(text + "\n")
}

/// `INTERFACE`.
fn version(handshake: &str) -> Result<(u32, u32)> {
    let value = between(handshake, "pub const INTERFACE: InterfaceVersion = ", ";");
    let value = value.context("there is no `INTERFACE`")?;
    let number = |name: &str| -> Result<u32> {
        let rest = value.split_once(name).with_context(|| format!("`{value}` lacks `{name}`"))?.1;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().with_context(|| format!("`{value}` has no number after `{name}`"))
    };
    Ok((number("major: ")?, number("minor: ")?))
}

fn statuses(abi: &str) -> Result<String> {
    let mut text = String::new();
    for line in abi.lines() {
        let Some(item) = line.strip_prefix("pub const STATUS_") else { continue };
        let (name, value) = item
            .strip_suffix(';')
            .and_then(|item| item.split_once(": i32 = "))
            .with_context(|| format!("`{line}` is no status"))?;
        let comment = comment(abi, &format!("pub const STATUS_{name}: "));
        let _ = writeln!(text, "#define QEVAL_STATUS_{name} {value} /* {comment} */");
    }
    ensure!(!text.is_empty(), "there is no status");
    Ok(text)
}

/// A type of functions.
struct Function<'a> {
    name: &'a str,
    /// Names and types in C.
    arguments: Vec<String>,
    returns: &'static str,
}

fn functions(abi: &str) -> Result<Vec<Function<'_>>> {
    let mut found = Vec::new();
    for item in abi.split("\npub type ").skip(1) {
        let item = item.split_once(';').context("a type does not end")?.0;
        let (name, signature) = item
            .split_once(" = unsafe extern \"C\" fn(")
            .with_context(|| format!("`{item}` is no function of C"))?;
        if name == "Entry" {
            // It is written in the header itself, with what exports it.
            continue;
        }
        let (arguments, returns) = signature.rsplit_once(')').context("arguments do not end")?;
        let arguments = arguments.split(',').map(str::trim).filter(|part| !part.is_empty());
        let returns = match returns.trim() {
            "" => "void",
            "-> i32" => "int32_t",
            other => bail!("a function that returns `{other}` has no translation to C"),
        };
        let arguments = arguments
            .map(|argument| {
                let (name, kind) = argument
                    .split_once(": ")
                    .with_context(|| format!("`{argument}` has no type"))?;
                declared(kind, name)
            })
            .collect::<Result<_>>()?;
        found.push(Function { name, arguments, returns });
    }
    Ok(found)
}

fn structure(abi: &str, name: &str, functions: &[Function<'_>]) -> Result<String> {
    let begin = format!("\npub struct {name} {{\n");
    let fields = between(abi, &begin, "\n}\n").with_context(|| format!("there is no `{name}`"))?;
    let c_name = renamed(name);
    let about = comment(abi, &format!("pub struct {name} {{"));
    let mut text = format!("\n{}typedef struct {{\n", block(&about, ""));
    let mut comments = Vec::new();
    for line in fields.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            comments.push(comment.trim());
            continue;
        }
        let (field, kind) = line
            .strip_prefix("pub ")
            .and_then(|field| field.strip_suffix(','))
            .and_then(|field| field.split_once(": "))
            .with_context(|| format!("`{line}` is no public field"))?;
        text.push_str(&block(&prose(&comments.join(" ")), "  "));
        comments.clear();
        let declared = match between(kind, "Option<", ">") {
            Some(kind) => {
                let function = functions.iter().find(|function| function.name == kind);
                pointer(function.with_context(|| format!("there is no type `{kind}`"))?, field)
            }
            None => declared(kind, field)?,
        };
        let _ = writeln!(text, "  {declared};");
    }
    let _ = writeln!(text, "}} {c_name};");
    Ok(text)
}

/// A pointer to a function, broken where the line would be long.
fn pointer(function: &Function<'_>, name: &str) -> String {
    let mut text = format!("{} (*{name})(", function.returns);
    let indent = text.len() + 2;
    let mut column = indent;
    for (index, argument) in function.arguments.iter().enumerate() {
        if index > 0 && column + argument.len() > 97 {
            let _ = write!(text, ",\n{:indent$}", "");
            column = indent;
        } else if index > 0 {
            text.push_str(", ");
        }
        text.push_str(argument);
        column += argument.len() + 2;
    }
    text + ")"
}

fn declared(kind: &str, name: &str) -> Result<String> {
    let known = TYPES.iter().find(|(rust, _)| *rust == kind);
    let (_, c) = known.with_context(|| format!("the type `{kind}` has no translation to C"))?;
    Ok(if c.ends_with('*') { format!("{c}{name}") } else { format!("{c} {name}") })
}

/// The first paragraph of the doc comment of an item, which begins with this text.
fn comment(source: &str, item: &str) -> String {
    let before = source.split(&format!("\n{item}")).next().unwrap_or_default();
    let above: Vec<&str> = before
        .lines()
        .rev()
        .skip_while(|line| line.starts_with("#["))
        .map_while(|line| line.strip_prefix("///"))
        .collect();
    let lines = above.iter().rev().map(|line| line.trim()).take_while(|line| !line.is_empty());
    prose(&lines.collect::<Vec<_>>().join(" "))
}

/// A doc comment as one in C: names as they are there, without links.
fn prose(comment: &str) -> String {
    let mut text = comment.replace("[`", "").replace("`]", "").replace("`None`", "null");
    for (rust, c) in NAMES {
        text = words(&text, |word| if word == rust { c.to_owned() } else { word.to_owned() });
    }
    words(&text, |word| match word.strip_prefix("STATUS_") {
        Some(name) => format!("QEVAL_STATUS_{name}"),
        None => word.to_owned(),
    })
}

/// The text with each of its words replaced.
fn words(text: &str, replaced: impl Fn(&str) -> String) -> String {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(part) {
        let word = rest[start..].split(|c| !part(c)).next().unwrap_or_default();
        result.push_str(&rest[..start]);
        result.push_str(&replaced(word));
        rest = &rest[start + word.len()..];
    }
    result + rest
}

/// A comment of C, broken into lines.
fn block(text: &str, indent: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut result = format!("{indent}/*");
    let mut column = result.len();
    for word in text.split(' ') {
        if column + word.len() > 95 {
            let _ = write!(result, "\n{indent} *");
            column = indent.len() + 2;
        }
        let _ = write!(result, " {word}");
        column += word.len() + 1;
    }
    result + " */\n"
}

fn renamed(name: &str) -> &str {
    NAMES.iter().find(|(rust, _)| *rust == name).map_or(name, |(_, c)| c)
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    text.split_once(begin)?.1.split_once(end).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HANDSHAKE: &str =
        "pub const INTERFACE: InterfaceVersion = InterfaceVersion { major: 1, minor: 12 };\n";

    fn source(field: &str) -> String {
        format!(
            "/// First [`Table`].\npub const MAGIC: u64 = u64::from_le_bytes(*b\"qevalplg\");\n\n\
             /// See [`STATUS_OK`].\npub const STATUS_OK: i32 = 0;\n\n\
             /// A buffer.\n#[repr(C)]\npub struct ErrorBuffer {{\n    /// Bytes.\n    pub text: *mut u8,\n}}\n\n\
             /// Ends.\npub type Destroy = unsafe extern \"C\" fn(instance: *mut c_void);\n\n\
             /// All. `None` is broken.\n///\n/// More.\n#[repr(C)]\npub struct Table {{\n    {field}\n}}\n"
        )
    }

    #[test]
    fn rust_becomes_c() {
        let made = definitions(&source("pub destroy: Option<Destroy>,"), HANDSHAKE).unwrap();
        for part in [
            "#define QEVAL_INTERFACE_MINOR 12\n",
            "/* First QevalTable. */\n#define QEVAL_MAGIC UINT64_C(0x676c706c61766571)\n",
            "#define QEVAL_STATUS_OK 0 /* See QEVAL_STATUS_OK. */\n",
            "/* A buffer. */\ntypedef struct {\n  /* Bytes. */\n  uint8_t *text;\n} QevalError;\n",
            "/* All. null is broken. */\ntypedef struct {\n  void (*destroy)(void *instance);\n} QevalTable;\n",
        ] {
            assert!(made.contains(part), "{part}\n{made}");
        }
    }

    #[test]
    fn what_has_no_translation_is_an_error() {
        for (field, expected) in [
            ("pub other: Option<Other>,", "there is no type `Other`"),
            ("pub text: String,", "the type `String` has no translation to C"),
            ("text: u64,", "`text: u64,` is no public field"),
        ] {
            let error = definitions(&source(field), HANDSHAKE).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
