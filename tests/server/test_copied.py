"""Rows that PostgreSQL sends while it finds them are those of the query set."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import CharField, TextField, Value
from django.db.models.functions import Cast, Concat

from annotation_platform.server.copied import can_copy, copied, copied_texts
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


def test_who_stops_in_the_middle_can_go_on_asking(names: Any) -> None:
    first, rows = names[0], copied_texts(names, "written")
    assert next(rows) == first
    rows.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
