"""Who passes: verdicts on attempts, and on people who are picked by hand."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.rounds.models import Attempt, ItemNote, Round, Verdict
from annotation_platform.studies.models import Assignment, AssignmentState, Item, Member, Role
from annotation_platform.studies.services.members import give_back_all
from annotation_platform.studies.services.setting_aside import free_unfinished

LONGEST_NOTE = 2_000


@transaction.atomic
def decide(
    *,
    attempt: Attempt,
    verdict: Verdict,
    note: str = "",
    item_notes: Mapping[int, str] | None = None,
    by: Member,
    actor: Actor,
) -> None:
    """Pass somebody or not, with what they read about it; one that was decided can be decided anew.

    Who has not finished gives back the task under way, also when the round has ended. ``item_notes``: item's key →
    what to write about it.

    Raises
    ------
    InvalidInputError
        When it is no verdict, or a note is too long.
    """
    if verdict not in (Verdict.PASSED, Verdict.FAILED):
        raise InvalidInputError("crowd.verdict_missing")
    note = _checked(note)
    # Their own requests wait for their row, so that nothing is taken meanwhile; then the places, and the attempt after
    # them, as whoever submits the last of its tasks does.
    if attempt.annotator_id is not None:
        Member.objects.select_for_update(no_key=True).get(pk=attempt.annotator_id)
    places = Assignment.objects.filter(annotator=attempt.annotator_id, state=AssignmentState.CLAIMED)
    list(places.select_for_update().order_by("pk").values_list("pk"))
    attempt = Attempt.objects.select_for_update(of=("self",)).select_related("annotator").get(pk=attempt.pk)
    if attempt.is_under_way and attempt.annotator is not None:
        give_back_all(attempt.annotator, actor)
        free_unfinished(member=attempt.annotator, actor=actor)
    if item_notes is not None:
        write_item_notes(attempt, item_notes)
    give_verdict(attempt, verdict, note=note, by=by, actor=actor)


@transaction.atomic
def decide_without_attempt(
    *, round_: Round, member: Member, verdict: Verdict, note: str = "", by: Member, actor: Actor
) -> Attempt:
    """Pass somebody who was picked by hand, or bar them, whatever they tried before.

    An attempt of theirs that is under way, or waits, is decided by that. What bars them, and what decides without an
    attempt, is number 0 of their attempts.

    Raises
    ------
    InvalidInputError
        When it is no annotator of the study that the round qualifies for, no verdict, or the note is too long.
    """
    if verdict not in (Verdict.PASSED, Verdict.FAILED):
        raise InvalidInputError("crowd.verdict_missing")
    if member.study_id != round_.study.qualifies_for_id or member.role != Role.ANNOTATOR:
        raise InvalidInputError("crowd.not_an_annotator", member=str(member))
    Member.objects.select_for_update(no_key=True).get(pk=member.pk)  # as whoever begins an attempt does
    # Before theirs that is under way, which began later: in the order in which all are held that are compared again.
    list(Attempt.objects.select_for_update().filter(round=round_, member=member, number=0).order_by().values_list("pk"))
    pending = Attempt.objects.filter(round=round_, member=member, verdict=Verdict.PENDING).first()
    if pending is not None:
        decide(attempt=pending, verdict=verdict, note=note, by=by, actor=actor)
        if verdict == Verdict.PASSED:
            pending.refresh_from_db()
            return pending
    note = _checked(note)
    attempt, _ = Attempt.objects.select_for_update().get_or_create(
        round=round_, member=member, number=0, defaults={"finished_at": timezone.now()}
    )
    give_verdict(attempt, verdict, note=note, by=by, actor=actor)
    return attempt


def give_verdict(
    attempt: Attempt, verdict: Verdict, *, by: Member | None, note: str | None = None, actor: Actor
) -> None:
    """Store a verdict with its event; call it in a transaction. ``by``: None, when the rule decides."""
    before = attempt.verdict
    fields = {"verdict": verdict, "decided_at": timezone.now(), "decided_by": by}
    if note is not None:
        fields["note"] = note
    Attempt.objects.filter(pk=attempt.pk).update(**fields)
    attempt.refresh_from_db()
    change = {"round": (None, attempt.round.title), "verdict": (before, str(verdict))}
    record(actor, Verb.ROUND_DECIDED, attempt.member, study=attempt.member.study, change=change)


def write_item_notes(attempt: Attempt, notes: Mapping[int, str]) -> None:
    """Keep what is written about items of the attempt's round; an empty note goes."""
    known = set(Item.objects.filter(study=attempt.round.study_id, pk__in=notes).values_list("pk", flat=True))
    for item, text in notes.items():
        if item not in known:
            continue
        if text := _checked(text):
            ItemNote.objects.update_or_create(attempt=attempt, item_id=item, defaults={"text": text})
        else:
            ItemNote.objects.filter(attempt=attempt, item=item).delete()


def _checked(note: str) -> str:
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        raise InvalidInputError("crowd.note_too_long", length=len(note), most=LONGEST_NOTE)
    return note
