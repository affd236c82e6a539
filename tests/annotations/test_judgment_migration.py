"""Migrating judgments lets others work meanwhile, shows nothing before all is there, and goes on after a kill."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from annotation_platform.annotations import judgment_migration
from annotation_platform.annotations.judgment_migration import MigrationCounts
from annotation_platform.annotations.migrating import (
    MIGRATIONS,
    clear_left_behind,
    migrate_scheme,
    request_migration,
)
from annotation_platform.annotations.models import Annotation, Draft, Rating, SchemeMigration
from annotation_platform.annotations.services import SchemeChangedError, save_draft
from annotation_platform.annotations.taking import take_task
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes.writing import write_scheme
from annotation_platform.jobs import heartbeat
from annotation_platform.jobs.contract import run_job, waiting
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.selectors.query import count_rows
from annotation_platform.studies.models import Assignment, Study
from annotation_platform.studies.services import archive_study, delete_study
from tests.annotations.test_migrating import RENAMINGS, edited
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments, submit
from tests.releases.rows import exported
from tests.studies.pieces import after_each_piece, gone_after, somebody_else

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("many connections"),
]


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgment_migration, "JUDGMENTS_AT_ONCE", 4)


@pytest.fixture
def study() -> Study:
    """18 judgments by A and B, in open batches that a third can judge."""

    def values(member: Any, item: Any) -> dict[str, Any]:
        return {"completeness": "complete", "reasons": f"{member} on {item.pk}"}

    texts = make_corpus(questions=9, systems=("alder",))
    study = study_with_judgments(annotators=2, corpus=texts, values=values, close=False, questions_per_hit=9)
    Assignment.objects.create(hit=study.batches.get().hits.get(), place=3)
    return study


def migrate(study: Study, renamings: list[str] = RENAMINGS) -> MigrationCounts:
    return migrate_scheme(study=study, definition=edited(), renamings=renamings, actor=OPERATOR).counts


def asked(study: Study, wanted: str = "migrate") -> SchemeMigration:
    text = write_scheme(edited())
    return request_migration(study=study, text=text, renamings="\n".join(RENAMINGS), wanted=wanted, actor=OPERATOR)


def done_by_a_worker(job: SchemeMigration) -> SchemeMigration:
    done = run_job(MIGRATIONS, job.pk)
    assert done is not None
    return done


def nobody_is_at_it() -> None:
    """Time goes by until whoever was at it counts as dead."""
    SchemeMigration.objects.update(heartbeat_at=timezone.now() - timedelta(days=1))


def under_way() -> dict[int, int]:
    """What is migrated and not seen yet, by what it was migrated from."""
    return dict(Annotation.every.filter(revision=0).values_list("carried_from", "pk"))


def place_of(study: Study, pseudonym: str) -> Assignment:
    return Assignment.objects.get(hit__batch__study=study, annotator__pseudonym=pseudonym)


def under(number: int) -> int:
    return Annotation.objects.current().filter(scheme_version__number=number).count()


def test_people_judge_and_change_their_minds_at_every_step(study: Study) -> None:
    first = place_of(study, "A")
    items = list(first.hit.items.all())
    third = take_task(annotator=MemberFactory(study=study, pseudonym="C"), actor=OPERATOR)
    todo = iter(items)
    seen: list[tuple[int, int]] = []

    def work() -> None:
        seen.append((under(1), under(2)))
        if not seen[-1][1] and (item := next(todo, None)):
            submit(first, item, completeness="missing_minor", reasons=f"Changed {item.position}")
            submit(third, item, completeness="missing_all", reasons=f"New {item.position}")

    with after_each_piece(somebody_else(work)) as pieces:
        counts = migrate(study)
    assert len(pieces) >= 7
    assert [new for _, new in seen] == [0] * (len(pieces) - 1) + [seen[-1][1]]  # nothing before the last step
    changed = 9 - len(list(todo))
    assert changed >= 5
    assert counts.judgments == 18 + changed == under(2)
    assert (counts.whole, counts.partly) == (18, changed)
    assert counts.lost == {"completeness: there is no choice 'missing_all' any more": changed}
    of_first = Annotation.objects.current().filter(assignment=first).order_by("item__position")
    said = [(each.values["fullness"], each.values["reasons"]) for each in of_first]
    assert said[:changed] == [("missing_minor", f"Changed {n}") for n in range(1, changed + 1)]
    assert {label for label, _ in said[changed:]} <= {"full"}
    assert [each.revision for each in of_first] == [3] * changed + [2] * (9 - changed)
    assert not Annotation.every.filter(revision=0).exists()
    assert Rating.objects.filter(annotation__is_current=True, aspect="completeness").count() == 0
    study.refresh_from_db()
    assert study.scheme_version.number == 2


def test_what_was_migrated_before_a_kill_is_seen_by_nobody_and_the_next_worker_goes_on(
    study: Study, tmp_path: Path
) -> None:
    rows = count_rows(study, all_batches=True, all_revisions=True)
    job = asked(study)
    with gone_after(5):
        done_by_a_worker(job)
    assert 4 <= len(under_way()) < 18
    assert under(1) == 18
    study.refresh_from_db()
    assert study.scheme_version.number == 1
    assert len(exported(study, tmp_path, all_batches=True, all_revisions=True)) == rows
    assert count_rows(study, all_batches=True, all_revisions=True) == rows
    assert run_job(MIGRATIONS, job.pk) is None  # the worker may still be alive

    first = place_of(study, "A")
    for item in first.hit.items.all()[:3]:
        submit(first, item, reasons=f"Changed {item.position}")
    assert under(1) == 18
    still_right = {pk for old, pk in under_way().items() if Annotation.objects.current().filter(pk=old).exists()}
    assert still_right

    nobody_is_at_it()
    assert job.pk in waiting(MIGRATIONS)
    job = done_by_a_worker(job)
    assert (job.status, job.done, job.total) == (JobStatus.DONE, 18, 18)
    assert MigrationCounts.of_data(job.counts or {}).judgments == under(2) == 18
    assert not under_way()
    assert still_right <= set(Annotation.objects.current().values_list("pk", flat=True))  # they were not made again
    of_first = Annotation.objects.current().filter(assignment=first).order_by("item__position")
    assert [each.values["reasons"] for each in of_first][:3] == [f"Changed {n}" for n in range(1, 4)]
    assert Annotation.objects.filter(carried_from__isnull=False).count() == 18


def test_a_worker_that_is_asked_to_end_gives_it_back_and_another_goes_on(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = Event()
    monkeypatch.setattr(heartbeat, "stopping", ends)
    with after_each_piece(lambda: ends.set() if len(under_way()) >= 8 else None):
        job = done_by_a_worker(asked(study))
    assert (job.status, job.attempts, job.done) == (JobStatus.PENDING, 0, 8)
    before = set(under_way().values())
    assert len(before) == 8
    ends.clear()
    assert done_by_a_worker(job).status == JobStatus.DONE
    assert before <= set(Annotation.objects.current().values_list("pk", flat=True))
    assert under(2) == 18


def test_one_that_was_taken_over_finishes_nothing(study: Study) -> None:
    def taken_over() -> None:
        if under_way():
            SchemeMigration.objects.update(worker="another")

    with after_each_piece(taken_over):
        job = done_by_a_worker(asked(study))
    assert (job.status, job.worker) == (JobStatus.RUNNING, "another")
    assert len(under_way()) == 4
    assert under(1) == 18


def test_one_over_which_workers_die_again_and_again_has_failed_and_is_cleared_away(study: Study) -> None:
    job = asked(study)
    with gone_after(5):
        done_by_a_worker(job)
    nobody_is_at_it()
    clear_left_behind()
    assert under_way()  # somebody goes on with it
    SchemeMigration.objects.update(attempts=MIGRATIONS.tries)
    assert waiting(MIGRATIONS) == []
    job.refresh_from_db()
    assert job.status == JobStatus.FAILED
    assert job.reasons[0]["code"] == "jobs.worker_died"
    clear_left_behind()
    assert not under_way()
    job.refresh_from_db()
    assert job.after is None
    assert under(1) == 18


def test_whoever_adds_places_and_a_migration_wait_for_each_other(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both lock the study before its places, so that neither has what the other waits for."""
    has_places, has_study = Event(), Event()
    migrate_drafts = judgment_migration._migrate_drafts

    def slowly(*what: Any) -> int:
        has_places.set()
        has_study.wait(timeout=2)
        return migrate_drafts(*what)

    monkeypatch.setattr(judgment_migration, "_migrate_drafts", slowly)

    def work(which: int) -> Any:
        try:
            if which == 0:
                return migrate(study)
            has_places.wait(timeout=60)
            with transaction.atomic():
                overlap = Study.objects.select_for_update(no_key=True).get(pk=study.pk).overlap
                has_study.set()
                return overlap, len(Assignment.objects.filter(hit__batch__study=study).select_for_update())
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        counts, (_, places) = pool.map(work, range(2))
    assert (counts.judgments, places) == (18, 3)


