//! Fusions and rerankers.

use std::fs;

use super::{check, evaluate, folder};

/// Two programs: one finds the right passage behind another one, the other finds it first or not at
/// all.
pub(super) const RETRIEVERS: &str = r#"
[[retriever]]
type = "command"
name = "second"
command = ["sh", "search.sh", "second"]
batch = 1
depth = 10
[[retriever]]
type = "command"
name = "first"
command = ["sh", "search.sh", "first"]
batch = 1
"#;

pub(super) const SEARCH: &str = r#"
while read -r line; do
    id=${line#'{"queries":[{"id":"'}
    id=${id%%'"'*}
    echo "$id" >> "$1.asked"
    hits='{"id":"p-x","score":2},{"id":"p-'$id'","score":1}'
    case $1-$id in
        first-x) hits= ;;
        first-die) exit 3 ;;
        first-*) hits='{"id":"p-'$id'","score":9}' ;;
        second-x) hits='{"id":"p-a","score":3},{"id":"p-x","score":2}' ;;
        second-unknown) hits='{"id":"nowhere","score":2}' ;;
    esac
    echo '{"hits":[['"$hits"']]}'
done
"#;

/// Gives the last passage of a query the highest score.
const RERANK: &str = r#"
while read -r line; do
    id=${line#'{"queries":[{"id":"'}
    id=${id%%'"'*}
    case $id in
        b) scores='1' ;;
        c) scores='1,"NaN"' ;;
        *) scores='1,2' ;;
    esac
    echo '{"scores":[['"$scores"']]}'
done
"#;

#[test]
fn a_hybrid_and_a_reranker_beside_what_they_are_made_from() {
    let folder = folder(&["a", "x", "die", "b", "c", "unknown"]);
    folder.write("search.sh", SEARCH);
    folder.write("rerank.sh", RERANK);
    let derived = r#"
[[retriever]]
type = "fusion"
name = "hybrid"
of = ["second", "first"]
[[retriever]]
type = "fusion"
name = "weighted"
method = "weighted"
weights = [3, 1]
of = ["first", "second"]
[[retriever]]
type = "reranker"
name = "reranked"
of = "second"
command = ["sh", "rerank.sh"]
"#;
    let (_, outcomes) = evaluate(&folder, &format!("{RETRIEVERS}{derived}"), "");
    let died = ("die", "crash: retriever `first` ended with exit code 3");
    let half = ["a", "x", "die", "b", "c"].map(|id| (id, 0.5));
    let missed = [&half[..], &[("unknown", 0.0)]].concat();
    check(&outcomes["second"], &[], &missed);
    check(&outcomes["first"], &[died], &[("x", 0.0)]);
    check(&outcomes["hybrid"], &[died], &[("x", 0.5)]);
    check(&outcomes["weighted"], &[died], &[("x", 0.5)]);
    let unscored = [
        ("b", "protocol: reranker `reranked`: 1 scores for 2 passages"),
        ("c", "value: reranker `reranked`: passage `p-c`: the score `\"NaN\"` is not a number"),
        ("unknown", "value: reranker `reranked`: passage `nowhere` is not in the corpus"),
    ];
    check(&outcomes["reranked"], &unscored, &[]);
    // Each was asked once for all.
    let asked = fs::read_to_string(folder.path("second.asked")).unwrap();
    assert_eq!(asked, "a\nx\ndie\nb\nc\nunknown\n");
}
