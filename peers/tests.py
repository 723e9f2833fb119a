"""CPU seconds that a Python package takes for a paired randomisation test: tests.py WHAT FILE N.

FILE has two lists of scores as JSON; N is how many permutations are drawn."""

import json
import sys
import time

import numpy as np


def loop(before, after, permutations):
    """What one writes who knows numpy: signs of all differences, one permutation at a time."""
    differences = after - before
    seen = abs(differences.sum())
    generator = np.random.default_rng(7)
    extreme = 0
    for _ in range(permutations):
        bits = generator.integers(0, 2, size=len(differences), dtype=np.int8)
        extreme += abs(np.where(bits, differences, -differences).sum()) >= seen
    return (extreme + 1) / (permutations + 1)


def scipy(before, after, permutations):
    from scipy.stats import permutation_test

    def statistic(x, y, axis):
        return np.mean(x - y, axis=axis)

    return permutation_test(
        (before, after),
        statistic,
        permutation_type="samples",
        vectorized=True,
        n_resamples=permutations,
        batch=100,
        rng=np.random.default_rng(7),
    ).pvalue


def ranx(before, after, permutations):
    from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test

    return fisher_randomization_test(before, after, permutations)[0]


what, file, permutations = sys.argv[1:]
with open(file, encoding="utf-8") as lines:
    before, after = (np.array(json.loads(line)) for line in lines)
test = {"numpy": loop, "scipy": scipy, "ranx": ranx}[what]
# Imports and the compiler of ranx are not measured.
test(before[:50], after[:50], 10)
start = time.process_time()
p = test(before, after, int(permutations))
print(time.process_time() - start, p)
