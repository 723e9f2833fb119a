"""A plugin for qeval: how alike an answer and the nearest reference are, by rapidfuzz."""

from typing import Literal

from qeval_plugin import Plugin, Unscored
from rapidfuzz import fuzz, utils
from rapidfuzz.distance import Indel, JaroWinkler, Levenshtein

plugin = Plugin("string-similarity", "0.1.0", "How alike an answer and a reference are as strings")

# What `partial_ratio` takes grows with the square of the shorter text times the longer one: beyond this
# a case would take seconds.
MOST_WORK = 4e9

Processor = Literal["none", "default"]


def best(case, processor, similarity):
    """The highest similarity of the answer to a reference."""
    if not case.references:
        return Unscored("no reference")
    answer, references = processed(case, processor)
    return max(similarity(answer, reference) for reference in references)


def processed(case, processor):
    """The answer and the references, as they are compared."""
    texts = [case.answer, *case.references]
    if processor == "default":
        texts = [utils.default_process(text) for text in texts]
    return texts[0], texts[1:]


def of_hundred(scorer):
    """A scorer of rapidfuzz from 0 to 100 as a similarity from 0 to 1."""
    return lambda answer, reference: scorer(answer, reference) / 100


@plugin.metric
def ratio(case, *, processor: Processor = "none"):
    """2 * LCS / sum of lengths, with the longest common subsequence of characters"""
    return best(case, processor, Indel.normalized_similarity)


@plugin.metric
def token_set_ratio(case, *, processor: Processor = "none"):
    """ratio of the sets of words, 1 where one side has all words of the other"""
    return best(case, processor, of_hundred(fuzz.token_set_ratio))


@plugin.metric
def partial_ratio(case, *, processor: Processor = "none"):
    """ratio of the shorter text and the part of the longer one that is most like it"""
    answer, references = processed(case, processor)
    if answer in references:
        return 1.0
    for reference in references:
        shorter, longer = sorted((len(answer), len(reference)))
        if shorter * shorter * longer > MOST_WORK:
            return Unscored("not applicable", f"texts of {shorter} and {longer} characters are too long")
    return best(case, processor, of_hundred(fuzz.partial_ratio))


@plugin.metric
def jaro_winkler(case, *, processor: Processor = "none"):
    """similarity of Jaro and Winkler: shared characters near their places, with a bonus for an equal start"""
    return best(case, processor, JaroWinkler.normalized_similarity)


@plugin.metric
def levenshtein(case, *, processor: Processor = "none"):
    """1 - edits / length of the longer text"""
    return best(case, processor, Levenshtein.normalized_similarity)


plugin.example(
    prediction="martha",
    references=["marhta", "bertha"],
    expected={"ratio": 5 / 6, "jaro_winkler": 0.9611111111111111, "levenshtein": 4 / 6},
)
plugin.example(
    prediction="within 15 days of it",
    references=["15 days"],
    expected={"ratio": 14 / 27, "token_set_ratio": 1.0, "partial_ratio": 1.0, "levenshtein": 7 / 20},
)
plugin.example(
    prediction="Ann!",
    references=["ann"],
    expected={
        "ratio": 4 / 7,
        "ratio(processor=default)": 1.0,
        "levenshtein": 1 / 2,
        "levenshtein(processor=default)": 1.0,
    },
)
plugin.example(prediction="Ann", references=[], expected={"ratio": None, "token_set_ratio": None})

if __name__ == "__main__":
    plugin.run()
