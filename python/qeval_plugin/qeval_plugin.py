"""Plugins for qeval in Python: a metric is a decorated function.

This is one file on pyarrow alone, so it can be installed, or copied beside a plugin. It speaks version
1.1 of the plugin interface; `docs/plugin-interface.md` of qeval says what crosses.

    from qeval_plugin import Plugin

    plugin = Plugin("brevity", "0.1.0", "Rewards short answers")

    @plugin.metric()
    def brevity(case):
        \"\"\"1 / words of the answer\"\"\"
        return 1 / max(1, len(case.answer.split()))

    plugin.example(prediction="ten days", expected={"brevity": 0.5})

    if __name__ == "__main__":
        plugin.run()
"""

from __future__ import annotations

import functools
import gc
import inspect
import json
import math
import os
import re
import runpy
import struct
import sys
import traceback
import typing
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence

import pyarrow as pa

__version__ = "0.2.0"
__all__ = [
    "Answer", "Case", "Hit", "Merged", "Metric", "Part", "Passage", "Plugin", "Query", "Range", "Refused",
    "Request", "Score", "Unscored", "cases",
]  # fmt: skip

INTERFACE = {"major": 1, "minor": 1}
HELLO, BATCH, ANSWER, FAILURE, SETUP, READY, FINISH = range(1, 8)

_MOST_PAYLOAD = 256 << 20
_MOST_DESCRIPTOR = 1 << 20
_LABELS = ("no reference", "no relevant passage", "low agreement", "not applicable", "failed")
_MERGES = ("sum", "min", "max", "list")
_INPUTS = (
    "question", "prediction", "references", "context", "history", "gold_passages", "passages", "hits",
    "cited_passages", "gold_texts", "grades",
)  # fmt: skip
_EXAMPLE_PARTS = ("question", "references", "prediction", "citations", "context", "passages", "columns")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_TOLERANCE = 1e-9


# What functions of a plugin give and get.


class PluginError(Exception):
    """What ends a whole batch or setup, with one of the kinds of the interface."""

    kind = "protocol"


class Refused(PluginError):
    """The plugin says itself that it could not. The message reaches the user as it is."""

    kind = "refused"


class Unscored:
    """Why a case has no score: `Unscored("not applicable", "the reference has no figure")`."""

    __slots__ = ("label", "reason")

    def __init__(self, label: str = "not applicable", reason: Optional[str] = None):
        if label not in _LABELS:
            raise ValueError(f"`{label}` is no reason for a missing score, expected one of {_listed(_LABELS)}")
        self.label = label
        self.reason = reason

    def __repr__(self) -> str:
        return f"Unscored({self.label!r}, {self.reason!r})"


class Part(NamedTuple):
    """A part of what a score is made of, such as a claim of an answer with its verdict."""

    value: Optional[float] = None
    label: Optional[str] = None
    text: Optional[str] = None


class Score:
    """A score with its parts, and with the statistics of a pooled metric."""

    __slots__ = ("value", "parts", "statistics")

    def __init__(self, value: Any, parts: Sequence[Part] = (), statistics: Optional[Mapping[str, float]] = None):
        self.value = value
        self.parts = parts
        self.statistics = statistics


class Range(NamedTuple):
    """Lowest and highest value of a parameter: `Annotated[float, Range(0, 1)]`. None is open."""

    low: Optional[float] = None
    high: Optional[float] = None


class Passage(NamedTuple):
    """A passage. Title and text are None where the corpus has no such passage."""

    id: str
    title: Optional[str]
    text: Optional[str]


class Hit(NamedTuple):
    """A passage that was found, and its score."""

    id: str
    score: float


class Query(NamedTuple):
    """What a retriever is asked."""

    id: str
    question: str
    dataset: Optional[str]


class Request(NamedTuple):
    """What a reader is asked. The history is a list of pairs of a question and its answer."""

    id: str
    question: str
    history: list
    passages: list


class Answer(NamedTuple):
    """What a reader answers. Citations are ids of passages."""

    prediction: Optional[str]
    abstained: Optional[bool] = None
    confidence: Optional[float] = None
    citations: Optional[Sequence[str]] = None


class Merged(dict):
    """The merged statistics of a group of examples by name, and `n`, the number of examples."""

    n: int


class Case:
    """All that is known of one example when it is scored. Only what `inputs` names is there."""

    __slots__ = ("_table", "_row")

    def __init__(self, table: _Table, row: int):
        self._table = table
        self._row = row

    @classmethod
    def of(cls, **parts: Any) -> Case:
        """A case for a test, with the parts of a worked example: `Case.of(prediction="a", references=["b"])`."""
        unknown = set(parts).difference(_EXAMPLE_PARTS)
        if unknown:
            raise TypeError(f"`{min(unknown)}` is no part of a case, expected one of {_listed(_EXAMPLE_PARTS)}")
        inputs = [*_INPUTS, *("columns." + name for name in parts.get("columns") or ())]
        given = {name: part for name, part in parts.items() if part is not None}
        return cases(_example_batch(inputs, [given]))[0]

    @property
    def id(self) -> str:
        """The id of the example."""
        return self._table.example_id[self._row]

    @property
    def question(self) -> str:
        """Input `question`."""
        return self._table.question[self._row]

    @property
    def answer(self) -> str:
        """The text of the prediction, empty when there is none."""
        return self._table.answer[self._row]

    @property
    def prediction(self) -> Optional[str]:
        """The text of the prediction, None when there is none. Input `prediction`."""
        return self._table.prediction[self._row]

    @property
    def abstained(self) -> Optional[bool]:
        """Whether the reader abstained. Input `prediction`."""
        return self._table.abstained[self._row]

    @property
    def confidence(self) -> Optional[float]:
        """How sure the reader was. Input `prediction`."""
        return self._table.confidence[self._row]

    @property
    def citations(self) -> Optional[list[str]]:
        """Ids of the passages that the prediction cites. Input `prediction`."""
        return self._table.citations[self._row]

    @property
    def references(self) -> list[str]:
        """The acceptable answers. Input `references`."""
        return self._table.references[self._row]

    @property
    def context(self) -> Optional[str]:
        """The text that holds the answer. Input `context`."""
        return self._table.context[self._row]

    @property
    def history(self) -> list[tuple[str, str]]:
        """Earlier questions with their answers. Input `history`."""
        return self._table.history[self._row]

    @property
    def gold_passages(self) -> list[str]:
        """Ids of the passages that hold the answer. Input `gold_passages`."""
        return self._table.gold_passages[self._row]

    @property
    def gold_texts(self) -> list[tuple[Optional[str], Optional[str]]]:
        """Title and text of the gold passages, in their order. Input `gold_texts`."""
        return self._table.gold_texts_[self._row]

    @property
    def passages(self) -> list[Passage]:
        """The retrieved passages whose text is known, best first. Input `passages`."""
        return self._table.passages[self._row]

    @property
    def hits(self) -> Optional[list[Hit]]:
        """All hits, best first; None when there is no ranking. Input `hits`."""
        return self._table.hits[self._row]

    @property
    def cited_passages(self) -> Optional[list[Passage]]:
        """The citations of the prediction; None when there is none. Input `cited_passages`."""
        return self._table.cited_passages[self._row]

    @property
    def grades(self) -> Optional[list[Optional[int]]]:
        """The grade of each hit, None for an unjudged one. Input `grades`."""
        return self._table.grades[self._row]

    @property
    def ideal_grades(self) -> Optional[list[int]]:
        """The grades of a perfect ranking. Input `grades`."""
        return self._table.ideal_grades[self._row]

    def column(self, name: str) -> Any:
        """The value of a column of the dataset, None where there is none. Input `columns.NAME`."""
        return self._table.json("columns." + name)[self._row]


