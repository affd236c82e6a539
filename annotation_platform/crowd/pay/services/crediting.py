"""Crediting people with what they have earned. Whatever happens in whatever order, a task is paid once.

A task is a HIT of one annotator: what they were credited with for a part of it, which they gave back, is taken from
its reward once they have finished it after all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from django.db import transaction
from django.db.models import Count, Exists, Min, OuterRef, QuerySet, Sum

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.pay.imported import IMPORTED, is_imported
from annotation_platform.crowd.pay.makers import made_by
from annotation_platform.crowd.pay.models import OF_A_TASK, EntryKind, LedgerEntry, PayTerms
from annotation_platform.crowd.pay.money import share
from annotation_platform.crowd.pay.services.taking_back import give_again
from annotation_platform.crowd.pay.terms import Versions, versions_of
from annotation_platform.crowd.review.models import DONE_ANEW, SUBMITTED_AGAIN, UNDER_APPEAL, Review, Verdict
from annotation_platform.studies.models import (
    FINISHED_STATES,
    Assignment,
    AssignmentState,
    Batch,
    Item,
    Member,
    SetAside,
    Study,
)

_REWARDS = LedgerEntry.objects.filter(
    kind=EntryKind.REWARD, hit=OuterRef("hit"), member=OuterRef("annotator"), replicate=OuterRef("replicate")
)
WITHOUT_REWARD = ~Exists(_REWARDS) & ~IMPORTED
"""Of submitted places: not credited with their reward yet. Imported work is paid nowhere here."""
TRIES = 3
Task = tuple[int | None, int | None, int]
"""HIT, annotator, replicate: what is paid once."""


def credit_assignment(*, assignment: Assignment, annotator: Member, actor: Actor) -> LedgerEntry | None:
    """Credit approved work with its reward; calling it again changes nothing. None where no pay was agreed, and for
    imported work, which others have paid.

    Work that was set aside can be approved after all, also where somebody else has its place by now.

    Raises
    ------
    InvalidInputError
        When the annotator has not submitted it.
    """
    place = _as_submitted(assignment, annotator)
    if is_imported(annotator):
        return None
    for _ in range(TRIES):
        credit_submitted(study=annotator.study, places=[place], actor=actor)
        if found := _rewards([place]):
            give_again(assignment=place, annotator=annotator, actor=actor)
            return found[0]
        if versions_of(annotator.study_id) is None:
            return None
    raise ConflictError("crowd.pay_credited_elsewhere")  # a part of it, again and again at the same moment


@transaction.atomic
def credit_submitted(*, study: Study, places: Sequence[Assignment], actor: Actor) -> int:
    """Credit submitted tasks of a study that have no reward yet; how many now have one.

    One that somebody else credits at the same moment is left to them.
    """
    versions = versions_of(study.pk)
    if versions is None or not places:
        return 0
    before = _credited_before(places)
    has_reward = {_task(each) for each in _rewards(places)}
    by = made_by(actor, study.pk)
    entries = []
    for place in sorted(places, key=attrgetter("pk")):  # as whoever approves many enters them one by one meanwhile
        if place.annotator_id is None or _task(place) in has_reward:
            continue
        terms, earlier = versions.of(place), before.get(_task(place), 0)
        entries.append(
            LedgerEntry(
                study=study,
                member_id=place.annotator_id,
                kind=EntryKind.REWARD,
                amount=max(terms.reward - earlier, 0),
                currency=terms.currency,
                terms=terms,
                assignment=place,
                hit_id=place.hit_id,
                replicate=place.replicate,
                before=earlier,
                **by,
            )
        )
    LedgerEntry.objects.bulk_create(entries, ignore_conflicts=True)
    made = len(_rewards(places)) - len(has_reward)
    if made:
        subject = places[0] if len(places) == 1 else study
        record(actor, Verb.PAY_CREDITED, subject, study=study, change={"tasks": (0, made)})
    return made


@transaction.atomic
def credit_returned(*, assignment: Assignment, annotator: Member, actor: Actor) -> LedgerEntry | None:
    """Credit what was done of a task that was given back or not finished, by the share that the terms name.

    None when nothing is due: nothing was agreed or done, the task was submitted, set aside or is theirs again, or so
    much was credited before.
    """
    study, hit = annotator.study, assignment.hit
    versions = versions_of(study.pk)
    if versions is None or _is_in_hand_or_rewarded(assignment, annotator):
        return None
    part = parts_due(versions, [(assignment, annotator)]).get((assignment.pk, annotator.pk))
    if part is None:
        return None
    entry = LedgerEntry(
        study=study,
        member=annotator,
        kind=EntryKind.PARTIAL,
        amount=part.amount,
        currency=part.terms.currency,
        terms=part.terms,
        assignment=assignment,
        hit=hit,
        replicate=assignment.replicate,
        items=part.items,
        before=part.before,
        **made_by(actor, study.pk),
    )
    LedgerEntry.objects.bulk_create([entry], ignore_conflicts=True)
    parts = LedgerEntry.objects.filter(hit=hit, member=annotator, replicate=assignment.replicate, before=part.before)
    stored = parts.filter(kind=EntryKind.PARTIAL, amount=part.amount, items=part.items).first()
    if stored is not None:
        change = {"items": (0, part.items), "amount": (0, part.amount)}
        record(actor, Verb.PAY_CREDITED, annotator, study=study, change=change)
    return stored


@dataclass(frozen=True)
class Part:
    """What is due for a part of a task: the items that are done, and what was credited for some of them before."""

    terms: PayTerms
    items: int
    amount: int
    before: int


def parts_due(versions: Versions, tasks: Sequence[tuple[Assignment, Member]]) -> dict[tuple[int, int], Part]:
    """Keys of a place and an annotator → what is due if the task is not theirs any more, where that is something.

    Which terms hold is said by the first judgment.
    """
    hits, annotators = {place.hit_id for place, _ in tasks}, {annotator.pk for _, annotator in tasks}
    judged = Annotation.objects.filter(item__hit__in=hits, item__is_check=False, annotator__in=annotators).order_by()
    done = {
        (hit, annotator, replicate): (begun, items)
        for hit, annotator, replicate, begun, items in judged.values_list(
            "item__hit", "annotator", "assignment__replicate"
        ).annotate(begun=Min("created_at"), items=Count("item", distinct=True))
    }
    of_hits = Item.objects.filter(hit__in=hits, is_check=False).order_by()
    sizes = dict(of_hits.values_list("hit").annotate(size=Count("pk")))
    credited = _credited_before([place for place, _ in tasks])
    found = {}
    for place, annotator in tasks:
        task = (place.hit_id, annotator.pk, place.replicate)
        if (mine := done.get(task)) is None:
            continue
        begun, items = mine
        terms, before = versions.at(begun), credited.get(task, 0)
        amount = share(terms.reward, terms.returned_percent, items, sizes[place.hit_id]) - before
        if amount > 0:
            found[place.pk, annotator.pk] = Part(terms, items, amount, before)
    return found


def _is_in_hand_or_rewarded(place: Assignment, annotator: Member) -> bool:
    """Whether a task is no returned one of somebody's: they have it, submitted it, or it was set aside.

    The same HIT in another attempt at a round is another task.
    """
    hit, replicate = place.hit_id, place.replicate
    places = Assignment.objects.filter(hit=hit, annotator=annotator, replicate=replicate)
    aside = SetAside.objects.filter(assignment__hit=hit, assignment__replicate=replicate, annotator=annotator)
    rewards = LedgerEntry.objects.filter(hit=hit, member=annotator, replicate=replicate, kind=EntryKind.REWARD)
    return (
        places.exclude(state=AssignmentState.CLAIMED, hit__batch__state__in=FINISHED_STATES).exists()
        or aside.filter(restored_at=None).exists()
        or rewards.exists()
    )


@transaction.atomic
def credit_bonus(*, batch: Batch, actor: Actor) -> int:
    """Credit everybody with the bonus on their rewards in a finished batch, once; how many now have one.

    Who has a task there that is not decided yet, because it waits, also done anew, or its appeal does, gets theirs with
    a later call. A bonus goes by the terms of each task, and is rounded once.

    Raises
    ------
    InvalidInputError
        When the batch has not closed.
    """
    if batch.state not in FINISHED_STATES:
        raise InvalidInputError("crowd.pay_batch_not_closed", number=batch.number)
    versions = versions_of(batch.study_id)
    if versions is None or not any(terms.bonus_percent for terms in versions.all):
        return 0
    entries = []
    for member, parts in bonus_bases(batch).items():
        percents = {terms.pk: terms.bonus_percent for terms in versions.all}
        amount = share(sum(earned * percents[terms] for terms, earned in parts.items()), 1)
        if amount > 0:
            newest = max(parts, key=lambda pk: next(terms.number for terms in versions.all if terms.pk == pk))
            entries.append(
                LedgerEntry(
                    study_id=batch.study_id,
                    member_id=member,
                    kind=EntryKind.BONUS,
                    amount=amount,
                    currency=versions.newest.currency,
                    terms_id=newest,
                    batch=batch,
                    **made_by(actor, batch.study_id),
                )
            )
    bonuses = LedgerEntry.objects.filter(batch=batch, kind=EntryKind.BONUS)
    had = bonuses.count()
    LedgerEntry.objects.bulk_create(entries, ignore_conflicts=True)
    if made := bonuses.count() - had:
        record(actor, Verb.PAY_BONUS_CREDITED, batch, study=batch.study, change={"people": (0, made)})
    return made


def brought_once_approved(versions: Versions, places: Sequence[Assignment]) -> list[tuple[str, int]]:
    """Currency and amount of what each task that waits still brings: of its reward what was not credited for a part
    of it before, and where it was done anew, what was taken back."""
    before, rewards = _credited_before(places), {_task(each): each for each in _rewards(places)}
    corrected = LedgerEntry.objects.filter(kind=EntryKind.CORRECTION, hit__in={place.hit_id for place in places})
    sums = corrected.order_by().values_list("hit", "member", "replicate").annotate(sum=Sum("amount"))
    corrections = {(hit, member, replicate): amount for hit, member, replicate, amount in sums}
    found = []
    for place in places:
        task, terms = _task(place), versions.of(place)
        if (reward := rewards.get(task)) is None:
            found.append((terms.currency, max(terms.reward - before.get(task, 0), 0)))
        else:
            found.append((reward.currency, max(-corrections.get(task, 0), 0)))
    return found


def without_reward(places: QuerySet[Assignment]) -> QuerySet[Assignment]:
    return places.filter(WITHOUT_REWARD, state=AssignmentState.SUBMITTED)


def waiting_for_credit(places: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Those of submitted places that have no reward yet, or were done anew after it was taken back."""
    done_anew = Exists(Review.objects.filter(DONE_ANEW, assignment=OuterRef("pk")))
    return places.filter(WITHOUT_REWARD | done_anew, state=AssignmentState.SUBMITTED)


