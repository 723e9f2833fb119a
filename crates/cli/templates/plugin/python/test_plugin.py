"""The plugin's own test: its worked examples, and what they do not say."""

import subprocess
import sys
import unittest
from pathlib import Path

from qeval_plugin import Case
from {{stem}} import overlap


class Overlap(unittest.TestCase):
    def test_the_worked_examples_hold(self):
        script = Path(__file__).with_name("{{stem}}.py")
        subprocess.run([sys.executable, str(script), "--check"], check=True)

    def test_each_word_of_the_reference_counts(self):
        case = Case.of(prediction="to be", references=["to be or not to be"])
        self.assertEqual(overlap(case), 4 / 6)


if __name__ == "__main__":
    unittest.main()
