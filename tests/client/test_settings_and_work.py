"""What is set up and decided in a study, who may download, and a front end of one's own, by the client."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from annotation_client import ConflictError, NotAcceptedError, NotThereError, Platform, Study, verify_release
from annotation_client.command import app
from annotation_client.sending import in_address
from typer.testing import CliRunner

from tests.client.annotators import ScriptedAnnotator
from tests.client.conftest import Served
from tests.client.test_client import ROWS, opinion
from tests.factories import judgment

pytestmark = pytest.mark.xdist_group("client")


def new_study(platform: Platform, name: str) -> Study:
    """A draft, with the tasks of four questions each."""
    rows = [{**row, "question": f"{name}: {row['question']}"} for row in ROWS]
    return platform.studies.create(name, scheme="ebr", items=rows, overlap=1, questions_per_hit=4, hits_per_batch=1)


@pytest.fixture(scope="module")
def study(served: Served) -> Iterator[Study]:
    """Open, and asks for consent and languages."""
    with Platform(served.url, token=served.token) as platform:
        study = new_study(platform, "Herons")
        assert study.crowd.publish_consent(en="What is kept.", ja="保存するもの。")["number"] == 1
        assert study.crowd.require_languages("en", "ja") == study.crowd.languages() == ["en", "ja"]
        study.release(batches=1)
        yield study


def token_in(study: Study, name: str, scope: str) -> str:
    """Of somebody who joined by a link."""
    link = study.invite(max_uses=1).link
    assert link is not None
    return ScriptedAnnotator(link, name, opinion(0)).token(scope)


@pytest.fixture(scope="module")
def annotator(served: Served, study: Study) -> Iterator[Platform]:
    with Platform(served.url, token=token_in(study, "Ito", "annotate")) as platform:
        yield platform


def test_what_comes_before_a_task_and_the_task_itself(study: Study, annotator: Platform) -> None:
    work, crowd = annotator.work, study.crowd
    with pytest.raises(ConflictError, match="read what you agree to"):
        work.take(study.slug)
    assert work.answer_consent(study.slug, work.consent(study.slug), agreed=True)["agreed"]
    assert work.state_languages(study.slug, "en", "ja")["stated"] == ["en", "ja"]
    assert [each["agreed"] for each in crowd.consents(version=1)] == [True]
    assert crowd.consent_texts()[0]["agreed"] == 1
    assert work.instructions(study.slug)["guidelines"]
    for elsewhere in (f"{study.slug}/consent?", "..", "."):
        with pytest.raises(NotThereError):
            work.instructions(elsewhere)
    assert in_address("..") == in_address(".") == in_address("") == "%20"
    task = work.take(study.slug)
    of_nobody = task | {"holder": "x" * 201}  # which the platform reads, and refuses
    with pytest.raises(NotAcceptedError, match="holder"):
        work.draft(of_nobody, 1, {"reasons": "It"}, version=0)
    with pytest.raises(NotAcceptedError, match="holder"):
        work.submit(of_nobody, 1, judgment())
    assert work.draft(task, 1, {"reasons": "It"}, version=0) == 1
    assert work.submit(task, 1, judgment())["next_position"] == 2
    little = {"completeness": "complete", "reasons": "The answer misses some."}
    assert work.hint(task, 1, "reasons", little)
    assert work.hint(task, 1, "reasons", little, dismiss=True) is work.hint(task, 1, "reasons", little) is None
    work.pasted(task, 1, "reasons", 30)
    longer = work.more_time(task)
    assert longer["extensions"] == 1
    with pytest.raises(ConflictError):
        work.more_time(longer)
    with pytest.raises(ConflictError, match="has not run out"):
        work.submit_late(task, 2, judgment())
    assert not work.drop_change(task, 1)["task_is_complete"]
    for position in range(2, len(task["items"]) + 1):
        version = work.draft(task, position, {"reasons": "It"}, version=0)
        last = work.submit(task, position, judgment(), draft_version=version)
    assert last["task_is_complete"], "no draft is left that it was made from"
    (mine,) = work.submissions()
    assert (mine["task"], mine["state"]) == (task["id"], "waiting")
    assert (work.rounds(), crowd.late_work(), crowd.late_judgments(state="waiting").to_list()) == ([], [], [])


def test_mail_that_is_wanted_ones_own_data_and_a_plan(served: Served, annotator: Platform, tmp_path: Path) -> None:
    annotator.work.wish_for_mail(messages=False, announcements=True)
    assert annotator.work.mail_wishes() == {"messages": False, "announcements": True}
    with (
        Platform(served.url, token=served.token) as whole,
        zipfile.ZipFile(whole.work.my_data(tmp_path / "mine.zip", poll=0.1)) as mine,
    ):
        assert mine.namelist()
        assert whole.work.earnings() == whole.work.earned() == []
    with Platform(served.url, token=served.token) as platform:
        few, many = (platform.plan(articles=n)["tables"][0]["rows"] for n in (20, 80))
        assert few != many
        with pytest.raises(NotAcceptedError, match="articles"):
            platform.plan(articles=0)


def test_words_between_both(study: Study, annotator: Platform) -> None:
    work = annotator.work
    said = study.talk.announce("Welcome.")
    assert [each["text"] for each in work.announcements()] == ["Welcome."]
    work.dismiss(said.id)
    assert work.announcements() == []
    work.write(study.slug, "When is the pay?")
    assert [(each["study"], each["assignment"]) for each in work.threads()][:1] == [(study.slug, 0)]
    (thread,) = study.talk.threads(only="waiting")
    answer = study.talk.answer("On Friday.", annotator=thread.annotator)
    assert [each["text"] for each in work.messages(study.slug)] == ["When is the pay?", "On Friday."]
    first = study.talk.add_question(question_en="When is the pay?", answer_en="On Friday.", grown_from=answer.id)
    second = study.talk.add_question(question_en="Why?", answer_en="For science.")
    assert study.talk.change_question(first.id, answer_en="On Monday.").answer_en == "On Monday."
    study.talk.move_question(second.id, up=True)
    assert [each["answer"] for each in work.questions(study.slug)] == ["For science.", "On Monday."]
    study.talk.remove_question(second.id)
    assert [each.id for each in study.talk.questions()] == [first.id]


def test_tasks_are_drawn_and_items_declared_to_mirror_each_other(study: Study) -> None:
    left = study.draw_plan()["left"]
    assert left > 0
    assert study.draw_plan(1)["plan"]["items"] > 0
    drawn = study.draw(1)
    assert (drawn.state, drawn.tasks) == ("open", 1)
    assert study.draw_plan()["left"] == left - 1
    with pytest.raises(NotAcceptedError):
        study.draw(1_000)
    with pytest.raises(NotAcceptedError):
        study.declare_mirrors([{"article": "none", "question": "none", "group": "a"}])


@pytest.fixture
def judged(served: Served) -> Iterator[tuple[Study, Platform]]:
    """A study with one task judged, and whoever did it."""
    with Platform(served.url, token=served.token) as platform:
        study = new_study(platform, "Egrets")
        study.release(batches=1)
        with Platform(served.url, token=token_in(study, "Kato", "annotate")) as annotator:
            task = annotator.work.take(study.slug)
            for item in task["items"]:
                annotator.work.submit(task, item["position"], judgment())
            yield study, annotator


def test_others_are_let_download_and_people_come_and_go(
    served: Served, judged: tuple[Study, Platform], tmp_path: Path
) -> None:
    study, annotator = judged
    study.close()
    made = study.freeze("Egrets", authors=["Doe, Jane"], licence="CC0-1.0", progress=False, poll=0.1)
    if made.state == "draft":
        made = study.settle(made.number, {each.id: "kept" for each in made.findings}, progress=False, poll=0.1)
    people = [each.id for each in study.members() if each.role == "annotator"]
    with Platform(served.url, token=token_in(study, "Sato", "read")) as reader:
        _is_let_download(reader, served, study, made.number, tmp_path)
    (person,) = (each for each in study.members() if each.id in people)
    study.exclude_member(person.id, because="A question first.", keep_work=True)
    study.readmit_member(person.id)
    assert study.change_role(person.id, "researcher").role == "researcher"
    study.change_role(person.id, "annotator")
    study.remove_member(person.id, revoke_link=False)
    study.restore_member(person.id)
    with pytest.raises(NotAcceptedError, match="Nothing is known"):
        study.erase_member(person.id, pseudonym=person.pseudonym)
    annotator.work.leave(study.slug)
    assert next(each for each in study.members() if each.id == person.id).removed_at is not None


def _is_let_download(reader: Platform, served: Served, study: Study, number: int, folder: Path) -> None:
    assert reader.releases() == []
    shell = CliRunner()
    known = {"ANNOTATION_URL": served.url, "ANNOTATION_TOKEN": served.token}
    told = shell.invoke(app, ["allow", study.slug, str(number), "--team", study.slug, "--role", "annotator"], env=known)
    (right,) = study.rights(number)
    assert told.output.strip() == str(right.id)
    (given,) = reader.releases()
    assert (given.study, given.number) == (study.slug, number)
    assert verify_release(reader.download(given, folder)) == given.digest
    assert study.rights(number)[0].downloads == 1
    assert study.training_data(number, "judge").to_list()
    assert study.download_for(number, "argilla", folder / "argilla.zip").stat().st_size > 0
    assert study.revoke_right(number, right.id).revoked_at is not None
    with pytest.raises(NotThereError):
        reader.download(given, folder / "again")
