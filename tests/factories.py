"""Real rows for tests: corpora by factory_boy, everything that has a service by its service."""

import random
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import factory
from factory.django import DjangoModelFactory

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.annotations.services import submit_judgment
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Answer, Article, Corpus, Question, Sentence, System
from annotation_platform.scoring.models import ScoringSettings
from annotation_platform.scoring.services.changing import SETTINGS
from annotation_platform.studies.models import Assignment, Batch, BatchState, Item, Member, Role, Study
from annotation_platform.studies.services import (
    NothingToClaimError,
    add_member,
    claim_assignment,
    close_batch,
    close_batch_if_complete,
    create_study,
    open_batch,
    plan_batches,
)
from tests.judged_in_bulk import SECONDS, judge_in_bulk

OPERATOR = Actor.operator("tests")  # who acts where a test is not about that
PASSWORD = "a long and quiet password"
SYSTEMS = ("alder", "birch", "cedar")
LABELS = ("complete", "missing_minor", "missing_major", "missing_all")


class InOrder:
    """Numbers of one width, so that names come in the order in which rows were made, whatever tests ran before."""

    @classmethod
    def _setup_next_sequence(cls) -> int:
        return 1001


class UserFactory(InOrder, DjangoModelFactory[User]):
    class Meta:
        model = User

    email = factory.Sequence(lambda n: f"person{n}@example.org")
    password = PASSWORD

    @classmethod
    def _create(cls, model_class: type[User], *args: Any, **kwargs: Any) -> User:
        return model_class.objects.create_user(**kwargs)


class CorpusFactory(InOrder, DjangoModelFactory[Corpus]):
    class Meta:
        model = Corpus

    name = factory.Sequence(lambda n: f"Corpus {n}")


class ArticleFactory(InOrder, DjangoModelFactory[Article]):
    """An article; ``ArticleFactory(sentences=0)`` is one whose text is withheld."""

    class Meta:
        model = Article
        skip_postgeneration_save = True

    corpus = factory.SubFactory(CorpusFactory)
    external_id = factory.Sequence(lambda n: f"article-{n}")
    title = factory.LazyAttribute(lambda article: f"About {article.external_id}")
    position = factory.Sequence(lambda n: n + 1)

    @factory.post_generation
    def sentences(self: Article, create: bool, count: int | None, **_: Any) -> None:
        self.sentence_count = 8 if count is None else count
        self.save()
        Sentence.objects.bulk_create(
            Sentence(article=self, number=n, text=f"Sentence {n} tells of matter {n}.")
            for n in range(1, self.sentence_count + 1)
        )


class QuestionFactory(InOrder, DjangoModelFactory[Question]):
    class Meta:
        model = Question

    article = factory.SubFactory(ArticleFactory)
    external_id = factory.Sequence(lambda n: f"q{n}")
    position = factory.Sequence(lambda n: n + 1)
    text = factory.LazyAttribute(lambda question: f"What about {question.external_id}?")
    anchor = 1


class SystemFactory(InOrder, DjangoModelFactory[System]):
    class Meta:
        model = System

    corpus = factory.SubFactory(CorpusFactory)
    name = factory.Sequence(lambda n: f"system-{n}")


class AnswerFactory(InOrder, DjangoModelFactory[Answer]):
    class Meta:
        model = Answer

    question = factory.SubFactory(QuestionFactory)
    system = factory.SubFactory(SystemFactory, corpus=factory.SelfAttribute("..question.article.corpus"))
    text = factory.LazyAttribute(lambda answer: f"{answer.system.name} answers {answer.question.external_id}.")


class MemberFactory(InOrder, DjangoModelFactory[Member]):
    """A member of a study, by default an annotator with an account."""

    class Meta:
        model = Member

    study = factory.LazyFunction(lambda: make_study())
    user = factory.SubFactory(UserFactory)
    role = Role.ANNOTATOR
    pseudonym = factory.LazyAttributeSequence(lambda member, n: f"{member.role[0].upper()}-{n:06}")

    @classmethod
    def _create(cls, model_class: type[Member], *args: Any, **kwargs: Any) -> Member:
        return add_member(**{"actor": OPERATOR, **kwargs})


def make_corpus(
    *, articles: int = 1, questions: int = 4, systems: Sequence[str] = SYSTEMS, sentences: int = 8, **fields: Any
) -> Corpus:
    """A corpus in which every system answered every question."""
    corpus = CorpusFactory(**fields)
    rows = [SystemFactory(corpus=corpus, name=name) for name in systems]
    asked: list[Question] = []
    for position in range(1, articles + 1):
        article = ArticleFactory(corpus=corpus, position=position, sentences=sentences)
        for number in range(1, questions + 1):
            anchor = min(number, sentences) or None
            asked.append(
                QuestionFactory.build(article=article, external_id=f"q{number}", position=number, anchor=anchor)
            )
    Question.objects.bulk_create(asked)
    Answer.objects.bulk_create(
        AnswerFactory.build(question=question, system=system) for question in asked for system in rows
    )
    return corpus


