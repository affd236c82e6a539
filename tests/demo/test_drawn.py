"""The demo's drawn part: people judged half of the tasks, and the figures speak for all of them."""

from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.views import DEMO_ROLES
from annotation_platform.analysis.snapshots.late import add_late_sections
from annotation_platform.analysis.snapshots.stored import sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.models import Answer
from annotation_platform.demo.drawn import NAME, TASKS, opinions, prepare_drawn
from annotation_platform.demo.management.commands.prepare_demo import Command
from annotation_platform.studies.models import BatchState, Study

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("the demo's drawn part")]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = prepare_drawn(users={role: Command._user(role) for role in DEMO_ROLES})
    add_late_sections(take_snapshot(study=study, resamples=100))
    return study


def test_somebody_has_an_opinion_of_each_answer_and_there_is_no_other(study: Study) -> None:
    answers = Answer.objects.filter(question__article__corpus=study.corpus_id)
    assert opinions().keys() == set(answers.values_list("question__external_id", "system__name"))


def test_tasks_are_drawn_by_uncertainty_and_judged_by_two_each(study: Study) -> None:
    batch = study.batches.get(state=BatchState.CLOSED)
    assert batch.hits.count() == TASKS
    chances = list(batch.hits.values_list("probability", flat=True))
    assert 0 < min(chances) < max(chances) <= 1
    assert Annotation.objects.filter(item__study=study).count() == 2 * TASKS


def test_people_and_the_classifier_together_say_more_than_people_alone(study: Study) -> None:
    found = sections_of(study.snapshots.latest("pk"), {"equivalence"})["equivalence"]
    assert found["drawn"] == "uncertainty"
    systems = {each["system"]: each for each in found["all_answers"]}
    assert all(each["no_model_because"] is None and each["answers"] == TASKS for each in systems.values())
    assert all(each["effective"] > each["people"]["items"] for each in systems.values())


def test_pages_show_the_draw_and_themes(study: Study, client: Client) -> None:
    client.force_login(study.members.get(role="researcher").user)
    page = unescape(client.get(reverse("agreement_equivalence", args=[study.slug])).content.decode())
    assert "Tasks were drawn for people by a model's uncertainty" in page
    page = unescape(client.get(reverse("agreement_explanations", args=[study.slug])).content.decode())
    assert "Themes" in page
    assert "No themes are shown." not in page


def test_it_is_made_once(study: Study) -> None:
    before = Annotation.objects.count()
    assert prepare_drawn(users={role: Command._user(role) for role in DEMO_ROLES}) == study
    assert (Study.objects.filter(name=NAME).count(), Annotation.objects.count()) == (1, before)
