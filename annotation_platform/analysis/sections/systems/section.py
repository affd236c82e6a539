"""Systems by all answers, as a section of a snapshot: how tasks were drawn is read from the study."""

from typing import Any

from annotation_platform.analysis.measuring.chosen import ChosenTasks, chosen_tasks
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.sections.systems.drawn import drawn_systems
from annotation_platform.analysis.sections.systems.figures import DrawnSystems
from annotation_platform.core.statistics import Bootstrap


def read(given: SnapshotInput) -> tuple[tuple[SnapshotInput, ChosenTasks | None], Any]:
    """Where no task was drawn there is nothing to be known but that."""
    chosen = chosen_tasks(given.study)
    if chosen is None:
        return (given, None), None
    pers = sorted({each.spec.per for each in given.aspects.values()})
    of_items = [given.units(per).digest for per in pers]
    return (given, chosen), {"drawn": chosen.signature, "run": identity_of(given.run), "items": of_items}


def measure(read: tuple[SnapshotInput, ChosenTasks | None], _: Bootstrap) -> dict[str, DrawnSystems]:
    """By formulas: nothing is resampled."""
    given, chosen = read
    if chosen is None:
        return {}
    found = {key: drawn_systems(each, given.units(each.spec.per), chosen) for key, each in given.aspects.items()}
    return {key: figures for key, figures in found.items() if figures is not None}


STUDY_SECTIONS = {"drawn_systems": StudySection(read, measure)}
