"""A question whose SQL is made once gives the rows of its query set, with whatever numbers it is asked."""

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import Study
from tests.factories import open_study

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def test_rows_are_those_of_the_query_set_for_each_key() -> None:
    one, other = open_study(name="One", pay="2.50"), open_study(name="Other")

    def studies(key, or_key):
        return Study.objects.filter(Q(pk=key) | Q(pk=or_key)).order_by("pk").values_list("pk", "name", "created_at")

    asked = CompiledQuery(studies)
    for keys in ((one.pk, one.pk), (other.pk, one.pk), (0, other.pk), (0, 0), (2**63, one.pk)):
        assert [tuple(row) for row in asked.rows(*keys)] == list(studies(*keys))


def test_it_asks_what_the_query_set_asks() -> None:
    def studies(key):
        return Study.objects.filter(pk=key).values_list("pk", "name")

    with CaptureQueriesContext(connection) as captured:
        assert CompiledQuery(studies).rows(7) == [list(row) for row in studies(7)]
    assert captured.captured_queries[0]["sql"] == captured.captured_queries[1]["sql"]


def test_its_sql_is_made_once() -> None:
    made = []
    asked = CompiledQuery(lambda key: made.append(key) or Study.objects.filter(pk=key).values_list("pk"))
    assert [asked.rows(key) for key in (1, 2)] == [[], []]
    assert len(made) == 1


def test_a_number_that_is_no_parameter_of_the_sql_is_a_mistake_of_its_author() -> None:
    with pytest.raises(ValueError, match="1 of the numbers are no parameters"):
        CompiledQuery(lambda key, unused: Study.objects.filter(pk=key)).rows(1, 2)
