"""Reads across models of a study."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Length

from annotation_platform.accounts.models import User
from annotation_platform.core.allocation import shuffled
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import ItemShape, Scheme
from annotation_platform.core.schemes.aspects import CHOICE_LETTERS
from annotation_platform.core.schemes.spans import BETWEEN_SENTENCES, named_texts
from annotation_platform.core.turns import Conversation, as_turns, conversation_of
from annotation_platform.corpus.models import Answer, Corpus, Question, ReferenceDocument, Sentence
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.items import item_text_blocks
from annotation_platform.studies.models import Assignment, Candidate, Item, Member, Role, Study

TASKS_TIMED, FEWEST_TIMED = 200, 5
QUESTIONS_AT_ONCE = 1_000
NAMED = 3  # questions that a reason names
MOST_LETTERS = len(CHOICE_LETTERS)


def _studies_of(*roles: Role) -> CompiledQuery:
    return CompiledQuery(
        lambda user, slug: (
            Study.objects.with_role(user, *roles).select_related("scheme_version", "corpus").filter(slug=slug)
        )
    )


_BY_READER, _BY_ADMIN = _studies_of(Role.RESEARCHER, Role.ADMIN), _studies_of(Role.ADMIN)
_MEMBER = CompiledQuery(lambda study, user: Member.objects.filter(study=study, user=user))


def study_for_reader(user: Any, slug: str) -> Study:
    """The study, for its researchers and admins.

    Raises
    ------
    NotThereError
        For everybody else, as if it did not exist.
    """
    return _study(_BY_READER, user, slug)


def study_for_admin(user: Any, slug: str) -> Study:
    """The study, for its admins only; see :func:`study_for_reader`. Its researchers are told whose page it is."""
    try:
        return _study(_BY_ADMIN, user, slug)
    except NotThereError:
        if Study.objects.visible_to(user).filter(slug=slug).exists():
            raise NotThereError("studies.for_admins") from None
        raise


def mirror_partners(user: Any, study: Study) -> QuerySet[Study]:
    """The studies that this one can share its mirrored items with: those that the user reads, without rounds."""
    return Study.objects.visible_to(user).exclude(pk=study.pk).filter(qualifies_for=None)


def mirror_partner(user: Any, study: Study, slug: str | None) -> Study | None:
    """The one that was asked for; None where none was.

    Raises
    ------
    InvalidInputError
        When it is none of :func:`mirror_partners`.
    """
    if not slug:
        return None
    if (partner := mirror_partners(user, study).filter(slug=slug).first()) is None:
        raise InvalidInputError("studies.mirrors_not_shared")
    return partner


def membership(user: Any, study: Study, *roles: Role) -> Member:
    """The user's membership of a study in one of these roles (any, when none is named); of a round, of its study.

    Raises
    ------
    NotThereError
        When they have none.
    """
    team = study.qualifies_for_id or study.pk
    member: Member | None = _MEMBER.first(team, user.pk)
    if member is None or (roles and member.role not in roles):
        raise NotThereError("studies.no_study")
    if team == study.pk:
        member.study = study
    return member


def annotator_in(user: Any, slug: str) -> Member:
    """The user's membership as an annotator of a study, with the study.

    Raises
    ------
    NotThereError
        When they are no annotator of it, as if there were no such study.
    """
    members = Member.objects.filter(study__slug=slug, user=user.pk, role=Role.ANNOTATOR).select_related("study")
    if (member := members.first()) is None:
        raise NotThereError("studies.no_study")
    return member


@dataclass(frozen=True)
class TaskTime:
    """How long a task takes: minutes, and whether that was measured; None where nobody has said."""

    minutes: int | None
    is_measured: bool


def task_time(study: Study) -> TaskTime:
    """The median of the newest tasks that were timed, or what the researcher wrote."""
    newest = Assignment.objects.filter(hit__batch__study=study, submitted_at__isnull=False).order_by("-submitted_at")
    timed = Q(annotations__is_current=True)
    seconds = (
        Assignment.objects.filter(pk__in=list(newest.values_list("pk", flat=True)[:TASKS_TIMED]))
        .annotate(seconds=Sum("annotations__seconds", filter=timed))
        .filter(seconds__gt=0)
        .values_list("seconds", flat=True)
    )
    if len(found := list(seconds)) >= FEWEST_TIMED:
        return TaskTime(max(round(median(found) / 60), 1), is_measured=True)
    return TaskTime(study.task_minutes, is_measured=False)


def item_shape(item: Item, scheme: Scheme | None = None) -> ItemShape:
    """How much of everything an item has, for the check of its judgments.

    Under which scheme they are checked says whether its texts count; without one they are left out.
    """
    shape = ItemShape(
        sentences=item.question.article.sentence_count,
        documents=document_lengths(item.question_id),
        choices=len(item.question.choices),
        candidates=Candidate.every.filter(item=item).count(),
    )
    return with_texts(shape, shapes_of_texts(scheme, Item.every.filter(pk=item.pk)).get(item.pk)) if scheme else shape


def shapes_of_texts(scheme: Scheme, items: QuerySet[Item]) -> dict[int, ItemShape]:
    """By item the lengths of the texts in which a scheme has spans marked, and the turns in which it has sentences
    cited; empty where it has neither."""
    parts = scheme.marked_parts | scheme.parts_of_conversation
    return {each.id: each.shape for block in item_text_blocks(items, parts) for each in block} if parts else {}


def with_texts(shape: ItemShape, texts: ItemShape | None) -> ItemShape:
    """A shape with what one of :func:`shapes_of_texts` says besides."""
    return replace(shape, texts=texts.texts, turns=texts.turns) if texts else shape


def turns_of_answers(scheme: Scheme, question: Question, answers: Sequence[Answer]) -> Conversation:
    """The turns that can be cited of a question with an answer, or with the candidates of a group; empty where the
    scheme cites none."""
    if not scheme.cites_conversation:
        return ()
    said = [as_turns("assistant", each.talk, each.text) for each in answers]
    shown = scheme.parts_of_conversation
    return conversation_of(
        as_turns("user", question.talk, question.text),
        said[0] if said and "answer" in shown else (),
        said if "candidates" in shown else (),
        question.article.corpus.language,
    )


def lengths_of_answers(
    scheme: Scheme, given: Sequence[tuple[Question, Sequence[Answer]]]
) -> list[tuple[tuple[str, int], ...]]:
    """The lengths of the texts in which a scheme has spans marked, of questions that are in no item yet.

    Each comes with its answer, or with the candidates of a group. Two queries for every thousand questions; the texts
    of documents are not read.
    """
    if not scheme.marked_parts:
        return [()] * len(given)
    found: list[tuple[tuple[str, int], ...]] = []
    for first in range(0, len(given), QUESTIONS_AT_ONCE):
        block = given[first : first + QUESTIONS_AT_ONCE]
        references: dict[int, dict[int, int]] = {}
        rows = ReferenceDocument.objects.filter(question__in={question.pk for question, _ in block})
        for question_id, number, article in rows.order_by("number").values_list("question_id", "number", "article_id"):
            references.setdefault(question_id, {})[number] = article
        articles = {question.article_id for question, _ in block}
        articles.update(article for of_question in references.values() for article in of_question.values())
        lengths = _lengths_of_documents(articles)
        for question, answers in block:
            documents = {"article": question.article_id} | {
                f"R{number}": article for number, article in references.get(question.pk, {}).items()
            }
            of_documents = {name: lengths[article] for name, article in documents.items() if article in lengths}
            texts = _texts_beside_documents(scheme, question, answers)
            found.append(tuple(({name: len(text) for name, text in texts.items()} | of_documents).items()))
    return found


def _texts_beside_documents(scheme: Scheme, question: Question, answers: Sequence[Answer]) -> dict[str, str]:
    is_group = scheme.judges_candidates
    alone = {} if is_group or not answers else {"answer": answers[0].text, "rationale": answers[0].rationale}
    candidates = [each.text for each in answers] if is_group else ()
    return named_texts({"question": question.text, **alone}, candidates, (), (), question.reference_answers)


def _lengths_of_documents(articles: Iterable[int]) -> dict[int, int]:
    """How long each text of these documents is that is there, in code points, with what stands between sentences."""
    rows = Sentence.objects.filter(article__in=articles).order_by().values_list("article")
    measured = rows.annotate(characters=Sum(Length("text")), count=Count("pk"))
    return {
        article: characters + (count - 1) * len(BETWEEN_SENTENCES)
        for article, characters, count in measured
        if characters + count > 1
    }


def document_lengths(question_id: int) -> tuple[int, ...]:
    """The number of sentences of each reference document of a question, by its number."""
    return documents_of([question_id]).get(question_id, ())


def documents_of(question_ids: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """As :func:`document_lengths`, by the keys of the questions that have such documents."""
    rows = ReferenceDocument.objects.filter(question__in=question_ids)
    lengths: dict[int, dict[int, int]] = {}
    for question_id, number, length in rows.values_list("question_id", "number", "article__sentence_count"):
        lengths.setdefault(question_id, {})[number] = length
    return {question_id: _in_order(found) for question_id, found in lengths.items()}


def item_shapes(study: Study, scheme: Scheme | None = None) -> dict[int, ItemShape]:
    """The shapes of all items of a study, by their primary keys: as :func:`item_shape`, in three questions.

    Where the scheme has spans marked, or turns cited, the texts are read in blocks besides.
    """
    all_items = Item.every.filter(study=study)
    texts = shapes_of_texts(scheme, all_items) if scheme else {}
    documents: dict[int, dict[int, int]] = {}
    for question_id, number, length in ReferenceDocument.objects.filter(question__items__study=study).values_list(
        "question_id", "number", "article__sentence_count"
    ):
        documents.setdefault(question_id, {})[number] = length
    candidates = dict(all_items.annotate(count=Count("candidates")).values_list("pk", "count"))
    items = all_items.values_list("pk", "question_id", "question__article__sentence_count", "question__choices")
    return {
        pk: with_texts(
            ItemShape(
                sentences=sentences,
                documents=_in_order(documents.get(question_id, {})),
                choices=len(choices),
                candidates=candidates[pk],
            ),
            texts.get(pk),
        )
        for pk, question_id, sentences, choices in items
    }


def presentation_order(*, item_id: int, member_id: int, count: int) -> list[int]:
    """The numbers of an item's candidates in the order that this annotator sees them, every time."""
    return shuffled(range(1, count + 1), seed=f"{item_id}/{member_id}")


