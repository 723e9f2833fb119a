//! What the table `[evaluation]` says of ties and intervals, checked.

use qeval_core::{
    Ties,
    stats::{IntervalMethod, Intervals},
};

use crate::{Config, Problem, problem::suggest};

/// Fewest resamples of an interval: of fewer, the ends are single ones of them.
const FEWEST: u32 = 100;

/// Most resamples of an interval.
const MOST: u32 = 1_000_000;

/// How hits with equal scores are ordered.
pub(super) fn ties(config: &Config, problems: &mut Vec<Problem>) -> Ties {
    let Some(ties) = &config.evaluation.ties else { return Ties::default() };
    match ties.get_ref().as_str() {
        "docno" => Ties::Docno,
        "input" => Ties::Input,
        other => {
            let message = format!("`ties` is `{other}`");
            let hint = suggest(other, ["docno", "input"]);
            problems.push(Problem::at(ties.span(), message).maybe_hint(hint));
            Ties::default()
        }
    }
}

/// How the intervals of means are made, with the seed.
pub(super) fn intervals(config: &Config, problems: &mut Vec<Problem>) -> Intervals {
    let auto = Intervals::auto(config.evaluation.seed.unwrap_or(0));
    let Some(section) = &config.evaluation.interval else { return auto };
    let method = section.method.as_ref().map(|method| {
        let known = IntervalMethod::ALL.into_iter().find(|known| known.name() == method.get_ref());
        known.unwrap_or_else(|| {
            let message = format!("the method of an interval is `{}`", method.get_ref());
            let hint = suggest(method.get_ref(), IntervalMethod::ALL.map(IntervalMethod::name));
            problems.push(Problem::at(method.span(), message).maybe_hint(hint));
            auto.method
        })
    });
    let resamples = section.resamples.as_ref().map(|resamples| {
        let count = *resamples.get_ref();
        if !(FEWEST..=MOST).contains(&count) {
            let message = format!("an interval of {count} resamples");
            let hint = format!("a number from {FEWEST} to {MOST}; from 1,000 it is steady");
            problems.push(Problem::at(resamples.span(), message).hint(hint));
        }
        count.clamp(FEWEST, MOST)
    });
    Intervals {
        method: method.unwrap_or(auto.method),
        resamples: resamples.unwrap_or(auto.resamples),
        ..auto
    }
}
