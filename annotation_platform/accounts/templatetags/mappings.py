"""Going through a mapping on a page.

``mapping.items`` in a template means its key of that name where it has one, so a mapping of data would break the page.
"""

from collections.abc import ItemsView, Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def pairs(mapping: Mapping[str, Any] | None) -> ItemsView[str, Any]:
    """The keys with their values, whatever the keys are; none of what is not there."""
    return (mapping or {}).items()
