"""Everything that writes scoring runs: starting, claiming, executing, and returning to those left behind."""

import logging
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation_platform import __version__
from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError
from annotation_platform.core.methods.prompts import PromptError, TemplateError, parse_template
from annotation_platform.core.reasons import Reason
from annotation_platform.core.signature import signature
from annotation_platform.jobs.contract import JobKind, leave
from annotation_platform.jobs.heartbeat import Heartbeat, JobPausedError
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.estimates import estimate_run
from annotation_platform.scoring.estimates import steps as dry_steps
from annotation_platform.scoring.gateway import ModelServerError
from annotation_platform.scoring.gateway.budget import Budget
from annotation_platform.scoring.methods import RunMethod, run_method, scorer_title
from annotation_platform.scoring.models import Method, ModelConnection, ScoringRun, SuspiciousPassage
from annotation_platform.scoring.parameters import ModelCall, Parameters, check_connection
from annotation_platform.scoring.suspicions import flag_suspicious
from annotation_platform.studies.models import FINISHED_STATES, Batch, BatchState, Member, Study

logger = logging.getLogger(__name__)

SETTINGS = ("scorer", "scoring_connection", "scoring_budget", "prompt_template")  # of a study


class RunActiveError(ConflictError):
    """Another run of the same method is waiting or under way in this study."""


def set_scoring(
    *,
    study: Study,
    scorer: str,
    prompt_template: str = "",
    connection: str = "",
    budget: Decimal | None = None,
    actor: Actor,
) -> None:
    """Choose who reads a study's explanations from the next run on, by which model connection ("": as the server's
    environment says), with which prompt of its own ("": none), and what all its runs may cost (None: no limit).

    Raises
    ------
    InvalidInputError
        When the scorer cannot be used as things are (no model, no key), or the template uses what it may not; the
        message names it. Nothing is changed then.
    """
    kept = {name: getattr(study, name) for name in SETTINGS}
    study.scorer, study.scoring_connection, study.scoring_budget = scorer, connection, budget
    study.prompt_template = prompt_template.replace("\r\n", "\n").replace("\x00", "").strip()
    try:
        given = _with_own_connection(study, run_method(Method.EBR), scorer, {})
        resolved = resolve_parameters(study=study, method=Method.EBR, scorer=scorer, given=given)
        run_method(Method.EBR).options_in(study)["connection"].read(connection)
        if budget is not None:
            _check_budget(ScoringRun(study=study, budget=budget), resolved)
        if study.prompt_template:
            parse_template(study.prompt_template, template_id=f"{study.slug}'s own")
    except (DomainError, TemplateError) as error:
        for name, value in kept.items():
            setattr(study, name, value)
        raise InvalidInputError(error.reason) from None
    change = differences(kept, {name: getattr(study, name) for name in SETTINGS})
    with transaction.atomic():
        study.save(update_fields=SETTINGS)
        if change:
            record(actor, Verb.STUDY_CHANGED, study, study=study, change=change)


def start_run(
    *,
    study: Study,
    scorer: str | None = None,
    method: str = Method.EBR,
    parameters: Mapping[str, Any] | None = None,
    budget: Decimal | None = None,
    dry_run: bool = False,
    actor: Actor,
) -> ScoringRun:
    """Put a run of a method over a study into the queue; whoever calls this enqueues or executes it.

    Parameters
    ----------
    study : Study
    scorer : str, optional
        One of the method's; by default the study's own where the method knows it, by the study's own connection
        unless the parameters name a model, else the method's first.
    parameters : mapping, optional
        See the method's ``resolve``: for rescaling ``lambda``; for a language model also ``model``, ``base_url``,
        ``temperature``, ``max_tokens``, ``concurrency``, ``timeout``, ``retries``, ``price_in``, ``price_out``.
    budget : Decimal, optional
        US dollars at which the run stops by itself, with all that came so far kept.
    dry_run : bool
        Ask about a few items first, store the expected bill, and pause; ``resume_run`` then goes on with all.
    actor : Actor
        Who starts it: a run reads no other study than a person may. The operator may read them all.

    Returns
    -------
    ScoringRun
        A new one, or the active one when it does just this.

    Raises
    ------
    InvalidInputError
        There is nothing to score, a parameter is missing or wrong, or a budget could not be kept.
    RunActiveError
        Another run is waiting or under way.
    """
    how = run_method(method)
    how.check(study)
    given = parameters or {}
    if scorer is None and study.scorer in how.scorers:
        scorer, given = study.scorer, _with_own_connection(study, how, study.scorer, given)
    scorer = scorer or how.scorers[0]
    starter = User.objects.get(pk=actor.user_id or 0) if actor.is_person else None
    resolved = resolve_parameters(study=study, method=method, scorer=scorer, given=given, starter=starter)
    stored = resolved.stored()
    with transaction.atomic():
        batches = how.batches(study)
        if (active := study.scoring_runs.active().filter(method=method).first()) is not None:
            same = (active.scorer, active.parameters) == (scorer, stored) and set(active.batches.all()) == set(batches)
            if same:
                return active
            raise _already_active(study, active)
        try:
            with transaction.atomic():
                run = _create_run(study, method, scorer, stored, budget, dry_run)
                _check_budget(run, resolved)
        except IntegrityError:  # somebody else was faster
            raise _already_active(study, study.scoring_runs.active().filter(method=method).first()) from None
        run.batches.set(batches)
        run.total = _steps(run, how)
        run.save(update_fields=["total"])
        change = {"method": (None, run.method), "scorer": (None, run.scorer), "budget": (None, run.budget)}
        record(actor, Verb.RUN_STARTED, run, study=study, change=change)
    return run


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


