"""Marked words where researchers decide: on the page of an item to adjudicate, and as what a check accepts."""

import json

import pytest
from django.urls import reverse

from annotation_platform.core.qualification import match
from annotation_platform.crowd.adjudication.models import Adjudication
from annotation_platform.crowd.checks.models import Check
from tests.analysis.study_rows import client_of
from tests.marked_study import mark, marked_study
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def test_an_item_is_adjudicated_with_marks_and_becomes_a_check() -> None:
    study = marked_study()
    item = study.items.first()
    assert item is not None
    client = client_of(study)
    address = reverse("adjudicate", args=[study.slug, item.pk])
    page = markup(client.get(address))
    assert "Contradiction: “in June”" in page
    assert 'data-marked="answer"' in page
    decided = [mark("in June", "contradiction")]
    sent = {
        "scheme": study.scheme_version.signature,
        "aspect-errors": json.dumps(decided),
        "aspect-acceptable": "no",
        "note": "",
    }
    refused = client.post(address, sent | {"aspect-errors": json.dumps([mark("in June", "other")])})
    assert refused.status_code == 422
    assert "is not one of the labels" in markup(refused)
    assert client.post(address, sent).status_code == 302
    assert Adjudication.objects.get().values == {"errors": decided, "acceptable": "no"}
    assert client.post(reverse("make_item_gold", args=[study.slug, item.pk])).status_code == 302
    check = Check.objects.get()
    assert check.accepted["errors"] == decided
    listed = markup(client.get(reverse("checks", args=[study.slug])))
    assert "Contradiction: answer" in listed
    assert "&#x27;text&#x27;" not in listed.replace("'", "&#x27;")
    assert match(study.scheme(), check.accepted, {"errors": decided, "acceptable": "no"}).is_whole
