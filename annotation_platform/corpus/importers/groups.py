"""Judgments of groups of candidates in one row: which of its answers a value is about."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_platform.core.schemes import BestOfAspect, Scheme
from annotation_platform.core.schemes.aspects import CHOICE_LETTERS
from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.spelling import as_written


def by_system(scheme: Scheme, values: Mapping[str, Any], systems: Sequence[str]) -> dict[str, Any]:
    """A group's values with candidates named: by the row's own system, or by the number of the column."""
    per_candidate = {aspect.key for aspect in scheme.aspects if aspect.per == "candidate"}
    best = {aspect.key for aspect in scheme.aspects if isinstance(aspect, BestOfAspect)}
    beside = names_beside(systems) if len(systems) > 1 else {}
    named: dict[str, Any] = {}
    for slot, value in values.items():
        key, _, number = slot.partition(".")
        if slot in best and str(value) not in systems:  # 1 is the first answer of this row, not of another
            named[slot] = beside.get(as_written(value), value)
        elif key not in per_candidate:
            named[slot] = value
        elif not number and len(systems) > 1:
            raise RowError("corpus.slot_for_one_answer", slot=slot, count=len(systems))
        else:
            place = int(number or 1)
            if place > len(systems):
                raise RowError("corpus.slot_without_answer", slot=slot, count=len(systems))
            named.setdefault(key, {})[systems[place - 1]] = value
    return named


def names_beside(systems: Sequence[str]) -> dict[str, str]:
    """How the answers of one row may be named by their places: 1, a, model_a, response_a, … → the system."""
    return {
        name: system
        for n, (letter, system) in enumerate(zip(CHOICE_LETTERS, systems, strict=False), start=1)
        for name in (str(n), letter, *(f"{kind}_{letter}" for kind in ("model", "response", "answer", "output")))
    }
