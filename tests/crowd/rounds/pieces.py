"""Rounds for tests, and people who go through them."""

from collections.abc import Mapping
from typing import Any

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.schemes import preset
from annotation_platform.crowd.rounds.models import Attempt, Round
from annotation_platform.crowd.rounds.selectors import items_of
from annotation_platform.crowd.rounds.services import RoundSettings, begin_attempt, make_round, open_round, set_key
from annotation_platform.studies.models import Assignment, Member, Study
from annotation_platform.studies.services import claim_assignment
from tests.factories import OPERATOR, make_corpus, submit

RIGHT = {"correct": "yes", "completeness": "complete"}
WRONG = {"correct": "no", "completeness": "missing_all"}


def new_round(study: Study, *, questions: int = 2, articles: int = 1, key: bool = True, **settings: Any) -> Round:
    """An open round with one document (or more) and so many questions; accepted is what ``RIGHT`` says."""
    corpus = make_corpus(articles=articles, questions=questions, systems=("alder",))
    chosen = RoundSettings(**{"title": "Round 1", "least_percent": 75, **settings})
    made = make_round(
        study=study,
        corpus=corpus,
        definition=preset("ebr"),
        settings=chosen,
        actor=OPERATOR,
        questions_per_hit=questions,
    )
    if key:
        for item in items_of(made):
            raw = {"correct": ["yes"], "completeness": ["complete"]}
            set_key(round_=made, item=item, raw=raw, must_pass=False, actor=OPERATOR)
        open_round(round_=made, actor=OPERATOR)
    return made


def acts(member: Member) -> Actor:
    return Actor.person(member.user_id)


def judge(assignment: Assignment, said: Mapping[int, dict[str, Any]]) -> None:
    """Judge all items of a task: item's position → what is said of it; ``RIGHT`` where that is not given."""
    for item in assignment.hit.items.order_by("position"):
        submit(assignment, item, **said.get(item.position, RIGHT))


def go_through(round_: Round, member: Member, *said: Mapping[int, dict[str, Any]]) -> Attempt:
    """Begin a round and judge its tasks one after the other; what is said in each, otherwise all is right."""
    place = begin_attempt(round_=round_, member=member, actor=acts(member))
    judge(place, said[0] if said else {})
    for more in said[1:]:
        annotator = Member.objects.get(pk=place.annotator_id)
        judge(claim_assignment(annotator=annotator, actor=acts(member)), more)
    found = round_.attempts.filter(member=member).order_by("-number").first()
    assert found is not None
    return found