def choose_run(*, run: ScoringRun, actor: Actor) -> None:
    """Name a finished run as the one whose scores the study's figures use, instead of the newest.

    Raises
    ------
    InvalidInputError
        When the run is not finished.
    """
    if run.status != JobStatus.DONE:
        raise InvalidInputError("scoring.run_not_usable")
    with transaction.atomic():
        ScoringRun.objects.filter(study=run.study_id, method=run.method, is_chosen=True).update(is_chosen=False)
        ScoringRun.objects.filter(pk=run.pk).update(is_chosen=True)
        record(actor, Verb.RUN_CHOSEN, run, study=run.study, change={"method": (run.method, run.method)})


@transaction.atomic
def dismiss_suspicion(*, passage: SuspiciousPassage, member: Member, actor: Actor) -> None:
    """Note who looked at a suspicious passage and found it harmless; the score was never changed by it."""
    passage.dismissed_by, passage.dismissed_at = member, timezone.now()
    passage.save(update_fields=["dismissed_by", "dismissed_at"])
    record(actor, Verb.RUN_SUSPICION_DISMISSED, passage, study=member.study)


@transaction.atomic
def pause_run(*, run: ScoringRun, actor: Actor) -> None:
    """Have a run pause: at once while it waits, else after the step that its worker is at.

    Raises
    ------
    InvalidInputError
        When it is neither waiting nor running.
    """
    waiting = ScoringRun.objects.filter(pk=run.pk, status=JobStatus.PENDING)
    if not waiting.update(status=JobStatus.PAUSED, error=Reason("jobs.paused_by_hand"), pause_asked=False):
        running = ScoringRun.objects.filter(pk=run.pk, status=JobStatus.RUNNING)
        if not running.update(pause_asked=True):
            raise InvalidInputError("scoring.nothing_to_pause")
    record(actor, Verb.RUN_PAUSED, run, study=run.study)


def resume_run(*, run: ScoringRun, budget: Decimal | None = None, actor: Actor) -> None:
    """Put a paused or failed run back into the queue, with a new budget if one is given; the caller enqueues it.

    Raises
    ------
    InvalidInputError
        When it is neither paused nor failed, or has never been worked on, or its budget could not be kept.
    RunActiveError
        Another run of its method is under way.
    """
    if not run.parameters:
        raise InvalidInputError("scoring.run_could_not_start")
    changes: dict[str, Any] = {"budget": budget} if budget is not None else {}
    change = differences({"budget": run.budget}, changes)
    rows = ScoringRun.objects.filter(pk=run.pk, status__in=[JobStatus.PAUSED, JobStatus.FAILED])
    try:
        with transaction.atomic():
            resumed = rows.update(
                status=JobStatus.PENDING,
                worker="",
                error="",
                pause_asked=False,
                attempts=0,
                heartbeat_at=timezone.now(),
                **changes,
            )
            if budget is not None:
                run.budget = budget
                _check_budget(run, run_method(run.method).parse(scorer=run.scorer, stored=run.parameters))
            if resumed:
                record(actor, Verb.RUN_RESUMED, run, study=run.study, change=change)
    except IntegrityError:
        raise _already_active(run.study, run.study.scoring_runs.active().filter(method=run.method).first()) from None
    if not resumed:
        raise InvalidInputError("scoring.nothing_to_resume")


