"""Works out from the Parquet files what `report.json` says of retrieved passages."""

import json

import duckdb

report = json.load(open("report.json"))
connection = duckdb.connect()


def query(sql):
    return connection.execute(sql).fetchall()


def close(found, expected, what):
    assert abs(found - expected) < 1e-12, (found, expected, what)


def check_curves(found, folder):
    cases = f"read_parquet('{folder}/cases/*.parquet')"
    for curve in found["curves"]:
        assert len(curve["at"]) == found["depth"], curve["measure"]
        for k, value in enumerate(curve["at"], 1):
            if curve["measure"] == "Recall":
                sql = f"""SELECT count(*), favg(len(list_filter(relevant, lambda p: p.rank <= {k})) / len(relevant))
                          FROM {cases} WHERE retrieved IS NOT NULL AND len(relevant) > 0"""
            else:
                column = "has_answer" if curve["measure"] == "AnswerRecall" else "has_normalised_answer"
                first = f"len(list_filter(coalesce(hits, []), lambda h: h.rank <= {k} AND h.{column})) > 0"
                sql = f"""SELECT count(*), favg(({first})::INT)
                          FROM {cases} WHERE retrieved IS NOT NULL AND answerable"""
            n, expected = query(sql)[0]
            assert n == curve["n"], curve
            close(value, expected, (curve["measure"], k))
    return len(found["curves"])


def check_table(found, folder):
    table = found["disagreement"]
    if table is None:
        return 0
    cases = f"read_parquet('{folder}/cases/*.parquet')"
    of = "WHERE retrieved IS NOT NULL AND answerable AND relevant IS NOT NULL"
    relevant = f"(SELECT unnest(relevant) AS p FROM {cases} {of})"
    hits = f"(SELECT example_id, unnest(hits) AS h FROM {cases} {of})"

    def cells(source, condition, has):
        with_answer, n = query(f"SELECT count(*) FILTER ({has}), count(*) FROM {source} WHERE {condition}")[0]
        return {"with": with_answer, "without": n - with_answer}

    has = "p.answer_at IS NOT NULL"
    assert table["relevant_retrieved"] == cells(relevant, "p.rank IS NOT NULL", has)
    assert table["relevant_not_retrieved"] == cells(relevant, "p.rank IS NULL", has)
    assert table["judged_not_relevant"] == cells(hits, "h.grade = 0", "h.has_answer")
    assert table["unjudged"] == cells(hits, "h.grade IS NULL", "h.has_answer")
    questions = query(f"SELECT count(DISTINCT example_id) FROM {hits} WHERE h.grade IS NULL AND h.has_answer")
    assert table["unjudged_with_answer_questions"] == questions[0][0]
    return 1


def check_groups(found, folder):
    cases = f"read_parquet('{folder}/cases/*.parquet')"
    relevant = f"(SELECT answerable, unnest(relevant) AS p FROM {cases} WHERE retrieved IS NOT NULL)"
    quarters = ["first quarter", "second quarter", "third quarter", "last quarter"]
    for group in found["by_length"] + found["by_answer_place"]:
        name = group["group"]
        if name == "not in it":
            condition = "answerable AND p.length IS NOT NULL AND p.answer_at IS NULL"
        elif name in quarters:
            condition = f"p.answer_at * 4 // p.length = {quarters.index(name)}"
        else:
            ends = name.split(" to ")
            condition = f"p.length BETWEEN {ends[0]} AND {ends[-1]}"
        for depth, share in zip(found["group_depths"], group["shares"], strict=True):
            n, expected = query(f"SELECT count(*), favg((coalesce(p.rank, 99999) <= {depth})::INT) FROM {relevant} WHERE {condition}")[0]
            assert n == group["n"], group
            close(share, expected, group)
    return len(found["by_length"]) + len(found["by_answer_place"])


def check_hits(found, folder):
    if found["near_copies"] is None:
        assert found["coverage"] is None
        return 0
    hits = f"(SELECT unnest(hits) AS h FROM read_parquet('{folder}/cases/*.parquet'))"
    for within in found["near_copies"]["within"]:
        counts = query(f"SELECT count(*), count(h.near_copy_of) FROM {hits} WHERE h.rank <= {within['depth']}")
        assert counts == [(within["hits"], within["near_copies"])], (counts, within)
    retrieved = query(f"SELECT count(DISTINCT h.passage_id) FROM {hits}")[0][0]
    assert found["coverage"]["retrieved"][-1] == retrieved
    most = query(f"SELECT h.passage_id, count(*) AS n FROM {hits} GROUP BY ALL HAVING n > 1 ORDER BY n DESC, 1 LIMIT 5")
    assert [(hub["passage_id"], hub["questions"]) for hub in found["coverage"]["most_retrieved"]] == most
    return 1


def check_judged(evaluation, folder):
    judged = {s["metric"]: s["judged"] for s in evaluation["summaries"] if s["judged"] is not None}
    for metric, value in judged.items():
        k = metric.rpartition("@")[2] if "@" in metric else "99999"
        first = f"list_filter(coalesce(hits, []), lambda h: h.rank <= {k})"
        share = f"coalesce(len(list_filter({first}, lambda h: h.grade >= 0)) / nullif(len({first}), 0), 0)"
        cases = f"read_parquet('{folder}/cases/*.parquet')"
        expected = query(f"SELECT favg({share}) FROM {cases} WHERE relevant IS NOT NULL")[0][0]
        close(value, expected, metric)
    return len(judged)


checked = []
for evaluation in report["evaluations"]:
    folder = "results/evaluation_id=" + evaluation["evaluation_id"]
    found = evaluation["retrieval"]
    checks = [check_curves, check_table, check_groups, check_hits]
    checked.append([check(found, folder) for check in checks] + [check_judged(evaluation, folder)])

# A question is found where one system has a relevant passage, or the answer.
cases = "read_parquet('results/evaluation_id=*/cases/*.parquet')"
texts = any(e["retrieval"]["near_copies"] is not None for e in report["evaluations"])
answers = "len(list_filter(coalesce(hits, []), lambda h: h.has_answer)) > 0" if texts else "false"
relevant = "len(list_filter(relevant, lambda p: p.rank IS NOT NULL)) > 0"
for key, condition, hit in [
    ("with_relevant_passages", "coalesce(len(relevant), 0) > 0", relevant),
    ("with_references_alone", f"coalesce(len(relevant), 0) = 0 AND answerable AND {texts}", answers),
]:
    sql = f"SELECT count(*), count(*) FILTER (NOT found) FROM (SELECT example_id, bool_or({hit}) AS found FROM {cases} WHERE {condition} GROUP BY ALL)"
    n, unfound = query(sql)[0]
    assert report["unfound"][key] == {"n": n, "unfound": unfound}, (key, n, unfound)

assert checked in (
    [[3, 1, 8, 1, 4], [3, 1, 8, 1, 4]],
    [[1, 0, 0, 0, 3], [1, 0, 0, 0, 3]],
    [[2, 0, 0, 1, 0], [2, 0, 0, 1, 0]],
), checked
