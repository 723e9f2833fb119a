//! Metrics: the table of them, and what each says of itself. `metric/name.rs` has the grammar of
//! their names, `metric/family.rs` the names that stand for several.
//!
//! Each metric is one file in [`metrics`](crate::metrics) that exports a [`Definition`], and one
//! line in [`METRICS`].

mod family;
mod gains;
mod name;
mod trec;

pub use self::{
    family::{FAMILIES, Family},
    gains::Gains,
    name::{column_name, is_name},
};
use crate::{Case, Prediction, Score, Unscored, metrics, stats::Group};

/// Every metric, in the order in which it is listed.
pub static METRICS: &[&Definition] = &[
    &metrics::exact_match::EM,
    &metrics::token_f1::F1,
    &metrics::exact_match::SQUAD1_EM,
    &metrics::token_f1::SQUAD1_F1,
    &metrics::top_answers::TOP_EM,
    &metrics::top_answers::TOP_F1,
    &metrics::farm::FARM_EM,
    &metrics::farm::FARM_F1,
    &metrics::farm::FARM_TOP_ACCURACY,
    &metrics::quac::QUAC_F1,
    &metrics::quac::HEQ_Q,
    &metrics::quac::HEQ_D,
    &metrics::verdict::VERDICT,
    &metrics::abstention::ANSWERED,
    &metrics::abstention::NO_ANSWER_ACCURACY,
    &metrics::abstention::NO_ANSWER_PRECISION,
    &metrics::abstention::NO_ANSWER_RECALL,
    &metrics::abstention::NO_ANSWER_F1,
    &metrics::risk_coverage::AURC,
    &metrics::risk_coverage::E_AURC,
    &metrics::calibration::ECE,
    &metrics::calibration::BRIER,
    &metrics::number::NUMBER,
    &metrics::date::DATE,
    &metrics::yes_no::YES_NO,
    &metrics::choice::CHOICE,
    &metrics::contains::CONTAINS,
    &metrics::pattern::REGEX,
    &metrics::set::SET_F1,
    &metrics::set::SET_PRECISION,
    &metrics::set::SET_RECALL,
    &metrics::quac::labels::QUAC_YES_NO,
    &metrics::quac::labels::QUAC_FOLLOWUP,
    &metrics::quac::unanswerable::QUAC_UNANSWERABLE,
    &metrics::coqa::COQA_EM,
    &metrics::coqa::COQA_F1,
    &metrics::hotpotqa::answer::HOTPOTQA_EM,
    &metrics::hotpotqa::answer::HOTPOTQA_F1,
    &metrics::hotpotqa::answer::HOTPOTQA_PRECISION,
    &metrics::hotpotqa::answer::HOTPOTQA_RECALL,
    &metrics::hotpotqa::facts::HOTPOTQA_SP_EM,
    &metrics::hotpotqa::facts::HOTPOTQA_SP_F1,
    &metrics::hotpotqa::facts::HOTPOTQA_SP_PRECISION,
    &metrics::hotpotqa::facts::HOTPOTQA_SP_RECALL,
    &metrics::hotpotqa::joint::HOTPOTQA_JOINT_EM,
    &metrics::hotpotqa::joint::HOTPOTQA_JOINT_F1,
    &metrics::hotpotqa::joint::HOTPOTQA_JOINT_PRECISION,
    &metrics::hotpotqa::joint::HOTPOTQA_JOINT_RECALL,
    &metrics::triviaqa::TRIVIAQA_EM,
    &metrics::triviaqa::TRIVIAQA_F1,
    &metrics::drop::DROP_EM,
    &metrics::drop::DROP_F1,
    &metrics::natural_questions::long::NQ_LONG_F1,
    &metrics::natural_questions::long::NQ_LONG_PRECISION,
    &metrics::natural_questions::long::NQ_LONG_RECALL,
    &metrics::natural_questions::long::NQ_LONG_THRESHOLD,
    &metrics::natural_questions::long::NQ_LONG_RECALL_AT_PRECISION,
    &metrics::natural_questions::short::NQ_SHORT_F1,
    &metrics::natural_questions::short::NQ_SHORT_PRECISION,
    &metrics::natural_questions::short::NQ_SHORT_RECALL,
    &metrics::natural_questions::short::NQ_SHORT_THRESHOLD,
    &metrics::natural_questions::short::NQ_SHORT_RECALL_AT_PRECISION,
    &metrics::nq_open::NQ_OPEN_EM,
    &metrics::curated_trec::CURATED_TREC_EM,
    &metrics::kilt::downstream::KILT_ACCURACY,
    &metrics::kilt::downstream::KILT_EM,
    &metrics::kilt::downstream::KILT_F1,
    &metrics::kilt::rouge::KILT_ROUGE_L,
    &metrics::kilt::joint::KILT_JOINT_ACCURACY,
    &metrics::kilt::joint::KILT_JOINT_EM,
    &metrics::kilt::joint::KILT_JOINT_F1,
    &metrics::kilt::joint::KILT_JOINT_ROUGE_L,
    &metrics::kilt::provenance::KILT_RPREC,
    &metrics::kilt::provenance::KILT_PRECISION,
    &metrics::kilt::provenance::KILT_RECALL,
    &metrics::kilt::provenance::KILT_SUCCESS,
    &metrics::alce::str_em::ALCE_STR_EM,
    &metrics::alce::str_em::ALCE_STR_HIT,
    &metrics::alce::qampari::QAMPARI_PRECISION,
    &metrics::alce::qampari::QAMPARI_RECALL,
    &metrics::alce::qampari::QAMPARI_RECALL_5,
    &metrics::alce::qampari::QAMPARI_F1,
    &metrics::alce::qampari::QAMPARI_F1_5,
    &metrics::rouge::ROUGE_1,
    &metrics::rouge::ROUGE_2,
    &metrics::rouge::ROUGE_3,
    &metrics::rouge::ROUGE_4,
    &metrics::rouge::ROUGE_5,
    &metrics::rouge::ROUGE_6,
    &metrics::rouge::ROUGE_7,
    &metrics::rouge::ROUGE_8,
    &metrics::rouge::ROUGE_9,
    &metrics::rouge::ROUGE_L,
    &metrics::rouge::ROUGE_LSUM,
    &metrics::error_rate::WER,
    &metrics::error_rate::CER,
    &metrics::translation::bleu::BLEU,
    &metrics::translation::chrf::CHRF,
    &metrics::translation::ter::TER,
    &metrics::precision::PRECISION,
    &metrics::recall::RECALL,
    &metrics::success::SUCCESS,
    &metrics::reciprocal_rank::MRR,
    &metrics::average_precision::MAP,
    &metrics::ndcg::NDCG,
    &metrics::alpha_ndcg::ALPHA_NDCG,
    &metrics::r_precision::RPREC,
    &metrics::bpref::BPREF,
    &metrics::inferred_average_precision::INF_AP,
    &metrics::interpolated_precision::IPREC,
    &metrics::interpolated_precision::IPREC_11,
    &metrics::geometric::GMAP,
    &metrics::geometric::GM_BPREF,
    &metrics::expected_reciprocal_rank::ERR,
    &metrics::rank_biased_precision::RBP,
    &metrics::rank_biased_precision::RBP_RESIDUAL,
    &metrics::relative_precision::REL_P,
    &metrics::all_recall::ALL_RECALL,
    &metrics::counts::HITS,
    &metrics::judged::JUDGED,
    &metrics::judged::UNJUDGED,
    &metrics::set_retrieval::SET_P,
    &metrics::set_retrieval::SET_R,
    &metrics::set_retrieval::SET_F,
    &metrics::set_retrieval::SET_AP,
    &metrics::set_retrieval::SET_REL_P,
    &metrics::utility::UTILITY,
    &metrics::gain::G,
    &metrics::gain::BIN_G,
    &metrics::ndcg_points::NDCG_REL,
    &metrics::ndcg_points::R_NDCG,
    &metrics::counts::NUM_RET,
    &metrics::counts::NUM_REL,
    &metrics::counts::NUM_NONREL,
    &metrics::counts::NUM_Q,
    &metrics::answer_recall::ANSWER_RECALL,
    &metrics::answer_recall::ANSWER_MRR,
    &metrics::haystack::nodes::HAYSTACK0_RECALL,
    &metrics::haystack::nodes::HAYSTACK0_MRR,
    &metrics::haystack::tables::HAYSTACK1_RECALL,
    &metrics::haystack::tables::HAYSTACK1_SUCCESS,
    &metrics::haystack::tables::HAYSTACK1_PRECISION,
    &metrics::haystack::tables::HAYSTACK1_MAP,
    &metrics::haystack::tables::HAYSTACK1_MRR,
    &metrics::haystack::tables::HAYSTACK1_NDCG,
];

