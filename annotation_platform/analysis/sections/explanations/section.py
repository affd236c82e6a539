"""The explanations of the closed judgments of a study, with what they explain."""

from typing import Any

import numpy as np
from django.db.models import Count, Max
from django.db.models.fields.json import KeyTextTransform

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection
from annotation_platform.analysis.measuring.units import read_units
from annotation_platform.analysis.sections.explanations.figures import ExplanationsOfAspect
from annotation_platform.analysis.sections.explanations.measure import Explained, explanations_figures
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.arrays import Codes
from annotation_platform.core.schemes import Scheme, TextAspect
from annotation_platform.core.statistics import Bootstrap

MOST_EXPLANATIONS = 30_000  # of more, those of a random part of the units are read
AT_ONCE = 900


def text_of(scheme: Scheme, aspect: str) -> TextAspect | None:
    """The text that gives reasons for an aspect's labels, if it is asked as often as the label."""
    labelled = scheme.aspect(aspect)
    texts = (each for each in scheme.aspects if isinstance(each, TextAspect) and each.per in ("item", labelled.per))
    for each in texts:
        if any(explained.key == aspect for explained in scheme.explained_by(each.key)):
            return each
    return None


def read(given: SnapshotInput) -> tuple[SnapshotInput, Any]:
    """People's judgments are read already; their texts are known by how many there are up to which."""
    scheme = given.study.scheme()
    if not any(text_of(scheme, key) for key in given.aspects):
        return given, None
    closed = Annotation.objects.closed().filter(item__study=given.study)
    return given, closed.aggregate(n=Count("pk"), last=Max("pk"))


def measure(read: SnapshotInput, bootstrap: Bootstrap) -> dict[str, ExplanationsOfAspect]:
    scheme = read.study.scheme()
    found = {}
    for key, measured in read.aspects.items():
        if (text := text_of(scheme, key)) is not None:
            explained = _explained(read, measured, text, bootstrap.seed)
            if len(explained.texts):
                found[key] = explanations_figures(explained, bootstrap.seed)
    return found


def _explained(given: SnapshotInput, measured: AspectData, text: TextAspect, seed: int) -> Explained:
    table, spec = measured.table, measured.spec
    assert table.annotations is not None
    rows = _sampled(table.unit.of_item[table.items], seed)
    candidates = np.zeros(len(table.items), dtype=np.int64)
    if text.per == "candidate":
        code_of = read_units(given.study, per="candidate").code_of
        number = np.array([candidate for _, candidate in code_of], dtype=np.int64)
        number[list(code_of.values())] = number.copy()
        candidates = number[table.units][table.items]
    texts = _texts(table.annotations[rows], candidates[rows], text.key)
    slots = list(zip(table.annotations[rows].tolist(), candidates[rows].tolist(), strict=True))
    told = [slot in texts for slot in slots]
    kept = rows[np.array(told, dtype=np.bool_)]
    found = [texts[slot] for slot in slots if slot in texts]
    share = len(kept) / max(len(rows), 1)
    return Explained(
        title=text.title,
        texts=[said for _, said in found],
        items=np.array([item for item, _ in found], dtype=np.int64),
        labels=table.choices[kept],
        systems=table.system_of_item[table.items[kept]],
        annotators=table.raters[kept],
        units=np.unique(table.unit.of_item[table.items[kept]], return_inverse=True)[1],
        unit=table.unit.name,
        label_names=[label.key for label in spec.labels],
        system_names=table.systems,
        annotator_names=table.annotators,
        of=len(kept) if len(rows) == len(table) else round(share * len(table)),
    )


def _texts(annotations: Codes, candidates: Codes, key: str) -> dict[tuple[int, int], tuple[int, str]]:
    """The item and the text of each judgment and candidate (0: the item as a whole) that has one."""
    found: dict[tuple[int, int], tuple[int, str]] = {}
    for candidate in np.unique(candidates).tolist():
        wanted = annotations[candidates == candidate].tolist()
        value = KeyTextTransform(f"{key}.{candidate}" if candidate else key, "values")
        for start in range(0, len(wanted), AT_ONCE):
            block = Annotation.objects.filter(pk__in=wanted[start : start + AT_ONCE]).order_by()
            for pk, item, said in block.annotate(said=value).values_list("pk", "item_id", "said"):
                if said and said.strip():
                    found[pk, candidate] = item, said
    return found


def _sampled(units: Codes, seed: int) -> Codes:
    """The rows of all units, or of so many in random order that there are not too many."""
    if len(units) <= MOST_EXPLANATIONS:
        return np.arange(len(units))
    rank = np.random.default_rng(seed).permutation(int(units.max()) + 1)[units]
    sizes = np.cumsum(np.bincount(rank))
    return np.flatnonzero(rank < max(int(np.searchsorted(sizes, MOST_EXPLANATIONS)), 1))


LATE_SECTIONS = {"explanations": StudySection(read, measure)}
