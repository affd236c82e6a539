"""Cutting the answers of a corpus into HITs, and these into draft batches."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from typing import NamedTuple

from django.db.models import Count, Exists, Max, OuterRef

from annotation_platform.core.allocation import even_sizes, plan_hits, shuffled
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.models import Answer
from annotation_platform.jobs.transactions import Write, in_short_transaction
from annotation_platform.studies.models import Batch, Candidate, Hit, Item, Study
from annotation_platform.studies.services.mirroring import mark_mirrored

ROWS_AT_ONCE = 1_000
HITS_AT_ONCE = 200  # of four or five items each: about a thousand rows, too
GROUPS_READ = 100


def plan_batches(*, study: Study, write: Write = in_short_transaction) -> list[Batch]:
    """Cut all answers that are in no HIT yet into HITs, and these into draft batches, piece by piece.

    Under a scheme that judges candidates, an item is a question with all its answers; otherwise one answer. The study
    is one that nobody else plans at the same time: it is still arriving (see ``studies.arrivals``).
    """
    questions = _OpenQuestions(study)
    count = sum(1 if study.scheme().judges_candidates else group.rounds for group in questions.groups())
    if not count:
        raise InvalidInputError("studies.nothing_to_plan")
    hits = _planned_hits(study, questions.groups())
    batches = _store_plan(study, (islice(hits, size) for size in even_sizes(count, study.hits_per_batch)), write)
    mark_mirrored(study=study, write=write)
    return batches


def plan_single_items(
    *, study: Study, batches: Iterable[Iterable[Sequence[Answer]]], write: Write = in_short_transaction
) -> list[Batch]:
    """Make each item (its answers) a HIT of its own, for data collected elsewhere that do not tell their HITs."""
    return _store_plan(study, ((_single(study, answers) for answers in group) for group in batches), write)


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
            .exclude(_is_judged_in(study))
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
        .exclude(_is_judged_in(study))
        .order_by("system__name")
        .values_list("question_id", "system_id", "pk")
    ):
        found.setdefault(question_id, {})[system_id] = pk
    return found


def _is_judged_in(study: Study) -> Exists:
    """Whether an answer is in a HIT of the study, as a check of it is not."""
    return Exists(Candidate.objects.filter(study=study, answer=OuterRef("pk")))


def _single(study: Study, answers: Sequence[Answer]) -> PlannedHit:
    question = answers[0].question
    by_system = {answer.system_id: answer.pk for answer in answers}
    return PlannedHit(question.article_id, [(question.pk, _drawn(study, question.pk, by_system))])


def _drawn(study: Study, question_id: int, answers: Mapping[int, int]) -> list[int]:
    """The candidates of a group by number; drawn, so that no number belongs to a system."""
    return shuffled(list(answers.values()), seed=f"{study.pk}/{question_id}")


def _store_plan(study: Study, plan: Iterable[Iterable[PlannedHit]], write: Write) -> list[Batch]:
    first = (study.batches.aggregate(Max("number"))["number__max"] or 0) + 1
    batches = []
    waiting: list[tuple[Batch, int, PlannedHit]] = []
    for number, group in enumerate(plan, start=first):
        batch = Batch(study=study, number=number)
        batches.append(batch)
        for position, planned in enumerate(group, start=1):
            waiting.append((batch, position, planned))
            if len(waiting) == HITS_AT_ONCE:
                write(partial(_store_hits, study, waiting))
                waiting = []
    write(partial(_store_hits, study, waiting))
    return batches


def _store_hits(study: Study, planned: Sequence[tuple[Batch, int, PlannedHit]]) -> None:
    new = {batch.number: batch for batch, _, _ in planned if batch._state.adding}
    Batch.objects.bulk_create(new.values())
    hits = Hit.objects.bulk_create(
        Hit(batch=batch, article_id=plan.article_id, position=position) for batch, position, plan in planned
    )
    shown = [plan.items for _, _, plan in planned]
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
