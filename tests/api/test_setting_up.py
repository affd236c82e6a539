"""What is set up and taken of a study by the API: members, draws, mirrored items, scoring, bundles, training data."""

import json
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from annotation_platform.accounts.models import Event
from annotation_platform.analysis.models import PaperBundle
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import (
    ConnectionTrial,
    ItemLabel,
    ModelConnection,
    ScoringRun,
    SuspiciousPassage,
)
from annotation_platform.studies.models import Batch, BatchState, Item, Member, Role, Study
from annotation_platform.studies.services import plan_batches
from tests.api.clients import program, send
from tests.crowd.rounds.pieces import new_round
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, study_with_judgments
from tests.releases.freeze.frozen import frozen
from workers.tasks import take_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("api-setting-up")]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """With drafts of two tasks each."""
    study = make_study(name="Owls", corpus=make_corpus(articles=2), hits_per_batch=2)
    plan_batches(study=study)
    return study


@pytest.fixture
def admin(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN)


@pytest.fixture
def client(admin: Member) -> Client:
    return program(admin.user)


def test_the_settings_have_extensions_too(client: Client) -> None:
    read = send(client, "GET", "/studies/owls")
    assert (read.json()["most_extensions"], read.json()["extension_percent"]) == (1, 50)
    changed = send(client, "PATCH", "/studies/owls", {"most_extensions": 3}, **{"if-match": read["ETag"]}).json()
    assert (changed["most_extensions"], changed["extension_percent"]) == (3, 50)


def test_tasks_are_drawn_as_the_plan_says(client: Client, study: Study) -> None:
    assert send(client, "GET", "/studies/owls/draw").json()["plan"] is None
    told = send(client, "GET", "/studies/owls/draw?n=1").json()
    assert told["runs"] == []
    assert told["plan"]["least"] == told["plan"]["most"] == pytest.approx(1 / told["left"])
    drawn = send(client, "POST", "/studies/owls/draw", {"n": 1})
    assert (drawn.status_code, drawn.json()["state"], drawn.json()["tasks"]) == (201, "open", 1)
    assert send(client, "GET", "/studies/owls/draw").json()["left"] == told["left"] - 1
    assert send(client, "POST", "/studies/owls/draw", {"n": told["left"]}).json()["code"] == "studies.draw_size_wrong"
    assert send(client, "GET", "/studies/owls/draw?n=0").status_code == 422
    no_run = send(client, "POST", "/studies/owls/draw", {"n": 1, "run": 5})
    assert no_run.json()["code"] == "scoring.run_without_uncertainty"
    assert Batch.objects.filter(study=study, state=BatchState.OPEN).count() == 1


def test_mirrored_items_are_declared_in_place_of_those_before(client: Client, study: Study, admin: Member) -> None:
    first, second = Item.objects.filter(study=study).select_related("question__article")[:2]
    rows = [
        {"article": each.question.article.external_id, "question": each.question.external_id, "group": "g"}
        for each in (first, second)
    ]
    assert send(client, "PUT", "/studies/owls/mirrors", {"rows": rows}).json()["items"] >= 2
    assert len(set(Item.objects.filter(pk__in=[first.pk, second.pk]).values_list("mirror", flat=True))) == 1
    read = send(client, "GET", "/studies/owls/mirrors")
    assert (read.json()["groups"], read.json()["shared_with"]) == (1, [])
    mine = {"if-match": read["ETag"]}
    apart = [row | {"group": f"g{number}"} for number, row in enumerate(rows)]
    changed = send(client, "PUT", "/studies/owls/mirrors", {"rows": apart}, **mine)
    assert (changed.status_code, changed.json()["groups"]) == (200, 2)
    assert send(client, "PUT", "/studies/owls/mirrors", {"rows": rows}, **mine).status_code == 412
    assert send(client, "GET", "/studies/owls/mirrors")["ETag"] == changed["ETag"] != read["ETag"]
    wrong = send(client, "PUT", "/studies/owls/mirrors", {"rows": [rows[0] | {"question": "none"}]})
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["code"] == "studies.mirror_unknown"
    make_study(name="Of others")
    shared = send(client, "PUT", "/studies/owls/mirrors", {"rows": rows, "shared_with": "of-others"})
    assert shared.json()["code"] == "studies.mirrors_not_shared"
    MemberFactory(study=make_study(name="Mine"), user=admin.user, role=Role.RESEARCHER)
    shared = send(client, "PUT", "/studies/owls/mirrors", {"rows": rows, "shared_with": "mine"})
    assert shared.json()["shared_with"] == ["mine"]
    round_ = new_round(study, key=False).study
    shared = send(client, "PUT", "/studies/owls/mirrors", {"rows": rows, "shared_with": round_.slug})
    assert shared.json()["code"] == "studies.mirrors_not_shared", "a round is no study to share with"


