"""What is wrong with a plugin is said where it is declared, and by its check."""

import subprocess
import sys
import unittest
from pathlib import Path
from typing import Annotated, Literal

from host import MODULE
from qeval_plugin import Case, Plugin, Range, Unscored

PLUGINS = Path(__file__).parent / "plugins"


def run(*command):
    environment = {"PYTHONPATH": str(MODULE)}
    done = subprocess.run(
        [sys.executable, *map(str, command)], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


class Declarations(unittest.TestCase):
    def setUp(self):
        self.plugin = Plugin("p", "1", "P")

    def refused(self, said, function, **settings):
        with self.assertRaises((TypeError, ValueError)) as error:
            self.plugin.metric(**settings)(function)
            self.plugin.descriptor()
        self.assertIn(said, str(error.exception))

    def test_metrics(self):
        def m(case):
            pass

        self.refused("must be named with a letter", m, name="5")
        self.refused("the subject `reader`", m, subject="reader")
        self.refused("reads `prediciton`, which is no input", m, inputs=["prediciton"])
        self.refused("merges `a` by `mean`, expected one of `sum`", m, statistics={"a": "mean"})
        self.refused("cannot have a statistic of the name `n`", m, statistics={"n": "sum"})
        self.refused("has statistics, and no function `@m.finish`", m, statistics={"a": "sum"})
        self.refused("there are two metrics of the name `m`", m)

    def test_parameters(self):
        def needs(case, *, a: int):
            pass

        def other(case, *, a: bool = True):
            pass

        def outside(case, *, a: Annotated[float, Range(0, 1)] = 2.0):
            pass

        def comma(case, *, a: str = "x,y"):
            pass

        def numbers(case, *, a: Literal[1, 2] = 1):
            pass

        self.refused("the parameter `a` of the metric `needs` needs a default", needs)
        self.refused("has a type that is not int, float, str or Literal of texts", other)
        self.refused("`a` is `2.0`, expected a number from 0 to 1", outside)
        self.refused("must be without `,`, `(`, `)` and `=`", comma)
        self.refused("has a type that is not int, float, str or Literal of texts", numbers)

    def test_a_plugin_offers_something(self):
        with self.assertRaisesRegex(TypeError, "the plugin offers nothing"):
            self.plugin.descriptor()

    def test_what_finishes_has_no_other_parameters(self):
        @self.plugin.metric(statistics={"a": "sum"})
        def m(case, *, base: float = 1.0):
            return 1.0, {"a": 1.0}

        with self.assertRaisesRegex(TypeError, "`other` is no parameter of the metric `m`"):
            m.finish(lambda merged, *, other: 1.0)

    def test_unscored_has_a_known_label(self):
        with self.assertRaisesRegex(ValueError, "`because` is no reason for a missing score"):
            Unscored("because")

    def test_all_parts_of_a_case(self):
        case = Case.of(
            question="q", references=["r"], prediction="p", citations=["p2", "x"], context="c",
            passages=["one", "two"], columns={"topic": "t", "n": 3},
        )  # fmt: skip
        self.assertEqual((case.id, case.question, case.references, case.context), ("example-1", "q", ["r"], "c"))
        self.assertEqual((case.answer, case.prediction, case.abstained, case.confidence), ("p", "p", False, None))
        self.assertEqual(case.citations, ["p2", "x"])
        self.assertEqual([tuple(p) for p in case.passages], [("p1", "", "one"), ("p2", "", "two")])
        self.assertEqual([tuple(p) for p in case.cited_passages], [("p2", "", "two"), ("x", None, None)])
        self.assertEqual([hit.id for hit in case.hits], ["p1", "p2"])
        self.assertEqual((case.column("topic"), case.column("n")), ("t", 3))
        self.assertEqual((case.history, case.gold_passages, case.gold_texts, case.grades), ([], [], [], None))
        missing = Case.of(references=["r"])
        self.assertEqual((missing.answer, missing.prediction, missing.citations), ("", None, None))
        self.assertIsNone(missing.cited_passages)
        with self.assertRaisesRegex(TypeError, "`answer` is no part of a case"):
            Case.of(answer="a")


class Checks(unittest.TestCase):
    def test_a_good_plugin(self):
        code, out, err = run(PLUGINS / "everything.py", "--check", "--options", '{"word": "w"}')
        self.assertEqual((code, out), (0, "everything 1.2.3: 8 expected values, 0 problems\n"), err)

    def test_options_that_are_missing(self):
        code, out, _ = run(PLUGINS / "everything.py", "--check")
        self.assertEqual(code, 1)
        self.assertIn("- the option `word` is missing\n", out)

    def test_a_bad_plugin(self):
        plugin = Plugin("p", "1", "P")

        @plugin.metric
        def m(case):
            if case.answer == "\0":
                raise ValueError("not this")
            return 2.0 if case.answer == "two" else 0.5 if case.answer else None

        @plugin.normalizer(examples=[("A", "b")])
        def lower(text):
            return text.lower()

        plugin.example(prediction="a", expected={"m": 1.0})
        plugin.example(prediction="two", expected={"m": 2.0})
        plugin.example(expected={"m": 0.0})
        problems = "\n".join(plugin.check())
        for said in [
            "example 1: `m` is 0.5, expected 1.0",
            "example 2: `m` is 2.0, expected a finite number from 0 to 1",
            "example 3: `m` is unscored (None), expected 0.0",
            "`m` failed: ValueError: not this (test_declaration.py:",
            "the normalizer `lower` makes 'a' of 'A', expected 'b'",
        ]:
            self.assertIn(said, problems)

    def test_by_hand(self):
        code, out, _ = run(PLUGINS / "trivial.py", "--descriptor")
        self.assertEqual(code, 0)
        self.assertIn('"name": "trivial"', out)
        code, out, _ = run(PLUGINS / "trivial.py", "--help")
        self.assertEqual(code, 0)
        self.assertIn("This is a plugin for qeval, which starts it.\n", out)
        self.assertIn("metric per_case: 1 where the answer is a reference\n", out)
        code, out, _ = run("-m", "qeval_plugin", PLUGINS / "trivial.py", "--descriptor")
        self.assertIn('"name": "trivial"', out)


if __name__ == "__main__":
    unittest.main()
