//! The currencies, for the table of units.

/// The currencies: the code, and the forms besides the code.
///
/// A form of two rows stands for both.
#[rustfmt::skip]
pub(crate) const CURRENCIES: &[(&str, &str)] = &[
    ("USD", "$|dollar|dollars|usd|us$|us dollar|us dollars|american dollars|buck|bucks"),
    ("CAD", "$|dollar|dollars|c$|ca$|cad$|canadian dollar|canadian dollars"),
    ("AUD", "$|dollar|dollars|a$|au$|australian dollar|australian dollars"),
    ("NZD", "$|dollar|dollars|nz$|new zealand dollar|new zealand dollars"),
    ("SGD", "$|dollar|dollars|s$|singapore dollar|singapore dollars"),
    ("HKD", "$|dollar|dollars|hk$|hong kong dollar|hong kong dollars"),
    ("TWD", "$|dollar|dollars|nt$|taiwan dollars"),
    ("EUR", "€|euro|euros|eur"),
    ("GBP", "£|gbp|pound|pounds|quid|sterling|pound sterling|pounds sterling|british pounds"),
    ("EGP", "£|pound|pounds|e£|egyptian pound|egyptian pounds"),
    ("JPY", "¥|jpy|yen|japanese yen"),
    ("CNY", "¥|yuan|renminbi|RMB|rmb"),
    ("CHF", "chf|franc|francs|sfr|swiss franc|swiss francs"),
    ("FRF", "franc|francs|ff|french franc|french francs"), ("XAF", "franc|francs|fcfa|cfa francs"),
    ("XOF", "franc|francs|fcfa|cfa francs"),
    ("INR", "₹|rupee|rupees|rs|inr|indian rupee|indian rupees"),
    ("PKR", "rupee|rupees|rs|pakistani rupee|pakistani rupees"),
    ("LKR", "rupee|rupees|rs|sri lankan rupees"), ("NPR", "rupee|rupees|rs|nepalese rupees"),
    ("IDR", "rp|rupiah|rupiahs"), ("MYR", "ringgit|rm"), ("PHP", "₱|peso|pesos|philippine pesos"),
    ("MXN", "$|peso|pesos|mexican peso|mexican pesos"), ("ARS", "$|peso|pesos|argentine pesos"),
    ("CLP", "$|peso|pesos|chilean pesos"), ("COP", "$|peso|pesos|colombian pesos"),
    ("BRL", "r$|reais|brazilian real|brazilian reais"),
    ("SEK", "kr|krona|kronor|swedish krona|swedish kronor"),
    ("NOK", "kr|krone|kroner|norwegian krone|norwegian kroner"),
    ("DKK", "kr|krone|kroner|danish krone|danish kroner"), ("ISK", "kr|krona|kronur"),
    ("PLN", "zł|zloty|zlotys|złoty"), ("CZK", "kč|koruna|korunas"), ("HUF", "forint|forints"),
    ("RUB", "₽|ruble|rubles|rouble|roubles"), ("UAH", "₴|hryvnia|hryvnias"), ("RON", "leu|lei"),
    ("BGN", "lev|leva"), ("TRY", "₺|lira|liras"), ("ITL", "lira|lire"),
    ("DEM", "deutschmark|deutschmarks|deutsche mark|deutsche marks"), ("KRW", "₩|won"),
    ("THB", "฿|baht"), ("VND", "₫|dong"), ("ILS", "₪|shekel|shekels"), ("ZAR", "rand"),
    ("NGN", "₦|naira"), ("KES", "ksh|shilling|shillings"), ("GHS", "₵|cedi|cedis"),
    ("AED", "dirham|dirhams|dh|dhs"), ("MAD", "dirham|dirhams|dh|dhs"),
    ("SAR", "riyal|riyals"), ("QAR", "riyal|riyals"), ("KWD", "dinar|dinars"),
    ("BTC", "₿|bitcoin|bitcoins"), ("ETH", "ether"),
];

/// The hundredths of currencies.
pub(crate) const HUNDREDTHS: &[(&str, &str)] = &[
    ("USD", "cent|cents|¢"),
    ("EUR", "cent|cents|¢"),
    ("CAD", "cent|cents|¢"),
    ("AUD", "cent|cents|¢"),
    ("GBP", "p|penny|pence"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_well_formed_and_listed_once() {
        let codes: Vec<&str> = CURRENCIES.iter().map(|(code, _)| *code).collect();
        for (index, code) in codes.iter().enumerate() {
            assert!(code.len() == 3 && code.chars().all(|c| c.is_ascii_uppercase()), "{code}");
            assert!(!codes[..index].contains(code), "{code}");
        }
        assert!(HUNDREDTHS.iter().all(|(code, _)| codes.contains(code)));
    }
}
