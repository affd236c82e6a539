"""What is there to be read for a section of the study as a whole."""

from dataclasses import dataclass

from annotation_platform.analysis.measuring.aspects import Measured
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.studies.models import Study


@dataclass(frozen=True)
class Reading:
    """``aspects`` are those with labels, as `Measured`, by key; ``run`` is the rescaling run of the snapshot."""

    study: Study
    run: ScoringRun | None
    aspects: dict[str, Measured]
    bootstrap: Bootstrap
