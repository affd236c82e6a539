"""What a check or an import found, as reasons that a page tells in its reader's language."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation_platform.core.reasons import Reason

BATCHES = {
    "draft": "imports.batches_draft",
    "open": "imports.batches_open",
    "closed": "imports.batches_closed",
    "scored": "imports.batches_scored",
}
"""A batch's state to the code that counts batches in it."""


def found_lines(found: Mapping[str, Any], *, with_judgments: bool) -> Iterator[Reason]:
    """How much was found, what became of it, and what was left out: a sentence each.

    Parameters
    ----------
    found
        As an import job keeps it.
    with_judgments
        Whether judgments are taken, as into a study, or left out, as from a corpus.
    """
    asked = {
        "questions": Reason("imports.questions", count=found["questions"]),
        "answers": Reason("imports.answers", count=found["answers"]),
    }
    if with_judgments:
        judgments = Reason("imports.judgments", count=found["judgments"])
        annotators = Reason("imports.annotators", count=found["annotators"])
        yield Reason("imports.found_judged", **asked, judgments=judgments, annotators=annotators)
    else:
        yield Reason("imports.found", **asked)
        if found["judgments"]:
            yield Reason("imports.judgments_of_no_corpus", count=found["judgments"])
    if batches := found.get("batches"):
        yield Reason("imports.batches", batches=[Reason(BATCHES[state], count=n) for state, n in batches.items()])
    yield from left_out_lines(found["left_out"])


def left_out_lines(left_out: Iterable[tuple[Reason, int]]) -> Iterator[Reason]:
    """What was not taken, and how often it was there."""
    yield from (left_out_line(what, count) for what, count in left_out)


def left_out_line(what: Reason, count: int) -> Reason:
    return Reason("imports.left_out", what=what, count=count)
