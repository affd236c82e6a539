"""How a release differs from the one before it, or from any other of its study."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_platform.annotations.models import Annotation
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import Release


@dataclass(frozen=True)
class Moved:
    """A figure that is in both releases, and how it moved."""

    aspect: str
    figure: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Changes:
    """What a release has that an earlier one had not; judgments are known by their keys in the platform."""

    added: int
    changed: int
    gone: int
    moved: tuple[Moved, ...]


def release_before(release: Release) -> Release | None:
    earlier = Release.objects.filter(
        study=release.study_id, number__lt=release.number, status=JobStatus.DONE, withdrawn_at=None
    )
    return earlier.order_by("-number").first()


def compare(before: Release, after: Release) -> Changes:
    """What differs between two frozen releases of one study.

    A judgment that was revised has another key and the same annotator, item and task, so it counts as changed.
    """
    old, new = _keys(before.folder), _keys(after.folder)
    old_places, new_places = _places(before.study_id, old - new), _places(after.study_id, new - old)
    changed = len(old_places & new_places)
    moved = _moved(_figures(before.folder), _figures(after.folder))
    return Changes(len(new_places) - changed, changed, len(old_places) - changed, tuple(moved))


def changes_since_last(release: Release) -> str:
    """The text of CHANGES.md, from the rows in the database: the folder is still being written."""
    before = release_before(release)
    if before is None:
        return f"# Release {release.number}\n\nThe first release of this study.\n"
    then, now = before.database_state, release.database_state
    lines = [
        f"# Release {release.number}, since release {before.number} of {before.at:%Y-%m-%d}\n",
        f"- {then['judgments']:,} judgments then, {now['judgments']:,} now",
        f"- {then['scores']:,} scores then, {now['scores']:,} now",
        f"\nSHA-256 of release {before.number}: `{before.digest}`",
    ]
    return "\n".join(lines) + "\n"


def _keys(folder: Path) -> set[int]:
    with (folder / "data" / "judgments.csv").open(encoding="utf-8", newline="") as file:
        return {int(row["annotation_id"]) for row in csv.DictReader(file)}


def _places(study: int, keys: set[int]) -> set[tuple[int, int, int]]:
    """Who judged what in which task, of judgments that only one of the two has."""
    rows = Annotation.objects.filter(item__study=study).values_list("pk", "assignment", "item", "annotator")
    return {(assignment, item, annotator) for pk, assignment, item, annotator in rows.iterator() if pk in keys}


def _figures(folder: Path) -> dict[tuple[str, str], Any]:
    found: dict[str, Any] = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    values = {}
    for aspect in found["aspects"]:
        for name in ("krippendorff_alpha", "fleiss_kappa", "percent_agreement"):
            found_of_aspect = aspect.get(name) or {}
            variants = found_of_aspect.items() if "value" not in found_of_aspect else [("", found_of_aspect)]
            for variant, figure in variants:
                if figure:
                    values[aspect["title"], f"{name}, {variant}".rstrip(", ")] = figure["value"]
    return values


def _moved(before: dict[tuple[str, str], Any], after: dict[tuple[str, str], Any]) -> Iterator[Moved]:
    for (aspect, figure), value in after.items():
        if (aspect, figure) in before and before[aspect, figure] != value:
            yield Moved(aspect, figure, before[aspect, figure], value)
