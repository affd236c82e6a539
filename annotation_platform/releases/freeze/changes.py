"""How a release differs from the one before it, or from any other of its study."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db.models import Q

from annotation_platform.analysis.sections.history.stored_figures import StoredFigure, figures_in
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import Release

if TYPE_CHECKING:
    from annotation_platform.core.arrays import Codes

Interval = tuple[float, float] | None
NO_ASPECT = ""


@dataclass(frozen=True)
class Moved:
    """A figure that is in both releases, and how it moved; ``aspect`` is empty for one of the study as a whole."""

    aspect: str
    figure: str
    before: float | None
    after: float | None
    before_interval: Interval = None
    after_interval: Interval = None

    def __str__(self) -> str:
        then, now = _written(self.before, self.before_interval), _written(self.after, self.after_interval)
        return f"{self.aspect}{', ' if self.aspect else ''}{self.figure}: {then} then, {now} now"


@dataclass(frozen=True)
class Changes:
    """What a release has that an earlier one had not; judgments are known by their keys in the platform."""

    added: int
    changed: int
    gone: int
    moved: tuple[Moved, ...]

    @property
    def with_intervals(self) -> list[Moved]:
        """Of the figures that moved, those that have an interval: what a page shows."""
        return [each for each in self.moved if each.before_interval and each.after_interval]


def release_before(release: Release) -> Release | None:
    earlier = Release.objects.filter(
        study=release.study_id, number__lt=release.number, status=JobStatus.DONE, withdrawn_at=None
    )
    return earlier.order_by("-number").first()


def compare(before: Release, after: Release) -> Changes:
    """What differs between two frozen releases of one study.

    A judgment that was revised has another key and the same annotator, item and task, so it counts as changed.
    """
    from annotation_platform.releases.freeze.judgment_keys import keys_in

    return _changes(
        before, keys_in(before.folder), keys_in(after.folder), _figures(before.folder), _figures(after.folder)
    )


def changes_since_last(release: Release, figures: Mapping[str, Any]) -> str:
    """The text of CHANGES.md, from the rows in the database and the figures: the folder is still being written."""
    at_that_time = Q(withdrawn_at=None) | Q(withdrawn_at__gt=release.at)
    earlier = Release.objects.filter(at_that_time, study=release.study_id, number__lt=release.number)
    before = earlier.filter(status=JobStatus.DONE).order_by("-number").first()
    if before is None or not before.folder.is_dir():
        return f"# Release {release.number}\n\nThe first release of this study.\n"
    from annotation_platform.releases.freeze.judgment_keys import keys_in, keys_of

    found = _changes(before, keys_in(before.folder), keys_of(release.study), _figures(before.folder), figures)
    then, now = before.database_state, release.database_state
    lines = [
        f"# Release {release.number}, since release {before.number} of {before.at:%Y-%m-%d}\n",
        f"- {then['judgments']:,} judgments then, {now['judgments']:,} now: {found.added:,} added, {found.changed:,} "
        f"corrected, {found.gone:,} excluded, rejected or set aside",
        f"- {then['scores']:,} scores then, {now['scores']:,} now",
        f"\nSHA-256 of release {before.number}: `{before.digest}`",
        "\n## Figures that moved\n",
        *(f"- {each}" for each in found.moved),
        *([] if found.moved else ["None."]),
    ]
    return "\n".join(lines) + "\n"


def _changes(
    before: Release, old: "Codes", new: "Codes", figures_then: Mapping[str, Any], figures_now: Mapping[str, Any]
) -> Changes:
    from annotation_platform.releases.freeze.judgment_keys import added_changed_gone

    added, changed, gone = added_changed_gone(before.study_id, old, new)
    return Changes(added, changed, gone, tuple(_moved(_flat(figures_then), _flat(figures_now))))


def _figures(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    return found


def _flat(found: Mapping[str, Any]) -> dict[tuple[str, str], StoredFigure]:
    """Every figure of the aspects and of the study, by the aspect's title and the names on the way to it.

    Without whole numbers: what figures rest on is told by how many judgments were added, corrected and excluded.
    """
    of_all = {key: value for key, value in found.items() if key not in ("aspects", "intervals", "batches")}
    parts = [*((each["title"], each["aspect"], each) for each in found["aspects"]), (NO_ASPECT, "", of_all)]
    flat = {}
    for title, aspect, sections in parts:
        nested = {key: value for key, value in sections.items() if isinstance(value, dict | list) and key != "labels"}
        for path, figure in figures_in(nested, aspect):
            if not isinstance(figure.value, int):
                flat[title, " · ".join(path)] = figure
    return flat


def _moved(
    before: Mapping[tuple[str, str], StoredFigure], after: Mapping[tuple[str, str], StoredFigure]
) -> Iterator[Moved]:
    for (aspect, figure), now in after.items():
        then = before.get((aspect, figure))
        if then is not None and then.value != now.value:
            yield Moved(aspect, figure, then.value, now.value, then.interval, now.interval)


def _written(value: float | None, interval: Interval) -> str:
    if value is None:
        return "not defined"
    between = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
    return f"{value:.3f}{between}"
