"""Citing sentences of a conversation: on the page, in rows, by the API, in the explorer, in figures, from a file."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.explorer.item import view_item
from annotation_platform.analysis.models import ArticleCitations
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation, SentenceReference
from annotation_platform.core.methods.judging.item import passages
from annotation_platform.core.methods.judging.wording import wording as wording_of
from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    SchemeError,
    build_scheme,
    check_judgment,
    read_scheme,
)
from annotation_platform.corpus.importers import FORMATS, Options, open_files, read_study
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.crowd.checks.services import NewCheck, add_checks
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import Item, Role, Study
from annotation_platform.studies.selectors import item_shape, item_shapes, turns_of_answers
from tests.annotations.desk import Desk, sit_down
from tests.api.clients import program, send
from tests.factories import OPERATOR, MemberFactory, close_all
from tests.markup import markup
from tests.releases import rows
from tests.releases.freeze.frozen import frozen_without
from tests.talks import ALONE, CITING, PAIR_CITING, study_of_talks

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return study_of_talks(tmp_path, CITING, questions_per_hit=2, overlap=2)


def where(study: Study, system: str = "alder", question: str = "ice") -> Item:
    return study.items.get(question__external_id=question, candidates__answer__system__name=system)


def desk_of(study: Study, item: Item) -> tuple[Desk, int]:
    """Whoever has the task that an item is in."""
    while True:
        desk = sit_down(study)
        if desk.assignment.hit_id == item.hit_id:
            return desk, item.position


@pytest.mark.storage
def test_sentences_of_turns_are_cited_stored_and_shown_again(study: Study) -> None:
    item = where(study)
    desk, position = desk_of(study, item)
    page = markup(desk.client.get(desk.url(position=position)))
    assert page.count('data-sentence="T8:1"') == 1
    assert "It is lighter than water." in page
    assert 'data-sentence="T9:1"' not in page, "that turn calls a tool, and says nothing"
    assert 'data-cites="conversation"' in page
    given = {"aspect-good": "yes", "aspect-where": "t10:1, T8:1"}
    assert desk.submit(position, given).status_code in (200, 302)
    stored = Annotation.objects.get(item=item)
    assert stored.values["where"] == ["T8:1", "T10:1"]
    references = SentenceReference.objects.filter(annotation=stored).order_by("document")
    assert list(references.values_list("document", "number")) == [(1008, 1), (1010, 1)]
    page = markup(desk.client.get(desk.url(position=position)))
    assert 'value="T8:1, T10:1"' in page
    assert page.count('aria-pressed="true"') == 2


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("3", "Say in which turn sentence 3 stands, like T1:3."),
        ("T99:1", "There is no turn T99. There are: T1 to T10."),
        ("T9:1", "Turn T9 says nothing that can be cited."),
        ("T8:4", "There is no sentence 4. Numbers lie between 1 and 1."),
        ("R1:1", "There is no reference document R1. There are: none."),
        ("eight", "“eight” is not a sentence number. Write numbers like T1:2, T1:5-7."),
    ],
)
def test_what_is_in_no_turn_is_refused_in_words(study: Study, typed: str, sentence: str) -> None:
    item = where(study)
    desk, position = desk_of(study, item)
    refused = desk.submit(position, {"aspect-good": "yes", "aspect-where": typed})
    assert sentence in markup(refused)
    assert not Annotation.objects.exists()


def test_a_plain_question_and_answer_are_the_turns_t1_and_t2(study: Study) -> None:
    (texts,) = item_texts(Item.objects.filter(pk=where(study, question="sea").pk), study.scheme().parts)
    said = [(each.name, each.sentences) for each in (*texts.question_turns, *texts.answer_turns)]
    assert said == [("T1", ("What pulls at the sea?",)), ("T2", ("The moon.",))]
    checked = check_judgment(study.scheme(), {"good": "no", "where": ["T2:1"]}, texts.shape)
    assert checked["where"] == ["T2:1"]


def test_shapes_of_items_checks_and_files_agree_on_the_turns(study: Study) -> None:
    scheme, item = study.scheme(), where(study)
    (shown,) = item_texts(Item.objects.filter(pk=item.pk), scheme.parts)
    lengths = [len(turn) for turn in shown.shape.turns_for(0)]
    assert lengths == [1, 1, 1, 1, 1, 1, 1, 1, 0, 1]
    others = (
        item_shape(item, scheme).turns_for(0),
        item_shapes(study, scheme)[item.pk].turns_for(0),
        turns_of_answers(scheme, item.question, [item.answer])[0],
    )
    assert [[len(turn) for turn in each] for each in others] == [lengths] * 3
    (check,) = add_checks(study=study, new=[NewCheck(item.question, [item.answer], {"where": "T10:1"})], actor=OPERATOR)
    assert check.accepted == {"where": ["T10:1"]}


def test_sentences_of_several_are_found_by_the_rules_of_the_language(study: Study) -> None:
    Question.objects.filter(external_id="sea").update(text="Who, e.g. Dr. Moor, knows? Say it.\nOr not.")
    (texts,) = item_texts(Item.objects.filter(pk=where(study, question="sea").pk), study.scheme().parts)
    assert texts.question_turns[0].sentences == ("Who, e.g. Dr. Moor, knows?", "Say it.", "Or not.")
    study.corpus.language = "xx"
    study.corpus.save()
    (texts,) = item_texts(Item.objects.filter(pk=where(study, question="sea").pk), study.scheme().parts)
    assert len(texts.question_turns[0]) == 3


def test_candidates_have_turns_of_their_own_after_those_they_share(tmp_path: Path) -> None:
    study = study_of_talks(tmp_path, PAIR_CITING, overlap=1)
    item = study.items.get(question__external_id="sea")
    (texts,) = item_texts(Item.objects.filter(pk=item.pk), study.scheme().parts)
    scheme, shape = study.scheme(), texts.shape
    sizes = {each.number: len(each.turns) or 1 for each in texts.candidates}
    short, long = sorted(sizes, key=lambda number: sizes[number])
    given = {f"wrong.{short}": "T2:1", f"wrong.{long}": "T1:1, T4:1", "asked": "T1:1"}
    values = check_judgment(scheme, given, shape)
    assert values == {f"wrong.{short}": ["T2:1"], f"wrong.{long}": ["T1:1", "T4:1"], "asked": ["T1:1"]}
    with pytest.raises(InvalidJudgmentError, match=r"There is no turn T4\. There are: T1 to T2\."):
        check_judgment(scheme, given | {f"wrong.{short}": "T4:1"}, shape)
    with pytest.raises(InvalidJudgmentError, match=r"There is no turn T2\. There are: T1 to T1\."):
        check_judgment(scheme, given | {"asked": "T2:1"}, shape)
    desk, position = desk_of(study, item)
    page = markup(desk.client.get(desk.url(position=position)))
    assert (page.count('data-sentence="T1:1"'), page.count('data-sentence="T2:1"')) == (1, 2)


def test_the_api_gives_the_sentences_and_takes_what_cites_them(study: Study) -> None:
    item = where(study)
    desk, position = desk_of(study, item)
    client = program(desk.annotator.user)
    task = client.get(f"/api/v1/tasks/{desk.assignment.pk}").json()
    shown = task["items"][position - 1]
    assert shown["conversation"][7]["sentences"] == [{"reference": "T8:1", "text": "Why does it float?"}]
    said = shown["answers"][0]["conversation"]
    assert [each["sentences"] for each in said] == [
        [],
        [{"reference": "T10:1", "text": "It is lighter than water."}],
    ]
    body = {"values": {"good": "no", "where": ["T10:1"]}, "scheme_signature": task["scheme_signature"]}
    path = f"/tasks/{desk.assignment.pk}/items/{position}/judgment"
    assert send(client, "POST", path, body).status_code == 200
    wrong = body | {"values": {"good": "no", "where": ["T11:1"]}}
    refused = send(client, "POST", path, wrong).json()
    assert [(each["field"], each["code"]) for each in refused["errors"]] == [("where", "sentences.no_turn")]


def test_an_item_under_another_scheme_has_no_numbers_in_its_turns(tmp_path: Path) -> None:
    study = study_of_talks(tmp_path, ALONE)
    desk = sit_down(study)
    assert "data-sentence" not in markup(desk.client.get(desk.url()))
    task = program(desk.annotator.user).get(f"/api/v1/tasks/{desk.assignment.pk}").json()
    assert task["items"][0]["conversation"] == []


def judged(study: Study) -> Item:
    """Two people judge all; of one item they cite the same sentence, and one of them another."""
    item = where(study)
    for _ in range(2 * study.batches.get().hits.count()):
        desk = sit_down(study)
        for each in desk.items:
            first = not Annotation.objects.filter(item=each).exists()
            cited = ("T8:1, T10:1" if first else "T10:1") if each.pk == item.pk else "none"
            assert desk.submit(each.position, {"aspect-good": "yes", "aspect-where": cited}).status_code in (200, 302)
    close_all(study)
    return item


def test_the_explorer_says_who_cites_which_sentence(study: Study) -> None:
    item = judged(study)
    view = view_item(study, item.pk)
    heat = {
        f"{turn.spoken.name}:{sentence.number}": (len(sentence.cited_by), sentence.heat)
        for turn in (*view.turns, *view.candidates[0].turns)
        for sentence in turn.sentences
        if sentence.cited_by
    }
    assert heat == {"T8:1": (1, 3), "T10:1": (2, 5)}
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    page = markup(client.get(f"/studies/{study.slug}/items/{item.pk}/"))
    assert "T8:1, T10:1" in page
    assert page.count("cited by") >= 2


def test_the_explorer_tells_apart_what_is_cited_of_each_candidate(tmp_path: Path) -> None:
    study = study_of_talks(tmp_path, PAIR_CITING, overlap=1)
    item = study.items.get(question__external_id="sea")
    desk, position = desk_of(study, item)
    given = {"aspect-wrong.1": "T2:1", "aspect-wrong.2": "T1:1", "aspect-asked-none": "1"}
    assert desk.submit(position, given).status_code in (200, 302)
    view = view_item(study, item.pk)
    cited = [
        [bool(sentence.cited_by) for turn in turns for sentence in turn.sentences]
        for turns in (view.turns, *(each.turns for each in view.candidates))
    ]
    assert [each[0] for each in cited] == [True, True, False]
    assert sum(map(sum, cited)) == 2


def test_figures_count_cited_turns_and_no_document_has_them(study: Study) -> None:
    judged(study)
    snapshot = take_snapshot(study=study, resamples=5)
    index_items(study=study)
    (figures,) = snapshot.sections.get(key="sentences").figures
    assert figures["sizes"][:3] == [6, 1, 1]
    assert figures["alpha"]["jaccard"]["value"] is not None
    assert not ArticleCitations.objects.exclude(counts={}).exists()


@pytest.mark.storage
def test_an_export_names_the_turns_and_comes_back(study: Study, tmp_path: Path) -> None:
    item = judged(study)
    study.corpus.refresh_from_db()
    exported = rows.exported(study, tmp_path)
    found = sorted(row["where"] for row in exported if row["item_id"] == item.pk)
    assert found == [["T10:1"], ["T8:1", "T10:1"]]
    path = rows.export(study, tmp_path, "csv")
    chosen, options = FORMATS["table"], Options(definition=study.scheme_version.definition)
    with read_study(chosen, open_files(chosen, [path]), options) as back:
        said = [json.loads(values)["where"] for (values,) in back.rows.execute("SELECT said FROM judgment")]
    assert sorted(map(len, said)) == [0] * 6 + [1, 2]
    assert ["T8:1", "T10:1"] in said


@pytest.mark.storage
def test_a_release_has_the_sentences_that_are_cited(study: Study, settings: Any, tmp_path: Path) -> None:
    settings.RELEASES_DIR = tmp_path / "releases"
    item = judged(study)
    release = frozen_without(study, "lighter")
    found = list(csv.DictReader((release.folder / "data" / "turns.csv").read_text(encoding="utf-8").splitlines()))
    mine = {row["sentence"]: row["text"] for row in found if row["item_id"] == str(item.pk)}
    assert (mine["T8:1"], mine["T10:1"]) == ("Why does it float?", "It is lighter than water.")
    assert {row["candidate"] for row in found} == {""}


def test_what_a_judge_is_asked_has_the_names_that_people_cite_by(study: Study) -> None:
    (texts,) = item_texts(Item.objects.filter(pk=where(study).pk), study.scheme().parts)
    wording = wording_of("en")
    question, answer = passages(study.scheme(), texts, wording, candidate=0, is_example=False)
    assert "[T8] User (Ann):\n    1. Why does it float?" in question.text
    assert "[T10] Assistant:\n    1. It is lighter than water." in answer.text
    plain = build_scheme(read_scheme(ALONE))
    question, _ = passages(plain, texts, wording, candidate=0, is_example=False)
    assert "[8] User (Ann):\n    Why does it float?" in question.text


@pytest.mark.parametrize(
    ("scheme", "reason"),
    [
        (CITING.replace("[question, answer]", "[answer]"), "needs question in 'shown'"),
        (CITING.replace("[conversation]", "[documents]"), "needs article or documents in 'shown'"),
        (
            CITING + "  - {key: words, kind: spans, title: Mark., labels: [{key: a, label: A}]}\n",
            "words of 'answer' are marked",
        ),
    ],
)
def test_a_scheme_whose_conversation_cannot_be_cited_is_refused(scheme: str, reason: str) -> None:
    with pytest.raises(SchemeError, match=reason):
        build_scheme(read_scheme(scheme))


def test_worked_examples_cite_turns_and_show_them(tmp_path: Path) -> None:
    example = """\
examples:
  - {title: One, question: "Why? Tell me.", answer: "So.", values: {good: "no", where: ["T1:2", "T2:1"]}}
"""
    study = study_of_talks(tmp_path, CITING + example)
    desk = sit_down(study)
    page = markup(desk.client.get(desk.url("instructions", None)))
    assert (page.count("is-cited"), "T1:2, T2:1" in page) == (2, True)
    with pytest.raises(SchemeError, match="no sentence 3"):
        build_scheme(read_scheme(CITING + example.replace("T1:2", "T1:3")))


def test_answers_are_split_once_and_remembered(study: Study, settings: Any) -> None:
    assert Answer.objects.exists()
    (texts,) = item_texts(Item.objects.filter(pk=where(study).pk), study.scheme().parts)
    turn = texts.question_turns[-1]
    assert turn.sentences is turn.sentences
    assert json.dumps(list(turn.sentences)) == '["Why does it float?"]'
