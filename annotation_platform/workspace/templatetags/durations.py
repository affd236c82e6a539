"""Lengths of time in words."""

from django import template

from annotation_platform.core.text import duration_in_words

register = template.Library()
register.filter("duration", duration_in_words)
