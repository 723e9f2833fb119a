"""Metrics as qeval asks them: setups, batches, statistics."""

import unittest
from pathlib import Path

import pyarrow as pa

from host import FINISH, Failed, Host, answers

EVERYTHING = Path(__file__).parent / "plugins" / "everything.py"
OPTIONS = {"word": "w"}


class Scorers(unittest.TestCase):
    def start(self, *columns, options=None):
        host = Host(EVERYTHING)
        self.addCleanup(host.end)
        host.scorer(*columns, options=OPTIONS if options is None else options)
        return host

    def test_says_what_it_is(self):
        host = Host(EVERYTHING)
        out, _, code = host.end()
        self.assertEqual((out, code), (b"", 0))
        self.assertEqual(host.hello["interface"], {"major": 1, "minor": 1})
        said = host.hello["descriptor"]
        self.assertEqual((said["name"], said["version"], said["authors"]), ("everything", "1.2.3", "A. Author"))
        self.assertEqual(said["inputs"], ["prediction", "references", "question"])
        share, claims, _, overlap, _ = said["metrics"]
        self.assertEqual(share["summary"], "The share of words of a reference that the answer has")
        self.assertEqual(
            share["parameters"],
            [
                {"name": "which", "summary": "", "type": "choice", "values": ["best", "first"], "default": "best"},
                {"name": "weight", "summary": "what a shared word is worth", "type": "number", "min": 0.0, "max": 1.0, "default": 1.0},
                {"name": "least", "summary": "", "type": "integer", "min": 1, "max": None, "default": 1},
                {"name": "cut", "summary": "", "type": "text", "default": ""},
            ],
        )  # fmt: skip
        self.assertEqual((claims["name"], claims["min"], claims["max"]), ("claims", None, None))
        self.assertFalse(claims["higher_is_better"])
        self.assertEqual(overlap["estimator"], "pooled")
        self.assertEqual(overlap["statistics"][2], {"name": "all", "merge": "list"})
        self.assertEqual(
            said["examples"][0],
            {"metrics": ["share", "share(weight=0.5)"], "expected": [0.5, 0.25], "prediction": "a b", "references": ["a c"]},
        )
        self.assertEqual(said["normalizers"][0]["examples"], [["Ä b", "ä b"]])
        self.assertEqual(said["retriever"], {"summary": "Finds what the question says"})

    def test_a_metric_twice_with_other_parameters(self):
        host = self.start(
            ("share", "share", {}),
            ("share(which=first,weight=0.5)", "share", {"which": "first", "weight": 0.5, "least": 1, "cut": ""}),
        )
        for _ in range(3):
            scores = host.ask(answers(["a b", None, "x"], [["c", "a b"], ["c"], ["x y"]]))
            self.assertEqual(
                scores.to_pydict(), {"share": [1.0, 0.0, 0.5], "share(which=first,weight=0.5)": [0.0, 0.0, 0.25]}
            )

    def test_why_there_is_no_score(self):
        host = self.start(("share", "share", {}))
        scores = host.ask(answers(["a", "skip", "none", "a"], [["a"], ["a"], ["a"], []])).to_pydict()
        self.assertEqual(scores["share"], [1.0, None, None, None])
        self.assertEqual(scores["share.unscored"], [None, "not applicable", None, "no reference"])
        self.assertEqual(scores["share.reason"], [None, "it is to be skipped", None, None])

    def test_parts(self):
        host = self.start(("c", "claims", {}))
        scores = host.ask(answers(["long.b", "", None])).to_pydict()
        self.assertEqual(scores["c"], [2.0, None, None])
        self.assertEqual(scores["c.values"], [[4.0, 1.0], [], []])
        self.assertEqual(scores["c.labels"], [["long", None], [], []])
        self.assertEqual(scores["c.texts"], [["long", "b"], [], []])
        self.assertEqual(scores["c.unscored"], [None, "low agreement", "low agreement"])

    def test_statistics_are_merged_and_finished(self):
        host = self.start(("overlap(base=2)", "overlap", {"base": 2}), ("longest", "longest", {}))
        scores = host.ask(answers(["a b", None, "a"])).to_pydict()
        self.assertEqual(scores["overlap(base=2)"], [0.5, None, 1.0])
        self.assertEqual(scores["overlap(base=2).matches"], [1.0, None, 1.0])
        self.assertEqual(scores["overlap(base=2).length"], [2.0, None, 1.0])
        self.assertEqual(scores["longest"], [3.0, None, 1.0])
        self.assertEqual(scores["longest.high"], [3.0, None, 1.0])
        groups = {
            "metric": pa.array(["overlap(base=2)"] * 2),
            "n": pa.array([2, 1], pa.int64()),
            "matches": pa.array([2.0, 0.0]),
            "length": pa.array([3.0, 0.0]),
            "all": pa.array([[1.0, 1.0], [0.0]]),
        }
        merged = pa.RecordBatch.from_arrays(list(groups.values()), names=list(groups))
        self.assertEqual(host.ask(merged, FINISH).to_pydict(), {"value": [4 / 3, None]})
        self.assertEqual(host.ask(merged.slice(1), FINISH).to_pydict(), {"value": [None]})
        self.assertEqual(host.ask(merged.slice(0, 0), FINISH).to_pydict(), {"value": []})
        groups = {"metric": pa.array(["longest"]), "n": pa.array([3]), "high": pa.array([9.0])}
        merged = pa.RecordBatch.from_arrays(list(groups.values()), names=list(groups))
        self.assertEqual(host.ask(merged, FINISH).to_pydict(), {"value": [9.0]})

    def test_odd_batches(self):
        host = self.start(("share", "share", {}), ("claims", "claims", {}), ("length", "length", {}))
        empty = host.ask(answers([]))
        self.assertEqual((empty.num_rows, set(empty.schema.names)), (0, {"share", "claims", "length"}))
        nulls = host.ask(answers([None] * 5, [[]] * 5))
        self.assertEqual(nulls["share"].null_count, 5)
        self.assertEqual(nulls["length"].to_pylist(), [0.0] * 5)
        huge = "word " * 2_000_000
        self.assertEqual(host.ask(answers([huge, "a"], [[huge], ["a"]]))["share"].to_pylist(), [1.0, 1.0])
        texts = ["日本語 ä", "👩‍👩‍👧", "\0", "e\u0301", "\u202eabc", "\ufeff"]
        self.assertEqual(host.ask(answers(texts, [[text] for text in texts]))["share"].to_pylist(), [1.0] * 6)

    def test_a_slice_is_a_batch_like_any_other(self):
        host = self.start(("share", "share", {}))
        batch = answers(["a", "b", None, "d e", "f"], [["x"], ["b", "c"], ["y"], ["d"], []])
        whole = host.ask(batch)["share"].to_pylist()
        for start in range(6):
            for count in range(6 - start):
                part = host.ask(batch.slice(start, count))["share"].to_pylist()
                self.assertEqual(part, whole[start : start + count])

    def test_setups_that_are_refused(self):
        for columns, options, said in [
            ([("x", "x", {})], OPTIONS, "refused: there is no metric `x`, expected one of `share`, `claims`, "),
            ([("x", "share", {"y": 1})], OPTIONS, "refused: the parameter of `share` `y` is not known, expected one of"),
            ([("x", "share", {"weight": 2})], OPTIONS, "refused: `weight` is `2.0`, expected a number from 0 to 1"),
            ([("x", "share", {"weight": True})], OPTIONS, "refused: `weight` is `True`, expected a number from 0 to 1"),
            ([("x", "share", {"least": 0})], OPTIONS, "refused: `least` is `0`, expected a whole number from 1"),
            ([("x", "share", {"least": 1.5})], OPTIONS, "refused: `least` is `1.5`, expected a whole number from 1"),
            ([("x", "share", {"which": "last"})], OPTIONS, "refused: `which` is `last`, expected one of `best`, `first`"),
            ([], {}, "refused: the option `word` is missing"),
            ([], {"word": 5}, "refused: `word` is `5`, expected a text"),
            ([], {"word": "w", "deep": 1}, "refused: `deep` is `1`, expected true or false"),
            (
                [],
                {"word": "w", "wrod": 1},
                "refused: the option `wrod` is not known, expected one of `word`, `size`, `ratio`, `deep`",
            ),
            ([], {"word": "refused"}, "refused: the word must not be `refused`"),
            ([], {"word": "missing"}, "crash: FileNotFoundError: no such file: missing (everything.py:28, in load)"),
        ]:
            with self.subTest(said), self.assertRaises(Failed) as failed:
                self.start(*columns, options=options)
            self.assertTrue(str(failed.exception).startswith(said), failed.exception)

    def test_a_setup_may_be_tried_again_but_not_made_twice(self):
        host = Host(EVERYTHING)
        self.addCleanup(host.end)
        with self.assertRaisesRegex(Failed, "protocol: a batch came before the setup"):
            host.ask(answers(["a"]))
        with self.assertRaisesRegex(Failed, "is not known"):
            host.scorer(options={"a": 1})
        with self.assertRaisesRegex(Failed, "protocol: the setup is for the component `None`"):
            host.setup({})
        host.scorer(("share", "share", {}), options=OPTIONS)
        with self.assertRaisesRegex(Failed, "protocol: there was a setup already"):
            host.scorer(("share", "share", {}), options=OPTIONS)
        self.assertEqual(host.ask(answers(["a"]))["share"].to_pylist(), [1.0])


if __name__ == "__main__":
    unittest.main()
