"""The question page: what it shows, what it stores, and that nothing typed is lost whatever comes."""

import copy
import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.core.schemes import preset
from annotation_platform.studies.models import AssignmentState, BatchState, Study
from annotation_platform.studies.services import close_batch, freeze_scheme, lease_assignment, return_assignment
from tests.annotations.desk import FORM, Desk, client_of, sit_down
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study, submit
from tests.markup import markup

pytestmark = pytest.mark.pages

HTMX = {"HX-Request": "true"}


def test_the_page_shows_document_question_answer_and_the_schemes_aspects(desk: Desk, study: Study) -> None:
    page = markup(desk.client.get(desk.url()))
    item = desk.items[0]
    assert "Question 1 of 3" in page
    assert item.question.text in page
    assert item.answer.text in page
    assert page.count("data-sentence=") == 8
    assert page.count("data-anchor") == 1
    for aspect in study.scheme().aspects:
        assert aspect.title in page
        assert f'name="aspect-{aspect.key}"' in page
    assert item.answer.system.name not in page.replace(item.answer.text, "")


def test_withheld_text_is_said(db: None) -> None:
    desk = sit_down(open_study(corpus=make_corpus(questions=2, sentences=0)))
    assert "withheld by its publisher" in markup(desk.client.get(desk.url()))
    assert desk.submit(form=FORM | {"aspect-sentences": "412"}).status_code == 302


def test_texts_of_the_corpus_are_never_markup(desk: Desk) -> None:
    item = desk.items[0]
    answer = item.answer
    answer.text = "<script>alert(1)</script>"
    answer.save()
    assert "<script>alert" not in markup(desk.client.get(desk.url()))


def test_html_in_guidelines_is_text(db: None) -> None:
    definition = copy.deepcopy(preset("ebr")) | {"guidelines": "Be **fair**. <img src=x onerror=alert(1)>"}
    desk = sit_down(open_study(corpus=make_corpus(), definition=definition))
    page = markup(desk.client.get(desk.url("instructions", None)))
    assert "<strong>fair</strong>" in page
    assert "<img" not in page


def test_a_judgment_is_stored_and_leads_to_the_next_question(desk: Desk) -> None:
    response = desk.submit()
    assert (response.status_code, response["Location"]) == (302, desk.url(position=2))
    stored = Annotation.objects.get()
    assert stored.values == {
        "correct": "yes",
        "completeness": "missing_minor",
        "sentences": [2, 4, 5],
        "reasons": "It leaves out sentence 4.",
    }
    assert stored.seconds == 12.5
    assert list(stored.sentence_references.order_by("number").values_list("number", flat=True)) == [2, 4, 5]


def test_to_htmx_the_answer_is_only_where_to_go(desk: Desk) -> None:
    response = desk.submit(headers=HTMX)
    assert response["HX-Redirect"] == desk.url(position=2)
    assert response.content == b""


def test_an_explicit_none_is_stored_and_shown_again(desk: Desk) -> None:
    form = {key: value for key, value in FORM.items() if key != "aspect-sentences"} | {"aspect-sentences-none": "1"}
    desk.submit(form=form)
    assert Annotation.objects.get().values["sentences"] == []
    assert 'name="aspect-sentences-none" value="1" checked' in markup(desk.client.get(desk.url()))


def test_the_last_question_submits_the_task(desk: Desk) -> None:
    for position in (1, 2):
        desk.submit(position)
    assert desk.submit(3)["Location"] == desk.url("done", None)
    desk.assignment.refresh_from_db()
    assert desk.assignment.state == AssignmentState.SUBMITTED


def test_a_question_left_out_comes_back_before_the_task_is_done(desk: Desk) -> None:
    desk.submit(2)
    assert desk.submit(3)["Location"] == desk.url(position=1)


