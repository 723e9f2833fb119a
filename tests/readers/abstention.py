"""Works out from the stored tables what the report in `report.json` says of abstention, confidence and
unscored examples: the counts with DuckDB, the curves and bins with pandas, slowly and by the
definitions."""

import json

import duckdb
import pandas as pd

report = json.load(open("report.json"))


def close(found, expected, what):
    if expected is None:
        assert found is None, (what, found)
    else:
        assert found is not None and abs(found - expected) <= 1e-12, (what, found, expected)


def share(part, whole):
    return part / whole if whole else None


def check_tables(evaluation, folder):
    source = f"read_parquet('{folder}/cases/*.parquet')"
    for table in evaluation["abstention"]:
        isolated = table["stage"] == "isolated"
        abstained = "isolated_abstained" if isolated else "abstained"
        failed = "isolated_error IS NOT NULL" if isolated else "abstained IS NULL AND error IS NOT NULL"
        where = "true" if table["dataset"] is None else f"dataset = '{table['dataset']}'"
        rows = duckdb.sql(
            f"SELECT len(reference) > 0, CASE WHEN {failed} THEN 'left out' WHEN {abstained} IS NULL THEN "
            f"'no_prediction' WHEN {abstained} THEN 'abstained' ELSE 'answered' END, count(*) "
            f"FROM {source} WHERE {where} GROUP BY ALL"
        ).fetchall()
        count = {(answerable, what): n for answerable, what, n in rows}
        get = lambda answerable, what: count.get((answerable, what), 0)
        for name, answerable in [("answerable", True), ("unanswerable", False)]:
            cells = table[name]
            for what in ["answered", "abstained", "no_prediction"]:
                assert cells[what] == get(answerable, what), (name, what, cells)
            assert cells["n"] == sum(cells[w] for w in ["answered", "abstained", "no_prediction"])
        assert table["left_out"] == get(True, "left out") + get(False, "left out")
        # A missing prediction is decided wrongly.
        right, wrong = get(False, "abstained"), get(True, "abstained") + get(True, "no_prediction")
        unanswerable, answerable = table["unanswerable"]["n"], table["answerable"]["n"]
        for rate, part, whole in [
            ("no_answer_recall", right, unanswerable),
            ("no_answer_precision", right, right + wrong),
            ("answered_unanswerable", unanswerable - right, unanswerable),
            ("abstained_answerable", wrong, answerable),
        ]:
            found = table["rates"][rate]
            assert (found["count"], found["n"]) == (part, whole), (rate, found)
            close(found["share"], share(part, whole), rate)
            assert found["ci_low"] is None or found["ci_low"] <= found["share"] <= found["ci_high"]
    return len(evaluation["abstention"])


def pairs(scores, column, dataset):
    """Confidence and correctness of the examples that have both."""
    known = scores if dataset is None else scores[scores["dataset"] == dataset]
    known = known[[column + "_confidence", column + "_correct"]].dropna()
    return list(known.itertuples(index=False, name=None))


def area(pairs):
    """The mean over k of the risk of the k most confident, where equals share their loss."""
    n = len(pairs)
    mean = {c: sum(1 - y for d, y in pairs if d == c) / sum(d == c for d, _ in pairs) for c, _ in pairs}
    losses = [mean[c] for c, _ in sorted(pairs, key=lambda pair: -pair[0])]
    return sum(sum(losses[:k]) / k for k in range(1, n + 1)) / n


def check_risks(evaluation, scores):
    for risk in evaluation["risk_coverage"]:
        for metric in risk["metrics"]:
            known = pairs(scores, metric["column"], risk["dataset"])
            assert len(known) == risk["n"], (metric, risk["n"])
            expected = area(known)
            if metric["metric"].startswith("E-"):
                expected -= area([(y, y) for _, y in known])
            close(metric["value"], expected, metric)
        for point in risk["points"]:
            # Below all confidences are those without a prediction.
            threshold = float("-inf") if point["confidence"] is None else point["confidence"]
            kept = [1 - y for c, y in known if c >= threshold]
            assert point["n"] == len(kept), point
            close(point["coverage"], len(kept) / len(known), point)
            close(point["risk"], sum(kept) / len(kept), point)
        assert risk["points"][-1]["coverage"] == 1
    return len(evaluation["risk_coverage"])


def check_calibrations(evaluation, scores):
    for found in evaluation["calibration"]:
        ece = found["metrics"][0]
        known = pairs(scores, ece["column"], found["dataset"])
        assert len(known) == found["n"] == sum(b["n"] for b in found["bins"]), found
        for bin in found["bins"]:
            close(bin["error"], bin["n"] / len(known) * abs(bin["correct"] - bin["confidence"]), bin)
        close(ece["value"], sum(b["error"] for b in found["bins"]), ece)
        if "scheme=mass" not in ece["metric"]:
            # Each confidence belongs to the bin whose upper end it does not exceed.
            for bin in found["bins"]:
                inside = [p for p in known if bin["low"] < p[0] <= bin["high"] or p[0] == bin["low"] == 0]
                assert len(inside) == bin["n"], bin
                close(bin["confidence"], sum(c for c, _ in inside) / len(inside), bin)
                close(bin["correct"], sum(y for _, y in inside) / len(inside), bin)
        for brier in found["metrics"][1:]:
            expected = sum((c - y) ** 2 for c, y in known) / len(known)
            close(brier["value"], expected, brier)
    return len(evaluation["calibration"])


def check_reasons(evaluation, folder, scores):
    try:
        details = pd.read_parquet(folder + "/details")
    except FileNotFoundError:
        details = pd.DataFrame(columns=["metric", "text"])
    statistics = {c.rsplit("_", 1)[0]: c for c in scores.columns if c.endswith("_confidence")}
    for summary in evaluation["summaries"]:
        if summary["dataset"] is not None or summary["slice"] is not None:
            continue
        reasons = [r for r in evaluation["unscored"] if r["column"] == summary["column"]]
        assert sum(r["n"] for r in reasons) == summary["unscored"], (summary, reasons)
        if summary["unscored"] == 0:
            continue
        if summary["column"] in statistics:
            assert scores[statistics[summary["column"]]].isna().sum() == summary["unscored"]
        of_metric = details[details["metric"] == summary["column"]]
        assert sum(r["n"] for r in reasons) <= len(of_metric)
        for reason in reasons:
            if reason["text"] is not None and "`...`" not in reason["text"]:
                assert reason["n"] <= (of_metric["text"] == reason["text"]).sum(), reason


checked = [0, 0, 0]
for evaluation in report["evaluations"]:
    folder = "results/evaluation_id=" + evaluation["evaluation_id"]
    scores = pd.read_parquet(folder + "/scores")
    checked[0] += check_tables(evaluation, folder)
    checked[1] += check_risks(evaluation, scores)
    checked[2] += check_calibrations(evaluation, scores)
    check_reasons(evaluation, folder, scores)
assert checked in ([3, 6, 6], [3, 0, 0]), checked
