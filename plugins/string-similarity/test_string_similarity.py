"""The metrics against rapidfuzz itself, and against values by hand."""

import random
import unittest

from qeval_plugin import Case, Unscored
from rapidfuzz import distance, fuzz, utils

from string_similarity import jaro_winkler, levenshtein, partial_ratio, plugin, ratio, token_set_ratio

PEERS = {
    ratio: lambda *texts: fuzz.ratio(*texts) / 100,
    token_set_ratio: lambda *texts: fuzz.token_set_ratio(*texts) / 100,
    partial_ratio: lambda *texts: fuzz.partial_ratio(*texts) / 100,
    jaro_winkler: distance.JaroWinkler.similarity,
    levenshtein: distance.Levenshtein.normalized_similarity,
}
WORDS = ["15", "days", "Days!", "ß", "日本", "e\u0301", "👩‍👩‍👧", "\0", "", " ", "Ann", "anne", "§ 5", "the", "THE"]


def levenshtein_by_hand(a, b):
    """The table of edits, as in a textbook."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return 1 - row[-1] / max(len(a), len(b)) if a or b else 1.0


class StringSimilarity(unittest.TestCase):
    def test_the_worked_examples(self):
        self.assertEqual(plugin.check(), [])

    def test_equals_rapidfuzz(self):
        choose = random.Random(7)
        for _ in range(300):
            texts = [" ".join(choose.choices(WORDS, k=choose.randrange(6))) for _ in range(choose.randrange(2, 5))]
            answer, references = texts[0], texts[1:]
            case = Case.of(prediction=answer, references=references)
            for metric, peer in PEERS.items():
                plain = max(peer(answer, text) for text in references)
                self.assertAlmostEqual(metric(case), plain, places=12, msg=(metric.name, texts))
                process = utils.default_process
                processed = max(peer(process(answer), process(text)) for text in references)
                self.assertAlmostEqual(metric(case, processor="default"), processed, places=12, msg=(metric.name, texts))
            by_hand = max(levenshtein_by_hand(answer, text) for text in references)
            self.assertAlmostEqual(levenshtein(case), by_hand, places=12, msg=texts)

    def test_values_by_hand(self):
        for metric, answer, reference, expected in [
            (ratio, "abcd", "bcde", 6 / 8),
            (levenshtein, "kitten", "sitting", 4 / 7),
            (jaro_winkler, "dwayne", "duane", 0.84),
            (token_set_ratio, "days 15", "15 days", 1.0),
            (partial_ratio, "on 5 May", "5 May", 1.0),
            (ratio, "", "", 1.0),
            (token_set_ratio, "", "", 0.0),
            (levenshtein, "", "a", 0.0),
        ]:
            case = Case.of(prediction=answer, references=[reference])
            self.assertAlmostEqual(metric(case), expected, places=12, msg=(metric.name, answer, reference))

    def test_the_nearest_reference_counts(self):
        for references in (["x", "ann"], ["ann", "x"]):
            self.assertEqual(ratio(Case.of(prediction="ann", references=references)), 1.0)

    def test_texts_that_would_take_seconds(self):
        long = Case.of(prediction="a" * 2000, references=["ab" * 1000])
        self.assertEqual(partial_ratio(long).reason, "texts of 2000 and 2000 characters are too long")
        self.assertEqual(partial_ratio(Case.of(prediction="a" * 5000, references=["a" * 5000])), 1.0)
        self.assertEqual(partial_ratio(Case.of(prediction="a" * 100_000, references=["aaa"])), 1.0)

    def test_without_a_reference_there_is_no_score(self):
        for metric in PEERS:
            self.assertIsInstance(metric(Case.of(prediction="a")), Unscored)


if __name__ == "__main__":
    unittest.main()
