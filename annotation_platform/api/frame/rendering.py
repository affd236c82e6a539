"""Replies are JSON whatever is asked for; a list that is asked for as lines makes them itself."""

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request


class BodyRenderer(JSONRenderer):
    """JSON, as it is written for people, too: no escapes for what is not English."""

    charset = "utf-8"


class JsonAnyhow(DefaultContentNegotiation):
    """Nobody is refused for what they accept: errors, at least, could not be told otherwise."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, Any]:
        first = next(iter(renderers))
        return first, first.media_type
