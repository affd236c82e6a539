"""Turns of conversations as the API gives them."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from annotation_platform.api.frame.serializers import Output, choice
from annotation_platform.core.turns import NAMES, Turn


class ToolCallRead(Output):
    name = serializers.CharField()
    arguments = serializers.CharField(help_text="As they were written, mostly JSON.")
    result = serializers.CharField(help_text="What the tool gave back.")


class TurnRead(Output):
    role = choice([*NAMES])
    text = serializers.CharField()
    name = serializers.CharField(help_text="Tells apart several of one role; mostly empty.")
    calls = ToolCallRead(many=True, help_text="Of tools, made in this turn.")


BEFORE = "Of a conversation: the turns before what is judged; question has them as one text."
JUDGED = "The turns to judge, where they are more than a plain text; text has them as one."


def told_turns(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    return [asdict(each) for each in turns]
