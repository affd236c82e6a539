"""The variances for planning, as a section of a snapshot."""

from typing import Any

from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.sections.planning.figures import PilotOfAspect
from annotation_platform.analysis.sections.planning.measure import pilot_of
from annotation_platform.core.statistics import Bootstrap


def read(given: SnapshotInput) -> tuple[SnapshotInput, Any]:
    """People's judgments are known already; what is read besides are the items' articles, and the run's scores."""
    pers = sorted({each.spec.per for each in given.aspects.values()})
    return given, {"run": identity_of(given.run), "items": [given.units(per).digest for per in pers]}


def measure(given: SnapshotInput, _: Bootstrap) -> dict[str, PilotOfAspect]:
    return {
        key: pilot_of(each, given.units(each.spec.per).article_of_item[each.table.units])
        for key, each in given.aspects.items()
    }


STUDY_SECTIONS = {"pilot": StudySection(read, measure)}
