//! Normalisers, tokenisers, parsers of numbers and dates, and the names of metrics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use qeval_core::{
    Metric,
    metrics::{choice, date, drop, normalize, number, rouge, translation::tokenize, words},
};
use qeval_fuzz::choose;

fuzz_target!(|bytes: &[u8]| {
    let parts = [0_u8, 1, 2, 3, 4, 5, 6, 7];
    let Some((part, bytes)) = choose(&parts, bytes) else { return };
    let text = String::from_utf8_lossy(bytes);
    match part {
        0 => {
            let normalized = normalize::squad(&text);
            assert!(!normalized.contains("  "), "blanks are collapsed");
        }
        1 => {
            let _ = (normalize::triviaqa(&text), normalize::nq_open(&text), drop::normalize(&text));
        }
        2 => {
            let _ = words::Words::new(&text);
        }
        3 => {
            let _ = (rouge::tokens(&text, true), rouge::porter::stem(&text));
        }
        4 => {
            for name in tokenize::Tokenizer::NAMES {
                let _ = tokenize::Tokenizer::from_name(name).map(|t| t.tokens(&text));
            }
        }
        5 => {
            for locale in ["en", "in", "de", "ch", "fr"] {
                let _ = number::numbers(&text, locale);
            }
        }
        6 => {
            let _ = (date::Date::first(&text, true), choice::label(&text, true));
        }
        // What an unknown name may have meant takes long to find out for a long one.
        _ if text.len() > 24 => {}
        _ => {
            if let Ok(metric) = text.parse::<Metric>() {
                assert_eq!(metric.to_string().parse::<Metric>().as_ref(), Ok(&metric));
            }
            let _ = Metric::parse_list(&text);
        }
    }
});
