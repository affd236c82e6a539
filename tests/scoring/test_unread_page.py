"""The queue in which a person reads what the rules and a second reading could not."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.core.methods.judging import Calling
from annotation_platform.core.schemes import preset
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.methods.judge.panel import Panel
from annotation_platform.scoring.methods.judge.parameters import JudgeParameters
from annotation_platform.scoring.models import ItemLabel, Method, ScoringRun
from annotation_platform.scoring.reply_review import unread_labels
from annotation_platform.scoring.services import choose_run
from annotation_platform.studies.models import Role, Study
from tests.analysis.study_rows import client_of
from tests.factories import OPERATOR, make_corpus, study_with_judgments
from tests.markup import markup
from tests.scoring.judged_studies import GOOD, answering, explanation_study, replies, run_now
from tests.servers.model_server import ModelServer, fails, says

pytestmark = pytest.mark.django_db
Asks = Callable[..., dict[str, Any]]
SOURCE = ItemLabel.Source
VAGUE = "overall: rather good, I would say"


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return explanation_study(questions=2)


@pytest.fixture
def run(study: Study, server: ModelServer, asks: Asks) -> ScoringRun:
    """One in which nobody can read the stars of two items."""
    parameters = run_method(Method.JUDGE).resolve(study=study, scorer="openai", given=asks())
    assert isinstance(parameters, JudgeParameters)
    good = replies(Panel(study, parameters), lambda item: GOOD)
    server.behaviour = answering({prompt: reply.replace("overall: 4", VAGUE) for prompt, reply in good.items()})
    return run_now(study, Method.JUDGE, **asks())


def address(study: Study) -> str:
    return reverse("unread", kwargs={"slug": study.slug})


def send(client: Client, study: Study, choice: str, label: ItemLabel) -> Any:
    return client.post(address(study), {"label": label.pk, "choice": choice}, follow=True)


def test_the_raw_reply_and_its_labels_are_shown(study: Study, run: ScoringRun) -> None:
    page = markup(client_of(study).get(address(study)))
    assert "2 labels wait" in page
    assert VAGUE in page
    assert "How good is it as a whole?" in page
    assert 'value="4" data-key="4"' in page
    assert "Excellent" in page
    assert "It gives none of these" in page


def test_a_decision_is_recorded_and_the_vote_follows(study: Study, run: ScoringRun) -> None:
    first, second = run.item_labels.filter(source=SOURCE.UNREAD).order_by("pk")
    page = markup(send(client_of(study), study, "3", first))
    first.refresh_from_db()
    assert (first.label, first.source, first.reason) == ("3", SOURCE.PERSON, "")
    assert first.decided_by is not None
    assert first.decided_by.pseudonym == "Our researcher"
    assert first.decided_at is not None
    score = run.item_scores.get(item=first.item_id, aspect="overall")
    assert (score.label, score.value, score.reason) == ("3", 3.0, "")
    assert run.item_scores.get(item=second.item_id, aspect="overall").label == ""
    run.refresh_from_db()
    assert run.counts["overall"]["read_by"] == {"person": 1}
    assert run.counts["overall"]["failure_rate"] == 0.5
    assert "1 label waits" in page
    assert f'name="label" value="{second.pk}"' in page


def test_that_there_is_no_label_is_a_decision_too_and_counts_as_wrong(study: Study, run: ScoringRun) -> None:
    client = client_of(study)
    for label in run.item_labels.filter(source=SOURCE.UNREAD):
        page = markup(send(client, study, "!none", label))
    assert "No reply waits for a person" in page
    assert "That was the last one" in page
    scores = run.item_scores.filter(aspect="overall")
    assert {(score.label, score.reason) for score in scores} == {("", "missing")}
    run.refresh_from_db()
    assert run.counts["overall"]["failure_rate"] == 1.0


def test_a_reply_can_be_left_for_later(study: Study, run: ScoringRun) -> None:
    first, second = run.item_labels.filter(source=SOURCE.UNREAD).order_by("pk")
    client = client_of(study)
    assert f'name="label" value="{second.pk}"' in markup(client.get(address(study), {"after": first.pk}))
    assert f'name="label" value="{first.pk}"' in markup(client.get(address(study), {"after": second.pk}))
    assert run.item_labels.filter(source=SOURCE.UNREAD).count() == 2


@pytest.mark.parametrize("gone", ["overall", "related"])
def test_what_the_studys_scheme_asks_no_more_waits_for_nobody(study: Study, run: ScoringRun, gone: str) -> None:
    definition = preset("acorn") | {"examples": []}
    definition["aspects"] = [aspect for aspect in definition["aspects"] if aspect["key"] != gone]
    migrate_scheme(study=study, definition=definition, actor=OPERATOR)
    study.refresh_from_db()
    client = client_of(study)
    if gone == "overall":
        assert not unread_labels(study).exists()
        assert "No reply waits for a person" in markup(client.get(address(study)))
        assert "could not be read" not in markup(client.get(reverse("run", args=[study.slug, run.pk])))
        return
    assert "2 labels of its replies could not be read" in markup(client.get(reverse("run", args=[study.slug, run.pk])))
    label = unread_labels(study)[0]
    assert "1 label waits" in markup(send(client, study, "4", label))
    assert run.item_scores.get(item=label.item_id, aspect="overall").label == "4"


def test_what_is_no_label_is_refused_and_the_reply_stays(study: Study, run: ScoringRun) -> None:
    label = run.item_labels.filter(source=SOURCE.UNREAD).order_by("-pk")[0]
    response = client_of(study).post(address(study), {"label": label.pk, "choice": "splendid"})
    assert response.status_code == 422
    page = markup(response)
    assert "Choose one of the labels" in page
    assert f'name="label" value="{label.pk}"' in page


def test_what_somebody_else_has_decided_stays(study: Study, run: ScoringRun) -> None:
    label = run.item_labels.filter(source=SOURCE.UNREAD).order_by("pk")[0]
    send(client_of(study), study, "3", label)
    page = markup(send(client_of(study, Role.ADMIN), study, "5", label))
    assert "Somebody has decided on this reply" in page
    label.refresh_from_db()
    assert label.label == "3"


def test_a_run_at_work_keeps_its_replies_to_itself(study: Study, run: ScoringRun) -> None:
    ScoringRun.objects.filter(pk=run.pk).update(status=JobStatus.RUNNING)
    assert "No reply waits for a person" in markup(client_of(study).get(address(study)))


def test_the_replies_of_a_superseded_run_wait_for_nobody_until_it_is_named(
    study: Study, run: ScoringRun, server: ModelServer, asks: Asks
) -> None:
    newer = run_now(study, Method.JUDGE, **asks(max_tokens=99))
    assert newer.item_labels.filter(source=SOURCE.UNREAD).count() == 2
    assert set(unread_labels(study).values_list("run", flat=True)) == {newer.pk}
    client = client_of(study)
    assert "2 labels wait" in markup(client.get(address(study)))
    old = markup(client.get(reverse("run", args=[study.slug, run.pk])))
    assert "wait for nobody: another run counts" in old
    assert "Read them" not in old
    label = run.item_labels.filter(source=SOURCE.UNREAD)[0]
    assert "another run counts now" in markup(send(client, study, "3", label))

    choose_run(run=run, actor=OPERATOR)
    assert set(unread_labels(study).values_list("run", flat=True)) == {run.pk}
    assert "Read them" in markup(client.get(reverse("run", args=[study.slug, run.pk])))


def test_a_newer_run_that_failed_supersedes_nothing(
    study: Study, run: ScoringRun, server: ModelServer, asks: Asks
) -> None:
    known = server.behaviour
    server.behaviour = lambda asked: known(asked) if sum(server.answered.values()) < 4 else fails(401, "no")
    failed = run_now(study, Method.JUDGE, **asks(max_tokens=99, concurrency=1))
    assert failed.status == JobStatus.FAILED
    assert set(unread_labels(study).values_list("run", flat=True)) == {run.pk}


@pytest.mark.parametrize("status", [JobStatus.DONE, JobStatus.PAUSED])
def test_the_replies_of_an_outdated_run_wait_for_nobody(study: Study, run: ScoringRun, status: str) -> None:
    ScoringRun.objects.filter(pk=run.pk).update(status=status)
    assert set(unread_labels(study).values_list("run", flat=True)) == {run.pk}
    ScoringRun.objects.filter(pk=run.pk).update(is_outdated=True)
    assert not unread_labels(study)


def test_without_anything_to_read_the_page_says_so(study: Study) -> None:
    assert "No reply waits for a person" in markup(client_of(study).get(address(study)))


def test_the_runs_page_leads_there(study: Study, run: ScoringRun) -> None:
    page = markup(client_of(study).get(reverse("run", kwargs={"slug": study.slug, "pk": run.pk})))
    assert "2 labels of its replies could not be read" in page
    assert address(study) in page


@pytest.mark.parametrize(
    ("decision", "follows"), [("no", ("", True, "not_applicable")), ("yes", ("little", False, ""))]
)
def test_labels_that_depend_on_a_decision_follow_it(
    server: ModelServer, asks: Asks, decision: str, follows: tuple[str, bool, str]
) -> None:
    study = study_with_judgments(
        corpus=make_corpus(questions=1, systems=("alder",), sentences=0),
        definition=preset("rev"),
        annotators=1,
        values=lambda member, item: {"justifies": "no"},
    )
    scheme = study.scheme()
    (asked,) = [aspect for aspect in scheme.aspects if aspect.shown_when and aspect in scheme.labelled_aspects]
    (condition,) = [aspect for aspect in scheme.labelled_aspects if aspect is not asked]
    server.behaviour = lambda question: says(f"{condition.key}: it depends\n{asked.key}: Little")
    run = run_now(study, Method.JUDGE, **asks(second_reading=False, calling=Calling.COMPOUND))
    labels = {label.aspect: label for label in run.item_labels.all()}
    assert labels[asked.key].reason == "undecided"
    send(client_of(study), study, decision, labels[condition.key])
    labels[asked.key].refresh_from_db()
    found = labels[asked.key]
    assert found.source == SOURCE.RULES
    assert (found.label, found.is_not_applicable, run.item_scores.get(aspect=asked.key).reason) == follows
