"""Reads the exports `x.csv`, `x.jsonl`, `x.parquet` and `long.parquet` of one evaluation with pandas,
DuckDB and Python, and compares means, nulls and texts with `report.json` and with the stored cases."""

import csv
import json
import math

import duckdb
import pandas as pd

evaluation = json.load(open("report.json"))["evaluations"][0]
folder = "results/evaluation_id=" + evaluation["evaluation_id"]
summaries = [summary for summary in evaluation["summaries"] if summary["slice"] is None]
assert summaries


def close(found, expected):
    if expected is None:
        return found is None or math.isnan(found)
    return found is not None and abs(found - expected) < 1e-12


frames = {
    "csv": pd.read_csv("x.csv"),
    "jsonl": pd.read_json("x.jsonl", lines=True),
    "parquet": pd.read_parquet("x.parquet"),
}
tables = {
    "csv": "read_csv('x.csv', header = true, delim = ',', quote = '\"', escape = '\"', sample_size = -1)",
    "jsonl": "read_json('x.jsonl', format = 'newline_delimited')",
    "parquet": "read_parquet('x.parquet')",
}
for name, frame in frames.items():
    assert len(frame) == evaluation["examples"], (name, len(frame))
    for summary in summaries:
        column = summary["column"]
        assert close(pd.to_numeric(frame[column]).mean(), summary["mean"]), (name, column)
        assert frame[column].isna().sum() == summary["unscored"], (name, column)
        if summary["n"] == 0:
            continue
        mean, nulls = duckdb.sql(
            f"SELECT avg({column}), count(*) - count({column}) FROM {tables[name]}"
        ).fetchall()[0]
        assert close(mean, summary["mean"]), ("duckdb", name, column, mean)
        assert nulls == summary["unscored"], ("duckdb", name, column, nulls)

for summary in summaries:
    mean, rows, nulls, reasons = duckdb.sql(
        "SELECT avg(value), count(*), count(*) FILTER (value IS NULL), count(reason)"
        f" FROM 'long.parquet' WHERE metric = '{summary['column']}' AND stage = '{summary['stage']}'"
    ).fetchall()[0]
    assert close(mean, summary["mean"]), summary
    assert (rows, nulls, reasons) == (evaluation["examples"], summary["unscored"], summary["unscored"])

# All texts are as they are stored, and null is not the empty text where the form tells them apart.
cases = pd.read_parquet(folder + "/cases", partitioning=None).to_dict("records")
in_csv = list(csv.DictReader(open("x.csv", encoding="utf-8", newline="")))
in_json = [json.loads(line) for line in open("x.jsonl", encoding="utf-8", newline="\n")]
in_parquet = frames["parquet"].to_dict("records")
assert len(cases) == len(in_csv) == len(in_json) == len(in_parquet)
for case, of_csv, of_json, of_parquet in zip(cases, in_csv, in_json, in_parquet):
    for column in ["example_id", "question", "prediction", "error"]:
        value = None if pd.isna(case[column]) else case[column]
        assert of_json[column] == value, (column, of_json[column], value)
        assert of_csv[column] == (value or ""), (column, of_csv[column], value)
        assert (None if pd.isna(of_parquet[column]) else of_parquet[column]) == value, column
    assert json.loads(of_csv["reference"]) == of_json["reference"] == list(case["reference"])
    assert list(of_parquet["reference"]) == list(case["reference"])
    hits = of_json["hits"]
    assert (hits is None) == (case["hits"] is None) == (of_parquet["hits"] is None)
    if hits is not None:
        for tool in [list(case["hits"]), list(of_parquet["hits"])]:
            assert [hit["passage_id"] for hit in tool] == [hit["passage_id"] for hit in hits]
