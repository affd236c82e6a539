"""A study's scheme, edited on its page: the report, the counts, the new version, and who may do it."""

from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations import judgment_migration
from annotation_platform.annotations.migrating import MIGRATIONS, MigrationUnderWayError, request_migration
from annotation_platform.annotations.models import Annotation, SchemeMigration
from annotation_platform.core.schemes import preset
from annotation_platform.core.schemes.loading import preset_text
from annotation_platform.jobs.contract import run_job
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.jobs.worker_status import record_pulse
from annotation_platform.scoring.services import start_run
from annotation_platform.studies.models import Member, Role, SchemeVersion, Study
from annotation_platform.studies.services import delete_study
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.markup import markup
from workers import tasks

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=2, corpus=make_corpus(questions=2))


@pytest.fixture
def admin(study: Study) -> Client:
    return client_of(study, Role.ADMIN)


def client_of(study: Study, role: Role) -> Client:
    client = Client()
    client.force_login(MemberFactory(study=study, role=role).user)
    return client


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Kind and key of each job for which a message went to the workers."""
    jobs: list[tuple[str, int]] = []
    monkeypatch.setattr(tasks.work, "delay", lambda *job: jobs.append(job))
    return jobs


def work() -> SchemeMigration:
    """What the worker does for the last one."""
    job = run_job(MIGRATIONS, SchemeMigration.objects.latest("pk").pk)
    assert job is not None
    return job


def asked(study: Study, wanted: str = "migrate") -> SchemeMigration:
    return request_migration(study=study, text=edited(), wanted=wanted, actor=OPERATOR)


def url(study: Study) -> str:
    return reverse("edit_scheme", args=[study.slug])


def edited() -> str:
    data = preset("ebr") | {"examples": []}
    data["aspects"][1]["key"] = data["rescale"][0]["aspect"] = "fullness"
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False)


def post(client: Client, study: Study, *, htmx: bool = False, **fields: Any) -> Any:
    headers = {"HX-Request": "true"} if htmx else {}
    return client.post(url(study), {"scheme": edited(), "renamings": "", **fields}, headers=headers)


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.RESEARCHER])
def test_only_admins_may_change_the_scheme(study: Study, role: Role) -> None:
    client = client_of(study, role)
    assert client.get(url(study)).status_code == 404
    assert post(client, study, do="migrate").status_code == 404
    assert SchemeVersion.objects.count() == 1
    if role == Role.RESEARCHER:
        assert url(study) not in client.get(reverse("study", args=[study.slug])).content.decode()


def test_the_page_shows_the_studys_scheme_as_a_file(study: Study, admin: Client) -> None:
    page = admin.get(url(study)).content.decode()
    assert preset_text("ebr").splitlines()[0].replace("'", "&#x27;") in page
    assert "Nothing is changed so far." in page
    assert url(study) in admin.get(reverse("study", args=[study.slug])).content.decode()


def test_what_changes_is_told_as_one_types(study: Study, admin: Client) -> None:
    answer = post(admin, study, htmx=True).content.decode()
    assert "completeness: dropped; the new version does not ask it" in answer
    assert "Something is lost." in answer
    answer = post(admin, study, htmx=True, renamings="completeness = fullness").content.decode()
    assert "completeness: renamed to fullness" in answer
    assert "Something is lost." not in answer
    answer = post(admin, study, htmx=True, renamings="completness = fullness").content.decode()
    assert "did you mean &#x27;completeness&#x27;?" in answer


def test_counting_stores_nothing_and_migrating_does(
    study: Study, admin: Client, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    fields = {"renamings": "completeness = fullness"}
    with django_capture_on_commit_callbacks(execute=True):
        assert post(admin, study, do="count", **fields).url == url(study)
    assert sent == [(MIGRATIONS.name, SchemeMigration.objects.get().pk)]
    page = markup(admin.get(url(study)))
    assert "Counting what migrates" in page
    assert "It waits for its turn." in page
    assert 'name="scheme"' not in page
    work()
    page = markup(admin.get(url(study)))
    assert "12 of 12 judgments migrate with all they say." in page
    assert "Migrate to this version" in page
    assert "key: fullness" in page
    assert "completeness = fullness" in page
    assert SchemeVersion.objects.count() == 1

    with django_capture_on_commit_callbacks(execute=True):
        assert post(admin, study, do="migrate", **fields).url == url(study)
    assert "The study is migrating to the new version" in markup(admin.get(url(study)))
    assert SchemeVersion.objects.count() == 1
    work()
    page = markup(admin.get(url(study)))
    assert "The study is under ebr v2 now." in page
    assert "12 of 12 judgments migrate with all they say." in page
    assert "Have the study scored again." in page
    assert "Nothing is changed so far." in page
    assert Annotation.objects.current().filter(scheme_version__number=2).count() == 12
    who = Member.objects.get(study=study, role=Role.ADMIN).pseudonym
    history = markup(admin.get(reverse("history", args=[study.slug])))
    assert f"{who} asked for another version of the study's scheme." in history
    assert f"scheme migration {SchemeMigration.objects.latest('pk').pk}" in history


def test_a_second_click_does_nothing_twice(study: Study, admin: Client) -> None:
    for _ in range(2):
        assert post(admin, study, do="migrate").status_code == 302
    assert SchemeMigration.objects.count() == 1
    work()
    answer = post(admin, study, do="migrate")
    assert answer.status_code == 422
    assert "The scheme is the one" in answer.content.decode()
    assert Annotation.objects.count() == 24


def test_a_study_goes_one_way_at_a_time(study: Study, admin: Client) -> None:
    asked(study)
    with pytest.raises(MigrationUnderWayError):
        asked(study, "count")
    answer = post(admin, study, do="migrate", renamings="completeness = fullness")
    assert answer.status_code == 422
    page = markup(answer)
    assert "are being counted for, or migrated to, another version of its scheme." in page
    assert "completeness = fullness" in page  # nothing typed is lost
    assert "every 1s" not in page
    with pytest.raises(IntegrityError):
        SchemeMigration.objects.create(study=study, wanted="count", text="", before=study.scheme_version)


def test_the_page_tells_how_far_it_is_and_comes_back_when_it_is_done(study: Study, admin: Client) -> None:
    record_pulse(name="worker")
    job = asked(study)
    SchemeMigration.objects.update(status=JobStatus.RUNNING, done=1_200, total=10_000)
    page = markup(admin.get(url(study)))
    assert "1,200 of 10,000 judgments migrated" in page
    assert "every 1s" in page
    assert "not running" not in page
    part = admin.get(url(study), headers={"HX-Request": "true"})
    assert "1,200 of 10,000 judgments migrated" in markup(part)
    assert "<html" not in part.content.decode()
    SchemeMigration.objects.filter(pk=job.pk).update(status=JobStatus.PENDING)
    work()
    assert admin.get(url(study), headers={"HX-Request": "true"})["HX-Refresh"] == "true"


def test_the_page_says_that_no_worker_answers_in_the_readers_language(study: Study, admin: Client) -> None:
    asked(study)
    assert "The background worker is not running; this waits for it." in markup(admin.get(url(study)))
    page = markup(admin.get(url(study), headers={"Accept-Language": "ja"}))
    assert "バックグラウンド・ワーカーが動いていないため、処理が待っています。" in page
    assert "順番を待っています。" in page
    SchemeMigration.objects.update(status=JobStatus.RUNNING, done=1_200, total=10_000)
    page = markup(admin.get(url(study), headers={"Accept-Language": "ja"}))
    assert "判定10,000件のうち1,200件を移行しました" in page


def test_what_happened_when_it_failed_is_told_in_the_readers_language(
    study: Study, admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> int:
        raise RuntimeError("no luck")

    asked(study)
    monkeypatch.setattr(judgment_migration, "_migrate_drafts", fails)
    assert work().status == JobStatus.FAILED
    page = markup(admin.get(url(study)))
    assert "The study was not migrated to the new version; it is as it was." in page
    assert "An error in the platform stopped it; its log has the details (RuntimeError: no luck)." in page
    assert "key: fullness" in page  # what was typed
    page = markup(admin.get(url(study), headers={"Accept-Language": "ja"}))
    assert "研究は新しい版に移行されませんでした。研究は元のままです。" in page
    assert "RuntimeError: no luck" in page
    assert "An error in the platform" not in page
    page = markup(admin.get(url(study) + "?as_it_is=1"))
    assert "key: fullness" not in page


def test_what_was_counted_for_an_earlier_version_is_not_offered(study: Study, admin: Client) -> None:
    asked(study, "count")
    work()
    other = edited().replace("fullness", "wholeness")
    request_migration(study=study, text=other, wanted="migrate", actor=OPERATOR)
    work()
    SchemeMigration.objects.filter(wanted="migrate").delete()
    page = markup(admin.get(url(study)))
    assert "Migrate to this version" not in page
    assert "key: wholeness" in page


def test_a_job_for_a_version_that_the_study_has_left_fails(study: Study) -> None:
    job = asked(study)
    version = SchemeVersion.objects.create(
        key="ebr", number=9, definition=preset("ebr") | {"title": "T"}, signature="x"
    )
    Study.objects.update(scheme_version=version)
    job = work()
    assert job.status == JobStatus.FAILED
    assert job.error == "The study has come under ebr v9 meanwhile. Look again at what your changes do to it."
    assert Annotation.every.count() == 12


def test_scores_that_came_afterwards_need_no_new_ones(study: Study, admin: Client) -> None:
    asked(study)
    work()
    assert "Have the study scored again." in markup(admin.get(url(study)))
    SchemeMigration.objects.update(finished_at=timezone.now() - timedelta(days=1))
    start_run(study=study, actor=OPERATOR)
    assert "Have the study scored again." not in markup(admin.get(url(study)))


def test_whoever_asked_can_delete_their_account(study: Study) -> None:
    other = MemberFactory(study=study, role=Role.ADMIN)
    MemberFactory(study=study, role=Role.ADMIN)
    job = request_migration(study=study, text=edited(), wanted="migrate", requested_by=other, actor=OPERATOR)
    assert other.user is not None
    delete_account(user=other.user, actor=OPERATOR)
    assert run_job(MIGRATIONS, job.pk) is not None
    job.refresh_from_db()
    assert job.status == JobStatus.DONE


@pytest.mark.parametrize("is_done", [True, False])
def test_a_study_with_migrations_can_be_deleted(study: Study, is_done: bool) -> None:
    member = MemberFactory(study=study, role=Role.ADMIN)
    request_migration(study=study, text=edited(), wanted="migrate", requested_by=member, actor=OPERATOR)
    if is_done:
        work()
    delete_study(study=study, typed_name=study.name, actor=OPERATOR)
    assert not Study.every.exists()
    assert not SchemeMigration.objects.exists()


def test_a_look_that_carries_the_forms_button_migrates_nothing(study: Study, admin: Client) -> None:
    answer = post(admin, study, htmx=True, renamings="completeness = fullness", do="migrate")
    assert answer.status_code == 200
    assert "completeness: renamed to fullness" in answer.content.decode()
    assert SchemeVersion.objects.count() == 1


def test_nothing_typed_is_lost_when_it_cannot_be_migrated(study: Study, admin: Client) -> None:
    for wrong in ({"scheme": "key: ebr\n# mine"}, {"renamings": "x = y"}, {"scheme": preset_text("ebr")}):
        response = post(admin, study, do="migrate", **wrong)
        assert response.status_code == 422
        page = response.content.decode()
        assert "Nothing was changed." in page
        assert (wrong.get("renamings") or wrong["scheme"].splitlines()[-1])[:30] in page
    assert SchemeVersion.objects.count() == 1


def test_the_other_pages_live_with_figures_of_the_old_version(study: Study, admin: Client) -> None:
    take_snapshot(study=study, resamples=10)
    post(admin, study, do="migrate")
    work()
    for name in ("study", "agreement", "items", "scoring"):
        response = admin.get(reverse(name, args=[study.slug]))
        assert response.status_code == 200, name
    page = admin.get(reverse("agreement", args=[study.slug])).content.decode()
    assert "The study&#x27;s scheme was ebr v1 and is ebr v2 now." in page
    item = study.items.first()
    assert item is not None
    assert admin.get(reverse("item", args=[study.slug, item.pk])).status_code == 200
