"""Conversations from a file to the shape that everything reads, through the API and through an export and back."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.core.schemes import read_scheme
from annotation_platform.corpus.importers import FORMATS, ImportFileError, Options, open_files, read_study
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.studies.items import item_texts, texts_signature
from annotation_platform.studies.models import Item
from tests.factories import MemberFactory, make_corpus, open_study, study_with_judgments
from tests.releases import rows
from tests.talks import ALONE, APART, LONG, PAIR, REPLY, study_of_talks

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def test_turns_come_from_the_file_to_the_shape_of_an_item(tmp_path: Path) -> None:
    study = study_of_talks(tmp_path)
    found = {
        (each.asked, each.answer): each for each in item_texts(Item.objects.filter(study=study), study.scheme().parts)
    }
    ice = found["Why does it float?", "It is lighter than water."]
    assert [(turn.role, turn.text) for turn in ice.turns] == [(turn["role"], turn["text"]) for turn in LONG]
    assert [len(turn.calls) for turn in ice.judged_turns] == [1, 0]
    assert ice.question.startswith("System: Answer briefly.")
    plain = found["What pulls at the sea?", "The moon."]
    assert not plain.is_conversation
    assert found["Why does it float?", "Magic."].is_conversation


def test_candidates_are_replies_to_the_same_turns(tmp_path: Path) -> None:
    study = study_of_talks(tmp_path, PAIR)
    _, sea = item_texts(Item.objects.filter(study=study).order_by("pk"), study.scheme().parts)
    assert [len(each.turns) for each in sea.candidates] == [0, len(APART)]


def test_texts_without_turns_are_signed_as_they_always_were() -> None:
    study = open_study(corpus=make_corpus(questions=1))
    items, parts = Item.objects.filter(study=study), study.scheme().parts
    before = texts_signature(items, parts)
    Question.objects.update(turns=[{"role": "user", "text": "?"}])
    assert texts_signature(items, parts) != before


def test_the_api_gives_turns_to_researchers(tmp_path: Path) -> None:
    study = study_of_talks(tmp_path)
    client = Client()
    client.force_login(MemberFactory(study=study, role="admin").user)
    found = client.get(reverse("api_items", args=[study.slug])).json()["results"]
    ice: Any = next(each for each in found if each["question_id"] == "ice" and each["answers"][0]["system"] == "alder")
    assert ice["turns"][-1] == {"role": "user", "text": "Why does it float?", "name": "Ann", "calls": []}
    assert ice["answers"][0]["turns"][0]["calls"] == [REPLY[0]["calls"][0]]


@pytest.mark.storage
def test_an_export_has_turns_where_there_are_some_and_brings_them_back(tmp_path: Path) -> None:
    study = study_with_judgments(annotators=1, corpus=make_corpus(questions=1, systems=("alder",)))
    plain = rows.exported(study, tmp_path)
    assert "question_turns" not in plain[0]
    corpus = study.corpus
    Question.objects.filter(article__corpus=corpus).update(turns=LONG)
    Answer.objects.filter(question__article__corpus=corpus).update(turns=REPLY)
    corpus.has_turns = True
    corpus.save()
    study.refresh_from_db()
    path = rows.export(study, tmp_path, "csv")
    chosen, options = FORMATS["table"], Options(definition=study.scheme_version.definition)
    with read_study(chosen, open_files(chosen, [path]), options) as back:
        assert [json.loads(each.turns or "[]") for each in back.questions()] == [LONG]
        assert [json.loads(each.turns or "[]") for each in back.answers()] == [REPLY]


def test_a_text_and_turns_together_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    path.write_text(
        '{"format": "annotation-platform/1", "corpus": {"name": "Both", "questions": [{"id": "q", "text": "Why?",'
        ' "turns": [{"role": "user", "text": "Why?"}], "answers": {"alder": "So."}}]}}'
    )
    chosen = FORMATS["native"]
    with pytest.raises(ImportFileError, match="has a text and turns: give one of them"):
        read_study(chosen, open_files(chosen, [path]), Options(definition=read_scheme(ALONE)))
