//! The long answers of Natural Questions.

use super::{
    Answer, LEAST_PRECISION, NAMES, THRESHOLD, label::LONG_ANSWERS, long, long_with_score,
    pooled_f1, pooled_precision, pooled_recall, pooled_recall_at_precision, pooled_threshold,
};
use crate::{Cutoff, Definition, Estimator, Need, Pooled, Subject};

/// F1 of the long answers, over all questions.
///
/// # Definition
/// Harmonic mean of [`NQ_LONG_PRECISION`] and [`NQ_LONG_RECALL`]. A question has a long answer where
/// at least two annotators marked one. A prediction is right if the question has an answer and it is
/// the span of one of the annotators, by bytes or by tokens.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// With `threshold=best` only predictions with at least the score [`NQ_LONG_THRESHOLD`] count: the
/// best F1 that the scores allow on the same questions, which is no result on unseen ones.
///
/// # Edge cases
/// 0 where precision or recall is 0. A question without an answer that got none has no score of its
/// own; it changes nothing. A missing prediction is a wrong one, at every threshold and also where the
/// question has no answer. Null for an example that nobody has annotated, for a prediction without
/// the columns of Natural Questions' format, and, with `threshold=best`, for an answer without a
/// score.
///
/// # Equals
/// `nq_eval.py`: `long-answer-f1`, which it prints with `--pretty_print`, and, with `threshold=best`,
/// `long-best-threshold-f1`. Kwiatkowski et al., "Natural Questions" (2019).
pub static NQ_LONG_F1: Definition = Definition {
    name: "NQ.Long-F1",
    synonyms: &[],
    summary: "F1 of the long answers, over all questions",
    equals: "Natural Questions, nq_eval.py: long-answer-f1, long-best-threshold-f1",
    subject: Subject::Answer,
    needs: &[Need::Column(LONG_ANSWERS)],
    cutoff: Cutoff::Never,
    parameters: &[THRESHOLD],
    range: (0.0, 1.0),
    higher_is_better: true,
    estimator: Estimator::Pooled(&POOLED_F1),
    score: |metric, case| Answer::Long.f1(metric, case),
};

/// Precision of the long answers, over all questions.
///
/// # Definition
/// Right long answers by those that were given.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// As [`NQ_LONG_F1`].
///
/// # Edge cases
/// As [`NQ_LONG_F1`]; 0 where no answer is given. A question that got no answer has no score of its
/// own.
///
/// # Equals
/// `nq_eval.py`: `long-answer-precision` and, with `threshold=best`, `long-best-threshold-precision`.
pub static NQ_LONG_PRECISION: Definition = Definition {
    name: "NQ.Long-Precision",
    summary: "right long answers by those that were given",
    equals: "Natural Questions, nq_eval.py: long-answer-precision, long-best-threshold-precision",
    estimator: Estimator::Pooled(&POOLED_PRECISION),
    score: |metric, case| Answer::Long.precision(metric, case),
    ..NQ_LONG_F1
};

/// Recall of the long answers, over all questions.
///
/// # Definition
/// Right long answers by the questions that have one.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// As [`NQ_LONG_F1`].
///
/// # Edge cases
/// As [`NQ_LONG_F1`]; 0 where no question has an answer. A question without one has no score of its
/// own.
///
/// # Equals
/// `nq_eval.py`: `long-answer-recall` and, with `threshold=best`, `long-best-threshold-recall`.
pub static NQ_LONG_RECALL: Definition = Definition {
    name: "NQ.Long-Recall",
    summary: "right long answers by the questions that have one",
    equals: "Natural Questions, nq_eval.py: long-answer-recall, long-best-threshold-recall",
    estimator: Estimator::Pooled(&POOLED_RECALL),
    score: |metric, case| Answer::Long.recall(case, super::at_best(metric)),
    ..NQ_LONG_F1
};

/// The score from which on long answers make the best F1.
///
/// # Definition
/// Of all scores of predictions the one at which F1 is highest, if answers with a lower score are
/// left out; the highest such score where several are equal.
///
/// # Range
/// All numbers; it is no quality.
///
/// # Edge cases
/// 0 where no answer is right, as in the script. An example whose answer is not right has no value of
/// its own. Otherwise as [`NQ_LONG_F1`].
///
/// # Equals
/// `nq_eval.py`: `long-best-threshold`.
pub static NQ_LONG_THRESHOLD: Definition = Definition {
    name: "NQ.Long-Threshold",
    summary: "the score from which on long answers make the best F1",
    equals: "Natural Questions, nq_eval.py: long-best-threshold",
    parameters: &[],
    range: (f64::NEG_INFINITY, f64::INFINITY),
    estimator: Estimator::Pooled(&POOLED_THRESHOLD),
    score: |_, case| Answer::Long.threshold(case),
    ..NQ_LONG_F1
};

/// The highest recall of long answers at a threshold with a precision of at least so much.
///
/// # Definition
/// The highest [`NQ_LONG_RECALL`] over all thresholds on the scores at which [`NQ_LONG_PRECISION`] is
/// at least `min`.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// 0 where no threshold has that precision. Otherwise as [`NQ_LONG_RECALL`] with `threshold=best`.
///
/// # Equals
/// `nq_eval.py`: `long-recall-at-precision>=0.5`, and so on. The precision that is reached there is
/// printed by `qeval score --official natural-questions`.
pub static NQ_LONG_RECALL_AT_PRECISION: Definition = Definition {
    name: "NQ.Long-Recall-at-Precision",
    summary: "the highest recall of long answers at a threshold of at least that precision",
    equals: "Natural Questions, nq_eval.py: long-recall-at-precision>=...",
    parameters: &[LEAST_PRECISION],
    estimator: Estimator::Pooled(&POOLED_AT_PRECISION),
    score: |_, case| Answer::Long.recall(case, true),
    ..NQ_LONG_F1
};

static POOLED_F1: Pooled = Pooled { names: NAMES, of: long, finish: pooled_f1 };

static POOLED_PRECISION: Pooled = Pooled { names: NAMES, of: long, finish: pooled_precision };

static POOLED_RECALL: Pooled = Pooled { names: NAMES, of: long, finish: pooled_recall };

static POOLED_THRESHOLD: Pooled =
    Pooled { names: NAMES, of: long_with_score, finish: pooled_threshold };

static POOLED_AT_PRECISION: Pooled =
    Pooled { names: NAMES, of: long_with_score, finish: pooled_recall_at_precision };
