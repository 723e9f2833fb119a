//! Lists of passages that rows may have.

use proptest::prelude::*;
use qeval_core::retrieved::HasAnswer;

use super::{maybe, text};
use crate::{StoredHit, StoredRelevant};

pub(super) fn hits() -> impl Strategy<Value = Vec<StoredHit>> {
    let answer = (any::<bool>(), any::<bool>());
    let answer = answer.prop_map(|(exact, normalised)| HasAnswer { exact, normalised });
    let hit = (text(), maybe(-9.0..9.0), maybe(-1..3), maybe(any::<bool>()), maybe(answer));
    let hit = (hit, maybe(1..9_u32));
    prop::collection::vec(hit, 0..4).prop_map(|hits| {
        let hit = |(rank, ((passage_id, score, grade, seen, answer), near_copy_of))| StoredHit {
            passage_id,
            rank,
            score,
            grade,
            seen,
            answer,
            near_copy_of,
        };
        (1..).zip(hits).map(hit).collect()
    })
}

pub(super) fn relevant() -> impl Strategy<Value = Vec<StoredRelevant>> {
    let numbers = (maybe(1..9_u32), maybe(0..99_u32), maybe(0..99_u32));
    let passage =
        (text(), 1..4_i32, numbers).prop_map(|(passage_id, grade, (rank, length, answer_at))| {
            StoredRelevant { passage_id, grade, rank, length, answer_at }
        });
    prop::collection::vec(passage, 0..4)
}
