"""Setting a destination up, looking at what would go, and sending it: on the page, by the API, and from a shell."""

from collections.abc import Iterator
from copy import deepcopy
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.jobs.contract import run_job
from annotation_platform.scoreback.models import ScoreDestination, ScoreSending
from annotation_platform.scoreback.sending import SENDINGS
from annotation_platform.studies.models import Member, Role, Study
from tests.api.clients import send, token_for, with_token
from tests.factories import OPERATOR, MemberFactory
from tests.scoreback.worlds import destination_for, judged_study
from tests.servers.score_takers import PUBLIC, SECRET, ScoreTakers

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    return judged_study("langfuse", name="Tides")


@pytest.fixture(scope="module")
def admin(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN, pseudonym="Wren")


@pytest.fixture(autouse=True)
def private_addresses(settings: Any) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True


@pytest.fixture
def takers() -> Iterator[ScoreTakers]:
    with ScoreTakers() as server:
        yield server


def page_of(study: Study, program: str = "langfuse") -> str:
    return reverse("score_destination", args=[study.slug, program])


def signed_in(admin: Member) -> Client:
    client = Client()
    client.force_login(admin.user)
    return client


def test_a_destination_is_set_up_looked_at_and_sent(study: Study, admin: Member, takers: ScoreTakers) -> None:
    client = signed_in(admin)
    assert "2</span> answers of this study" in client.get(reverse("scores_back", args=[study.slug])).content.decode()
    form = {
        "address": takers.url,
        "public_key": PUBLIC,
        "secret": SECRET,
        "aspects": ["quality", "tone"],
        "what": "mean",
    }
    assert client.post(page_of(study), form).status_code == 302
    shown = client.get(page_of(study)).content.decode()
    assert '<strong class="num">4</strong>' in shown
    assert "3.667" in shown
    assert SECRET not in shown
    assert not takers.requests  # nothing goes before the button is pressed
    client.post(reverse("change_score_sending", args=[study.slug, "langfuse"]), {"step": "send"})
    run_job(SENDINGS, ScoreSending.objects.get().pk)
    shown = client.get(page_of(study)).content.decode()
    assert '<span class="num">4</span> sent' in shown
    assert "4</span> more" in shown
    assert len(takers.scores["langfuse"]) == 4


def test_what_is_wrong_stands_on_the_page(study: Study, admin: Member) -> None:
    form = {"address": "ftp://example.org", "public_key": "", "secret": "", "aspects": ["quality"], "what": "mean"}
    answer = signed_in(admin).post(page_of(study), form)
    assert answer.status_code == 422
    assert "field-error" in answer.content.decode()


def test_aspects_chosen_under_another_version_of_the_scheme_are_chosen_again(
    study: Study, admin: Member, takers: ScoreTakers
) -> None:
    client = signed_in(admin)
    seen = Study.objects.get(pk=study.pk).scheme_version.signature
    assert f'name="scheme" value="{seen}"' in client.get(page_of(study)).content.decode()
    definition = deepcopy(study.scheme_version.definition)
    quality, tone, why = definition["aspects"]
    quality["key"], tone["key"], why["explains"] = "tone", "mood", ["tone"]
    migrate_scheme(study=study, definition=definition, renamings=["quality = tone", "tone = mood"], actor=OPERATOR)
    for aspects in (["tone"], ["quality"]):
        form = {"address": takers.url, "public_key": PUBLIC, "secret": SECRET, "aspects": aspects, "what": "mean"}
        answer = client.post(page_of(study), form | {"scheme": seen})
        assert answer.status_code == 422
        page = answer.content.decode()
        assert "another version of its scheme since you opened the page" in page
        assert takers.url in page, "what was typed stays"
        assert answer.context["form"]["aspects"].value() == []
        assert not ScoreDestination.objects.exists()
    now = Study.objects.get(pk=study.pk).scheme_version.signature
    assert f'name="scheme" value="{now}"' in page
    assert client.post(page_of(study), form | {"scheme": now, "aspects": ["tone"]}).status_code == 302
    assert ScoreDestination.objects.get().aspects == ["tone"]


def test_it_is_for_those_who_may_export(study: Study) -> None:
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    assert signed_in(researcher).get(page_of(study)).status_code == 404


def test_programs_do_the_same_by_the_api(study: Study, admin: Member, takers: ScoreTakers) -> None:
    client = with_token(token_for(admin.user, "admin"))
    address = reverse("api_score_destination", args=[study.slug, "langfuse"])
    body = {"address": takers.url, "public_key": PUBLIC, "secret": SECRET, "aspects": ["quality"], "what": "each"}
    saved = client.put(address, body, content_type="application/json").json()
    assert saved["has_secret"]
    assert SECRET not in str(saved)
    preview = client.get(reverse("api_score_preview", args=[study.slug, "langfuse"])).json()
    assert (preview["new"], preview["traced"], preview["examples"][0]["annotator"]) == (6, 2, "A")
    job = send(client, "POST", f"/studies/{study.slug}/score-destinations/langfuse/send")
    assert (job.status_code, job.json()["kind"]) == (202, "score-sending")
    run_job(SENDINGS, ScoreSending.objects.get().pk)
    log = client.get(reverse("api_sent_scores", args=[study.slug, "langfuse"])).json()
    assert {row["state"] for row in log["results"]} == {"sent"}
    assert client.get(job.json()["address"]).json()["state"] == "done"


def test_a_shell_does_it_without_a_worker(study: Study, takers: ScoreTakers) -> None:
    with pytest.raises(CommandError, match="Set the destination up"):
        call_command("send_scores", "Tides", to="langfuse")
    destination_for(study, "langfuse", takers.url)
    said = StringIO()
    call_command("send_scores", "Tides", to="langfuse", dry_run=True, stdout=said)
    assert "4 scores would be sent" in said.getvalue()
    assert not takers.requests
    call_command("send_scores", "Tides", to="langfuse", stdout=said)
    assert "4 scores sent, 0 refused" in said.getvalue()
    destination_for(study, "langfuse", takers.url, secret="wrong", with_comments=True)
    with pytest.raises(CommandError, match="does not accept the key"):
        call_command("send_scores", "Tides", to="langfuse")
