//! Differential tests: our metrics against slow programs that follow the definitions word by word,
//! on inputs that nobody would write.

mod answers;
mod rankings;
mod ties;

use proptest::test_runner::Config;

/// Enough cases to meet rare pairs of characters. A failing case is printed whole, so nothing is
/// kept in files.
fn config() -> Config {
    Config { failure_persistence: None, ..Config::with_cases(1000) }
}