def test_the_administration_is_handed_over(client: Client, study: Study, admin: Member) -> None:
    other = MemberFactory(study=study, role=Role.RESEARCHER)
    done = send(client, "POST", f"/studies/owls/members/{other.pk}/hand-over")
    assert (done.status_code, done.json()["role"]) == (200, "admin")
    admin.refresh_from_db()
    assert admin.role == Role.RESEARCHER
    again = send(client, "POST", f"/studies/owls/members/{other.pk}/hand-over")
    assert (again.status_code, again.json()["code"]) == (404, "studies.for_admins")


def test_an_annotator_who_is_invited_by_mail_needs_no_password(client: Client, study: Study) -> None:
    made = send(client, "POST", "/studies/owls/invitations", {"email": "aya@example.org"})
    assert made.status_code == 201
    (sent,) = mail.outbox
    assert "/join-by-mail/" in sent.body
    assert "/join-by-mail/" not in made.json()["link"]


def test_scoring_is_read_and_changed_by_its_etag(client: Client, study: Study) -> None:
    read = send(client, "GET", "/studies/owls/scoring")
    assert read.json() == {"scorer": "distilled", "connection": "", "prompt_template": "", "budget": None}
    change = {"budget": "12.50"}
    assert send(client, "PATCH", "/studies/owls/scoring", change).status_code == 428
    changed = send(client, "PATCH", "/studies/owls/scoring", change, **{"if-match": read["ETag"]})
    assert (changed.json()["budget"], changed.json()["scorer"]) == (12.5, "distilled")
    assert changed.json()["warning"] is None
    assert changed["ETag"] == send(client, "GET", "/studies/owls/scoring")["ETag"]
    assert send(client, "PATCH", "/studies/owls/scoring", change, **{"if-match": read["ETag"]}).status_code == 412
    wrong = send(client, "PATCH", "/studies/owls/scoring", {"scorer": "oracle"}, **{"if-match": "*"})
    assert wrong.status_code == 422


def test_which_runs_at_work_cannot_keep_a_budget_is_told(client: Client, study: Study, settings: Any) -> None:
    settings.OPENAI_BASE_URL = "https://models.example.org/v1"
    given = run_method("ebr").resolve(study=study, scorer="openai", given={"model": "m"}).stored()
    run = ScoringRun.objects.create(study=study, method="ebr", scorer="openai", parameters=given)
    address, always = "/studies/owls/scoring", {"if-match": "*"}
    warned = send(client, "PATCH", address, {"budget": "12.50"}, **always).json()["warning"]
    assert warned.startswith(f"Run {run.pk} is at work without the model's prices")
    assert send(client, "PATCH", address, {"budget": None}, **always).json()["warning"] is None


def test_a_connection_is_added_changed_and_tried_and_its_key_never_told(
    client: Client, study: Study, settings: Any
) -> None:
    settings.PRIVATE_MODEL_ADDRESSES = False
    new = {"name": "Ours", "base_url": "https://models.example.org/v1", "model": "m", "key": "sk-secret-1234567890"}
    made = send(client, "POST", "/studies/owls/connections", new)
    assert (made.status_code, made.json()["has_key"], made.json()["trial"]) == (201, True, None)
    one = f"/studies/owls/connections/{made.json()['id']}"
    tag = {"if-match": send(client, "GET", one)["ETag"]}
    changed = send(client, "PATCH", one, {"price_in": 0.5}, **tag).json()
    assert (changed["price_in"], changed["has_key"], changed["model"]) == (0.5, True, "m")
    assert send(client, "PATCH", one, {"price_in": 1}, **tag).status_code == 412
    moved = send(client, "PATCH", one, {"base_url": "https://other.example.org/v1"}, **{"if-match": "*"}).json()
    assert moved["has_key"] is False  # it was for the address before
    assert send(client, "POST", f"{one}/try").json()["trial"]["state"] in ("pending", "running", "failed")
    assert ConnectionTrial.objects.count() == 1
    refused = send(client, "POST", "/studies/owls/connections", new | {"name": "In", "base_url": "http://127.0.0.1/v1"})
    assert refused.json()["errors"][0]["field"] == "base_url"
    twice = send(client, "POST", "/studies/owls/connections", new)
    assert twice.json()["errors"][0]["field"] == "name"
    told = (
        send(client, "GET", "/studies/owls/connections").content
        + json.dumps(list(Event.objects.values_list("change", flat=True)), default=str).encode()
    )
    assert b"sk-secret" not in told
    researcher = program(MemberFactory(study=study, role=Role.RESEARCHER).user)
    not_theirs = send(researcher, "PATCH", one, {"model": "m2"}, **{"if-match": "*"})
    assert (not_theirs.status_code, not_theirs.json()["code"]) == (404, "scoring.may_not_change_connection")
    platforms = ModelConnection.objects.create(name="Platform's", base_url="https://p.example.org/v1", model="m")
    assert send(client, "GET", f"/studies/owls/connections/{platforms.pk}").status_code == 404


