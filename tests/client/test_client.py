"""From rows to figures and a release, against the platform behind its own server."""

import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pandas
import pytest
from annotation_client import (
    AnnotationWarning,
    AsyncPlatform,
    ConflictError,
    NotAcceptedError,
    NotThereError,
    Platform,
    ReleaseDiffersError,
    Study,
    TokenError,
    verify_release,
)
from annotation_client.command import app
from annotation_client.models import Release
from typer.testing import CliRunner

from tests.client.annotators import ScriptedAnnotator
from tests.client.conftest import Served
from tests.factories import judgment
from tests.servers.receiver import Receiver
from tests.workers.installation import ROOT

pytestmark = pytest.mark.xdist_group("client")
ROWS = [
    {
        "article_id": f"A{n // 4}",
        "article": ["Owls hunt by night.", "They see well.", "They hear better."],
        "question": f"When do owls of kind {n} hunt?",
        "answer": f"By night, says model {n % 2}." if n % 3 else "By day.",
        "system": f"model-{n % 2}",
    }
    for n in range(8)
]
LEVELS = ("complete", "missing_minor", "missing_major", "missing_all")


def opinion(who: int) -> Any:
    """Annotators who mostly agree: by what the answer says, the third one is stricter with every third question."""

    def judge(item: Any) -> dict[str, Any]:
        bad = "By day" in item["answers"][0]["text"]
        strict = who == 2 and int(item["question"].split()[5]) % 3 == 1
        return judgment(completeness=LEVELS[2 if bad else (1 if strict else 0)])

    return judge


@pytest.fixture(scope="module")
def platform(served: Served) -> Any:
    with Platform(served.url, token=served.token) as platform:
        yield platform


@pytest.fixture(scope="module")
def study(platform: Platform) -> Study:
    """Made of rows, released, judged by three scripts, and measured."""
    study = platform.studies.create("Owls", scheme="ebr", items=ROWS, overlap=3, questions_per_hit=4, hits_per_batch=1)
    study.release()
    link = study.invite(max_uses=3).link
    assert link is not None
    for who in range(3):
        assert ScriptedAnnotator(link, f"Annotator {who}", opinion(who)).work(study.slug) == len(ROWS)
    told: list[tuple[int, int]] = []
    study.wait(progress=lambda done, total: told.append((done, total)), timeout=60, poll=0.1)
    assert told[-1][0] == told[-1][1] > 0
    return study


def test_batches_are_cut_to_a_size_and_opened_some_or_all(platform: Platform) -> None:
    rows = [{**row, "question": f"Once more: {row['question']}"} for row in ROWS]
    study = platform.studies.create("Finches", scheme="ebr", items=rows, questions_per_hit=1, hits_per_batch=2)
    assert [each.items for each in study.cut(5)] == [5, 3]
    assert [each.items for each in study.release(batch_size=3, batches=1)] == [3]
    assert [(each.state, each.items) for each in study.batches()] == [("open", 3), ("draft", 3), ("draft", 2)]
    assert [each.items for each in study.release(batch_size=4)] == [4, 1]
    assert study.release(batch_size=4) == []


def test_judgments_as_frames(study: Study) -> None:
    frame = study.judgments().to_pandas()
    assert len(frame) == 3 * len(ROWS)
    assert set(frame["completeness"]) == {"complete", "missing_minor", "missing_major"}
    assert frame["annotator"].nunique() == 3
    assert study.judgments().to_arrow().num_rows == len(frame)
    assert study.judgments().to_polars()["item"].n_unique() == len(ROWS)
    row = next(iter(study.judgments()))
    assert row["values"]["completeness"] in LEVELS
    assert len(study.items().to_list()) == len(ROWS)


