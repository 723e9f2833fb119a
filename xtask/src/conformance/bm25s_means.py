"""Retrieves Cranfield with bm25s and prints the means of nDCG@10, Recall@20 and MRR as JSON, one object
for each pair of k1 and b. Arguments: the folder of Cranfield, a folder for passages and queries whose
words are separated by blanks, and the pairs as k1,b."""

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


folder, output, *pairs = sys.argv[1:]
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


def write(name, records):
    with open(f"{output}/{name}", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


write("corpus.jsonl", ({"id": i, "text": " ".join(b)} for i, b in zip(ids, bodies)))
write(
    "queries.jsonl",
    ({"id": str(n), "question": " ".join(q)} for n, q in enumerate(queries, 1)),
)

# Indexes by word, because bm25s keeps no word that it was not given.
vocabulary = {word: index for index, word in enumerate(sorted({w for b in bodies for w in b}))}
tokens = bm25s.tokenization.Tokenized(
    ids=[[vocabulary[w] for w in body] for body in bodies], vocab=vocabulary
)


def means(k1, b):
    index = bm25s.BM25(method="lucene", k1=k1, b=b)
    index.index(tokens, show_progress=False)
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
    return {name: float(value) / count for name, value in sums.items()}


json.dump([means(*map(float, pair.split(","))) for pair in pairs], sys.stdout)
