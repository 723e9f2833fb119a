"""A plugin with one of everything that the interface has."""

from __future__ import annotations

from typing import Annotated, Literal

import pyarrow.compute as pc
from qeval_plugin import (
    Answer,
    Case,
    Merged,
    Part,
    Plugin,
    Query,
    Range,
    Refused,
    Request,
    Score,
    Unscored,
)

plugin = Plugin("everything", "1.2.3", "One of everything", authors="A. Author")


@plugin.setup
def load(setup, *, word: str, size: int = 3, ratio: Annotated[float, Range(0, 1)] = 0.5, deep: bool = False):
    if word == "missing":
        raise FileNotFoundError("no such file: missing")
    if word == "refused":
        raise Refused("the word must not be `refused`")
    return {"word": word, "size": size, "ratio": ratio, "deep": deep, "component": setup["component"]}


@plugin.metric(inputs=["prediction", "references", "question"])
def share(
    case: Case,
    *,
    which: Literal["best", "first"] = "best",
    weight: Annotated[float, Range(0, 1), "what a shared word is worth"] = 1.0,
    least: Annotated[int, Range(1, None)] = 1,
    cut: str = "",
):
    """The share of words of a reference that the answer has.

    More of it.
    """
    if not case.references:
        return Unscored("no reference")
    if case.answer == "skip":
        return Unscored("not applicable", "it is to be skipped")
    if case.answer == "none":
        return None
    words = set(case.answer.split(cut or None))
    if len(words) < least:
        return 0
    wanted = [set(text.split()) for text in case.references[: 1 if which == "first" else None]]
    return max(weight * len(words & those) / max(1, len(those)) for those in wanted)


@plugin.metric(name="claims", range=(None, None), higher_is_better=False)
def in_parts(case):
    """How many sentences there are"""
    parts = [Part(float(len(text)), "long" if len(text) > 3 else None, text) for text in case.answer.split(".") if text]
    return Score(len(parts), parts) if parts else Score(Unscored("low agreement", "no part"))


@plugin.metric(batch=True, range=(0, None))
def length(batch):
    """Characters of the answer"""
    return pc.fill_null(pc.utf8_length(batch["prediction"]), 0)


@plugin.metric(statistics={"matches": "sum", "length": "sum", "all": "list"})
def overlap(case, *, base: float = 1.0):
    """Words of the answer that are in a reference"""
    words = case.answer.split()
    known = {word for text in case.references for word in text.split()}
    matches = sum(word in known for word in words)
    if not words:
        return Unscored("not applicable", "no word")
    return matches / len(words), {"matches": matches, "length": len(words), "all": matches}


@overlap.finish
def total(merged: Merged, *, base):
    assert len(merged["all"]) == merged.n
    return base * merged["matches"] / merged["length"] if merged["length"] else None


@plugin.metric(statistics={"high": "max"}, batch=True, range=(0, None))
def longest(batch):
    """The longest answer"""
    lengths = pc.utf8_length(batch["prediction"])
    return lengths, {"high": lengths}


@longest.finish(batch=True)
def _(batch):
    return batch["high"]


@plugin.normalizer(examples=[("Ä b", "ä b")])
def lower(text):
    """Lower case"""
    return text.lower()


@plugin.normalizer(name="lower-all", version="2", batch=True, examples=[("Ä b", "ä b")])
def lower_all(texts):
    """Lower case, all at once"""
    return pc.utf8_lower(texts)


@plugin.retriever
def find(query: Query, depth: int):
    """Finds what the question says"""
    if query.question == "nothing known":
        return None
    if query.question == "raise":
        raise LookupError("the index is broken")
    if query.question == "many":
        return [("p", 1.0)] * (depth + 1)
    return [(word, 1 / place) for place, word in enumerate(query.question.split()[:depth], 1)]


@plugin.reader
def read(request: Request):
    """Reads the first passage"""
    if request.question == "raise":
        raise ValueError("cannot read")
    if request.question == "number":
        return 5
    if not request.passages:
        return None if not request.history else f"as I said: {request.history[-1][1]}"
    first = request.passages[0]
    return Answer(plugin.state["word"] + " " + first.text, False, 0.5, [first.id])


plugin.example(prediction="a b", references=["a c"], expected={"share": 0.5, "share(weight=0.5)": 0.25})
plugin.example(prediction="a. b", expected={"share": None, "claims": 2, "length": 4})
plugin.example(prediction="a b", references=["b"], expected={"overlap": 0.5})

if __name__ == "__main__":
    plugin.run()
