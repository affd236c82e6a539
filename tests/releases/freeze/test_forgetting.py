"""What is forgotten of participants stands nowhere but in the releases that were frozen with it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.db.models import CharField, JSONField, TextField
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.crowd.providers.prolific.participants import services
from annotation_platform.crowd.providers.vault.identities import erase_person
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.releases.freeze import jobs
from annotation_platform.releases.freeze.rebuilding import rebuild
from annotation_platform.releases.freeze.services import request_release, settle_findings
from annotation_platform.releases.models import Finding, Release
from annotation_platform.studies.models import Study
from tests.factories import OPERATOR
from tests.markup import markup
from tests.releases.freeze.frozen import ASKED, admin_of, asked, frozen, worked
from tests.releases.freeze.test_participants import CHOSEN, about, annotators, keep, stored, texts

__all__ = ["stored"]
pytestmark = pytest.mark.django_db
PLANTED, MAIL = "Atlantis", "wren@example.org"


@pytest.fixture
def prolific(study: Study) -> ProlificStudy:
    """One annotator said where they live and how to reach them, and is alone with that."""
    prolific = ProlificStudy.objects.get(study=study)
    keep(prolific, [about(1, country=f"{PLANTED}, {MAIL}")])
    return prolific


def where_it_stands(*planted: str) -> set[str]:
    """The columns of all tables in which one of these texts is."""
    return {place for place, text in _all_texts() if any(each in text for each in planted)}


def _all_texts() -> Iterator[tuple[str, str]]:
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.local_fields:
            if isinstance(field, CharField | TextField | JSONField):
                place = f"{model.__name__}.{field.name}"
                yield from ((place, str(value)) for value in model._base_manager.values_list(field.name, flat=True))


def forget(prolific: ProlificStudy) -> None:
    services.forget_kept(connection=prolific, actor=OPERATOR)


def erase(prolific: ProlificStudy) -> None:
    erase_person(member=annotators(prolific.study)[0], actor=OPERATOR)


def delete(prolific: ProlificStudy) -> None:
    user = annotators(prolific.study)[0].user
    assert user is not None
    delete_account(user=user, actor=OPERATOR)


def revoke(prolific: ProlificStudy) -> None:
    keep(prolific, [about(1, country="CONSENT_REVOKED")])


@pytest.mark.parametrize("way", [forget, erase, delete, revoke])
def test_what_a_draft_says_and_was_found_in_it_goes(prolific: ProlificStudy, way: Any) -> None:
    release = asked(prolific.study, **CHOSEN)
    assert {each.kind for each in release.findings.all()} == {Finding.Kind.GROUP, Finding.Kind.EMAIL}
    in_draft = {"Release.facts", "Finding.text", "Finding.example"}
    assert where_it_stands(PLANTED, MAIL) == in_draft | {"ParticipantAttributes.values"}
    way(prolific)
    assert where_it_stands(PLANTED, MAIL) == set()
    release.refresh_from_db()
    assert (release.status, release.looked_at) == (Release.Status.DRAFT, None)


def test_a_draft_is_looked_through_anew_before_it_is_frozen_and_what_was_settled_stays_so(
    prolific: ProlificStudy,
) -> None:
    release = asked(prolific.study, **CHOSEN, description="Ask gull@example.org.")
    group, mail, own = release.findings.order_by("-kind", "-text")
    assert (group.is_of_people, mail.text, own.text) == (True, MAIL, "gull@example.org")
    settle_findings(release=release, verdicts={own.pk: Finding.Verdict.REMOVED}, actor=OPERATOR)
    erase(prolific)
    assert [each.verdict for each in release.findings.all()] == [Finding.Verdict.REMOVED]
    assert settle_findings(release=release, verdicts={}, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DRAFT, "one of whom nothing is said, whom nobody has settled"
    assert release.findings.get(kind=Finding.Kind.EMAIL).verdict == Finding.Verdict.REMOVED
    groups = release.findings.filter(kind=Finding.Kind.GROUP)
    assert {each.verdict for each in groups} == {Finding.Verdict.OPEN}
    kept = {each.pk: Finding.Verdict.KEPT for each in groups}
    assert settle_findings(release=release, verdicts=kept, actor=OPERATOR)
    release = worked(release)
    assert release.status == Release.Status.DONE
    said = texts(release)
    assert not any(each in said for each in (PLANTED, MAIL, "gull@example.org"))


def test_a_failed_release_loses_it_and_a_frozen_one_stays_as_it_is(prolific: ProlificStudy) -> None:
    release = frozen(prolific.study, **CHOSEN)
    failed = asked(prolific.study, **CHOSEN)
    Release.objects.filter(pk=failed.pk).update(status=Release.Status.FAILED)
    forget(prolific)
    assert where_it_stands(PLANTED) == {"Release.facts", "Finding.example"}
    failed.refresh_from_db()
    assert failed.facts == {}
    assert not failed.findings.exists()
    release.refresh_from_db()
    assert PLANTED in str(release.facts)
    assert PLANTED in texts(release)
    assert not rebuild(release).different


@pytest.mark.parametrize("step", ["look_through", "take_snapshot", "write_release"])
def test_what_is_forgotten_while_a_worker_is_at_it_is_not_stored(
    prolific: ProlificStudy, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    do = getattr(jobs, step)

    def and_forget(*given: Any, **named: Any) -> Any:
        done = do(*given, **named)
        forget(prolific)
        return done

    monkeypatch.setattr(jobs, step, and_forget)
    study = prolific.study
    request = partial(request_release, study=study, requested_by=admin_of(study), actor=OPERATOR)
    release = request(**{**ASKED, **CHOSEN})
    for _ in range(3):
        claimed = claim(jobs.RELEASES, release.pk)
        assert claimed is not None
        release = execute(jobs.RELEASES, claimed)
        if release.status != Release.Status.DRAFT:
            break
        assert step != "look_through" or where_it_stands(PLANTED, MAIL) == set()
        found = dict.fromkeys(release.findings.values_list("pk", flat=True), Finding.Verdict.KEPT)
        settle_findings(release=release, verdicts=found, actor=OPERATOR)
    assert release.status == Release.Status.DONE, release.error
    assert where_it_stands(PLANTED, MAIL) == set()
    assert PLANTED not in texts(release)


@pytest.mark.pages
def test_the_pages_say_what_stays_and_what_is_looked_through_anew(prolific: ProlificStudy, client: Client) -> None:
    study = prolific.study
    release = asked(study, **CHOSEN)
    client.force_login(admin_of(study).user)
    where = reverse("prolific_participants", args=[study.slug])
    assert "What a frozen release says of those who agreed stays in it" in markup(client.get(where))
    page = reverse("release", args=[study.slug, release.number])
    assert "It waits until what was found is settled." in markup(client.get(page))
    client.post(where, {"do": "forget"})
    said = markup(client.get(page))
    assert "It waits to be looked through anew before it is frozen." in said
    assert "Look through it anew, and freeze when nothing is found" in said
    assert "Save, and freeze" not in said
    client.post(reverse("settle_release", args=[study.slug, release.number]))
    assert worked(release).status == Release.Status.DONE
