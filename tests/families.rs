//! The families of golden files: for each, how its inputs are put to us.

mod beir;
mod coqa;
mod dpr;
mod drop;
mod farm;
mod haystack;
mod hotpotqa;
mod ir_measures;
mod jiwer;
mod kilt;
mod msmarco;
mod natural_questions;
mod normalize;
mod nq_open;
mod pltrdy;
mod pyndeval;
mod pytrec_eval;
mod quac;
mod ranked;
mod ranx;
mod rouge;
mod squad;
mod translation;
mod trec_eval;
mod triviaqa;

use qeval_core::{
    Case, Estimate, Example, Metric, Prediction, Score,
    stats::{Column, Intervals, estimate},
};

use crate::tally::{Record, Tally};

/// A file of inputs with the answers of one script.
pub(crate) struct Family {
    /// Name of the file, without `.jsonl`.
    pub(crate) name: &'static str,
    /// Compares one record.
    pub(crate) check: fn(&Record, &mut Tally),
}

/// All families.
pub(crate) static FAMILIES: &[Family] = &[
    Family { name: "normalize", check: normalize::check },
    Family { name: "squad_v1_question", check: squad::v1_question },
    Family { name: "squad_v1_dataset", check: squad::v1_dataset },
    Family { name: "squad_v2_question", check: squad::v2_question },
    Family { name: "squad_v2_dataset", check: squad::v2_dataset },
    Family { name: "quac_question", check: quac::question },
    Family { name: "quac_dataset", check: quac::dataset },
    Family { name: "coqa_turn", check: coqa::turn },
    Family { name: "coqa_dataset", check: coqa::dataset },
    Family { name: "hotpot_question", check: hotpotqa::question },
    Family { name: "hotpot_dataset", check: hotpotqa::dataset },
    Family { name: "triviaqa_question", check: triviaqa::question },
    Family { name: "triviaqa_dataset", check: triviaqa::dataset },
    Family { name: "drop_question", check: drop::question },
    Family { name: "drop_dataset", check: drop::dataset },
    Family { name: "nq_open_orqa", check: nq_open::check },
    Family { name: "kilt", check: kilt::check },
    Family { name: "nq_eval", check: natural_questions::check },
    Family { name: "farm_squad_metrics", check: farm::check },
    Family { name: "haystack_0.10_eval", check: haystack::nodes },
    Family { name: "haystack_1.26_document_metrics", check: haystack::tables },
    Family { name: "haystack_ai_evaluators", check: haystack::evaluators },
    Family { name: "rouge_score", check: rouge::score },
    Family { name: "rouge_score_multi", check: rouge::multi },
    Family { name: "rouge_score_tokenize", check: rouge::tokenize },
    Family { name: "rouge_score_bootstrap", check: rouge::resample },
    Family { name: "porter_nltk", check: rouge::stem },
    Family { name: "rouge_1.5.5_perl", check: rouge::perl },
    Family { name: "rouge_pltrdy_1.0.1", check: pltrdy::check },
    Family { name: "jiwer", check: jiwer::check },
    Family { name: "dpr_simple_tokenizer", check: dpr::simple_tokenizer },
    Family { name: "dpr_has_answer", check: dpr::has_answer },
    Family { name: "dpr_topk", check: dpr::topk },
    Family { name: "trec_eval_9.0.8", check: trec_eval::version_9 },
    Family { name: "trec_eval_10.0", check: trec_eval::version_10 },
    Family { name: "pytrec_eval_terrier", check: pytrec_eval::check },
    Family { name: "ir_measures", check: ir_measures::check },
    Family { name: "pyndeval", check: pyndeval::check },
    Family { name: "ranx", check: ranx::check },
    Family { name: "beir", check: beir::check },
    Family { name: "msmarco_mrr10", check: msmarco::check },
    Family { name: "sacrebleu_tokenizers", check: translation::tokenizers },
    Family { name: "sacrebleu_bleu", check: translation::bleu },
    Family { name: "sacrebleu_chrf", check: translation::chrf },
    Family { name: "sacrebleu_ter", check: translation::ter },
];

/// A metric of the table.
fn metric(name: &str) -> Metric {
    name.parse().unwrap_or_else(|e| panic!("`{name}`: {e}"))
}

/// A question of which nothing matters but its references.
fn example(references: &[String]) -> Example {
    let references = references.iter().map(|text| text.as_str().into()).collect();
    Example { references, ..Example::default() }
}

/// The score of an answer; `None` is a question that the system did not answer.
fn answer_score(metric: &Metric, prediction: Option<&str>, references: &[String]) -> Score {
    let example = example(references);
    match prediction.map(Prediction::answer) {
        Some(prediction) => metric.score(&Case::new(&example).with_prediction(&prediction)),
        None => metric.score(&Case::new(&example)),
    }
}

/// The summary of a metric's scores, each with its dialog where there are dialogs.
fn summary<'a>(
    metric: &Metric,
    scores: impl Iterator<Item = (Score, Option<&'a str>)>,
) -> Estimate {
    let definition = metric.definition();
    let column = Column {
        name: &metric.column(),
        estimator: definition.estimator,
        range: definition.range,
        higher_is_better: definition.higher_is_better,
        intervals: Intervals::auto(7),
    };
    estimate(column, scores.map(|(score, group)| (score.ok(), group)))
}
