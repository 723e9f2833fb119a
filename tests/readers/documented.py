"""Runs every SQL and Python block of the page that documents the store, in order, in the folder
that holds `results`."""

import json
import re
import sys

import duckdb

text = open(sys.argv[1], encoding="utf-8").read()
report = json.load(open("report.json"))
stale = next(e for e in report["evaluations"] if e["system"] == "stale")

blocks = re.findall(r"^```(sql|python)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
assert sum(language == "sql" for language, _ in blocks) >= 7, len(blocks)
connection = duckdb.connect()
answers = []
for language, block in blocks:
    if language == "python":
        # The id in the page is the author's own.
        block, count = re.subn(r"evaluation_id=[\w.-]+", "evaluation_id=" + stale["evaluation_id"], block)
        assert count == 1, block
        exec(compile(block, sys.argv[1], "exec"), {})
        continue
    for statement in block.split(";\n"):
        if statement.strip():
            result = connection.execute(statement)
            if not statement.lstrip().startswith(("CREATE", "SET")):
                rows = result.fetchall()
                assert rows, statement
                answers.append(rows)

# What the queries should find.
best, worst, paired, causes, reasons, ranks, unjudged = answers
assert [(row[0], row[1]) for row in best] == [("current", 170), ("stale", 170), ("sliding-window", 170)], best
assert abs(best[0][2] - 154 / 170) < 1e-12, best
assert len(worst) == 10, worst
assert paired[0][0] == 170, paired
assert dict(causes)["stale source"] == 13, causes
assert sum(row[3] for row in reasons) > 0, reasons
assert [row[0] for row in ranks] == [1, 2, 3, 4, 5], ranks
assert len(unjudged) == 20 and unjudged[0][4] == 1, unjudged
