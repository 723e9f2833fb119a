//! sacrebleu's tokenizers, BLEU, chrF and TER.

use qeval_core::{
    Case, Estimator, Metric, Prediction,
    metrics::{
        normalize::is_blank,
        translation::{
            bleu::{self, Smoothing},
            chrf, ter,
            tokenize::Tokenizer,
        },
    },
};
use serde::{Deserialize, de::DeserializeOwned};

use super::{answer_score, example, metric};
use crate::tally::{Record, Tally};

#[derive(Deserialize)]
struct Text {
    text: String,
}

pub(super) fn tokenizers(record: &Record, tally: &mut Tally) {
    let Text { text } = record.input();
    for &name in Tokenizer::NAMES {
        // `none` and `char` leave blanks in the text, which sacrebleu splits later.
        let line = record.expected(name).as_str().unwrap_or_default();
        let expected: Vec<&str> = line.split(is_blank).filter(|token| !token.is_empty()).collect();
        let found = Tokenizer::from_name(name).map(|tokenizer| tokenizer.tokens(&text));
        let found = found.unwrap_or_default();
        tally.same(name, &expected, &found.iter().map(String::as_str).collect());
    }
}

/// A corpus as sacrebleu takes it: stream k holds reference k of every segment.
#[derive(Deserialize)]
struct Corpus<T> {
    hypotheses: Vec<String>,
    references: Vec<Vec<String>>,
    kwargs: T,
}

impl<T: DeserializeOwned> Corpus<T> {
    /// The segments, each with its references.
    fn segments(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &str>)> {
        self.hypotheses.iter().enumerate().map(|(index, hypothesis)| {
            let references = self.references.iter().map(move |stream| stream[index].as_str());
            (hypothesis.as_str(), references)
        })
    }

    /// Compares the metric's own answers with those of the functions: each segment's, and all of
    /// them from the columns of statistics.
    fn compare_metric(&self, record: &Record, name: &str, corpus: &str, tally: &mut Tally) {
        let metric = metric(name);
        let references: Vec<Vec<String>> = self
            .segments()
            .map(|(_, references)| references.map(str::to_owned).collect())
            .collect();
        let segments = self.hypotheses.iter().zip(&references);
        if let Some(expected) = record.expected("sentence_scores").as_array() {
            for ((hypothesis, references), expected) in segments.clone().zip(expected) {
                let found = answer_score(&metric, Some(hypothesis), references);
                tally.score(&format!("{name} of a segment"), expected, found.ok());
            }
        }
        let expected = match record.expected("corpus") {
            numbers if numbers.is_object() => &numbers[corpus],
            score => score,
        };
        tally.score(name, expected, pooled(&metric, segments));
    }
}

/// The metric over all segments, from their columns in another order than the segments have.
fn pooled<'a>(
    metric: &Metric,
    segments: impl Iterator<Item = (&'a String, &'a Vec<String>)>,
) -> Option<f64> {
    let Estimator::Pooled(pooled) = metric.definition().estimator else { return None };
    let mut rows = Vec::new();
    for (hypothesis, references) in segments {
        let example = example(references);
        let prediction = Prediction::answer(hypothesis.as_str());
        rows.push((pooled.of)(metric, &Case::new(&example).with_prediction(&prediction)).ok()?);
    }
    rows.reverse();
    let column = |index: usize| rows.iter().map(|row| row[index]).collect();
    let columns: Vec<Vec<f64>> = (0..pooled.names.len()).map(column).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    (pooled.finish)(metric, &columns)
}

fn yes(switch: bool) -> &'static str {
    if switch { "yes" } else { "no" }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BleuOptions {
    tokenize: String,
    lowercase: bool,
    smooth_method: String,
    smooth_value: Option<f64>,
    effective_order: bool,
    max_ngram_order: Option<usize>,
}

