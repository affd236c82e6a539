"""What takes long, asked for by programs: runs, snapshots and their figures, exports, releases, and their jobs."""

import io
import json
import zipfile
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation_platform.analysis.measuring.figures import SnapshotHead
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotJob
from annotation_platform.analysis.snapshots.jobs import SNAPSHOTS
from annotation_platform.analysis.snapshots.stored import FIGURES
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.migrating import MIGRATIONS
from annotation_platform.annotations.models import Annotation
from annotation_platform.jobs.contract import run_job
from annotation_platform.releases.freeze.jobs import RELEASES
from annotation_platform.releases.models import Export, Finding
from annotation_platform.releases.services import EXPORTS
from annotation_platform.scoring.methods import METHODS
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Member, Role, Study
from tests.api.clients import program, send
from tests.factories import OPERATOR, MemberFactory, study_with_judgments
from tests.some import some

pytestmark = pytest.mark.xdist_group("api-long-work")


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    return study_with_judgments(name="Owls", annotators=5)


@pytest.fixture(scope="module")
def snapshot(study: Study) -> AgreementSnapshot:
    return take_snapshot(study=study, resamples=20)


@pytest.fixture(scope="module")
def admin(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN)


@pytest.fixture
def client(db: None, admin: Member) -> Client:
    return program(admin.user)


@pytest.fixture(autouse=True)
def folders(settings: Any, tmp_path: Path) -> None:
    settings.EXPORTS_DIR, settings.RELEASES_DIR = tmp_path / "exports", tmp_path / "releases"


def job_of(client: Client, reply: Any) -> dict[str, Any]:
    """The job that a 202 leads to, as it is now."""
    assert reply.status_code == 202, reply.content
    assert reply["Location"] == reply.json()["address"]
    found: dict[str, Any] = client.get(reply["Location"]).json()
    return found


def test_every_method_says_what_it_takes(client: Client, study: Study) -> None:
    told = send(client, "GET", f"/studies/{study.slug}/methods").json()["results"]
    assert [each["method"] for each in told] == [how.name for how in METHODS]
    for each, how in zip(told, METHODS, strict=True):
        for scorer in each["scorers"]:
            known = set(how.parameters(scorer["scorer"]).options()) & set(how.options_in(study))
            assert set(scorer["parameters"]["properties"]) == known
            assert not known & {"base_url", "model", "timeout"}
            assert not scorer["parameters"]["additionalProperties"]
    assert [bool(each["obstacle"]) for each in told][:2] == [False, False]


def test_a_run_is_started_watched_and_read(client: Client, study: Study) -> None:
    path = f"/studies/{study.slug}/runs"
    asked = {"method": "ebr", "scorer": "distilled", "parameters": {"lambda": 0.25}}
    reply = send(client, "POST", path, asked)
    job = job_of(client, reply)
    assert (job["kind"], job["state"], job["result"], job["study"]) == ("run", "pending", None, study.slug)
    assert job_of(client, send(client, "POST", path, asked))["id"] == job["id"]  # the same one
    other = send(client, "POST", path, {**asked, "parameters": {"lambda": 0.5}})
    assert (other.status_code, other.json()["code"]) == (409, "scoring.scored_already_without_worker")

    assert client.get(job["resource"]).json()["state"] == "pending"
    run_job(RUNS, int(job["id"].partition("-")[2]))
    job = client.get(job["address"]).json()
    assert (job["state"], job["done"], job["error"]) == ("done", job["total"], None)
    run = client.get(job["result"]).json()
    assert (run["method"], run["parameters"]["lambda"], run["spent"]) == ("ebr", 0.25, 0.0)
    assert run["counts"]["completeness"]["judgments"] == 5 * 24
    assert [each["id"] for each in send(client, "GET", path).json()["results"]] == [run["id"]]

    chosen = send(client, "POST", f"{path}/{run['id']}/choose")
    assert (chosen.status_code, chosen.json()["is_chosen"]) == (200, True)
    assert SnapshotJob.objects.filter(study=study).exists()


def test_a_run_is_paused_and_goes_on(client: Client, study: Study) -> None:
    path = f"/studies/{study.slug}/runs"
    job = job_of(client, send(client, "POST", path, {"method": "ebr", "scorer": "distilled"}))
    number = job["id"].partition("-")[2]
    assert send(client, "POST", f"{path}/{number}/pause").json()["state"] == "paused"
    again = send(client, "POST", f"{path}/{number}/pause")
    assert (again.status_code, again.json()["code"]) == (422, "scoring.nothing_to_pause")
    paused = client.get(job["address"]).json()
    assert (paused["state"], paused["error_code"]) == ("paused", "jobs.paused_by_hand")
    assert send(client, "POST", f"{path}/{number}/stop").json()["state"] == "failed"
    assert send(client, "POST", f"{path}/{number}/stop").json()["code"] == "scoring.nothing_to_stop"
    assert job_of(client, send(client, "POST", f"{path}/{number}/resume", {}))["state"] == "pending"


