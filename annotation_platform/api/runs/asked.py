"""Who is asked to score, and with which parameters: checked as a program sends them."""

from collections.abc import Mapping
from typing import Any

from annotation_platform.scoring.methods import RunMethod
from annotation_platform.scoring.parameters import check_given
from annotation_platform.scoring.services import who_scores
from annotation_platform.studies.models import Study


def scorer_asked(study: Study, how: RunMethod, named: str | None, parameters: Mapping[str, Any]) -> str:
    """Whoever is named, or does it where nobody is, as when a run is started.

    Raises
    ------
    WrongParametersError
        With each parameter that is unknown, or no value of its type.
    """
    who, _ = who_scores(study, how, named, parameters)
    if parameters:
        check_given(how.parameters(who), parameters, how.options_of(who, study))
    return who