/// What a metric file says of its metric.
#[derive(Debug)]
pub struct Definition {
    /// Canonical base name, for example `nDCG`.
    pub name: &'static str,
    /// Other names that are accepted and never printed.
    pub synonyms: &'static [&'static str],
    /// What it measures, in one sentence.
    pub summary: &'static str,
    /// The official script or paper whose numbers it equals.
    pub equals: &'static str,
    /// What is scored.
    pub subject: Subject,
    /// What it asks for.
    pub needs: &'static [Need],
    /// Whether the name takes `@k`.
    pub cutoff: Cutoff,
    /// Parameters in parentheses.
    pub parameters: &'static [Parameter],
    /// Lowest and highest value; infinite where the range is open.
    pub range: (f64, f64),
    /// Whether more is better.
    pub higher_is_better: bool,
    /// How the scores of examples become one number.
    pub estimator: Estimator,
    /// The metric itself, on a case that has what [`subject`](Self::subject) asks for.
    pub score: fn(&Metric, &Case<'_>) -> Score,
}

/// What a metric looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The reader's answer.
    Answer,
    /// The retriever's ranking.
    Retrieval,
}

/// What a metric asks for. It cannot do without, but for an optional column and for what may be
/// beside the text of a prediction: one without that is unscored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// References to compare with.
    References,
    /// Judged or gold passages.
    Judgments,
    /// Judgments that name the subtopics of a query.
    Subtopics,
    /// The texts of the retrieved passages.
    PassageTexts,
    /// What was retrieved, or what the reader says that it saw.
    Hits,
    /// Examples that belong to dialogs.
    Groups,
    /// A column of the dataset.
    Column(&'static str),
    /// A column of the dataset that is used where there is one.
    OptionalColumn(&'static str),
    /// A label of the predictions: a closed answer beside the text.
    Label(&'static str),
    /// How sure the reader is of its answers.
    Confidence,
}

/// Whether a metric's name takes a cutoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cutoff {
    /// `EM@5` is an error.
    Never,
    /// `MAP` and `MAP@100` are both metrics.
    Optional,
    /// `Recall` alone is an error.
    Required,
}

/// How the scores of the examples become one number.
#[derive(Clone, Copy, Debug)]
pub enum Estimator {
    /// Their mean.
    Mean,
    /// A function of the groups (dialogs, documents), each with its number of scored examples and
    /// the sum of their scores. Groups merge by addition, so any partition of the examples gives
    /// the same number.
    Groups(fn(&mut dyn Iterator<Item = &Group>) -> Option<f64>),
    /// A function of statistics that each example gives beside its own score: BLEU counts n-grams
    /// in all of them, a calibration error compares confidences with scores.
    Pooled(&'static Pooled),
}

/// How the statistics of the examples become one number.
#[derive(Debug)]
pub struct Pooled {
    /// What the statistics are, in one word each: the endings of their columns.
    pub names: &'static [&'static str],
    /// The statistics of one example, one for each name.
    pub of: fn(&Metric, &Case<'_>) -> Result<Vec<f64>, Unscored>,
    /// The number. It is given one slice for each name, which holds the statistics of all scored
    /// examples; their order must not matter.
    pub finish: fn(&Metric, &[&[f64]]) -> Option<f64>,
}

/// A parameter of a metric.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it takes and what it is when absent.
    pub kind: Kind,
    /// What it changes.
    pub summary: &'static str,
}

/// The values that a parameter takes.
#[derive(Debug)]
pub enum Kind {
    /// A whole number of at least `min`.
    Integer {
        /// Lowest value allowed.
        min: i32,
        /// Value when absent.
        default: i32,
    },
    /// A finite number from `min` to `max`, which may be infinite.
    Number {
        /// Lowest value allowed.
        min: f64,
        /// Highest value allowed.
        max: f64,
        /// Value when absent.
        default: f64,
    },
    /// One of these words; the first is the default.
    Choice(&'static [&'static str]),
    /// What each grade gains; none is the default.
    Gains,
    /// A normalizer of a plugin as `plugin.name`; none is the default.
    Normalizer,
}

