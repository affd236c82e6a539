"""How a release differs from the one before it, or from any other of its study: by the files of both."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from django.db.models import Q
from django.utils import timezone

from annotation_platform import __version__
from annotation_platform.analysis.sections.history.stored_figures import (
    SECTIONS,
    StoredFigure,
    figures_in,
    in_other_forms,
)
from annotation_platform.annotations.migrating import steps_since
from annotation_platform.core.schemes.migration import AspectChange
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import Comparison, Release
from annotation_platform.studies.models import SchemeVersion

Interval = tuple[float, float] | None
Renamed = tuple[str, Mapping[str, str | None]]
"""An aspect's key now (“”: none), and its choices by their keys then, as far as they have others now (None: none)."""
NO_ASPECT = ""
GONE = {
    "excluded": "of annotators who were excluded",
    "rejected": "rejected",
    "item": "of items that are not in it any more",
    "other": "set aside, withdrawn or not counted for another reason",
}
Change = Literal["moved", "new", "gone"]


@dataclass(frozen=True)
class Moved:
    """A figure, and how it moved, or that only one release has it; ``aspect`` is empty for one of the whole study."""

    aspect: str
    figure: str
    change: Change
    before: float | None = None
    after: float | None = None
    before_interval: Interval = None
    after_interval: Interval = None

    def __str__(self) -> str:
        then, now = _written(self.before, self.before_interval), _written(self.after, self.after_interval)
        said = {"moved": f"{then} then, {now} now", "new": f"{now}, new", "gone": f"{then} then, not there now"}
        return f"{self.aspect}{', ' if self.aspect else ''}{self.figure}: {said[self.change]}"


@dataclass(frozen=True)
class Changes:
    """What a release has that an earlier one had not, and the other way round.

    A judgment is known by its item, annotator and repetition: ``changed`` ones say something else. ``gone_because``
    counts those that are gone by the keys of ``GONE``. ``not_compared``: the titles of kinds of figures that the two
    have in different forms, in which a figure can stand elsewhere or be another one.
    """

    added: int
    changed: int
    gone: int
    gone_because: dict[str, int]
    items_added: int
    items_gone: int
    moved: tuple[Moved, ...]
    not_compared: tuple[str, ...] = ()

    @property
    def with_intervals(self) -> list[Moved]:
        """Of the figures that moved, came or went, those that have an interval: what a page shows."""
        return [each for each in self.moved if each.before_interval or each.after_interval]

    @property
    def gone_in_words(self) -> str:
        """Why judgments are gone, in English."""
        said = [f"{count:,} {GONE[why]}" for why, count in self.gone_because.items() if count]
        return f": {', '.join(said)}" if said else ""


def release_before(release: Release) -> Release | None:
    earlier = Release.objects.filter(
        study=release.study_id, number__lt=release.number, status=JobStatus.DONE, withdrawn_at=None
    )
    return earlier.order_by("-number").first()


def compare(before: Release, after: Release, folder: Path) -> Changes:
    """``folder``: the files of the later release, which may not be whole yet."""
    from annotation_platform.releases.freeze.judged import differences

    old, new = (
        (where, dict(release.pseudonyms.values_list("pseudonym", "member")))
        for release, where in ((before, before.folder), (after, folder))
    )
    names = renamed_between(before, after)
    found = differences(
        old, new, names, excluded=after.facts.get("excluded", ()), rejected=after.facts.get("rejected", ())
    )
    then, now = _figures(before.folder), _figures(folder)
    others = in_other_forms(*({key: each["versions"][key] for key in _sections_of(each)} for each in (then, now)))
    return Changes(
        added=found.added,
        changed=found.changed,
        gone=sum(found.gone.values()),
        gone_because=found.gone,
        items_added=found.items_added,
        items_gone=found.items_gone,
        moved=tuple(_moved(_flat(then, without=others), _flat(now, without=others))),
        not_compared=tuple(title for key, title in SECTIONS.items() if key in others),
    )


def renamed_between(before: Release, after: Release) -> dict[str, Renamed]:
    """What the aspects of a release's scheme, and their choices, are called in a later one's, by the migrations of the
    study: an aspect that did not go along “”, a choice None. None are there where no migration leads from the one to
    the other."""
    then, now = (_version_of(release) for release in (before, after))
    if then is None or now is None or then == now:
        return {}
    found: dict[str, Renamed] = {aspect.key: (aspect.key, {}) for aspect in then.scheme().aspects}
    steps = list(steps_since(after.study, then.signature, until=now))
    for _, changes in steps:
        by_old = {change.old: change for change in changes.aspects}
        found = {key: _one_step_on(by_old.get(called), choices) for key, (called, choices) in found.items()}
    return found if steps else {}


def _one_step_on(change: AspectChange | None, choices: Mapping[str, str | None]) -> Renamed:
    if change is None or change.new is None:
        return "", {}
    of_this_step = {key: _choice_after(change, key) for key in (*change.choices, *change.lost_choices)}
    return change.new, of_this_step | {old: _choice_after(change, key) for old, key in choices.items()}


def _choice_after(change: AspectChange, key: str | None) -> str | None:
    return None if key is None or key in change.lost_choices else change.choices.get(key, key)


