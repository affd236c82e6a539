"""Runs that compare every answer with its question's reference answers."""

import gc
import json
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.equivalence.classifier import AnswerPair, judge
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods import answers, equivalence
from annotation_platform.scoring.methods.answers import ahead
from annotation_platform.scoring.methods.equivalence import MEASURES, NO_REFERENCE, RULE, VERDICT
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Item, Study
from tests.factories import OPERATOR, make_corpus, make_study, open_study
from tests.published import EVOUNA

pytestmark = pytest.mark.django_db

REFERENCE = "William Shakespeare"
CANDIDATES = {"alder": "william shakespeare.", "birch": "It was Shakespeare in 1600.", "cedar": "Christopher Marlowe"}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    corpus = make_corpus(questions=4, systems=tuple(CANDIDATES))
    Question.objects.filter(article__corpus=corpus).update(text="Who wrote Hamlet?", reference_answers=[REFERENCE])
    for system, text in CANDIDATES.items():
        Answer.objects.filter(question__article__corpus=corpus, system__name=system).update(text=text)
    return open_study(corpus=corpus, definition=preset("equivalence"))


def run_on(study: Study, **given: Any) -> ScoringRun:
    run = claim(RUNS, start_run(study=study, method=Method.EQUIVALENCE, **given, actor=OPERATOR).pk)
    assert run is not None
    return execute(RUNS, run)


def scores_of(run: ScoringRun, system: str) -> dict[str, ItemScore]:
    scores = ItemScore.objects.filter(run=run, item__candidates__answer__system__name=system)
    first = scores.order_by("item_id").values_list("item_id", flat=True)[:1]
    return {score.aspect: score for score in scores.filter(item_id=first)}


def test_every_answer_gets_every_measure_as_the_library_gives_it(study: Study) -> None:
    run = run_on(study)

    assert (run.status, run.done, run.total) == (JobStatus.DONE, 12, 12)
    assert ItemScore.objects.filter(run=run).count() == 12 * len(MEASURES)
    for system, text in CANDIDATES.items():
        [verdict] = judge([AnswerPair("Who wrote Hamlet?", (REFERENCE,), text)])
        found = scores_of(run, system)
        assert set(found) == set(MEASURES)
        assert found[VERDICT].label == ("yes" if verdict.equivalent else "no")
        assert found["equivalence.probability"].value == pytest.approx(verdict.probability)
        assert found["equivalence.f1"].value == pytest.approx(verdict.f1)
        assert found["equivalence.exact_match"].value == verdict.exact_match
        assert (found[RULE].label, found[RULE].details["why"]) == (verdict.rule, verdict.why)
    # By hand: SQuAD's normalisation makes the first the very reference; of the second's five words one is shared.
    assert scores_of(run, "alder")["equivalence.exact_match"].value == 1
    assert scores_of(run, "birch")["equivalence.precision"].value == pytest.approx(1 / 5)
    assert scores_of(run, "birch")["equivalence.recall"].value == pytest.approx(1 / 2)
    assert scores_of(run, "birch")["equivalence.f1"].value == pytest.approx(2 / 7)
    assert run.counts["verdicts"] == {"equivalent": 8, "not_equivalent": 4, "without_reference_answers": 0}


def test_no_measure_can_be_taken_for_an_aspect(study: Study) -> None:
    run = run_on(study)
    names = set(ItemScore.objects.filter(run=run).values_list("aspect", flat=True))
    assert all("." in name for name in names)
    assert not names & {aspect.key for aspect in study.scheme().aspects}


def test_a_run_that_was_stopped_goes_on_where_it_was(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "ITEMS", 5)
    monkeypatch.setattr(answers.answer_blocks, "__kwdefaults__", {**answers.answer_blocks.__kwdefaults__, "items": 5})
    stored: list[int] = []

    def stops_in_the_second_block(block: Any, count: int) -> int:
        if stored:
            raise RuntimeError("no more")
        stored.append(count)
        return store(block, count)

    store = answers._stored
    with monkeypatch.context() as patch:
        patch.setattr(answers, "_stored", stops_in_the_second_block)
        run = run_on(study)
    assert run.status == JobStatus.FAILED
    before = dict(ItemScore.objects.filter(run=run).values_list("pk", "value"))
    assert len(before) == 5 * len(MEASURES)

    judged: list[int] = []
    monkeypatch.setattr(
        "annotation_platform.core.methods.equivalence.classifier.judge",
        lambda pairs: judged.append(len(pairs)) or judge(pairs),
    )
    ScoringRun.objects.filter(pk=run.pk).update(status=JobStatus.PENDING)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    run = execute(RUNS, claimed)
    assert (run.status, run.done, sum(judged)) == (JobStatus.DONE, 12, 7)
    assert run.signature == run_on(study).signature  # over all texts, not only those that were left
    after = dict(ItemScore.objects.filter(run=run).values_list("pk", "value"))
    assert before.items() <= after.items()
    assert len(after) == 12 * len(MEASURES)


