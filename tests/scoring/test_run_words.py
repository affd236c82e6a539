"""A page says in words what a run keeps under keys: every parameter, every count, every reason."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from pydantic import BaseModel

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods import replies
from annotation_platform.core.methods.extraction.values import Unread
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.scoring.methods import METHODS
from annotation_platform.scoring.models import RecordedReply, Score
from annotation_platform.scoring.options import title_of
from annotation_platform.scoring.run_words import COUNTED, UNREAD, counts_in_words
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Role
from tests.factories import OPERATOR, MemberFactory, close_all, study_with_judgments
from tests.markup import markup
from tests.servers.model_server import ModelServer, says

PARAMETERS = [each.parameters for method in METHODS for each in method.scored_by]


def names_of(parameters: type[BaseModel], before: str = "") -> list[str]:
    found: list[str] = []
    for name, field in parameters.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            found += names_of(inner, f"{before}{name}.")
        else:
            found.append(f"{before}{field.alias or name}")
    return found


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_every_parameter_has_a_name_in_words(parameters: type[BaseModel]) -> None:
    assert [path for path in names_of(parameters) if title_of(parameters, path) in path.split(".")] == []


def test_every_reason_why_nothing_was_read_is_a_phrase() -> None:
    assert [reason for reason in (*replies.Unread, *Unread, "no_reply") if " " not in UNREAD[reason]] == []


def test_counts_are_words_and_none_that_is_zero() -> None:
    counts = {
        "judgments": 3,
        "unread": {"no_score": 1},
        "sources": {"model": 2, "g": 1, "label_mean": 0},
        "weights": {"amount": {"value": 0.5, "no_interval_because": None}},
    }
    assert counts_in_words(counts, {"amount": "How much does it tell?"}) == [
        ("Judgments", 3),
        ("Not read: the reply has no score", 1),
        ("Where the values come from: read from label and explanation", 2),
        ("Where the values come from: the annotator's mean for this label", 1),
        ("Weight: How much does it tell?: value", "0.5"),
    ]
    assert {*Score.Source.values}.isdisjoint(COUNTED)


@pytest.mark.django_db
def test_the_page_of_a_run_has_no_keys(client: Client) -> None:
    study = study_with_judgments(annotators=2)
    close_all(study)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    with ModelServer() as server:
        server.queue.append(says("I would rather not say."))
        asked = {"model": "tiny", "base_url": server.url}
        first = start_run(study=study, scorer="openai", actor=OPERATOR, parameters=asked)
        run = claim(RUNS, first.pk)
        assert run is not None
        execute(RUNS, run)
    plain = start_run(study=study, scorer="distilled", actor=OPERATOR)
    claimed = claim(RUNS, plain.pk)
    assert claimed is not None
    execute(RUNS, claimed)
    page = markup(client.get(reverse("run", args=[study.slug, first.pk])))
    beside = markup(client.get(reverse("compare_runs", args=[study.slug, first.pk, plain.pk])))
    for shown in (page, beside):
        for key in ("base_url", "max_tokens", "template.", "sources", "no_score", "gateway", ">completeness", ">False"):
            assert key not in re.sub(' href="[^"]*"', "", shown)
    assert "“How complete is it?”: the reply has no score" in page
    assert "Where the values come from: the annotator&#x27;s mean" in page
    assert "<th scope=row>How complete is it?" in beside.replace('"', "")
    assert "no server of a language model is asked" in markup(client.get(reverse("run", args=[study.slug, plain.pk])))


@pytest.mark.django_db
def test_recorded_replies_are_offered_only_where_some_were_recorded(client: Client) -> None:
    study = study_with_judgments(annotators=2)
    close_all(study)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    pages = [reverse("new_run", args=[study.slug, "ebr"]), reverse("scoring_settings", args=[study.slug])]
    assert ["Recorded replies" in markup(client.get(page)) for page in pages] == [False, False]
    run = claim(RUNS, start_run(study=study, scorer="recorded", actor=OPERATOR).pk)
    assert run is not None
    execute(RUNS, run)
    run.refresh_from_db()
    assert "has no recorded replies" in run.error
    annotation = Annotation.objects.filter(item__study=study).first()
    RecordedReply.objects.create(annotation=annotation, aspect="completeness", reply="60")
    assert ["Recorded replies" in markup(client.get(page)) for page in pages] == [True, True]


@pytest.mark.django_db
def test_a_parameter_beyond_its_limit_is_told_with_the_limit() -> None:
    study = study_with_judgments(annotators=2)
    close_all(study)
    with pytest.raises(InvalidInputError) as refused:
        start_run(study=study, scorer="distilled", actor=OPERATOR, parameters={"lambda": 7})
    assert "lambda: 7 is not at most 1" in str(refused.value)
