"""Judgments of groups of candidates in one row: which of its answers a value is about."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_platform.core.schemes import BestOfAspect, Scheme
from annotation_platform.core.schemes.aspects import CHOICE_LETTERS
from annotation_platform.corpus.importers.fields import BESIDE
from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.spelling import as_written


def by_system(
    scheme: Scheme, values: Mapping[str, Any], systems: Sequence[str], places: Mapping[int, str]
) -> dict[str, Any]:
    """A group's values with candidates named: by the row's own system, or by the number of the column.

    Parameters
    ----------
    places
        The number of each column with an answer → its system; empty where a row has its answer without a number.
    """
    per_candidate = {aspect.key for aspect in scheme.aspects if aspect.per == "candidate"}
    best = {aspect.key for aspect in scheme.aspects if isinstance(aspect, BestOfAspect)}
    beside, numbered = names_beside(places), places or {1: systems[0]}
    named: dict[str, Any] = {}
    for slot, value in values.items():
        key, _, number = slot.partition(".")
        if slot in best and str(value) not in systems:  # 1 is the first answer of this row, not of another
            if places and as_written(value) in ANY_PLACE - beside.keys():
                raise RowError("corpus.slot_without_answer", slot=slot, count=len(systems))
            named[slot] = beside.get(as_written(value), value)
        elif key not in per_candidate:
            named[slot] = value
        elif not number and len(systems) > 1:
            raise RowError("corpus.slot_for_one_answer", slot=slot, count=len(systems))
        else:
            system = numbered.get(int(number)) if number else systems[0]
            if system is None:
                raise RowError("corpus.slot_without_answer", slot=slot, count=len(systems))
            named.setdefault(key, {})[system] = value
    return named


def names_beside(places: Mapping[int, str]) -> dict[str, str]:
    """How the answers of one row may be named by their places: 1, a, model_a, response_a, … → the system."""
    return {
        name: system
        for n, system in places.items()
        for letter in CHOICE_LETTERS[n - 1]
        for name in (str(n), letter, *(f"{kind}_{letter}" for kind in ("model", "response", "answer", "output")))
    }


ANY_PLACE = names_beside(dict.fromkeys(BESIDE, "")).keys()