def test_one_that_fails_on_the_way_leaves_nothing(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(Annotation.every.order_by("pk").values())

    def fails(*_: Any) -> int:
        raise RuntimeError("no luck")

    monkeypatch.setattr(judgment_migration, "_migrate_drafts", fails)
    with pytest.raises(InvalidInputError, match="An error in the platform stopped it"):
        migrate(study)
    clear_left_behind()
    assert list(Annotation.every.order_by("pk").values()) == before
    study.refresh_from_db()
    assert study.scheme_version.number == 1


def test_another_try_takes_nothing_of_the_one_that_failed(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(judgment_migration, "_migrate_drafts")
        with pytest.raises(InvalidInputError, match="An error in the platform stopped it"):
            migrate(study)
    assert under_way()
    with after_each_piece(clear_left_behind):  # the sweep comes in between, too
        counts = migrate(study, renamings=[])
    assert counts.partly == under(2) == 18
    assert not any("fullness" in each.values for each in Annotation.objects.current())
    clear_left_behind()
    assert under(2) == 18


def test_a_study_that_is_deleted_meanwhile_is_gone(study: Study) -> None:
    def delete() -> None:
        if under_way() and Study.objects.exists():
            delete_study(study=study, typed_name=study.name, actor=OPERATOR)

    with after_each_piece(somebody_else(delete)):
        run_job(MIGRATIONS, asked(study).pk)
    assert not Study.every.exists()
    assert not Annotation.every.exists()
    assert not SchemeMigration.objects.exists()


def test_a_study_that_is_archived_meanwhile_gets_its_version_all_the_same(study: Study) -> None:
    def archive() -> None:
        if under_way():
            archive_study(study=study, actor=OPERATOR)

    with after_each_piece(somebody_else(archive)):
        assert done_by_a_worker(asked(study)).status == JobStatus.DONE
    study.refresh_from_db()
    assert study.archived_at
    assert under(2) == 18


def test_progress_is_told_while_judgments_come_in(study: Study) -> None:
    third = take_task(annotator=MemberFactory(study=study, pseudonym="C"), actor=OPERATOR)
    job = asked(study)
    told: list[int] = []

    def look() -> None:
        if len(told) == 3:
            for item in third.hit.items.all():
                submit(third, item)
        told.append(SchemeMigration.objects.values_list("total", flat=True).get())

    with after_each_piece(somebody_else(look)):
        job = done_by_a_worker(job)
    assert told[0] == 18
    assert sorted(told) == told
    assert {18, 27} <= set(told)
    assert (job.done, job.total) == (27, 27)


def test_counting_stores_nothing(study: Study) -> None:
    before = list(Annotation.every.order_by("pk").values())
    job = done_by_a_worker(asked(study, "count"))
    assert (job.status, job.done, job.total) == (JobStatus.DONE, 18, 18)
    assert (
        MigrationCounts.of_data(job.counts or {})
        == migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, dry_run=True, actor=OPERATOR).counts
    )
    assert list(Annotation.every.order_by("pk").values()) == before
    assert job.after is None


def test_a_draft_typed_meanwhile_is_kept_and_its_form_is_told(study: Study) -> None:
    third = MemberFactory(study=study, pseudonym="C")
    place = take_task(annotator=third, actor=OPERATOR)
    item = place.hit.items.first()
    assert item is not None
    versions = iter(range(100))

    def type_on() -> None:
        if not under(2):
            typed = {"completeness": "complete", "reasons": f"Half a thought {len(seen)}"}
            save_draft(annotator=third, item=item, values=typed, seconds=1, version=next(versions))
            seen.append(1)

    seen: list[int] = []
    with after_each_piece(somebody_else(type_on)):
        migrate(study)
    draft = Draft.objects.get()
    assert draft.values == {"fullness": "full", "reasons": f"Half a thought {len(seen) - 1}"}
    item.study = study  # as it was when the page was loaded
    with pytest.raises(SchemeChangedError):
        submit(place, item)


def test_the_command_goes_on_with_what_a_killed_one_began(study: Study, tmp_path: Any) -> None:
    file = tmp_path / "edited.yaml"
    file.write_text(write_scheme(edited()))
    with gone_after(4):
        migrate(study)
    with pytest.raises(CommandError, match="are being counted for, or migrated to,"):
        call_command("migrate_scheme", study.name, str(file), rename=RENAMINGS)
    nobody_is_at_it()
    call_command("migrate_scheme", study.name, str(file), rename=RENAMINGS)
    assert under(2) == 18
    assert SchemeMigration.objects.count() == 1
