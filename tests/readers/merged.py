"""Works out what the faulty plugin makes of merged statistics: of all kinds of merging."""

import glob
import math

import duckdb

folder = glob.glob("results/evaluation_id=*")[0]
scores = f"read_parquet('{folder}/scores/*.parquet')"
summaries = duckdb.sql(
    f"""SELECT slice_value, n, unscored, mean, ci_low, ci_high, ci_method, resamples
        FROM read_parquet('{folder}/summaries.parquet') WHERE metric = 'bad_n'"""
).fetchall()
assert len(summaries) == 3, summaries
for value, n, unscored, mean, low, high, method, resamples in summaries:
    where = "true" if value is None else f"half = '{value}'"
    rows = duckdb.sql(
        f"""SELECT bad_n_sum, bad_n_low, bad_n_high, bad_n_all FROM {scores}
            WHERE bad_n IS NOT NULL AND {where} ORDER BY example_id"""
    ).fetchall()
    sums, lows, highs, lists = zip(*rows)
    expected = 0.25 * (lists[0] + min(lows) + max(highs) + math.fsum(sums) / len(rows))
    assert n == len(rows) and unscored > 0, (value, n, unscored)
    assert abs(mean - expected) < 1e-15, (value, mean, expected)
    assert (method, resamples) == ("bootstrap", 1000), (method, resamples)
    assert 0 <= low < mean < high <= 1, (low, mean, high)
