"""The answer "I cannot judge this": on the page, in storage, in figures and in the export."""

import copy
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation, Draft, Rating
from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    ItemShape,
    SchemeError,
    build_scheme,
    check_judgment,
    preset,
    read_scheme,
)
from annotation_platform.studies.models import AssignmentState, Role
from tests.annotations.desk import FORM, Desk, sit_down
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study, study_with_judgments
from tests.releases import rows

pytestmark = pytest.mark.django_db
LABEL = "I cannot judge this answer"
SAID = {"cannot_judge": True, "cannot_judge.reason": "The text is cut off."}
SENT = {"aspect-cannot_judge": "1", "aspect-cannot_judge.reason": " The text is cut off.\r\n"}


def allowing() -> dict[str, Any]:
    return copy.deepcopy(preset("ebr")) | {"cannot_judge": LABEL}


@pytest.fixture
def desk() -> Desk:
    return sit_down(open_study(corpus=make_corpus(), definition=allowing()))


def test_it_takes_the_place_of_all_other_answers() -> None:
    scheme, shape = build_scheme(allowing()), ItemShape(sentences=5)
    assert check_judgment(scheme, SAID | {"completeness": "complete", "reasons": "Half"}, shape) == SAID
    assert check_judgment(scheme, SAID, shape) == SAID
    with pytest.raises(InvalidJudgmentError, match="Say in a few words why"):
        check_judgment(scheme, {"cannot_judge": "1", "cannot_judge.reason": " "}, shape)
    with pytest.raises(InvalidJudgmentError, match="at most 5,000 fit"):
        check_judgment(scheme, {"cannot_judge": "1", "cannot_judge.reason": "x" * 5_001}, shape)
    good = {"correct": "yes", "completeness": "complete", "sentences": [], "reasons": "All is there."}
    for unmarked in ("", "0", False, 0, None):
        assert check_judgment(scheme, good | {"cannot_judge": unmarked, "cannot_judge.reason": "x"}, shape) == good
    with pytest.raises(InvalidJudgmentError, match="no such aspect"):
        check_judgment(build_scheme(preset("ebr")), SAID, shape)


def test_an_aspect_cannot_have_its_name() -> None:
    text = "key: s\ntitle: S\nshown: [question]\naspects: [{key: cannot_judge, kind: yes_no, title: Right}]\n"
    read_scheme(text)
    with pytest.raises(SchemeError, match="is taken by the answer of that name"):
        read_scheme(text + "cannot_judge: I cannot judge this\n")


def test_it_is_submitted_with_a_reason_and_completes_the_item(desk: Desk) -> None:
    assert LABEL in desk.client.get(desk.url()).content.decode()
    refused = desk.submit(form=FORM | {"aspect-cannot_judge": "1"})
    assert refused.status_code == 422
    page = refused.content.decode()
    assert "Say in a few words why you cannot judge this." in page
    assert "It leaves out sentence 4." in page
    for item in desk.items:
        assert desk.submit(item.position, form=FORM | SENT).status_code == 302
    desk.assignment.refresh_from_db()
    assert desk.assignment.state == AssignmentState.SUBMITTED
    assert [each.values for each in Annotation.objects.all()] == [SAID] * len(desk.items)
    assert not Rating.objects.exists()
    assert "The text is cut off." in desk.client.get(desk.url()).content.decode()

    assert desk.submit(form=FORM).status_code == 302  # a judgment after all: a new revision
    revisions = Annotation.objects.filter(item=desk.items[0]).order_by("revision")
    assert [each.values.get("cannot_judge") for each in revisions] == [True, None]
    assert [each.is_current for each in revisions] == [False, True]


def test_a_draft_keeps_the_mark_its_reason_and_the_other_answers(desk: Desk) -> None:
    desk.client.post(desk.url("draft"), FORM | SENT | desk.hidden())
    draft = Draft.objects.get()
    assert (draft.values["cannot_judge"], draft.values["completeness"]) == ("1", "missing_minor")
    page = desk.client.get(desk.url()).content.decode()
    assert 'value="1" checked' in page
    assert "The text is cut off." in page
    assert "It leaves out sentence 4." in page


def _of(figures: dict[str, Any], aspect: str = "completeness") -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in figures["aspects"] if each["aspect"] == aspect)
    return found


def test_it_counts_as_missing_in_figures_and_is_told_exported_and_shown(tmp_path: Path, client: Any) -> None:
    def values(member: Any, item: Any) -> dict[str, Any]:
        return {"completeness": ("complete", "missing_minor", "missing_all")[item.pk % 3]}

    study = study_with_judgments(annotators=3, corpus=make_corpus(questions=3), values=values, definition=allowing())
    left = Annotation.objects.current().filter(annotator__pseudonym="A").order_by("pk").first()
    assert left is not None
    before = _of(take_snapshot(study=study, resamples=10).figures)["counts"]
    Rating.objects.filter(annotation=left).delete()
    Annotation.objects.filter(pk=left.pk).update(values=SAID)
    after = take_snapshot(study=study, resamples=10).figures
    assert _of(after)["counts"]["judgments"] == before["judgments"] - 1
    assert {each["name"]: each["cannot_judge"] for each in after["work"]["annotators"]} == {"A": 1, "B": 0, "C": 0}

    found = {row["annotation_id"]: row for row in rows.exported(study, tmp_path)}
    assert (found[left.pk]["cannot_judge"], found[left.pk]["cannot_judge_reason"]) == (1, "The text is cut off.")
    assert found[left.pk]["completeness"] is None
    others = [row for pk, row in found.items() if pk != left.pk]
    assert {(row["cannot_judge"], row["cannot_judge_reason"]) for row in others} == {(0, None)}

    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    item = client.get(reverse("item", kwargs={"slug": study.slug, "pk": left.item_id})).content.decode()
    assert LABEL in item
    assert "The text is cut off." in item
    people = client.get(reverse("agreement_annotators", kwargs={"slug": study.slug})).content.decode()
    count = Annotation.objects.current().count()
    assert f"1 of {count:,} judgments says “cannot judge” (A 1)" in people


def test_it_migrates_to_a_version_that_allows_it_and_stays_behind_otherwise() -> None:
    study = study_with_judgments(annotators=1, corpus=make_corpus(questions=2), definition=allowing())
    first = Annotation.objects.current().order_by("pk").first()
    assert first is not None
    Annotation.objects.filter(pk=first.pk).update(values=SAID)
    data = allowing() | {"title": "Another title"}
    done = migrate_scheme(study=study, definition=data, actor=OPERATOR)
    assert (done.counts.left, done.counts.partly, done.counts.incomplete) == (0, 0, 0)
    assert Annotation.objects.current().get(item=first.item_id).values == SAID
    study.refresh_from_db()
    del data["cannot_judge"]
    assert migrate_scheme(study=study, definition=data, actor=OPERATOR).counts.left == 1
    assert not Annotation.objects.current().filter(item=first.item_id).exists()


def test_the_builder_shows_it_and_takes_it_in_a_dry_run(client: Any) -> None:
    client.force_login(MemberFactory(role=Role.RESEARCHER).user)
    text = Path("annotation_platform/core/schemes/presets/equivalence.yaml").read_text(encoding="utf-8")
    sent = {"scheme": text, "do": "try"} | SENT
    page = client.post(reverse("build_study"), sent, headers={"HX-Request": "true"}).content.decode()
    assert LABEL in page
    assert "This would be stored:" in page
    assert "<code>cannot_judge.reason</code></dt><dd>The text is cut off.</dd>" in page
