"""Four measures on a TREC run by pytrec_eval: trec.py QRELS RUN."""

import sys

import pytrec_eval

MEASURES = {"ndcg_cut.10", "recall.100", "recip_rank", "map"}

qrels, run = sys.argv[1:]
with open(qrels, encoding="utf-8") as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), MEASURES)
with open(run, encoding="utf-8") as file:
    results = evaluator.evaluate(pytrec_eval.parse_run(file))
for measure in ("ndcg_cut_10", "recall_100", "recip_rank", "map"):
    mean = sum(scores[measure] for scores in results.values()) / len(results)
    print(f"{measure} {mean:.4f}")
