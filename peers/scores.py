"""CPU seconds that a Python package takes to score pairs of texts: scores.py WHAT FILE."""

import json
import sys
import time


def rouge(pairs, stem):
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=stem)
    start = time.process_time()
    for pair in pairs:
        scorer.score(pair["reference"], pair["prediction"])
    return time.process_time() - start


def bleu(pairs):
    import sacrebleu

    predictions = [pair["prediction"] for pair in pairs]
    references = [pair["reference"] for pair in pairs]
    start = time.process_time()
    sacrebleu.corpus_bleu(predictions, [references])
    return time.process_time() - start


what, file = sys.argv[1:]
with open(file, encoding="utf-8") as lines:
    pairs = [json.loads(line) for line in lines]
print(bleu(pairs) if what == "bleu" else rouge(pairs, what == "rouge-stemmed"))
