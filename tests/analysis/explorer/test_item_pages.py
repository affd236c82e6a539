"""The list of items finds what is asked for; the item's page shows all that was said about it."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation_platform.analysis.explorer.labels import labels_in_words
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import build_scheme, preset
from annotation_platform.corpus.models import Article, ReferenceDocument
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ItemLabel, ItemScore, Method, RecordedReply, Score, Scorer, ScoringRun
from annotation_platform.studies.models import Item, Member, Study
from annotation_platform.studies.services import claim_assignment, plan_batches
from tests.analysis.study_rows import client_of, reply_to, score, scored_study
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, open_study, study_with_judgments, submit
from tests.markup import markup

pytestmark = pytest.mark.django_db


def get(study: Study, path: str, client: Client | None = None, **query: Any) -> str:
    response = (client or client_of(study)).get(path, query)
    assert response.status_code == 200
    return markup(response)


def listed(study: Study, client: Client | None = None, **query: Any) -> str:
    return get(study, reverse("items", kwargs={"slug": study.slug}), client, **query)


def shown(study: Study, item: Item, client: Client | None = None) -> str:
    return get(study, reverse("item", kwargs={"slug": study.slug, "pk": item.pk}), client)


def first_item(study: Study) -> Item:
    return Item.objects.filter(study=study)[0]


def opinion(member: Member, item: Item) -> dict[str, Any]:
    if member.pseudonym == "A":
        return {"completeness": "missing_minor", "sentences": [2, 3], "reasons": "It leaves out the boats."}
    return {"completeness": "complete", "sentences": [2], "reasons": "Nothing is missing."}


def test_search_goes_by_article_question_and_system() -> None:
    study = make_study(corpus=make_corpus(articles=1, questions=2, systems=("alder", "birch")))
    plan_batches(study=study)
    question = Item.objects.filter(study=study).first().question  # type: ignore[union-attr]
    question.text = "Why did the ferry stop?"
    question.save()
    assert "4 items" in listed(study)
    assert "2 items" in listed(study, q="FERRY stop")
    assert "1 item<" in listed(study, q="ｆｅｒｒｙ\u3000ｂｉｒｃｈ")  # as an input method writes it
    assert "1 item<" in listed(study, q="ferry", system="birch")
    assert "2 items" in listed(study, system="alder")
    assert "No item has these words" in listed(study, q="submarine")


def test_the_list_counts_labels_and_averages_scores() -> None:
    study = study_with_judgments(annotators=2, values=opinion)
    score(study, lambda annotation: 60.0 if annotation.annotator.pseudonym == "A" else 90.0)
    page = listed(study)
    assert 'Complete <span class="num">× 1</span>' in page
    assert 'Misses some <span class="num">× 1</span>' in page
    assert "mean score <strong>75.0</strong>" in page


def test_the_list_is_paged_by_key_and_keeps_the_search() -> None:
    study = scored_study(corpus=make_corpus(articles=3), annotators=2)
    client = client_of(study)
    page = listed(study, client, q="about")
    pks = list(Item.objects.filter(study=study).order_by("pk").values_list("pk", flat=True))
    assert f"?q=about&amp;after={pks[24]}" in page
    assert "Previous page" not in page
    second = listed(study, client, q="about", after=str(pks[24]))
    assert [f"/items/{pk}/" in second for pk in (pks[24], pks[25])] == [False, True]
    assert f"?q=about&amp;before={pks[25]}" in second
    assert listed(study, client, q="about", before=str(pks[25])).count('<li class="card">') == 25


def test_an_item_shows_labels_explanations_citations_numbers_and_scores_with_their_source() -> None:
    study = study_with_judgments(annotators=2, values=opinion)
    score(study, lambda annotation: 55.5 if annotation.annotator.pseudonym == "A" else 95.0)
    item = Item.objects.filter(study=study).first()
    assert item is not None
    Score.objects.filter(annotation__item=item, value=95.0).update(source=Score.Source.ANNOTATOR_MEAN)
    page = shown(study, item)
    for expected in (
        "It leaves out the boats.",
        "Misses some",
        "read from label and explanation",
        "the annotator&#x27;s mean for this label",
        "55.5",
        '<a href="#s3">3</a>',
        "cited by A, B",
        "Sentence 2 tells of matter 2.",
    ):
        assert expected in page
    assert 'id="s2" value="2" class="heat-5"' in page  # both
    assert 'id="s3" value="3" class="heat-3"' in page  # one of two
    assert 'id="s4" value="4" class="heat-0"' in page


def test_an_item_keeps_earlier_revisions_in_sight() -> None:
    study = open_study(overlap=1)
    place = claim_assignment(annotator=MemberFactory(study=study, pseudonym="A"), actor=OPERATOR)
    item = place.hit.items.first()
    assert item is not None
    submit(place, item, reasons="My first thought.")
    submit(place, item, reasons="My second thought.")
    page = shown(study, item)
    assert page.index("My second thought.") < page.index("1 earlier revision") < page.index("My first thought.")
    assert "1 judgment<" in page


def test_a_withheld_article_says_so_and_still_lists_the_citations() -> None:
    study = study_with_judgments(annotators=2, corpus=make_corpus(sentences=0), values=opinion)
    item = Item.objects.filter(study=study).first()
    assert item is not None
    page = shown(study, item)
    assert "withholds the text" in page
    assert "Cited: 2, 3." in page


def test_the_link_to_a_reference_document_does_not_stand_in_what_unfolds_it() -> None:
    study = open_study(corpus=make_corpus(systems=("alder", "birch")), definition=preset("lfqa"))
    item = first_item(study)
    Article.objects.update(url="https://example.org/boats")
    ReferenceDocument.objects.create(question=item.question, article=item.question.article, number=1)
    document = shown(study, item).split("<details")[1]
    assert document.index("</summary>") < document.index('href="https://example.org/boats"')


def test_a_number_without_words_says_between_what_it_lies() -> None:
    aspects = {aspect.key: aspect for aspect in build_scheme(dict(preset("lfqa"))).labelled_aspects}
    words = labels_in_words(aspects["acceptability"], Item())
    assert words == {
        "0": "Unacceptable",
        "1": "1 (0 Unacceptable to 3 Acceptable)",
        "2": "2 (0 Unacceptable to 3 Acceptable)",
        "3": "Acceptable",
    }


def test_what_annotators_typed_is_shown_as_text() -> None:
    study = study_with_judgments(
        annotators=1, values=lambda member, item: {"reasons": "<script>alert(1)</script> & more"}
    )
    item = Item.objects.filter(study=study).first()
    assert item is not None
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in shown(study, item)


def test_a_score_shows_the_raw_reply_that_it_was_read_from_as_text() -> None:
    study = scored_study(annotators=1)
    item = first_item(study)
    reply = "The <b>boats</b> are missing.\nScore: 55"
    usage = {"prompt_tokens": 812, "completion_tokens": 9, "cost": Decimal("0.00012")}
    reply_to(Score.objects.get(annotation__item=item), reply=reply, **usage)
    page = shown(study, item)
    assert "The &lt;b&gt;boats&lt;/b&gt; are missing.\nScore: 55</pre>" in page
    assert "birch-7b · 812 tokens in, 9 out · $0.000120<" in page
    assert page.count("The model's reply<") == 1


def test_a_reply_that_gave_no_score_says_so() -> None:
    study = scored_study(annotators=1)
    item = first_item(study)
    score = Score.objects.get(annotation__item=item)
    score.source, score.failure = Score.Source.LABEL_MEAN, "refusal"
    reply_to(score, reply="")
    page = shown(study, item)
    assert "(The reply is empty.)</pre>" in page
    assert "birch-7b · no score was read from it: the model will not score<" in page


def test_a_score_without_a_reply_shows_none() -> None:
    study = scored_study(annotators=2)
    assert "<details" not in shown(study, first_item(study))


@pytest.mark.parametrize("scorer", [Scorer.RECORDED, Scorer.DISTILLED])
def test_replies_that_came_with_the_data_belong_to_scores_read_from_them(scorer: Scorer) -> None:
    study = study_with_judgments(annotators=1)
    run, item = score(study), first_item(study)
    ScoringRun.objects.filter(pk=run.pk).update(scorer=scorer)
    fields = {"aspect": "completeness", "model": "oak-175b"}
    for annotation in Annotation.objects.filter(item__study=study):
        RecordedReply.objects.create(annotation=annotation, reply=f"{annotation.item_id}: 40", **fields)
    page = shown(study, item)
    assert (f"{item.pk}: 40</pre>" in page, "oak-175b<" in page) == (scorer == Scorer.RECORDED,) * 2


def judge_label(run: ScoringRun, item: Item, aspect: str, **fields: Any) -> ItemLabel:
    ItemScore.objects.get_or_create(run=run, item=item, aspect=aspect, defaults={"label": "complete"})
    fields = {"variant": "simple", "label": "complete", "source": ItemLabel.Source.RULES} | fields
    return ItemLabel.objects.create(run=run, item=item, aspect=aspect, **fields)


def judge_run(study: Study) -> ScoringRun:
    kind = {"method": Method.JUDGE, "scorer": Scorer.LANGUAGE_MODEL, "status": JobStatus.DONE}
    return ScoringRun.objects.create(study=study, **kind)


def test_a_judges_label_shows_all_replies_that_voted() -> None:
    study = study_with_judgments(annotators=1)
    run, (item, other) = judge_run(study), Item.objects.filter(study=study)[:2]
    for repetition in range(3):
        reply_to(judge_label(run, item, "completeness", repetition=repetition), reply=f"Time {repetition}.")
    reply_to(judge_label(run, other, "completeness"), reply="Of another item.")
    page = shown(study, item)
    assert "The model's 3 replies<" in page
    assert page.index("Time 0.</pre>") < page.index("Time 1.</pre>") < page.index("Time 2.</pre>")
    assert page.count("birch-7b · simple prompt, repetition 2<") == 1
    assert "Of another item." not in page


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("not_applicable", "not applicable"),
        ("tie", "the votes are tied"),
        ("missing", "nothing readable (the reply has no label)"),
    ],
)
def test_without_a_label_of_the_judge_it_is_said_whether_its_replies_could_be_read(reason: str, said: str) -> None:
    study = study_with_judgments(annotators=1)
    item = first_item(study)
    ItemScore.objects.create(run=judge_run(study), item=item, aspect="completeness", reason=reason)
    page = shown(study, item)
    assert said in page
    assert ("nothing readable" in page) == said.startswith("nothing readable")


def test_a_reply_to_several_questions_is_shown_once_behind_them() -> None:
    study = study_with_judgments(annotators=1)
    run, item = judge_run(study), first_item(study)
    labels = [judge_label(run, item, aspect, label="yes") for aspect in ("correct", "completeness")]
    reply_to(labels[0], reply="yes, complete")
    ItemLabel.objects.update(completion=labels[0].completion)
    page = shown(study, item)
    judge = page[page.index("Judging model") :]
    assert judge.count("yes, complete</pre>") == 1
    assert "The model's reply to these 2 questions<" in judge
    assert judge.index("How complete is it?") < judge.index("yes, complete")


def test_many_replies_are_read_at_once_and_without_their_requests() -> None:
    study = scored_study(annotators=3)
    run, item, client = judge_run(study), first_item(study), client_of(study)
    one, *others = Score.objects.filter(annotation__item=item)
    reply_to(one, judge_label(run, item, "completeness"))
    with CaptureQueriesContext(connection) as few:
        shown(study, item, client)
    reply_to(*others, *(judge_label(run, item, "completeness", repetition=n) for n in range(1, 5)))
    with CaptureQueriesContext(connection) as many:
        assert shown(study, item, client).count("</pre>") == 8
    assert len(few) == len(many)
    assert not any('"scoring_completion"."request"' in query["sql"] for query in many)


def test_an_item_of_another_study_is_not_found() -> None:
    mine, other = scored_study(annotators=2), scored_study(annotators=2, name="Other")
    client = client_of(mine)
    foreign = Item.objects.filter(study=other).first()
    assert foreign is not None
    assert client.get(reverse("item", kwargs={"slug": mine.slug, "pk": foreign.pk})).status_code == 404


def test_a_scheme_without_any_choice_lists_its_items_too() -> None:
    texts = [aspect for aspect in preset("ebr")["aspects"] if aspect["kind"] == "text"]
    study = open_study(definition=preset("ebr") | {"aspects": texts, "rescale": [], "examples": []})
    client = client_of(study)
    for name in ("study", "agreement", "items"):
        assert client.get(reverse(name, kwargs={"slug": study.slug})).status_code == 200
