"""Who is told what happens in a study."""

from typing import Annotated

import typer

from annotation_client.commands.shell import Slug, Token, Url, print_rows, study_named

app = typer.Typer(help="Who is told what happens in a study.", no_args_is_help=True)


@app.command("list")
def webhooks(slug: Slug, url: Url, token: Token) -> None:
    """The webhooks of a study."""
    with study_named(url, token, slug) as study:
        print_rows(study.webhooks.all(), "id", "address", "kinds", "is_on", "failures")


@app.command("add")
def add_webhook(
    slug: Slug, address: str, url: Url, token: Token, kind: Annotated[list[str] | None, typer.Option()] = None
) -> None:
    """Add one; its secret is printed this once."""
    with study_named(url, token, slug) as study:
        typer.echo(study.webhooks.add(address, kinds=kind).secret)


@app.command("delete")
def delete_webhook(slug: Slug, number: int, url: Url, token: Token) -> None:
    """Delete one, with its log."""
    with study_named(url, token, slug) as study:
        study.webhooks.delete(number)
