"""What may keep a batch from being opened: the only place where this is asked.

A *rule* says why a batch cannot be opened, and what to do, or nothing. Rooms above bring theirs with :func:`add_rule`
when they are set up (``AppConfig.ready``). They are asked within the transaction that opens the batch, which has
locked its study, so that two openings do not each take what is there for one.
"""

from collections.abc import Callable

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.studies.models import Batch

Rule = Callable[[Batch], Reason | None]


class OpeningRefusedError(InvalidInputError):
    """A rule keeps the batch from being opened; the reason says which, and what to do."""


_rules: dict[str, Rule] = {}


def add_rule(name: str, rule: Rule) -> None:
    """Have a rule asked from now on; one of the same name is replaced."""
    _rules[name] = rule


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