def test_agreement_with_interval_n_and_provenance(study: Study) -> None:
    found = study.agreement("completeness")
    assert found.alpha is not None
    assert 0.5 < found.alpha < 1
    said = str(found.alpha)
    assert said.startswith(f"{float(found.alpha):.3f} ")
    assert all(part in said for part in (f"{3 * len(ROWS)} judgments", found.snapshot.signature[:12], "code "))
    assert found.raw.judgments == 3 * len(ROWS)
    assert found.n >= 1
    assert (found.interval is None) == (found.raw.no_interval_because is not None)
    assert found.snapshot.batches == [1, 2]
    assert len(found.snapshot.signature) == 64
    assert "krippendorff_alpha" in study.sections()
    assert study.figures("percent_agreement").of("completeness")["value"] is not None
    with pytest.raises(NotThereError):
        study.agreement("beauty")


def test_the_same_again_makes_nothing_twice(platform: Platform, study: Study) -> None:
    again = platform.studies.create("Owls", scheme="ebr", items=ROWS, overlap=3, questions_per_hit=4, hits_per_batch=1)
    assert again.slug == study.slug
    again = platform.studies.create("Owls", hits_per_batch=1, questions_per_hit=4, overlap=3, scheme="ebr", items=ROWS)
    assert again.slug == study.slug, "in whatever order it is said"
    assert [each.name for each in platform.studies.corpora()].count("Owls") == 1


def test_a_study_that_was_deleted_is_made_anew(platform: Platform, study: Study) -> None:
    first = platform.studies.create("Wrens", scheme="ebr", corpus=study.record.corpus)
    first.delete(typed_name="Wrens")
    second = platform.studies.create("Wrens", scheme="ebr", corpus=study.record.corpus)
    assert second.slug in {each.slug for each in platform.studies.all()}


def test_another_study_of_the_name_is_none_of_before_and_a_refusal_counts_once(
    platform: Platform, study: Study
) -> None:
    def create(overlap: int) -> Study:
        return platform.studies.create("Kites", scheme="ebr", corpus=study.record.corpus, overlap=overlap)

    create(2).delete(typed_name="Kites")
    other = create(3)
    with pytest.raises(NotAcceptedError, match="“Kites” already"):
        create(2)
    other.delete(typed_name="Kites")
    first, again = create(2), create(2)
    assert first.record == again.record
    assert first.record.overlap == 2


def test_errors_name_row_and_field(platform: Platform) -> None:
    rows = [dict(ROWS[0]), {**ROWS[1], "answer": ""}]
    with pytest.raises(NotAcceptedError) as refused:
        platform.studies.create("Wrong", scheme="ebr", items=rows)
    assert refused.value.code == "corpus.nothing_imported"
    assert [(each.line, each.field) for each in refused.value.mistakes] == [(2, "answer")]
    assert "line 2, answer" in str(refused.value)
    with pytest.raises(NotAcceptedError) as refused:
        platform.check_scheme({"key": "x", "aspects": [{"kind": "nothing"}]})
    assert refused.value.mistakes


def test_columns_that_are_left_out_are_told(platform: Platform) -> None:
    rows = [{**row, "foo": 1} for row in ROWS]
    with pytest.warns(AnnotationWarning, match=r"8 values of “foo”") as told:
        study = platform.studies.create("With more columns", scheme="ebr", items=rows)
    assert [Path(each.filename).name for each in told] == [Path(__file__).name]
    assert len(study.items().to_list()) == len(ROWS)
    with pytest.warns(AnnotationWarning, match="“foo”"):
        platform.studies.upload("Only rows", rows)


def corpora(platform: Platform, name: str) -> int:
    return [each.name for each in platform.studies.corpora()].count(name)


def test_a_study_that_is_refused_leaves_no_corpus(platform: Platform) -> None:
    for wrong in ({"scheme": "acorn", "rows_as": "ebr"}, {"scheme": "ebr", "overlap": 0}):
        with pytest.raises(NotAcceptedError):
            platform.studies.create("Refused", items=ROWS, **wrong)
        assert corpora(platform, "Refused") == 0
    with pytest.raises(AnnotationWarning):  # here warnings are errors
        platform.studies.create("Refused", scheme="ebr", items=[{**row, "foo": 1} for row in ROWS])
    assert corpora(platform, "Refused") == 0
    made = [platform.studies.create("Refused", scheme="ebr", items=ROWS) for _ in range(2)]
    assert len({each.slug for each in made}) == corpora(platform, "Refused") == 1


