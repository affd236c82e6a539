"""Deleting a study with all that hangs on it, in whatever app."""

from collections.abc import Iterator
from typing import Any

from django.db import models, transaction

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Study


@transaction.atomic
def delete_study(*, study: Study, typed_name: str) -> None:
    """Delete a study with its batches, judgments, scores, figures and exports. Its corpus stays.

    Raises
    ------
    InvalidInputError
        When what was typed is not the study's name.
    """
    if typed_name.strip() != study.name:
        raise InvalidInputError("studies.typed_name_differs")
    Study.objects.select_for_update().get(pk=study.pk)
    for relation, path in relations_to(Study):
        rows = relation.related_model._base_manager.filter(**{path: study})
        if relation.on_delete is models.SET_NULL:
            rows.update(**{relation.field.name: None})
        else:
            rows._raw_delete(rows.db)
    Study.objects.filter(pk=study.pk)._raw_delete("default")


def relations_to(model: type[models.Model], path: str = "") -> Iterator[tuple[Any, str]]:
    """Every relation by which rows hang on a model's, the farthest first, with the look-up that leads to its rows.

    Django's own deletion refuses what is protected even where all of it goes, and loads every row to find that out.
    """
    relations: list[Any] = model._meta.get_fields(include_hidden=True)
    for relation in relations:
        is_reverse = relation.auto_created and not relation.concrete and (relation.one_to_many or relation.one_to_one)
        if not is_reverse or relation.related_model is model:  # rows of one table go in one statement
            continue
        lookup = f"{relation.field.name}__{path}" if path else relation.field.name
        if relation.on_delete is not models.SET_NULL:
            yield from relations_to(relation.related_model, lookup)
        yield relation, lookup
