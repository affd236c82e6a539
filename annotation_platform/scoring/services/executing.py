"""A run as a kind of job: what is done when it is claimed, and what finds work for it."""

from django.db import transaction

from annotation_platform import __version__
from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.ebr.prompts import PromptError, TemplateError
from annotation_platform.jobs.contract import JobKind, leave
from annotation_platform.jobs.heartbeat import Heartbeat, JobPausedError
from annotation_platform.scoring.estimates import estimate_run
from annotation_platform.scoring.gateway import Gateway, ModelServerError
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import Method, ModelBatch, ScoringRun
from annotation_platform.scoring.parameters import ModelCall
from annotation_platform.scoring.services.preparing import steps_of
from annotation_platform.scoring.services.starting import start_runs_for_closed_batches
from annotation_platform.scoring.suspicions import flag_suspicious
from annotation_platform.studies.models import Batch, BatchState


def _find_unscored() -> None:
    started = start_runs_for_closed_batches(actor=Actor.worker("sweep"))
    ScoringRun.objects.filter(pk__in=[run.pk for run in started]).update(heartbeat_at=None)  # no message is under way


def _score(run: ScoringRun, heartbeat: Heartbeat) -> None:
    try:
        _execute(run, heartbeat)
    except ModelServerError as error:
        raise JobPausedError(error.reason) from error
    except (TemplateError, PromptError) as error:
        raise InvalidInputError(error.reason) from error


def _execute(run: ScoringRun, heartbeat: Heartbeat) -> None:
    how, scheme = run_method(run.method), run.study.scheme()
    parameters = how.parse(scorer=run.scorer, stored=run.parameters)
    if isinstance(parameters, ModelCall):
        _collect_batches(run, parameters)
    run.total, run.code_version = steps_of(run, how), __version__
    run.signature = ""
    if not how.signs_as_it_reads:
        how.sign(run, parameters, how.data_signature(run))
    run.save(update_fields=["total", "signature", "code_version"])
    if run.wants_estimate:
        how.ready(run=run, scheme=scheme, parameters=parameters)
        estimate_run(run=run, how=how, heartbeat=heartbeat)
    if isinstance(parameters, ModelCall):
        flag_suspicious(run=run, heartbeat=heartbeat)
    counts = how.execute(run=run, scheme=scheme, parameters=parameters, heartbeat=heartbeat)
    with transaction.atomic():
        leave(run, done=run.total, counts=counts, signature=run.signature)
        if run.method == Method.EBR:
            # One that was opened again and closed meanwhile has judgments that this run did not see.
            closed = Batch.objects.filter(scoring_runs=run, state=BatchState.CLOSED)
            closed.exclude(closed_at__gt=run.created_at).update(state=BatchState.SCORED)


def _collect_batches(run: ScoringRun, parameters: ModelCall) -> None:
    """Have what is at the server, and paid for, before anything can keep the run from going on.

    Raises
    ------
    JobPausedError
        When that was all that is of any use.
    """
    if run.model_batches.filter(state=ModelBatch.State.OPEN).exists():
        list(Gateway(parameters, run).complete(()))
    if run.is_outdated:
        raise JobPausedError("scoring.run_outdated")


# A run that is taken up again uses all that came before, so that its workers may die over it more often than others.
RUNS = JobKind("run", ScoringRun, _score, find=_find_unscored, followed_by="snapshot", tries=20)
