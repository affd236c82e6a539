"""Choosing tasks by chance or by a model's uncertainty: the page says what it will do, and then does it."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.scoring.uncertainty import uncertain_runs
from annotation_platform.studies.models import BatchState, Role, Study
from tests.analysis.study_rows import client_of
from tests.drawn_studies import equivalence_study
from tests.factories import MemberFactory, open_study
from tests.markup import markup

pytestmark = pytest.mark.django_db


def address(study: Study) -> str:
    return reverse("choose_tasks", args=[study.slug])


def test_a_batch_is_released_by_a_models_uncertainty() -> None:
    study = equivalence_study(questions=60, questions_per_hit=2, overlap=3)
    run, client = uncertain_runs(study)[0].run, client_of(study)
    assert f'href="{address(study)}"' in markup(client.get(reverse("study", args=[study.slug])))
    asked = {"n": "6", "how": "uncertainty", "run": str(run.pk), "floor": "30"}

    page = markup(client.get(address(study), asked))
    assert "6 of 30 tasks that are left, with about 12 items, go into a new batch." in page
    assert f"Run {run.pk}, answer equivalence: how near its probabilities are to one half." in page
    assert "The chance of a task is from 16.7% to 24.9%; 30% of the choice is the same for all." in page
    assert "Draw 6 tasks and open them" in page
    assert study.batches.count() == 2  # nothing has happened yet

    response = client.post(address(study), asked, follow=True)
    batch = study.batches.get(number=3)
    assert (batch.state, batch.hits.count(), batch.draw.run) == (BatchState.OPEN, 6, run.pk)
    assert [hit.assignments.count() for hit in batch.hits.all()] == [3] * 6
    page = markup(response)
    assert "6 tasks were drawn into Batch 3, which is open" in page
    assert f"Its 6 tasks were drawn from 30 by the uncertainty of run {run.pk}; 30% of the choice was" in page
    for hit in batch.hits.all():
        assert f"chance {100 * hit.probability:.1f}%" in page


def test_a_batch_is_released_at_random_without_any_run() -> None:
    study = equivalence_study(questions=20, with_run=False)
    client = client_of(study)
    page = markup(client.get(address(study)))
    assert "No finished run says how uncertain it is." in page
    assert 'name="run"' not in page
    page = markup(client.get(address(study), {"n": "5", "how": "random"}))
    assert "Every task has a chance of 25%." in page
    assert "harder than most" not in page
    page = markup(client.post(address(study), {"n": "5", "how": "random"}, follow=True))
    assert "Its 5 tasks were drawn at random from 20." in page


@pytest.mark.parametrize("send", ["get", "post"])
def test_without_a_run_that_is_uncertain_it_is_refused_in_a_sentence(send: str) -> None:
    study = equivalence_study(questions=20, with_run=False)
    response = getattr(client_of(study), send)(address(study), {"n": "5", "how": "uncertainty"})
    assert response.status_code == 422
    assert "No finished run says how uncertain it is. Have answer equivalence judge" in markup(response)
    assert study.batches.count() == 1


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"n": "21", "how": "random"}, "A whole number from 1 to 20, which are left."),
        ({"n": "many", "how": "random"}, "A whole number from 1 to 20, which are left."),
        ({"n": "5", "how": "uncertainty", "run": "0"}, "Run 0 does not say how uncertain it is."),
        ({"n": "5", "how": "uncertainty", "floor": "5"}, "must be from 10% to 100%."),
    ],
)
def test_what_cannot_be_done_is_said(asked: dict[str, str], says: str) -> None:
    study = equivalence_study(questions=20)
    if asked.get("floor"):
        asked = asked | {"run": str(uncertain_runs(study)[0].run.pk)}
    for response in (client_of(study).get(address(study), asked), client_of(study).post(address(study), asked)):
        assert response.status_code == 422
        assert says in markup(response)
    assert study.batches.count() == 1


def test_where_everything_is_open_there_is_nothing_to_choose() -> None:
    study = open_study()
    assert "none is left" in markup(client_of(study).get(address(study)))
    assert address(study) not in markup(client_of(study).get(reverse("study", args=[study.slug])))
    assert client_of(study).post(address(study), {"n": "1", "how": "random"}).status_code == 422


def test_annotators_do_not_choose() -> None:
    study = equivalence_study(questions=5)
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.ANNOTATOR).user)
    assert client.post(address(study), {"n": "1", "how": "random"}).status_code == 404
    assert study.batches.count() == 1


def test_it_is_japanese_for_whom_the_platform_is() -> None:
    study = equivalence_study(questions=20)
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER, user__language="ja").user)
    page = markup(client.get(address(study), {"n": "5", "how": "random"}))
    assert "人に見せるタスクを選ぶ" in page
    assert "どのタスクも選ばれる確率は25%です。" in page
