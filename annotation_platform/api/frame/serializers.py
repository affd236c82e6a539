"""What the bodies of all topics share."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from rest_framework import serializers

from annotation_platform.accounts.language import in_language
from annotation_platform.core.reasons import Reason

LARGEST_KEY = 2**63 - 1
"""As keys of rows are stored."""


class Input(serializers.Serializer[Any]):
    """A body that is sent: a field that there is not is a mistake, so that no typing error goes unnoticed."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping) and (strange := [key for key in data if key not in self.fields]):
            known = [*self.fields]
            raise serializers.ValidationError(
                {key: [in_language(Reason("api.field_unknown", name=key, known=known))] for key in strange}
            )
        return super().to_internal_value(data)


class Output(serializers.Serializer[Any]):
    """A body that is given."""


def choice(names: Any, **how: Any) -> serializers.ChoiceField:
    """One of a few names."""
    return serializers.ChoiceField(choices=[str(name) for name in names], **how)


@cache
def names_of(row: type[serializers.Serializer[Any]]) -> tuple[str, ...]:
    """The fields of a row, in their order."""
    return tuple(map(str, row().fields))