pub(super) fn bleu(record: &Record, tally: &mut Tally) {
    let corpus: Corpus<BleuOptions> = record.input();
    let kwargs = &corpus.kwargs;
    let options = bleu::Options {
        tokenizer: Tokenizer::from_name(&kwargs.tokenize).expect("a tokenizer that we have"),
        lowercase: kwargs.lowercase,
        smoothing: match kwargs.smooth_method.as_str() {
            "exp" => Smoothing::Exponential,
            "floor" => Smoothing::Floor(kwargs.smooth_value.unwrap_or(0.1)),
            "add-k" => Smoothing::AddK(kwargs.smooth_value.unwrap_or(1.0)),
            _ => Smoothing::None,
        },
        effective_order: kwargs.effective_order,
        order: kwargs.max_ngram_order.unwrap_or(4),
    };
    let expected = record.expected("corpus");
    let found = bleu::corpus(corpus.segments(), &options).expect("segments have references");
    tally.score("score", &expected["score"], Some(found.score));
    tally.score("bp", &expected["bp"], Some(found.brevity_penalty));
    for (key, values) in
        [("counts", found.matches), ("totals", found.ngrams), ("precisions", found.precisions)]
    {
        let expected = expected[key].as_array().map_or(&[][..], Vec::as_slice);
        tally.same("number of orders", &expected.len(), &values.len());
        for (expected, value) in expected.iter().zip(values) {
            tally.score(key, expected, Some(value));
        }
    }
    let mut lengths = bleu::Statistics::default();
    for (hypothesis, references) in corpus.segments() {
        let found = bleu::statistics(hypothesis, references, &options);
        lengths.add(&found.expect("segments have references"));
    }
    tally.count("sys_len", &expected["sys_len"], Some(lengths.answer_length as f64));
    tally.count("ref_len", &expected["ref_len"], Some(lengths.reference_length as f64));
    if options.order > 4 {
        tally.skip("BLEU has columns for four orders");
        return;
    }
    let value = kwargs.smooth_value.map_or(String::new(), |value| match options.smoothing {
        Smoothing::AddK(_) => format!(",k={value}"),
        _ => format!(",floor={value}"),
    });
    let name = format!(
        "BLEU(tokenize={},lowercase={},smooth={}{value},effective_order={},order={})",
        kwargs.tokenize,
        yes(kwargs.lowercase),
        kwargs.smooth_method,
        yes(kwargs.effective_order),
        options.order,
    );
    corpus.compare_metric(record, &name, "score", tally);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChrfOptions {
    char_order: usize,
    word_order: usize,
    beta: f64,
    lowercase: bool,
    whitespace: bool,
    eps_smoothing: bool,
}

pub(super) fn chrf(record: &Record, tally: &mut Tally) {
    let corpus: Corpus<ChrfOptions> = record.input();
    let &ChrfOptions { char_order, word_order, beta, lowercase, whitespace, eps_smoothing } =
        &corpus.kwargs;
    let options =
        chrf::Options { char_order, word_order, beta, lowercase, whitespace, eps_smoothing };
    tally.score("corpus", record.expected("corpus"), chrf::corpus(corpus.segments(), &options));
    let name = format!(
        "chrF(char_order={char_order},word_order={word_order},beta={beta},lowercase={},\
         whitespace={},eps_smoothing={})",
        yes(lowercase),
        yes(whitespace),
        yes(eps_smoothing),
    );
    corpus.compare_metric(record, &name, "", tally);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "sacrebleu's arguments are four switches")]
struct TerOptions {
    normalized: bool,
    no_punct: bool,
    asian_support: bool,
    case_sensitive: bool,
}

pub(super) fn ter(record: &Record, tally: &mut Tally) {
    let corpus: Corpus<TerOptions> = record.input();
    let &TerOptions { normalized, no_punct, asian_support, case_sensitive } = &corpus.kwargs;
    let options = ter::Options { normalized, no_punct, asian_support, case_sensitive };
    let found = ter::corpus(corpus.segments(), options);
    let expected = record.expected("corpus");
    tally.count("num_edits", &expected["num_edits"], found.map(|found| found.edits));
    tally.score("ref_length", &expected["ref_length"], found.map(|found| found.reference_length));
    tally.score("score", &expected["score"], found.map(|found| found.ter()));
    let name = format!(
        "TER(normalized={},no_punct={},asian_support={},case_sensitive={})",
        yes(normalized),
        yes(no_punct),
        yes(asian_support),
        yes(case_sensitive),
    );
    corpus.compare_metric(record, &name, "score", tally);
}
