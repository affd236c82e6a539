"""Points in time, written in one way on every page: in the reader's zone, which is named."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """Day and time in the reader's zone and language; nothing for what has not happened."""
    if at is None:
        return ""
    here = timezone.localtime(at)
    written = date_format(here, _("j M Y, H:i"))
    return format_html('<time datetime="{}">{} {}</time>', at.isoformat(), written, offset(here))


@register.simple_tag
def zone() -> str:
    """The name of the reader's zone, as ``Asia/Tokyo``; "UTC" as long as the browser has not said which."""
    return timezone.get_current_timezone_name()


def offset(at: datetime) -> str:
    """How far a time is from UTC: ``UTC``, ``UTC+9``, ``UTC-3:30``."""
    minutes = round((at.utcoffset() or timedelta()).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    return "UTC" + (f"{'+' if minutes > 0 else '−'}{hours}" if minutes else "") + (f":{rest:02}" if rest else "")
