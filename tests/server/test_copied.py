"""Rows that PostgreSQL sends while it finds them are those of the query set."""

from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.db.models import Case, CharField, F, FloatField, TextField, Value, When
from django.db.models.functions import Cast, Concat

from annotation_platform.server import copied as module
from annotation_platform.server.copied import can_copy, copied, copied_numbers, copied_texts
from annotation_platform.studies.models import Study
from tests.factories import open_study

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


@pytest.fixture(autouse=True)
def _on_postgresql(db: None) -> None:
    if not can_copy():
        pytest.skip("COPY is PostgreSQL's")


@pytest.fixture
def names() -> Any:
    for number, said in enumerate(("One", "", "Zwei\nZeilen, 100 % \\N", "三つ目")):
        open_study(name=f"Study {number}", about=said)
    written = Concat(Cast("about", TextField()), Value("%s"), output_field=CharField())
    return Study.objects.annotate(written=written).order_by("-pk").values_list("written", flat=True)


def test_texts_are_those_of_the_query_set_in_its_order(names: Any) -> None:
    assert len(names) == 4
    assert list(copied_texts(names, "written")) == list(names)
    assert list(copied_texts(names.filter(about="One"), "written")) == ["One%s"]


def test_no_rows_are_none(names: Any) -> None:
    assert list(copied_texts(names.filter(pk=0), "written")) == []
    assert list(copied(names.none(), ["1"])) == []


@pytest.mark.parametrize("rows_at_once", [1, 3, 10_000])
def test_numbers_are_those_of_the_query_set_however_many_are_sent_at_a_time(
    names: Any, rows_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", rows_at_once)
    asked = Study.objects.annotate(less=Value(-7) - F("pk")).values_list("pk", "less")
    blocks = list(copied_numbers(asked, ["pk", "less"], "int8"))
    assert len(blocks) == -(-4 // rows_at_once)
    assert sorted(np.frombuffer(b"".join(blocks), dtype=">i8").reshape(-1, 2).tolist()) == sorted(map(list, asked))


def test_a_missing_number_is_nan_or_refused(names: Any) -> None:
    missing = When(about="One", then=Value(None))
    asked = Study.objects.annotate(some=Case(missing, default=Value(0.5), output_field=FloatField())).values_list(
        "some"
    )
    (found,) = copied_numbers(asked, ["some"], "float8")
    assert np.array_equal(np.sort(np.frombuffer(found, dtype=">f8")), [0.5, 0.5, 0.5, np.nan], equal_nan=True)
    with pytest.raises(TypeError):
        list(copied_numbers(asked, ["some"], "int8"))
    with pytest.raises(TypeError):
        list(copied_numbers(asked.filter(about="One"), ["some"], "int8"))  # nothing but missing ones
    assert list(copied_numbers(asked.none(), ["some"], "int8")) == []
    assert list(copied_numbers(asked.filter(pk=0), ["some"], "int8")) == []


def test_who_stops_in_the_middle_can_go_on_asking(names: Any) -> None:
    first, rows = names[0], copied_texts(names, "written")
    assert next(rows) == first
    rows.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
