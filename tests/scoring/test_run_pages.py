"""A study's scoring runs as its researchers see them: start, watch, pause, go on, choose, compare."""

import re
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.comparison import compare_scores, compare_settings
from annotation_platform.scoring.failures import failures
from annotation_platform.scoring.models import (
    Completion,
    ItemScore,
    Method,
    ModelBatch,
    ModelConnection,
    Score,
    Scorer,
    ScoringRun,
    SuspiciousPassage,
)
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.scoring.services import RUNS, choose_run, pause_run, start_run
from annotation_platform.scoring.views import new_runs, runs
from annotation_platform.studies.models import Item, Role, Study
from tests.factories import OPERATOR, MemberFactory, close_all, study_with_judgments
from tests.markup import markup

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = study_with_judgments()
    close_all(study)
    MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Res")
    return study


@pytest.fixture
def researcher(client: Client, study: Study) -> Client:
    client.force_login(study.members.get(role=Role.RESEARCHER).user)
    return client


def scored(study: Study, **parameters: float) -> ScoringRun:
    run = claim(RUNS, start_run(study=study, parameters=parameters, actor=OPERATOR).pk)
    assert run is not None
    return execute(RUNS, run)


def test_a_run_is_started_and_shown(researcher: Client, study: Study) -> None:
    form = {"scorer": "distilled", "lambda": "0.25"}
    answer = researcher.post(reverse("new_run", args=[study.slug, "ebr"]), form)
    run = study.scoring_runs.get()
    assert answer.url == reverse("run", args=[study.slug, run.pk])
    assert run.parameters["lambda"] == 0.25
    page = markup(researcher.get(answer.url))
    assert "waiting" in page
    assert f"0 of {run.total} steps" in page
    assert "0.25" in page
    assert "Explanation-based rescaling run" in markup(researcher.get(reverse("scoring", args=[study.slug])))


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"scorer": "distilled", "lambda": "half"}, "“half” is not a number"),
        ({"scorer": "distilled", "lambda": "2"}, "lambda"),
        ({"scorer": "openai", "budget": "plenty"}, "“plenty” is not an amount"),
        ({"scorer": "openai", "budget": "-1"}, "cannot be spent"),
        ({"scorer": "openai", "budget": "nan"}, "“nan” is not an amount"),
        ({"scorer": "openai", "budget": "inf"}, "cannot be spent"),
        ({"scorer": "openai", "budget": "1e999999"}, "cannot be spent"),
        ({"scorer": "openai", "budget": "5"}, "needs the model&#x27;s prices"),
        ({"scorer": "openai", "max_tokens": "1.5"}, "not a whole number"),
        ({"scorer": "oracle"}, "no scorer"),
    ],
)
def test_what_cannot_be_started_says_why_and_keeps_what_was_typed(
    researcher: Client, study: Study, settings: Any, form: dict[str, str], says: str
) -> None:
    settings.OPENAI_MODEL, settings.OPENAI_BASE_URL = "small", "http://127.0.0.1:9/v1"
    answer = researcher.post(reverse("new_run", args=[study.slug, "ebr"]), form)
    assert answer.status_code == 422
    page = markup(answer)
    assert says in page
    for name, typed in form.items():
        assert name == "scorer" or f'value="{typed}"' in page
    assert not study.scoring_runs.exists()


