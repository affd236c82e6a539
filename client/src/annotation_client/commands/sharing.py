"""Who may have a release: links that end, people and teams."""

from typing import Annotated

import typer

from annotation_client.commands.releases import Number
from annotation_client.commands.shell import Slug, Token, Topic, Url, print_rows, say, study_named

app = Topic()


@app.command()
def link(
    slug: Slug,
    number: Number,
    url: Url,
    token: Token,
    days: Annotated[int, typer.Option(help="How long it lets anybody in.")] = 30,
    note: Annotated[str, typer.Option(help="For whom it is.")] = "",
) -> None:
    """A link that lets anybody who has it download a release; it is printed."""
    with study_named(url, token, slug) as study:
        made = study.make_link(number, days=days, note=note)
        say(made.link, made)


@app.command()
def links(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """The links to a release, and how often each was used."""
    with study_named(url, token, slug) as study:
        print_rows(study.links(number), "id", "note", "downloads", "expires_at", "revoked_at", "link")


@app.command()
def unlink(slug: Slug, number: Number, link: int, url: Url, token: Token) -> None:
    """Let nobody in by a link any more (its id)."""
    with study_named(url, token, slug) as study:
        made = study.revoke_link(number, link)
        say(f"Link {made.id} lets nobody in any more.", made)


@app.command()
def allow(
    slug: Slug,
    number: Number,
    url: Url,
    token: Token,
    email: Annotated[str, typer.Option(help="Of a person.")] = "",
    team: Annotated[str | None, typer.Option(help="A study, by its name in addresses.")] = None,
    role: Annotated[str | None, typer.Option(help="annotator, researcher or admin of that study.")] = None,
) -> None:
    """Let a person or a team download a release, who need not be in the study; the right's number is printed."""
    with study_named(url, token, slug) as study:
        made = study.let_download(number, email=email, team=team, role=role)
        say(made.id, made)


@app.command()
def allowed(slug: Slug, number: Number, url: Url, token: Token) -> None:
    """The people and teams who were let download a release."""
    with study_named(url, token, slug) as study:
        print_rows(study.rights(number), "id", "email", "team", "role", "downloads", "revoked_at")


@app.command()
def disallow(slug: Slug, number: Number, right: int, url: Url, token: Token) -> None:
    """Take a right to download a release away."""
    with study_named(url, token, slug) as study:
        made = study.revoke_right(number, right)
        say(f"Right {made.id} is taken away.", made)
