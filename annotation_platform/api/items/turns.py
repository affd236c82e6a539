"""Turns of conversations as the API gives them."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from annotation_platform.api.frame.serializers import Output, choice
from annotation_platform.core.citations import TURNS
from annotation_platform.core.items import numbered
from annotation_platform.core.turns import NAMES, SpokenTurn, Turn


class ToolCallRead(Output):
    name = serializers.CharField()
    arguments = serializers.CharField(help_text="As they were written, mostly JSON.")
    result = serializers.CharField(help_text="What the tool gave back.")


class TurnRead(Output):
    role = choice([*NAMES])
    text = serializers.CharField()
    name = serializers.CharField(help_text="Tells apart several of one role; mostly empty.")
    calls = ToolCallRead(many=True, help_text="Of tools, made in this turn.")


class CitedSentenceRead(Output):
    reference = serializers.CharField(help_text="As a judgment cites it, such as T3:2.")
    text = serializers.CharField()


class SpokenTurnRead(TurnRead):
    sentences = CitedSentenceRead(many=True)


BEFORE = "Of a conversation: the turns before what is judged; question has them as one text."
JUDGED = "The turns to judge, where they are more than a plain text; text has them as one."


SPOKEN = "Where the scheme has sentences of the conversation cited: its turns with these; otherwise empty."


def told_spoken(turns: Iterable[SpokenTurn]) -> list[dict[str, Any]]:
    return [
        asdict(each.turn)
        | {
            "sentences": [
                {"reference": sentence.reference, "text": sentence.text}
                for sentence in numbered(TURNS + each.number, each.sentences)
            ]
        }
        for each in turns
    ]


def told_turns(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    return [asdict(each) for each in turns]
