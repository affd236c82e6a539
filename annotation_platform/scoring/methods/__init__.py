"""The methods that runs execute. ``docs/how-to/extend.md`` shows a new one."""

from django.utils.translation import gettext

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.methods.contract import PromptPreview, RunMethod
from annotation_platform.scoring.methods.ebr.run import Rescaling
from annotation_platform.scoring.methods.equivalence import Equivalence
from annotation_platform.scoring.methods.judge.run import Judging
from annotation_platform.scoring.methods.mate.run import Mate
from annotation_platform.scoring.methods.rev.run import Rev
from annotation_platform.scoring.models import ScoringRun

__all__ = ["METHODS", "PromptPreview", "RunMethod", "method_title", "run_method", "run_title", "scorer_title"]

METHODS: tuple[RunMethod, ...] = (Rescaling(), Judging(), Mate(), Equivalence(), Rev())


def run_method(method: str) -> RunMethod:
    """The method of this name.

    Raises
    ------
    InvalidInputError
        When there is none.
    """
    for each in METHODS:
        if each.name == method:
            return each
    raise InvalidInputError("scoring.no_method", method=method, methods=[each.name for each in METHODS])


def method_title(method: str) -> str:
    """What pages call a method, in the active language; its name where it has been taken out since."""
    return next((gettext(each.title) for each in METHODS if each.name == method), method)


def scorer_title(scorer: str) -> str:
    """What pages call one who does the work of methods; the name alone where no method knows it."""
    return next((gettext(who.title) for each in METHODS for who in each.scored_by if who.scorer == scorer), scorer)


def run_title(run: ScoringRun) -> str:
    return gettext("%(method)s run %(number)s") % {"method": method_title(run.method), "number": run.pk}