def corpora_of(user: User) -> QuerySet[Corpus]:
    """The corpora that a user may make studies of: theirs, and those of studies they may read; for staff, all."""
    if user.is_staff:
        return Corpus.objects.order_by("name")
    theirs = Q(owner=user) | Q(studies__in=Study.objects.visible_to(user))
    return Corpus.objects.filter(theirs).distinct().order_by("name")


@dataclass(frozen=True)
class Fit:
    """How a corpus fits a scheme: how many items it makes, what it lacks, and what is only worth knowing."""

    items: int
    lacks: tuple[Reason, ...]
    notes: tuple[Reason, ...]


def fit_of(corpus: Corpus, scheme: Scheme) -> Fit:
    """Whether a corpus has what the scheme shows; each reason says how many questions lack it, and names some."""
    answers = Answer.objects.filter(question__article__corpus=corpus)
    questions = Question.objects.filter(article__corpus=corpus, answers__isnull=False).distinct()
    items = questions.count() if scheme.judges_candidates else answers.count()
    withheld = questions.filter(article__sentence_count=0).count() if "article" in scheme.parts else 0
    silent = Question.objects.filter(article__corpus=corpus, answers__isnull=True).count()
    notes = (("studies.note_withheld", withheld), ("studies.note_without_answers", silent))
    return Fit(
        items=items,
        lacks=tuple(_lacks(scheme, questions, answers)) if items else (Reason("studies.corpus_without_answers"),),
        notes=tuple(Reason(code, count=count) for code, count in notes if count),
    )


