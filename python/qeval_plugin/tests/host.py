"""The other side of the frames: a small host that starts a plugin as qeval does."""

import json
import struct
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

HELLO, BATCH, ANSWER, FAILURE, SETUP, READY, FINISH = range(1, 8)
HEADER = struct.Struct("<IIB3x")
MODULE = Path(__file__).resolve().parent.parent


class Failed(Exception):
    """A FAILURE frame."""

    def __init__(self, failure):
        super().__init__(f"{failure['kind']}: {failure['message']}")
        self.kind = failure["kind"]
        self.message = failure["message"]


class Host:
    """A plugin that runs as a child. `hello` is what it said first."""

    def __init__(self, *command, path=(MODULE,)):
        environment = {"PYTHONPATH": ":".join(map(str, path))}
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        self.child = subprocess.Popen([sys.executable, *map(str, command)], env=environment, **pipes)
        self.asked = 0
        kind, payload = self.receive()
        assert kind == HELLO, kind
        self.hello = json.loads(payload)

    def send(self, kind, payload):
        self.asked += 1
        self.child.stdin.write(HEADER.pack(len(payload), self.asked, kind) + payload)
        self.child.stdin.flush()

    def receive(self):
        header = self.child.stdout.read(HEADER.size)
        if len(header) < HEADER.size:
            raise EOFError(f"it ended after {header}: {self.child.stderr.read().decode()}")
        length, number, kind = HEADER.unpack(header)
        assert header[9:] == bytes(3), header
        assert number == self.asked, (number, self.asked)
        return kind, self.child.stdout.read(length)

    def setup(self, setup):
        self.send(SETUP, json.dumps(setup).encode())
        kind, payload = self.receive()
        if kind == FAILURE:
            raise Failed(json.loads(payload))
        assert (kind, payload) == (READY, b""), (kind, payload)

    def scorer(self, *columns, options=None):
        """Sets up metrics, each given as `(column, name, parameters)`."""
        metrics = [{"column": column, "name": name, "parameters": given} for column, name, given in columns]
        self.setup({"component": "scorer", "options": options or {}, "metrics": metrics})

    def ask(self, batch, kind=BATCH):
        self.send(kind, stream(batch))
        return self.answer()

    def answer(self):
        kind, payload = self.receive()
        if kind == FAILURE:
            raise Failed(json.loads(payload))
        assert kind == ANSWER, kind
        with pa.ipc.open_stream(payload) as reader:
            batches = list(reader)
        assert len(batches) == 1
        batches[0].validate(full=True)
        return batches[0]

    def end(self):
        """Ends its stdin; what is left on its stdout, its stderr and its exit code."""
        if self.child.stdout.closed:
            return b"", "", self.child.wait(timeout=30)
        self.child.stdin.close()
        out, err = self.child.stdout.read(), self.child.stderr.read().decode()
        self.child.stdout.close()
        self.child.stderr.close()
        return out, err, self.child.wait(timeout=30)


def stream(batch):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def answers(predictions, references=None, **more):
    """A batch with the inputs `prediction` and `references`."""
    rows = len(predictions)
    texts = pa.list_(pa.string())
    columns = {
        "example_id": pa.array([f"q{i}" for i in range(rows)], pa.string()),
        "prediction": pa.array(predictions, pa.string()),
        "abstained": pa.array([None if p is None else False for p in predictions], pa.bool_()),
        "confidence": pa.nulls(rows, pa.float64()),
        "citations": pa.array([None if p is None else [] for p in predictions], texts),
        "references": pa.array(references if references is not None else [["a"]] * rows, texts),
    }
    columns.update(more)
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