def approved_aside(study: Study) -> QuerySet[Review]:
    """The verdicts on approved work that is aside and has no reward: it was approved before any pay was agreed."""
    rewarded = LedgerEntry.objects.filter(
        kind=EntryKind.REWARD,
        hit=OuterRef("assignment__hit"),
        member=OuterRef("annotator"),
        replicate=OuterRef("assignment__replicate"),
    )
    aside = SetAside.objects.filter(assignment=OuterRef("assignment"), annotator=OuterRef("annotator"))
    approved = Review.objects.filter(~IMPORTED, annotator__study=study, verdict=Verdict.APPROVED)
    is_aside = Exists(aside.filter(submitted_at__isnull=False, restored_at=None))
    return approved.filter(is_aside, ~SUBMITTED_AGAIN, ~Exists(rewarded)).order_by("submitted_at", "pk")


def bonus_bases(batch: Batch) -> dict[int, dict[int, int]]:
    """Member → terms → what they earned under them in a batch; of those who wait for a bonus and for nothing else."""
    waiting = without_reward(Assignment.objects.filter(hit__batch=batch)).values("annotator")
    undecided = Review.objects.filter(UNDER_APPEAL | DONE_ANEW, assignment__hit__batch=batch).values("annotator")
    have = LedgerEntry.objects.filter(batch=batch, kind=EntryKind.BONUS).values("member")
    same = LedgerEntry.objects.filter(hit=OuterRef("hit"), member=OuterRef("member"), replicate=OuterRef("replicate"))
    rewarded = same.filter(kind=EntryKind.REWARD)
    earned = (
        LedgerEntry.objects.filter(Exists(rewarded), hit__batch=batch, kind__in=[*OF_A_TASK, EntryKind.CORRECTION])
        .exclude(member__in=waiting)
        .exclude(member__in=undecided)
        .exclude(member__in=have)
        .order_by()
        .values_list("member", "terms")
        .annotate(sum=Sum("amount"))
        .filter(sum__gt=0)
    )
    bases: dict[int, dict[int, int]] = {}
    for member, terms, amount in earned:
        bases.setdefault(member, {})[terms] = amount
    return bases


