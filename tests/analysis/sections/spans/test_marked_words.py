"""Agreement on marked words: from the database to the page, the report, and the page of an item."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.spans import measure
from annotation_platform.analysis.sections.spans.figures import SPANS
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.core.statistics import span_f1, token_alpha
from annotation_platform.core.tokens import tokens
from annotation_platform.studies.models import Study
from tests.analysis.study_rows import assert_hovering_tells_the_interval, client_of
from tests.core.test_statistics_spans import texts_of
from tests.factories import make_corpus, study_with_judgments
from tests.marked_study import ANSWER, corpus_of_errors, marked_study
from tests.markup import markup

pytestmark = pytest.mark.django_db


def figures(study: Study, resamples: int = 5) -> Any:
    take_snapshot(study=study, resamples=resamples)
    (found,) = SPANS.from_stored(AgreementSnapshot.objects.filter(study=study).latest("pk").figures["spans"])
    return found


def test_figures_are_those_of_the_core_over_the_tokens() -> None:
    found = figures(marked_study())
    n = len(tokens(ANSWER))  # Its 🚢 engine broke in June , 船 長 も 病 気 …
    one = (n, [[(4, 6, 1), (7, 12, 0)], [(3, 6, 1), (5, 10, 2)], []])
    by_hand = texts_of(*[one] * 4, n_labels=3)
    assert [label.key for label in found.labels] == ["", "unsupported", "contradiction", "irrelevant"]
    for label, code in zip(found.labels, (None, 0, 1, 2), strict=True):
        for name, wanted in (
            ("overlap", span_f1(by_hand, "overlap", label=code)),
            ("exact", span_f1(by_hand, "exact", label=code)),
            ("alpha", token_alpha(by_hand, label=code)),
        ):
            assert getattr(label, name).value == wanted.value, (label.key, name)
    whole = found.labels[0]
    assert (found.texts, found.readings, whole.spans) == (4, 12, 16)
    assert whole.used.value == pytest.approx(2 / 3)
    assert whole.per_reading.value == pytest.approx(4 / 3)
    assert (whole.overlap.items, whole.overlap.judgments, whole.overlap.annotators) == (4, 12, 3)


def test_intervals_draw_the_articles() -> None:
    found = figures(marked_study(corpus=corpus_of_errors(articles=9)), resamples=50)
    overlap = found.labels[0].overlap
    assert overlap.units == 9
    assert overlap.no_interval_because  # everybody marks every text alike, so that resamples do not differ


def test_of_very_many_texts_a_sample_is_measured_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "MOST_TOKENS", 200)
    found = figures(marked_study())
    assert found.sampled is not None
    assert (found.sampled.of, found.texts) == (4, 4)
    assert 0 < found.sampled.texts < 4
    assert found.labels[0].overlap.items == found.sampled.texts


def test_the_page_the_charts_and_the_report_show_it() -> None:
    study = marked_study()
    take_snapshot(study=study, resamples=5)
    client = client_of(study)
    response = client.get(reverse("agreement_spans", args=[study.slug]))
    page = markup(response)
    assert "Agreement on the words marked" in page
    assert "16 marks in 12 readings of 4 texts" in page
    for name in ("marked-agreement", "marked-labels"):
        spec = json.loads(client.get(reverse("chart", args=[study.slug, "acceptable", name, "json"])).content)
        assert spec["description"]
        assert_hovering_tells_the_interval(spec)
        csv = client.get(reverse("chart", args=[study.slug, "acceptable", name, "csv"])).content.decode()
        assert ("Any label" in csv, "All labels" in csv) == (name == "marked-labels", name == "marked-agreement")
    out = StringIO()
    call_command("report_study", study.name, json=True, stdout=out)
    told = json.loads(out.getvalue())
    assert told["spans"][0]["aspect"] == "errors"
    contradiction = told["spans"][0]["labels"][2]
    assert contradiction["overlap"]["value"] == pytest.approx(2 * 2 / (2 * (2 + 3)))  # in June, broke in June, nothing


def test_a_scheme_without_marks_has_no_such_tab() -> None:
    study = study_with_judgments(annotators=2, corpus=make_corpus(questions=1))
    take_snapshot(study=study, resamples=5)
    client = client_of(study)
    page = markup(client.get(reverse("agreement_spans", args=[study.slug])))
    assert "This scheme does not ask for marked words" in " ".join(page.split())
    assert "Marked words</a>" not in page


def test_the_page_of_an_item_shows_what_each_marked() -> None:
    study = marked_study()
    item = study.items.first()
    assert item is not None
    page = markup(client_of(study).get(reverse("item", args=[study.slug, item.pk])))
    assert '<mark class="mark mark-red lane-0" title="Contradiction" data-sign="2">in June</mark>' in page
    assert 'title="Unsupported claim: says &quot;Ann Other&quot;"' in page
    assert '<mark class="mark mark-blue lane-1" title="Irrelevant" data-sign="3"><mark' in page  # B's marks overlap