@pytest.mark.django_db(transaction=True)
def test_an_item_that_is_deleted_after_it_was_read_is_not_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = make_corpus(articles=1, questions=6, systems=tuple(CANDIDATES))
    Question.objects.update(reference_answers=[REFERENCE])
    study = open_study(corpus=corpus, definition=preset("equivalence"), name="One item less")
    gone, *left = study.items.order_by("pk")
    real = equivalence._columns

    def one_is_deleted(run: ScoringRun, block: list[answers.GivenAnswer]) -> list[answers.ScoreColumns]:
        Item.objects.filter(pk=gone.pk).delete()
        return real(run, block)

    monkeypatch.setattr(equivalence, "_columns", one_is_deleted)
    run = run_on(study)
    assert (run.status, run.error) == (JobStatus.DONE, "")
    scored = ItemScore.objects.filter(run=run, aspect=VERDICT).order_by("item")
    assert list(scored.values_list("item", flat=True)) == [each.pk for each in left]
    assert sum(run.counts["verdicts"].values()) == len(left)


@pytest.mark.django_db(transaction=True)
def test_what_another_worker_stored_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are committed from a connection of their own on PostgreSQL; a block that is there already is no error."""
    corpus = make_corpus(articles=1, questions=6, systems=tuple(CANDIDATES))
    Question.objects.update(reference_answers=[REFERENCE])
    study = open_study(corpus=corpus, definition=preset("equivalence"), name="Two workers")
    monkeypatch.setattr(answers.answer_blocks, "__kwdefaults__", {**answers.answer_blocks.__kwdefaults__, "items": 5})
    first = run_on(study)
    values = ItemScore.objects.order_by("item", "candidate", "aspect").values_list(
        "item", "candidate", "aspect", "label", "value", "reason", "details"
    )
    expected = list(values.filter(run=first))
    assert (first.status, first.done, len(expected)) == (JobStatus.DONE, first.total, first.total * len(MEASURES))

    run = start_run(study=study, method=Method.EQUIVALENCE, actor=OPERATOR)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    (there, *_) = ItemScore.objects.filter(run=first, aspect=VERDICT).order_by("item", "candidate")
    real, calls = equivalence.last_scored, []

    def another_worker_stores_one(run: ScoringRun) -> int:
        found = real(run)
        ItemScore.objects.create(
            run=run, item=there.item, candidate=there.candidate, aspect=VERDICT, label="no", value=0.0
        )
        calls.append(found)
        return found

    monkeypatch.setattr(equivalence, "last_scored", another_worker_stores_one)
    with warnings.catch_warnings(record=True) as left_open:
        warnings.simplefilter("always", ResourceWarning)
        done = execute(RUNS, claimed)
        gc.collect()
    assert [str(each.message) for each in left_open if "Connection" in str(each.message)] == []
    assert (done.status, calls) == (JobStatus.DONE, [0])
    stored = list(values.filter(run=run))
    kept = (there.item_id, there.candidate, VERDICT, "no", 0.0, "", None)
    assert kept in stored
    assert [row for row in stored if row != kept] == [
        row for row in expected if row[:3] != (there.item_id, there.candidate, VERDICT)
    ]


def test_a_block_is_read_while_the_one_before_is_worked_on_and_an_error_of_reading_is_told() -> None:
    read: list[int] = []

    def blocks() -> Iterator[int]:
        for number in range(3):
            read.append(number)
            yield number
        raise ValueError("no more")

    with ThreadPoolExecutor(max_workers=1) as thread:
        following = ahead(blocks(), thread)
        for number in range(3):
            assert next(following) == number
            thread.submit(lambda: None).result()  # what was given to the thread before is done
            assert read == [0, 1, 2][: number + 2]
        with pytest.raises(ValueError, match="no more"):
            next(following)


def test_the_number_of_queries_does_not_grow_with_the_answers(study: Study, django_assert_max_num_queries: Any) -> None:
    larger = make_corpus(questions=40, systems=tuple(CANDIDATES))
    Question.objects.filter(article__corpus=larger).update(reference_answers=[REFERENCE])
    study = open_study(corpus=larger, definition=preset("equivalence"), name="Larger")
    claimed = claim(RUNS, start_run(study=study, method=Method.EQUIVALENCE, actor=OPERATOR).pk)
    assert claimed is not None
    with django_assert_max_num_queries(40):
        assert execute(RUNS, claimed).status == JobStatus.DONE


def test_an_answer_without_a_reference_says_so(study: Study) -> None:
    question = Question.objects.order_by("pk").first()
    assert question is not None
    Question.objects.filter(pk=question.pk).update(reference_answers=[" "])
    run = run_on(study)
    without = ItemScore.objects.filter(run=run, item__question=question)
    assert [(score.aspect, score.value, score.reason) for score in without] == [(VERDICT, None, NO_REFERENCE)] * 3
    assert run.counts["verdicts"]["without_reference_answers"] == 3


def test_candidates_side_by_side_are_scored_one_by_one() -> None:
    definition = preset("lfqa")
    definition["shown"] = [*definition["shown"], "reference_answers"]
    corpus = make_corpus(questions=2, systems=tuple(CANDIDATES), sentences=0)
    Question.objects.filter(article__corpus=corpus).update(reference_answers=[REFERENCE])
    study = open_study(corpus=corpus, definition=definition)
    run = run_on(study)
    item = study.items.order_by("pk").first()
    assert item is not None
    numbers = ItemScore.objects.filter(run=run, item=item, aspect=VERDICT).values_list("candidate", flat=True)
    assert sorted(numbers) == sorted(item.candidates.values_list("number", flat=True))


def test_a_scheme_without_reference_answers_is_refused_in_words() -> None:
    with pytest.raises(InvalidInputError, match="have no reference answers"):
        start_run(study=open_study(), method=Method.EQUIVALENCE, actor=OPERATOR)


def test_a_study_without_items_is_refused_in_words() -> None:
    with pytest.raises(InvalidInputError, match="no batches yet"):
        start_run(study=make_study(definition=preset("equivalence")), method=Method.EQUIVALENCE, actor=OPERATOR)


def test_the_signature_tells_other_answers_apart(study: Study) -> None:
    first = run_on(study)
    assert run_on(study).signature == first.signature
    Answer.objects.filter(system__name="cedar").update(text="Ben Jonson")
    assert run_on(study).signature != first.signature


def test_the_command_says_what_was_found(study: Study) -> None:
    output = StringIO()
    call_command("score_study", study.name, "--method", "equivalence", stdout=output, stderr=StringIO())
    assert "12 answers" in output.getvalue()
    assert "8 equivalent, 4 not equivalent" in output.getvalue()


@pytest.mark.skipif(not EVOUNA.is_file(), reason="EVOUNA's answers (shared/data/evouna/NQ.json) are not here.")
def test_real_answers_from_their_file_to_the_verdicts(tmp_path: Path) -> None:
    rows = [row for row in json.loads(EVOUNA.read_text(encoding="utf-8")) if not row["improper"]][:200]
    sample = tmp_path / "sample.json"
    sample.write_text(json.dumps(rows), encoding="utf-8")
    call_command("import_study", "evouna", str(sample), name="Quiz", stdout=StringIO(), stderr=StringIO())

    run = run_on(Study.objects.get(name="Quiz"))

    said = ItemScore.objects.filter(run=run, aspect=VERDICT).values_list(
        "label", "item__annotations__values__equivalent"
    )
    agreed = [machine == people for machine, people in said]
    exact = ItemScore.objects.filter(run=run, aspect="equivalence.exact_match").values_list(
        "value", "item__annotations__values__equivalent"
    )
    assert len(agreed) > 950
    # Most of these questions were learned from, so this shows the path; held-out figures are in the model card.
    assert sum(agreed) / len(agreed) > 0.92
    assert sum((value == 1) == (people == "yes") for value, people in exact) / len(agreed) < 0.5
