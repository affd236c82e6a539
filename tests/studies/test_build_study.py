"""Making a study in the builder: what the corpus must have, whose it is, and that nothing is left half done."""

import pytest

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import build_scheme, preset, read_scheme
from annotation_platform.corpus.models import Answer, Article, Corpus, Question, ReferenceDocument
from annotation_platform.studies.building import UnfitCorpusError, build_study
from annotation_platform.studies.models import BatchState, Role, Study
from annotation_platform.studies.selectors import corpora_of, fit_of
from tests.core.whole_schemes import GROUP
from tests.factories import (
    OPERATOR,
    AnswerFactory,
    MemberFactory,
    QuestionFactory,
    UserFactory,
    make_corpus,
    make_study,
)

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def lacks(corpus: Corpus, key: str) -> list[str]:
    return list(fit_of(corpus, build_scheme(preset(key))).lacks)


def give_references(corpus: Corpus) -> None:
    for question in Question.objects.filter(article__corpus=corpus):
        ReferenceDocument.objects.create(question=question, article=question.article, number=1)


def test_a_study_is_built_with_its_owner_and_its_batches() -> None:
    owner, corpus = UserFactory(), make_corpus(articles=2)
    study = build_study(
        owner=owner, name="New", corpus=corpus, definition=preset("ebr"), overlap=3, hits_per_batch=3, actor=OPERATOR
    )
    assert study.members.get().role == Role.ADMIN
    assert study.members.get().user == owner
    assert {batch.state for batch in study.batches.all()} == {BatchState.DRAFT}
    assert study.items.count() == fit_of(corpus, study.scheme()).items == 24


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("acorn", "4 questions without 2 to 26 choices: “What about q1?” (article-"),
        ("rev", "4 questions with an answer that has no rationale"),
        ("equivalence", "4 questions without reference answers"),
        ("lfqa", "4 questions without reference documents"),
    ],
)
def test_what_the_corpus_lacks_is_told_by_question_and_nothing_is_stored(key: str, reason: str) -> None:
    corpus = make_corpus()
    with pytest.raises(UnfitCorpusError) as caught:
        build_study(owner=UserFactory(), name="New", corpus=corpus, definition=preset(key), actor=OPERATOR)
    assert any(reason in told for told in caught.value.reasons), caught.value.reasons
    assert "q3), …" in caught.value.reasons[0]
    assert not Study.objects.exists()


def test_what_was_lacking_can_be_given() -> None:
    corpus = make_corpus()
    Question.objects.update(choices=["One", "Two"], reference_answers=["It is."])
    Answer.objects.update(rationale="Because.")
    give_references(corpus)
    assert [lacks(corpus, key) for key in ("acorn", "rev", "equivalence", "lfqa")] == [[], [], [], []]


def test_a_group_needs_several_answers_and_letters_for_all() -> None:
    corpus = make_corpus(questions=2)
    give_references(corpus)
    scheme = build_scheme(read_scheme(GROUP))
    assert fit_of(corpus, scheme).lacks == ()
    assert fit_of(corpus, scheme).items == 2
    lonely = QuestionFactory(article=Article.objects.get(), external_id="q9", position=9)
    AnswerFactory(question=lonely)
    ReferenceDocument.objects.create(question=lonely, article=lonely.article, number=1)
    (told,) = fit_of(corpus, scheme).lacks
    assert told.startswith("1 question with one answer only, where several are judged side by side: “What about q9?”")
    for _ in range(26):
        AnswerFactory(question=lonely)
    (told,) = fit_of(corpus, scheme).lacks
    assert told.startswith("1 question with more than 26 answers")


def test_a_single_choice_and_too_many_are_lacking() -> None:
    corpus = make_corpus(questions=3)
    for position, count in ((1, 1), (2, 26), (3, 27)):
        Question.objects.filter(position=position).update(choices=["x"] * count)
    Answer.objects.update(rationale="Because.")
    (told,) = lacks(corpus, "acorn")
    assert told.startswith("2 questions without 2 to 26 choices")
    assert "q2" not in told


def test_a_corpus_without_answers_has_nothing_to_judge() -> None:
    corpus = make_corpus(systems=())
    assert lacks(corpus, "ebr") == ["The corpus has no answers to judge."]


def test_withheld_documents_and_unanswered_questions_are_worth_a_note() -> None:
    corpus = make_corpus(sentences=0, questions=2)
    QuestionFactory(article=Article.objects.get())
    fit = fit_of(corpus, build_scheme(preset("ebr")))
    assert fit.lacks == ()
    assert [note.split(":")[0] for note in fit.notes] == [
        "2 questions of a document whose text is not here",
        "1 question without any answer",
    ]
    assert len(fit_of(corpus, build_scheme(preset("equivalence"))).notes) == 1  # it shows no document


def test_a_mistake_in_the_settings_leaves_nothing() -> None:
    with pytest.raises(InvalidInputError, match="overlap is 0"):
        build_study(
            owner=UserFactory(), name="New", corpus=make_corpus(), definition=preset("ebr"), overlap=0, actor=OPERATOR
        )
    assert not Study.objects.exists()


def test_one_may_use_the_corpora_of_ones_own_studies_and_staff_may_use_all() -> None:
    mine, others = make_study(), make_study()
    researcher = MemberFactory(study=mine, role=Role.RESEARCHER).user
    annotator = MemberFactory(study=others, role=Role.ANNOTATOR, user=researcher).user
    assert list(corpora_of(annotator)) == [mine.corpus]
    imported = make_corpus(owner=researcher)
    assert set(corpora_of(researcher)) == {mine.corpus, imported}
    assert set(corpora_of(UserFactory(is_staff=True))) == {mine.corpus, others.corpus, imported}


def test_who_may_create_studies() -> None:
    study = make_study()
    may = {role: MemberFactory(study=study, role=role).user.may_create_studies for role in Role}
    assert may == {Role.ANNOTATOR: False, Role.RESEARCHER: True, Role.ADMIN: True}
    assert not UserFactory().may_create_studies
    assert UserFactory(is_staff=True).may_create_studies
