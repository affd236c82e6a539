"""A run in words, as figures about it store them."""

from typing import overload

from annotation_platform.analysis.measuring.figures import DescribedRun
from annotation_platform.scoring.methods import method_title
from annotation_platform.scoring.models import ScoringRun


@overload
def described(run: ScoringRun) -> DescribedRun: ...
@overload
def described(run: None) -> None: ...
def described(run: ScoringRun | None) -> DescribedRun | None:
    """A run in words: which model, asked how."""
    if run is None:
        return None
    return DescribedRun(
        run=run.pk,
        method=method_title(run.method),
        model=run.parameters.get("model", ""),
        asking=run.parameters.get("asking", {}),
        repetitions=run.parameters.get("repetitions", 1),
        signature=run.signature,
    )
