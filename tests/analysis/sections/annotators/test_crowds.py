"""A study of so many annotators that nobody looks through them all: pages and charts choose, and say so."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.charts import chart_spec, to_svg
from annotation_platform.analysis.measuring import standing_apart
from annotation_platform.analysis.measuring.figures import ComparedFigure
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.annotators.words import (
    FEWEST,
    MOST_FAR,
    _nobody_far,
    drift_in_words,
    who_is_far,
)
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.analysis.tables.base import MOST_DRAWN
from annotation_platform.core.statistics import with_others
from annotation_platform.core.text import TOO_FEW_TO_COMPARE
from annotation_platform.studies.models import Study
from tests.analysis.made_figures import compared, figure, person
from tests.analysis.study_rows import client_of, rows_drawn, score
from tests.factories import MemberFactory, make_corpus, study_with_judgments
from tests.some import some

pytestmark = pytest.mark.django_db
ANNOTATORS = 45
NAMES = [chr(ord("A") + n) for n in range(ANNOTATORS)]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    found = study_with_judgments(annotators=ANNOTATORS, corpus=make_corpus(questions=2))
    score(found)
    take_snapshot(study=found, resamples=10)
    return found


@pytest.fixture
def client(study: Study) -> Client:
    return client_of(study)


def asked_of(study: Study, *names: str, **parameters: str) -> tables.TableRequest:
    return tables.ask(AgreementSnapshot.objects.get(study=study), "completeness", names, parameters)


def table_of(study: Study, name: str, **parameters: str) -> tables.FigureTable:
    return tables.tables_of(asked_of(study, name, **parameters), [name])[name]


def drawn(spec: dict, key: str) -> list[dict]:
    return [row for rows in rows_drawn(spec) for row in rows if key in row]


def test_charts_draw_the_highest_and_the_lowest_and_say_so(study: Study) -> None:
    people = table_of(study, "annotators")
    spec = chart_spec(people, "annotators-agreement")
    ranked = sorted(people.cells, key=lambda row: -row["tau"])
    half = MOST_DRAWN // 2
    expected = {row["name"] for row in [*ranked[:half], *ranked[-half:]]}
    assert {row["annotator"] for row in drawn(spec, "annotator")} == expected
    assert len(people.cells) == ANNOTATORS, "the table has all"
    note = "The 20 highest and 20 lowest of 45; the table has all."
    assert " ".join(spec["title"]["text"]).startswith(note)
    assert note in spec["description"]
    labels = chart_spec(table_of(study, "labels-annotator"), "labels-annotator")
    shown = list(dict.fromkeys(row["name"] for row in drawn(labels, "name")))
    assert (shown[0], len(shown)) == ("All", 1 + MOST_DRAWN)
    assert note in labels["description"]
    few = study_with_judgments(annotators=3, name="Few")
    take_snapshot(study=few, resamples=10)
    assert "title" not in chart_spec(table_of(few, "annotators"), "annotators-agreement")


def test_pairs_are_counted_by_their_value_instead_of_drawn_one_by_one(study: Study) -> None:
    pairs = table_of(study, "pairs")
    assert len(pairs.cells) == ANNOTATORS * (ANNOTATORS - 1) // 2 == 990
    assert pairs.reading.startswith("990 pairs of annotators")
    for side in ("raw", "rescaled", "change"):
        name = f"pairs-{side}"
        assert "how many pairs have which" in pairs.charts[name]
        bars = drawn(spec := chart_spec(pairs, name), "pairs")
        values = [row[side] for row in pairs.cells if row[side] is not None]
        assert sum(bar["pairs"] for bar in bars) == len(values)
        for bar in some(bars):
            inside = [value for value in values if bar["low"] - 1e-9 <= value < bar["high"] - 1e-9]
            inside += [value for value in values if value == bar["high"] == (2 if side == "change" else 1)]
            assert len(inside) == bar["pairs"]
        assert to_svg(spec).startswith("<svg")


def test_pages_offer_a_search_and_one_annotators_partners(study: Study, client: Client) -> None:
    address = reverse("agreement_annotators", args=[study.slug])
    page = client.get(address, {"aspect": "completeness"}).content.decode()
    assert '<datalist id="annotators">' in page
    assert "Each by themselves" not in page
    found = client.get(address, {"aspect": "completeness", "annotator": "C"}, follow=True)
    assert found.status_code == 200
    assert "Annotator C" in found.content.decode()
    assert client.get(address, {"annotator": "Nobody"}, follow=True).status_code == 404
    pairs = client.get(reverse("agreement_pairs", args=[study.slug]), {"aspect": "completeness", "of": "D"})
    page = pairs.content.decode()
    assert "<option selected>D</option>" in page
    partners = page.split('id="pair-with"')[1].split("</select>")[0]
    assert partners.count("<option") == ANNOTATORS - 1
    assert partners.count(" selected") == 1


def test_the_pair_that_is_shown_is_one_of_the_person_chosen(study: Study, client: Client) -> None:
    address = reverse("agreement_pairs", args=[study.slug])

    def shown(**parameters: str) -> str:
        page = client.get(
            address, {"aspect": "completeness", **parameters}, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="pair"
        )
        return page.content.decode().split("<h2>")[1].split("</h2>")[0]

    assert shown(of="D", pair="D~G") == shown(pair="G~D") == "Annotators D and G"
    other = shown(of="E", pair="D~G")
    assert " E" in other, "the partner of D is not kept for E"
    assert client.get(address, {"pair": "D~Nobody"}).status_code == 404
    assert client.get(address, {"of": "Nobody"}).status_code == 404


def test_people_are_listed_by_pages(study: Study, client: Client) -> None:
    for _ in range(10):
        MemberFactory(study=study)
    first, second, beyond = (
        client.get(reverse("study", args=[study.slug]), {"people": page}).content.decode() for page in ("1", "2", "9")
    )
    assert first.count('<th scope="row">') == 50
    assert second.count('<th scope="row">') == study.members.count() - 50
    assert 'href="?people=2#people"' in first
    assert beyond.count('<th scope="row">') == second.count('<th scope="row">')


def test_sentences_name_a_few(study: Study) -> None:
    asked = asked_of(study, "annotators")
    for each in asked.figures["annotators"]["annotators"]:
        each["far"] = ["leniency"]
        each["leniency"] |= {"value": 1.0, "median": 0.0, "z": 4.0 + NAMES.index(each["name"])}
    told = who_is_far(asked)
    assert len(told) == MOST_FAR + 1
    assert told[0].startswith(f"Annotator {NAMES[-1]} is far")
    assert told[-1] == "35 more figures stand apart; the table says whose."
    people = [person(name, drift=figure(2.0 + place, (1.0, 3.0))) for place, name in enumerate(NAMES)]
    (sentence,) = drift_in_words(people, asked.head)
    assert "and 40 more grew more lenient" in sentence
    assert NAMES[-1] in sentence
    assert json.dumps(NAMES[0])[1:-1] + " (" not in sentence


def test_both_sides_call_the_same_number_of_annotators_few() -> None:
    assert FEWEST == with_others.FEWEST


def test_five_annotators_alike_are_not_too_few() -> None:
    alike = person("A", leniency=compared(0.0), tau=compared(None), same_label=compared(1.0))
    assert _nobody_far([alike] * FEWEST) == "No annotator stands far apart from the others."
    assert "too few annotators" in _nobody_far([alike] * (FEWEST - 1))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([1.0, 2.0, 3.0, 4.0], TOO_FEW_TO_COMPARE),
        ([1.0] * 5, standing_apart.ALL_EQUAL),
        ([1.0, 2.0, 3.0, 4.0, 9.0], None),
    ],
)
def test_where_there_is_no_z_it_says_why(values: list[float], why: str | None) -> None:
    *known, unknown = standing_apart.compared([figure(value) for value in [*values, None]], ComparedFigure)
    assert {each.no_z_because for each in known} == {why}
    assert {each.z is None for each in known} == {why is not None}
    assert (unknown.z, unknown.no_z_because) == (None, unknown.undefined_because)
