//! Programs that search.

use super::{check, evaluate, folder};

/// A program that finds the right passage, except where the id of the question says otherwise.
const SEARCH: &str = r#"
while read -r line; do
    id=${line#'{"queries":[{"id":"'}
    id=${id%%'"'*}
    batch=${line##*'"batch":'}
    batch=${batch%'}'}
    hits='{"id":"p-'$id'","score":1}'
    case $id in
        die) echo "out of memory" >&2; exit 3 ;;
        half) printf '{"hi'; exit 0 ;;
        hang) sleep 1000 ;;
        bare) hits='{"id":"p-bare","score":NaN}' ;;
        nan) hits='{"id":"p-nan","score":"NaN"}' ;;
        huge) hits='{"id":"p-huge","score":1e999}' ;;
        null) hits='{"id":"p-null","score":null}' ;;
        none) hits='{"id":"p-none"}' ;;
        anonymous) hits='{"score":1}' ;;
        twice) hits="$hits,$hits" ;;
        unknown) hits="$hits,"'{"id":"nowhere","score":2}' ;;
        empty) hits= ;;
        step) batch=99 ;;
        slow) sleep 0.3 ;;
    esac
    if [ "$id" = few ]; then
        echo '{"hits":[]}'
    else
        echo '{"batch":'"$batch"',"hits":[['"$hits"']]}'
    fi
done
"#;

const COMMAND: &str =
    "[retriever]\ntype = \"command\"\nname = \"r\"\ncommand = [\"sh\", \"search.sh\"]\nbatch = 1\n";

#[test]
fn a_program_that_fails_now_and_then() {
    let folder = folder(&[
        "a",
        "die",
        "b",
        "half",
        "c",
        "bare",
        "d",
        "nan",
        "null",
        "none",
        "anonymous",
        "twice",
        "unknown",
        "e",
        "few",
        "f",
        "step",
        "empty",
        "slow",
        "huge",
    ]);
    folder.write("search.sh", SEARCH);
    let (output, outcomes) = evaluate(&folder, COMMAND, "");
    let unscored = [
        (
            "die",
            "crash: retriever `r` ended with exit code 3; its last line on stderr: `out of memory`",
        ),
        ("half", "crash: retriever `r` ended with exit code 0"),
        ("bare", "protocol: retriever `r` does not speak as agreed: its line is not JSON"),
        ("nan", "value: retriever `r`: passage `p-nan`: the score `\"NaN\"` is not a number"),
        (
            "huge",
            "value: retriever `r`: passage `p-huge`: the score `{\"number out of range\":\"1e999\"}` is not",
        ),
        ("null", "value: retriever `r`: passage `p-null`: the score `null` is not a number"),
        ("none", "value: retriever `r`: passage `p-none`: the score `null` is not a number"),
        ("anonymous", "protocol: retriever `r`: the hit `{\"score\":1}` has no text `id`"),
        ("twice", "value: retriever `r`: passage `p-twice` is among the hits twice"),
        ("few", "does not speak as agreed: `hits` has 0 entries for 1 queries"),
        ("step", "does not speak as agreed: it answered batch 99 when asked batch 16"),
    ];
    let outcome = outcomes.values().next().unwrap();
    check(outcome, &unscored, &[("unknown", 0.5), ("empty", 0.0)]);
    let shown = output.stdout + &output.stderr;
    assert!(shown.contains("11 ") && shown.contains("retriever"), "{shown}");
}

#[test]
fn a_program_that_hangs_is_started_again() {
    let folder = folder(&["a", "hang", "b"]);
    folder.write("search.sh", SEARCH);
    let (_, outcomes) = evaluate(&folder, &format!("{COMMAND}timeout_s = 3\n"), "");
    let unscored = [("hang", "timeout: retriever `r` gave no answer within 3 s and was ended")];
    check(&outcomes["r"], &unscored, &[]);
}

#[test]
fn a_program_that_ends_while_a_helper_holds_its_stdout_has_ended() {
    let folder = folder(&["a"]);
    folder.write("search.sh", "setsid sleep 5 &\necho hi >&2\nexit 1\n");
    let (output, outcomes) = evaluate(&folder, COMMAND, "");
    let crash = "crash: retriever `r` ended with exit code 1; its last line on stderr: `hi`";
    check(&outcomes["r"], &[("a", crash)], &[]);
    assert!(output.stdout.contains(crash), "{}", output.stdout);
}

#[test]
fn a_report_shows_why_a_program_was_given_up() {
    let folder = folder(&["a", "b", "c", "d", "e"]);
    folder.write("search.sh", "echo the model is not there >&2; exit 7");
    let (output, _) = evaluate(&folder, COMMAND, "");
    let shown = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let cause =
        "retriever `r` ended with exit code 7; its last line on stderr: `the model is not there`";
    assert!(shown.contains("failed 4 times in a row"), "{}", output.stdout);
    assert!(shown.contains(cause), "{}", output.stdout);
}

#[test]
fn a_program_that_always_fails_is_given_up() {
    let folder = folder(&["a", "b", "c", "d", "e", "f"]);
    folder.write("search.sh", "exit 7");
    let (_, outcomes) = evaluate(&folder, COMMAND, "");
    let crash = "crash: retriever `r` ended with exit code 7";
    let given_up = "given up: retriever `r` failed 4 times in a row and is not started again";
    let reasons = ["a", "b", "c", "d"].map(|id| (id, crash));
    let reasons = [&reasons[..], &["e", "f"].map(|id| (id, given_up))].concat();
    check(&outcomes["r"], &reasons, &[]);
}

#[test]
fn a_failure_is_one_of_its_batch_alone() {
    let folder = folder(&["a", "b", "die", "d", "e"]);
    folder.write(
        "search.sh",
        SEARCH.replace("\"hits\":[['\"$hits\"']]", "\"hits\":[['\"$hits\"'],[]]"),
    );
    let config = COMMAND.replace("batch = 1", "batch = 2");
    let (_, outcomes) = evaluate(&folder, &config, "");
    let few = "`hits` has 2 entries for 1 queries";
    let crash = "crash: retriever `r` ended with exit code 3";
    check(&outcomes["r"], &[("die", crash), ("d", crash), ("e", few)], &[("b", 0.0)]);
}
