"""Makes `tests-*.json`: what scipy, ranx and statsmodels say of tests and corrections.

pip install numpy==2.4.6 pytrec_eval-terrier==0.5.10 ranx==0.3.21 scipy==1.17.1 \\
    statsmodels==0.15.0
python tests.py [FOLDER]

FOLDER has the judgments and the runs of TREC Deep Learning 2019; without it, `tests-repeats.json`
stays as it is.

All but the numbers of ranx come out the same each time: it draws in threads.
"""

import gzip
import json
import pathlib
import sys

import numpy as np
import statsmodels.formula.api as formula
from pandas import DataFrame
from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test
from scipy import stats
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.libqsturng import psturng, qsturng
from statsmodels.stats.multicomp import pairwise_tukeyhsd
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

FOLDER = pathlib.Path(__file__).parent
RESAMPLES = 100_000
random = np.random.default_rng(20)


def write(name, records):
    lines = ",\n".join(json.dumps(record) for record in records)
    (FOLDER / f"tests-{name}.json").write_text(f"[\n{lines}\n]\n")


def f1(n):
    """Scores as of short answers: few values, many ties."""
    predicted, expected = 1 + random.integers(0, 4, n), 1 + random.integers(0, 4, n)
    common = (random.random(n) * (np.minimum(predicted, expected) + 1)).astype(int)
    return 2 * common / (predicted + expected)


def mean_difference(x, y, axis):
    return np.mean(x - y, axis=axis)


def paired():
    cases = {
        "continuous, 8": (random.random(8), random.random(8)),
        "continuous, 12, apart": (random.random(12), random.random(12) + 0.3),
        "F1, 12": (f1(12), f1(12)),
        "tenths, 10": (random.integers(0, 11, 10) / 10, random.integers(0, 11, 10) / 10),
        "thirds, 11": (random.integers(0, 4, 11) / 3, random.integers(0, 4, 11) / 3),
        "0/1, 40": (random.integers(0, 2, 40), (random.random(40) < 0.7).astype(int)),
        "0/1, 300": (random.integers(0, 2, 300), (random.random(300) < 0.58).astype(int)),
        "continuous, 43": (random.random(43), random.random(43) + 0.12),
        "F1, 43": (f1(43), f1(43)),
        "F1, 400": (f1(400), np.minimum(f1(400) + (random.random(400) < 0.08) * 0.5, 1.0)),
        "tenths, 300": (random.integers(0, 11, 300) / 10, random.integers(1, 11, 300) / 10),
        "lognormal, 60": (random.lognormal(size=60), random.lognormal(size=60)),
    }
    for name, (before, after) in cases.items():
        before, after = before.astype(float), after.astype(float)
        discordant = int((before != after).sum())
        exact = len(before) <= 12
        result = stats.permutation_test(
            (before, after),
            mean_difference,
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf if exact else RESAMPLES,
            batch=1000,
            rng=np.random.default_rng(7),
        )
        fisher, _ = fisher_randomization_test(before, after, RESAMPLES)
        yield {
            "name": name,
            "before": before.tolist(),
            "after": after.tolist(),
            "scipy": float(result.pvalue),
            "scipy_exact": exact,
            "ranx": float(fisher),
            "resamples": RESAMPLES,
            "discordant": discordant,
        }


def coins():
    for heads, tosses in [(0, 1), (3, 7), (9, 30), (40, 101), (430, 1000), (4_800, 10_000), (0, 60)]:
        table = [[5, heads], [tosses - heads, 3]]
        yield {
            "heads": heads,
            "tosses": tosses,
            "scipy": float(stats.binomtest(heads, tosses).pvalue),
            "statsmodels": float(mcnemar(table, exact=True).pvalue),
        }


def holm():
    lists = [random.random(n) ** 3 / 10 for n in (1, 2, 5, 10, 45)]
    lists += [np.array([0.01, 0.01, 0.02, 0.02]), np.array([0.0004, 0.9, 0.02, 1.0])]
    for p in lists:
        yield {"p": p.tolist(), "holm": multipletests(p, method="holm")[1].tolist()}


