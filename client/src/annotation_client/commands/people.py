"""The people of a study."""

import typer

from annotation_client.commands.shell import Slug, Token, Url, print_rows, study_named

app = typer.Typer()


@app.command()
def members(slug: Slug, url: Url, token: Token) -> None:
    """The people of a study, by pseudonym."""
    with study_named(url, token, slug) as study:
        print_rows(study.members(), "id", "pseudonym", "role", "paused_at", "removed_at")


@app.command()
def invite(
    slug: Slug,
    url: Url,
    token: Token,
    role: str = "annotator",
    email: str = "",
    max_uses: int | None = None,
    days: int = 30,
) -> None:
    """A new way into a study; its link is printed."""
    with study_named(url, token, slug) as study:
        typer.echo(study.invite(role=role, email=email, max_uses=max_uses, days=days).link)
