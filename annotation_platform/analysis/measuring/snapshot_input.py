"""What is there to be read for a section of the study as a whole."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.judgments import ClosedJudgments
from annotation_platform.analysis.measuring.units import Units, read_units
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.studies.models import Study


@dataclass(frozen=True)
class SnapshotInput:
    """``aspects`` are those with labels, as `AspectData`, by key; ``run`` is the rescaling run of the snapshot.

    ``judgments`` are the same before any run's scores.
    """

    study: Study
    run: ScoringRun | None
    aspects: dict[str, AspectData]
    bootstrap: Bootstrap
    judgments: dict[str, ClosedJudgments]
    _units: dict[str, Units]

    def units(self, per: str) -> Units:
        """The study's items, or with ``per="candidate"`` their candidates; read once for all that ask."""
        if per not in self._units:
            self._units[per] = read_units(self.study, per=per)
        return self._units[per]


def identity_of(run: ScoringRun | None) -> list[Any] | None:
    """Plain JSON data that knows a finished run's scores and labels.

    The counts are part of it, for they change with whatever people decide about replies that could not be read.
    """
    return None if run is None else [run.pk, run.signature, run.counts]


class StudySection(NamedTuple):
    """A section about the study as a whole, such as its people or the sentences cited.

    ``read`` gives what is measured, and plain JSON data that identifies it (a digest, keys of runs): that becomes
    part of the snapshot's data signature. It should be quick, for it also runs when nothing has changed. ``measure``
    computes, only when something has: what it reads is known by that identity, the scheme and people's labels.
    """

    read: Callable[[SnapshotInput], tuple[Any, Any]]
    measure: Callable[[Any, Bootstrap], Any]
