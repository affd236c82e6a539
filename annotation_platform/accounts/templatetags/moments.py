"""Points in time, written in one way on every page."""

from datetime import datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """Day and time in UTC, in the reader's language; nothing for what has not happened."""
    if at is None:
        return ""
    return format_html('<time datetime="{}">{} UTC</time>', at.isoformat(), date_format(at, _("j M Y, H:i")))
