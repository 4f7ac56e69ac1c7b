"""The tree of phrases, which each process that reads mails holds."""

import tracemalloc

from server.language import phrases

MEGABYTE = 1_000_000


def test_the_phrases_of_all_languages_take_less_than_four_megabytes():
    phrases.matches(["yes"])  # so that the files are read
    tracemalloc.start()
    try:
        tree = phrases._root.__wrapped__()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert tree.words["yes"].phrases
    assert taken < 4 * MEGABYTE
