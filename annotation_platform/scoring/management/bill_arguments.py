"""Arguments of the command line about what a run may cost."""

from argparse import ArgumentTypeError
from decimal import Decimal

from django.core.management.base import CommandParser

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.forms import read_budget


def add_bill_arguments(parser: CommandParser) -> None:
    bill = parser.add_argument_group("the bill")
    most = bill.add_mutually_exclusive_group()
    most.add_argument("--budget", type=dollars, metavar="DOLLARS", help="the run pauses before it spends more")
    most.add_argument("--no-budget", action="store_true", help="with --resume: go on without the budget that it has")
    bill.add_argument("--dry-run", action="store_true", help="ask about ten items, tell the expected bill, and pause")
    bill.add_argument("--resume", action="store_true", help="go on with a run that paused, failed or was killed")


def dollars(text: str) -> Decimal:
    try:
        amount = read_budget(text)
    except InvalidInputError as error:
        raise ArgumentTypeError(str(error)) from None
    if amount is None:
        raise ArgumentTypeError("give an amount of dollars, or leave it out")
    return amount
