"""Studies with checks for tests, and people who judge them."""

from typing import Any

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import store_judgments
from annotation_platform.core.schemes import check_judgment
from annotation_platform.corpus.models import Answer
from annotation_platform.crowd.checks.models import Action, Check
from annotation_platform.crowd.checks.services import NewCheck, add_checks, change_rule, mix_in
from annotation_platform.studies.models import Assignment, AssignmentState, Candidate, Item, Member, Study
from annotation_platform.studies.selectors import item_shape
from annotation_platform.studies.services import claim_assignment, open_batch, plan_batches
from tests.factories import OPERATOR, as_sent, make_corpus, make_study, submit

RIGHT = {"correct": "yes", "completeness": "complete"}
WRONG = {"correct": "no", "completeness": "missing_all"}
RULE = {
    "every": 1,
    "action": Action.NOTHING,
    "most_failed": None,
    "least_percent": None,
    "least_judged": 3,
    "words": "",
}


def set_rule(study: Study, **values: Any) -> None:
    change_rule(study=study, actor=OPERATOR, **(RULE | {"words": "Read the whole document."} | values))


def add_some(study: Study, count: int, accepted: dict[str, Any] | None = None) -> list[Check]:
    """Checks of a corpus of their own, which accept ``RIGHT``."""
    corpus = make_corpus(articles=count, questions=1, systems=("larch",))
    new = [
        NewCheck(answer.question, [answer], accepted or {key: [value] for key, value in RIGHT.items()})
        for answer in Answer.objects.filter(question__article__corpus=corpus).select_related("question__article")
    ]
    return add_checks(study=study, new=new, actor=OPERATOR)


def study_with_checks(*, checks: int = 4, articles: int = 2, **settings: Any) -> Study:
    """An open study in which each task has a check."""
    study = make_study(corpus=make_corpus(articles=articles, questions=2), **settings)
    plan_batches(study=study)
    set_rule(study)
    add_some(study, checks)
    mix_in(study=study, actor=OPERATOR)
    for batch in study.batches.all():
        open_batch(batch=batch, actor=OPERATOR)
    return study


def items_shown(place: Assignment) -> list[Item]:
    return list(Item.every.filter(hit=place.hit_id).select_related("study__scheme_version").order_by("position"))


def take(annotator: Member) -> Assignment:
    return claim_assignment(annotator=annotator, actor=Actor.person(annotator.user_id))


def judge(place: Assignment, *, checks: dict[str, Any] = RIGHT) -> None:
    """Judge a whole task; what is said of its checks."""
    for item in items_shown(place):
        submit(place, item, **(checks if item.is_check else RIGHT))


def slip_checks_in(study: Study) -> None:
    """Into each submitted place of a study a judged check, as it would be if checks had been mixed in before."""
    (check,) = add_some(study, 1)
    scheme = study.scheme()
    for hit in {place.hit for place in Assignment.objects.filter(hit__batch__study=study).select_related("hit")}:
        item = Item.every.create(study=study, hit=hit, question=check.question, position=99, is_check=True)
        Candidate.every.create(item=item, study=study, answer=check.answers.get().answer, is_check=True)
        raw = as_sent(study, {**WRONG, "sentences": [2], "reasons": "A word that nobody else has said: heliotrope."})
        for place in hit.assignments.filter(state=AssignmentState.SUBMITTED):
            judged = Annotation(
                assignment=place,
                item=item,
                annotator=place.annotator,
                scheme_version=study.scheme_version,
                values=check_judgment(scheme, raw, item_shape(item)),
                seconds=1.0,
                created_at=place.submitted_at,
                is_check=True,
            )
            store_judgments(scheme=scheme, judgments=[(judged, item_shape(item))])
