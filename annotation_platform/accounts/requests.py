"""A request as it arrives at the views."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class PageRequest(HttpRequest):
    """django-htmx has looked at it: ``htmx`` is true for a request from a part of a page."""

    htmx: HtmxDetails
