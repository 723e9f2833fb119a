//! Decimal digits of the scripts that have their own.

/// The zeros of the scripts whose digits texts of our time use; nine digits follow each.
const ZEROS: [u32; 21] = [
    0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50,
    0xed0, 0xf20, 0x1040, 0x17e0, 0x1810, 0x1946, 0x19d0, 0xff10,
];

/// The value of a decimal digit of any of these scripts.
pub(super) fn digit(c: char) -> Option<u8> {
    let code = u32::from(c);
    let index = ZEROS.partition_point(|&zero| zero <= code).checked_sub(1)?;
    u8::try_from(code - ZEROS[index]).ok().filter(|&value| value < 10)
}

#[cfg(test)]
mod tests {
    use unicode_general_category::{GeneralCategory, get_general_category};

    use super::*;

    #[test]
    fn each_digit_is_one_for_unicode_too() {
        for c in '\0'..=char::MAX {
            if digit(c).is_some() {
                assert_eq!(get_general_category(c), GeneralCategory::DecimalNumber, "{c}");
            }
        }
        assert_eq!("٣३๓３".chars().map(digit).collect::<Vec<_>>(), [Some(3); 4]);
    }
}
