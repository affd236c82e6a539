"""The demo's conversations and traces: judged by several, something left to do, and what metrics said on the page."""

import csv
import json
import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db.models import Count
from django.test import Client
from django.urls import reverse

from annotation_platform.demo.samples import CONVERSATIONS, TRACES, load_sample, sample_files
from annotation_platform.studies.models import Batch, BatchState, Item, Role, Study
from annotation_platform.studies.services import claim_assignment
from tests.factories import OPERATOR, MemberFactory, UserFactory
from tests.markup import markup

pytestmark = pytest.mark.django_db


def loaded(sample: Path) -> Study:
    return load_sample(sample, owner=UserFactory(), actor=OPERATOR)


def page_of(study: Study, item: Item) -> str:
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    return " ".join(markup(client.get(reverse("item", args=[study.slug, item.pk]))).split())


def test_the_demo_loads_them_after_those_of_presets() -> None:
    assert sample_files()[-2:] == [CONVERSATIONS, TRACES]


@pytest.mark.parametrize("sample", [CONVERSATIONS, TRACES], ids=["conversations", "traces"])
def test_some_is_judged_by_three_and_some_is_open(sample: Path) -> None:
    study = loaded(sample)
    assert {*Batch.objects.filter(study=study).values_list("state", flat=True)} == {BatchState.CLOSED, BatchState.OPEN}
    judged = Item.objects.filter(study=study, hit__batch__state=BatchState.CLOSED)
    people = judged.annotate(people=Count("annotations__annotator", distinct=True))
    assert {*people.values_list("people", flat=True)} == {3}
    assert claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR).hit.items.exists()


def test_a_conversation_shows_its_calls_of_tools() -> None:
    study = loaded(CONVERSATIONS)
    assert study.corpus.has_turns
    item = study.items.filter(question__external_id="missed-boat", candidates__answer__system__name="kestrel").get()
    assert "find_booking" in page_of(study, item)


def test_what_metrics_said_of_a_trace_is_on_its_page_and_in_the_export(tmp_path: Path) -> None:
    study = loaded(TRACES)
    assert study.corpus.has_metrics
    page = page_of(study, study.items.get(question__external_id="plot-blight-2"))
    assert "faithfulness 0.12 Traces of Langfuse" in " ".join(re.sub(r"<[^>]+>", " ", page).split())
    call_command(
        "export_study", study.name, format="csv", output=str(tmp_path / "a.csv"), stdout=StringIO(), stderr=StringIO()
    )
    rows = csv.DictReader(StringIO((tmp_path / "a.csv").read_text(encoding="utf-8")))
    row = next(each for each in rows if each["question_id"] == "plot-blight-2")
    assert json.loads(row["metrics"]) == {"langfuse": {"faithfulness": 0.12, "answer_relevance": 0.88}}
