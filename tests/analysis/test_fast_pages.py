"""Every page of a study asks the database as often for much data as for little, and reads no text that it hides."""

from functools import cache

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse

from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.studies.models import Item, Role, Study
from tests.analysis.study_rows import client_of, reply_to, score, scored_study
from tests.factories import make_corpus

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("fast pages")]

# The columns of texts, and the pages that may read some of them.
QUESTION, ANSWER, VALUES, SENTENCE = (
    '"corpus_question"."text"',
    '"corpus_answer"."text"',
    '"annotations_annotation"."values"',
    '"corpus_sentence"."text"',
)
REPLY, REQUEST = '"scoring_completion"."reply"', '"scoring_completion"."request"'
RATIONALE = '"corpus_answer"."rationale"'
TEXTS = {QUESTION, ANSWER, VALUES, SENTENCE, REPLY, REQUEST, RATIONALE}
SHOWN: dict[str, set[str]] = {
    "batch": {VALUES, QUESTION},  # of this one batch, up to a limit, and of the evidence of what is worth a look
    "items": {QUESTION},
    "item": TEXTS - {REQUEST},
    "run": {VALUES, REPLY},  # of judgments that seem to give orders; that gave no score
    "assignment": {QUESTION, ANSWER, RATIONALE, VALUES},  # of the one task that somebody judged
    "preview_prompt": TEXTS - {REPLY, REQUEST},  # of one item, and the beginnings of some others
    "agreement_pairs": {QUESTION},  # of the items of the two annotators that are side by side, up to a limit
    "agreement_sentences": {SENTENCE},  # of the one document that its heat map is about
    "unread": {QUESTION, REPLY},
    "adjudicate": TEXTS - {REPLY, REQUEST},  # of the one item that is decided about
    "adjudication": {QUESTION},
    "adjudication_file": {QUESTION},
    "check_results": {QUESTION, VALUES},  # of the checks' own judgments
    "checks": {QUESTION},
    "new_check": TEXTS - {VALUES, REPLY, REQUEST},  # of the one item that becomes a check
    "pick_check": {QUESTION, ANSWER, RATIONALE},  # of a page of items to choose from
}
QUERIES = {
    "compare_snapshots": ["?then={0}&now={1}"],
    "items": ["", "?sort=raw&flag=vacuous&annotator=A&q=what&system=alder", "?seen=same&sort=low"],
}
MOST = 28
# The home of a study also says what waits of its crowd: releases, late work, messages; and webhooks that are off.
MOST_OF = {"study": 32}


def pages() -> list[tuple[str, str]]:
    """Every address of a study, so also one that is added tomorrow, with what is asked in it."""
    resolver = get_resolver().reverse_dict
    names = sorted(name for name in resolver if isinstance(name, str))
    of_study = [name for name in names if resolver[name][0][0][0].startswith("studies/%(slug)s/")]
    return [(name, query) for name in of_study for query in QUERIES.get(name, [""])]


def statements(study: Study, name: str, query: str) -> list[str]:
    """The statements behind a page; skips what is no page, or one of something that the study does not have."""
    found, missing = _asked(study, name, query)
    if missing:
        pytest.skip(missing)
    return found


@cache
def _asked(study: Study, name: str, query: str) -> tuple[list[str], str]:
    """The statements, or what is missing; found out once for all tests, since each leaves the studies as they are."""
    item = Item.objects.filter(study=study, annotations__isnull=False).first()
    assert item is not None
    ((_, parameters), *_), *_ = get_resolver().reverse_dict[name]
    first, second = study.scoring_runs.order_by("pk")
    given = {"slug": study.slug, "number": 1, "aspect": "completeness", "kind": "json", "method": "ebr"}
    given |= {"pk": item.pk if name == "item" else first.pk, "other": second.pk, "name": "pairs"}
    if name == "agreement_annotator":
        given["pk"] = study.members.get(pseudonym="A").pk
    query = query.format(*study.snapshots.order_by("pk").values_list("pk", flat=True))
    if missing := set(parameters) - set(given):
        return [], f"has {missing} in its address"
    path = reverse(name, kwargs={parameter: given[parameter] for parameter in parameters}) + query
    client = client_of(study, Role.ADMIN)
    with CaptureQueriesContext(connection) as captured:
        response = client.get(path)
    if response.status_code in (302, 404, 405):
        return [], f"answers {response.status_code} here"
    assert response.status_code == 200
    return [query["sql"] for query in captured.captured_queries], ""


@pytest.fixture(scope="module")
def studies(module_db: None) -> tuple[Study, Study]:
    """A small study and one with more of everything but batches; made once for all pages."""
    assert connection.features.supports_json_field  # SQLite is asked once, which is not the first page's matter
    small = scored_study(annotators=2, name="Small", corpus=make_corpus(articles=1, questions=2))
    large = scored_study(annotators=4, name="Large", corpus=make_corpus(articles=4, questions=3))
    for study in (small, large):
        take_snapshot(study=study, resamples=2)
        run = score(study, lambda annotation: 50.0 + annotation.item_id % 7)
        reply_to(*run.scores.all())
        take_snapshot(study=study, resamples=2)
        index_items(study=study)
        client_of(study, Role.ADMIN)
    return small, large


@pytest.mark.parametrize(("name", "query"), pages())
def test_a_page_asks_as_often_for_much_as_for_little(name: str, query: str, studies: tuple[Study, Study]) -> None:
    few, many = (statements(study, name, query) for study in studies)
    assert len(few) == len(many), "\n".join(sorted(many))
    assert len(many) <= MOST_OF.get(name, MOST)


@pytest.mark.parametrize(("name", "query"), pages())
def test_a_page_reads_only_the_texts_that_it_shows(name: str, query: str, studies: tuple[Study, Study]) -> None:
    selected = [sql.partition(" FROM ")[0] for sql in statements(studies[0], name, query)]
    assert {text for text in TEXTS if any(text in columns for columns in selected)} <= SHOWN.get(name, set())


def test_two_annotators_side_by_side_show_no_more_than_so_many_items(
    studies: tuple[Study, Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = studies[1]
    address = reverse("chart", args=[study.slug, "completeness", "pair", "csv"])
    client = client_of(study, Role.ADMIN)
    every = client.get(address).content.decode().splitlines()
    monkeypatch.setattr("annotation_platform.analysis.sections.pairs.pair.MOST_ITEMS", 3)
    assert client.get(address).content.decode().splitlines() == every[:4]
    page = client.get(reverse("agreement_pairs", args=[study.slug])).content.decode()
    assert f"judged the same answer {len(every) - 1} times; these are the first 3, and they gave" in page


def test_the_study_home_counts_only_the_batches_of_its_page(studies: tuple[Study, Study]) -> None:
    home = statements(studies[1], "study", "")
    counted = [sql for sql in home if "studies_assignment" in sql and "COUNT(*)" in sql]
    assert counted
    bounded = ("LIMIT", "'open'", "'claimed'", "annotations_message")  # the last: words that wait for an answer
    assert all(any(word in sql for word in bounded) for sql in counted)
