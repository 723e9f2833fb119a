"""Writes one run and its judgments as pyarrow, pandas and Polars write tables, and some broken ones."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

QUERIES, PASSAGES, SCORES = [1, 1, 1, 2, 2], ["a", "b", "c", "b", "9"], [0.5, 2.5, 1.5, 3.0, 4.0]
JUDGED, OF, GRADES = [1, 1, 2, 2], ["a", "c", "b", "9"], [1, 2, 1, 0]


def table(queries, passages, values, name, types):
    names = ["query_id", "passage_id", name]
    columns = [pa.array(c).cast(t) for c, t in zip([queries, passages, values], types)]
    return pa.table(dict(zip(names, columns)))


def dictionary():
    return pa.dictionary(pa.int32(), pa.string())


# Ids as numbers, a dictionary, scores of 32 bits, a group of rows for each row.
run = table(QUERIES, PASSAGES, SCORES, "score", [pa.int32(), pa.string(), pa.float32()])
run = run.set_column(1, "passage_id", run["passage_id"].dictionary_encode())
pq.write_table(run, "arrow.run.parquet", row_group_size=1, compression="zstd")
qrels = table(JUDGED, OF, GRADES, "grade", [pa.string(), pa.string(), pa.int8()])
qrels = qrels.set_column(0, "query_id", qrels["query_id"].dictionary_encode())
pq.write_table(qrels, "arrow.qrels.parquet", compression="gzip")

# An index that is a column of its own, and columns in another order that nobody asked for.
frame = pd.DataFrame({"rank": [1, 1, 1, 1, 1], "score": SCORES, "docno": PASSAGES, "qid": QUERIES})
frame.index = list("vwxyz")
frame.to_parquet("pandas.run.parquet")
frame = pd.DataFrame({"qid": JUDGED, "docno": OF, "label": GRADES}, index=[7, 5, 3, 1])
frame.astype({"qid": "category", "docno": "category"}).to_parquet("pandas.qrels.parquet")

pl.DataFrame({"topic": QUERIES, "doc": PASSAGES, "score": SCORES}).write_parquet("polars.run.parquet")
judged = pl.DataFrame({"topic": JUDGED, "doc": OF, "relevance": [float(grade) for grade in GRADES]})
judged.write_parquet("polars.qrels.parquet")

# Other names, a rank alone.
order = {"q": QUERIES, "d": PASSAGES, "place": [3, 1, 2, 2, 1]}
pq.write_table(pa.table(order), "ranks.parquet")

# What is broken.
third = [0.5, 2.5, None, 3.0, 4.0]
types = [pa.int64(), pa.string(), pa.float64()]
pq.write_table(table(QUERIES, PASSAGES, third, "score", types), "null.parquet")
nan = [0.5, float("nan"), 1.5, 3.0, 4.0]
pq.write_table(table(QUERIES, PASSAGES, nan, "score", types), "nan.parquet")
nobody = [1, 1, None, 2, 2]
pq.write_table(table(nobody, PASSAGES, SCORES, "score", types), "nobody.parquet")
words = [str(score) for score in SCORES[:4]] + ["high"]
types = [pa.int64(), pa.string(), pa.string()]
pq.write_table(table(QUERIES, PASSAGES, words, "score", types), "words.parquet")
twice = ["a", "b", "a", "b", "9"]
types = [pa.int64(), pa.string(), pa.float64()]
pq.write_table(table(QUERIES, twice, SCORES, "score", types), "twice.parquet")
pq.write_table(table(JUDGED, OF, [1, 2, 0.5, 0], "grade", types), "half.qrels.parquet")
pq.write_table(table(JUDGED, OF, [1, None, 1, 0], "grade", types), "null.qrels.parquet")
pq.write_table(run.slice(0, 0), "empty.parquet")
