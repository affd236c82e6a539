"""Who is told what happens in a study."""

from typing import Annotated

import typer

from annotation_client.commands.shell import Slug, Token, Topic, Url, print_rows, say, study_named

app = Topic(help="Who is told what happens in a study.", no_args_is_help=True)
Number = Annotated[int, typer.Argument(help="Of the webhook.")]


@app.command("list")
def webhooks(slug: Slug, url: Url, token: Token) -> None:
    """The webhooks of a study."""
    with study_named(url, token, slug) as study:
        print_rows(study.webhooks.all(), "id", "address", "kinds", "is_on", "failures")


@app.command("add")
def add_webhook(
    slug: Slug,
    address: str,
    url: Url,
    token: Token,
    kind: Annotated[
        list[str] | None, typer.Option(help="What it is told of; otherwise all but single judgments.")
    ] = None,
    note: str = "",
) -> None:
    """Add one; its secret is printed this once."""
    with study_named(url, token, slug) as study:
        made = study.webhooks.add(address, kinds=kind, note=note)
        say(made.secret, made)


@app.command("on")
def switch_on(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """Tell it again."""
    _switch(url, token, slug, number, is_on=True)


@app.command("off")
def switch_off(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """Tell it nothing for now."""
    _switch(url, token, slug, number, is_on=False)


def _switch(url: str, token: str, slug: str, number: int, *, is_on: bool) -> None:
    with study_named(url, token, slug) as study:
        made = study.webhooks.change(number, is_on=is_on)
        say(f"Webhook {made.id} is {'on' if made.is_on else 'off'}.", made)


@app.command("test")
def test_webhook(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """Send it a test message."""
    with study_named(url, token, slug) as study:
        made = study.webhooks.test(number)
        say(f"Message {made.id} is {made.state}.", made)


@app.command("log")
def deliveries(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """What it was sent, the newest first."""
    with study_named(url, token, slug) as study:
        print_rows(study.webhooks.deliveries(number), "id", "kind", "state", "attempts", "status", "error")


@app.command("again")
def send_again(slug: Slug, number: Number, message: int, url: Url, token: Token) -> None:
    """Send a message of the log again."""
    with study_named(url, token, slug) as study:
        made = study.webhooks.send_again(number, message)
        say(f"Message {made.id} is {made.state}.", made)


@app.command("rotate")
def rotate(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """Give it another secret, which is printed this once."""
    with study_named(url, token, slug) as study:
        made = study.webhooks.rotate(number)
        say(made.secret, made)


@app.command("delete")
def delete_webhook(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """Delete one, with its log."""
    with study_named(url, token, slug) as study:
        study.webhooks.delete(number)
        say(f"Webhook {number} is deleted.", {"id": number})
