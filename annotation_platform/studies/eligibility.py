"""Who may take a task of a study, or submit what they judge in it: the only place where this is asked.

A *rule* says why somebody may not, and what to do, or nothing. Rules are asked in the order in which they were added;
the first one that refuses gives the reason. Rooms above bring theirs with :func:`add_rule` when they are set up
(``AppConfig.ready``), so that what a person may do follows from all of them.
"""

from collections.abc import Callable
from enum import StrEnum

from annotation_platform.core.errors import ConflictError
from annotation_platform.core.reasons import Reason
from annotation_platform.studies.models import Member


class Moment(StrEnum):
    """When it is asked. Who holds a task has time and work in it, so a rule may let them finish."""

    TAKING = "taking"
    SUBMITTING = "submitting"


Rule = Callable[[Member, Moment], Reason | None]


class NotEligibleError(ConflictError):
    """A rule of the study refuses; the reason says which, and what to do."""


_rules: dict[str, Rule] = {}
_of_rounds_too: set[str] = set()


def add_rule(name: str, rule: Rule, *, in_rounds_too: bool = False) -> None:
    """Have a rule asked from now on; one of the same name is replaced.

    ``in_rounds_too``: what the rule asks of the study's annotators is asked before the tasks of its rounds as well.
    """
    _rules[name] = rule
    if in_rounds_too:
        _of_rounds_too.add(name)


def refusal(annotator: Member, moment: Moment) -> Reason | None:
    """Why this annotator may not; None when they may. A rule that needs no query makes none."""
    return next((reason for rule in _rules.values() if (reason := rule(annotator, moment)) is not None), None)


def refusal_in_rounds(annotator: Member, moment: Moment) -> Reason | None:
    """Why an annotator of a study may not work in its rounds; None when they may."""
    rules = (rule for name, rule in _rules.items() if name in _of_rounds_too)
    return next((reason for rule in rules if (reason := rule(annotator, moment)) is not None), None)


def check_eligible(annotator: Member, moment: Moment) -> None:
    """Raise what :func:`refusal` says.

    Raises
    ------
    NotEligibleError
        With the reason of the first rule that refuses.
    """
    if (reason := refusal(annotator, moment)) is not None:
        raise NotEligibleError(reason)
