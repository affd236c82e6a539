"""Starting runs, pausing them and letting them go on."""

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
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.contract import stop
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.gateway.batch_server import LOST_BATCH, NO_BATCHES
from annotation_platform.scoring.methods import run_method, scorer_title
from annotation_platform.scoring.models import Method, ModelBatch, ModelConnection, ScoringRun, ScoringSettings
from annotation_platform.scoring.services.preparing import (
    check_budget,
    resolve_parameters,
    steps_of,
    who_scores,
)
from annotation_platform.studies.models import FINISHED_STATES, Batch, BatchState, Study


class RunActiveError(ConflictError):
    """Another run of the same method is waiting or under way in this study."""


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
        A new one, or the active one when it does just this, within the same budget, and counts.

    Raises
    ------
    InvalidInputError
        There is nothing to score, a parameter is missing or wrong, or a budget could not be kept.
    RunActiveError
        Another run is waiting or under way, or one whose labels count no more, or this one with another budget, or as
        a dry run where none was asked for, or the other way round.
    """
    how = run_method(method)
    how.check(study)
    scorer, given = who_scores(study, how, scorer, parameters or {})
    starter = User.objects.get(pk=actor.user_id or 0) if actor.is_person else None
    with transaction.atomic():
        # A migration of the scheme is waited for, or waits and finds the run: its parameters go by the keys of aspects.
        study.refresh_from_db(fields=["scheme_version"], from_queryset=Study.every.select_for_update(no_key=True))
        resolved = resolve_parameters(study=study, method=method, scorer=scorer, given=given, starter=starter)
        stored = resolved.stored()
        batches = how.batches(study)
        if (active := study.scoring_runs.active().filter(method=method).first()) is not None:
            same = (active.scorer, active.parameters) == (scorer, stored) and set(active.batches.all()) == set(batches)
            if active.is_outdated or not same:  # it may be waiting for a batch
                raise _already_active(study, active)
            if (active.budget, active.wants_estimate) != (budget, dry_run):
                raise _already_active_at_other_cost(study, active)
            return active
        try:
            with transaction.atomic():
                run = _create_run(study, method, scorer, stored, budget, dry_run)
                check_budget(run, resolved)
        except IntegrityError:  # somebody else was faster
            raise _already_active(study, study.scoring_runs.active().filter(method=method).first()) from None
        run.batches.set(batches)
        run.total = steps_of(run, how)
        run.save(update_fields=["total"])
        change = {"method": (None, run.method), "scorer": (None, run.scorer), "budget": (None, run.budget)}
        record(actor, Verb.RUN_STARTED, run, study=study, change=change)
    return run


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


@transaction.atomic
def stop_run(*, run: ScoringRun, actor: Actor) -> None:
    """End a run that waits, is under way or has paused, at once: its worker loses it before the next step.

    It is a failed run then, which nothing waits for. What it was told stays, so that going on with it, or another run,
    asks for nothing again.

    Raises
    ------
    InvalidInputError
        When it has ended already.
    """
    if not stop(run):
        raise InvalidInputError("scoring.nothing_to_stop")
    record(actor, Verb.RUN_STOPPED, run, study=run.study)


def resume_run(*, run: ScoringRun, budget: Decimal | None = None, without_budget: bool = False, actor: Actor) -> None:
    """Put a paused or failed run back into the queue, with a new budget if one is given, or without any; the caller
    enqueues it.

    Raises
    ------
    InvalidInputError
        When it is neither paused nor failed, or has never been worked on, or its budget could not be kept, or its
        labels count no more and nothing of it is at the server.
    RunActiveError
        Another run of its method is under way.
    """
    if not run.parameters:
        raise InvalidInputError("scoring.run_could_not_start")
    if not run.may_go_on:
        raise InvalidInputError("scoring.run_outdated")
    changes: dict[str, Any] = {"budget": budget} if budget is not None or without_budget else {}
    change = differences({"budget": run.budget}, changes)
    rows = ScoringRun.objects.filter(pk=run.pk, status__in=[JobStatus.PAUSED, JobStatus.FAILED])
    try:
        with transaction.atomic():
            resumed = rows.begin_anew(pause_asked=False, **changes)
            if budget is not None:
                run.budget = budget
                check_budget(run, run_method(run.method).parse(scorer=run.scorer, stored=run.parameters))
            if resumed:
                _give_up_lost_batches(run)
                record(actor, Verb.RUN_RESUMED, run, study=run.study, change=change)
    except IntegrityError:
        raise _already_active(run.study, run.study.scoring_runs.active().filter(method=run.method).first()) from None
    if not resumed:
        raise InvalidInputError("scoring.nothing_to_resume")


def _give_up_lost_batches(run: ScoringRun) -> None:
    """Whoever goes on with a run that says that the server does not know its batch has what it asked sent anew, unless
    the server knows it by then."""
    if isinstance(run.error, Reason) and run.error.code in (LOST_BATCH, NO_BATCHES):
        run.model_batches.filter(state=ModelBatch.State.OPEN).update(is_given_up=True)


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


def _already_active_at_other_cost(study: Study, run: ScoringRun) -> RunActiveError:
    """What is asked for is under way, but would cost something else than whoever asks allows."""
    kind = Reason("scoring.dry_run" if run.wants_estimate else "scoring.whole_run")
    budget = Reason("scoring.with_budget", budget=f"{run.budget:f}") if run.budget else Reason("scoring.without_budget")
    return RunActiveError("scoring.scored_already_at_other_cost", study=study.name, kind=kind, budget=budget)


def _record_impossible(study: Study, reason: Reason, actor: Actor) -> None:
    """A run that could not even start is a failed run, so that the study's page says why nothing happens."""
    with transaction.atomic():
        run = ScoringRun.objects.create(
            study=study,
            method=Method.EBR,
            scorer=ScoringSettings.of(study).scorer,
            status=JobStatus.FAILED,
            code_version=__version__,
            error=reason,
            finished_at=timezone.now(),
        )
        run.batches.set(study.batches.filter(state__in=FINISHED_STATES))
        change = {"method": (None, run.method), "scorer": (None, run.scorer), "status": (None, run.status)}
        record(actor, Verb.RUN_STARTED, run, study=study, change=change)