def test_the_last_place_closes_the_batch_and_calls_the_worker(
    desk: Desk, study: Study, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    called: list[str] = []
    monkeypatch.setattr("annotation_platform.annotations.views.judge.sweep.delay", lambda: called.append("sweep"))
    batch = desk.assignment.hit.batch
    batch.hits.exclude(pk=desk.assignment.hit_id).delete()
    desk.assignment.hit.assignments.exclude(pk=desk.assignment.pk).delete()
    with django_capture_on_commit_callbacks(execute=True):
        for position in (1, 2, 3):
            assert not called
            desk.submit(position)

    batch.refresh_from_db()
    assert batch.state == BatchState.CLOSED
    assert called == ["sweep"]


def test_a_changed_mind_is_a_new_revision_until_the_batch_closes(desk: Desk) -> None:
    for position in (1, 2, 3):
        desk.submit(position)
    response = desk.submit(1, FORM | {"aspect-completeness": "complete"})
    assert response["Location"] == desk.url("done", None)
    current = Annotation.objects.current().get(item=desk.items[0])
    assert (current.revision, current.values["completeness"]) == (2, "complete")
    assert Annotation.objects.filter(item=desk.items[0]).count() == 2


def test_a_double_click_stores_once(desk: Desk) -> None:
    mark = str(uuid4())
    first, second = desk.submit(submission=mark), desk.submit(submission=mark)
    assert first["Location"] == second["Location"] == desk.url(position=2)
    assert Annotation.objects.count() == 1


def test_a_late_copy_of_an_old_form_changes_nothing(desk: Desk) -> None:
    mark = str(uuid4())
    desk.submit(submission=mark)
    desk.submit(form=FORM | {"aspect-reasons": "On second thought, sentence 5."})
    desk.client.post(desk.url("draft"), FORM | {"aspect-reasons": "A third thought"} | desk.hidden())
    assert desk.submit(submission=mark).status_code == 302
    assert Annotation.objects.current().get().values["reasons"] == "On second thought, sentence 5."
    assert Draft.objects.get().values["reasons"] == "A third thought"


def test_a_form_brought_back_from_history_with_other_values_is_a_new_revision(desk: Desk) -> None:
    mark = str(uuid4())
    for reasons in ("One reason.", "Two reasons.", "Three reasons."):
        desk.submit(form=FORM | {"aspect-reasons": reasons}, submission=mark)
    assert Annotation.objects.current().get().values["reasons"] == "Three reasons."
    assert Annotation.objects.count() == 3


def test_somebody_elses_submission_mark_is_no_obstacle(desk: Desk, study: Study) -> None:
    mark = str(uuid4())
    desk.submit(submission=mark)
    other = sit_down(study)
    assert other.submit(submission=mark).status_code == 302
    assert Annotation.objects.current().count() == 2


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("aspect-sentences", "3, 9", "There is no sentence 9. Numbers lie between 1 and 8."),
        ("aspect-sentences", "three", "is not a sentence number"),
        ("aspect-sentences", "", "Cite the sentences, or say"),
        ("aspect-reasons", "", "Please write something here."),
        ("aspect-reasons", "a", "at least 3 characters"),
        ("aspect-reasons", "x" * 100_000, "This is 100,000 characters long; at most 5,000 fit."),
        ("aspect-correct", "perhaps", "is not one of the choices"),
        ("aspect-completeness", "", "Choose one."),
    ],
)
@pytest.mark.parametrize("headers", [None, HTMX])
def test_a_mistake_is_told_beside_its_field_and_nothing_is_lost(
    desk: Desk, field: str, value: str, reason: str, headers: dict[str, str] | None
) -> None:
    response = desk.submit(form=FORM | {field: value}, seconds="77", headers=headers)
    page = markup(response)
    assert response.status_code == 422
    assert not Annotation.objects.exists()
    assert f'id="{field}-error">' in page
    assert reason in page
    described = page.split(f'id="{field}-step"')[1].split(">")[0]
    assert f"{field}-error" in described
    assert 'id="errors"' in page
    assert ("<html" in page) is (headers is None)
    kept = FORM | {field: value}
    if kept["aspect-correct"] == "yes":
        assert 'value="yes" checked' in page
    if kept["aspect-completeness"]:
        assert f'value="{kept["aspect-completeness"]}" checked' in page
    assert f'value="{kept["aspect-sentences"]}"' in page
    assert f"\n{kept['aspect-reasons']}</textarea>" in page
    assert 'name="seconds" value="77.0"' in page


def test_sentences_beside_a_ticked_none_are_questioned(desk: Desk) -> None:
    response = desk.submit(form=FORM | {"aspect-sentences-none": "1"})
    assert response.status_code == 422
    assert "Keep one of the two" in markup(response)
    assert 'value="2, 4-5"' in markup(response)


def expire(desk: Desk) -> None:
    desk.assignment.lease_expires_at = timezone.now() - timedelta(minutes=1)
    desk.assignment.save()