/// The value given to a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// For [`Kind::Integer`].
    Integer(i32),
    /// For [`Kind::Number`].
    Number(f64),
    /// For [`Kind::Choice`].
    Choice(&'static str),
    /// For [`Kind::Gains`].
    Gains(Gains),
    /// For [`Kind::Normalizer`].
    Normalizer(Option<String>),
}

/// A metric with its parameters and cutoff, ready to score.
#[derive(Clone, Debug)]
pub struct Metric {
    definition: &'static Definition,
    /// One value for each parameter of the definition, in its order.
    arguments: Vec<Argument>,
    /// Whether all of these are the default.
    plain: bool,
    cutoff: Option<u32>,
}

/// How the names of metrics begin that do not ask for the text of an answer.
const TEXTLESS: [&str; 3] = ["NQ.", "NoAnswer.", "Answered"];

/// A name that is no metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MetricError {
    /// What is wrong.
    pub message: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl Metric {
    /// The metric's entry in the table.
    pub fn definition(&self) -> &'static Definition {
        self.definition
    }

    /// The `k` of `@k`.
    pub fn cutoff(&self) -> Option<u32> {
        self.cutoff
    }

    /// The cutoff as a number of hits; all of them when there is none.
    pub(crate) fn depth(&self) -> usize {
        self.cutoff.map_or(usize::MAX, |cutoff| cutoff as usize)
    }

    /// Whether no parameter has another value than its default.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether its ranks are documents, and no passages (`unit=document`).
    pub fn counts_documents(&self) -> bool {
        self.arguments()
            .any(|(name, value)| name == "unit" && matches!(value, Argument::Choice("document")))
    }

    /// Value of an integer parameter that the definition declares.
    pub(crate) fn integer(&self, name: &str) -> i32 {
        match self.argument(name) {
            Argument::Integer(value) => *value,
            other => unreachable!("`{name}` is declared as an integer and is {other:?}"),
        }
    }

    /// Value of a number parameter that the definition declares.
    pub(crate) fn number(&self, name: &str) -> f64 {
        match self.argument(name) {
            Argument::Number(value) => *value,
            other => unreachable!("`{name}` is declared as a number and is {other:?}"),
        }
    }

    /// Value of a choice that the definition declares.
    pub(crate) fn choice(&self, name: &str) -> &'static str {
        match self.argument(name) {
            Argument::Choice(value) => value,
            other => unreachable!("`{name}` is declared as a choice and is {other:?}"),
        }
    }

    /// Value of a parameter of gains that the definition declares.
    pub(crate) fn gains(&self, name: &str) -> &Gains {
        match self.argument(name) {
            Argument::Gains(value) => value,
            other => unreachable!("`{name}` is declared as gains and is {other:?}"),
        }
    }

    fn argument(&self, name: &str) -> &Argument {
        let index = self.definition.parameters.iter().position(|p| p.name == name);
        &self.arguments[index.expect("a metric asks for its own parameters only")]
    }

    /// The parameters with their values, defaults included.
    pub fn arguments(&self) -> impl Iterator<Item = (&'static str, &Argument)> {
        let names = self.definition.parameters.iter().map(|parameter| parameter.name);
        names.zip(&self.arguments)
    }

    /// The worst value of the range: what a missing prediction or a missing query scores.
    pub fn worst(&self) -> f64 {
        let (low, high) = self.definition.range;
        if self.definition.higher_is_better { low } else { high }
    }

    /// Scores one case. A missing prediction or ranking scores the worst value; where there is
    /// none, because the range is open, a missing prediction is scored as an empty one. An example
    /// that the metric does not apply to is unscored with a prediction or without.
    pub fn score(&self, case: &Case<'_>) -> Score {
        let score = self.check_text(case).and_then(|()| (self.definition.score)(self, case));
        let missing = match self.definition.subject {
            Subject::Answer => case.prediction.is_none(),
            Subject::Retrieval => false,
        };
        if !missing || !self.worst().is_finite() {
            return score;
        }
        match score {
            // QuAC's script looks for the prediction before it looks for agreement.
            Ok(_) | Err(Unscored::LowAgreement) => Ok(self.worst()),
            Err(unscored) => Err(unscored),
        }
    }

    /// The statistics of one case, if it can be scored; `pooled` is the metric's own.
    pub fn statistics(&self, pooled: &Pooled, case: &Case<'_>) -> Result<Vec<f64>, Unscored> {
        self.check_text(case)?;
        (pooled.of)(self, case)
    }

    /// A text that nobody knows must not be compared as an empty one.
    fn check_text(&self, case: &Case<'_>) -> Result<(), Unscored> {
        let Definition { name, subject, .. } = self.definition;
        let asks = || *subject == Subject::Answer && !TEXTLESS.iter().any(|t| name.starts_with(t));
        if case.prediction.is_some_and(Prediction::is_without_text) && asks() {
            let reason = "the prediction says where the answer stands, and not its text";
            return Err(Unscored::NotApplicable(reason.to_owned()));
        }
        Ok(())
    }

    /// How its statistics become one number; `None` for a metric that has none.
    pub fn pooled(&self) -> Option<&'static Pooled> {
        match self.definition.estimator {
            Estimator::Pooled(pooled) => Some(pooled),
            Estimator::Mean | Estimator::Groups(_) => None,
        }
    }

    /// The name as a column of a table.
    pub fn column(&self) -> String {
        column_name(&self.to_string())
    }

    /// Reads a name that may hold several cutoffs, such as `Recall@{1,5,20}`, or be that of a
    /// family.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, MetricError> {
        if let Some(family) = Family::named(text) {
            return Ok(family.metrics());
        }
        match text.split_once("@{").and_then(|(base, rest)| Some((base, rest.strip_suffix('}')?))) {
            Some((base, cutoffs)) => {
                cutoffs.split(',').map(|k| format!("{base}@{}", k.trim()).parse()).collect()
            }
            None => Ok(vec![text.parse()?]),
        }
    }
}

/// Two metrics are equal when they have the same name.
impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.definition, other.definition)
            && self.arguments == other.arguments
            && self.cutoff == other.cutoff
    }
}
