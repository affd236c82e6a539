"""What attempts come to, which items are hard, and what becomes of rounds when their study goes."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.crowd.rounds.measuring import difficulties
from annotation_platform.crowd.rounds.models import Attempt, ItemKey, Round, Rule, Verdict
from annotation_platform.crowd.rounds.results import overview_of, results_of
from annotation_platform.crowd.rounds.selectors import home_card, items_of, rounds_of
from annotation_platform.crowd.rounds.services import (
    RoundSettings,
    change_round,
    confirm_proposals,
    decide_without_attempt,
    end_round,
    make_round,
    set_key,
)
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import delete_study, exclude_member
from tests.crowd.rounds.pieces import RIGHT, WRONG, acts, go_through, new_round
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study

pytestmark = pytest.mark.pages


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(overlap=5)


def test_hard_items_are_those_that_few_match_whole_in_first_attempts(study: Study) -> None:
    new = new_round(study, attempts_allowed=2)
    good, other = MemberFactory(study=study), MemberFactory(study=study)
    go_through(new, good)
    go_through(new, other, {2: WRONG})
    go_through(new, other)
    first, second = difficulties(new)
    assert (first.whole, first.judged, first.missed) == (2, 2, [])
    assert (second.whole, second.judged, second.percent) == (1, 2, 50)
    assert dict(second.missed) == {"correct": 1, "completeness": 1}


def test_a_round_without_a_key_leaves_the_verdict_to_a_person(study: Study) -> None:
    new = new_round(study)
    worker = MemberFactory(study=study)
    ItemKey.objects.all().delete()
    attempt = go_through(new, worker)
    assert (attempt.verdict, attempt.compared) == (Verdict.PENDING, 0)


def test_the_overview_counts_who_has_begun_and_who_passes_as_things_stand(study: Study) -> None:
    new = new_round(study, valid_days=30)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    expired, barred, picked, passes = (MemberFactory(study=study) for _ in range(4))
    by = {"round_": new, "by": researcher, "actor": acts(researcher)}
    for each in (expired, barred, passes):
        go_through(new, each)
    new.attempts.filter(member=expired).update(decided_at=timezone.now() - timedelta(days=31))
    decide_without_attempt(member=barred, verdict=Verdict.FAILED, **by)
    decide_without_attempt(member=picked, verdict=Verdict.PASSED, **by)
    found = overview_of(new)
    assert (found.people, found.passed, found.failed) == (3, 2, 0)


def test_the_table_says_what_changed_settings_would_decide(study: Study) -> None:
    new = new_round(study)
    attempt = go_through(new, MemberFactory(study=study), {1: WRONG})
    assert not results_of(new, [attempt])[0].differs
    change_round(round_=new, settings=RoundSettings(title="Round 1", least_percent=50), actor=OPERATOR)
    (result,) = results_of(new, [attempt])
    assert (result.rule_says, result.differs) == (Verdict.PASSED, True)


def test_what_waits_is_compared_again_when_the_least_overlap_changes(study: Study) -> None:
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    new = new_round(study, is_reviewed=True)
    for item in items_of(new):
        set_key(round_=new, item=item, raw={"sentences": "1-3"}, must_pass=False, actor=OPERATOR)
    attempt = go_through(new, MemberFactory(study=study), dict.fromkeys((1, 2), RIGHT | {"sentences": [1]}))
    assert (attempt.matched, attempt.compared) == (0, 2)
    settings = RoundSettings(title="Round 1", least_percent=75, is_reviewed=True, least_overlap=30)
    change_round(round_=new, settings=settings, actor=OPERATOR)
    confirm_proposals(round_=new, by=researcher, actor=acts(researcher))
    attempt.refresh_from_db()
    assert (attempt.matched, attempt.verdict) == (2, Verdict.PASSED)


def test_proposals_of_the_best_are_there_when_a_reviewed_round_has_ended(study: Study) -> None:
    new = new_round(study, rule=Rule.BEST, best_count=1, is_reviewed=True, least_percent=0)
    best, other = MemberFactory(study=study), MemberFactory(study=study)
    attempts = [go_through(new, best), go_through(new, other, {1: WRONG})]
    assert [each.rule_says for each in results_of(new, attempts)] == [Verdict.PENDING, Verdict.PENDING]
    assert end_round(round_=new, actor=OPERATOR) == 0
    assert [each.rule_says for each in results_of(new, attempts)] == [Verdict.PASSED, Verdict.FAILED]


def test_the_rule_gives_a_place_to_who_is_among_the_best_of_those_who_are_still_there(study: Study) -> None:
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    new = new_round(study, rule=Rule.BEST, best_count=1, is_reviewed=True, least_percent=0)
    first, second = MemberFactory(study=study), MemberFactory(study=study)
    attempts = [go_through(new, first), go_through(new, second, {1: WRONG})]
    end_round(round_=new, actor=OPERATOR)
    confirm_proposals(round_=new, by=researcher, actor=acts(researcher))
    exclude_member(member=first, because="Spam.", actor=OPERATOR)
    for each in attempts:
        each.refresh_from_db()
    assert [each.rule_says for each in results_of(new, attempts)] == [Verdict.FAILED, Verdict.PASSED]


def test_what_was_judged_is_compared_with_what_a_migration_leaves_of_the_key(study: Study) -> None:
    new = new_round(study)
    attempt = go_through(new, MemberFactory(study=study), {1: RIGHT | {"completeness": "missing_all"}})
    assert (attempt.matched, attempt.compared, attempt.verdict) == (3, 4, Verdict.PASSED)
    definition = preset("ebr") | {"examples": [], "rescale": []}
    del definition["aspects"][1]
    migrate_scheme(study=new.study, definition=definition, actor=OPERATOR)
    attempt.refresh_from_db()
    assert (attempt.matched, attempt.compared, attempt.verdict) == (2, 2, Verdict.PASSED)


def test_what_was_judged_is_compared_again_where_two_choices_become_one(study: Study) -> None:
    new = new_round(study)
    attempt = go_through(new, MemberFactory(study=study), {1: RIGHT | {"completeness": "missing_minor"}})
    assert (attempt.matched, attempt.compared) == (3, 4)
    definition = preset("ebr") | {"examples": [], "rescale": []}
    del definition["aspects"][1]["scale"]["choices"][1]
    renamings = ["completeness.missing_minor = complete"]
    migrate_scheme(study=new.study, definition=definition, renamings=renamings, actor=OPERATOR)
    attempt.refresh_from_db()
    assert (attempt.matched, attempt.compared) == (4, 4)


def test_the_card_of_the_home_has_the_rounds_of_those_who_have_some(study: Study) -> None:
    worker, outside = MemberFactory(study=study), MemberFactory(study=open_study())
    assert home_card(worker.user) is None
    new = new_round(study)
    card = home_card(worker.user)
    assert card is not None
    assert [each.round for own in card["own_rounds"] for each in own.standings] == [new]
    assert home_card(outside.user) is None
    assert not rounds_of(worker.user)[0].is_qualified


def test_rounds_go_with_their_study_and_alone(study: Study) -> None:
    first, second = new_round(study), new_round(study, title="Round 2")
    worker = MemberFactory(study=study)
    go_through(first, worker)
    delete_study(study=second.study, typed_name=second.study.name, actor=OPERATOR)
    assert list(Round.objects.all()) == [first]
    delete_study(study=study, typed_name=study.name, actor=OPERATOR)
    assert not Study.every.exists()
    assert not Attempt.objects.exists()
    assert not Annotation.objects.exists()


def test_an_account_can_go_and_its_attempts_stay_without_the_person(study: Study) -> None:
    new = new_round(study)
    worker = MemberFactory(study=study)
    go_through(new, worker)
    delete_account(user=worker.user, actor=acts(worker))
    attempt = new.attempts.select_related("member", "annotator").get()
    assert attempt.annotator is not None
    assert (attempt.member.user, attempt.annotator.user) == (None, None)
    assert attempt.member.pseudonym == worker.pseudonym


def test_a_round_is_made_of_a_corpus_that_has_what_its_scheme_shows(study: Study) -> None:
    corpus = make_corpus(articles=1, questions=1, systems=("alder",))
    settings = RoundSettings(title="Round 1")
    with pytest.raises(InvalidInputError):
        make_round(study=study, corpus=corpus, definition=preset("acorn"), settings=settings, actor=OPERATOR)
    assert Study.every.filter(qualifies_for=study).count() == 0


def test_the_researchers_history_tells_of_rounds_by_pseudonym(study: Study, client: object) -> None:
    researcher, worker = MemberFactory(study=study, role=Role.RESEARCHER), MemberFactory(study=study)
    go_through(new_round(study), worker)
    client.force_login(researcher.user)  # type: ignore[attr-defined]
    page = client.get(reverse("history", args=[study.slug])).content.decode()  # type: ignore[attr-defined]
    assert f"A round of qualification was decided for {worker.pseudonym}" in page
    assert f"{worker.pseudonym} began a round of qualification" in page