def _version_of(release: Release) -> SchemeVersion | None:
    return SchemeVersion.objects.filter(pk=release.facts.get("study", {}).get("scheme_version_id")).first()


def changes_in(comparison: Comparison) -> Changes | None:
    """What was found, once it is."""
    if comparison.status != JobStatus.DONE:
        return None
    found = comparison.found
    moved = tuple(
        Moved(**each | {end: tuple(each[end]) if each[end] else None for end in ("before_interval", "after_interval")})
        for each in found["moved"]
    )
    return Changes(**found | {"moved": moved, "not_compared": tuple(found.get("not_compared", ()))})


def _keep(before: Release, after: Release, changes: Changes) -> None:
    """What the freeze has found, as a comparison that nobody need ask for."""
    found = {
        "study_id": after.study_id,
        "status": JobStatus.DONE,
        "finished_at": timezone.now(),
        "code_version": __version__,
        "found": asdict(changes),
    }
    Comparison.objects.update_or_create(before=before, after=after, defaults=found)


def changes_since_last(release: Release, folder: Path) -> str:
    """The text of CHANGES.md, by the files that are in the folder already; what is found at the freeze is kept."""
    at_that_time = Q(withdrawn_at=None) | Q(withdrawn_at__gt=release.at)
    earlier = Release.objects.filter(at_that_time, study=release.study_id, number__lt=release.number)
    before = earlier.filter(status=JobStatus.DONE).order_by("-number").first()
    if before is None or not before.folder.is_dir():
        return f"# Release {release.number}\n\nThe first release of this study.\n"
    found = compare(before, release, folder)
    if release.status != JobStatus.DONE:  # it is not being made again
        _keep(before, release, found)
    then, now = before.database_state, release.database_state
    of_items = [state.get("scores_of_items", 0) for state in (then, now)]
    lines = [
        f"# Release {release.number}, since release {before.number} of {before.at:%Y-%m-%d}\n",
        f"- {then['judgments']:,} judgments then, {now['judgments']:,} now: {found.added:,} added, {found.changed:,} "
        f"corrected, {found.gone:,} gone{found.gone_in_words}",
        f"- {found.items_added:,} items added, {found.items_gone:,} gone",
        f"- {then['scores']:,} scores of judgments then, {now['scores']:,} now",
        *([f"- {of_items[0]:,} scores of items then, {of_items[1]:,} now"] if any(of_items) else []),
        f"\nSHA-256 of release {before.number}: `{before.digest}`",
        "\n## Figures that moved, came or went\n",
        "Figures of single annotators are not compared: each release has other names for them.\n",
        *(f"- {each}" for each in found.moved),
        *([] if found.moved else ["None."]),
        *([f"\nNot compared, stored in another form: {', '.join(found.not_compared)}."] if found.not_compared else []),
    ]
    return "\n".join(lines) + "\n"


def _figures(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    return found


def _sections_of(found: Mapping[str, Any]) -> set[str]:
    """Those that have figures of an aspect or of the study, of the sections whose versions are known."""
    there = {key for part in (found, *found["aspects"]) for key in part}
    return there.intersection(found.get("versions", {}))


def _flat(found: Mapping[str, Any], without: Collection[str]) -> dict[tuple[str, str], StoredFigure]:
    """Every figure of the aspects and of the study, by the aspect's title and the names on the way to it.

    Without whole numbers: what figures rest on is told by how many judgments were added, corrected and gone. Without
    those of single annotators, whose names say nothing in another release.
    """
    of_all = {key: value for key, value in found.items() if key not in ("aspects", "intervals", "batches", "versions")}
    parts = [*((each["title"], each["aspect"], each) for each in found["aspects"]), (NO_ASPECT, "", of_all)]
    flat = {}
    for title, aspect, sections in parts:
        told = sections.keys() - {"labels", *without}
        nested = {key: value for key, value in sections.items() if key in told and isinstance(value, dict | list)}
        for path, figure in figures_in(_of_nobody(nested), aspect):
            if not isinstance(figure.value, int):
                flat[title, " · ".join(path)] = figure
    return flat


def _of_nobody(figures: Any) -> Any:
    """Without what is said of single annotators."""
    if isinstance(figures, dict):
        return {key: _of_nobody(value) for key, value in figures.items()}
    if isinstance(figures, list):
        return [_of_nobody(each) for each in figures if not (isinstance(each, dict) and each.get("annotator"))]
    return figures


def _moved(
    before: Mapping[tuple[str, str], StoredFigure], after: Mapping[tuple[str, str], StoredFigure]
) -> Iterator[Moved]:
    """In the order of the later release, those that are gone at the end."""
    for (aspect, figure), now in after.items():
        then = before.get((aspect, figure))
        if then is None:
            yield Moved(aspect, figure, "new", after=now.value, after_interval=now.interval)
        elif then != now:
            yield Moved(aspect, figure, "moved", then.value, now.value, then.interval, now.interval)
    for (aspect, figure), then in before.items():
        if (aspect, figure) not in after:
            yield Moved(aspect, figure, "gone", before=then.value, before_interval=then.interval)


def _written(value: float | None, interval: Interval) -> str:
    if value is None:
        return "not defined"
    between = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
    return f"{value:.3f}{between}"
