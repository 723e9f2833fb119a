"""Rows a second of a trivial metric, through the pipes: speed.py [ROWS].

For each form of the metric and size of batches: rows a second by the clock; rows a second of CPU time of
the plugin, which other work on the machine changes less; and the share of the whole CPU time that the host
took. Host and plugin take turns.
"""

import resource
import sys
import time
from pathlib import Path

from host import BATCH, Host, answers, stream


def batch(rows):
    texts = [f"an answer of some words, number {i % 977}" for i in range(rows)]
    references = [[f"an answer of some words, number {i % 971}", "another"] for i in range(rows)]
    return answers(texts, references)


def child_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(metric, whole, size):
    """Seconds by the clock, of the plugin and of the host, without the start of the plugin."""
    before = child_seconds()
    host = Host(Path(__file__).parent / "plugins" / "trivial.py")
    host.scorer((metric, metric, {}))
    clock, own = time.perf_counter(), time.process_time()
    for at in range(0, whole.num_rows, size):
        host.send(BATCH, stream(whole.slice(at, size)))
        host.answer()
    clock, own = time.perf_counter() - clock, time.process_time() - own
    assert host.end()[2] == 0
    return clock, child_seconds() - before, own


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    whole = batch(rows)
    for metric in ("per_case", "vectorised", "constant"):
        _, start, _ = measure(metric, whole.slice(0, 0), 1)
        for size in (256, 1024, 4096):
            clock, plugin, own = measure(metric, whole, size)
            plugin -= start
            by_clock, by_cpu = rows / clock, rows / plugin
            print(f"{metric:10} batches of {size:4}: {by_clock:9,.0f} rows/s, {by_cpu:9,.0f} rows/s of CPU,", end=" ")
            print(f"host {own / (own + plugin):.0%}", flush=True)


if __name__ == "__main__":
    main()
