"""In every snapshot a figure is a number, or none with its reason: also where everybody always says the same."""

from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

import pytest

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.study_rows import score
from tests.factories import make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db


def always_complete(member: Member, item: Item) -> dict[str, Any]:
    return {"completeness": "complete", "correct": "yes", "sentences": [1], "reasons": "It is all there."}


def scored(value: Callable[[Annotation], float] | None, **settings: Any) -> Study:
    study = study_with_judgments(corpus=settings.pop("corpus", None) or make_corpus(questions=2), **settings)
    if value:
        score(study, value)
    return study


STUDIES: dict[str, Callable[[], Study]] = {
    "constant scores": lambda: scored(lambda annotation: 70.0),
    "constant labels": lambda: scored(None, values=always_complete),
    "constant labels and scores": lambda: scored(lambda annotation: 70.0, values=always_complete),
    "a single annotator": lambda: scored(lambda annotation: 70.0, annotators=1),
    "a single item": lambda: scored(None, corpus=make_corpus(questions=1, systems=["alder"])),
}


def figures_in(stored: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every stored figure with where it stands."""
    if isinstance(stored, dict):
        if {"value", "undefined_because"} <= stored.keys():
            yield path, stored
        for key, each in stored.items():
            yield from figures_in(each, f"{path}.{key}")
    elif isinstance(stored, list):
        for place, each in enumerate(stored):
            yield from figures_in(each, f"{path}.{place}")


@pytest.mark.parametrize("study", STUDIES)
def test_a_stored_figure_is_none_exactly_where_it_has_a_reason(study: str) -> None:
    figures = take_snapshot(study=STUDIES[study](), resamples=20).figures
    found = list(figures_in(figures))
    assert len(found) > 30
    for path, each in found:
        value = each["value"]
        assert (value is None) == bool(each["undefined_because"]), (path, each)
        assert value is None or (isfinite(value) and abs(value) < 1e6), (path, each)
        if "no_interval_because" in each:  # a gain goes by the reason of what it is added to
            assert (each["interval"] is None) == bool(each["no_interval_because"]), (path, each)


def without_reason(stored: Any, path: str = "", of_all: bool = False) -> Iterator[str]:
    """Where an interval is none and no reason stands beside it; ``of_all``: one stands above it, for all that follow.

    A figure without a reason of its own for the interval goes by that of p; a gain by that of what it is added to.
    """
    if isinstance(stored, list):
        for place, each in enumerate(stored):
            yield from without_reason(each, f"{path}.{place}", of_all)
    if not isinstance(stored, dict):
        return
    reasons = {key for key, each in stored.items() if key.endswith("_because") and each}
    of_sides = set(stored.get("no_intervals_because", ()))
    for key, each in stored.items():
        if key == "interval" and each is None and not (reasons or of_all or path.endswith(".gain")):
            yield f"{path}.{key}"
        elif key.endswith("_interval") and each is None and stored[side := key.removesuffix("_interval")] is not None:
            if side not in of_sides:
                yield f"{path}.{key}"
        elif key.endswith("_intervals") and None in each and f"no_{key}_because" not in reasons:
            yield f"{path}.{key}"
        yield from without_reason(each, f"{path}.{key}", of_all or (key == "labels" and bool(reasons)))


@pytest.mark.parametrize("study", STUDIES)
def test_an_interval_that_is_none_has_a_reason_beside_it(study: str) -> None:
    figures = take_snapshot(study=STUDIES[study](), resamples=20).figures
    assert [*without_reason(figures)] == []
