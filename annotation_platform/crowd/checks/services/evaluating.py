"""What came of checks: when a task is submitted, and again when a researcher corrects what is accepted."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.qualification import check_accepted, match
from annotation_platform.core.schemes import ItemShape, Scheme
from annotation_platform.crowd.checks.models import Check, CheckResult
from annotation_platform.crowd.checks.services.acting import apply_rule
from annotation_platform.crowd.held_scheme import refuse_other_scheme
from annotation_platform.studies.models import Assignment, Candidate
from annotation_platform.studies.selectors import document_lengths, lengths_of_answers, turns_of_answers


def follow_task(assignment: Assignment, actor: Actor) -> None:
    """Look at the checks of a task that is being submitted; the study's rule is applied once that is done.

    Apart from the submission, so that neither waits for the other's rows, and no rule can undo what was submitted. What
    a process that was killed in between has left, the next sweep finds by its mark.
    """
    judged = Annotation.given.current().filter(assignment=assignment, is_check=True)
    if not judged.exists():  # as in most tasks, and their annotators wait for this
        return
    found = list(judged.select_related("item__check_placement", "annotator__study__scheme_version"))
    # Held, so that who corrects what they accept looks at these judgments, too.
    asked = Check.objects.filter(pk__in=[each.item.check_placement.check_item_id for each in found])
    checks = {check.pk: check for check in asked.select_for_update(no_key=True).order_by("pk")}
    for annotation in found:
        check, scheme = checks[annotation.item.check_placement.check_item_id], annotation.annotator.study.scheme()
        if not check.accepted:  # the scheme lost all that it asked about
            continue
        CheckResult.objects.update_or_create(
            check_item=check,
            assignment=assignment,
            annotator=annotation.annotator,
            defaults={"annotation": annotation, "is_repeated": _has_met(annotation), "rule_waits": True}
            | _outcome(scheme, check.accepted, annotation.values),
        )
    transaction.on_commit(partial(apply_rule, annotator_id=found[0].annotator_id), robust=True)


@transaction.atomic
def correct_check(*, check: Check, accepted: Mapping[str, Any], actor: Actor, made_under: str = "") -> int:
    """Correct what is accepted, and look at all its judgments again; how many of them came out otherwise.

    Those that did not migrate to the version of the scheme that the study has stay as they came out.

    What was done about annotators stays, until a researcher undoes it. ``made_under``: the signature of the scheme's
    version that a form was made from.

    Raises
    ------
    AcceptedAnswersError
        When the scheme cannot have it.
    InvalidInputError
        When nothing is accepted.
    ConflictError
        See :func:`refuse_other_scheme`.
    """
    Check.objects.select_for_update(no_key=True).get(pk=check.pk)
    refuse_other_scheme(check.study, made_under)
    scheme = check.study.scheme()
    answers = [each.answer for each in check.answers.select_related("answer")]
    shape = ItemShape(
        sentences=check.question.article.sentence_count,
        documents=document_lengths(check.question_id),
        choices=len(check.question.choices),
        candidates=len(answers),
        texts=lengths_of_answers(scheme, [(check.question, answers)])[0],
        turns=turns_of_answers(scheme, check.question, answers),
    )
    checked = check_accepted(scheme, accepted, shape)
    if not checked:
        raise InvalidInputError("crowd.check_accepts_nothing")
    Check.objects.filter(pk=check.pk).update(accepted=checked)
    changed = []
    same_version = check.results.filter(annotation__scheme_version=check.study.scheme_version_id)
    for result in same_version.select_related("annotation"):
        before = result.passed
        outcome = _outcome(scheme, checked, result.annotation.values)
        result.passed, result.missed = outcome["passed"], outcome["missed"]
        result.save(update_fields=["passed", "missed"])
        changed += [result] if result.passed != before else []
    change = {"check": (None, check.pk), "results_changed": (0, len(changed))}
    record(actor, Verb.CHECKS_CHANGED, check, study=check.study, change=change)
    check.refresh_from_db()
    return len(changed)


def _outcome(scheme: Scheme, accepted: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    found = match(scheme, accepted, values)
    return {"passed": found.is_whole, "missed": list(found.missed)}


def _has_met(annotation: Annotation) -> bool:
    """Whether the annotator judged the same answer before, in another task."""
    shown = Candidate.every.filter(item=annotation.item_id).values("answer")
    met: QuerySet[Annotation] = Annotation.given.filter(
        Exists(Candidate.every.filter(item=OuterRef("item"), answer__in=shown)),
        annotator=annotation.annotator_id,
        pk__lt=annotation.pk,
    )
    return met.exclude(assignment__hit=annotation.assignment.hit_id).exists()
