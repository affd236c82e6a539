"""The explorer finds items by what people and judges made of them, in any order, page by page."""

import re
from typing import Any

import pytest
from django.db import connection
from django.db.models import F, Q, QuerySet
from django.urls import reverse

from annotation_platform.analysis.explorer import words
from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.explorer.search import ItemSearch, choices_of, find_items
from annotation_platform.analysis.models import ItemFigures
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.models import Article, Question
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.study_rows import client_of, score
from tests.factories import make_corpus, study_with_judgments
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.storage]

ASPECT = "completeness"
NUMBERS = {"complete": 100, "missing_minor": 70, "missing_major": 30, "missing_all": 0}


def opinion(member: Member, item: Item) -> dict[str, Any]:
    """B always says complete; A says worse the later an item comes in its HIT, and nothing new on the third."""
    label = list(NUMBERS)[(item.position - 1) % 4] if member.pseudonym == "A" else "complete"
    new = "It leaves out the boats and the date of the storm."
    return {"completeness": label, "reasons": "The answer is complete." if item.position == 3 else new}


def judged(articles: int = 1, **settings: Any) -> Study:
    corpus = make_corpus(articles=articles, questions=4, systems=("alder", "birch"))
    study = study_with_judgments(annotators=2, corpus=corpus, values=opinion, **settings)
    score(study, lambda annotation: 60.0 if annotation.item.position < 4 else NUMBERS[annotation.values[ASPECT]])
    explore(study)
    return study


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return judged()


@pytest.fixture(scope="module")
def large(module_db: None) -> Study:
    """64 items, of which every 16 are alike."""
    return judged(articles=8)


def explore(study: Study) -> None:
    take_snapshot(study=study, resamples=2)
    index_items(study=study)


def found(study: Study, **asked: str) -> list[int]:
    """Positions in their HITs of all items that are found, walking through every page."""
    keys, after = [], ""
    while True:
        page = find_items(study, ItemSearch(**asked, after=after), choices_of(study)).page
        keys += page.keys
        if not (after := page.later):
            break
    position = dict(Item.objects.values_list("pk", "position"))
    return [position[key] for key in keys]


def test_items_are_sorted_by_disagreement_before_and_after_rescaling(study: Study) -> None:
    assert found(study, sort="raw") == [4] * 2 + [3] * 2 + [2] * 2 + [1] * 2
    assert found(study, sort="rescaled")[:2] == [4] * 2
    assert found(study, sort="low")[:2] == [4] * 2  # the mean of 100 and 0 is below 60
    assert found(study, sort="high")[-2:] == [4] * 2


def test_the_two_lists(study: Study) -> None:
    assert found(study, seen="same") == [3] * 2 + [2] * 2  # labels differ, scores are all 60; the strongest first
    assert found(study, seen="differently") == []
    ItemFigures.objects.filter(item__position=1, aspect=ASPECT).update(seen="differently", contrast=0.4)
    assert found(study, seen="differently") == [1] * 2


def test_items_are_found_by_flag_annotator_system_and_words_together(study: Study) -> None:
    assert found(study, flag="vacuous") == [3] * 2
    assert len(found(study, annotator="A")) == 8
    Annotation.objects.filter(item__position=1, annotator__pseudonym="A").update(is_current=False)
    assert len(found(study, annotator="A")) == 6
    assert len(found(study, system="birch")) == 4
    assert len(found(study, q="birch q1")) == 1
    assert found(study, q="what", flag="vacuous", sort="raw", system="alder") == [3]
    assert found(study, q="submarine", flag="vacuous") == []
    assert found(study, annotator="nobody") == []


@pytest.mark.parametrize("most", [1, 3, 4, 6, 100])
def test_words_are_found_alike_however_many_questions_a_word_is_followed_to(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    corpus = make_corpus(articles=3, questions=4)
    questions = Question.objects.filter(article__corpus=corpus).order_by("pk")
    texts = ["Who built the pier?", "Who built the tower?", "Where is the pier?", "Who runs the ferry to the tower?"]
    for question, text in zip(questions, texts * 3, strict=True):
        question.text = text
        question.save()
    last = questions[11]
    last.article.title = "A Ferry of 1912"
    last.article.save()
    monkeypatch.setattr(words, "MOST", most)

    def keys(*asked: str) -> set[int]:
        return set(words.questions_with(corpus.pk, asked).keys)

    def by_hand(*asked: str) -> set[int]:
        return {
            question.pk
            for question in questions.select_related("article")
            if all(word.casefold() in f"{question.text} {question.article.title}".casefold() for word in asked)
        }

    assert keys("1912") <= by_hand("1912")
    for asked in (["pier"], ["who", "pier"], ["who", "ferry", "tower"], ["FERRY", "who"], ["the", "1912", "tower"]):
        rarest = min((by_hand(word) for word in asked), key=len)
        assert keys(*asked) <= by_hand(*asked), asked
        is_complete = len(rarest) <= most
        assert bool(words.questions_with(corpus.pk, asked).too_common) is not is_complete
        if is_complete:
            assert keys(*asked) == by_hand(*asked), asked
    assert keys("submarine") == keys("the", "submarine") == set()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="trigrams are PostgreSQL's")
