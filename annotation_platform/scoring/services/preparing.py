"""What a run is started with: its parameters, its connection, a budget that can be kept, and its number of steps."""

from collections.abc import Mapping
from typing import Any

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.scoring.estimates import steps as dry_steps
from annotation_platform.scoring.gateway.budget import Budget, keeps_budgets
from annotation_platform.scoring.methods import RunMethod, run_method
from annotation_platform.scoring.models import ScoringRun, ScoringSettings
from annotation_platform.scoring.parameters import ModelCall, Parameters, check_connection
from annotation_platform.studies.models import Study


def resolve_parameters(
    *, study: Study, method: str, scorer: str, given: Mapping[str, Any], starter: User | None = None
) -> Parameters:
    """The parameters of a new run, as its method fills them in; see :func:`start_run`.

    Raises
    ------
    InvalidInputError
        The scorer is none of the method's, or a parameter is missing or wrong, or names a study that is not there or
        not open to the starter, which sounds the same.
    """
    how = run_method(method)
    how.parameters(scorer)
    for name in how.sources:
        slug = str(given.get(name) or study.slug)
        if slug != study.slug and starter and not Study.objects.visible_to(starter).filter(slug=slug).exists():
            raise InvalidInputError("scoring.no_readable_study", slug=slug)
    check_connection(study, str(given.get("connection") or ""))
    return how.resolve(study=study, scorer=scorer, given=given)


def who_scores(
    study: Study, how: RunMethod, scorer: str | None, given: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any]]:
    """Who is to do it, with the parameters: where nobody is named the study's own scorer, by its own connection, if the
    method knows it; else the method's first."""
    own = ScoringSettings.of(study).scorer
    if scorer is None and own in how.scorers:
        return own, with_own_connection(study, how, own, given)
    return scorer or how.scorers[0], given


def with_own_connection(study: Study, how: RunMethod, scorer: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The study's own connection, where a model is asked and none is named."""
    asks_a_model = issubclass(how.parameters(scorer), ModelCall)
    connection = ScoringSettings.of(study).connection
    if not asks_a_model or not connection or {"connection", "model", "base_url"} & set(given):
        return given
    return {**given, "connection": connection}


def check_budget(run: ScoringRun, parameters: Parameters) -> None:
    """Refuse at once a budget, of the run or its study, that could not be kept."""
    if isinstance(parameters, ModelCall):
        Budget(run, parameters).look()


def runs_beyond_budgets(study: Study) -> Reason | None:
    """Which of a study's runs at work could keep no budget, and so end under one; None where all could."""
    found = []
    for run in study.scoring_runs.active().order_by("pk"):
        parameters = run_method(run.method).parse(scorer=run.scorer, stored=run.parameters)
        if isinstance(parameters, ModelCall) and not keeps_budgets(parameters):
            found.append(str(run.pk))
    return Reason("scoring.runs_cannot_keep_budget", runs=found, count=len(found)) if found else None


def steps_of(run: ScoringRun, how: RunMethod) -> int:
    """Of the dry run that comes first, where one does."""
    return dry_steps(run) if run.wants_estimate else how.total(run, run.study.scheme())
