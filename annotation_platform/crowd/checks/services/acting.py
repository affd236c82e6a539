"""What the study's rule does about somebody who fails checks; a researcher can undo each of it."""

import logging

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.crowd.checks.models import Action, CheckAction, CheckResult, CheckRule
from annotation_platform.crowd.checks.rule import Limits, holds
from annotation_platform.crowd.checks.selectors import results_that_count
from annotation_platform.studies.models import Member, Role
from annotation_platform.studies.services import exclude_member, pause_member, readmit_member, resume_member

logger = logging.getLogger(__name__)

SWEEPER = Actor.worker("checks")


@transaction.atomic
def apply_rule(*, annotator_id: int) -> CheckAction | None:
    """Do what the rule says about an annotator, if it holds by what they were checked since the last time.

    Never twice for the same results, and nothing that holds already: who is paused is not paused again.
    """
    # Their own requests wait for this row, so that two tasks submitted at once are counted one after the other.
    member = Member.objects.select_for_update(no_key=True, of=("self",)).select_related("study").get(pk=annotator_id)
    waiting = list(CheckResult.objects.filter(annotator=member, rule_waits=True).values_list("pk", flat=True))
    action = _apply(member)
    CheckResult.objects.filter(pk__in=waiting).update(rule_waits=False)
    return action


def apply_rules_that_wait() -> None:
    """Apply the rule about everybody with results that wait for it: what submits a task does so, unless it was killed.

    A chore of the sweep.
    """
    waiting = CheckResult.objects.filter(rule_waits=True).order_by("annotator").values_list("annotator", flat=True)
    for annotator_id in waiting.distinct():
        try:
            apply_rule(annotator_id=annotator_id)
        except Exception:  # the others do not wait for it; the next sweep tries again
            logger.exception("The rule about checks could not be applied to member %s", annotator_id)


def _apply(member: Member) -> CheckAction | None:
    rule = CheckRule.objects.filter(study=member.study_id).exclude(action=Action.NOTHING).first()
    if rule is None or member.role != Role.ANNOTATOR or member.excluded_at is not None:
        return None
    if rule.action == Action.PAUSE and member.paused_at is not None:
        return None
    last = CheckAction.objects.filter(annotator=member).order_by("-pk").first()
    counted = list(results_that_count(member).filter(pk__gt=last.last_result if last else 0).order_by("pk"))
    failed = [result for result in counted if not result.passed]
    limits = Limits(rule.most_failed, rule.least_percent, rule.least_judged)
    if not holds(limits, judged=len(counted), failed=len(failed)):
        return None
    action = CheckAction.objects.create(
        annotator=member,
        action=rule.action,
        because=rule.words,
        judged=len(counted),
        failed=len(failed),
        last_result=counted[-1].pk,
    )
    change = {
        "action": (None, rule.action),
        "checks_failed": (0, len(failed)),
        "checks_judged": (0, len(counted)),
        "failed": (None, [result.check_item_id for result in failed]),
    }
    record(SWEEPER, Verb.CHECKS_ACTED, member, study=member.study, change=change)
    if rule.action == Action.PAUSE:
        pause_member(member=member, because=rule.words, actor=SWEEPER)
    elif rule.action == Action.EXCLUDE:
        exclude_member(member=member, because=rule.words, actor=SWEEPER)
    return action


@transaction.atomic
def undo(*, action: CheckAction, actor: Actor) -> None:
    """Take back what the rule did: the note goes, or they can take tasks again and their work counts again.

    What they were checked until now is not counted again. Nothing happens when it was undone already.
    """
    if not CheckAction.objects.filter(pk=action.pk, undone_at=None).update(undone_at=timezone.now()):
        return
    member = action.annotator
    if action.action == Action.PAUSE and member.paused_because == action.because:
        resume_member(member=member, actor=actor)
    elif action.action == Action.EXCLUDE and member.excluded_because == action.because:
        readmit_member(member=member, actor=actor)
    change = {"action": (action.action, None)}
    record(actor, Verb.CHECKS_UNDONE, member, study=member.study, change=change)
    action.refresh_from_db()


def mark_read(*, action: CheckAction) -> None:
    """Note that the annotator read the warning."""
    CheckAction.objects.filter(pk=action.pk, read_at=None).update(read_at=timezone.now())
