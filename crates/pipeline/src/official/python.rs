//! Numbers as Python prints them.

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

/// An object as `json.dumps` writes it: on one line, or indented by two.
pub(super) fn json(members: &[(&str, String)], indented: bool) -> String {
    let members = members.iter().map(|(name, value)| format!("\"{name}\": {value}"));
    let members: Vec<String> = members.collect();
    if indented {
        format!("{{\n  {}\n}}\n", members.join(",\n  "))
    } else {
        format!("{{{}}}\n", members.join(", "))
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
}