@pytest.mark.parametrize(
    "rows",
    [
        Question.objects.filter(text__icontains="pier"),
        Article.objects.filter(Q(title__icontains="pier") | Q(external_id__iexact="pier")),
    ],
)
def test_words_have_an_index(rows: QuerySet[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert "Bitmap Index Scan" in rows.order_by().explain()


def test_the_page_says_when_a_word_is_too_common_to_be_followed_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    study = judged(articles=2)
    client, address = client_of(study), reverse("items", args=[study.slug])
    assert "were looked through" not in markup(client.get(address, {"q": "what"}))
    monkeypatch.setattr(words, "MOST", 3)
    page = markup(client.get(address, {"q": "what"}))
    assert "“what” is in more than" in page
    assert "6 items" in page  # of three questions by two systems
    assert "were looked through" not in markup(client.get(address, {"q": "what submarine"}))
    assert len(found(study, q="what alder")) == 3


def test_the_judge_parts_with_people_where_the_gap_is_widest(study: Study) -> None:
    assert found(study, sort="gap") == []
    judge = ScoringRun.objects.create(
        study=study, method=Method.JUDGE, scorer=Scorer.RECORDED, status=JobStatus.DONE, signature="j"
    )
    ItemScore.objects.bulk_create(
        ItemScore(run=judge, item=item, aspect=ASPECT, label="missing_all", value=0)
        for item in Item.objects.filter(study=study)
    )
    index_items(study=study)
    assert found(study, sort="gap") == [1] * 2 + [2] * 2 + [3] * 2 + [4] * 2
    client = client_of(study)
    page = markup(client.get(reverse("items", args=[study.slug]), {"sort": "gap"}))
    assert "judge “Misses all”, distance from people 1.00" in page
    item = Item.objects.filter(study=study).first()
    assert item is not None
    assert "Judging model" in markup(client.get(reverse("item", args=[study.slug, item.pk])))


@pytest.mark.parametrize("sort", ["", "raw", "low"])
def test_pages_lead_through_all_items_and_back_again_also_where_values_are_equal(large: Study, sort: str) -> None:
    assert len(found(large, sort=sort)) == 64
    choices, pages, after = choices_of(large), [], ""
    while not pages or after:
        page = find_items(large, ItemSearch(sort=sort, after=after), choices).page
        pages.append(page.keys)
        after, earlier = page.later, page.earlier
    assert len({key for keys in pages for key in keys}) == 64
    for keys in reversed(pages[:-1]):
        page = find_items(large, ItemSearch(sort=sort, before=earlier), choices).page
        assert page.keys == keys
        earlier = page.earlier
    assert earlier == ""


def test_an_address_holds_all_that_is_asked_and_nonsense_in_it_does_no_harm(large: Study) -> None:
    client = client_of(large)
    address = reverse("items", args=[large.slug])
    page = markup(client.get(address, {"sort": "raw", "system": "alder", "q": "what", "aspect": ASPECT}))
    assert "32 items" in page
    page = markup(client.get(address, {"sort": "raw", "aspect": ASPECT}))
    later = re.search(r'rel="next" href="([^"]+)"', page)
    assert later is not None
    assert f"aspect={ASPECT}&amp;sort=raw&amp;after=" in later[1].replace("&", "&amp;").replace("amp;amp;", "amp;")
    for query in (
        "after=x",
        "after=nan~3",
        "after=1~" + "9" * 20,
        "sort=x&seen=y&flag=z&aspect=q",
        "before=~~",
        "q=%00",
    ):
        assert client.get(f"{address}?{query}").status_code == 200, query


def test_items_of_other_studies_stay_theirs(study: Study) -> None:
    other = judged(name="Other")
    assert len(found(study, q="what", sort="raw")) == 8
    assert not ItemFigures.objects.exclude(item__study=F("study")).exists()
    assert len(found(other)) == 8


def test_remarks_on_texts_stand_beside_them(study: Study) -> None:
    item = Item.objects.filter(study=study, position=3)[0]
    page = markup(client_of(study).get(reverse("item", args=[study.slug, item.pk])))
    assert "says nothing new: restates the label." in page
