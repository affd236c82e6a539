"""What annotators earn, and paying it."""

from pathlib import Path
from typing import Annotated

import typer

from annotation_client.commands.shell import (
    Slug,
    Token,
    Topic,
    Url,
    print_one,
    print_rows,
    say,
    settings_of,
    study_named,
)

app = Topic(help="What annotators earn, and paying it.", no_args_is_help=True)
Number = Annotated[int, typer.Argument(help="Of the payment.")]


@app.command("terms")
def terms(
    slug: Slug,
    url: Url,
    token: Token,
    change: Annotated[list[str] | None, typer.Argument(help="name=value, to agree on others.")] = None,
) -> None:
    """What a task earns, and what each annotator has earned; with name=value, other terms."""
    with study_named(url, token, slug) as study:
        words = {name: str(value) if name == "reward" else value for name, value in settings_of(change or ()).items()}
        print_one(study.pay.agree(**words) if words else study.pay.read())


@app.command("rates")
def rates(slug: Slug, url: Url, token: Token) -> None:
    """What an hour earns."""
    with study_named(url, token, slug) as study:
        print_one(study.pay.rates())


@app.command("ledger")
def ledger(
    slug: Slug, url: Url, token: Token, annotator: Annotated[int | None, typer.Option(help="Only theirs.")] = None
) -> None:
    """Every entry."""
    with study_named(url, token, slug) as study:
        print_rows(
            study.pay.ledger(annotator=annotator),
            "id",
            "pseudonym",
            "kind",
            "amount",
            "currency",
            "reason",
            "created_at",
        )


@app.command("correct")
def correct(
    slug: Slug, annotator: int, amount: str, url: Url, token: Token, reason: Annotated[str, typer.Option()]
) -> None:
    """Add to what somebody has earned, or (“-1.50”, after “--”) take from it."""
    with study_named(url, token, slug) as study:
        print_one(study.pay.correct(annotator, amount, reason=reason))


@app.command("approve")
def approve(slug: Slug, url: Url, token: Token) -> None:
    """Approve all work that waits for that."""
    with study_named(url, token, slug) as study:
        count = study.pay.approve_waiting()
        say(f"{count} approved.", {"approved": count})


@app.command("payments")
def payments(slug: Slug, url: Url, token: Token) -> None:
    """The payments, and how far each is."""
    with study_named(url, token, slug) as study:
        print_rows(study.pay.payments(), "number", "state", "total", "currency", "people", "settled")


@app.command("collect")
def collect(slug: Slug, url: Url, token: Token) -> None:
    """Make a payment of all that is owed."""
    with study_named(url, token, slug) as study:
        print_one(study.pay.collect())


@app.command("confirm")
def confirm(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """Approve a payment, so that it can be paid."""
    with study_named(url, token, slug) as study:
        print_one(study.pay.approve(number))


@app.command("cancel")
def cancel(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """Give a payment up; what it was to pay is owed again."""
    with study_named(url, token, slug) as study:
        print_one(study.pay.cancel(number))


@app.command("file")
def file(slug: Slug, number: Number, to: Path, url: Url, token: Token) -> None:
    """The file of a payment, for whoever pays."""
    with study_named(url, token, slug) as study:
        there = study.pay.download(number, to)
        say(there, {"file": str(there)})


@app.command("paid")
def paid(slug: Slug, number: Number, file: Path, url: Url, token: Token) -> None:
    """Write down what was paid, by a CSV file."""
    with study_named(url, token, slug) as study:
        print_one(study.pay.record(number, file))
