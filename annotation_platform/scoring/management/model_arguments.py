"""Arguments of the command line about the language model, its pace and its bill."""

from decimal import Decimal

from django.core.management.base import CommandError, CommandParser

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.prompts import Variant
from annotation_platform.scoring.typed import read_budget

# Given on the command line, or left to the study, the connection or environment, and the scorer's defaults.
MODEL_OPTIONS = (
    "connection",
    "model",
    "base_url",
    "variant",
    "temperature",
    "max_tokens",
    "seed",
    "mode",
    "concurrency",
    "timeout",
    "retries",
    "price_in",
    "price_out",
    "requests_per_minute",
    "tokens_per_minute",
    "max_run_tokens",
)
LEFT_OUT = "none"


def add_model_arguments(parser: CommandParser) -> None:
    model = parser.add_argument_group("language model (--scorer openai); without --connection, as OPENAI_… say")
    model.add_argument("--connection", metavar="NAME", help="a model connection: address, model, key, prices, limits")
    model.add_argument("--model", help="default: the connection's, or OPENAI_MODEL")
    model.add_argument("--base-url", help="a server that needs no key; default: OPENAI_BASE_URL")
    model.add_argument("--variant", choices=list(Variant), help="what the model is shown")
    model.add_argument("--temperature", type=number_or_none, help="a number, or “none” to leave it to the server")
    model.add_argument("--max-tokens", type=whole_number_or_none, help="of one reply: a number, or “none”, as above")
    model.add_argument("--seed", type=int, help="sent along; repetitions count up from it")
    model.add_argument("--mode", choices=["direct", "batch"], help="batch: by the server's Batch API")
    model.add_argument("--concurrency", type=int, help="requests at a time, by all workers together")
    model.add_argument("--timeout", type=float, help="seconds for an answer at first; slow models get more")
    model.add_argument("--retries", type=int, help="further attempts at a request")
    model.add_argument("--price-in", type=float, help="US dollars for a million prompt tokens")
    model.add_argument("--price-out", type=float, help="US dollars for a million tokens of replies")
    model.add_argument("--requests-per-minute", type=int, help="by all workers together")
    model.add_argument("--tokens-per-minute", type=int, help="by all workers together")
    model.add_argument("--max-run-tokens", type=int, help="in and out; the run pauses before it has more")
    bill = parser.add_argument_group("the bill")
    bill.add_argument("--budget", type=dollars, metavar="DOLLARS", help="the run pauses before it spends more")
    bill.add_argument("--dry-run", action="store_true", help="ask about ten items, tell the expected bill, and pause")
    bill.add_argument("--resume", action="store_true", help="go on with a run that paused, failed or was killed")


def number_or_none(text: str) -> float | str:
    return LEFT_OUT if text == LEFT_OUT else float(text)


def whole_number_or_none(text: str) -> int | str:
    return LEFT_OUT if text == LEFT_OUT else int(text)


def dollars(text: str) -> Decimal:
    try:
        amount = read_budget(text)
    except InvalidInputError as error:
        raise CommandError(str(error)) from None
    if amount is None:
        raise CommandError("--budget: give an amount of dollars, or leave it out.")
    return amount
