"""Reasons on a page, in its language."""

from django import template

from annotation_platform.accounts import language

register = template.Library()
register.filter("in_language", language.in_language)
register.filter("why_in_language", language.why_in_language)