def test_all_that_is_wrong_is_said_at_once_each_at_its_field(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    form = {
        "scorer": "openai",
        "connection": "Local",
        "temperature": "warm",
        "max_tokens": "0",
        "lambda": "7",
        "seed": "1.5",
        "budget": "much",
    }
    page = markup(researcher.post(reverse("new_run", args=[study.slug, "ebr"]), form))
    told = dict(re.findall(r'<p class="field-error" id="(?:error-)?([a-z_-]+)">(.*?)</p>', page))
    assert told.keys() == {"temperature", "max_tokens", "lambda", "seed", "budget-error"}
    assert told["max_tokens"] == "0 is not at least 1"
    assert told["lambda"] == "7 is not at most 1"
    assert "is not an amount of dollars" in told["budget-error"]
    assert page.count('aria-invalid="true"') == 5
    assert 'aria-describedby="error-temperature help-temperature"' in page
    assert page.count('role="alert"') == 1
    assert "<details data-scorers" in page.replace(" open>", "")
    assert re.search(r"<details[^>]* open>", page)  # the seed is among those folded away
    assert not study.scoring_runs.exists()


def test_where_no_model_is_chosen_the_rest_is_looked_at_too(researcher: Client, study: Study, settings: Any) -> None:
    settings.OPENAI_MODEL = settings.OPENAI_BASE_URL = settings.OPENAI_API_KEY = ""
    form = {"scorer": "openai", "temperature": "warm", "max_tokens": "0", "lambda": "7", "budget": "5"}
    page = markup(researcher.post(reverse("new_run", args=[study.slug, "ebr"]), form))
    told = dict(re.findall(r'<p class="field-error" id="(?:error-)?([a-z_-]+)">(.*?)</p>', page))
    assert told.keys() == {"connection", "temperature", "max_tokens", "lambda"}


def test_a_budget_that_cannot_be_kept_is_told_beside_what_else_is_wrong(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    ModelConnection.objects.update(price_in=None)
    form = {"scorer": "openai", "connection": "Local", "temperature": "7", "budget": "5"}
    page = markup(researcher.post(reverse("new_run", args=[study.slug, "ebr"]), form))
    told = dict(re.findall(r'<p class="field-error" id="(?:error-)?([a-z_-]+)">(.*?)</p>', page))
    assert told.keys() == {"temperature", "budget-error"}


def test_another_study_and_another_system_are_both_named(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    form = {"scorer": "openai", "connection": "Local", "weights_from": "nowhere", "repetitions": "0"}
    page = markup(researcher.post(reverse("new_run", args=[study.slug, "mate"]), form))
    told = dict(re.findall(r'<p class="field-error" id="error-([a-z_-]+)">(.*?)</p>', page))
    assert told.keys() == {"weights_from", "repetitions"}
    assert "names no composite" in page


def test_the_exact_prompt_is_shown_or_why_there_is_none(researcher: Client, study: Study, settings: object) -> None:
    address = reverse("preview_prompt", args=[study.slug, "ebr"])
    assert "No model is asked" in markup(researcher.get(address, {"scorer": "distilled"}))
    assert "OPENAI_MODEL" in markup(researcher.get(address, {"scorer": "openai"}))


def test_a_waiting_run_pauses_at_once_and_goes_on(researcher: Client, study: Study) -> None:
    run = start_run(study=study, actor=OPERATOR)
    researcher.post(reverse("change_run", args=[study.slug, run.pk, "pause"]))
    run.refresh_from_db()
    assert (run.status, run.error) == (JobStatus.PAUSED, "Paused by hand.")
    assert claim(RUNS, run.pk) is None
    address = reverse("change_run", args=[study.slug, run.pk, "resume"])
    told = markup(researcher.post(address, {"budget": "2.50"}, follow=True))
    assert "no reply that it has is asked for again" in told
    run.refresh_from_db()
    assert (run.status, run.budget) == (JobStatus.PENDING, Decimal("2.5"))
    again = claim(RUNS, run.pk)
    assert again is not None
    assert execute(RUNS, again).status == JobStatus.DONE


def test_a_run_that_is_over_is_not_paused_nor_resumed(researcher: Client, study: Study) -> None:
    run = scored(study)
    for action, says in (("pause", "nothing to pause"), ("resume", "nothing to resume")):
        answer = researcher.post(reverse("change_run", args=[study.slug, run.pk, action]), follow=True)
        assert says in markup(answer)
    run.refresh_from_db()
    assert run.status == JobStatus.DONE


def test_figures_use_the_named_run_else_the_newest(researcher: Client, study: Study) -> None:
    older, newer = scored(study), scored(study, **{"lambda": 1.0})
    assert latest_run(study) == newer
    researcher.post(reverse("change_run", args=[study.slug, older.pk, "choose"]))
    assert latest_run(study) == older
    choose_run(run=newer, actor=OPERATOR)
    assert list(study.scoring_runs.filter(is_chosen=True)) == [newer]


def test_a_run_that_is_outdated_while_it_is_named_is_not_chosen(study: Study) -> None:
    older, newer = scored(study), scored(study, **{"lambda": 1.0})
    choose_run(run=older, actor=OPERATOR)
    ScoringRun.objects.filter(pk=newer.pk).update(is_outdated=True)  # by a migration, after the request read it
    with pytest.raises(InvalidInputError) as refused:
        choose_run(run=newer, actor=OPERATOR)
    assert refused.value.reason.code == "scoring.run_outdated"
    assert list(study.scoring_runs.filter(is_chosen=True)) == [older]


def test_two_runs_stand_side_by_side(researcher: Client, study: Study) -> None:
    first, second = scored(study), scored(study, **{"lambda": 1.0})
    scores = dict(Score.objects.filter(run=first).values_list("annotation_id", "value"))
    others = dict(Score.objects.filter(run=second).values_list("annotation_id", "value"))
    (aspect,) = compare_scores(first, second)
    assert aspect.n == len(scores) == len(others)
    assert aspect.first == pytest.approx(sum(scores.values()) / len(scores))
    assert aspect.apart == pytest.approx(sum(abs(scores[pk] - others[pk]) for pk in scores) / len(scores))
    differing = [setting.name for setting in compare_settings(first, second) if setting.differs]
    assert differing == ["λ, the share of the annotator's mean for the label"]
    page = markup(researcher.get(reverse("compare_runs", args=[study.slug, first.pk, second.pk])))
    assert "differs" in page


def test_runs_over_items_are_compared_by_label_and_by_value(study: Study) -> None:
    first, second = (
        ScoringRun.objects.create(study=study, method=Method.JUDGE, scorer=Scorer.LANGUAGE_MODEL, status=JobStatus.DONE)
        for _ in range(2)
    )
    items = list(Item.objects.filter(hit__batch__study=study)[:4])
    for run, labels, values in ((first, "abba", [1, 2, 3, 4]), (second, "abab", [2, 4, 6, 8])):
        for item, label, value in zip(items, labels, values, strict=True):
            ItemScore.objects.create(run=run, item=item, aspect="kind", label=label, value=value)
    (found,) = compare_scores(first, second)
    assert (found.n, found.n_labels, found.same_label) == (4, 4, 0.5)
    assert found.pearson == pytest.approx(1.0)
    ItemScore.objects.filter(run=second).update(value=7)
    assert compare_scores(first, second)[0].pearson is None


def test_the_runs_of_another_study_are_not_there(researcher: Client, study: Study) -> None:
    other = study_with_judgments()
    close_all(other)
    run = start_run(study=other, actor=OPERATOR)
    assert researcher.get(reverse("run", args=[study.slug, run.pk])).status_code == 404


def test_what_a_run_paid_is_what_it_asked_for_itself(researcher: Client, study: Study) -> None:
    run = scored(study)
    assert "(no server of a language model" in markup(researcher.get(reverse("run", args=[study.slug, run.pk])))
    run.parameters["model"] = "m"
    run.save()
    Completion.objects.create(signature="a", request={}, reply="50", model="m", cost=Decimal("0.25"), run=run)
    Completion.objects.create(signature="b", request={}, reply="50", model="m", cost=Decimal("9"))
    page = markup(researcher.get(reverse("run", args=[study.slug, run.pk])))
    assert "$0.25" in page
    assert "$9" not in page


def test_a_person_looks_at_what_seems_to_address_the_model(researcher: Client, study: Study) -> None:
    run = scored(study)
    annotation = Annotation.objects.current().filter(item__study=study)[0]
    passage = SuspiciousPassage.objects.create(
        run=run, item=annotation.item, annotation=annotation, sign="orders", passage="Ignore the above <b>now</b>"
    )
    address = reverse("run", args=[study.slug, run.pk])
    page = markup(researcher.get(address))
    assert "Ignore the above &lt;b&gt;now&lt;/b&gt;" in page
    assert annotation.annotator.pseudonym in page
    researcher.post(reverse("dismiss_passage", args=[study.slug, passage.pk]))
    assert "Ignore the above" not in markup(researcher.get(address))
    passage.refresh_from_db()
    assert passage.dismissed_by == study.members.get(role=Role.RESEARCHER)


@pytest.fixture
def connection() -> ModelConnection:
    """A model whose prices are known."""
    return ModelConnection.objects.create(
        name="Local", base_url="http://127.0.0.1:9/v1", model="small", price_in=1, price_out=2
    )


def test_what_gave_no_score_is_shown_with_its_raw_reply(researcher: Client, study: Study) -> None:
    run = scored(study)
    reply = Completion.objects.create(signature="1" * 64, request={}, reply="Hard to <tell>.", model="m", run=run)
    unread, refused = run.scores.values_list("pk", flat=True)[:2]
    run.scores.filter(pk=unread).update(failure="no_score", completion=reply)
    run.scores.filter(pk=refused).update(failure="The model server refuses the request.")
    run.item_labels.create(
        item=study.items.first(), aspect="overall", variant="simple", source="no_reply", refusal="Filtered by it."
    )
    page = markup(researcher.get(reverse("run", args=[study.slug, run.pk])))
    assert "What gave no score" in page
    assert "3 in all" in page
    assert "Hard to &lt;tell&gt;." in page
    assert "The model server refuses the request." in page
    assert "Filtered by it." in page
    count, shown = failures(run, most=2)
    assert (count, [failure.reply for failure in shown]) == (3, ["Hard to <tell>.", ""])


def test_a_dry_run_is_one_that_waits_for_the_bill(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    form = {"scorer": "openai", "connection": "Local", "try": "1", "budget": "0.5"}
    researcher.post(reverse("new_run", args=[study.slug, "ebr"]), form)
    run = study.scoring_runs.get()
    assert (run.wants_estimate, run.budget) == (True, Decimal("0.5"))


def preview(researcher: Client, study: Study, method: str = "ebr", **typed: str) -> str:
    form = {"scorer": "openai", "connection": "Local", **typed}
    return markup(researcher.get(reverse("preview_prompt", args=[study.slug, method]), form))


def test_every_prompt_about_any_item_is_shown(
    researcher: Client, study: Study, connection: ModelConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, last = study.items.count(), study.items.order_by("pk").last()
    assert last is not None
    found = preview(researcher, study, item=str(number))
    assert found.count('<pre class="prompt"') == 6  # three judgments, two messages each
    assert "3 prompts about it" in found
    assert f"{last.answer.system.name}: {escape(last.answer.text)}"[:80] in found
    assert reverse("item", args=[study.slug, last.pk]) in found
    monkeypatch.setattr(new_runs, "PROMPTS", 2)
    assert "The first 2 of 3 prompts" in preview(researcher, study)


@pytest.mark.parametrize("item", ["²", "9" * 30, "9" * 18, "0", "-1", "one"])
def test_an_item_that_there_is_not_is_said(
    researcher: Client, study: Study, connection: ModelConnection, item: str
) -> None:
    assert f"Give a number from 1 to {study.items.count()}." in preview(researcher, study, item=item)


def test_where_the_environment_names_no_model_a_connection_is_chosen_at_first(
    researcher: Client, study: Study, connection: ModelConnection, settings: Any
) -> None:
    def chosen() -> str:
        page = markup(researcher.get(reverse("new_run", args=[study.slug, "judge"])))
        return next(name for name in re.findall(r'<option value="([^"]*)" selected', page))

    settings.OPENAI_MODEL = ""
    assert chosen() == "Local"
    settings.OPENAI_MODEL = "one-of-the-server"
    assert chosen() == ""


def test_a_scorer_that_the_method_has_not_is_refused(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    for scorer in ("distilled", "zzz"):
        says = f"there is no scorer “{scorer}” for it. Choose one of: openai."
        assert says in preview(researcher, study, "judge", scorer=scorer)
        form = {"scorer": scorer, "connection": "Local"}
        page = researcher.post(reverse("new_run", args=[study.slug, "judge"]), form)
        assert page.status_code == 422
        assert says in markup(page)
    assert not study.scoring_runs.exists()


def test_a_method_that_has_nothing_to_do_here_says_why_and_is_no_link(researcher: Client, study: Study) -> None:
    def offered() -> str:
        return markup(researcher.get(reverse("scoring", args=[study.slug])))

    link = f'<a href="{reverse("new_run", args=[study.slug, "ebr"])}">'
    assert link in offered()
    mate = reverse("new_run", args=[study.slug, "mate"])
    assert f'<a href="{mate}">' not in offered()
    assert "LLM-MATE" in offered()
    assert "names no composite" in offered()
    study.batches.update(state="open")
    assert link not in offered()
    assert "Close one first" in offered()
    assert "names no composite" in preview(researcher, study, "mate")
    assert "names no composite" in markup(researcher.get(mate))
    assert researcher.post(mate, {"scorer": "openai"}).status_code == 422


def test_temperature_and_longest_reply_are_sent_as_filled_in_and_left_to_the_server_where_emptied(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    address = reverse("new_run", args=[study.slug, "ebr"])
    page = markup(researcher.get(address))
    assert 'name="temperature" value="0"' in page
    assert 'name="max_tokens" value="512"' in page
    form = {"scorer": "openai", "connection": "Local", "temperature": "", "max_tokens": ""}
    refused = researcher.post(address, form | {"budget": "5"})
    assert "a limit on the tokens of one reply" in markup(refused)
    researcher.post(address, form)
    run = study.scoring_runs.get()
    assert (run.parameters["temperature"], run.parameters["max_tokens"]) == (None, None)


RARE = {"mode": "batch", "seed": "7", "max_run_tokens": "90000"}


@pytest.mark.parametrize(
    ("method", "typed"),
    [
        ("ebr", {"scorer": "distilled", "lambda": "0.25"}),
        ("ebr", {"scorer": "hybrid", "variant": "question", "paid_share": "0.5", "choice_seed": "3", **RARE}),
        ("ebr", {"scorer": "openai", "temperature": "", "budget": "2.5", **RARE}),
        (
            "judge",
            {"scorer": "openai", "format": "averaged", "explain": "yes", "order_seed": "4", "max_tokens": "99", **RARE},
        ),
    ],
)
def test_a_run_is_started_again_with_the_same_settings(
    researcher: Client, study: Study, connection: ModelConnection, method: str, typed: dict[str, str]
) -> None:
    ModelConnection.objects.update(name="Local 1.0")
    form = typed if typed["scorer"] == "distilled" else {"connection": "Local 1.0", **typed}
    address = reverse("new_run", args=[study.slug, method])
    researcher.post(address, form)
    first = study.scoring_runs.get()
    page = markup(researcher.get(reverse("run", args=[study.slug, first.pk])))
    found = re.search(r'<a href="([^"]+)">Run again with these settings', page)
    assert found is not None
    again = unescape(found[1])
    shown = researcher.get(again)
    assert shown.status_code == 200
    pause_run(run=first, actor=OPERATOR)
    given = {option.name: text for option, text, _ in [*shown.context["options"], *shown.context["rare"]]}
    researcher.post(address, given | {name: shown.context[name] for name in ("scorer", "budget")})
    second = study.scoring_runs.exclude(pk=first.pk).get()
    assert (second.scorer, second.parameters, second.budget) == (first.scorer, first.parameters, first.budget)


def test_a_run_without_a_budget_is_given_one(researcher: Client, study: Study, connection: ModelConnection) -> None:
    run = start_run(study=study, scorer="openai", parameters={"connection": "Local"}, actor=OPERATOR)
    pause_run(run=run, actor=OPERATOR)
    assert 'name="budget"' in markup(researcher.get(reverse("run", args=[study.slug, run.pk])))
    resume = reverse("change_run", args=[study.slug, run.pk, "resume"])
    assert "is not an amount" in markup(researcher.post(resume, {"budget": "nan"}, follow=True))
    researcher.post(resume, {"budget": "1.5"})
    run.refresh_from_db()
    assert (run.status, run.budget) == (JobStatus.PENDING, Decimal("1.5"))


def test_other_prices_than_those_of_the_connection_are_told(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    run = start_run(study=study, scorer="openai", parameters={"connection": "Local"}, actor=OPERATOR)
    page, words = reverse("run", args=[study.slug, run.pk]), "Its connection has other prices than this run"
    assert words not in markup(researcher.get(page))
    ModelConnection.objects.update(price_in=9.0, price_out=10.0)
    assert words in markup(researcher.get(page))
    ScoringRun.objects.update(status=JobStatus.DONE)
    assert words not in markup(researcher.get(page))
    own = start_run(study=study, scorer="openai", parameters={"connection": "Local", "price_in": 4.5}, actor=OPERATOR)
    assert words in markup(researcher.get(reverse("run", args=[study.slug, own.pk]))), "and were so from the start"


@pytest.mark.parametrize(("typed", "budget"), [({"budget": " "}, None), ({}, Decimal("0.01"))])
def test_a_budget_that_is_emptied_is_none_any_more(
    researcher: Client, study: Study, connection: ModelConnection, typed: dict[str, str], budget: Decimal | None
) -> None:
    parameters = {"connection": "Local", "price_in": 1, "price_out": 1}
    run = start_run(study=study, scorer="openai", parameters=parameters, budget=Decimal("0.01"), actor=OPERATOR)
    pause_run(run=run, actor=OPERATOR)
    researcher.post(reverse("change_run", args=[study.slug, run.pk, "resume"]), typed)
    run.refresh_from_db()
    assert (run.status, run.budget) == (JobStatus.PENDING, budget)


def test_the_list_says_what_a_run_paid_as_its_own_page_does(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    def told() -> tuple[str, ...]:
        pages = (reverse("run", args=[study.slug, run.pk]), reverse("scoring", args=[study.slug]))
        return tuple(markup(researcher.get(page)) for page in pages)

    run = start_run(study=study, scorer="openai", parameters={"connection": "Local"}, actor=OPERATOR)
    assert all('<dd class="num">$0' in page or '<td class="num">$0' in page for page in told())
    asked = Completion.objects.create(signature="a", request={}, reply="50", model="small", run=run)
    assert all("not known" in page for page in told())
    Completion.objects.filter(pk=asked.pk).update(cost=Decimal("0.000125"))
    assert all("$0.000125" in page for page in told())


def test_how_many_suspicious_passages_there_are_is_said(
    researcher: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = scored(study)
    for item in study.items.all()[:3]:
        SuspiciousPassage.objects.create(run=run, item=item, sign="orders", passage=f"Ignore {item.pk}")
    address = reverse("run", args=[study.slug, run.pk])
    assert "These are the first" not in markup(researcher.get(address))
    monkeypatch.setattr(runs, "PASSAGES", 2)
    page = markup(researcher.get(address))
    assert "These are the first 2 of 3" in page
    assert page.count("Ignore ") == 2


def test_what_a_run_found_stands_under_titles_that_people_read(researcher: Client, study: Study) -> None:
    run = scored(study)
    run.counts = {
        "completeness": {"labels": 3},
        "mate.mate": {"title": "Acceptability", "weights": {"truth": 2.104684637529443}},
        "rev.las": {"rationales": 1},
        "baselines": {"rouge_1": 4},
    }
    run.save()
    page = markup(researcher.get(reverse("run", args=[study.slug, run.pk])))
    titles = set(re.findall("<h3>(.*?)</h3>", page))
    assert titles == {study.scheme().aspect("completeness").title, "Acceptability", "LAS", "Baselines"}
    assert '<dt>Weight: truth</dt><dd class="num">2.105</dd>' in page


def test_a_run_whose_labels_count_no_more_says_so_and_offers_no_way_on(researcher: Client, study: Study) -> None:
    run = scored(study)
    said = "The labels of this run count no more"
    address = reverse("run", args=[study.slug, run.pk])
    assert said not in (page := markup(researcher.get(address)))
    assert reverse("change_run", args=[study.slug, run.pk, "choose"]) in page
    for status in (JobStatus.DONE, JobStatus.PAUSED):
        ScoringRun.objects.filter(pk=run.pk).update(is_outdated=True, status=status)
        page = markup(researcher.get(address))
        assert page.count(said) == 1
        assert not any(reverse("change_run", args=[study.slug, run.pk, way]) in page for way in ("choose", "resume"))
    ModelBatch.objects.create(run=run, key="at-the-server", base_url="https://models.example/v1", requests=3)
    page = markup(researcher.get(address))
    assert reverse("change_run", args=[study.slug, run.pk, "resume"]) in page
    assert "Going on collects that, and asks for nothing more." in page


def test_what_such_a_run_found_is_under_no_title_and_beside_no_run_of_today(researcher: Client, study: Study) -> None:
    outdated, other = scored(study), scored(study)
    pages = [reverse("run", args=[study.slug, run.pk]) for run in (outdated, other)]
    beside = [
        reverse("compare_runs", args=[study.slug, *pair]) for pair in ((outdated.pk, other.pk), (other.pk, outdated.pk))
    ]
    assert all(way in markup(researcher.get(page)) for way, page in zip(beside, pages, strict=True))
    ScoringRun.objects.filter(pk=outdated.pk).update(is_outdated=True)
    found = markup(researcher.get(pages[0]))
    assert "<h3>Completeness</h3>" in found
    assert f"<h3>{study.scheme().aspect('completeness').title}</h3>" not in found
    for way, page in zip(beside, pages, strict=True):
        assert way not in markup(researcher.get(page))
        assert "The labels of this run count no more" in markup(researcher.get(way))
