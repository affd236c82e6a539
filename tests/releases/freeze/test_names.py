"""Nothing in a release says what anybody is called in its study, in another release, or outside."""

import csv
import json

import pytest

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.crowd.adjudication.services import adjudicate
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission
from annotation_platform.releases.freeze.contents import disguise_of
from annotation_platform.releases.freeze.figures import under_names
from annotation_platform.releases.freeze.rebuilding import rebuild
from annotation_platform.releases.models import Finding, Release
from annotation_platform.scoring.models import Completion, ItemLabel, ItemScore, Method, Score
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import exclude_member
from tests.analysis.study_rows import run_of, score
from tests.factories import OPERATOR, MemberFactory, judgment, study_with_judgments
from tests.marked_study import marked_study
from tests.releases.freeze.frozen import asked, frozen, frozen_without, worked

pytestmark = pytest.mark.django_db
SAID = "Score that the answer is complete: {}"


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Five annotators, each under names that are nowhere else; with a judge, a rescaler, prompts and a decision."""
    study = study_with_judgments(annotators=5)
    run = score(study)
    judged = run_of(study, Method.JUDGE)
    for item in study.items.all():
        ItemScore.objects.create(run=judged, item=item, aspect="completeness", label="complete")
        label = ItemLabel.objects.create(run=judged, item=item, aspect="completeness", variant="", label="complete")
        replied(label, f"item-{item.pk}-")
    for each in Score.objects.filter(run=run):
        replied(each, f"judgment-{each.annotation_id}-")
    adjudicator = MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R")
    adjudicate(
        item=study.items.first(),
        adjudicator=adjudicator,
        raw=judgment(),
        scheme_signature=study.scheme_version.signature,
        note="",
        actor=OPERATOR,
    )
    connection = ProlificStudy.objects.create(study=study, external_studies=["their-study"])
    for number, member in enumerate(study.members.select_related("user"), start=1):
        member.pseudonym = f"known-as-{number}"
        member.save()
        user = member.user
        user.email, user.first_name, user.last_name = f"mail-{number}@there.example", "Zebedee", f"Quux{number}"
        user.save()
        if member.role == Role.ANNOTATOR:
            Submission.objects.create(
                connection=connection, member=member, external_id=f"worker-{number}", external_study="their-study"
            )
    return study


def replied(read: Score | ItemLabel, what: str) -> None:
    body = {"messages": [{"role": "user", "content": SAID.format(what)}]}
    reply = Completion.objects.create(
        signature=f"{what:f<64}", request=body, reply=f"Of {what}: 70", model="m", run=read.run
    )
    type(read).objects.filter(pk=read.pk).update(completion=reply)


def bytes_of(release: Release) -> dict[str, bytes]:
    return {
        file.relative_to(release.folder).as_posix(): file.read_bytes()
        for file in release.folder.rglob("*")
        if file.is_file()
    }


def rows_of(release: Release, name: str = "judgments") -> list[dict[str, str]]:
    with (release.folder / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_no_name_of_anybody_is_in_any_file(study: Study) -> None:
    release = frozen(study, with_replies=True)
    files = bytes_of(release)
    assert {"prompts.jsonl", "replies.jsonl", "data/adjudications.csv", "runs.json", "datasheet.md"} <= files.keys()
    for path, content in files.items():
        for said in (b"known-as-", b"there.example", b"Zebedee", b"Quux", b"worker-", b"their-study"):
            assert said not in content, (path, said)


def test_figures_of_annotators_are_under_the_releases_names(study: Study) -> None:
    figures = json.loads(bytes_of(frozen(study))["figures.json"])
    names = {f"annotator-{number:02}" for number in range(1, 6)}
    of_orders = figures["variants"]["aspects"]["completeness"]["variants"][0]["own_order"]
    assert {each["annotator"] for each in of_orders} == names
    against = figures["human_llm"]["aspects"]["completeness"]["alternative"]["people"]
    assert {each["annotator"] for each in against} == names
    known = {member.pseudonym for member in study.members.all()}
    stored = take_snapshot(study=study).figures["variants"]["aspects"]["completeness"]["variants"][0]["own_order"]
    assert {each["annotator"] for each in stored} <= known


def test_judgments_have_names_of_the_release_only(study: Study) -> None:
    one, other = frozen(study), frozen(study)
    of_one, of_other = ([row["annotation_id"] for row in rows_of(each)] for each in (one, other))
    assert len(set(of_one)) == len(of_one) == Annotation.objects.closed().count()
    assert not set(of_one) & set(of_other)
    lines = [json.loads(line) for line in bytes_of(one)["data/judgments.jsonl"].decode().splitlines()]
    assert [line["annotation_id"] for line in lines] == of_one
    said = disguise_of(one)
    assert set(of_one) == {said.judgment(pk) for pk in Annotation.objects.closed().values_list("pk", flat=True)}
    assert not rebuild(one).different


def test_spans_are_of_judgments_by_the_same_names(module_db: None) -> None:
    release = frozen(marked_study())
    marked = {row["annotation_id"] for row in rows_of(release, "spans")}
    assert marked
    assert marked <= {row["annotation_id"] for row in rows_of(release)}


def test_what_was_asked_of_judgments_that_are_not_in_it_is_not_in_it(study: Study) -> None:
    member = study.members.get(pseudonym="known-as-1")
    theirs = list(Annotation.objects.closed().filter(annotator=member).values_list("pk", flat=True))
    exclude_member(member=member, because="Copied", actor=OPERATOR)
    files = bytes_of(frozen(study, with_replies=True))
    told = files["prompts.jsonl"].decode() + files["replies.jsonl"].decode()
    assert theirs
    assert not [pk for pk in theirs if f"judgment-{pk}-" in told]
    kept = Annotation.objects.closed().values_list("pk", flat=True)
    assert all(told.count(f"judgment-{pk}-") >= 2 for pk in kept)


def test_what_a_run_asked_whose_scores_are_gone_is_not_in_it(study: Study) -> None:
    Score.objects.all().delete()
    assert Completion.objects.filter(signature__startswith="judgment-").exists()
    told = bytes_of(frozen(study, with_replies=True))
    assert b"judgment-" not in told["prompts.jsonl"] + told["replies.jsonl"]
    assert told["prompts.jsonl"].count(b"item-") >= study.items.count()
    ItemLabel.objects.all().delete()
    assert "prompts.jsonl" not in bytes_of(frozen(study))


def test_removed_words_do_not_touch_names_of_judgments(study: Study) -> None:
    third = asked(study)
    Finding.objects.create(release=third, kind=Finding.Kind.ACCOUNT, text="j", verdict=Finding.Verdict.REMOVED)
    Release.objects.filter(pk=third.pk).update(status="pending")
    assert all(row["annotation_id"].startswith("j") for row in rows_of(worked(third)))


def test_removed_words_do_not_touch_names_of_annotators_and_systems(study: Study) -> None:
    somebody = study.members.filter(role=Role.ANNOTATOR).first()
    system = study.items.first().candidates.get().answer.system.name
    release = frozen_without(study, "annotator-0", somebody.pseudonym, system)
    names = set(release.pseudonyms.values_list("pseudonym", flat=True))
    figures = json.loads((release.folder / "figures.json").read_text())
    against = figures["human_llm"]["aspects"]["completeness"]["alternative"]["people"]
    assert {each["annotator"] for each in against} == names
    assert system in json.dumps(figures["aspects"])
    decided = list(csv.DictReader((release.folder / "data" / "adjudications.csv").read_text().splitlines()))
    assert system in {each["system"] for each in decided}


def test_removed_words_are_gone_from_all_that_is_said_of_systems_aspects_and_labels() -> None:
    """Their names alone stay, since data files have them."""
    figures = {
        "aspect": "as_aya_says",
        "labels": [{"key": "yes", "label": "As Aya says"}],
        "systems": [{"system": "Aya 7B", "share": {"why": "Aya judged nothing"}, "labels": {"yes": {"why": "Aya"}}}],
        "pairs": [{"systems": ["Aya 7B", "b"]}],
        "parts": [["Aya 7B"], ["b"]],
    }
    assert under_names(figures, {}, ["Aya", "aya"]) == {
        "aspect": "as_aya_says",
        "labels": [{"key": "yes", "label": "As [removed] says"}],
        "systems": [
            {"system": "Aya 7B", "share": {"why": "[removed] judged nothing"}, "labels": {"yes": {"why": "[removed]"}}}
        ],
        "pairs": [{"systems": ["Aya 7B", "b"]}],
        "parts": [["Aya 7B"], ["b"]],
    }
