"""Rows a second of a trivial metric, through the pipes: speed.py [ROWS].

Prints for each form of the metric and size of batches what the whole took, and how much of it the host
spent itself on writing and reading batches.
"""

import sys
import time
from pathlib import Path

import pyarrow as pa

from host import BATCH, Host, answers, stream

rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
texts = [f"an answer of some words, number {i % 977}" for i in range(rows)]
references = [[f"an answer of some words, number {i % 971}", "another"] for i in range(rows)]
whole = answers(texts, references)


def measure(metric, size):
    host = Host(Path(__file__).parent / "plugins" / "trivial.py")
    host.scorer((metric, metric, {}))
    # A host that writes ahead, so that both sides work at a time, would have to read in a thread: this
    # one takes turns, which is the slower way.
    start, mine = time.perf_counter(), 0.0
    total = 0.0
    for at in range(0, rows, size):
        begin = time.perf_counter()
        payload = stream(whole.slice(at, size))
        mine += time.perf_counter() - begin
        host.send(BATCH, payload)
        answer = host.answer()
        total += sum(answer.column(metric).to_pylist()) if at == 0 else 0
    took = time.perf_counter() - start
    assert host.end()[2] == 0
    print(f"{metric:10} batches of {size:5}: {rows / took:10,.0f} rows/s, writing in the host {mine / took:.0%}")


for metric in ("per_case", "vectorised", "constant"):
    for size in (256, 1024, 4096):
        measure(metric, size)