def cases(batch: pa.RecordBatch) -> list[Case]:
    """The cases of a batch. A column is converted when it is first read, for all cases at once."""
    return _Table(batch).cases()


class _Table:
    """The columns of a batch as lists, each made when it is first asked for."""

    def __init__(self, batch: pa.RecordBatch):
        self._batch = batch
        self._json: dict[str, list] = {}
        self.rows: int = batch.num_rows

    def cases(self) -> list[Case]:
        # Not kept here: cases hold their table, and a circle would live until garbage is collected.
        return [Case(self, row) for row in range(self.rows)]

    def column(self, name: str) -> list:
        index = self._batch.schema.get_field_index(name)
        if index < 0:
            have = _listed(self._batch.schema.names)
            raise PluginError(f"the batch has no column `{name}`, only {have}: name what is read in `inputs`")
        return _list(self._batch.column(index))

    def json(self, name: str) -> list:
        if name not in self._json:
            texts = self.column(name)
            self._json[name] = [None if text is None else json.loads(text) for text in texts]
        return self._json[name]

    def __getattr__(self, name: str) -> list:
        made = _MADE.get(name)
        values = self.column(name) if made is None else made(self)
        setattr(self, name, values)
        return values


def _rows_of(make: Callable, *columns: str) -> Callable[[_Table], list]:
    """For each row a list with what is made of the items at one place of each column, or None."""

    def read(table: _Table) -> list:
        rows = zip(*(table.column(name) for name in columns))
        return [None if row[0] is None else [make(*items) for items in zip(*row)] for row in rows]

    return read


def _pair(first: Any, second: Any) -> tuple:
    return (first, second)


_MADE: dict[str, Callable[[_Table], list]] = {
    "answer": lambda table: [text or "" for text in table.prediction],
    "history": _rows_of(_pair, "history_questions", "history_answers"),
    "gold_texts_": _rows_of(_pair, "gold_titles", "gold_texts"),
    "passages": _rows_of(Passage, "passage_ids", "passage_titles", "passage_texts"),
    "cited_passages": _rows_of(Passage, "cited_ids", "cited_titles", "cited_texts"),
    "hits": _rows_of(Hit, "hit_ids", "hit_scores"),
}


def _list(array: pa.Array) -> list:
    """The values of an array. Lists are cut from one list of all items, which is much faster."""
    if not pa.types.is_list(array.type):
        return array.to_pylist()
    offsets = array.offsets.to_pylist()
    start = offsets[0] if offsets else 0
    items = array.values.slice(start, (offsets[-1] if offsets else 0) - start).to_pylist()
    rows = [items[a - start : b - start] for a, b in zip(offsets, offsets[1:])]
    if array.null_count:
        rows = [row if valid else None for row, valid in zip(rows, array.is_valid().to_pylist())]
    return rows


# Parameters of metrics, and options of the plugin.


class _Parameter:
    """A keyword-only argument of a function of the plugin."""

    TYPES = {int: "integer", float: "number", str: "text"}

    def __init__(self, owner: Callable, parameter: inspect.Parameter):
        self.name = parameter.name
        self.required = parameter.default is inspect.Parameter.empty
        self.default = None if self.required else parameter.default
        self.range = Range()
        self.summary = ""
        self.values: Optional[list] = None
        kind = parameter.annotation
        if isinstance(kind, str):
            kind = eval(kind, getattr(owner, "__globals__", {}))
        if typing.get_origin(kind) is typing.Annotated:
            for note in kind.__metadata__:
                if isinstance(note, Range):
                    self.range = note
                elif isinstance(note, str):
                    self.summary = note
            kind = typing.get_args(kind)[0]
        if kind is inspect.Parameter.empty and not self.required:
            kind = type(self.default)
        if typing.get_origin(kind) is typing.Literal:
            self.values = list(typing.get_args(kind))
        self.kind = kind

    @property
    def type(self) -> Optional[str]:
        """The type by its name in the interface; None where the interface has none."""
        if self.values is not None:
            return "choice" if all(isinstance(value, str) for value in self.values) else None
        return self.TYPES.get(self.kind)

    def descriptor(self) -> dict:
        described = {"name": self.name, "summary": self.summary, "type": self.type}
        if self.values is not None:
            described["values"] = self.values
        elif self.type != "text":
            described["min"], described["max"] = (None if end is None else self.kind(end) for end in self.range)
        described["default"] = self.check(self.default)
        return described

    def expected(self) -> str:
        if self.values is not None:
            return f"one of {_listed(self.values)}"
        names = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
        return names.get(self.kind, getattr(self.kind, "__name__", str(self.kind))) + _range_text(self.range)

    def check(self, value: Any) -> Any:
        """The value in the type that the function expects."""
        right = True
        if self.values is not None:
            right = value in self.values
        elif self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        elif isinstance(self.kind, type):
            right = isinstance(value, self.kind) and (self.kind is bool or not isinstance(value, bool))
        if right and self.kind in (int, float):
            right = math.isfinite(value) and _inside(value, self.range)
        if not right:
            raise Refused(f"`{self.name}` is `{value}`, expected {self.expected()}")
        return value

    def parse(self, text: str) -> Any:
        if self.kind in (int, float):
            try:
                return self.check(self.kind(text))
            except ValueError:
                raise Refused(f"`{self.name}` is `{text}`, expected {self.expected()}") from None
        return self.check(text)


def _keyword_parameters(function: Callable) -> dict[str, _Parameter]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name: _Parameter(function, p) for p in parameters if p.kind is p.KEYWORD_ONLY}