def two_way(scores):
    """The error of an analysis of variance by system and example, and p-values from scipy."""
    systems, examples = scores.shape
    frame = DataFrame(
        [
            {"system": str(i), "example": str(j), "score": scores[i, j]}
            for i in range(systems)
            for j in range(examples)
        ]
    )
    fit = formula.ols("score ~ C(system) + C(example)", frame).fit()
    table = anova_lm(fit)
    error = float(table.loc["Residual", "mean_sq"])
    degrees = int(table.loc["Residual", "df"])
    means = scores.mean(axis=1)
    p = [
        float(
            stats.studentized_range.sf(
                abs(means[j] - means[i]) / np.sqrt(error / examples), systems, degrees
            )
        )
        for i in range(systems)
        for j in range(i + 1, systems)
    ]
    return {"stddev": float(np.sqrt(error)), "degrees": degrees, "p": p}


def tukey():
    def alike(systems, examples, step):
        hard = random.random(examples)
        return [hard + step * i + random.normal(0, 0.1, examples) for i in range(systems)]

    lists = [alike(3, 12, 0.08), alike(5, 43, 0.02), alike(8, 30, 0.01)]
    lists.append([random.normal(i / 5, 1, n) for i, n in enumerate([10, 25, 17, 40])])
    for samples in lists:
        scores = np.concatenate(samples)
        names = np.concatenate([[f"{i:02}"] * len(s) for i, s in enumerate(samples)])
        result = pairwise_tukeyhsd(scores, names)
        same = len({len(s) for s in samples}) == 1
        yield {
            "scores": [s.tolist() for s in samples],
            "difference": result.meandiffs.tolist(),
            "p": result.pvalues.tolist(),
            "low": result.confint[:, 0].tolist(),
            "high": result.confint[:, 1].tolist(),
            "by_example": two_way(np.array(samples)) if same else None,
        }


def ranges():
    for means, degrees in [(2, 10), (3, 21), (5, 170), (10, 380), (20, 60)]:
        for p in [0.1, 0.05, 0.01]:
            q = float(qsturng(1 - p, means, degrees))
            yield {
                "means": means,
                "degrees": degrees,
                "p": p,
                "qsturng": q,
                "psturng": float(np.ravel(psturng(q, means, degrees))[0]),
                "scipy": float(stats.studentized_range.sf(q, means, degrees)),
            }


def power():
    for effect in [0.1, 0.2, 0.35, 0.5]:
        for wanted in [0.8, 0.9]:
            n = TTestPower().solve_power(effect, power=wanted, alpha=0.05)
            yield {"effect": effect, "power": wanted, "n": float(n)}


def repeats(folder):
    """Scores of five repeats of one reranker with the same settings, and of what it reranks.

    The runs are those of castorini/rank_llm (Apache-2.0), the judgments NIST's (public domain).
    """
    from pytrec_eval import RelevanceEvaluator

    def lines(path):
        with gzip.open(path, "rt") as file:
            yield from (line.split() for line in file)

    judgments = {}
    for topic, _, passage, grade in lines(folder / "qrels.dl19-passage.txt.gz"):
        judgments.setdefault(topic, {})[passage] = int(grade)
    paths = sorted((folder / "runs_llm_reranked").glob("BM25__gpt-3.5-turbo_*"))
    for name, measure, level in [("nDCG@10", "ndcg_cut_10", 1), ("MAP(rel=2)", "map", 2)]:
        evaluator = RelevanceEvaluator(judgments, {measure}, relevance_level=level)
        scores = []
        for path in [folder / "runs" / "BM25.txt.gz", *paths]:
            run = {}
            for topic, _, passage, _, score, _ in lines(path):
                run.setdefault(topic, {})[passage] = float(score)
            result = evaluator.evaluate(run)
            scores.append([result[topic][measure] for topic in sorted(result)])
        p = []
        for first in range(len(scores)):
            for second in range(first + 1, len(scores)):
                result = stats.permutation_test(
                    (np.array(scores[first]), np.array(scores[second])),
                    mean_difference,
                    permutation_type="samples",
                    vectorized=True,
                    n_resamples=RESAMPLES,
                    batch=1000,
                    rng=np.random.default_rng(7),
                )
                p.append(float(result.pvalue))
        systems = ["BM25", *(path.name.split("_")[3].split(".")[0] for path in paths)]
        yield {"metric": name, "systems": systems, "scores": scores, "scipy": p}


write("paired", paired())
write("coins", coins())
write("holm", holm())
write("tukey", tukey())
write("ranges", ranges())
write("power", power())
if len(sys.argv) > 1:
    write("repeats", repeats(pathlib.Path(sys.argv[1])))
