"""``--help`` of each of our commands is read by somebody who has never used it."""

from argparse import SUPPRESS
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

OURS = sorted(
    name for name, app in get_commands().items() if app.startswith("annotation_platform.") and name != "makemessages"
)
OF_DJANGO = {action.dest for action in BaseCommand().create_parser("manage.py", "any")._actions}
TOO_LITTLE = ("of ", "by ", "for ", "from ")


def arguments(command: str) -> list[Any]:
    parser = load_command_class(get_commands()[command], command).create_parser("manage.py", command)
    return [action for action in parser._actions if action.dest not in OF_DJANGO and action.help != SUPPRESS]


@pytest.mark.parametrize("command", OURS)
def test_each_argument_says_what_it_is(command: str) -> None:
    for argument in arguments(command):
        name = argument.option_strings[-1] if argument.option_strings else argument.dest
        told = argument.help or ""
        assert len(told.split()) >= 3, f"{name}: {told!r} is too short"
        assert not told.startswith(TOO_LITTLE), f"{name}: {told!r} has no subject"
        assert told[0].islower() or told[:2].isupper() or not told[0].isalpha(), f"{name}: {told!r}"
        assert not told.endswith("."), f"{name}: {told!r}"


@pytest.mark.parametrize("command", OURS)
def test_each_command_says_in_a_sentence_what_it_does(command: str) -> None:
    told = load_command_class(get_commands()[command], command).help
    assert told[0].isupper()
    assert told.endswith(".")