def test_settings_and_schemes_are_checked_before_rows_are_sent(platform: Platform, tmp_path: Path) -> None:
    for wrong in ({"scheme": "ebr", "overlap": 0}, {"scheme": {"key": "x"}}, {"scheme": "ebr", "nonsense": 1}):
        with pytest.raises(NotAcceptedError) as refused:
            platform.studies.create("Too early", items=tmp_path / "not-there.csv", **wrong)
        assert refused.value.mistakes


def test_a_corpus_is_deleted_that_no_study_uses(platform: Platform) -> None:
    stored = platform.studies.upload("For now", ROWS)
    study = platform.studies.create("For now", scheme="ebr", corpus=stored.id)
    with pytest.raises(NotAcceptedError, match="“For now” already"):
        platform.studies.create("For now", scheme="ebr", items=ROWS, overlap=4)
    with pytest.raises(ConflictError, match="a study uses it"):
        platform.studies.delete_corpus(stored.id)
    study.delete(typed_name="For now")
    platform.studies.delete_corpus(stored.id)
    assert corpora(platform, "For now") == 0
    assert platform.studies.upload("For now", ROWS).id != stored.id


def test_a_frame_goes_in_without_its_missing_cells(platform: Platform) -> None:
    frame = pandas.DataFrame([{**row, "question": f"{row['question']} Really?"} for row in ROWS])
    frame["question_id"] = None
    study = platform.studies.create("Of a frame", scheme="ebr", items=frame)
    assert len(study.items().to_list()) == len(ROWS)


def test_a_token_that_is_none(served: Served) -> None:
    with Platform(served.url, token="ap_12345678_made-up") as platform, pytest.raises(TokenError) as refused:
        platform.studies.all()
    assert refused.value.status == 401


def test_settings_people_runs_and_webhooks(study: Study) -> None:
    study.change(overlap=4)
    assert study.record.overlap == 4
    study.change(overlap=3)
    assert {each.role for each in study.members()} == {"admin", "annotator"}
    person = next(each for each in study.members() if each.role == "annotator")
    study.pause_member(person.id, because="A question first.")
    study.resume_member(person.id)
    run = study.start_run("ebr")
    study.wait_for(run.job, progress=False, timeout=60, poll=0.1)
    assert study.run(run.id).state == "done"
    assert study.measure(progress=False, poll=0.1).run == run.id
    assert {each["method"] for each in study.methods()} >= {"ebr", "judge"}
    with Receiver() as receiver:
        hook = study.webhooks.add(receiver.url, note="Ours")
        assert (hook.secret or "").startswith("whsec_")
        study.webhooks.test(hook.id)
        assert receiver.received
        assert [each.state for each in study.webhooks.deliveries(hook.id)] == ["delivered"]
        assert not study.webhooks.change(hook.id, is_on=False).is_on
        study.webhooks.delete(hook.id)
    assert study.webhooks.all() == []


def test_export_and_release(study: Study, tmp_path: Path) -> None:
    export = study.export(tmp_path / "judgments.parquet", poll=0.1)
    assert export.size == (tmp_path / "judgments.parquet").stat().st_size
    made = study.freeze("Owls", authors=["Doe, Jane"], licence="CC-BY-4.0", progress=False, poll=0.1)
    if made.state == "draft":
        made = study.settle(made.number, {each.id: "kept" for each in made.findings}, progress=False, poll=0.1)
    assert made.state == "done"
    folder = study.download_release(made.number, tmp_path)
    assert verify_release(folder) == made.digest
    file = next(folder.glob("**/*.csv"))
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(ReleaseDiffersError, match=file.name):
        verify_release(folder)


