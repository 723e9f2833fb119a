"""Functions that raise, print, or give what they must not."""

import math
import unittest
from pathlib import Path

import pyarrow as pa

from host import BATCH, FINISH, Failed, Host, answers

PLUGINS = Path(__file__).parent / "plugins"


class Faults(unittest.TestCase):
    def start(self, *names, command=(PLUGINS / "faulty.py",)):
        host = Host(*command)
        self.addCleanup(host.end)
        host.scorer(*((name, name, {}) for name in names))
        return host

    def test_one_case_costs_no_other(self):
        host = self.start("raises", "nan")
        scores = host.ask(answers(["good", "bad", "good"])).to_pydict()
        self.assertEqual(scores["raises"], [1.0, None, 1.0])
        self.assertEqual(scores["raises.unscored"], [None, "failed", None])
        said = scores["raises.reason"][1]
        self.assertRegex(said, r"^ValueError: I do not like it\? \(faulty.py:\d+, in raises\)$")
        # What is wrong with a value is for qeval to say.
        self.assertTrue(all(math.isnan(value) for value in scores["nan"]))

    def test_what_a_case_is_refused_for_is_said_as_it_is(self):
        scores = self.start("refuses").ask(answers(["a"])).to_pydict()
        self.assertEqual(scores, {"refuses": [None], "refuses.unscored": ["failed"], "refuses.reason": ["not this one"]})

    def test_what_costs_the_batch(self):
        for name, said in {
            "text": "protocol: `text` gave str '0.5' for the example `q0`, expected a number, None, Unscored or Score",
            "undeclared": "protocol: the batch has no column `passage_ids`, only `example_id`, `prediction`, ",
            "memory": "memory: MemoryError (faulty.py:",
            "no_statistics": "protocol: `no_statistics` gave statistics, and none are declared",
            "wrong_statistics": "protocol: `wrong_statistics` gave the statistics `b`, expected `a`",
            "short": "protocol: `short` gave 1 scores for 2 cases",
            "scalar": "protocol: `scalar` gave float 1.0, expected an array or a list with 2 numbers",
            "texts": "protocol: `texts` gave an array of type string, expected numbers",
            "breaks": "crash: ZeroDivisionError: division by zero (faulty.py:",
        }.items():
            with self.subTest(name):
                host = self.start(name)
                for _ in range(2):
                    with self.assertRaises(Failed) as failed:
                        host.ask(answers(["a", "b"]))
                    self.assertTrue(str(failed.exception).startswith(said), failed.exception)

    def test_what_finishes_may_fail(self):
        host = self.start("wrong_statistics")
        groups = {"metric": pa.array(["wrong_statistics"]), "n": pa.array([1]), "a": pa.array([1.0])}
        merged = pa.RecordBatch.from_arrays(list(groups.values()), names=list(groups))
        with self.assertRaisesRegex(Failed, "crash: ZeroDivisionError"):
            host.ask(merged, FINISH)
        other = merged.set_column(0, "metric", pa.array(["raises"]))
        with self.assertRaisesRegex(Failed, "protocol: the statistics are of `raises`, which is no pooled metric"):
            host.ask(other, FINISH)

    def test_prints_go_to_stderr(self):
        host = self.start("prints")
        self.assertEqual(host.ask(answers(["a", "b"]))["prints"].to_pylist(), [1.0, 1.0])
        out, err, code = host.end()
        self.assertEqual((out, code), (b"", 0))
        for text in ("printed while it is imported", "print: a", "write", "from a child", "from C"):
            self.assertIn(text, err)

    def test_prints_that_are_flushed_while_it_is_imported(self):
        host = Host("-u", "-m", "qeval_plugin", PLUGINS / "faulty.py")
        self.assertEqual(host.hello["descriptor"]["name"], "faulty")
        host.scorer(("prints", "prints", {}))
        self.assertEqual(host.ask(answers(["a"]))["prints"].to_pylist(), [1.0])
        out, err, code = host.end()
        self.assertEqual((out, code), (b"", 0))
        self.assertIn("printed while it is imported", err)

    def test_a_plugin_that_cannot_be_imported(self):
        host = Host("-m", "qeval_plugin", PLUGINS / "unimportable.py")
        said = host.hello["descriptor"]["error"]
        self.assertEqual(said, "ModuleNotFoundError: No module named 'no_such_module' (unimportable.py:3, in <module>)")
        self.assertEqual(host.end()[2], 1)

    def test_leaving_is_leaving(self):
        host = self.start("leaves")
        with self.assertRaises(EOFError):
            host.ask(answers(["a"]))
        self.assertEqual(host.child.wait(timeout=30), 7)

    def test_frames_that_are_none(self):
        host = self.start("raises")
        for kind, payload, said in [
            (BATCH, b"", "protocol: the batch cannot be read"),
            (BATCH, b"no stream", "protocol: the batch cannot be read"),
            (42, b"", "protocol: a frame of kind 42 came, expected 5, 2 or 7"),
        ]:
            host.send(kind, payload)
            with self.assertRaisesRegex(Failed, said):
                host.answer()
        self.assertEqual(host.ask(answers(["a"]))["raises"].to_pylist(), [1.0])
        host.child.stdin.write(b"\x10\0\0\0\x09\0\0\0\x02\0\0\0only a part")
        _, err, code = host.end()
        self.assertEqual(code, 1)
        self.assertIn("stdin ended inside a frame", err)


if __name__ == "__main__":
    unittest.main()
