"""A question whose SQL is made once gives what its query set gives, with whatever numbers and texts it is asked."""

import pytest
from django.db import connection
from django.db.models import Count, Q
from django.test.utils import CaptureQueriesContext

from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import Batch, Study
from tests.factories import open_study

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def test_rows_are_those_of_the_query_set_for_each_key() -> None:
    one, other = open_study(name="One", pay="2.50"), open_study(name="Other")

    def studies(key, or_key):
        return Study.objects.filter(Q(pk=key) | Q(pk=or_key)).order_by("pk").values_list("pk", "name", "created_at")

    asked = CompiledQuery(studies)
    for keys in ((one.pk, one.pk), (other.pk, one.pk), (0, other.pk), (0, 0), (2**63, one.pk)):
        assert [tuple(row) for row in asked.rows(*keys)] == list(studies(*keys))


def test_instances_are_those_of_the_query_set_with_what_it_selects_with_them() -> None:
    open_study(name="One", pay="2.50"), open_study(name="Other")

    def studies(slug, key):
        named = Study.objects.filter(slug=slug, pk__gt=key).select_related("scheme_version", "corpus")
        return named.annotate(n_batches=Count("batches")).order_by("pk")

    asked = CompiledQuery(studies)
    for values in (("one", 0), ("other", 0), ("other", 2**62), ("nothing", 0), ("'; --", 0)):
        found, expected = asked.instances(*values), list(studies(*values))
        with CaptureQueriesContext(connection) as captured:
            assert list(map(_all_of, found)) == list(map(_all_of, expected))
        assert not captured.captured_queries
    assert all(not each._state.adding and each._state.db == "default" for each in asked.instances("one", 0))


def _all_of(study):
    parts = (study, study.scheme_version, study.corpus)
    columns = [{field.attname: getattr(part, field.attname) for field in part._meta.concrete_fields} for part in parts]
    return columns, study.n_batches


def test_who_has_no_key_finds_nothing() -> None:
    one = open_study(name="One")
    asked = CompiledQuery(lambda key: Study.objects.filter(pk=key))
    assert [asked.instances(key) for key in (None, one.pk, None)] == [[], [one], []]


def test_instances_without_a_part_that_is_not_there_have_none() -> None:
    one = open_study(name="One")
    asked = CompiledQuery(lambda key: Study.objects.filter(pk=key).select_related("qualifies_for"))
    assert [each.qualifies_for for each in asked.instances(one.pk)] == [None]


def test_what_is_at_hand_is_not_asked_for_again() -> None:
    one = open_study(name="One")
    asked = CompiledQuery(lambda study: Batch.objects.filter(study=study).order_by("pk")[:1])
    assert asked.first(one.pk, study=one).study is one
    assert asked.first(0, study=one) is None


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
    with pytest.raises(ValueError, match="1 of the values are no parameters"):
        CompiledQuery(lambda key, unused: Study.objects.filter(pk=key)).rows(1, 2)