def _as_submitted(assignment: Assignment, annotator: Member) -> Assignment:
    """The place as it was when this annotator had submitted it."""
    place = Assignment.objects.get(pk=assignment.pk)
    if place.annotator_id == annotator.pk and place.state == AssignmentState.SUBMITTED:
        return place
    aside = SetAside.objects.filter(assignment=place, annotator=annotator, submitted_at__isnull=False).last()
    if aside is None:
        raise InvalidInputError("crowd.pay_not_submitted")
    place.annotator, place.claimed_at, place.submitted_at = annotator, None, aside.submitted_at
    return place


def _credited_before(places: Iterable[Assignment]) -> dict[Task, int]:
    """What each task was credited with so far."""
    found = LedgerEntry.objects.filter(kind__in=OF_A_TASK, hit__in={place.hit_id for place in places})
    sums = found.order_by().values_list("hit", "member", "replicate").annotate(sum=Sum("amount"))
    return {(hit, member, replicate): amount for hit, member, replicate, amount in sums}


def _rewards(places: Sequence[Assignment]) -> list[LedgerEntry]:
    """The rewards of the tasks of submitted places."""
    tasks = {_task(place) for place in places}
    hits = {place.hit_id for place in places}
    found = LedgerEntry.objects.filter(hit__in=hits, kind=EntryKind.REWARD)
    return [entry for entry in found if _task(entry) in tasks]


def _task(row: Assignment | LedgerEntry) -> Task:
    person = row.annotator_id if isinstance(row, Assignment) else row.member_id
    return row.hit_id, person, row.replicate