def _given(parameters: Mapping[str, _Parameter], values: Mapping[str, Any], what: str) -> dict[str, Any]:
    """A value for each parameter: the given one, checked, or the default."""
    for name in values:
        if name not in parameters:
            known = f"expected one of {_listed(parameters)}" if parameters else "there is none"
            raise Refused(f"{what} `{name}` is not known, {known}")
    checked = {}
    for name, parameter in parameters.items():
        if name in values:
            checked[name] = parameter.check(values[name])
        elif parameter.required:
            raise Refused(f"{what} `{name}` is missing")
        else:
            checked[name] = parameter.default
    return checked


# The components of a plugin.


class Metric:
    """A metric. It can be called like the function that it was made of."""

    def __init__(self, function: Callable, **settings: Any):
        functools.update_wrapper(self, function)
        self.function = function
        self.name: str = settings["name"] or function.__name__
        self.version: str = settings["version"]
        self.summary: str = settings["summary"] or _summary(function)
        self.range = Range(*settings["range"])
        self.higher_is_better: bool = settings["higher_is_better"]
        self.subject: str = settings["subject"]
        self.inputs: Sequence[str] = settings["inputs"]
        self.statistics: dict[str, str] = dict(settings["statistics"] or {})
        self.batch: bool = settings["batch"]
        self.parameters = _keyword_parameters(function)
        self._finish: Optional[Callable] = None
        self._finish_batch = False
        self._check()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def finish(self, function: Optional[Callable] = None, *, batch: bool = False) -> Callable:
        """The function that makes one number of the merged statistics of a group of examples.

        It gets a `Merged`, and those parameters of the metric that it has as keyword-only arguments.
        With `batch` it gets the record batch with a row for each group, and gives an array.
        """

        def register(function: Callable) -> Callable:
            unknown = [name for name in _keyword_parameters(function) if name not in self.parameters]
            if unknown:
                raise TypeError(f"`{unknown[0]}` is no parameter of the metric `{self.name}`")
            self._finish, self._finish_batch = function, batch
            return function

        return register if function is None else register(function)

    def descriptor(self) -> dict:
        if self.statistics and self._finish is None:
            raise TypeError(f"the metric `{self.name}` has statistics, and no function `@{self.name}.finish`")
        described = {
            "name": self.name,
            "summary": self.summary,
            "version": self.version,
            "min": None if self.range.low is None else float(self.range.low),
            "max": None if self.range.high is None else float(self.range.high),
            "higher_is_better": self.higher_is_better,
            "subject": self.subject,
            "estimator": "pooled" if self.statistics else "mean",
            "parameters": [parameter.descriptor() for parameter in self.parameters.values()],
        }
        if self.statistics:
            described["statistics"] = [{"name": name, "merge": merge} for name, merge in self.statistics.items()]
        return described

    def _check(self) -> None:
        name = f"the metric `{self.name}`"
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{name} must be named with a letter, then letters, digits, `_` and `-`")
        if self.subject not in ("answer", "retrieval"):
            raise ValueError(f"{name} has the subject `{self.subject}`, expected `answer` or `retrieval`")
        for wanted in self.inputs:
            if wanted not in _INPUTS and not re.fullmatch(r"columns\..+", wanted):
                known = _listed([*_INPUTS, "columns.NAME"])
                raise ValueError(f"{name} reads `{wanted}`, which is no input, expected one of {known}")
        for statistic, merge in self.statistics.items():
            if merge not in _MERGES:
                raise ValueError(f"{name} merges `{statistic}` by `{merge}`, expected one of {_listed(_MERGES)}")
            if not _NAME.fullmatch(statistic) or statistic in _TAKEN:
                raise ValueError(f"{name} cannot have a statistic of the name `{statistic}`")
        for parameter in self.parameters.values():
            if parameter.required:
                raise TypeError(f"the parameter `{parameter.name}` of {name} needs a default")
            if parameter.type is None:
                types = "int, float, str or Literal of texts"
                raise TypeError(f"the parameter `{parameter.name}` of {name} has a type that is not {types}")
            try:
                parameter.check(parameter.default)
            except Refused as refused:
                raise ValueError(f"the default of {name} is wrong: {refused}") from None
            if parameter.type in ("text", "choice") and any(
                set(",()=") & set(value) for value in parameter.values or [parameter.default]
            ):
                raise ValueError(f"the parameter `{parameter.name}` of {name} must be without `,`, `(`, `)` and `=`")


# Names of other columns that stand beside the statistics of a metric.
_TAKEN = ("metric", "n", "unscored", "reason", "values", "labels", "texts")


class _Function(NamedTuple):
    """A normalizer, a retriever or a reader."""

    function: Callable
    name: str
    version: str
    summary: str
    batch: bool
    examples: Sequence[tuple[str, str]]


