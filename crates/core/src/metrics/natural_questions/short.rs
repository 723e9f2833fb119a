//! The short answers of Natural Questions.

use super::{
    Answer, NAMES,
    label::{SHORT_ANSWERS, YES_NO_ANSWERS},
    long::{
        NQ_LONG_F1, NQ_LONG_PRECISION, NQ_LONG_RECALL, NQ_LONG_RECALL_AT_PRECISION,
        NQ_LONG_THRESHOLD,
    },
    pooled_f1, pooled_precision, pooled_recall, pooled_recall_at_precision, pooled_threshold,
    short, short_with_score,
};
use crate::{Definition, Estimator, Need, Pooled};

const NEEDS: &[Need] = &[Need::Column(SHORT_ANSWERS), Need::Column(YES_NO_ANSWERS)];

/// F1 of the short answers, over all questions.
///
/// # Definition
/// Harmonic mean of [`NQ_SHORT_PRECISION`] and [`NQ_SHORT_RECALL`]. A question has a short answer
/// where at least two annotators marked spans, or said yes or no. A prediction is right if the
/// question has an answer and it is that of one annotator: the same yes or no, or the same set of
/// spans, by bytes or by tokens.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// As [`NQ_LONG_F1`], with the scores of the short answers.
///
/// # Edge cases
/// As [`NQ_LONG_F1`]. A prediction with both yes or no and spans is unscored; the script stops there.
///
/// # Equals
/// `nq_eval.py`: `short-answer-f1`, which it prints with `--pretty_print`, and, with
/// `threshold=best`, `short-best-threshold-f1`. Kwiatkowski et al., "Natural Questions" (2019).
pub static NQ_SHORT_F1: Definition = Definition {
    name: "NQ.Short-F1",
    summary: "F1 of the short answers, over all questions",
    equals: "Natural Questions, nq_eval.py: short-answer-f1, short-best-threshold-f1",
    needs: NEEDS,
    estimator: Estimator::Pooled(&POOLED_F1),
    score: |metric, case| Answer::Short.f1(metric, case),
    ..NQ_LONG_F1
};

/// Precision of the short answers, over all questions.
///
/// # Definition
/// Right short answers by those that were given.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// As [`NQ_SHORT_F1`].
///
/// # Edge cases
/// As [`NQ_SHORT_F1`]; 0 where no answer is given. A question that got no answer has no score of its
/// own.
///
/// # Equals
/// `nq_eval.py`: `short-answer-precision` and, with `threshold=best`,
/// `short-best-threshold-precision`.
pub static NQ_SHORT_PRECISION: Definition = Definition {
    name: "NQ.Short-Precision",
    summary: "right short answers by those that were given",
    equals: "Natural Questions, nq_eval.py: short-answer-precision, short-best-threshold-precision",
    needs: NEEDS,
    estimator: Estimator::Pooled(&POOLED_PRECISION),
    score: |metric, case| Answer::Short.precision(metric, case),
    ..NQ_LONG_PRECISION
};

/// Recall of the short answers, over all questions.
///
/// # Definition
/// Right short answers by the questions that have one.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Parameters
/// As [`NQ_SHORT_F1`].
///
/// # Edge cases
/// As [`NQ_SHORT_F1`]; 0 where no question has an answer. A question without one has no score of its
/// own.
///
/// # Equals
/// `nq_eval.py`: `short-answer-recall` and, with `threshold=best`, `short-best-threshold-recall`.
pub static NQ_SHORT_RECALL: Definition = Definition {
    name: "NQ.Short-Recall",
    summary: "right short answers by the questions that have one",
    equals: "Natural Questions, nq_eval.py: short-answer-recall, short-best-threshold-recall",
    needs: NEEDS,
    estimator: Estimator::Pooled(&POOLED_RECALL),
    score: |metric, case| Answer::Short.recall(case, super::at_best(metric)),
    ..NQ_LONG_RECALL
};

/// The score from which on short answers make the best F1.
///
/// # Definition
/// As [`NQ_LONG_THRESHOLD`], of the short answers and their scores.
///
/// # Range
/// All numbers; it is no quality.
///
/// # Edge cases
/// As [`NQ_LONG_THRESHOLD`].
///
/// # Equals
/// `nq_eval.py`: `short-best-threshold`.
pub static NQ_SHORT_THRESHOLD: Definition = Definition {
    name: "NQ.Short-Threshold",
    summary: "the score from which on short answers make the best F1",
    equals: "Natural Questions, nq_eval.py: short-best-threshold",
    needs: NEEDS,
    estimator: Estimator::Pooled(&POOLED_THRESHOLD),
    score: |_, case| Answer::Short.threshold(case),
    ..NQ_LONG_THRESHOLD
};

/// The highest recall of short answers at a threshold with a precision of at least so much.
///
/// # Definition
/// As [`NQ_LONG_RECALL_AT_PRECISION`], of the short answers and their scores.
///
/// # Range
/// 0 to 1, higher is better.
///
/// # Edge cases
/// As [`NQ_LONG_RECALL_AT_PRECISION`].
///
/// # Equals
/// `nq_eval.py`: `short-recall-at-precision>=0.5`, and so on.
pub static NQ_SHORT_RECALL_AT_PRECISION: Definition = Definition {
    name: "NQ.Short-Recall-at-Precision",
    summary: "the highest recall of short answers at a threshold of at least that precision",
    equals: "Natural Questions, nq_eval.py: short-recall-at-precision>=...",
    needs: NEEDS,
    estimator: Estimator::Pooled(&POOLED_AT_PRECISION),
    score: |_, case| Answer::Short.recall(case, true),
    ..NQ_LONG_RECALL_AT_PRECISION
};

static POOLED_F1: Pooled = Pooled { names: NAMES, of: short, finish: pooled_f1 };

static POOLED_PRECISION: Pooled = Pooled { names: NAMES, of: short, finish: pooled_precision };

static POOLED_RECALL: Pooled = Pooled { names: NAMES, of: short, finish: pooled_recall };

static POOLED_THRESHOLD: Pooled =
    Pooled { names: NAMES, of: short_with_score, finish: pooled_threshold };

static POOLED_AT_PRECISION: Pooled =
    Pooled { names: NAMES, of: short_with_score, finish: pooled_recall_at_precision };
