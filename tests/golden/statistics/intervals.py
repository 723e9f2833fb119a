"""Makes `intervals-means.json`: the bootstrap intervals of scipy.

pip install numpy==2.4.6 scipy==1.17.1
python intervals.py
"""

import json
import pathlib

import numpy as np
from scipy import stats

RESAMPLES = 100_000
random = np.random.default_rng(21)


def f1(n):
    """Scores as of short answers: few values, many ties."""
    predicted, expected = 1 + random.integers(0, 4, n), 1 + random.integers(0, 4, n)
    common = (random.random(n) * (np.minimum(predicted, expected) + 1)).astype(int)
    return 2 * common / (predicted + expected)


def groups(n, most, low, high):
    sizes = random.integers(1, most, n)
    sums = random.binomial(sizes, random.uniform(low, high, n))
    return sizes.astype(float), sums.astype(float)


def interval(data, statistic, method):
    with np.errstate(all="raise"):
        found = stats.bootstrap(
            data,
            statistic,
            paired=len(data) > 1,
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=1000,
            method=method,
            rng=np.random.default_rng(7),
        )
    return [float(found.confidence_interval.low), float(found.confidence_interval.high)]


def mean(scores, axis):
    return scores.mean(axis=axis)


def ratio(sizes, sums, axis):
    return sums.sum(axis=axis) / sizes.sum(axis=axis)


def cases():
    ones = np.ones(9)
    yield "continuous, 12", ones[:0], random.random(12)
    yield "continuous, 100", ones[:0], random.random(100)
    yield "skewed, 30", ones[:0], random.beta(0.5, 4, 30)
    yield "skewed, 5000", ones[:0], random.beta(0.5, 4, 5000)
    yield "F1, 20", ones[:0], f1(20)
    yield "F1, 400", ones[:0], f1(400)
    yield "nearly all right, 60", ones[:0], np.concatenate([np.ones(55), [0, 0, 0.4, 0.5, 0.8]])
    yield "costs, 50", ones[:0], random.lognormal(3, 1, 50)
    yield "groups, 12", *groups(12, 6, 0.2, 0.9)
    yield "groups, 80", *groups(80, 30, 0.6, 1.0)
    yield "groups, 300", *groups(300, 4, 0.0, 0.3)


def records():
    for name, sizes, sums in cases():
        data, statistic = ((sizes, sums), ratio) if len(sizes) else ((sums,), mean)
        record = {"name": name, "sizes": sizes.tolist(), "sums": sums.tolist()}
        for method in ("percentile", "bca"):
            record[method] = interval(data, statistic, method)
        yield record


lines = ",\n".join(json.dumps(record) for record in records())
(pathlib.Path(__file__).parent / "intervals-means.json").write_text(f"[\n{lines}\n]\n")
