"""Texts in which spans are marked, or were: exactly as they are stored, and with the marks drawn."""

from collections.abc import Sequence

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from annotation_platform.core.marked_text import ShownSpan, segments

register = template.Library()


@register.filter
def exactly(text: str) -> SafeString:
    """The text, so that a browser has every character of it: a carriage return, too, which it would drop."""
    return mark_safe(conditional_escape(text).replace("\r", "&#13;"))


@register.simple_tag
def marked_text(text: str, spans: Sequence[ShownSpan], start: int = 0) -> SafeString:
    """A text, or the piece of one from ``start`` on, with spans drawn over it."""
    html = SafeString("")
    for segment in segments(text, spans, start=start):
        inner = exactly(segment.text)
        for cover in reversed(segment.covers):  # the lowest lane lies innermost
            sign = format_html(' data-sign="{}"', cover.span.sign) if cover.begins else ""
            inner = format_html(
                '<mark class="mark mark-{} lane-{}" title="{}"{}>{}</mark>',
                *(cover.span.colour, min(cover.lane, 5), cover.span.told, sign, inner),
            )
        html += inner
    return html
