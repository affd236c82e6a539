"""What keeps a study, or a finished batch of it, as it is: apps above bring their rules with :func:`add_keeper`.

A study is asked about before it is deleted, a batch before it is opened again. The first rule that refuses gives the
reason, which says what to do.
"""

from collections.abc import Callable

from annotation_platform.core.errors import ConflictError
from annotation_platform.core.reasons import Reason
from annotation_platform.studies.models import Batch, Study

Keeper = Callable[[Study, Batch | None], Reason | None]


class KeptError(ConflictError):
    """Something that was promised rests on it as it is."""


_keepers: dict[str, Keeper] = {}


def add_keeper(name: str, keeper: Keeper) -> None:
    """Have a rule asked from now on; one of the same name is replaced."""
    _keepers[name] = keeper


def check_free(study: Study, batch: Batch | None = None) -> None:
    """Refuse where a rule keeps the study, or this batch of it.

    Raises
    ------
    KeptError
        With the reason of the first rule that refuses.
    """
    if (reason := why_kept(study, batch)) is not None:
        raise KeptError(reason)


def why_kept(study: Study, batch: Batch | None = None) -> Reason | None:
    """Why the study, or this batch of it, must stay as it is; None where it need not."""
    return next((reason for keeper in _keepers.values() if (reason := keeper(study, batch)) is not None), None)
