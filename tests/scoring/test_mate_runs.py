"""LLM-MATE runs: aspects asked one by one, weights from people, the composite, and its baselines."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.text_overlap import rouge
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import preset
from annotation_platform.core.statistics.resampling import ALL_ALIKE
from annotation_platform.corpus.models import NO_DOCUMENT, Answer, Article, Question
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.methods.mate.baselines import reference_answers
from annotation_platform.scoring.methods.mate.parameters import MateParameters
from annotation_platform.scoring.methods.mate.weights import fit_composite, units_of_questions
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.scoring.reply_review import decide_label
from annotation_platform.scoring.run_words import counts_in_words
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.scoring.services import resume_run, start_run
from annotation_platform.studies.models import Item, Role, Study
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study
from tests.scoring.judged_studies import answer_study, answering, by_candidate, people, rated, replies, resume, run_now
from tests.servers.model_server import ModelRequest, ModelServer, says
from tests.some import some

pytestmark = pytest.mark.django_db
Asks = Callable[..., dict[str, Any]]
WEIGHTS = {"factuality": 3.0, "amount": 1.0, "formality": 0.0}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return answer_study(questions=5, values=people)


def judge_says(
    server: ModelServer, study: Study, asks: Asks, values: Callable[[int], dict[str, Any]], **given: Any
) -> None:
    mate = run_method(Method.MATE)
    parameters = mate.resolve(study=study, scorer="openai", given=asks(**given))
    assert isinstance(parameters, MateParameters)
    server.behaviour = answering(replies(mate.panel(study, parameters), values))  # type: ignore[attr-defined]


def score(run: ScoringRun, item: Item, candidate: int, aspect: str) -> ItemScore:
    return run.item_scores.get(item=item, candidate=candidate, aspect=aspect)


def test_the_composite_is_the_planted_function_of_the_judges_ratings(
    study: Study, server: ModelServer, asks: Asks
) -> None:
    judged = by_candidate([rated(2, 1, 0), rated(3, 0, 1), rated(1, 0, -1)])
    judge_says(server, study, asks, lambda item: judged)
    run = run_now(study, Method.MATE, **asks())
    assert run.status == JobStatus.DONE, run.error
    assert run.total == len(server.asked) == 5 * 3 * 4  # three parts and the overall rating, each by itself
    found = run.counts["mate.mate"]
    assert {key: weight["value"] for key, weight in found["weights"].items()} == pytest.approx(WEIGHTS, abs=1e-9)
    spans = [w["high"] - w["low"] for w in found["weights"].values() if w["no_interval_because"] != ALL_ALIKE]
    assert spans == pytest.approx([0] * len(spans), abs=1e-9)  # planted without scatter
    assert found["held_out_r"] == pytest.approx(1)
    assert (found["answers"], found["questions"]) == (5 * 3 * 3, 5)
    item = study.items.first()
    assert [score(run, item, n, "mate.mate").value for n in (1, 2, 3)] == pytest.approx([1.0, 3.0, 1.0])
    assert [score(run, item, n, "acceptability").value for n in (1, 2, 3)] == [1.0, 3.0, 1.0]
    assert run.item_scores.filter(aspect="mate.mate").count() == 15


def test_repetitions_are_asked_anew_and_averaged(study: Study, server: ModelServer, asks: Asks) -> None:
    seen: dict[str, int] = {}

    def behaviour(asked: ModelRequest) -> Any:
        key = asked.prompt.rsplit("\n", 1)[1].split(":")[0]
        seen[asked.prompt] = seen.get(asked.prompt, 0) + 1
        return says(f"{key}: {seen[asked.prompt] % 2}")  # 1, 0, 1, …

    server.behaviour = behaviour
    run = run_now(study, Method.MATE, **asks(repetitions=3, temperature=1.0))
    assert run.status == JobStatus.DONE, run.error
    assert len(server.asked) == run.total == 3 * 60
    item = study.items.first()
    amount, factuality = score(run, item, 1, "amount"), score(run, item, 1, "factuality")
    assert amount.value == pytest.approx(2 / 3)
    assert amount.details == {"votes": {"1": 2, "0": 1}, "open": 0, "unread": 0}
    assert factuality.value == pytest.approx(2 / 3)
    assert score(run, item, 1, "mate.mate").value == pytest.approx(3 + (2 / 3 - 3) - 2 / 3)


def test_weights_can_come_from_another_study(study: Study, server: ModelServer, asks: Asks) -> None:
    fresh = open_study(corpus=make_corpus(questions=2, sentences=0), definition=study.scheme_version.definition)
    given = asks(weights_from=study.slug)
    judged = by_candidate([rated(2, 1, 0), rated(3, 0, 1), rated(1, 0, -1)])
    judge_says(server, fresh, asks, lambda item: judged, weights_from=study.slug)
    run = run_now(fresh, Method.MATE, **given)
    assert run.status == JobStatus.DONE, run.error
    assert run.counts["mate.mate"]["fitted_on"] == study.name
    assert score(run, fresh.items.first(), 2, "mate.mate").value == pytest.approx(3.0)


def test_weights_are_drawn_and_left_out_by_article_where_questions_share_articles() -> None:
    """Ten articles of three questions: a fifth of them is two whole articles; of four articles nobody can tell."""
    for articles, unit, units, held_out in ((10, "article", 10, 2), (4, "question", 12, 2)):
        corpus = make_corpus(articles=articles, questions=3, systems=("alder", "birch", "cedar"), sentences=0)
        study = answer_study(corpus=corpus, values=people, name=f"{articles} articles")
        (composite,) = study.scheme().composites
        counts = fit_composite(study, study, composite, seed=0).as_counts()
        assert (counts["unit"], counts["units"], counts["questions"]) == (unit, units, 3 * articles)
        assert counts["held_out_units"] == held_out
        judgments = 3 * 3 * (3 if unit == "article" else 1)  # three answers, three people
        assert counts["held_out_answers"] == held_out * judgments
        told = dict(counts_in_words(counts, {}))
        assert told["Judgments of answers"] == 9 * told["Questions"]
        assert told["Judgments of answers held out"] == held_out * judgments


def test_questions_about_no_document_are_units_of_their_own() -> None:
    corpus = make_corpus(articles=6, questions=3, systems=("alder", "birch", "cedar"), sentences=0)
    Article.objects.filter(corpus=corpus, position=1).update(external_id=NO_DOCUMENT, title="", sentence_count=0)
    study = answer_study(corpus=corpus, values=people)
    asked = list(Question.objects.filter(article__corpus=corpus).values_list("pk", flat=True))
    unit, of_question = units_of_questions(study, [*asked, *asked])
    assert unit == "article"
    assert len(of_question) == 18
    assert len(set(of_question.values())) == 5 + 3


@pytest.mark.parametrize("role", [None, Role.ANNOTATOR, Role.RESEARCHER])
def test_weights_come_only_from_studies_that_the_starter_may_read(
    client: Client, study: Study, asks: Asks, settings: Any, role: Role | None
) -> None:
    settings.OPENAI_MODEL = asks()["model"]
    fresh = open_study(corpus=make_corpus(questions=2, sentences=0), definition=study.scheme_version.definition)
    user = MemberFactory(study=fresh, role=Role.RESEARCHER).user
    if role is not None:
        MemberFactory(study=study, role=role, user=user)
    client.force_login(user)
    form = {"scorer": "openai", "weights_from": study.slug}
    preview = client.get(reverse("preview_prompt", args=[fresh.slug, "mate"]), form).content.decode()
    started = client.post(reverse("new_run", args=[fresh.slug, "mate"]), form)
    refusal = "whose judgments you may read"
    if role == Role.RESEARCHER:
        assert refusal not in preview
        assert (started.status_code, fresh.scoring_runs.get().parameters["weights_from"]) == (302, study.slug)
        return
    assert refusal in preview
    assert (started.status_code, refusal in started.content.decode()) == (422, True)
    with pytest.raises(InvalidInputError, match=refusal):
        start_run(
            study=fresh, method=Method.MATE, parameters=asks(weights_from=study.slug), actor=Actor.person(user.pk)
        )
    nowhere = client.post(reverse("new_run", args=[fresh.slug, "mate"]), form | {"weights_from": "nowhere"})
    assert refusal in nowhere.content.decode()  # whether it exists is not told
    assert not fresh.scoring_runs.exists()


def test_weights_of_another_overall_scale_are_refused_before_anything_is_asked(
    study: Study, server: ModelServer, asks: Asks
) -> None:
    definition = preset("lfqa") | {"examples": []}
    (overall,) = [aspect for aspect in definition["aspects"] if aspect["key"] == "acceptability"]
    overall |= {"low": 1, "high": 5, "labels": {}}
    fresh = open_study(corpus=make_corpus(questions=2, sentences=0), definition=definition)
    run = run_now(fresh, Method.MATE, **asks(weights_from=study.slug))
    assert (run.status, server.asked) == (JobStatus.FAILED, [])
    assert f"rated from 0 … 3 in “{study.name}” and from 1 … 5 here" in run.error


def test_labels_count_no_more_when_its_composite_has_other_parts(study: Study, server: ModelServer, asks: Asks) -> None:
    judged = by_candidate([rated(2, 1, 0), rated(3, 0, 1), rated(1, 0, -1)])
    judge_says(server, study, asks, lambda item: judged)
    run = run_now(study, Method.MATE, **asks())
    definition = preset("lfqa") | {"shown": ["question", "candidates"], "examples": []}
    (composite,) = definition["composites"]
    for parts, counted in (["amount", "factuality", "formality"], run), (["amount", "factuality"], None):
        changed = definition | {"composites": [composite | {"parts": parts}], "title": " ".join(parts)}
        migrate_scheme(study=Study.objects.get(pk=study.pk), definition=changed, actor=OPERATOR)
        assert latest_run(study, method=Method.MATE) == counted


def test_a_run_that_goes_on_under_a_version_without_composites_says_so(
    study: Study, server: ModelServer, asks: Asks
) -> None:
    run = start_run(study=study, method=Method.MATE, parameters=asks(), actor=OPERATOR)
    changes = {"shown": ["question", "candidates"], "examples": [], "composites": []}
    migrate_scheme(study=study, definition=preset("lfqa") | changes, actor=OPERATOR)
    run = resume(ScoringRun.objects.get(pk=run.pk))
    assert (run.status, isinstance(run.error, Reason) and run.error.code) == (JobStatus.FAILED, "scoring.no_composite")
    assert server.asked == []


@pytest.mark.parametrize("is_outdated", [False, True])
def test_a_batch_that_is_at_the_server_is_collected_though_the_run_cannot_go_on(
    study: Study, server: ModelServer, asks: Asks, is_outdated: bool
) -> None:
    server.batch_api.loses_answers = True
    run = run_now(study, Method.MATE, **asks(mode="batch", retries=0, price_in=10.0, price_out=100.0, max_tokens=20))
    server.batch_api.loses_answers = False
    assert (run.status, run.model_batches.get().state) == (JobStatus.PAUSED, "open")
    changes = {"shown": ["question", "candidates"], "examples": [], "composites": []}
    migrate_scheme(study=study, definition=preset("lfqa") | changes, actor=OPERATOR)
    ScoringRun.objects.update(is_outdated=is_outdated)
    run = ScoringRun.objects.get(pk=run.pk)
    resume_run(run=run, actor=OPERATOR)
    run = resume(run)
    assert (run.model_batches.get().state, run.spent > 0) == ("collected", True), run.error
    code = "scoring.run_outdated" if is_outdated else "scoring.no_composite"
    assert isinstance(run.error, Reason)
    assert run.error.code == code
    assert not run.may_go_on or not is_outdated
    assert len(server.batch_api.batches) == 1


@pytest.mark.parametrize("dry_run", [False, True])
def test_without_judgments_nothing_is_asked(server: ModelServer, asks: Asks, study: Study, dry_run: bool) -> None:
    fresh = open_study(corpus=make_corpus(questions=2, sentences=0), definition=study.scheme_version.definition)
    started = start_run(study=fresh, method=Method.MATE, parameters=asks(), dry_run=dry_run, actor=OPERATOR)
    run = resume(started)
    assert run.status == JobStatus.FAILED
    assert "0 answers cannot settle the weights of 3 aspects" in run.error
    assert "take the weights of another study" in run.error
    assert server.asked == []


def test_an_answer_with_an_unread_part_has_no_composite_until_a_person_has_read_it(
    study: Study, server: ModelServer, asks: Asks
) -> None:
    judged = by_candidate([rated(2, 1, 0), rated(3, 0, 1), rated(1, 0, -1)])
    judge_says(server, study, asks, lambda item: judged)
    known = server.behaviour
    server.behaviour = lambda asked: (
        says("hard to say") if "factuality: <label>" in asked.prompt and "birch" in asked.prompt else known(asked)
    )
    run = run_now(study, Method.MATE, **asks(second_reading=False))
    label = run.item_labels.filter(source="unread").order_by("pk")[0]
    lacking = score(run, label.item, label.candidate, "mate.mate")
    assert (lacking.value, lacking.reason) == (None, "part_unread")
    amount = score(run, label.item, label.candidate, "amount").value
    reader = MemberFactory(study=study, role=Role.RESEARCHER)
    decide_label(study=study, pk=label.pk, choice="2", member=reader, actor=OPERATOR)
    assert score(run, label.item, label.candidate, "mate.mate").value == pytest.approx(2 - abs(amount or 0))


def test_a_reply_of_a_run_that_did_not_come_to_its_end_can_be_read(
    study: Study, server: ModelServer, asks: Asks
) -> None:
    server.behaviour = lambda asked: says("hard to say")
    run = run_now(study, Method.MATE, **asks(second_reading=False))
    ScoringRun.objects.filter(pk=run.pk).update(status=JobStatus.FAILED, counts={})
    label = run.item_labels.filter(aspect="factuality").order_by("pk")[0]
    decide_label(
        study=study, pk=label.pk, choice="2", member=MemberFactory(study=study, role=Role.RESEARCHER), actor=OPERATOR
    )
    assert score(run, label.item, label.candidate, "factuality").value == 2.0


def test_rouge_compares_with_the_answer_that_people_rate_best(study: Study, server: ModelServer, asks: Asks) -> None:
    for answer in Answer.objects.filter(question__article__corpus=study.corpus):
        answer.text = f"{answer.system.name} says that the sea is {answer.question.external_id} deep."
        answer.save()
    best = reference_answers(study, "acceptability", "")
    server.behaviour = lambda asked: says("")
    run = run_now(study, Method.MATE, **asks(second_reading=False))
    assert run.status == JobStatus.DONE, run.error
    for item in some(study.items.all()):
        means = {n: sum(float(a.values[f"acceptability.{n}"]) for a in item.annotations.all()) for n in (1, 2, 3)}
        texts = {candidate.number: candidate.answer for candidate in item.candidates.all()}
        top = next(n for n, answer in texts.items() if answer.pk == best[item.question_id])
        assert means[top] == max(means.values())
        assert not run.item_scores.filter(item=item, candidate=top, aspect="baseline.rouge_l").exists()
        other = next(n for n in texts if n != top)
        expected = rouge(texts[other].text, [texts[top].text])
        assert score(run, item, other, "baseline.rouge_1").value == pytest.approx(expected.rouge1.f1)
        assert score(run, item, other, "baseline.rouge_l").value == pytest.approx(expected.rouge_l.f1)
        assert score(run, item, top, "baseline.length").value == 8
    assert run.counts["baselines"]["compared_with"] == "the answers that people rated best"
    assert "No language model was chosen" in run.counts["baselines"]["left_out_because"]


def test_a_systems_answers_can_be_the_references(study: Study) -> None:
    found = reference_answers(study, "acceptability", "cedar")
    assert {Answer.objects.get(pk=pk).system.name for pk in found.values()} == {"cedar"}
    assert len(found) == 5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weights_from": "nowhere"}, "no study “nowhere”"),
        ({"reference": "oak"}, "no system “oak”"),
        ({"repetitions": 0}, "repetitions"),
    ],
)
def test_what_cannot_be_is_named(study: Study, asks: Asks, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        start_run(study=study, method=Method.MATE, parameters=asks(**given), actor=OPERATOR)


def test_a_scheme_without_a_composite_has_nothing_to_make(asks: Asks) -> None:
    with pytest.raises(InvalidInputError, match="names no composite"):
        start_run(study=open_study(), method=Method.MATE, parameters=asks(), actor=OPERATOR)


def test_new_judgments_have_another_signature(study: Study, server: ModelServer, asks: Asks) -> None:
    server.behaviour = lambda asked: says("")
    first = run_now(study, Method.MATE, **asks(second_reading=False))
    again = run_now(study, Method.MATE, **asks(second_reading=False))
    assert first.signature == again.signature
    study.items.first().annotations.update(revision=2)
    assert run_now(study, Method.MATE, **asks(second_reading=False)).signature != first.signature
