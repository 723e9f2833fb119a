//! Differential tests: our metrics against slow programs that follow the definitions word by word,
//! on inputs that nobody would write.

mod answers;
mod rankings;
