//! The log on stderr: warnings by default, more with `-v`, chosen parts with `QEVAL_LOG`, JSON
//! lines on request.

use tracing_subscriber::{
    EnvFilter,
    fmt::{format::FmtSpan, time::uptime},
};

use crate::args::{Args, LogFormat};

/// Variable that chooses what is logged, for example `qeval_pipeline=debug`.
const FILTER: &str = "QEVAL_LOG";

pub(crate) fn start(args: &Args) {
    let default = match args.verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_env(FILTER).unwrap_or_else(|_| EnvFilter::new(default));
    // With -v a span is worth a line when it closes, with the time that it took.
    let spans = if args.verbose > 0 { FmtSpan::CLOSE } else { FmtSpan::NONE };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| crate::progress::Stderr)
        .with_span_events(spans)
        .with_ansi(crate::terminal::color(&std::io::stderr()));
    match args.log_format {
        LogFormat::Text => log.with_timer(uptime()).with_target(false).init(),
        LogFormat::Json => log.json().init(),
    }
}
