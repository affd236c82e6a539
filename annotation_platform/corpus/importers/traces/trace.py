"""One trace as an answer: which step is judged, what was asked, which documents were at hand.

The step without a parent says what was asked and answered; where it does not, the last answer of a model does.
Documents are those of all steps that looked for some, the first ones first, or what the last reranking left of them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from annotation_platform.core.turns import as_text, turns_of
from annotation_platform.corpus.importers.cells import digest
from annotation_platform.corpus.importers.conversations import marked
from annotation_platform.corpus.importers.outputs import Output
from annotation_platform.corpus.importers.staging import LIMITS, LONGEST_TEXT
from annotation_platform.corpus.importers.study import LeftOut, Traced
from annotation_platform.corpus.importers.traces.spans import Example, Span, Step
from annotation_platform.corpus.importers.traces.spool import Kept
from annotation_platform.corpus.importers.traces.values import (
    ASKED,
    SAID,
    as_is,
    asked_of,
    exchange_in,
    said_of,
    without_instructions,
)

MOST_DOCUMENTS = 100  # of one question
LONGEST_SYSTEM = 200


class Answered(NamedTuple):
    """A trace as an answer, the place of the record that it is from, and the way back."""

    file: int
    line: int
    output: Output
    traced: Traced


def answer_of(kept: Sequence[Kept], scores: Mapping[str, Any], example: Example, tool: str) -> Answered:
    """
    Raises
    ------
    RowError
        When a conversation has a role that nobody knows.
    """
    steps = sorted(_merged(kept), key=lambda each: each.span.start)  # those that say no time stay as they came
    known = {each.span.span for each in steps}
    roots = [each for each in steps if not each.span.parent or each.span.parent not in known]
    models = [each for each in steps if each.span.step == Step.MODEL and (each.span.said or each.span.said_as_is)]
    whole = sorted(roots, key=lambda each: bool(each.span.span))  # what is said of the trace itself comes first
    asks, asked = _told((*whole, *models), "asked")
    says, said = _told((*whole, *models[::-1]), "said")
    model = models[-1].span if models else says.span
    exchange = exchange_in(asked, said)
    shown = without_instructions(exchange)
    left_out = [*exchange.left_out, *_other_steps(steps, {asks.span.span, says.span.span, model.span})]
    about = {name: value for each in steps[::-1] for name, value in each.span.about.items()}
    documents = _documents([each.span for each in steps])
    name = next((each.span.name for each in whole if each.span.name), "")
    example_name = next((each.span.example for each in steps if each.span.example), "")
    experiment = next((each.span.experiment for each in steps if each.span.experiment), "")
    cells = {
        "question_id": example_name or whole[0].span.trace,
        "question": shown.question or without_instructions(exchange_in(example.asked, None)).question,
        "reference_answers": _expected(example),
        "system": (experiment or model.model or name)[:LONGEST_SYSTEM],
        "answer": "" if says.span.is_broken else shown.answer,
        "conversation": None if says.span.is_broken else marked(shown),
        "documents": documents or None,
        "context": "\n\n".join(each["text"] for each in documents) or None,
        "prompt": as_text(turns_of(exchange.before)) if exchange.answer else None,
        "model": model.model or None,
        "name": name or None,
    }
    metrics = {name: value for each in steps for name, value in each.span.scores.items()} | dict(scores)
    project = next((each.span.project for each in steps if each.span.project), "")
    traced = Traced(tool, whole[0].span.trace, says.span.span, project)
    return Answered(says.file, says.line, Output.of(left_out, metrics, **cells, **_new(about, cells)), traced)


def example_of(name: str, asked: Any, expected: Any) -> Example:
    """An example of a data set; what cannot be read of it is there as it is."""
    return Example(name, asked_of(asked) or as_is(asked, ASKED), said_of(expected) or as_is(expected, SAID))


def _told(steps: Sequence[Kept], what: str) -> tuple[Kept, Any]:
    """The first step that tells what was asked or said, and that; where nobody can tell, what the first has as it is;
    else the first step and nothing."""
    told = ((each, getattr(each.span, name)) for name in (what, f"{what}_as_is") for each in steps)
    return next(((each, found) for each, found in told if found), (steps[0], None))


def _merged(kept: Sequence[Kept]) -> list[Kept]:
    """Steps of which several records tell, as one: messages follow each other, of the rest the first one counts.

    What tells of a step once more, as programs send what they are not sure of having sent, repeats no message.
    """
    merged: dict[str, Kept] = {}
    for each in kept:
        before = merged.get(each.span.span)
        merged[each.span.span] = each if before is None else before._replace(span=_joined(before.span, each.span))
    return [*merged.values()]


def _joined(first: Span, second: Span) -> Span:
    data = second.as_data() | first.as_data()
    for name in ("asked", "said", "documents"):
        one, other = getattr(first, name), getattr(second, name)
        if isinstance(one, list) and isinstance(other, list):
            data[name] = one if second.is_whole and one == other else [*one, *other]
    for name in ("about", "scores"):
        data[name] = getattr(second, name) | getattr(first, name)
    return Span.of(data)


def _new(about: Mapping[str, Any], cells: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in about.items() if name not in cells}


def _expected(example: Example) -> list[str] | None:
    """The answer that the example has, as a reference."""
    expected = exchange_in(None, example.expected).answer
    return [expected] if expected else None


def _documents(spans: Sequence[Span]) -> list[dict[str, Any]]:
    reranked = [span for span in spans if span.step == Step.RERANKING and span.documents]
    given = reranked[-1:] or spans
    found = {(each.get("id"), each["text"]): each for span in given for each in span.documents}
    return [_named(each) for each in [*found.values()][:MOST_DOCUMENTS]]


def _named(document: dict[str, Any]) -> dict[str, Any]:
    """A document under a name of its own: parts of one have its name in common, in one trace or in several."""
    title = document.get("title") or document.get("id", "")
    told = {name: value for name, value in document.items() if name in ("url", "source", "text")}
    told = {name: value[: LIMITS.get(name, LONGEST_TEXT)] for name, value in ({"title": title} | told).items()}
    return {"id": digest(*told.values())} | told


def _other_steps(steps: Sequence[Kept], taken: set[str]) -> list[LeftOut]:
    """Steps that are neither asked, said, nor looked up, by what the program calls them."""
    others = Counter(
        each.span.kind or str(each.span.step)
        for each in steps
        if each.span.span not in taken and each.span.span and not each.span.documents
    )
    return [LeftOut("corpus.steps_of_traces", {"kind": kind[:40]}, number) for kind, number in others.items()]
