"""Everything that writes studies: freezing schemes, cutting batches, opening, claiming, closing."""

import secrets
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby, islice
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Count, Exists, Max, OuterRef
from django.utils import timezone
from django.utils.text import slugify

from annotation_platform.accounts.models import User
from annotation_platform.core.allocation import even_sizes, plan_hits, shuffled
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.signature import signature
from annotation_platform.corpus.models import Answer, Corpus
from annotation_platform.studies.models import (
    Assignment,
    AssignmentState,
    Batch,
    BatchState,
    Candidate,
    Hit,
    Item,
    Member,
    Role,
    SchemeVersion,
    Study,
)

ROWS_AT_ONCE = 1_000
GROUPS_READ = 100


class NothingToClaimError(ConflictError):
    """No place is left for this annotator at the moment."""


class BatchStateError(ConflictError):
    """A batch is not in the state that the step needs."""


@transaction.atomic
def freeze_scheme(*, definition: Mapping[str, Any]) -> SchemeVersion:
    """The version of a checked scheme definition: the one already there, or the next number."""
    mark = signature(definition)
    key = definition["key"]
    last = SchemeVersion.objects.filter(key=key).aggregate(Max("number"))["number__max"] or 0
    version, _ = SchemeVersion.objects.get_or_create(
        signature=mark, defaults={"key": key, "number": last + 1, "definition": definition}
    )
    return version


@transaction.atomic
def create_study(*, name: str, corpus: Corpus, definition: Mapping[str, Any], **settings: Any) -> Study:
    """Make a study of a corpus under a scheme. ``settings`` are the study's own fields (overlap, …)."""
    if not name.strip() or len(name) > 200:
        raise InvalidInputError("A study needs a name of 1 to 200 characters.")
    slug = slugify(name)[:80] or f"study-{secrets.token_hex(3)}"
    if Study.objects.filter(name=name).exists() or Study.objects.filter(slug=slug).exists():
        raise InvalidInputError(f"There is a study named “{name}” already. Choose another name.")
    study = Study(name=name, slug=slug, corpus=corpus, scheme_version=freeze_scheme(definition=definition), **settings)
    for field, least in (
        ("overlap", 1),
        ("questions_per_hit", 1),
        ("hits_per_batch", 1),
        ("time_limit_minutes", 1),
    ):
        if getattr(study, field) < least:
            raise InvalidInputError(f"{field} is {getattr(study, field)}; it must be at least {least}.")
    study.save()
    return study


def add_member(*, study: Study, role: str, user: User | None = None, pseudonym: str = "") -> Member:
    """Let somebody into a study; without a pseudonym they get a random one."""
    return Member.objects.create(
        study=study,
        user=user,
        role=role,
        pseudonym=pseudonym or f"{role[0].upper()}-{secrets.token_hex(3).upper()}",
    )


