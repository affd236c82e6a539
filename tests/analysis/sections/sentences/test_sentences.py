"""Agreement on the sentences cited, how many, and how much of the documents; by hand and against planted values."""

import json
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.paper.archive import entries
from annotation_platform.analysis.sections.sentences.measure import CitedSets, sentences_figures
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.core.schemes import preset
from annotation_platform.core.statistics import Bootstrap, krippendorff_alpha_of_sets, set_codes
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.corpus.models import Question, ReferenceDocument
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.study_rows import assert_hovering_tells_the_interval, client_of, score
from tests.factories import ArticleFactory, make_corpus, study_with_judgments
from tests.markup import markup

pytestmark = pytest.mark.django_db
BOOTSTRAP = Bootstrap(resamples=50)


def cited(*sets: set[tuple[int, int]], lengths: dict[int, int] | None = None) -> CitedSets:
    """Two annotators, in turn, on one item after the other."""
    n = np.arange(len(sets))
    alone = np.arange((len(sets) + 1) // 2)
    owners = np.repeat(n, [len(each) for each in sets])
    one_by_one = np.array([sentence for each in sets for sentence in each], dtype=np.int64).reshape(-1, 2)
    return CitedSets("s", "S", n // 2, n % 2, owners, *one_by_one.T, alone, lengths or {1: 10})


def stored(given: CitedSets, bootstrap: Bootstrap) -> dict[str, Any]:
    """The figures as they are stored."""
    return sentences_figures(given, bootstrap).model_dump(mode="json")


def test_sizes_coverage_and_places_by_hand() -> None:
    found = stored(cited({(1, 1), (1, 2)}, {(1, 2)}, set(), {(1, 10)}, lengths={1: 10, 2: 5, 3: 0}), BOOTSTRAP)
    assert found["sizes"][:4] == [1, 2, 1, 0]
    assert found["cited"]["value"] == 1.0
    assert found["cites_none"]["value"] == 0.25
    assert found["coverage"]["value"] == pytest.approx((3 / 10 + 0) / 2)  # nobody cites the second document
    assert found["documents_by_coverage"][:4] == [1, 0, 0, 1]
    assert found["withheld"] == 1
    assert found["citations_by_place"] == [1, 2, 0, 0, 0, 0, 0, 0, 0, 1]
    # Two documents say next to nothing, and citations of a single document nothing at all.
    assert found["coverage_intervals"][0][1] - found["coverage_intervals"][0][0] > 0.8
    assert set(map(str, found["place_intervals"])) == {"None"}


def test_shares_of_citations_have_intervals_over_items_and_documents() -> None:
    documents = range(1, 9)
    # One annotator cites two sentences of each item's document, the other one or, in every second item, none.
    sets = [each for d in documents for each in ({(d, 1), (d, 10)}, {(d, 2)} if d % 2 else set())]
    found = stored(cited(*sets, lengths=dict.fromkeys(documents, 10)), BOOTSTRAP)
    assert found["sizes"][:3] == [4, 4, 8]
    none, one, two = found["size_intervals"][:3]
    assert 0 < none[0] < 4 / 16 < none[1] < 0.6
    assert 0 < one[0] < 4 / 16 < one[1] < 0.6
    assert two[0] < 0.5 < two[1]  # half of every item, but there are only sixteen judgments
    low, high = found["coverage_intervals"][2]  # two of ten sentences: half of the documents
    assert low < 0.5 < high
    low, high = found["place_intervals"][0]  # the first tenth has 8 of 20 citations
    assert low < 8 / 20 < high


def test_without_a_citation_bars_have_no_interval() -> None:
    found = stored(cited(), BOOTSTRAP)
    assert set(map(str, found["size_intervals"] + found["place_intervals"])) == {"None"}


def test_agreement_is_that_of_the_core_with_both_distances() -> None:
    sets = ({(1, 1), (1, 2)}, {(1, 2)}, {(2, 2)}, {(2, 2)}, {(1, 5)}, {(1, 6)})
    given = cited(*sets * 3, lengths={1: 10, 2: 10})
    codes, distinct = set_codes(given.sets_of(np.arange(18)))
    ratings = Ratings.from_arrays(given.units, given.raters, codes, repeated="cross")
    found = stored(given, BOOTSTRAP)["alpha"]
    for name in ("masi", "jaccard"):
        alone = krippendorff_alpha_of_sets(ratings, distinct, name)  # type: ignore[arg-type]
        assert found[name]["value"] == alone.value
        assert found[name]["interval"] is not None


def test_of_very_many_sets_a_sample_is_compared_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation_platform.analysis.sections.sentences.measure.MOST_SETS", 10)
    sets = [{(1, number), (1, number + 1)} for number in range(1, 41) for _ in range(2)]
    found = stored(cited(*sets), BOOTSTRAP)
    assert found["sampled"] == {"items": 10, "of": 40, "seed": 0}
    assert found["alpha"]["masi"]["items"] == 10
    assert found["alpha"]["masi"]["value"] == 1


def opinion(member: Member, item: Item) -> dict[str, Any]:
    return {"sentences": [1, 2] if member.pseudonym == "A" else [2]}


def measured(**settings: Any) -> Study:
    study = study_with_judgments(annotators=2, **({"values": opinion} | settings))
    if study.scheme().rescale:
        score(study)
    take_snapshot(study=study, resamples=5)
    index_items(study=study)
    return study


def shown(study: Study, client: Client | None = None, **query: Any) -> str:
    address = reverse("agreement_sentences", args=[study.slug])
    response = (client or client_of(study)).get(address, query)
    assert response.status_code == 200
    return markup(response)


def test_the_page_shows_agreement_and_the_warmth_of_every_sentence() -> None:
    study = measured(corpus=make_corpus(articles=2, questions=1, systems=("alder",)))
    page = shown(study)
    assert "A judgment cites 1.500 sentences on average" in page
    assert "Of a document, 25.0\u00a0% of the sentences are cited by somebody" in page
    assert 'value="2" class="heat-5"' in page  # both cite it
    assert "× 2" in page
    assert 'value="1" class="heat-3"' in page  # one of two
    assert 'value="3" class="heat-0"' in page
    for name in ("cited-agreement", "cited-sizes", "cited-coverage", "cited-places"):
        address = reverse("chart", args=[study.slug, "correct", name, "json"])
        spec = json.loads(client_of(study).get(address).content)
        assert spec["description"]
        assert_hovering_tells_the_interval(spec)


def test_documents_are_counted_in_ranges_that_include_their_upper_end() -> None:
    study = measured(corpus=make_corpus(articles=2, questions=1, systems=("alder",), sentences=10))
    snapshot = AgreementSnapshot.objects.get(study=study)
    names = ["cited-coverage", "cited-places"]
    found = tables.tables_of(tables.ask(snapshot, "correct", names), names)
    coverage = {row["cited"]: row["documents"] for row in found["cited-coverage"].cells}
    assert list(coverage)[:3] == ["none", "0–10\u00a0%", "10–20\u00a0%"]
    assert list(coverage)[-1] == "90–100\u00a0%"
    assert {name for name, n in coverage.items() if n} == {"10–20\u00a0%"}  # two of ten sentences
    assert "includes its upper end" in found["cited-coverage"].charts["cited-coverage"]
    places = {row["place"]: row["citations"] for row in found["cited-places"].cells}
    assert {name for name, n in places.items() if n} == {"0–10\u00a0%", "10–20\u00a0%"}  # the first two of ten


def test_a_single_document_is_called_the_only_one() -> None:
    page = shown(measured(corpus=make_corpus(articles=1, questions=1, systems=("alder",))))
    assert "Of the only document, 25.0\u00a0% of the sentences are cited by somebody" in page


def test_another_document_can_be_looked_at() -> None:
    study = measured(corpus=make_corpus(articles=2, questions=1, systems=("alder",)))
    article = Item.objects.filter(study=study).order_by("-question__article__pk")[0].question.article
    assert f'id="chosen">{article.title}' in shown(study, article=article.pk)
    assert 'id="chosen">' in shown(study, article="9" * 30, after="~", before="x")


def test_a_withheld_text_has_no_coverage_and_its_numbers_are_still_there() -> None:
    page = shown(measured(corpus=make_corpus(articles=1, questions=1, sentences=0)))
    told = page.split("Coverage is not defined: No document that was shown has its text here.")[1]
    assert "0.0\u00a0%" not in told.split("</section>")[0].split("Where in the document")[0]
    assert "withholds the text" in page
    assert 'value="2" class="heat-5"' in page


def test_reference_documents_are_documents_of_their_own() -> None:
    corpus = make_corpus(articles=1, questions=1, systems=("alder",))
    extra = ArticleFactory(corpus=corpus, title="A reference", position=9, sentences=4)
    for question in Question.objects.filter(article__corpus=corpus):
        ReferenceDocument.objects.create(question=question, article=extra, number=1)
    definition = preset("ebr")
    definition["shown"] = [*definition["shown"], "documents"]
    definition["examples"] = []
    study = measured(corpus=corpus, definition=definition, values=lambda member, item: {"sentences": [3, "R1:3"]})
    page = shown(study, article=extra.pk)
    assert 'id="chosen">A reference' in page
    assert 'value="3" class="heat-5"' in page
    figures = AgreementSnapshot.objects.get(study=study).figures["sentences"][0]
    assert figures["coverage"]["value"] == pytest.approx((1 / 8 + 1 / 4) / 2)


def test_a_scheme_without_sentences_says_so() -> None:
    study = measured()
    AgreementSnapshot.objects.get(study=study).sections.filter(key="sentences").update(figures=[])
    assert "does not ask for sentences" in shown(study)
    AgreementSnapshot.objects.get(study=study).sections.filter(key="sentences").delete()
    assert "older than this page" in shown(study)


def test_a_bundle_has_what_is_cited_under_each_aspect() -> None:
    aspects = [{"key": key, "kind": "sentences", "title": f"Which {key}?"} for key in ("needed", "wrong")]
    aspects.append({"key": "right", "kind": "yes_no", "title": "Right?"})
    definition = {"key": "two", "title": "Two", "shown": ["article", "question", "answer"], "aspects": aspects}
    study = study_with_judgments(
        definition=definition, values=lambda member, item: {"needed": [1], "wrong": [2, 3], "right": "yes"}
    )
    found = {entry.stem: entry.table for entry in entries(take_snapshot(study=study, resamples=5))}
    one, other = found["right/cited-sizes"], found["right/cited-sizes-2"]
    assert (one.title, other.title) == (
        "Sentences cited by a judgment, “Which needed?”",
        "Sentences cited by a judgment, “Which wrong?”",
    )
    assert one.cells[1]["judgments"] == other.cells[2]["judgments"] == sum(row["judgments"] for row in one.cells)
