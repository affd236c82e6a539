"""A deadline that cannot be is told in its form, which stays as it was sent."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from annotation_platform.studies.models import Batch, BatchState
from annotation_platform.studies.services import close_batch, open_batch, plan_batches
from tests.annotations.desk import client_of
from tests.factories import OPERATOR, MemberFactory, make_study
from tests.markup import markup

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("step", "state", "dialog"),
    [
        ("open_batch", BatchState.DRAFT, "open-1"),
        ("set_deadline", BatchState.OPEN, "deadline-of-1"),
        ("reopen_batch", BatchState.CLOSED, "reopen-1"),
    ],
)
@pytest.mark.parametrize(
    ("sent", "reason"), [("2020-01-01T10:00", "lies in the past"), ("tomorrow", "is not a date and time")]
)
def test_a_deadline_that_cannot_be_is_told_in_its_form(
    step: str, state: str, dialog: str, sent: str, reason: str
) -> None:
    batch = _batch(state)
    address = reverse(step, kwargs={"slug": batch.study.slug, "number": batch.number})
    researcher = client_of(MemberFactory(study=batch.study, role="researcher"))
    answer = researcher.post(address, {"deadline_at": sent, "finishes_late": "on"})
    page = markup(answer)
    assert answer.status_code == 422
    form = page.split(f'<dialog id="{dialog}" open')[1].split("</dialog>")[0]
    assert reason in form
    assert f'value="{sent}"' in form
    assert 'name="finishes_late" checked' in form
    batch.refresh_from_db()
    assert (batch.state, batch.deadline_at) == (state, None)
    assert f'hx-get="{address}' not in page  # where there is nothing to look at


def test_a_deadline_is_written_and_read_in_the_zone_that_its_form_names() -> None:
    batch = _batch(BatchState.OPEN)
    researcher = client_of(MemberFactory(study=batch.study, role="researcher"))
    page_of_batch = reverse("batch", kwargs={"slug": batch.study.slug, "number": batch.number})
    address = reverse("set_deadline", kwargs={"slug": batch.study.slug, "number": batch.number})
    assert "Deadline (time in UTC, optional)" in researcher.get(page_of_batch).content.decode()
    researcher.cookies["zone"] = "Asia/Tokyo"  # known only after the form was shown
    researcher.post(address, {"deadline_at": "2099-05-07T14:05", "zone": "UTC"})
    batch.refresh_from_db()
    assert batch.deadline_at == datetime(2099, 5, 7, 14, 5, tzinfo=UTC)
    page = researcher.get(page_of_batch).content.decode()
    assert "Deadline (time in Asia/Tokyo, optional)" in page
    assert 'value="2099-05-07T23:05"' in page
    assert "23:05 UTC+9</time>" in page
    researcher.post(address, {"deadline_at": "2099-05-07T23:05", "zone": "Asia/Tokyo"})
    batch.refresh_from_db()
    assert batch.deadline_at == datetime(2099, 5, 7, 14, 5, tzinfo=UTC)
    refused = researcher.post(address, {"deadline_at": "2020-05-07T23:05", "zone": "Europe/Paris"})
    assert "Deadline (time in Europe/Paris, optional)" in refused.content.decode()


def test_no_dialog_is_open_on_a_page_that_was_only_looked_at() -> None:
    batch = _batch(BatchState.OPEN)
    researcher = client_of(MemberFactory(study=batch.study, role="researcher"))
    page = researcher.get(reverse("batch", kwargs={"slug": batch.study.slug, "number": batch.number}))
    assert " open aria-labelledby" not in markup(page)


def _batch(state: str) -> Batch:
    (batch,) = plan_batches(study=make_study())
    if state != BatchState.DRAFT:
        open_batch(batch=batch, actor=OPERATOR)
    if state == BatchState.CLOSED:
        close_batch(batch=batch, because="by R-1", actor=OPERATOR)
    return batch
