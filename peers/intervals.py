"""CPU seconds that a Python package takes for a bootstrap interval: intervals.py WHAT FILE N.

FILE has a list of scores as JSON; N is how many resamples are drawn."""

import json
import sys
import time

import numpy as np


def loop(scores, resamples):
    """What one writes who knows numpy: one resample at a time."""
    generator = np.random.default_rng(7)
    n = len(scores)
    means = [scores[generator.integers(0, n, n)].mean() for _ in range(resamples)]
    return np.percentile(means, [2.5, 97.5])


def scipy(scores, resamples):
    from scipy.stats import bootstrap

    found = bootstrap(
        (scores,),
        np.mean,
        n_resamples=resamples,
        batch=max(1, 1_000_000 // len(scores)),
        method="percentile",
        rng=np.random.default_rng(7),
    ).confidence_interval
    return found.low, found.high


what, path, resamples = sys.argv[1:]
with open(path) as file:
    scores = np.array(json.load(file))
interval = {"numpy": loop, "scipy": scipy}[what]
if what == "scipy":
    # Its import is not counted.
    interval(scores[:10], 10)
start = time.process_time()
low, high = interval(scores, int(resamples))
print(time.process_time() - start, high - low)
