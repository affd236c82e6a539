"""What was credited for work that is rejected is taken back, and given again when an appeal is accepted: once each.

Nothing is changed in the ledger: both are corrections of the task, with the reason that its annotator reads.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.utils.translation import gettext

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.crowd.pay.makers import made_by
from annotation_platform.crowd.pay.models import OF_A_TASK, EntryKind, LedgerEntry, LedgerQuerySet
from annotation_platform.crowd.review.models import DONE_ANEW, Review, Verdict
from annotation_platform.studies.models import Assignment, Member, Study


def take_back(*, assignment: Assignment, annotator: Member, actor: Actor) -> LedgerEntry | None:
    """Take back what rejected work was credited with; None when that was nothing, or was taken back before."""
    return _correct_rejected(_review_of(assignment, annotator), actor)


def give_again(*, assignment: Assignment, annotator: Member, actor: Actor) -> LedgerEntry | None:
    """Credit again what was taken back of work that counts as approved after all; None when that was nothing."""
    review = _review_of(assignment, annotator)
    taken = _corrections(assignment, annotator).filter(amount__lt=0).first()
    if review is None or review.verdict != Verdict.APPROVED or taken is None:
        return None
    reason = review.appeal_note or review.because or gettext("What was done anew is approved.")
    return _correct(taken, -taken.amount, reason, actor)


def to_be_given_again(study: Study) -> LedgerQuerySet:
    """What was taken back of work that was done anew since, and is owed again once that is approved."""
    of_review = {
        "assignment__hit": OuterRef("hit"),
        "assignment__replicate": OuterRef("replicate"),
        "annotator": OuterRef("member"),
    }
    corrections = LedgerEntry.objects.filter(kind=EntryKind.CORRECTION)
    same = corrections.filter(hit=OuterRef("hit"), member=OuterRef("member"), replicate=OuterRef("replicate"))
    return corrections.filter(
        Exists(Review.objects.filter(DONE_ANEW, **of_review)),
        ~Exists(same.filter(amount__gt=0)),
        amount__lt=0,
        hit__batch__study=study,
    )


def take_back_what_is_rejected(study: Study, actor: Actor) -> int:
    """What was credited in the moment of the rejection; how many tasks that was."""
    rewarded = LedgerEntry.objects.filter(
        kind=EntryKind.REWARD, amount__gt=0, hit=OuterRef("assignment__hit"), member=OuterRef("annotator")
    ).filter(replicate=OuterRef("assignment__replicate"))
    taken = LedgerEntry.objects.filter(
        kind=EntryKind.CORRECTION, amount__lt=0, hit=OuterRef("assignment__hit"), member=OuterRef("annotator")
    ).filter(replicate=OuterRef("assignment__replicate"))
    rejected = Review.objects.filter(Exists(rewarded), ~Exists(taken), annotator__study=study, verdict=Verdict.REJECTED)
    reviews = rejected.exclude(DONE_ANEW).select_related("assignment", "annotator__study").order_by("pk")
    return sum(_correct_rejected(review, actor) is not None for review in reviews)


@transaction.atomic
def _correct_rejected(review: Review | None, actor: Actor) -> LedgerEntry | None:
    if review is None or review.verdict != Verdict.REJECTED:
        return None
    place, annotator = review.assignment, review.annotator
    credits = _of_task(place, annotator).filter(kind__in=OF_A_TASK)
    reward = credits.filter(kind=EntryKind.REWARD).first()
    credited = credits.aggregate(sum=Sum("amount", default=0))["sum"]
    if reward is None or not credited:
        return None
    return _correct(reward, -credited, review.because, actor)


def _correct(about: LedgerEntry, amount: int, reason: str, actor: Actor) -> LedgerEntry | None:
    """Enter a correction of a task, unless there is one of its sign: the database keeps out a second one."""
    entry = LedgerEntry(
        study_id=about.study_id,
        member_id=about.member_id,
        kind=EntryKind.CORRECTION,
        amount=amount,
        currency=about.currency,
        terms_id=about.terms_id,
        assignment_id=about.assignment_id,
        hit_id=about.hit_id,
        replicate=about.replicate,
        reason=reason,
        **made_by(actor, about.study_id),
    )
    same = LedgerEntry.objects.filter(
        kind=EntryKind.CORRECTION, hit=about.hit_id, member=about.member_id, replicate=about.replicate
    ).filter(Q(amount__lt=0) if amount < 0 else Q(amount__gt=0))
    had = same.exists()
    LedgerEntry.objects.bulk_create([entry], ignore_conflicts=True)
    if had or (made := same.first()) is None:
        return None
    change = {"amount": (0, amount), "because": ("", reason)}
    record(actor, Verb.PAY_CORRECTED, about.member, study=about.study, change=change)
    return made


def _corrections(place: Assignment, annotator: Member) -> QuerySet[LedgerEntry]:
    return _of_task(place, annotator).filter(kind=EntryKind.CORRECTION)


def _of_task(place: Assignment, annotator: Member) -> QuerySet[LedgerEntry]:
    return LedgerEntry.objects.filter(hit=place.hit_id, member=annotator, replicate=place.replicate)


def _review_of(place: Assignment, annotator: Member) -> Review | None:
    reviews = Review.objects.filter(assignment=place, annotator=annotator)
    return reviews.select_related("assignment", "annotator__study").first()