@pytest.mark.parametrize(("sent", "left"), [({}, 2.5), ({"budget": None}, None), ({"budget": "5"}, 5.0)])
def test_a_budget_stays_goes_or_is_another_when_a_run_goes_on(
    client: Client, study: Study, settings: Any, sent: dict[str, Any], left: float | None
) -> None:
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "key", "http://127.0.0.1:9/v1"
    path = f"/studies/{study.slug}/runs"
    parameters = {"model": "tiny", "max_tokens": 8, "price_in": 1, "price_out": 1}
    run = start_run(study=study, scorer="openai", parameters=parameters, budget=Decimal("2.5"), actor=OPERATOR)
    send(client, "POST", f"{path}/{run.pk}/pause")
    assert send(client, "POST", f"{path}/{run.pk}/resume", sent).status_code == 202
    assert client.get(f"/api/v1{path}/{run.pk}").json()["budget"] == left


@pytest.mark.parametrize(
    ("asked", "fields"),
    [
        ({"method": "nothing"}, set()),
        ({"method": "ebr", "scorer": "nobody"}, set()),
        ({"method": "ebr", "parameters": {"nonsense": 1}}, {"parameters.nonsense"}),
        ({"method": "ebr", "parameters": {"lambda": "much"}}, {"parameters.lambda"}),
        ({"method": "judge", "parameters": {"connection": 7, "temperature": 9}}, {"connection", "temperature"}),
        ({"method": "ebr", "budget": -1}, {"budget"}),
        # What only the operator sets, at the server's console: no program has the server ask an address of its choice.
        ({"method": "ebr", "scorer": "openai", "parameters": {"base_url": "http://10.0.0.1/v1"}}, {"base_url"}),
        ({"method": "judge", "parameters": {"model": "m", "retries": 20}}, {"model", "retries"}),
        ({"method": "ebr", "estimate": True, "typing": "error"}, {"typing"}),
    ],
)
def test_a_run_that_cannot_be_is_refused_field_by_field(
    client: Client, study: Study, asked: dict[str, Any], fields: set[str]
) -> None:
    reply = send(client, "POST", f"/studies/{study.slug}/runs", asked)
    assert reply.status_code == 422, reply.content
    told = {each["field"] for each in reply.json().get("errors", [])}
    assert {field.removeprefix("parameters.") for field in fields} == {
        field.removeprefix("parameters.") for field in told
    }
    assert not study.scoring_runs.exists()


def test_a_snapshot_is_asked_for_and_found(client: Client, study: Study, snapshot: AgreementSnapshot) -> None:
    path = f"/studies/{study.slug}/snapshots"
    listed = send(client, "GET", path).json()["results"]
    assert [(each["id"], each["signature"]) for each in listed] == [(snapshot.pk, snapshot.signature)]
    job = job_of(client, send(client, "POST", path))
    assert (job["kind"], job["resource"]) == ("snapshot", None)
    number = int(job["id"].partition("-")[2])
    run_job(SNAPSHOTS, number)
    done = client.get(job["address"]).json()
    found = client.get(done["result"]).json()
    assert found["id"] == AgreementSnapshot.objects.latest("measured_at").pk
    assert (found["stale_because"], found["counts"]["judgments"]) == (None, 120)


def test_every_figure_has_its_value_interval_n_source_and_tables(
    client: Client, study: Study, snapshot: AgreementSnapshot
) -> None:
    path = f"/studies/{study.slug}/figures"
    sections = send(client, "GET", path).json()["sections"]
    assert {each["section"] for each in sections} == set(
        snapshot.sections.order_by().values_list("key", flat=True)
    ) & set(FIGURES)
    tables: dict[str, Any] = {}
    for each in sections:
        told = client.get(each["address"]).json()
        assert told["snapshot"]["data_signature"] == snapshot.data_signature
        assert told["results"], each["section"]
        for of_aspect in some(told["results"]):
            assert (of_aspect["aspect"] is None) == (each["per"] == "study")
            tables |= {table["table"]: table for table in of_aspect["tables"]}
        assert client.get(f"{each['address']}/schema").json()
    assert set(tables) <= {name for each in sections for name in each["tables"]}
    assert {"agreement", "pairs", "means-system", "consensus"} <= set(tables)
    row = next(row for row in tables["agreement"]["rows"] if row.get("raw") is not None)
    assert row["raw_low"] <= row["raw"] <= row["raw_high"]
    assert row["raw_units"] > 0


