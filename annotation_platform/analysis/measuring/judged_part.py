"""The part of everything that people judged: what is known of how it came about, and means of all by it.

A section that says what people would say of everything calls `judged_part` where it reads, puts its ``identity`` into
its own, and `mean_of_all` where it measures. A test of the values cannot prove that a part was drawn at random: either
the platform drew it, or a researcher has declared it, or the model is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.chosen import ChosenTasks, chosen_tasks, joined
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.active import active_mean
from annotation_platform.core.statistics.prediction_powered import PredictionPowered, prediction_powered_mean
from annotation_platform.core.statistics.result import Ends
from annotation_platform.studies.models import Study

NOT_KNOWN = gettext_noop(
    "It is not known that what people judged is a random part of all: the platform did not draw it, and nobody has "
    "declared it to be one. So only people's own mean is given. If it was drawn at random, say so in the study's "
    "settings; otherwise have tasks drawn at random (Study, “Choose tasks”)."
)
LEFT_OUT = gettext_noop(
    "Of what was drawn for people some has not been judged, and chance did not decide what, since tasks came in an "
    "order. So only people's own mean is given. If what is missing is missing by chance, say so in the study's "
    "settings; otherwise have it judged, too."
)
BATCHES_PICKED = gettext_noop(
    "It is not known that the batches which the language model scored are a random part of all. So only its own mean "
    "is given. If they were drawn at random, say so in the study's settings."
)


@dataclass(frozen=True, eq=False)
class JudgedPart:
    """How a part of everything was chosen.

    ``chosen`` are the chances where the platform drew it. ``is_declared``: a researcher says that it is a random part.
    ``unknown_because``: why it is not known to be one; None where it is.
    """

    chosen: ChosenTasks | None = None
    is_declared: bool = False
    unknown_because: str | None = None

    @property
    def drawn(self) -> str:
        """How, as figures store it: "random", "uncertainty", "declared", or "" where nothing is known, as of what was
        left of a random draw by more than chance."""
        if self.chosen is not None:
            return "" if self.unknown_because and not self.chosen.by_uncertainty else self.chosen.rule
        return "declared" if self.is_declared else ""

    @property
    def identity(self) -> list[Any]:
        """Plain data that differs where figures may."""
        return [self.chosen and self.chosen.signature, self.is_declared]

    def groups(self, units: Codes, items: Sequence[int]) -> Codes:
        """What was drawn together, in which every unit lies whole."""
        return units if self.chosen is None else joined(units, self.chosen.tasks(items))

    def weights(self, items: Sequence[int]) -> Floats | None:
        """How many each judged item stands for, 0 where it must not count; None where nothing was drawn."""
        return None if self.chosen is None else self.chosen.weights(items)


def judged_part(study: Study) -> JudgedPart:
    """Of what people judged."""
    chosen, declared = chosen_tasks(study), study.judged_at_random
    unknown = NOT_KNOWN if chosen is None else LEFT_OUT if chosen.leaves_out else None
    return JudgedPart(chosen, declared, None if declared else unknown)


def scored_part(study: Study) -> JudgedPart:
    """Of the judgments that a language model rescaled: those of the batches that somebody chose for its run."""
    declared = study.scored_at_random
    return JudgedPart(is_declared=declared, unknown_because=None if declared else BATCHES_PICKED)


def mean_of_all(
    people: Floats,
    model: Floats,
    units: Codes,
    items: Sequence[int],
    part: JudgedPart,
    ends: Ends,
    *,
    without_value: Flags | None = None,
) -> PredictionPowered:
    """What people would say on average of all rows, of which they judged a part.

    What was drawn is weighed by its chances (`active_mean`), other parts are as they come (`prediction_powered_mean`).
    Tasks are what was drawn, so that units which share one are taken together.

    Parameters
    ----------
    people : float array, shape (rows,)
        NaN where they have not judged.
    model : float array, shape (rows,)
    units : int array, shape (rows,)
        What figures speak for, such as articles.
    items : sequence of int, shape (rows,)
        The keys of the items that the rows are about.
    ends : tuple of two floats
        Of the scale of what people say.
    without_value : flags, shape (rows,), optional
        Where they judged and gave no number.
    """
    unknown, weights, groups = part.unknown_because, part.weights(items), part.groups(units, items)
    if weights is None:
        return prediction_powered_mean(
            people, model, groups, without_value=without_value, ends=ends, unknown_because=unknown
        )
    return active_mean(people, model, weights, groups, without_value=without_value, ends=ends, unknown_because=unknown)
