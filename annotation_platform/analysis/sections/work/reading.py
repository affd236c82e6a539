"""How people worked: when, for how long, and what their explanations say. Read when a snapshot is taken."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from django.db.models import Case, Count, When

from annotation_platform.analysis.measuring.columns import SecondsSinceEpoch, read_numbers, sort_rows
from annotation_platform.analysis.measuring.digests import digest
from annotation_platform.analysis.measuring.judgments import CodeOfMember, annotators_of, numbered
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput
from annotation_platform.annotations.hints import AlreadyThere, context_of, judged_texts, labels_of, language_of
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.vacuousness import is_vacuous
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE
from annotation_platform.studies.models import Study

MOST_EXPLANATIONS = 20_000  # are read for a snapshot; beyond that an equal part of each annotator's
CHUNK = 1_000


@dataclass(frozen=True, eq=False)
class ReadWork:
    """One entry a judgment: codes of item and annotator, seconds on task (NaN: none recorded), and its place in the
    annotator's own sequence, from 0, the first, to 1, the last (NaN for imported ones, whose times say nothing).
    """

    given: SnapshotInput
    annotations: np.ndarray
    items: np.ndarray
    keys_of_items: np.ndarray
    raters: np.ndarray
    seconds: np.ndarray
    places: np.ndarray
    annotators: tuple[str, ...]
    cannot_judge: np.ndarray
    """How many judgments of each annotator say that the item cannot be judged."""

    @property
    def explains(self) -> bool:
        """Whether the scheme asks for explanations."""
        scheme = self.given.study.scheme()
        return any(aspect.kind == "text" and scheme.explained_by(aspect.key) for aspect in scheme.aspects)

    @cached_property
    def vacuous(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the judgments whose explanations were read, one entry an explanation; and whether each is
        vacuous. Empty ones are not there."""
        rows = self._rows_read()
        position = dict(zip(self.annotations[rows].tolist(), rows.tolist(), strict=True))
        found = list(_assessed(self.given.study, list(position)))
        return (
            np.array([position[annotation] for annotation, _ in found], dtype=np.int64),
            np.array([says_nothing for _, says_nothing in found], dtype=np.bool_),
        )

    def _rows_read(self) -> np.ndarray:
        """Every judgment, or where there are too many, as many of each annotator, drawn by a fixed seed."""
        if len(self.annotations) <= MOST_EXPLANATIONS:
            return np.arange(len(self.annotations))
        each = max(MOST_EXPLANATIONS // max(len(self.annotators), 1), 1)
        shuffled = np.random.default_rng(0).permutation(len(self.annotations))
        by_rater = shuffled[np.argsort(self.raters[shuffled], kind="stable")]
        starts = np.searchsorted(self.raters[by_rater], self.raters[by_rater])
        return np.sort(by_rater[np.arange(len(by_rater)) - starts < each])


def read_work(given: SnapshotInput) -> tuple[ReadWork, str]:
    """The closed judgments with their times, in the order of items and annotators, and a digest."""
    study = given.study
    annotators, code_of_member = annotators_of(study)
    annotations, items, members, seconds, times = closed = _closed(study)
    sort_rows(closed, by=(items, members, annotations))
    del closed  # a million judgments are up to 8 MB in each column, so none stays longer than it is needed
    raters = code_of_member(members)
    del members
    keys, places_of_items = numbered(items)
    del items
    places = _places(raters, times, len(annotators))
    del times
    work = ReadWork(
        given=given,
        annotations=annotations.astype(np.int64),
        items=places_of_items,
        keys_of_items=keys.astype(np.int64),
        raters=raters,
        seconds=seconds,
        places=places,
        annotators=annotators,
        cannot_judge=_without_judgment(study, len(annotators), code_of_member),
    )
    return work, digest(raters, work.items, seconds, work.places, work.cannot_judge)


def _closed(study: Study) -> list[np.ndarray]:
    """Annotation, item, annotator and seconds of each judgment; and when it was made, where the seconds are known.

    Keys take as few bytes as hold them.
    """
    made = Case(When(seconds__isnull=False, then=SecondsSinceEpoch("created_at")))
    closed = Annotation.objects.closed().filter(item__study=study)
    columns: list[np.ndarray] = [*read_numbers(closed, "pk", "item_id", "annotator_id", "seconds", made)]
    for place in range(3):
        columns[place] = columns[place].astype(np.min_scalar_type(int(columns[place].max(initial=0))))
    return columns


def _without_judgment(study: Study, n: int, code_of_member: CodeOfMember) -> Codes:
    counts = np.zeros(n, dtype=np.int64)
    if study.scheme().cannot_judge:
        said = Annotation.objects.closed().filter(item__study=study, values__has_key=CANNOT_JUDGE).order_by()
        for who, judgments in said.values_list("annotator_id").annotate(n=Count("pk")):
            counts[code_of_member(np.array(who))] = judgments
    return counts


def _places(raters: Codes, times: Floats, n_annotators: int) -> Floats:
    """Each judgment's place among its annotator's own, from 0 to 1, put where its time was; NaN where it has none."""
    is_timed = ~np.isnan(times)
    n = np.bincount(raters[is_timed], minlength=n_annotators)
    small = np.min_scalar_type(len(raters))
    order = np.lexsort((times, raters)).astype(small)  # those without a time come last
    places = times  # which nobody asks for any more
    places[order] = np.arange(len(order), dtype=small)
    del order
    of_annotator = np.bincount(raters, minlength=n_annotators)
    places -= (np.cumsum(of_annotator) - of_annotator)[raters]
    places /= np.maximum(n - 1, 1)[raters]
    places[~is_timed] = np.nan
    return places


def _assessed(study: Study, annotations: list[int]) -> Iterator[tuple[int, bool]]:
    """Every explanation of these judgments that is not empty: whose it is, and whether it is vacuous."""
    explanations, keys = _Explanations(study.scheme()), iter(annotations)
    while chunk := list(islice(keys, CHUNK)):
        rows = Annotation.objects.filter(pk__in=chunk).order_by("item_id").values_list("pk", "item_id", "values")
        items = study.items.filter(pk__in={item for _, item, _ in rows})
        materials = {each.id: each for each in judged_texts(items, explanations.scheme)}
        asked = {item: explanations.of(material) for item, material in materials.items()}
        for pk, item, values in rows:
            for key, before in asked[item].items():
                text = values.get(key)
                if isinstance(text, str) and text.strip():
                    yield pk, is_vacuous(text, **before, language=language_of(text, materials[item]))


class _Explanations:
    """What the explanations of each item are compared with; labels are made once for items with the same choices."""

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self._labels: dict[Any, dict[str, list[str]]] = {}

    def of(self, material: ItemTexts) -> dict[str, AlreadyThere]:
        """By the key of their slot."""
        choices = (material.shape, material.choices, *material.letters.values())
        if choices not in self._labels:
            self._labels[choices] = self._labels_of(material)
        context = context_of(material)
        return {key: {"labels": labels, "context": context} for key, labels in self._labels[choices].items()}

    def _labels_of(self, material: ItemTexts) -> dict[str, list[str]]:
        return {
            slot.key: labels_of(self.scheme, slot, material)
            for slot in self.scheme.slots(material.shape)
            if slot.aspect.kind == "text" and self.scheme.explained_by(slot.aspect.key)
        }
