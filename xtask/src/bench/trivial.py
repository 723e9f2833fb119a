"""The plugin of the bench: a metric that costs nothing."""

from qeval_plugin import Plugin

plugin = Plugin("trivial", "1", "The length of an answer")


@plugin.metric(range=(0, None))
def length(case):
    """characters of the answer"""
    return len(case.answer)


if __name__ == "__main__":
    plugin.run()