def test_what_moved_between_releases_and_who_may_download_one(study: Study) -> None:
    for title in ("First", "Second", "Third"):
        made = study.freeze(title, authors=["Doe, Jane"], licence="CC0-1.0", progress=False, poll=0.1)
        study.settle(made.number, {each.id: "kept" for each in made.findings}, progress=False, poll=0.1)
    third, second, first = (each.number for each in study.releases()[:3])
    changes = study.changes(second)
    assert (changes.before, changes.after, changes.added, changes.moved) == (first, second, 0, [])
    assert study.changes(first, since=second) == changes
    apart = study.changes(third, since=first, progress=False, poll=0.1)  # the freeze has not compared these
    assert (apart.before, apart.after, apart.added, apart.gone) == (first, third, 0, 0)
    link = study.make_link(second, days=2, note="Reviewers")
    assert httpx2.get(link.link or "").is_success
    assert [each.id for each in study.links(second)] == [link.id]
    assert study.revoke_link(second, link.id).link is None
    assert httpx2.get(link.link or "").status_code == 404
    assert study.withdraw(second, because="A name was left in it.").withdrawn_because == "A name was left in it."
    with pytest.raises(NotThereError, match="A name was left in it"):
        study.download_release(second, Path())


def test_a_freeze_that_is_asked_for_again_goes_on_until_it_is_frozen(study: Study) -> None:
    def freeze(*authors: str) -> Release:
        given: dict[str, Any] = {
            "authors": authors or ["Doe,  Jane"],
            "licence": "CC0-1.0",
            "description": "Of a file.\n",
        }
        return study.freeze(" Cut  short", **given, progress=False, poll=0.1)

    made = freeze()
    assert made.state == "draft"
    assert freeze() == made, "after a cut"
    with pytest.raises(ConflictError):
        freeze("Roe, Ada")
    study.settle(made.number, {each.id: "kept" for each in made.findings}, progress=False, poll=0.1)
    more = freeze()
    assert more.number == made.number + 1
    study.settle(more.number, {each.id: "kept" for each in more.findings}, progress=False, poll=0.1)


def test_items_are_searched_and_snapshots_compared(study: Study) -> None:
    assert len(list(study.search(limit=3))) == len(ROWS)
    assert {each["systems"][0] for each in study.search(system="model-1")} == {"model-1"}
    with pytest.raises(NotAcceptedError):
        list(study.search(sort="beauty"))
    newest = study.snapshots()[0]
    same = study.compare_snapshots(newest.id, since=newest.id, aspect="completeness")
    assert (same.then.id, same.now.id, same.differs) == (newest.id, newest.id, [])
    assert same.headline["rows"][0]["then"] == same.headline["rows"][0]["now"]


def test_messages_and_announcements(study: Study) -> None:
    person = next(each for each in study.members() if each.role == "annotator")
    assert study.talk.threads() == []
    study.talk.answer("Thank you.", annotator=person.id)
    (thread,) = study.talk.threads(about="study")
    assert (thread.pseudonym, thread.messages, thread.waits) == (person.pseudonym, 1, 0)
    assert [each.text for each in study.talk.read(thread.annotator, thread.assignment)] == ["Thank you."]
    study.talk.settle(person.id)
    said = study.talk.announce("The next batch opens on Monday.")
    assert study.talk.end_announcement(said.id).ended_at is not None
    assert [each.text for each in study.talk.announcements()] == ["The next batch opens on Monday."]


def test_a_scheme_that_was_edited_is_counted_before_the_study_has_it(study: Study) -> None:
    edited = study.scheme.definition() | {"title": "Edited"}
    job = study.scheme.ask(edited)
    study.wait_for(job.address, progress=False, timeout=60, poll=0.1)
    assert (study.scheme.migrations()[0].counts or {})["whole"] > 0
    assert [each.is_current for each in study.scheme.versions()] == [True]


