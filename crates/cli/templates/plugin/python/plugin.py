"""A plugin for qeval: how many words of a reference an answer has."""

from typing import Annotated, Literal

from qeval_plugin import Plugin, Unscored

plugin = Plugin("{{name}}", "0.1.0", "Counts the words of references")

Letters = Annotated[Literal["lower", "keep"], "whether capitals count"]


@plugin.metric
def overlap(example, *, case: Letters = "lower"):
    """share of a reference's words that the answer has"""

    def words(text):
        return (text if case == "keep" else text.lower()).split()

    answer = set(words(example.answer))
    references = [reference for reference in map(words, example.references) if reference]
    if not references:
        return Unscored("no reference")
    return max(sum(word in answer for word in reference) / len(reference) for reference in references)


plugin.example(
    prediction="Three months",
    references=["three months"],
    expected={"overlap": 1.0, "overlap(case=keep)": 0.5},
)
plugin.example(prediction="months", references=["three months"], expected={"overlap": 0.5})
plugin.example(prediction="a week", references=["three months", "a week"], expected={"overlap": 1.0})
plugin.example(prediction="months", references=[], expected={"overlap": None})

if __name__ == "__main__":
    plugin.run()