@pytest.mark.parametrize("touch", ["look", "draft", "submit"])
def test_an_expired_lease_that_nobody_took_is_renewed_silently(desk: Desk, touch: str) -> None:
    expire(desk)
    if touch == "look":
        assert "ran out" not in markup(desk.client.get(desk.url()))
    elif touch == "draft":
        assert desk.client.post(desk.url("draft"), FORM | desk.hidden()).status_code == 200
    else:
        assert desk.submit().status_code == 302
    desk.assignment.refresh_from_db()
    assert desk.assignment.lease_expires_at > timezone.now()
    assert desk.assignment.annotator == desk.annotator


@pytest.fixture
def heir(desk: Desk, study: Study) -> Any:
    """Somebody who took the place of the desk's annotator when the lease had run out."""
    expire(desk)
    member = MemberFactory(study=study)
    assert lease_assignment(place=desk.assignment, annotator=member)
    return member


@pytest.mark.parametrize("headers", [None, HTMX])
def test_a_form_sent_after_the_place_was_given_back_is_shown_again_and_kept(
    desk: Desk, heir: Any, headers: dict[str, str] | None
) -> None:
    assert return_assignment(assignment=desk.assignment, annotator=heir, actor=OPERATOR)
    response = desk.submit(headers=headers)
    page = markup(response)
    assert response.status_code == 409
    assert "This task was given back" in page
    assert "It leaves out sentence 4." in page
    assert reverse("take", args=[desk.study.slug]) in page
    assert not Annotation.objects.exists()
    assert Draft.objects.get().values["reasons"] == "It leaves out sentence 4."


@pytest.mark.usefixtures("heir")
def test_a_lost_place_still_shows_its_old_holder_what_they_wrote(desk: Desk) -> None:
    Draft.objects.create(annotator=desk.annotator, item=desk.items[0], values={"reasons": "Half a thought"})
    page = markup(desk.client.get(desk.url()))
    assert "somebody else has it now" in page
    assert "Half a thought" in page
    assert "Submit late" in page


def test_the_heir_of_a_place_sees_nothing_of_the_first_holder(desk: Desk, heir: Any) -> None:
    Draft.objects.create(annotator=desk.annotator, item=desk.items[0], values={"reasons": "Half a thought"})
    assert "Half a thought" not in markup(client_of(heir).get(desk.url()))


@pytest.mark.usefixtures("heir")
def test_a_draft_of_a_lost_place_is_not_told_the_next_holders_time(desk: Desk) -> None:
    saved = desk.client.post(desk.url("draft"), FORM | desk.hidden())
    assert saved.status_code == 200
    assert saved.json()["expires"] is None


def test_a_form_from_before_a_place_was_lost_counts_once_it_is_theirs_again(desk: Desk, study: Study) -> None:
    mark = str(uuid4())
    desk.submit(submission=mark)
    for member in (MemberFactory(study=study), desk.annotator):
        desk.assignment.refresh_from_db()
        expire(desk)
        assert lease_assignment(place=desk.assignment, annotator=member)
    assert not Annotation.objects.current().exists()
    assert desk.submit(submission=mark).status_code == 302
    assert Annotation.objects.current().get().values["reasons"] == "It leaves out sentence 4."


def test_work_done_before_a_place_was_lost_helps_in_a_later_one(desk: Desk, study: Study) -> None:
    submit(desk.assignment, desk.items[0], reasons="A reason from before.")
    expire(desk)
    assert lease_assignment(place=desk.assignment, annotator=MemberFactory(study=study))
    second = desk.assignment.hit.assignments.exclude(pk=desk.assignment.pk).get()
    assert lease_assignment(place=second, annotator=desk.annotator)
    page = markup(desk.client.get(reverse("judge", args=[second.pk, 1])))
    assert "A reason from before." in page


@pytest.mark.parametrize("headers", [None, HTMX])
def test_a_closed_batch_takes_nothing_more_and_loses_nothing(desk: Desk, headers: dict[str, str] | None) -> None:
    close_batch(batch=desk.assignment.hit.batch, because="closed by a researcher", actor=OPERATOR)
    response = desk.submit(headers=headers)
    assert response.status_code == 409
    assert "This batch has closed" in markup(response)
    assert "It leaves out sentence 4." in markup(response)
    assert not Annotation.objects.exists()
    assert Draft.objects.get().values["reasons"] == "It leaves out sentence 4."
    assert "This batch has closed" in markup(desk.client.get(desk.url()))


