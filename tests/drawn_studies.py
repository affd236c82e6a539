"""Studies of right and wrong answers of which people judge a drawn part, and a classifier all."""

from typing import Any

from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Question
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods import equivalence
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.studies.models import Item, Study
from annotation_platform.studies.services import plan_batches
from tests.factories import MemberFactory, close_all, judge_everything, make_corpus, make_study


def is_right(item: Item) -> bool:
    """Two of three answers are, but none of those to every fifth question, of which the classifier does not know."""
    return item.question.position % 3 != 0 and item.question.position % 5 != 0


def probability(item: Item) -> float:
    if item.question.position % 5 == 0:
        return 0.5
    return 0.95 if is_right(item) else 0.05


def equivalence_study(*, questions: int = 60, with_run: bool = True, **settings: Any) -> Study:
    """One system, its answers in draft batches, one or more to a task, all judged by a classifier."""
    corpus = make_corpus(questions=questions, systems=("alder",), sentences=0)
    Question.objects.filter(article__corpus=corpus).update(reference_answers=["it"])
    kind: dict[str, Any] = {"overlap": 1, "questions_per_hit": 1, "hits_per_batch": 20, **settings}
    study = make_study(corpus=corpus, definition=preset("equivalence"), **kind)
    plan_batches(study=study)
    if with_run:
        classify(study)
    return study


def classify(study: Study) -> ScoringRun:
    run = ScoringRun.objects.create(
        study=study, method=Method.EQUIVALENCE, scorer=Scorer.CLASSIFIER, status=JobStatus.DONE, signature="planted"
    )
    run.batches.set(study.batches.all())
    for item in study.items.select_related("question"):
        p = probability(item)
        values = dict.fromkeys(equivalence.MEASURES, 0.0) | {
            equivalence.VERDICT: float(p > 0.5),
            equivalence.PROBABILITY: p,
        }
        labels = {equivalence.RULE: "meaning", equivalence.VERDICT: "yes" if p > 0.5 else "no"}
        ItemScore.objects.bulk_create(
            ItemScore(
                run=run,
                item=item,
                aspect=measure,
                label=labels.get(measure, ""),
                value=None if measure == equivalence.RULE else value,
            )
            for measure, value in values.items()
        )
    return run


def judge_open_batches(study: Study) -> None:
    """One person judges all that is open; then it is closed."""

    def said(item: Item) -> dict[str, Any]:
        return {"equivalent": "yes" if is_right(item) else "no", "rule": "meaning", "why": "Because."}

    member = study.members.filter(role="annotator").first() or MemberFactory(study=study)
    judge_everything(member, said)
    close_all(study)
