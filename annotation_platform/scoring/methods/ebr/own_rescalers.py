"""A study's own rescalers, as the parameters of a run name them."""

from hashlib import sha256
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.scoring.forms import read_number
from annotation_platform.scoring.models import TrainedRescaler
from annotation_platform.studies.models import Study

if TYPE_CHECKING:  # numpy: only where runs are executed
    from annotation_platform.core.methods.distilled.rescaler import Distilled

OWN = "own"


def usable_rescalers(study: Study) -> QuerySet[TrainedRescaler]:
    """Those of the aspects that the study's scheme rescales by now, the newest first."""
    return study.rescalers.filter(aspect__in=[each.aspect for each in study.scheme().rescale])


def own_rescalers(study: Study, wanted: str) -> dict[str, str]:
    """SHA-256 by aspect: the newest of each for `OWN`, or the one of this number.

    Raises
    ------
    InvalidInputError
        The study has no such rescaler.
    """
    usable = usable_rescalers(study)
    rows = usable.order_by("pk").values_list("aspect", "sha256")
    if wanted == OWN:
        if not (found := dict(rows)):
            raise InvalidInputError("scoring.no_own_rescaler", study=study.name)
        return found
    found = dict(rows.filter(pk=read_number(wanted)))
    if not found:
        known = [*usable.values_list("pk", flat=True)] or Reason("words.none_yet")
        raise InvalidInputError("scoring.no_rescaler", study=study.name, wanted=wanted, known=known)
    return found


def load_own(study: Study, aspect: str, digest: str) -> "Distilled":
    """A study's own rescaler as a run's parameters name it.

    Raises
    ------
    InvalidInputError
        It is gone, or not what it was.
    """
    from annotation_platform.core.methods.distilled.rescaler import Distilled

    row = study.rescalers.filter(aspect=aspect, sha256=digest).first()
    if row is None or sha256(bytes(row.artefact)).hexdigest() != digest:
        raise InvalidInputError("scoring.rescaler_gone", aspect=aspect, digest=digest[:12])
    return Distilled.from_bytes(bytes(row.artefact), name=str(row))
