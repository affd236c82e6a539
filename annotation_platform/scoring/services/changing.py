"""What a study scores with, which run counts, and what was looked at."""

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.core.methods.ebr.prompts import TemplateError, parse_template
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import Method, ScoringRun, ScoringSettings, SuspiciousPassage
from annotation_platform.scoring.services.preparing import check_budget, resolve_parameters, with_own_connection
from annotation_platform.studies.models import Member, Study

SETTINGS = ("scorer", "connection", "budget", "prompt_template")


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
    chosen = ScoringSettings.of(study)
    kept = {name: getattr(chosen, name) for name in SETTINGS}
    chosen.scorer, chosen.connection, chosen.budget = scorer, connection, budget
    chosen.prompt_template = prompt_template.replace("\r\n", "\n").replace("\x00", "").strip()
    try:
        given = with_own_connection(study, run_method(Method.EBR), scorer, {})
        resolved = resolve_parameters(study=study, method=Method.EBR, scorer=scorer, given=given)
        run_method(Method.EBR).options_in(study)["connection"].read(connection)
        if budget is not None:
            check_budget(ScoringRun(study=study, budget=budget), resolved)
        if chosen.prompt_template:
            parse_template(chosen.prompt_template, template_id=f"{study.slug}'s own")
    except (DomainError, TemplateError) as error:
        for name, value in kept.items():
            setattr(chosen, name, value)
        raise InvalidInputError(error.reason) from None
    _store(chosen, kept, actor)


def set_budget(*, study: Study, budget: Decimal | None, actor: Actor) -> None:
    """Choose what all runs of a study may cost (None: no limit), and nothing else."""
    chosen = ScoringSettings.of(study)
    kept, chosen.budget = {"budget": chosen.budget}, budget
    _store(chosen, kept, actor)


def _store(chosen: ScoringSettings, before: dict[str, Any], actor: Actor) -> None:
    after = {name: getattr(chosen, name) for name in before}
    with transaction.atomic():
        ScoringSettings.objects.update_or_create(study=chosen.study, defaults=after)
        if change := differences(before, after):
            record(actor, Verb.STUDY_CHANGED, chosen.study, study=chosen.study, change=_in_history(change))


def _in_history(change: dict[str, Any]) -> dict[str, Any]:
    """What is called a budget or a connection here is, among the other settings of a study, that of its scoring."""
    return {f"scoring_{name}" if name in ("budget", "connection") else name: value for name, value in change.items()}


def choose_run(*, run: ScoringRun, actor: Actor) -> None:
    """Name a finished run as the one whose scores the study's figures use, instead of the newest.

    Raises
    ------
    InvalidInputError
        When the run is not finished, or its labels have keys that mean something else now.
    """
    if run.status != JobStatus.DONE:
        raise InvalidInputError("scoring.run_not_usable")
    with transaction.atomic():
        runs = ScoringRun.objects.filter(study=run.study_id, method=run.method)
        # As a migration of the scheme locks them, which may just let the labels of this one count no more.
        list(runs.select_for_update(no_key=True).order_by("pk").values_list("pk"))
        if runs.filter(pk=run.pk, is_outdated=True).exists():
            raise InvalidInputError("scoring.run_outdated")
        runs.filter(is_chosen=True).update(is_chosen=False)
        runs.filter(pk=run.pk).update(is_chosen=True)
        record(actor, Verb.RUN_CHOSEN, run, study=run.study, change={"method": (run.method, run.method)})


@transaction.atomic
def dismiss_suspicion(*, passage: SuspiciousPassage, member: Member, actor: Actor) -> None:
    """Note who looked at a suspicious passage and found it harmless; the score was never changed by it."""
    passage.dismissed_by, passage.dismissed_at = member, timezone.now()
    passage.save(update_fields=["dismissed_by", "dismissed_at"])
    record(actor, Verb.RUN_SUSPICION_DISMISSED, passage, study=member.study)
