"""The figures of a release: those of a snapshot, under the release's names of annotators."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.paper.report import report
from annotation_platform.analysis.snapshots.stored import FIGURES
from annotation_platform.releases.freeze.facts import without

OF_AN_ASPECT = frozenset({"aspect", "title", "per", "level", "labels", "best_label", "better", "is_rescaled", "unit"})
OF_ALL = frozenset({"scheme", "batches", "intervals", "versions"})
NAMES_PEOPLE = frozenset({"annotator", "annotators", "reversed_annotators"})  # fields with a name of one, or some
AS_IN_DATA = frozenset({"aspect", "system", "systems", "parts"})  # fields with a name that data files have, or some

SAID = {"code", "parameters"}  # a sentence as it is stored
SAID_OF_PEOPLE = ("rescaling.guard_turns_", "statistics.pair_", "statistics.rater")
SOMEBODY = "annotator"  # of whom the release has no judgments


def figures_of(snapshot: AgreementSnapshot, names: Mapping[str, str], removed: Sequence[str] = ()) -> dict[str, Any]:
    """Every figure but those of sections about single annotators, with its interval, its n and where it comes from.

    ``names``: the study's pseudonym of each annotator → the release's, which stands in its place; ``removed``: texts
    that are replaced in all others.
    """
    found = report(snapshot)
    of_all = {key for key, section in FIGURES.items() if not section.names_people}
    aspects = [{key: value for key, value in each.items() if key in of_all | OF_AN_ASPECT} for each in found["aspects"]]
    kept = {key: value for key, value in found.items() if key in of_all | OF_ALL}
    renamed: dict[str, Any] = under_names(kept | {"aspects": aspects}, names, removed)
    return {
        "signature": snapshot.signature,
        "data_signature": snapshot.data_signature,
        "code_version": snapshot.code_version,
        **renamed,
    }


def under_names(figures: Any, names: Mapping[str, str], removed: Sequence[str] = ()) -> Any:
    """The same figures, with other names where they name an annotator, and without the removed texts elsewhere; names
    of systems and aspects are those of the data files.

    >>> under_names({"people": [{"annotator": "A", "label": "A"}], "annotators": 2}, {"A": "annotator-07"})
    {'people': [{'annotator': 'annotator-07', 'label': 'A'}], 'annotators': 2}
    >>> under_names({"systems": [{"system": "Aya 7B", "why": "As Aya says"}]}, {}, ["Aya"])
    {'systems': [{'system': 'Aya 7B', 'why': 'As [removed] says'}]}
    """
    if isinstance(figures, list):
        return [under_names(each, names, removed) for each in figures]
    if not isinstance(figures, dict):
        return without(figures, removed)
    if figures.keys() == SAID and figures["code"].startswith(SAID_OF_PEOPLE):
        told = {key: _said(each, names, removed) for key, each in figures["parameters"].items()}
        return figures | {"parameters": told}
    return {key: _field(key, value, names, removed) for key, value in figures.items()}


def _field(key: str, value: Any, names: Mapping[str, str], removed: Sequence[str]) -> Any:
    if key in NAMES_PEOPLE:
        return _renamed(value, names, removed)
    if key in AS_IN_DATA and _is_named(value):
        return value
    return under_names(value, names, removed)


def _is_named(value: Any) -> bool:
    """Whether this is a name, or names alone; what is said of what they name is not."""
    return all(map(_is_named, value)) if isinstance(value, list) else isinstance(value, str)


def _said(parameter: Any, names: Mapping[str, str], removed: Sequence[str]) -> Any:
    """What a sentence about annotators is filled in with: their names, numbers, or the name of a model beside them."""
    if isinstance(parameter, str):
        return names[parameter] if parameter in names else without(parameter, removed)
    if isinstance(parameter, list):
        return [_said(each, names, removed) for each in parameter]
    return under_names(parameter, names, removed)


def _renamed(value: Any, names: Mapping[str, str], removed: Sequence[str]) -> Any:
    if isinstance(value, str):
        return names.get(value, SOMEBODY)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return [names.get(each, SOMEBODY) for each in value]
    return under_names(value, names, removed)