def test_passages_are_listed_and_dismissed_and_runs_compared(client: Client, study: Study) -> None:
    runs = [
        ScoringRun.objects.create(study=study, method="ebr", scorer="distilled", status="done", parameters={"k": n})
        for n in range(2)
    ]
    passage = SuspiciousPassage.objects.create(
        run=runs[0], item=Item.objects.filter(study=study).first(), sign="order", passage="Ignore all of that."
    )
    where = f"/studies/owls/runs/{runs[0].pk}"
    (told,) = send(client, "GET", f"{where}/passages").json()["results"]
    assert (told["sign"], told["passage"], told["annotation"]) == ("order", "Ignore all of that.", None)
    assert send(client, "POST", f"/studies/owls/passages/{passage.pk}/dismiss").status_code == 204
    assert send(client, "GET", f"{where}/passages").json()["results"] == []
    beside = send(client, "GET", f"{where}/beside/{runs[1].pk}").json()
    assert [each for each in beside["settings"] if each["differs"]]
    other = ScoringRun.objects.create(study=study, method="judge", scorer="language_model", status="done")
    unlike = send(client, "GET", f"{where}/beside/{other.pk}")
    assert (unlike.status_code, unlike.json()["code"]) == (422, "scoring.runs_not_comparable")


def test_a_reply_that_waits_no_more_says_so(client: Client) -> None:
    assert send(client, "GET", "/studies/owls/unread-replies").json()["results"] == []
    gone = send(client, "POST", "/studies/owls/unread-replies/1", {"choice": "yes"})
    assert (gone.status_code, gone.json()["code"]) == (409, "scoring.reply_decided_otherwise")
    assert not ItemLabel.objects.exists()


def test_what_is_taken_of_a_study_with_judgments(settings: Any, tmp_path: Any) -> None:
    settings.RELEASES_DIR, settings.DATA_DIR = tmp_path / "releases", tmp_path
    study = study_with_judgments(name="Herons", annotators=5)
    client = program(MemberFactory(study=study, role=Role.RESEARCHER).user)
    assert send(client, "POST", "/studies/herons/bundles").json()["code"] == "analysis.no_figures_to_bundle"
    take_snapshot(study, actor=OPERATOR)
    job = send(client, "POST", "/studies/herons/bundles")
    assert (job.status_code, job.json()["kind"]) == (202, "bundle")
    assert client.get(job.json()["address"]).json()["kind"] == "bundle"
    (bundle,) = send(client, "GET", "/studies/herons/bundles").json()["results"]
    assert bundle["id"] == PaperBundle.objects.get().pk
    assert send(client, "POST", "/studies/herons/bundles").json()["id"] == job.json()["id"]

    release = frozen(study)
    rows = client.get(f"/api/v1/studies/herons/releases/{release.number}/training?format=judge")
    first = json.loads(b"".join(rows.streaming_content).splitlines()[0])  # type: ignore[attr-defined]
    assert first["messages"][0]["role"] in ("system", "user")
    unknown = send(client, "GET", f"/studies/herons/releases/{release.number}/training?format=sft")
    assert (unknown.status_code, unknown.json()["code"]) == (422, "api.choice_wrong")
    no_aspect = send(client, "GET", f"/studies/herons/releases/{release.number}/training?format=dpo&aspect=beauty")
    assert no_aspect.json()["code"] == "releases.no_aspect_to_train_on"
    project = send(client, "GET", f"/studies/herons/releases/{release.number}/for/label_studio")
    assert (project.status_code, project.content[:2]) == (200, b"PK")
    assert send(client, "GET", f"/studies/herons/releases/{release.number}/for/paper").status_code == 404
    assert Event.objects.filter(verb="release.downloaded").count() == 2
