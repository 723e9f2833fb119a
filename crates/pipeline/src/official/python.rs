//! Values as Python prints them.

use std::fmt::Write as _;

use serde_json::Value;

/// A number, or a dictionary with its keys in order. Keys have no character that is escaped.
pub(super) enum Printed {
    Number(String),
    Dict(Vec<(&'static str, Printed)>),
}

impl From<f64> for Printed {
    fn from(number: f64) -> Self {
        Self::Number(float(number))
    }
}

impl From<usize> for Printed {
    fn from(number: usize) -> Self {
        Self::Number(number.to_string())
    }
}

impl Printed {
    /// A dictionary of numbers.
    pub(super) fn of_floats(members: impl IntoIterator<Item = (&'static str, f64)>) -> Self {
        Self::Dict(members.into_iter().map(|(name, number)| (name, number.into())).collect())
    }

    /// A line as `json.dumps` writes it.
    pub(super) fn json(&self) -> String {
        format!("{}\n", self.on_one_line('"'))
    }

    /// Lines as `json.dumps` writes them with an indent of two.
    pub(super) fn indented_json(&self) -> String {
        let mut text = String::new();
        self.indent(0, &mut text);
        text.push('\n');
        text
    }

    fn indent(&self, depth: usize, out: &mut String) {
        let members = match self {
            Self::Number(number) => return out.push_str(number),
            Self::Dict(members) => members,
        };
        let margin = "  ".repeat(depth);
        for (index, (name, value)) in members.iter().enumerate() {
            let begin = if index == 0 { "{" } else { "," };
            let _ = write!(out, "{begin}\n{margin}  \"{name}\": ");
            value.indent(depth + 1, out);
        }
        let _ = write!(out, "\n{margin}}}");
    }

    /// A line as `print` writes it.
    pub(super) fn line(&self) -> String {
        format!("{}\n", self.on_one_line('\''))
    }

    /// Lines as `pprint` writes them with an indent of four; the keys must be sorted.
    pub(super) fn pretty(&self) -> String {
        let mut text = String::new();
        self.fit(0, 0, &mut text);
        text.push('\n');
        text
    }

    /// Writes from a column on, leaving so many columns free behind it.
    fn fit(&self, column: usize, free: usize, out: &mut String) {
        let line = self.on_one_line('\'');
        let members = match self {
            Self::Dict(members) if column + line.len() + free > WIDTH => members,
            _ => return out.push_str(&line),
        };
        out.push_str("{   ");
        for (index, (name, value)) in members.iter().enumerate() {
            let last = index + 1 == members.len();
            let _ = write!(out, "'{name}': ");
            let behind = if last { free + 1 } else { 1 };
            value.fit(column + 4 + name.len() + 4, behind, out);
            if !last {
                let _ = write!(out, ",\n{:1$}", "", column + 4);
            }
        }
        out.push('}');
    }

    fn on_one_line(&self, quote: char) -> String {
        match self {
            Self::Number(number) => number.clone(),
            Self::Dict(members) => {
                let members = members.iter().map(|(name, value)| {
                    format!("{quote}{name}{quote}: {}", value.on_one_line(quote))
                });
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Width of the lines of `pprint`.
const WIDTH: usize = 80;

/// `repr` of a float: the shortest digits that read back, with an exponent below 1e-4 and from
/// 1e16 on.
pub(super) fn float(number: f64) -> String {
    let magnitude = number.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) && number.is_finite() {
        let scientific = format!("{number:e}");
        let (digits, exponent) = scientific.split_once('e').expect("the format has an exponent");
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    match () {
        () if number.is_nan() => "nan".to_owned(),
        () if number.is_infinite() && number > 0.0 => "inf".to_owned(),
        () if number.is_infinite() => "-inf".to_owned(),
        () => format!("{number:?}"),
    }
}

/// `repr` of a text.
pub(super) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        let _ = match c {
            '\\' => out.write_str("\\\\"),
            '\t' => out.write_str("\\t"),
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            _ if c == quote => write!(out, "\\{c}"),
            ' '..='~' => out.write_char(c),
            _ if !c.is_ascii() && is_printable(c) => out.write_char(c),
            '\0'..='\u{ff}' => write!(out, "\\x{:02x}", u32::from(c)),
            '\u{100}'..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(c)),
            _ => write!(out, "\\U{:08x}", u32::from(c)),
        };
    }
    out.push(quote);
    out
}

/// Whether a character is shown as it is. Python leaves out the same categories as Rust's debug
/// format, which escapes a combining mark only at the beginning.
fn is_printable(c: char) -> bool {
    !format!("-{c}").escape_debug().skip(1).eq(c.escape_unicode())
}

/// `repr` of a list of texts.
pub(super) fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// `str` of what was read from JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => repr(value),
    }
}

/// Whether a condition holds for what was read from JSON.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// `repr` of what was read from JSON.
fn repr(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => match number.as_f64() {
            Some(fraction) if number.is_f64() => float(fraction),
            _ => number.to_string(),
        },
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(repr).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| (quoted(key), repr(value)));
            let members = members.map(|(key, value)| format!("{key}: {value}"));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_printed_as_python_does() {
        for (number, printed) in [
            (0.0, "0.0"),
            (100.0, "100.0"),
            (86.206_244_087_038_8, "86.2062440870388"),
            (1e-4, "0.0001"),
            (1.5e-5, "1.5e-05"),
            (1e-300, "1e-300"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (-1e15, "-1000000000000000.0"),
        ] {
            assert_eq!(float(number), printed);
        }
    }

    #[test]
    fn texts_are_quoted_as_python_does() {
        for (text, printed) in [
            ("it's", "\"it's\""),
            ("\"it's\"", "'\"it\\'s\"'"),
            ("\"", "'\"'"),
            ("a\\\t\n\r\0\u{1b}\u{7f}", "'a\\\\\\t\\n\\r\\x00\\x1b\\x7f'"),
            ("Zürich e\u{301} \u{301} 北京 😀", "'Zürich e\u{301} \u{301} 北京 😀'"),
            ("\u{a0}\u{ad}\u{200b}\u{2028}\u{3000}", "'\\xa0\\xad\\u200b\\u2028\\u3000'"),
            ("\u{e000}\u{10ffff}\u{e0001}", "'\\ue000\\U0010ffff\\U000e0001'"),
        ] {
            assert_eq!(quoted(text), printed);
        }
    }

    #[test]
    fn values_are_printed_as_python_does() {
        let value = serde_json::json!({"b": [1, 2.0, null, true], "a": "x'y"});
        assert_eq!(text(&value), "{'b': [1, 2.0, None, True], 'a': \"x'y\"}");
        assert_eq!(text(&serde_json::json!("x'y")), "x'y");
    }

    #[test]
    fn dictionaries_are_broken_where_they_are_too_wide() {
        let inner = |number: f64| Printed::of_floats([("em", number), ("rougel", 0.0)]);
        let short = Printed::Dict(vec![("downstream", inner(0.5))]);
        assert_eq!(short.pretty(), "{'downstream': {'em': 0.5, 'rougel': 0.0}}\n");
        assert_eq!(short.line(), short.pretty());
        assert_eq!(short.json(), "{\"downstream\": {\"em\": 0.5, \"rougel\": 0.0}}\n");
        let indented = "{\n  \"downstream\": {\n    \"em\": 0.5,\n    \"rougel\": 0.0\n  }\n}\n";
        assert_eq!(short.indented_json(), indented);
        let long = Printed::Dict(vec![("downstream", inner(1.0 / 3.0)), ("kilt", inner(0.5))]);
        let expected = "{   'downstream': {'em': 0.3333333333333333, 'rougel': 0.0},\n    \
                        'kilt': {'em': 0.5, 'rougel': 0.0}}\n";
        assert_eq!(long.pretty(), expected);
    }
}
