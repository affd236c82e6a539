"""What is wrong with what people told a new run: all of it at once, each by the field where it can be mended."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.scoring.gateway.budget import Budget
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.options import Option
from annotation_platform.scoring.parameters import ModelCall, WrongParametersError
from annotation_platform.scoring.services import resolve_parameters
from annotation_platform.studies.models import Study

NOWHERE = ""
"""The field of what concerns the run as a whole."""
BUDGET = "budget"
FIELD_OF = {
    "scoring.no_such_connection": "connection",
    "scoring.no_model_chosen": "connection",
    "scoring.no_api_key": "connection",
    "scoring.connection_without_schemas": "response_format",
    "scoring.no_prompt_variant": "variant",
    "scoring.no_own_rescaler": "rescaler",
    "scoring.no_rescaler": "rescaler",
    "scoring.no_readable_study": "weights_from",
    "scoring.no_study_of_weights": "weights_from",
    "scoring.no_system": "reference",
    "scoring.budget_needs_prices": BUDGET,
    "scoring.budget_needs_max_tokens": BUDGET,
}
SOME_MODEL = {"base_url": "http://localhost/v1", "model": "-"}
"""What the rest is looked at with, where no model is chosen."""

Wrong = dict[str, Reason | str]


def read_options(options: Iterable[Option], typed: Mapping[str, Any]) -> tuple[dict[str, Any], Wrong]:
    """What was typed for the options that concern the chosen scorer, None for one that was emptied; and what of it
    cannot be read."""
    scorer = typed.get("scorer")
    given: dict[str, Any] = {}
    wrong: Wrong = {}
    for option in options:
        if option.name not in typed or (option.scorers and scorer not in option.scorers):
            continue
        try:
            value = option.read(str(typed[option.name]))
        except InvalidInputError as error:
            wrong[option.name] = error.reason
            continue
        if value is not None or option.initial:
            given[option.name] = value
    return given, wrong


def wrong_fields(
    *,
    study: Study,
    method: str,
    scorer: str,
    given: Mapping[str, Any],
    budget: Decimal | None = None,
    starter: User | None = None,
) -> Wrong:
    """All that keeps a run from being started so: each field that is wrong is left out, and the rest looked at."""
    wrong: Wrong = {}
    left = dict(given)
    while True:
        try:
            parameters = resolve_parameters(study=study, method=method, scorer=scorer, given=left, starter=starter)
            if isinstance(parameters, ModelCall) and "connection" not in wrong:  # else no price is known
                Budget(ScoringRun(study=study, budget=budget), parameters).look()
            return wrong
        except WrongParametersError as error:
            found: Wrong = {name.rpartition(".")[2]: words for name, words in error.wrong.items()}
        except DomainError as error:
            found = {FIELD_OF.get(error.reason.code, NOWHERE): error.reason}
        wrong |= {name: words for name, words in found.items() if name not in wrong}
        if not found.keys() & left.keys() and ("connection" not in found or "model" in left):
            return wrong
        left = {name: value for name, value in left.items() if name not in found}
        left |= SOME_MODEL if "connection" in found else {}
