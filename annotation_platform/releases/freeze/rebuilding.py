"""Making a release again from the database, and saying which byte differs, and why."""

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_platform import __version__
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.releases.freeze.contents import state_of_database
from annotation_platform.releases.freeze.facts import facts_of
from annotation_platform.releases.freeze.verify import MANIFEST, problems_of
from annotation_platform.releases.freeze.writing import FORMAT, write_release
from annotation_platform.releases.models import Release

PIECE = 1 << 20


@dataclass(frozen=True)
class Rebuilt:
    """What came of it: sentences about files that differ, and what explains them; both empty when all bytes agree."""

    different: tuple[str, ...]
    reasons: tuple[str, ...]


def rebuild(release: Release) -> Rebuilt:
    """Write the release once more, and compare it with its folder byte by byte.

    Raises
    ------
    InvalidInputError
        When the release is not frozen.
    """
    if not release.digest:
        raise InvalidInputError("releases.not_frozen")
    release.facts = release.facts or facts_of(release.study)
    again = Path(tempfile.mkdtemp(prefix="release-"))
    try:
        write_release(release=release, snapshot=_figures(release), folder=again)
        different = tuple(_differences(release.folder, again))
    finally:
        shutil.rmtree(again, ignore_errors=True)
    return Rebuilt(different, tuple(_reasons(release)) if different else ())


def _figures(release: Release) -> AgreementSnapshot:
    """The figures that were frozen, while they are kept; else those of today."""
    taken = AgreementSnapshot.objects.filter(study=release.study, created_at__lte=release.finished_at).order_by("-pk")
    return taken.first() or take_snapshot(study=release.study)


def _differences(before: Path, after: Path) -> list[str]:
    names = {
        file.relative_to(folder).as_posix()
        for folder in (before, after)
        for file in folder.rglob("*")
        if file.is_file()
    }
    return [found for name in sorted(names - {MANIFEST}) if (found := _difference(before, after, name))]


def _difference(before: Path, after: Path, name: str) -> str:
    if not (before / name).is_file():
        return f"{name} is not in the folder any more."
    if not (after / name).is_file():
        return f"{name} is not made any more."
    position = _first_difference(before / name, after / name)
    return "" if position is None else f"{name} differs from byte {position:,} on."


def _first_difference(one: Path, other: Path) -> int | None:
    start = 0
    with one.open("rb") as left, other.open("rb") as right:
        while True:
            a, b = left.read(PIECE), right.read(PIECE)
            if a != b:
                shorter = min(len(a), len(b))
                return start + next((i for i in range(shorter) if a[i] != b[i]), shorter)
            if not a:
                return None
            start += len(a)


def _reasons(release: Release) -> list[str]:
    """What explains that bytes differ; a release is made again with the settings and runs of its freeze."""
    reasons = [f"In the folder: {problem}" for problem in problems_of(release.folder)]
    then, now = release.database_state, state_of_database(release)
    for name in ("judgments", "scores", "scores_of_items", "decisions"):
        if then.get(name, 0) != now.get(name, 0):
            what = name.replace("_", " ")
            reasons.append(f"There were {then.get(name, 0):,} {what}, and there are {now.get(name, 0):,}.")
    if not reasons and any(now.get(name) != value for name, value in then.items()):
        reasons.append("Some judgments, scores or decisions are others than those that were frozen.")
    there = release.study.scoring_runs.filter(pk__in=release.facts["runs"]).values_list("pk", flat=True)
    if gone := set(release.facts["runs"]) - set(there):
        reasons.append(f"These scoring runs are not there any more: {', '.join(map(str, sorted(gone)))}.")
    if (written := format_of(release)) != FORMAT:
        reasons.append(f"It has format {written}, which kept no settings of the study; this version writes {FORMAT}.")
    if release.code_version != __version__:
        reasons.append(f"It was made by version {release.code_version} of the platform; this is {__version__}.")
    return reasons or ["The rows are the same: a library writes other bytes, or a text beside them was changed."]


def format_of(release: Release) -> Any:
    """The format that its manifest names; None where that cannot be read."""
    try:
        return json.loads((release.folder / MANIFEST).read_text(encoding="utf-8")).get("format")
    except (OSError, ValueError, AttributeError):
        return None