@transaction.atomic
def plan_batches(*, study: Study) -> list[Batch]:
    """Cut all answers that are in no HIT yet into HITs, and these into draft batches.

    Under a scheme that judges candidates, an item is a question with all its answers; otherwise one answer.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # two plans at once would hold the same answers
    questions = _OpenQuestions(study)
    count = sum(1 if study.scheme().judges_candidates else group.rounds for group in questions.groups())
    if not count:
        raise InvalidInputError("Every answer of the corpus is in a batch already; there is nothing to plan.")
    hits = _planned_hits(study, questions.groups())
    return _store_plan(study, (islice(hits, size) for size in even_sizes(count, study.hits_per_batch)))


def plan_single_items(*, study: Study, batches: Iterable[Iterable[Sequence[Answer]]]) -> list[Batch]:
    """Make each item (its answers) a HIT of its own, for data collected elsewhere that do not tell their HITs."""
    return _store_plan(study, ((_single(study, answers) for answers in group) for group in batches))


class PlannedHit(NamedTuple):
    """A HIT to be: its article, and its items in order, each as question and answers by candidate number."""

    article_id: int
    items: Sequence[tuple[int, Sequence[int]]]


class _QuestionGroup(NamedTuple):
    """Questions of one article that are asked in the same HITs, and the most answers that one of them has."""

    article_id: int
    questions: Sequence[int]
    rounds: int


class _OpenQuestions:
    """The questions with answers that are in no HIT yet. Of a million of them, three numbers each are in memory."""

    def __init__(self, study: Study) -> None:
        self._most = study.questions_per_hit
        self._articles, self._questions, self._answers = array("q"), array("q"), array("q")
        rows = (
            Answer.objects.filter(question__article__corpus=study.corpus_id)
            .exclude(candidacies__study=study)
            .order_by("question__article__position", "question__article_id", "question__position", "question_id")
            .values_list("question__article_id", "question_id")
            .annotate(Count("pk"))
        )
        for article_id, question_id, answers in rows.iterator():
            self._articles.append(article_id)
            self._questions.append(question_id)
            self._answers.append(answers)

    def groups(self) -> Iterator[_QuestionGroup]:
        first = 0
        for article_id, questions in groupby(self._articles):
            for size in even_sizes(sum(1 for _ in questions), self._most):
                part = slice(first, first + size)
                yield _QuestionGroup(article_id, self._questions[part], max(self._answers[part]))
                first += size


def _planned_hits(study: Study, groups: Iterator[_QuestionGroup]) -> Iterator[PlannedHit]:
    """The HITs of groups of questions; answers are read a few hundred questions at a time."""
    while some := list(islice(groups, GROUPS_READ)):
        answers = _open_answers(study, some)
        for group in some:
            if study.scheme().judges_candidates:
                items = [(question, _drawn(study, question, answers[question])) for question in group.questions]
                yield PlannedHit(group.article_id, items)
                continue
            systems = {question: list(answers[question]) for question in group.questions}
            for hit in plan_hits(systems, questions_per_hit=study.questions_per_hit):
                yield PlannedHit(group.article_id, [(q, [answers[q][system]]) for q, system in hit.items])


def _open_answers(study: Study, groups: Sequence[_QuestionGroup]) -> dict[int, dict[int, int]]:
    """Question → system → answer that is in no HIT yet."""
    found: dict[int, dict[int, int]] = {}
    for question_id, system_id, pk in (
        Answer.objects.filter(question__in=[question for group in groups for question in group.questions])
        .exclude(candidacies__study=study)
        .order_by("system__name")
        .values_list("question_id", "system_id", "pk")
    ):
        found.setdefault(question_id, {})[system_id] = pk
    return found


def _single(study: Study, answers: Sequence[Answer]) -> PlannedHit:
    question = answers[0].question
    by_system = {answer.system_id: answer.pk for answer in answers}
    return PlannedHit(question.article_id, [(question.pk, _drawn(study, question.pk, by_system))])


def _drawn(study: Study, question_id: int, answers: Mapping[int, int]) -> list[int]:
    """The candidates of a group by number; drawn, so that no number belongs to a system."""
    return shuffled(list(answers.values()), seed=f"{study.pk}/{question_id}")


@transaction.atomic
def _store_plan(study: Study, plan: Iterable[Iterable[PlannedHit]]) -> list[Batch]:
    first = (study.batches.aggregate(Max("number"))["number__max"] or 0) + 1
    batches = []
    waiting: list[tuple[Hit, PlannedHit]] = []
    for number, group in enumerate(plan, start=first):
        batch = Batch.objects.create(study=study, number=number)
        batches.append(batch)
        for position, planned in enumerate(group, start=1):
            waiting.append((Hit(batch=batch, article_id=planned.article_id, position=position), planned))
            if len(waiting) == ROWS_AT_ONCE:
                _store_hits(study, waiting)
                waiting = []
    _store_hits(study, waiting)
    return batches


def _store_hits(study: Study, planned: Sequence[tuple[Hit, PlannedHit]]) -> None:
    hits = Hit.objects.bulk_create(hit for hit, _ in planned)
    shown = [plan.items for _, plan in planned]
    items = Item.objects.bulk_create(
        (
            Item(study=study, hit=hit, question_id=question_id, position=position)
            for hit, questions in zip(hits, shown, strict=True)
            for position, (question_id, _) in enumerate(questions, start=1)
        ),
        batch_size=ROWS_AT_ONCE,
    )
    Candidate.objects.bulk_create(
        (
            Candidate(item=item, study=study, answer_id=answer_id, number=number)
            for item, (_, answer_ids) in zip(items, (pair for questions in shown for pair in questions), strict=True)
            for number, answer_id in enumerate(answer_ids, start=1)
        ),
        batch_size=ROWS_AT_ONCE,
    )


@transaction.atomic
def open_batch(*, batch: Batch, deadline_at: datetime | None = None) -> None:
    """Launch a draft batch: make its places, as many for each HIT as the study's overlap, and open them."""
    now = timezone.now()
    if deadline_at is not None and deadline_at <= now:
        raise InvalidInputError("The deadline lies in the past. Choose a later one.")
    changed = Batch.objects.filter(pk=batch.pk, state=BatchState.DRAFT).update(
        state=BatchState.OPEN, opened_at=now, deadline_at=deadline_at
    )
    if not changed:
        raise BatchStateError(f"{batch} is open already or closed; only a draft can be opened.")
    Assignment.objects.bulk_create(
        (Assignment(hit=hit, place=place) for hit in batch.hits.all() for place in range(1, batch.study.overlap + 1)),
        batch_size=1000,
    )
    batch.refresh_from_db()


