"""Many people begin a round at the same moment, each with a connection of their own."""

import pytest
from django.db import connection

from annotation_platform.crowd.rounds.models import Attempt
from annotation_platform.crowd.rounds.services import begin_attempt
from annotation_platform.studies.models import Assignment
from annotation_platform.studies.services import NothingToClaimError
from tests.crowd.pay.paying import agree
from tests.crowd.rounds.pieces import acts, new_round
from tests.factories import MemberFactory, open_study
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


def test_everybody_gets_a_place_of_their_own_and_two_clicks_are_one_attempt() -> None:
    study = open_study(overlap=5)
    new = new_round(study)
    people = [MemberFactory(study=study) for _ in range(20 if connection.vendor == "postgresql" else 5)]
    twice = [*people, *people]

    def begin(index: int) -> int:
        return begin_attempt(round_=new, member=twice[index], actor=acts(twice[index])).pk

    results = at_once(len(twice), begin)
    assert not [result for result in results if isinstance(result, Exception)]
    assert results[: len(people)] == results[len(people) :]
    assert len(set(results)) == len(people)
    assert Attempt.objects.count() == len(people)
    places = Assignment.objects.filter(hit__batch__study=new.study)
    assert sorted(places.values_list("place", flat=True)) == list(range(1, len(people) + 1))


def test_people_who_begin_at_once_get_no_more_places_than_the_budget_allows() -> None:
    study = open_study(overlap=5)
    new = new_round(study)
    agree(new.study, reward=100, budget=200)
    people = [MemberFactory(study=study) for _ in range(5)]
    results = at_once(
        len(people), lambda index: begin_attempt(round_=new, member=people[index], actor=acts(people[index]))
    )
    refused = [result for result in results if isinstance(result, Exception)]
    assert [type(each) for each in refused] == [NothingToClaimError] * 3
    assert Attempt.objects.count() == 2
