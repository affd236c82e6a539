"""Lengths of time in words."""

from django import template
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def duration(seconds: float) -> str:
    """A length of time, to the second where it is short.

    Examples
    --------
    >>> duration(4.2), duration(75), duration(3600), duration(5460)
    ('4 s', '1 min 15 s', '1 h', '1 h 31 min')
    """
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    parts = [(hours, _("%(n)s h")), (minutes, _("%(n)s min")), (0 if hours else rest, _("%(n)s s"))]
    return " ".join(unit % {"n": number} for number, unit in parts if number) or _("%(n)s s") % {"n": 0}
