"""Metrics that do what they must not."""

import ctypes
import subprocess
import sys

import pyarrow as pa
from qeval_plugin import Plugin, Refused, Score

print("printed while it is imported")
plugin = Plugin("faulty", "1", "Does what it must not")


@plugin.metric
def raises(case):
    if case.answer == "bad":
        raise ValueError("I do not like it\ud800")
    return 1.0


@plugin.metric
def refuses(case):
    raise Refused("not this one")


@plugin.metric
def prints(case):
    print("print:", case.answer, flush=True)
    sys.stdout.write("write\n")
    subprocess.run(["echo", "from a child"], check=True)
    ctypes.CDLL(None).puts(b"from C")
    ctypes.CDLL(None).fflush(None)
    return 1.0 if sys.stdin.read() == "" else 0.0


@plugin.metric
def text(case):
    return "0.5"


@plugin.metric
def nan(case):
    return float("nan")


@plugin.metric
def undeclared(case):
    return len(case.passages)


@plugin.metric
def memory(case):
    raise MemoryError


@plugin.metric
def leaves(case):
    sys.exit(7)


@plugin.metric
def no_statistics(case):
    return Score(1.0, statistics={"a": 1.0})


@plugin.metric(statistics={"a": "sum"})
def wrong_statistics(case):
    return 1.0, {"b": 1.0}


@wrong_statistics.finish
def _(merged):
    return 1 / 0


@plugin.metric(batch=True)
def short(batch):
    return [1.0] * (batch.num_rows - 1)


@plugin.metric(batch=True)
def scalar(batch):
    return 1.0


@plugin.metric(batch=True)
def texts(batch):
    return pa.array(["1"] * batch.num_rows)


@plugin.metric(batch=True)
def breaks(batch):
    return [1 / 0]


@plugin.normalizer
def forgets(text):
    return None


if __name__ == "__main__":
    plugin.run()
