"""Drafts: kept as typed, continued anywhere, never overwritten unseen."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Draft
from tests.annotations.desk import FORM, Desk
from tests.factories import submit


def save(desk: Desk, version: int = 0, **form: str) -> object:
    fields = {f"aspect-{key}": value for key, value in form.items()}
    return desk.client.post(desk.url("draft"), fields | desk.hidden(version=str(version)))


def test_a_draft_is_kept_as_typed_and_comes_back(desk: Desk) -> None:
    response = save(desk, sentences="3, 99 oops", reasons="Half a\r\nthought  ")
    assert response.json()["version"] == 1
    assert Draft.objects.get().values == {"sentences": "3, 99 oops", "reasons": "Half a\nthought  "}
    page = desk.client.get(desk.url()).content.decode()
    assert 'value="3, 99 oops"' in page
    assert "\nHalf a\nthought  </textarea>" in page
    assert 'name="version" value="1"' in page
    assert 'name="seconds" value="12.5"' in page


def test_a_draft_goes_on_from_its_version(desk: Desk) -> None:
    for version in range(3):
        assert save(desk, version, reasons=f"Thought {version}").json()["version"] == version + 1


def test_another_tabs_newer_draft_is_not_overwritten(desk: Desk) -> None:
    save(desk, 0, reasons="From the first tab", sentences="2")
    response = save(desk, 0, reasons="From the second tab")
    assert response.status_code == 409
    assert response.json() == {"version": 1, "typed": {"sentences": "2", "reasons": "From the first tab"}}
    assert Draft.objects.get().values["reasons"] == "From the first tab"
    assert save(desk, 1, reasons="From the second tab").json()["version"] == 2


def test_the_same_draft_twice_is_no_conflict(desk: Desk) -> None:
    save(desk, 0, reasons="Once")
    assert save(desk, 0, reasons="Once").json()["version"] == 1


def test_an_emptied_question_stays_empty_though_it_was_submitted_before(desk: Desk) -> None:
    submit(desk.assignment, desk.items[0], reasons="An old reason.")
    assert "An old reason." in desk.client.get(desk.url()).content.decode()
    save(desk, 0)
    assert "An old reason." not in desk.client.get(desk.url()).content.decode()
    assert Annotation.objects.current().count() == 1


def test_submitting_forgets_the_draft(desk: Desk) -> None:
    save(desk, 0, reasons="Half a thought")
    desk.submit(version=1)
    assert not Draft.objects.exists()


def test_a_tab_that_has_a_submitted_draft_takes_no_newer_one_for_it(desk: Desk) -> None:
    assert save(desk, 0, reasons="Half a thought").json()["version"] == 1
    desk.submit(version=1)  # in another tab, where it is changed then
    change = save(desk, 0, reasons="The other tab's change").json()["version"]
    response = save(desk, 1, reasons="Half a thought, and more")
    assert (response.status_code, response.json()["version"]) == (409, change)
    assert Draft.objects.get().values["reasons"] == "The other tab's change"
    desk.submit(form=FORM | {"aspect-reasons": "The first tab's"}, version=1)
    assert Draft.objects.get().values["reasons"] == "The other tab's change", "it waits to be submitted or dropped"
    assert save(desk, change, reasons="It goes on").json()["version"] == change + 1


def test_a_tab_that_has_a_dropped_change_takes_no_newer_one_for_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.submit()
    first = save(desk, 0, reasons="A change").json()["version"]
    dropped = save(desk, first, reasons="A longer change").json()["version"]
    assert desk.client.post(desk.url("drop_change")).status_code == 302  # in another tab, where it is changed again
    later = timezone.now() + timedelta(seconds=10)
    monkeypatch.setattr(timezone, "now", lambda: later)
    change = save(desk, 0, reasons="The other tab's change").json()["version"]
    assert save(desk, dropped, reasons="The first tab goes on").status_code == 409
    desk.submit(form=FORM | {"aspect-reasons": "The first tab's"}, version=dropped)
    draft = Draft.objects.get()
    assert (draft.version, draft.values["reasons"]) == (change, "The other tab's change")


def test_a_page_of_before_the_platforms_key_was_changed_is_still_taken(desk: Desk) -> None:
    typed = {"aspect-reasons": "Half a thought"} | desk.hidden(holder="signed with another key")
    assert desk.client.post(desk.url("draft"), typed).status_code == 200
    assert desk.submit(holder="signed with another key", version=1).status_code == 302


def test_a_text_of_100_000_characters_is_kept_as_a_draft(desk: Desk) -> None:
    assert save(desk, 0, reasons="x" * 100_000).status_code == 200
    assert len(Draft.objects.get().values["reasons"]) == 100_000


def test_a_flood_is_refused_with_a_reason(desk: Desk) -> None:
    response = save(desk, 0, reasons="x" * 200_001)
    assert response.status_code == 422
    assert "200,000 characters" in response.json()["reason"]


def test_fields_of_no_aspect_are_not_kept(desk: Desk) -> None:
    desk.client.post(desk.url("draft"), FORM | {"aspect-stranger": "x", "other": "y"} | desk.hidden())
    assert set(Draft.objects.get().values) == {"correct", "completeness", "sentences", "reasons"}


def test_a_character_that_no_database_takes_is_left_out(desk: Desk) -> None:
    sent = FORM | {"aspect-reasons": "It leaves\x00 out sentence 4."}
    assert desk.client.post(desk.url("draft"), sent | desk.hidden()).status_code == 200
    assert Draft.objects.get().values["reasons"] == "It leaves out sentence 4."


def test_what_was_typed_on_another_device_meanwhile_outlives_a_submission(desk: Desk) -> None:
    desk.client.post(desk.url("draft"), FORM | desk.hidden())
    newer = FORM | {"aspect-reasons": "Typed on the phone."}
    desk.client.post(desk.url("draft"), newer | desk.hidden(version=1))
    assert desk.submit(version=1).status_code == 302
    assert Draft.objects.get().values["reasons"] == "Typed on the phone."
    assert desk.submit(version=2).status_code == 302
    assert not Draft.objects.exists()