def test_the_figures_are_those_of_the_snapshot(client: Client, study: Study, snapshot: AgreementSnapshot) -> None:
    path = f"/studies/{study.slug}/figures/krippendorff_alpha"
    told = send(client, "GET", f"{path}?aspect=completeness&snapshot={snapshot.pk}").json()
    (of_aspect,) = told["results"]
    head: SnapshotHead = snapshot.head
    alpha = next(each.alpha for each in head.headline.aspects if each.aspect == "completeness")
    assert of_aspect["figures"]["raw"]["value"] == alpha.value
    assert tuple(of_aspect["figures"]["raw"]["interval"]) == alpha.interval
    assert of_aspect["figures"]["raw"]["units"] == alpha.units


def test_two_snapshots_are_compared_figure_by_figure(client: Client, study: Study, snapshot: AgreementSnapshot) -> None:
    path = f"/studies/{study.slug}/snapshots"
    alone = send(client, "GET", f"{path}/{snapshot.pk}/changes").json()
    assert alone["code"] == "api.no_snapshot_before"
    same = send(client, "GET", f"{path}/{snapshot.pk}/changes?with={snapshot.pk}").json()
    assert (same["differs"], same["figures"]["rows"]) == ([], [])
    Annotation.objects.filter(item__study=study, annotator__pseudonym="A").update(is_current=False)
    later = take_snapshot(study=study, resamples=20)
    told = send(client, "GET", f"{path}/{later.pk}/changes?aspect=completeness").json()
    assert send(client, "GET", f"{path}/{snapshot.pk}/changes?aspect=completeness&with={later.pk}").json() == told
    assert (told["then"]["id"], told["now"]["id"], told["aspect"]) == (snapshot.pk, later.pk, "completeness")
    assert "Judgments: 120 then, 96 now." in told["differs"]
    alpha = next(row for row in told["headline"]["rows"] if row["figure"].endswith("Krippendorff α"))
    assert alpha["then_low"] <= alpha["then"] <= alpha["then_high"]
    assert alpha["now_low"] <= alpha["now"] <= alpha["now_high"]
    assert alpha["change"] == pytest.approx(alpha["now"] - alpha["then"])
    assert len(told["figures"]["rows"]) > len(told["headline"]["rows"])
    assert send(client, "GET", f"{path}/{later.pk}/changes?aspect=none").json()["code"] == "analysis.no_aspect"


@pytest.mark.parametrize(
    "query", ["/nothing", "/krippendorff_alpha?aspect=none", "?snapshot=0", "?snapshot=x", "/agreement?setting=none"]
)
def test_figures_that_are_not_there(client: Client, study: Study, snapshot: AgreementSnapshot, query: str) -> None:
    assert send(client, "GET", f"/studies/{study.slug}/figures{query}").status_code == 404


def test_an_export_is_made_and_downloaded(client: Client, study: Study) -> None:
    path = f"/studies/{study.slug}/exports"
    job = job_of(client, send(client, "POST", path, {"format": "jsonl"}))
    assert client.get(job["resource"]).json()["file"] is None
    assert client.get(f"{job['resource']}/file").status_code == 404
    run_job(EXPORTS, Export.objects.get().pk)
    job = client.get(job["address"]).json()
    export = client.get(job["resource"]).json()
    assert export["file"] == job["result"]
    content = b"".join(client.get(export["file"]).streaming_content)
    assert sha256(content).hexdigest() == export["sha256"]
    tag = f'"{export["sha256"]}"'
    rest: Any = client.get(export["file"], headers={"range": "bytes=10-", "if-range": tag})
    assert (rest.status_code, rest["ETag"], b"".join(rest.streaming_content)) == (206, tag, content[10:])
    assert client.get(export["file"], headers={"range": f"bytes={len(content)}-"}).status_code == 416
    assert len(content.splitlines()) == 120
    assert json.loads(content.splitlines()[0])["annotator"]
    assert [each["id"] for each in send(client, "GET", path).json()["results"]] == [export["id"]]


