"""What a snapshot consists of: the sections of every topic.

A section is stored in a row of its own, so that a page loads only what it shows. Its key is its name in the stored
row, in `report_study --json` and in what a table asks for; keys are unique over aspects and study.
"""

from collections.abc import Callable
from typing import Any

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.figures import AspectHead, Label
from annotation_platform.analysis.measuring.snapshot_input import StudySection
from annotation_platform.analysis.topics import collected, modules

# Of each aspect: a function of `AspectData`, giving figures of the type that the topic has for the section.
ASPECT_SECTIONS: dict[str, Callable[[AspectData], Any]] = collected("measure", "ASPECT_SECTIONS")
STUDY_SECTIONS: dict[str, StudySection] = collected("section", "STUDY_SECTIONS")
LATE_SECTIONS: dict[str, StudySection] = collected("section", "LATE_SECTIONS")
"""Those about texts, which take as long as all others together: added when a snapshot is there (`snapshots.late`)."""

OF_LABELS = frozenset(key for module in modules("measure") for key in getattr(module, "OF_LABELS", ()))
"""Those of them that are about labels alone: another run's scores change nothing in them."""


def aspect_head(measured: AspectData) -> AspectHead:
    """What every page needs to know of an aspect, without any of its figures."""
    measure = measured.spec
    return AspectHead(
        aspect=measure.key,
        title=measure.title,
        per=measure.per,
        level=str(measure.level),
        labels=tuple(Label(**label._asdict()) for label in measure.labels),
        best_label=None if measure.best is None else measure.labels[measure.best].key,
        better=measure.better,
        is_rescaled=measure.is_rescaled,
        rescaled_undefined_because=measured.table.no_scores_because,
        resamples_of_pairs=measured.resamples_of_pairs,
        unit=measured.table.unit.name,
    )
