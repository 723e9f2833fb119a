//! What grades gain, where a metric is told so: `1:1;2:3`.

use std::fmt;

/// How it is written that every grade gains itself.
const GRADE: &str = "grade";

/// Some grades with what each gains, lowest grade first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gains {
    given: Vec<(i32, f64)>,
}

impl Gains {
    /// Reads `1:1;2:3`, and `{1: 1, 2: 3}` as `ir_measures` writes it; `grade` names none. `None` for
    /// anything else, for a grade that is named twice, and for numbers below 0.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text == GRADE {
            return Some(Self::default());
        }
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let mut given = Vec::new();
        for pair in inner.unwrap_or(text).split([';', ',']) {
            let (grade, gain) = pair.split_once(':')?;
            let (grade, gain): (i32, f64) = (grade.trim().parse().ok()?, gain.trim().parse().ok()?);
            if grade < 0 || gain.is_sign_negative() || !gain.is_finite() {
                return None;
            }
            given.push((grade, gain));
        }
        given.sort_by_key(|&(grade, _)| grade);
        let twice = given.windows(2).any(|pair| pair[0].0 == pair[1].0);
        (!twice).then_some(Self { given })
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// What a grade gains. One that is not named gains itself, and a negative one nothing.
    pub fn of(&self, grade: i32) -> f64 {
        let named = self.given.iter().find(|&&(named, _)| named == grade);
        named.map_or(f64::from(grade.max(0)), |&(_, gain)| gain)
    }
}

impl fmt::Display for Gains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str(GRADE);
        }
        for (index, (grade, gain)) in self.given.iter().enumerate() {
            write!(f, "{}{grade}:", if index == 0 { "" } else { ";" })?;
            // Without an exponent these have hundreds of digits.
            if *gain == 0.0 || (1e-6..1e16).contains(gain) {
                write!(f, "{gain}")?;
            } else {
                write!(f, "{gain:e}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_named_gains_itself() {
        let gains = Gains::parse("{0: 0.5, 2: 9}").unwrap();
        assert!(!gains.is_empty() && Gains::default().is_empty());
        for (grade, gain) in [(-1, 0.0), (0, 0.5), (1, 1.0), (2, 9.0), (3, 3.0)] {
            assert!((gains.of(grade) - gain).abs() < f64::EPSILON, "{grade}");
        }
        for wrong in ["", "1", "1:x", "1:-1", "-1:1", "1:1;1:2", "1:nan", "{1:1"] {
            assert_eq!(Gains::parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn display_and_parse_are_inverse(
            given in prop::collection::btree_map(
                0..i32::MAX,
                prop_oneof![0.0..1e300_f64, 0.0..1e18_f64, 0.0..1e-5_f64],
                0..5,
            ),
        ) {
            let gains = Gains { given: given.into_iter().collect() };
            prop_assert_eq!(Gains::parse(&gains.to_string()), Some(gains));
        }
    }
}
