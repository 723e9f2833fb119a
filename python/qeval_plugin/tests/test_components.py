"""Normalizers, retrievers and readers."""

import unittest
from pathlib import Path

import pyarrow as pa

from host import Failed, Host

PLUGINS = Path(__file__).parent / "plugins"
TEXTS = pa.list_(pa.string())


def batch(**columns):
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def strings(*texts):
    return pa.array(texts, pa.string())


class Components(unittest.TestCase):
    def start(self, setup, plugin="everything.py"):
        host = Host(PLUGINS / plugin)
        self.addCleanup(host.end)
        host.setup(setup)
        return host

    def test_normalizers(self):
        for name in ("lower", "lower-all"):
            host = self.start({"component": "normalizer", "options": {"word": "w"}, "name": name})
            texts = ["Ä B", "", "日本 X"]
            self.assertEqual(host.ask(batch(text=strings(*texts))).to_pydict(), {"text": ["ä b", "", "日本 x"]})
            self.assertEqual(host.ask(batch(text=strings())).to_pydict(), {"text": []})

    def test_a_normalizer_that_is_not_there(self):
        with self.assertRaisesRegex(Failed, "refused: there is no normalizer `x`, expected one of `lower`, `lower-all`"):
            self.start({"component": "normalizer", "name": "x"})

    def test_a_normalizer_must_give_texts(self):
        host = self.start({"component": "normalizer", "name": "forgets"}, "faulty.py")
        with self.assertRaisesRegex(Failed, "protocol: the normalizer `forgets` gave no text for `a`"):
            host.ask(batch(text=strings("a")))

    def test_a_retriever(self):
        host = self.start({"component": "retriever", "options": {"word": "w"}, "depth": 2})
        questions = ["a b c", "nothing known", "", "raise", "many"]
        answer = host.ask(
            batch(example_id=strings(*"12345"), question=strings(*questions), dataset=strings(*[None] * 5))
        ).to_pydict()
        self.assertEqual(answer["hit_ids"], [["a", "b"], None, [], None, None])
        self.assertEqual(answer["hit_scores"], [[1.0, 0.5], None, [], None, None])
        self.assertEqual(answer["failure"][:3], [None] * 3)
        self.assertRegex(answer["failure"][3], r"^LookupError: the index is broken \(everything.py:\d+, in find\)$")
        self.assertEqual(answer["failure"][4], "the retriever gave 3 hits, expected at most 2")

    def test_a_retriever_needs_a_depth(self):
        with self.assertRaisesRegex(Failed, "protocol: the setup of the retriever has the depth `None`"):
            self.start({"component": "retriever", "options": {"word": "w"}})

    def test_a_reader(self):
        host = self.start({"component": "reader", "options": {"word": "so"}})
        passages = [["p1", "p2"], [], [], [], []]
        lists = {name: pa.array(passages, TEXTS) for name in ("passage_ids", "passage_titles", "passage_texts")}
        answer = host.ask(
            batch(
                example_id=strings(*"12345"),
                question=strings("q", "q", "q", "raise", "number"),
                history_questions=pa.array([[], [], ["h"], [], []], TEXTS),
                history_answers=pa.array([[], [], ["yes"], [], []], TEXTS),
                **lists,
            )
        ).to_pydict()
        self.assertEqual(answer["prediction"], ["so p1", None, "as I said: yes", None, None])
        self.assertEqual(answer["citations"], [["p1"], None, None, None, None])
        self.assertEqual(answer["confidence"], [0.5, None, None, None, None])
        self.assertEqual(answer["failure"][:3], [None] * 3)
        self.assertIn("ValueError: cannot read", answer["failure"][3])
        self.assertEqual(answer["failure"][4], "the reader gave int 5, expected an Answer, a text or None")

    def test_a_component_that_is_not_offered(self):
        with self.assertRaisesRegex(Failed, "`reader`, and the plugin offers `scorer`, `normalizer`"):
            self.start({"component": "reader"}, "faulty.py")


if __name__ == "__main__":
    unittest.main()
