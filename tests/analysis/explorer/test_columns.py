"""Rows that are inserted by columns are those that the ORM would insert, and those that are there stay."""

import pytest

from annotation_platform.analysis.explorer.columns import insert_columns
from annotation_platform.analysis.explorer.indexing import FIGURES
from annotation_platform.analysis.models import ItemFigures
from annotation_platform.studies.models import Item
from tests.factories import make_corpus, study_with_judgments

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def rows_of(study: int, items: list[int]) -> list[tuple[object, ...]]:
    """Values of every kind that the figures have, with gaps."""
    filled = []
    for number, item in enumerate(items):
        row: list[object] = []
        for name in FIGURES:
            field = ItemFigures._meta.get_field(name)
            if field.is_relation:
                row.append(item if field.related_model is Item else study)
            elif field.get_internal_type() == "CharField":
                row.append("completeness")
            elif field.get_internal_type() in ("FloatField",):
                row.append(None if number % 3 == 0 and field.null else number / 3)  # type: ignore[union-attr]
            else:
                row.append(number + 1)
        filled.append(tuple(row))
    return filled


def test_the_rows_are_those_of_the_orm_and_rows_that_are_there_stay() -> None:
    study = study_with_judgments(corpus=make_corpus(articles=1, questions=3), annotators=2)
    ItemFigures.objects.all().delete()
    rows = rows_of(study.pk, list(Item.objects.order_by("pk").values_list("pk", flat=True)))
    names = [ItemFigures._meta.get_field(name).attname for name in FIGURES]  # type: ignore[union-attr]
    insert_columns(ItemFigures, FIGURES, rows)
    inserted = list(ItemFigures.objects.order_by("item").values_list(*names))
    ItemFigures.objects.all().delete()
    ItemFigures.objects.bulk_create(ItemFigures(**dict(zip(names, row, strict=True))) for row in rows)
    assert inserted == list(ItemFigures.objects.order_by("item").values_list(*names))
    assert len(inserted) == len(rows) > 3

    insert_columns(ItemFigures, FIGURES, rows)
    assert ItemFigures.objects.count() == len(rows)
