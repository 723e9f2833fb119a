"""Reads the evaluations in `results` with DuckDB, pandas, Polars and pyarrow, and compares rows,
means and nulls with the report in `report.json`."""

import glob
import json
import math

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq

report = json.load(open("report.json"))
evaluations = report["evaluations"]
assert len(evaluations) == 3, len(evaluations)


def close(found, expected):
    """Whether a mean is the same but for the order in which it was summed."""
    if expected is None:
        return found is None or math.isnan(found)
    return found is not None and abs(found - expected) < 1e-12


def check(tool, evaluation, rows, mean, nulls):
    """`mean` and `nulls` are functions of a column."""
    assert rows == evaluation["examples"] == 170, (tool, rows)
    checked = 0
    for summary in evaluation["summaries"]:
        if summary["slice"] is not None:
            continue
        column = summary["column"]
        assert close(mean(column), summary["mean"]), (tool, column, mean(column), summary["mean"])
        assert nulls(column) == summary["unscored"], (tool, column, nulls(column))
        assert summary["n"] + summary["unscored"] == rows, (tool, column)
        checked += 1
    assert checked >= 9, (tool, checked)


for evaluation in evaluations:
    folder = "results/evaluation_id=" + evaluation["evaluation_id"]

    scores = pd.read_parquet(folder + "/scores")
    check("pandas", evaluation, len(scores), lambda c: scores[c].mean(), lambda c: scores[c].isna().sum())
    cases = pd.read_parquet(folder + "/cases")
    assert list(cases["example_id"]) == list(scores["example_id"]) == sorted(scores["example_id"])

    frame = pl.read_parquet(folder + "/scores/*.parquet")
    check("polars", evaluation, frame.height, lambda c: frame[c].mean(), lambda c: frame[c].null_count())
    # NaN is not null in Polars: none may be stored.
    for column, kind in frame.schema.items():
        if kind == pl.Float64:
            assert not frame[column].is_nan().any(), column

    table = pq.read_table(folder + "/scores/part-00000.parquet", partitioning=None)
    check(
        "pyarrow",
        evaluation,
        table.num_rows,
        lambda c: pd.Series([v for v in table[c].to_pylist() if v is not None], dtype="float64").mean(),
        lambda c: table[c].null_count,
    )
    metadata = pq.read_metadata(folder + "/scores/part-00000.parquet").metadata
    assert metadata[b"qeval.schema"] == b"scores/1", metadata
    names = {m["column"]: m["name"] for m in json.loads(metadata[b"qeval.metrics"])}
    assert all(names[s["column"]] == s["metric"] for s in evaluation["summaries"]), names

    connection = duckdb.connect()
    source = f"read_parquet('{folder}/scores/*.parquet')"

    def number(expression):
        return connection.execute(f"SELECT {expression} FROM {source}").fetchone()[0]

    check(
        "duckdb",
        evaluation,
        number("count(*)"),
        lambda c: number(f"favg({c})"),
        lambda c: number(f"count(*) - count({c})"),
    )

    # The means of a slice, and the stored summaries.
    stored = pl.read_parquet(folder + "/summaries.parquet")
    assert stored.height == len(evaluation["summaries"])
    assert stored["mean"].to_list() == [s["mean"] for s in evaluation["summaries"]]
    by_topic = dict(
        connection.execute(f"SELECT topic::VARCHAR, favg(f1) FROM {source} GROUP BY topic").fetchall()
    )
    expected = {
        s["slice_value"]: s["mean"]
        for s in evaluation["summaries"]
        if s["slice"] == "topic" and s["column"] == "f1"
    }
    assert by_topic.keys() == expected.keys() and len(expected) == 12
    assert all(close(by_topic[topic], expected[topic]) for topic in expected), by_topic

    # Each null has its reason.
    details = f"read_parquet('{folder}/details/*.parquet')"
    nulls = sum(s["unscored"] for s in evaluation["summaries"] if s["slice"] is None)
    assert connection.execute(f"SELECT count(*) FROM {details}").fetchone()[0] == nulls
    texts = connection.execute(f"SELECT count(*) FROM {details} WHERE label IS NULL").fetchone()[0]
    assert texts == 0

    # Lists and structs.
    hits = cases.set_index("example_id")["hits"]
    assert hits.map(len).min() >= 5
    texts = {"has_answer", "has_normalised_answer", "near_copy_of"}
    assert set(hits.iloc[0][0]) == {"passage_id", "rank", "score", "grade", "seen"} | texts

# All evaluations together, as a hive-partitioned data set.
together = pl.scan_parquet("results/evaluation_id=*/scores/*.parquet", hive_partitioning=True, missing_columns="insert", extra_columns="ignore")
counts = together.group_by("evaluation_id").len().collect()
assert counts["len"].to_list() == [170, 170, 170], counts
assert set(counts["evaluation_id"]) == {e["evaluation_id"] for e in evaluations}
assert len(glob.glob("results/evaluation_id=*")) == 3
