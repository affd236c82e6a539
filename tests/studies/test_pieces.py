"""Making a study and opening a batch let others write meanwhile, and a kill on the way leaves nothing half done."""

from typing import Any

import pytest

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.core.schemes.loading import preset_text
from annotation_platform.jobs.transactions import DatabaseBusyError
from annotation_platform.studies import arrivals
from annotation_platform.studies.building import build_study
from annotation_platform.studies.models import Assignment, Batch, BatchState, Item, Member, Study
from annotation_platform.studies.services import (
    change_overlap,
    claim_assignment,
    open_batch,
    opening,
    plan_batches,
    planning,
)
from tests.factories import MemberFactory, UserFactory, make_corpus, make_study, open_study
from tests.studies.pieces import Killed, after_each_piece, killed_after, somebody_else
from tests.studies.test_concurrency import at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("many connections"),
]


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(opening, "ROWS_AT_ONCE", 3)


def build(corpus: Any, name: str = "New") -> Study:
    return build_study(owner=UserFactory(), name=name, corpus=corpus, definition=preset("ebr"), questions_per_hit=1)


@pytest.fixture
def draft() -> Batch:
    study = make_study(corpus=make_corpus(questions=3), overlap=2, questions_per_hit=1)
    (batch,) = plan_batches(study=study)
    return batch


def someone_takes_a_task() -> Any:
    running = open_study(corpus=make_corpus(articles=20, questions=1))

    def take() -> None:
        claim_assignment(annotator=MemberFactory(study=running))

    return somebody_else(take)


def test_a_place_can_be_taken_at_every_step_of_making_a_study() -> None:
    texts, someone = make_corpus(questions=3), someone_takes_a_task()

    def look() -> None:
        someone()
        seen.append(Study.objects.filter(name="New").exists())

    seen: list[bool] = []
    with after_each_piece(look) as pieces:
        study = build(texts)
    assert len(pieces) >= 5
    assert seen == [False] * (len(pieces) - 1) + [True]
    assert study.items.count() == 9
    assert study.arriving_at is None


def test_what_a_killed_builder_left_is_hidden_then_cleared_by_the_sweep(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    texts = make_corpus(questions=3)
    with monkeypatch.context() as patch:
        patch.setattr(arrivals, "_clear", lambda arrival: None)
        with pytest.raises(Killed), after_each_piece(killed_after(3)):
            build(texts)
    assert not Study.objects.exists()
    assert Item.objects.exists()
    with pytest.raises(InvalidInputError, match="“New” is being made at this moment"):
        build(texts)
    settings.RUN_STALE_AFTER_SECONDS = 0
    arrivals.clear_left_behind()
    assert not any(rows.exists() for rows in (Study.every, Batch.objects, Item.objects, Member.objects))
    assert build(texts).items.count() == 9


def test_a_builder_that_fails_on_the_way_leaves_nothing() -> None:
    texts = make_corpus(questions=3)
    with pytest.raises(Killed), after_each_piece(killed_after(3)):
        build(texts)
    assert not any(rows.exists() for rows in (Study.every, Batch.objects, Item.objects, Member.objects))


def test_the_same_study_built_six_times_at_once_is_there_once() -> None:
    texts = make_corpus()
    results = at_once(6, lambda _: build(texts))
    assert [type(result) for result in results if not isinstance(result, InvalidInputError)] == [Study]
    assert Study.objects.get().items.count() == 12
    assert Study.every.count() == 1


def test_a_place_can_be_taken_at_every_step_of_opening_a_batch(draft: Batch) -> None:
    someone, newcomer = someone_takes_a_task(), MemberFactory(study=draft.study)

    def look() -> None:
        someone()
        seen.append(Assignment.objects.takeable().filter(hit__batch=draft).count())

    seen: list[int] = []
    with after_each_piece(look) as pieces:
        open_batch(batch=draft)
    assert len(pieces) == 7
    assert seen == [0] * 6 + [18]
    assert draft.state == BatchState.OPEN
    assert claim_assignment(annotator=newcomer).hit.batch == draft


def test_an_opening_that_was_killed_is_a_draft_and_can_be_opened(draft: Batch) -> None:
    with pytest.raises(Killed), after_each_piece(killed_after(2)):
        open_batch(batch=draft)
    draft.refresh_from_db()
    assert draft.state == BatchState.DRAFT
    assert not Assignment.objects.takeable().exists()
    open_batch(batch=draft)
    assert sorted(draft.hits.values_list("assignments__place", flat=True)) == [1] * 9 + [2] * 9


@pytest.mark.parametrize("overlap", [1, 4])
def test_an_overlap_that_changes_meanwhile_is_the_one_that_holds(draft: Batch, overlap: int) -> None:
    changes = iter([overlap])

    def change() -> None:
        if (new := next(changes, None)) is not None:
            change_overlap(study=draft.study, overlap=new)

    with after_each_piece(somebody_else(change)):
        open_batch(batch=draft)
    assert Assignment.objects.filter(hit__batch=draft).count() == 9 * overlap


def test_the_page_keeps_what_was_typed_when_the_database_is_busy(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = make_corpus()
    researcher = MemberFactory(study=make_study(corpus=texts), role="researcher").user

    def busy(**_: Any) -> None:
        raise DatabaseBusyError

    monkeypatch.setattr("annotation_platform.studies.building.create_study", busy)
    client.force_login(researcher)
    numbers = {"questions_per_hit": 5, "hits_per_batch": 20, "time_limit_minutes": 60}
    typed = {"scheme": preset_text("ebr"), "name": "My new one", "corpus": texts.pk, "do": "create"}
    page = client.post("/new-study/", typed | numbers).content.decode()
    assert "The database is busy" in page
    assert "My new one" in page
