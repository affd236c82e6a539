"""The new method in docs/how-to/extend.md does what the page says of it."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.models import Answer
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import methods
from annotation_platform.scoring.management import run_arguments
from annotation_platform.scoring.management.commands import score_study
from annotation_platform.scoring.models import ItemScore, ScoringRun
from annotation_platform.scoring.services import start_run
from annotation_platform.scoring.views import runs
from annotation_platform.studies.models import Role, Study
from tests.factories import OPERATOR, MemberFactory, study_with_judgments
from tests.markup import markup
from workers.celery import app
from workers.tasks import enqueue

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/extend.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## A new method")[2].partition("\n## ")[0]
METHOD, LINE = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the example, with the method in the list."""
    names: dict[str, Any] = {"__name__": "annotation_platform.scoring.methods.length"}
    exec(METHOD, names)
    listed = (*methods.METHODS, names["Length"]())
    for module in (methods, run_arguments, score_study, runs):
        monkeypatch.setattr(module, "METHODS", listed)
    monkeypatch.setattr(app.conf, "task_always_eager", True)
    return names


@pytest.fixture
def study() -> Study:
    return study_with_judgments(annotators=1)


@pytest.fixture
def researcher(client: Client, study: Study) -> Client:
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    return client


def lengths(study: Study, unit: str = "words") -> dict[int, int]:
    answers = Answer.objects.filter(candidacies__item__study=study).values_list("candidacies__item", "text")
    return {item: len(text.split() if unit == "words" else text) for item, text in answers}


def values(run: ScoringRun) -> dict[int, float | None]:
    return dict(ItemScore.objects.filter(run=run).values_list("item_id", "value"))


def test_the_list_is_where_the_page_says() -> None:
    listed = (ROOT / "annotation_platform/scoring/methods/__init__.py").read_text(encoding="utf-8")
    assert f"\n{LINE.partition('(')[0]}(" in listed


def test_a_run_of_it_goes_through_the_queue_and_its_scores_appear(
    example: dict[str, Any], study: Study, researcher: Client
) -> None:
    page = markup(researcher.get(reverse("scoring", args=[study.slug])))
    assert "Length of answers" in page
    assert "How long is each answer?" in page
    form = markup(researcher.get(address := reverse("new_run", args=[study.slug, "length"])))
    assert "What is counted" in form
    assert "What is longer counts as this long." in form
    researcher.post(address, {"scorer": "counting", "unit": "characters"})  # the worker is eager
    run = study.scoring_runs.get()
    assert (run.status, run.done, run.total) == (JobStatus.DONE, study.items.count(), study.items.count())
    assert run.signature
    assert values(run) == lengths(study, "characters")
    shown = markup(researcher.get(reverse("run", args=[study.slug, run.pk])))
    assert f"Length of answers run {run.pk}" in shown
    assert "Counting" in shown
    assert f"{run.counts['mean']:.4g}" in shown


def test_two_of_its_runs_are_compared(example: dict[str, Any], study: Study, researcher: Client) -> None:
    for most in (None, 2):
        given = {} if most is None else {"most": most}
        enqueue(start_run(study=study, method="length", parameters=given, actor=OPERATOR))
    first, second = study.scoring_runs.order_by("pk")
    assert set(values(second).values()) == {2}
    page = markup(researcher.get(reverse("compare_runs", args=[study.slug, first.pk, second.pk])))
    assert "Longest length" in page
    assert "length.words" in page


def test_the_command_line_knows_it(example: dict[str, Any], study: Study) -> None:
    output = StringIO()
    arguments = ["--method", "length", "--unit", "words", "--most", "3", "--no-measure"]
    call_command("score_study", study.name, *arguments, stdout=output, stderr=StringIO())
    assert values(study.scoring_runs.get()) == {item: min(n, 3) for item, n in lengths(study).items()}
    assert "words on average" in output.getvalue()


def test_what_a_field_does_not_allow_is_refused(example: dict[str, Any], study: Study) -> None:
    for given, says in (({"most": 0}, "most: 0 is not at least 1"), ({"unit": "miles"}, "unit: Input should be")):
        with pytest.raises(InvalidInputError, match=says):
            start_run(study=study, method="length", parameters=given, actor=OPERATOR)
