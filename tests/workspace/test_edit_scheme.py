"""A study's scheme, edited on its page: the report, the counts, the new version, and who may do it."""

from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.core.schemes.loading import preset_text
from annotation_platform.studies.models import Role, SchemeVersion, Study
from tests.factories import MemberFactory, make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return study_with_judgments(annotators=2, corpus=make_corpus(questions=2))


@pytest.fixture
def admin(study: Study) -> Client:
    return client_of(study, Role.ADMIN)


def client_of(study: Study, role: Role) -> Client:
    client = Client()
    client.force_login(MemberFactory(study=study, role=role).user)
    return client


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
    assert post(client, study, do="adopt").status_code == 404
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


def test_counting_stores_nothing_and_adopting_does(study: Study, admin: Client) -> None:
    fields = {"renamings": "completeness = fullness"}
    page = post(admin, study, do="count", **fields).content.decode()
    assert "12 of 12 judgments carry over with all they say." in page
    assert "Adopt this version" in page
    assert SchemeVersion.objects.count() == 1
    response = post(admin, study, do="adopt", **fields)
    assert response.status_code == 302
    page = admin.get(response.url).content.decode()
    assert "The study is under ebr v2 now." in page
    assert "Have the study scored again." in page
    assert Annotation.objects.current().filter(scheme_version__number=2).count() == 12


def test_a_look_that_carries_the_forms_button_adopts_nothing(study: Study, admin: Client) -> None:
    answer = post(admin, study, htmx=True, renamings="completeness = fullness", do="adopt")
    assert answer.status_code == 200
    assert "completeness: renamed to fullness" in answer.content.decode()
    assert SchemeVersion.objects.count() == 1


def test_nothing_typed_is_lost_when_it_cannot_be_adopted(study: Study, admin: Client) -> None:
    for wrong in ({"scheme": "key: ebr\n# mine"}, {"renamings": "x = y"}, {"scheme": preset_text("ebr")}):
        response = post(admin, study, do="adopt", **wrong)
        assert response.status_code == 422
        page = response.content.decode()
        assert "Nothing was changed." in page
        assert (wrong.get("renamings") or wrong["scheme"].splitlines()[-1])[:30] in page
    assert SchemeVersion.objects.count() == 1


def test_the_other_pages_live_with_figures_of_the_old_version(study: Study, admin: Client) -> None:
    take_snapshot(study=study, resamples=10)
    post(admin, study, do="adopt")
    for name in ("study", "agreement", "items", "scoring"):
        response = admin.get(reverse(name, args=[study.slug]))
        assert response.status_code == 200, name
    page = admin.get(reverse("agreement", args=[study.slug])).content.decode()
    assert "The study&#x27;s scheme was ebr v1 and is ebr v2 now." in page
    item = study.items.first()
    assert item is not None
    assert admin.get(reverse("item", args=[study.slug, item.pk])).status_code == 200