class Plugin:
    """A plugin: what it is called, and the functions that it offers."""

    def __init__(self, name: str, version: str, summary: str, *, authors: str = ""):
        self.name = name
        self.version = version
        self.summary = summary
        self.authors = authors
        self.state: Any = None
        """What the function with `@plugin.setup` has returned."""
        self._metrics: dict[str, Metric] = {}
        self._normalizers: dict[str, _Function] = {}
        self._retriever: Optional[_Function] = None
        self._reader: Optional[_Function] = None
        self._setup: Optional[Callable] = None
        self._examples: list[dict] = []

    def metric(
        self,
        function: Optional[Callable] = None,
        *,
        name: Optional[str] = None,
        version: str = "1",
        summary: Optional[str] = None,
        range: tuple[Optional[float], Optional[float]] = (0, 1),
        higher_is_better: bool = True,
        subject: str = "answer",
        inputs: Sequence[str] = ("prediction", "references"),
        statistics: Optional[Mapping[str, str]] = None,
        batch: bool = False,
    ) -> Any:
        """Makes a metric of a function of a case.

        The function gives a number, `None`, an `Unscored` or a `Score`; with `statistics` (name to
        `sum`, `min`, `max` or `list`) also a pair of a number and a dict of the statistics. Its
        keyword-only arguments are the parameters that users can write. With `batch` it gets the
        `pyarrow.RecordBatch` and gives an array, or a list of what a function of a case gives; with
        `statistics` also a pair of an array and a dict of arrays.
        """
        settings = dict(locals())
        for mine in ("self", "function"):
            del settings[mine]

        def register(function: Callable) -> Metric:
            metric = Metric(function, **settings)
            return self._add(self._metrics, "metric", metric)

        return register if function is None else register(function)

    def normalizer(
        self,
        function: Optional[Callable] = None,
        *,
        name: Optional[str] = None,
        version: str = "1",
        summary: Optional[str] = None,
        examples: Sequence[tuple[str, str]] = (),
        batch: bool = False,
    ) -> Any:
        """Makes a normalizer of a function of a text; with `batch` of a `pyarrow.StringArray`.

        `examples` are pairs of a text and what is made of it.
        """

        def register(function: Callable) -> Callable:
            made = _Function(
                function, name or function.__name__, version, summary or _summary(function), batch, examples
            )
            if not _NAME.fullmatch(made.name):
                raise ValueError(f"the normalizer `{made.name}` must be named with a letter, then letters, digits, `_`")
            self._add(self._normalizers, "normalizer", made)
            return function

        return register if function is None else register(function)

    def retriever(self, function: Optional[Callable] = None, *, summary: Optional[str] = None, batch: bool = False):
        """Makes the retriever of a function of a `Query` and the depth.

        It gives pairs of a passage's id and its score, at most as many as the depth; `None` where it
        has nothing for this question. With `batch` it gets a list of queries, and gives such a list
        for each.
        """

        def register(function: Callable) -> Callable:
            self._retriever = self._only(self._retriever, "retriever", function, summary, batch)
            return function

        return register if function is None else register(function)

    def reader(self, function: Optional[Callable] = None, *, summary: Optional[str] = None, batch: bool = False):
        """Makes the reader of a function of a `Request`.

        It gives an `Answer`, or its text alone; `None` where it has nothing for this example. With
        `batch` it gets a list of requests, and gives one of these for each.
        """

        def register(function: Callable) -> Callable:
            self._reader = self._only(self._reader, "reader", function, summary, batch)
            return function

        return register if function is None else register(function)

    def setup(self, function: Callable) -> Callable:
        """Makes this function be called once before the first batch; what it returns is `state`.

        Its keyword-only arguments are the options of the plugin, those without a default must be
        given. If it has a positional argument, it gets the whole setup of the interface.
        """
        if self._setup is not None:
            raise ValueError("there is a function for the setup already")
        self._setup = function
        return function

    def example(
        self,
        *,
        expected: Mapping[str, Optional[float]],
        question: Optional[str] = None,
        references: Sequence[str] = (),
        prediction: Optional[str] = None,
        citations: Optional[Sequence[str]] = None,
        context: Optional[str] = None,
        passages: Sequence[str] = (),
        columns: Optional[Mapping[str, Any]] = None,
    ) -> None:
        """Adds a worked example: a small case, and the score of each metric, None where there is none.

        Metrics are named as users do: `{"ratio": 1.0, "ratio(processor=default)": 1.0}`. `passages` are
        texts, whose ids are `p1`, `p2` and so on.
        """
        example: dict[str, Any] = {"metrics": list(expected), "expected": list(expected.values())}
        parts = {"question": question, "prediction": prediction, "citations": citations, "context": context}
        parts.update(references=list(references), passages=list(passages), columns=columns)
        example.update((name, part) for name, part in parts.items() if part)
        if prediction is not None:
            example["prediction"] = prediction
        self._examples.append(example)

    def descriptor(self) -> dict:
        """What the plugin says of itself."""
        retriever, reader = self._retriever, self._reader
        described = {
            "name": self.name,
            "version": self.version,
            "summary": self.summary,
            "authors": self.authors,
            "sdk": __version__,
            "thread_safe": False,
            "inputs": self.inputs,
            "metrics": [metric.descriptor() for metric in self._metrics.values()],
            "examples": self._examples,
            "normalizers": [
                {"name": n.name, "summary": n.summary, "version": n.version, "examples": [list(e) for e in n.examples]}
                for n in self._normalizers.values()
            ],
            "retriever": retriever and {"summary": retriever.summary},
            "reader": reader and {"summary": reader.summary},
        }
        if not (self._metrics or self._normalizers or retriever or reader):
            raise TypeError("the plugin offers nothing: no metric, normalizer, retriever or reader")
        for example in self._examples:
            for metric in example["metrics"]:
                self._column(metric)
        return described

    @property
    def inputs(self) -> list[str]:
        """What the metrics read, each once."""
        return list(dict.fromkeys(name for metric in self._metrics.values() for name in metric.inputs))

    def check(self, options: Optional[Mapping[str, Any]] = None) -> list[str]:
        """What is wrong with the plugin, a sentence for each problem. For tests: `assert not plugin.check()`."""
        return _Checker(self, dict(options or {})).problems()

    def run(self) -> None:
        """Serves qeval over stdin and stdout until stdin ends.

        With `--descriptor` it prints the descriptor, with `--check` it runs the worked examples; in a
        terminal it says what the plugin is.
        """
        argument = sys.argv[1] if len(sys.argv) in (2, 4) else ""
        if argument == "--descriptor":
            print(json.dumps(self.descriptor(), indent=2, ensure_ascii=False))
        elif argument == "--check":
            options = json.loads(sys.argv[3]) if sys.argv[2:3] == ["--options"] else {}
            sys.exit(_print_check(self, options))
        elif argument in ("--help", "-h") or (_streams is None and (os.isatty(0) or os.isatty(1))):
            print(_about(self))
        else:
            source, sink = _frame_streams()
            try:
                _serve(self, source, sink)
            except BrokenPipeError:
                sys.exit(1)

    def _add(self, those: dict, what: str, made: Any) -> Any:
        if made.name in those:
            raise ValueError(f"there are two {what}s of the name `{made.name}`")
        those[made.name] = made
        return made

    def _only(
        self, before: Optional[_Function], what: str, function: Callable, summary: Optional[str], batch: bool
    ) -> _Function:
        if before is not None:
            raise ValueError(f"there is a {what} already: a plugin offers one")
        return _Function(function, what, "1", summary or _summary(function), batch, ())

    def _column(self, text: str) -> _Column:
        """A metric with its parameters, as users write it."""
        name, _, rest = text.partition("(")
        metric = self._metrics.get(name)
        if metric is None:
            raise Refused(f"there is no metric `{name}`, expected one of {_listed(self._metrics)}")
        values = {}
        for pair in rest.rstrip(")").split(",") if rest else ():
            key, _, value = (part.strip() for part in pair.partition("="))
            parameter = metric.parameters.get(key)
            values[key] = value if parameter is None else parameter.parse(value)
        return _Column(text, metric, _given(metric.parameters, values, f"the parameter of `{name}`"))

    def _instance(self, setup: Mapping[str, Any]) -> Any:
        """What answers batches, for a setup."""
        component = setup.get("component")
        made: Any = None
        if component == "scorer" and self._metrics:
            made = _Scorer([self._named(metric) for metric in setup.get("metrics", [])])
        elif component == "normalizer" and self._normalizers:
            name = setup.get("name")
            if name not in self._normalizers:
                raise Refused(f"there is no normalizer `{name}`, expected one of {_listed(self._normalizers)}")
            made = _Normalizer(self._normalizers[name])
        elif component == "retriever" and self._retriever:
            depth = setup.get("depth")
            if not isinstance(depth, int) or depth < 1:
                expected = "expected a whole number above 0"
                raise PluginError(f"the setup of the retriever has the depth `{depth}`, {expected}")
            made = _Retriever(self._retriever, depth)
        elif component == "reader" and self._reader:
            made = _Reader(self._reader)
        else:
            offered = {"scorer": self._metrics, "normalizer": self._normalizers}
            offered.update(retriever=self._retriever, reader=self._reader)
            names = _listed(name for name, there in offered.items() if there)
            raise PluginError(f"the setup is for the component `{component}`, and the plugin offers {names}")
        self._call_setup(setup)
        return made

    def _named(self, wanted: Mapping[str, Any]) -> _Column:
        metric = self._metrics.get(wanted["name"])
        if metric is None:
            raise Refused(f"there is no metric `{wanted['name']}`, expected one of {_listed(self._metrics)}")
        values = wanted.get("parameters") or {}
        return _Column(wanted["column"], metric, _given(metric.parameters, values, f"the parameter of `{metric.name}`"))

    def _call_setup(self, setup: Mapping[str, Any]) -> None:
        options = setup.get("options") or {}
        if self._setup is None:
            _given({}, options, "the option")
            return
        parameters = inspect.signature(self._setup).parameters.values()
        if not any(p.kind is p.VAR_KEYWORD for p in parameters):
            options = _given(_keyword_parameters(self._setup), options, "the option")
        positional = any(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
        self.state = self._setup(*([setup] if positional else []), **options)


class _Column(NamedTuple):
    """A metric of a setup, with its name in the answer and a value for each parameter."""

    name: str
    metric: Metric
    parameters: dict[str, Any]


class _Scorer:
    def __init__(self, columns: list[_Column]):
        self._columns = columns
        self._told: set[str] = set()

    def call(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        answer: dict[str, pa.Array] = {}
        table = _Table(batch)
        by_case = any(not column.metric.batch for column in self._columns)
        rows = table.cases() if by_case else []
        for column in self._columns:
            metric = column.metric
            if metric.batch:
                results = metric.function(batch, **column.parameters)
            else:
                results = self._each(column, rows)
            answer.update(_scores(column, results, table))
        return answer

    def finish(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        table = _Table(batch)
        if not batch.num_rows:
            return {"value": pa.array([], pa.float64())}
        name = table.metric[0]
        column = next((column for column in self._columns if column.name == name), None)
        if column is None or column.metric._finish is None:
            raise PluginError(f"the statistics are of `{name}`, which is no pooled metric of the setup")
        function = column.metric._finish
        mine = {key: column.parameters[key] for key in _keyword_parameters(function)}
        if column.metric._finish_batch:
            values = _array(function(batch, **mine), f"what finishes `{name}`", batch.num_rows)
            return {"value": values}
        merges = {statistic: table.column(statistic) for statistic in column.metric.statistics}
        values = []
        for row, n in enumerate(table.n):
            merged = Merged((statistic, values[row]) for statistic, values in merges.items())
            merged.n = n
            value = function(merged, **mine)
            values.append(None if value is None or isinstance(value, Unscored) else float(value))
        return {"value": pa.array(values, pa.float64())}

    def _each(self, column: _Column, rows: list[Case]) -> list:
        function, parameters = column.metric.function, column.parameters
        results = []
        add = results.append
        for case in rows:
            try:
                add(function(case, **parameters))
            except MemoryError:
                raise
            except Refused as refused:
                add(Unscored("failed", _short(str(refused))))
            except PluginError:
                raise
            except Exception as error:
                # The whole story once, so that a mistake in each of a million cases does not fill the log.
                if column.name not in self._told:
                    self._told.add(column.name)
                    traceback.print_exc(file=sys.stderr)
                add(Unscored("failed", _said(error)))
        return results


def _scores(column: _Column, results: Any, table: _Table) -> dict[str, pa.Array]:
    """The columns of the answer for what a metric gave."""
    name, statistics, count = column.name, column.metric.statistics, table.rows
    if isinstance(results, tuple) and statistics and len(results) == 2 and isinstance(results[1], Mapping):
        values, given = results
        _all_there(name, statistics, given)
        answer = {name: _array(values, f"`{name}`", count)}
        for statistic in statistics:
            answer[f"{name}.{statistic}"] = _array(given[statistic], f"the statistic `{name}.{statistic}`", count)
        return answer
    if not isinstance(results, list):
        if statistics:
            raise PluginError(f"`{name}` is pooled and gave {_kind(results)}, expected a pair of scores and statistics")
        return {name: _array(results, f"`{name}`", count)}
    if len(results) != count:
        raise PluginError(f"`{name}` gave {len(results)} scores for {count} cases")
    if not statistics:
        try:
            return {name: pa.array(results, pa.float64(), from_pandas=False)}
        except (pa.ArrowException, TypeError, ValueError):
            pass  # Something in it is more than a number, or is none.
    return _detailed(column, results, table)


def _detailed(column: _Column, results: list, table: _Table) -> dict[str, pa.Array]:
    name, statistics = column.name, column.metric.statistics
    values, labels, reasons, parts = [], [], [], []
    kept: dict[str, list] = {statistic: [] for statistic in statistics}
    for result, example in zip(results, table.example_id):
        given: Optional[Mapping[str, float]] = None
        mine: Sequence[Part] = ()
        if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], Mapping):
            result, given = result
        elif isinstance(result, Score):
            given, mine, result = result.statistics, result.parts, result.value
        unscored = result if isinstance(result, Unscored) else None
        value = None if unscored or result is None else _number(result, f"`{name}` gave", example)
        if given is not None and not statistics:
            raise PluginError(f"`{name}` gave statistics, and none are declared")
        if value is not None and statistics:
            _all_there(name, statistics, given)
        for statistic, those in kept.items():
            what = f"the statistic `{name}.{statistic}` is"
            those.append(None if value is None else _number(given[statistic], what, example))
        values.append(value)
        labels.append(unscored.label if unscored else None)
        reasons.append(_short(unscored.reason) if unscored and unscored.reason else None)
        parts.append(mine)
    answer = {name: pa.array(values, pa.float64())}
    for statistic, those in kept.items():
        answer[f"{name}.{statistic}"] = pa.array(those, pa.float64())
    if any(labels):
        answer[f"{name}.unscored"] = pa.array(labels, pa.string())
        answer[f"{name}.reason"] = pa.array(reasons, pa.string())
    if any(parts):
        fields = (("values", pa.float64()), ("labels", pa.string()), ("texts", pa.string()))
        for place, (field, kind) in enumerate(fields):
            lists = [[part[place] for part in those] for those in parts]
            answer[f"{name}.{field}"] = pa.array(lists, pa.list_(kind))
    return answer


def _all_there(name: str, statistics: Mapping[str, str], given: Optional[Mapping[str, Any]]) -> None:
    if given is None or set(given) != set(statistics):
        got = "no statistics" if given is None else f"the statistics {_listed(given)}"
        raise PluginError(f"`{name}` gave {got}, expected {_listed(statistics)}")


def _number(value: Any, what: str, example: str) -> float:
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError):
        pass
    expected = "expected a number, None, Unscored or Score"
    raise PluginError(f"{what} {_kind(value)} for the example `{example}`, {expected}")