def _lacks(scheme: Scheme, questions: QuerySet[Question], answers: QuerySet[Answer]) -> Iterator[Reason]:
    parts = scheme.parts
    lacking: list[tuple[str, QuerySet[Question]]] = []
    if "documents" in parts:
        lacking.append(("studies.lacks_documents", questions.filter(reference_documents__isnull=True)))
    if "choices" in parts:
        sizes = {pk: len(choices) for pk, choices in questions.values_list("pk", "choices")}
        wrong = [pk for pk, size in sizes.items() if not 2 <= size <= MOST_LETTERS]
        lacking.append(("studies.lacks_choices", questions.filter(pk__in=wrong)))
    if "reference_answers" in parts:
        lacking.append(("studies.lacks_reference_answers", questions.filter(reference_answers=[])))
    if "rationale" in parts:
        lacking.append(("studies.lacks_rationale", questions.filter(answers__in=answers.filter(rationale=""))))
    if scheme.judges_candidates:
        sized = questions.annotate(size=Count("answers", distinct=True))
        lacking.append(("studies.lacks_other_answers", sized.filter(size=1)))
        lacking.append(("studies.too_many_answers", sized.filter(size__gt=MOST_LETTERS)))
    for code, which in lacking:
        if count := which.count():
            yield Reason(code, count=count, most=MOST_LETTERS, questions=_named(which))


def _named(questions: QuerySet[Question]) -> str:
    """The first few, by their texts and the identifiers that they have in the corpus's file."""
    first = questions.select_related("article").order_by("article__position", "position")[: NAMED + 1]
    named = [f"“{each.text[:60]}” ({each.article.external_id}, {each.external_id})" for each in first]
    return ", ".join(named[:NAMED]) + (", …" if len(named) > NAMED else "")


def _in_order(lengths: dict[int, int]) -> tuple[int, ...]:
    return tuple(lengths.get(number, 0) for number in range(1, max(lengths, default=0) + 1))


def _study(asked: CompiledQuery, user: Any, slug: str) -> Study:
    study: Study | None = asked.first(user.pk, slug)
    if study is None:
        raise NotThereError("studies.no_study")
    return study