def store_filled_places(*, takers: Mapping[int, Sequence[tuple[Member, int]]]) -> list[Assignment]:
    """Store the places that were filled elsewhere; call :func:`launch_imported` when all of them are stored.

    ``takers``: HIT's pk → who judged it, as (annotator, replicate).
    """
    now = timezone.now()
    return Assignment.objects.bulk_create(
        (
            Assignment(
                hit_id=hit,
                place=place,
                annotator=annotator,
                replicate=replicate,
                state=AssignmentState.SUBMITTED,
                claimed_at=now,
                submitted_at=now,
            )
            for hit, taken in takers.items()
            for place, (annotator, replicate) in enumerate(taken, start=1)
        ),
        batch_size=ROWS_AT_ONCE,
    )


@transaction.atomic
def launch_imported(*, study: Study, finished: Sequence[Batch] = (), keep_drafts: bool = False) -> None:
    """Launch the draft batches of an import some of whose places were filled elsewhere.

    Parameters
    ----------
    finished
        Batches that get no more judgments: their HITs have the places that were filled, and they are closed.
        Every other HIT has as many places as the study's overlap; a batch is closed when all are filled.
    keep_drafts
        Leave batches that nobody has begun as drafts instead of opening them.

    Raises
    ------
    InvalidInputError
        When more annotators judged a HIT than the overlap allows.
    """
    now = timezone.now()
    closed = {"state": BatchState.CLOSED, "opened_at": now, "closed_at": now, "closed_because": "imported"}
    Batch.objects.filter(pk__in=[batch.pk for batch in finished]).update(**closed)
    for batch in study.batches.filter(state=BatchState.DRAFT):
        taken = dict(batch.hits.annotate(taken=Count("assignments")).order_by("position").values_list("pk", "taken"))
        if keep_drafts and not any(taken.values()):
            continue
        if (most := max(taken.values(), default=0)) > study.overlap:
            raise InvalidInputError(
                f"{most} annotators judged one HIT, but the study's overlap is {study.overlap}. Raise it."
            )
        free = [(hit, place) for hit, count in taken.items() for place in range(count + 1, study.overlap + 1)]
        Assignment.objects.bulk_create(
            (Assignment(hit_id=hit, place=place) for hit, place in free), batch_size=ROWS_AT_ONCE
        )
        opened = {"state": BatchState.OPEN, "opened_at": now}
        Batch.objects.filter(pk=batch.pk).update(**(opened if free else closed))


