"""The settings page: each change by its form, refused with what was typed; archive and delete for admins only."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Annotation
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import Export
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import claim_assignment
from tests.analysis.study_rows import client_of
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study, study_with_judgments
from tests.some import some

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(corpus=make_corpus(questions=1, systems=("alder",)), overlap=3)


def address(study: Study) -> str:
    return reverse("study_settings", args=[study.slug])


def post(study: Study, step: str, *, role: Role = Role.RESEARCHER, client: Client | None = None, **fields: str) -> str:
    found = (client or client_of(study, role)).post(address(study), {"step": step, **fields}, follow=True)
    return found.content.decode()


def test_the_form_takes_as_high_an_overlap_as_a_study_can_have(study: Study) -> None:
    page = " ".join(client_of(study).get(address(study)).content.decode().split())
    assert 'name="overlap" type="number" min="1" max="500"' in page


def test_each_change_says_what_it_did(study: Study) -> None:
    claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    client = client_of(study)
    assert "called “Harbour” now. Its address stays" in post(study, "name", client=client, name="Harbour")
    assert "2 assignments added to open batches." in post(study, "overlap", client=client, overlap="5")
    page = post(study, "overlap", client=client, overlap="1")
    assert "Batches that are open, and those opened from now on, have 1 judgment an item." in page
    assert "3 free assignments removed from open batches." in page
    assert "1 task keeps more assignments than that, since they are taken already." in page
    assert "reserved for 20 minutes." in post(study, "minutes", client=client, minutes="20")
    overview = client.get(reverse("study", args=[study.slug])).content.decode()
    assert "1 judgment an item in batches that are open or to come." in " ".join(overview.split())
    limits = {"policy": "breadth_first", "most_tasks": "", "most_tasks_a_day": "7"}
    assert "given out in this way from now on" in post(study, "limits", client=client, **limits)
    study.refresh_from_db()
    assert (study.name, study.overlap, study.time_limit_minutes) == ("Harbour", 1, 20)
    assert (study.assignment_policy, study.most_tasks, study.most_tasks_a_day) == ("breadth_first", None, 7)


def test_a_study_says_who_annotates_and_the_history_shows_it(study: Study) -> None:
    client = client_of(study)
    assert "The alternative annotator test goes by it" in post(study, "annotators", client=client, annotators="experts")
    study.refresh_from_db()
    assert study.annotators_are == "experts"
    history = client.get(reverse("history", args=[study.slug])).content.decode()
    assert "The annotators are" in history
    assert "Experts" in history
    post(study, "annotators", client=client, annotators="wizards")
    post(study, "annotators", client=client, annotators="")
    study.refresh_from_db()
    assert study.annotators_are is None


def test_a_random_part_is_declared_and_the_history_says_by_whom(study: Study) -> None:
    client = client_of(study)
    assert "Estimates for all items go by this" in post(study, "random", client=client, judged="on")
    study.refresh_from_db()
    assert (study.judged_at_random, study.scored_at_random) == (True, False)
    page = " ".join(client.get(address(study)).content.decode().split())
    assert '<input type="checkbox" name="judged" checked>' in page
    assert '<input type="checkbox" name="scored">' in page
    assert "of those that nobody judged, chance decided which" in page
    history = client.get(reverse("history", args=[study.slug])).content.decode()
    assert "What people judged was declared a random part" in history
    event = Event.objects.get(study=study.pk, verb=Verb.STUDY_CHANGED)
    assert (list(event.change), event.user_id) == (["judged_declared_at"], int(client.session["_auth_user_id"]))
    post(study, "random", client=client, scored="on")
    study.refresh_from_db()
    assert (study.judged_at_random, study.scored_at_random) == (False, True)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"policy": "by_name", "most_tasks": "4"}, "Choose one of the ways"),
        ({"policy": "in_order", "most_tasks": "four"}, "a number from 1 to 100,000, or empty"),
        ({"policy": "in_order", "most_tasks_a_day": "0"}, "a number from 1 to 100,000, or empty"),
    ],
)
def test_limits_that_cannot_be_used_are_refused_beside_the_fields_and_kept(
    study: Study, sent: dict[str, str], why: str
) -> None:
    page = post(study, "limits", **sent)
    assert why in page
    assert all(f'value="{value}"' in page for name, value in some(sent.items()) if name != "policy")
    assert Study.objects.get(pk=study.pk).assignment_policy == "in_order"
    assert Study.objects.get(pk=study.pk).most_tasks is None


@pytest.mark.parametrize(
    ("field", "typed", "why"),
    [
        ("name", "", "needs a name"),
        ("overlap", "many", "is a whole number"),
        ("overlap", "999", "between 1 and 500"),
        ("minutes", "-4", "between 1 and 10,000"),
    ],
)
def test_what_cannot_be_used_is_refused_in_the_form_and_stays_there(
    study: Study, field: str, typed: str, why: str
) -> None:
    response = client_of(study).post(address(study), {"step": field, field: typed})
    page = response.content.decode()
    assert response.status_code == 422
    assert why in page
    assert f'value="{typed}"' in page
    before = study.name, study.overlap, study.time_limit_minutes
    study.refresh_from_db()
    assert (study.name, study.overlap, study.time_limit_minutes) == before


def test_an_archived_study_leaves_the_lists_and_comes_back(study: Study) -> None:
    admin = client_of(study, Role.ADMIN)
    annotator = Client()
    annotator.force_login(MemberFactory(study=study).user)
    assert "is archived" in post(study, "archive", client=admin)
    home = admin.get(reverse("home")).content.decode()
    assert "Archived studies" in home
    assert "You are in no study yet" in home
    assert study.name not in annotator.get(reverse("work")).content.decode()
    assert study.name not in annotator.get(reverse("home")).content.decode()
    assert "This study is archived" in admin.get(reverse("study", args=[study.slug])).content.decode()
    assert "is back" in post(study, "restore", client=admin)
    assert study.name in annotator.get(reverse("work")).content.decode()


@pytest.mark.parametrize("step", ["archive", "restore", "delete"])
def test_only_admins_archive_and_delete(study: Study, step: str) -> None:
    response = client_of(study).post(address(study), {"step": step, "typed_name": study.name})
    assert response.status_code == 404
    study.refresh_from_db()
    assert study.archived_at is None
    assert "can export its judgments, and archive or delete it" in client_of(study).get(address(study)).content.decode()


def test_deleting_says_what_goes_and_wants_the_name(
    settings: Any, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    settings.EXPORTS_DIR = tmp_path
    study = study_with_judgments(annotators=2)
    admin = client_of(study, Role.ADMIN)
    export = Export.objects.create(
        study=study,
        requested_by=Member.objects.get(role=Role.ADMIN),
        format="csv",
        status=JobStatus.DONE,
        worker="w",
    )
    export.path.write_text("rows")
    page = admin.get(address(study)).content.decode()
    assert f'Judgments: <strong class="num">{Annotation.objects.count()}</strong>' in page
    assert "Exports and archives for papers" in page
    assert "not the study&#x27;s name, so nothing was deleted" in post(study, "delete", client=admin, typed_name="it")
    assert Study.objects.filter(pk=study.pk).exists()
    with django_capture_on_commit_callbacks(execute=True):
        assert "was deleted. Its corpus" in post(study, "delete", client=admin, typed_name=study.name)
    assert not Study.objects.filter(pk=study.pk).exists()
    assert not export.path.exists()


def test_the_page_is_for_the_studys_researchers(study: Study) -> None:
    annotator = Client()
    annotator.force_login(MemberFactory(study=study).user)
    assert annotator.get(address(study)).status_code == 404
    assert post(study, "name", client=annotator, name="Mine")
    study.refresh_from_db()
    assert study.name != "Mine"