def make_study(*, corpus: Corpus | None = None, definition: dict[str, Any] | None = None, **settings: Any) -> Study:
    """A study under the ``ebr`` scheme (or ``definition``), with no batch yet; settings may be of its scoring, too."""
    corpus = corpus or make_corpus()
    scoring = {name: settings.pop(name) for name in SETTINGS if name in settings}
    study = create_study(
        name=settings.pop("name", f"Study of {corpus.name}"),
        corpus=corpus,
        definition=definition or preset("ebr"),
        **{"overlap": 2, **settings},
    )
    if scoring:
        ScoringSettings.objects.create(study=study, **scoring)
    return study


def open_study(*, corpus: Corpus | None = None, **settings: Any) -> Study:
    """A study all of whose batches are planned and open."""
    study = make_study(corpus=corpus, **settings)
    for batch in plan_batches(study=study):
        open_batch(batch=batch, actor=OPERATOR)
    return study


def open_a_batch(**settings: Any) -> Batch:
    """The first batch, open, of a new study."""
    batch = open_study(**settings).batches.first()
    assert batch is not None
    return batch


def judgment(**values: Any) -> dict[str, Any]:
    """What an annotator sends under the ``ebr`` scheme; name the values that matter to the test."""
    return {
        "correct": "yes",
        "completeness": "complete",
        "sentences": [1],
        "reasons": "It says what sentence 1 says.",
    } | values


def submit(assignment: Assignment, item: Item, **values: Any) -> Any:
    """Judge one item of a claimed place through the service, as the page does.

    Under a scheme of the ``ebr`` kind, values that are not given are filled in.
    """
    annotator = assignment.annotator
    assert annotator is not None
    study = item.study
    return submit_judgment(
        actor=Actor.person(annotator.user_id),
        assignment_id=assignment.pk,
        position=item.position,
        scheme=study.scheme(),
        scheme_signature=study.scheme_version.signature,
        raw=as_sent(study, values),
        seconds=SECONDS,
        submission_id=uuid4(),
    )


def as_sent(study: Study, values: dict[str, Any]) -> dict[str, Any]:
    return judgment(**values) if study.scheme_version.key == "ebr" else values


def judge_everything(annotator: Member, values: Callable[[Item], dict[str, Any]]) -> int:
    """Let an annotator take and judge every HIT that is there to take; return how many judgments that made."""
    count = 0
    while True:
        try:
            place = claim_assignment(annotator=annotator, actor=OPERATOR)
        except NothingToClaimError:
            return count
        for item in place.hit.items.all():
            submit(place, item, **values(item))
            count += 1


def study_with_judgments(
    *,
    annotators: int = 3,
    corpus: Corpus | None = None,
    close: bool = True,
    seed: int = 1,
    values: Callable[[Member, Item], dict[str, Any]] | None = None,
    **settings: Any,
) -> Study:
    """A study judged whole by annotators A, B, … who mostly but not always agree; its batches are closed.

    The rows are those that taking and submitting leave, one annotator after the other, written at once.

    ``values(member, item)`` overrides what is judged; otherwise labels are drawn around a quality per item,
    and the explanation says how much is missing.
    """
    study = open_study(corpus=corpus or make_corpus(articles=2), **{"overlap": annotators, **settings})
    random_ = random.Random(seed)
    members = [MemberFactory(study=study, pseudonym=chr(ord("A") + n)) for n in range(annotators)]

    def raw(member: Member, item: Item) -> dict[str, Any]:
        return as_sent(study, values(member, item) if values else _opinion(random_, item))

    judge_in_bulk(study, members, raw)
    if close:
        close_all(study)
    return study


def close_all(study: Study) -> None:
    """Close every open batch, as complete where it is."""
    for batch in study.batches.filter(state=BatchState.OPEN):
        if not close_batch_if_complete(batch=batch, actor=OPERATOR):
            close_batch(batch=batch, because="closed by a researcher", actor=OPERATOR)


def _opinion(random_: random.Random, item: Item) -> dict[str, Any]:
    level = min(max(item.answer.pk % len(LABELS) + random_.choice((-1, 0, 0, 0, 1)), 0), len(LABELS) - 1)
    missing = ("nothing", "a detail", "a main point", "everything that matters")[level]
    return {
        "completeness": LABELS[level],
        "correct": "no" if level == 3 else "yes",
        "sentences": sorted(random_.sample(range(1, 6), k=2)),
        "reasons": f"It leaves out {missing} of sentence {random_.randint(1, 5)}.",
    }
