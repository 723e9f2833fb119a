"""Runs the queries of nine.sql, as they stand there, over the views of `qeval sql`, and compares the answers
with those that pandas works out."""

import json
import math
import pathlib
import sys

import duckdb
import pandas as pd

setup, queries = sys.argv[1:]
connection = duckdb.connect()
connection.execute(open(setup, encoding="utf-8").read())
# The names of a plugin's columns begin with the name of the plugin.
views = connection.execute("SELECT sql FROM duckdb_views() WHERE view_name = 'scores'").fetchone()[0]
source = views[views.index("SELECT") :].rstrip().rstrip(";")
connection.execute(f"CREATE OR REPLACE VIEW scores AS SELECT * RENAME (rag_faithfulness AS faithfulness) FROM ({source})")

answers = []
for statement in open(queries, encoding="utf-8").read().split(";\n"):
    if statement.strip():
        result = connection.execute(statement)
        if "SET VARIABLE" not in statement:
            answers.append(result.fetchdf())
assert len(answers) == 9, len(answers)

manifests = [json.load(open(path)) for path in pathlib.Path("results").glob("evaluation_id=*/manifest.json")]
folders = {m["label"]: "results/evaluation_id=" + m["evaluation_id"] for m in manifests}
ids = {m["label"]: m["evaluation_id"] for m in manifests}
base, cand = (
    pd.read_parquet(folders[label] + "/scores").rename(columns={"rag_faithfulness": "faithfulness"}).set_index("example_id")
    for label in ("base", "cand")
)
cases = pd.read_parquet(folders["cand"] + "/cases").set_index("example_id")
assert len(base) == len(cand) == 120


def close(found, expected):
    assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12), (found, expected)


best, worst, paired, slices, regressions, disagree, long, ranks, one = answers
assert list(best["label"]) == ["cand", "base"] and list(best["n"]) == [120, 120], best
for row, scores in zip(best.itertuples(), (cand, base)):
    close(row.em, scores["em"].mean())
    close(row.ndcg, scores["ndcg_at_10"].mean())
    close(row.faithfulness, scores["faithfulness"].mean())
    assert row.n_faithfulness == scores["faithfulness"].count() < 120

assert len(worst) == 20 and list(worst["f1"]) == sorted(cand["f1"].dropna())[:20]
assert all(cases.loc[row.example_id].question == row.question for row in worst.itertuples())

both = base.join(cand.add_suffix("_c")).dropna(subset=["f1", "f1_c"])
change = both["f1_c"] - both["f1"]
assert paired["n"][0] == len(both)
close(paired["delta"][0], change.mean())
close(paired["se"][0], change.std() / math.sqrt(len(both)))
counts = tuple(int(paired[name][0]) for name in ("wins", "losses", "ties"))
assert counts == ((change > 0).sum(), (change < 0).sum(), (change == 0).sum()) and min(counts) > 0, counts

assert len(slices) == 2 * len(base.groupby(["lang", "hop"], observed=True)) == 12, slices
for row in slices.itertuples():
    scores = cand if row.evaluation_id == ids["cand"] else base
    group = scores[(scores["lang"] == row.lang) & (scores["hop"] == row.hop)]
    close(row.f1, group["f1"].mean())

assert 0 < len(regressions) == min(20, (change < 0).sum()), regressions
assert all(regressions["f1_cand"] < regressions["f1_base"])

expected = cand[(cand["em"] == 0) & (cand["judge_rating"] >= 0.9)]
assert 0 < len(disagree) == min(20, len(expected)), disagree
assert (disagree["em"] == 0).all() and (disagree["judge_rating"] >= 0.9).all(), disagree

assert len(long) == 20 and (long["n"] + long["unscored"] == 120).all(), long
nulls = long[(long["evaluation_id"] == ids["cand"]) & (long["metric"] == "faithfulness")]
assert nulls["unscored"].iloc[0] == cand["faithfulness"].isna().sum() > 0

hits = pd.DataFrame([hit for hits in cases["hits"] for hit in hits])
judged = hits[hits["grade"].notna()]
of_rank = (judged["grade"] > 0).groupby(judged["rank"]).mean()
assert list(ranks["rank"]) == [1, 2, 3]
for row in ranks.itertuples():
    close(row.p_relevant, of_rank[row.rank])
    assert row.n == 120

assert list(one["example_id"]) == ["nq-dev-00654321"] and list(one["evaluation_id"]) == [ids["cand"]]