@transaction.atomic
def claim_assignment(*, annotator: Member) -> Assignment:
    """Give an annotator a place in an open batch: the one they hold already, or the next free one.

    A place is taken by a conditional update of its row, so two requests never get the same one; the annotator's
    row is locked first, so that one person's two requests get the same one.

    Raises
    ------
    NothingToClaimError
        When no HIT that this annotator has not had yet has a free place.
    """
    if annotator.role != Role.ANNOTATOR:
        raise InvalidInputError("Only annotators of a study take its tasks.")
    # Not the row's key: rows that refer to the annotator (a judgment just being stored) must not wait for this.
    Member.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    held = Assignment.objects.filter(
        annotator=annotator, state=AssignmentState.CLAIMED, hit__batch__state=BatchState.OPEN
    ).first()
    if held is not None:
        renew_lease(assignment=held)
        if held.annotator_id == annotator.pk:  # else the lease had run out and somebody was faster
            return held

    had_before = Assignment.objects.filter(hit=OuterRef("hit"), annotator=annotator)
    free = (
        Assignment.objects.takeable()
        .filter(~Exists(had_before), hit__batch__study=annotator.study_id)
        .select_for_update(
            skip_locked=connection.features.has_select_for_update_skip_locked,
            of=("self",) if connection.features.has_select_for_update_of else (),
        )
        .order_by("hit__batch__number", "hit__position", "place")
    )
    for place in free[:1]:
        if take_place(place=place, annotator=annotator):
            return place
    raise NothingToClaimError("There is no task for you at the moment. Please look in again later.")


def take_place(*, place: Assignment, annotator: Member) -> bool:
    """Take a free place of an open batch by a conditional update; False when somebody was faster.

    Judgments of a previous holder whose lease ran out stay as history but count no more: a place has one
    current judgment for each of its items.
    """
    now = timezone.now()
    lease = timedelta(minutes=annotator.study.time_limit_minutes)
    previous = place.annotator_id
    # The condition is about this row alone: the database checks it again after waiting for another writer.
    taken = (
        Assignment.objects.unheld()
        .filter(pk=place.pk, annotator=previous)
        .update(annotator=annotator, state=AssignmentState.CLAIMED, claimed_at=now, lease_expires_at=now + lease)
    )
    if taken and previous is not None:
        place.annotations.filter(is_current=True).exclude(annotator=annotator).update(is_current=False)
    place.refresh_from_db()
    return bool(taken)


def renew_lease(*, assignment: Assignment) -> None:
    """Give the holder of an expired lease a new one; a running lease stays as it is."""
    if not assignment.has_expired:
        return
    now = timezone.now()
    lease = timedelta(minutes=assignment.hit.batch.study.time_limit_minutes)
    Assignment.objects.filter(
        pk=assignment.pk,
        annotator=assignment.annotator_id,
        state=AssignmentState.CLAIMED,
        lease_expires_at__lt=now,
    ).update(lease_expires_at=now + lease)
    assignment.refresh_from_db(fields=["annotator", "state", "lease_expires_at"])


@transaction.atomic
def return_assignment(*, assignment: Assignment, annotator: Member) -> bool:
    """Give a claimed place back. What was typed stays with the annotator as drafts; False if it was not theirs."""
    returned = Assignment.objects.filter(pk=assignment.pk, annotator=annotator, state=AssignmentState.CLAIMED).update(
        annotator=None, state=AssignmentState.OPEN, claimed_at=None, lease_expires_at=None
    )
    if returned:
        assignment.annotations.filter(is_current=True).update(is_current=False)
    return bool(returned)


@transaction.atomic
def close_batch(*, batch: Batch, because: str) -> bool:
    """Close an open batch; False when it was not open (any more). Judgments already submitted count.

    The rows of its places are locked until the end, so a submission under way is either in before the batch
    closes or sees it closed.
    """
    closed = Batch.objects.filter(pk=batch.pk, state=BatchState.OPEN).update(
        state=BatchState.CLOSED, closed_at=timezone.now(), closed_because=because
    )
    if closed:
        list(Assignment.objects.filter(hit__batch=batch).select_for_update().order_by("pk").values_list("pk"))
        batch.refresh_from_db()
    return bool(closed)


def close_batch_if_complete(*, batch: Batch) -> bool:
    """Close a batch all of whose places are submitted. Call it after the last submission has been committed."""
    unfinished = Assignment.objects.filter(hit__batch=batch).exclude(state=AssignmentState.SUBMITTED)
    if unfinished.exists():
        return False
    return close_batch(batch=batch, because="all places submitted")


def close_due_batches() -> list[Batch]:
    """Close every open batch that is complete or past its deadline, and return them."""
    now = timezone.now()
    closed = []
    for batch in Batch.objects.filter(state=BatchState.OPEN):
        is_late = batch.deadline_at is not None and batch.deadline_at <= now
        if (is_late and close_batch(batch=batch, because="deadline reached")) or close_batch_if_complete(batch=batch):
            closed.append(batch)
    return closed
