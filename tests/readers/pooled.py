"""Works out the pooled precision of citations from the statistics, and reads the parts of scores."""

import glob
import json

import duckdb
import pandas

folder = glob.glob("results/evaluation_id=*")[0]
manifest = json.load(open(f"{folder}/manifest.json"))
(metric,) = [metric for metric in manifest["metrics"] if metric.get("pools")]
assert metric["name"] == "cite.corpus_citation_precision", metric
names = [(s["name"], s["merge"]) for s in metric["pools"]]
assert names == [("cited", "sum"), ("correct", "sum")], names
cited, correct = (s["column"] for s in metric["pools"])
for column in (cited, correct):
    (statistic,) = [m for m in manifest["metrics"] if m["column"] == column]
    assert statistic["statistic_of"] == metric["column"], statistic

scores = f"read_parquet('{folder}/scores/*.parquet')"
summaries = f"read_parquet('{folder}/summaries.parquet')"
for slice_, value, n, mean in duckdb.sql(
    f"SELECT slice, slice_value, n, mean FROM {summaries} WHERE metric = '{metric['column']}'"
).fetchall():
    where = "true" if slice_ is None else f"{slice_} IS NOT DISTINCT FROM '{value}'"
    expected = duckdb.sql(
        f"SELECT count({cited}), sum({correct}) / sum({cited}) FROM {scores} WHERE {where}"
    ).fetchall()[0]
    assert n == expected[0], (slice_, value, n, expected)
    assert mean == expected[1] or abs(mean - expected[1]) < 1e-15, (slice_, value, mean, expected)

# Each score is the mean of the values of its parts.
found = duckdb.sql(
    f"""SELECT count(*) FROM
        (SELECT example_id, metric, avg(value) AS share, min(ordinal) AS low, count(*) - 1 - max(ordinal) AS gap
         FROM read_parquet('{folder}/details/*.parquet') WHERE kind = 'part' GROUP BY ALL) AS parts
        JOIN (UNPIVOT {scores} ON COLUMNS('cite_.*') INTO NAME metric VALUE score) AS given USING (example_id, metric)
        WHERE abs(share - score) > 1e-12 OR low <> 0 OR gap <> 0"""
).fetchall()[0]
assert found == (0,), found

details = pandas.read_parquet(f"{folder}/details")
parts = details[details.kind == "part"]
wrong = parts[(parts.metric == "cite_citation_exists") & (parts.label == "missing")]
assert sorted(zip(wrong.example_id, wrong.text)) == [("q3", "r7"), ("q8", "r9")], wrong
quotes = parts[(parts.metric == "cite_quote_support") & (parts.label == "not found")]
assert list(quotes.text) == ["a fine of 50 cents is due"], quotes
assert set(details.kind) == {"note", "part"}, set(details.kind)
