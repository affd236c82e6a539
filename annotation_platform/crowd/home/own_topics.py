"""What the topics of the crowd know of a person, for themselves: consent, where they came from, rounds, languages."""

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import LateJudgment
from annotation_platform.crowd.consent.models import Consent
from annotation_platform.crowd.home.own_rows import CHUNK, ITEM, ITEM_NAMES, Rows, memberships
from annotation_platform.crowd.languages.models import StatedLanguages
from annotation_platform.crowd.monitor.models import Paste
from annotation_platform.crowd.pay.selectors import own_entries
from annotation_platform.crowd.providers.models import ParticipantAttributes, Submission
from annotation_platform.crowd.providers.vault.identities import provider_of
from annotation_platform.crowd.review.models import Review
from annotation_platform.crowd.rounds.models import Attempt, ItemNote


def consents(user: User) -> Rows:
    """What they said to which version, with the text that they read."""
    given = Consent.objects.filter(member__in=memberships(user)).select_related("text__study").order_by("pk")
    for each in given.iterator():
        yield {
            "study": each.text.study.slug,
            "version": each.text.number,
            "agreed": each.agreed,
            "language": each.language,
            "said_at": each.given_at,
            "text": each.text.text(each.language),
        }


def visits(user: User) -> Rows:
    """From which platform they came, and each visit that it told of; who they are there stays where it is locked up."""
    for member in memberships(user).select_related("study").order_by("pk"):
        if provider := provider_of(member):
            yield {
                "study": member.study.slug,
                "from": provider,
                "state": None,
                "ending": None,
                "arrived_at": member.joined_at,
                "ended_at": None,
            }
    for each in Submission.objects.filter(member__in=memberships(user)).select_related("member__study").order_by("pk"):
        yield {
            "study": each.member.study.slug,
            "from": "prolific",
            "state": each.state,
            "ending": each.ending,
            "arrived_at": each.arrived_at,
            "ended_at": each.ended_at,
        }


def told_by_prolific(user: User) -> Rows:
    """What researchers kept of what Prolific says of them."""
    for each in ParticipantAttributes.objects.filter(member__in=memberships(user)).select_related("member__study"):
        yield {
            "study": each.member.study.slug,
            "values": each.values,
            "not_said": each.missing,
            "kept_at": each.updated_at,
        }


def rounds(user: User) -> Rows:
    """Their attempts at rounds of qualification, with what came of them and the notes they were given."""
    attempts = Attempt.objects.filter(member__in=memberships(user)).select_related("round__study", "member__study")
    for each in attempts.order_by("pk").iterator():
        notes = ItemNote.objects.filter(attempt=each).order_by("pk").values_list("text", flat=True)
        yield {
            "study": each.member.study.slug,
            "round": each.round.title,
            "attempt": each.number,
            "started_at": each.started_at,
            "finished_at": each.finished_at,
            "matched": each.matched,
            "compared": each.compared,
            "verdict": each.verdict,
            "decided_at": each.decided_at,
            "note": each.note,
            "notes_on_items": list(notes),
        }


def languages(user: User) -> Rows:
    """Which languages they said they know."""
    for each in StatedLanguages.objects.filter(member__in=memberships(user)).select_related("member__study"):
        yield {"study": each.member.study.slug, "languages": each.codes, "stated_at": each.stated_at}


def late_judgments(user: User) -> Rows:
    """What they submitted too late, and what was decided about it."""
    fields = ("values", "seconds", "submitted_at", "state", "decided_at", "declined_because")
    late = LateJudgment.objects.filter(annotator__in=memberships(user)).order_by("pk")
    for row in late.values_list(*ITEM, *fields).iterator(CHUNK):
        yield dict(zip((*ITEM_NAMES, *fields), row, strict=True))


def reviews(user: User) -> Rows:
    """What was decided about their tasks, why, and what they said to that."""
    fields = ("verdict", "because", "decided_at", "appeal", "appealed_at", "appeal_note", "appeal_decided_at")
    place = ("assignment__hit__batch__study__slug", "assignment__hit__batch__number", "assignment__hit__position")
    rows = Review.objects.filter(annotator__in=memberships(user)).order_by("pk")
    for row in rows.values_list(*place, *fields).iterator():
        yield dict(zip(("study", "batch", "task", *fields), row, strict=True))


def earnings(user: User) -> Rows:
    """What they are owed and were paid, with the reasons, in the currency's smallest unit."""
    for each in own_entries(user).order_by("pk").iterator(CHUNK):
        yield {
            "study": each.study.slug,
            "batch": each.hit.batch.number if each.hit else None,
            "task": each.hit.position if each.hit else None,
            "kind": each.kind,
            "amount": each.amount,
            "currency": each.currency,
            "reason": each.reason,
            "at": each.created_at,
        }


def pastes(user: User) -> Rows:
    """How many characters they pasted into which field; the text is kept nowhere."""
    rows = Paste.objects.filter(member__in=memberships(user)).order_by("pk")
    for study, item, slot, characters, at in rows.values_list(
        "item__study__slug", "item_id", "slot", "characters", "pasted_at"
    ).iterator():
        yield {"study": study, "item": item, "field": slot, "characters": characters, "pasted_at": at}
