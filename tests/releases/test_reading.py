"""Rows read by their keys are those that the ORM finds: all of one moment, from however many readers."""

from collections.abc import Callable, Iterator, Sequence
from threading import Thread
from typing import Any

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

from annotation_platform.annotations.models import Annotation
from annotation_platform.releases.services.reading import in_turn, keys_of
from tests.factories import study_with_judgments

AT_ONCE = 5
FIELDS = ("pk", "item_id", "seconds", "is_current")

inside_and_outside_a_transaction = pytest.mark.parametrize(
    "where",
    [
        pytest.param("inside", marks=pytest.mark.django_db),
        pytest.param("outside", marks=pytest.mark.django_db(transaction=True)),
    ],
)


def in_order() -> QuerySet[Annotation]:
    return Annotation.objects.order_by("-seconds", "pk")


def read_rows(readers: set[int]) -> Any:
    def read(reader: BaseDatabaseWrapper, keys: Sequence[int]) -> list[tuple[Any, ...]]:
        readers.add(id(reader))
        rows = in_order().filter(pk__in=list(keys)).values_list(*FIELDS)
        sql, parameters = rows.query.sql_with_params()
        with reader.cursor() as cursor:
            cursor.execute(sql, parameters)
            return list(cursor.fetchall())

    return read


def by_the_orm() -> list[tuple[Any, ...]]:
    return list(in_order().values_list(*FIELDS))


@pytest.fixture
def judgments() -> int:
    study_with_judgments(name="Owls", annotators=2)
    for number, annotation in enumerate(Annotation.objects.order_by("pk")):
        Annotation.objects.filter(pk=annotation.pk).update(seconds=number * 7 % 11)
    count = Annotation.objects.count()
    assert count > 2 * AT_ONCE
    return count


@inside_and_outside_a_transaction
def test_they_come_in_the_order_of_the_keys(judgments: int, where: str) -> None:
    readers: set[int] = set()
    lots = list(in_turn(keys_of(in_order().values_list("pk", flat=True)), read_rows(readers), at_once=AT_ONCE))
    assert [len(lot) for lot in lots[:-1]] == [AT_ONCE] * (len(lots) - 1)
    assert [tuple(row) for lot in lots for row in lot] == by_the_orm()
    assert len(by_the_orm()) == judgments
    is_read_twice = connection.vendor == "postgresql" and where == "outside"
    assert len(readers) == (2 if is_read_twice else 1)
    assert not connection.in_atomic_block or where == "inside"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("when", ["after the keys", "after the first rows"])
def test_what_others_write_meanwhile_is_seen_by_no_reader(judgments: int, when: str) -> None:
    before = by_the_orm()

    def keys(reader: BaseDatabaseWrapper) -> Iterator[int]:
        yield from keys_of(in_order().values_list("pk", flat=True))(reader)
        if when == "after the keys":
            elsewhere(write)

    lots = in_turn(keys, read_rows(set()), at_once=AT_ONCE)
    found = [next(lots)]
    if when == "after the first rows":
        elsewhere(write)
    found += lots
    assert [tuple(row) for lot in found for row in lot] == before
    assert by_the_orm() != before


def write() -> None:
    Annotation.objects.update(is_current=False)
    connection.close()


def elsewhere(act: Callable[[], None]) -> None:
    thread = Thread(target=act)
    thread.start()
    thread.join()
