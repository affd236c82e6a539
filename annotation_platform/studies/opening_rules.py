"""What may keep a batch from being opened, or open ones from getting more places: the only place where this is asked.

A *rule* says why, and what to do, or nothing. Rooms above bring theirs with :func:`add_rule` and
:func:`add_places_rule` when they are set up (``AppConfig.ready``). They are asked within the transaction that opens
the batch, or decides on the places, which has locked the study, so that two do not each take what is there for one.
"""

from collections.abc import Callable

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.studies.models import Batch, Study

Rule = Callable[[Batch], Reason | None]
PlacesRule = Callable[[Study, int], Reason | None]
"""Of a study, and how many places its open batches are to get."""


class OpeningRefusedError(InvalidInputError):
    """A rule keeps the batch from being opened, or places from being added; the reason says which, and what to do."""


_rules: dict[str, Rule] = {}
_places_rules: dict[str, PlacesRule] = {}


def add_rule(name: str, rule: Rule) -> None:
    """Have a rule asked from now on; one of the same name is replaced."""
    _rules[name] = rule


def add_places_rule(name: str, rule: PlacesRule) -> None:
    """Have a rule about more places asked from now on; one of the same name is replaced."""
    _places_rules[name] = rule


def check_places(study: Study, places: int) -> None:
    """Raise why the open batches of a study cannot get so many more places; of none nothing is asked.

    Raises
    ------
    OpeningRefusedError
        With the reason of the first rule that refuses.
    """
    for rule in _places_rules.values() if places else ():
        if (reason := rule(study, places)) is not None:
            raise OpeningRefusedError(reason)


def refusal(batch: Batch) -> Reason | None:
    """Why this batch, a draft or a finished one, cannot be opened; None when it can."""
    return next((reason for rule in _rules.values() if (reason := rule(batch)) is not None), None)


def check_opening(batch: Batch) -> None:
    """Raise what :func:`refusal` says.

    Raises
    ------
    OpeningRefusedError
        With the reason of the first rule that refuses.
    """
    if (reason := refusal(batch)) is not None:
        raise OpeningRefusedError(reason)
