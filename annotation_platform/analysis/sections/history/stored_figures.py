"""The stored sections of a snapshot, walked figure by figure, whatever they are about."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from annotation_platform.analysis.snapshots.stored import FIGURES

Path = tuple[str, ...]


class StoredFigure(NamedTuple):
    """A number as it is stored, with the ends of its interval where it has one."""

    value: float | None
    interval: tuple[float, float] | None = None

    @classmethod
    def of(cls, value: float | None, interval: Sequence[float] | None) -> "StoredFigure":
        return cls(value, (interval[0], interval[1]) if interval else None)


# As a comparison of snapshots calls the sections: the main ones first, the long ones last.
FIRST = (
    *("pairwise_tau", "krippendorff_alpha", "fleiss_kappa", "cohen_kappa", "gwet_ac", "intraclass_correlation"),
    *("percent_agreement", "label_distribution", "mean_by_label", "mean_by_system", "system_differences"),
    *("annotators", "human_llm", "number_of_raters", "work", "counts"),
)
LAST = ("labels_by_part", "pairs_all", "pairs_incomplete", "pairs_no_ties", "pairs_cohen_kappa", "variants")
SECTIONS = {key: FIGURES[key].title for key in (*FIRST, *(key for key in FIGURES if key not in FIRST + LAST), *LAST)}
# What an entry of a list is told apart by; these are said with their key, and a label or title goes before a key.
NAMES = (
    *("key", "aspect", "title", "name", "label", "kind", "kinds", "system", "systems", "source"),
    *("annotator", "annotators", "measure", "way", "rule", "setting"),
)
NAMED_BY_NUMBERS = ("lambda", "raters", "rho", "epsilon", "low", "high")
SAID_WITH_KEY = ("majority", "model", "first", "second", *NAMED_BY_NUMBERS)
INSTEAD = {"key": "label", "aspect": "title"}
BY_ASPECT = {"aspects", "drift", "drift_first_to_last", "unanimity"}  # in what is about the study as a whole
UNSAID = {"mean", "overall", "annotators", "labels", "aspects", "variants", "parts"}  # they go without saying
NOT_COMPARED = {"explanations"}  # words and quotations, which come and go with every batch
NO_FIGURES = {
    *("items", "annotators", "judgments", "n", "run", "number"),  # how many it is of, and whose it is
    *("standard_error", "degrees_of_freedom"),  # of which the interval is made
}
WITHOUT_FIGURES = ("interval", "intervals", "because", "leads")  # by how a key ends: what belongs to a figure


def in_other_forms(then: Mapping[str, int], now: Mapping[str, int]) -> set[str]:
    """The sections that two snapshots have in forms that cannot be compared, by the versions of their types."""
    return {key for key in then.keys() & now.keys() if then[key] != now[key]}


def figures_in(sections: dict[str, Any], aspect: str) -> Iterator[tuple[Path, StoredFigure]]:
    """Every number in the sections by the names on the way to it, with its interval where it has one.

    Of what the study as a whole has by aspect, only this one. Entries of a list that share their name, such as the
    dots of a scatter, cannot be found again and are left out.
    """
    for key in [*SECTIONS, *sorted(sections.keys() - SECTIONS.keys())]:
        if key in NOT_COMPARED:
            continue
        yield from _walk((SECTIONS.get(key, _words(key)),), sections.get(key), aspect)


def _walk(path: Path, data: Any, aspect: str) -> Iterator[tuple[Path, StoredFigure]]:
    if isinstance(data, list):
        for name, each in _named(data):
            yield from _walk((*path, *name), each, aspect)
    elif isinstance(data, dict) and data.keys() != {"code", "parameters"}:  # which is said of a figure, and is none
        for key, each in data.items():
            if key in BY_ASPECT and isinstance(each, dict):
                yield from _walk(path if key in UNSAID else (*path, _words(key)), each.get(aspect), aspect)
            elif key in ("value", "share") and not isinstance(each, dict):
                yield path, StoredFigure.of(each, data.get("interval"))
            elif isinstance(each, dict | list) and not key.endswith(WITHOUT_FIGURES):
                yield from _walk(path if key in UNSAID else (*path, _words(key)), each, aspect)
            elif _is_number(each) and key not in NO_FIGURES and not (key == "count" and "share" in data):
                yield (*path, _words(key)), StoredFigure.of(each, data.get(f"{key}_interval"))
    elif _is_number(data):
        yield path, StoredFigure(data)


def _named(entries: list[Any]) -> list[tuple[Path, Any]]:
    """The entries of a list by what tells them apart, or by their places where nothing says what they are."""
    if not all(isinstance(each, dict) and _names_of(each) for each in entries):
        return [((str(place),), each) for place, each in enumerate(entries, start=1)]
    names = [_names_of(each) for each in entries]
    count = Counter(tuple(each.values()) for each in names)
    return [
        (tuple(filter(None, name.values())), {key: value for key, value in each.items() if key not in name})
        for name, each in zip(names, entries, strict=True)
        if count[tuple(name.values())] == 1
    ]


def _names_of(entry: dict[str, Any]) -> dict[str, str]:
    """What says what an entry is, in words; empty is one of nothing in particular, such as a part that is the whole."""
    found = {}
    for key in (*NAMES, *SAID_WITH_KEY):
        value = entry.get(key, 0)
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            found[key] = ", ".join(value)
        elif value is None or isinstance(value, str):
            found[key] = _said(key, value or "")
        elif key in NAMED_BY_NUMBERS and key in entry and _is_number(value):
            found[key] = f"{key} {value:g}"
    return {key: "" if INSTEAD.get(key) in found else text for key, text in found.items()}


def _said(key: str, value: str) -> str:
    name = f"run {value}" if key in ("key", "first", "second") and value.isdecimal() else value
    return f"{key} {name}" if key in SAID_WITH_KEY else name


def _words(key: str) -> str:
    return key.replace("_", " ")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
