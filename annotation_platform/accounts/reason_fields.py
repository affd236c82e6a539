"""Columns that keep what was said to people as codes with parameters, so that each reader gets it in their language.

What comes back is a :class:`~annotation_platform.core.reasons.Reason`, which reads as its English sentence; words that
were kept without a code come back as they are.
"""

import json
from typing import Any

from django.db import models

from annotation_platform.core.reasons import Reason, as_data, from_data

_KEPT = '{"code": '  # how a reason begins as it is kept among words without a code


class ReasonField(models.TextField):  # type: ignore[type-arg]
    """One reason, or words without a code."""

    def get_prep_value(self, value: Any) -> Any:
        return json.dumps(as_data(value)) if isinstance(value, Reason) else super().get_prep_value(value)

    def from_db_value(self, value: Any, *_: Any) -> Any:
        return from_data(json.loads(value)) if value and value.startswith(_KEPT) else value


class ReasonsField(models.JSONField):
    """JSON that has reasons somewhere in it."""

    def get_prep_value(self, value: Any) -> Any:
        return super().get_prep_value(as_data(value))

    def from_db_value(self, value: Any, *about: Any) -> Any:
        return from_data(super().from_db_value(value, *about))

    def value_to_string(self, obj: models.Model) -> Any:
        return as_data(super().value_to_string(obj))