def start_runs_for_closed_batches(*, studies: QuerySet[Study] | None = None, actor: Actor) -> list[ScoringRun]:
    """Start a run with the study's own scorer wherever a closed batch waits for one; return the new runs.

    A batch of a scheme that rescales nothing waits for none.

    A run that failed or paused over the same batches is not repeated by itself: it would fail, and perhaps cost, again.
    """
    started = []
    closed = Batch.objects.filter(study=OuterRef("pk"), state=BatchState.CLOSED)
    some = Study.objects.all() if studies is None else studies
    for study in some.filter(Exists(closed)).select_related("scheme_version"):
        if not study.scheme().rescale:
            continue
        runs = study.scoring_runs.filter(method=Method.EBR)
        waiting = set(study.batches.filter(state=BatchState.CLOSED))
        last = runs.first()
        if runs.active().exists() or (
            last is not None
            and last.status in (JobStatus.FAILED, JobStatus.PAUSED)
            and waiting <= set(last.batches.exclude(closed_at__gt=last.created_at))
        ):
            continue
        try:
            started.append(start_run(study=study, actor=actor))
        except RunActiveError:
            continue  # another sweep was faster
        except DomainError as error:
            _record_impossible(study, error.reason, actor)
    return started


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
    run.total, run.code_version = _steps(run, how), __version__
    run.signature = _signature(run, how, parameters)
    run.save(update_fields=["total", "signature", "code_version"])
    if run.wants_estimate:
        estimate_run(run=run, how=how, heartbeat=heartbeat)
    if isinstance(parameters, ModelCall):
        flag_suspicious(run=run, heartbeat=heartbeat)
    counts = how.execute(run=run, scheme=scheme, parameters=parameters, heartbeat=heartbeat)
    with transaction.atomic():
        leave(run, done=run.total, counts=counts)
        if run.method == Method.EBR:
            # One that was opened again and closed meanwhile has judgments that this run did not see.
            closed = Batch.objects.filter(scoring_runs=run, state=BatchState.CLOSED)
            closed.exclude(closed_at__gt=run.created_at).update(state=BatchState.SCORED)


def _steps(run: ScoringRun, how: RunMethod) -> int:
    """Of the dry run that comes first, where one does."""
    return dry_steps(run) if run.wants_estimate else how.total(run, run.study.scheme())


def _signature(run: ScoringRun, how: RunMethod, parameters: Parameters) -> str:
    return signature(
        {
            "method": run.method,
            "scorer": run.scorer,
            "parameters": parameters.deciding(),
            "scheme": run.study.scheme_version.signature,
            "judgments": how.data_signature(run),
            "code": __version__,
        }
    )


def _create_run(
    study: Study, method: str, scorer: str, parameters: dict[str, Any], budget: Decimal | None, dry_run: bool
) -> ScoringRun:
    return ScoringRun.objects.create(
        study=study,
        method=method,
        scorer=scorer,
        parameters=parameters,
        budget=budget,
        wants_estimate=dry_run,
        connection=ModelConnection.objects.filter(name=parameters.get("connection") or None).first(),
        code_version=__version__,
    )


def _with_own_connection(study: Study, how: RunMethod, scorer: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The study's own connection, where a model is asked and none is named."""
    asks_a_model = issubclass(how.parameters(scorer), ModelCall)
    if not asks_a_model or not study.scoring_connection or {"connection", "model", "base_url"} & set(given):
        return given
    return {**given, "connection": study.scoring_connection}


def _check_budget(run: ScoringRun, parameters: Parameters) -> None:
    """Refuse at once a budget, of the run or its study, that could not be kept."""
    if isinstance(parameters, ModelCall):
        Budget(run, parameters)


def _already_active(study: Study, run: ScoringRun | None) -> RunActiveError:
    if run is None:
        return RunActiveError("scoring.scored_already", study=study.name)
    waits = ScoringRun.objects.claimable().filter(pk=run.pk).exists()
    return RunActiveError(
        "scoring.scored_already_without_worker" if waits else "scoring.scored_already_so_far",
        study=study.name,
        done=run.done,
        total=run.total,
        scorer=scorer_title(run.scorer),
    )


def _record_impossible(study: Study, reason: Reason, actor: Actor) -> None:
    """A run that could not even start is a failed run, so that the study's page says why nothing happens."""
    with transaction.atomic():
        run = ScoringRun.objects.create(
            study=study,
            method=Method.EBR,
            scorer=study.scorer,
            status=JobStatus.FAILED,
            code_version=__version__,
            error=reason,
            finished_at=timezone.now(),
        )
        run.batches.set(study.batches.filter(state__in=FINISHED_STATES))
        change = {"method": (None, run.method), "scorer": (None, run.scorer), "status": (None, run.status)}
        record(actor, Verb.RUN_STARTED, run, study=study, change=change)


# A run that is taken up again uses all that came before, so that its workers may die over it more often than others.
RUNS = JobKind("run", ScoringRun, _score, find=_find_unscored, followed_by="snapshot", tries=20)
