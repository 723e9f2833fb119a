"""Writes the answers of the systems of OpenQA-eval that people judged: nq301.py FOLDER OUTPUT.

One file of JSON lines for each system, with the questions on which people judged the answers of all of
them; the names of the systems are printed. The files of the answers and of the verdicts differ in case, blanks
and punctuation, so questions and answers are joined by their letters and digits."""

import gzip
import json
import pathlib
import sys

folder, output = map(pathlib.Path, sys.argv[1:])


def key(text):
    return "".join(c for c in text.lower() if c.isalnum())


def text(prediction):
    return ", ".join(prediction) if isinstance(prediction, list) else prediction


verdicts = {}
with open(folder / "NQ301_human.tsv", encoding="utf-8") as lines:
    next(lines)
    for line in lines:
        _, question, answer, verdict, *_ = line.rstrip("\n").split("\t")
        verdicts[key(question), key(answer)] = verdict.lower()
systems = {}
for path in sorted((folder / "model_outputs").iterdir()):
    rows = systems[path.name.removesuffix(".jsonl.gz").split("_", 1)[1]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            answer = text(row["prediction"])
            verdict = verdicts.get((key(row["question"]), key(answer)))
            if verdict:
                rows[row["question"]] = {
                    "id": row["question"],
                    "question": row["question"],
                    "references": row["answer"],
                    "prediction": answer,
                    "verdict": verdict,
                }
shared = set.intersection(*(set(rows) for rows in systems.values()))
for system, rows in systems.items():
    with open(output / f"{system}.jsonl", "w", encoding="utf-8") as file:
        for question in sorted(shared):
            file.write(json.dumps(rows[question], ensure_ascii=False) + "\n")
    print(system)
