"""Retrieves Cranfield with bm25s and prints the means of nDCG@10, Recall@20 and MRR as JSON."""

import gzip
import json
import math
import re
import sys

import bm25s
import numpy as np

DEPTH = 100


def words(text):
    # Close to the word boundaries of Unicode: points and apostrophes hold words together.
    return re.findall(r"\w+(?:[.'’:]\w+)*", text.lower())


def element(name, text):
    found = re.search(f"<{name}>(.*?)</{name}>", text, re.S)
    return found.group(1) if found else ""


folder = sys.argv[1]
stream = gzip.open(f"{folder}/cran.all.1400.xml.gz", "rt", encoding="utf-8").read()
passages = re.findall(r"<doc>(.*?)</doc>", stream, re.S)
ids = [element("docno", p).strip() for p in passages]
bodies = [words(element("title", p) + "\n\n" + element("text", p)) for p in passages]
topics = re.findall(r"<top>(.*?)</top>", open(f"{folder}/cran.qry.xml", encoding="utf-8").read(), re.S)
queries = [words(element("title", t)) for t in topics]
qrels = {}
for line in open(f"{folder}/cranqrel.trec.txt", encoding="utf-8"):
    if line.strip():
        query, _, passage, grade = line.split()
        qrels.setdefault(query, {})[passage] = int(grade)

# Indexes by word, because bm25s keeps no word that it was not given.
vocabulary = {word: index for index, word in enumerate(sorted({w for b in bodies for w in b}))}
index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
index.index(
    bm25s.tokenization.Tokenized(
        ids=[[vocabulary[w] for w in body] for body in bodies], vocab=vocabulary
    ),
    show_progress=False,
)

sums = {"nDCG@10": 0.0, "Recall@20": 0.0, "MRR": 0.0}
count = 0
for position, query in enumerate(queries, 1):
    grades = {p: g for p, g in qrels.get(str(position), {}).items() if g > 0}
    if not grades:
        continue
    count += 1
    scores = index.get_scores_from_ids([vocabulary[w] for w in query if w in vocabulary])
    # Equal scores by id, descending, as trec_eval has it.
    order = sorted(range(len(ids)), key=lambda i: (scores[i], ids[i]), reverse=True)
    ranking = [ids[i] for i in order if scores[i] > 0][:DEPTH]
    gains = [grades.get(p, 0) for p in ranking]
    ideal = sorted(grades.values(), reverse=True)
    discount = [1 / math.log2(rank + 2) for rank in range(10)]
    sums["nDCG@10"] += np.dot(gains[:10], discount[: len(gains[:10])]) / np.dot(
        ideal[:10], discount[: len(ideal[:10])]
    )
    sums["Recall@20"] += sum(g > 0 for g in gains[:20]) / len(grades)
    sums["MRR"] += next((1 / (rank + 1) for rank, g in enumerate(gains) if g > 0), 0.0)
json.dump({name: float(value) / count for name, value in sums.items()}, sys.stdout)