def test_the_same_to_await(served: Served, study: Study, platform: Platform) -> None:
    platform.studies.create("Others awaited", scheme="ebr", items=ROWS)

    async def ask() -> tuple[int, float | None, int]:
        async with AsyncPlatform(served.url, token=served.token) as platform:
            same = await platform.studies.get(study.slug)
            rows = [row async for row in same.judgments()]
            return len(rows), (await same.agreement("completeness")).alpha, len(await platform.studies.all())

    with ThreadPoolExecutor(1) as apart:  # this thread may have a loop already: the browser's
        count, alpha, studies = apart.submit(lambda: asyncio.run(ask())).result()
    assert (count, alpha) == (3 * len(ROWS), study.agreement("completeness").alpha)
    assert studies >= 2


def test_from_a_shell(served: Served, study: Study, tmp_path: Path) -> None:
    rows, shell = tmp_path / "rows.jsonl", CliRunner()
    rows.write_text("".join(f'{{"question": "Why {n}?", "answer": "So.", "foo": 1}}\n' for n in range(3)))
    known = {"ANNOTATION_URL": served.url, "ANNOTATION_TOKEN": served.token}

    def run(*arguments: str, code: int = 0) -> str:
        done = shell.invoke(app, list(arguments), env=known)
        assert done.exit_code == code, done.output
        return str(done.output)

    done = shell.invoke(app, ["create", "From a shell", "--scheme", "ebr", "--items", str(rows)], env=known)
    assert done.stderr == "Left out: 3 values of “foo”, a column that is taken for nothing.\n"
    slug = done.stdout.strip()
    assert run("release", slug).split()[:2] == ["1", "3"]
    assert slug in run("studies")
    run("close", slug)
    assert run("agreement", study.slug, "completeness").startswith("α of")
    target = tmp_path / "judgments.csv"
    run("judgments", study.slug, "--to", str(target))
    assert len(pandas.read_csv(target)) == 3 * len(ROWS)
    assert run("judgments", study.slug).count("\n") == 3 * len(ROWS)
    assert "/join/" in run("invite", study.slug)
    assert "no such study" in run("batches", "nothing", code=1).lower()
    assert run("webhook", "list", study.slug) == ""


def test_the_crowd_is_watched_reviewed_and_adjudicated(study: Study) -> None:
    """The last of the tests with the study: what is rejected counts no more."""
    assert {each["pseudonym"] for each in study.crowd.annotators()} == {
        each.pseudonym for each in study.members() if each.role == "annotator"
    }
    one, other, *_ = study.crowd.reviews()
    with pytest.raises(ConflictError, match="changed this work since"):
        study.crowd.approve(one["assignment"], one["annotator"], seen="2020-01-01T00:00:00Z")
    assert study.crowd.approve(one["assignment"], one["annotator"], seen=one["judged_at"])["state"] == "approved"
    rejected = study.crowd.reject(other["assignment"], other["annotator"], because="It copies the answer.")
    assert [each["because"] for each in study.crowd.reviews(state="rejected")] == [rejected["because"]]
    item = study.judgments().to_list()[0]["item"]
    said = study.crowd.adjudicate(item, judgment(), scheme_signature=study.record.scheme_signature, note="So.")
    assert study.crowd.adjudications().to_list() == [said]
    assert study.rounds.all() == []
    assert (study.pay.read()["accounts"], study.pay.ledger().to_list()) == ([], [])
    assert all(0 <= each["disagreement"] <= 1 for each in study.crowd.items_apart("completeness"))


def test_it_needs_no_django() -> None:
    loaded = "import sys, annotation_client.command; print('django' in sys.modules, 'pandas' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True, env=path())
    assert told.stdout.split() == ["False", "False"]


def test_waiting_blocks_and_awaiting_are_one_definition() -> None:
    command = [sys.executable, str(ROOT / "client" / "scripts" / "make_sync.py"), "--check"]
    assert subprocess.run(command, capture_output=True, text=True).stdout == ""


def test_a_release_is_checked_by_the_same_words_with_the_client_and_without() -> None:
    ours = ROOT / "annotation_platform" / "releases" / "freeze" / "verify.py"
    theirs = ROOT / "client" / "src" / "annotation_client" / "verify.py"
    assert theirs.read_text() == ours.read_text()


def path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "client" / "src")}
