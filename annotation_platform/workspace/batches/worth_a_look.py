"""What a researcher may want to look at in a batch: hints at haste, equal texts and all-equal labels, with evidence.

The rules are those of docs/reference/batch-page.md. None of them says that anybody did anything wrong.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Any, NamedTuple

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import RatedAspect, Scheme, TextAspect
from annotation_platform.core.text import duration_in_words
from annotation_platform.studies.models import Batch

MOST_READ = 20_000  # judgments of a batch; beyond that the hints are about the first of them
LEAST_TIMED = 5  # judgments with a time on task, of the person and of the others
HASTY_SHARE = 1 / 3  # of the others' median
EQUAL_ITEMS = 3  # different items with the same explanation by one person
EQUAL_LENGTH = 20  # characters of it
SHARED_LENGTH = 40  # characters of an explanation that two people gave of the same item
LEAST_LABELS = 8  # of the person, and of the others on the same items
OTHERS_AT_MOST = 0.8  # the share of the others' labels that are the same one
EXAMPLES = 5


@dataclass(frozen=True)
class Sign:
    """One hint: whom it is about, what was counted, and the items and texts that it rests on."""

    annotator: str
    kind: str
    words: str
    items: tuple[int, ...]
    text: str = ""


@dataclass(frozen=True)
class WorthALook:
    """The hints about a batch, beside how much of it they are about."""

    signs: tuple[Sign, ...]
    judgments: int
    is_cut: bool
    median_task_seconds: float | None
    """Of the tasks with a time on task."""


class _Judged(NamedTuple):
    annotator: str
    assignment_id: int
    item_id: int
    seconds: float | None
    values: dict[str, Any]


class _Said(NamedTuple):
    """An explanation, and what of it is compared."""

    annotator: str
    item_id: int
    text: str
    same: str


def worth_a_look(batch: Batch, scheme: Scheme) -> WorthALook:
    """What stands out in the judgments of a batch that count at the moment."""
    rows = (
        Annotation.objects.current()
        .filter(item__hit__batch=batch)
        .order_by("pk")
        .values_list("annotator__pseudonym", "assignment_id", "item_id", "seconds", "values")
    )
    read = [_Judged(*row) for row in islice(rows.iterator(), MOST_READ + 1)]
    judged = read[:MOST_READ]
    said = list(_explanations(judged, scheme))
    signs = [
        *_hasty(judged),
        *_equal_texts(said),
        *_shared_texts(said),
        *_one_label(judged, scheme),
    ]
    by_task: defaultdict[int, float] = defaultdict(float)
    for each in judged:
        if each.seconds is not None:
            by_task[each.assignment_id] += each.seconds
    return WorthALook(
        signs=tuple(sorted(signs, key=lambda sign: sign.annotator)),
        judgments=len(judged),
        is_cut=len(read) > MOST_READ,
        median_task_seconds=median(by_task.values()) if by_task else None,
    )


def _hasty(judged: Sequence[_Judged]) -> Iterator[Sign]:
    timed: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    for each in judged:
        if each.seconds is not None:
            timed[each.annotator].append((each.seconds, each.item_id))
    for name, own in timed.items():
        others = [seconds for other, pairs in timed.items() if other != name for seconds, _ in pairs]
        if min(len(own), len(others)) < LEAST_TIMED:
            continue
        usual, theirs = median(others), median(seconds for seconds, _ in own)
        if theirs < HASTY_SHARE * usual:
            fastest = sorted(own)[:EXAMPLES]
            yield Sign(
                name,
                "Much faster than the others",
                f"Half of {len(own)} judgments took {_at_most(theirs)}; "
                f"of the others' {len(others)}, half took {_at_most(usual)}. "
                f"The shortest: {', '.join(_length(seconds) for seconds, _ in fastest)}.",
                tuple(item for _, item in fastest),
            )


def _length(seconds: float) -> str:
    return "less than 1 s" if round(seconds) == 0 else duration_in_words(seconds)


def _at_most(seconds: float) -> str:
    return _length(seconds) if round(seconds) == 0 else f"{duration_in_words(seconds)} or less"


def _equal_texts(explanations: Sequence[_Said]) -> Iterator[Sign]:
    said: defaultdict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for each in explanations:
        if len(each.same) >= EQUAL_LENGTH:
            said[each.annotator, each.same][each.item_id] = each.text
    for (name, _), found in said.items():
        if len(found) >= EQUAL_ITEMS:
            words = f"The same explanation stands under {len(found)} items."
            yield Sign(name, "Equal explanations", words, tuple(found)[:EXAMPLES], next(iter(found.values())))


def _shared_texts(explanations: Sequence[_Said]) -> Iterator[Sign]:
    said: defaultdict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    for each in explanations:
        if len(each.same) >= SHARED_LENGTH:
            said[each.item_id, each.same][each.annotator] = each.text
    together: defaultdict[tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    for (item, _), authors in said.items():
        if len(authors) > 1:
            together[tuple(sorted(authors))].append((item, next(iter(authors.values()))))
    for names, found in together.items():
        items = "one item" if len(found) == 1 else f"{len(found)} items"
        yield Sign(
            " and ".join([", ".join(names[:-1]), names[-1]]),
            "The same words",
            f"They explain {items} with the same words.",
            tuple(item for item, _ in found[:EXAMPLES]),
            found[0][1],
        )


def _one_label(judged: Sequence[_Judged], scheme: Scheme) -> Iterator[Sign]:
    for aspect in scheme.labelled_aspects:
        if not isinstance(aspect, RatedAspect):
            continue
        given: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        for each in judged:
            for key, value in each.values.items():
                if key.partition(".")[0] == aspect.key and isinstance(value, str):
                    given[each.annotator].append((each.item_id, value))
        wording = {choice.key: choice.label for choice in aspect.scale.choices}
        for name, own in given.items():
            label = own[0][1]
            if len(own) < LEAST_LABELS or any(each != label for _, each in own):
                continue
            items = {item for item, _ in own}
            others = Counter(
                label for other, pairs in given.items() if other != name for item, label in pairs if item in items
            )
            if others.total() >= LEAST_LABELS and others[label] <= OTHERS_AT_MOST * others.total():
                theirs = ", ".join(f"“{wording.get(each, each)}” {count}" for each, count in others.most_common())
                yield Sign(
                    name,
                    "One label only",
                    f"“{aspect.title}” got “{wording.get(label, label)}” {len(own)} times out of {len(own)}. "
                    f"The others said on the same items: {theirs}.",
                    tuple(dict.fromkeys(item for item, _ in own))[:EXAMPLES],
                )


def _explanations(judged: Sequence[_Judged], scheme: Scheme) -> Iterator[_Said]:
    asked = {aspect.key for aspect in scheme.aspects if isinstance(aspect, TextAspect)}
    for each in judged:
        for key, value in each.values.items():
            if key.partition(".")[0] in asked and isinstance(value, str):
                yield _Said(each.annotator, each.item_id, value, _normalised(value))


def _normalised(text: str) -> str:
    """What is left of a text when case, spaces and marks are taken away, so that a changed full stop hides nothing."""
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()
