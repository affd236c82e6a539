"""Systems by all answers, as a section of a snapshot: how tasks were drawn is read from the study."""

from typing import Any

from annotation_platform.analysis.measuring.judged_part import JudgedPart, judged_part
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.sections.systems.drawn import drawn_systems
from annotation_platform.analysis.sections.systems.figures import DrawnSystems
from annotation_platform.core.statistics import Bootstrap


def read(given: SnapshotInput) -> tuple[tuple[SnapshotInput, JudgedPart], Any]:
    """Where no task was drawn there is nothing to be known but that."""
    part = judged_part(given.study)
    if part.chosen is None:
        return (given, part), None
    pers = sorted({each.spec.per for each in given.aspects.values()})
    of_items = [given.units(per).digest for per in pers]
    return (given, part), {"drawn": part.identity, "run": identity_of(given.run), "items": of_items}


def measure(read: tuple[SnapshotInput, JudgedPart], _: Bootstrap) -> dict[str, DrawnSystems]:
    """By formulas: nothing is resampled."""
    given, part = read
    found = {key: drawn_systems(each, given.units(each.spec.per), part) for key, each in given.aspects.items()}
    return {key: figures for key, figures in found.items() if figures is not None}


STUDY_SECTIONS = {"drawn_systems": StudySection(read, measure)}