def _array(values: Any, what: str, rows: int) -> pa.Array:
    """Scores that were given as an array of some kind."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__"):
        raise PluginError(f"{what} gave {_kind(values)}, expected an array or a list with {rows} numbers")
    if len(values) != rows:
        raise PluginError(f"{what} gave {len(values)} values for {rows} rows")
    try:
        array = values if isinstance(values, pa.Array) else pa.array(values, from_pandas=False)
        kind = array.type
        if pa.types.is_boolean(kind):
            array = array.cast(pa.int8())
        elif not (pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)):
            raise PluginError(f"{what} gave an array of type {kind}, expected numbers")
        return array.cast(pa.float64())
    except pa.ArrowException as error:
        raise PluginError(f"{what} gave {_kind(values)}, which is no array of numbers: {error}") from None


class _Normalizer:
    def __init__(self, made: _Function):
        self._made = made

    def call(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        made, name = self._made, f"the normalizer `{self._made.name}`"
        texts = batch.column("text")
        given = made.function(texts) if made.batch else [made.function(text) for text in texts.to_pylist()]
        if isinstance(given, pa.ChunkedArray):
            given = given.combine_chunks()
        if not hasattr(given, "__len__") or len(given) != len(texts):
            count = len(given) if hasattr(given, "__len__") else _kind(given)
            raise PluginError(f"{name} gave {count} texts for {len(texts)}")
        try:
            array = (given if isinstance(given, pa.Array) else pa.array(given, pa.string())).cast(pa.string())
        except (pa.ArrowException, TypeError) as error:
            raise PluginError(f"{name} gave something that is no text: {error}") from None
        if array.null_count:
            raise PluginError(f"{name} gave no text for `{texts[array.is_null().to_pylist().index(True)]}`")
        return {"text": array}


class _Retriever:
    def __init__(self, made: _Function, depth: int):
        self._made = made
        self._depth = depth

    def call(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        table = _Table(batch)
        queries = [Query(*row) for row in zip(table.example_id, table.question, table.dataset)]
        results, failures = _each(self._made, queries, self._depth)
        ids: list = []
        scores: list = []
        for query, hits in enumerate(results):
            try:
                found = None if hits is None else [(str(hit[0]), float(hit[1])) for hit in hits]
                if found is not None and len(found) > self._depth:
                    raise Refused(f"the retriever gave {len(found)} hits, expected at most {self._depth}")
            except (TypeError, ValueError, IndexError, Refused) as error:
                found, failures[query] = None, _said(error)
            ids.append(None if found is None else [hit[0] for hit in found])
            scores.append(None if found is None else [hit[1] for hit in found])
        kinds = pa.list_(pa.string()), pa.list_(pa.float64())
        return _with_failures({"hit_ids": pa.array(ids, kinds[0]), "hit_scores": pa.array(scores, kinds[1])}, failures)


class _Reader:
    def __init__(self, made: _Function):
        self._made = made

    def call(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        table = _Table(batch)
        columns = (table.example_id, table.question, table.history, table.passages)
        results, failures = _each(self._made, [Request(*row) for row in zip(*columns)])
        answers = []
        for row, result in enumerate(results):
            if result is None or isinstance(result, str):
                result = Answer(result)
            elif not isinstance(result, Answer):
                failures[row] = f"the reader gave {_kind(result)}, expected an Answer, a text or None"
                result = Answer(None)
            answers.append(result)
        kinds = (pa.string(), pa.bool_(), pa.float64(), pa.list_(pa.string()))
        fields = zip(Answer._fields, kinds)
        answer = {name: pa.array([getattr(a, name) for a in answers], kind) for name, kind in fields}
        return _with_failures(answer, failures)


def _each(made: _Function, asked: list, *more: Any) -> tuple[list, list]:
    """What a retriever or reader gives, and why it failed, for each that it was asked."""
    failures: list[Optional[str]] = [None] * len(asked)
    if made.batch:
        results = list(made.function(asked, *more))
        if len(results) != len(asked):
            raise PluginError(f"the {made.name} gave {len(results)} results for {len(asked)} questions")
        return results, failures
    results = []
    for row, one in enumerate(asked):
        try:
            results.append(made.function(one, *more))
        except MemoryError:
            raise
        except Exception as error:
            if not isinstance(error, Refused):
                traceback.print_exc(file=sys.stderr)
            failures[row] = _said(error)
            results.append(None)
    return results, failures


def _with_failures(answer: dict[str, pa.Array], failures: list) -> dict[str, pa.Array]:
    if any(failure is not None for failure in failures):
        answer["failure"] = pa.array(failures, pa.string())
    return answer


# The frames.

# Length of the payload, number of the question, kind, and three zero bytes.
_HEADER = struct.Struct("<IIB3x")

_streams: Optional[tuple] = None
_greeted = False


def _frame_streams() -> tuple:
    """The streams for frames. Nobody else gets at them: from here on what is printed goes to stderr."""
    global _streams
    if _streams is None:
        _streams = (os.fdopen(os.dup(0), "rb", 1 << 18), os.fdopen(os.dup(1), "wb", 1 << 18))
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        # What was printed before and not yet written goes to stderr, too.
        sys.stdout.flush()
        sys.stdout = sys.stderr
        sys.stdin = open(os.devnull, encoding="utf-8")
    return _streams


def _serve(plugin: Plugin, source: Any, sink: Any) -> None:
    _send_hello(sink, plugin.descriptor())
    instance = None
    while True:
        header = source.read(_HEADER.size)
        if not header:
            return
        length, number, kind = _HEADER.unpack(header.ljust(_HEADER.size, b"\0"))
        payload = source.read(length)
        if len(header) < _HEADER.size or len(payload) < length:
            sys.exit("stdin ended inside a frame")
        try:
            if kind == SETUP:
                if instance is not None:
                    raise PluginError("there was a setup already")
                instance = plugin._instance(json.loads(payload))
                # A model that was loaded need not be looked through for garbage again and again, and the
                # objects of a batch, which are many and have no circles, not in its midst.
                gc.collect()
                gc.freeze()
                gc.set_threshold(50_000)
                _send(sink, READY, number, b"")
            elif kind in (BATCH, FINISH):
                if instance is None:
                    raise PluginError("a batch came before the setup")
                if kind == FINISH and not hasattr(instance, "finish"):
                    raise PluginError("only a scorer has statistics to finish")
                answer = (instance.call if kind == BATCH else instance.finish)(_read_batch(payload))
                _send(sink, ANSWER, number, _write_batch(answer))
            else:
                raise PluginError(f"a frame of kind {kind} came, expected {SETUP}, {BATCH} or {FINISH}")
        except PluginError as error:
            _send_failure(sink, number, error.kind, error)
        except MemoryError as error:
            _send_failure(sink, number, "memory", error)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            _send_failure(sink, number, "crash", error)


def _send_failure(sink: Any, number: int, kind: str, error: Exception) -> None:
    _send(sink, FAILURE, number, json.dumps({"kind": kind, "message": _said(error)}).encode())


def _send_hello(sink: Any, descriptor: dict) -> None:
    global _greeted
    _greeted = True
    payload = json.dumps({"interface": INTERFACE, "descriptor": descriptor}).encode()
    if len(payload) > _MOST_DESCRIPTOR:
        error = {"error": f"the descriptor has {len(payload)} bytes, expected at most {_MOST_DESCRIPTOR}"}
        payload = json.dumps({"interface": INTERFACE, "descriptor": error}).encode()
    _send(sink, HELLO, 0, payload)


def _send(sink: Any, kind: int, number: int, payload: Any) -> None:
    if len(payload) > _MOST_PAYLOAD:
        raise PluginError(f"the answer has {len(payload)} bytes, expected at most {_MOST_PAYLOAD}")
    sink.write(_HEADER.pack(len(payload), number, kind))
    sink.write(payload)
    sink.flush()


def _read_batch(payload: bytes) -> pa.RecordBatch:
    try:
        # Threads cost more than they gain for one batch.
        with pa.ipc.open_stream(payload, options=pa.ipc.IpcReadOptions(use_threads=False)) as stream:
            return stream.read_next_batch()
    except (pa.ArrowException, StopIteration, OSError) as error:
        raise PluginError(f"the batch cannot be read: {error}") from None


def _write_batch(columns: Mapping[str, pa.Array]) -> memoryview:
    batch = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(use_threads=False)) as stream:
        stream.write_batch(batch)
    return memoryview(sink.getvalue())


# Words for people.


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "nothing"


def _summary(function: Callable) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0].rstrip(".")


def _kind(value: Any) -> str:
    return "None" if value is None else f"{type(value).__name__} {_short(repr(value), 60)}"


def _inside(value: float, ends: Range) -> bool:
    return (ends.low is None or value >= ends.low) and (ends.high is None or value <= ends.high)


def _range_text(ends: Range) -> str:
    if ends.low is None and ends.high is None:
        return ""
    if ends.high is None:
        return f" from {ends.low}"
    return f" up to {ends.high}" if ends.low is None else f" from {ends.low} to {ends.high}"


def _short(text: str, most: int = 500) -> str:
    """A text that can be written as UTF-8, cut where it is too long."""
    text = text if len(text) <= most else text[:most] + "..."
    return text.encode("utf-8", "replace").decode()


def _said(error: BaseException) -> str:
    """What an exception says, and the place in the code that it comes from."""
    if isinstance(error, PluginError):
        return _short(str(error), 2000)
    place, at = "", error.__traceback__
    while at is not None:
        code = at.tb_frame.f_code
        place = f" ({os.path.basename(code.co_filename)}:{at.tb_lineno}, in {code.co_name})"
        at = at.tb_next
    message = _short(str(error))
    return type(error).__name__ + (f": {message}" if message else "") + place


def _about(plugin: Plugin) -> str:
    described = plugin.descriptor()
    lines = [f"{plugin.name} {plugin.version}: {plugin.summary}", ""]
    lines += ["This is a plugin for qeval, which starts it.", ""]
    for metric in described["metrics"]:
        parameters = ", ".join(f"{p['name']}={p['default']}" for p in metric["parameters"])
        lines.append(f"metric {metric['name']}{f'({parameters})' if parameters else ''}: {metric['summary']}")
    lines += [f"normalizer {made['name']}: {made['summary']}" for made in described["normalizers"]]
    lines += [f"{what}: {described[what]['summary']}" for what in ("retriever", "reader") if described[what]]
    lines += ["", "--check       runs its worked examples", "--descriptor  prints what it says of itself, as JSON"]
    return "\n".join(lines)


# The check of an author.


class _Checker:
    """Runs worked examples, odd texts and an empty batch."""

    ODD_TEXTS = ("", " ", "\n\t", "0", "a" * 100_000, "ÄÖÜ ß İ ﬁ", "日本語 العربية", "👩‍👩‍👧 e\u0301", "\0", "(()")

    def __init__(self, plugin: Plugin, options: dict[str, Any]):
        self._plugin = plugin
        self._options = options
        self._found: list[str] = []
        self.values = 0

    def problems(self) -> list[str]:
        try:
            self._plugin.descriptor()
            if self._plugin._metrics:
                self._metrics()
            for made in self._plugin._normalizers.values():
                self._normalizer(made)
            for component in ("retriever", "reader"):
                if getattr(self._plugin, "_" + component):
                    self._plugin._instance({"component": component, "options": self._options, "depth": 10})
        except Exception as error:
            self._found.append(_said(error))
        return self._found

    def _metrics(self) -> None:
        plugin, examples = self._plugin, self._plugin._examples
        columns = {name: plugin._column(name) for name in plugin._metrics}
        for example in examples:
            columns.update((name, plugin._column(name)) for name in example["metrics"])
        plugin._call_setup({"component": "scorer", "options": self._options})
        scorer = _Scorer(list(columns.values()))
        if not examples:
            self._found.append("there is no worked example")
        alone = [self._call(scorer, [example], f"example {i}") for i, example in enumerate(examples, 1)]
        together = self._call(scorer, examples, "all examples together")
        self._call(scorer, [], "an empty batch")
        for i, (example, answer) in enumerate(zip(examples, alone)):
            for name, expected in zip(example["metrics"], example["expected"]):
                self.values += 1
                value = answer[name][0].as_py() if answer else None
                reason = answer[f"{name}.reason"][0].as_py() if answer and f"{name}.reason" in answer else None
                if (value is None) != (expected is None) or (value and abs(value - expected) > _TOLERANCE):
                    got = f"unscored ({reason})" if value is None else value
                    self._found.append(f"example {i + 1}: `{name}` is {got}, expected {expected}")
                elif together and together[name][i].as_py() != value:
                    self._found.append(f"example {i + 1}: `{name}` is another in a batch with others")
        self._odd(scorer, columns)
        if together and examples:
            self._finish(scorer, columns, together)

    def _odd(self, scorer: _Scorer, columns: dict[str, _Column]) -> None:
        odd = [{"references": ["a"]}, {"prediction": "a"}]
        for text in self.ODD_TEXTS:
            parts = {"question": text, "context": text, "passages": [text], "prediction": text, "references": [text]}
            odd += [{**parts, "references": ["a"]}, {**parts, "prediction": "a"}, parts]
        for example in odd:
            what = "the case " + _short(", ".join(f"{k}={v!r}" for k, v in example.items()), 100)
            answer = self._call(scorer, [example], what)
            for name in columns if answer else ():
                labels = answer.get(f"{name}.unscored")
                if labels is not None and labels[0].as_py() == "failed":
                    self._found.append(f"{what}: `{name}` failed: {answer[f'{name}.reason'][0]}")

    def _call(self, scorer: _Scorer, examples: list[dict], what: str) -> Optional[dict[str, pa.Array]]:
        try:
            answer = scorer.call(_example_batch(self._plugin.inputs, examples))
        except Exception as error:
            self._found.append(f"{what}: {_said(error)}")
            return None
        for column in scorer._columns:
            for value in answer[column.name].to_pylist():
                if value is not None and not (math.isfinite(value) and _inside(value, column.metric.range)):
                    ends = _range_text(column.metric.range)
                    self._found.append(f"{what}: `{column.name}` is {value}, expected a finite number{ends}")
        return answer

    def _finish(self, scorer: _Scorer, columns: dict[str, _Column], answer: dict[str, pa.Array]) -> None:
        merges = {"sum": sum, "min": min, "max": max, "list": list}
        for name, column in columns.items():
            there = [value is not None for value in answer[name].to_pylist()]
            if not column.metric.statistics or not any(there):
                continue
            row: dict[str, pa.Array] = {"metric": pa.array([name]), "n": pa.array([sum(there)], pa.int64())}
            for statistic, merge in column.metric.statistics.items():
                values = [v for v in answer[f"{name}.{statistic}"].to_pylist() if v is not None]
                kind = pa.list_(pa.float64()) if merge == "list" else pa.float64()
                row[statistic] = pa.array([merges[merge](values)], kind)
            try:
                scorer.finish(pa.RecordBatch.from_arrays(list(row.values()), names=list(row)))
            except Exception as error:
                self._found.append(f"what finishes `{name}`: {_said(error)}")

    def _normalizer(self, made: _Function) -> None:
        texts = [text for text, _ in made.examples]
        setup = {"component": "normalizer", "options": self._options, "name": made.name}
        normalizer = self._plugin._instance(setup)
        batch = pa.RecordBatch.from_arrays([pa.array([*texts, *self.ODD_TEXTS], pa.string())], names=["text"])
        given = normalizer.call(batch)["text"].to_pylist()
        for (text, expected), got in zip(made.examples, given):
            self.values += 1
            if got != expected:
                self._found.append(f"the normalizer `{made.name}` makes {got!r} of {text!r}, expected {expected!r}")


def _print_check(plugin: Plugin, options: dict[str, Any]) -> int:
    checker = _Checker(plugin, options)
    problems = checker.problems()
    print(f"{plugin.name} {plugin.version}: {checker.values} expected values, {len(problems)} problems")
    for problem in problems:
        print(f"- {problem}")
    return 1 if problems else 0


def _example_batch(inputs: Sequence[str], examples: list[dict]) -> pa.RecordBatch:
    """The cases of worked examples, as qeval would send them."""
    texts, words = pa.list_(pa.string()), pa.string()
    ids = [[f"p{i}" for i, _ in enumerate(e.get("passages", ()), 1)] for e in examples]
    found = [dict(zip(names, e.get("passages", ()))) for names, e in zip(ids, examples)]
    cited = [list(e.get("citations") or ()) if "prediction" in e else None for e in examples]

    def each(read: Callable[[dict], Any], kind: pa.DataType) -> pa.Array:
        return pa.array([read(e) for e in examples], kind)

    def of_cited(read: Callable[[dict, str], Any]) -> pa.Array:
        rows = zip(found, cited)
        return pa.array([None if c is None else [read(f, i) for i in c] for f, c in rows], texts)

    none = [[] for _ in examples]
    known: dict[str, Callable[[], dict[str, pa.Array]]] = {
        "question": lambda: {"question": each(lambda e: e.get("question", ""), words)},
        "prediction": lambda: {
            "prediction": each(lambda e: e.get("prediction"), words),
            "abstained": each(lambda e: False if "prediction" in e else None, pa.bool_()),
            "confidence": pa.nulls(len(examples), pa.float64()),
            "citations": pa.array(cited, texts),
        },
        "references": lambda: {"references": each(lambda e: e.get("references", []), texts)},
        "context": lambda: {"context": each(lambda e: e.get("context"), words)},
        "history": lambda: {"history_questions": pa.array(none, texts), "history_answers": pa.array(none, texts)},
        "gold_passages": lambda: {"gold_passages": pa.array(none, texts)},
        "passages": lambda: {
            "passage_ids": pa.array(ids, texts),
            "passage_titles": pa.array([[""] * len(names) for names in ids], texts),
            "passage_texts": each(lambda e: e.get("passages", []), texts),
        },
        "hits": lambda: {
            "hit_ids": pa.array(ids, texts),
            "hit_scores": pa.array([[1 / (i + 1) for i in range(len(n))] for n in ids], pa.list_(pa.float64())),
        },
        "cited_passages": lambda: {
            "cited_ids": pa.array(cited, texts),
            "cited_titles": of_cited(lambda f, i: "" if i in f else None),
            "cited_texts": of_cited(lambda f, i: f.get(i)),
        },
        "gold_texts": lambda: {"gold_titles": pa.array(none, texts), "gold_texts": pa.array(none, texts)},
        "grades": lambda: {
            "grades": pa.nulls(len(examples), pa.list_(pa.int32())),
            "ideal_grades": pa.nulls(len(examples), pa.list_(pa.int32())),
        },
    }
    columns = {"example_id": pa.array([f"example-{i}" for i, _ in enumerate(examples, 1)], words)}
    for name in inputs:
        prefix, _, column = name.partition(".")
        if prefix == "columns" and column:
            values = [(e.get("columns") or {}).get(column) for e in examples]
            columns[name] = pa.array([None if v is None else json.dumps(v) for v in values], words)
        else:
            columns.update(known[name]())
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def main() -> None:
    """`python -m qeval_plugin PLUGIN.py`: keeps stdout clean while the plugin's imports print to it."""
    if len(sys.argv) < 2:
        sys.exit("python -m qeval_plugin PLUGIN.py: starts a plugin; what its imports print on stdout goes to stderr")
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    if sys.argv[1:2] in (["--check"], ["--descriptor"], ["--help"], ["-h"]) or os.isatty(0) or os.isatty(1):
        runpy.run_path(sys.argv[0], run_name="__main__")
        return
    _, sink = _frame_streams()
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        if not _greeted:
            _send_hello(sink, {"error": _said(error)})
        sys.exit(1)


if __name__ == "__main__":
    # The plugin imports this module by its name, so that must be the one that holds the streams.
    import qeval_plugin

    qeval_plugin.main()
