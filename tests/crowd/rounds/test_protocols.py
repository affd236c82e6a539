"""The papers' own protocols: EBR's rounds reviewed by hand, and Acorn's test, trials and hand-picked list."""

import pytest

from annotation_platform.core.errors import ConflictError
from annotation_platform.crowd.rounds.models import Rule, Verdict
from annotation_platform.crowd.rounds.selectors import items_of
from annotation_platform.crowd.rounds.services import (
    begin_attempt,
    decide,
    decide_without_attempt,
    end_round,
    set_key,
)
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.models import Role
from annotation_platform.studies.services import claim_assignment
from tests.crowd.rounds.pieces import RIGHT, WRONG, acts, go_through, new_round
from tests.factories import OPERATOR, MemberFactory, open_study
from tests.some import some

pytestmark = pytest.mark.pages


@pytest.mark.django_db
def test_as_in_ebr_four_rounds_of_three_documents_are_reviewed_by_hand_with_notes() -> None:
    study = open_study(overlap=5)
    researcher, worker = MemberFactory(study=study, role=Role.RESEARCHER), MemberFactory(study=study)
    rounds = [
        new_round(study, title=f"Round {n}", articles=3, questions=2, rule=Rule.REVIEW, least_percent=0)
        for n in range(1, 5)
    ]
    for each in some(rounds):
        with pytest.raises(NotEligibleError, match=f"“{each.title}”"):
            claim_assignment(annotator=worker, actor=acts(worker))
        attempt = go_through(each, worker, {}, {2: WRONG}, {})
        assert (attempt.verdict, attempt.matched, attempt.compared) == (Verdict.PENDING, 10, 12)
        item = each.study.items.first()
        assert item is not None
        notes = {item.pk: "Cite what it leaves out."}
        decide(attempt=attempt, verdict=Verdict.PASSED, item_notes=notes, by=researcher, actor=acts(researcher))
    assert claim_assignment(annotator=worker, actor=acts(worker)).hit.batch.study == study


@pytest.mark.django_db
def test_as_in_acorn_the_best_of_a_test_go_through_a_trial_and_some_are_picked() -> None:
    study = open_study(overlap=5)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    test = new_round(study, questions=6, rule=Rule.BEST, best_count=2, least_percent=59)
    dummy = items_of(test)[5]
    strict = {"correct": ["no"], "completeness": ["missing_all"]}
    set_key(round_=test, item=dummy, raw=strict, must_pass=True, actor=OPERATOR)
    trial = new_round(study, title="Trial", rule=Rule.ANYONE)
    picked = new_round(study, title="Final pool", rule=Rule.REVIEW)
    heeds = {6: WRONG}
    good, fair, weak, hasty = (MemberFactory(study=study) for _ in range(4))
    go_through(test, good, heeds)
    go_through(test, fair, heeds | {1: {**RIGHT, "correct": "no"}})
    assert go_through(test, weak, heeds | dict.fromkeys(range(1, 5), WRONG)).verdict == Verdict.FAILED
    assert go_through(test, hasty).verdict == Verdict.FAILED  # all right, but for the strict instructions
    end_round(round_=test, actor=acts(researcher))
    for each in (good, fair):
        assert go_through(trial, each).verdict == Verdict.PASSED
    with pytest.raises(ConflictError):
        begin_attempt(round_=trial, member=weak, actor=acts(weak))
    decide_without_attempt(round_=picked, member=good, verdict=Verdict.PASSED, by=researcher, actor=acts(researcher))
    assert claim_assignment(annotator=good, actor=acts(good)).hit.batch.study == study
    with pytest.raises(NotEligibleError, match="Final pool"):
        claim_assignment(annotator=fair, actor=acts(fair))
