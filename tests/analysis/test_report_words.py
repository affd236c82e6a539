"""What a report and a release say of a study in plain English."""

from io import StringIO

import pytest
from django.core.management import call_command

from tests.factories import make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db


def test_one_of_a_thing_is_called_one() -> None:
    corpus = make_corpus(articles=1, questions=1, systems=("alder",))
    study = study_with_judgments(annotators=1, corpus=corpus)
    out = StringIO()
    call_command("report_study", study.name, stdout=out, stderr=StringIO())
    assert "\n1 judgment of 1 item by 1 annotator (scheme " in out.getvalue()