def test_a_release_is_asked_for_settled_frozen_read_and_withdrawn(client: Client, study: Study) -> None:
    path = f"/studies/{study.slug}/releases"
    asked = {"title": "Owls", "authors": ["Mori, Aya", "A Group"], "licence": "CC-BY-4.0"}
    for number in (1, 2):
        job = job_of(client, send(client, "POST", path, asked))
        pk = int(job["id"].partition("-")[2])
        run_job(RELEASES, pk)
        if number == 1:
            Finding.objects.create(release_id=pk, kind=Finding.Kind.WEB, text="owls.example")
            study.releases.filter(pk=pk).update(status="draft", digest="")
        draft = client.get(job["resource"]).json()
        if draft["state"] == "draft":
            verdicts = [{"id": each["id"], "verdict": "kept"} for each in draft["findings"]]
            settled = send(client, "POST", f"{path}/{number}/settle", {"verdicts": verdicts})
            assert (settled.status_code, settled.json()["state"]) == (200, "pending")
            run_job(RELEASES, pk)
    release = send(client, "GET", f"{path}/2").json()
    assert (release["state"], release["authors"]) == ("done", asked["authors"])
    archive = zipfile.ZipFile(io.BytesIO(b"".join(client.get(release["file"]).streaming_content)))
    assert len(archive.namelist()) == len(release["files"])
    part = next(each for each in release["files"] if each["path"] == "manifest.json")
    manifest = b"".join(client.get(part["address"]).streaming_content)
    assert sha256(manifest).hexdigest() == release["digest"]
    assert client.get(f"{part['address']}/../../../settings.py").status_code == 404

    changes = send(client, "GET", f"{path}/2/changes").json()
    assert (changes["before"], changes["after"], changes["added"], changes["gone"]) == (1, 2, 0, 0)
    assert send(client, "GET", f"{path}/1/changes?with=2").json() == changes
    assert send(client, "GET", f"{path}/1/changes").json()["code"] == "api.no_release_before"

    link = send(client, "POST", f"{path}/2/links", {"days": 3, "note": "Reviewers"}).json()
    assert Client().get(link["link"]).status_code == 200
    assert send(client, "POST", f"{path}/2/links/{link['id']}/revoke").json()["link"] is None
    assert Client().get(link["link"]).status_code == 404

    withdrawn = send(client, "POST", f"{path}/2/withdraw", {"because": "A name was left in it."}).json()
    assert (withdrawn["withdrawn_because"], withdrawn["file"]) == ("A name was left in it.", None)
    assert client.get(release["file"]).json()["code"] == "releases.withdrawn"
    wrong = send(client, "POST", f"{path}/1/give-up")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "api.nothing_to_give_up")
    again = send(client, "POST", path, asked | {"after": 1})
    assert (again.status_code, again.json()["code"]) == (409, "releases.made_meanwhile")
    assert send(client, "POST", path, asked | {"after": 2}).status_code == 202


def test_jobs_of_others_are_as_if_they_were_not_there(client: Client, study: Study) -> None:
    export = job_of(client, send(client, "POST", f"/studies/{study.slug}/exports", {}))
    run = job_of(client, send(client, "POST", f"/studies/{study.slug}/runs", {"method": "ebr"}))
    researcher = program(MemberFactory(study=study, role=Role.RESEARCHER).user)
    annotator = program(MemberFactory(study=study).user)
    assert researcher.get(run["address"]).status_code == 200
    assert researcher.get(export["address"]).status_code == 404
    assert annotator.get(run["address"]).status_code == 404
    for name in ("run-0", "run-", "nothing-1", "1", "run-999999999999999999999"):
        assert send(client, "GET", f"/jobs/{name}").json()["code"] == "api.no_job"


def test_a_scheme_goes_on_to_another_version(client: Client, study: Study) -> None:
    path = f"/studies/{study.slug}/scheme"
    definition = send(client, "GET", path).json()
    edited = {**definition, "title": f"{definition['title']}, edited"}
    asked = {"scheme": {"definition": edited}, "wanted": "migrate"}
    unchanged = send(client, "POST", f"{path}/migrations", {"scheme": {"definition": definition}})
    assert unchanged.json()["code"] == "annotations.scheme_unchanged"
    job = job_of(client, send(client, "POST", f"{path}/migrations", asked))
    run_job(MIGRATIONS, int(job["id"].rpartition("-")[2]))
    done = client.get(client.get(job["address"]).json()["result"]).json()
    assert (done["state"], done["counts"]["whole"]) == ("done", 120)
    versions = send(client, "GET", f"{path}/versions").json()["results"]
    assert [each["is_current"] for each in versions] == [True, False]
    assert versions[0]["definition"]["title"] == edited["title"]
    listed = send(client, "GET", f"{path}/migrations").json()["results"]
    assert [each["id"] for each in listed] == [done["id"]]