def test_what_cannot_be_kept_beside_another_tabs_draft_is_not_said_to_be(desk: Desk, study: Study) -> None:
    desk.client.post(desk.url("draft"), {"aspect-reasons": "Of another tab."} | desk.hidden())
    form = FORM | {"aspect-reasons": "Of this tab."}
    close_batch(batch=desk.assignment.hit.batch, because="closed by a researcher", actor=OPERATOR)
    page = markup(desk.submit(form=form))
    assert "Of this tab." in page
    assert Draft.objects.get().values["reasons"] == "Of another tab."
    assert "What stands below is not saved: copy what you need." in page
    assert "changed in another tab or on another device" in page


def test_a_form_of_an_old_scheme_is_shown_again_with_what_was_typed(desk: Desk, study: Study) -> None:
    old = desk.hidden()
    definition = copy.deepcopy(preset("ebr"))
    definition["aspects"][3]["key"] = "why"
    definition["rescale"] = [{"aspect": "completeness", "explained_by": "why"}]
    for example in definition["examples"]:
        example["values"]["why"] = example["values"].pop("reasons")
    study.scheme_version = freeze_scheme(definition=definition)
    study.save()
    response = desk.client.post(desk.url(), FORM | old)
    page = markup(response)
    assert response.status_code == 409
    assert "The questions have changed" in page
    assert 'value="missing_minor" checked' in page
    assert "no longer asked for" in page
    assert "It leaves out sentence 4." in page
    assert not Annotation.objects.exists()
    again = FORM | {"aspect-why": "It leaves out sentence 4."}
    del again["aspect-reasons"]
    assert desk.submit(form=again).status_code == 302


def test_nonsense_in_hidden_fields_does_no_harm(desk: Desk) -> None:
    assert desk.submit(submission="x", version="²", seconds="NaN").status_code == 302
    stored = Annotation.objects.get()
    assert (stored.seconds, stored.submission_id) == (None, None)


def test_a_hidden_aspect_is_neither_asked_for_nor_stored(db: None) -> None:
    definition = copy.deepcopy(preset("ebr"))
    definition["aspects"][2]["shown_when"] = {"aspect": "correct", "is": ["no"]}
    definition["examples"] = []
    desk = sit_down(open_study(corpus=make_corpus(), definition=definition))
    page = markup(desk.client.get(desk.url()))
    assert 'data-shown_when="{&quot;aspect&quot;: &quot;correct&quot;, &quot;is&quot;: [&quot;no&quot;]}"' in page
    assert desk.submit().status_code == 302
    assert "sentences" not in Annotation.objects.get().values


def test_saving_takes_few_queries(desk: Desk) -> None:
    desk.submit()
    with CaptureQueriesContext(connection) as queries:
        desk.submit(2)
    statements = [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
    # session, user; lock, the HIT so far, whether there are rounds, judgment, ratings, cited sentences, draft, event,
    # whether a webhook wants to know
    assert len(statements) == 11, "\n".join(statements)


def test_a_draft_takes_few_queries(desk: Desk) -> None:
    version = desk.client.post(desk.url("draft"), FORM | desk.hidden()).json()["version"]
    with CaptureQueriesContext(connection) as queries:
        desk.client.post(desk.url("draft"), FORM | {"aspect-reasons": "More."} | desk.hidden(version=version))
    statements = [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
    # session, user; place, item, judgment so far, draft
    assert len(statements) == 6, "\n".join(statements)


def test_the_page_takes_the_same_queries_however_long_the_task(desk: Desk) -> None:
    desk.client.get(desk.url())
    with CaptureQueriesContext(connection) as queries:
        desk.client.get(desk.url())
    assert len(queries) <= 13, "\n".join(query["sql"] for query in queries)


def test_the_pages_know_no_schemes_aspects() -> None:
    root = Path(settings.BASE_DIR)
    sources = [
        *(root / "annotation_platform" / "annotations").rglob("*.py"),
        *(root / "annotation_platform" / "static").glob("*.js"),
        *(root / "frontend_templates" / "annotations").rglob("*.html"),
    ]
    assert len(sources) > 40
    for source in sources:
        text = source.read_text(encoding="utf-8")
        assert not {"completeness", "aspect-correct", "aspect-reasons"} & set(re.findall(r"[\w-]+", text)), source.name
