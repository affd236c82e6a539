"""Lengths of time in words."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

register = template.Library()
HOURS, MINUTES, SECONDS = gettext_noop("%(n)s h"), gettext_noop("%(n)s min"), gettext_noop("%(n)s s")


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
    parts = [(hours, HOURS), (minutes, MINUTES), (0 if hours else rest, SECONDS)]
    return " ".join(_(unit) % {"n": number} for number, unit in parts if number) or _(SECONDS) % {"n": 0}
