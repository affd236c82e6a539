"""Columns of numbers out of the database: the same as row by row, on either database."""

from datetime import UTC, datetime

import numpy as np
import pytest
from django.db.models import Case, IntegerField, Value, When

from annotation_platform.analysis.measuring.columns import (
    SecondsSinceEpoch,
    read_numbers,
    read_whole_numbers,
    sort_rows,
)
from annotation_platform.annotations.models import Annotation, Rating
from tests.analysis.study_rows import scored_study

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def test_columns_have_the_rows_numbers_and_nan_where_there_is_none() -> None:
    scored_study()
    first = Annotation.objects.order_by("pk").first()
    assert first is not None
    Annotation.objects.filter(pk=first.pk).update(seconds=None)
    read = read_numbers(Annotation.objects.all(), "pk", "item_id", "seconds")
    told = list(Annotation.objects.order_by("pk").values_list("pk", "item_id", "seconds"))
    assert len(told) > 1
    sort_rows(read, by=read[:1])
    keys, items, seconds = read
    assert list(zip(keys.tolist(), items.tolist(), strict=True)) == [row[:2] for row in told]
    assert np.array_equal(seconds, [np.nan if row[2] is None else row[2] for row in told], equal_nan=True)


def test_expressions_with_texts_become_numbers() -> None:
    scored_study()
    choices = dict(Rating.objects.values_list("pk", "choice"))
    chosen = next(iter(choices.values()))
    asked = Case(When(choice=chosen, then=Value(7)), output_field=IntegerField())
    keys, found = read_numbers(Rating.objects.all(), "pk", asked)
    assert dict(zip(keys, found == 7, strict=True)) == {key: choice == chosen for key, choice in choices.items()}


def test_moments_become_seconds_in_their_order() -> None:
    scored_study()
    Annotation.objects.update(created_at=datetime(2026, 7, 1, 9, 59, 59, 999_900, tzinfo=UTC))
    keys, found = read_numbers(Annotation.objects.all(), "pk", SecondsSinceEpoch("created_at"))
    assert dict(zip(keys, found, strict=True)) == pytest.approx(
        {key: at.timestamp() for key, at in Annotation.objects.values_list("pk", "created_at")}, abs=1e-5
    )


def test_no_rows_give_empty_columns() -> None:
    for rows in (Annotation.objects.none(), Annotation.objects.filter(pk=0)):
        assert [column.shape for column in read_numbers(rows, "pk", "seconds")] == [(0,), (0,)]


def test_whole_numbers_are_exact_and_none_may_be_missing() -> None:
    scored_study()
    rows, large = Annotation.objects.all(), Value(2**53 + 1)
    keys, numbers = read_whole_numbers(rows, "pk", large)
    assert sorted(keys.tolist()) == list(rows.order_by("pk").values_list("pk", flat=True))
    assert set(numbers.tolist()) == {2**53 + 1}
    Annotation.objects.filter(pk=keys[0]).update(seconds=None)
    with pytest.raises(TypeError):
        read_whole_numbers(rows, "seconds")


def test_rows_are_sorted_in_place_by_the_first_column_first() -> None:
    whose, at, said = np.array([2, 1, 2, 1]), np.array([0.5, np.nan, 0.25, 3.0]), np.array([10, 11, 12, 13])
    sort_rows((whose, at, said), by=(whose, at))
    assert (whose.tolist(), said.tolist()) == ([1, 1, 2, 2], [13, 11, 12, 10])
