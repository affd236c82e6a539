"""Making a study and opening a batch let others write meanwhile, and a kill on the way leaves nothing half done."""

from typing import Any

import pytest

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.core.schemes.loading import preset_text
from annotation_platform.jobs.transactions import DatabaseBusyError
from annotation_platform.studies import arrivals, clearing
from annotation_platform.studies.building import build_study
from annotation_platform.studies.models import Assignment, Batch, BatchState, Hit, Item, Member, Study
from annotation_platform.studies.services import (
    change_overlap,
    claim_assignment,
    delete_study,
    even_out_left_behind,
    open_batch,
    opening,
    overlap,
    plan_batches,
    planning,
)
from tests import rests_on
from tests.factories import (
    OPERATOR,
    MemberFactory,
    UserFactory,
    make_corpus,
    make_study,
    open_study,
    study_with_judgments,
)
from tests.studies.pieces import Killed, after_each_piece, gone_after, killed_after, somebody_else
from tests.studies.test_concurrency import at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.long(*rests_on.PLATFORM),
    pytest.mark.xdist_group("many connections"),
]


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "HITS_AT_ONCE", 3)
    monkeypatch.setattr(opening, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(overlap, "HITS_AT_ONCE", 2)


def build(corpus: Any, name: str = "New") -> Study:
    return build_study(
        owner=UserFactory(), name=name, corpus=corpus, definition=preset("ebr"), questions_per_hit=1, actor=OPERATOR
    )


@pytest.fixture
def draft() -> Batch:
    study = make_study(corpus=make_corpus(questions=3), overlap=2, questions_per_hit=1)
    (batch,) = plan_batches(study=study)
    return batch


def someone_takes_a_task() -> Any:
    running = open_study(corpus=make_corpus(articles=20, questions=1))

    def take() -> None:
        claim_assignment(annotator=MemberFactory(study=running), actor=OPERATOR)

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
        open_batch(batch=draft, actor=OPERATOR)
    assert len(pieces) == 7
    assert seen == [0] * 6 + [18]
    assert draft.state == BatchState.OPEN
    assert claim_assignment(annotator=newcomer, actor=OPERATOR).hit.batch == draft


def test_an_opening_that_was_killed_is_a_draft_and_can_be_opened(draft: Batch) -> None:
    with pytest.raises(Killed), after_each_piece(killed_after(2)):
        open_batch(batch=draft, actor=OPERATOR)
    draft.refresh_from_db()
    assert draft.state == BatchState.DRAFT
    assert not Assignment.objects.takeable().exists()
    open_batch(batch=draft, actor=OPERATOR)
    assert sorted(draft.hits.values_list("assignments__place", flat=True)) == [1] * 9 + [2] * 9


@pytest.mark.parametrize("other", [1, 4])
def test_an_overlap_that_changes_meanwhile_is_the_one_that_holds(draft: Batch, other: int) -> None:
    changes = iter([other])

    def change() -> None:
        if (new := next(changes, None)) is not None:
            change_overlap(study=draft.study, overlap=new, actor=OPERATOR)

    with after_each_piece(somebody_else(change)):
        open_batch(batch=draft, actor=OPERATOR)
    assert Assignment.objects.filter(hit__batch=draft).count() == 9 * other


def places_of_hits(batch: Batch) -> set[int]:
    return {hit.assignments.count() for hit in batch.hits.all()}


@pytest.mark.parametrize("wanted", [1, 4])
def test_a_place_can_be_taken_at_every_step_of_changing_the_overlap(draft: Batch, wanted: int) -> None:
    open_batch(batch=draft, actor=OPERATOR)
    with after_each_piece(someone_takes_a_task()) as pieces:
        change = change_overlap(study=draft.study, overlap=wanted, actor=OPERATOR)
    assert len(pieces) == 1 + 5  # the overlap itself, then nine HITs by twos
    assert (change.added, change.removed, change.wider) == ((18, 0, 0) if wanted == 4 else (0, 9, 0))
    assert places_of_hits(draft) == {wanted}
    draft.study.refresh_from_db()
    assert draft.study.evening_at is None


@pytest.mark.parametrize("wanted", [1, 4])
def test_the_sweep_goes_on_where_a_change_of_overlap_was_killed(draft: Batch, wanted: int, settings: Any) -> None:
    open_batch(batch=draft, actor=OPERATOR)
    with pytest.raises(Killed), after_each_piece(killed_after(3)):
        change_overlap(study=draft.study, overlap=wanted, actor=OPERATOR)
    assert places_of_hits(draft) == {2, wanted}
    even_out_left_behind()
    assert places_of_hits(draft) == {2, wanted}, "it may still be alive"
    settings.RUN_STALE_AFTER_SECONDS = 0
    even_out_left_behind()
    assert places_of_hits(draft) == {wanted}
    draft.study.refresh_from_db()
    assert (draft.study.overlap, draft.study.evening_at) == (wanted, None)


def test_of_two_changes_of_overlap_at_once_one_holds_everywhere(draft: Batch) -> None:
    open_batch(batch=draft, actor=OPERATOR)
    changes = iter([5])

    def change() -> None:
        if (new := next(changes, None)) is not None:
            change_overlap(study=draft.study, overlap=new, actor=OPERATOR)

    with after_each_piece(somebody_else(change)):
        change_overlap(study=draft.study, overlap=3, actor=OPERATOR)
    draft.study.refresh_from_db()
    assert (draft.study.overlap, draft.study.evening_at) == (5, None)
    assert places_of_hits(draft) == {5}


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


class TestDeleting:
    @pytest.fixture(autouse=True)
    def _few_rows_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(clearing, "ROWS_AT_ONCE", 3)

    def test_others_write_after_each_piece_and_see_it_no_more(self) -> None:
        doomed = study_with_judgments(annotators=2)
        take = someone_takes_a_task()

        def look_and_take() -> None:
            assert not Study.objects.filter(pk=doomed.pk).exists()
            take()

        with after_each_piece(look_and_take) as pieces:
            delete_study(study=doomed, typed_name=doomed.name, actor=OPERATOR)
        assert len(pieces) > 5
        assert not Study.every.filter(pk=doomed.pk).exists()

    def test_its_name_is_free_at_once_and_the_sweep_ends_what_was_killed(self, settings: Any) -> None:
        doomed = study_with_judgments(annotators=2)
        batches = Batch.objects.filter(study=doomed)
        with gone_after(2):
            delete_study(study=doomed, typed_name=doomed.name, actor=OPERATOR)
        assert not Study.objects.filter(pk=doomed.pk).exists()
        assert {batch.state for batch in batches} == {BatchState.CLOSED}
        again = build(doomed.corpus, name=doomed.name)
        settings.RUN_STALE_AFTER_SECONDS = 0
        arrivals.clear_left_behind()
        assert list(Study.every.all()) == [again]
        assert not Annotation.objects.exists()

    def test_a_row_that_comes_meanwhile_goes_too(self) -> None:
        doomed = study_with_judgments(annotators=2)
        member = Member.objects.filter(study=doomed).first()
        hit = Hit.objects.filter(batch__study=doomed).first()
        late = iter([True])

        def write_one_more() -> None:
            is_clear = not Assignment.objects.filter(hit__batch__study=doomed).exists()
            if is_clear and Hit.objects.filter(pk=hit.pk).exists() and next(late, False):
                Assignment.objects.create(hit=hit, place=99, annotator=member)

        with after_each_piece(write_one_more):
            delete_study(study=doomed, typed_name=doomed.name, actor=OPERATOR)
        assert next(late, None) is None
        assert not Study.every.filter(pk=doomed.pk).exists()
